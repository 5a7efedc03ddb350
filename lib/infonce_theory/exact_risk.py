"""The exact population risk, its gap and their sizes to rounding, at a cost that does not grow with k.

``E log Y = ∫ (e^{-t} - E e^{-tY}) dt/t`` turns the expectation over all k negatives into one
integral (``prop-exact``). With t = e^u the trapezoidal rule converges geometrically.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._laplace import DECAY, LARGEST_EXPONENT, STEP, laplace_exponents, log_laplace
from infonce_theory._numerics import exp_remainder
from infonce_theory._validation import (
    ROUNDING,
    FloatArray,
    check_alpha,
    check_finite,
    check_negatives,
    check_probabilities,
    check_same_shape,
)
from infonce_theory.search_kernel import check_score_table, cross_entropy, log_search_density
from infonce_theory.spaces import FiniteSpace

#: Numbers held at one time: nodes of the rule times points of the space.
BLOCK = 2**18


def exact_gap(densities: ArrayLike, weights: ArrayLike, k: int) -> FloatArray:
    """Gap ``-E log((1/k) Σ_j q(x, x⁻_j)) >= 0`` of each anchor (``prop-exact``).

    For α = 0 its mean over anchors is CE - R_k. The relative error is at most 1e-12 for k up to 10^12.

    Parameters
    ----------
    densities
        Densities q(x, y) > 0 of the search kernel with respect to π, shape (..., m); each row has mean 1.
    weights
        Data law π, shape (m,).
    k
        Number of negatives.

    Returns
    -------
    FloatArray
        Gaps in nats, shape (...).

    Raises
    ------
    ValueError
        If a row is no positive density, the shapes do not fit, or k < 1.
    """
    table, law = check_densities(densities, weights)
    return _over_rows(_gap, check_negatives(k), law, np.log(table))


def exact_excess_by_anchor(
    densities: ArrayLike, weights: ArrayLike, positives: ArrayLike, k: int, alpha: int = 1
) -> FloatArray:
    """``E log((1/k) Σ_j q(x, x⁻_j) + α q(x, x⁺)/k)`` of each anchor (``prop-exact``).

    Its mean over anchors is R_k - CE.

    Parameters
    ----------
    densities
        Densities q(x, y) with respect to π, shape (..., m); each row has mean 1.
    weights
        Data law π, shape (m,).
    positives
        Laws M(x, ·) of the positives, shape (..., m), with no mass where π has none.
    k
        Number of negatives.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    FloatArray
        Excesses in nats, shape (...).

    Raises
    ------
    ValueError
        If a row is no positive density, the shapes do not fit, M(x, ·) is not ≪ π, or k < 1.
    """
    table, law = check_densities(densities, weights)
    count = check_negatives(k)
    laws = check_probabilities(positives, "positives")
    check_same_shape(np.asarray(densities), laws, ("densities", "positives"))
    mass = np.asarray(weights) > 0.0
    if check_alpha(alpha) and laws[..., ~mass].any():
        raise ValueError("positives puts mass where weights is 0; expected M(x, ·) ≪ π for alpha = 1")
    return _excess(np.log(table), law, laws[..., mass], count, alpha)


def exact_excess(space: FiniteSpace, scores: ArrayLike, temperature: float, k: int, alpha: int = 1) -> float:
    """Exact R_k - CE (``prop-exact``).

    Parameters
    ----------
    space
        Data law π and kernel M of positives, m points.
    scores
        Scores s(x, y), shape (m, m).
    temperature
        Temperature τ > 0.
    k
        Number of negatives.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    float
        The excess in nats; negative for α = 0.

    Raises
    ------
    ValueError
        If an argument is out of its range, the shape does not fit, or, for α = 1, M is not ≪ π.
    """
    table, count = check_score_table(space, scores), check_negatives(k)
    mass = space.weights > 0.0
    law, kernel = space.weights[mass], space.kernel[mass]
    if check_alpha(alpha) and kernel[:, ~mass].any():
        raise ValueError("space has a kernel that puts mass where weights is 0; expected M(x, ·) ≪ π for alpha = 1")
    # Logarithms, because at low temperatures the densities leave the floats.
    log_densities = log_search_density(table[np.ix_(mass, mass)], law, temperature)
    return float(law @ _excess(log_densities, law, kernel[:, mass], count, alpha))


def exact_risk(space: FiniteSpace, scores: ArrayLike, temperature: float, k: int, alpha: int = 1) -> float:
    """Exact centred population risk ``R_k = E ℓ - log k`` in nats (``prop-exact``).

    Parameters and errors are those of `exact_excess`.
    """
    return cross_entropy(space, scores, temperature) + exact_excess(space, scores, temperature, k, alpha)


def check_densities(densities: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the densities and the law at the points of positive mass; each row has mean 1."""
    law = check_probabilities(weights, "weights")
    raw = np.asarray(densities)
    if law.ndim != 1 or raw.ndim == 0 or raw.shape[-1] != law.size:
        raise ValueError(f"densities has shape {raw.shape}; expected (..., m) with weights of shape (m,), not {law.shape}")
    mass = law > 0.0
    table = check_finite(raw[..., mass], "densities")
    if table.min() <= 0.0:
        raise ValueError(f"densities has the entry {table.min()}; expected numbers > 0 where weights is")
    means = table @ law[mass]
    worst = np.atleast_1d(means).flat[np.argmax(np.abs(means - 1.0))]
    if abs(worst - 1.0) > ROUNDING:
        raise ValueError(f"densities has a row of mean {worst} under weights; expected mean 1")
    return table / means[..., None], law[mass]


