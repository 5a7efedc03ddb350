"""Gradients against complex steps of the definition, high precision, exact enumeration and memory limits."""

import tracemalloc
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infonce_theory.embeddings import circle_embedding, pairwise_scores, random_embeddings
from infonce_theory.gradient import cross_entropy_gradient, directional_derivative, loss_gradient, tangent_part
from infonce_theory.loss import infonce_loss
from infonce_theory.search_kernel import cross_entropy
from infonce_theory.spaces import FiniteSpace, ring_angles, ring_space, two_point_space

STEP = 1e-40


def complex_losses(anchors, positives, negatives, temperature, alpha):
    """Losses of complex vectors, analytic in them: the inner product has no conjugate, the shift is real."""
    own = np.sum(anchors * positives, axis=-1)
    others = np.sum(anchors[:, None] * (negatives[None] if negatives.ndim == 2 else negatives), axis=-1)
    logits = np.concatenate([np.zeros((len(own), alpha)), (others - own[:, None]) / temperature], axis=1)
    shift = logits.real.max(axis=1)
    return shift + np.log(np.exp(logits - shift[:, None]).sum(axis=1))


def complex_step(points, directions, temperature, alpha):
    moved = [point + 1j * STEP * direction for point, direction in zip(points, directions)]
    return complex_losses(*moved, temperature, alpha).imag / STEP


def tuples(rng, n, k, d, shared=False):
    negatives = random_embeddings(rng, k if shared else n * k, d)
    return random_embeddings(rng, n, d), random_embeddings(rng, n, d), negatives.reshape((k, d) if shared else (n, k, d))


def displaced(rng, points):
    return tuple(rng.standard_normal(point.shape) for point in points)


def special_tuples(k):
    """Ties, parallel and antipodal points in the plane, with k negatives."""
    north, south, east = np.array([0.0, 1.0]), np.array([0.0, -1.0]), np.array([1.0, 0.0])
    for own, other in product((north, south, east), repeat=2):
        yield north[None], own[None], np.tile(other, (1, k, 1))
    yield north[None], south[None], np.concatenate([np.tile(south, (k, 1)), north[None]])[None]


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("temperature", [0.01, 0.3, 20.0])
@pytest.mark.parametrize("shared", [False, True])
def test_directional_derivative_is_the_complex_step(alpha, temperature, shared):
    rng = np.random.default_rng(1)
    for k in (1, 7, 10_000):
        points = tuples(rng, 5, k, 4, shared)
        directions = displaced(rng, points)
        derived = directional_derivative(*points, directions, temperature, alpha)
        reference = complex_step(points, directions, temperature, alpha)
        assert np.abs(derived - reference).max() < 1e-12 / temperature


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("temperature", [0.01, 1.0])
def test_ties_parallel_and_antipodal_points(alpha, temperature):
    rng = np.random.default_rng(2)
    for points in special_tuples(6):
        directions = displaced(rng, points)
        derived = directional_derivative(*points, directions, temperature, alpha)
        reference = complex_step(points, directions, temperature, alpha)
        assert np.abs(derived - reference).max() < 1e-12 / temperature


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("chunk_bytes", [8, 200, 2**24])
def test_gradient_pairs_with_every_direction(alpha, shared, chunk_bytes):
    rng = np.random.default_rng(3)
    points = tuples(rng, 6, 9, 3, shared)
    gradient = loss_gradient(*points, 0.2, alpha, chunk_bytes=chunk_bytes)
    for _ in range(5):
        directions = displaced(rng, points)
        paired = sum(np.sum(g * h) for g, h in zip(gradient[1:], directions))
        assert paired == pytest.approx(complex_step(points, directions, 0.2, alpha).mean(), rel=1e-12, abs=1e-12)
        derivatives = directional_derivative(*points, directions, 0.2, alpha, chunk_bytes=chunk_bytes)
        assert derivatives.mean() == pytest.approx(paired, abs=1e-12)


