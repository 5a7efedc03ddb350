"""The uniform law on the unit sphere, reduced to the law of one coordinate."""

from functools import lru_cache
from math import lgamma, log, pi

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_finite, check_integer


def sphere_rule(dimension: int, num_nodes: int = 64) -> tuple[FloatArray, FloatArray]:
    """Gauss–Gegenbauer nodes for the score ⟨x, Y⟩ with Y uniform on S^{d-1} (``ex-vmf``).

    The score has density proportional to (1 - t²)^{(d-3)/2}. The rule is exact for polynomials of
    degree below twice the number of nodes, and serves as a finite data law.

    Parameters
    ----------
    dimension
        Dimension d >= 1 of the space around the sphere; d = 1 gives the two points ±1.
    num_nodes
        Number of nodes, at least 1.

    Returns
    -------
    tuple of FloatArray
        Nodes in [-1, 1], increasing, and their weights, which sum to 1.

    Raises
    ------
    ValueError
        If an argument is below 1.
    """
    nodes, weights = _gegenbauer_rule(check_integer(dimension, "dimension", 1), check_integer(num_nodes, "num_nodes", 1))
    return nodes.copy(), weights.copy()


def score_density(scores: ArrayLike, dimension: int) -> FloatArray:
    """Density of the score ⟨x, Y⟩ with Y uniform on S^{d-1}, proportional to (1 - t²)^{(d-3)/2} (``ex-vmf``).

    Parameters
    ----------
    scores
        Scores in [-1, 1], any shape.
    dimension
        Dimension d >= 3 of the space around the sphere; on the circle the density is infinite at ±1.

    Returns
    -------
    FloatArray
        The density with respect to length, of the shape of `scores`.

    Raises
    ------
    ValueError
        If a score is outside [-1, 1] or d < 3.
    """
    size, values = check_integer(dimension, "dimension", 3), check_finite(scores, "scores")
    if values.min() < -1.0 or values.max() > 1.0:
        raise ValueError(f"scores has values in [{values.min()}, {values.max()}]; expected [-1, 1]")
    scale = lgamma(size / 2) - lgamma((size - 1) / 2) - log(pi) / 2
    return np.exp(scale) * (1.0 - values**2) ** ((size - 3) / 2)


@lru_cache(maxsize=64)
def _gegenbauer_rule(dimension: int, num_nodes: int) -> tuple[FloatArray, FloatArray]:
    if dimension == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    order = np.arange(2, num_nodes)
    parameter = dimension / 2.0 - 1.0
    later = order * (order + 2.0 * parameter - 1.0) / (4.0 * (order + parameter) * (order + parameter - 1.0))
    # The first coefficient is E t² = 1/d; the general formula is 0/0 there on the circle.
    off_diagonal = np.sqrt(np.concatenate([[1.0 / dimension], later]))[: num_nodes - 1]
    nodes = np.linalg.eigvalsh(np.diag(off_diagonal, -1)) if num_nodes > 1 else np.zeros(1)
    nodes = 0.5 * (nodes - nodes[::-1])
    # Christoffel's formula 1/Σ p_j(t)² keeps the relative accuracy of tiny weights near ±1.
    previous, current = np.zeros_like(nodes), np.ones_like(nodes)
    total, below = current**2, 0.0
    for step in off_diagonal:
        previous, current = current, (nodes * current - below * previous) / step
        total, below = total + current**2, step
    weights = 1.0 / total
    return nodes, weights / weights.sum()
