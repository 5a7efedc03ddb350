"""Von Mises–Fisher laws on the sphere: the example where everything is closed form (``ex-vmf``).

The law of concentration c around a unit vector x has density e^{c⟨x,y⟩}/E e^{c⟨x,Y⟩} with
respect to the uniform law. The search kernel of the identity embedding is the law with c = 1/τ.
"""

from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._numerics import log_sum_exp
from infonce_theory._validation import (
    FloatArray,
    check_embeddings,
    check_nonnegative,
    check_positive,
    check_temperature,
)
from infonce_theory.sphere import sphere_rule


def concentrated_rule(concentration: float, dimension: int) -> tuple[FloatArray, FloatArray]:
    """Nodes for the uniform score, enough of them to integrate e^{ct} to rounding.

    Parameters
    ----------
    concentration
        Concentration c >= 0.
    dimension
        Dimension d >= 1.

    Returns
    -------
    tuple of FloatArray
        Nodes and weights as from ``sphere_rule``.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level = check_nonnegative(concentration, "concentration")
    # e^{ct} is a polynomial of degree about √c to rounding, because the nodes crowd near ±1.
    return sphere_rule(dimension, 64 + 8 * ceil(sqrt(level)))


def log_partition(concentration: float, dimension: int) -> float:
    """``log E e^{ct}`` for the score t of a uniform point: log μ at c = 1/τ (``ex-vmf``).

    Parameters and errors are those of `concentrated_rule`. In nats.
    """
    nodes, weights = concentrated_rule(concentration, dimension)
    return float(log_sum_exp(float(concentration) * nodes, weights))


def score_law(concentration: float, dimension: int) -> tuple[FloatArray, FloatArray]:
    """Law of the score ⟨x, Y⟩ when Y is von Mises–Fisher around x: nodes and probabilities.

    Parameters and errors are those of `concentrated_rule`.
    """
    nodes, weights = concentrated_rule(concentration, dimension)
    masses = weights * np.exp(float(concentration) * (nodes - 1.0))
    return nodes, masses / masses.sum()


def mean_cosine(concentration: float, dimension: int) -> float:
    """Mean score ⟨x, Y⟩ under the law of concentration c; for d = 3, coth c - 1/c (``ex-vmf``).

    Parameters and errors are those of `concentrated_rule`.
    """
    nodes, masses = score_law(concentration, dimension)
    half = nodes.size // 2  # pair t with -t, so that small concentrations do not cancel
    return float(nodes[-half:] @ (masses[-half:] - masses[:half][::-1]))


def chi_square(temperature: float, dimension: int) -> float:
    """χ²(Q(x, ·)‖π) of the identity embedding; for d = 3, coth(L)/τ - 1 (``ex-vmf``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    dimension
        Dimension d >= 1.

    Returns
    -------
    float
        The divergence.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level = 1.0 / check_temperature(temperature)
    nodes, weights = concentrated_rule(2.0 * level, dimension)
    excess = np.expm1(level * nodes - log_sum_exp(level * nodes, weights))
    return float(weights @ excess**2)


def cross_entropy(temperature: float, concentration: float, dimension: int) -> float:
    """Target CE when positives are von Mises–Fisher and the embedding is the identity (``ex-vmf``).

    Parameters
    ----------
    temperature
        Temperature τ > 0 of the search.
    concentration
        Concentration c >= 0 of the positives around their anchor.
    dimension
        Dimension d >= 1.

    Returns
    -------
    float
        CE in nats: ``log μ - mean_cosine(c)/τ``, smallest at τ = 1/c.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level = 1.0 / check_temperature(temperature)
    return log_partition(level, dimension) - level * mean_cosine(concentration, dimension)


def sample(rng: np.random.Generator, mean_directions: ArrayLike, concentration: float) -> FloatArray:
    """One von Mises–Fisher point around each mean direction, by Wood's rejection method.

    Parameters
    ----------
    rng
        Source of randomness.
    mean_directions
        Unit vectors, shape (n, d) with d >= 2.
    concentration
        Concentration c > 0.

    Returns
    -------
    FloatArray
        Unit vectors, shape (n, d).

    Raises
    ------
    ValueError
        If an argument is out of its range or a direction is off the sphere.
    """
    directions = check_embeddings(mean_directions, "mean_directions")
    if directions.ndim != 2 or directions.shape[1] < 2:
        raise ValueError(f"mean_directions has shape {directions.shape}; expected (n, d) with d >= 2")
    scores = _sample_scores(rng, len(directions), check_positive(concentration, "concentration"), directions.shape[1])
    tangents = rng.standard_normal(directions.shape)
    tangents -= (tangents * directions).sum(axis=1, keepdims=True) * directions
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    points = scores[:, None] * directions + np.sqrt(1.0 - scores**2)[:, None] * tangents
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _sample_scores(rng: np.random.Generator, num: int, concentration: float, dimension: int) -> FloatArray:
    freedom = dimension - 1
    slope = freedom / (2.0 * concentration + sqrt(4.0 * concentration**2 + freedom**2))
    centre = (1.0 - slope) / (1.0 + slope)
    peak = concentration * centre + freedom * np.log1p(-(centre**2))
    scores, pending = np.empty(num), np.arange(num)
    while pending.size:
        beta = rng.beta(freedom / 2.0, freedom / 2.0, size=pending.size)
        proposal = (1.0 - (1.0 + slope) * beta) / (1.0 - (1.0 - slope) * beta)
        height = concentration * proposal + freedom * np.log1p(-centre * proposal) - peak
        accepted = height >= np.log1p(-rng.random(pending.size))
        scores[pending[accepted]] = proposal[accepted]
        pending = pending[~accepted]
    return scores
