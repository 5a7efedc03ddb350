"""The exact risk against enumeration of all tuples and against 50-digit arithmetic."""

from itertools import product

import mpmath
import numpy as np
import pytest

from infonce_theory import _risk_integrals
from infonce_theory import exact_risk as er
from infonce_theory._numerics import exp_remainder
from infonce_theory.loss import infonce_loss
from infonce_theory.search_kernel import cross_entropy, search_density
from infonce_theory.spaces import FiniteSpace, ring_space, two_point_space


def enumerated_risk(space, scores, temperature, k, alpha):
    """R_k as a sum over every anchor, positive and tuple of negatives."""
    points = range(space.size)
    total = 0.0
    for negatives in product(points, repeat=k):
        chance = space.weights[list(negatives)].prod()
        for x, y in product(points, points):
            loss = infonce_loss(scores[x, y], scores[x, list(negatives)], temperature, alpha)
            total += chance * space.weights[x] * space.kernel[x, y] * (loss - np.log(k))
    return total


def binomial_gap(densities, mass, k):
    """The gap of a two-point law: one binomial sum, in the working precision of mpmath."""
    p, (high, low) = mpmath.mpf(mass), densities
    terms = (
        mpmath.binomial(k, j) * p**j * (1 - p) ** (k - j) * mpmath.log((j * high + (k - j) * low) / k)
        for j in range(k + 1)
    )
    return -mpmath.fsum(terms)


