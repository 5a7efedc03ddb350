"""The bounds of the search among unseen points: their formulas, and random spaces that must obey them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infonce_theory import search_bounds as sb
from infonce_theory.divergences import chi_square, total_variation
from infonce_theory.embeddings import circle_embedding, pairwise_scores
from infonce_theory.enumerated_search import enumerated_cross_entropy, enumerated_mean_kernel
from infonce_theory.exact_risk import exact_risk
from infonce_theory.exact_search import search_cross_entropy
from infonce_theory.rates import rate_constant
from infonce_theory.search_kernel import cross_entropy
from infonce_theory.spaces import FiniteSpace, ring_space, two_point_space


def drawn_space(seed, size, concentration):
    rng = np.random.default_rng(seed)
    space = FiniteSpace(rng.dirichlet(np.ones(size)), rng.dirichlet(np.full(size, concentration), size))
    return space, pairwise_scores(circle_embedding(rng.uniform(0.0, 2.0 * np.pi, size)))


def test_formulas_on_two_points():
    space = two_point_space(0.25, [[0.5, 0.5], [0.0, 1.0]])
    # m = (2, 2/3) and (0, 4/3)
    assert sb.kernel_peakedness(space) == pytest.approx([0.25 * 2.0 * 1.0, 0.75 * 4.0 / 3.0 / 3.0])
    assert sb.mean_kernel_peakedness(space) == pytest.approx(0.25 * 0.5 + 0.75 / 3.0)
    assert sb.kernel_bias_bound(0.5, 8, 0.375) == pytest.approx(2 * 2 * 0.375 / 8)
    kappa = np.exp(4.0)
    curvature = (np.log(kappa) - 1 + 1 / kappa) / (1 - 1 / kappa) ** 2
    assert sb.search_constant(0.5, 0.375) == pytest.approx(4 * curvature * np.sinh(1.0) ** 2 + 4 * 0.375)
    assert sb.search_excess_bound(0.5, 4, 8, 0.375) == pytest.approx(2 * np.sinh(2.0) ** 2 / 8 + 0.1875)
    assert sb.search_excess_bound(0.5, 8, 8, 0.375) == pytest.approx(0.1875)
    assert sb.search_excess_bound(0.5, 9, 8, 0.375) == pytest.approx(0.1875)


def test_a_kernel_equal_to_the_data_law_has_no_peak():
    weights = np.array([0.2, 0.3, 0.5])
    assert sb.kernel_peakedness(FiniteSpace(weights, np.tile(weights, (3, 1)))) == pytest.approx(np.zeros(3), abs=1e-15)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([0.1, 1.0, 20.0]), st.sampled_from([1, 2, 3, 9]))
def test_mean_kernel_stays_near_the_kernel(seed, size, concentration, k):
    space, _ = drawn_space(seed, size, concentration)
    distance = total_variation(enumerated_mean_kernel(space, k), space.kernel)
    peak = sb.kernel_peakedness(space)
    assert np.all(distance <= peak / k + 1e-12)
    assert np.all(peak <= sb.peakedness_bound(chi_square(space.kernel, space.weights)) * (1 + 1e-9))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.1, 1.0, 20.0]),
    st.sampled_from([0.1, 0.5, 2.0, 30.0]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([1, 2, 5, 8]),
)
def test_search_obeys_every_form_of_the_theorem(seed, concentration, temperature, k, searched):
    space, scores = drawn_space(seed, 3, concentration)
    peak = sb.mean_kernel_peakedness(space)
    limit = cross_entropy(space, scores, temperature)
    search = {number: enumerated_cross_entropy(space, scores, temperature, number) for number in {k, searched}}
    slack = 1e-11 / temperature
    assert abs(search[k] - limit) <= sb.search_constant(temperature, peak) / k + slack
    for alpha in (0, 1):
        risk = exact_risk(space, scores, temperature, k, alpha)
        both = rate_constant(temperature, alpha) + sb.search_constant(temperature, peak)
        assert abs(risk - search[k]) <= both / k + slack
        assert search[searched] - risk <= sb.search_excess_bound(temperature, k, searched, peak) + slack
        if alpha == 0:
            assert abs(risk - search[k]) <= sb.kernel_bias_bound(temperature, k, peak) + slack


@pytest.mark.parametrize("temperature", [0.2, 1.0, 10.0])
def test_first_order_coefficient_is_the_limit(temperature):
    space, scores = ring_space(7), pairwise_scores(circle_embedding(np.arange(7) * 1.3))
    limit = cross_entropy(space, scores, temperature)
    at_k, at_twice = (
        k * (search_cross_entropy(space, scores, temperature, k) - limit) for k in (10**5, 2 * 10**5)
    )
    assert sb.first_order_search_coefficient(space, scores, temperature) == pytest.approx(2 * at_twice - at_k, rel=1e-5)


def test_bounds_at_extreme_temperatures_are_no_nan():
    for temperature in (1e-3, 1e3):
        values = [
            sb.search_constant(temperature, 3.0),
            sb.search_excess_bound(temperature, 4, 4, 3.0),
            sb.search_excess_bound(temperature, 4, 9, 3.0),
        ]
        assert not np.isnan(values).any()
    assert sb.search_excess_bound(1e-3, 4, 4, 3.0) == pytest.approx(1500.0)
    assert sb.peakedness_bound(1e300) == pytest.approx(1e300)
    assert sb.peakedness_bound(8e307) == pytest.approx(8e307)
    assert sb.peakedness_bound([0.0, 3.0]) == pytest.approx([0.0, np.sqrt(12.0)])


KERNEL_OFF_THE_DATA = FiniteSpace([1.0, 0.0], [[0.5, 0.5], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sb.kernel_peakedness(KERNEL_OFF_THE_DATA), "kernel puts mass on point 1"),
        (lambda: sb.peakedness_bound([-0.1]), "chi_square"),
        (lambda: sb.peakedness_bound(1e308), "chi_square"),
        (lambda: sb.kernel_bias_bound(1.0, 3, -1.0), "peakedness is -1.0"),
        (lambda: sb.kernel_bias_bound(1.0, 3, [1.0]), "peakedness has shape"),
        (lambda: sb.kernel_bias_bound(1.0, 0, 1.0), "k is 0"),
        (lambda: sb.search_constant(0.0, 1.0), "temperature is 0.0"),
        (lambda: sb.search_excess_bound(1.0, 3, 2.5, 1.0), "searched is 2.5"),
        (lambda: sb.search_excess_bound(1.0, 0, 2, 1.0), "k is 0"),
        (lambda: sb.first_order_search_coefficient(ring_space(3), np.zeros((2, 2)), 1.0), "scores has shape"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()
