"""One hostile call, judged: `trial` changes arguments, calls, and raises `Fault` if something must not happen."""

import copy
import inspect
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hostile import POISONS, Fault, Form
from hostile_arguments import ARGUMENTS, Case, draw, entry, family, shapes
from hostile_targets import Outcome, Target, call, check_answer, check_error, fits, same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

LETTERS = "nkdmqhTabVDE"


def make_case(sizes: dict[str, int], lead: tuple[int, ...], seed: int) -> Case:
    """Sizes of at least 1 that fit together."""
    full = {letter: 2 for letter in LETTERS} | sizes
    full |= {"V": full["n"] + 1, "D": full["d"] + 1, "E": full["d"] + 1}
    return Case(full, lead, np.random.default_rng(seed), empty=bool(seed % 2))


def good_arguments(target: Target, case: Case) -> dict[str, Any]:
    values = {name: draw(target.name, name, case) for name in target.parameters}
    if "more" in values:
        values["more"] += values["k"]
    for one, other in (("value", "reference"), ("value", "expected"), ("value", "limit"), ("estimate", "reference")):
        if {one, other} <= set(values):
            values[other] = abs(values[one]) if other == "limit" else copy.copy(values[one])
    return values


def changed(value: Any, form: Form, rng: np.random.Generator) -> Any:
    """The hostile value, or the good one where the form does not apply (no such axis, no entry to change)."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return form.change(value, rng)
    except (IndexError, np.exceptions.AxisError, AttributeError, ValueError, TypeError, OverflowError):
        return value


def clean(value: Any, parts: bool = False) -> Any:
    """A fresh float64 or int64 copy, row by row in memory, of anything that holds numbers."""
    if isinstance(value, np.ma.MaskedArray) or isinstance(value, (str, bytes)):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        kind = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}[value.dtype.kind]
        fresh = np.array(value, dtype=kind, order="C", subok=False)
        return fresh[()] if value.ndim == 0 and kind is not np.bool_ else fresh
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    if type(value) in (list, tuple):
        try:
            return np.array(value) if value and _plain(value) and not parts else type(value)(clean(part) for part in value)
        except ValueError:  # ragged
            return value
    return value


def trial(target: Target, arguments: dict[str, Any], forms: dict[str, Form], case: Case) -> str:
    """Call with some arguments changed; returns ``answered`` or ``refused``, or raises `Fault`."""
    hostile = arguments | {name: changed(arguments[name], form, case.rng) for name, form in forms.items()}
    verdicts = {_verdict(case, target, arguments, hostile, name, form) for name, form in forms.items()}
    outcome = call(target, hostile)
    if outcome.error is not None:
        if verdicts <= {"accept"}:
            raise Fault("refused", f"{target.name}: {outcome.error}")
        blamed = set(forms) | (set(target.parameters) if "shape" in {f.verdict for f in forms.values()} else set())
        check_error(target, outcome.error, blamed | _fields(target, blamed))
        return "refused"
    if "refuse" in verdicts:
        raise Fault("accepted", f"{target.name} returns {outcome.answer!r}")
    with np.errstate(all="ignore"):
        reference = call(target, {name: _clean_of(target, name, value) for name, value in hostile.items()})
    shaped = None if any(value is None for value in hostile.values()) else _shaped(case, target, hostile)
    check_answer(target, outcome.answer, shaped)
    _compare(target, outcome, reference)
    return "answered"


def every_form(target: Target, case: Case) -> tuple[Counter, list[tuple[str, str]]]:
    """Each form of each argument once, all else good: counts of the results, and the faults by class and text."""
    counts, faults = Counter(), []
    for name in target.parameters:
        for form in family(target.name, name).forms:
            try:
                counts[trial(target, good_arguments(target, case), {name: form}, case)] += 1
            except Fault as fault:
                faults.append((fault.kind, f"{name}, {form.name}: {fault.args[1]}"))
    return counts, faults


def _verdict(case: Case, target: Target, good: dict[str, Any], hostile: dict[str, Any], name: str, form: Form) -> str:
    default = inspect.signature(target.function).parameters[name].default
    if hostile[name] is good[name] or (hostile[name] is None and default is None):
        return "either"
    if name == "densities" and form in POISONS and case.empty:
        return "either"  # a density may be anything at a point without mass
    if form.verdict == "shape" or form.name.startswith("empty along"):
        fitting = fits(target, hostile)
        return form.verdict if fitting and form.verdict != "shape" else {True: "either", False: "refuse", None: "either"}[fitting]
    return form.verdict


def _compare(target: Target, outcome: Outcome, reference: Outcome) -> None:
    if reference.error is not None:
        raise Fault("wrong answer", f"{target.name} answers, but refuses the clean copy: {reference.error}")
    if not same(outcome.answer, reference.answer):
        raise Fault("wrong answer", f"{target.name} returns {outcome.answer!r}, for the clean copy {reference.answer!r}")


def _clean_of(target: Target, name: str, value: Any) -> Any:
    kind = entry(target.name, name).split()[0]
    return value if kind == "generator" else clean(value, parts=kind in ("tuples", "parameters", "directions"))


def _fields(target: Target, names: set[str]) -> set[str]:
    """What an error may name instead of an object: the object's own parts."""
    parts = {"space": {"weights", "kernel"}, "self": {"weights", "kernel"}, "side": {"points", "labels"}}
    return set().union(*(parts.get(name, set()) for name in names)) & set(ARGUMENTS)


