"""Bounds in the temperature: high precision, extremal laws, and every random search kernel."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infonce_theory import divergences as div
from infonce_theory import temperature_bounds as tb
from infonce_theory.search_kernel import search_kernel

SETTINGS = settings(max_examples=50, deadline=None, derandomize=True)
TEMPERATURES = [1e-3, 0.05, 0.3, 1.0, 9.99, 10.0, 10.01, 1e3]


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_entropy_bound_is_the_logarithm_of_spechts_ratio(temperature):
    with mpmath.workdps(2000):
        ratio = mpmath.exp(2 / mpmath.mpf(temperature))
        power = ratio ** (1 / (ratio - 1))
        expected = float(mpmath.log(power / (mpmath.e * mpmath.log(power))))
    assert tb.kl_bound(temperature) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("temperature", [10.01, 11.0, 40.0, 1e3, 1e6])
def test_entropy_bound_does_not_cancel_at_high_temperatures(temperature):
    with mpmath.workdps(60):
        level = 1 / mpmath.mpf(temperature)
        expected = float(level * mpmath.coth(level) - 1 + mpmath.log(mpmath.sinh(level) / level))
    assert tb.kl_bound(temperature) == pytest.approx(expected, rel=1e-14, abs=0.0)


@pytest.mark.parametrize("temperature", [0.05, 0.3, 1.0, 10.0])
def test_extremal_two_point_laws_attain_the_bounds(temperature):
    level = 1.0 / temperature
    scores = np.array([1.0, -1.0])

    def laws(mass):
        data = np.array([mass, 1.0 - mass])
        return search_kernel(scores, data, temperature), data

    search, data = laws(1.0 / (1.0 + np.exp(level)))
    assert div.total_variation(search, data) == pytest.approx(tb.total_variation_bound(temperature), rel=1e-12)
    assert div.hilbert_distance(search, data) == pytest.approx(tb.hilbert_bound(temperature), rel=1e-12)
    low, high = np.exp(-level), np.exp(level)
    search, data = laws((2.0 / (low + high) - low) / (high - low))
    assert div.chi_square(search, data) == pytest.approx(tb.chi_square_bound(temperature), rel=1e-9)

    def largest(order):
        low, high = 1e-18, 0.5
        for _ in range(2):  # the second time around the best of the first
            masses = np.geomspace(low, high, 201)
            values = [div.kullback_leibler(*laws(mass)[::order]) for mass in masses]
            best = int(np.argmax(values))
            low, high = masses[max(best - 1, 0)], masses[min(best + 1, 200)]
        return max(values)

    forward, backward = largest(1), largest(-1)
    assert forward == pytest.approx(tb.kl_bound(temperature), rel=1e-4)
    assert backward == pytest.approx(tb.kl_bound(temperature), rel=1e-4)
    assert max(forward, backward) <= tb.kl_bound(temperature) * (1 + 1e-9)


@SETTINGS
@given(st.integers(2, 7), st.floats(0.05, 20.0), st.integers(0, 10**6))
def test_no_search_kernel_exceeds_the_bounds(size, temperature, seed):
    rng = np.random.default_rng(seed)
    data = rng.dirichlet(np.full(size, 0.3)) * (1 - 1e-9) + 1e-9 / size
    scores = np.where(rng.random(size) < 0.7, rng.choice([-1.0, 1.0], size), rng.uniform(-1, 1, size))
    search = search_kernel(scores, data, temperature)
    for value, bound in [
        (div.hilbert_distance(search, data), tb.hilbert_bound(temperature)),
        (div.total_variation(search, data), tb.total_variation_bound(temperature)),
        (div.chi_square(search, data), tb.chi_square_bound(temperature)),
        (div.kullback_leibler(search, data), tb.kl_bound(temperature)),
        (div.kullback_leibler(data, search), tb.kl_bound(temperature)),
    ]:
        assert value <= bound * (1 + 1e-9) + 1e-12


def test_plain_formulas():
    t = np.array([0.5, 2.0])
    assert tb.kappa(t) == pytest.approx(np.exp(2 / t))
    assert tb.hilbert_bound(t) == pytest.approx(2 / t)
    assert tb.mean_chi_square_bound(t) == pytest.approx(2 * np.cosh(1 / t) - 2)
    assert tb.chi_square_bound(t) == pytest.approx((np.cosh(2 / t) - 1) / 2)
    assert tb.total_variation_bound(t) == pytest.approx((np.exp(1 / t) - 1) / (np.exp(1 / t) + 1))
    assert tb.dobrushin_bound(t) == pytest.approx(np.tanh(1 / t))
    assert tb.dobrushin_bound(0.5, [0.0, 1.0]) == pytest.approx([0.0, np.tanh(1.0)])


def test_entropy_bound_stays_below_its_simple_bounds_and_grows():
    t = np.geomspace(1e-3, 1e3, 400)
    values = tb.kl_bound(t)
    assert (values <= np.minimum(0.5 / t**2, 2 / t) * (1 + 1e-12)).all()
    assert (np.diff(values) < 0.0).all()


def test_bounds_beyond_the_floats_are_infinite_and_silent():
    assert tb.kappa(1e-3) == tb.chi_square_bound(1e-3) == np.inf
    assert np.isfinite([tb.hilbert_bound(1e-3), tb.kl_bound(1e-3), tb.total_variation_bound(1e-3)]).all()


@pytest.mark.parametrize(
    "function",
    [
        tb.kappa,
        tb.hilbert_bound,
        tb.total_variation_bound,
        tb.chi_square_bound,
        tb.mean_chi_square_bound,
        tb.kl_bound,
        tb.dobrushin_bound,
    ],
)
@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan, [1.0, 0.0]])
def test_bad_temperatures_are_refused(function, temperature):
    with pytest.raises(ValueError, match="temperature"):
        function(temperature)


@pytest.mark.parametrize("distance", [-0.1, 2.1, np.nan])
def test_bad_distances_are_refused(distance):
    with pytest.raises(ValueError, match="distance"):
        tb.dobrushin_bound(1.0, distance)


def test_distances_that_fit_no_temperature_are_refused():
    with pytest.raises(ValueError, match="distance"):
        tb.dobrushin_bound([1.0, 2.0], [0.0, 1.0, 2.0])