@pytest.mark.parametrize("alpha", [0, 1])
def test_losses_come_with_the_gradient(alpha):
    points = tuples(np.random.default_rng(4), 4, 5, 3)
    scores = [np.einsum("nd,nd->n", points[0], points[1]), np.einsum("nd,nkd->nk", points[0], points[2])]
    np.testing.assert_allclose(loss_gradient(*points, 0.1, alpha).losses, infonce_loss(*scores, 0.1, alpha), rtol=1e-13)


def test_shared_negatives_have_the_sum_of_the_gradients_of_their_copies():
    points = tuples(np.random.default_rng(5), 4, 6, 3, shared=True)
    shared = loss_gradient(*points, 0.3)
    own = loss_gradient(*points[:2], np.tile(points[2], (4, 1, 1)), 0.3)
    np.testing.assert_allclose(shared.negatives, own.negatives.sum(axis=0), atol=1e-15)
    np.testing.assert_allclose(shared.anchors, own.anchors, atol=1e-15)


def test_a_converged_tuple_keeps_the_relative_accuracy_of_its_gradient():
    anchor, negative = np.array([[1.0, 0.0]]), np.array([[[-1.0, 0.0], [0.0, 1.0]]])
    gradient = loss_gradient(anchor, anchor, negative, 0.02)
    with mpmath.workdps(60):
        terms = [mpmath.exp(mpmath.mpf(s) / mpmath.mpf(0.02)) for s in (-2, -1)]
        weight = terms[1] / (1 + sum(terms))
    assert gradient.negatives[0, 1, 0] == pytest.approx(float(weight / mpmath.mpf(0.02)), rel=1e-12, abs=0.0)
    assert 0.0 < gradient.negatives[0, 1, 0] < 1e-19


@pytest.mark.parametrize("temperature", [1e-3, 1e3])
def test_extreme_temperatures_stay_finite(temperature):
    points = tuples(np.random.default_rng(6), 5, 8, 3)
    for alpha in (0, 1):
        assert all(np.isfinite(part).all() for part in loss_gradient(*points, temperature, alpha))


def test_memory_stays_within_the_chunk_and_the_result():
    points = tuples(np.random.default_rng(7), 500, 4000, 4, shared=True)
    tracemalloc.start()
    loss_gradient(*points, 0.2, chunk_bytes=2**18)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22 < 500 * 4000 * 8


