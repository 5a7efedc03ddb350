"""Numerical derivatives of the loss and of its target with respect to the embedding, without autodiff.

Gradients are those in R^d, around the sphere; `tangent_part` is what remains of them on it. What comes
from float32 arrays alone is float32.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._score_blocks import (
    Block,
    exponentials,
    level_for,
    log_sums_of,
    negative_scores,
    positive_scores_of,
    score_blocks,
)
from infonce_theory._validation import (
    FloatArray,
    RealArray,
    check_alpha,
    check_embeddings,
    check_finite,
    check_same_shape,
    check_temperature,
)
from infonce_theory.embeddings import pairwise_scores
from infonce_theory.loss import _close, check_tuple_embeddings
from infonce_theory.search_kernel import search_kernel
from infonce_theory.spaces import FiniteSpace, check_space


class LossGradient(NamedTuple):
    """Losses of n tuples, and the gradient of their mean with respect to each embedded point.

    Attributes
    ----------
    losses
        Losses in nats, shape (n,).
    anchors, positives, negatives
        Gradients, in the shapes of these points.
    """

    losses: RealArray
    anchors: RealArray
    positives: RealArray
    negatives: RealArray


def loss_gradient(
    anchors: ArrayLike,
    positives: ArrayLike,
    negatives: ArrayLike,
    temperature: float,
    alpha: int = 1,
    *,
    chunk_bytes: int = 2**24,
) -> LossGradient:
    """Gradient of the mean loss with respect to anchors, positives and negatives (``thm-gateaux-loss``).

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
        Memory, in bytes, that the weights held at one time may take, apart from the result.

    Returns
    -------
    LossGradient
        The losses and the gradient of their mean. A point in several places has the sum of its gradients.

    Raises
    ------
    ValueError
        If a vector is off the sphere, the shapes do not fit, τ <= 0 or α is neither 0 nor 1.
    """
    x, y, z = check_tuple_embeddings(anchors, positives, negatives)
    level, closing = level_for(x, temperature), check_alpha(alpha)
    losses, pull, by_negative = np.empty(len(x)), np.zeros_like(x), np.zeros_like(z)
    work = np.empty(x.shape, x.dtype)  # one array for all products: new memory takes as long as the arithmetic
    for (rows, columns, weights), factors in _weight_blocks((x, y, z), losses, level, closing, chunk_bytes):
        factors *= level / len(x)
        part = work[rows]
        if z.ndim == 2:
            np.matmul(weights, z[columns], out=part)
        else:
            np.matmul(weights[:, None, :], z[rows, columns], out=part[:, None, :])
        part *= factors
        pull[rows] += part
        np.multiply(factors, x[rows], out=part)
        if z.ndim == 2:
            by_negative[columns] += weights.T @ part
        else:
            np.multiply(weights[..., None], part[:, None, :], out=by_negative[rows, columns])
    # the sum of the weights of a tuple is 1 - e^{-ℓ}
    mass = level / len(x) * (-np.expm1(-losses) if closing else np.ones(len(x)))[:, None].astype(x.dtype)
    pull -= np.multiply(mass, y, out=work)
    return LossGradient(losses.astype(x.dtype, copy=False), pull, np.multiply(-mass, x, out=work), by_negative)


def directional_derivative(
    anchors: ArrayLike,
    positives: ArrayLike,
    negatives: ArrayLike,
    directions: tuple[ArrayLike, ArrayLike, ArrayLike],
    temperature: float,
    alpha: int = 1,
    *,
    chunk_bytes: int = 2**24,
) -> FloatArray:
    """Gâteaux derivative ``(1/τ) Σ_j w_j (Ds_j - Ds⁺)`` of each loss (``thm-gateaux-loss``).

    Parameters
    ----------
    anchors, positives, negatives, temperature, alpha, chunk_bytes
        As in `loss_gradient`.
    directions
        The direction h at anchors, positives and negatives: finite arrays in their shapes.

    Returns
    -------
    FloatArray
        Derivatives, shape (n,), in float64.

    Raises
    ------
    ValueError
        As in `loss_gradient`, or if a direction is not finite or of another shape.
    """
    x, y, z = check_tuple_embeddings(anchors, positives, negatives)
    h_x, h_y, h_z = _check_directions(directions, (x, y, z))
    level, closing = level_for(x, temperature), check_alpha(alpha)
    own = positive_scores_of(h_x, y) + positive_scores_of(x, h_y)
    losses, total = np.empty(len(x)), np.zeros(len(x))
    for (rows, columns, weights), factors in _weight_blocks((x, y, z), losses, level, closing, chunk_bytes):
        change = negative_scores(h_x[rows], z, rows, columns) + negative_scores(x[rows], h_z, rows, columns)
        total[rows] += factors[:, 0] * np.einsum("nk,nk->n", weights, change - own[rows, None])
    return level * total


def cross_entropy_gradient(space: FiniteSpace, embeddings: ArrayLike, temperature: float) -> FloatArray:
    """Gradient of the target CE with respect to the embedding of each point (``thm-gateaux-population``).

    Parameters
    ----------
    space
        Data law π and kernel M of positives, m points.
    embeddings
        Unit vectors φ(x), shape (m, d).
    temperature
        Temperature τ > 0.

    Returns
    -------
    FloatArray
        Gradients, shape (m, d): row x is ``(1/τ) Σ_y (A + Aᵀ)(x, y) φ(y)`` with A = π(x)(Q - M)(x, y).

    Raises
    ------
    ValueError
        If a vector is off the sphere, the shape does not fit, or τ <= 0.
    """
    points = check_embeddings(embeddings, "embeddings")
    if points.ndim != 2 or len(points) != check_space(space).size:
        raise ValueError(f"embeddings has shape {points.shape}; expected ({space.size}, d), one vector for each point")
    search = search_kernel(pairwise_scores(points), space.weights, temperature)
    excess = space.weights[:, None] * (search - space.kernel)
    return (excess + excess.T) @ points / check_temperature(temperature)


def tangent_part(vectors: ArrayLike, embeddings: ArrayLike) -> RealArray:
    """Part v - ⟨v, φ⟩φ of each vector that is tangent to the sphere at its point (``def-gateaux``).

    Parameters
    ----------
    vectors
        Vectors v, shape (..., d), such as the gradients of this module.
    embeddings
        Unit vectors φ, of the same shape.

    Returns
    -------
    RealArray
        Tangent vectors, shape (..., d). They vanish exactly where the gradient on the sphere does.

    Raises
    ------
    ValueError
        If a vector is not finite, an embedding is off the sphere, or the shapes differ.
    """
    v = check_finite(vectors, "vectors", keep_single=True)
    points = check_embeddings(embeddings, "embeddings", keep_single=True)
    check_same_shape(points, v, ("embeddings", "vectors"))
    return v - (v * points).sum(axis=-1, keepdims=True) * points


def _weight_blocks(
    points: tuple[RealArray, RealArray, RealArray], losses: FloatArray, level: float, alpha: int, chunk_bytes: int
) -> Iterator[tuple[Block, RealArray]]:
    """Blocks of the weights w_j and what each row is still to be multiplied by, shape (rows, 1); fills `losses`."""
    x, y, z = points
    own, scaled = level * positive_scores_of(x, y), level * x
    total = np.empty(len(x))
    for number, block in enumerate(score_blocks(scaled, z, chunk_bytes)):
        rows, _, logits = block
        whole = logits.shape[1] == z.shape[-2]
        if whole:
            largest, total[rows] = exponentials(logits)
        elif number == 0:  # the denominators need a pass of their own
            total[:] = log_sums_of(scaled, z, chunk_bytes)
        losses[rows] = _close(total[rows] - own[rows], alpha)
        # Not the sum of loss and own score: at a tiny temperature its rounding alone would be a large exponent.
        denominator = np.logaddexp(own[rows], total[rows]) if alpha else total[rows]
        if not whole:
            logits -= denominator[:, None].astype(x.dtype)
            np.exp(np.minimum(logits, 0.0, out=logits), out=logits)
        factors = np.exp(largest - denominator) if whole else np.ones(len(logits))
        yield block, factors[:, None].astype(x.dtype)


def _check_directions(directions: tuple[ArrayLike, ...], points: tuple[RealArray, ...]) -> list[FloatArray]:
    if not isinstance(directions, (tuple, list)) or len(directions) != 3:
        raise ValueError("directions is no tuple of three arrays; expected those of anchors, positives and negatives")
    arrays = [check_finite(array, f"directions[{i}]") for i, array in enumerate(directions)]
    for i, (array, point, name) in enumerate(zip(arrays, points, ("anchors", "positives", "negatives"))):
        if array.shape != point.shape:
            raise ValueError(f"directions[{i}] has shape {array.shape}; expected {point.shape}, that of {name}")
    return arrays
