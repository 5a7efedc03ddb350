"""How the mutants of the library are chosen and counted, and what the stored results say."""

import json

import mutants
import pytest
from sphinx_checks import wilson_interval

RESULTS = json.loads(mutants.RESULTS.read_text("utf-8"))
REASONS = mutants.read_reasons()


def test_the_stored_results_meet_their_aim():
    caught = sum(row["killed"] + row["timeout"] for row in RESULTS)
    survived = sum(len(row["survived"]) for row in RESULTS)
    assert caught >= 0.95 * (caught + survived)
    for row in RESULTS:
        assert row["killed"] + row["timeout"] + len(row["equivalent"]) + len(row["survived"]) == row["tried"] <= row["mutants"]


def test_every_equivalent_mutant_has_its_reason_and_was_found():
    found = {(row["module"], m["function"], m["old"], m["new"]) for row in RESULTS for m in row["equivalent"]}
    assert found == set(REASONS)
    assert all(reason.strip().endswith(".") for reason in REASONS.values())


@pytest.mark.parametrize(
    ("old", "new", "text_only"),
    [
        ('check(x, "name")', "check(x, None)", True),
        ('check(x, "name")', 'check(None, "name")', False),
        ('check(x, "name", 1)', "check(x, 1)", False),
        ("f(a, b)", "f(a, None)", False),
        ('one = check(x, "name"), check(', "one = check(x, None), check(", True),
        ("a + b", "a - b", False),
    ],
)
def test_mutants_of_texts_are_told_apart(old, new, text_only):
    assert mutants.changes_text_only({"old": old, "new": new}) == text_only


def test_counts_of_a_module():
    [(key, reason), *_] = REASONS.items()
    change = dict(zip(("function", "old", "new"), key[1:]))
    others = [{"function": "f", "old": "a + b", "new": f"a - {n}"} for n in range(5)]
    statuses = ["killed", "timeout", "survived", "no tests", None]
    outcomes = [other | {"status": status} for other, status in zip(others, statuses)] + [change | {"status": "survived"}]
    outcomes.append({"function": "f", "old": 'g("x")', "new": "g(None)", "status": "survived"})
    row = mutants.result_of(key[0], outcomes, REASONS)
    assert (row["mutants"], row["tried"], row["killed"], row["timeout"]) == (6, 5, 1, 1)
    assert [m["new"] for m in row["survived"]] == ["a - 2", "a - 3"]
    assert row["equivalent"] == [change | {"reason": reason}]


def test_survivors_that_were_tried_again():
    [(key, _), *_] = REASONS.items()
    outcomes = [{"function": "f", "old": "a + b", "new": f"a - {n}", "status": "survived"} for n in range(3)]
    row = mutants.result_of(key[0], [*outcomes, outcomes[0] | {"new": "b", "status": "killed"}], REASONS)
    equivalent = dict(zip(("function", "old", "new"), key[1:]), status="survived")
    again = [outcomes[0] | {"status": "killed"}, outcomes[1], equivalent]
    merged = mutants.again_with(row, mutants.result_of(key[0], again, REASONS))
    assert (merged["mutants"], merged["tried"], merged["killed"], merged["timeout"]) == (4, 4, 2, 0)
    assert [m["new"] for m in merged["survived"]] == ["a - 1"] and len(merged["equivalent"]) == 1
    with pytest.raises(SystemExit, match="without --survivors"):
        mutants.again_with(row, mutants.result_of(key[0], again[:2], REASONS))


def test_each_module_has_tests():
    for module in mutants.modules():
        assert mutants.tests_of(module), module
    assert mutants.tests_of("rates") == ["test_rates.py"]
    assert "test_exact_risk.py" in mutants.tests_of("_laplace")


def test_the_interval_of_a_share():
    low, high = wilson_interval(90, 100)
    assert (low, high) == pytest.approx((0.8256, 0.9448), abs=1e-4)
