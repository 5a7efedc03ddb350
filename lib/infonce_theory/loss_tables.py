"""Finite views of a class of embeddings: grids of its parameters and tables of its losses."""

import itertools

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_embeddings, check_indices, check_integer, check_positive
from infonce_theory.loss import infonce_loss

#: Lattice points that `ball_grid` may visit.
LARGEST_GRID = 10**6

_BLOCK = 2**21  # numbers held at one time


def ball_grid(radius: float, dimension: int, steps: int) -> tuple[FloatArray, float]:
    """Points of a ball such that each of its points has one of them within the covering radius.

    A lattice of the surrounding cube is projected onto the ball; the projection brings no
    lattice point further away from a point of the ball.

    Parameters
    ----------
    radius
        Radius ρ > 0.
    dimension
        Number p >= 1 of parameters; the lattice has ``steps ** p`` points.
    steps
        Lattice points along each axis, at least 2.

    Returns
    -------
    parameters : FloatArray
        Points of the ball, shape (T, p).
    covering_radius : float
        ``h √p / 2`` for the lattice spacing h.

    Raises
    ------
    ValueError
        If an argument is out of its range or the lattice has more than `LARGEST_GRID` points.
    """
    reach = check_positive(radius, "radius")
    size, count = check_integer(dimension, "dimension", 1), check_integer(steps, "steps", 2)
    if size >= LARGEST_GRID.bit_length() or count**size > LARGEST_GRID:
        raise ValueError(f"steps is {count} and dimension is {size}; expected steps ** dimension <= {LARGEST_GRID}")
    covering_radius = reach * np.sqrt(size) / (count - 1)
    lattice = np.array(list(itertools.product(np.linspace(-reach, reach, count), repeat=size)))
    norms = np.linalg.norm(lattice, axis=1)
    near = norms <= reach + covering_radius
    shrink = np.minimum(1.0, reach / np.maximum(norms[near], reach))
    return lattice[near] * shrink[:, None], float(covering_radius)


def loss_table(
    embeddings: ArrayLike,
    anchors: ArrayLike,
    positives: ArrayLike,
    negatives: ArrayLike,
    temperature: float,
    alpha: int = 1,
) -> FloatArray:
    """Loss of each tuple under each embedding of a finite list.

    Parameters
    ----------
    embeddings
        Unit vectors φ_t(y) for T parameters and m data points, shape (T, m, d).
    anchors, positives
        Indices of the data points, shape (n,).
    negatives
        Indices of the negatives, shape (n, k).
    temperature
        Temperature τ > 0.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    FloatArray
        Losses in nats, shape (n, T).

    Raises
    ------
    ValueError
        If a vector is off the sphere, a shape does not fit, an index is out of range, τ <= 0 or α is
        neither 0 nor 1.
    """
    vectors = check_embeddings(embeddings, "embeddings")
    if vectors.ndim != 3:
        raise ValueError(f"embeddings has shape {vectors.shape}; expected (T, m, d)")
    x, y, z = (
        check_indices(indices, name, vectors.shape[1], ndim)
        for indices, name, ndim in ((anchors, "anchors", 1), (positives, "positives", 1), (negatives, "negatives", 2))
    )
    if not len(x) == len(y) == len(z):
        raise ValueError(f"anchors, positives and negatives have {len(x)}, {len(y)} and {len(z)} rows; expected one n")
    losses = np.empty((len(x), len(vectors)))
    rows = max(1, _BLOCK // (vectors.shape[1] ** 2 + z.size))
    for start in range(0, len(vectors), rows):
        block = vectors[start : start + rows]
        scores = block @ block.swapaxes(1, 2)
        own, others = scores[:, x, y], scores[:, x[:, None], z]
        losses[:, start : start + rows] = infonce_loss(own, others, temperature, alpha).T
    return losses
