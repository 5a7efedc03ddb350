"""Search weights and their exact means against loops over all tuples of points."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from scipy.special import log_softmax

from infonce_theory import empirical_kernels as ek
from infonce_theory import enumerated_search as en
from infonce_theory.search_kernel import log_search_density
from infonce_theory.spaces import FiniteSpace, ring_space


def tuple_by_tuple(space, scores, temperature, k):
    """E M̂ and CE_k as sums over every ordered tuple of k points, in plain Python numbers."""
    kernel, entropy = np.zeros((space.size, space.size)), 0.0
    for x, points in product(range(space.size), product(range(space.size), repeat=k)):
        chance = np.prod([space.weights[y] for y in points])
        ideal = [space.kernel[x, y] / space.weights[y] for y in points]
        ideal = [value / sum(ideal) for value in ideal] if any(ideal) else [1 / k] * k
        search = [np.exp(scores[x, y] / temperature) for y in points]
        for y, m, q in zip(points, ideal, search):
            kernel[x, y] += chance * m
            entropy -= space.weights[x] * chance * m * np.log(k * q / sum(search))
    return kernel, entropy


def random_space(seed, size=3):
    """A space whose kernel has zeros and one row that reaches a single point."""
    rng = np.random.default_rng(seed)
    kernel = rng.dirichlet(np.ones(size), size) * (rng.random((size, size)) > 0.4) + 0.2 * np.eye(size)
    kernel[0] = np.eye(size)[-1]
    return FiniteSpace(rng.dirichlet(np.ones(size)), kernel / kernel.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_enumeration_of_multisets_is_the_sum_over_tuples(seed, k):
    space, scores = random_space(seed), np.random.default_rng(seed).uniform(-1, 1, (3, 3))
    kernel, entropy = tuple_by_tuple(space, scores, 0.3, k)
    assert en.enumerated_mean_kernel(space, k) == pytest.approx(kernel, abs=1e-14)
    assert en.enumerated_cross_entropy(space, scores, 0.3, k) == pytest.approx(entropy, abs=1e-13)


def test_one_point_makes_the_search_trivial():
    space, scores = random_space(3), np.random.default_rng(3).uniform(-1, 1, (3, 3))
    assert en.enumerated_mean_kernel(space, 1) == pytest.approx(np.tile(space.weights, (3, 1)))
    assert en.enumerated_cross_entropy(space, scores, 0.3, 1) == 0.0


@pytest.mark.parametrize(("size", "k"), [(1, 5), (2, 1), (3, 4), (4, 3)])
def test_counts_list_every_multiset_once(size, k):
    counts, log_orders = en.multinomial_counts(size, k)
    expected = {}
    for points in product(range(size), repeat=k):
        key = tuple(points.count(y) for y in range(size))
        expected[key] = expected.get(key, 0) + 1
    assert {tuple(row): round(np.exp(log)) for row, log in zip(counts.tolist(), log_orders)} == expected
    assert len(counts) == len(expected)


def test_counts_of_many_draws():
    counts, log_orders = en.multinomial_counts(2, 170)
    assert counts.sum(axis=1).tolist() == [170] * 171
    assert log_orders[85] == pytest.approx(np.log(float(factorial(170) // factorial(85) ** 2)), rel=1e-13)


@pytest.mark.parametrize("temperature", [1e-3, 0.1, 1.0, 1e3])
def test_search_weights_are_a_softmax(temperature):
    scores = np.random.default_rng(4).uniform(-1, 1, (2, 5, 6))
    weights = ek.search_weights(scores, temperature)
    assert weights == pytest.approx(np.exp(log_softmax(scores / temperature, axis=-1)))
    assert weights.sum(axis=-1) == pytest.approx(np.ones((2, 5)))


def test_ideal_weights_are_proportional_to_the_density():
    densities = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 0.0], [0.0, 5e-324, 0.0], [1e308, 1e308, 0.0]])
    expected = [[0.0, 0.25, 0.75], [1 / 3, 1 / 3, 1 / 3], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]
    assert ek.ideal_weights(densities) == pytest.approx(np.array(expected))


def test_empirical_cross_entropy_is_a_divergence_up_to_the_entropy():
    rng = np.random.default_rng(5)
    scores, densities = rng.uniform(-1, 1, (7, 9)), rng.exponential(size=(7, 9))
    ideal, search = ek.ideal_weights(densities), ek.search_weights(scores, 0.4)
    divergences = (ideal * np.log(ideal / search)).sum(axis=1) - (ideal * np.log(9 * ideal)).sum(axis=1)
    assert ek.empirical_cross_entropy(scores, densities, 0.4) == pytest.approx(divergences)


@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_extreme_temperatures_against_high_level_arithmetic(temperature):
    space, scores = random_space(6), np.random.default_rng(6).uniform(-1, 1, (3, 3))
    counts, log_orders = en.multinomial_counts(3, 6)
    chances = np.exp(log_orders + counts @ np.log(space.weights))
    total = 0.0
    for chance, row in zip(chances, counts):
        points = np.repeat(np.arange(3), row)
        values = ek.empirical_cross_entropy(scores[:, points], space.density[:, points], temperature)
        total += chance * space.weights @ values
    result = en.enumerated_cross_entropy(space, scores, temperature, 6)
    assert result == pytest.approx(total, rel=1e-12, abs=1e-15)
    assert abs(result) <= 2.0 / temperature


def test_points_without_mass_take_no_part():
    space = FiniteSpace([0.4, 0.6, 0.0], [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    small = FiniteSpace([0.4, 0.6], [[0.5, 0.5], [0.0, 1.0]])
    scores = np.random.default_rng(7).uniform(-1, 1, (3, 3))
    kernel = en.enumerated_mean_kernel(space, 4)
    assert kernel[:2, :2] == pytest.approx(en.enumerated_mean_kernel(small, 4))
    assert kernel[:, 2].tolist() == [0.0] * 3 and kernel.sum(axis=1) == pytest.approx(np.ones(3))
    expected = en.enumerated_cross_entropy(small, scores[:2, :2], 1e-3, 4)
    assert en.enumerated_cross_entropy(space, scores, 1e-3, 4) == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_monte_carlo_is_within_its_error(k):
    space, scores = random_space(8), np.random.default_rng(8).uniform(-1, 1, (3, 3))
    estimate = ek.monte_carlo_search(space, scores, 0.3, k, 20_000, np.random.default_rng(9))
    exact = en.enumerated_cross_entropy(space, scores, 0.3, k)
    assert abs(estimate.mean - exact) <= 4.0 * estimate.standard_error + 1e-14
    assert estimate.standard_error < 0.05


def test_every_search_counts():
    space, scores, rng = ring_space(3), np.random.default_rng(8).uniform(-1, 1, (3, 3)), np.random.default_rng(9)
    estimate = ek.monte_carlo_search(space, scores, 0.3, 2, 5, np.random.default_rng(9))
    anchors = rng.choice(3, size=(5, 1), p=space.weights)
    points = rng.choice(3, size=(5, 2), p=space.weights)
    values = []
    for (x,), found in zip(anchors, points):
        masses = np.exp(scores[x, found] / 0.3)
        ideal = space.density[x, found]
        values.append(-np.log(2 * masses / masses.sum()) @ ideal / ideal.sum())
    assert estimate.mean == pytest.approx(np.mean(values), rel=1e-12)


@pytest.mark.parametrize("shape", [(4,), (2, 4), (3, 2, 4)])
def test_cross_entropies_of_batches_are_those_of_their_rows(shape):
    scores, densities = np.random.default_rng(12).uniform(0.1, 1.0, (2, *shape))
    found = ek.empirical_cross_entropy(scores, densities, 0.5)
    assert found.shape == shape[:-1]
    for place in np.ndindex(shape[:-1]):
        share = densities[place] / densities[place].sum()
        expected = -share @ (np.log(4) + log_softmax(scores[place] / 0.5))
        assert found[place] == pytest.approx(expected, rel=1e-12)


def test_monte_carlo_of_many_points_works_in_blocks_and_is_repeatable():
    space, scores = ring_space(5), np.random.default_rng(10).uniform(-1, 1, (5, 5))
    first, second = (
        ek.monte_carlo_search(space, scores, 0.3, 2**20, 3, np.random.default_rng(seed)) for seed in (11, 11)
    )
    assert first == second
    # with a million points each search is its limit, so only the three anchors are random
    by_anchor = -(space.kernel * log_search_density(scores, space.weights, 0.3)).sum(axis=1)
    assert by_anchor.min() - 0.1 <= first.mean <= by_anchor.max() + 0.1


def test_tables_of_counts_have_a_largest_size(monkeypatch):
    monkeypatch.setattr(en, "LARGEST_ENUMERATION", 6 * 3)
    assert en.multinomial_counts(3, 2)[0].shape == (6, 3)
    monkeypatch.setattr(en, "LARGEST_ENUMERATION", 6 * 3 - 1)
    with pytest.raises(ValueError, match="k is 2 and size is 3"):
        en.multinomial_counts(3, 2)


KERNEL_OFF_THE_DATA = FiniteSpace([1.0, 0.0], [[0.5, 0.5], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: ek.search_weights([0.1, np.nan], 1.0), "scores has the value nan"),
        (lambda: ek.search_weights(0.3, 1.0), "scores has shape"),
        (lambda: ek.search_weights([0.1], 0.0), "temperature is 0.0"),
        (lambda: ek.ideal_weights([1.0, -0.1]), "densities"),
        (lambda: ek.ideal_weights([1.0, np.inf]), "densities"),
        (lambda: ek.ideal_weights(1.0), "densities"),
        (lambda: ek.empirical_cross_entropy([0.1, 0.2], [1.0], 1.0), "densities has shape"),
        (lambda: en.multinomial_counts(0, 3), "size is 0"),
        (lambda: en.multinomial_counts(3, 0), "k is 0"),
        (lambda: en.multinomial_counts(12, 100), "k is 100 and size is 12; expected fewer"),
        (lambda: en.enumerated_mean_kernel(ring_space(3), True), "k is True"),
        (lambda: en.enumerated_mean_kernel(KERNEL_OFF_THE_DATA, 2), "kernel puts mass on point 1"),
        (lambda: en.enumerated_cross_entropy(ring_space(3), np.zeros((2, 2)), 1.0, 2), "scores has shape"),
        (lambda: en.enumerated_cross_entropy(ring_space(3), np.zeros((3, 3)), -1.0, 2), "temperature is -1.0"),
        (lambda: ek.monte_carlo_search(ring_space(3), np.zeros((3, 3)), 1.0, 2, 1, None), "num_searches is 1"),
        (lambda: ek.monte_carlo_search(KERNEL_OFF_THE_DATA, np.zeros((2, 2)), 1.0, 2, 9, None), "kernel puts mass"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_two_searches_are_enough_for_an_error():
    estimate = ek.monte_carlo_search(ring_space(3), np.zeros((3, 3)), 1.0, 2, 2, np.random.default_rng(0))
    assert np.isfinite(estimate.standard_error)


def test_many_points_and_draws_are_refused_before_they_are_counted(monkeypatch):
    monkeypatch.setattr(en, "combinations", lambda *_: [])  # they would fill the memory
    with pytest.raises(ValueError, match="k is 40 and size is 41"):
        en.multinomial_counts(41, 40)


def test_one_point_is_found_for_sure():
    assert en.enumerated_cross_entropy(FiniteSpace([1.0], [[1.0]]), [[0.7]], 0.3, 3) == pytest.approx(0.0, abs=1e-15)
