"""Every public function of the library, one call of it under guard, and what its answer must satisfy."""

import contextlib
import copy
import dataclasses
import importlib
import inspect
import io
import itertools
import pkgutil
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import sympy as sp
from hostile import Fault
from hostile_arguments import Case, entry, shapes

import infonce_theory
from infonce_theory import digits
from infonce_theory.evidence import EvidenceError

#: The experiment on the digits at a size that a fuzzer can afford.
SMALL_DIGITS = {
    "NUM_TRAINING": 5, "NUM_TUPLES": 6, "EPOCHS": 1, "BATCH": 3, "OUTPUTS": 2, "HIDDEN": 3,
    "SHIFTS": (0.0,), "DEGREES": (0.0,), "RISK_SIZES": (1, 4), "SEARCHED": 4,
}  # fmt: skip
#: Functions whose answer is float32 if all arrays are.
SINGLE = re.compile(r"^(embeddings\.normalise|loss\.infonce_loss_from_embeddings|gradient\.(loss_gradient|tangent_part))$")
#: Functions whose documentation allows an infinite answer.
INFINITE = re.compile(
    r"rates\.|search_bounds\.|temperature_bounds\.|generalisation\.|divergences\.(hilbert|chi|kull)|search_density"
    r"|optimal_beta|digits\.run"
)
#: Documented shapes of the answers that are arrays; several for a tuple.
ANSWERS = {
    "augmentation.augment": "na q",
    "continuity.expectile_functional": "...",
    "continuity.exponential_functional": None,
    "continuity.optimal_beta": "...",
    "continuity.cvar_functional": "...",
    "continuity.average_functional": "...",
    "continuity.max_functional": "...",
    "continuity.continuity_bound": "...",
    "embedding_classes.circle_embeddings": "* m 2",
    "embedding_classes.circle_moduli": "m",
    "embedding_classes.linear_embeddings": "... m E",
    "embedding_classes.linear_moduli": "m",
    "embedding_classes.tanh_embeddings": "... m E",
    "embedding_classes.tanh_moduli": "m",
    "embeddings.circle_embedding": "* 2",
    "embeddings.normalise": "... d",
    "embeddings.pairwise_scores": "n m",
    "empirical_kernels.search_weights": "... k",
    "empirical_kernels.ideal_weights": "... k",
    "empirical_kernels.empirical_cross_entropy": "...",
    "enumerated_search.enumerated_mean_kernel": "m m",
    "exact_risk.exact_gap": "...",
    "exact_risk.exact_excess_by_anchor": "...",
    "exact_search.mean_kernel": "m m",
    "gradient.cross_entropy_gradient": "m d",
    "gradient.directional_derivative": "n",
    "gradient.tangent_part": "... d",
    "loss.infonce_loss": "...",
    "loss.softmax_weights": "... k",
    "loss.infonce_loss_from_embeddings": "n",
    "loss_tables.loss_table": "n T",
    "retrieval.cosine_scores": "n m",
    "retrieval.hits": "n",
    "retrieval.image_hits": "n",
    "retrieval.label_hits": "n",
    "search_bounds.kernel_peakedness": "m",
    "search_kernel.log_partition": "...",
    "search_kernel.log_search_density": "... m",
    "search_kernel.search_density": "... m",
    "search_kernel.search_kernel": "... m",
    "search_kernel.check_score_table": "m m",
    "training.embed": "m E",
    "von_mises_fisher.sample": "n D",
}


class Target(NamedTuple):
    """A public function: ``module.function``, ``module.Class`` or ``module.Class.method``."""

    name: str
    function: Callable[..., Any]
    parameters: tuple[str, ...]


def targets() -> dict[str, Target]:
    """All names without an underscore, in all modules without one, read from the library itself."""
    found = {}
    for info in pkgutil.iter_modules(infonce_theory.__path__):
        if not info.name.startswith("_"):
            module = importlib.import_module(f"infonce_theory.{info.name}")
            for name, function in _members(module):
                parameters = tuple(inspect.signature(function).parameters)
                found[f"{info.name}.{name}"] = Target(f"{info.name}.{name}", function, parameters)
    return found


def _members(module: types.ModuleType) -> Iterator[tuple[str, Callable]]:
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(member):
            yield name, member
        elif inspect.isclass(member) and (dataclasses.is_dataclass(member) or hasattr(member, "_fields")):
            if hasattr(member, "__post_init__"):  # a record without checks takes what it is given
                yield name, member
            for key, method in vars(member).items():
                if not key.startswith("_") and (inspect.isfunction(method) or isinstance(method, property)):
                    yield f"{name}.{key}", method.fget if isinstance(method, property) else method


class Outcome(NamedTuple):
    """What came of a call: the answer, or the documented error."""

    answer: Any
    error: Exception | None


def call(target: Target, arguments: dict[str, Any]) -> Outcome:
    """Call once, with every warning and floating-point signal an error and the arguments watched."""
    arguments = {name: _generator(value) if _is_seed(target, name, value) else value for name, value in arguments.items()}
    before = {name: _memory(value) for name, value in arguments.items()}
    try:
        with _guarded(target.name):
            answer = target.function(**arguments)
            if isinstance(answer, Iterator):
                answer = list(answer)
        error = None
    except (ValueError, TypeError) as caught:
        answer, error = None, caught
    except EvidenceError as caught:  # a check that fails has answered
        answer, error = str(caught), None
    except AssertionError as caught:  # of an answer to an exercise
        answer, error = ("not right", None) if "not right" in str(caught) else (None, caught)
    except (Warning, FloatingPointError) as caught:
        raise Fault("warning", f"{target.name}: {type(caught).__name__}: {caught}") from caught
    except Exception as caught:
        raise Fault("foreign error", f"{target.name}: {type(caught).__name__}: {caught}") from caught
    for name, value in arguments.items():
        if before[name] != _memory(value):
            raise Fault("changed input", f"{target.name} changes {name}")
    return Outcome(answer, error)


