"""Seeded Monte Carlo estimates of the risk, with their standard errors, and extrapolation in k."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_finite, check_rng, check_same_shape, check_size
from infonce_theory.loss import infonce_loss
from infonce_theory.search_kernel import check_score_table
from infonce_theory.spaces import FiniteSpace


class Estimate(NamedTuple):
    """A Monte Carlo mean and its standard error, in nats."""

    mean: float
    standard_error: float


def estimate_mean(values: ArrayLike) -> Estimate:
    """Mean of independent draws with its standard error.

    Parameters
    ----------
    values
        Draws, shape (n,) with n >= 2.

    Returns
    -------
    Estimate
        The mean and the standard error of the mean.

    Raises
    ------
    ValueError
        If there are fewer than two draws or one is not finite.
    """
    draws = check_finite(values, "values", ndim=1)
    if draws.size < 2:
        raise ValueError(f"values has {draws.size} entry; expected at least 2, to estimate a standard error")
    return Estimate(float(draws.mean()), float(draws.std(ddof=1) / np.sqrt(draws.size)))


def monte_carlo_risk(
    space: FiniteSpace,
    scores: ArrayLike,
    temperature: float,
    k: int,
    num_tuples: int,
    rng: np.random.Generator,
    alpha: int = 1,
) -> Estimate:
    """Estimate R_k from independent tuples; the mean is the empirical risk R̂_{n,k} (``thm-rate``).

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
    num_tuples
        Number n >= 2 of tuples.
    rng
        Source of randomness.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    Estimate
        Empirical risk, centred by log k, and its standard error, in nats.

    Raises
    ------
    ValueError
        If an argument is out of its range or the shape does not fit.
    """
    table = check_score_table(space, scores)
    count, negatives_each = check_size(num_tuples, "num_tuples", 2), check_size(k, "k")
    check_rng(rng)
    losses = np.empty(count)
    block = max(1, 2**21 // negatives_each)  # tuples at a time, so that memory is free of n × k
    for start in range(0, count, block):
        stop = min(count, start + block)
        anchors, positives, negatives = space.sample(rng, stop - start, negatives_each)
        scores_of_block = table[anchors, positives], table[anchors[:, None], negatives]
        losses[start:stop] = infonce_loss(*scores_of_block, temperature, alpha)
    return estimate_mean(losses - np.log(negatives_each))


def extrapolate_twice(risk_k: ArrayLike, risk_2k: ArrayLike) -> FloatArray:
    """``2R_{2k} - R_k = CE + O(1/k²)``: the limit of infinitely many negatives (``prop-extrapolation``).

    Parameters
    ----------
    risk_k, risk_2k
        Centred risks with k and 2k negatives, one shape, in nats.

    Returns
    -------
    FloatArray
        The extrapolated risk.

    Raises
    ------
    ValueError
        If a risk is not finite or the shapes differ.
    """
    first, second = _same_shape(risk_k=risk_k, risk_2k=risk_2k)
    return 2.0 * second - first


def extrapolate_thrice(risk_k: ArrayLike, risk_2k: ArrayLike, risk_4k: ArrayLike) -> FloatArray:
    """``(8R_{4k} - 6R_{2k} + R_k)/3 = CE + O(1/k³)`` (``prop-extrapolation``).

    Parameters
    ----------
    risk_k, risk_2k, risk_4k
        Centred risks with k, 2k and 4k negatives, one shape, in nats.

    Returns
    -------
    FloatArray
        The extrapolated risk.

    Raises
    ------
    ValueError
        If a risk is not finite or the shapes differ.
    """
    first, second, third = _same_shape(risk_k=risk_k, risk_2k=risk_2k, risk_4k=risk_4k)
    return (8.0 * third - 6.0 * second + first) / 3.0


def _same_shape(**risks: ArrayLike) -> list[FloatArray]:
    arrays = [check_finite(value, name) for name, value in risks.items()]
    for name, array in zip(risks, arrays):
        check_same_shape(arrays[0], array, ("risk_k", name))
    return arrays
