"""Training an embedding by minibatches: the gradient of the loss, through the embedding, into Adam.

There is no autodiff. `loss_gradient` gives the gradient at the embedded points (``thm-gateaux-loss``);
here it is pulled back to the parameters of the linear class, ``(W,)``, or of the network class,
``(W₁, W₂)``. Tuples are triples of index arrays: anchors (n,), positives (n,), negatives (n, k).
"""

import reprlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from infonce_theory._validation import (
    FloatArray,
    check_alpha,
    check_finite,
    check_flag,
    check_indices,
    check_positive,
    check_rng,
    check_size,
    check_temperature,
)
from infonce_theory.embedding_classes import linear_embeddings, tanh_embeddings
from infonce_theory.gradient import LossGradient, loss_gradient

Parameters = tuple[FloatArray, ...]
Tuples = tuple[np.ndarray, np.ndarray, np.ndarray]


def embed(points: ArrayLike, parameters: Parameters, offset: float) -> FloatArray:
    """Embed points by the linear class (one matrix) or the network class (two) (``lem-class-moduli``).

    Parameters
    ----------
    points
        Data, shape (m, q).
    parameters
        ``(W,)`` or ``(W₁, W₂)``.
    offset
        Last coordinate r > 0 before normalisation.

    Returns
    -------
    FloatArray
        Unit vectors, shape (m, d).

    Raises
    ------
    ValueError
        If there are neither one nor two matrices, a value is not finite, a shape does not fit or r <= 0.
    """
    matrices = _check_parameters(parameters)
    function = linear_embeddings if len(matrices) == 1 else tanh_embeddings
    return function(points, *matrices, offset)


def pull_back(points: ArrayLike, parameters: Parameters, gradients: ArrayLike, offset: float) -> Parameters:
    """Gradient with respect to the parameters, from that with respect to the embedded points.

    Parameters
    ----------
    points, parameters, offset
        As in `embed`.
    gradients
        Gradient of a function of the embedded points, shape (m, d).

    Returns
    -------
    tuple of FloatArray
        Gradients in the shapes of the parameters.

    Raises
    ------
    ValueError
        As `embed`, or if `gradients` has another shape than the embedded points.
    """
    data, outer = check_finite(points, "points", ndim=2), check_finite(gradients, "gradients", ndim=2)
    matrices = _check_parameters(parameters)
    vectors = embed(data, matrices, offset)
    if outer.shape != vectors.shape:
        raise ValueError(f"gradients has shape {outer.shape}; expected {vectors.shape}, one row for each point")
    # φ = v/‖v‖ with v = (u, r): what is tangent, over the length ‖v‖ = r/φ_d, without the last coordinate
    tangent = outer - (outer * vectors).sum(axis=1, keepdims=True) * vectors
    before = tangent[:, :-1] * (vectors[:, -1:] / check_positive(offset, "offset"))
    if len(matrices) == 1:
        return (before.T @ data,)
    first, second = matrices
    hidden = np.tanh(data @ first.T)
    return ((before @ second) * (1.0 - hidden**2)).T @ data, before.T @ hidden


def batch_gradient(
    points: FloatArray,
    tuples: Tuples,
    parameters: Parameters,
    offset: float,
    temperature: float,
    alpha: int = 1,
    *,
    extrapolated: bool = False,
) -> tuple[FloatArray, Parameters]:
    """Losses of a batch, and the gradient of their mean with respect to the parameters (``thm-gateaux-loss``).

    Parameters
    ----------
    points
        Data, shape (m, q).
    tuples
        Indices of anchors, positives and negatives.
    parameters, offset
        As in `embed`.
    temperature
        Temperature τ > 0.
    alpha
        1 for InfoNCE, 0 for the negatives-only form.
    extrapolated
        True for twice the centred loss less the mean of those with each half of the negatives
        (``prop-extrapolation``). It costs no more scores; k is then even.

    Returns
    -------
    losses : FloatArray
        Centred losses ℓ - log k in nats, shape (n,).
    gradients : tuple of FloatArray
        Gradients in the shapes of the parameters.

    Raises
    ------
    ValueError
        As `embed` and `loss_gradient`, or if k is odd and the loss is to be extrapolated.
    """
    data = check_finite(points, "points", ndim=2)
    checked = _check_tuples(tuples, len(data))
    if check_flag(extrapolated, "extrapolated") and checked[2].shape[1] % 2:
        raise ValueError(f"tuples has {checked[2].shape[1]} negatives; expected an even number, to halve them")
    return _batch_gradient(data, checked, parameters, offset, temperature, alpha, extrapolated)


