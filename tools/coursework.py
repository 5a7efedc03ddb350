"""The exercises of a chapter and their checks: the one source of the editions and the grader.

Exercise and solution stand in the chapter. Points, checks and the answers that the checks must
accept or reject stand in ``course/checks``, in a file of the chapter's name with percent-style blocks.
CONTRIBUTING.md describes both.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from statements import directive, markdown

ROOT = Path(__file__).resolve().parents[1]
CHECKS = ROOT / "course" / "checks"

DIRECTIVE = directive("(exercise|solution)")
CODE_BLOCK = re.compile(r"^```python\n(.*?)^```[ ]*$", re.M | re.S)

#: What stands in place of an answer; nbgrader_config.py repeats it.
UNANSWERED = 'raise NotImplementedError("Replace this line by your answer, then run this cell and its checks.")'

BLOCK = re.compile(r"^# %%[ ]*(.*)$", re.M)
HEADER = re.compile(r"(exr-[\w-]+)((?: · \d+ points?(?: by hand)?)+)")
POINTS = re.compile(r"(\d+) points?( by hand)?")


@dataclass(frozen=True)
class Exercise:
    """One exercise of a chapter; `number` is the one that the site shows, such as 3.2."""

    label: str
    number: str
    title: str
    minutes: int
    kind: str
    text: str
    solution: str

    @property
    def answer(self) -> str:
        """The code that answers it: the first Python block of the solution if it is nothing but documented functions."""
        block = CODE_BLOCK.search(self.solution)
        return block[1] if block and documented_functions(block[1]) else ""


@dataclass
class Checks:
    """What the file of checks says of one exercise; `right` and `wrong` map the reason to the code."""

    points: int = 0
    points_by_hand: int = 0
    visible: str = ""
    hidden: str = ""
    right: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)


def documented_functions(code: str) -> list[ast.FunctionDef]:
    """The functions of a piece of code that consists of functions with docstrings; otherwise none."""
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return []
    sound = all(isinstance(node, ast.FunctionDef) and ast.get_docstring(node) and len(node.body) > 1 for node in body)
    return body if sound else []


def signature(function: ast.FunctionDef) -> str:
    """How the exercise must write the function, such as ``gap(temperature, k=1)``."""
    return f"{function.name}({ast.unparse(function.args)})"


def read_exercises(notebook: NotebookNode, chapter: int) -> list[Exercise]:
    """The exercises of a chapter, in order, each with its solution."""
    found: list[dict] = []
    solutions: dict[str, str] = {}
    for _, kind, title, options, body in DIRECTIVE.findall(markdown(notebook)):
        if kind == "solution":
            solutions[title.strip()] = body.strip()
            continue
        label = re.search(r":label:[ ]*(\S+)", options)
        parts = [part.strip() for part in title.split(" · ")]
        if label is None or len(parts) != 3 or not re.fullmatch(r"\d+ min", parts[1]):
            raise ValueError(f"exercise is headed {title!r}; expected 'title · 10 min · kind' and a :label: below it")
        name, minutes, sort = parts
        number = f"{chapter}.{len(found) + 1}"
        found.append(
            {"label": label[1], "number": number, "title": name, "minutes": int(minutes.split()[0]), "kind": sort, "text": body.strip()}
        )
    return [Exercise(**entry, solution=solutions.get(entry["label"], "")) for entry in found]


def checks_path(chapter: Path) -> Path:
    """Where the checks of a chapter are."""
    return CHECKS / f"{chapter.stem}.py"


def read_checks(text: str) -> tuple[str, dict[str, Checks]]:
    """Imports and checks by label, from the text of a file of checks."""
    first, *pieces = BLOCK.split(text)
    head = ast.parse(first)
    imports = "\n".join(ast.unparse(node) for node in head.body if isinstance(node, (ast.Import, ast.ImportFrom)))
    found: dict[str, Checks] = {}
    label = ""
    for title, body in zip(pieces[::2], pieces[1::2]):
        title, code = title.strip(), body.strip()
        header = HEADER.fullmatch(title)
        if header:
            label = header[1]
            if label in found:
                raise ValueError(f"block {title!r} comes twice; expected one for each exercise")
            found[label] = _with_points(header[2])
        elif label:
            _add(found[label], title, code)
        else:
            raise ValueError(f"block {title!r} comes first; expected 'exr-… · 3 points' before it")
    return imports, found


def _with_points(text: str) -> Checks:
    checks = Checks()
    for number, by_hand in POINTS.findall(text):
        setattr(checks, "points_by_hand" if by_hand else "points", int(number))
    return checks


def _add(checks: Checks, title: str, code: str) -> None:
    kind, _, reason = (part.strip() for part in title.partition(":"))
    if kind in ("visible", "hidden") and not reason:
        if getattr(checks, kind):
            raise ValueError(f"block {title!r} comes twice for one exercise; expected one")
        setattr(checks, kind, code)
    elif kind in ("right", "wrong") and reason:
        getattr(checks, kind)[reason] = code
    else:
        raise ValueError(f"block is titled {title!r}; expected 'visible', 'hidden', 'right: how' or 'wrong: why'")


def stub(answer: str) -> str:
    """The answer without its bodies: signatures, docstrings, and a failure that says what to do."""
    return _with_bodies(answer, lambda body: [f"    {UNANSWERED}"])


def marked(answer: str) -> str:
    """The answer with the marks between which nbgrader removes the solution."""
    return _with_bodies(answer, lambda body: ["    ### BEGIN SOLUTION", *body, "    ### END SOLUTION"])


def _with_bodies(answer: str, change) -> str:
    lines = answer.rstrip().splitlines()
    pieces = []
    for function in documented_functions(answer):
        docstring = function.body[0].end_lineno
        pieces.append("\n".join([*lines[function.lineno - 1 : docstring], *change(lines[docstring : function.end_lineno])]))
    return "\n\n\n".join(pieces)
