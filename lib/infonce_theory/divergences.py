"""Distances between probability vectors, along the last axis. All logarithms are natural (nats)."""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_probabilities


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    one, two = check_probabilities(first, "first"), check_probabilities(second, "second")
    if one.shape[-1] != two.shape[-1]:
        raise ValueError(f"second has shape {two.shape}; expected {one.shape[-1]} along the last axis, as first has")
    try:
        return tuple(np.broadcast_arrays(one, two))
    except ValueError:
        raise ValueError(f"second has shape {two.shape}; expected one that broadcasts with {one.shape}") from None


def total_variation(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Total variation ``½ Σ|p - q|``, in [0, 1] (used in ``thm-temperature``).

    Parameters
    ----------
    first, second
        Probability vectors along the last axis, shapes (..., m) that broadcast.

    Returns
    -------
    FloatArray
        One number for each pair, shape (...).

    Raises
    ------
    ValueError
        If an argument holds no probability vectors or the shapes do not fit.
    """
    p, q = _pair(first, second)
    return 0.5 * np.abs(p - q).sum(axis=-1)


def hilbert_distance(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Hilbert's projective distance ``log max(p/q) - log min(p/q)`` (used in ``thm-temperature``).

    Infinite where the supports differ. Parameters and errors are those of `total_variation`.
    """
    p, q = _pair(first, second)
    both = (p > 0.0) & (q > 0.0)
    ratios = np.log(np.where(both, p, 1.0)) - np.log(np.where(both, q, 1.0))
    spread = np.where(both, ratios, -np.inf).max(axis=-1) - np.where(both, ratios, np.inf).min(axis=-1)
    return np.where(((p > 0.0) == (q > 0.0)).all(axis=-1), spread, np.inf)[()]


def chi_square(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """``χ²(p‖q) = Σ (p - q)²/q`` (used in ``thm-temperature`` and ``thm-rate``).

    Infinite where p has mass and q has none. Parameters and errors are those of `total_variation`.
    """
    p, q = _pair(first, second)
    terms = (p - q) ** 2 / np.where(q > 0.0, q, 1.0)
    return np.where((q > 0.0) | (p == 0.0), terms, np.inf).sum(axis=-1)


def kullback_leibler(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """``KL(p‖q) = Σ p log(p/q)`` in nats (used in ``thm-temperature`` and ``prop-information``).

    Infinite where p has mass and q has none. Parameters and errors are those of `total_variation`.
    """
    p, q = _pair(first, second)
    both = (p > 0.0) & (q > 0.0)
    logs = np.log(np.where(both, p, 1.0)) - np.log(np.where(both, q, 1.0))
    # p log(p/q) - p + q has no negative term, so close vectors do not cancel below 0.
    terms = np.where(both, p * logs - p + q, np.where(p > 0.0, np.inf, q))
    return np.maximum(terms.sum(axis=-1), 0.0)
