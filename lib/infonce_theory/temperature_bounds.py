"""How far any search kernel can be from the data law: sharp bounds in the temperature alone.

Each function takes temperatures τ > 0 of any shape and scores are in [-1, 1]. With L = 1/τ the
bounds are those of ``thm-temperature`` and ``lem-inverse-partition``. A bound that exceeds
the largest float is returned as infinity, which is still a true upper bound.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_broadcast, check_finite, check_positives


def _inverse(temperature: ArrayLike) -> FloatArray:
    return 1.0 / check_positives(temperature, "temperature")


def kappa(temperature: ArrayLike) -> FloatArray:
    """Largest ratio κ = e^{2/τ} of two values of the search density (``prop-search-kernel``).

    Parameters
    ----------
    temperature
        Temperatures τ > 0, any shape.

    Returns
    -------
    FloatArray
        κ, of the shape of `temperature`; infinite below τ = 0.0028.

    Raises
    ------
    ValueError
        If a temperature is not a positive number.
    """
    with np.errstate(over="ignore"):
        return np.exp(2.0 * _inverse(temperature))


def hilbert_bound(temperature: ArrayLike) -> FloatArray:
    """Bound 2/τ of the Hilbert distance of Q(x, ·) and π (``thm-temperature``).

    Parameters, shape and errors are those of `kappa`.
    """
    return 2.0 * _inverse(temperature)


def total_variation_bound(temperature: ArrayLike) -> FloatArray:
    """Bound tanh(L/2) of the total variation of Q(x, ·) and π (``thm-temperature``).

    Parameters, shape and errors are those of `kappa`.
    """
    return np.tanh(_inverse(temperature) / 2.0)


def chi_square_bound(temperature: ArrayLike) -> FloatArray:
    """Bound sinh²L of χ²(Q(x, ·)‖π) for every anchor (``thm-temperature``).

    Parameters, shape and errors are those of `kappa`.
    """
    with np.errstate(over="ignore"):
        return np.sinh(_inverse(temperature)) ** 2


def mean_chi_square_bound(temperature: ArrayLike) -> FloatArray:
    """Bound 4 sinh²(L/2) of the mean of χ²(Q(X, ·)‖π) over anchors (``lem-inverse-partition``).

    Parameters, shape and errors are those of `kappa`.
    """
    with np.errstate(over="ignore"):
        return 4.0 * np.sinh(_inverse(temperature) / 2.0) ** 2


def kl_bound(temperature: ArrayLike) -> FloatArray:
    """Bound K*_τ, in nats, of both KL(Q‖π) and KL(π‖Q) (``thm-temperature``).

    K*_τ = L coth L - 1 + log(sinh L / L), the logarithm of Specht's ratio.
    Parameters, shape and errors are those of `kappa`.
    """
    level = _inverse(temperature)
    square = np.minimum(level, 0.1) ** 2
    # Near 0 the three terms cancel to L²/2; the series is exact to rounding there.
    series = square * (1 / 2 - square * (1 / 36 - square * (1 / 405 - square * (1 / 4200 - square / 42525))))
    closed = level / np.tanh(level) - 1.0 + level + np.log(-np.expm1(-2.0 * level) / (2.0 * level))
    return np.where(level < 0.1, series, closed)[()]


def dobrushin_bound(temperature: ArrayLike, distance: ArrayLike = 2.0) -> FloatArray:
    """Bound tanh(distance/(2τ)) of TV(Q(x, ·), Q(x', ·)) (``thm-temperature``).

    Parameters
    ----------
    temperature
        Temperatures τ > 0, any shape.
    distance
        Distances ‖φ(x) - φ(x')‖ in [0, 2], of a shape that broadcasts. The default, two
        opposite anchors, gives the bound tanh(1/τ) of the Dobrushin coefficient.

    Returns
    -------
    FloatArray
        The bound, of the broadcast shape.

    Raises
    ------
    ValueError
        If a temperature is not positive or a distance is outside [0, 2].
    """
    distances = check_finite(distance, "distance")
    if distances.min() < 0.0 or distances.max() > 2.0:
        raise ValueError(f"distance has values in [{distances.min()}, {distances.max()}]; expected [0, 2]")
    check_broadcast(check_positives(temperature, "temperature"), distances, ("temperature", "distance"))
    return np.tanh(distances * _inverse(temperature) / 2.0)
