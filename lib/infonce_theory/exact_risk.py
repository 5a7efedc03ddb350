"""The exact population risk, its gap and their sizes to rounding, at a cost that does not grow with k.

``E log Y = ∫ (e^{-t} - E e^{-tY}) dt/t`` turns the expectation over all k negatives into one
integral (``prop-exact``), which `_risk_integrals` computes for all anchors at once.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._risk_integrals import gap_and_shift
from infonce_theory._validation import (
    ROUNDING,
    FloatArray,
    as_array,
    check_alpha,
    check_finite,
    check_negatives,
    check_probabilities,
    check_same_shape,
)
from infonce_theory.search_kernel import check_score_table, cross_entropy, log_search_density
from infonce_theory.spaces import FiniteSpace

#: The range of the rule, and so its time, grows with the range of the log densities; L = 1/τ gives -2L at most.
LOWEST_LOG = -1e5


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
    return _by_row(np.log(table), law, check_negatives(k))[0]


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
        If an argument is out of its range, the shape does not fit, a log density is below `LOWEST_LOG`, or, for
        α = 1, M is not ≪ π.
    """
    table, count = check_score_table(space, scores), check_negatives(k)
    mass = space.weights > 0.0
    law, kernel = space.weights[mass], space.kernel[mass]
    if check_alpha(alpha) and kernel[:, ~mass].any():
        raise ValueError("space has a kernel that puts mass where weights is 0; expected M(x, ·) ≪ π for alpha = 1")
    # Logarithms, because at low temperatures the densities leave the floats.
    log_densities = log_search_density(table[np.ix_(mass, mass)], law, temperature)
    if log_densities.min() < LOWEST_LOG:
        lowest = log_densities.min()
        raise ValueError(f"scores give the log density {lowest:g} at this temperature; expected >= {LOWEST_LOG:g}")
    return float(law @ _excess(log_densities, law, kernel[:, mass], count, alpha))


def exact_risk(space: FiniteSpace, scores: ArrayLike, temperature: float, k: int, alpha: int = 1) -> float:
    """Exact centred population risk ``R_k = E ℓ - log k`` in nats (``prop-exact``).

    Parameters and errors are those of `exact_excess`.
    """
    return cross_entropy(space, scores, temperature) + exact_excess(space, scores, temperature, k, alpha)


def check_densities(densities: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the densities and the law at the points of positive mass; each row has mean 1."""
    law = check_probabilities(weights, "weights")
    raw = as_array(densities, "densities")
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


def _excess(log_densities: FloatArray, law: FloatArray, positives: FloatArray, k: int, alpha: int) -> FloatArray:
    gaps, shifts = _by_row(log_densities, law, k, positives if alpha else None)
    return shifts - gaps if alpha else -gaps


def _by_row(
    log_densities: FloatArray, law: FloatArray, k: int, positives: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    rows = [None if table is None else table.reshape(-1, law.size) for table in (log_densities, positives)]
    gaps, shifts = gap_and_shift(rows[0], law, k, rows[1])
    return tuple(values.reshape(log_densities.shape[:-1])[()] for values in (gaps, shifts))
