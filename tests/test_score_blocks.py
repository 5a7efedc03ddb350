"""The blocks of scores cover the table once, in the precision of the points."""

import numpy as np
import pytest

from infonce_theory import _score_blocks as sb


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("chunk_bytes", [8, 800, 10**6])
def test_blocks_are_the_table(own, precision, chunk_bytes):
    rng = np.random.default_rng(1)
    anchors = rng.normal(size=(70, 3)).astype(precision)
    negatives = rng.normal(size=(70, 9, 3) if own else (9, 3)).astype(precision)
    expected = np.array([[x @ z for z in (negatives[i] if own else negatives)] for i, x in enumerate(anchors)])
    table = np.full((70, 9), np.nan)
    for rows, columns, scores in sb.score_blocks(anchors, negatives, chunk_bytes):
        assert scores.dtype == precision
        assert np.isnan(table[rows, columns]).all()
        table[rows, columns] = scores
    assert table == pytest.approx(expected, abs=1e-6 if precision == np.float32 else 1e-14)


def test_scores_of_positives_are_summed_in_double_precision():
    x, y = np.random.default_rng(2).normal(size=(2, 5, 1000)).astype(np.float32)
    expected = [np.dot(a, b) for a, b in zip(x.astype(np.float64), y.astype(np.float64))]
    assert sb.positive_scores_of(x, y) == pytest.approx(expected, rel=1e-12)


def test_blocks_of_own_negatives_share_one_table():
    blocks = sb.score_blocks(np.ones((300, 2)), np.ones((300, 4, 2)), 800)
    assert len({scores.__array_interface__["data"][0] for *_, scores in blocks}) == 1
