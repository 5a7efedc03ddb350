"""Faults that hostile input found in the library, each with the call that stays mended.

`before` is what the call did when it was found; now it is refused with a message that matches `now`, or, where `now` is
no text, it answers that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from infonce_theory import (
    answers,
    augmentation,
    continuity,
    digits,
    embedding_classes,
    embeddings,
    empirical_kernels,
    enumerated_search,
    evidence,
    exact_risk,
    gateaux,
    generalisation,
    gradient,
    loss,
    loss_tables,
    rademacher,
    rates,
    retrieval,
    spaces,
    sphere,
    temperature_bounds,
    training,
    von_mises_fisher,
)


@dataclass(frozen=True)
class Mended:
    """One fault: its class, where it was, what was given and what happened; and what happens now."""

    kind: str
    function: str
    argument: str
    given: str
    before: str
    now: Any
    call: Callable[[], Any]

    def check(self) -> None:
        with np.errstate(all="raise", under="ignore"):
            if isinstance(self.now, str):
                with pytest.raises((ValueError, AssertionError), match=self.now):
                    self.call()
            else:
                assert self.call() == pytest.approx(self.now, rel=1e-12)

    def outcome(self) -> str:
        """The answer, or the message of the error, cut to a line."""
        try:
            text = f"answers {self.call()}"
        except (ValueError, AssertionError) as error:
            text = str(error)
        return text if len(text) <= 160 else text[:160] + " …"


_RNG = np.random.default_rng(0)
_SPACE = spaces.ring_space(3)
_X = np.array([[1.0, 0.0], [0.0, 1.0]])
_HIDDEN = [np.ma.MaskedArray([1.0, 9.0], mask=[False, True])] * 2
_SETTING = generalisation.TrainingSetting(100, 4, 4, 1e-90, 3, 1.0, 0.05, 2.0)
_DIGITS = np.zeros((898, 8, 8))
_POINTS = np.zeros((3, 2))
_TUPLES = (np.array([0, 1]), np.array([0, 1]), np.array([[0, 1], [2, 0]]))

MENDED = [
    Mended("accepted", "loss.infonce_loss", "negative_scores", "a list of masked arrays", "the mask was ignored",
           "negative_scores is a masked array", lambda: loss.infonce_loss([0.0, 0.0], _HIDDEN, 1.0)),
    Mended("accepted", "loss.infonce_loss", "temperature", "True", "taken for τ = 1",
           "temperature is True", lambda: loss.infonce_loss(0.0, [0.1], True)),
    Mended("warning", "loss.infonce_loss", "temperature", "1e-320", "overflow in a division, then infinite logits",
           "temperature is .*at least 1e-100", lambda: loss.infonce_loss(0.5, [0.1], 1e-320)),
    Mended("unhelpful error", "loss.loss_bounds", "k", "10**30", "TypeError of a NumPy ufunc",
           "k is 1000.*expected an integer >= 1, at most", lambda: loss.loss_bounds(1.0, 10**30)),
    Mended("foreign error", "continuity.effective_kappa", "k", "10**400", "OverflowError",
           "k is 1000", lambda: continuity.effective_kappa(1.0, 10**400)),
    Mended("warning", "gradient.directional_derivative", "temperature", "1e-99", "weights of rounding errors overflowed",
           [1e99, 1e99], lambda: gradient.directional_derivative(
               _X, -_X, _X[:, None], (np.zeros((2, 2)), np.zeros((2, 2)), _X[:, None]), 1e-99)),
    Mended("warning", "embeddings.pairwise_scores", "embeddings", "an entry of 1e300", "overflow in a square",
           "embeddings has the value 1e\\+300", lambda: embeddings.pairwise_scores([[1e300, 0.0]])),
    Mended("unhelpful error", "embeddings.normalise", "vectors", "a number", "AxisError",
           r"vectors has shape \(\)", lambda: embeddings.normalise(1.0)),
    Mended("accepted", "embeddings.random_embeddings", "rng", "a RandomState", "drew from it",
           "rng is .*Generator", lambda: embeddings.random_embeddings(np.random.RandomState(0), 2, 2)),
    Mended("foreign error", "monte_carlo.monte_carlo_risk", "rng", "None", "AttributeError",
           "rng is None", lambda: _SPACE.sample(None, 2, 2)),
    Mended("unhelpful error", "embedding_classes.linear_embeddings", "points", "a ragged list", "NumPy's message, no argument",
           "points is .*rows of one length", lambda: embedding_classes.linear_moduli([[1.0], [1.0, 2.0]], 1.0)),
    Mended("warning", "embedding_classes.linear_embeddings", "weights", "1e99 against points of 1e99", "overflow in a norm",
           "the product of weights and points", lambda: embedding_classes.linear_embeddings([[1e99]], [[1e99]], 1.0)),
    Mended("warning", "search_kernel.log_partition", "scores", "longdouble 1e4000", "overflow in a cast",
           "scores has the value inf", lambda: empirical_kernels.search_weights(np.array([np.longdouble("1e4000")]), 1.0)),
    Mended("accepted", "exact_risk.exact_gap", "densities", "a list of masked rows", "the mask was ignored",
           "densities is a masked array", lambda: exact_risk.exact_gap(_HIDDEN, [0.5, 0.5], 2)),
    Mended("unhelpful error", "exact_risk.exact_excess", "scores", "entries of 1e300", "Maximum allowed size exceeded",
           "scores give the log density", lambda: exact_risk.exact_excess(_SPACE, 1e7 * np.eye(3), 1.0, 2)),
    Mended("foreign error", "exact_risk.exact_risk", "space", "None", "AttributeError",
           "space is None", lambda: exact_risk.exact_risk(None, np.zeros((2, 2)), 1.0, 2)),
    Mended("accepted", "augmentation.AugmentedImages.density", "points", "NaN, fractions, indices out of range", "computed with them",
           "points has dtype float64", lambda: augmentation.AugmentedImages(2, 2).density(0, [0.5])),
    Mended("wrong shape or dtype", "augmentation.AugmentedImages", "num_images", "np.int8(100)", "size overflowed in int8",
           10000, lambda: augmentation.AugmentedImages(np.int8(100), np.int8(100)).size),
    Mended("unhelpful error", "augmentation.augmentation_matrices", "side", "10**13", "array is too big",
           "side is 1000", lambda: augmentation.augmentation_matrices(10**13, [0.0], [0.0])),
    Mended("unhelpful error", "continuity.exponential_functional", "inverse_temperature", "a shape that does not broadcast",
           "NumPy's message, no argument", r"inverse_temperature has shape \(3,\)",
           lambda: continuity.exponential_functional(np.ones((2, 2)), 1.0, np.ones(3))),
    Mended("accepted", "continuity.exponential_functional", "inverse_temperature", "the text 1.0", "taken for 1",
           "inverse_temperature is '1.0'", lambda: continuity.exponential_functional([1.0], 1.0, "1.0")),
    Mended("undocumented infinity", "continuity.exponential_functional", "norms", "1e-320 with β = 0.1 and τ = 1e-99",
           "infinite, as β times the norm underflowed", 2e100,
           lambda: continuity.exponential_functional([1e-320], 1e-99, 0.1)),
    Mended("accepted", "continuity.continuity_bound", "functional", "a function that returns NaN", "a silent NaN",
           "functional returns", lambda: continuity.continuity_bound(0.0, 0.0, [1.0], 1.0, lambda a, t: np.nan)),
    Mended("accepted", "continuity.continuity_bound", "on_sphere", "the text no", "taken for True",
           "on_sphere is 'no'", lambda: continuity.continuity_bound(0.0, 0.0, [1.0], 1.0, on_sphere="no")),
    Mended("warning", "rates.rate_constant", "temperature", "1e-3 with α = 0", "0 times infinity",
           np.inf, lambda: rates.rate_constant(1e-3, 0)),
    Mended("accepted", "rates.gap_lower_bound", "mean_chi_square", "None",
           "a lower bound from an upper bound of χ²", "mean_chi_square is None", lambda: rates.gap_lower_bound(1.0, 2, None)),
    Mended("warning", "rates.expansion_coefficients", "weights", "a mass of 1e-90", "overflow in a fourth power",
           [0.0, 0.0, 0.0], lambda: rates.expansion_coefficients([1.0, 1.0], [1e-90, 1.0])),
    Mended("warning", "temperature_bounds.kl_bound", "temperature", "1e-60", "overflow in a series that is not used",
           2e60, lambda: temperature_bounds.kl_bound(1e-60)),
    Mended("foreign error", "generalisation.smallest_num_tuples", "target", "1e-90 at τ = 1e90", "OverflowError of a power",
           np.inf, lambda: generalisation.smallest_num_tuples(_SETTING, 1e90, 1e-90)),
    Mended("unhelpful error", "generalisation.root_mean_square_slope", "anchor_moduli", "a negative number",
           "the message named anchor_norms", "anchor_moduli has the entry",
           lambda: generalisation.root_mean_square_slope([-1.0], [1.0], [[1.0]], 1.0)),
    Mended("hang", "enumerated_search.multinomial_counts", "k", "10**18 of 10**18", "computed a huge binomial coefficient",
           "size is 1000", lambda: enumerated_search.multinomial_counts(10**18, 10**18)),
    Mended("hang", "loss_tables.ball_grid", "dimension", "10**13", "computed a huge power",
           "dimension is 1000", lambda: loss_tables.ball_grid(1.0, 10**13, 2)),
    Mended("foreign error", "sphere.sphere_rule", "num_nodes", "10**13", "MemoryError",
           "num_nodes is 1000", lambda: sphere.sphere_rule(3, 10**13)),
    Mended("wrong answer", "von_mises_fisher.log_partition", "concentration", "10**4 in dimension 1000",
           "7981.9 for 8337.1: too few nodes, whose weights underflowed", "concentration is 10000.0 in dimension 1000",
           lambda: von_mises_fisher.log_partition(1e4, 1000)),
    Mended("wrong answer", "von_mises_fisher.log_partition", "concentration", "2000 in dimension 3000",
           "too few nodes", 568.5091561365334, lambda: von_mises_fisher.log_partition(2000, 3000)),
    Mended("warning", "von_mises_fisher.chi_square", "dimension", "10**13 at τ = 1e-3", "overflow in a recurrence",
           1e-7, lambda: round(von_mises_fisher.chi_square(1e-3, 10**13), 10)),
    Mended("accepted", "rademacher.half_ranges", "losses", "NaN", "a silent NaN",
           "losses has the value nan", lambda: rademacher.half_ranges([[1.0]], [[np.nan]])),
    Mended("accepted", "retrieval.hits", "relevant", "numbers, NaN among them", "anything not 0 was True",
           "relevant has dtype float64", lambda: retrieval.hits([[0.0, 1.0]], [[np.nan, 0.0]], 1)),
    Mended("accepted", "retrieval.label_hits", "labels", "a masked array", "the mask was ignored",
           "labels is a masked array", lambda: retrieval.label_hits(_X, _X, np.ma.MaskedArray([1, 1], mask=True), 1)),
    Mended("unhelpful error", "retrieval.cosine_scores", "queries", "a zero vector", "the message named vectors",
           "queries has a vector of norm 0", lambda: retrieval.cosine_scores([[0.0, 0.0]], _X)),
    Mended("accepted", "evidence.holds", "condition", "a masked array", "a masked False passed as it was",
           "condition is a masked array", lambda: evidence.holds("thm-rate", "oracle", np.ma.MaskedArray([True], mask=True), "c")),
    Mended("unhelpful error", "evidence.identity", "left", "None", "TypeError of a difference",
           "left or right is no SymPy expression", lambda: evidence.identity("thm-rate", None, 1, "claim")),
    Mended("silent NaN", "gateaux.perturb", "size", "NaN", "an expression that is NaN",
           "size is nan", lambda: gateaux.perturb(_symbol("x") ** 2, {_symbol("x"): 1}, float("nan"))),
    Mended("accepted", "training.batch_gradient", "tuples", "indices below 0", "counted from the end",
           r"tuples\[0\] has indices -1", lambda: training.batch_gradient(
               _POINTS, (np.array([-1, 0]), *_TUPLES[1:]), (np.eye(2),), 1.0, 0.5)),
    Mended("foreign error", "training.train", "tuples", "None", "TypeError without the argument",
           "tuples is None", lambda: training.train(_POINTS, None, (np.eye(2),), _RNG, offset=1.0, temperature=0.5, epochs=1,
                                                    batch=1, learning_rate=0.1)),
    Mended("warning", "digits.split_digits", "images", "all blank", "0/0, then NaN",
           "images has training images that are all blank", lambda: digits.split_digits(_DIGITS, np.zeros(898))),
    Mended("accepted", "digits.split_digits", "labels", "as many as half of the images", "IndexError, or labels of others",
           "labels has shape", lambda: digits.split_digits(_DIGITS, np.zeros(449))),
    Mended("foreign error", "digits.run", "setting", "k = 3", "KeyError after the training",
           "setting has k = 3", lambda: digits.run(digits.Setting("linear", 3, 0.5, 0), _DIGITS, np.zeros(898))),
    Mended("accepted", "answers.same_numbers", "expected", "NaN", "every answer was right",
           "expected is nan", lambda: answers.same_numbers(1.0, np.nan)),
    Mended("accepted", "answers.same_numbers", "value", "the text 1.0", "taken for a number",
           "expected real numbers", lambda: answers.same_numbers("1.0", 1.0)),
    Mended("unhelpful error", "gradient.directional_derivative", "directions", "a direction of own negatives", "no argument named",
           "that of negatives", lambda: gradient.directional_derivative(*[[[1.0]]] * 3, ([[0.0]], [[0.0]], [[[0.0]]]), 1.0)),
]  # fmt: skip


def _symbol(name: str) -> Any:
    import sympy

    return sympy.Symbol(name)
