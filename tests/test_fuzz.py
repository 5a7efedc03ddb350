"""Hostile input to every public function: a right answer or the documented error, and nothing else."""

import hostile_arguments
import hostile_run
import numpy as np
import pytest
from hostile import FAULTS, Fault, Form, constant
from hostile_faults import MENDED
from hostile_targets import Target, call, check_answer, targets

TARGETS = targets()
CASE = {"n": 2, "k": 3, "d": 3, "m": 3, "q": 2, "h": 2, "T": 2}


def test_every_parameter_of_every_public_function_can_be_drawn():
    used = {hostile_arguments.key(t.name, name) for t in TARGETS.values() for name in t.parameters}
    assert set(hostile_arguments.ARGUMENTS) == used
    with pytest.raises(LookupError, match="loss.new_function has the parameter novelty"):
        hostile_arguments.entry("loss.new_function", "novelty")


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_every_form_of_every_argument(name):
    case = hostile_run.make_case(CASE, (2,), 1)
    base = call(TARGETS[name], hostile_run.good_arguments(TARGETS[name], case))
    assert base.error is None
    check_answer(TARGETS[name], base.answer, case)
    counts, faults = hostile_run.every_form(TARGETS[name], case)
    assert not faults
    assert counts.total() > 0 or not hostile_arguments_of(name)


@pytest.mark.parametrize("name", sorted(name for name in TARGETS if TARGETS[name].parameters))
def test_mixtures_of_extremes_and_odd_shapes(name):
    hostile_run.mixtures(TARGETS[name], 8)


@pytest.mark.parametrize("fault", MENDED, ids=lambda fault: f"{fault.function}-{fault.argument}")
def test_mended_faults_stay_mended(fault):
    fault.check()


def hostile_arguments_of(name):
    return any(hostile_arguments.family(name, parameter).forms for parameter in TARGETS[name].parameters)


# A fuzzer must be able to fail: one faulty function for each class of fault.


def _planted(name, function):
    return Target(f"loss.{name}", function, ("positive_scores",))


def _touch(positive_scores):
    np.asarray(positive_scores)[...] = 0.0
    return 1.0


def _warn(positive_scores):
    return float(np.log(0.0 * np.sum(positive_scores)))


def _half(positive_scores):
    return float(np.sum(positive_scores)) * (1.0 if positive_scores.flags.c_contiguous else 0.5)


def _raise(error):
    raise error


PLANTED = [
    ("silent NaN", lambda positive_scores: float("nan"), Form("as it is", "accept", lambda v, rng: v)),
    ("undocumented infinity", lambda positive_scores: float("inf"), Form("as it is", "accept", lambda v, rng: v)),
    ("warning", _warn, Form("as it is", "accept", lambda v, rng: v)),
    ("foreign error", lambda positive_scores: {}["key"], Form("as it is", "accept", lambda v, rng: v)),
    ("unhelpful error", lambda positive_scores: _raise(ValueError("no")), Form("NaN", "refuse", constant(np.nan))),
    ("changed input", _touch, Form("copy", "accept", lambda v, rng: v.copy())),
    ("wrong answer", _half, Form("strided", "accept", lambda v, rng: np.repeat(v, 2)[::2])),
    ("wrong shape or dtype", lambda positive_scores: np.float32(1.0), Form("copy", "accept", lambda v, rng: v.copy())),
    ("accepted", lambda positive_scores: 1.0, Form("mask", "refuse", lambda v, rng: np.ma.MaskedArray(v, mask=True))),
    ("refused", lambda positive_scores: _raise(ValueError("no")), Form("copy", "accept", lambda v, rng: v.copy())),
]


@pytest.mark.parametrize(("kind", "function", "form"), PLANTED, ids=[kind for kind, _, _ in PLANTED])
def test_planted_faults_are_found(kind, function, form):
    case = hostile_run.make_case(CASE, (2,), 1)
    target = _planted("planted", function)
    with pytest.raises(Fault) as found:
        hostile_run.trial(target, hostile_run.good_arguments(target, case), {"positive_scores": form}, case)
    assert found.value.kind == kind


def test_there_is_a_planted_fault_for_each_class():
    assert {kind for kind, _, _ in PLANTED} == set(FAULTS)
