"""The grader: right answers score, wrong ones lose their exercise, and nothing that is handed in stops it."""

import csv
import json
import re
import shutil

import course
import grade
import pytest
from grade_submissions import Assignment, Submission, Task, read_edition, read_submissions
from helpers import CHAPTERS, read_chapter
from submissions import LABELS, SMALL, answered, write_submissions
from test_course import BY_CODE, WITH_CHECKS

SECONDS = 6.0


@pytest.fixture(scope="module")
def editions(tmp_path_factory):
    """Both editions of chapter 3."""
    output = tmp_path_factory.mktemp("course")
    course.make(course.chosen([3]), output)
    return output


@pytest.fixture(scope="module")
def solutions():
    return {exercise.label: exercise.answer for _, exercise, _, _ in BY_CODE}


def student_notebook(editions, name="03_k_negatives"):
    return json.loads((editions / "student" / f"{name}.ipynb").read_text("utf-8"))


def outcomes(rows, name):
    """The statuses of the exercises of one file that are answered by code."""
    own = {row["label"]: row["status"] for row in rows if row["submission"] == name and row["part"] in ("code", "")}
    return own.get("") or tuple(own[label] for label in LABELS)


def table_of(folder, editions, *options):
    """Run the command and read its table."""
    table = folder.with_suffix(".csv")
    arguments = [str(folder), "--edition", str(editions / "instructor"), "--output", str(table), "--seconds", str(SECONDS)]
    assert grade.main([*arguments, *options]) == 0
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_outcomes(folder, editions, solutions, names):
    expected = write_submissions(folder, student_notebook(editions), solutions, editions / "instructor", names)
    (folder / "untouched").mkdir()
    shutil.copy(editions / "student" / "03_k_negatives.ipynb", folder / "untouched")
    expected["untouched/03_k_negatives.ipynb"] = ("not attempted",) * 4
    before = sorted((path, path.stat().st_size) for path in editions.rglob("*") if path.is_file())
    rows = table_of(folder, editions)
    assert {name: outcomes(rows, name) for name in expected} == expected
    assert sorted((path, path.stat().st_size) for path in editions.rglob("*") if path.is_file()) == before
    return rows


def test_what_becomes_of_a_few_submissions(tmp_path, editions, solutions, capsys):
    (tmp_path / "handed-in").mkdir()
    (tmp_path / "handed-in" / "=1+1.txt").write_text("a formula as a name")
    rows = check_outcomes(tmp_path / "handed-in", editions, solutions, SMALL)
    said = capsys.readouterr().out
    assert "good/ada/03_k_negatives.ipynb: 11 of 22 (4 passed, 3 to be read)" in said
    assert "untouched/03_k_negatives.ipynb: 0 of 22 (7 not attempted)" in said
    ada = [row for row in rows if row["submission"].startswith("good/ada")]
    assert [(row["points"], row["of"]) for row in ada if row["part"] == "code"] == [("2", "2"), ("4", "4"), ("3", "3"), ("2", "2")]
    assert [(row["points"], row["of"]) for row in ada if row["part"] == "words"] == [("", "3"), ("", "4"), ("", "4")]
    assert [row["status"] for row in rows if row["submission"] == "'=1+1.txt"] == ["unreadable"]
    check_feedback(rows, editions)


def check_feedback(rows, editions):
    """The feedback says what to do, and nothing of the hidden checks."""
    tasks = [task for assignment in read_edition(editions / "instructor") for task in assignment.tasks]
    hidden = {line.strip() for task in tasks for line in task.hidden.splitlines() if len(line.strip()) > 12}
    messages = {text for task in tasks for text in re.findall(r'f?"([^"{]{12,})', task.hidden)}
    messages = {text for text in messages if all(text not in task.visible for task in tasks)}
    assert len(hidden) > 9 and len(messages) > 3
    for row in rows:
        assert not [text for text in hidden | messages if text in row["feedback"]]
        assert bool(row["feedback"]) == (row["status"] not in ("passed", "to be read")), row
        if row["note"].startswith("hidden"):
            assert row["feedback"].startswith("a further check failed") and "0.05" not in row["feedback"]


@pytest.mark.slow
def test_what_becomes_of_all_submissions(tmp_path, editions, solutions, capsys):
    rows = check_outcomes(tmp_path / "handed-in", editions, solutions, None)
    check_feedback(rows, editions)
    with capsys.disabled():
        print(capsys.readouterr().out)
        for row in rows:
            if row["status"] not in ("passed", "to be read") and not row["submission"].startswith("untouched"):
                print(f"{row['submission']} | {row['exercise']} | {row['status']} | {row['feedback'][:110]}")


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_CHECKS, ids=lambda path: path.stem)
def test_each_wrong_answer_loses_its_exercise_and_no_other(tmp_path, path, solutions):
    course.make([path], tmp_path / "course")
    assignments = read_edition(tmp_path / "course" / "instructor")
    student, own = student_notebook(tmp_path / "course", path.stem), [entry for entry in BY_CODE if entry[0] == path]
    expected = {"solution": set()} | {f"right {number}": set() for number in range(9)}
    for _, exercise, checks, _ in own:
        expected |= {f"{exercise.label} {number}": {exercise.label} for number in range(len(checks.wrong))}
    for name in expected:
        label, _, number = name.rpartition(" ")
        answers = dict(solutions)
        for _, exercise, checks, _ in own:
            if label == "right":
                answers[exercise.label] = list(checks.right.values())[int(number) % len(checks.right)]
            elif label == exercise.label:
                answers[label] = list(checks.wrong.values())[int(number)]
        (tmp_path / "handed-in" / name).mkdir(parents=True)
        (tmp_path / "handed-in" / name / path.name).write_text(json.dumps(answered(student, answers)))
    rows = grade.grade(read_submissions(tmp_path / "handed-in", assignments))
    lost = {name: {row.label for row in rows if row.submission.startswith(f"{name}/") and row.part == "code" and row.status != "passed"} for name in expected}
    assert lost == expected


def test_a_first_cell_that_fails_is_said(tmp_path):
    task = Task("exr-a", "1.1", 1.0, names=["f"])
    submission = Submission("a", Assignment("chapter", "import nothing_of_this_name", [task]), answers={"exr-a": ["f = 1"]})
    with pytest.raises(ValueError, match="first cell of chapter fails.*nothing_of_this_name"):
        grade.grade([submission])


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    for arguments, complaint in ([str(tmp_path / "gone")], "expected a folder"), ([str(tmp_path), "--edition", str(tmp_path)], "source"):
        with pytest.raises(SystemExit):
            grade.main(arguments)
        assert complaint in capsys.readouterr().err


def test_every_chapter_can_be_chosen():
    assert [path.stem for path in course.chosen([5, 3, 3])] == ["03_k_negatives", "05_information_alignment_uniformity"]
    assert course.chosen([]) == CHAPTERS and read_chapter(CHAPTERS[0]).cells
    with pytest.raises(SystemExit, match="expected numbers from 1 to 11"):
        course.chosen([3, 12])
