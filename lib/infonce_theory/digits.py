"""The experiment on the digits: data, one training run, and what is measured of it.

Training and unseen images are disjoint. Each side is a finite space of augmented images, whose
partition functions are sums over all of its points; only anchors and finite sets of negatives are sampled.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    FloatArray,
    check_embeddings,
    check_finite,
    check_instance,
    check_integer,
    check_labels,
    check_rng,
    check_size,
    check_temperature,
)
from infonce_theory.augmentation import AugmentedImages, augment, augmentation_matrices
from infonce_theory.continuity import expectile_functional, max_functional
from infonce_theory.embedding_classes import linear_moduli
from infonce_theory.empirical_kernels import empirical_cross_entropy
from infonce_theory.generalisation import root_mean_square_slope
from infonce_theory.loss import infonce_loss_from_embeddings
from infonce_theory.monte_carlo import estimate_mean
from infonce_theory.retrieval import image_hits, label_hits
from infonce_theory.training import Parameters, Tuples, embed, train

SHIFTS, DEGREES = (-0.5, 0.0, 0.5), (-12.0, 0.0, 12.0)
NUM_TRAINING, NUM_TUPLES, EPOCHS, BATCH, LEARNING_RATE = 897, 2000, 8, 100, 0.02
OUTPUTS, HIDDEN, OFFSET, START = 16, 64, 1.0, 0.3
#: Numbers of negatives at which the finite-k error is measured, and of points searched.
RISK_SIZES, SEARCHED = (1, 4, 16, 64, 256, 1024), 256
#: Below this temperature e^{2/τ} exceeds the floats.
LOWEST_TEMPERATURE = 0.003
#: ``linear`` and ``network`` are the classes; the others are linear, with another loss or other inputs.
KINDS = ("linear", "network", "extrapolated", "rescaled")


@dataclass(frozen=True, order=True)
class Setting:
    """One training run: what is trained, number of negatives, temperature and seed."""

    kind: str
    k: int
    temperature: float
    seed: int

    def __post_init__(self) -> None:
        checked = {"kind": _check_kind(self.kind), "k": check_size(self.k, "k")}
        checked |= {"temperature": check_temperature(self.temperature), "seed": check_integer(self.seed, "seed", 0)}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def name(self) -> str:
        """Name that contains all of the setting, the seed last; good for a file."""
        return f"{self.kind}_k{self.k}_t{self.temperature:g}_seed{self.seed}"


class Side(NamedTuple):
    """Augmented images of one side of the split: the law, its points (m, 64) and the labels of its images."""

    law: AugmentedImages
    points: FloatArray
    labels: np.ndarray


def split_images(num_images: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the training and of the unseen images, a fixed random split.

    Raises ValueError unless there are more than `NUM_TRAINING` images.
    """
    order = np.random.default_rng(1100).permutation(check_size(num_images, "num_images", NUM_TRAINING + 1))
    return order[:NUM_TRAINING], order[NUM_TRAINING:]


def split_digits(images: ArrayLike, labels: ArrayLike, kind: str = "linear") -> tuple[Side, Side]:
    """Training and unseen side, centred and scaled by the training side so that E‖x‖² = 1 there.

    Parameters
    ----------
    images
        Images with values from 0 to 16, shape (n, 8, 8).
    labels
        Their labels, shape (n,).
    kind
        ``rescaled`` multiplies each image, after centring, by its own Pareto factor, so that norms vary.

    Returns
    -------
    tuple of Side
        The training side and the unseen side, which share no image.

    Raises
    ------
    ValueError
        If the images are no finite array of that shape or all blank, there is not one label for each, or the kind is
        unknown.
    """
    flat = check_finite(images, "images", ndim=3)
    if flat.shape[1:] != (8, 8) or len(flat) <= NUM_TRAINING:
        raise ValueError(f"images has shape {flat.shape}; expected (n, 8, 8) with n > {NUM_TRAINING}")
    flat, names = flat.reshape(len(flat), -1), check_labels(labels, "labels", len(flat))
    parts, maps = split_images(len(flat)), augmentation_matrices(8, SHIFTS, DEGREES)
    factors = 1.0 + np.random.default_rng(1104).pareto(2.5, size=len(flat))
    contrast = factors if _check_kind(kind) == "rescaled" else np.ones(len(flat))
    clouds = [augment(flat[part], maps) for part in parts]
    mean = clouds[0].mean(axis=0)
    clouds = [(cloud - mean) * np.repeat(contrast[part], len(maps))[:, None] for part, cloud in zip(parts, clouds)]
    scale = np.sqrt((clouds[0] ** 2).sum(axis=1).mean())
    if scale == 0.0:
        raise ValueError("images has training images that are all blank; expected some that are not")
    laws = [AugmentedImages(len(part), len(maps)) for part in parts]
    first, second = (Side(law, cloud / scale, names[part]) for law, cloud, part in zip(laws, clouds, parts))
    return first, second


