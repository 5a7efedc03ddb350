"""Guards on how the statements depend on one another; each is silent on the book and red on a defect."""

import re
from copy import deepcopy

import pytest
import statements
from helpers import BOOK, book_statements

#: Kinds of statement whose proof must be in the text and must say what it uses.
PROVED = ("theorem", "lemma", "proposition", "corollary")

#: Proofs that rest on no statement of the book, and what they are about instead.
SELF_CONTAINED = {
    "lem-ratio": "two probability laws and their ratio",
    "lem-curvature": "one real function",
    "lem-weights": "weights of finitely many numbers",
    "lem-class-moduli": "three explicit maps",
    "lem-sudakov-fernique": "maxima of Gaussian vectors",
    "lem-mcdiarmid": "functions of independent random variables",
}

#: What a statement must rest on, directly or through others, if its text or proof has the symbol.
DEFINED_IN = {
    r"\\ell\b": "def-infonce-loss",
    r"\bR_k\b|\\widehat R_": "def-centred-risk",
    r"\\CE\b(?!_)|\bq\(x,|\\mu\(": "def-search-kernel",
    r"\\CE_|\\widehat [MQ]": "def-empirical-kernels",
    r"\\kappa\^\{-1\} \\le q|\bq\^\+": "prop-search-kernel",
    r"\\dd(\^2)?(\\ell|\\CE|F|R_k)": "def-gateaux",
    r"K\^\*_\\tau": "thm-temperature",
    r"\bC_A\b": "thm-rate",
    r"\bh\(r\)": "lem-curvature",
    r"B_\{?\\exp": "lem-weights",
    r"B_\{?(\\rm|\\mathrm|\\beta)": "prop-functional-order",
    r"\\Rad\b": "def-rademacher",
    r"\\Lambda_1\b": "lem-row-modulus",
}

BOOK_STATEMENTS = statements.read_book(BOOK)


def dangling(book):
    """References from statements and proofs to statements that do not exist."""
    return [f"{s.label} uses {used}" for s in book.values() for used in s.uses if used not in book]


def circular(book):
    """Statements that rest on themselves, or on statements that do."""
    pending = {label: set(s.uses) & set(book) for label, s in book.items()}
    while free := [label for label, uses in pending.items() if not uses & set(pending)]:
        for label in free:
            del pending[label]
    return sorted(pending)


def unproved(book):
    return [s.label for s in book.values() if s.kind in PROVED and not s.proof.strip()]


def proofs_that_cite_nothing(book):
    proved = (s for s in book.values() if s.kind in PROVED or s.proof.strip())
    return [s.label for s in proved if not s.cited and s.label not in SELF_CONTAINED]


def symbols_out_of_nowhere(book):
    """Statements with a proof whose symbols are defined in none of the statements that they rest on."""
    found = []
    for s in (s for s in book.values() if s.proof.strip()):
        known = {label for layer in statements.ancestor_layers(s.label, book) for label in layer}
        text = s.text + s.proof
        found += [f"{s.label} needs {home}" for symbol, home in DEFINED_IN.items() if home not in known and re.search(symbol, text)]
    return found


def needless_exceptions(book):
    """Entries of the table whose proof does cite, or that the book does not contain."""
    return [label for label in SELF_CONTAINED if label not in book or book[label].cited]


GUARDS = (dangling, circular, unproved, proofs_that_cite_nothing, symbols_out_of_nowhere, needless_exceptions)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_the_book_passes_the_guard(guard):
    assert guard(BOOK_STATEMENTS) == []


PLANTED = [
    (dangling, "thm-rate", {"uses": ["lem-gone"]}),
    (circular, "lem-curvature", {"uses": ["thm-generalisation"]}),
    (circular, "lem-curvature", {"uses": ["thm-rate"]}),
    (unproved, "thm-rate", {"proof": "\n"}),
    (proofs_that_cite_nothing, "thm-rate", {"cited": []}),
    (proofs_that_cite_nothing, "prop-vacuous", {"cited": []}),
    (proofs_that_cite_nothing, "ex-vmf", {"cited": []}),
    (symbols_out_of_nowhere, "prop-exact", {"uses": ["def-search-kernel"]}),
    (symbols_out_of_nowhere, "lem-snis", {"uses": []}),
    (symbols_out_of_nowhere, "thm-rademacher", {"uses": ["lem-sudakov-fernique"]}),
    (needless_exceptions, "lem-mcdiarmid", {"cited": ["lem-massart"]}),
]


@pytest.mark.parametrize(("guard", "label", "defect"), PLANTED)
def test_the_guard_goes_red(guard, label, defect):
    book = deepcopy(BOOK_STATEMENTS)
    for name, value in defect.items():
        setattr(book[label], name, value)
    assert guard(book) != []


def test_both_readers_find_the_same_statements():
    assert [(s.kind, s.label) for s in BOOK_STATEMENTS.values()] == book_statements()


def test_references_are_read_in_all_their_forms():
    text = (
        ":::{prf:lemma} ★ A\n:label: lem-a\n$$\nx\n$$ (eq-a)\n:::\n\n:::{prf:proof}\n:class: dropdown\nClear.\n:::\n\n"
        "::::{prf:theorem}\n:label: thm-b\nB\n::::\n\n:::{prf:proof}\nBy {prf:ref}`the lemma <lem-a>`.\n:::\n\n"
        ":::{prf:remark}\n:label: rem-c\nSee {eq}`eq-a` and {prf:ref}`thm-b`.\n:::"
    )
    book = statements.connect(statements.statements_of(text, "07_small"))
    assert {label: s.uses for label, s in book.items()} == {"lem-a": [], "thm-b": ["lem-a"], "rem-c": ["thm-b", "lem-a"]}
    assert [s.number for s in book.values()] == ["7.1", "7.2", "7.3"] and book["lem-a"].starred
    assert book["thm-b"].cited == ["lem-a"] and book["lem-a"].cited == []
    assert statements.ancestor_layers("rem-c", book) == [["lem-a"], ["thm-b"], ["rem-c"]]
