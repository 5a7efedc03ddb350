"""Search among k unseen points: the softmax weights Q̂, the ideal weights M̂ and their cross-entropy.

On a finite space E M̂ and CE_k are exact: see `enumerated_search` for few points and
`exact_search` for many.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._numerics import log_sum_exp
from infonce_theory._validation import (
    LARGEST_FLOAT,
    FloatArray,
    check_finite,
    check_rng,
    check_same_shape,
    check_size,
    check_temperature,
)
from infonce_theory.monte_carlo import Estimate, estimate_mean
from infonce_theory.search_kernel import check_score_table
from infonce_theory.spaces import FiniteSpace


def search_weights(scores: ArrayLike, temperature: float) -> FloatArray:
    """Weights q̂_j ∝ e^{s(x, x_j)/τ} of the softmax search among k points (``def-empirical-kernels``).

    Parameters
    ----------
    scores
        Scores s(x, x_j), shape (..., k).
    temperature
        Temperature τ > 0.

    Returns
    -------
    FloatArray
        Weights, shape (..., k), which sum to 1 along the last axis.

    Raises
    ------
    ValueError
        If a score is not finite, there is no axis of points, or τ <= 0.
    """
    return np.exp(_log_search_weights(scores, temperature))


def ideal_weights(densities: ArrayLike) -> FloatArray:
    """Weights m̂_j ∝ m(x, x_j), uniform where all densities are 0 (``def-empirical-kernels``).

    Parameters
    ----------
    densities
        Densities m(x, x_j) >= 0 of the positive with respect to π, shape (..., k).

    Returns
    -------
    FloatArray
        Weights, shape (..., k), which sum to 1 along the last axis.

    Raises
    ------
    ValueError
        If a density is negative or not finite, or there is no axis of points.
    """
    table = check_finite(densities, "densities", largest=LARGEST_FLOAT)
    if table.ndim == 0 or table.min() < 0.0:
        raise ValueError(f"densities has shape {table.shape} and minimum {table.min()}; expected (..., k), all >= 0")
    largest = table.max(axis=-1, keepdims=True)
    scaled = np.where(largest > 0.0, table / np.where(largest > 0.0, largest, 1.0), 1.0)
    return scaled / scaled.sum(axis=-1, keepdims=True)


def empirical_cross_entropy(scores: ArrayLike, densities: ArrayLike, temperature: float) -> FloatArray:
    """``-Σ_j m̂_j log(k q̂_j)`` in nats, whose mean over anchors and points is CE_k (``def-empirical-kernels``).

    Parameters
    ----------
    scores
        Scores s(x, x_j), shape (..., k).
    densities
        Densities m(x, x_j), of the same shape.
    temperature
        Temperature τ > 0.

    Returns
    -------
    FloatArray
        One cross-entropy for each set of k points, shape (...).

    Raises
    ------
    ValueError
        If an argument is out of its range or the shapes differ.
    """
    logs, weights = _log_search_weights(scores, temperature), ideal_weights(densities)
    check_same_shape(logs, weights, ("scores", "densities"))
    return -(weights * (logs + np.log(logs.shape[-1]))).sum(axis=-1)


def monte_carlo_search(
    space: FiniteSpace, scores: ArrayLike, temperature: float, k: int, num_searches: int, rng: np.random.Generator
) -> Estimate:
    """Estimate CE_k from independent searches, each with its own anchor and points (``thm-empirical-kernels``).

    Parameters
    ----------
    space
        Data law π and kernel M ≪ π of positives, m points.
    scores
        Scores s(x, y), shape (m, m).
    temperature
        Temperature τ > 0.
    k
        Number of points searched.
    num_searches
        Number n >= 2 of searches.
    rng
        Source of randomness.

    Returns
    -------
    Estimate
        Mean and standard error in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range, the shape does not fit, or M is not ≪ π.
    """
    table, densities = check_score_table(space, scores), space.density
    searches, points = check_size(num_searches, "num_searches", 2), check_size(k, "k")
    check_rng(rng)
    values = np.empty(searches)
    block = max(1, 2**21 // points)  # searches at a time, so that memory is free of n × k
    for start in range(0, searches, block):
        stop = min(searches, start + block)
        anchors = rng.choice(space.size, size=(stop - start, 1), p=space.weights)
        found = rng.choice(space.size, size=(stop - start, points), p=space.weights)
        values[start:stop] = empirical_cross_entropy(table[anchors, found], densities[anchors, found], temperature)
    return estimate_mean(values)


def _log_search_weights(scores: ArrayLike, temperature: float) -> FloatArray:
    logits = check_finite(scores, "scores") / check_temperature(temperature)
    if logits.ndim == 0:
        raise ValueError("scores has shape (); expected (..., k)")
    return logits - log_sum_exp(logits)[..., None]
