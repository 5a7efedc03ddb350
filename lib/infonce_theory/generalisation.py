"""The generalisation bound as a calculator: from the sizes of an experiment to three terms in nats.

With probability at least 1 - δ, CE_{k'}(φ_θ) - R̂_{n,k}(θ) is at most their sum for every θ of the
class at once (``thm-generalisation``). L = 1/τ, κ = e^{2/τ}. A bound beyond the largest float is infinite.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    LARGEST,
    FloatArray,
    check_instance,
    check_integer,
    check_nonnegative,
    check_nonnegatives,
    check_positive,
    check_same_shape,
    check_scalar,
    check_temperature,
)
from infonce_theory.continuity import continuity_bound, expectile_functional
from infonce_theory.loss import loss_bounds
from infonce_theory.rademacher import sudakov_fernique_bound
from infonce_theory.rates import excess_bounds, pointwise_gap_bound
from infonce_theory.search_bounds import kernel_bias_bound, search_excess_bound


class GeneralisationTerms(NamedTuple):
    """The three terms of the bound in nats (``thm-generalisation``)."""

    variability: float
    complexity: float
    bias: float

    @property
    def total(self) -> float:
        """Sum of the three terms in nats."""
        return self.variability + self.complexity + self.bias


@dataclass(frozen=True)
class TrainingSetting:
    """The numbers of a training run that the bound sees (``thm-generalisation``).

    Parameters
    ----------
    num_tuples
        Number n of independent training tuples.
    k
        Number of negatives of a tuple.
    searched
        Number k' of unseen points that the search is over.
    temperature
        Temperature τ > 0.
    dimension
        Number p >= 1 of parameters.
    radius
        Radius ρ > 0 of the ball of parameters.
    failure_probability
        Probability δ in (0, 1) with which the bound may fail.
    peakedness
        Mean peakedness E ∫m(m-1)_+dπ >= 0 of the kernel of positives, or a bound of it.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """

    num_tuples: int
    k: int
    searched: int
    temperature: float
    dimension: int
    radius: float
    failure_probability: float
    peakedness: float

    def __post_init__(self) -> None:
        probability = check_scalar(self.failure_probability, "failure_probability", "one number in (0, 1)")
        if not 0.0 < probability < 1.0:
            raise ValueError(f"failure_probability is {probability}; expected a number in (0, 1)")
        checked = {"failure_probability": probability, "temperature": check_temperature(self.temperature)}
        checked |= {name: check_integer(getattr(self, name), name, 1) for name in ("num_tuples", "k", "searched", "dimension")}
        checked |= {"radius": check_positive(self.radius, "radius")}
        checked |= {"peakedness": check_nonnegative(self.peakedness, "peakedness")}
        for name, value in checked.items():
            object.__setattr__(self, name, value)


def root_mean_square_slope(
    anchor_moduli: ArrayLike,
    positive_moduli: ArrayLike,
    negative_moduli: ArrayLike,
    temperature: float,
    functional: Callable[[ArrayLike, float], FloatArray] = expectile_functional,
    alpha: int = 1,
) -> float:
    """Λ, the root of the mean of Λ_i², from the moduli of the points of each tuple (``thm-rademacher``).

    Parameters
    ----------
    anchor_moduli, positive_moduli
        Moduli L_φ(x_i) and L_φ(x_i⁺), shape (n,).
    negative_moduli
        Moduli of the negatives, shape (n, k).
    temperature
        Temperature τ > 0.
    functional
        One of the functionals B of `continuity`.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    float
        Λ in nats per unit of the parameters.

    Raises
    ------
    ValueError
        As `continuity.continuity_bound`.
    """
    own = check_nonnegatives(anchor_moduli, "anchor_moduli", ndim=1)
    positive = check_nonnegatives(positive_moduli, "positive_moduli")
    negatives = check_nonnegatives(negative_moduli, "negative_moduli", ndim=2)
    check_same_shape(own, positive, ("anchor_moduli", "positive_moduli"))
    if len(negatives) != len(own):
        raise ValueError(f"negative_moduli has shape {negatives.shape}; expected ({len(own)}, k)")
    slopes = continuity_bound(own, positive, negatives, temperature, functional, alpha)
    if slopes.max() > LARGEST:
        given = "anchor_moduli, positive_moduli and negative_moduli give"
        raise ValueError(f"{given} the slope {slopes.max():g} at temperature {temperature}; expected at most {LARGEST:g}")
    return float(np.sqrt(np.mean(slopes**2)))


def generalisation_terms(setting: TrainingSetting, slope: float) -> GeneralisationTerms:
    """The three terms of the bound (``thm-generalisation``), both forms of the loss.

    Parameters
    ----------
    setting
        Sizes of the experiment.
    slope
        Λ >= 0 of the training tuples, as `root_mean_square_slope` returns it.

    Returns
    -------
    GeneralisationTerms
        ``(12/τ)√(log(1/δ)/(2n))``, ``2√(π/2) Λ w/√n`` with the width w <= ρ√p of the ball, and
        ``4c(κ)sinh²(L/2)/k + (2/(τk')) E∫m(m-1)_+dπ``.

    Raises
    ------
    ValueError
        If `setting` is no `TrainingSetting`, or `slope` is negative or not finite.
    """
    width = 4.0 / check_instance(setting, TrainingSetting, "setting").temperature
    kernel_bias = kernel_bias_bound(setting.temperature, setting.searched, setting.peakedness)
    bias = kernel_bias - excess_bounds(setting.temperature, setting.k, 0)[0]
    return GeneralisationTerms(_variability(setting, 3.0 * width), _complexity(setting, slope), bias)


def sharper_terms(setting: TrainingSetting, slope: float, alpha: int = 1) -> GeneralisationTerms:
    """The three terms with the smallest constants of the book (``prop-sharper-terms``).

    Parameters
    ----------
    setting, slope
        As in `generalisation_terms`.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.

    Returns
    -------
    GeneralisationTerms
        The first is ``2W_k √(log(1/δ)/(2n))`` with the width W_k <= 4/τ of the loss, the second is as
        before, and the third is the smallest of the one-sided and the two-sided forms.

    Raises
    ------
    ValueError
        If `slope` is negative or not finite, or α is neither 0 nor 1.
    """
    check_instance(setting, TrainingSetting, "setting")
    low, high = loss_bounds(setting.temperature, setting.k, alpha)
    level, k, searched = setting.temperature, setting.k, setting.searched
    step = search_excess_bound(level, k, searched, 0.0)
    gap = min(step, pointwise_gap_bound(level, k), -excess_bounds(level, k, 0)[0])
    bias = gap + min(kernel_bias_bound(level, searched, setting.peakedness), 2.0 / level)
    return GeneralisationTerms(_variability(setting, 2.0 * (high - low)), _complexity(setting, slope), bias)


def smallest_num_tuples(setting: TrainingSetting, slope: float, target: float) -> float:
    """Real number n from which on the bound is at most `target` (``thm-generalisation``).

    Parameters
    ----------
    setting
        Sizes of the experiment; its `num_tuples` has no influence.
    slope
        Λ >= 0, taken to be the same for every n.
    target
        Bound that is asked for, in nats; 4/τ is the trivial range.

    Returns
    -------
    float
        The number n, not rounded; infinite if the bias alone is as large as the target.

    Raises
    ------
    ValueError
        If `slope` is negative or `target` is not a positive number.
    """
    goal, terms = check_positive(target, "target"), generalisation_terms(setting, slope)
    if terms.bias >= goal:
        return math.inf
    ratio = (terms.variability + terms.complexity) / (goal - terms.bias)
    return setting.num_tuples * (ratio * ratio)  # a float's ** raises where * gives infinity


def _variability(setting: TrainingSetting, difference: float) -> float:
    # McDiarmid, where one tuple moves the statistic by at most difference/n
    return difference * math.sqrt(-math.log(setting.failure_probability) / (2.0 * setting.num_tuples))


def _complexity(setting: TrainingSetting, slope: float) -> float:
    # one tuple of the root mean square slope stands for all of them
    bound = sudakov_fernique_bound([check_nonnegative(slope, "slope")], setting.radius, setting.dimension)
    return 2.0 * bound / math.sqrt(setting.num_tuples)
