"""How much the loss can change when the embedding moves (``thm-continuity``).

A displacement h = ψ - φ moves the anchor, the positive and the negatives. Its norms at the
negatives, a_1..a_k, enter the bound through one functional B, which reduces along the last axis.
All are written in e^{-2/τ}, since κ = e^{2/τ} overflows for small τ.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._norms import check_beta, check_chord, check_norms, largest_first, tilt_for_divergence
from infonce_theory._validation import (
    FloatArray,
    check_alpha,
    check_broadcast,
    check_flag,
    check_negatives,
    check_nonnegatives,
    check_same_shape,
    check_temperature,
)
from infonce_theory.temperature_bounds import kl_bound

#: Norms that `expectile_functional` works on at one time: a table that the processor keeps at hand.
BLOCK = 2**17


def expectile_functional(norms: ArrayLike, temperature: float) -> FloatArray:
    """Expectile of the norms at level κ/(1 + κ): the sharp functional B_exp (``lem-weights``).

    Parameters
    ----------
    norms
        Norms a_j >= 0 of the displacement at the negatives, shape (..., k).
    temperature
        Temperature τ > 0.

    Returns
    -------
    FloatArray
        Largest mean of the norms under softmax weights of scores in [-1, 1], shape (...),
        found by sorting in O(k log k) operations.

    Raises
    ------
    ValueError
        If a norm is negative or not finite, there are none, or τ <= 0.
    """
    array = check_norms(norms)
    k = array.shape[-1]
    shrink = np.exp(-2.0 / check_temperature(temperature))
    count = np.arange(1, k + 1)
    scale = 1.0 / (count + shrink * (k - count))
    rows, height = array.reshape(-1, k), max(1, BLOCK // k)
    found = np.empty(len(rows))
    for top in range(0, len(rows), height):
        sums = -rows[top : top + height]  # so that sorting puts the largest norm first
        sums.sort(axis=-1)
        np.cumsum(sums, axis=-1, out=sums)
        rest = shrink * sums[:, -1:]
        sums *= 1.0 - shrink
        sums += rest
        sums *= scale
        np.negative(sums.min(axis=-1), out=found[top : top + height])
    return found.reshape(array.shape[:-1])[()]


def exponential_functional(
    norms: ArrayLike, temperature: float, inverse_temperature: ArrayLike | None = None
) -> FloatArray:
    """Functional B_β = (log (1/k)Σ_j e^{βa_j} + K*_τ)/β, in the units of the norms (``thm-continuity``).

    Parameters
    ----------
    norms, temperature
        As in `expectile_functional`.
    inverse_temperature
        Inverse temperatures β > 0 that broadcast against (...); infinity gives the largest
        norm. The default is the best β of each row (`optimal_beta`).

    Returns
    -------
    FloatArray
        B_β, shape (...).

    Raises
    ------
    ValueError
        As in `expectile_functional`, or if a β is not positive.
    """
    ordered, scale = largest_first(norms)
    divergence = kl_bound(check_temperature(temperature))
    if inverse_temperature is None:
        beta = tilt_for_divergence(ordered[..., :1] - ordered, divergence)
        step = scale / beta
    else:
        given = check_beta(inverse_temperature)
        check_broadcast(scale, given, ("norms", "inverse_temperature"))
        beta, step = given * scale, 1.0 / given
    finite = np.where(np.isfinite(beta), beta, 1.0)
    log_mean = np.log1p(np.expm1(finite[..., None] * (ordered - ordered[..., :1])).mean(axis=-1))
    return scale * ordered[..., 0] + (log_mean + divergence) * step


def optimal_beta(norms: ArrayLike, temperature: float) -> FloatArray:
    """Inverse temperature β at which B_β is smallest (``prop-best-beta``).

    Parameters and errors are those of `expectile_functional`.

    Returns
    -------
    FloatArray
        The root β of KL(softmax(βa)‖uniform) = K*_τ, shape (...); infinity where K*_τ is at
        least log(k / number of largest norms): B_β then decreases in β throughout.
    """
    ordered, scale = largest_first(norms)
    beta = tilt_for_divergence(ordered[..., :1] - ordered, kl_bound(check_temperature(temperature)))
    with np.errstate(over="ignore"):
        return beta / scale


def cvar_functional(norms: ArrayLike, temperature: float) -> FloatArray:
    """Mean B_cvar of the largest fraction 1/κ̃ of the norms (``thm-continuity``).

    Parameters, shape and errors are those of `expectile_functional`.
    """
    ordered, scale = largest_first(norms)
    k = ordered.shape[-1]
    retained = k / effective_kappa(temperature, k)
    weights = np.clip(retained - np.arange(k), 0.0, 1.0) / retained
    return scale * (ordered @ weights)


def average_functional(norms: ArrayLike, temperature: float) -> FloatArray:
    """Mean of the norms times κ̃: the functional B_avg (``thm-continuity``).

    Parameters, shape and errors are those of `expectile_functional`.
    """
    ordered, scale = largest_first(norms)
    return scale * (effective_kappa(temperature, ordered.shape[-1]) * ordered.mean(axis=-1))


def max_functional(norms: ArrayLike, temperature: float) -> FloatArray:
    """Largest norm: the functional B_max of the Lipschitz route (``thm-continuity``).

    Parameters, shape and errors are those of `expectile_functional`; τ has no influence.
    """
    check_temperature(temperature)
    ordered, scale = largest_first(norms)
    return scale * ordered[..., 0]


def effective_kappa(temperature: float, k: int) -> float:
    """κ̃ = kκ/(κ + k - 1): k times the largest softmax weight of scores in [-1, 1] (``thm-continuity``).

    It lies between 1 and k, and tends to κ as k grows. Raises ValueError if τ <= 0 or k < 1.
    """
    count = check_negatives(k)
    return float(count / (1.0 + (count - 1) * np.exp(-2.0 / check_temperature(temperature))))


def continuity_bound(
    anchor_norms: ArrayLike,
    positive_norms: ArrayLike,
    negative_norms: ArrayLike,
    temperature: float,
    functional: Callable[[ArrayLike, float], FloatArray] = expectile_functional,
    alpha: int = 1,
    *,
    on_sphere: bool = False,
) -> FloatArray:
    """Bound of |ℓ(ψ; z) - ℓ(φ; z)| in nats by the norms of h = ψ - φ on each tuple (``thm-continuity``).

    Parameters
    ----------
    anchor_norms, positive_norms
        Norms ‖h(x)‖ and ‖h(x⁺)‖, shape (...).
    negative_norms
        Norms a_j = ‖h(x⁻_j)‖, shape (..., k).
    temperature
        Temperature τ > 0.
    functional
        One of the functionals B of this module, as a function of the norms and the temperature.
    alpha
        1 for InfoNCE, which gains the factor kκ/(1 + kκ); 0 for the negatives-only form.
    on_sphere
        True if both embeddings are on the unit sphere: the terms of the positive and the negatives
        gain the factor √(1 - ‖h(x)‖²/4). False asks only that φ + th stays in the unit ball.

    Returns
    -------
    FloatArray
        Bounds, shape (...).

    Raises
    ------
    ValueError
        If a norm is negative, an anchor on the sphere moves by more than 2, the shapes do not fit,
        τ <= 0, α is neither 0 nor 1, or `functional` does not map the norms to numbers >= 0 of shape (...).
    """
    own = check_nonnegatives(anchor_norms, "anchor_norms")
    positive = check_nonnegatives(positive_norms, "positive_norms")
    negatives = check_nonnegatives(negative_norms, "negative_norms")
    check_same_shape(own, positive, ("anchor_norms", "positive_norms"))
    if negatives.ndim == 0 or negatives.shape[:-1] != own.shape:
        raise ValueError(f"negative_norms has shape {negatives.shape}; expected (*{own.shape}, k)")
    level = 1.0 / check_temperature(temperature)
    gain = np.sqrt(1.0 - check_chord(own)) if check_flag(on_sphere, "on_sphere") else 1.0
    total = 2.0 * own + gain * (positive + _apply(functional, negatives, temperature))
    share = 1.0 / (1.0 + np.exp(-2.0 * level) / negatives.shape[-1]) if check_alpha(alpha) else 1.0
    return level * share * total


def _apply(functional: Callable[[ArrayLike, float], FloatArray], norms: FloatArray, temperature: float) -> FloatArray:
    if not callable(functional):
        raise ValueError(f"functional is {functional!r}; expected a function of norms and temperature")
    values = check_nonnegatives(functional(norms, temperature), "what functional returns")
    if values.shape != norms.shape[:-1]:
        raise ValueError(f"functional returns shape {values.shape}; expected {norms.shape[:-1]}")
    return values
