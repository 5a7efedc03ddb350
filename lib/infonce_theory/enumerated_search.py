"""E M̂ and CE_k on a finite space, by enumeration: the definitions, summed over all sets of k points.

Multisets stand for tuples, so that a few dozen points are within reach; for more see `exact_search`.
"""

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_size, check_temperature
from infonce_theory.search_kernel import check_score_table
from infonce_theory.spaces import FiniteSpace, check_space

#: Numbers that an enumeration may hold at one time.
LARGEST_ENUMERATION = 2**23


def multinomial_counts(size: int, k: int) -> tuple[np.ndarray, FloatArray]:
    """All ways in which k draws can fall on `size` points, and the number of orders of each.

    Parameters
    ----------
    size
        Number of points.
    k
        Number of draws.

    Returns
    -------
    tuple of ndarray
        Counts, shape (N, size), rows summing to k, and log(k!/Π counts!), shape (N,).

    Raises
    ------
    ValueError
        If an argument is below 1 or the table would exceed `LARGEST_ENUMERATION` numbers.
    """
    points, draws = check_size(size, "size"), check_size(k, "k")
    # comb is at least 2^smaller, and slow for two large numbers
    smaller = min(draws, points - 1)
    rows = comb(draws + points - 1, smaller) if smaller < 32 else 2**smaller
    if max(rows * points, draws) > LARGEST_ENUMERATION:
        raise ValueError(
            f"k is {draws} and size is {points}; expected fewer, at most {LARGEST_ENUMERATION} numbers in all multisets"
        )
    bars = np.array(list(combinations(range(draws + points - 1), points - 1)), dtype=np.int64).reshape(rows, points - 1)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, draws + points - 1)))
    counts = np.diff(edges, axis=1) - 1
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, draws + 1)))])
    return counts, log_factorial[draws] - log_factorial[counts].sum(axis=1)


def enumerated_mean_kernel(space: FiniteSpace, k: int) -> FloatArray:
    """Mean E M̂(x, ·) over k draws of π, as a sum over all multisets of draws (``lem-snis``).

    Parameters
    ----------
    space
        Data law π and kernel M ≪ π of positives, m points.
    k
        Number of points searched.

    Returns
    -------
    FloatArray
        E M̂, shape (m, m), rows summing to 1.

    Raises
    ------
    ValueError
        If k < 1, the enumeration is too large, or M is not ≪ π.
    """
    mass = check_space(space).weights > 0.0
    counts, chances = _draws(space.weights[mass], k)
    result = np.zeros((space.size, space.size))
    result[:, mass] = [chances @ _masses(counts, row) for row in space.density[:, mass]]
    return result


def enumerated_cross_entropy(space: FiniteSpace, scores: ArrayLike, temperature: float, k: int) -> float:
    """CE_k = E[-Σ_j m̂_j log(k q̂_j)] as a sum over all multisets of draws (``thm-empirical-kernels``).

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

    Returns
    -------
    float
        CE_k in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range, the enumeration is too large, or M is not ≪ π.
    """
    mass = check_space(space).weights > 0.0
    logits = check_score_table(space, scores)[np.ix_(mass, mass)] / check_temperature(temperature)
    counts, chances = _draws(space.weights[mass], k)
    total = 0.0
    for weight, row, densities in zip(space.weights[mass], logits, space.density[np.ix_(mass, mass)]):
        present = np.where(counts > 0, row, -np.inf)
        largest = present.max(axis=1, keepdims=True)
        log_mean = largest[:, 0] + np.log((counts * np.exp(present - largest)).sum(axis=1) / counts[0].sum())
        total += weight * (chances @ (log_mean - _masses(counts, densities) @ row))
    return float(total)


def _draws(law: FloatArray, k: int) -> tuple[np.ndarray, FloatArray]:
    # Multisets of k draws of the law, with their probabilities
    counts, log_orders = multinomial_counts(law.size, k)
    chances = np.exp(log_orders + counts @ np.log(law))
    return counts, chances / chances.sum()


def _masses(counts: np.ndarray, densities: FloatArray) -> FloatArray:
    # Mass that M̂ puts on each point, for each multiset of draws
    masses = counts * densities
    masses = np.where(masses.any(axis=1, keepdims=True), masses, counts)
    return masses / masses.sum(axis=1, keepdims=True)
