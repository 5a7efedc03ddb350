"""The checks of the exercises accept every right answer and reject the listed wrong ones.

An answer runs after the chapter's first cell only, as it does when it is graded.
"""

import pytest
from coursework import (
    CHECKS,
    Checks,
    Exercise,
    checks_path,
    documented_functions,
    marked,
    read_checks,
    read_exercises,
    signature,
    stub,
)
from helpers import CHAPTERS, code_cells, read_chapter

WITH_CHECKS = [path for path in CHAPTERS if checks_path(path).exists()]  # a lecturer's own chapter may come without


def load(path) -> list[tuple[Exercise, Checks, str]]:
    """Exercises of a chapter with their checks and the imports of the checks."""
    imports, checks = read_checks(checks_path(path).read_text("utf-8"))
    exercises = read_exercises(read_chapter(path), int(path.name[:2]))
    return [(exercise, checks.get(exercise.label, Checks()), imports) for exercise in exercises]


LOADED = [(path, *entry) for path in WITH_CHECKS for entry in load(path)]
on_each_exercise = pytest.mark.parametrize(
    ("path", "exercise", "checks", "imports"), LOADED, ids=[entry[1].label for entry in LOADED]
)
BY_CODE = [entry for entry in LOADED if entry[2].points]
on_each_answer = pytest.mark.parametrize(
    ("path", "exercise", "checks", "imports"), BY_CODE, ids=[entry[1].label for entry in BY_CODE]
)


@pytest.fixture(scope="module")
def first_cells():
    """What the first cell of each chapter defines."""
    found = {}
    for path in WITH_CHECKS:
        exec(code_cells(read_chapter(path))[0].source, found.setdefault(path, {}))
    return found


def failures(namespace: dict, answer: str, imports: str, *checks: str) -> list[str]:
    """Run an answer, then each check in turn; what was raised."""
    scope = dict(namespace)
    try:
        exec(answer, scope)
        for check in checks:
            exec(f"{imports}\n{check}", scope)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def test_every_file_of_checks_belongs_to_a_chapter():
    assert {path.stem for path in CHECKS.glob("*.py")} == {path.stem for path in WITH_CHECKS}
    assert len(WITH_CHECKS) >= 11


@pytest.mark.parametrize("path", WITH_CHECKS, ids=lambda path: path.stem)
def test_exercises_come_in_graded_order(path):
    kinds = [exercise.kind for exercise, _, _ in load(path)]
    places = [next((i for i, kind in enumerate(kinds) if word in kind), None) for word in ("warm-up", "SymPy", "NumPy", "what if")]
    assert None not in places and places == sorted(places), kinds


@pytest.mark.parametrize("path", WITH_CHECKS, ids=lambda path: path.stem)
def test_the_file_of_checks_has_the_exercises_of_the_chapter(path):
    labels = [exercise.label for exercise, _, _ in load(path)]
    assert list(read_checks(checks_path(path).read_text("utf-8"))[1]) == labels


@on_each_exercise
def test_exercise_is_complete(path, exercise, checks, imports):
    assert exercise.solution and exercise.minutes and checks.points + checks.points_by_hand
    if checks.points:
        assert exercise.answer, "the solution's first Python block must hold nothing but functions with docstrings"
        assert checks.visible and checks.hidden and checks.right and len(checks.wrong) >= 3
    else:
        assert not exercise.answer, "the solution begins with documented functions, but nothing checks them"
    for function in documented_functions(exercise.answer):
        assert f"`{signature(function)}`" in exercise.text, f"the text does not ask for `{signature(function)}`"


@on_each_answer
def test_right_answers_pass(path, exercise, checks, imports, first_cells):
    for reason, answer in {"the solution": exercise.answer, **checks.right}.items():
        assert (reason, failures(first_cells[path], answer, imports, checks.visible, checks.hidden)) == (reason, [])


@on_each_answer
def test_wrong_answers_are_rejected(path, exercise, checks, imports, first_cells):
    for reason, answer in checks.wrong.items():
        assert failures(first_cells[path], answer, "", "") == [], f"{reason}: the answer itself fails"
        assert failures(first_cells[path], answer, imports, checks.visible, checks.hidden) != [], f"{reason}: accepted"
    seen = [failures(first_cells[path], answer, imports, checks.visible) for answer in checks.wrong.values()]
    assert [] in seen, "the visible checks reject every wrong answer, so the hidden ones are not tested"


def test_the_parser_reads_blocks_in_any_order():
    imports, found = read_checks("""'''A docstring.'''
import numpy as np

# %% exr-01-a · 2 points · 1 point by hand
# %% wrong: too large
f = 2
# %% hidden
assert f == 1
# %% visible
f
# %% exr-01-b · 4 points by hand
""")
    assert imports == "import numpy as np"
    assert found["exr-01-a"] == Checks(2, 1, "f", "assert f == 1", {}, {"too large": "f = 2"})
    assert found["exr-01-b"] == Checks(0, 4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# %% visible\nf", "comes first"),
        ("# %% exr-a · 1 point\n# %% exr-a · 1 point", "comes twice"),
        ("# %% exr-a · 1 point\n# %% hidden\nf\n# %% hidden\nf", "comes twice"),
        ("# %% exr-a · 1 point\n# %% wrong\nf", "expected 'visible', 'hidden'"),
        ("# %% exr-a · one point\n", "comes first"),
    ],
)
def test_the_parser_says_what_is_wrong(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        read_checks(text)


def test_stub_and_marks_keep_signature_and_docstring():
    code = 'def f(x, y=1):\n    """Sum\n    of both."""\n    z = x\n    return z + y\n'
    head = 'def f(x, y=1):\n    """Sum\n    of both."""\n'
    assert marked(code) == head + "    ### BEGIN SOLUTION\n    z = x\n    return z + y\n    ### END SOLUTION"
    scope = {}
    exec(stub(code), scope)
    with pytest.raises(NotImplementedError, match="Replace this line"):
        scope["f"](1)
    assert "z" not in stub(code) and stub(code).startswith(head)


@pytest.mark.parametrize("code", ["x = 1", "def f():\n    return 1", 'def f():\n    """No body."""', "def f(:"])
def test_what_is_no_documented_function_is_no_answer(code):
    assert documented_functions(code) == []
