"""The softmax search kernel of an embedding, and the cross-entropy that the loss aims at.

Scores are given as tables: row x holds s(x, y) for all points y. Any finite scores are taken;
the bounds of the book hold for scores in [-1, 1].
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._numerics import log_sum_exp
from infonce_theory._validation import FloatArray, check_finite, check_probabilities, check_temperature
from infonce_theory.spaces import FiniteSpace, check_space


def log_partition(scores: ArrayLike, weights: ArrayLike, temperature: float) -> FloatArray:
    """``log μ(x) = log ∫ e^{s(x,y)/τ} π(dy)`` for each row (``prop-search-kernel``).

    Parameters
    ----------
    scores
        Scores s(x, y), shape (..., m).
    weights
        Data law π, shape (m,).
    temperature
        Temperature τ > 0.

    Returns
    -------
    FloatArray
        log μ, shape (...).

    Raises
    ------
    ValueError
        If a score is not finite, `weights` is no probability vector of length m, or τ <= 0.
    """
    logits, law = _arguments(scores, weights, temperature)
    return log_sum_exp(logits, law)


def log_search_density(scores: ArrayLike, weights: ArrayLike, temperature: float) -> FloatArray:
    """Logarithm of the density q(x, y) = e^{s(x,y)/τ}/μ(x) of Q with respect to π (``prop-search-kernel``).

    Parameters and errors are those of `log_partition`. Shape (..., m).
    """
    logits, law = _arguments(scores, weights, temperature)
    return logits - log_sum_exp(logits, law)[..., None]


def search_density(scores: ArrayLike, weights: ArrayLike, temperature: float) -> FloatArray:
    """Density q(x, y) of the search kernel with respect to π (``prop-search-kernel``).

    Parameters and errors are those of `log_partition`. Shape (..., m). At a point without mass
    the value can exceed the floats and is then infinite.
    """
    with np.errstate(over="ignore"):
        return np.exp(log_search_density(scores, weights, temperature))


def search_kernel(scores: ArrayLike, weights: ArrayLike, temperature: float) -> FloatArray:
    """Search kernel Q(x, y) = q(x, y) π(y), whose rows sum to 1 (``prop-search-kernel``).

    Parameters and errors are those of `log_partition`. Shape (..., m).
    """
    logits, law = _arguments(scores, weights, temperature)
    mass = law > 0.0
    shifted = np.where(mass, logits, -np.inf)
    masses = law * np.exp(shifted - shifted.max(axis=-1, keepdims=True))
    return masses / masses.sum(axis=-1, keepdims=True)


def cross_entropy(space: FiniteSpace, scores: ArrayLike, temperature: float) -> float:
    """Target ``CE = -∫π(dx)∫M(x,dy) log q(x,y)`` in nats (``prop-alignment-uniformity``).

    Parameters
    ----------
    space
        Data law π and kernel M of positives, m points.
    scores
        Scores s(x, y), shape (m, m).
    temperature
        Temperature τ > 0.

    Returns
    -------
    float
        Expected cross-entropy of M with respect to Q.

    Raises
    ------
    ValueError
        If a score is not finite, the shape does not fit, or τ <= 0.
    """
    table = check_score_table(space, scores)
    return float(-space.weights @ (space.kernel * log_search_density(table, space.weights, temperature)).sum(axis=1))


def check_score_table(space: FiniteSpace, scores: ArrayLike) -> FloatArray:
    """Return the scores of all pairs of points of the space, shape (m, m)."""
    table = check_finite(scores, "scores")
    if table.shape != (check_space(space).size, space.size):
        raise ValueError(f"scores has shape {table.shape}; expected {(space.size, space.size)}, all pairs of points")
    return table


def _arguments(scores: ArrayLike, weights: ArrayLike, temperature: float) -> tuple[FloatArray, FloatArray]:
    table = check_finite(scores, "scores")
    law = check_probabilities(weights, "weights")
    if law.ndim != 1 or table.ndim == 0 or table.shape[-1] != law.size:
        raise ValueError(f"weights has shape {law.shape}; expected (m,) with scores of shape (..., m), not {table.shape}")
    return table / check_temperature(temperature), law
