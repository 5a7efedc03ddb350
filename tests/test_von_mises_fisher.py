"""Von Mises–Fisher closed forms against Bessel functions in high precision."""

import mpmath
import numpy as np
import pytest

from infonce_theory import von_mises_fisher as vmf
from infonce_theory.embeddings import random_embeddings


def bessel_log_partition(concentration, dimension):
    """log of Γ(d/2) (2/c)^{d/2-1} I_{d/2-1}(c)."""
    order, c = mpmath.mpf(dimension) / 2 - 1, mpmath.mpf(concentration)
    return mpmath.log(mpmath.gamma(order + 1) * (2 / c) ** order * mpmath.besseli(order, c))


@pytest.mark.parametrize("dimension", [2, 3, 8, 64, 300, 1000, 3000, 10_000])
@pytest.mark.parametrize("concentration", [1e-3, 0.7, 20.0, 1000.0, 2000.0])
def test_partition_function_and_mean_agree_with_bessel_functions(dimension, concentration):
    with mpmath.workdps(50):
        expected = bessel_log_partition(concentration, dimension)
        order = mpmath.mpf(dimension) / 2
        mean = mpmath.besseli(order, concentration) / mpmath.besseli(order - 1, concentration)
    assert vmf.log_partition(concentration, dimension) == pytest.approx(float(expected), rel=1e-13, abs=1e-15)
    assert vmf.mean_cosine(concentration, dimension) == pytest.approx(float(mean), rel=1e-12)


def test_the_line_has_hyperbolic_functions():
    assert vmf.log_partition(1.3, 1) == pytest.approx(np.log(np.cosh(1.3)))
    assert vmf.mean_cosine(1.3, 1) == pytest.approx(np.tanh(1.3))


@pytest.mark.parametrize("temperature", [1e-3, 0.05, 1.0, 1e3])
def test_chi_square_in_three_dimensions(temperature):
    with mpmath.workdps(50):
        level = 1 / mpmath.mpf(temperature)
        expected = float(mpmath.coth(level) * level - 1)
    assert vmf.chi_square(temperature, 3) == pytest.approx(expected, rel=1e-11)


def test_cross_entropy_is_smallest_where_the_search_equals_the_positives():
    temperatures = np.geomspace(0.05, 1.0, 41)
    for dimension in (2, 3, 9):
        values = [vmf.cross_entropy(t, 1 / temperatures[20], dimension) for t in temperatures]
        assert np.argmin(values) == 20


def test_no_concentration_is_the_uniform_law():
    assert vmf.log_partition(0.0, 5) == pytest.approx(0.0, abs=1e-15)
    assert vmf.mean_cosine(0.0, 5) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(("dimension", "concentration"), [(2, 0.5), (3, 4.0), (10, 30.0)])