def _excess(
    log_densities: FloatArray, law: FloatArray, positives: FloatArray, k: int, alpha: int
) -> FloatArray:
    gaps = _over_rows(_gap, k, law, log_densities)
    return _over_rows(_positive_shift, k, law, log_densities, positives) - gaps if alpha else -gaps


def _over_rows(function: Callable[..., float], k: int, law: FloatArray, *tables: FloatArray) -> FloatArray:
    rows = zip(*(table.reshape(-1, law.size) for table in tables))
    return np.array([function(k, law, *row) for row in rows]).reshape(tables[0].shape[:-1])[()]


def _gap(k: int, law: FloatArray, log_density: FloatArray) -> float:
    offset = np.expm1(log_density)
    spread = np.abs(offset).max()
    if spread == 0.0:
        return 0.0
    start = min(1e-9, 1e-9 * np.sqrt(k) / spread)
    return STEP * sum(_gap_integrand(u, log_density, offset, law, k).sum() for u in _nodes(start, log_density))


def _gap_integrand(u: FloatArray, log_density: FloatArray, offset: FloatArray, law: FloatArray, k: int) -> FloatArray:
    t = np.exp(np.minimum(u, LARGEST_EXPONENT))
    with np.errstate(over="ignore"):  # an infinite product is far beyond the range where it is used
        products = np.outer(t / k, offset)
    growth = k * np.log1p(exp_remainder(-products) @ law)
    # Where the growth a(t) is small, e^{-t} and e^{a-t} cancel; expm1 of a sum without
    # negative terms does not. Elsewhere a(t) may overflow, and their difference is harmless.
    small = growth < 1.0
    result = np.exp(-t)
    result[small] *= np.expm1(growth[small])
    result[~small] = np.exp(log_laplace(laplace_exponents(u[~small], log_density, k), law, k)) - result[~small]
    return result


def _positive_shift(k: int, law: FloatArray, log_density: FloatArray, positives: FloatArray) -> float:
    # The integrand vanishes only like t at 0, so the rule starts lower than for the gap.
    total = 0.0
    for u in _nodes(1e-16, log_density):
        exponents = laplace_exponents(u, log_density, k)
        total += (np.exp(log_laplace(exponents, law, k)) * (-np.expm1(exponents) @ positives)).sum()
    return STEP * total


def _nodes(start: float, log_density: FloatArray) -> list[FloatArray]:
    nodes = np.arange(np.log(start), np.log(DECAY) - log_density.min() + STEP, STEP)
    return np.array_split(nodes, max(1, nodes.size * log_density.size // BLOCK))
