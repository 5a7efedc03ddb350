"""Turn a chapter into the notebook of a student or of an instructor, still in MyST.

Each exercise becomes its text, a cell for the answer and a cell with the checks, with the metadata
that nbgrader reads. The instructor's notebook is nbgrader's source: solutions and hidden checks
stand between the marks at which nbgrader cuts them out.
"""

import hashlib
from collections.abc import Iterator
from copy import deepcopy

from coursework import DIRECTIVE, Checks, Exercise, marked, stub
from grade_submissions import BEGIN_HIDDEN, END_HIDDEN, WORDS
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

SETUP = '''\
# Finds the book's library, or installs the copy that came with this notebook.
import importlib.util
import subprocess
import sys
from pathlib import Path

wheel = Path("{wheel}")
if importlib.util.find_spec("infonce_theory") is None:
    if not wheel.exists():
        raise FileNotFoundError(f"{{wheel}} is not beside this notebook: unpack the whole folder that it came in")
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", f"./{{wheel}}[chapters]"], check=True)
    importlib.invalidate_caches()'''


def edition(
    chapter: NotebookNode, exercises: list[Exercise], imports: str, checks: dict[str, Checks], wheel: str, student: bool
) -> NotebookNode:
    """The chapter without outputs, with cells for the answers; solutions and hidden checks only if not `student`."""
    by_label = {exercise.label: exercise for exercise in exercises}
    cells: list[NotebookNode] = []
    for cell in chapter.cells:
        if cell.cell_type == "code":
            shown = {key: deepcopy(value) for key, value in cell.metadata.items() if key == "mystnb"}
            cells.append(new_code_cell(cell.source, id=cell.id, metadata=shown))
            continue
        for number, (label, text) in enumerate(_parts(cell.source)):
            if label in checks:
                cells += exercise_cells(text, by_label[label], checks[label], imports, student)
            else:
                cells.append(new_markdown_cell(text, id=label or cell.id + f"-{number}" * bool(number)))
    imports_at = next(place for place, cell in enumerate(cells) if cell.cell_type == "code")
    cells.insert(imports_at, new_code_cell(SETUP.format(wheel=wheel), id="setup"))
    notebook = new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def exercise_cells(text: str, exercise: Exercise, checks: Checks, imports: str, student: bool) -> list[NotebookNode]:
    """The cells of one exercise: its text, then what is answered in words, then the code and its checks."""
    cells = [_graded(new_markdown_cell(text), f"{exercise.label}-text", locked=True)]
    if checks.points_by_hand:
        answer = WORDS if student else exercise.solution
        cells.append(_graded(new_markdown_cell(answer), f"{exercise.label}-words", checks.points_by_hand, solution=True))
    if checks.points:
        answer = stub(exercise.answer) if student else marked(exercise.answer)
        cells.append(_graded(new_code_cell(answer), exercise.label, solution=True))
        tests = new_code_cell(check_source(exercise, checks, imports, student))
        cells.append(_graded(tests, f"{exercise.label}-checks", checks.points, locked=True))
    return cells


def check_source(exercise: Exercise, checks: Checks, imports: str, student: bool) -> str:
    """The code of the cell of checks."""
    head = f"# Checks of exercise {exercise.number}. Run this cell after your answer: it is silent if they pass."
    shown = f"{head}\n{imports}\n\n{checks.visible}"
    return shown if student else f"{shown}\n{BEGIN_HIDDEN}\n{checks.hidden}\n{END_HIDDEN}"


def seal(notebook: NotebookNode) -> NotebookNode:
    """Lock texts and checks and add the digests by which nbgrader sees what a student left untouched, as it does itself."""
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.checksum = _checksum(cell)
            cell.metadata.deletable = False
            if cell.metadata.nbgrader.locked:
                cell.metadata.editable = False
    return notebook


def _checksum(cell: NotebookNode) -> str:
    own = cell.metadata.nbgrader
    parts = [cell.source, cell.cell_type, str(own.grade), str(own.solution), str(own.locked), own.grade_id]
    parts += [str(float(own.points))] if own.grade else []
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()


def _graded(
    cell: NotebookNode, grade_id: str, points: int = 0, *, solution: bool = False, locked: bool = False
) -> NotebookNode:
    cell.id = grade_id
    cell.metadata.nbgrader = NotebookNode(
        grade=bool(points), solution=solution, locked=locked, grade_id=grade_id, schema_version=3, task=False, cell_type=cell.cell_type
    )
    if points:
        cell.metadata.nbgrader.points = points
    return cell


def _parts(source: str) -> Iterator[tuple[str | None, str]]:
    """A Markdown cell as prose (label None) and exercises (with their label); solutions are left out."""
    start = 0
    for match in DIRECTIVE.finditer(source):
        before = source[start : match.start()].strip()
        if before:
            yield None, before
        if match[2] == "exercise":
            yield match[4].split(":label:")[1].split()[0], match[0]
        start = match.end()
    rest = source[start:].strip()
    if rest:
        yield None, rest