def two_point_densities(mass, temperature):
    """q at scores +1 and -1, in the working precision of mpmath."""
    level, p = 1 / mpmath.mpf(temperature), mpmath.mpf(mass)
    partition = p * mpmath.exp(level) + (1 - p) * mpmath.exp(-level)
    return mpmath.exp(level) / partition, mpmath.exp(-level) / partition


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("temperature", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_enumeration_of_all_tuples(alpha, temperature, k):
    space = ring_space(4)
    scores = np.random.default_rng(1).uniform(-1, 1, (4, 4))  # not even symmetric
    expected = enumerated_risk(space, scores, temperature, k, alpha)
    assert er.exact_risk(space, scores, temperature, k, alpha) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("temperature", [0.05, 0.2, 1.0, 30.0])
@pytest.mark.parametrize("mass", [0.5, 0.01, 0.9])
@pytest.mark.parametrize("k", [1, 10, 1000])
def test_gap_has_twelve_digits_against_the_binomial_sum(temperature, mass, k):
    with mpmath.workdps(60):
        densities = two_point_densities(mass, temperature)
        expected = float(binomial_gap(densities, mass, k))
    law = np.array([mass, 1.0 - mass])
    table = search_density(np.array([1.0, -1.0]), law, temperature)
    assert er.exact_gap(table, law, k) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_gap_at_extreme_temperatures_against_the_binomial_sum(temperature):
    with mpmath.workdps(1000):
        expected = float(binomial_gap(two_point_densities(0.2, temperature), 0.2, 3))
    space = two_point_space(0.2)
    # both rows hold the scores (1, -1), so both anchors have the same gap
    excess = er.exact_excess(space, [[1.0, -1.0], [1.0, -1.0]], temperature, 3, 0)
    assert -excess == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("k", [10**6, 10**9, 10**12])
@pytest.mark.parametrize("temperature", [0.05, 0.3, 2.0])
def test_gap_of_many_negatives_against_its_expansion(k, temperature):
    law = np.array([0.3, 0.7])
    with mpmath.workdps(60):
        high, low = two_point_densities(law[0], temperature)
        p = mpmath.mpf(law[0])
        m2, m3, m4 = (p * (high - 1) ** r + (1 - p) * (low - 1) ** r for r in (2, 3, 4))
        expected = m2 / (2 * k) - (m3 / 3 - 3 * m2**2 / 4) / mpmath.mpf(k) ** 2
        expected += (m4 / 4 - 3 * m2**2 / 4 - 2 * m2 * m3 + 5 * m2**3 / 2) / mpmath.mpf(k) ** 3
    table = search_density(np.array([1.0, -1.0]), law, temperature)
    assert er.exact_gap(table, law, k) == pytest.approx(float(expected), rel=1e-12, abs=0.0)


def quadrature(logits, law, positives, k):
    """E log of the mean, without and with the positive's term, as integrals over t in 50 digits; one row."""
    with mpmath.workdps(50):
        p, own = ([mpmath.mpf(v) for v in values] for values in (law, positives))
        masses = [mpmath.exp(mpmath.mpf(v)) for v in logits]
        mean = mpmath.fsum(a * b for a, b in zip(p, masses)) / mpmath.fsum(p)
        rates = [mass / mean / k for mass in masses]
        total, step, u = mpmath.mpf(0), mpmath.mpf(1) / 12, mpmath.mpf(-60)
        excess = mpmath.mpf(0)
        while u < mpmath.log(100 / (k * min(rates))):
            t = mpmath.exp(u)
            decays = [mpmath.exp(-t * rate) for rate in rates]
            laplace = (mpmath.fsum(a * b for a, b in zip(p, decays)) / mpmath.fsum(p)) ** k
            total += mpmath.exp(-t) - laplace
            excess += mpmath.exp(-t) - laplace * mpmath.fsum(a * b for a, b in zip(own, decays)) / mpmath.fsum(own)
            u += step
        return float(total * step), float(excess * step)


@pytest.mark.parametrize("k", [1, 30, 10**3, 10**6, 10**12])
def test_rows_of_unlike_sizes_have_fourteen_digits_together(k):
    # from nearly constant to nearly all mass on a rare point, so that the rows leave the rule at unlike nodes
    rng = np.random.default_rng(7)
    law, positives = np.array([0.5, 0.3, 0.19, 0.01]), rng.dirichlet(np.ones(4), 3)
    logits = rng.uniform(-1, 1, (3, 4)) / np.array([[100.0], [0.5], [0.08]])
    densities = search_density(logits, law, 1.0)
    gaps = er.exact_gap(densities, law, k)
    excesses = er.exact_excess_by_anchor(densities, law, positives, k)
    for row in range(3):
        without, with_positive = quadrature(logits[row], law, positives[row], k)
        assert -gaps[row] == pytest.approx(without, rel=2e-14, abs=0.0)
        assert excesses[row] == pytest.approx(with_positive, rel=2e-14, abs=0.0)


def test_excess_with_the_positive_against_the_binomial_sum():
    temperature, mass, k = 0.1, 0.2, 400
    with mpmath.workdps(60):
        (high, low), p = two_point_densities(mass, temperature), mpmath.mpf(mass)
        expected = mpmath.fsum(
            mpmath.binomial(k, j)
            * p**j
            * (1 - p) ** (k - j)
            * share
            * mpmath.log((j * high + (k - j) * low + own) / k)
            for j in range(k + 1)
            for share, own in ((mpmath.mpf(3) / 4, high), (mpmath.mpf(1) / 4, low))
        )
    law = np.array([mass, 1.0 - mass])
    table = search_density(np.array([1.0, -1.0]), law, temperature)
    result = er.exact_excess_by_anchor(table, law, [0.75, 0.25], k, 1)
    assert result == pytest.approx(float(expected), rel=1e-11, abs=0.0)


@pytest.mark.parametrize("positive", [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
@pytest.mark.parametrize("k", [1, 40])
@pytest.mark.parametrize("mass", [1e-6, 1e-10, 1e-14])
def test_excess_with_a_rare_positive_of_huge_density(mass, k, positive):
    law = np.array([mass, 1.0 - mass])
    densities = np.array([0.7 / mass, 0.3 / (1.0 - mass)])
    with mpmath.workdps(50):
        masses, values = [[mpmath.mpf(v) for v in row] for row in (law, densities)]
        mean = mpmath.fdot(masses, values) / mpmath.fsum(masses)
        high, low = (value / mean for value in values)
        p = masses[0] / mpmath.fsum(masses)
        expected = mpmath.fsum(
            mpmath.binomial(k, j) * p**j * (1 - p) ** (k - j) * share * mpmath.log((j * high + (k - j) * low + own) / k)
            for j in range(k + 1)
            for share, own in zip(positive, (high, low))
        )
    result = er.exact_excess_by_anchor(densities, law, positive, k, 1)
    assert result == pytest.approx(float(expected), rel=2e-14, abs=0.0)


@pytest.mark.parametrize("mass", [1e-6, 1e-10, 1e-14])
def test_gap_of_a_rare_point_of_huge_density(mass):
    with mpmath.workdps(50):
        p, high, low = mpmath.mpf(mass), mpmath.mpf(0.7) / mpmath.mpf(mass), mpmath.mpf(0.3) / (1 - mpmath.mpf(mass))
        mean = p * high + (1 - p) * low
        expected = float(-p * mpmath.log(high / mean) - (1 - p) * mpmath.log(low / mean))
    gap = er.exact_gap([float(high), float(low)], [mass, 1.0 - mass], 1)
    assert gap == pytest.approx(expected, rel=1e-14, abs=0.0)


def test_excess_splits_the_risk():
    space, scores = ring_space(5), np.random.default_rng(2).uniform(-1, 1, (5, 5))
    for alpha in (0, 1):
        excess = er.exact_excess(space, scores, 0.3, 7, alpha)
        risk = er.exact_risk(space, scores, 0.3, 7, alpha)
        assert risk - cross_entropy(space, scores, 0.3) == pytest.approx(excess)


def test_constant_scores_leave_no_gap():
    space = ring_space(5)
    assert er.exact_excess(space, np.full((5, 5), 0.3), 0.1, 9, 0) == 0.0
    assert er.exact_excess(space, np.full((5, 5), 0.3), 0.1, 9, 1) == pytest.approx(np.log1p(1 / 9), rel=1e-12, abs=0.0)


def test_points_without_mass_take_no_part():
    kernel = [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    space = FiniteSpace([0.4, 0.6, 0.0], kernel)
    small = FiniteSpace([0.4, 0.6], [[0.5, 0.5], [0.0, 1.0]])
    scores = np.random.default_rng(3).uniform(-1, 1, (3, 3))
    scores[:, 2] = 1.0
    for temperature in (1e-3, 0.2):
        expected = er.exact_excess(small, scores[:2, :2], temperature, 5)
        assert er.exact_excess(space, scores, temperature, 5) == pytest.approx(expected)


@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_extreme_temperatures_keep_sign_and_size(temperature):
    space, scores = ring_space(6), np.random.default_rng(4).uniform(-1, 1, (6, 6))
    for k in (1, 10**6):
        without, with_positive = (er.exact_excess(space, scores, temperature, k, alpha) for alpha in (0, 1))
        assert -2.0 / temperature <= without < 0.0
        assert without < with_positive <= np.logaddexp(0.0, 1.0 / temperature - np.log(k))


@pytest.mark.filterwarnings("error")
def test_rare_points_raise_no_warning_at_low_temperature():
    # the products of nodes and densities exceed the floats here
    scores = np.array([[0.9, -0.6, 0.4], [0.1, 0.2, -0.8], [-0.5, 0.7, 0.3]])
    space = FiniteSpace([1e-6, 0.3, 0.699999], np.eye(3))
    expected = enumerated_risk(space, scores, 1e-3, 2, 0)
    assert er.exact_risk(space, scores, 1e-3, 2, 0) == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_large_spaces_are_cut_into_blocks(monkeypatch):
    law = np.random.default_rng(5).dirichlet(np.ones(40))
    table = search_density(np.random.default_rng(6).uniform(-1, 1, (2, 40)), law, 0.2)
    whole = er.exact_gap(table, law, 3)
    monkeypatch.setattr(_risk_integrals, "BLOCK", 100)
    assert er.exact_gap(table, law, 3) == pytest.approx(whole, rel=1e-14, abs=0.0)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (([[1.0, 2.0]], [0.5, 0.5], 1), "densities has a row of mean 1.5"),
        (([[3.0, -1.0]], [0.5, 0.5], 1), "densities has the entry -1.0"),
        (([[2.0, 0.0]], [0.5, 0.5], 1), "densities has the entry 0.0; expected numbers > 0"),
        (([[1.0, 1.0, 1.0]], [0.5, 0.5], 1), "densities has shape"),
        (([[1.0, np.nan]], [0.5, 0.5], 1), "densities has the value nan"),
        (([[1.0, 1.0]], [0.5, 0.6], 1), "weights"),
        (([[1.0, 1.0]], [0.5, 0.5], 0), "k is 0"),
    ],
)
def test_bad_input_is_refused(arguments, name):
    with pytest.raises(ValueError, match=name):
        er.exact_gap(*arguments)


def test_positives_must_be_laws_where_the_data_are():
    table, law = [[1.0, 1.0, 1.0]], [0.5, 0.5, 0.0]
    with pytest.raises(ValueError, match="positives puts mass where weights is 0"):
        er.exact_excess_by_anchor(table, law, [[0.5, 0.0, 0.5]], 1)
    with pytest.raises(ValueError, match="positives has shape"):
        er.exact_excess_by_anchor(table, law, [0.5, 0.5, 0.0], 1)
    with pytest.raises(ValueError, match="positives sums to"):
        er.exact_excess_by_anchor(table, law, [[0.5, 0.0, 0.0]], 1)


def test_the_default_is_infonce():
    space, scores = ring_space(4), np.random.default_rng(3).uniform(-1, 1, (4, 4))
    assert er.exact_risk(space, scores, 0.5, 3) == er.exact_risk(space, scores, 0.5, 3, 1) != er.exact_risk(space, scores, 0.5, 3, 0)
    assert er.exact_excess(space, scores, 0.5, 3) == er.exact_excess(space, scores, 0.5, 3, 1)


def test_the_row_furthest_from_mean_one_is_named():
    with pytest.raises(ValueError, match="row of mean 1.5 under"):
        er.exact_gap([[1.0, 1.0], [1.5, 1.5], [0.75, 0.75]], [0.5, 0.5], 3)


def test_log_densities_have_a_lowest(monkeypatch):
    space, scores = ring_space(4), np.random.default_rng(3).uniform(-1, 1, (4, 4))
    lowest = er.log_search_density(scores, space.weights, 0.5).min()
    monkeypatch.setattr(er, "LOWEST_LOG", lowest)
    assert np.isfinite(er.exact_excess(space, scores, 0.5, 3))
    monkeypatch.setattr(er, "LOWEST_LOG", np.nextafter(lowest, 0.0))
    with pytest.raises(ValueError, match="scores give the log density"):
        er.exact_excess(space, scores, 0.5, 3)


def test_densities_count_only_where_the_law_has_mass():
    expected = er.exact_gap([0.5, 1.5], [0.5, 0.5], 3)
    for value in (np.nan, -1.0, 7.0):
        assert er.exact_gap([0.5, value, 1.5], [0.5, 0.0, 0.5], 3) == expected


@pytest.mark.parametrize(("densities", "weights"), [(1.0, [1.0]), ([[0.5, 1.5]], [[0.5, 0.5]])])
def test_axes_that_do_not_fit_are_named(densities, weights):
    with pytest.raises(ValueError, match=r"densities has shape .*; expected \(\.\.\., m\) with weights of shape"):
        er.exact_gap(densities, weights, 3)


def test_the_row_whose_mean_is_furthest_from_one_is_named():
    with pytest.raises(ValueError, match="densities has a row of mean 0.5 under weights"):
        er.exact_gap([[1.2, 1.2], [0.5, 0.5]], [0.5, 0.5], 3)


def test_rounding_in_the_mean_of_a_density_is_removed():
    density = np.array([0.5, 1.5])
    found = er.exact_gap(density * (1.0 + 5e-9), [0.5, 0.5], 3)
    assert found == pytest.approx(er.exact_gap(density, [0.5, 0.5], 3), rel=1e-13)


def test_gaps_of_a_batch_keep_its_axes():
    table = np.random.default_rng(6).uniform(0.5, 1.5, (2, 3, 4))
    table /= table.mean(axis=-1, keepdims=True)
    found = er.exact_gap(table, np.full(4, 0.25), 5)
    assert found.shape == (2, 3)
    assert found[1, 2] == pytest.approx(er.exact_gap(table[1, 2], np.full(4, 0.25), 5), rel=1e-13)


def test_excess_of_very_many_negatives_is_its_first_order():
    # the positive adds E_M[q]/k, the gap is Var(q)/(2k), both up to 1/k²
    density, law, positives, k = np.array([0.2, 0.9, 1.9]), np.full(3, 1 / 3), np.array([0.1, 0.2, 0.7]), 10**11
    expected = positives @ density - ((density - 1.0) ** 2).mean() / 2.0
    assert k * er.exact_excess_by_anchor(density, law, positives, k) == pytest.approx(expected, rel=1e-9)


def test_a_tiny_mass_of_tiny_density_is_not_left_out():
    mass, k = 2.0**-25, 3  # the law is exact in floats
    with mpmath.workdps(60):
        p, low = mpmath.mpf(mass), mpmath.exp(-5000)
        high = (1 - p * low) / (1 - p)
        expected = float(binomial_gap((low, high), mass, k))
        logs = np.array([[-5000.0, float(mpmath.log(high))]])
    gap = _risk_integrals.gap_and_shift(logs, np.array([mass, 1.0 - mass]), k)[0][0]
    assert gap == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("z", [-1.4, -0.6, -0.4, 1e-9, 0.4, 0.6, 1.4])
def test_remainder_of_the_exponential_has_its_digits(z):
    with mpmath.workdps(40):
        expected = float(mpmath.exp(z) - 1 - mpmath.mpf(z))
    assert exp_remainder(np.array([z]))[0] == pytest.approx(expected, rel=2e-15, abs=0.0)


def test_a_rare_point_of_large_density_among_very_many_negatives():
    mass, k = 2.0**-30, 2**30  # the point is drawn once in the mean; 60 draws of it are out of reach
    density = np.array([2.0**29, 0.5 / (1.0 - mass)])
    with mpmath.workdps(60):
        p = mpmath.mpf(mass)
        chances = [mpmath.binomial(k, j) * p**j * (1 - p) ** (k - j) for j in range(60)]
        low = mpmath.mpf(0.5) / (1 - p)
        expected = -mpmath.fsum(c * mpmath.log((j * mpmath.mpf(2) ** 29 + (k - j) * low) / k) for j, c in enumerate(chances))
    assert er.exact_gap(density, [mass, 1.0 - mass], k) == pytest.approx(float(expected), rel=1e-12)
