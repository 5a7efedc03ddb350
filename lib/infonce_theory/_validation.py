"""Checks at the public boundary: each error names the argument, the value and what was expected."""

import operator
import reprlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
#: float32 if all arrays that it comes from are float32, and float64 otherwise.
RealArray = NDArray[np.float32] | NDArray[np.float64]

#: Rounding allowed in a sum of probabilities or in a squared norm.
ROUNDING = 1e-8
#: Larger numbers, and smaller positive ones, leave the floats once they are squared or divided by each other.
LARGEST, SMALLEST = 1e100, 1e-100
#: The same for float32, where that is kept.
LARGEST_SINGLE = 1e30
#: Functions that divide by the largest number first take all that double precision holds.
LARGEST_FLOAT = float(np.finfo(np.float64).max)
#: Larger integers are not exact in all of the arithmetic; k is one.
LARGEST_INTEGER = 10**18
#: How many things a function may be asked to hold at one time.
LARGEST_SIZE = 10**9


def as_array(values: Any, name: str) -> np.ndarray:
    """Return `values` as an array, whatever it holds; a mask, which NumPy would drop, is refused."""
    if _has_mask(values):
        raise ValueError(f"{name} is a masked array or holds one; expected plain numbers, fill or drop the masked entries")
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        raise ValueError(f"{name} is {reprlib.repr(values)}; expected an array, with rows of one length") from None


def check_finite(
    values: ArrayLike, name: str, *, ndim: int | None = None, largest: float = LARGEST, keep_single: bool = False
) -> RealArray:
    """Return `values` as a non-empty array of real numbers of size at most `largest`, in float64.

    A float32 array stays as it is if it is to be kept; its numbers are then at most `LARGEST_SINGLE`.
    """
    array = _real(values, name, ndim, keep_single)
    limit = min(largest, LARGEST_SINGLE) if array.dtype == np.float32 and largest < LARGEST_FLOAT else largest
    if not (float(array.min()) >= -limit and float(array.max()) <= limit):  # false for NaN, too
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array.astype(np.float64)) <= limit))[0])
        what = f"has the value {array[where]} at index {where}" if array.ndim else f"is {array}"
        raise ValueError(f"{name} {what}; expected finite numbers from {-limit:g} to {limit:g}")
    return array


def check_scalar(value: Any, name: str, expectation: str) -> float:
    """Return `value` as one finite float; booleans are refused."""
    array = check_finite(value, name)
    if array.ndim != 0:
        raise ValueError(f"{name} has shape {array.shape}; expected {expectation}")
    if np.asarray(value).dtype == np.bool_:
        raise ValueError(f"{name} is {value!r}; expected {expectation}")
    return float(array)


def check_positive(value: Any, name: str) -> float:
    """Return `value` as one finite positive float."""
    number = check_scalar(value, name, "one positive number")
    if number < SMALLEST:
        raise ValueError(f"{name} is {number!r}; expected a number > 0, at least {SMALLEST:g}")
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
    if array.min() < SMALLEST:
        raise ValueError(f"{name} has the value {array.min()}; expected numbers > 0, at least {SMALLEST:g}")
    return array


def check_temperature(temperature: Any) -> float:
    """Return the temperature τ as a positive float."""
    return check_positive(temperature, "temperature")


def check_integer(value: Any, name: str, minimum: int, maximum: int = LARGEST_INTEGER) -> int:
    """Return `value` as an int of at least `minimum` and at most `maximum`; floats and booleans are refused."""
    wanted = f"expected an integer >= {minimum}, at most {maximum}"
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; {wanted}")
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {reprlib.repr(value)}; {wanted}") from None
    if not minimum <= number <= maximum:
        raise ValueError(f"{name} is {reprlib.repr(number)}; {wanted}")
    return number


def check_size(value: Any, name: str, minimum: int = 1, maximum: int = LARGEST_SIZE) -> int:
    """Return `value` as an int that counts what is held in memory."""
    return check_integer(value, name, minimum, maximum)


def check_negatives(k: Any, name: str = "k") -> int:
    """Return the number of negatives as an int of at least 1."""
    return check_integer(k, name, 1)


def check_alpha(alpha: Any) -> int:
    """Return α as the int 0 or 1."""
    number = check_integer(alpha, "alpha", 0)
    if number > 1:
        raise ValueError(f"alpha is {number}; expected 0 (negatives only) or 1 (InfoNCE)")
    return number


