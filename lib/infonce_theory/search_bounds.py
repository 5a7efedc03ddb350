"""Bounds of the search among unseen points: how far CE_k is from CE and from the risk.

All of them see the kernel of positives through one number, its mean peakedness
E ∫m(m-1)_+dπ. L = 1/τ; scores are in [-1, 1]. A bound beyond the largest float is infinite.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    LARGEST_FLOAT,
    FloatArray,
    check_negatives,
    check_nonnegative,
    check_nonnegatives,
    check_temperature,
)
from infonce_theory.rates import first_order_coefficient, gap_step_bound, upper_curvature
from infonce_theory.search_kernel import check_score_table
from infonce_theory.spaces import FiniteSpace, check_space
from infonce_theory.temperature_bounds import mean_chi_square_bound


def kernel_peakedness(space: FiniteSpace) -> FloatArray:
    """``∫m(m-1)_+dπ`` of each anchor; divided by k it bounds TV(E M̂, M) (``lem-snis``).

    Parameters
    ----------
    space
        Data law π and kernel M ≪ π of positives, m points.

    Returns
    -------
    FloatArray
        Peakedness, shape (m,); 0 where M(x, ·) = π.

    Raises
    ------
    ValueError
        If M is not ≪ π.
    """
    check_space(space)
    return (space.kernel * np.maximum(space.density - 1.0, 0.0)).sum(axis=1)


def mean_kernel_peakedness(space: FiniteSpace) -> float:
    """Mean of `kernel_peakedness` over anchors (``thm-empirical-kernels``). Same errors."""
    peakedness = kernel_peakedness(space)
    return float(space.weights @ peakedness)


def peakedness_bound(chi_square: ArrayLike) -> FloatArray:
    """``√((1+χ²)χ²)`` bounds the peakedness of a law with χ² = χ²(M(x, ·)‖π) (``thm-empirical-kernels``).

    Parameters
    ----------
    chi_square
        Divergences χ² >= 0, any shape.

    Returns
    -------
    FloatArray
        The bound, of the shape of `chi_square`.

    Raises
    ------
    ValueError
        If a divergence is negative or not finite.
    """
    values = check_nonnegatives(chi_square, "chi_square", largest=LARGEST_FLOAT / 2.0)
    return np.sqrt(1.0 + values) * np.sqrt(values)


def kernel_bias_bound(temperature: float, k: int, peakedness: float) -> float:
    """``(2/(τk)) E∫m(m-1)_+dπ`` bounds |R_k - CE_k| for α = 0 (``thm-empirical-kernels``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k
        Number of points searched.
    peakedness
        Mean peakedness E ∫m(m-1)_+dπ >= 0 of the kernel, or a bound of it.

    Returns
    -------
    float
        The bound in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    return 2.0 / check_temperature(temperature) * check_nonnegative(peakedness, "peakedness") / check_negatives(k)


def search_constant(temperature: float, peakedness: float) -> float:
    """``C_E = 4c(κ) sinh²(L/2) + (2/τ) E∫m(m-1)_+dπ``, so that |CE_k - CE| <= C_E/k (``thm-empirical-kernels``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    peakedness
        Mean peakedness E ∫m(m-1)_+dπ >= 0 of the kernel, or a bound of it.

    Returns
    -------
    float
        C_E in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level = check_temperature(temperature)
    return float(upper_curvature(level) * mean_chi_square_bound(level)) + kernel_bias_bound(level, 1, peakedness)


def search_excess_bound(temperature: float, k: int, searched: int, peakedness: float) -> float:
    """``2sinh²L (1/k - 1/k')_+ + (2/(τk')) E∫m(m-1)_+dπ`` bounds CE_{k'} - R_k (``thm-empirical-kernels``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k
        Number of negatives of the risk; α is 0 or 1.
    searched
        Number k' of points searched.
    peakedness
        Mean peakedness E ∫m(m-1)_+dπ >= 0 of the kernel, or a bound of it.

    Returns
    -------
    float
        The bound in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    negatives, points = check_negatives(k), check_negatives(searched, "searched")
    step = gap_step_bound(temperature, negatives, points) if points > negatives else 0.0
    return step + kernel_bias_bound(temperature, points, peakedness)


def first_order_search_coefficient(space: FiniteSpace, scores: ArrayLike, temperature: float) -> float:
    """Limit ``E[-½χ²(Q‖π) + L∫m²(s - ∫ms dπ)dπ]`` of k (CE_k - CE) (``thm-empirical-kernels``).

    Parameters
    ----------
    space
        Data law π and kernel M ≪ π of positives, m points.
    scores
        Scores s(x, y), shape (m, m).
    temperature
        Temperature τ > 0.

    Returns
    -------
    float
        The coefficient in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range, the shape does not fit, or M is not ≪ π.
    """
    table = check_score_table(space, scores)
    offsets = table - (space.kernel * table).sum(axis=1, keepdims=True)
    aligned = (space.kernel * space.density * offsets).sum(axis=1) / check_temperature(temperature)
    return float(space.weights @ aligned) + first_order_coefficient(space, table, temperature, 0)