def test_samples_have_the_right_scores(dimension, concentration):
    rng = np.random.default_rng(3)
    directions = random_embeddings(rng, 40_000, dimension)
    points = vmf.sample(rng, directions, concentration)
    scores = (points * directions).sum(axis=1)
    nodes, masses = vmf.score_law(concentration, dimension)
    for power in (1, 2, 3):
        spread = np.sqrt((nodes ** (2 * power)) @ masses / scores.size)
        assert abs((scores**power).mean() - nodes**power @ masses) < 4.5 * spread
    # around its direction the law is symmetric
    residual = points - scores[:, None] * directions
    assert np.abs(residual.mean(axis=0)).max() < 4.5 / np.sqrt(scores.size)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(scores.size))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: vmf.log_partition(-1.0, 3), "concentration"),
        (lambda: vmf.log_partition(1.0, 0), "dimension"),
        (lambda: vmf.chi_square(0.0, 3), "temperature"),
        (lambda: vmf.cross_entropy(1.0, np.nan, 3), "concentration"),
        (lambda: vmf.sample(np.random.default_rng(0), [[1.0]], 1.0), "mean_directions"),
        (lambda: vmf.sample(np.random.default_rng(0), [[1.0, 1.0]], 1.0), "mean_directions"),
        (lambda: vmf.sample(np.random.default_rng(0), [[1.0, 0.0]], 0.0), "concentration"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_too_few_nodes_are_refused_not_guessed():
    with pytest.raises(ValueError, match="concentration is 10000.0 in dimension 1000; expected less"):
        vmf.log_partition(1e4, 1000)


@pytest.mark.parametrize("concentration", [0.5, 30.0, 1e4, vmf.LARGEST_CONCENTRATION])
def test_the_rule_integrates_exponentials(concentration):
    nodes, weights = vmf.concentrated_rule(concentration, 3)
    assert nodes.size <= vmf.LARGEST_RULE
    expected = -np.expm1(-2.0 * concentration) / (2.0 * concentration)
    assert weights @ np.exp(concentration * (nodes - 1.0)) == pytest.approx(expected, rel=1e-11)


def test_concentrations_have_a_largest():
    largest = vmf.LARGEST_CONCENTRATION
    assert vmf.chi_square(2.0 / largest, 3) == pytest.approx(largest / 2.0 - 1.0, rel=1e-9)
    with pytest.raises(ValueError, match="temperature is .*; expected at least"):
        vmf.chi_square(1.5 / largest, 3)
    with pytest.raises(ValueError, match="concentration is .*; expected less"):
        vmf.log_partition(1.001 * largest, 3)
    assert vmf.sample(np.random.default_rng(0), [[0.0, 1.0]], vmf.LARGEST_SAMPLED)[0] == pytest.approx([0.0, 1.0], abs=1e-5)


@pytest.mark.parametrize(("concentration", "dimension", "degree"), [(500.0, 1000, 500), (300.0, 201, 400), (50.0, 40, 90)])
def test_remainder_is_that_of_bessel_functions_to_leading_order(concentration, dimension, degree):
    with mpmath.workdps(50):
        order = mpmath.mpf(dimension) / 2 - 1
        ratio = mpmath.log(mpmath.besseli(order + degree, concentration) / mpmath.besseli(order, concentration))
        # the orders differ by a factor (1 + ν²/c²)^{-1/4}, which the leading order leaves out
        ratio += mpmath.log(mpmath.hypot(order + degree, concentration) / mpmath.hypot(order, concentration)) / 2
        ratio += mpmath.log(mpmath.binomial(degree + dimension - 2, degree)) / 2
    assert vmf._log_remainder(concentration, dimension, degree) == pytest.approx(float(ratio), abs=0.02)


def test_scores_in_many_dimensions_have_the_right_mean_and_spread():
    scores = vmf._sample_scores(np.random.default_rng(5), 20_000, 400.0, 400)
    nodes, masses = vmf.score_law(400.0, 400)
    mean = nodes @ masses
    variance = (nodes - mean) ** 2 @ masses
    assert abs(scores.mean() - mean) < 4.5 * np.sqrt(variance / scores.size)
    assert scores.var() == pytest.approx(variance, rel=4.5 * np.sqrt(2.0 / scores.size))


@pytest.mark.parametrize("concentration", [1000.0, 2500.0])
@pytest.mark.parametrize("dimension", [3, 200, 600, 1000])
def test_what_the_rule_leaves_out_is_below_rounding(concentration, dimension):
    count = vmf.concentrated_rule(concentration, dimension)[0].size
    assert vmf._log_remainder(concentration, dimension, 2 * count) <= vmf.ROUNDING_LOG


@pytest.mark.parametrize(("concentration", "dimension"), [(3000.0, 1000), (4000.0, 450), (6000.0, 200)])
def test_concentrations_that_need_too_many_nodes_are_refused(concentration, dimension):
    with pytest.raises(ValueError, match=f"concentration is {concentration} in dimension {dimension}; expected less"):
        vmf.concentrated_rule(concentration, dimension)
