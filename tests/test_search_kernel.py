"""The search kernel and the cross-entropy, from their definitions."""

import numpy as np
import pytest

from infonce_theory import search_kernel as sk
from infonce_theory.spaces import FiniteSpace, ring_space


@pytest.fixture
def scores():
    return np.random.default_rng(1).uniform(-1, 1, (12, 12))


@pytest.mark.parametrize("temperature", [0.05, 0.5, 100.0])
def test_everything_follows_the_definition(scores, temperature):
    space = ring_space()
    partition = np.exp(scores / temperature) @ space.weights
    density = np.exp(scores / temperature) / partition[:, None]
    arguments = scores, space.weights, temperature
    assert sk.log_partition(*arguments) == pytest.approx(np.log(partition))
    assert sk.search_density(*arguments) == pytest.approx(density)
    assert sk.log_search_density(*arguments) == pytest.approx(np.log(density))
    assert sk.search_kernel(*arguments) == pytest.approx(density * space.weights)
    total = -sum(
        space.weights[x] * space.kernel[x, y] * np.log(density[x, y]) for x in range(12) for y in range(12)
    )
    assert sk.cross_entropy(space, scores, temperature) == pytest.approx(total)


@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_extreme_temperatures_stay_finite(scores, temperature):
    space = ring_space()
    search = sk.search_kernel(scores, space.weights, temperature)
    assert search.sum(axis=1) == pytest.approx(np.ones(12))
    if temperature < 1:
        assert search[np.arange(12), scores.argmax(axis=1)].min() > 0.98
    else:
        assert search == pytest.approx(np.tile(space.weights, (12, 1)), rel=1e-2)
    assert np.isfinite(sk.cross_entropy(space, scores, temperature))


def test_points_without_mass_take_no_part():
    weights = np.array([0.5, 0.5, 0.0])
    scores = np.array([[0.3, -0.2, 1.0]])
    full = sk.search_kernel(scores, weights, 5e-4)  # e^{-1400} beside the massless point would be 0
    assert full[0, 2] == 0.0
    assert full[:, :2] == pytest.approx(sk.search_kernel(scores[:, :2], weights[:2], 5e-4))
    assert sk.search_density(scores, weights, 5e-4)[0, 2] == np.inf
    assert sk.log_search_density(scores, weights, 5e-4)[0, 2] == pytest.approx(1400.0 + np.log(2))


def test_rows_whose_scores_are_far_apart_do_not_matter_to_each_other():
    scores, weights = np.array([[1.0, 0.9999], [-1.0, -0.9999]]), [0.5, 0.5]
    table = sk.search_kernel(scores, weights, 1e-3)
    assert table == pytest.approx(1.0 / (1.0 + np.exp([[-0.1, 0.1], [0.1, -0.1]])), rel=1e-12)


def test_single_rows_and_batches_agree(scores):
    weights = ring_space().weights
    batch = sk.search_kernel(scores.reshape(3, 4, 12), weights, 0.2)
    assert batch.shape == (3, 4, 12)
    assert sk.search_kernel(scores[5], weights, 0.2) == pytest.approx(batch[1, 1])


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((np.zeros((2, 3)), [0.5, 0.5], 1.0), "weights"),
        ((np.zeros((2, 2)), [0.5, 0.4], 1.0), "weights"),
        ((np.zeros((2, 2)), np.full((2, 2), 0.5), 1.0), "weights"),
        ((0.0, [1.0], 1.0), "weights"),
        ((np.full((2, 2), np.nan), [0.5, 0.5], 1.0), "scores"),
        ((np.zeros((2, 2)), [0.5, 0.5], -1.0), "temperature"),
    ],
)
def test_bad_input_is_refused(arguments, name):
    for function in (sk.log_partition, sk.log_search_density, sk.search_density, sk.search_kernel):
        with pytest.raises(ValueError, match=name):
            function(*arguments)


def test_score_tables_must_fit_the_space():
    space = FiniteSpace([0.5, 0.5], np.eye(2))
    with pytest.raises(ValueError, match=r"scores has shape \(2, 3\); expected \(2, 2\)"):
        sk.cross_entropy(space, np.zeros((2, 3)), 1.0)