def test_memory_of_own_negatives_is_that_of_the_result():
    points = tuples(np.random.default_rng(8), 100, 500, 16)
    tracemalloc.start()
    loss_gradient(*points, 0.2, chunk_bytes=2**16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * points[2].nbytes


def complex_cross_entropy(space, embeddings, temperature):
    """The target of a complex embedding, from its definition."""
    logits = embeddings @ embeddings.T / temperature
    log_partition = np.log(np.exp(logits) @ space.weights)
    return -space.weights @ (space.kernel * (logits - log_partition[:, None])).sum(axis=1)


@pytest.mark.parametrize("temperature", [0.05, 0.5, 5.0])
def test_target_gradient_is_the_complex_step(temperature):
    rng, space = np.random.default_rng(9), ring_space(7)
    points = random_embeddings(rng, 7, 3)
    gradient = cross_entropy_gradient(space, points, temperature)
    for _ in range(4):
        h = rng.standard_normal(points.shape)
        reference = complex_cross_entropy(space, points + 1j * STEP * h, temperature).imag / STEP
        assert np.sum(gradient * h) == pytest.approx(reference, rel=1e-12, abs=1e-12 / temperature)


def test_complex_target_is_the_target():
    space, points = ring_space(7), random_embeddings(np.random.default_rng(10), 7, 3)
    target = cross_entropy(space, pairwise_scores(points), 0.3)
    assert complex_cross_entropy(space, points, 0.3) == pytest.approx(target, rel=1e-13, abs=0.0)


def test_target_gradient_vanishes_where_the_search_is_the_kernel():
    angles = np.array([0.0, 0.7, 2.0, 3.1])
    points, weights = circle_embedding(angles), np.array([0.4, 0.3, 0.2, 0.1])
    masses = weights * np.exp(pairwise_scores(points) / 0.4)
    space = FiniteSpace(weights, masses / masses.sum(axis=1, keepdims=True))
    assert np.abs(cross_entropy_gradient(space, points, 0.4)).max() < 1e-15
    assert np.abs(cross_entropy_gradient(space, points, 0.5)).max() > 1e-3


def test_descent_along_the_gradient_of_the_target_lowers_it():
    space, points, before = ring_space(12), circle_embedding(ring_angles(12)), np.inf
    for _ in range(50):
        step = points - 0.5 * tangent_part(cross_entropy_gradient(space, points, 0.5), points)
        points = step / np.linalg.norm(step, axis=1, keepdims=True)
        value = cross_entropy(space, pairwise_scores(points), 0.5)
        assert value < before
        before = value


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_tangent_part_is_an_orthogonal_projection(d, seed):
    rng = np.random.default_rng(seed)
    points, v = random_embeddings(rng, 4, d), rng.standard_normal((4, d))
    tangent = tangent_part(v, points)
    assert np.abs((tangent * points).sum(axis=1)).max() < 1e-14
    np.testing.assert_allclose(tangent_part(tangent, points), tangent, atol=1e-14)
    assert np.abs(((v - tangent) * tangent).sum(axis=1)).max() < 1e-14


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"anchors": 2.0 * np.eye(3)}, "anchors"),
        ({"positives": np.eye(3)[:2]}, "positives"),
        ({"negatives": np.eye(4)}, "negatives"),
        ({"negatives": np.full((3, 2, 3), np.nan)}, "negatives"),
        ({"temperature": 0.0}, "temperature"),
        ({"alpha": 2}, "alpha"),
        ({"chunk_bytes": 1}, "chunk_bytes"),
    ],
)
def test_bad_tuples_are_named(change, complaint):
    arguments = {"anchors": np.eye(3), "positives": np.eye(3), "negatives": np.eye(3), "temperature": 1.0, **change}
    with pytest.raises(ValueError, match=complaint):
        loss_gradient(**arguments)


@pytest.mark.parametrize(
    "directions",
    [None, (np.eye(3), np.eye(3)), (np.eye(3), np.eye(3), np.eye(2)), (np.eye(3), np.eye(3), np.full((3, 3), np.inf))],
)
def test_bad_directions_are_named(directions):
    with pytest.raises(ValueError, match="directions"):
        directional_derivative(np.eye(3), np.eye(3), np.eye(3), directions, 1.0)


def test_bad_points_of_the_target_are_named():
    with pytest.raises(ValueError, match="embeddings"):
        cross_entropy_gradient(two_point_space(0.5), np.eye(3), 1.0)
    with pytest.raises(ValueError, match="vectors"):
        tangent_part(np.ones((2, 3)), np.eye(3))


def single(points):
    return tuple(point.astype(np.float32) for point in points)


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("temperature", [0.01, 0.1, 5.0])
@pytest.mark.parametrize("chunk_bytes", [64, 2**12, 2**24])
def test_single_precision_is_the_complex_step_to_its_rounding(alpha, shared, temperature, chunk_bytes):
    points = single(tuples(np.random.default_rng(11), 70, 90, 16, shared))
    found = loss_gradient(*points, temperature, alpha, chunk_bytes=chunk_bytes)
    assert {part.dtype for part in found} == {np.dtype(np.float32)}
    exact = tuple(point.astype(float) for point in points)  # the same numbers
    losses = complex_losses(*(point.astype(complex) for point in exact), temperature, alpha).real
    # in units of 2^-24: rounding of the result, of the sum, and of some scores of size 1/τ
    assert np.abs(found.losses - losses).max() <= 2.0**-24 * (losses.max() + 2.0 + 8.0 / temperature)
    assert found.losses.mean(dtype=float) == pytest.approx(losses.mean(), rel=1e-6, abs=0.0)
    scale = np.abs(loss_gradient(*exact, temperature, alpha).anchors).sum()
    for _ in range(3):
        directions = displaced(np.random.default_rng(12), exact)
        paired = sum(np.sum(g * h, dtype=float) for g, h in zip(found[1:], directions))
        assert abs(paired - complex_step(exact, directions, temperature, alpha).mean()) < 3e-7 * scale * (1.0 + 1.0 / temperature)


