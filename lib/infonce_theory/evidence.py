"""The checks of the chapters: each names the statement it tests and can fail.

A check that holds shows one line and leaves a machine-readable record in the output of
its cell, under the MIME type `RECORD_TYPE`. A check that fails raises `EvidenceError`.
"""

import html
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    as_array,
    check_finite,
    check_integer,
    check_nonnegative,
    check_positive,
    check_positives,
    check_same_shape,
    check_scalar,
)

RECORD_TYPE = "application/vnd.infonce-theory.evidence+json"

KINDS = ("symbolic", "interval", "enumeration", "oracle", "adversarial", "monte carlo")


class EvidenceError(AssertionError):
    """A check of a statement failed."""


@dataclass(frozen=True)
class Evidence:
    """One check that held.

    Attributes
    ----------
    statement
        Label of the statement in the book, such as ``thm-rate``.
    kind
        One of `KINDS`.
    claim
        What was checked, in a short sentence.
    measure
        The figure that says how well it held, such as ``worst ratio 0.9987``; empty if there is none.
    cases
        How many numbers were compared; None for a symbolic check.
    worst_ratio
        For a bound, the largest value/limit found; otherwise None.
    """

    statement: str
    kind: str
    claim: str
    measure: str = ""
    cases: int | None = None
    worst_ratio: float | None = None

    def __str__(self) -> str:
        count = "" if self.cases in (None, 1) else f"{self.cases} cases"
        details = ", ".join(part for part in (self.measure, count) if part)
        return f"✓ {self.statement} · {self.kind} · {self.claim}" + (f" · {details}" if details else "")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        line = html.escape(str(self).removeprefix(f"✓ {self.statement} "))
        link = f'<a href="#{self.statement}">{self.statement}</a>'
        return {
            "text/plain": str(self),
            "text/html": f'<p class="evidence">✓ {link} {line}</p>',
            RECORD_TYPE: asdict(self),
        }


def holds(statement: str, kind: str, condition: ArrayLike, claim: str, *, cases: int | None = None) -> None:
    """Check that every entry of `condition` is true.

    Parameters
    ----------
    statement
        Label of the statement, such as ``thm-rate``.
    kind
        One of `KINDS`.
    condition
        A boolean or an array of booleans.
    claim
        What the condition says, in a short sentence.
    cases
        How many cases the condition stands for; the number of its entries if None.

    Raises
    ------
    EvidenceError
        If an entry is false.
    ValueError
        If the kind is unknown or the condition is not boolean or is empty.
    """
    truth = as_array(condition, "condition")
    if truth.dtype != np.bool_ or truth.size == 0:
        raise ValueError(f"condition has dtype {truth.dtype} and shape {truth.shape}; expected booleans, at least one")
    count = int(truth.size) if cases is None else check_integer(cases, "cases", 1)
    failures = int(np.count_nonzero(~truth))
    record = Evidence(statement, kind, claim, cases=count)
    _settle(record, failures == 0, f"{failures} of {truth.size} conditions are false")


def identity(statement: str, left: Any, right: Any, claim: str) -> None:
    """Check that two SymPy expressions, or two equally long lists or matrices of them, are equal.

    Parameters
    ----------
    statement, claim
        As in `holds`; the kind is ``symbolic``.
    left, right
        SymPy expressions. They are equal if SymPy simplifies their difference to zero.

    Raises
    ------
    EvidenceError
        If a difference does not simplify to zero.
    ValueError
        If the two sides have different or no entries.
    """
    import sympy  # here, because the numerical checks do without it

    lefts, rights = _entries(left), _entries(right)
    if len(lefts) != len(rights) or not lefts:
        raise ValueError(f"right has {len(rights)} entries; expected {len(lefts)}, at least one, as left has")
    try:
        pairs = [(sympy.sympify(a, strict=True), sympy.sympify(b, strict=True)) for a, b in zip(lefts, rights)]
        differences = [sympy.simplify(a - b) for a, b in pairs]
    except (sympy.SympifyError, TypeError) as error:
        raise ValueError(f"left or right is no SymPy expression ({error}); expected expressions with a difference") from None
    wrong = [difference for difference in differences if difference != 0]
    _settle(Evidence(statement, "symbolic", claim), not wrong, f"the difference is {wrong[:1]}, not 0")


