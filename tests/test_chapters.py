"""Guards on the notebooks, above all against what a comparison of outputs cannot see.

Each guard is a function from a notebook to a list of complaints. It must be silent on every
chapter, and it must complain of the defect that is planted for it.
"""

import ast
import warnings
from collections import Counter

import nbformat
import pytest
import run_chapters
from helpers import (
    BOOK,
    CHAPTERS,
    book_records,
    book_statements,
    code_cells,
    markdown,
    read_chapter,
    statements,
    syntax_trees,
)
from statements import NEED_NO_EVIDENCE

from infonce_theory.evidence import KINDS

LONGEST_CELL = 25

#: Statements that the book promises, by the chapters one of which states them.
PROMISED = {
    (1,): ("prop-loss-forms",),
    (2,): ("prop-search-kernel", "thm-temperature", "lem-inverse-partition", "ex-vmf"),
    (3,): (
        "prop-von-mises",
        "thm-rate",
        "thm-rate-pointwise",
        "thm-rate-lower",
        "prop-first-order",
        "prop-expansion",
        "prop-monotone",
        "prop-exact",
        "prop-extrapolation",
    ),
    (4, 5): ("lem-snis", "thm-empirical-kernels", "prop-information", "prop-alignment-uniformity"),
    (6,): ("def-gateaux", "thm-gateaux-loss", "prop-second-variation", "thm-gateaux-population"),
    (7,): ("lem-weights", "thm-continuity"),
    (8, 9, 10): (
        "thm-rademacher",
        "cor-stabilises",
        "prop-max-grows",
        "thm-generalisation",
        "prop-temperature-sensitivity",
        "prop-dimension-free",
        "prop-vacuous",
    ),
}


