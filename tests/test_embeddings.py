"""Embeddings and scores."""

import numpy as np
import pytest

from infonce_theory import embeddings


def test_circle_scores_are_cosines_of_differences():
    angles = np.array([0.1, 2.0, -1.3])
    scores = embeddings.pairwise_scores(embeddings.circle_embedding(angles))
    assert scores == pytest.approx(np.cos(angles[:, None] - angles[None, :]))


def test_scores_of_two_sets_keep_their_order_and_range():
    rng = np.random.default_rng(1)
    first, second = embeddings.random_embeddings(rng, 4, 3), embeddings.random_embeddings(rng, 2, 3)
    scores = embeddings.pairwise_scores(first, second)
    assert scores.shape == (4, 2)
    assert scores[3, 1] == pytest.approx(sum(first[3] * second[1]))
    many = embeddings.random_embeddings(rng, 300, 7)
    assert np.abs(embeddings.pairwise_scores(many)).max() <= 1.0


def test_random_points_are_uniform_on_the_sphere():
    points = embeddings.random_embeddings(np.random.default_rng(2), 100_000, 3)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(100_000))
    # each coordinate is uniform on [-1, 1] for d = 3
    assert np.abs(points.mean(axis=0)).max() < 4.5 * np.sqrt(1 / 3 / 100_000)
    assert np.abs((points**2).mean(axis=0) - 1 / 3).max() < 4.5 * np.sqrt(4 / 45 / 100_000)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_normalising_survives_extreme_lengths(scale):
    assert embeddings.normalise([[3.0 * scale, -4.0 * scale]]) == pytest.approx(np.array([[0.6, -0.8]]))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: embeddings.circle_embedding([np.inf]), "angles"),
        (lambda: embeddings.normalise([[0.0, 0.0], [1.0, 0.0]]), "vectors has a vector of norm 0.0"),
        (lambda: embeddings.normalise(3.0), r"vectors has shape \(\)"),
        (lambda: embeddings.random_embeddings(np.random.default_rng(0), 1, 0), "dimension"),
        (lambda: embeddings.random_embeddings(np.random.default_rng(0), 0, 1), "num"),
        (lambda: embeddings.pairwise_scores(np.eye(2), np.eye(3)), "others"),
        (lambda: embeddings.pairwise_scores([1.0, 0.0]), "others"),
        (lambda: embeddings.pairwise_scores([1.0, 0.0], np.eye(2)), "others"),
        (lambda: embeddings.pairwise_scores(np.eye(2), [1.0, 0.0]), "others"),
        (lambda: embeddings.pairwise_scores(2 * np.eye(2)), "embeddings"),
    ],
)
def test_bad_input_is_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_one_vector_is_normalised():
    assert embeddings.normalise([3.0, 4.0]) == pytest.approx([0.6, 0.8])


def test_normalising_keeps_single_precision():
    vectors = np.random.default_rng(3).standard_normal((50, 300)).astype(np.float32)
    found = embeddings.normalise(vectors)
    assert found.dtype == np.float32
    assert np.abs(np.linalg.norm(found.astype(float), axis=1) - 1.0).max() < 3e-7
    assert embeddings.normalise(vectors.astype(float)).dtype == embeddings.normalise([[3, 4]]).dtype == np.float64


def test_circle_keeps_the_axes_of_its_angles():
    found = embeddings.circle_embedding([[0.0, 0.5, 1.0], [1.5, 2.0, 2.5]])
    assert found.shape == (2, 3, 2)
    assert found[1, 2] == pytest.approx([np.cos(2.5), np.sin(2.5)])


def test_scores_of_opposite_points_are_no_less_than_minus_one():
    many = embeddings.random_embeddings(np.random.default_rng(4), 300, 7)
    assert (many @ many.T).max() > 1.0  # rounding
    assert embeddings.pairwise_scores(many, -many).min() == -1.0
