"""Three parametric classes of embeddings and their Lipschitz moduli in the parameters.

A modulus L_φ(x) satisfies ``‖φ_θ(x) - φ_θ'(x)‖ <= L_φ(x) ‖θ - θ'‖`` on the ball of the
parameters (``lem-class-moduli``). Matrices are measured by their Frobenius norm.
"""

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import FloatArray, check_finite, check_nonnegative, check_positive, check_same_shape


def circle_embeddings(base_angles: ArrayLike, rates: ArrayLike, parameters: ArrayLike) -> FloatArray:
    """Circle class: φ_θ(x) = (cos(f(x) + θ g(x)), sin(f(x) + θ g(x))), one parameter.

    Parameters
    ----------
    base_angles
        Angles f(x) in radians, shape (m,).
    rates
        Rates g(x), shape (m,).
    parameters
        Parameters θ, shape (...).

    Returns
    -------
    FloatArray
        Unit vectors, shape (..., m, 2).

    Raises
    ------
    ValueError
        If a value is not finite or `rates` has another shape than `base_angles`.
    """
    base = check_finite(base_angles, "base_angles", ndim=1)
    speed = check_finite(rates, "rates", ndim=1)
    check_same_shape(base, speed, ("base_angles", "rates"))
    angles = base + check_finite(parameters, "parameters")[..., None] * speed
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def circle_moduli(rates: ArrayLike) -> FloatArray:
    """Moduli |g(x)| of the circle class (``lem-class-moduli``).

    Parameters
    ----------
    rates
        Rates g(x), shape (m,).

    Returns
    -------
    FloatArray
        Moduli, shape (m,).

    Raises
    ------
    ValueError
        If a rate is not finite.
    """
    return np.abs(check_finite(rates, "rates", ndim=1))


def linear_embeddings(points: ArrayLike, weights: ArrayLike, offset: float) -> FloatArray:
    """Linear class: φ_W(x) = (Wx, r)/‖(Wx, r)‖.

    Parameters
    ----------
    points
        Data x, shape (m, q).
    weights
        Matrices W, shape (..., d, q).
    offset
        Last coordinate r > 0, which keeps the vector away from 0.

    Returns
    -------
    FloatArray
        Unit vectors, shape (..., m, d + 1).

    Raises
    ------
    ValueError
        If a value is not finite, the shapes do not fit or r <= 0.
    """
    data = check_finite(points, "points", ndim=2)
    return _normalise_with_offset(_apply(weights, data, "weights"), offset)


def linear_moduli(points: ArrayLike, offset: float) -> FloatArray:
    """Moduli ‖x‖/r of the linear class (``lem-class-moduli``).

    Parameters
    ----------
    points
        Data x, shape (m, q).
    offset
        Last coordinate r > 0.

    Returns
    -------
    FloatArray
        Moduli, shape (m,).

    Raises
    ------
    ValueError
        If a value is not finite or r <= 0.
    """
    return np.linalg.norm(check_finite(points, "points", ndim=2), axis=1) / check_positive(offset, "offset")


def tanh_embeddings(
    points: ArrayLike, hidden_weights: ArrayLike, output_weights: ArrayLike, offset: float
) -> FloatArray:
    """Network class: φ(x) = (W₂ tanh(W₁x), r)/‖(W₂ tanh(W₁x), r)‖.

    Parameters
    ----------
    points
        Data x, shape (m, q).
    hidden_weights
        Matrices W₁, shape (..., h, q).
    output_weights
        Matrices W₂, shape (..., d, h), with the same leading axes.
    offset
        Last coordinate r > 0.

    Returns
    -------
    FloatArray
        Unit vectors, shape (..., m, d + 1).

    Raises
    ------
    ValueError
        If a value is not finite, the shapes do not fit or r <= 0.
    """
    data = check_finite(points, "points", ndim=2)
    hidden = np.tanh(_apply(hidden_weights, data, "hidden_weights"))
    output = check_finite(output_weights, "output_weights")
    if output.ndim < 2 or output.shape[:-2] != hidden.shape[:-2] or output.shape[-1] != hidden.shape[-1]:
        expected = (*hidden.shape[:-2], "d", hidden.shape[-1])
        raise ValueError(f"output_weights has shape {output.shape}; expected {expected}".replace("'", ""))
    product = check_finite(hidden @ output.swapaxes(-1, -2), "the product of output_weights and the hidden layer")
    return _normalise_with_offset(product, offset)


def tanh_moduli(points: ArrayLike, offset: float, radius: float, centre_norm: float = 0.0) -> FloatArray:
    """Moduli (‖θ_0‖ + ρ)‖x‖/r of the network class on a ball around θ_0 (``lem-class-moduli``).

    Parameters
    ----------
    points
        Data x, shape (m, q).
    offset
        Last coordinate r > 0.
    radius
        Radius ρ > 0 of the ball, in the joint Frobenius norm of (W₁, W₂).
    centre_norm
        Joint Frobenius norm ‖θ_0‖ >= 0 of its centre.

    Returns
    -------
    FloatArray
        Moduli, shape (m,).

    Raises
    ------
    ValueError
        If a value is not finite, r <= 0, ρ <= 0 or ‖θ_0‖ < 0.
    """
    centre = check_nonnegative(centre_norm, "centre_norm")
    return (centre + check_positive(radius, "radius")) * linear_moduli(points, offset)


def _apply(matrices: ArrayLike, points: FloatArray, name: str) -> FloatArray:
    array = check_finite(matrices, name)
    if array.ndim < 2 or array.shape[-1] != points.shape[1]:
        raise ValueError(f"{name} has shape {array.shape}; expected (..., d, {points.shape[1]}) to go with points")
    # a product beyond the range of numbers has no square
    return check_finite(points @ array.swapaxes(-1, -2), f"the product of {name} and points")


def _normalise_with_offset(values: FloatArray, offset: float) -> FloatArray:
    last = np.full((*values.shape[:-1], 1), check_positive(offset, "offset"))
    vectors = np.concatenate([values, last], axis=-1)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
