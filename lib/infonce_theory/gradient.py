"""Numerical derivatives of the loss and of its target with respect to the embedding, without autodiff.

Gradients are those in R^d, around the sphere; `tangent_part` is what remains of them on it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._score_blocks import chunks, negative_scores_of
from infonce_theory._validation import FloatArray, check_embeddings, check_finite, check_same_shape, check_temperature
from infonce_theory.embeddings import pairwise_scores
from infonce_theory.loss import check_tuple_embeddings, infonce_loss_from_embeddings
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

    losses: FloatArray
    anchors: FloatArray
    positives: FloatArray
    negatives: FloatArray


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
    losses = infonce_loss_from_embeddings(x, y, z, temperature, alpha, chunk_bytes=chunk_bytes)
    scale = 1.0 / (len(x) * check_temperature(temperature))
    pull, mass, by_negative = np.zeros_like(x), np.zeros(len(x)), np.zeros_like(z)
    for rows, columns, weights in _weight_blocks(x, y, z, losses, temperature, chunk_bytes):
        mass[rows] += weights.sum(axis=1)
        if z.ndim == 2:
            pull[rows] += weights @ z[columns]
            by_negative[columns] += weights.T @ x[rows]
        else:
            pull[rows] += np.matmul(weights[:, None, :], z[rows, columns])[:, 0]
            np.multiply(weights[..., None], x[rows, None, :], out=by_negative[rows, columns])
    by_negative *= scale
    return LossGradient(losses, scale * (pull - mass[:, None] * y), -scale * mass[:, None] * x, by_negative)


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
        Derivatives, shape (n,).

    Raises
    ------
    ValueError
        As in `loss_gradient`, or if a direction is not finite or of another shape.
    """
    x, y, z = check_tuple_embeddings(anchors, positives, negatives)
    h_x, h_y, h_z = _check_directions(directions, (x, y, z))
    losses = infonce_loss_from_embeddings(x, y, z, temperature, alpha, chunk_bytes=chunk_bytes)
    own = np.einsum("nd,nd->n", h_x, y) + np.einsum("nd,nd->n", x, h_y)
    total = np.zeros(len(x))
    for rows, columns, weights in _weight_blocks(x, y, z, losses, temperature, chunk_bytes):
        change = negative_scores_of(h_x[rows], z, rows, columns) + negative_scores_of(x[rows], h_z, rows, columns)
        total[rows] += np.einsum("nk,nk->n", weights, change - own[rows, None])
    return total / check_temperature(temperature)


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


def tangent_part(vectors: ArrayLike, embeddings: ArrayLike) -> FloatArray:
    """Part v - ⟨v, φ⟩φ of each vector that is tangent to the sphere at its point (``def-gateaux``).

    Parameters
    ----------
    vectors
        Vectors v, shape (..., d), such as the gradients of this module.
    embeddings
        Unit vectors φ, of the same shape.

    Returns
    -------
    FloatArray
        Tangent vectors, shape (..., d). They vanish exactly where the gradient on the sphere does.

    Raises
    ------
    ValueError
        If a vector is not finite, an embedding is off the sphere, or the shapes differ.
    """
    v, points = check_finite(vectors, "vectors"), check_embeddings(embeddings, "embeddings")
    check_same_shape(points, v, ("embeddings", "vectors"))
    return v - (v * points).sum(axis=-1, keepdims=True) * points


def _weight_blocks(
    x: FloatArray, y: FloatArray, z: FloatArray, losses: FloatArray, temperature: float, chunk_bytes: int
) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Blocks of the weights w_j: the loss is the logarithm of their common denominator."""
    own, level = np.einsum("nd,nd->n", x, y), 1.0 / check_temperature(temperature)
    for rows, columns in chunks(len(x), z.shape[-2], chunk_bytes):
        # to the last bit the logits of the loss, so that none exceeds it at a tiny temperature
        logits = level * (negative_scores_of(x[rows], z, rows, columns) - own[rows, None])
        yield rows, columns, np.exp(logits - losses[rows, None])


def _check_directions(directions: tuple[ArrayLike, ...], points: tuple[FloatArray, ...]) -> list[FloatArray]:
    if not isinstance(directions, (tuple, list)) or len(directions) != 3:
        raise ValueError("directions is no tuple of three arrays; expected those of anchors, positives and negatives")
    arrays = [check_finite(array, f"directions[{i}]") for i, array in enumerate(directions)]
    for i, (array, point) in enumerate(zip(arrays, points)):
        if array.shape != point.shape:
            raise ValueError(f"directions[{i}] has shape {array.shape}; expected {point.shape}, that of what it moves")
    return arrays