def start_of(setting: Setting) -> tuple[Parameters, np.random.Generator]:
    """Random parameters to start from, and the generator for all that follows in the run.

    Raises ValueError if `setting` is no `Setting`.
    """
    check_instance(setting, Setting, "setting")
    rng = np.random.default_rng([1101, setting.seed])
    inputs = HIDDEN if setting.kind == "network" else 64
    last = START * rng.normal(size=(OUTPUTS, inputs))
    return ((START * rng.normal(size=(HIDDEN, 64)), last) if setting.kind == "network" else (last,)), rng


def train_setting(setting: Setting, side: Side) -> tuple[Tuples, list[Parameters]]:
    """The fixed training tuples of a run, and its parameters at the start and after each epoch.

    Raises ValueError if `setting` is no `Setting` or `side` is no `Side`.
    """
    check_instance(side, Side, "side")
    start, rng = start_of(setting)
    tuples = side.law.sample(rng, NUM_TUPLES, setting.k)
    options = {"epochs": EPOCHS, "batch": BATCH, "learning_rate": LEARNING_RATE}
    options |= {"offset": OFFSET, "temperature": setting.temperature, "extrapolated": setting.kind == "extrapolated"}
    return tuples, [start, *train(side.points, tuples, start, rng, **options)]


def measure_side(side: Side, vectors: FloatArray, temperature: float, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Target, distances and finite-k errors for one random augmentation of each image.

    Parameters
    ----------
    side
        Law and points, m of them.
    vectors
        Embedded points, shape (m, d).
    temperature
        Temperature τ > 0.
    rng
        Source of the anchors and of the finite sets of negatives.

    Returns
    -------
    dict of FloatArray
        One number in nats for each anchor: ``ce`` (mean over all positives, exact partition function), ``kl`` and
        ``tv`` from π to Q, ``search`` (its mean is CE at `SEARCHED` points), ``gap_k`` (CE - R_k for α = 0) and
        ``excess_k`` (R_k - CE for α = 1), the last two with S/μ - 1, of mean 0, as control variate.

    Raises
    ------
    ValueError
        If a vector is off the sphere, there is not one for each point, or τ is below `LOWEST_TEMPERATURE`.
    """
    points = check_embeddings(vectors, "vectors")
    _check_one_each(side, points)
    if (level := check_temperature(temperature)) < LOWEST_TEMPERATURE:
        raise ValueError(f"temperature is {level}; expected at least {LOWEST_TEMPERATURE}, so that e^(1/τ) is no overflow")
    anchors, found = side.law.draw_anchors(check_rng(rng)), []
    for block in np.array_split(anchors, max(1, len(anchors) // 64)):
        logits = points[block] @ points.T / level
        partition = np.log(np.exp(logits).mean(axis=1))
        own = side.law.image_of(block)[:, None] * side.law.num_augmentations + np.arange(side.law.num_augmentations)
        densities = np.exp(logits - partition[:, None])
        part = {"ce": partition - np.take_along_axis(logits, own, axis=1).mean(axis=1)}
        part["kl"] = (densities * logits).mean(axis=1) - partition
        part["tv"] = 0.5 * np.abs(densities - 1.0).mean(axis=1)
        drawn = rng.integers(side.law.size, size=(len(block), max(RISK_SIZES)))
        sets = drawn.reshape(len(block), -1, SEARCHED)
        scores = np.take_along_axis(logits, drawn, axis=1).reshape(sets.shape) * level
        ideal = side.law.density(block[:, None, None], sets)
        part["search"] = empirical_cross_entropy(scores, ideal, level).mean(axis=1)
        positives = np.take_along_axis(densities, rng.permuted(own, axis=1), axis=1)
        found.append(part | _finite_errors(np.take_along_axis(densities, drawn, axis=1), positives))
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def recalls(side: Side, vectors: FloatArray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Hits at 1 and 5 of the search by label and by source image, one boolean for each image.

    The vectors, shape (m, d), need not be of unit length. Raises ValueError if one is 0 or not finite or there is not
    one for each point.
    """
    points = check_finite(vectors, "vectors")
    _check_one_each(side, points)
    if not points.any(axis=1).all():
        raise ValueError("vectors has a vector of norm 0.0; expected non-zero vectors")
    check_rng(rng)
    queries, gallery = points[side.law.draw_anchors(rng)], points[side.law.draw_anchors(rng)]
    by_image = {f"image{depth}": image_hits(queries, gallery, depth) for depth in (1, 5)}
    return by_image | {f"label{depth}": label_hits(queries, gallery, side.labels, depth) for depth in (1, 5)}


def evaluation_generator() -> np.random.Generator:
    """The generator of every evaluation, so that all embeddings meet the same anchors and queries."""
    return np.random.default_rng(1102)


def run(setting: Setting, images: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """Train and measure one setting.

    Parameters
    ----------
    setting
        What to train.
    images, labels
        As in `split_digits`.

    Returns
    -------
    dict of float
        Measurements by name, in nats where they are risks; ``_se`` marks a standard error over anchors.
        ``slope_…`` is Λ of the linear class, whatever the kind.

    Raises
    ------
    ValueError
        As `split_digits` and `measure_side`, or if the setting's k is none of `RISK_SIZES`.
    """
    if check_instance(setting, Setting, "setting").k not in RISK_SIZES:
        raise ValueError(f"setting has k = {setting.k}; expected one of {RISK_SIZES}, for which the risk is measured")
    training, unseen = split_digits(images, labels, setting.kind)
    tuples, path = train_setting(setting, training)
    trained = embed(training.points, path[-1], OFFSET)
    losses = infonce_loss_from_embeddings(*(trained[part] for part in tuples), setting.temperature)
    row = {"empirical_risk": float(losses.mean() - np.log(setting.k))}
    for name, side in (("training", training), ("unseen", unseen)):
        vectors = trained if side is training else embed(side.points, path[-1], OFFSET)
        values = measure_side(side, vectors, setting.temperature, evaluation_generator())
        values["risk"] = values["ce"] + values[f"excess_{setting.k}"]
        for key in ("ce", "risk", "search"):
            row[f"{name}_{key}"], row[f"{name}_{key}_se"] = estimate_mean(values[key])
        row |= {f"{name}_{key}": float(value.mean()) for key, value in values.items() if key[:2] in ("kl", "tv", "ga")}
        row |= {f"{name}_{key}_largest": float(values[key].max()) for key in ("kl", "tv")}
        hit = recalls(side, vectors, evaluation_generator())
        row |= {f"{name}_{key}": float(value.mean()) for key, value in hit.items()}
    moved = [np.linalg.norm(end - start) for start, end in zip(path[0], path[-1])]
    moduli = linear_moduli(training.points, OFFSET)
    norms = [moduli[part] for part in tuples]
    for name, functional in (("expectile", expectile_functional), ("max", max_functional)):
        row[f"slope_{name}"] = root_mean_square_slope(*norms, setting.temperature, functional)
    return row | {"radius": float(np.linalg.norm(moved))}


def _check_kind(kind: str) -> str:
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; expected one of {', '.join(KINDS)}")
    return kind


def _finite_errors(densities: FloatArray, positives: FloatArray) -> dict[str, FloatArray]:
    result = {}
    for k in RISK_SIZES:
        ratios = densities.reshape(len(densities), -1, k).mean(axis=2)
        result[f"gap_{k}"] = -(np.log(ratios) - (ratios - 1.0)).mean(axis=1)
        own = np.resize(positives.T, (ratios.shape[1], len(positives))).T
        result[f"excess_{k}"] = (np.log(ratios + own / k) - (ratios - 1.0)).mean(axis=1)
    return result


def _check_one_each(side: Side, points: FloatArray) -> None:
    size = check_instance(side, Side, "side").law.size
    if points.ndim != 2 or len(points) != size:
        raise ValueError(f"vectors has shape {points.shape}; expected ({size}, d), one for each point of side")
