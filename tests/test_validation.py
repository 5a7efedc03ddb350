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
    kernel = [[0.25, 0.75], [0.5, 0.5]]
    assert check.check_stochastic(kernel, "kernel", 2).tolist() == check.check_stochastic(kernel, "kernel").tolist() == kernel
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


def test_masks_are_found_inside_lists():
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    for values in ([masked], ([1.0], (masked,)), np.ma.masked):
        with pytest.raises(ValueError, match="scores is a masked array or holds one"):
            check.check_finite(values, "scores")
    assert check.check_finite([[1.0], [2.0]], "scores").shape == (2, 1)


def test_rows_of_different_lengths_are_named():
    with pytest.raises(ValueError, match=r"scores is \[\[1\], \[1, 2\]\]; expected an array, with rows of one length"):
        check.check_finite([[1], [1, 2]], "scores")


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_numbers_are_taken_up_to_a_limit(sign):
    assert check.check_finite([0.0, sign * 1e100], "scores")[1] == sign * 1e100
    with pytest.raises(ValueError, match=r"scores has the value -?1.1e\+100 at index \(1,\); expected .* from -1e\+100 to 1e\+100"):
        check.check_finite([0.0, sign * 1.1e100], "scores")
    assert check.check_finite(sign * 1e300, "scores", largest=check.LARGEST_FLOAT) == sign * 1e300
    with pytest.raises(ValueError, match="scores is -?inf; expected"):
        check.check_finite(sign * np.longdouble("1e4000"), "scores", largest=check.LARGEST_FLOAT)
    assert check.check_nonnegatives([0.0, 1e100], "norms", ndim=1).tolist() == [0.0, 1e100]
    with pytest.raises(ValueError, match="norms has the entry -1e-300; expected numbers >= 0"):
        check.check_nonnegatives([1.0, -1e-300], "norms")


def test_positive_numbers_have_a_smallest():
    assert check.check_positive(1e-100, "radius") == 1e-100
    with pytest.raises(ValueError, match="radius is 9e-101; expected a number > 0, at least 1e-100"):
        check.check_positive(9e-101, "radius")
    assert check.check_positives([1e-100], "t").tolist() == [1e-100]
    with pytest.raises(ValueError, match="t has the value 9e-101; expected numbers > 0, at least 1e-100"):
        check.check_positives([1.0, 9e-101], "t")


@pytest.mark.parametrize("value", [True, np.False_, np.array(True)])
def test_a_boolean_is_no_number(value):
    with pytest.raises(ValueError, match="slope is .*; expected one number"):
        check.check_scalar(value, "slope", "one number")


def test_integers_have_a_largest():
    assert check.check_negatives(10**18) == 10**18
    with pytest.raises(ValueError, match="k is 1000000000000000001; expected an integer >= 1, at most 1000000000000000000"):
        check.check_negatives(10**18 + 1)
    assert check.check_size(10**9, "num") == 10**9
    assert check.check_size(1, "num") == 1
    for value, message in ((10**9 + 1, "at most 1000000000"), (0, "an integer >= 1")):
        with pytest.raises(ValueError, match=f"num is {value}; expected .*{message}"):
            check.check_size(value, "num")
    with pytest.raises(ValueError, match="num is 3; expected an integer >= 4, at most 5"):
        check.check_size(3, "num", 4, 5)


def test_flags_generators_and_instances_are_not_guessed():
    assert [check.check_flag(value, "flag") for value in (True, np.False_)] == [True, False]
    for value in (1, "True", None):
        with pytest.raises(ValueError, match="flag is .*; expected True or False"):
            check.check_flag(value, "flag")
    rng = np.random.default_rng(0)
    assert check.check_rng(rng) is rng
    with pytest.raises(ValueError, match="rng is 7; expected an instance of Generator"):
        check.check_rng(7)


def test_indices_are_integers_in_range():
    assert check.check_indices([[0, 4]], "anchors", 5).tolist() == [[0, 4]]
    assert check.check_indices(np.array([4], dtype=np.uint8), "anchors", 5, 1).dtype == np.intp
    with pytest.raises(ValueError, match="anchors has dtype float64 and shape .*; expected integer indices"):
        check.check_indices([0.0], "anchors", 5)
    with pytest.raises(ValueError, match=r"shape \(1,\); expected 2-d integer indices"):
        check.check_indices([0], "anchors", 5, 2)
    with pytest.raises(ValueError, match=r"shape \(0,\)"):
        check.check_indices(np.zeros(0, dtype=int), "anchors", 5)
    for values, message in (([-1, 2], "-1 to 2"), ([1, 5], "1 to 5")):
        with pytest.raises(ValueError, match=f"anchors has indices {message}; expected 0 to 4"):
            check.check_indices(values, "anchors", 5)


