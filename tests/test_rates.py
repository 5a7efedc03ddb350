"""Constants of the O(1/k) law in high precision, and their inequalities against the exact risk."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from infonce_theory import rates
from infonce_theory.divergences import chi_square
from infonce_theory.exact_risk import exact_excess, exact_gap
from infonce_theory.search_kernel import search_density, search_kernel
from infonce_theory.spaces import FiniteSpace, ring_space

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def exact_curvature(log_ratio):
    with mpmath.workdps(60):
        log_r = mpmath.mpf(log_ratio)
        r = mpmath.exp(log_r)
        return float((r - 1 - log_r) / (r - 1) ** 2) if log_ratio else 0.5


@pytest.mark.parametrize("ratio", [1e-9, 0.3, 0.94, 0.96, 1 - 1e-9, 1.0, 1 + 1e-12, 1.04, 1.06, 7.0, 1e12, 1.2e13, 1e14, 1e30])
def test_curvature_has_fourteen_digits(ratio):
    with mpmath.workdps(60):
        expected = exact_curvature(mpmath.log(mpmath.mpf(ratio)))
    assert rates.curvature(ratio) == pytest.approx(expected, rel=1e-14, abs=0.0)


@pytest.mark.parametrize("temperature", [1e-2, 0.06, 0.07, 0.5, 1.0, 30.0, 1e3])
def test_curvatures_at_kappa(temperature):
    with mpmath.workdps(60):
        reach = 2 / mpmath.mpf(temperature)
        upper, lower = exact_curvature(-reach), exact_curvature(reach)
    assert rates.upper_curvature(temperature) == pytest.approx(upper, rel=1e-13, abs=0.0)
    assert rates.lower_curvature(temperature) == pytest.approx(lower, rel=1e-13, abs=0.0)


def test_curvature_is_the_remainder_integral():
    for ratio in (0.2, 1.0, 5.0):
        integral, _ = quad(lambda t: (1 - t) / (1 + t * (ratio - 1)) ** 2, 0, 1)
        assert rates.curvature(ratio) == pytest.approx(integral, rel=1e-10)


def random_case(seed, size):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(size)) * 0.999 + 0.001 / size
    kernel = rng.dirichlet(np.full(size, 0.5), size)
    vectors = rng.standard_normal((size, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return FiniteSpace(weights, kernel), np.clip(vectors @ vectors.T, -1, 1)


@SETTINGS
@given(st.integers(0, 10**6), st.integers(2, 6), st.floats(0.05, 10.0), st.integers(1, 10**5))
def test_excess_stays_within_all_bounds(seed, size, temperature, k):
    space, scores = random_case(seed, size)
    search = search_kernel(scores, space.weights, temperature)
    chi = float(space.weights @ chi_square(search, space.weights))
    for alpha in (0, 1):
        excess = exact_excess(space, scores, temperature, k, alpha)
        for known in (chi, None):
            lower, upper = rates.excess_bounds(temperature, k, alpha, known)
            assert lower * (1 + 1e-9) - 1e-14 <= excess <= upper * (1 + 1e-9) + 1e-14
        assert abs(excess) <= rates.rate_constant(temperature, alpha) / k * (1 + 1e-9)
        if alpha == 0:
            assert -excess >= rates.gap_lower_bound(temperature, k, chi) * (1 - 1e-9)


@SETTINGS
@given(st.integers(0, 10**6), st.floats(0.05, 10.0), st.integers(1, 2000), st.integers(0, 2000))
def test_gap_of_each_anchor_stays_below_its_bounds(seed, temperature, k, more):
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(4, 0.3)) * (1 - 1e-9) + 1e-9 / 4
    table = search_density(rng.choice([-1.0, 1.0], 4), law, temperature)
    gap, later = exact_gap(table, law, k), exact_gap(table, law, k + more)
    assert 0.0 <= gap <= rates.pointwise_gap_bound(temperature, k) * (1 + 1e-9)
    assert gap - later <= rates.gap_step_bound(temperature, k, k + more) * (1 + 1e-9) + 1e-15


def test_plain_formulas():
    assert rates.pointwise_gap_bound(1.0, 50) == pytest.approx(
        min(2 * np.sinh(1) ** 2 / 50, np.log1p(4 * np.sinh(1) ** 2 / 51))
    )
    assert rates.pointwise_gap_bound(0.2, 2) == pytest.approx(np.log1p(4 * np.sinh(5) ** 2 / 3))
    assert rates.gap_step_bound(1.0, 2, 8) == pytest.approx(2 * np.sinh(1) ** 2 * (1 / 2 - 1 / 8))
    assert rates.gap_step_bound(1.0, 3, 3) == 0.0
    assert rates.excess_bounds(1.0, 4)[1] == pytest.approx(np.log1p(np.e / 4))
    assert rates.excess_bounds(0.5, 4)[1] == pytest.approx(np.log1p(np.exp(2) / 4))
    assert rates.excess_bounds(1.0, 4, 0)[1] == 0.0
    curvature = float(rates.upper_curvature(1.0))
    assert rates.excess_bounds(1.0, 4, 1, 0.7)[0] == pytest.approx(-curvature * 0.7 / 4)
    assert rates.rate_constant(1.0) == pytest.approx(max(4 * curvature * np.sinh(0.5) ** 2, np.e))
    assert rates.rate_constant(1.0, 0) == pytest.approx(4 * curvature * np.sinh(0.5) ** 2)
    assert rates.rate_constant(10.0, 0) < 0.02


def test_rate_constant_stays_below_its_simple_bound():
    for temperature in np.geomspace(0.01, 100, 50):
        assert rates.rate_constant(temperature) <= (1 + 2 / temperature) * np.exp(1 / temperature)


@pytest.mark.parametrize("alpha", [0, 1])
def test_first_order_is_the_limit(alpha):
    space, scores = random_case(9, 5)
    limit = rates.first_order_coefficient(space, scores, 0.3, alpha)
    assert 10**9 * exact_excess(space, scores, 0.3, 10**9, alpha) == pytest.approx(limit, rel=1e-7)


def test_expansion_leaves_a_remainder_of_fourth_order():
    law = np.array([0.3, 0.5, 0.2])
    table = search_density(np.array([[0.9, -0.2, -1.0], [0.1, 0.7, 0.3]]), law, 0.5)
    coefficients = rates.expansion_coefficients(table, law)

    def remainder(k):
        return exact_gap(table, law, k) - sum(c / k**power for power, c in enumerate(coefficients, start=1))

    assert remainder(200) / remainder(100) == pytest.approx(np.full(2, 1 / 16), rel=0.1)


def test_coefficients_of_a_stack_of_tables_are_those_of_each():
    law = np.array([0.3, 0.5, 0.2])
    tables = search_density(np.random.default_rng(1).uniform(-1, 1, (2, 3, 3)), law, 0.5)
    stacked = rates.expansion_coefficients(tables, law)
    for values, *each in zip(stacked, *(rates.expansion_coefficients(table, law) for table in tables)):
        np.testing.assert_allclose(values, each, rtol=1e-12)


def test_a_product_beyond_the_floats_is_infinite_and_silent():
    assert rates.excess_bounds(1 / 709, 1) == (-np.inf, pytest.approx(709.0))


def test_extreme_temperatures_give_no_nan():
    for temperature in (1e-3, 1e3):
        values = [
            *rates.excess_bounds(temperature, 5),
            rates.rate_constant(temperature),
            rates.pointwise_gap_bound(temperature, 5),
            float(rates.lower_curvature(temperature)),
            float(rates.upper_curvature(temperature)),
        ]
        assert not np.isnan(values).any()
    assert rates.pointwise_gap_bound(1e-3, 5) == pytest.approx(2000.0 - np.log(6.0))
    assert rates.gap_step_bound(1e-3, 5, 5) == 0.0  # not 0 × ∞


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: rates.curvature([1.0, 0.0]), "ratio"),
        (lambda: rates.upper_curvature(0.0), "temperature"),
        (lambda: rates.lower_curvature(np.nan), "temperature"),
        (lambda: rates.rate_constant(1.0, 3), "alpha"),
        (lambda: rates.excess_bounds(1.0, 0), "k is 0"),
        (lambda: rates.excess_bounds(1.0, 1, 1, -0.1), "mean_chi_square"),
        (lambda: rates.pointwise_gap_bound(1.0, 1.5), "k is 1.5"),
        (lambda: rates.gap_step_bound(1.0, 4, 0), "more is 0"),
        (lambda: rates.gap_step_bound(1.0, 4, 3), "more is 3; expected at least k = 4"),
        (lambda: rates.gap_lower_bound(1.0, 4, np.nan), "mean_chi_square"),
        (lambda: rates.first_order_coefficient(ring_space(3), np.zeros((2, 2)), 1.0), "scores"),
        (lambda: rates.expansion_coefficients([[2.0, 2.0]], [0.5, 0.5]), "densities"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_first_order_needs_positives_where_the_data_are():
    space = FiniteSpace([1.0, 0.0], [[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(ValueError, match="space has a kernel that puts mass where weights is 0"):
        rates.first_order_coefficient(space, np.zeros((2, 2)), 1.0)
    assert rates.first_order_coefficient(space, np.zeros((2, 2)), 1.0, 0) == 0.0
