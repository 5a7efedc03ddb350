"""Constants and bounds of the O(1/k) law: how fast the risk reaches the cross-entropy.

L = 1/τ and κ = e^{2/τ}. Scores are in [-1, 1]. A bound beyond the largest float is infinite.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    FloatArray,
    check_alpha,
    check_negatives,
    check_nonnegative,
    check_positives,
    check_temperature,
)
from infonce_theory.exact_risk import check_densities
from infonce_theory.search_kernel import check_score_table, search_density
from infonce_theory.spaces import FiniteSpace, check_space
from infonce_theory.temperature_bounds import chi_square_bound, mean_chi_square_bound


def curvature(ratio: ArrayLike) -> FloatArray:
    """``h(r) = (r - 1 - log r)/(r - 1)²``, with h(1) = ½: positive and decreasing (``thm-rate``).

    Parameters
    ----------
    ratio
        Numbers r > 0, any shape.

    Returns
    -------
    FloatArray
        h(r), of the shape of `ratio`.

    Raises
    ------
    ValueError
        If a number is not positive.
    """
    return _curvature_of_log(np.log(check_positives(ratio, "ratio")))


def upper_curvature(temperature: ArrayLike) -> FloatArray:
    """``c(κ) = h(1/κ)``, the constant of the lower side of the law (``thm-rate``).

    Parameters
    ----------
    temperature
        Temperatures τ > 0, any shape.

    Returns
    -------
    FloatArray
        c(κ), of the shape of `temperature`.

    Raises
    ------
    ValueError
        If a temperature is not positive.
    """
    return _curvature_of_log(-2.0 / check_positives(temperature, "temperature"))


def lower_curvature(temperature: ArrayLike) -> FloatArray:
    """``c'(κ) = h(κ)``, the constant that shows 1/k to be the true rate (``thm-rate-lower``).

    Parameters, shape and errors are those of `upper_curvature`.
    """
    return _curvature_of_log(2.0 / check_positives(temperature, "temperature"))


def rate_constant(temperature: float, alpha: int = 1) -> float:
    """``C_A = max(4c(κ) sinh²(L/2), α e^L)``, so that |R_k - CE| <= C_A/k (``thm-rate``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    float
        C_A in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level = check_temperature(temperature)
    with np.errstate(over="ignore"):
        upper = np.exp(1.0 / level) if check_alpha(alpha) else 0.0
        return float(max(upper_curvature(level) * mean_chi_square_bound(level), upper))


def excess_bounds(
    temperature: float, k: int, alpha: int = 1, mean_chi_square: float | None = None
) -> tuple[float, float]:
    """Lower and upper bound of R_k - CE (``thm-rate``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k
        Number of negatives.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.
    mean_chi_square
        E χ²(Q(X, ·)‖π) if it is known; otherwise its bound 4 sinh²(L/2) is used.

    Returns
    -------
    tuple of float
        ``-c(κ) E χ²/k`` and ``log(1 + α e^L/k)``, in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level, count = check_temperature(temperature), check_negatives(k)
    chi = _check_chi_square(level, mean_chi_square)
    with np.errstate(over="ignore"):
        lower = -upper_curvature(level) * chi / count
    upper = np.logaddexp(0.0, 1.0 / level - np.log(count)) if check_alpha(alpha) else 0.0
    return float(lower), float(upper)


def pointwise_gap_bound(temperature: float, k: int) -> float:
    """``min(2 sinh²L/k, log(1 + 4 sinh²L/(k+1)))`` bounds the gap of every anchor (``thm-rate-pointwise``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k
        Number of negatives.

    Returns
    -------
    float
        Bound of ``log μ(x) - E log S``, in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level, count = 1.0 / check_temperature(temperature), check_negatives(k)
    # log sinh²L without overflow
    log_square = 2.0 * (level + np.log(-np.expm1(-2.0 * level) / 2.0))
    with np.errstate(over="ignore"):
        linear = 2.0 * np.exp(log_square - np.log(count))
    return float(min(linear, np.logaddexp(0.0, log_square + np.log(4.0) - np.log(count + 1.0))))


def gap_step_bound(temperature: float, k: int, more: int) -> float:
    """``2 sinh²L (1/k - 1/k')`` bounds gap_k - gap_k' for k <= k' (``thm-rate-pointwise``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k, more
        Numbers of negatives k <= k'.

    Returns
    -------
    float
        The bound in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range or k > k'.
    """
    first, second = check_negatives(k), check_negatives(more, "more")
    if first > second:
        raise ValueError(f"more is {second}; expected at least k = {first}")
    bound = chi_square_bound(check_temperature(temperature))  # infinite at low temperatures
    return float(2.0 * bound * ((second - first) / first / second)) if second > first else 0.0


def gap_lower_bound(temperature: float, k: int, mean_chi_square: float) -> float:
    """``c'(κ) E χ²/k <= CE - R_k`` for α = 0 (``thm-rate-lower``).

    Parameters
    ----------
    temperature
        Temperature τ > 0.
    k
        Number of negatives.
    mean_chi_square
        E χ²(Q(X, ·)‖π) >= 0.

    Returns
    -------
    float
        The bound in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    level, count = check_temperature(temperature), check_negatives(k)
    known = check_nonnegative(mean_chi_square, "mean_chi_square")  # its upper bound gives no lower one
    return float(lower_curvature(level) * _check_chi_square(level, known) / count)


def first_order_coefficient(space: FiniteSpace, scores: ArrayLike, temperature: float, alpha: int = 1) -> float:
    """Limit ``α E q(X, X⁺) - ½ E χ²`` of k (R_k - CE) (``prop-first-order``).

    Parameters
    ----------
    space
        Data law π and kernel M of positives, m points.
    scores
        Scores s(x, y), shape (m, m).
    temperature
        Temperature τ > 0.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    float
        The coefficient in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range or the shape does not fit.
    """
    # Points without mass add nothing, and their density may exceed the floats.
    mass = check_space(space).weights > 0.0
    table = search_density(check_score_table(space, scores), space.weights, temperature)[:, mass]
    chi = (table - 1.0) ** 2 @ space.weights[mass]
    aligned = (space.kernel[:, mass] * table).sum(axis=1) if check_alpha(alpha) else 0.0
    if alpha and space.kernel[:, ~mass].any():
        raise ValueError("space has a kernel that puts mass where weights is 0; expected M(x, ·) ≪ π for alpha = 1")
    return float(space.weights @ (aligned - 0.5 * chi))


def expansion_coefficients(densities: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coefficients of 1/k, 1/k² and 1/k³ in the gap of each anchor, α = 0 (``prop-expansion``).

    Parameters
    ----------
    densities
        Densities q(x, y) with respect to π, shape (..., m); each row has mean 1.
    weights
        Data law π, shape (m,).

    Returns
    -------
    tuple of FloatArray
        The three coefficients in nats, each of shape (...).

    Raises
    ------
    ValueError
        If a row is no density or the shapes do not fit.
    """
    table, law = check_densities(densities, weights)
    offset = table - 1.0
    moments = [law * offset]  # the law first, because (q - 1)⁴ alone can exceed the floats
    for _ in range(3):
        moments.append(moments[-1] * offset)
    second, third, fourth = (moment.sum(axis=-1) for moment in moments[1:])
    return (
        second / 2,
        0.75 * second**2 - third / 3,
        fourth / 4 - 0.75 * second**2 - 2 * second * third + 2.5 * second**3,
    )


def _curvature_of_log(log_ratio: FloatArray) -> FloatArray:
    # Three ranges: the series near r = 1, the definition, and the form in 1/r for large r.
    values = np.asarray(log_ratio, dtype=np.float64)
    offset = np.expm1(np.minimum(values, 30.0))
    near = np.abs(offset) < 0.05
    series = np.zeros_like(offset)
    for n in range(15, 1, -1):
        series = 1.0 / n - offset * series
    safe = np.where(near, 1.0, offset)
    direct = (safe - np.where(near, 0.0, values)) / safe**2
    inverse = np.exp(-np.maximum(values, 30.0))
    large = inverse * (1.0 - inverse * (1.0 + values)) / (1.0 - inverse) ** 2
    return np.where(near, series, np.where(values > 30.0, large, direct))[()]


def _check_chi_square(temperature: float, mean_chi_square: float | None) -> float:
    if mean_chi_square is None:
        return float(mean_chi_square_bound(temperature))
    return check_nonnegative(mean_chi_square, "mean_chi_square")
