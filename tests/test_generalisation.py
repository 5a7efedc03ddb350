"""The calculator against high-precision formulas, and the bound against exhaustively known cases."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infonce_theory.continuity import max_functional
from infonce_theory.embeddings import pairwise_scores
from infonce_theory.exact_risk import exact_risk
from infonce_theory.exact_search import search_cross_entropy
from infonce_theory.generalisation import (
    TrainingSetting,
    generalisation_terms,
    root_mean_square_slope,
    sharper_terms,
    smallest_num_tuples,
)
from infonce_theory.rademacher import sudakov_fernique_bound
from infonce_theory.search_bounds import mean_kernel_peakedness
from infonce_theory.spaces import two_point_space

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
SETTING = TrainingSetting(
    num_tuples=1000,
    k=16,
    searched=100,
    temperature=0.5,
    dimension=12,
    radius=2.0,
    failure_probability=0.05,
    peakedness=9.0,
)


def formulas(setting, slope):
    """The three terms in forty digits, straight from the statement."""
    with mpmath.workdps(40):
        level, delta = 1 / mpmath.mpf(setting.temperature), mpmath.mpf(setting.failure_probability)
        kappa, n, p = mpmath.exp(2 * level), mpmath.mpf(setting.num_tuples), setting.dimension
        constant = (mpmath.log(kappa) - 1 + 1 / kappa) / (1 - 1 / kappa) ** 2
        variability = 12 * level * mpmath.sqrt(mpmath.log(1 / delta) / (2 * n))
        width = setting.radius * mpmath.sqrt(2) * mpmath.gamma(mpmath.mpf(p + 1) / 2) / mpmath.gamma(mpmath.mpf(p) / 2)
        complexity = 2 * mpmath.sqrt(mpmath.pi / 2) * slope * width / mpmath.sqrt(n)
        bias = 4 * constant * mpmath.sinh(level / 2) ** 2 / setting.k + 2 * level * setting.peakedness / setting.searched
        return [float(value) for value in (variability, complexity, bias)]


@pytest.mark.parametrize("temperature", [0.02, 0.5, 3.0, 1e3])
@pytest.mark.parametrize("changes", [{}, {"num_tuples": 1, "k": 1, "searched": 1, "dimension": 1}, {"k": 10**9}])
def test_terms_have_twelve_digits(temperature, changes):
    setting = replace(SETTING, temperature=temperature, **changes)
    terms = generalisation_terms(setting, 3.7)
    np.testing.assert_allclose(terms, formulas(setting, 3.7), rtol=1e-12)
    assert terms.total == pytest.approx(sum(formulas(setting, 3.7)), rel=1e-12)


def test_complexity_is_twice_the_comparison_bound():
    rng = np.random.default_rng(0)
    moduli = rng.exponential(size=(1000, 18))
    tuples = moduli[:, 0], moduli[:, 1], moduli[:, 2:]
    slope = root_mean_square_slope(*tuples, 0.5, max_functional, 0)
    slopes = 2.0 * (2.0 * tuples[0] + tuples[1] + tuples[2].max(axis=1))
    assert slope == pytest.approx(math.sqrt(np.mean(slopes**2)), rel=1e-13)
    bound = sudakov_fernique_bound(slopes, 2.0, 12)
    assert generalisation_terms(SETTING, slope).complexity == pytest.approx(2.0 * bound, rel=1e-13)


def test_expectile_is_the_default_and_never_exceeds_the_maximum():
    moduli = np.random.default_rng(1).pareto(2.0, size=(200, 10))
    tuples = moduli[:, 0], moduli[:, 1], moduli[:, 2:]
    assert root_mean_square_slope(*tuples, 0.7) < root_mean_square_slope(*tuples, 0.7, max_functional)


def test_sharper_variability_uses_two_widths():
    with mpmath.workdps(40):
        kappa = mpmath.exp(4)
        width = mpmath.log((mpmath.mpf(1) / 16 + kappa) / (mpmath.mpf(1) / 16 + 1 / kappa))
        expected = 2 * width * mpmath.sqrt(mpmath.log(20) / 2000)
        without_positive = 2 * 8 * mpmath.sqrt(mpmath.log(20) / 2000)
    assert sharper_terms(SETTING, 1.0, 1).variability == pytest.approx(float(expected), rel=1e-13)
    assert sharper_terms(SETTING, 1.0, 0).variability == pytest.approx(float(without_positive), rel=1e-13)


@pytest.mark.parametrize("searched", [1, 16])
def test_sharper_bias_has_no_gap_when_no_more_points_are_searched_than_negatives(searched):
    terms = sharper_terms(replace(SETTING, searched=searched, temperature=0.01), 1.0)
    assert terms.bias == pytest.approx(200.0 * min(9.0 / searched, 1.0), rel=1e-13)


def test_low_temperatures_give_finite_sharper_terms():
    setting = replace(SETTING, temperature=1e-3)
    assert np.isfinite(sharper_terms(setting, 1.0)).all()
    assert generalisation_terms(setting, 1.0).bias > 1e300


@SETTINGS
@given(
    temperature=st.floats(0.01, 100.0),
    k=st.integers(1, 10**6),
    searched=st.integers(1, 10**6),
    peakedness=st.floats(0.0, 100.0),
    alpha=st.sampled_from([0, 1]),
)
def test_sharper_terms_are_never_larger(temperature, k, searched, peakedness, alpha):
    setting = replace(SETTING, temperature=temperature, k=k, searched=searched, peakedness=peakedness)
    pairs = zip(sharper_terms(setting, 1.0, alpha), generalisation_terms(setting, 1.0))
    assert all(sharp <= plain * (1 + 1e-12) for sharp, plain in pairs)


@SETTINGS
@given(
    mass=st.floats(0.02, 0.98),
    first=st.floats(0.0, 1.0),
    second=st.floats(0.0, 1.0),
    angle=st.floats(0.0, math.pi),
    temperature=st.floats(0.1, 20.0),
    k=st.sampled_from([1, 5, 40]),
    searched=st.sampled_from([1, 7, 300]),
    alpha=st.sampled_from([0, 1]),
)
def test_bias_covers_the_exact_difference_on_two_points(mass, first, second, angle, temperature, k, searched, alpha):
    space = two_point_space(mass, [[first, 1.0 - first], [second, 1.0 - second]])
    scores = pairwise_scores(np.array([[1.0, 0.0], [math.cos(angle), math.sin(angle)]]))
    difference = search_cross_entropy(space, scores, temperature, searched)
    difference -= exact_risk(space, scores, temperature, k, alpha)
    peaks = mean_kernel_peakedness(space)
    setting = replace(SETTING, temperature=temperature, k=k, searched=searched, peakedness=peaks)
    assert difference <= sharper_terms(setting, 1.0, alpha).bias + 1e-9


def test_smallest_number_of_tuples_meets_the_target():
    target = 4.0 / SETTING.temperature
    number = smallest_num_tuples(SETTING, 3.7, target)
    assert number == pytest.approx(smallest_num_tuples(replace(SETTING, num_tuples=7), 3.7, target), rel=1e-12)
    above, below = (replace(SETTING, num_tuples=count) for count in (math.ceil(number), math.floor(number) - 1))
    assert generalisation_terms(above, 3.7).total <= target < generalisation_terms(below, 3.7).total


def test_no_number_of_tuples_pays_for_the_bias():
    assert smallest_num_tuples(replace(SETTING, temperature=0.05), 1.0, 80.0) == math.inf


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_tuples", 0),
        ("num_tuples", 10.0),
        ("k", 0),
        ("searched", 0),
        ("temperature", 0.0),
        ("dimension", 0),
        ("radius", -1.0),
        ("failure_probability", 0.0),
        ("failure_probability", 1.0),
        ("failure_probability", float("nan")),
        ("peakedness", -0.1),
        ("peakedness", float("inf")),
    ],
)
def test_bad_settings_are_refused(name, value):
    with pytest.raises(ValueError, match=f"^{name} "):
        replace(SETTING, **{name: value})


def test_bad_arguments_are_refused():
    for function in (generalisation_terms, sharper_terms):
        with pytest.raises(ValueError, match="slope"):
            function(SETTING, -1.0)
        with pytest.raises(ValueError, match="slope"):
            function(SETTING, float("nan"))
    with pytest.raises(ValueError, match="alpha"):
        sharper_terms(SETTING, 1.0, 2)
    with pytest.raises(ValueError, match="target"):
        smallest_num_tuples(SETTING, 1.0, 0.0)
    with pytest.raises(ValueError, match="anchor_moduli"):
        root_mean_square_slope([[1.0]], [[1.0]], [[[1.0]]], 0.5)
    with pytest.raises(ValueError, match="negative_moduli"):
        root_mean_square_slope([1.0], [1.0], [[-1.0]], 0.5)


def test_a_setting_holds_plain_numbers():
    values = {"num_tuples": np.int64(9), "k": np.int64(2), "radius": np.float32(1), "peakedness": np.int64(0), "temperature": 1}
    setting = replace(SETTING, **values)
    assert [type(getattr(setting, name)) for name in values] == [int, int, float, float, float]


@pytest.mark.parametrize(
    ("moduli", "message"),
    [
        (([1.0], [1.0], [1.0]), "negative_moduli has shape .* expected 2 dim"),
        (([1.0], [1.0], [[[1.0]]]), "negative_moduli has shape .* expected 2 dim"),
        (([1.0, 2.0], [1.0], [[1.0], [1.0]]), r"positive_moduli has shape \(1,\); expected \(2,\), the shape of anchor_moduli"),
    ],
)
def test_shapes_of_moduli_are_named(moduli, message):
    with pytest.raises(ValueError, match=message):
        root_mean_square_slope(*moduli, 0.5)


def test_the_largest_slope_is_taken():
    assert root_mean_square_slope([0.0], [1e100], [[0.0]], 1.0, alpha=0) == pytest.approx(1e100, rel=1e-14)
    with pytest.raises(ValueError, match="give the slope"):
        root_mean_square_slope([1e100], [1e100], [[0.0]], 1.0)


def test_sharper_bias_covers_the_gap_without_peaks():
    # M = π: no kernel bias, and the search over very many points is that of the target
    space = two_point_space(0.5, [[0.5, 0.5], [0.5, 0.5]])
    scores = pairwise_scores(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    setting = replace(SETTING, temperature=1.0, k=2, searched=10**6, peakedness=0.0)
    gap = search_cross_entropy(space, scores, 1.0, 10**6) - exact_risk(space, scores, 1.0, 2, 0)
    assert 0.1 < gap <= sharper_terms(setting, 1.0, 0).bias


def test_a_target_as_large_as_the_bias_is_never_met():
    assert smallest_num_tuples(SETTING, 1.0, generalisation_terms(SETTING, 1.0).bias) == math.inf
