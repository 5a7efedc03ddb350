"""Checks at the public boundary: each error names the argument, the value and what was expected."""

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

#: Rounding allowed in a sum of probabilities or in a squared norm.
ROUNDING = 1e-8


def check_finite(values: ArrayLike, name: str, *, ndim: int | None = None) -> FloatArray:
    """Return `values` as a non-empty float64 array of finite real numbers."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array; expected plain numbers, fill or drop the masked entries first")
    raw = np.asarray(values)
    if raw.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {raw.dtype}; expected real numbers")
    if raw.size == 0:
        raise ValueError(f"{name} has shape {raw.shape}; expected a non-empty array")
    if ndim is not None and raw.ndim != ndim:
        raise ValueError(f"{name} has shape {raw.shape}; expected {ndim} dimension(s)")
    array = raw.astype(np.float64, copy=False)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} has the value {array[where]} at index {where}; expected finite numbers")
    return array


def check_scalar(value: Any, name: str, expectation: str) -> float:
    """Return `value` as one finite float."""
    array = check_finite(value, name)
    if array.ndim != 0:
        raise ValueError(f"{name} has shape {array.shape}; expected {expectation}")
    return float(array)


def check_positive(value: Any, name: str) -> float:
    """Return `value` as one finite positive float."""
    number = check_scalar(value, name, "one positive number")
    if number <= 0.0:
        raise ValueError(f"{name} is {number!r}; expected a number > 0")
    return number


def check_nonnegative(value: Any, name: str) -> float:
    """Return `value` as one finite float of at least 0."""
    number = check_scalar(value, name, "one number >= 0")
    if number < 0.0:
        raise ValueError(f"{name} is {number!r}; expected a number >= 0")
    return number


def check_positives(values: ArrayLike, name: str) -> FloatArray:
    """Return an array, of any shape, of finite positive numbers."""
    array = check_finite(values, name)
    if array.min() <= 0.0:
        raise ValueError(f"{name} has the value {array.min()}; expected numbers > 0")
    return array


def check_temperature(temperature: Any) -> float:
    """Return the temperature τ as a positive float."""
    return check_positive(temperature, "temperature")


def check_integer(value: Any, name: str, minimum: int) -> int:
    """Return `value` as an int of at least `minimum`; floats and booleans are refused."""
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; expected an integer >= {minimum}")
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}; expected an integer >= {minimum}") from None
    if number < minimum:
        raise ValueError(f"{name} is {number}; expected an integer >= {minimum}")
    return number


def check_negatives(k: Any, name: str = "k") -> int:
    """Return the number of negatives as an int of at least 1."""
    return check_integer(k, name, 1)


def check_alpha(alpha: Any) -> int:
    """Return α as the int 0 or 1."""
    number = check_integer(alpha, "alpha", 0)
    if number > 1:
        raise ValueError(f"alpha is {number}; expected 0 (negatives only) or 1 (InfoNCE)")
    return number


def check_probabilities(probabilities: ArrayLike, name: str) -> FloatArray:
    """Return probability vectors (along the last axis), renormalised from within rounding."""
    array = check_finite(probabilities, name)
    if array.ndim == 0:
        raise ValueError(f"{name} has shape (); expected at least one dimension")
    if array.min() < 0.0:
        raise ValueError(f"{name} has the entry {array.min()}; expected probabilities >= 0")
    totals = array.sum(axis=-1, keepdims=True)
    worst = totals.flat[np.argmax(np.abs(totals - 1.0))]
    if abs(worst - 1.0) > ROUNDING:
        raise ValueError(f"{name} sums to {worst}; expected 1 along the last axis")
    return array / totals


def check_stochastic(kernel: ArrayLike, name: str, size: int | None = None) -> FloatArray:
    """Return a square Markov kernel: row x is the law M(x, ·)."""
    array = check_probabilities(kernel, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or size not in (None, array.shape[0]):
        wanted = "(m, m)" if size is None else f"({size}, {size})"
        raise ValueError(f"{name} has shape {array.shape}; expected {wanted}")
    return array


def check_embeddings(embeddings: ArrayLike, name: str) -> FloatArray:
    """Return unit vectors (along the last axis)."""
    array = check_finite(embeddings, name)
    if array.ndim == 0:
        raise ValueError(f"{name} has shape (); expected unit vectors along the last axis")
    norms = np.linalg.norm(array, axis=-1)
    worst = norms.flat[np.argmax(np.abs(norms - 1.0))]
    # Embeddings often arrive in float32, whose rounding is near 1e-7.
    if abs(worst - 1.0) > 1e-6:
        raise ValueError(f"{name} has a vector of norm {worst}; expected points on the unit sphere")
    return array


def check_same_shape(first: np.ndarray, second: np.ndarray, names: tuple[str, str]) -> None:
    """Raise unless the two arrays have one shape."""
    if first.shape != second.shape:
        raise ValueError(f"{names[1]} has shape {second.shape}; expected {first.shape}, the shape of {names[0]}")
