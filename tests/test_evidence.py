"""The checks of the chapters hold when they should, fail when they should, and leave a record."""

import numpy as np
import pytest
import sympy

from infonce_theory import evidence


@pytest.fixture
def records(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    return shown


def test_a_bound_records_its_worst_ratio(records):
    evidence.bound("thm-rate", "adversarial", [0.5, 1.9], [1.0, 2.0], "the gap is small")
    bundle = records[0]._repr_mimebundle_()
    assert bundle["text/plain"] == "✓ thm-rate · adversarial · the gap is small · worst ratio 0.95, 2 cases"
    assert bundle[evidence.RECORD_TYPE]["worst_ratio"] == 0.95
    assert bundle[evidence.RECORD_TYPE]["cases"] == 2
    assert '<a href="#thm-rate">thm-rate</a>' in bundle["text/html"]


def test_a_claim_is_escaped_in_html(records):
    evidence.holds("thm-rate", "oracle", True, "a < b")
    assert "a &lt; b" in records[0]._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("value", "limit"), [([1.0, 2.1], [1.0, 2.0]), ([1.0, 1e-6], [1.0, 0.0]), ([1.0 + 2e-9], [1.0])]
)
def test_a_broken_bound_raises_and_shows_nothing(records, value, limit):
    with pytest.raises(evidence.EvidenceError, match="worst ratio"):
        evidence.bound("thm-rate", "adversarial", value, limit, "claim")
    assert records == []


def test_a_bound_needs_limits_that_mean_something():
    with pytest.raises(ValueError, match="limit"):
        evidence.bound("thm-rate", "adversarial", [0.0], [0.0], "claim")
    with pytest.raises(ValueError, match="limit"):
        evidence.bound("thm-rate", "adversarial", [-2.0], [-1.0], "claim")
    with pytest.raises(ValueError, match="value has the value nan"):
        evidence.bound("thm-rate", "adversarial", [np.nan], [1.0], "claim")
    with pytest.raises(ValueError, match="slack"):
        evidence.bound("thm-rate", "adversarial", [1.0], [1.0], "claim", slack=-1.0)


def test_one_limit_serves_many_values(records):
    evidence.bound("thm-rate", "oracle", np.ones((2, 3)), 2.0, "claim")
    assert records[0].cases == 6


def test_identities_are_decided_by_algebra(records):
    x = sympy.Symbol("x")
    evidence.identity("thm-rate", sympy.sin(x) ** 2, 1 - sympy.cos(x) ** 2, "Pythagoras")
    evidence.identity("thm-rate", [x, 2 * x], sympy.Matrix([x, x + x]), "two at once")
    assert [record.kind for record in records] == ["symbolic", "symbolic"]
    with pytest.raises(evidence.EvidenceError, match="difference"):
        evidence.identity("thm-rate", x, x + sympy.Rational(1, 10**9), "nearly")
    with pytest.raises(evidence.EvidenceError):
        evidence.identity("thm-rate", [x, x], [x, 2 * x], "only the first")
    for sides in ((x, "x"), ("x", x)):
        with pytest.raises(ValueError, match="no SymPy expression"):
            evidence.identity("thm-rate", *sides, "texts are not read")
    for wrong in ([x], []):
        with pytest.raises(ValueError, match="right has"):
            evidence.identity("thm-rate", wrong, [x, x] if wrong else [], "lengths")


