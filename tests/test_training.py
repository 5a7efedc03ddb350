"""The gradient through both classes against complex steps; training against what it promises."""

import numpy as np
import pytest

from infonce_theory.loss import infonce_loss_from_embeddings
from infonce_theory.training import batch_gradient, embed, pull_back, train

RNG = np.random.default_rng(7)
POINTS = RNG.normal(size=(30, 6))
TUPLES = RNG.integers(30, size=5), RNG.integers(30, size=5), RNG.integers(30, size=(5, 4))
LINEAR = (0.4 * RNG.normal(size=(3, 6)),)
NETWORK = 0.4 * RNG.normal(size=(5, 6)), 0.4 * RNG.normal(size=(3, 5))
OFFSET, TEMPERATURE = 0.7, 0.3


def complex_loss(parameters, alpha, columns=slice(None)):
    """Mean centred loss, written without the library and analytic in the parameters."""
    values = POINTS @ parameters[0].T
    if len(parameters) == 2:
        values = np.tanh(values) @ parameters[1].T
    vectors = np.concatenate([values, np.full((len(values), 1), OFFSET)], axis=1)
    vectors = vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    x, y, z = vectors[TUPLES[0]], vectors[TUPLES[1]], vectors[TUPLES[2][:, columns]]
    own, others = (x * y).sum(axis=1) / TEMPERATURE, (x[:, None] * z).sum(axis=2) / TEMPERATURE
    return (np.log(alpha * np.exp(own) + np.exp(others).sum(axis=1)) - own - np.log(z.shape[1])).mean()


def extrapolated_loss(parameters, alpha):
    halves = [complex_loss(parameters, alpha, part) for part in (slice(0, 2), slice(2, 4))]
    return 2.0 * complex_loss(parameters, alpha) - 0.5 * sum(halves)


@pytest.mark.parametrize("extrapolated", [False, True])
@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("parameters", [LINEAR, NETWORK], ids=["linear", "network"])
def test_gradient_agrees_with_complex_steps(parameters, alpha, extrapolated):
    function = extrapolated_loss if extrapolated else complex_loss
    losses, slopes = batch_gradient(POINTS, TUPLES, parameters, OFFSET, TEMPERATURE, alpha, extrapolated=extrapolated)
    assert losses.mean() == pytest.approx(function(parameters, alpha), abs=1e-12)
    for i, slope in enumerate(slopes):
        for index in np.ndindex(slope.shape):
            moved = [matrix.astype(complex) for matrix in parameters]
            moved[i][index] += 1e-30j
            assert slope[index] == pytest.approx(function(moved, alpha).imag / 1e-30, abs=1e-12)


def test_pull_back_of_a_linear_function_is_its_jacobian():
    weights = RNG.normal(size=(30, 4))
    slopes = pull_back(POINTS, LINEAR, weights, OFFSET)[0]
    step = 1e-6 * RNG.normal(size=LINEAR[0].shape)
    ends = [(weights * embed(POINTS, (LINEAR[0] + sign * step,), OFFSET)).sum() for sign in (1, -1)]
    assert (slopes * step).sum() == pytest.approx((ends[0] - ends[1]) / 2, rel=1e-6)


@pytest.mark.parametrize("start", [LINEAR, NETWORK], ids=["linear", "network"])
def test_training_lowers_the_risk_and_is_repeatable(start):
    options = {"offset": OFFSET, "temperature": TEMPERATURE, "epochs": 20, "batch": 3, "learning_rate": 0.03}
    paths = [list(train(POINTS, TUPLES, start, np.random.default_rng(1), **options)) for _ in range(2)]
    risks = [batch_gradient(POINTS, TUPLES, now, OFFSET, TEMPERATURE)[0].mean() for now in (start, *paths[0])]
    assert len(paths[0]) == 20 and risks[-1] < risks[0] - 0.5
    assert all(np.array_equal(a, b) for one, two in zip(*paths) for a, b in zip(one, two))


def test_first_step_of_adam_moves_each_parameter_by_the_rate():
    options = {"offset": OFFSET, "temperature": TEMPERATURE, "epochs": 1, "batch": 5, "learning_rate": 1e-3}
    (after,) = next(train(POINTS, TUPLES, LINEAR, np.random.default_rng(1), **options))
    slope = batch_gradient(POINTS, TUPLES, LINEAR, OFFSET, TEMPERATURE)[1][0]
    np.testing.assert_allclose(after - LINEAR[0], -1e-3 * np.sign(slope), rtol=1e-4)


