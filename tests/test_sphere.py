"""The rule for one coordinate of a uniform point, against SciPy and known moments."""

import numpy as np
import pytest
from scipy.special import gammaln, roots_gegenbauer

from infonce_theory.sphere import LARGEST_RULE, sphere_log_rule, sphere_rule


@pytest.mark.parametrize("dimension", [3, 4, 7, 50])
@pytest.mark.parametrize("num_nodes", [1, 2, 9, 64])
def test_nodes_and_weights_agree_with_scipy(dimension, num_nodes):
    nodes, weights = sphere_rule(dimension, num_nodes)
    expected_nodes, expected_weights = roots_gegenbauer(num_nodes, dimension / 2 - 1)
    assert nodes == pytest.approx(expected_nodes, abs=1e-14)
    assert weights == pytest.approx(expected_weights / expected_weights.sum(), rel=1e-8, abs=1e-14)


def test_the_circle_gives_chebyshev_nodes():
    nodes, weights = sphere_rule(2, 8)
    assert nodes == pytest.approx(np.cos(np.pi * (2 * np.arange(8, 0, -1) - 1) / 16), abs=1e-14)
    assert weights == pytest.approx(np.full(8, 1 / 8))


def test_one_dimension_has_two_points():
    nodes, weights = sphere_rule(1, 10)
    assert (nodes.tolist(), weights.tolist()) == ([-1.0, 1.0], [0.5, 0.5])


@pytest.mark.parametrize("dimension", [2, 3, 10, 200])
def test_even_moments_are_exact(dimension):
    nodes, weights = sphere_rule(dimension, 32)
    for half in range(1, 31):
        # E t^{2p} = Γ(d/2) Γ(p + ½) / (Γ(½) Γ(p + d/2))
        expected = np.exp(
            gammaln(dimension / 2) + gammaln(half + 0.5) - gammaln(0.5) - gammaln(half + dimension / 2)
        )
        assert weights @ nodes ** (2 * half) == pytest.approx(expected, rel=1e-12)
    assert weights @ nodes == pytest.approx(0.0, abs=1e-16)


def test_a_caller_cannot_change_the_stored_rule():
    sphere_rule(3, 4)[0][:] = 0.0
    assert np.ptp(sphere_rule(3, 4)[0]) > 1.0


@pytest.mark.parametrize(("arguments", "name"), [((0, 4), "dimension"), ((3, 0), "num_nodes"), ((2.5, 4), "dimension")])
def test_bad_input_is_refused(arguments, name):
    with pytest.raises(ValueError, match=name):
        sphere_rule(*arguments)


@pytest.mark.parametrize("dimension", [1, 2, 3, 16])
@pytest.mark.parametrize("num_nodes", [1, 5, 64])
def test_logarithms_of_the_weights(dimension, num_nodes):
    nodes, weights = sphere_rule(dimension, num_nodes)
    same_nodes, logarithms = sphere_log_rule(dimension, num_nodes)
    assert same_nodes.tolist() == nodes.tolist() and np.exp(logarithms) == pytest.approx(weights, rel=1e-13)


def test_a_rule_has_64_nodes_unless_asked_and_a_largest_size():
    assert len(sphere_rule(3)[0]) == len(sphere_log_rule(3)[0]) == 64
    for rule in (sphere_rule, sphere_log_rule):
        with pytest.raises(ValueError, match="num_nodes"):
            rule(3, LARGEST_RULE + 1)
