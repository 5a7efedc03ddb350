"""Recall against a search by sorting, and the two ways to say what belongs to a query."""

import numpy as np
import pytest

from infonce_theory.retrieval import cosine_scores, hits, image_hits, label_hits

RNG = np.random.default_rng(5)
QUERIES, GALLERY, LABELS = RNG.normal(size=(12, 3)), RNG.normal(size=(12, 3)), RNG.integers(3, size=12)


def cosine(a, b):
    return a @ b / np.sqrt(a @ a) / np.sqrt(b @ b)


@pytest.mark.parametrize("depth", [1, 3, 11])
def test_hits_are_those_of_sorted_lists(depth):
    for i in range(12):
        order = sorted(range(12), key=lambda j: -cosine(QUERIES[i], GALLERY[j]))
        assert image_hits(QUERIES, GALLERY, depth)[i] == (i in order[:depth])
        others = [j for j in order if j != i]
        assert label_hits(QUERIES, GALLERY, LABELS, depth)[i] == any(LABELS[j] == LABELS[i] for j in others[:depth])


def test_identical_gallery_finds_itself_and_the_label_search_does_not():
    assert image_hits(QUERIES, QUERIES, 1).all()
    assert not label_hits(QUERIES, QUERIES, np.arange(12), 12).any()
    np.testing.assert_allclose(np.diag(cosine_scores(QUERIES, 3.0 * QUERIES)), 1.0)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: hits(np.zeros((2, 3)), np.zeros((2, 2), dtype=bool), 1), "relevant has shape"),
        (lambda: hits(np.zeros((2, 3)), np.zeros((2, 3), dtype=bool), 4), "depth"),
        (lambda: hits(np.zeros((2, 3)), np.zeros((2, 3), dtype=bool), 0), "depth"),
        (lambda: hits(np.full((2, 3), np.nan), np.zeros((2, 3)), 1), "scores"),
        (lambda: image_hits(np.zeros((2, 3)), np.ones((2, 3)), 1), "queries has a vector of norm 0"),
        (lambda: hits(np.zeros((2, 3)), np.zeros((2, 3)), 1), "relevant has dtype float64; expected booleans"),
        (lambda: hits(np.zeros(3), np.zeros(3, dtype=bool), 1), r"scores has shape \(3,\); expected 2 dimension"),
        (lambda: cosine_scores(np.ones(3), np.ones((2, 3))), r"queries has shape \(3,\); expected 2 dimension"),
        (lambda: image_hits(np.ones((2, 3)), np.ones((1, 3)), 1), "gallery has 1 vectors; expected 2, one for each of queries"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize("depth", [1, 2, 5, 500, 2000])
def test_hits_in_long_rows_are_those_of_sorted_lists(depth):
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(60, 2000))  # long rows: NumPy sorts short ones whole
    order = np.argsort(-scores, axis=1)
    last = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(last, order[:, depth - 1 : depth], True, axis=1)
    assert hits(scores, last, depth).all() and (depth == 1 or not hits(scores, last, depth - 1).any())


def test_one_vector_of_norm_zero_is_refused():
    with pytest.raises(ValueError, match="gallery has a vector of norm 0.0"):
        cosine_scores(np.eye(2), [[0.0, 0.0], [1.0, 0.0]])


def test_the_argument_that_is_not_finite_is_named():
    with pytest.raises(ValueError, match="gallery has the value nan"):
        cosine_scores(np.eye(2), [[np.nan, 0.0], [1.0, 0.0]])


def test_vectors_of_any_length_have_a_direction():
    assert cosine_scores([[1e300, 0.0]], [[1e-300, 1e-300]]) == pytest.approx(0.5**0.5)