def test_agreement_uses_its_tolerance(records):
    evidence.agrees("thm-rate", "oracle", [1.0, 2.0], [1.0 + 1e-13, 2.0], "close", rtol=1e-12)
    assert "equal to within 1e-12 relative" in str(records[0])
    evidence.agrees("thm-rate", "oracle", 1.5, 1.0, "at the tolerance", atol=0.5)
    evidence.agrees("thm-rate", "oracle", 1.5, 1.0, "both", atol=0.25, rtol=0.5)
    assert [record.measure for record in records[1:]] == ["equal to within 0.5", "equal to within 0.25 + 0.5 relative"]
    with pytest.raises(evidence.EvidenceError, match="times the tolerance"):
        evidence.agrees("thm-rate", "oracle", [1.0, 2.0], [1.0, 2.0 + 1e-11], "not close", rtol=1e-12)
    with pytest.raises(evidence.EvidenceError):
        evidence.agrees("thm-rate", "oracle", 0.0, 1e-9, "relative to nothing", rtol=0.5)
    with pytest.raises(ValueError, match="rtol is 0.0 and atol is 0.0"):
        evidence.agrees("thm-rate", "oracle", 1.0, 1.0, "no tolerance")
    with pytest.raises(ValueError, match=r"reference has shape \(2,\)"):
        evidence.agrees("thm-rate", "oracle", [1.0, 1.0, 1.0], [1.0, 1.0], "shapes", atol=1.0)


def test_conditions_must_be_booleans_and_all_true():
    with pytest.raises(evidence.EvidenceError, match="1 of 2 conditions are false"):
        evidence.holds("thm-rate", "oracle", [True, False], "claim")
    for condition in (1.0, [], "yes"):
        with pytest.raises(ValueError, match="condition"):
            evidence.holds("thm-rate", "oracle", condition, "claim")


def test_conditions_are_counted(records):
    evidence.holds("thm-rate", "oracle", [True, True, True], "claim")
    evidence.holds("thm-rate", "oracle", True, "claim", cases=200)
    assert [record.cases for record in records] == [3, 200] and str(records[1]).endswith("claim · 200 cases")
    with pytest.raises(ValueError, match="cases"):
        evidence.holds("thm-rate", "oracle", True, "claim", cases=0)


def test_monte_carlo_counts_standard_errors(records):
    evidence.monte_carlo("thm-rate", 1.02, 0.01, 1.0, "mean")
    assert "2.0 standard errors away at most" in str(records[0])
    assert records[0].kind == "monte carlo"
    with pytest.raises(evidence.EvidenceError, match="5.00 standard errors away; 4 are allowed"):
        evidence.monte_carlo("thm-rate", 1.05, 0.01, 1.0, "mean")
    with pytest.raises(ValueError, match="standard_error has the value 0.0"):
        evidence.monte_carlo("thm-rate", 1.0, 0.0, 1.0, "mean")


def test_only_known_kinds_are_recorded():
    with pytest.raises(ValueError, match="kind is 'guess'; expected one of symbolic"):
        evidence.holds("thm-rate", "guess", True, "claim")


def test_without_ipython_the_line_is_printed(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", None)
    evidence.holds("thm-rate", "oracle", True, "claim")
    assert capsys.readouterr().out == "✓ thm-rate · oracle · claim\n"


def test_the_line_in_html_names_the_statement_once(records):
    evidence.holds("thm-rate", "oracle", True, "claim", cases=1)
    expected = '<p class="evidence">✓ <a href="#thm-rate">thm-rate</a> · oracle · claim</p>'
    assert records[0]._repr_mimebundle_()["text/html"] == expected


def test_comparisons_count_their_cases(records):
    evidence.agrees("thm-rate", "oracle", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "claim", atol=1.0)
    evidence.monte_carlo("thm-rate", [1.0, 2.0], [0.1, 0.1], [1.0, 2.0], "claim")
    assert [record.cases for record in records] == [3, 2]


def test_limits_themselves_are_allowed(records):
    evidence.bound("thm-rate", "oracle", [0.0, 1.0], [0.0, 1.0], "claim", slack=0.0)
    evidence.bound("thm-rate", "oracle", 1.0 + 5e-10, 1.0, "within the slack")
    evidence.monte_carlo("thm-rate", 4.0, 1.0, 0.0, "claim")
    assert len(records) == 3


def test_the_side_that_is_not_finite_is_named():
    with pytest.raises(ValueError, match="reference has the value nan"):
        evidence.agrees("thm-rate", "oracle", [1.0], [np.nan], "claim", atol=1.0)