def _shaped(case: Case, target: Target, arguments: dict[str, Any]) -> Case:
    """The case with the sizes that the arguments really have."""
    sizes, lead = dict(case.sizes), case.lead
    for name, value in arguments.items():
        if not isinstance(value, (np.ndarray, np.generic)):
            continue
        for letters in (letters for letters in shapes(target.name, name) if _rank(letters, value.ndim)):
            leading = letters[0] in ("...", "*")
            tail = letters[1:] if leading else letters
            sizes |= dict(zip(tail, value.shape[len(value.shape) - len(tail) :]))
            lead = value.shape[: len(value.shape) - len(tail)] if leading else lead
    sizes["E"] = sizes["d"] + 1
    shaped = object.__new__(Case)
    shaped.__dict__.update(case.__dict__ | {"sizes": sizes, "lead": lead})
    return shaped


def _rank(letters: list[str], ndim: int) -> bool:
    leading = letters[0] in ("...", "*")
    return ndim >= len(letters) - 1 if leading else ndim == len(letters)


def _plain(value: Any) -> bool:
    return all(_plain(part) if isinstance(part, (list, tuple)) else isinstance(part, (bool, int, float)) for part in value)


def mixtures(target: Target, num: int, record: Callable[[str], None] = lambda result: None) -> None:
    """`num` calls with sizes, leading axes and a form for each argument drawn by Hypothesis; `record` sees each result."""
    forms = {name: [f for f in family(target.name, name).forms if f.verdict in ("accept", "either")] for name in target.parameters}
    choices = {name: st.one_of(st.none(), st.sampled_from(fit)) for name, fit in forms.items() if fit}
    sizes = st.fixed_dictionaries({letter: st.integers(1, 4) for letter in "nkdmqhTab"})
    leads = st.sampled_from([(), (1,), (2,), (2, 3)])

    @settings(max_examples=num, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(sizes, leads, st.integers(0, 2**32 - 1), st.fixed_dictionaries(choices))
    def run(sizes: dict[str, int], lead: tuple[int, ...], seed: int, chosen: dict[str, Form | None]) -> None:
        case = make_case(sizes, lead, seed)
        arguments = good_arguments(target, case)
        record(trial(target, arguments, {name: form for name, form in chosen.items() if form}, case))

    run()
