"""The scores of a batch, block by block: memory is bounded by a chunk, not by n × k."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from infonce_theory._validation import LARGEST_SINGLE, FloatArray, RealArray, check_integer, check_temperature

#: Rows that a block should have, if there are as many: with fewer, a matrix product does too little with each negative.
ROWS = 64


class Block(NamedTuple):
    """Scores of some anchors with some of their negatives; the next block overwrites them."""

    rows: slice
    columns: slice
    scores: RealArray


def chunks(num_rows: int, num_columns: int, room: int) -> list[tuple[slice, slice]]:
    """Cut a table into blocks of at most `room` numbers: whole rows, unless too few rows would fit."""
    height = room // num_columns
    if height < min(num_rows, ROWS):
        height = min(num_rows, ROWS, room)
    width = min(num_columns, room // height)
    return [
        (slice(top, top + height), slice(left, left + width))
        for top in range(0, num_rows, height)
        for left in range(0, num_columns, width)
    ]


def score_blocks(anchors: RealArray, negatives: RealArray, chunk_bytes: int) -> Iterator[Block]:
    """Blocks of inner products of anchors (n, d) with shared negatives (k, d) or their own (n, k, d).

    Own negatives count with their vectors, not with their scores, so that a block of them stays in the cache.
    """
    per_score = anchors.itemsize * (1 if negatives.ndim == 2 else anchors.shape[1])
    room = max(1, check_integer(chunk_bytes, "chunk_bytes", 8) // per_score)
    cuts = chunks(len(anchors), negatives.shape[-2], room)
    work = np.empty(min(room, len(anchors) * negatives.shape[-2]), dtype=anchors.dtype)
    for rows, columns in cuts:
        some = anchors[rows]
        width = len(range(negatives.shape[-2])[columns])
        scores = work[: len(some) * width].reshape(len(some), width)
        yield Block(rows, columns, negative_scores(some, negatives, rows, columns, scores))


def negative_scores(
    anchors: RealArray, negatives: RealArray, rows: slice, columns: slice, out: RealArray | None = None
) -> RealArray:
    """Scores of a block: `anchors` are those of `rows`; `negatives` holds all of them."""
    if negatives.ndim == 2:
        return np.matmul(anchors, negatives[columns].T, out=out)
    result = np.matmul(negatives[rows, columns], anchors[:, :, None], out=None if out is None else out[:, :, None])
    return result[..., 0]


def exponentials(logits: RealArray) -> tuple[RealArray, FloatArray]:
    """Replace logits by ``e^{logit - largest}``; return the largest, and ``log Σ e^logit`` in float64."""
    largest = logits.max(axis=1)
    logits -= largest[:, None]
    np.exp(logits, out=logits)
    return largest, largest.astype(np.float64) + np.log(logits.sum(axis=1).astype(np.float64))


def log_sums_of(scaled_anchors: RealArray, negatives: RealArray, chunk_bytes: int) -> FloatArray:
    """``log Σ_j e^{s_j/τ}`` of each anchor, in float64; the anchors are multiplied by 1/τ."""
    total = np.full(len(scaled_anchors), -np.inf)
    for rows, _, logits in score_blocks(scaled_anchors, negatives, chunk_bytes):
        total[rows] = np.logaddexp(total[rows], exponentials(logits)[1])
    return total


def positive_scores_of(anchors: RealArray, positives: RealArray) -> FloatArray:
    """Scores of the positives, in float64 since that is cheap."""
    return np.einsum("nd,nd->n", anchors, positives, dtype=np.float64)


def level_for(points: RealArray, temperature: float) -> float:
    """Return the level 1/τ; logits must stay within the numbers that the points' precision holds."""
    value = check_temperature(temperature)
    if points.dtype == np.float32 and value < 1.0 / LARGEST_SINGLE:
        raise ValueError(f"temperature is {value}; expected at least {1.0 / LARGEST_SINGLE:g} for points in float32")
    return 1.0 / value
