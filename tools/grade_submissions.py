"""Read the instructor edition and what students handed in. Nothing is run here."""

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
#: What stands where nothing has been written.
WORDS = "*Write your answer here.*"

TITLE = re.compile(r"\*\*Exercise ([\d.]+)\*\* \((.*?)\)\.")

#: A notebook larger than this is not read; outputs can be endless.
LARGEST = 50_000_000


@dataclass
class Task:
    """One exercise of the instructor edition, or its part that is answered in words."""

    label: str
    number: str
    points: float
    words: bool = False
    names: list[str] = field(default_factory=list)
    visible: str = ""
    hidden: str = ""


@dataclass
class Assignment:
    """One chapter of the instructor edition."""

    name: str
    first_cell: str
    tasks: list[Task]


@dataclass
class Submission:
    """One file that was handed in; `problem` says why it could not be read."""

    name: str
    assignment: Assignment | None = None
    problem: str = ""
    answers: dict[str, list[str]] = field(default_factory=dict)  # cells of code by label
    words: dict[str, str] = field(default_factory=dict)


def source(cell: dict) -> str:
    text = cell.get("source", "")
    return "".join(text) if isinstance(text, list) else str(text)


def grade_id(cell: dict) -> str:
    own = cell.get("metadata", {}).get("nbgrader", {})
    return str(own.get("grade_id", "")) if isinstance(own, dict) else ""


def read_edition(folder: Path) -> list[Assignment]:
    """The assignments of an instructor edition; raises ValueError if the folder holds none."""
    paths = sorted(folder.glob("source/*/*.ipynb"))
    if not paths:
        raise ValueError(f"edition is {folder}, which has no source/*/*.ipynb; expected the instructor edition")
    return [_assignment(path) for path in paths]


def _assignment(path: Path) -> Assignment:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    by_id = {grade_id(cell): cell for cell in cells if grade_id(cell)}
    tasks = []
    for name, cell in by_id.items():
        label, _, part = name.rpartition("-")
        number = TITLE.search(source(by_id[f"{label}-text"])) if part in ("checks", "words") else None
        points = cell["metadata"]["nbgrader"].get("points", 0)
        if part == "words":
            tasks.append(Task(label, number[1], points, words=True))
        elif part == "checks":
            before, _, rest = source(cell).partition(BEGIN_HIDDEN)
            tasks.append(Task(label, number[1], points, False, functions(source(by_id[label])), before, rest.partition(END_HIDDEN)[0]))
    return Assignment(path.stem, source(code[1]), tasks)


def functions(code: str) -> list[str]:
    """Names of the functions that a piece of code defines; none if it is no Python."""
    try:
        return [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def read_submissions(folder: Path, assignments: list[Assignment]) -> list[Submission]:
    """Every file below the folder, whatever it is."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    shown = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    return [_submission(path, path.relative_to(folder).as_posix(), assignments) for path in shown]


def _submission(path: Path, name: str, assignments: list[Assignment]) -> Submission:
    try:
        notebook = _notebook(path)
        cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
        assignment = _which(path, cells, assignments)
        _check_language(notebook)
        return _collect(name, assignment, cells)
    except ValueError as error:
        return Submission(name, problem=str(error))
    except Exception as error:  # whatever a file holds must not stop the others
        return Submission(name, problem=f"cannot be read as a notebook ({type(error).__name__})")


def _notebook(path: Path) -> dict:
    if path.is_symlink():
        raise ValueError("is a link, not a file")
    if path.suffix != ".ipynb":
        raise ValueError("is not a notebook (its name does not end in .ipynb)")
    size = path.stat().st_size
    if size == 0 or size > LARGEST:
        raise ValueError("is empty" if size == 0 else f"is too large ({size // 1_000_000} MB): clear the outputs")
    try:
        notebook = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("is not a notebook (not JSON)") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("is not a notebook of format 4 (no list of cells)")
    return notebook


def _which(path: Path, cells: list[dict], assignments: list[Assignment]) -> Assignment:
    """The assignment that shares most identifiers with the notebook, or else whose name the file has."""
    ids = {grade_id(cell) for cell in cells}
    shared = {id(a): sum(f"{task.label}-text" in ids or task.label in ids for task in a.tasks) for a in assignments}
    best = max(assignments, key=lambda a: (shared[id(a)], a.name in path.stem))
    if not shared[id(best)] and best.name not in path.stem:
        raise ValueError("is no notebook of this course (neither its name nor its cells)")
    return best


def _check_language(notebook: dict) -> None:
    metadata = notebook.get("metadata", {})
    for key, entry in (("kernelspec", "language"), ("language_info", "name")):
        language = str(metadata.get(key, {}).get(entry, "python"))
        if "python" not in language.lower():
            raise ValueError(f"is set to a kernel for {language}; expected Python")


def _collect(name: str, assignment: Assignment, cells: list[dict]) -> Submission:
    """The cells of each answer: those made for it, and the definitions in cells that the student added after its text."""
    found = Submission(name, assignment)
    labels = {task.label: task for task in assignment.tasks}
    section, loose = "", []
    for cell in cells:
        own, code = grade_id(cell), source(cell)
        section = own.removesuffix("-text") if own.removesuffix("-text") in labels else section
        if own.endswith("-words"):
            found.words.setdefault(own.removesuffix("-words"), "")
            found.words[own.removesuffix("-words")] += code
        if cell.get("cell_type") != "code" or own.endswith("-checks"):
            continue
        if own in labels:
            found.answers.setdefault(own, []).append(without_magics(code))
        elif not own and code.strip():
            loose.append(code)
            if section:
                found.answers.setdefault(section, []).append(definitions(without_magics(code)))
    for label, task in labels.items():
        if not any(set(task.names) & set(functions(cell)) for cell in found.answers.get(label, [])):
            found.answers.setdefault(label, []).extend(c for c in map(without_magics, loose) if set(task.names) & set(functions(c)))
    found.answers = {label: answer for label, answer in found.answers.items() if any(part.strip() for part in answer)}
    return found


def without_magics(code: str) -> str:
    """The code without IPython's magics and shell commands, if these are what makes it no Python."""
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!", "?")))
    return code


def definitions(code: str) -> str:
    """Only the imports, functions, classes and constants of a cell: not what it tries out."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    constants = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
    return "\n".join(ast.unparse(node) for node in body if isinstance(node, kept) or node in constants)
