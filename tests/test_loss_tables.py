"""Grids of parameters and tables of losses: coverage by sampling, losses by direct evaluation."""

import math

import numpy as np
import pytest

from infonce_theory import loss_tables
from infonce_theory.embedding_classes import circle_embeddings
from infonce_theory.embeddings import random_embeddings
from infonce_theory.loss_tables import ball_grid, loss_table


@pytest.mark.parametrize(("dimension", "steps"), [(1, 2), (1, 9), (2, 7), (2, 8), (3, 5)])
def test_grid_lies_in_the_ball_and_covers_it(dimension, steps):
    points, covering_radius = ball_grid(1.7, dimension, steps)
    assert np.linalg.norm(points, axis=1).max() <= 1.7 * (1 + 1e-12)
    rng = np.random.default_rng(4)
    directions = rng.normal(size=(3000, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    targets = 1.7 * directions * np.where(rng.random((3000, 1)) < 0.5, 1.0, rng.random((3000, 1)) ** (1 / dimension))
    nearest = np.linalg.norm(targets[:, None] - points, axis=2).min(axis=1)
    assert nearest.max() <= covering_radius * (1 + 1e-12)


def test_grid_of_an_interval_is_evenly_spaced():
    points, covering_radius = ball_grid(2.0, 1, 5)
    assert points[:, 0] == pytest.approx([-2.0, -1.0, 0.0, 1.0, 2.0])
    assert covering_radius == pytest.approx(0.5)


@pytest.mark.parametrize("alpha", [0, 1])
def test_table_against_a_loop(alpha, monkeypatch):
    monkeypatch.setattr(loss_tables, "_BLOCK", 200)  # several blocks
    rng = np.random.default_rng(5)
    embeddings = np.stack([random_embeddings(rng, 6, 3) for _ in range(11)])
    x, y, z = rng.integers(6, size=4), rng.integers(6, size=4), rng.integers(6, size=(4, 5))
    table = loss_table(embeddings, x, y, z, 0.4, alpha)
    assert table.shape == (4, 11)
    for i in range(4):
        for t, vectors in enumerate(embeddings):
            own = math.exp(vectors[x[i]] @ vectors[y[i]] / 0.4)
            others = sum(math.exp(vectors[x[i]] @ vectors[j] / 0.4) for j in z[i])
            assert table[i, t] == pytest.approx(math.log((alpha * own + others) / own), rel=1e-12)


CIRCLE = circle_embeddings([0.0, 1.0], [1.0, 2.0], [0.0, 0.5])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: ball_grid(0.0, 1, 5), "radius"),
        (lambda: ball_grid(1.0, 0, 5), "dimension"),
        (lambda: ball_grid(1.0, 1, 1), "steps"),
        (lambda: ball_grid(1.0, 9, 50), "steps"),
        (lambda: loss_table(CIRCLE[0], [0], [1], [[0]], 1.0), "embeddings"),
        (lambda: loss_table(2 * CIRCLE, [0], [1], [[0]], 1.0), "embeddings"),
        (lambda: loss_table(CIRCLE, [0.0], [1], [[0]], 1.0), "anchors"),
        (lambda: loss_table(CIRCLE, [0], [2], [[0]], 1.0), "positives"),
        (lambda: loss_table(CIRCLE, [0], [1], [[-1]], 1.0), "negatives"),
        (lambda: loss_table(CIRCLE, [0], [1], [0], 1.0), "negatives"),
        (lambda: loss_table(CIRCLE, [0, 1], [1], [[0]], 1.0), "anchors, positives and negatives"),
        (lambda: loss_table(CIRCLE, [0], [1], [[0]], 0.0), "temperature"),
        (lambda: loss_table(CIRCLE, [0], [1], [[0]], 1.0, 2), "alpha"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_table_is_that_of_infonce_unless_told_otherwise():
    # four negatives of two points: as many numbers as in a table of scores
    table = loss_table(CIRCLE, [0], [1], [[0, 1, 0, 1]], 0.5)
    own = [math.cos(1.0), math.cos(1.5)]
    for t, score in enumerate(own):
        others = 2 * math.exp(1.0 / 0.5) + 2 * math.exp(score / 0.5)
        assert table[0, t] == pytest.approx(math.log((math.exp(score / 0.5) + others) / math.exp(score / 0.5)), rel=1e-12)


def test_lattice_may_have_its_largest_size(monkeypatch):
    monkeypatch.setattr(loss_tables, "LARGEST_GRID", 9)
    assert ball_grid(1.0, 2, 3)[0].shape == (9, 2)
    with pytest.raises(ValueError, match="expected steps .* <= 9"):
        ball_grid(1.0, 1, 10)


def test_corners_within_the_covering_radius_are_kept():
    points, covering_radius = ball_grid(1.0, 4, 3)
    assert covering_radius == 1.0 and points.shape == (81, 4)  # the corners have norm 2