def test_labels_are_numbers_or_strings_one_for_each_image():
    assert check.check_labels(["a", "b"], "labels", 2).tolist() == ["a", "b"]
    assert check.check_labels(np.array([1, 2], dtype=">i2"), "labels", 2).dtype == np.int64
    assert check.check_labels([0.5, 1.0], "labels", 2).tolist() == [0.5, 1.0]
    for values, message in (([None, 1], "dtype object"), ([np.nan, 1.0], "value nan"), ([1, 2, 3], r"shape \(3,\); expected \(2,\)")):
        with pytest.raises(ValueError, match=f"labels has .*{message}"):
            check.check_labels(values, "labels", 2)


def test_shapes_that_do_not_broadcast_are_named():
    check.check_broadcast(np.ones((2, 1)), np.ones(3), ("a", "b"))
    with pytest.raises(ValueError, match=r"b has shape \(3,\); expected one that broadcasts with \(2,\), the shape of a"):
        check.check_broadcast(np.ones(2), np.ones(3), ("a", "b"))


def test_single_precision_is_kept_on_request_only():
    values = np.ones(3, dtype=np.float32)
    assert check.check_finite(values, "x").dtype == np.float64
    assert check.check_finite(values, "x", keep_single=True) is values
    for other in (values.astype(np.float16), [1, 2], np.ones(2)):
        assert check.check_finite(other, "x", keep_single=True).dtype == np.float64
    with pytest.raises(ValueError, match=r"x has the value nan at index \(0, 1\)"):
        check.check_embeddings(np.array([[1.0, np.nan]], dtype=np.float32), "x", keep_single=True)
    with pytest.raises(ValueError, match="x has a vector of norm 10000000000.0"):
        check.check_embeddings(np.array([[1e10, 1.0]], dtype=np.float32), "x", keep_single=True)


def test_nonnegative_numbers_have_a_largest_that_the_caller_sets():
    assert check.check_nonnegatives([0.0, 3.0], "norms", largest=3.0).tolist() == [0.0, 3.0]
    with pytest.raises(ValueError, match="norms"):
        check.check_nonnegatives([0.0, 3.1], "norms", largest=3.0)


def test_single_precision_has_its_own_largest_number():
    values = np.array([1e30, 1e35], dtype=np.float32)
    for function in (check.check_finite, check.check_embeddings):
        with pytest.raises(ValueError, match=r"x has the value 1.* at index \(1,\); expected .* from -1e\+30 to 1e\+30"):
            function(np.array([0.0, 1e35], dtype=np.float32), "x", keep_single=True)
    assert check.check_finite(values, "x", keep_single=True, largest=check.LARGEST_FLOAT) is values
    assert check.check_finite(values, "x")[1] == values[1]
    assert check.check_embeddings(np.array([1.0], dtype=np.float32), "x").dtype == np.float64


def test_the_first_number_beyond_the_limit_is_named():
    with pytest.raises(ValueError, match=r"index \(1,\)"):
        check.check_finite([1e100, 2e100], "scores")


def test_what_is_no_number_is_shown():
    with pytest.raises(ValueError, match="scores is 'one'; expected real numbers"):
        check.check_finite("one", "scores")


def test_nonnegative_scalars_may_be_zero():
    assert [check.check_nonnegative(value, "slope") for value in (0, 0.5, 7.0)] == [0.0, 0.5, 7.0]
    for value, message in ((-1e-300, "is -1e-300; expected a number >= 0"), ([1.0], r"has shape \(1,\); expected one number >= 0")):
        with pytest.raises(ValueError, match=f"slope {message}"):
            check.check_nonnegative(value, "slope")


@pytest.mark.parametrize(
    "call",
    [
        lambda values, name: check.check_positives(values, name),
        lambda values, name: check.check_probabilities(values, name),
        lambda values, name: check.check_stochastic(values, name),
        lambda values, name: check.check_embeddings(values, name),
        lambda values, name: check.check_indices(values, name, 9),
        lambda values, name: check.check_labels(values, name, 2),
    ],
)
def test_every_check_of_an_array_passes_its_name_on(call):
    with pytest.raises(ValueError, match="colour is a masked array"):
        call(np.ma.masked_array([1, 2], [True, False]), "colour")


def test_nonnegative_arrays_may_have_a_number_of_axes():
    with pytest.raises(ValueError, match=r"norms has shape \(1, 1\); expected 1 dimension"):
        check.check_nonnegatives([[1.0]], "norms", ndim=1)


def test_each_row_of_probabilities_is_divided_by_its_own_sum():
    result = check.check_probabilities([[0.5 + 4e-9, 0.5], [0.25, 0.75], [0.5, 0.5 - 4e-9]], "weights")
    assert result.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-15)
    with pytest.raises(ValueError, match="weights sums to 1.5"):
        check.check_probabilities([[0.9, 0.0], [1.0, 0.5]], "weights")


def test_the_vector_furthest_from_the_sphere_is_named():
    with pytest.raises(ValueError, match="anchors has a vector of norm 0.125"):
        check.check_embeddings([[1.5, 0.0], [0.125, 0.0]], "anchors")


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_norm_that_overflows_is_refused_without_a_warning():
    with pytest.raises(ValueError, match="anchors has a vector of norm inf"):
        check.check_embeddings(np.array([1e25, 0.0], dtype=np.float32), "anchors", keep_single=True)
