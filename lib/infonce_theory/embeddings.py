"""Embeddings into the unit sphere and their scores."""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    LARGEST_FLOAT,
    FloatArray,
    RealArray,
    check_embeddings,
    check_finite,
    check_rng,
    check_size,
)


def circle_embedding(angles: ArrayLike) -> FloatArray:
    """Points (cos θ, sin θ) of the circle.

    Parameters
    ----------
    angles
        Angles θ in radians, shape (...).

    Returns
    -------
    FloatArray
        Unit vectors, shape (..., 2).

    Raises
    ------
    ValueError
        If an angle is not finite.
    """
    theta = check_finite(angles, "angles")
    return np.stack([np.cos(theta), np.sin(theta)], axis=-1)


def random_embeddings(rng: np.random.Generator, num: int, dimension: int) -> FloatArray:
    """Independent uniform points of the sphere S^{d-1}.

    Parameters
    ----------
    rng
        Source of randomness.
    num
        Number of points.
    dimension
        Dimension d >= 1 of the space around the sphere.

    Returns
    -------
    FloatArray
        Unit vectors, shape (num, dimension).

    Raises
    ------
    ValueError
        If `num` or `dimension` is below 1.
    """
    shape = check_size(num, "num"), check_size(dimension, "dimension")
    return normalise(check_rng(rng).standard_normal(shape))


def normalise(vectors: ArrayLike) -> RealArray:
    """Divide each vector, along the last axis, by its norm.

    Parameters
    ----------
    vectors
        Vectors, shape (..., d).

    Returns
    -------
    RealArray
        Unit vectors, shape (..., d): float32 if `vectors` is, otherwise float64.

    Raises
    ------
    ValueError
        If a vector is zero or not finite.
    """
    array = check_finite(vectors, "vectors", largest=LARGEST_FLOAT, keep_single=True)
    if array.ndim == 0:
        raise ValueError("vectors has shape (); expected (..., d)")
    largest = np.abs(array).max(axis=-1, keepdims=True)
    if largest.min() == 0.0:
        raise ValueError("vectors has a vector of norm 0.0; expected non-zero vectors")
    scaled = array / largest  # so that no square overflows or vanishes
    return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)


def pairwise_scores(embeddings: ArrayLike, others: ArrayLike | None = None) -> FloatArray:
    """Scores s(x, y) = ⟨φ(x), φ(y)⟩ of all pairs.

    Parameters
    ----------
    embeddings
        Unit vectors φ(x), shape (n, d).
    others
        Unit vectors φ(y), shape (m, d); `embeddings` itself if None.

    Returns
    -------
    FloatArray
        Scores in [-1, 1], shape (n, m).

    Raises
    ------
    ValueError
        If a vector is off the sphere or the dimensions differ.
    """
    first = check_embeddings(embeddings, "embeddings")
    second = first if others is None else check_embeddings(others, "others")
    if first.ndim != 2 or second.ndim != 2 or first.shape[1] != second.shape[1]:
        raise ValueError(f"others has shape {second.shape}; expected (m, d) to go with embeddings {first.shape}")
    return np.clip(first @ second.T, -1.0, 1.0)
