"""Empirical Rademacher complexity of the losses of a class: exact, estimated and bounded.

R̂ad_n = E_ε sup_θ (1/n) Σ_i ε_i ℓ_i(θ) with independent fair signs ε_i. Flipping all signs
shows that it is also the mean of half the range over θ, which is what is averaged here.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    FloatArray,
    check_finite,
    check_integer,
    check_nonnegative,
    check_nonnegatives,
    check_positive,
    check_rng,
    check_size,
)
from infonce_theory.monte_carlo import Estimate, estimate_mean

#: Largest n whose 2^(n-1) sign patterns are enumerated.
LARGEST_ENUMERATION = 20

#: J, the integral of √log(1 + 2/u) over [0, ½] (``prop-chaining``).
CHAINING_INTEGRAL = 0.779626666685508

_BLOCK = 2**21  # numbers held at one time


def rademacher_exact(losses: ArrayLike) -> float:
    """R̂ad_n of a finite class, by enumeration of the signs (``def-rademacher``).

    Parameters
    ----------
    losses
        Losses ℓ_i(θ) of n tuples under T parameters, shape (n, T), n <= `LARGEST_ENUMERATION`.

    Returns
    -------
    float
        R̂ad_n in nats.

    Raises
    ------
    ValueError
        If `losses` is not a finite table or has too many rows to enumerate.
    """
    table = check_finite(losses, "losses", ndim=2)
    n = len(table)
    if n > LARGEST_ENUMERATION:
        raise ValueError(f"losses has {n} rows; expected at most {LARGEST_ENUMERATION} to enumerate their signs")
    count = 2 ** (n - 1)
    rows = max(1, _BLOCK // max(n, table.shape[1]))
    total = 0.0
    for start in range(0, count, rows):
        codes = np.arange(start, min(count, start + rows))
        signs = 1.0 - 2.0 * ((codes[:, None] >> np.arange(n)) & 1)  # the last sign is always +1
        total += _half_ranges(signs, table).sum()
    return float(total / count)


def rademacher_interval(losses: ArrayLike, moduli: ArrayLike, covering_radius: float) -> tuple[float, float]:
    """Interval that contains R̂ad_n of a class of which `losses` shows a grid (``lem-row-modulus``).

    Its lower end is R̂ad_n of the grid; its width is ``covering_radius · mean(Λ_i)``.

    Parameters
    ----------
    losses
        Losses on the grid, shape (n, T).
    moduli
        Moduli Λ_i of the losses, shape (n,).
    covering_radius
        Covering radius >= 0 of the grid, as `loss_tables.ball_grid` returns it.

    Returns
    -------
    tuple of float
        Lower and upper end in nats.

    Raises
    ------
    ValueError
        As `rademacher_exact`, or if `moduli` does not fit or the covering radius is negative.
    """
    lower = rademacher_exact(losses)
    slopes, n = check_nonnegatives(moduli, "moduli", ndim=1), len(losses)
    if slopes.size != n:
        raise ValueError(f"moduli has shape {slopes.shape}; expected ({n},), one for each row of losses")
    reach = check_nonnegative(covering_radius, "covering_radius")
    return lower, lower + reach * float(slopes.mean())


def rademacher_estimate(losses: ArrayLike, num_draws: int, rng: np.random.Generator) -> Estimate:
    """Estimate R̂ad_n of a finite class from random signs (``def-rademacher``).

    Parameters
    ----------
    losses
        Losses, shape (n, T).
    num_draws
        Number of sign vectors, at least 2.
    rng
        Source of randomness.

    Returns
    -------
    Estimate
        Mean over the draws and its standard error, in nats.

    Raises
    ------
    ValueError
        If `losses` is not a finite table or `num_draws` is below 2.
    """
    table = check_finite(losses, "losses", ndim=2)
    count = check_size(num_draws, "num_draws", 2)
    check_rng(rng)
    rows = max(1, _BLOCK // max(table.shape))
    draws = np.empty(count)
    for start in range(0, count, rows):
        stop = min(count, start + rows)
        signs = rng.choice([-1.0, 1.0], size=(stop - start, len(table)))
        draws[start:stop] = _half_ranges(signs, table)
    return estimate_mean(draws)


def gaussian_width_of_ball(radius: float, dimension: int) -> float:
    """Gaussian width ρ E‖γ‖ = ρ√2 Γ((p+1)/2)/Γ(p/2) <= ρ√p of the ball of radius ρ in R^p (``thm-rademacher``).

    It is √(2/π) ρ for p = 1. Raises ValueError if ρ <= 0 or p < 1.
    """
    size = check_integer(dimension, "dimension", 1)
    if size > 10**4:  # where the difference of the two logarithms loses digits; the next term is below 1e-13
        mean_norm = math.sqrt(size) * (1.0 - 1.0 / (4.0 * size) + 1.0 / (32.0 * size**2))
    else:
        mean_norm = math.sqrt(2.0) * math.exp(math.lgamma((size + 1) / 2) - math.lgamma(size / 2))
    return check_positive(radius, "radius") * mean_norm


def sudakov_fernique_bound(moduli: ArrayLike, radius: float, dimension: int) -> float:
    """Bound √(π/2) Λ w/√n <= √(π/2) Λρ√(p/n) for a ball, where w is its width (``thm-rademacher``).

    Parameters
    ----------
    moduli
        Moduli Λ_i of the losses, shape (n,).
    radius
        Radius ρ > 0 of the ball of parameters.
    dimension
        Number p >= 1 of parameters.

    Returns
    -------
    float
        The bound in nats; Λρ/√n for p = 1.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    return math.sqrt(math.pi / 2.0) * _level(moduli) * gaussian_width_of_ball(radius, dimension)


