"""The table of planted faults fits the book, reaches every statement, and its stored results are its own."""

import ast
import json
from functools import cache

import faults
import pytest
from helpers import BOOK, ROOT
from statements import read_book

#: Kinds of statement that claim something, so that a fault can be planted in the claim.
CLAIMING = ("theorem", "lemma", "proposition", "corollary")

TABLE = faults.read_table()
RESULTS = json.loads(faults.RESULTS.read_text("utf-8"))
STATEMENTS = read_book(BOOK)


@cache
def chapter_cells(chapter):
    return faults.read_cells(chapter)


def planted(fault):
    """The source with the fault in it."""
    if "module" in fault:
        path = ROOT / "lib" / "infonce_theory" / f"{fault['module']}.py"
        return faults.replaced(path.read_text("utf-8"), fault)
    cells = [dict(cell) for cell in chapter_cells(faults.chapter_of(fault))]
    faults.perturb(cells, ROOT, fault)
    return next(cell["source"] for cell in cells if cell["id"] == fault["cell"])


def test_every_statement_has_a_planted_fault():
    claiming = {label for label, statement in STATEMENTS.items() if statement.kind in CLAIMING}
    assert claiming - {fault["statement"] for fault in TABLE} == set()
    assert {fault["statement"] for fault in TABLE} - set(STATEMENTS) == set()


@pytest.mark.parametrize("chapter", sorted({faults.chapter_of(fault) for fault in TABLE}))
def test_every_fault_can_still_be_planted(chapter):
    for fault in TABLE:
        if faults.chapter_of(fault) == chapter:
            ast.parse(planted(fault))


def test_no_two_faults_are_the_same():
    pairs = [(faults.place_of(fault), fault["old"], fault["new"]) for fault in TABLE]
    assert len(set(pairs)) == len(pairs)


def test_the_stored_results_are_those_of_the_table_and_all_are_caught():
    keys = [row["key"] for row in RESULTS["faults"]]
    assert keys == [faults.key_of(fault) for fault in TABLE], "checks/faults.toml changed; run `make faults`"
    for fault, row in zip(TABLE, RESULTS["faults"]):
        assert row["red"] and row["red"]["statement"] == fault["statement"]


@pytest.mark.parametrize(
    "change",
    [{"old": "no such text"}, {"old": "e"}, {"new": TABLE[0]["old"]}, {"cell": "ch01-none"}],
    ids=["gone", "many", "no change", "no cell"],
)
def test_a_fault_that_does_not_fit_is_an_error(change):
    with pytest.raises(faults.FaultError, match=TABLE[0]["statement"]):
        planted(TABLE[0] | change)


CHECKS = {
    "green": "evidence.holds('thm-rate', 'oracle', True, 'a')",
    "red": "evidence.holds('thm-rate', 'oracle', False, 'b')",
    "other": "evidence.holds('lem-snis', 'oracle', False, 'c')",
    "crash": "1 / 0",
    "wrong use": "evidence.agrees('thm-rate', 'oracle', float('nan'), 0.0, 'd', atol=1.0)",
}


@pytest.mark.parametrize(
    ("names", "caught", "elsewhere", "crashes"),
    [
        (["green"], False, 0, 0),
        (["red"], True, 0, 0),
        (["other", "crash", "green"], False, 1, 1),
        (["other", "crash", "red"], True, 1, 1),
        (["wrong use"], False, 0, 1),
    ],
    ids=["green", "red", "not its own", "in the end", "no value"],
)
def test_only_a_red_check_of_the_statement_counts(names, caught, elsewhere, crashes):
    cells = [{"id": "first", "source": "from infonce_theory import evidence"}]
    cells += [{"id": name, "source": CHECKS[name]} for name in names]
    outcome = faults.run_cells(cells, "thm-rate")
    assert (outcome["red"] is not None, len(outcome["elsewhere"]), len(outcome["crashes"])) == (caught, elsewhere, crashes)
    if caught:
        assert outcome["red"] | {"failure": ""} == {
            "cell": "red", "statement": "thm-rate", "kind": "oracle", "claim": "b", "failure": ""
        }