def agrees(
    statement: str,
    kind: str,
    value: ArrayLike,
    reference: ArrayLike,
    claim: str,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
) -> None:
    """Check ``|value - reference| <= atol + rtol |reference|`` for every entry.

    Parameters
    ----------
    statement, kind, claim
        As in `holds`.
    value, reference
        Numbers or arrays of one shape (or one of them a scalar).
    rtol, atol
        Tolerances; at least one must be positive.

    Raises
    ------
    EvidenceError
        If an entry is further away.
    ValueError
        If an argument is not finite, the shapes differ, or both tolerances are 0.
    """
    values, references = _pair(value, reference, "value", "reference")
    relative = check_scalar(rtol, "rtol", "one tolerance")
    absolute = check_scalar(atol, "atol", "one tolerance")
    if min(relative, absolute) < 0.0 or max(relative, absolute) == 0.0:
        raise ValueError(f"rtol is {rtol!r} and atol is {atol!r}; expected both >= 0 and one > 0")
    errors = np.abs(values - references)
    allowed = absolute + relative * np.abs(references)
    with np.errstate(over="ignore"):  # an infinite ratio is too large, whatever it is
        worst = float(np.max(errors / np.maximum(allowed, np.finfo(float).tiny)))
    tolerance = " + ".join([f"{absolute:g}"] * (absolute > 0) + [f"{relative:g} relative"] * (relative > 0))
    record = Evidence(statement, kind, claim, f"equal to within {tolerance}", int(errors.size))
    _settle(record, worst <= 1.0, f"the worst error is {errors.max():.3g}, {worst:.3g} times the tolerance")


def bound(
    statement: str, kind: str, value: ArrayLike, limit: ArrayLike, claim: str, *, slack: float = 1e-9
) -> None:
    """Check ``value <= limit (1 + slack)`` for every entry, and record the worst ratio value/limit.

    Parameters
    ----------
    statement, kind, claim
        As in `holds`.
    value, limit
        Numbers or arrays of one shape (or one of them a scalar); the limits are >= 0.
    slack
        Relative rounding that is forgiven.

    Raises
    ------
    EvidenceError
        If an entry exceeds its limit.
    ValueError
        If an argument is not finite, the shapes differ, a limit is negative, or no limit is positive.
    """
    values, limits = _pair(value, limit, "value", "limit")
    forgiven = check_nonnegative(slack, "slack")
    if limits.min() < 0.0 or limits.max() == 0.0:
        raise ValueError(f"limit has the entries {limits.min()} to {limits.max()}; expected >= 0, some > 0")
    positive = limits > 0.0
    with np.errstate(over="ignore"):
        worst = float(np.max(values[positive] / limits[positive]))
    within = bool(np.all(values <= limits * (1.0 + forgiven) + np.finfo(float).tiny))
    record = Evidence(statement, kind, claim, f"worst ratio {worst:.4g}", int(values.size), float(f"{worst:.4g}"))
    _settle(record, within, f"the worst ratio is {worst:.12g}")


def monte_carlo(
    statement: str,
    estimate: ArrayLike,
    standard_error: ArrayLike,
    reference: ArrayLike,
    claim: str,
    *,
    sigmas: float = 4.0,
) -> None:
    """Check that seeded Monte Carlo estimates lie within `sigmas` standard errors of a reference.

    Parameters
    ----------
    statement, claim
        As in `holds`; the kind is ``monte carlo``.
    estimate, standard_error, reference
        Numbers or arrays of one shape; the standard errors are positive.
    sigmas
        Allowed distance in standard errors.

    Raises
    ------
    EvidenceError
        If an estimate is further away.
    ValueError
        If an argument is not finite, the shapes differ, or a standard error is not positive.
    """
    estimates, references = _pair(estimate, reference, "estimate", "reference")
    errors, _ = _pair(standard_error, estimates, "standard_error", "estimate")
    check_positives(errors, "standard_error")
    allowed = check_positive(sigmas, "sigmas")
    deviations = np.abs(estimates - references) / errors
    worst = float(deviations.max())
    measure = f"{worst:.1f} standard errors away at most, the largest of them {errors.max():.1e}"
    record = Evidence(statement, "monte carlo", claim, measure, int(deviations.size))
    _settle(record, worst <= allowed, f"the estimate is {worst:.2f} standard errors away; {allowed:g} are allowed")


def _entries(side: Any) -> list[Any]:
    return list(side) if hasattr(side, "__len__") else [side]


def _pair(first: ArrayLike, second: ArrayLike, first_name: str, second_name: str) -> tuple[np.ndarray, np.ndarray]:
    one, two = check_finite(first, first_name), check_finite(second, second_name)
    if 0 not in (one.ndim, two.ndim):
        check_same_shape(one, two, (first_name, second_name))
    return tuple(np.atleast_1d(array) for array in np.broadcast_arrays(one, two))


def _settle(record: Evidence, passed: bool, failure: str) -> None:
    for name in ("statement", "claim"):
        if not isinstance(getattr(record, name), str):
            raise ValueError(f"{name} is {getattr(record, name)!r}; expected a string")
    if not isinstance(record.kind, str) or record.kind not in KINDS:
        raise ValueError(f"kind is {record.kind!r}; expected one of {', '.join(KINDS)}")
    if not passed:
        raise EvidenceError(f"{record.statement}: {record.claim}: {failure}")
    try:
        from IPython.display import display  # here, because the library works without IPython
    except ImportError:
        print(record)
    else:
        display(record)
