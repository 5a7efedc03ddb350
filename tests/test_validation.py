"""Every bad input is refused with the argument's name, its value and what was expected."""

import numpy as np
import pytest

from infonce_theory import _validation as check


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, np.nan], r"scores has the value nan at index \(1,\); expected finite"),
        ([[1.0], [np.inf]], r"scores has the value inf at index \(1, 0\)"),
        ([], r"scores has shape \(0,\); expected a non-empty"),
        (["a"], "scores has dtype <U1; expected real"),
        ([1j], "scores has dtype complex128; expected real"),
        ([None], "scores has dtype object; expected real"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "scores is a masked array"),
    ],
)
def test_arrays_must_hold_finite_real_numbers(values, message):
    with pytest.raises(ValueError, match=message):
        check.check_finite(values, "scores")


def test_good_arrays_become_float64_and_keep_their_shape():
    result = check.check_finite(np.array([[1, 2]], dtype=np.int8), "scores", ndim=2)
    assert result.dtype == np.float64
    assert result.tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match=r"scores has shape \(1, 2\); expected 1 dimension"):
        check.check_finite([[1, 2]], "scores", ndim=1)


@pytest.mark.parametrize("value", [0, 0.0, -1.0, np.nan, np.inf, [1.0], "1", None])
def test_temperature_must_be_one_positive_number(value):
    with pytest.raises(ValueError, match="temperature"):
        check.check_temperature(value)


@pytest.mark.parametrize("value", [0, -3, 2.0, "2", True, None, [2]])
def test_number_of_negatives_must_be_a_positive_integer(value):
    with pytest.raises(ValueError, match="k is .*expected an integer >= 1"):
        check.check_negatives(value)


@pytest.mark.parametrize("value", [-1, 2, 0.5, None])
def test_alpha_must_be_zero_or_one(value):
    with pytest.raises(ValueError, match="alpha"):
        check.check_alpha(value)


def test_accepted_scalars_come_back_unchanged():
    assert check.check_temperature(np.float32(0.5)) == 0.5
    assert check.check_negatives(np.int64(10**12)) == 10**12
    assert [check.check_alpha(value) for value in (0, np.int8(1))] == [0, 1]
    assert check.check_positives([0.5, 2], "t").tolist() == [0.5, 2.0]
    with pytest.raises(ValueError, match="t has the value 0.0; expected numbers > 0"):
        check.check_positives([1.0, 0.0], "t")


def test_probabilities_must_be_nonnegative_and_sum_to_one():
    with pytest.raises(ValueError, match="weights sums to 0.9; expected 1"):
        check.check_probabilities([0.5, 0.4], "weights")
    with pytest.raises(ValueError, match="weights has the entry -0.5; expected probabilities >= 0"):
        check.check_probabilities([1.5, -0.5], "weights")
    with pytest.raises(ValueError, match="weights"):
        check.check_probabilities(1.0, "weights")
    # The worst row is named, not the first.
    with pytest.raises(ValueError, match="weights sums to 0.5"):
        check.check_probabilities([[1.0, 0.0], [0.5, 0.0]], "weights")


def test_rounding_in_probabilities_is_removed():
    result = check.check_probabilities([0.5 + 1e-9, 0.5], "weights")
    assert result.sum() == pytest.approx(1.0, abs=1e-15)


def test_kernels_must_be_square_and_of_the_right_size():
    with pytest.raises(ValueError, match=r"kernel has shape \(1, 2\); expected \(m, m\)"):
        check.check_stochastic([[0.5, 0.5]], "kernel")
    with pytest.raises(ValueError, match=r"kernel has shape \(2, 2\); expected \(3, 3\)"):
        check.check_stochastic(np.eye(2), "kernel", 3)


def test_embeddings_must_lie_on_the_sphere():
    with pytest.raises(ValueError, match="anchors has a vector of norm 2.0; expected points on the unit sphere"):
        check.check_embeddings([[1.0, 0.0], [2.0, 0.0]], "anchors")
    with pytest.raises(ValueError, match="anchors"):
        check.check_embeddings(1.0, "anchors")
    single = np.array([[0.6, 0.8]], dtype=np.float32)
    assert check.check_embeddings(single, "anchors") == pytest.approx(single)


def test_shapes_that_differ_are_named():
    with pytest.raises(ValueError, match=r"b has shape \(3,\); expected \(2,\), the shape of a"):
        check.check_same_shape(np.ones(2), np.ones(3), ("a", "b"))
