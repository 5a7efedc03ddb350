"""Finite data spaces: a law of the data, a kernel that makes positives, and their tuples.

No symmetry is assumed: the kernel need not leave the data law invariant.
"""

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    LARGEST_SIZE,
    SMALLEST,
    FloatArray,
    check_instance,
    check_negatives,
    check_probabilities,
    check_rng,
    check_scalar,
    check_size,
    check_stochastic,
)


@dataclass(frozen=True, eq=False)
class FiniteSpace:
    """Points 0, …, m-1 with a data law π and a Markov kernel M of positives.

    Parameters
    ----------
    weights
        The data law π, shape (m,), sums to 1.
    kernel
        The kernel M, shape (m, m): row x is the law of the positive of anchor x.

    Raises
    ------
    ValueError
        If `weights` is no probability vector or `kernel` is not stochastic or of another size.
    """

    weights: FloatArray
    kernel: FloatArray

    def __post_init__(self) -> None:
        weights = check_probabilities(self.weights, "weights")
        if weights.ndim != 1:
            raise ValueError(f"weights has shape {weights.shape}; expected (m,)")
        if weights[weights > 0.0].min() < SMALLEST:  # a density may divide by it
            raise ValueError(f"weights has the entry {weights[weights > 0.0].min()}; expected 0 or at least {SMALLEST:g}")
        kernel = check_stochastic(self.kernel, "kernel", weights.size)
        for name, array in (("weights", weights), ("kernel", kernel)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def size(self) -> int:
        """Number of points m."""
        return self.weights.size

    @property
    def positive_law(self) -> FloatArray:
        """Law πM of the positive, shape (m,). It differs from π in general."""
        return self.weights @ self.kernel

    @property
    def density(self) -> FloatArray:
        """Density m(x, y) = M(x, y)/π(y) of the positives with respect to π, shape (m, m).

        Raises
        ------
        ValueError
            If M puts mass where π has none.
        """
        empty = self.weights == 0.0
        if self.kernel[:, empty].any():
            point = int(np.flatnonzero(empty & self.kernel.any(axis=0))[0])
            raise ValueError(f"kernel puts mass on point {point}, where weights is 0; expected M(x, ·) ≪ π")
        return self.kernel / np.where(empty, 1.0, self.weights)

    def sample(self, rng: np.random.Generator, num_tuples: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw tuples (x, x⁺, x⁻_1, …, x⁻_k) of the setting.

        Parameters
        ----------
        rng
            Source of randomness.
        num_tuples
            Number n of tuples.
        k
            Number of negatives of each tuple.

        Returns
        -------
        tuple of ndarray
            Indices of the anchors (n,), of the positives (n,) and of the negatives (n, k).

        Raises
        ------
        ValueError
            If `num_tuples` or `k` is below 1, or `rng` is no generator.
        """
        count = check_size(num_tuples, "num_tuples")
        check_size(k, "k")
        check_rng(rng)
        anchors = rng.choice(self.size, size=count, p=self.weights)
        negatives = rng.choice(self.size, size=(count, check_negatives(k)), p=self.weights)
        # The point where a uniform number falls in the row's cumulative law; the last entry is
        # set aside because rounding may leave it below 1.
        steps = np.cumsum(self.kernel, axis=1)[:, :-1]
        positives = (rng.random(count)[:, None] >= steps[anchors]).sum(axis=1)
        return anchors, positives, negatives


def check_space(space: FiniteSpace) -> FiniteSpace:
    """Return `space`. Raises ValueError if it is no `FiniteSpace`."""
    return check_instance(space, FiniteSpace, "space")


def ring_space(num_points: int = 12, drift: float = 0.15) -> FiniteSpace:
    """The running example: points on a ring, a data law that is not uniform, a kernel that drifts.

    The data law is π_i ∝ exp(cos(2πi/m)). The positive of a point stays with probability ½, steps
    forward with ¼ + drift and backward with ¼ - drift. So M has zeros and πM ≠ π.

    Parameters
    ----------
    num_points
        Number of points m >= 3.
    drift
        Drift in [-¼, ¼].

    Returns
    -------
    FiniteSpace
        The space.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    size = check_size(num_points, "num_points", 3, isqrt(LARGEST_SIZE))  # the kernel has their square
    shift = check_scalar(drift, "drift", "one number in [-0.25, 0.25]")
    if abs(shift) > 0.25:
        raise ValueError(f"drift is {shift}; expected a number in [-0.25, 0.25]")
    weights = np.exp(np.cos(ring_angles(size)))
    stay = np.eye(size)
    kernel = 0.5 * stay + (0.25 + shift) * np.roll(stay, 1, axis=1) + (0.25 - shift) * np.roll(stay, -1, axis=1)
    return FiniteSpace(weights / weights.sum(), kernel)


def ring_angles(num_points: int) -> FloatArray:
    """Angles 2πi/m of m points on a ring, in radians, shape (m,). Raises ValueError if m < 1."""
    size = check_size(num_points, "num_points")
    return 2.0 * np.pi * np.arange(size) / size


def two_point_space(mass: float, kernel: ArrayLike | None = None) -> FiniteSpace:
    """Two points with masses (mass, 1 - mass), where the bounds of the book are attained.

    Parameters
    ----------
    mass
        Mass of point 0, in (0, 1).
    kernel
        Kernel of positives, shape (2, 2); each point is its own positive if None.

    Returns
    -------
    FiniteSpace
        The space.

    Raises
    ------
    ValueError
        If the mass is not in (0, 1) or the kernel is not stochastic.
    """
    probability = check_scalar(mass, "mass", "one number in (0, 1)")
    if not SMALLEST <= probability < 1.0:
        raise ValueError(f"mass is {probability}; expected a number in (0, 1), at least {SMALLEST:g}")
    return FiniteSpace(np.array([probability, 1.0 - probability]), np.eye(2) if kernel is None else kernel)
