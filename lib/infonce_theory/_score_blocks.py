"""Blocks of the n × k table of scores, which is never held whole."""

import numpy as np

from infonce_theory._validation import FloatArray, check_integer


def chunks(num_rows: int, num_columns: int, chunk_bytes: int) -> list[tuple[slice, slice]]:
    """Cut a table of float64 into blocks of rows and columns that take at most `chunk_bytes` each."""
    room = max(1, check_integer(chunk_bytes, "chunk_bytes", 8) // 8)
    width = min(num_columns, room)
    height = max(1, room // width)
    return [
        (slice(top, top + height), slice(left, left + width))
        for top in range(0, num_rows, height)
        for left in range(0, num_columns, width)
    ]


def negative_scores_of(anchors: FloatArray, negatives: FloatArray, rows: slice, columns: slice) -> FloatArray:
    """Scores of a block: `anchors` are those of `rows`; `negatives` holds all of them."""
    if negatives.ndim == 2:
        return anchors @ negatives[columns].T
    return np.matmul(negatives[rows, columns], anchors[:, :, None])[..., 0]
