"""The InfoNCE loss of a tuple, from scores or from embeddings.

α = 1 is InfoNCE: the positive stands in the denominator. α = 0 is its negatives-only
(decoupled) form. All losses are in nats.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._numerics import log_sum_exp
from infonce_theory._score_blocks import level_for, log_sums_of, positive_scores_of
from infonce_theory._validation import (
    FloatArray,
    RealArray,
    check_alpha,
    check_embeddings,
    check_finite,
    check_negatives,
    check_same_shape,
    check_temperature,
)


def infonce_loss(
    positive_scores: ArrayLike, negative_scores: ArrayLike, temperature: float, alpha: int = 1
) -> FloatArray:
    """Loss ``log(α + Σ_j e^{(s_j - s⁺)/τ})`` of each tuple (``prop-loss-forms``).

    Parameters
    ----------
    positive_scores
        Scores s⁺ of the positives, shape (...).
    negative_scores
        Scores s_j of the negatives, shape (..., k).
    temperature
        Temperature τ > 0.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    FloatArray
        Losses in nats, shape (...).

    Raises
    ------
    ValueError
        If a score is not finite, the shapes do not fit, τ <= 0 or α is neither 0 nor 1.
    """
    return _close(log_sum_exp(_logits(positive_scores, negative_scores, temperature)), check_alpha(alpha))


def softmax_weights(
    positive_scores: ArrayLike, negative_scores: ArrayLike, temperature: float, alpha: int = 1
) -> FloatArray:
    """Weights w_j of the negatives in the derivative of the loss (``thm-gateaux-loss``).

    Parameters and errors are those of `infonce_loss`.

    Returns
    -------
    FloatArray
        Weights, shape (..., k). They sum to 1 for α = 0 and to less than 1 for α = 1.
    """
    logits = _logits(positive_scores, negative_scores, temperature)
    return np.exp(logits - _close(log_sum_exp(logits), check_alpha(alpha))[..., None])


def infonce_loss_from_embeddings(
    anchors: ArrayLike,
    positives: ArrayLike,
    negatives: ArrayLike,
    temperature: float,
    alpha: int = 1,
    *,
    chunk_bytes: int = 2**24,
) -> RealArray:
    """Loss of each anchor from unit vectors, without ever holding all n × k scores.

    Parameters
    ----------
    anchors, positives
        Unit vectors, shape (n, d).
    negatives
        Unit vectors: shape (n, k, d) if each anchor has its own, shape (k, d) if all share them.
    temperature
        Temperature τ > 0.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.
    chunk_bytes
        Memory, in bytes, that the scores held at one time may take (for own negatives: with their vectors).

    Returns
    -------
    RealArray
        Losses in nats, shape (n,): float32 if all points are, otherwise float64.

    Raises
    ------
    ValueError
        If a vector is off the sphere, the shapes do not fit, τ <= 0 or α is neither 0 nor 1.
    """
    x, y, z = check_tuple_embeddings(anchors, positives, negatives)
    level, closing = level_for(x, temperature), check_alpha(alpha)
    total = log_sums_of(level * x, z, chunk_bytes) - level * positive_scores_of(x, y)
    return _close(total, closing).astype(x.dtype, copy=False)


def loss_bounds(temperature: float, k: int, alpha: int = 1) -> tuple[float, float]:
    """Smallest and largest value of ``ℓ - log k`` for scores in [-1, 1] (``prop-loss-forms``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k
        Number of negatives.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    tuple of float
        Lower and upper bound in nats; their difference is at most 4/τ whatever k is.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    reach = 2.0 / check_temperature(temperature)
    count = check_negatives(k)
    if check_alpha(alpha) == 0:
        return -reach, reach
    return tuple(float(np.logaddexp(-np.log(count), side)) for side in (-reach, reach))


def check_tuple_embeddings(
    anchors: ArrayLike, positives: ArrayLike, negatives: ArrayLike
) -> tuple[RealArray, RealArray, RealArray]:
    """Return anchors (n, d), positives (n, d) and negatives (n, k, d) or (k, d), on the sphere, of one dtype."""
    x = check_embeddings(anchors, "anchors", keep_single=True)
    y = check_embeddings(positives, "positives", keep_single=True)
    z = check_embeddings(negatives, "negatives", keep_single=True)
    if x.ndim != 2:
        raise ValueError(f"anchors has shape {x.shape}; expected (n, d)")
    check_same_shape(x, y, ("anchors", "positives"))
    shared = z.ndim == 2 and z.shape[1] == x.shape[1]
    if not shared and not (z.ndim == 3 and (z.shape[0], z.shape[2]) == x.shape):
        n, d = x.shape
        raise ValueError(f"negatives has shape {z.shape}; expected ({n}, k, {d}) or, shared, (k, {d})")
    dtype = np.result_type(x, y, z)
    return tuple(array.astype(dtype, copy=False) for array in (x, y, z))


def _logits(positive_scores: ArrayLike, negative_scores: ArrayLike, temperature: float) -> FloatArray:
    own = check_finite(positive_scores, "positive_scores")
    others = check_finite(negative_scores, "negative_scores")
    if others.ndim == 0 or others.shape[:-1] != own.shape:
        raise ValueError(f"negative_scores has shape {others.shape}; expected {own.shape + ('k',)}, as positive_scores is {own.shape}".replace("'", ""))
    return (others - own[..., None]) / check_temperature(temperature)


def _close(log_sum: FloatArray, alpha: int) -> FloatArray:
    """Loss from the logarithm of the sum over the negatives."""
    # logaddexp keeps the relative accuracy of a loss near 0.
    return np.logaddexp(0.0, log_sum) if alpha else log_sum
