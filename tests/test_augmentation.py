"""Augmentations against scipy.ndimage, and the enumerated kernel against its definition."""

import numpy as np
import pytest
from scipy import ndimage

from infonce_theory import augmentation
from infonce_theory.augmentation import AugmentedImages, augment, augmentation_matrices
from infonce_theory.search_bounds import mean_kernel_peakedness

RNG = np.random.default_rng(1)
IMAGE = RNG.random((8, 8))


@pytest.mark.parametrize("shift", [-1.0, -0.5, 0.25, 2.0])
def test_shift_agrees_with_scipy(shift):
    maps = augmentation_matrices(8, [shift], [0.0])
    expected = ndimage.shift(IMAGE, (shift, shift), order=1, mode="grid-constant")
    np.testing.assert_allclose(augment(IMAGE.reshape(1, -1), maps)[0], expected.ravel(), atol=1e-12)


@pytest.mark.parametrize("degrees", [-12.0, 5.0, 90.0])
def test_rotation_agrees_with_scipy(degrees):
    maps = augmentation_matrices(8, [0.0], [degrees])
    expected = ndimage.rotate(IMAGE, degrees, reshape=False, order=1, mode="grid-constant")
    np.testing.assert_allclose(augment(IMAGE.reshape(1, -1), maps)[0], expected.ravel(), atol=1e-12)


def test_all_pairs_of_shifts_with_all_rotations_are_there_once():
    maps = augmentation_matrices(4, [-1.0, 0.0, 1.0], [-10.0, 0.0])
    assert maps.shape == (18, 16, 16)
    assert len(np.unique(maps.reshape(18, -1), axis=0)) == 18
    assert sum(np.array_equal(one, np.eye(16)) for one in maps) == 1
    down = augmentation_matrices(2, [0.0, 1.0], [0.0])[2] @ [1.0, 2.0, 3.0, 4.0]  # shift down only
    np.testing.assert_array_equal(down, [0.0, 0.0, 1.0, 2.0])


def test_augment_keeps_the_order_image_by_image():
    images, maps = RNG.random((3, 16)), RNG.random((2, 16, 16))
    expected = [matrix @ image for image in images for matrix in maps]
    np.testing.assert_allclose(augment(images, maps), expected, rtol=1e-12)


def test_the_space_is_the_kernel_of_the_definition():
    law = AugmentedImages(3, 2)
    space = law.finite_space()
    np.testing.assert_allclose(space.kernel, np.kron(np.eye(3), np.full((2, 2), 0.5)))
    np.testing.assert_allclose(space.density, law.density(np.arange(6)[:, None], np.arange(6)))
    assert mean_kernel_peakedness(space) == pytest.approx(3 - 1)


def test_samples_follow_the_kernel():
    law = AugmentedImages(3, 2)
    x, y, z = law.sample(np.random.default_rng(2), 60_000, 2)
    assert (law.image_of(x) == law.image_of(y)).all() and z.shape == (60_000, 2)
    pairs = np.bincount(6 * x + y, minlength=36).reshape(6, 6) / 60_000
    np.testing.assert_allclose(pairs, law.finite_space().kernel / 6, atol=4 * np.sqrt(1 / 12 / 60_000))
    np.testing.assert_allclose(np.bincount(z.ravel()) / z.size, 1 / 6, atol=0.006)
    anchors = law.draw_anchors(np.random.default_rng(3))
    np.testing.assert_array_equal(law.image_of(anchors), [0, 1, 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: augmentation_matrices(0, [0.0], [0.0]), "side"),
        (lambda: augmentation_matrices(8, [np.nan], [0.0]), "shifts"),
        (lambda: augmentation_matrices(8, [0.0], [np.inf]), "degrees"),
        (lambda: augment(np.zeros((2, 9)), np.zeros((1, 4, 4))), "matrices"),
        (lambda: augment(np.full((2, 4), np.nan), np.zeros((1, 4, 4))), "images"),
        (lambda: AugmentedImages(0, 2), "num_images"),
        (lambda: AugmentedImages(2, 1.5), "num_augmentations"),
        (lambda: AugmentedImages(2, 2).sample(np.random.default_rng(1), 3, 0), "k"),
        (lambda: augmentation_matrices(2, [[0.0]], [0.0]), "shifts has shape .* expected 1 dim"),
        (lambda: augmentation_matrices(2, [0.0], [[0.0]]), "degrees has shape .* expected 1 dim"),
        (lambda: augment(np.zeros((1, 2, 4)), np.zeros((1, 2, 2))), "images has shape .* expected 2 dim"),
        (lambda: augment(np.zeros((1, 2)), np.zeros((1, 2, 2, 1))), "matrices has shape .* expected 3 dim"),
        (lambda: AugmentedImages(2, 2).density([0, 1], [0, 1, 2]), "points has shape .* the shape of anchors"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_matrices_have_a_largest_size(monkeypatch):
    monkeypatch.setattr(augmentation, "LARGEST_SIZE", 2**2 * 3 * 4**4)
    assert augmentation_matrices(4, [0.0, 1.0], [0.0, 10.0, 20.0]).size == 2**2 * 3 * 4**4
    with pytest.raises(ValueError, match="side is 4, which needs 3072 numbers; expected at most 3071"):
        monkeypatch.setattr(augmentation, "LARGEST_SIZE", 2**2 * 3 * 4**4 - 1)
        augmentation_matrices(4, [0.0, 1.0], [0.0, 10.0, 20.0])


def test_size_of_the_matrices_counts_all_pairs_of_shifts(monkeypatch):
    monkeypatch.setattr(augmentation, "LARGEST_SIZE", 3**2 * 2**4 - 1)
    with pytest.raises(ValueError, match="needs 144 numbers"):
        augmentation_matrices(2, [-1.0, 0.0, 1.0], [0.0])


def test_each_image_draws_its_own_augmentation():
    anchors = AugmentedImages(50, 3).draw_anchors(np.random.default_rng(4))
    assert set(anchors % 3) == {0, 1, 2}