def _batch_gradient(
    points: FloatArray,
    tuples: Tuples,
    parameters: Parameters,
    offset: float,
    temperature: float,
    alpha: int,
    extrapolated: bool,
) -> tuple[FloatArray, Parameters]:
    # without the checks of the points and tuples, which would cost more than a small batch
    anchors, positives, negatives = tuples
    n, k = negatives.shape
    data = points[np.concatenate([anchors, positives, negatives.ravel()])]
    vectors = embed(data, parameters, offset)
    x, y, z = vectors[:n], vectors[n : 2 * n], vectors[2 * n :].reshape(n, k, -1)
    found = _centred(x, y, z, temperature, alpha)
    if extrapolated:
        found = _extrapolate(found, [_centred(x, y, half, temperature, alpha) for half in np.split(z, 2, axis=1)])
    outer = np.concatenate([found.anchors, found.positives, found.negatives.reshape(n * k, -1)])
    return found.losses, pull_back(data, parameters, outer, offset)


def train(
    points: FloatArray,
    tuples: Tuples,
    parameters: Parameters,
    rng: np.random.Generator,
    *,
    offset: float,
    temperature: float,
    epochs: int,
    batch: int,
    learning_rate: float,
    alpha: int = 1,
    extrapolated: bool = False,
) -> Iterator[Parameters]:
    """Minimise the empirical risk of fixed tuples by Adam; yield the parameters after each epoch.

    Parameters
    ----------
    points, tuples, parameters, offset, temperature, alpha, extrapolated
        As in `batch_gradient`; `parameters` is the start.
    rng
        Source of the order of the tuples.
    epochs
        Passes over the tuples, at least 1.
    batch
        Tuples of one step, at least 1.
    learning_rate
        Step of Adam > 0; it falls linearly to 0 over the run.

    Yields
    ------
    tuple of FloatArray
        Parameters, which the caller may keep.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    data, start = check_finite(points, "points", ndim=2), _check_parameters(parameters)
    chosen = _check_tuples(tuples, len(data))
    if check_flag(extrapolated, "extrapolated") and chosen[2].shape[1] % 2:
        raise ValueError(f"tuples has {chosen[2].shape[1]} negatives; expected an even number, to halve them")
    options = check_positive(offset, "offset"), check_temperature(temperature), check_alpha(alpha), extrapolated
    run = check_size(epochs, "epochs"), check_size(batch, "batch"), check_positive(learning_rate, "learning_rate")
    return _adam(data, chosen, start, check_rng(rng), options, *run)


def _adam(
    points: FloatArray,
    tuples: Tuples,
    parameters: Parameters,
    rng: np.random.Generator,
    options: tuple[float, float, int, bool],
    passes: int,
    size: int,
    rate: float,
) -> Iterator[Parameters]:
    count = len(tuples[0])
    now, moments, step = parameters, [(0.0, 0.0)] * len(parameters), 0
    total = passes * -(-count // size)
    for _ in range(passes):
        order = rng.permutation(count)
        for start in range(0, count, size):
            rows = order[start : start + size]
            chosen = tuple(part[rows] for part in tuples)
            _, slopes = _batch_gradient(points, chosen, now, *options)
            moments = [(0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2) for (m, v), g in zip(moments, slopes)]
            length, step = rate * (1.0 - step / total), step + 1
            scales = length / (1.0 - 0.9**step), 1.0 - 0.99**step
            now = tuple(w - scales[0] * m / (np.sqrt(v / scales[1]) + 1e-8) for w, (m, v) in zip(now, moments))
        yield now


def _centred(x: FloatArray, y: FloatArray, z: FloatArray, temperature: float, alpha: int) -> LossGradient:
    found = loss_gradient(x, y, z, temperature, alpha)
    return found._replace(losses=found.losses - np.log(z.shape[1]))


def _extrapolate(whole: LossGradient, halves: list[LossGradient]) -> LossGradient:
    # each part of the result but the negatives' is 2·whole - mean(halves); each negative is in one half only
    parts = [2.0 * whole[i] - 0.5 * (halves[0][i] + halves[1][i]) for i in range(3)]
    return LossGradient(*parts, 2.0 * whole[3] - 0.5 * np.concatenate([halves[0][3], halves[1][3]], axis=1))


def _check_parameters(parameters: Parameters) -> Parameters:
    """Return one or two matrices. Raises ValueError for anything else."""
    if not isinstance(parameters, (tuple, list)) or len(parameters) not in (1, 2):
        raise ValueError(f"parameters is {reprlib.repr(parameters)}; expected 1 (linear) or 2 (network) matrices")
    return tuple(check_finite(matrix, f"parameters[{i}]", ndim=2) for i, matrix in enumerate(parameters))


def _check_tuples(tuples: Tuples, size: int) -> Tuples:
    """Return indices of anchors (n,), positives (n,) and negatives (n, k) among `size` points, or raise ValueError."""
    if not isinstance(tuples, (tuple, list)) or len(tuples) != 3:
        raise ValueError(f"tuples is {reprlib.repr(tuples)}; expected indices of anchors, positives and negatives")
    parts = tuple(check_indices(part, f"tuples[{i}]", size, ndim) for i, (part, ndim) in enumerate(zip(tuples, (1, 1, 2))))
    if not len(parts[0]) == len(parts[1]) == len(parts[2]):
        raise ValueError(f"tuples has {len(parts[0])}, {len(parts[1])} and {len(parts[2])} rows; expected one n")
    return parts
