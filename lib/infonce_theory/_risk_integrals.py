"""The integrals of `exact_risk`, by one trapezoidal rule in u = log t for all anchors at once.

Y is the mean of k densities. The gap is ``∫ (E e^{-tY} - e^{-t}) du``, and the positive adds
``∫ E e^{-tY} (1 - E e^{-t q⁺/k}) du``. The grid of a row starts where its largest product t q/k is 1:
below, power series in that product serve every node at once; above, the rule goes on until
what is left cannot matter.
"""

from math import factorial

import numpy as np

from infonce_theory._laplace import DECAY, LARGEST_EXPONENT, STEP
from infonce_theory._numerics import exp_remainder
from infonce_theory._validation import FloatArray

#: Numbers held at one time: rows times nodes times points of the space.
BLOCK = 2**18
#: Nodes of one pass above the series.
NODES = 8
#: Terms of the series; the next one is below 1e-17 of the first where the product is 1.
TERMS = 19
#: What is left of an integral may be left out below this share of what was found.
NEGLIGIBLE = 1e-18


def gap_and_shift(
    log_densities: FloatArray, law: FloatArray, k: int, positives: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Gap and positive's shift of each row of log q, shape (n, m); the shifts are 0 without positives."""
    gaps, shifts = np.zeros((2, len(log_densities)))
    height = max(1, BLOCK // (NODES * law.size))
    for top in range(0, len(log_densities), height):
        rows = slice(top, top + height)
        block = _Rows(log_densities[rows], law, float(k), None if positives is None else positives[rows])
        gaps[rows], shifts[rows] = block.integrals()
    return gaps, shifts


class _Rows:
    """A few rows, with what all nodes of the rule share."""

    def __init__(self, log_densities: FloatArray, law: FloatArray, k: float, positives: FloatArray | None) -> None:
        self.law, self.k, self.positives = law, k, positives
        self.largest = log_densities.max(axis=1)
        self.log_parts = log_densities - self.largest[:, None]  # of q as a part of the largest
        self.offsets = np.expm1(log_densities)
        # Two tables for `_pass`: as new arrays they would cost more than the sums in them.
        self.work = np.empty((2, len(log_densities), NODES, law.size))
        self.split = k / np.exp(self.largest)  # the t where the largest product t q/k is 1

    def integrals(self) -> tuple[FloatArray, FloatArray]:
        gaps, shifts = self._series()
        rows, first = np.arange(len(gaps)), 0
        while rows.size:
            gap, shift, last = self._pass(rows, first)
            gaps[rows] += gap
            shifts[rows] += shift
            first += NODES
            # E e^{-tY} falls with t and bounds both integrands; beyond the last node it is below e^{-DECAY}
            left = np.log(DECAY) - self.log_parts[rows].min(axis=1) - STEP * first
            found = gaps[rows] if self.positives is None else np.minimum(gaps[rows], shifts[rows])
            rows = rows[(left > 0.0) & (last * left > NEGLIGIBLE * found)]
        return STEP * gaps, STEP * shifts

    def _series(self) -> tuple[FloatArray, FloatArray]:
        """Sums over all nodes below the split."""
        down = -STEP * np.arange(1, self._depth() + 1)
        signed = np.exp(np.multiply.outer(np.arange(1, TERMS + 1), down))
        signed *= [[(-1.0) ** n / factorial(n)] for n in range(1, TERMS + 1)]
        t = self.split[:, None] * np.exp(down)
        relative = self.offsets * np.exp(-self.largest)[:, None]
        growth = self.k * np.log1p(_moments(relative, self.law)[:, 1:] @ signed[1:])
        gaps = _difference(growth, t).sum(axis=1)
        if self.positives is None:
            return gaps, np.zeros(len(gaps))
        reached = _moments(np.exp(self.log_parts), self.positives) @ -signed
        return gaps, (np.exp(growth - t) * reached).sum(axis=1)

    def _depth(self) -> int:
        # The gap's integrand vanishes like t² at 0, the other only like t q⁺/k, where q⁺ can be the largest density.
        if self.positives is not None:
            start = np.log(1e-16) + np.minimum(0.0, np.log(self.split))
        else:
            spread = np.abs(self.offsets).max(axis=1)
            start = np.log(1e-9) + np.minimum(0.0, 0.5 * np.log(self.k) - np.log(np.maximum(spread, 1e-300)))
        return max(1, int(np.ceil((np.log(self.split) - start).max() / STEP)))

    def _pass(self, rows: np.ndarray, first: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sums over the next nodes at or above the split, and E e^{-tY} at the last of them."""
        steps, start = np.exp(STEP * np.arange(NODES)), min(STEP * first, LARGEST_EXPONENT)
        t = self.split[rows, None] * (np.exp(start) * steps)
        products = np.exp(np.minimum(self.log_parts[rows] + STEP * first, LARGEST_EXPONENT))
        exponents, decrease = self.work[:, : len(rows)]
        np.multiply(-products[:, None, :], steps[:, None], out=exponents)
        np.maximum(exponents, -LARGEST_EXPONENT, out=exponents)  # where exp is 0 to rounding, and slow beyond
        mean = np.expm1(exponents, out=decrease) @ self.law
        logarithm = np.log1p(np.maximum(mean, -0.5))
        far = mean < -0.5
        if far.any():
            logarithm[far] = np.log((np.exp(exponents, out=exponents) @ self.law)[far])
        logarithm *= self.k
        values = np.exp(logarithm) - np.exp(-t)
        # Where the growth is small the two cancel; what remains of e^{-z} after its linear part does not.
        row, node = np.nonzero(logarithm + t < 1.0)
        remainder = exp_remainder(self.offsets[rows[row]] * (-t[row, node] / self.k)[:, None])
        values[row, node] = _difference(self.k * np.log1p(remainder @ self.law), t[row, node])
        if self.positives is None:
            return values.sum(axis=1), np.zeros(len(rows)), np.exp(logarithm[:, -1])
        reached = -np.matmul(decrease, self.positives[rows, :, None])[..., 0]
        return values.sum(axis=1), (np.exp(logarithm) * reached).sum(axis=1), np.exp(logarithm[:, -1])


def _moments(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Moments 1, ..., TERMS of each row of values in [-1, 1]."""
    power, result = weights * values, []
    for _ in range(TERMS):
        result.append(power.sum(axis=1))
        power = power * values
    return np.stack(result, axis=1)


def _difference(growth: FloatArray, t: FloatArray) -> FloatArray:
    """``e^{growth - t} - e^{-t}`` for growth in [0, t], without cancellation."""
    return np.where(growth < 1.0, np.exp(-t) * np.expm1(np.minimum(growth, 1.0)), np.exp(growth - t) - np.exp(-t))
