"""The blocks of scores cover the table once, in the precision of the points."""

import numpy as np
import pytest

from infonce_theory import _score_blocks as sb
from infonce_theory._validation import LARGEST_SINGLE


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


@pytest.mark.parametrize(
    ("num", "own", "chunk_bytes", "expected"),
    [
        (70, False, 800, (64, 1)),  # 100 scores fit: whole rows would be too few
        (70, True, 800, (33, 1)),  # own negatives count with their three coordinates
        (70, False, 8, (1, 1)),
        (10, False, 160, (10, 2)),
        (70, False, 10**6, (70, 9)),
    ],
)
def test_blocks_fill_their_chunk(num, own, chunk_bytes, expected):
    blocks = sb.score_blocks(np.ones((num, 3)), np.ones((num, 9, 3) if own else (9, 3)), chunk_bytes)
    assert next(iter(blocks)).scores.shape == expected


def test_scores_with_own_negatives_need_no_table():
    rng = np.random.default_rng(3)
    anchors, negatives = rng.normal(size=(5, 3)), rng.normal(size=(5, 4, 3))
    found = sb.negative_scores(anchors[1:3], negatives, slice(1, 3), slice(0, 2))
    assert found == pytest.approx(np.array([[anchors[i] @ negatives[i, j] for j in (0, 1)] for i in (1, 2)]))


def test_the_level_stays_within_the_precision_of_the_points():
    single, double = np.ones(1, dtype=np.float32), np.ones(1)
    for temperature in (1.0 / LARGEST_SINGLE, 1.5 / LARGEST_SINGLE):
        assert sb.level_for(single, temperature) == pytest.approx(1.0 / temperature)
    assert sb.level_for(double, 1e-31) == pytest.approx(1e31)
    with pytest.raises(ValueError, match="temperature is 1e-31; expected at least 1e-30 for points in float32"):
        sb.level_for(single, 1e-31)
