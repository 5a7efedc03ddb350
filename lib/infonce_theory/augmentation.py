"""Real images as a data space: π draws an augmented image, M augments the anchor's image again.

The augmentations are a finite set of linear maps of the pixels, so that π and M are enumerable.
Given n images and g augmentations, the point i·g + j is augmentation j of image i.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    LARGEST_SIZE,
    FloatArray,
    check_broadcast,
    check_finite,
    check_indices,
    check_rng,
    check_size,
)
from infonce_theory.spaces import FiniteSpace


def augmentation_matrices(side: int, shifts: ArrayLike, degrees: ArrayLike) -> FloatArray:
    """Matrices that rotate a square image about its centre and then shift it, by bilinear interpolation.

    Parameters
    ----------
    side
        Number of pixels along one side.
    shifts
        Shifts in pixels; all pairs (down, right) of them are used, shape (a,).
    degrees
        Angles of rotation in degrees, shape (b,).

    Returns
    -------
    FloatArray
        Matrices for flattened images, shape (a²b, side², side²). Outside of the image all is 0.

    Raises
    ------
    ValueError
        If `side` is below 1, a shift or an angle is not finite, or the matrices would exceed `LARGEST_SIZE` numbers.
    """
    length = check_size(side, "side")
    moves, angles = check_finite(shifts, "shifts", ndim=1), np.deg2rad(check_finite(degrees, "degrees", ndim=1))
    if (numbers := moves.size**2 * angles.size * length**4) > LARGEST_SIZE:
        raise ValueError(f"side is {length}, which needs {numbers} numbers; expected at most {LARGEST_SIZE}")
    grid = np.indices((length, length)).reshape(2, -1) - (length - 1) / 2  # row and column, from the centre
    pairs = np.stack(np.meshgrid(moves, moves, indexing="ij"), axis=-1).reshape(-1, 2)
    turns = np.stack([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]]).transpose(2, 0, 1)
    back = grid - pairs[:, None, :, None]  # where each pixel was before the shift
    sources = np.einsum("bij,apjq->apbiq", turns, back)[:, 0] + (length - 1) / 2
    hats = np.maximum(1.0 - np.abs(sources[..., None] - np.arange(length)), 0.0)
    matrices = hats[:, :, 0, :, :, None] * hats[:, :, 1, :, None, :]
    return matrices.reshape(-1, length**2, length**2)


def augment(images: ArrayLike, matrices: ArrayLike) -> FloatArray:
    """Apply every augmentation to every image.

    Parameters
    ----------
    images
        Flattened images, shape (n, pixels).
    matrices
        Augmentations, shape (g, pixels, pixels).

    Returns
    -------
    FloatArray
        Augmented images, shape (n·g, pixels), image by image.

    Raises
    ------
    ValueError
        If a value is not finite or the shapes do not fit.
    """
    data, maps = check_finite(images, "images", ndim=2), check_finite(matrices, "matrices", ndim=3)
    if maps.shape[1:] != (data.shape[1], data.shape[1]):
        raise ValueError(f"matrices has shape {maps.shape}; expected (g, {data.shape[1]}, {data.shape[1]})")
    return np.einsum("gij,nj->ngi", maps, data, optimize=True).reshape(-1, data.shape[1])


@dataclass(frozen=True)
class AugmentedImages:
    """The law π of a uniform augmentation of a uniform image, and the kernel M that augments again.

    Parameters
    ----------
    num_images
        Number n of images.
    num_augmentations
        Number g of augmentations.

    Raises
    ------
    ValueError
        If a number is below 1.
    """

    num_images: int
    num_augmentations: int

    def __post_init__(self) -> None:
        for name in ("num_images", "num_augmentations"):
            object.__setattr__(self, name, check_size(getattr(self, name), name))

    @property
    def size(self) -> int:
        """Number n·g of points."""
        return self.num_images * self.num_augmentations

    def image_of(self, points: ArrayLike) -> np.ndarray:
        """Image from which each of the points, given as indices, is made. Raises ValueError for other indices."""
        return check_indices(points, "points", self.size) // self.num_augmentations

    def density(self, anchors: ArrayLike, points: ArrayLike) -> FloatArray:
        """m(x, y) of index arrays that broadcast: n where both are made from one image, 0 elsewhere.

        Raises ValueError for other indices.
        """
        first, second = check_indices(anchors, "anchors", self.size), check_indices(points, "points", self.size)
        check_broadcast(first, second, ("anchors", "points"))
        same = first // self.num_augmentations == second // self.num_augmentations
        return np.where(same, float(self.num_images), 0.0)

    def finite_space(self) -> FiniteSpace:
        """The same space with its m × m kernel written out; for few images."""
        points = np.arange(self.size)
        kernel = self.density(points[:, None], points) / self.size
        return FiniteSpace(np.full(self.size, 1.0 / self.size), kernel)

    def draw_anchors(self, rng: np.random.Generator) -> np.ndarray:
        """One random augmentation of each image, as indices, shape (n,). Raises ValueError if `rng` is no generator."""
        steps = check_rng(rng).integers(self.num_augmentations, size=self.num_images)
        return np.arange(self.num_images) * self.num_augmentations + steps

    def sample(self, rng: np.random.Generator, num_tuples: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw independent tuples (x, x⁺, x⁻_1, …, x⁻_k) as indices of shape (n,), (n,) and (n, k).

        Raises
        ------
        ValueError
            If `num_tuples` or `k` is below 1, or `rng` is no generator.
        """
        count, negatives = check_size(num_tuples, "num_tuples"), check_size(k, "k")
        anchors = check_rng(rng).integers(self.size, size=count)
        again = rng.integers(self.num_augmentations, size=count)
        positives = self.image_of(anchors) * self.num_augmentations + again
        return anchors, positives, rng.integers(self.size, size=(count, negatives))