def test_centred_losses_are_those_of_the_library():
    vectors = embed(POINTS, LINEAR, OFFSET)
    expected = infonce_loss_from_embeddings(*(vectors[part] for part in TUPLES), TEMPERATURE) - np.log(4)
    np.testing.assert_allclose(batch_gradient(POINTS, TUPLES, LINEAR, OFFSET, TEMPERATURE)[0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: embed(POINTS, (), OFFSET), "parameters"),
        (lambda: embed(POINTS, LINEAR, 0.0), "offset"),
        (lambda: pull_back(POINTS, LINEAR, np.zeros((30, 3)), OFFSET), "gradients"),
        (lambda: batch_gradient(POINTS, TUPLES, LINEAR, OFFSET, 0.0), "temperature"),
        (lambda: batch_gradient(POINTS, (*TUPLES[:2], TUPLES[2][:, :3]), LINEAR, OFFSET, 1.0, extrapolated=True), "tuples"),
        (lambda: pull_back(POINTS[0], LINEAR, np.zeros((30, 4)), OFFSET), "points has shape .* expected 2 dim"),
        (lambda: pull_back(POINTS, LINEAR, np.zeros(30), OFFSET), "gradients has shape .* expected 2 dim"),
        (lambda: embed(POINTS, (LINEAR[0][0],), OFFSET), r"parameters\[0\] has shape .* expected 2 dim"),
        (lambda: batch_gradient(POINTS[0], TUPLES, LINEAR, OFFSET, 1.0), "points has shape .* expected 2 dim"),
        (lambda: batch_gradient(POINTS, TUPLES[:2], LINEAR, OFFSET, 1.0), "tuples is .* expected indices of anchors"),
        (lambda: batch_gradient(POINTS, (TUPLES[2],) * 3, LINEAR, OFFSET, 1.0), r"tuples\[0\] has .* expected 1-d"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def options_with(**changes):
    return {"offset": OFFSET, "temperature": TEMPERATURE, "epochs": 1, "batch": 5, "learning_rate": 1e-3} | changes


@pytest.mark.parametrize("name", ["epochs", "batch", "learning_rate"])
def test_bad_options_of_training_are_named(name):
    with pytest.raises(ValueError, match=name):
        next(train(POINTS, TUPLES, LINEAR, np.random.default_rng(1), **options_with(**{name: 0})))


@pytest.mark.parametrize("points", [POINTS[0], POINTS[None]])
def test_points_to_train_on_are_a_table(points):
    with pytest.raises(ValueError, match="points has shape .* expected 2 dim"):
        train(points, TUPLES, LINEAR, np.random.default_rng(1), **options_with())


def test_only_an_extrapolated_loss_needs_an_even_number_of_negatives():
    odd = (*TUPLES[:2], TUPLES[2][:, :3])
    assert len(list(train(POINTS, odd, LINEAR, np.random.default_rng(1), **options_with()))) == 1
    assert len(list(train(POINTS, TUPLES, LINEAR, np.random.default_rng(1), **options_with(extrapolated=True)))) == 1
    with pytest.raises(ValueError, match="tuples has 3 negatives; expected an even number"):
        train(POINTS, odd, LINEAR, np.random.default_rng(1), **options_with(extrapolated=True))


def test_training_is_adam_with_a_rate_that_falls_to_zero():
    tuples = tuple(np.repeat(part[:1], 5, axis=0) for part in TUPLES)  # one tuple five times: every batch is the same
    path = list(train(POINTS, tuples, LINEAR, np.random.default_rng(1), **options_with(epochs=2, batch=2, learning_rate=0.05)))
    now, mean, square, ends = LINEAR[0], 0.0, 0.0, []
    for step in range(1, 7):  # three batches in each of two passes
        slope = batch_gradient(POINTS, tuples, (now,), OFFSET, TEMPERATURE)[1][0]
        mean, square = mean + 0.1 * (slope - mean), square + 0.01 * (slope**2 - square)
        rate = 0.05 * (7 - step) / 6
        now = now - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        ends.append(now)
    for (found,), expected in zip(path, (ends[2], ends[5]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
