"""The exact gap of 50 anchors on 50 points beside Monte Carlo and quadrature in high precision, and expectiles."""

import time
from typing import Any

import mpmath
import numpy as np
from scipy.stats import expectile

from benchmarks.timing import compare
from infonce_theory.continuity import expectile_functional
from infonce_theory.embeddings import pairwise_scores, random_embeddings
from infonce_theory.exact_risk import exact_excess, exact_gap
from infonce_theory.search_kernel import search_density
from infonce_theory.spaces import FiniteSpace

TEMPERATURE, ACCURACY = 0.2, 1e-9
SAMPLES = 4000


def case(size: int) -> tuple[FiniteSpace, np.ndarray]:
    """A seeded space and scores of embeddings in 8 dimensions."""
    rng = np.random.default_rng(2)
    space = FiniteSpace(rng.dirichlet(np.ones(size)), rng.dirichlet(np.ones(size), size=size))
    return space, pairwise_scores(random_embeddings(rng, size, 8))


def run() -> list[dict[str, Any]]:
    """Time, and what the alternatives need, for each k."""
    return [_exact(k) for k in (1, 10, 10**3, 10**6, 10**9, 10**12)]


def run_expectile() -> dict[str, Any]:
    """10^5 rows of 256 norms at once, and a loop over SciPy on the first 200 of them."""
    rows, looped = np.random.default_rng(3).random((10**5, 256)), 200
    level = 1.0 / (1.0 + np.exp(-2.0 / 0.5))
    calls = {
        "library": lambda: expectile_functional(rows, 0.5),
        "scipy, 200 rows": lambda: np.array([expectile(row, alpha=level) for row in rows[:looped]]),
    }
    times = compare(calls, rounds=7)
    difference = np.abs(calls["library"]()[:looped] / calls["scipy, 200 rows"]() - 1.0).max()
    share = len(rows) / looped
    ratio = {name: value * share for name, value in times["scipy, 200 rows"]["ratio"].items()}
    return {"rows": len(rows), "k": 256, "contenders": times, "ratio_for_all_rows": ratio, "value_difference": float(difference)}


def _exact(k: int) -> dict[str, Any]:
    space, scores = case(50)
    times = {}
    for alpha in (0, 1):
        calls = {"library": lambda alpha=alpha: exact_excess(space, scores, TEMPERATURE, k, alpha)}
        times[f"alpha {alpha}"] = compare(calls)["library"]
    table = search_density(scores, space.weights, TEMPERATURE)
    gap = float(exact_gap(table, space.weights, k)[0])
    sampled = _monte_carlo(table[0], space.weights, k, gap, times)
    return {"points": 50, "k": k, "times": times, "monte_carlo": sampled} | _quadrature(table[0], space.weights, k, gap)


def _monte_carlo(densities: np.ndarray, law: np.ndarray, k: int, gap: float, times: dict) -> dict[str, float]:
    """Samples for a standard error of 1e-9 of the gap; a sample draws counts, so that its cost is in points, not in k."""
    rng, start = np.random.default_rng(4), time.process_time()
    values = np.log(rng.multinomial(k, law, size=SAMPLES) @ densities / k)
    seconds = (time.process_time() - start) / SAMPLES
    deviation = float(values.std(ddof=1))
    needed = {name: (deviation / error) ** 2 for name, error in (("relative", ACCURACY * gap), ("absolute", ACCURACY))}
    library = times["alpha 0"]["cpu_seconds"]["median"] / law.size  # for one anchor
    return {
        "estimate": float(-values.mean()),
        "standard_error": deviation / SAMPLES**0.5,
        "exact": gap,
        "samples_for_relative_accuracy": needed["relative"],
        "samples_for_absolute_accuracy": needed["absolute"],
        "ratio_of_times_relative": needed["relative"] * seconds / library,
        "ratio_of_times_absolute": needed["absolute"] * seconds / library,
    }


def _quadrature(densities: np.ndarray, law: np.ndarray, k: int, gap: float) -> dict[str, float]:
    """The gap of one anchor by mpmath's quadrature of its integral, in 30 digits."""
    start = time.process_time()
    with mpmath.workdps(30):
        q, p = ([mpmath.mpf(float(value)) for value in values] for values in (densities, law))
        mean = mpmath.fsum(a * b for a, b in zip(p, q))
        total = mpmath.fsum(p)
        rates = [value * total / mean / k for value in q]

        def integrand(u: mpmath.mpf) -> mpmath.mpf:
            t = mpmath.exp(u)
            inside = mpmath.fsum(a * mpmath.exp(-t * rate) for a, rate in zip(p, rates)) / total
            return inside**k - mpmath.exp(-t)

        ends = [-20, -6, -2, 0, 2, 4, 6, mpmath.log(80 / (k * min(rates)))]
        value = mpmath.quad(integrand, sorted(ends))
    return {"mpmath_seconds_one_anchor": time.process_time() - start, "mpmath_difference": float(abs(gap / value - 1))}
