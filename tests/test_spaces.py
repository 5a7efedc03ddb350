"""Finite spaces: the tuples have the laws that the setting asks for."""

import numpy as np
import pytest

from infonce_theory import spaces
from infonce_theory.spaces import FiniteSpace, ring_angles, ring_space, two_point_space


def test_the_running_example_has_no_symmetry():
    space = ring_space()
    assert np.abs(space.positive_law - space.weights).sum() > 0.05
    assert (space.kernel == 0.0).any()
    flow = space.weights[:, None] * space.kernel
    assert np.abs(flow - flow.T).max() > 0.01


def test_ring_moves_forward_more_often_than_back():
    kernel = ring_space(5, 0.1).kernel
    assert kernel[0] == pytest.approx([0.5, 0.35, 0.0, 0.0, 0.15])
    assert kernel[4] == pytest.approx([0.35, 0.0, 0.0, 0.15, 0.5])


def test_ring_law_follows_its_formula():
    weights = ring_space(4).weights
    assert weights / weights[1] == pytest.approx([np.e, 1.0, 1 / np.e, 1.0])
    assert ring_angles(4) == pytest.approx([0, np.pi / 2, np.pi, 3 * np.pi / 2])


def test_density_times_weights_is_the_kernel():
    space = FiniteSpace([0.5, 0.5, 0.0], [[0.2, 0.8, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    assert space.density * space.weights == pytest.approx(space.kernel)
    assert space.size == 3


def test_density_needs_absolute_continuity():
    space = FiniteSpace([1.0, 0.0], [[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(ValueError, match="kernel puts mass on point 1, where weights is 0"):
        _ = space.density


def test_samples_have_the_right_laws():
    space = ring_space(6)
    n = 200_000
    anchors, positives, negatives = space.sample(np.random.default_rng(5), n, 2)
    assert anchors.shape == positives.shape == (n,)
    assert negatives.shape == (n, 2)
    pairs = np.bincount(anchors * 6 + positives, minlength=36).reshape(6, 6) / n
    expected = space.weights[:, None] * space.kernel
    errors = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(pairs - expected) <= 4.5 * errors).all()
    assert (pairs[expected == 0.0] == 0.0).all()
    for j in range(2):
        # independent of the anchor: the joint law is the product
        joint = np.bincount(anchors * 6 + negatives[:, j], minlength=36).reshape(6, 6) / n
        product = np.outer(space.weights, space.weights)
        assert (np.abs(joint - product) <= 4.5 * np.sqrt(product / n)).all()


def test_samples_follow_their_seed():
    first, second = (ring_space().sample(np.random.default_rng(7), 5, 3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, second))


def test_arrays_cannot_be_changed_and_inputs_are_not():
    weights = np.array([0.5, 0.5])
    space = FiniteSpace(weights, np.eye(2))
    with pytest.raises(ValueError, match="read-only"):
        space.weights[0] = 1.0
    weights[0] = 9.0
    assert space.weights[0] == 0.5


def test_two_points():
    space = two_point_space(0.25)
    assert space.weights == pytest.approx([0.25, 0.75])
    assert space.kernel == pytest.approx(np.eye(2))
    assert two_point_space(0.5, [[0.5, 0.5], [1.0, 0.0]]).kernel[0] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: FiniteSpace([0.5, 0.4], np.eye(2)), "weights"),
        (lambda: FiniteSpace([[0.5, 0.5]], np.eye(2)), "weights"),
        (lambda: FiniteSpace([0.5, 0.5], np.eye(3)), "kernel"),
        (lambda: FiniteSpace([0.5, 0.5], [[1.0, 0.0], [0.5, 0.6]]), "kernel"),
        (lambda: ring_space(2), "num_points"),
        (lambda: ring_space(5, 0.3), "drift"),
        (lambda: ring_space(5, np.nan), "drift"),
        (lambda: two_point_space(1.0), "mass"),
        (lambda: ring_space().sample(np.random.default_rng(0), 0, 1), "num_tuples"),
        (lambda: ring_space().sample(np.random.default_rng(0), 1, 0), "k is 0"),
    ],
)
def test_bad_input_is_refused(build, name):
    with pytest.raises(ValueError, match=name):
        build()


def test_sizes_at_the_limits(monkeypatch):
    assert ring_space(3).size == 3
    with pytest.raises(ValueError, match="num_points"):
        ring_space(2)
    monkeypatch.setattr(spaces, "LARGEST_SIZE", 30)
    assert ring_space(5).size == 5
    with pytest.raises(ValueError, match="num_points"):
        ring_space(6)


def test_parameters_at_the_limits():
    assert ring_space(5, drift=0.25).kernel.min() == 0.0
    assert two_point_space(spaces.SMALLEST).weights[0] == spaces.SMALLEST


def test_what_is_no_space_is_refused():
    with pytest.raises(ValueError, match="space is 3; expected an instance of FiniteSpace"):
        spaces.check_space(3)
    assert spaces.check_space(ring_space(3)).size == 3


def test_ring_has_twelve_points_unless_told_otherwise():
    assert ring_space().size == 12
