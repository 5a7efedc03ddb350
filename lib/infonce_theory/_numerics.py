"""Stable elementary functions that several modules share."""

from math import factorial

import numpy as np

from infonce_theory._validation import FloatArray


def log_sum_exp(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """``log Σ_j p_j exp(values_j)`` along the last axis; every weight is 1 if none are given."""
    if weights is not None:
        keep = weights > 0.0
        values, weights = values[..., keep], weights[keep]
    largest = values.max(axis=-1)
    terms = np.exp(values - largest[..., None])
    return largest + np.log(terms.sum(axis=-1) if weights is None else terms @ weights)


def exp_remainder(values: FloatArray) -> FloatArray:
    """``e^z - 1 - z`` without cancellation near 0; infinite where it exceeds the floats."""
    small = np.abs(values) < 0.5
    with np.errstate(over="ignore"):
        result = np.expm1(values) - values
    z = values[small]
    series = np.full_like(z, 1.0 / factorial(17))
    for n in range(16, 1, -1):  # Horner's rule for Σ_n z^{n-2}/n!, in place
        series *= z
        series += 1.0 / factorial(n)
    result[small] = series * z * z
    return result
