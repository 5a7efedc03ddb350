"""Thirty-odd submissions of chapter 3, made from the student's notebook: good, partial, broken and hostile.

Each comes with what must become of it: a status for each exercise that is answered by code, or one
status for the file. `SMALL` names those that every run of the tests grades.
"""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

LABELS = ("exr-03-antipodal", "exr-03-fourth", "exr-03-enough", "exr-03-centring")
ANTIPODAL, FOURTH, ENOUGH, CENTRING = LABELS
WORDS = "By Jensen's inequality, because the negatives are exchangeable."

#: What each submission must yield: one status for the file, or one for each of LABELS.
PASSED = ("passed",) * 4
FIRST = lambda status: (status, "passed", "passed", "passed")  # noqa: E731


def cell(notebook: dict, name: str) -> dict:
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def set_source(notebook: dict, name: str, code: str) -> None:
    cell(notebook, name)["source"] = code


def new_cell(code: str, name: str) -> dict:
    return {"cell_type": "code", "id": name, "metadata": {}, "source": code, "outputs": [], "execution_count": None}


def insert_after(notebook: dict, name: str, code: str) -> None:
    place = notebook["cells"].index(cell(notebook, name)) + 1
    notebook["cells"].insert(place, new_cell(code, f"new-{place}"))


def strip(notebook: dict) -> None:
    """What some editors do: all metadata of the cells is lost."""
    for one in notebook["cells"]:
        one["metadata"] = {}


def drop(*names: str) -> Callable[[dict], None]:
    def change(notebook: dict) -> None:
        gone = [cell(notebook, name) for name in names]
        notebook["cells"] = [one for one in notebook["cells"] if one not in gone]

    return change


def before(prefix: str) -> Callable[[dict], None]:
    """Put code before the right answer of the first exercise."""

    def change(notebook: dict) -> None:
        set_source(notebook, ANTIPODAL, f"{prefix}\n\n" + cell(notebook, ANTIPODAL)["source"])

    return change


def first(code: str) -> Callable[[dict], None]:
    """Answer the first exercise by this body of its function."""
    body = "\n".join(f"    {line}" for line in code.splitlines())
    return lambda notebook: set_source(notebook, ANTIPODAL, f"def antipodal(temperature):\n{body}")


def _kernel(notebook: dict) -> None:
    notebook["metadata"] = {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}, "language_info": {"name": "R"}}


