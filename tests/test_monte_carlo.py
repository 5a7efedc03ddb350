"""Monte Carlo against the exact risk, and extrapolation against the exact limit."""

import numpy as np
import pytest

from infonce_theory import monte_carlo as mc
from infonce_theory.exact_risk import exact_risk
from infonce_theory.search_kernel import cross_entropy
from infonce_theory.spaces import ring_space


@pytest.fixture
def scores():
    return np.random.default_rng(1).uniform(-1, 1, (6, 6))


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("k", [1, 30])
def test_estimates_are_unbiased(scores, alpha, k):
    space = ring_space(6)
    estimate = mc.monte_carlo_risk(space, scores, 0.3, k, 20_000, np.random.default_rng(2), alpha)
    exact = exact_risk(space, scores, 0.3, k, alpha)
    assert abs(estimate.mean - exact) < 4.5 * estimate.standard_error
    assert estimate.standard_error < 0.05


def test_standard_error_is_the_spread_of_repeated_estimates(scores):
    rng = np.random.default_rng(3)
    repeats = [mc.monte_carlo_risk(ring_space(6), scores, 0.3, 4, 200, rng) for _ in range(400)]
    spread = np.std([estimate.mean for estimate in repeats])
    assert np.mean([estimate.standard_error for estimate in repeats]) == pytest.approx(spread, rel=0.15)


def test_many_negatives_are_drawn_in_blocks(scores):
    # 2²¹ negatives fit in a block: three tuples of a million take two blocks
    estimate = mc.monte_carlo_risk(ring_space(6), scores, 0.3, 10**6, 3, np.random.default_rng(4))
    assert np.isfinite(estimate.mean)
    assert estimate.standard_error > 0.0


def test_mean_and_standard_error_by_hand():
    assert mc.estimate_mean([1.0, 3.0]) == mc.Estimate(2.0, 1.0)
    for values in ([1.0], [[1.0, 2.0]], [1.0, np.nan]):
        with pytest.raises(ValueError, match="values"):
            mc.estimate_mean(values)


@pytest.mark.parametrize("alpha", [0, 1])
def test_extrapolation_gains_a_power_of_k_each_time(scores, alpha):
    space = ring_space(6)
    limit = cross_entropy(space, scores, 0.5)

    def errors(k):
        risks = [exact_risk(space, scores, 0.5, k * factor, alpha) for factor in (1, 2, 4)]
        return mc.extrapolate_twice(*risks[:2]) - limit, mc.extrapolate_thrice(*risks) - limit

    coarse, fine = errors(200), errors(400)
    assert coarse[0] / fine[0] == pytest.approx(4.0, rel=0.1)
    assert coarse[1] / fine[1] == pytest.approx(8.0, rel=0.2)


def test_bad_input_is_refused(scores):
    space, rng = ring_space(6), np.random.default_rng(5)
    for arguments, name in [
        ((space, scores[:5], 0.3, 1, 10, rng), "scores"),
        ((space, scores, 0.0, 1, 10, rng), "temperature"),
        ((space, scores, 0.3, 0, 10, rng), "k is 0"),
        ((space, scores, 0.3, 1, 1, rng), "num_tuples"),
    ]:
        with pytest.raises(ValueError, match=name):
            mc.monte_carlo_risk(*arguments)
    with pytest.raises(ValueError, match="risk_2k"):
        mc.extrapolate_twice([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="risk_4k"):
        mc.extrapolate_thrice(1.0, 1.0, np.nan)


def test_two_tuples_are_enough_for_an_error():
    space, scores = ring_space(3), np.zeros((3, 3))
    assert mc.monte_carlo_risk(space, scores, 1.0, 2, 2, np.random.default_rng(0)).mean == pytest.approx(np.log(1.5))
    with pytest.raises(ValueError, match="num_tuples"):
        mc.monte_carlo_risk(space, scores, 1.0, 2, 1, np.random.default_rng(0))