def check_flag(value: Any, name: str) -> bool:
    """Return `value` as True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {reprlib.repr(value)}; expected True or False")
    return bool(value)


def check_instance(value: Any, kind: type, name: str) -> Any:
    """Return `value`, which must be an instance of `kind`."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {reprlib.repr(value)}; expected an instance of {kind.__name__}")
    return value


def check_rng(rng: Any) -> np.random.Generator:
    """Return `rng`, a NumPy generator; seeds and the legacy RandomState are refused."""
    return check_instance(rng, np.random.Generator, "rng")


def check_indices(indices: ArrayLike, name: str, size: int, ndim: int | None = None) -> NDArray[np.intp]:
    """Return an array of indices from 0 to `size` - 1."""
    array = as_array(indices, name)
    if array.dtype.kind not in "iu" or array.size == 0 or ndim not in (None, array.ndim):
        wanted = "integer indices" if ndim is None else f"{ndim}-d integer indices"
        raise ValueError(f"{name} has dtype {array.dtype} and shape {array.shape}; expected {wanted}")
    if array.min() < 0 or array.max() >= size:
        raise ValueError(f"{name} has indices {array.min()} to {array.max()}; expected 0 to {size - 1}")
    return array.astype(np.intp, copy=False)


def check_labels(labels: ArrayLike, name: str, size: int) -> np.ndarray:
    """Return `size` labels, numbers or strings."""
    array = as_array(labels, name)
    if array.dtype.kind in "fiub":
        array = check_finite(array, name) if array.dtype.kind == "f" else array.astype(np.int64)
    elif array.dtype.kind not in "US":
        raise ValueError(f"{name} has dtype {array.dtype}; expected numbers or strings")
    if array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}; expected ({size},), one for each image")
    return array


def check_nonnegatives(
    values: ArrayLike, name: str, *, ndim: int | None = None, largest: float = LARGEST
) -> FloatArray:
    """Return an array of finite numbers >= 0."""
    array = check_finite(values, name, ndim=ndim, largest=largest)
    if array.min() < 0.0:
        raise ValueError(f"{name} has the entry {array.min()}; expected numbers >= 0")
    return array


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


def check_embeddings(embeddings: ArrayLike, name: str, *, keep_single: bool = False) -> RealArray:
    """Return unit vectors (along the last axis)."""
    array = _real(embeddings, name, None, keep_single)
    if array.ndim == 0:
        raise ValueError(f"{name} has shape (); expected unit vectors along the last axis")
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.einsum("...d,...d->...", array, array))  # without a second array of this size
    # Embeddings often arrive in float32, whose rounding is near 1e-7.
    if not (np.abs(norms - 1.0) <= 1e-6).all():
        check_finite(array, name, keep_single=keep_single)
        worst = norms.flat[np.argmax(np.abs(norms - 1.0))]
        raise ValueError(f"{name} has a vector of norm {worst}; expected points on the unit sphere")
    return array


def check_same_shape(first: np.ndarray, second: np.ndarray, names: tuple[str, str]) -> None:
    """Raise unless the two arrays have one shape."""
    if first.shape != second.shape:
        raise ValueError(f"{names[1]} has shape {second.shape}; expected {first.shape}, the shape of {names[0]}")


def check_broadcast(first: np.ndarray, second: np.ndarray, names: tuple[str, str]) -> None:
    """Raise unless the two arrays broadcast against each other."""
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise ValueError(
            f"{names[1]} has shape {second.shape}; expected one that broadcasts with {first.shape}, the shape of {names[0]}"
        ) from None


def _has_mask(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return any(_has_mask(part) for part in values)
    return isinstance(values, np.ma.MaskedArray)


def _real(values: ArrayLike, name: str, ndim: int | None, keep_single: bool) -> RealArray:
    raw = as_array(values, name)
    if raw.dtype.kind not in "fiub":
        what = f"is {reprlib.repr(values)}" if raw.ndim == 0 else f"has dtype {raw.dtype}"
        raise ValueError(f"{name} {what}; expected real numbers of a NumPy type")
    if raw.size == 0:
        raise ValueError(f"{name} has shape {raw.shape}; expected a non-empty array")
    if ndim is not None and raw.ndim != ndim:
        raise ValueError(f"{name} has shape {raw.shape}; expected {ndim} dimension(s)")
    with np.errstate(over="ignore"):  # from longdouble
        return raw.astype(np.float32 if keep_single and raw.dtype == np.float32 else np.float64, copy=False)
