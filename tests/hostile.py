"""Hostile forms of an argument, and what may come of each: a right answer or the documented error.

A `Form` turns a good value into a hostile one and says what must happen: ``accept`` (the answer of
the clean copy), ``refuse`` (the documented error) or ``either``. What must never happen is a `Fault`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Form:
    """A change of a good argument; `change` takes the good value and a generator."""

    name: str
    verdict: str
    change: Callable[[Any, np.random.Generator], Any]


class Readonly(np.ndarray):
    """A subclass, which no function may return or rely on."""


def _strided(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    wide = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), dtype=value.dtype)
    wide[..., ::2] = value
    return wide[..., ::2]


def _locked(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    copy = value.copy()
    copy.setflags(write=False)
    return copy


def _entry(new: Any) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    """Replace one entry, anywhere."""

    def change(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        number = value.astype(np.float64) if value.dtype.kind in "iub" else value
        copy = np.array(number, dtype=np.asarray(new).dtype if np.asarray(new).dtype.kind in "Oc" else None)
        copy[tuple(rng.integers(size) for size in copy.shape)] = new
        return copy

    return change


def _long(text: str) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    return lambda value, rng: _entry(np.longdouble(text))(value.astype(np.longdouble), rng)


def _masked(value: np.ndarray, rng: np.random.Generator) -> np.ma.MaskedArray:
    mask = np.zeros(value.shape, dtype=bool)
    mask[tuple(rng.integers(size) for size in value.shape)] = True
    return np.ma.MaskedArray(value, mask=mask)


def _ragged(value: np.ndarray, rng: np.random.Generator) -> list:
    return [[1.0], [1.0, 2.0]]


def constant(value: Any) -> Callable[[Any, np.random.Generator], Any]:
    return lambda good, rng: value


def scaled(factor: float) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    return lambda value, rng: np.asarray(value) * factor


#: The same numbers in another dress.
DRESSES = (
    Form("list", "accept", lambda v, rng: v.tolist()),
    Form("tuple", "accept", lambda v, rng: tuple(v.tolist()) if v.ndim else v.tolist()),
    Form("non-contiguous", "accept", _strided),
    Form("Fortran order", "accept", lambda v, rng: np.asfortranarray(v) if v.ndim else v),
    Form("reversed strides", "accept", lambda v, rng: np.flip(np.flip(v).copy())),
    Form("read-only", "accept", _locked),
    Form("big-endian", "accept", lambda v, rng: v.astype(v.dtype.newbyteorder(">"))),
    Form("subclass", "accept", lambda v, rng: v.view(Readonly)),
)
#: The same numbers with more or fewer digits.
PRECISIONS = (
    Form("longdouble", "accept", lambda v, rng: v.astype(np.longdouble) if v.dtype.kind == "f" else v),
    Form("float32", "either", lambda v, rng: v.astype(np.float32)),
    Form("float16", "either", lambda v, rng: v.astype(np.float16)),
    Form("matrix", "either", lambda v, rng: np.asmatrix(v)),
    Form("object array", "either", lambda v, rng: v.astype(object)),
    Form("integers", "either", lambda v, rng: np.round(v).astype(np.int64)),
    Form("unsigned bytes", "either", lambda v, rng: np.abs(np.round(v)).astype(np.uint8)),
    Form("booleans", "either", lambda v, rng: v > 0.0),
    Form("Python integers", "either", lambda v, rng: np.round(v).astype(np.int64).tolist()),
)
#: Other numbers, which a function may refuse but must not get wrong.
EXTREMES = (
    Form("an entry of 1e300", "either", _entry(1e300)),
    Form("an entry of -1e300", "either", _entry(-1e300)),
    Form("an entry of 1e120", "either", _entry(1e120)),
    Form("an entry of 1e99", "either", _entry(1e99)),
    Form("an entry of 1e-320", "either", _entry(1e-320)),
    Form("an entry of 0", "either", _entry(0.0)),
    Form("an entry of -0", "either", _entry(-0.0)),
    Form("all ties", "either", lambda v, rng: np.full(v.shape, v.flat[0])),
    Form("two ties", "either", lambda v, rng: _entry(v.flat[0])(v, rng)),
    Form("zeros", "either", lambda v, rng: np.zeros(v.shape)),
    Form("duplicated rows", "either", lambda v, rng: np.broadcast_to(v[:1], v.shape) if v.ndim else v),
)
#: What is no array of numbers.
POISONS = (
    Form("NaN", "refuse", _entry(np.nan)),
    Form("inf", "refuse", _entry(np.inf)),
    Form("-inf", "refuse", _entry(-np.inf)),
    Form("float16 NaN", "refuse", lambda v, rng: _entry(np.nan)(v.astype(np.float16), rng)),
    Form("longdouble beyond float64", "refuse", _long("1e4000")),
    Form("complex", "refuse", lambda v, rng: v + 0j),
    Form("strings", "refuse", lambda v, rng: v.astype(str)),
    Form("text", "refuse", constant("one")),
    Form("number as text", "refuse", constant("1.0")),
    Form("bytes", "refuse", constant(b"1")),
    Form("None", "refuse", constant(None)),
    Form("an entry None", "refuse", _entry(None)),
    Form("huge Python integer", "refuse", lambda v, rng: np.full(v.shape, 10**400, dtype=object).tolist()),
    Form("dictionary", "refuse", constant({"a": 1.0})),
    Form("set", "refuse", constant({1.0})),
    Form("function", "refuse", constant(len)),
    Form("iterator", "refuse", lambda v, rng: iter(np.atleast_1d(v).tolist())),
    Form("ragged list", "refuse", _ragged),
    Form("dates", "refuse", lambda v, rng: np.zeros(v.shape, dtype="datetime64[D]")),
    Form("durations", "refuse", lambda v, rng: np.zeros(v.shape, dtype="timedelta64[s]")),
    Form("records", "refuse", lambda v, rng: np.zeros(v.shape, dtype=[("a", float)])),
    Form("empty list", "refuse", constant([])),
    Form("masked array", "refuse", _masked),
    Form("list of masked arrays", "refuse", lambda v, rng: [_masked(v, rng)] if v.ndim == 0 else list(_masked(v, rng))),
    Form("mask without masked entries", "either", lambda v, rng: np.ma.MaskedArray(v)),
)


def _axis_forms() -> list[Form]:
    forms = []
    for axis in range(4):
        forms.append(
            Form(f"one more along axis {axis}", "shape", lambda v, rng, axis=axis: np.concatenate([v, v.take([-1], axis)], axis))
        )
        forms.append(Form(f"one only along axis {axis}", "shape", lambda v, rng, axis=axis: v.take([0], axis)))
        forms.append(Form(f"empty along axis {axis}", "refuse", lambda v, rng, axis=axis: v.take([], axis)))
    return forms


#: Other shapes. Whether one fits is read from the documented shapes, see `targets.fits`.
SHAPES = (
    Form("one axis more", "shape", lambda v, rng: v[None]),
    Form("one axis less", "shape", lambda v, rng: v[0]),
    Form("zero-dimensional", "shape", lambda v, rng: np.array(v.flat[0])),
    Form("flat", "shape", lambda v, rng: v.ravel()),
    Form("transposed", "shape", lambda v, rng: v.T),
    Form("one axis at the end", "shape", lambda v, rng: v[..., None]),
    *_axis_forms(),
)
ARRAY = (*DRESSES, *PRECISIONS, *EXTREMES, *POISONS, *SHAPES)

_NO_SCALARS = (
    ("NaN", np.nan),
    ("inf", np.inf),
    ("-inf", -np.inf),
    ("None", None),
    ("text", "one"),
    ("number as text", "1.0"),
    ("complex", 1 + 0j),
    ("list of one", [1.0]),
    ("array of one", np.ones(1)),
    ("empty array", np.ones(0)),
    ("dictionary", {}),
    ("masked constant", np.ma.masked),
    ("masked scalar", np.ma.MaskedArray(1.0, mask=True)),
    ("date", np.datetime64("2020-01-01")),
    ("duration", np.timedelta64(1, "s")),
    ("function", len),
    ("type", float),
    ("True", True),
    ("NumPy True", np.True_),
)
SCALAR = (
    *(Form(name, "refuse", constant(value)) for name, value in _NO_SCALARS),
    Form("longdouble beyond float64", "refuse", constant(np.longdouble("1e4000"))),
    Form("longdouble", "accept", lambda v, rng: np.longdouble(v)),
    Form("NumPy float", "accept", lambda v, rng: np.float64(v)),
    Form("zero-dimensional", "accept", lambda v, rng: np.array(v)),
    Form("float32", "either", lambda v, rng: np.float32(v)),
    Form("float16", "either", lambda v, rng: np.float16(v)),
    *(
        Form(f"{value!r}", "either", constant(value))
        for value in (0.0, -0.0, -1.0, 1, 2, -2, 10**30, 10**400, Fraction(1, 2), Decimal("0.5"), np.int8(1), np.uint64(1))
    ),
    *(
        Form(f"{value:g}", "either", constant(value))
        for value in (1e-320, 1e-300, 1e-120, 1e-99, 1e-10, 1e-3, 1e-2, 0.05, 0.9, 1.5, 20.0, 1e3, 1e10, 1e99, 1e120, 1e300)
    ),
)
#: Numbers that a count which must fit into memory does not survive.
_TOO_MANY = (10**13, 10**16, 2**63 - 1, 2**63, 10**30, 10**400)
INTEGER = (
    *(Form(name, "refuse", constant(value)) for name, value in _NO_SCALARS),
    *(Form(f"{value!r}", "refuse", constant(value)) for value in (-1, 2.0, 2.5, Fraction(2), Decimal(2), np.float64(2.0))),
    *(Form(f"{value!r}", "either", constant(value)) for value in (0, 1, 2, 3, np.uint8(2), *_TOO_MANY)),
    Form("NumPy integer", "accept", lambda v, rng: np.int32(v)),
    Form("unsigned integer", "accept", lambda v, rng: np.uint64(v)),
    Form("zero-dimensional", "either", lambda v, rng: np.array(v)),
)
#: For what is neither a number nor an array.
OBJECT = tuple(
    Form(name, "refuse", constant(value))
    for name, value in (
        ("None", None), ("number", 3.5), ("text", "one"), ("array", np.ones(2)), ("tuple", ()), ("dictionary", {}), ("type", int),
        ("NaN", np.nan), ("object", object()),
    )
)  # fmt: skip


class Fault(AssertionError):
    """Something that must never happen; the first argument is its class, one of `FAULTS`."""

    @property
    def kind(self) -> str:
        return self.args[0]


FAULTS = (
    "silent NaN",
    "undocumented infinity",
    "warning",
    "foreign error",
    "unhelpful error",
    "changed input",
    "wrong answer",
    "wrong shape or dtype",
    "accepted",
    "refused",
)
