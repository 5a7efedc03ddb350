"""What the checks of the exercises use: is an answer right, however it is written?

A wrong answer raises an `AssertionError` whose message a student can act on. Only `same_expression` needs SymPy.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import as_array, check_finite, check_nonnegative, check_scalar

#: Digits to which two expressions are evaluated, and to which they must agree.
DIGITS, AGREEMENT = 40, 20

#: Points at which two expressions are compared.
POINTS = 8


def same_numbers(
    value: Any, expected: ArrayLike, what: str = "the answer", *, rtol: float = 1e-6, atol: float = 1e-9
) -> None:
    """Check that an answer holds the expected numbers, as a number, list, tuple or array.

    Parameters
    ----------
    value
        What the student's function returned.
    expected
        The right numbers; axes of length one do not count in the comparison of shapes.
    what
        Name of the value in the message.
    rtol, atol
        An entry may differ by ``atol + rtol |expected|``.

    Raises
    ------
    AssertionError
        If the value holds no real numbers, others, or not as many.
    ValueError
        If `expected` or a tolerance is no finite number, so that any answer would be right.
    """
    _check_name(what)
    if value is None:
        raise AssertionError(f"{what} is None: does the function return its result?")
    right = check_finite(expected, "expected")
    relative, absolute = check_nonnegative(rtol, "rtol"), check_nonnegative(atol, "atol")
    numbers = _real_numbers(value, what)
    if numbers.squeeze().shape != right.squeeze().shape:
        raise AssertionError(f"{what} has the shape {numbers.shape}; expected {right.shape}")
    if not np.isfinite(numbers).all():
        raise AssertionError(f"{what} is not finite: {_shown(value)}")
    if np.any(np.abs(numbers.ravel() - right.ravel()) > absolute + relative * np.abs(right.ravel())):
        raise AssertionError(f"{what} is {_shown(value)}, which is not right")


def same_expression(
    value: Any, expected: Any, what: str = "the answer", *, low: float = 0.1, high: float = 0.9
) -> None:
    """Check that two SymPy expressions are one function of their symbols, in whatever form.

    They are evaluated to 40 digits at 8 points and must agree to 20; simplification could miss an equality.

    Parameters
    ----------
    value
        What the student's function returned: an expression or a number.
    expected
        The right expression. Symbols count as equal if they have one name.
    what
        Name of the value in the message.
    low, high
        Interval from which every symbol takes its values.

    Raises
    ------
    AssertionError
        If the value is no expression, or another function.
    ValueError
        If `expected` is no expression or the interval is none.
    """
    import sympy  # here, because the numerical checks do without it

    _check_name(what)
    first, last = check_scalar(low, "low", "one number"), check_scalar(high, "high", "one number above low")
    if last <= first:
        raise ValueError(f"high is {high}; expected a number above low = {low}")
    try:
        given = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, ValueError):
        raise AssertionError(f"{what} is {_shown(value)}; expected a SymPy expression") from None
    right = _expression(expected)
    if not isinstance(given, sympy.Expr):
        raise AssertionError(f"{what} is {_shown(value)}; expected one SymPy expression")
    for point in _points(sorted({s.name for s in given.free_symbols | right.free_symbols}), first, last):
        sides = []
        for side in (given, right):
            # Decimals: SymPy would look for roots in a power of fractions, which can take for ever.
            values = {s: sympy.Float(sympy.Rational(point[s.name]), 2 * DIGITS) for s in side.free_symbols}
            sides.append(side.subs(values).evalf(DIGITS))
        if not (sides[0].is_number and sides[0].is_finite):
            raise AssertionError(f"{what} has no value at {_where(point)}: {_shown(value)}")
        if abs(sides[0] - sides[1]) > 10.0**-AGREEMENT * (1 + abs(sides[1])):
            raise AssertionError(f"{what} is {_shown(value)}, which is not right at {_where(point)}")


def _real_numbers(value: Any, what: str) -> np.ndarray:
    try:
        raw = as_array(value, what)
        if raw.dtype.kind in "fiubO":  # Python's fractions and SymPy's numbers are objects
            with np.errstate(over="ignore"):
                return raw.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise AssertionError(f"{what} is {_shown(value)}; expected real numbers")


def _expression(expected: Any) -> Any:
    import sympy

    try:
        right = sympy.sympify(expected, strict=True)
    except (sympy.SympifyError, TypeError, ValueError):
        right = None
    if not isinstance(right, sympy.Expr) or right.has(sympy.nan, sympy.zoo):
        raise ValueError(f"expected is {_shown(expected)}; expected a SymPy expression or a finite number")
    return right


def _check_name(what: str) -> None:
    if not isinstance(what, str):
        raise ValueError(f"what is {_shown(what)}; expected the name of the answer")


def _points(names: list[str], low: float, high: float) -> list[dict[str, Fraction]]:
    """Random values of the symbols, the same each time, as fractions so that exact evaluation is possible."""
    start, width = Fraction(low), Fraction(high) - Fraction(low)
    draws = np.random.default_rng(0).integers(1, 997, (POINTS, len(names)))
    return [{name: start + width * Fraction(int(n), 997) for name, n in zip(names, row)} for row in draws]


def _where(point: dict[str, Fraction]) -> str:
    return ", ".join(f"{name} = {float(value):.3g}" for name, value in point.items()) or "any point"


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:120] + " …"