def unexecuted(notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    return [] if counts == list(range(1, len(counts) + 1)) else [f"execution counts are {counts}"]


def without_outputs(notebook):
    return [] if any(cell.outputs for cell in code_cells(notebook)) else ["no cell has an output"]


def noisy(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    errors = [output.ename for output in outputs if output.output_type == "error"]
    return errors + [output.text for output in outputs if output.get("name") == "stderr"]


def magics_of(cell):
    return [line for line in cell.source.splitlines() if line.strip().startswith(("%", "!"))]


def magics(notebook):
    return [line for cell in code_cells(notebook) for line in magics_of(cell)]


def hushed_outputs(notebook):
    """Cells that hide their value by a semicolon: Jupyter hides it, the comparison of outputs does not."""
    return [cell.source for cell in code_cells(notebook) if cell.source.rstrip().endswith(";")]


def invalid_escapes(notebook):
    r"""Strings such as "\," that Python 3.12 warns of while the chapter runs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for cell in code_cells(notebook):
            if not magics_of(cell):
                ast.parse(cell.source)
    return [str(warning.message) for warning in caught]


def long_cells(notebook):
    return [cell.source for cell in code_cells(notebook) if len(cell.source.splitlines()) > LONGEST_CELL]


def scattered_imports(notebook):
    trees = syntax_trees(notebook)
    importing = [i for i, tree in enumerate(trees) if any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(tree))]
    return [] if importing == [0] else [f"code cells {importing} import; only the first should"]


def unseeded(notebook):
    """Random numbers that differ from run to run, or that come from NumPy's global state."""
    found = []
    for tree in syntax_trees(notebook):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("default_rng") and not node.args:
                found.append(ast.unparse(node))
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
                found += [ast.unparse(node)] * (node.attr not in ("default_rng", "Generator"))
            if isinstance(node, ast.Import):
                found += [name.name for name in node.names if name.name == "random"]
    return found


def undescribed_figures(notebook):
    found = []
    for cell in code_cells(notebook):
        if any(mime.startswith("image/") for output in cell.outputs for mime in output.get("data", {})):
            options = cell.metadata.get("mystnb", {})
            alt = options.get("image", {}).get("alt", "")
            caption = options.get("figure", {}).get("caption", "")
            if " " not in alt or not caption or alt == caption:
                found.append(f"alt {alt!r}, caption {caption!r}")
    return found


def unlabelled(notebook):
    return [kind for kind, label in statements(markdown(notebook)) if not label]


def unfolded_solutions(notebook):
    blocks = markdown(notebook).split("{solution}")[1:]
    return [block.split("\n")[0] for block in blocks if ":class: dropdown" not in block.split("\n\n")[0]]


def stale(notebook):
    current = run_chapters.input_key(notebook, run_chapters.ROOT)
    return [] if notebook.metadata.get(run_chapters.KEY) == current else ["outputs are older than the code"]


def small_chapter():
    """A notebook that satisfies every guard."""
    code = nbformat.v4.new_code_cell
    options = {"mystnb": {"image": {"alt": "A rising line."}, "figure": {"caption": "It rises.", "name": "fig-a"}}}
    picture = nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg/>", "text/plain": "figure"})
    number = nbformat.v4.new_output("execute_result", {"text/plain": "0.5"}, execution_count=2)
    text = ":::{prf:lemma} A\n:label: lem-a\nB\n:::\n\n::::{solution} exr-a\n:label: sol-a\n:class: dropdown\nC\n::::"
    cells = [
        nbformat.v4.new_markdown_cell(text),
        code("import numpy as np", execution_count=1),
        code("np.random.default_rng(1).random()", execution_count=2, outputs=[number]),
        code("plot()", execution_count=3, outputs=[picture], metadata=options),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata[run_chapters.KEY] = run_chapters.input_key(notebook, run_chapters.ROOT)
    return notebook


def _set(index, **changes):
    def plant(notebook):
        notebook.cells[index].update(changes)

    return plant


def _strip(notebook):
    for cell in code_cells(notebook):
        cell.outputs = []


def _warn(notebook):
    notebook.cells[2].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="RuntimeWarning"))


def _fail(notebook):
    notebook.cells[2].outputs.append(nbformat.v4.new_output("error", ename="EvidenceError"))


def _age(notebook):
    notebook.metadata[run_chapters.KEY] = "0"


GUARDS = {
    unexecuted: [_set(2, execution_count=None), _set(2, execution_count=7)],
    without_outputs: [_strip],
    noisy: [_warn, _fail],
    magics: [_set(2, source="%precision 3"), _set(2, source="x = 1\n!ls")],
    hushed_outputs: [_set(2, source="1 / 2;")],
    invalid_escapes: [_set(2, source="'\\,'")],
    long_cells: [_set(2, source="x = 1\n" * 26)],
    scattered_imports: [_set(2, source="import scipy"), _set(3, source="from math import pi")],
    unseeded: [
        _set(2, source="np.random.default_rng()"),
        _set(2, source="np.random.normal()"),
        _set(1, source="import random"),
    ],
    undescribed_figures: [
        _set(3, metadata={}),
        _set(3, metadata={"mystnb": {"image": {"alt": "_images/a.svg"}, "figure": {"caption": "It rises."}}}),
        _set(3, metadata={"mystnb": {"image": {"alt": "It rises."}, "figure": {"caption": "It rises."}}}),
    ],
    unlabelled: [_set(0, source=":::{prf:theorem} A\nB\n:::")],
    unfolded_solutions: [_set(0, source="::::{solution} exr-a\n:label: sol-a\nC\n::::")],
    stale: [_age, _set(2, source="np.random.default_rng(2).random()")],
}


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_passes_the_guard(path, guard):
    assert guard(read_chapter(path)) == []


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_guard_is_silent_on_a_sound_notebook(guard):
    assert guard(small_chapter()) == []


PLANTED = [(guard, plant, number) for guard, plants in GUARDS.items() for number, plant in enumerate(plants, start=1)]


@pytest.mark.parametrize(
    ("guard", "plant"), [row[:2] for row in PLANTED], ids=[f"{row[0].__name__}-{row[2]}" for row in PLANTED]
)
def test_guard_goes_red_on_a_planted_defect(guard, plant):
    notebook = small_chapter()
    plant(notebook)
    assert guard(notebook) != []


def missing_or_repeated(labels: list[str], chapters: set[int]) -> list[str]:
    """Promised statements that the chapters present do not state exactly once."""
    count = Counter(labels)
    found = [label for label, times in count.items() if times > 1]
    for group, promised in PROMISED.items():
        if chapters.issuperset(group):
            found += [label for label in promised if not count[label]]
    return found


def too_little_evidence(stated: list[tuple[str, str]], evidence: list[dict]) -> list[str]:
    """Statements with fewer than two kinds of evidence."""
    kinds = {}
    for record in evidence:
        kinds.setdefault(record["statement"], set()).add(record["kind"])
    claims = [label for kind, label in stated if kind not in NEED_NO_EVIDENCE]
    return [f"{label}: {sorted(kinds.get(label, ()))}" for label in claims if len(kinds.get(label, ())) < 2]


def strangers(stated: list[tuple[str, str]], evidence: list[dict]) -> list[str]:
    """Records of statements that the book does not contain, or of unknown kind."""
    labels = {label for _, label in stated}
    return [str(r) for r in evidence if r["statement"] not in labels or r["kind"] not in KINDS]


def test_every_promised_statement_is_stated_once():
    chapters = {int(path.name[:2]) for path in CHAPTERS}
    assert missing_or_repeated([label for _, label in book_statements()], chapters) == []


def test_every_statement_has_two_kinds_of_evidence():
    assert too_little_evidence(book_statements(), book_records()) == []


def test_every_record_belongs_to_a_statement():
    assert strangers(book_statements(), book_records()) == []


def test_the_guards_on_statements_go_red():
    stated = [("proposition", "prop-loss-forms"), ("example", "ex-a")]
    one = {"statement": "prop-loss-forms", "kind": "symbolic"}
    two = {"statement": "prop-loss-forms", "kind": "oracle"}
    labels = [label for _, label in stated]
    assert missing_or_repeated(labels, {1}) == [] and missing_or_repeated(labels, {1, 7}) == ["lem-weights", "thm-continuity"]
    assert missing_or_repeated(labels + ["ex-a"], {1}) == ["ex-a"]
    assert too_little_evidence(stated, [one, two]) == [] and too_little_evidence(stated, [one, one]) != []
    assert strangers(stated, [one]) == [] and strangers(stated, [{**one, "statement": "thm-gone"}]) != []


def test_statements_are_found_whatever_the_order_of_their_options():
    text = "::::{prf:theorem} ★ A\n:class: wide\n:label: thm-a\nB\n::::\n\n:::{prf:lemma}\n:label: lem-b\nC\n:::"
    assert statements(text) == [("theorem", "thm-a"), ("lemma", "lem-b")]


def test_every_chapter_is_in_the_table_of_contents():
    contents = (BOOK.parent / "_toc.yml").read_text("utf-8")
    assert [path.stem for path in CHAPTERS if f"file: book/{path.stem}\n" not in contents] == []
