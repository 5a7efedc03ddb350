"""The loss against its definition, in high precision and for every shape."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infonce_theory import loss
from infonce_theory._score_blocks import chunks
from infonce_theory.embeddings import random_embeddings

SETTINGS = settings(max_examples=50, deadline=None, derandomize=True)


def definition(positive, negatives, temperature, alpha):
    """The loss as the definition reads, in 60 digits."""
    with mpmath.workdps(60):
        t = mpmath.mpf(temperature)
        total = mpmath.fsum(mpmath.exp(mpmath.mpf(float(s)) / t) for s in negatives)
        total += alpha * mpmath.exp(mpmath.mpf(float(positive)) / t)
        return -mpmath.mpf(float(positive)) / t + mpmath.log(total)


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("temperature", [1e-3, 0.05, 1.0, 1e3])
def test_loss_equals_its_definition(alpha, temperature):
    rng = np.random.default_rng(1)
    for k in (1, 2, 17):
        positive, negatives = rng.uniform(-1, 1), rng.uniform(-1, 1, k)
        expected = definition(positive, negatives, temperature, alpha)
        assert loss.infonce_loss(positive, negatives, temperature, alpha) == pytest.approx(float(expected), rel=1e-13, abs=0.0)


def test_a_loss_near_zero_keeps_its_relative_accuracy():
    expected = float(definition(1.0, [-1.0, -1.0], 0.05, 1))
    assert loss.infonce_loss(1.0, [-1.0, -1.0], 0.05) == pytest.approx(expected, rel=1e-13, abs=0.0)
    assert 0.0 < expected < 1e-16


@SETTINGS
@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=9),
    st.floats(1e-3, 1e3),
    st.sampled_from([0, 1]),
)
def test_loss_stays_within_its_bounds(scores, temperature, alpha):
    value = loss.infonce_loss(scores[0], scores[1:], temperature, alpha) - np.log(len(scores) - 1)
    lower, upper = loss.loss_bounds(temperature, len(scores) - 1, alpha)
    slack = 1e-12 * max(1.0, 1.0 / temperature)
    assert lower - slack <= value <= upper + slack
    assert upper - lower <= 4.0 / temperature + slack


@pytest.mark.parametrize("alpha", [0, 1])
def test_bounds_are_attained(alpha):
    lower, upper = loss.loss_bounds(0.3, 5, alpha)
    assert loss.infonce_loss(1.0, -np.ones(5), 0.3, alpha) - np.log(5) == pytest.approx(lower, abs=1e-13)
    assert loss.infonce_loss(-1.0, np.ones(5), 0.3, alpha) - np.log(5) == pytest.approx(upper, abs=1e-13)


@pytest.mark.parametrize("alpha", [0, 1])
def test_weights_are_the_derivative_of_the_loss(alpha):
    rng = np.random.default_rng(2)
    positive, negatives = rng.uniform(-1, 1, (3, 2)), rng.uniform(-1, 1, (3, 2, 4))
    weights = loss.softmax_weights(positive, negatives, 0.2, alpha)
    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-6
        high = loss.infonce_loss(positive, negatives + step, 0.2, alpha)
        low = loss.infonce_loss(positive, negatives - step, 0.2, alpha)
        assert weights[..., j] == pytest.approx(0.2 * (high - low) / 2e-6, abs=1e-8)


def test_weights_sum_to_one_without_the_positive_and_to_less_with_it():
    assert loss.softmax_weights(0.0, [0.0, 0.0, 0.0], 1.0, 0) == pytest.approx(np.full(3, 1 / 3))
    assert loss.softmax_weights(0.0, [0.0, 0.0, 0.0], 1.0, 1) == pytest.approx(np.full(3, 1 / 4))


# n = k, n = 1, k = 1 and d = 1 are where broadcasting goes wrong unnoticed.
@pytest.mark.parametrize(("n", "k", "d"), [(4, 4, 3), (1, 5, 3), (5, 1, 3), (4, 6, 1), (1, 1, 1), (3, 3, 3)])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("chunk_bytes", [8, 40, 2**24])
def test_embeddings_give_the_loss_of_their_scores(n, k, d, shared, alpha, chunk_bytes):
    rng = np.random.default_rng(3)
    anchors, positives = random_embeddings(rng, n, d), random_embeddings(rng, n, d)
    negatives = random_embeddings(rng, k if shared else n * k, d)
    negatives = negatives if shared else negatives.reshape(n, k, d)
    result = loss.infonce_loss_from_embeddings(
        anchors, positives, negatives, 0.1, alpha, chunk_bytes=chunk_bytes
    )
    for i in range(n):
        own = negatives if shared else negatives[i]
        scores = [sum(anchors[i, c] * own[j, c] for c in range(d)) for j in range(k)]
        expected = definition(anchors[i] @ positives[i], scores, 0.1, alpha)
        assert result[i] == pytest.approx(float(expected), rel=1e-11, abs=0.0)


def test_chunks_cover_a_table_once_within_their_room():
    for rows, columns, room in [(7, 5, 1), (7, 5, 10), (7, 5, 3), (1, 1, 1), (3, 100, 20), (200, 300, 20_000), (200, 300, 9_000)]:
        seen = np.zeros((rows, columns), dtype=int)
        for block in chunks(rows, columns, room):
            assert seen[block].size <= room
            seen[block] += 1
        assert (seen == 1).all()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((np.zeros(3), np.zeros((2, 4)), 0.1), "negative_scores"),
        ((0.0, 0.0, 0.1), "negative_scores"),
        ((0.0, [np.nan], 0.1), "negative_scores"),
        ((np.inf, [0.0], 0.1), "positive_scores"),
        ((0.0, [0.0], 0.0), "temperature"),
        ((0.0, [0.0], 0.1, 2), "alpha"),
    ],
)
def test_bad_scores_are_refused(arguments, name):
    for function in (loss.infonce_loss, loss.softmax_weights):
        with pytest.raises(ValueError, match=name):
            function(*arguments)


def test_bad_embeddings_are_refused():
    x = random_embeddings(np.random.default_rng(4), 4, 3)
    for arguments, name in [
        ((x, x[:3], x), "positives"),
        ((x, x, x[:, :2] / np.linalg.norm(x[:, :2], axis=1, keepdims=True)), "negatives"),
        ((x, x, x[:3, None, :]), "negatives"),
        ((x[0], x[0], x), "anchors"),
        ((2 * x, x, x), "anchors"),
    ]:
        with pytest.raises(ValueError, match=name):
            loss.infonce_loss_from_embeddings(*arguments, 0.1)
    with pytest.raises(ValueError, match="chunk_bytes"):
        loss.infonce_loss_from_embeddings(x, x, x, 0.1, chunk_bytes=7)


@pytest.mark.parametrize("shared", [False, True])
def test_losses_follow_the_dtype_of_the_embeddings(shared):
    rng = np.random.default_rng(6)
    x, y = (random_embeddings(rng, 200, 8).astype(np.float32) for _ in range(2))
    z = random_embeddings(rng, 300 if shared else 200 * 30, 8).astype(np.float32).reshape((300, 8) if shared else (200, 30, 8))
    found = loss.infonce_loss_from_embeddings(x, y, z, 0.05)
    exact = loss.infonce_loss_from_embeddings(*(part.astype(float) for part in (x, y, z)), 0.05)
    assert (found.dtype, exact.dtype) == (np.float32, np.float64)
    assert np.abs(found - exact).max() < 1e-5
    assert found.mean(dtype=float) == pytest.approx(exact.mean(), rel=1e-6, abs=0.0)


def test_bounds_are_those_of_infonce_unless_asked():
    assert loss.loss_bounds(0.5, 3) == loss.loss_bounds(0.5, 3, 1) != loss.loss_bounds(0.5, 3, 0)


@pytest.mark.parametrize("double", range(3))
def test_one_table_in_double_precision_makes_the_loss_double(double):
    tables = [random_embeddings(np.random.default_rng(seed), 4, 3) for seed in range(3)]
    tables = [table if place == double else table.astype(np.float32) for place, table in enumerate(tables)]
    assert {table.dtype for table in loss.check_tuple_embeddings(*tables)} == {np.dtype(np.float64)}


def test_weights_are_those_of_infonce_unless_told_otherwise():
    masses = np.exp(np.array([0.5, 0.1, -0.3]) / 0.7)
    assert loss.softmax_weights(0.5, [0.1, -0.3], 0.7) == pytest.approx(masses[1:] / masses.sum(), rel=1e-14)
