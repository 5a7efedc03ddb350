"""Laplace transforms of a mean of k draws, which `exact_risk` and `exact_search` integrate.

With t = e^u the integrands are smooth bumps in u, and the trapezoidal rule converges geometrically.
"""

import numpy as np

from infonce_theory._validation import FloatArray

#: Step of the trapezoidal rule in u = log t, a binary fraction, so that nodes are exact. The rule's
#: relative error for t²e^{-t}, the shape of the gap's integrand, is 2|Γ(2 + 2πi/step)| < 4e-16.
STEP = 15 / 64
#: The integrands are below e^{-60} of their size beyond this many decay lengths.
DECAY = 60.0
#: Exponents above this would overflow; the terms that meet it vanish.
LARGEST_EXPONENT = 700.0


def laplace_exponents(u: FloatArray, log_values: FloatArray, k: int) -> FloatArray:
    """``-t y/k`` at the nodes t = e^u for each value y > 0, given by its logarithm; shape (nodes, values)."""
    return -np.exp(np.minimum(np.add.outer(u - np.log(k), log_values), LARGEST_EXPONENT))


def log_laplace(exponents: FloatArray, law: FloatArray, power: int) -> FloatArray:
    """``log (Σ_y p_y e^{exponent})^power`` at each node, without cancellation for small exponents."""
    decrease = np.expm1(exponents) @ law
    with np.errstate(divide="ignore"):
        far = np.log(np.exp(exponents) @ law)
    return power * np.where(decrease > -0.5, np.log1p(np.maximum(decrease, -0.5)), far)
