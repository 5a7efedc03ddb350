"""The integrals for E M̂ and CE_k against enumeration and against high-precision binomial sums."""

import mpmath
import numpy as np
import pytest
from test_empirical_kernels import random_space

from infonce_theory import enumerated_search as en
from infonce_theory import exact_search as es
from infonce_theory.search_kernel import cross_entropy
from infonce_theory.spaces import FiniteSpace, ring_space, two_point_space


@pytest.mark.parametrize("k", [1, 2, 7, 30])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_integrals_agree_with_enumeration(seed, k):
    space, scores = random_space(seed, 4), np.random.default_rng(seed).uniform(-1, 1, (4, 4))
    assert es.mean_kernel(space, k) == pytest.approx(en.enumerated_mean_kernel(space, k), abs=1e-14)
    for temperature in (1e-3, 0.2, 1e3):
        expected = en.enumerated_cross_entropy(space, scores, temperature, k)
        result = es.search_cross_entropy(space, scores, temperature, k)
        assert result == pytest.approx(expected, abs=1e-12 / min(temperature, 1.0))


@pytest.mark.parametrize("k", [2, 50, 2000])
@pytest.mark.parametrize(("mass", "near"), [(0.5, 0.9), (0.01, 0.7), (1e-6, 0.5), (0.3, 1e-9)])
def test_mean_kernel_against_the_binomial_sum(mass, near, k):
    space = two_point_space(mass, [[near, 1.0 - near], [near, 1.0 - near]])
    with mpmath.workdps(50):
        p, m = mpmath.mpf(float(space.weights[0])), [mpmath.mpf(float(v)) for v in space.density[0]]
        expected = mpmath.fsum(
            mpmath.binomial(k, j) * p**j * (1 - p) ** (k - j) * j * m[0] / (j * m[0] + (k - j) * m[1])
            for j in range(1, k + 1)
        )
    assert es.mean_kernel(space, k)[0, 0] == pytest.approx(float(expected), rel=1e-12)


def test_a_kernel_that_reaches_one_point_follows_the_chance_to_meet_it():
    space = FiniteSpace([0.2, 0.3, 0.5], [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    for k in (1, 4, 40):
        missed = 1.0 - space.weights[::-1]
        expected = 1.0 - missed**k
        assert es.mean_kernel(space, k)[np.arange(3), [2, 1, 0]] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("k", [10**3, 10**6, 10**9, 10**12])
def test_rows_sum_to_one_and_approach_the_kernel(k):
    space = ring_space(12)
    kernel = es.mean_kernel(space, k)
    assert kernel.sum(axis=1) == pytest.approx(np.ones(12), abs=1e-13)
    assert kernel == pytest.approx(space.kernel, abs=10.0 / k + 1e-14)


def test_cross_entropy_approaches_its_limit():
    space, scores = ring_space(6), np.random.default_rng(4).uniform(-1, 1, (6, 6))
    limit = cross_entropy(space, scores, 0.3)
    errors = [es.search_cross_entropy(space, scores, 0.3, k) - limit for k in (10**4, 2 * 10**4)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=1e-3)


def test_points_without_mass_take_no_part():
    space = FiniteSpace([0.4, 0.6, 0.0], [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    scores = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    assert es.mean_kernel(space, 9) == pytest.approx(en.enumerated_mean_kernel(space, 9), abs=1e-14)
    expected = en.enumerated_cross_entropy(space, scores, 0.2, 9)
    assert es.search_cross_entropy(space, scores, 0.2, 9) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: es.mean_kernel(ring_space(3), 0), "k is 0"),
        (lambda: es.mean_kernel(FiniteSpace([1.0, 0.0], [[0.5, 0.5], [1.0, 0.0]]), 2), "kernel puts mass on point 1"),
        (lambda: es.search_cross_entropy(ring_space(3), np.zeros((2, 2)), 1.0, 2), "scores has shape"),
        (lambda: es.search_cross_entropy(ring_space(3), np.zeros((3, 3)), 0.0, 2), "temperature is 0.0"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()
