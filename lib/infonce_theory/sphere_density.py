"""The density of the score of a uniform point on the unit sphere, for pictures."""

from math import lgamma, log, pi

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_finite, check_integer


def score_density(scores: ArrayLike, dimension: int) -> FloatArray:
    """Density of the score ⟨x, Y⟩ with Y uniform on S^{d-1}, proportional to (1 - t²)^{(d-3)/2} (``ex-vmf``).

    Parameters
    ----------
    scores
        Scores in [-1, 1], any shape.
    dimension
        Dimension d >= 3 of the space around the sphere; on the circle the density is infinite at ±1.

    Returns
    -------
    FloatArray
        The density with respect to length, of the shape of `scores`.

    Raises
    ------
    ValueError
        If a score is outside [-1, 1] or d < 3.
    """
    size, values = check_integer(dimension, "dimension", 3), check_finite(scores, "scores")
    if values.min() < -1.0 or values.max() > 1.0:
        raise ValueError(f"scores has values in [{values.min()}, {values.max()}]; expected [-1, 1]")
    scale = lgamma(size / 2) - lgamma((size - 1) / 2) - log(pi) / 2
    return np.exp(scale) * (1.0 - values**2) ** ((size - 3) / 2)