def chaining_bound(moduli: ArrayLike, radius: float, dimension: int) -> float:
    """Bound 4√2 J Λρ√(p/n) by chaining, J = `CHAINING_INTEGRAL` (``prop-chaining``).

    Parameters and errors are those of `sudakov_fernique_bound`.

    Returns
    -------
    float
        The bound in nats.
    """
    size = check_integer(dimension, "dimension", 1)
    constant = 4.0 * math.sqrt(2.0) * CHAINING_INTEGRAL
    return constant * _level(moduli) * check_positive(radius, "radius") * math.sqrt(size)


def massart_bound(losses: ArrayLike) -> float:
    """Massart's bound r√(2 log T)/n of a finite class, in nats (``lem-massart``).

    Each row of the losses, shape (n, T), is first centred at its midrange, which leaves R̂ad_n as it
    is; r is then the largest norm of a column. Raises ValueError if `losses` is not a finite table.
    """
    table = check_finite(losses, "losses", ndim=2)
    centres = 0.5 * (table.max(axis=1, keepdims=True) + table.min(axis=1, keepdims=True))
    largest = float(np.linalg.norm(table - centres, axis=0).max())
    return largest * math.sqrt(2.0 * math.log(table.shape[1])) / len(table)


def half_ranges(signs: FloatArray, losses: FloatArray) -> FloatArray:
    """Half the range over θ of (1/n) Σ_i ε_i ℓ_i(θ) for each row ε of `signs`, shape (number of rows,).

    Raises ValueError if the signs, shape (number of rows, n), or the losses, shape (n, T), are no finite tables that fit.
    """
    rows, table = check_finite(signs, "signs", ndim=2), check_finite(losses, "losses", ndim=2)
    if rows.shape[1] != len(table):
        raise ValueError(f"signs has shape {rows.shape}; expected (number of rows, {len(table)}), as losses has rows")
    return _half_ranges(rows, table)


def _half_ranges(signs: FloatArray, losses: FloatArray) -> FloatArray:
    sums = signs @ losses
    return (sums.max(axis=1) - sums.min(axis=1)) / (2.0 * len(losses))


def _level(moduli: ArrayLike) -> float:
    slopes = check_nonnegatives(moduli, "moduli", ndim=1)
    return float(np.linalg.norm(slopes)) / slopes.size  # Λ/√n with Λ² the mean of Λ_i²
