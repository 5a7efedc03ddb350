"""Comparisons of answers: every form of a right one passes, and each kind of wrong one fails with its reason."""

import numpy as np
import pytest
import sympy as sp

from infonce_theory.answers import same_expression, same_numbers

x, y = sp.symbols("x y", positive=True)
PLAIN = sp.Symbol("x")


@pytest.mark.parametrize("value", [[1, 2], (1.0, 2), np.array([[1, 2]]), [sp.Integer(1), sp.Rational(4, 2)], [1, 2 + 1e-7]])
def test_numbers_in_any_container_pass(value):
    same_numbers(value, [1, 2])


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (None, "return"),
        ([1, 2, 3], r"shape \(3,\)"),
        ([1, 2.1], "not right"),
        ([1, 2 + 1e-5], "not right"),
        ([1, np.nan], "not finite"),
        ([1, 2j], "real numbers"),
        ("one", "real numbers"),
        ([x, 2], "real numbers"),
        ([[1, 2], [3]], "real numbers"),
    ],
)
def test_other_numbers_fail(value, complaint):
    with pytest.raises(AssertionError, match=complaint):
        same_numbers(value, [1, 2])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (sp.sin(2 * PLAIN), 2 * sp.sin(x) * sp.cos(x)),
        (sp.Integral(y, (y, 0, x)), x**2 / 2),
        (sp.sqrt((x - 1) ** 2), 1 - x),
        (sp.log(x * y), sp.log(x) + sp.log(y)),
        (sp.Symbol("a") - sp.Symbol("a") + 3, sp.Integer(3)),
        (2, sp.Integer(2)),
        (sp.exp(-sp.oo), 0),
    ],
)
def test_expressions_in_any_form_pass(value, expected):
    same_expression(value, expected)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (None, "SymPy expression"),
        ("x", "SymPy expression"),
        ([x], "SymPy expression"),
        (True, "one SymPy expression"),
        (sp.Eq(x, y), "one SymPy expression"),
        (sp.zoo, "no value"),
        (sp.nan, "no value"),
        (sp.Function("f")(x), "no value"),
        (x + sp.Float("1e-12"), "not right"),
        (x * y, "not right"),
        (sp.Abs(PLAIN), "not right"),
    ],
)
def test_other_expressions_fail(value, complaint):
    with pytest.raises(AssertionError, match=complaint):
        same_expression(value, x, low=-0.9)


@pytest.mark.parametrize("expected", [sp.nan, sp.zoo])
def test_no_answer_can_be_compared_with_what_has_no_value(expected):
    with pytest.raises(ValueError, match="finite number"):
        same_expression(sp.Integer(1), expected)


def test_expressions_are_compared_in_their_interval_only():
    x = sp.Symbol("x", positive=True)
    left, right = sp.Abs(sp.Rational(3, 10) - x), sp.Rational(3, 10) - x
    same_expression(left, right, low=0.1, high=0.3)
    with pytest.raises(AssertionError, match="not right"):
        same_expression(left, right, low=0.3, high=0.4)


def test_expressions_must_agree_to_twenty_digits():
    x = sp.Symbol("x")
    same_expression(x + sp.Rational(5, 10**21), x)
    with pytest.raises(AssertionError, match="not right"):
        same_expression(x + sp.Rational(5, 10**20), x)


def test_the_message_shows_the_answer_and_is_the_same_each_time():
    messages = set()
    for _ in range(2):
        with pytest.raises(AssertionError, match="x \\+ 1") as failure:
            same_expression(sp.Symbol("x") + 1, sp.Symbol("x"))
        messages.add(str(failure.value))
    assert len(messages) == 1


@pytest.mark.parametrize(("length", "cut"), [(120, False), (121, True)])
def test_long_answers_are_cut(length, cut):
    with pytest.raises(AssertionError) as failure:
        same_numbers("a" * (length - 2), 1.0)
    assert ("…" in str(failure.value)) == cut


def test_the_value_is_called_by_its_name():
    with pytest.raises(AssertionError, match="the mean is 'one'; expected real numbers"):
        same_numbers("one", 1.0, "the mean")


def test_numbers_may_differ_by_the_tolerance_itself():
    same_numbers(1.5, 1.0, rtol=0.0, atol=0.5)
    same_numbers(109.0, 100.0, rtol=0.1, atol=0.0)
    with pytest.raises(AssertionError, match="not right"):
        same_numbers(111.0, 100.0, rtol=0.1, atol=0.0)


def test_an_interval_has_a_length():
    with pytest.raises(ValueError, match="high is 0.5; expected a number above low = 0.5"):
        same_expression(x, x, low=0.5, high=0.5)


def test_a_text_is_no_right_expression():
    with pytest.raises(ValueError, match="expected is 'x'"):
        same_expression(x, "x")


def test_an_unknown_function_has_no_value_even_if_it_is_real():
    with pytest.raises(AssertionError, match="no value"):
        same_expression(sp.Function("f", real=True)(x), x)


def test_the_allowed_difference_grows_with_the_right_value():
    same_expression(sp.Integer(1000) + sp.Rational(5, 10**18), sp.Integer(1000))
    same_expression(sp.Float(10.0**-20, 40), sp.Integer(0))
    with pytest.raises(AssertionError, match="not right at any point"):
        same_expression(sp.Rational(15, 10**21), sp.Integer(0))


def test_a_wrong_expression_is_told_with_its_point():
    with pytest.raises(AssertionError, match=r"not right at x = 0\.\d+, y = 0\.\d+$"):
        same_expression(x * y + 1, x * y)


def test_long_answers_are_cut_after_120_characters():
    with pytest.raises(AssertionError) as failure:
        same_numbers("a" * 200, 1.0)
    assert str(failure.value) == "the answer is '" + "a" * 119 + " …; expected real numbers"