def _outputs(notebook: dict) -> None:
    text = ["y" * 1000 + "\n"] * 60_000
    cell(notebook, ANTIPODAL)["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]


def _duplicate(notebook: dict) -> None:
    place = notebook["cells"].index(cell(notebook, ANTIPODAL))
    wrong = deepcopy(notebook["cells"][place])
    wrong["source"] = "def antipodal(temperature):\n    return 0, 0"
    notebook["cells"].insert(place, wrong)


def _edited_checks(notebook: dict) -> None:
    first("return 1.0, 1.0")(notebook)
    set_source(notebook, f"{ANTIPODAL}-checks", "print('all checks passed: 2 of 2 points')")


def _helper(notebook: dict) -> None:
    insert_after(notebook, ANTIPODAL, "def inverse(x):\n    return 1 / x\n\nring_scores.shape  # fails here")
    first("level = inverse(temperature)\nreturn np.log(np.cosh(level)), np.tanh(level) ** 2")(notebook)


def _elsewhere(notebook: dict) -> None:
    """The answer stands in a cell of its own and the given cell keeps its stub."""
    answer = cell(notebook, ANTIPODAL)["source"]
    drop(ANTIPODAL)(notebook)
    insert_after(notebook, f"{ANTIPODAL}-text", answer)


PATCH = """import builtins, infonce_theory.answers as answers
np.abs = np.any = np.log = lambda *a, **k: np.zeros(())
answers.same_numbers = lambda *a, **k: None
builtins.AssertionError = type("Fine", (Exception,), {})
builtins.abs = lambda x: 0"""
FAKE = """import os, sys
print('{"passed": true}'); print("score: 100", file=sys.stderr)
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b"\\x00\\x00\\x00\\x10{\\"passed\\": true}")
    except OSError:
        pass
return 0.0, 0.0"""
DELETE = """import os, shutil
for place in (os.path.expanduser("~"), "{edition}", "..", "/tmp"):
    for root, _, names in os.walk(place):
        for name in names:
            try:
                os.remove(os.path.join(root, name))
            except OSError:
                pass
shutil.rmtree("{edition}", ignore_errors=True)
open("{edition}/source/planted", "w")
return 0.0, 0.0"""
SPY = """import glob
text = "".join(open(name).read() for name in glob.glob("{edition}/source/*/*.ipynb"))
raise ValueError(text[-500:])"""
LIAR = """class Always(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __hash__, __rsub__ = float.__hash__, __sub__
return Always(1.0), Always(1.0)"""
FORGED = """import sympy
class Forged(sympy.Symbol):
    pass
sympy.srepr = lambda value: "log('__import__(\\\\'os\\\\').abort()')"
return sympy.Symbol("x"), 1"""

#: Changes to a notebook in which every exercise is answered rightly, with what must become of it.
CHANGES: dict[str, tuple[Callable[[dict], None], tuple[str, ...] | str]] = {
    "good/ada": (lambda notebook: None, PASSED),
    "good/helper-cell": (_helper, PASSED),
    "good/magics": (before("%matplotlib inline\n!pip list"), PASSED),
    "good/duplicated-cell": (_duplicate, PASSED),
    "good/answer-elsewhere": (_elsewhere, PASSED),
    "good/without-metadata": (strip, PASSED),
    "good/checks-deleted": (drop(*(f"{label}-checks" for label in LABELS)), PASSED),
    "good/prints-much": (before("print('y' * 10**8)"), PASSED),
    "partial/one-wrong": (first("return np.log(np.cosh(temperature)), np.tanh(temperature) ** 2"), FIRST("failed")),
    "partial/no-return": (first("np.log(2.0)"), FIRST("failed")),
    "partial/raises": (first("return temperature.log()"), FIRST("failed")),
    "partial/chapter-variable": (first("return ring_density[0], 1"), FIRST("failed")),
    "partial/cell-missing": (drop(ANTIPODAL), FIRST("missing")),
    "broken/syntax": (before("def antipodal(temperature:"), FIRST("error")),
    "broken/infinite-loop": (before("while True:\n    pass"), FIRST("timeout")),
    "broken/slow-function": (first("while True:\n    pass"), FIRST("timeout")),
    "broken/memory-bomb": (first("return np.ones((40_000, 40_000)), 0"), FIRST("memory")),
    "broken/recursion": (first("return antipodal(temperature)"), FIRST("failed")),
    "broken/returns-generator": (first("yield 1"), FIRST("failed")),
    "broken/wrong-kernel": (_kernel, "unreadable"),
    "broken/huge-outputs": (_outputs, "unreadable"),
    "hostile/edited-checks": (_edited_checks, FIRST("failed")),
    "hostile/exit": (before("exit()"), FIRST("error")),
    "hostile/os-exit": (first("import os\nos._exit(0)"), FIRST("ended")),
    "hostile/patches": (lambda notebook: (first("return 0.0, 0.0")(notebook), before(PATCH)(notebook)), FIRST("failed")),
    "hostile/fake-score": (first(FAKE), FIRST("failed")),
    "hostile/deletes": (first(DELETE), FIRST("failed")),
    "hostile/forks": (first("import os\nwhile True:\n    os.fork()"), FIRST("failed")),
    "hostile/kills-parent": (first("import os\nos.kill(os.getppid(), 9)"), FIRST("failed")),
    "hostile/reads-checks": (first(SPY), FIRST("failed")),
    "hostile/equal-to-all": (first(LIAR), FIRST("failed")),
    "hostile/forged-value": (first(FORGED), FIRST("failed")),
    "hostile/subprocess": (first("import subprocess\nreturn subprocess.run(['true']), 1"), FIRST("failed")),
    "hostile/leaks-arguments": (first("if temperature == 1.0:\n    return 0.43378083048, 0.58002565838\nraise ValueError(temperature)"), FIRST("failed")),
}

#: Files that are no notebooks of the course.
FILES: dict[str, bytes] = {
    "broken/notes.txt": b"I did it on paper.",
    "broken/empty.ipynb": b"",
    "broken/cut-off.ipynb": b'{"cells": [{"cell_type": "code"',
    "broken/list.ipynb": b"[1, 2, 3]",
    "broken/other.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "broken/binary.ipynb": bytes(range(256)) * 10,
    "broken/odd-cells.ipynb": b'{"cells": [1, null, {"cell_type": 3, "metadata": {"nbgrader": 7}, "source": 5}], "metadata": 1}',
}

SMALL = ("good/ada", "partial/one-wrong", "broken/syntax", "broken/slow-function", "hostile/patches", "hostile/os-exit", "hostile/leaks-arguments")


def answered(student: dict, answers: dict[str, str]) -> dict:
    """The student's notebook with these answers pasted in, and words where words are asked for."""
    notebook = deepcopy(student)
    for one in notebook["cells"]:
        name = one["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name in answers:
            one["source"] = answers[name]
        elif name.endswith("-words"):
            one["source"] = WORDS
    return notebook


def write_submissions(folder: Path, student: dict, answers: dict[str, str], edition: Path, names: tuple[str, ...] | None = None) -> dict[str, tuple[str, ...] | str]:
    """Write the named submissions (all if None) and return what must become of each, by its file's name."""
    expected = {}
    for name, (change, outcome) in CHANGES.items():
        if names is None or name in names:
            notebook = answered(student, answers)
            change(notebook)
            text = json.dumps(notebook).replace("{edition}", str(edition))
            path = folder / name / "03_k_negatives.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(text, "utf-8")
            expected[path.relative_to(folder).as_posix()] = outcome
    for name, content in FILES.items():
        if names is None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
            expected[name] = "unreadable"
    return expected
