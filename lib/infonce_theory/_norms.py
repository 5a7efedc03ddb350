"""Norms of a displacement: their checks, their order and the exponential tilt of their uniform law."""

import reprlib

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import LARGEST, SMALLEST, FloatArray, as_array, check_nonnegatives

#: Times k and κ̃, a norm must not leave the floats.
LARGEST_NORM = 1e300
#: exp(-x) is zero beyond this x.
UNDERFLOW = 750.0


def check_chord(anchor_norms: FloatArray) -> FloatArray:
    """Return ‖h‖²/4 of displacements h between two points of the unit sphere."""
    if anchor_norms.max() > 2.0 + 1e-6:
        raise ValueError(f"anchor_norms has the entry {anchor_norms.max()}; expected <= 2 on the sphere")
    return np.minimum(anchor_norms / 2.0, 1.0) ** 2


def check_beta(inverse_temperature: ArrayLike) -> FloatArray:
    """Return inverse temperatures > 0; infinity is allowed."""
    raw = as_array(inverse_temperature, "inverse_temperature")
    if raw.dtype.kind in "fiu" and raw.size:
        with np.errstate(over="ignore"):
            beta = raw.astype(np.float64)
        infinite = np.isposinf(raw)  # of the input, because a longdouble may become infinite
        if np.all((beta >= SMALLEST) & ((beta <= LARGEST) | infinite)):
            return beta
    wanted = f"expected numbers > 0 from {SMALLEST:g} to {LARGEST:g}, or infinity"
    raise ValueError(f"inverse_temperature is {reprlib.repr(inverse_temperature)}; {wanted}")


def check_norms(norms: ArrayLike) -> FloatArray:
    """Return norms, shape (..., k)."""
    array = check_nonnegatives(norms, "norms", largest=LARGEST_NORM)
    if array.ndim == 0:
        raise ValueError("norms has shape (); expected (..., k)")
    return array


def largest_first(norms: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Norms in decreasing order as parts of the largest, and the largest (1 where all are 0)."""
    array = check_norms(norms)
    ordered = -np.sort(-array, axis=-1)
    scale = np.where(ordered[..., 0] > 0.0, ordered[..., 0], 1.0)
    return ordered / scale[..., None], scale


def tilted_divergence(gaps: FloatArray, beta: FloatArray) -> FloatArray:
    """``KL(softmax(-β gaps)‖uniform)`` along the last axis, in nats."""
    logits = -beta[..., None] * gaps
    log_mean = np.log1p(np.expm1(logits).mean(axis=-1))
    weights = np.exp(logits - log_mean[..., None]) / gaps.shape[-1]
    return (weights * logits).sum(axis=-1) - log_mean


def tilt_for_divergence(gaps: FloatArray, divergence: float) -> FloatArray:
    """Root β of ``tilted_divergence(gaps, β) = divergence``; infinity where no finite β is enough.

    Gaps to the largest value lie in [0, 1], with a 0 in each row. The divergence grows with β from
    0 to log(k / number of zeros), so bisection of log β always converges.
    """
    reach = np.log(gaps.shape[-1] / np.count_nonzero(gaps == 0.0, axis=-1))
    # Hoeffding: the divergence is at most β² max(gaps)²/8, so the root is no smaller than this.
    low = np.full(reach.shape, np.log(8.0 * divergence) / 2.0)
    smallest = np.where(gaps > 0.0, gaps, 1.0).min(axis=-1)
    high = np.maximum(np.log(UNDERFLOW / np.maximum(smallest, 1e-300)), low)
    for _ in range(64):
        middle = (low + high) / 2.0
        below = tilted_divergence(gaps, np.exp(middle)) < divergence
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(divergence < reach, np.exp(high), np.inf)
