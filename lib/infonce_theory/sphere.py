"""The uniform law on the unit sphere, reduced to the law of one coordinate."""

from functools import lru_cache

import numpy as np

from infonce_theory._validation import FloatArray, check_integer, check_size

#: Largest number of nodes; the time grows with its cube.
LARGEST_RULE = 1024


def sphere_rule(dimension: int, num_nodes: int = 64) -> tuple[FloatArray, FloatArray]:
    """Gauss–Gegenbauer nodes for the score ⟨x, Y⟩ with Y uniform on S^{d-1} (``ex-vmf``).

    The score has density proportional to (1 - t²)^{(d-3)/2}. The rule is exact for polynomials of
    degree below twice the number of nodes, and serves as a finite data law.

    Parameters
    ----------
    dimension
        Dimension d >= 1 of the space around the sphere; d = 1 gives the two points ±1.
    num_nodes
        Number of nodes, from 1 to `LARGEST_RULE`.

    Returns
    -------
    tuple of FloatArray
        Nodes in [-1, 1], increasing, and their weights, which sum to 1.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    nodes, log_weights, weights = _rule(dimension, num_nodes)
    return nodes.copy(), weights.copy()


def sphere_log_rule(dimension: int, num_nodes: int = 64) -> tuple[FloatArray, FloatArray]:
    """The nodes of `sphere_rule` and the logarithms of its weights, which near ±1 can be below the floats.

    Parameters and errors are those of `sphere_rule`.
    """
    nodes, log_weights, weights = _rule(dimension, num_nodes)
    return nodes.copy(), log_weights.copy()


def _rule(dimension: int, num_nodes: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    size = check_size(num_nodes, "num_nodes", 1, LARGEST_RULE)
    return _gegenbauer_rule(check_integer(dimension, "dimension", 1), size)


@lru_cache(maxsize=64)
def _gegenbauer_rule(dimension: int, num_nodes: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    if dimension == 1:
        return np.array([-1.0, 1.0]), np.log([0.5, 0.5]), np.array([0.5, 0.5])
    order = np.arange(2, num_nodes)
    parameter = dimension / 2.0 - 1.0
    later = order * (order + 2.0 * parameter - 1.0) / (4.0 * (order + parameter) * (order + parameter - 1.0))
    # The first coefficient is E t² = 1/d; the general formula is 0/0 there on the circle.
    off_diagonal = np.sqrt(np.concatenate([[1.0 / dimension], later]))[: num_nodes - 1]
    nodes = np.linalg.eigvalsh(np.diag(off_diagonal, -1)) if num_nodes > 1 else np.zeros(1)
    nodes = 0.5 * (nodes - nodes[::-1])
    # Christoffel's formula 1/Σ p_j(t)² keeps the relative accuracy of tiny weights near ±1.
    previous, current = np.zeros_like(nodes), np.ones_like(nodes)
    total, below, log_scale = current**2, 0.0, np.zeros_like(nodes)
    for step in off_diagonal:
        previous, current = current, (nodes * current - below * previous) / step
        total, below = total + current**2, step
        # in high dimension the polynomials leave the floats near ±1; a power of two changes no digit
        scale = np.where(np.abs(current) > 2.0**400, 2.0**400, 1.0)
        previous, current, total = previous / scale, current / scale, total / scale / scale
        log_scale += np.log(scale)
    weights = np.exp(-2.0 * log_scale) / total
    mass = weights.sum()
    return nodes, -2.0 * log_scale - np.log(total) - np.log(mass), weights / mass