def test_the_result_is_single_only_if_all_points_are():
    double = tuples(np.random.default_rng(13), 3, 4, 5)
    for which in range(3):
        mixed = list(single(double))
        mixed[which] = double[which]
        assert {part.dtype for part in loss_gradient(*mixed, 0.2)} == {np.dtype(np.float64)}
    basis = np.eye(3, dtype=int), np.eye(3, dtype=np.float16), np.eye(3, dtype=np.float32)
    assert loss_gradient(*basis, 0.2).losses.dtype == np.float64
    points, directions = single(double), displaced(np.random.default_rng(14), double)
    derived = directional_derivative(*points, directions, 0.2)
    exact = directional_derivative(*(point.astype(float) for point in points), directions, 0.2)
    assert derived.dtype == np.float64
    assert np.abs(derived - exact).max() < 1e-5
    assert tangent_part(points[0], points[0]).dtype == np.float32
    with pytest.raises(ValueError, match="temperature is 1e-31; expected at least 1e-30 for points in float32"):
        loss_gradient(*points, 1e-31)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("chunk_bytes", [64, 2**24])
@pytest.mark.parametrize("alpha", [0, 1])
def test_the_lowest_temperatures_leave_finite_gradients(dtype, chunk_bytes, alpha):
    points = [point.astype(dtype) for point in tuples(np.random.default_rng(16), 20, 30, 4, True)]
    temperature = 1e-30 if dtype == np.float32 else 1e-100
    found = loss_gradient(*points, temperature, alpha, chunk_bytes=chunk_bytes)
    assert all(np.isfinite(part).all() for part in found)
    # one negative has all the weight, and the gradient at the anchor is (z - y)/(nτ) or, for α = 1, 0
    scores, own = points[0] @ points[2].T, (points[0] * points[1]).sum(axis=1)
    nearest = points[2][scores.argmax(axis=1)] - points[1]
    expected = np.where((scores.max(axis=1) > own)[:, None] | (alpha == 0), nearest, 0.0) / 20
    np.testing.assert_allclose(found.anchors * temperature, expected, atol=1e-6 if dtype == np.float32 else 1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shared", [False, True])
def test_chunks_leave_the_value_alone_and_bound_the_memory(dtype, shared):
    n, k, d = (600, 5000, 8) if shared else (300, 400, 8)
    points = tuple(point.astype(dtype) for point in tuples(np.random.default_rng(15), n, k, d, shared))
    whole = loss_gradient(*points, 0.1, chunk_bytes=2**28)
    results = sum(part.nbytes for part in whole)
    for chunk_bytes in (2**15, 2**18):  # 2^15 holds no row of scores: two passes
        tracemalloc.start()
        found = loss_gradient(*points, 0.1, chunk_bytes=chunk_bytes)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # anchors, positives and the sums of a block over its negatives come on top
        assert peak < results + chunk_bytes + 6 * points[0].nbytes + points[2].nbytes * shared + 2**17
        for part, other in zip(found, whole):
            assert np.abs(part - other).max() <= 40 * np.finfo(dtype).eps * np.abs(other).max()


@pytest.mark.parametrize("shape", [(4,), (2, 3, 4)])
def test_tangent_parts_are_taken_along_the_last_axis(shape):
    rng = np.random.default_rng(9)
    vectors, points = rng.normal(size=shape), rng.normal(size=shape)
    points /= np.sqrt((points**2).sum(axis=-1, keepdims=True))
    found = tangent_part(vectors, points)
    for place in np.ndindex(shape[:-1]):
        v, p = vectors[place], points[place]
        assert found[place] == pytest.approx(v - sum(v * p) * p, abs=1e-14)
