"""Recall of the search by nearest neighbours: does one of the first few that are found belong?

Query i and gallery entry i are two augmentations of one image.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    LARGEST_FLOAT,
    FloatArray,
    as_array,
    check_finite,
    check_integer,
    check_labels,
    check_same_shape,
)
from infonce_theory.embeddings import normalise, pairwise_scores


def cosine_scores(queries: ArrayLike, gallery: ArrayLike) -> FloatArray:
    """Cosines between the rows of two arrays of vectors, shape (n, m).

    Raises ValueError if a vector is 0 or not finite or the dimensions differ.
    """
    first, second = _directions(queries, "queries"), _directions(gallery, "gallery")
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"gallery has shape {second.shape}; expected (m, {first.shape[1]}), as queries has {first.shape}")
    return pairwise_scores(first, second)


def hits(scores: ArrayLike, relevant: ArrayLike, depth: int) -> np.ndarray:
    """Whether a relevant entry is among the `depth` entries of the highest score.

    Parameters
    ----------
    scores
        Scores of n queries with m entries, shape (n, m).
    relevant
        Booleans of the same shape: which entries belong to which query.
    depth
        Number of entries that are looked at, at least 1 and at most m.

    Returns
    -------
    ndarray of bool
        One answer for each query, shape (n,); their mean is the recall at `depth`.

    Raises
    ------
    ValueError
        If a score is not finite, the shapes differ or `depth` is out of its range.
    """
    table, belongs = check_finite(scores, "scores", ndim=2), as_array(relevant, "relevant")
    if belongs.dtype != np.bool_:
        raise ValueError(f"relevant has dtype {belongs.dtype}; expected booleans")
    check_same_shape(table, belongs, ("scores", "relevant"))
    count = check_integer(depth, "depth", 1, table.shape[1])
    found = np.argpartition(-table, count - 1, axis=1)[:, :count]
    return np.take_along_axis(belongs, found, axis=1).any(axis=1)


def image_hits(queries: ArrayLike, gallery: ArrayLike, depth: int) -> np.ndarray:
    """Hits of the search for the source: is entry i among the first entries for query i? Shape (n,).

    Raises ValueError as `cosine_scores` and `hits` do, or if the shapes of the two sets differ.
    """
    scores = _paired_scores(queries, gallery)
    return hits(scores, np.eye(len(scores), dtype=bool), depth)


def label_hits(queries: ArrayLike, gallery: ArrayLike, labels: ArrayLike, depth: int) -> np.ndarray:
    """Hits of the search by label, among the entries that are made from another image. Shape (n,).

    Raises ValueError as `image_hits`, or if there is not one label, a number or a string, for each image.
    """
    scores = _paired_scores(queries, gallery)
    names = check_labels(labels, "labels", len(scores))
    np.fill_diagonal(scores, -2.0)  # below each cosine: never found before another image
    return hits(scores, (names[:, None] == names) & ~np.eye(len(names), dtype=bool), depth)


def _directions(vectors: ArrayLike, name: str) -> FloatArray:
    array = check_finite(vectors, name, ndim=2, largest=LARGEST_FLOAT)
    if not array.any(axis=1).all():
        raise ValueError(f"{name} has a vector of norm 0.0; expected non-zero vectors")
    return normalise(array)


def _paired_scores(queries: ArrayLike, gallery: ArrayLike) -> FloatArray:
    scores = cosine_scores(queries, gallery)
    if scores.shape[0] != scores.shape[1]:
        raise ValueError(f"gallery has {scores.shape[1]} vectors; expected {scores.shape[0]}, one for each of queries")
    return scores