def check_error(target: Target, error: Exception, names: set[str]) -> None:
    """The message names an argument, and says what was expected."""
    text = str(error)
    if isinstance(error, AssertionError) and target.name.startswith("answers."):
        names, text = {"the answer", "thm-rate"}, f"{text} (expected)"  # addressed to students, who see no argument
    if "expected" not in text or not any(re.search(rf"\b{name}\b", text) for name in names):
        raise Fault("unhelpful error", f"{target.name}: {type(error).__name__}: {text}")


def check_answer(target: Target, answer: Any, case: Case | None) -> None:
    """No NaN, no infinity that is not documented, float64, and the documented shape."""
    for part in _numbers(answer):
        if part.dtype.kind == "f" and np.isnan(part).any():
            raise Fault("silent NaN", f"{target.name} returns {part}")
        if part.dtype.kind == "f" and np.isinf(part).any() and not INFINITE.search(target.name):
            raise Fault("undocumented infinity", f"{target.name} returns {part}")
        if part.dtype not in (np.float64, np.int64, np.bool_) and not (part.dtype == np.float32 and SINGLE.search(target.name)):
            raise Fault("wrong shape or dtype", f"{target.name} returns dtype {part.dtype}")
    for array in _arrays(answer):
        if type(array) is not np.ndarray:
            raise Fault("wrong shape or dtype", f"{target.name} returns a {type(array).__name__}")
    letters = ANSWERS.get(target.name)
    if case is None or letters is None:
        return
    expected = case.shape(letters.replace("na", str(case.sizes["n"] * case.sizes["a"])).split())
    if expected != np.shape(answer):
        raise Fault("wrong shape or dtype", f"{target.name} returns shape {np.shape(answer)}, not {expected}")


def same(one: Any, other: Any) -> bool:
    """Whether two answers agree to rounding."""
    ones, others = _numbers(one), _numbers(other)
    if not ones and not others:
        return str(one) == str(other)
    return len(ones) == len(others) and all(
        a.dtype.kind in "fib" and a.shape == b.shape and np.allclose(a, b, rtol=100 * unit, atol=unit * (1.0 + _size(b)))
        for a, b in zip(ones, others)
        for unit in [1e-6 if np.float32 in (a.dtype, b.dtype) else 1e-11]
    )


def fits(target: Target, arguments: dict[str, Any]) -> bool | None:
    """Whether all arrays have the documented shapes; None if leading axes might broadcast."""
    arrays = {name: value.shape for name, value in arguments.items() if isinstance(value, np.ndarray)}
    choices = [[(shape, letters) for letters in shapes(target.name, name)] for name, shape in arrays.items()]
    verdicts = [_unify(choice) for choice in itertools.product(*filter(None, choices))]
    return True if True in verdicts else None if None in verdicts else False


def _unify(pairs: tuple[tuple[tuple[int, ...], list[str]], ...]) -> bool | None:
    sizes, lead, known = {}, None, True
    for shape, letters in pairs:
        leading = letters[0] in ("...", "*")
        tail = letters[1:] if leading else letters
        if len(shape) < len(tail) or (not leading and len(shape) != len(tail)):
            return False
        front, back = shape[: len(shape) - len(tail)], shape[len(shape) - len(tail) :]
        if letters[0] == "..." and lead not in (None, front):
            return False
        lead = front if letters[0] == "..." else lead
        known = known and letters[0] != "*"
        for letter, size in zip(tail, back):
            if sizes.setdefault(letter, int(letter) if letter.isdigit() else size) != size:
                return False
    return True if known else None


@contextlib.contextmanager
def _guarded(name: str) -> Iterator[None]:
    small = mock.patch.multiple(digits, **SMALL_DIGITS) if name.startswith("digits.") else contextlib.nullcontext()
    with small, warnings.catch_warnings(), np.errstate(all="raise", under="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        yield


def _is_seed(target: Target, name: str, value: Any) -> bool:
    return entry(target.name, name).split()[0] == "generator" and type(value) is int


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _memory(value: Any) -> Any:
    """The bytes of all arrays in a value."""
    if isinstance(value, np.ma.MaskedArray):
        return value.data.tobytes(), np.ma.getmaskarray(value).tobytes()
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.dtype.hasobject else (value.shape, value.strides, value.dtype, value.tobytes())
    if isinstance(value, (list, tuple)):
        return [_memory(part) for part in value]
    return copy.copy(value) if isinstance(value, dict) else None


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in _arrays(part)]
    if dataclasses.is_dataclass(value):
        return _arrays([getattr(value, field.name) for field in dataclasses.fields(value)])
    return []


def _numbers(value: Any) -> list[np.ndarray]:
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return [np.asarray(value)]
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in _numbers(part)]
    if dataclasses.is_dataclass(value):
        return _numbers([getattr(value, field.name) for field in dataclasses.fields(value)])
    if isinstance(value, sp.Basic) and value.has(sp.nan, sp.zoo):
        return [np.array(np.nan)]
    return []


def _size(array: np.ndarray) -> float:
    finite = np.abs(array[np.isfinite(array)]) if array.dtype.kind == "f" else np.zeros(0)
    return float(finite.max()) if finite.size else 0.0
