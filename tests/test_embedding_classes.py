"""The three classes: their embeddings against plain loops, their moduli against derivatives and attacks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infonce_theory.embedding_classes import (
    circle_embeddings,
    circle_moduli,
    linear_embeddings,
    linear_moduli,
    tanh_embeddings,
    tanh_moduli,
)

attacks = settings(max_examples=50, deadline=None, derandomize=True)


def normalised(vector):
    return vector / np.sqrt(np.dot(vector, vector))


def test_circle_class_turns_each_point_at_its_own_rate():
    rng = np.random.default_rng(1)
    base, rates, parameters = rng.normal(size=5), rng.normal(size=5), rng.normal(size=(2, 3))
    vectors = circle_embeddings(base, rates, parameters)
    assert vectors.shape == (2, 3, 5, 2)
    expected = np.exp(1j * (base[4] + parameters[1, 2] * rates[4]))
    assert vectors[1, 2, 4] == pytest.approx([expected.real, expected.imag], abs=1e-15)


def test_linear_class_against_a_loop():
    rng = np.random.default_rng(2)
    points, weights = rng.normal(size=(4, 3)), rng.normal(size=(6, 2, 3))
    vectors = linear_embeddings(points, weights, 0.3)
    assert vectors.shape == (6, 4, 3)
    for t in range(6):
        for i in range(4):
            assert vectors[t, i] == pytest.approx(normalised(np.append(weights[t] @ points[i], 0.3)), abs=1e-15)


def test_tanh_class_against_a_loop():
    rng = np.random.default_rng(3)
    points, hidden, output = rng.normal(size=(4, 3)), rng.normal(size=(6, 5, 3)), rng.normal(size=(6, 2, 5))
    vectors = tanh_embeddings(points, hidden, output, 0.3)
    assert vectors.shape == (6, 4, 3)
    for t in range(6):
        for i in range(4):
            value = output[t] @ np.tanh(hidden[t] @ points[i])
            assert vectors[t, i] == pytest.approx(normalised(np.append(value, 0.3)), abs=1e-15)


def test_one_matrix_needs_no_leading_axis():
    assert linear_embeddings([[1.0, 2.0]], [[0.0, 1.0]], 2.0)[0] == pytest.approx([0.5**0.5, 0.5**0.5])
    assert tanh_embeddings([[1.0]], [[0.0]], [[1.0]], 2.0)[0] == pytest.approx([0.0, 1.0])


@attacks
@given(seed=st.integers(0, 10**6), size=st.floats(1e-4, 10.0), offset=st.floats(0.05, 5.0))
def test_linear_moduli_hold_between_any_two_matrices(seed, size, offset):
    rng = np.random.default_rng(seed)
    points, pair = rng.normal(size=(5, 3)), size * rng.normal(size=(2, 4, 3)) ** 3
    one, two = linear_embeddings(points, pair, offset)
    limit = linear_moduli(points, offset) * np.linalg.norm(pair[0] - pair[1])
    assert np.all(np.linalg.norm(one - two, axis=1) <= limit * (1 + 1e-9))


@attacks
@given(seed=st.integers(0, 10**6), radius=st.floats(0.1, 20.0), offset=st.floats(0.05, 5.0), centre=st.booleans())
def test_tanh_moduli_hold_on_the_ball(seed, radius, offset, centre):
    rng = np.random.default_rng(seed)
    points, middle = rng.normal(size=(5, 2)), centre * rng.normal(size=12)
    directions = rng.normal(size=(2, 12))
    pair = middle + radius * rng.uniform(size=(2, 1)) * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    one, two = tanh_embeddings(points, pair[:, :6].reshape(2, 3, 2), pair[:, 6:].reshape(2, 2, 3), offset)
    moduli = tanh_moduli(points, offset, radius, np.linalg.norm(middle))
    assert np.all(np.linalg.norm(one - two, axis=1) <= moduli * np.linalg.norm(pair[0] - pair[1]) * (1 + 1e-9))


def test_moduli_are_sharp():
    step, point = 1e-4, np.array([[0.6, -0.8]])
    circle = circle_embeddings([0.3], [-2.5], [0.0, step])[:, 0]
    assert np.linalg.norm(circle[1] - circle[0]) == pytest.approx(circle_moduli([-2.5])[0] * step, rel=1e-6)
    linear = linear_embeddings(point, [np.zeros((1, 2)), step * point], 0.5)[:, 0]
    assert np.linalg.norm(linear[1] - linear[0]) == pytest.approx(linear_moduli(point, 0.5)[0] * step, rel=1e-6)
    hidden = np.array([np.zeros((1, 2)), step * point])
    network = tanh_embeddings(point, hidden, np.full((2, 1, 1), 3.0), 0.5)[:, 0]
    assert np.linalg.norm(network[1] - network[0]) == pytest.approx(tanh_moduli(point, 0.5, 3.0)[0] * step, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: circle_embeddings([0.0], [1.0, 2.0], 0.5), "rates"),
        (lambda: circle_embeddings([np.nan], [1.0], 0.5), "base_angles"),
        (lambda: circle_embeddings([0.0], [1.0], np.inf), "parameters"),
        (lambda: circle_moduli([[1.0]]), "rates"),
        (lambda: linear_embeddings([1.0, 2.0], [[1.0, 2.0]], 1.0), "points"),
        (lambda: linear_embeddings([[1.0, 2.0]], [[1.0]], 1.0), "weights"),
        (lambda: linear_embeddings([[1.0]], [1.0], 1.0), "weights"),
        (lambda: linear_embeddings([[1.0]], [[1.0]], 0.0), "offset"),
        (lambda: linear_moduli([[1.0]], -1.0), "offset"),
        (lambda: tanh_embeddings([[1.0]], [[1.0, 2.0]], [[1.0]], 1.0), "hidden_weights"),
        (lambda: tanh_embeddings([[1.0]], [[1.0]], [[1.0, 2.0]], 1.0), "output_weights"),
        (lambda: tanh_embeddings([[1.0]], [[[1.0]]], [[1.0]], 1.0), "output_weights"),
        (lambda: tanh_moduli([[1.0]], 1.0, 0.0), "radius"),
        (lambda: tanh_moduli([[1.0]], 1.0, 1.0, -0.5), "centre_norm"),
        (lambda: circle_embeddings([[0.0]], [0.0], 1.0), "base_angles has shape .* expected 1 dim"),
        (lambda: circle_embeddings([0.0], [[0.0]], 1.0), "rates has shape .* expected 1 dim"),
        (lambda: linear_moduli([1.0], 1.0), "points has shape .* expected 2 dim"),
        (lambda: linear_moduli([[[1.0]]], 1.0), "points has shape .* expected 2 dim"),
        (lambda: tanh_embeddings([1.0], [[1.0]], [[1.0]], 1.0), "points has shape .* expected 2 dim"),
        (lambda: linear_embeddings([[1.0]], [[np.nan]], 1.0), "^weights has the value nan"),
        (lambda: tanh_embeddings(np.ones((3, 2)), np.ones((7, 5, 2)), np.ones((2, 4)), 1.0), r"shape \(2, 4\); expected \(7, d, 5\)"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
