"""Rademacher complexities against their definition, closed forms and the bounds; bounds against high precision."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from infonce_theory import rademacher
from infonce_theory.continuity import continuity_bound
from infonce_theory.embedding_classes import circle_embeddings, circle_moduli
from infonce_theory.loss_tables import ball_grid, loss_table
from infonce_theory.rademacher import (
    CHAINING_INTEGRAL,
    chaining_bound,
    gaussian_width_of_ball,
    massart_bound,
    rademacher_estimate,
    rademacher_exact,
    rademacher_interval,
    sudakov_fernique_bound,
)

attacks = settings(max_examples=50, deadline=None, derandomize=True)


def by_definition(losses):
    n, signs = len(losses), itertools.product([-1, 1], repeat=len(losses))
    return sum(max(np.dot(s, column) for column in losses.T) for s in signs) / (n * 2**n)


@pytest.mark.parametrize("n", range(1, 9))
def test_enumeration_is_the_definition(n, monkeypatch):
    losses = np.random.default_rng(n).normal(size=(n, 7)) ** 3
    expected = by_definition(losses)
    assert rademacher_exact(losses) == pytest.approx(expected, rel=1e-12)
    monkeypatch.setattr(rademacher, "_BLOCK", 40)  # several blocks
    assert rademacher_exact(losses) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [1, 4, 11, 18])
def test_two_opposite_parameters_are_a_random_walk(n):
    position = np.abs(2 * np.arange(n + 1) - n) @ stats.binom(n, 0.5).pmf(np.arange(n + 1))
    assert rademacher_exact(np.outer(np.ones(n), [-1.0, 1.0])) == pytest.approx(position / n, rel=1e-12)


@attacks
@given(seed=st.integers(0, 10**6))
def test_shifts_are_free_and_more_parameters_cost_more(seed):
    rng = np.random.default_rng(seed)
    losses = rng.normal(size=(5, 6))
    value = rademacher_exact(losses)
    assert rademacher_exact(losses + rng.normal(size=(5, 1))) == pytest.approx(value, rel=1e-9)
    assert rademacher_exact(losses[:, :3]) <= value * (1 + 1e-12)
    assert 0.0 <= value <= np.ptp(losses, axis=1).mean() / 2 * (1 + 1e-12)


def test_estimate_agrees_with_enumeration_and_repeats(monkeypatch):
    losses = np.random.default_rng(6).normal(size=(10, 30))
    estimate = rademacher_estimate(losses, 3000, np.random.default_rng(7))
    assert abs(estimate.mean - rademacher_exact(losses)) <= 4 * estimate.standard_error
    assert estimate == rademacher_estimate(losses, 3000, np.random.default_rng(7))
    monkeypatch.setattr(rademacher, "_BLOCK", 300)
    in_blocks = rademacher_estimate(losses, 3000, np.random.default_rng(7))
    assert in_blocks.mean == pytest.approx(estimate.mean, rel=1e-12)


def test_interval_contains_the_value_of_a_finer_grid():
    rng = np.random.default_rng(8)
    angles, rates = rng.normal(size=6), rng.normal(size=6)
    x, y, z = rng.integers(6, size=5), rng.integers(6, size=5), rng.integers(6, size=(5, 3))
    moduli = circle_moduli(rates)
    slopes = continuity_bound(moduli[x], moduli[y], moduli[z], 0.3)
    intervals = []
    for steps in (4, 7, 25, 3001):
        line, reach = ball_grid(1.0, 1, steps)
        losses = loss_table(circle_embeddings(angles, rates, line[:, 0]), x, y, z, 0.3)
        intervals.append(rademacher_interval(losses, slopes, reach))
        assert intervals[-1][1] - intervals[-1][0] == pytest.approx(reach * slopes.mean())
    finest = intervals[-1][0]
    assert all(low <= finest * (1 + 1e-12) and finest <= high for low, high in intervals)


@attacks
@given(seed=st.integers(0, 10**6), n=st.integers(1, 7), size=st.integers(2, 30))
def test_massart_bounds_every_finite_class(seed, n, size):
    losses = np.random.default_rng(seed).normal(size=(n, size)) ** 3 + 5.0
    assert rademacher_exact(losses) <= massart_bound(losses) * (1 + 1e-12)


@attacks
@given(seed=st.integers(0, 10**6), n=st.integers(1, 7), dimension=st.integers(1, 4))
def test_comparison_and_chaining_bound_lipschitz_losses(seed, n, dimension):
    rng = np.random.default_rng(seed)
    parameters = rng.normal(size=(200, dimension))
    parameters *= 1.3 / np.linalg.norm(parameters, axis=1, keepdims=True)
    slopes = rng.exponential(size=n)
    centres = rng.normal(size=(n, dimension))
    distances = slopes[:, None] * np.linalg.norm(parameters - centres[:, None], axis=2)
    value = rademacher_exact(distances)
    assert value <= sudakov_fernique_bound(slopes, 1.3, dimension) * (1 + 1e-12)
    assert value <= chaining_bound(slopes, 1.3, dimension) * (1 + 1e-12)


def test_the_constant_is_one_for_one_parameter():
    slopes = np.array([3.0, 4.0])
    assert sudakov_fernique_bound(slopes, 2.0, 1) == pytest.approx(2.0 * math.sqrt(12.5) / math.sqrt(2.0), rel=1e-14)
    assert rademacher_exact([[-6.0, 6.0]]) == pytest.approx(sudakov_fernique_bound([3.0], 2.0, 1), rel=1e-14)


@pytest.mark.parametrize("dimension", [1, 2, 7, 1000, 9_999, 10_000, 10_001, 10**7])
def test_width_of_the_ball(dimension):
    with mpmath.workdps(40):
        half = mpmath.mpf(dimension) / 2
        exact = 2.5 * mpmath.sqrt(2) * mpmath.exp(mpmath.loggamma(half + mpmath.mpf("0.5")) - mpmath.loggamma(half))
    assert gaussian_width_of_ball(2.5, dimension) == pytest.approx(float(exact), rel=1e-11)


def test_chaining_integral():
    with mpmath.workdps(25):
        exact = mpmath.quad(lambda u: mpmath.sqrt(mpmath.log(1 + 2 / u)), [0, mpmath.mpf("0.5")])
    assert CHAINING_INTEGRAL == pytest.approx(float(exact), rel=1e-14)
    constant = 4 * math.sqrt(2) * float(exact)
    assert chaining_bound([1.0, 7.0], 0.5, 9) == pytest.approx(constant * 5.0 * 0.5 * 3.0 / math.sqrt(2.0), rel=1e-12)


def test_massart_of_a_cube_and_of_one_parameter():
    cube = np.array(list(itertools.product([2.0, 4.0], repeat=3))).T
    assert massart_bound(cube) == pytest.approx(math.sqrt(3 * 2 * math.log(8)) / 3)
    assert massart_bound([[1.0], [2.0]]) == rademacher_exact([[1.0], [2.0]]) == 0.0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: rademacher_exact([1.0, 2.0]), "losses"),
        (lambda: rademacher_exact([[np.nan, 2.0]]), "losses"),
        (lambda: rademacher_exact(np.zeros((21, 2))), "losses"),
        (lambda: rademacher_interval([[1.0, 2.0]], [1.0, 1.0], 0.1), "moduli"),
        (lambda: rademacher_interval([[1.0, 2.0]], [-1.0], 0.1), "moduli"),
        (lambda: rademacher_interval([[1.0, 2.0]], [1.0], -0.1), "covering_radius"),
        (lambda: rademacher_estimate([[1.0, 2.0]], 1, np.random.default_rng(0)), "num_draws"),
        (lambda: gaussian_width_of_ball(0.0, 1), "radius"),
        (lambda: gaussian_width_of_ball(1.0, 0), "dimension"),
        (lambda: sudakov_fernique_bound([-1.0], 1.0, 1), "moduli"),
        (lambda: sudakov_fernique_bound([1.0], 1.0, 1.5), "dimension"),
        (lambda: chaining_bound([1.0], -1.0, 1), "radius"),
        (lambda: chaining_bound([1.0], 1.0, 0), "dimension"),
        (lambda: massart_bound([[np.inf, 1.0]]), "losses"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_half_ranges_row_by_row():
    signs, losses = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([[0.0, 2.0, 5.0], [1.0, 1.0, 3.0]])
    assert rademacher.half_ranges(signs, losses).tolist() == [(8.0 - 1.0) / 4.0, (2.0 + 1.0) / 4.0]


@pytest.mark.parametrize(
    ("signs", "losses", "name"),
    [
        ([1.0, 1.0], np.ones((2, 3)), "signs"),
        (np.ones((4, 3)), np.ones((2, 3)), "signs"),
        (np.ones((4, 2)), [1.0, 2.0], "losses"),
        (np.full((4, 2), np.nan), np.ones((2, 3)), "signs"),
    ],
)
def test_half_ranges_refuse_what_is_no_table(signs, losses, name):
    with pytest.raises(ValueError, match=name):
        rademacher.half_ranges(signs, losses)


def test_moduli_of_an_interval_are_one_for_each_row():
    with pytest.raises(ValueError, match="moduli"):
        rademacher.rademacher_interval(np.ones((2, 3)), [[1.0], [1.0]], 0.1)


def test_as_many_rows_as_are_allowed_are_enumerated(monkeypatch):
    monkeypatch.setattr(rademacher, "LARGEST_ENUMERATION", 3)
    assert rademacher_exact(np.eye(3)) == pytest.approx(by_definition(np.eye(3)), rel=1e-14)
    with pytest.raises(ValueError, match="losses has 4 rows; expected at most 3"):
        rademacher_exact(np.eye(4))


@pytest.mark.parametrize("width", [2.0, 6.0])
def test_every_draw_counts(width):
    # one tuple: every sign gives half the range
    estimate = rademacher_estimate([[0.0, width]], 2, np.random.default_rng(0))
    assert (estimate.mean, estimate.standard_error) == (width / 2, 0.0)


@pytest.mark.parametrize("dimension", [10_001, 14_000, 10**5])
def test_width_of_a_ball_of_many_dimensions_has_twelve_digits(dimension):
    with mpmath.workdps(40):
        half = mpmath.mpf(dimension) / 2
        exact = mpmath.sqrt(2) * mpmath.exp(mpmath.loggamma(half + mpmath.mpf("0.5")) - mpmath.loggamma(half))
    assert gaussian_width_of_ball(1.0, dimension) == pytest.approx(float(exact), rel=1e-12)


def test_massart_centres_each_row_at_its_own_midrange():
    table = np.array([[0.0, 4.0, 1.0], [10.0, 12.0, 16.0]])
    middles = [2.0, 13.0]
    largest = max(math.hypot(*(table[i, t] - middles[i] for i in range(2))) for t in range(3))
    assert massart_bound(table) == pytest.approx(largest * math.sqrt(2.0 * math.log(3)) / 2, rel=1e-14)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda values: rademacher_estimate(values, 2, np.random.default_rng(0)), "losses"),
        (massart_bound, "losses"),
    ],
)
@pytest.mark.parametrize("shape", [(2,), (1, 2, 2)])
def test_losses_are_a_table(call, name, shape):
    with pytest.raises(ValueError, match=f"{name} has shape .* expected 2 dim"):
        call(np.ones(shape))


def test_moduli_are_a_row():
    with pytest.raises(ValueError, match="moduli has shape .* expected 1 dim"):
        chaining_bound([[1.0, 2.0]], 1.0, 1)
