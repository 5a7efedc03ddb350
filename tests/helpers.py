"""What the tests of the book share: its chapters, their statements, labels and records."""

import ast
import re
import warnings
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from statements import markdown, records_of

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
CHAPTERS = sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))

STATEMENT_KINDS = ("definition", "theorem", "lemma", "proposition", "corollary", "example", "remark")


def read_chapter(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def syntax_trees(notebook: NotebookNode) -> list[ast.Module]:
    """One tree for each code cell; cells with magics, which another check reports, are left out."""
    trees = []
    for cell in code_cells(notebook):
        try:
            with warnings.catch_warnings(action="ignore"):
                trees.append(ast.parse(cell.source))
        except SyntaxError:
            continue
    return trees


def statements(text: str) -> list[tuple[str, str]]:
    """Kind and label of every statement; the label is empty if it has none.

    The site reads the same with `statements.statements_of`; this reader checks that one.
    """
    opening = re.compile(
        rf"^:{{3,}}\{{prf:({'|'.join(STATEMENT_KINDS)})\}}[^\n]*\n(?:(?::(?!label)\w+:[^\n]*)\n)*(?::label:[ ]*(\S+))?", re.M
    )
    return [(kind, label) for kind, label in opening.findall(text)]


def book_statements() -> list[tuple[str, str]]:
    return [statement for path in CHAPTERS for statement in statements(markdown(read_chapter(path)))]


def book_records() -> list[dict]:
    return [record for path in CHAPTERS for record in records_of(read_chapter(path))]
