"""The experiment: split without overlap, measurements against the exact numbers of a small space."""

import numpy as np
import pytest
from helpers import BOOK

from infonce_theory import digits
from infonce_theory.augmentation import AugmentedImages
from infonce_theory.digits import Setting, Side, measure_side, split_digits, split_images, train_setting
from infonce_theory.embeddings import pairwise_scores, random_embeddings
from infonce_theory.exact_risk import exact_excess
from infonce_theory.exact_search import search_cross_entropy
from infonce_theory.search_kernel import cross_entropy, search_kernel

DATA = np.load(BOOK / "data" / "digits.npz")
IMAGES, LABELS = DATA["images"], DATA["labels"]


def test_no_unseen_image_enters_training(monkeypatch):
    training, unseen = split_digits(IMAGES, LABELS)
    assert training.law.num_images + unseen.law.num_images == len(IMAGES)
    assert training.points.shape == (897 * 27, 64) and unseen.points.shape == (900 * 27, 64)
    changed = IMAGES.copy()
    parts = split_images(len(IMAGES))
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(len(IMAGES)))
    changed[parts[1]] = 16 - changed[parts[1]]
    again, different = split_digits(changed, LABELS)
    assert np.array_equal(again.points, training.points) and not np.allclose(different.points, unseen.points)
    monkeypatch.setattr(digits, "EPOCHS", 1)
    setting = Setting("linear", 2, 0.5, 0)
    assert np.array_equal(train_setting(setting, training)[1][-1][0], train_setting(setting, again)[1][-1][0])


def test_training_side_is_centred_and_scaled():
    training, _ = split_digits(IMAGES, LABELS)
    np.testing.assert_allclose(training.points.mean(axis=0), 0.0, atol=1e-12)
    assert (training.points**2).sum(axis=1).mean() == pytest.approx(1.0)
    rescaled, _ = split_digits(IMAGES, LABELS, "rescaled")
    ratios = np.linalg.norm(rescaled.points, axis=1) / np.linalg.norm(training.points, axis=1)
    by_image = ratios.reshape(897, 27)
    np.testing.assert_allclose(by_image, by_image[:, :1] * np.ones(27), rtol=1e-9)
    assert by_image.max() / by_image.min() > 5.0


@pytest.mark.parametrize("temperature", [0.2, 1.0])
def test_measurements_agree_with_the_exact_space(temperature, monkeypatch):
    monkeypatch.setattr(digits, "SEARCHED", 16)
    law, rng = AugmentedImages(8, 3), np.random.default_rng(4)
    vectors = random_embeddings(rng, law.size, 3)
    space, scores = law.finite_space(), pairwise_scores(vectors)
    side = Side(law, vectors, np.arange(8))
    found = [measure_side(side, vectors, temperature, np.random.default_rng(seed)) for seed in range(40)]
    means = {name: np.array([part[name].mean() for part in found]) for name in found[0]}
    exact = {"ce": cross_entropy(space, scores, temperature)}
    exact["search"] = search_cross_entropy(space, scores, temperature, 16)
    search = search_kernel(scores, space.weights, temperature)
    exact["kl"] = (space.weights[:, None] * search * np.log(search * law.size)).sum()
    exact["tv"] = 0.5 * np.abs(search - 1 / law.size).sum(axis=1).mean()
    for k in (1, 4, 16, 64):
        exact[f"gap_{k}"] = -exact_excess(space, scores, temperature, k, 0)
        exact[f"excess_{k}"] = exact_excess(space, scores, temperature, k, 1)
    for name, value in exact.items():
        error = means[name].std(ddof=1) / np.sqrt(len(found))
        assert abs(means[name].mean() - value) <= 4 * error, name


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("cubic", 1, 0.1, 0), "kind"), (("linear", 0, 0.1, 0), "k"), (("linear", 1, 0.0, 0), "temperature"), (("linear", 1, 0.1, -1), "seed")],
)
def test_bad_settings_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        Setting(*arguments)


def test_parameters_have_the_shapes_of_their_class():
    shapes = {kind: [table.shape for table in digits.start_of(Setting(kind, 1, 0.1, 0))[0]] for kind in ("linear", "network")}
    assert shapes == {"linear": [(16, 64)], "network": [(64, 64), (16, 64)]}


def test_each_point_of_a_side_needs_one_vector():
    side = split_digits(IMAGES, LABELS)[0]
    for vectors in (np.ones((side.law.size - 1, 2)), np.ones(side.law.size)):
        with pytest.raises(ValueError, match="vectors has shape"):
            digits.recalls(side, vectors, np.random.default_rng(0))


def test_a_setting_holds_plain_numbers():
    setting = Setting("linear", np.int64(4), np.float32(0.5), np.int64(0))
    assert [type(value) for value in (setting.k, setting.temperature, setting.seed)] == [int, float, int]


def test_a_split_needs_an_unseen_image():
    assert [part.size for part in split_images(898)] == [897, 1]
    with pytest.raises(ValueError, match="num_images is 897; expected an integer >= 898"):
        split_images(897)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((900, 64), r"images has shape \(900, 64\); expected 3 dim"),
        ((900, 7, 7), r"images has shape \(900, 7, 7\); expected \(n, 8, 8\)"),
        ((897, 8, 8), r"images has shape \(897, 8, 8\); expected \(n, 8, 8\) with n > 897"),
        ((898, 8, 8), "images has training images that are all blank"),
    ],
)
def test_images_that_cannot_be_split_are_named(shape, message):
    with pytest.raises(ValueError, match=message):
        split_digits(np.zeros(shape), np.zeros(shape[0]))


def test_all_parameters_start_at_one_scale():
    for table in digits.start_of(Setting("network", 1, 0.1, 0))[0]:
        assert table.std() == pytest.approx(0.3, rel=0.1)


def small_side():
    law = AugmentedImages(4, 3)
    return Side(law, random_embeddings(np.random.default_rng(4), law.size, 3), np.arange(4))


def test_the_lowest_temperature_is_measured(monkeypatch):
    monkeypatch.setattr(digits, "SEARCHED", 16)
    side = small_side()
    found = measure_side(side, side.points, 0.003, np.random.default_rng(0))
    assert all(np.isfinite(values).all() for values in found.values())
    with pytest.raises(ValueError, match="temperature is 0.0029; expected at least 0.003"):
        measure_side(side, side.points, 0.0029, np.random.default_rng(0))


def test_one_vector_of_norm_zero_is_refused():
    side = small_side()
    vectors = side.points.copy()
    vectors[5] = 0.0
    with pytest.raises(ValueError, match="vectors has a vector of norm 0.0"):
        digits.recalls(side, vectors, np.random.default_rng(0))


def test_a_run_measures_both_sides(monkeypatch):
    for name, value in (("NUM_TRAINING", 30), ("NUM_TUPLES", 50), ("EPOCHS", 1), ("RISK_SIZES", (1, 4)), ("SEARCHED", 4)):
        monkeypatch.setattr(digits, name, value)
    row = digits.run(Setting("linear", 4, 0.5, 0), IMAGES[:40], LABELS[:40])
    for side in ("training", "unseen"):
        assert {f"{side}_{name}" for name in ("kl", "tv", "gap_1", "gap_4", "search_se")} <= set(row)
        assert not {f"{side}_excess_{k}" for k in (1, 4)} & set(row)
