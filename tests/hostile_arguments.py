"""Good arguments for every public function, drawn by the name of the parameter from one table.

An entry of `ARGUMENTS` is ``family shape``. The shape is the documented one: letters are sizes, ``...``
stands for leading axes that are the same for all arguments, ``*`` for leading axes that broadcast.
The family says how to draw a value and which hostile forms it must survive (`FAMILIES`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import hostile
import numpy as np
import sympy as sp
from hostile import Form, constant, scaled

from infonce_theory import continuity, digits
from infonce_theory.augmentation import AugmentedImages
from infonce_theory.generalisation import GeneralisationTerms, TrainingSetting
from infonce_theory.spaces import FiniteSpace


@dataclass
class Case:
    """Sizes by letter, leading axes, and what several arguments share."""

    sizes: dict[str, int]
    lead: tuple[int, ...]
    rng: np.random.Generator
    empty: bool = False
    law: np.ndarray = field(init=False)
    kernel: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        m = self.sizes["m"]
        mass = self.rng.uniform(0.2, 1.0, m)
        if self.empty and m > 1:
            mass[0] = 0.0  # a point without mass
        self.law = mass / mass.sum()
        rows = self.rng.uniform(0.0, 1.0, (m, m)) * (mass > 0.0)
        self.kernel = rows / rows.sum(axis=1, keepdims=True)

    def shape(self, letters: list[str]) -> tuple[int, ...]:
        parts = [self.lead if letter in ("...", "*") else (self.size(letter),) for letter in letters]
        return sum(parts, ())

    def size(self, letter: str) -> int:
        return int(letter) if letter.isdigit() else self.sizes[letter]


@dataclass(frozen=True)
class Family:
    """How to draw a value of a shape, and the hostile forms for it."""

    draw: Callable[[Case, tuple[int, ...]], Any]
    forms: tuple[Form, ...]
    is_array: bool = False


def array(draw: Callable[[Case, tuple[int, ...]], np.ndarray], *forms: Form) -> Family:
    return Family(draw, (*hostile.ARRAY, *forms), is_array=True)


def _without(family: Family, name: str) -> Family:
    return Family(family.draw, tuple(form for form in family.forms if form.name != name), family.is_array)


def _refuse(name: str, change: Callable) -> Form:
    return Form(name, "refuse", change)


def _unit(case: Case, shape: tuple[int, ...]) -> np.ndarray:
    vectors = case.rng.standard_normal(shape)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _laws(case: Case, shape: tuple[int, ...]) -> np.ndarray:
    masses = case.rng.uniform(0.1, 1.0, shape) * (case.law > 0.0)
    return masses / masses.sum(axis=-1, keepdims=True)


def _densities(case: Case, shape: tuple[int, ...]) -> np.ndarray:
    table = case.rng.uniform(0.2, 2.0, shape)
    return table / (table @ case.law)[..., None]


def _setting(case: Case, shape: tuple[int, ...]) -> TrainingSetting:
    return TrainingSetting(1000, case.sizes["k"], 64, 0.5, case.sizes["d"], 1.5, 0.05, 2.0)


def _side(case: Case, shape: tuple[int, ...]) -> digits.Side:
    return digits.Side(AugmentedImages(5, 1), case.rng.standard_normal((5, 64)), np.arange(5) % 2)


def _tuples(case: Case, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    n, k, m = case.sizes["n"], 2 * case.sizes["k"], case.sizes["m"]
    return tuple(case.rng.integers(m, size=shape) for shape in ((n,), (n,), (n, k)))


def _parameters(case: Case, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    d, q, h = (case.sizes[letter] for letter in "dqh")
    network = case.rng.standard_normal((h, q)), case.rng.standard_normal((d, h))
    return (case.rng.standard_normal((d, q)),) if case.empty else network


def _third(new: Any) -> Callable[[tuple, np.random.Generator], tuple]:
    return lambda value, rng: (*value[:-1], new(value[-1]))


_OFF = (
    _refuse("1% off the sphere", scaled(1.01)),
    _refuse("the origin", scaled(0.0)),
    Form("a rounding error off the sphere", "accept", scaled(1.0 + 4e-9)),
    Form("just inside the tolerance", "accept", scaled(1.0 - 9e-7)),
    _refuse("just outside the tolerance", scaled(1.0 + 1.1e-6)),
)
_PARTS = (
    _refuse("last part missing", lambda v, rng: v[:-1] if len(v) == 3 else ()),
    _refuse("last part None", _third(lambda part: None)),
    _refuse("last part NaN", _third(lambda part: np.full(part.shape, np.nan))),
    _refuse("last part of one axis less", _third(lambda part: part[0])),
    _refuse("last part masked", _third(lambda part: np.ma.MaskedArray(part, mask=np.ones(part.shape, dtype=bool)))),
    Form("lists", "either", lambda v, rng: tuple(part.tolist() for part in v)),
)
_NEGATIVE = _refuse("a negative entry", lambda v, rng: v - v.max() - 0.5)
_NOT_ONE = _refuse("sums off by 1e-3", scaled(1.001))
_NEARLY_ONE = Form("sums off by rounding", "accept", scaled(1.0 + 4e-9))
_A, _J, _K = sp.IndexedBase("a"), sp.Symbol("j", integer=True), sp.Symbol("k", integer=True)

#: How to draw, and what must be survived, by the first word of an entry of `ARGUMENTS`.
FAMILIES = {
    "real": array(lambda c, s: c.rng.standard_normal(s)),
    "nonnegative": array(lambda c, s: c.rng.uniform(0.0, 2.0, s), _NEGATIVE),
    "positive": array(lambda c, s: c.rng.uniform(0.1, 2.0, s), _NEGATIVE, _refuse("zeros", scaled(0.0))),
    "vectors": array(_unit, *_OFF),
    "cosines": array(lambda c, s: c.rng.uniform(-1.0, 1.0, s), _refuse("beyond 1", lambda v, rng: v * 0.0 + 1.1)),
    "nonzero": array(lambda c, s: c.rng.standard_normal(s), _refuse("the origin", scaled(0.0))),
    "law": array(lambda c, s: c.law.copy(), _NOT_ONE, _NEARLY_ONE, _refuse("a negative entry", lambda v, rng: v * -1.0)),
    "laws": array(_laws, _NOT_ONE, _NEARLY_ONE),
    "kernel": array(lambda c, s: c.kernel.copy(), _NOT_ONE, _NEARLY_ONE),
    "kernel22": array(lambda c, s: np.array([[0.75, 0.25], [0.5, 0.5]]), _NOT_ONE, _NEARLY_ONE),
    "densities": array(_densities, _NOT_ONE, _NEARLY_ONE, _refuse("negative", scaled(-1.0))),
    "indices": array(
        lambda c, s: c.rng.integers(c.sizes["m"], size=s),
        _refuse("out of range", lambda v, rng: v + 10**6),
        _refuse("below 0", lambda v, rng: v - 10**6),
        _refuse("floats", lambda v, rng: v + 0.5),
    ),
    "booleans": array(lambda c, s: c.rng.random(s) < 0.5),
    "positions": array(lambda c, s: c.rng.integers(c.sizes["n"] * c.sizes["k"], size=s)),
    "labels": _without(array(lambda c, s: c.rng.integers(2, size=s)), "strings"),
    "images": array(lambda c, s: c.rng.uniform(0.0, 16.0, s)),
    "scalar": Family(lambda c, s: float(c.rng.uniform(0.1, 2.0)), hostile.SCALAR),
    "drift": Family(lambda c, s: float(c.rng.uniform(-0.25, 0.25)), hostile.SCALAR),
    "probability": Family(lambda c, s: float(c.rng.uniform(0.1, 0.9)), hostile.SCALAR),
    "integer": Family(lambda c, s: int(c.rng.integers(2, 5)), hostile.INTEGER),
    "letter": Family(lambda c, s: s[0], hostile.INTEGER),
    "one": Family(lambda c, s: 1, hostile.INTEGER),
    "eight": Family(lambda c, s: int(c.rng.integers(8, 200)), hostile.INTEGER),
    "alpha": Family(
        lambda c, s: int(c.rng.integers(2)), (*hostile.INTEGER, _refuse("alpha = 2", constant(2)))
    ),
    "flag": Family(lambda c, s: bool(c.rng.integers(2)), hostile.OBJECT),
    "generator": Family(
        lambda c, s: int(c.rng.integers(2**31)),
        (*hostile.OBJECT, _refuse("RandomState", constant(np.random.RandomState(0)))),
    ),
    "space": Family(lambda c, s: FiniteSpace(c.law, c.kernel), hostile.OBJECT),
    "self": Family(lambda c, s: FiniteSpace(c.law, c.kernel), ()),
    "terms": Family(lambda c, s: GeneralisationTerms(1.0, 2.0, 3.0), ()),
    "run": Family(lambda c, s: digits.Setting("network", 4, 0.5, 1), ()),
    "beta": _without(array(lambda c, s: c.rng.uniform(0.1, 2.0, s), _NEGATIVE), "inf"),
    "augmented": Family(lambda c, s: AugmentedImages(c.sizes["n"], c.sizes["k"]), ()),
    "setting": Family(_setting, hostile.OBJECT),
    "digits": Family(lambda c, s: digits.Setting("linear", 4, 0.5, 1), hostile.OBJECT),
    "side": Family(_side, hostile.OBJECT),
    "functional": Family(
        lambda c, s: continuity.average_functional,
        (
            *(form for form in hostile.OBJECT if form.name != "type"),
            _refuse("answers None", constant(lambda norms, temperature: None)),
            _refuse("answers NaN", constant(lambda norms, temperature: np.full(np.shape(norms)[:-1], np.nan))),
            _refuse("answers one axis more", constant(lambda norms, temperature: np.ones((7, *np.shape(norms))))),
        ),
    ),
    "tuples": Family(_tuples, (*hostile.OBJECT, *_PARTS)),
    "parameters": Family(_parameters, (*hostile.OBJECT, *_PARTS)),
    "directions": Family(
        lambda c, s: tuple(c.rng.standard_normal(c.shape(part.split())) for part in ("n d", "n d", "n k d")),
        (*hostile.OBJECT, *_PARTS),
    ),
    "word": Family(lambda c, s: "linear", hostile.OBJECT),
    "label": Family(lambda c, s: "thm-rate", tuple(form for form in hostile.OBJECT if form.name != "text")),
    "evidence": Family(lambda c, s: "oracle", hostile.OBJECT),
    "true": array(lambda c, s: np.ones(s, dtype=bool)),
    "expression": Family(lambda c, s: sp.Symbol("x") + 1, tuple(f for f in hostile.OBJECT if f.name not in ("number", "NaN"))),
    "student": Family(lambda c, s: sp.Symbol("x") + 1, _without(Family(None, hostile.OBJECT), "number").forms),
    "low": Family(lambda c, s: float(c.rng.uniform(0.1, 0.4)), hostile.SCALAR),
    "high": Family(lambda c, s: float(c.rng.uniform(0.6, 0.9)), hostile.SCALAR),
    "sum": Family(lambda c, s: sp.Sum(_A[_J] ** 2, (_J, 1, _K)), hostile.OBJECT),
    "moves": Family(lambda c, s: {_A: sp.IndexedBase("b")}, hostile.OBJECT),
    "step": Family(lambda c, s: sp.Symbol("t"), tuple(f for f in hostile.OBJECT if f.name != "number")),
}

#: Every parameter of the library by name; ``module.parameter`` or ``module.function.parameter`` where names recur.
ARGUMENTS = {
    "self": "self",
    "AugmentedImages.self": "augmented",
    "Setting.self": "run",
    "GeneralisationTerms.self": "terms",
    "space": "space",
    "scores": "real m m",
    "search_kernel.scores": "real ... m",
    "search_kernel.cross_entropy.scores": "real m m",
    "search_kernel.check_score_table.scores": "real m m",
    "empirical_kernels.search_weights.scores": "real ... k",
    "empirical_kernels.empirical_cross_entropy.scores": "real ... k",
    "empirical_kernels.densities": "nonnegative ... k",
    "retrieval.scores": "real n m",
    "sphere_density.scores": "cosines *",
    "sphere_density.dimension": "eight",
    "positive_scores": "real ...",
    "negative_scores": "real ... k",
    "temperature": "scalar",
    "temperature_bounds.temperature": "positive *",
    "upper_curvature.temperature": "positive *",
    "lower_curvature.temperature": "positive *",
    "ratio": "positive *",
    "distance": "nonnegative *",
    "chi_square": "nonnegative *",
    "alpha": "alpha",
    "k": "integer",
    "more": "integer",
    "searched": "integer",
    "anchors": "vectors n d",
    "positives": "vectors n d",
    "negatives": "vectors n k d | k d",
    "exact_risk.positives": "laws ... m",
    "loss_table.anchors": "indices n",
    "loss_table.positives": "indices n",
    "loss_table.negatives": "indices n k",
    "loss_table.embeddings": "vectors T m d",
    "chunk_bytes": "eight",
    "directions": "directions",
    "embeddings": "vectors m d",
    "tangent_part.embeddings": "vectors ... d",
    "tangent_part.vectors": "real ... d",
    "pairwise_scores.embeddings": "vectors n d",
    "others": "vectors m d",
    "normalise.vectors": "nonzero ... d",
    "digits.vectors": "vectors 5 d",
    "recalls.vectors": "nonzero 5 d",
    "angles": "real *",
    "num": "integer",
    "dimension": "integer",
    "rng": "generator",
    "first": "laws * m",
    "second": "laws * m",
    "norms": "nonnegative ... k",
    "inverse_temperature": "beta *",
    "anchor_norms": "nonnegative ...",
    "positive_norms": "nonnegative ...",
    "negative_norms": "nonnegative ... k",
    "functional": "functional",
    "on_sphere": "flag",
    "densities": "densities ... m",
    "weights": "law m",
    "kernel": "kernel m m",
    "two_point_space.kernel": "kernel22 2 2",
    "base_angles": "real m",
    "rates": "real m",
    "circle_embeddings.parameters": "real *",
    "points": "real m q",
    "linear_embeddings.weights": "real ... d q",
    "hidden_weights": "real ... h q",
    "output_weights": "real ... d h",
    "offset": "scalar",
    "radius": "scalar",
    "centre_norm": "scalar",
    "num_searches": "integer",
    "size": "letter m",
    "losses": "real n T",
    "moduli": "nonnegative n",
    "covering_radius": "scalar",
    "num_draws": "integer",
    "signs": "real k n",
    "anchor_moduli": "nonnegative n",
    "positive_moduli": "nonnegative n",
    "negative_moduli": "nonnegative n k",
    "setting": "setting",
    "slope": "scalar",
    "target": "scalar",
    "num_tuples": "integer",
    "failure_probability": "probability",
    "peakedness": "scalar",
    "mean_chi_square": "scalar",
    "values": "real V",
    "risk_k": "real *",
    "risk_2k": "real *",
    "risk_4k": "real *",
    "steps": "integer",
    "queries": "nonzero n d",
    "gallery": "nonzero n d",
    "cosine_scores.gallery": "nonzero m d",
    "relevant": "booleans n m",
    "depth": "one",
    "labels": "labels n",
    "num_points": "integer",
    "ring_space.num_points": "letter 3",
    "drift": "drift",
    "mass": "probability",
    "num_nodes": "integer",
    "parameters": "parameters",
    "pull_back.gradients": "real m E",
    "tuples": "tuples",
    "extrapolated": "flag",
    "epochs": "one",
    "batch": "integer",
    "learning_rate": "scalar",
    "concentration": "scalar",
    "mean_directions": "vectors n D",
    "side": "letter 3",
    "shifts": "real a",
    "degrees": "real b",
    "images": "real n q",
    "matrices": "real a q q",
    "num_images": "integer",
    "num_augmentations": "integer",
    "augmentation.points": "positions *",
    "augmentation.anchors": "positions *",
    "digits.side": "side",
    "digits.setting": "digits",
    "digits.images": "images 10 8 8",
    "digits.labels": "labels 10",
    "split_images.num_images": "letter 10",
    "digits.kind": "word",
    "digits.seed": "integer",
    "evidence.kind": "evidence",
    "statement": "label",
    "claim": "label",
    "condition": "true *",
    "cases": "integer",
    "left": "expression",
    "right": "expression",
    "value": "real *",
    "same_numbers.expected": "real *",
    "same_expression.value": "student",
    "same_expression.expected": "expression",
    "what": "label",
    "low": "low",
    "high": "high",
    "reference": "real *",
    "rtol": "scalar",
    "atol": "scalar",
    "limit": "nonnegative *",
    "slack": "scalar",
    "estimate": "real *",
    "standard_error": "positive *",
    "sigmas": "scalar",
    "gateaux.functional": "sum",
    "direction": "moves",
    "gateaux.size": "step",
    "order": "integer",
}


def key(target: str, parameter: str) -> str:
    """Key of the table for a parameter of ``module.function`` or ``module.Class.method``; the longest one wins."""
    parts = target.split(".")
    keys = [f"{target}.{parameter}", f"{parts[-1]}.{parameter}", f"{parts[-2]}.{parameter}", f"{parts[0]}.{parameter}"]
    for candidate in (*keys, parameter):
        if candidate in ARGUMENTS:
            return candidate
    raise LookupError(f"{target} has the parameter {parameter}; give it an entry in hostile_arguments.ARGUMENTS")


def entry(target: str, parameter: str) -> str:
    """Entry of the table for a parameter."""
    return ARGUMENTS[key(target, parameter)]


def family(target: str, parameter: str) -> Family:
    return FAMILIES[entry(target, parameter).split()[0]]


def shapes(target: str, parameter: str) -> list[list[str]]:
    """The documented shapes of a parameter, as letters; none for what is no array."""
    return [part.split() for part in entry(target, parameter).partition(" ")[2].split("|") if part.strip()]


def draw(target: str, parameter: str, case: Case) -> Any:
    letters = next(iter(shapes(target, parameter)), [])
    return family(target, parameter).draw(case, case.shape(letters))
