"""Von Mises–Fisher laws on the sphere: the example where everything is closed form (``ex-vmf``).

The law of concentration c around a unit vector x has density e^{c⟨x,y⟩}/E e^{c⟨x,Y⟩} with
respect to the uniform law. The search kernel of the identity embedding is the law with c = 1/τ.
"""

from math import asinh, ceil, hypot, inf, lgamma, sqrt

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._numerics import log_sum_exp
from infonce_theory._validation import (
    FloatArray,
    check_embeddings,
    check_integer,
    check_nonnegative,
    check_positive,
    check_rng,
    check_temperature,
)
from infonce_theory.sphere import LARGEST_RULE, sphere_log_rule, sphere_rule

#: Beyond this concentration `concentrated_rule` would need more than `LARGEST_RULE` nodes.
LARGEST_CONCENTRATION = float(((LARGEST_RULE - 64) // 8) ** 2)
#: Beyond this dimension e^{ct} is flat enough for any concentration below `LARGEST_CONCENTRATION`.
FLAT_DIMENSION = 10**7
#: Logarithm of what the rule may leave out.
ROUNDING_LOG = -38.0
#: Beyond this concentration the rejection method of `sample` loses its digits.
LARGEST_SAMPLED = 1e12


def concentrated_rule(concentration: float, dimension: int) -> tuple[FloatArray, FloatArray]:
    """Nodes for the uniform score, enough of them to integrate e^{ct} to rounding.

    Parameters
    ----------
    concentration
        Concentration c >= 0, up to `LARGEST_CONCENTRATION`.
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
    return sphere_rule(dimension, _num_nodes(concentration, dimension))


def log_partition(concentration: float, dimension: int) -> float:
    """``log E e^{ct}`` for the score t of a uniform point: log μ at c = 1/τ (``ex-vmf``).

    Parameters and errors are those of `concentrated_rule`. In nats.
    """
    nodes, log_weights = sphere_log_rule(dimension, _num_nodes(concentration, dimension))
    return float(log_sum_exp(float(concentration) * nodes + log_weights))


def score_law(concentration: float, dimension: int) -> tuple[FloatArray, FloatArray]:
    """Law of the score ⟨x, Y⟩ when Y is von Mises–Fisher around x: nodes and probabilities.

    Parameters and errors are those of `concentrated_rule`.
    """
    nodes, log_weights = sphere_log_rule(dimension, _num_nodes(concentration, dimension))
    exponents = float(concentration) * nodes + log_weights
    masses = np.exp(exponents - exponents.max())
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
    level = _inverse(temperature, LARGEST_CONCENTRATION / 2.0)
    nodes, log_weights = sphere_log_rule(dimension, _num_nodes(2.0 * level, dimension))
    log_densities = level * nodes - log_sum_exp(level * nodes + log_weights)
    # Σ w (q - 1)² with w q² from its logarithm where q is large, because w alone can be 0 there
    near = log_densities < 1.0
    terms = np.exp(np.where(near, log_weights, log_weights + 2.0 * log_densities))
    excess = np.where(near, np.expm1(np.minimum(log_densities, 1.0)), -np.expm1(-np.maximum(log_densities, 0.0)))
    return float(terms @ excess**2)


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
    level = _inverse(temperature, LARGEST_CONCENTRATION)
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
        Concentration c > 0, up to `LARGEST_SAMPLED`.

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
    level = check_positive(concentration, "concentration")
    if level > LARGEST_SAMPLED:
        raise ValueError(f"concentration is {level}; expected at most {LARGEST_SAMPLED:g}")
    scores = _sample_scores(check_rng(rng), len(directions), level, directions.shape[1])
    tangents = rng.standard_normal(directions.shape)
    tangents -= (tangents * directions).sum(axis=1, keepdims=True) * directions
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    points = scores[:, None] * directions + np.sqrt(1.0 - scores**2)[:, None] * tangents
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _num_nodes(concentration: float, dimension: int) -> int:
    level, size = check_nonnegative(concentration, "concentration"), check_integer(dimension, "dimension", 1)
    # e^{ct} is a polynomial of degree about √c to rounding, because the nodes crowd near ±1 …
    count = 64 + 8 * ceil(sqrt(min(level, LARGEST_CONCENTRATION)))
    # … unless the dimension, large but below c², keeps them away from the peak of the integrand.
    while count <= LARGEST_RULE and _log_remainder(level, size, 2 * count) > ROUNDING_LOG:
        count += 64
    if level > LARGEST_CONCENTRATION or count > LARGEST_RULE:
        raise ValueError(
            f"concentration is {level} in dimension {size}; expected less, at most {LARGEST_CONCENTRATION:g}, for want of nodes"
        )
    return count


def _log_remainder(concentration: float, dimension: int, degree: int) -> float:
    # Logarithm of I_{ν+j}(c)/I_ν(c), ν = d/2 - 1, to leading order, times the root of the number of harmonics of
    # degree j: the size of the Gegenbauer coefficient that a rule exact below that degree meets first.
    if concentration == 0.0 or dimension < 3 or dimension > FLAT_DIMENSION:
        return -inf
    orders = [dimension / 2.0 - 1.0 + shift for shift in (0, degree)]
    first, second = (hypot(order, concentration) - order * asinh(order / concentration) for order in orders)
    harmonics = lgamma(degree + dimension - 1) - lgamma(degree + 1) - lgamma(dimension - 1)
    return second - first + 0.5 * harmonics


def _inverse(temperature: float, largest: float) -> float:
    level = 1.0 / check_temperature(temperature)
    if level > largest:
        raise ValueError(f"temperature is {temperature}; expected at least {1.0 / largest:.3g}, for want of nodes")
    return level


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
