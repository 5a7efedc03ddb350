"""Divergences against SciPy, by hand and in their inequalities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import rel_entr

from infonce_theory import divergences as div

SETTINGS = settings(max_examples=50, deadline=None, derandomize=True)
ALL = (div.total_variation, div.hilbert_distance, div.chi_square, div.kullback_leibler)


def test_values_worked_by_hand():
    p, q = [0.5, 0.5], [0.25, 0.75]
    assert div.total_variation(p, q) == pytest.approx(0.25)
    assert div.hilbert_distance(p, q) == pytest.approx(np.log(3))
    assert div.chi_square(p, q) == pytest.approx(1 / 16 / 0.25 + 1 / 16 / 0.75)
    assert div.chi_square(q, p) == pytest.approx(1 / 4)
    assert div.kullback_leibler(p, q) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))


def test_relative_entropy_agrees_with_scipy_and_is_not_symmetric():
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(6), (2, 20))
    assert div.kullback_leibler(p, q) == pytest.approx(rel_entr(p, q).sum(axis=1))
    assert np.abs(div.kullback_leibler(p, q) - div.kullback_leibler(q, p)).min() > 1e-6


def test_close_vectors_keep_their_accuracy():
    eps = 1e-7
    p, q = [0.5 + eps, 0.5 - eps], [0.5, 0.5]
    assert div.kullback_leibler(p, q) == pytest.approx(2 * eps**2, rel=1e-2)
    assert div.chi_square(p, q) == pytest.approx(4 * eps**2, rel=1e-6)


def test_supports_that_differ():
    p, q = [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]
    assert div.kullback_leibler(p, q) == div.chi_square(p, q) == div.hilbert_distance(p, q) == np.inf
    assert div.kullback_leibler(q, p) == pytest.approx(np.log(2))
    assert div.chi_square(q, p) == pytest.approx(1.0)
    assert div.hilbert_distance(q, p) == np.inf
    assert div.hilbert_distance([0.5, 0.5, 0.0], [0.25, 0.75, 0.0]) == pytest.approx(np.log(3))
    assert div.hilbert_distance([p, p], [[0.25, 0.75, 0.0], q]) == pytest.approx([np.log(3), np.inf])


@pytest.mark.parametrize("function", ALL)
def test_batches_broadcast_and_equal_vectors_are_at_distance_zero(function):
    p = np.random.default_rng(2).dirichlet(np.ones(4), (3, 2))
    assert function(p, p[0, 0]).shape == (3, 2)
    assert function(p, p) == pytest.approx(np.zeros((3, 2)), abs=1e-15)
    assert function(p[1, 1], p[0, 0]) == pytest.approx(function(p, p[0, 0])[1, 1])


@SETTINGS
@given(st.integers(2, 8), st.integers(0, 10**6))
def test_known_inequalities(size, seed):
    p, q = np.random.default_rng(seed).dirichlet(np.full(size, 0.5), 2) * (1 - 1e-6) + 1e-6 / size
    variation, hilbert, chi, entropy = (function(p, q) for function in ALL)
    assert 2 * variation**2 <= entropy + 1e-12  # Pinsker
    assert entropy <= np.log1p(chi) + 1e-12
    assert variation <= np.tanh(hilbert / 4) + 1e-12


@pytest.mark.parametrize("function", ALL)
def test_bad_input_is_refused(function):
    for first, second, name in [
        ([0.5, 0.6], [0.5, 0.5], "first"),
        ([0.5, 0.5], [1.0], "second"),
        ([0.5, 0.5], [1.5, -0.5], "second"),
        (np.full((2, 2), 0.5), np.full((3, 2), 0.5), "second"),
    ]:
        with pytest.raises(ValueError, match=name):
            function(first, second)
