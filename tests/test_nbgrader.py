"""nbgrader runs on the instructor edition unchanged. Skipped where nbgrader is not installed.

To run it: `pip install -e .[nbgrader]`, which is outside the lock, then this file.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import course
import nbformat
import pytest
from coursework import read_checks
from helpers import CHAPTERS
from test_course import BY_CODE, WITH_CHECKS

pytest.importorskip("nbgrader", reason="nbgrader is an optional extra")

CHAPTER = next(path for path in CHAPTERS if path.name.startswith("05_"))
NAME = CHAPTER.stem


def nbgrader(folder: Path, *arguments: str) -> str:
    program = Path(sys.executable).with_name("nbgrader")
    environment = {"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The instructor edition after generate_assignment, submissions, autograde, feedback and export."""
    output = tmp_path_factory.mktemp("course")
    course.make([CHAPTER], output)
    place = output / "instructor"
    nbgrader(place, "generate_assignment", NAME)
    own = {exercise.label: (exercise, checks) for path, exercise, checks, _ in BY_CODE if path == CHAPTER}
    right = {label: exercise.answer for label, (exercise, _) in own.items()}
    wrong = {label: next(iter(checks.wrong.values())) for label, (_, checks) in own.items()}
    for student, answers in {"ada": right, "bob": {}, "eve": wrong}.items():
        hand_in(output / "student" / CHAPTER.name, place / "submitted" / student / NAME, answers)
    nbgrader(place, "autograde", NAME, "--create")
    nbgrader(place, "generate_feedback", NAME)
    nbgrader(place, "export")
    return place


def hand_in(notebook: Path, target: Path, answers: dict[str, str]) -> None:
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        cell["source"] = answers.get(name, cell["source"])
    target.mkdir(parents=True)
    (target / notebook.name).write_text(json.dumps(content), "utf-8")


def scores(folder: Path, student: str) -> dict[str, float]:
    """Points of the cells of checks, from nbgrader's own database."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        notebook = gradebook.find_submission_notebook(NAME, NAME, student)
        return {grade.name: grade.score for grade in notebook.grades}


def test_the_release_is_the_student_edition(folder):
    """What nbgrader releases has the cells of ours, with the same metadata and checksums."""
    released = nbformat.read(folder / "release" / NAME / CHAPTER.name, 4)
    ours = nbformat.read(folder.parent / "student" / CHAPTER.name, 4)
    assert [(c.cell_type, c.source, c.metadata) for c in released.cells] == [(c.cell_type, c.source, c.metadata) for c in ours.cells]


def test_nbgrader_gives_the_points_that_we_give(folder):
    points = {checks_name: checks.points for checks_name, checks in read_checks(course.checks_path(CHAPTER).read_text("utf-8"))[1].items()}
    coded = {f"{label}-checks": float(value) for label, value in points.items() if value}
    ada, bob, eve = (scores(folder, student) for student in ("ada", "bob", "eve"))
    assert {name: ada[name] for name in coded} == coded and len(coded) >= 4
    assert {bob[name] for name in bob} == {eve[name] for name in coded} == {0.0}


def test_the_feedback_is_made(folder):
    pages = sorted((folder / "feedback").rglob("*.html"))
    assert len(pages) == 3 and (folder / "grades.csv").read_text().count("\n") == 4
    shutil.rmtree(folder / "feedback")
    assert CHAPTER in WITH_CHECKS
