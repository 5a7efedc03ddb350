"""The mean of the empirical ideal kernel and CE_k, exact at a cost that does not grow with k.

``E 1/Y = ∫ E e^{-tY} dt`` turns the expectation over all k points into one integral
(``prop-mean-kernel``). With t = e^u the trapezoidal rule converges geometrically.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._laplace import DECAY, STEP, laplace_exponents, log_laplace
from infonce_theory._validation import FloatArray, check_negatives, check_temperature
from infonce_theory.exact_risk import exact_excess
from infonce_theory.search_kernel import check_score_table, log_partition
from infonce_theory.spaces import FiniteSpace, check_space

#: The integrand falls like e^u below this u.
LOWEST = -40.0


def mean_kernel(space: FiniteSpace, k: int) -> FloatArray:
    """Mean E M̂(x, ·) over k draws of π (``prop-mean-kernel``).

    Parameters
    ----------
    space
        Data law π and kernel M ≪ π of positives, m points.
    k
        Number of points searched, up to 10^12.

    Returns
    -------
    FloatArray
        E M̂, shape (m, m), rows summing to 1, each entry to rounding.

    Raises
    ------
    ValueError
        If k < 1 or M is not ≪ π.
    """
    count, mass = check_negatives(k), check_space(space).weights > 0.0
    law = space.weights[mass]
    result = np.zeros((space.size, space.size))
    result[:, mass] = [law * _mean_density(row, law, count) for row in space.density[:, mass]]
    return result


def search_cross_entropy(space: FiniteSpace, scores: ArrayLike, temperature: float, k: int) -> float:
    """CE_k = E[-Σ_j m̂_j log(k q̂_j)] (``thm-empirical-kernels``).

    Parameters
    ----------
    space
        Data law π and kernel M ≪ π of positives, m points.
    scores
        Scores s(x, y), shape (m, m).
    temperature
        Temperature τ > 0.
    k
        Number of points searched, up to 10^12.

    Returns
    -------
    float
        CE_k in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range, the shape does not fit, or M is not ≪ π.
    """
    table = check_score_table(space, scores)
    aligned = (mean_kernel(space, k) * table).sum(axis=1) / check_temperature(temperature)
    partition = log_partition(table, space.weights, temperature)
    return float(space.weights @ (partition - aligned)) + exact_excess(space, table, temperature, k, 0)


def _mean_density(densities: FloatArray, law: FloatArray, k: int) -> FloatArray:
    # Density of E M̂ with respect to π: where m > 0, the integral over t of m e^{-tm/k} times
    # (E e^{-tm(X)/k})^{k-1}; where m = 0, the chance that the k - 1 other points have m = 0, too.
    reached = densities > 0.0
    log_reached = np.log(densities[reached])
    nodes = np.arange(LOWEST, np.log(DECAY * k) - log_reached.min() + STEP, STEP)
    decays = laplace_exponents(nodes, log_reached, k)
    empty = law[~reached].sum()
    # a last column for the points where m = 0, whose exponent is 0
    padded, padded_law = np.pad(decays, ((0, 0), (0, 1))), np.append(law[reached], empty)
    others = log_laplace(padded, padded_law, k - 1) if k > 1 else np.zeros(nodes.size)
    result = np.full(densities.size, empty ** (k - 1.0))
    result[reached] = densities[reached] * STEP * np.exp((nodes + others)[:, None] + decays).sum(axis=0)
    return result
