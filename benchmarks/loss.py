"""Loss and gradient of n = 1,024 anchors: time, memory and value beside the peers and plain matrix products."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.timing import compare, peak_bytes
from infonce_theory.embeddings import normalise
from infonce_theory.gradient import loss_gradient

ANCHORS, DIMENSION, TEMPERATURE = 1024, 128, 0.1
SHARED, OWN = (64, 1024, 16384), (64, 256)


def points(n: int, k: int, d: int, dtype: type, own: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seeded unit vectors: anchors, positives near them, negatives."""
    rng = np.random.default_rng(1)
    x = normalise(rng.standard_normal((n, d)).astype(dtype))
    y = normalise(x + (0.5 * rng.standard_normal((n, d)) / np.sqrt(d)).astype(dtype))
    z = normalise(rng.standard_normal((n, k, d) if own else (k, d), dtype=dtype))
    return x, y, z


def library(x: np.ndarray, y: np.ndarray, z: np.ndarray, temperature: float) -> Callable[[], peers.Result]:
    """The library's loss and gradient, as the peers give theirs."""

    def call() -> peers.Result:
        found = loss_gradient(x, y, z, temperature)
        return float(found.losses.mean()), list(found[1:])

    return call


def products(x: np.ndarray, z: np.ndarray) -> Callable[[], object]:
    """The matrix products alone: scores, and the pull on anchors and on negatives."""
    weights = np.ones((len(x), z.shape[-2]), dtype=x.dtype)
    if z.ndim == 2:
        return lambda: (x @ z.T, weights @ z, weights.T @ x)
    return lambda: (np.matmul(z, x[:, :, None]), np.matmul(weights[:, None, :], z), weights[..., None] * x[:, None, :])


def run() -> list[dict[str, Any]]:
    """All cases."""
    forms = [(k, own) for own, counts in ((False, SHARED), (True, OWN)) for k in counts]
    return [_case(k, dtype, own) for k, own in forms for dtype in (np.float32, np.float64)]


def _case(k: int, dtype: type, own: bool) -> dict[str, Any]:
    x, y, z = points(ANCHORS, k, DIMENSION, dtype, own)
    calls = {"library": library(x, y, z, TEMPERATURE)}
    reference = None
    if peers.available():
        calls["torch cross_entropy"] = peers.cross_entropy(x, y, z, TEMPERATURE)
        calls["info-nce-pytorch"] = peers.info_nce_pytorch(x, y, z, TEMPERATURE)
        if not own:
            calls["pytorch-metric-learning"] = peers.metric_learning(x, y, z, TEMPERATURE)
        reference = peers.cross_entropy(*(part.astype(np.float64) for part in (x, y, z)), TEMPERATURE)()
    first = {name: peak_bytes(call) for name, call in calls.items()}
    differences = {name: _differences(found, reference, name) for name, (_, found) in first.items()}
    times = compare({**calls, "matrix products": products(x, z)}, rounds=3 if k > 4096 else 5)
    operations = 6 * ANCHORS * k * DIMENSION
    for name, figures in times.items():
        figures["gflops"] = operations / figures["cpu_seconds"]["median"] / 1e9
        if name in first:
            figures |= {"peak_bytes": first[name][0], **differences[name]}
    return {
        "n": ANCHORS,
        "k": k,
        "d": DIMENSION,
        "dtype": np.dtype(dtype).name,
        "negatives": "own" if own else "shared",
        "result_bytes": x.nbytes + y.nbytes + z.nbytes,
        "contenders": times,
    }


def _differences(found: peers.Result, reference: peers.Result | None, name: str) -> dict[str, float | None]:
    if reference is None:
        return {"value_difference": None, "gradient_difference": None}
    gradient = None
    if name != "info-nce-pytorch":  # whose gradient is that through its own normalisation
        pairs = list(zip(found[1], reference[1]))
        gradient = max(float(np.abs(mine - theirs).max() / np.abs(theirs).max()) for mine, theirs in pairs)
    return {"value_difference": abs(found[0] / reference[0] - 1.0), "gradient_difference": gradient}
