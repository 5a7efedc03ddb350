"""Grade a folder of submissions with the checks of the instructor edition, and write a table.

    python grade.py submissions --edition instructor --output grades.csv

Only the exercises' cells are run, after the chapter's first cell, each in a process of its own with
limits of time and memory; the checks are the instructor's, never those in the submission. Needs
Linux or macOS and the library with its extra `chapters`. This is no sandbox: grade strangers'
notebooks in a container or a virtual machine.
"""

import argparse
import csv
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from grade_answers import Grader
from grade_submissions import WORDS, Submission, Task, read_edition, read_submissions


@dataclass
class Row:
    """One line of the table. `feedback` is for the student; `note` may quote hidden checks and is not."""

    submission: str
    assignment: str
    exercise: str
    label: str
    part: str
    status: str
    points: float | str
    of: float
    feedback: str
    note: str = ""


def row_of(submission: Submission, task: Task, verdict: dict) -> Row:
    """The line of one answer; nothing of a hidden check gets into its feedback."""
    status, feedback = "passed", ""
    if "failed" in verdict:
        status, feedback = reason(task, verdict["failed"], verdict["kind"], verdict["text"])
    points = task.points if status == "passed" else 0
    note = f"{verdict['failed']}: {verdict['text']}" if feedback else ""
    place = (submission.name, submission.assignment.name, task.number, task.label)
    return Row(*place, "code", status, points, task.points, feedback, note)


def reason(task: Task, stage: str, kind: str, text: str) -> tuple[str, str]:
    """Status and feedback of an answer that did not pass."""
    if kind == "missing":
        return "missing", f"no cell defines {', '.join(f'{name}()' for name in task.names)}"
    if kind == "NotImplementedError" and "Replace this line" in text:
        return "not attempted", "the answer is still the line that came with the exercise"
    status = {"timeout": "timeout", "ended": "ended", "MemoryError": "memory"}.get(kind, "failed")
    if stage == "hidden":
        told = text if kind in ("timeout", "ended") else "" if kind == "check" else f"your function raised {kind}"
        return status, f"a further check failed{': ' * bool(told)}{told}"
    if kind == "NameError":
        text += "; of the chapter, only what its first cell imports is there"
    if stage == "answer" and status == "failed":
        return "error", f"the cell does not run: {text}"
    return status, text.removeprefix("ValueNotCarried: ")


def row_of_words(submission: Submission, task: Task) -> Row:
    """The line of an answer in words, which a person reads."""
    words = submission.words.get(task.label)
    status = "missing" if words is None else "not attempted" if words.strip() in ("", WORDS) else "to be read"
    feedback = {"missing": "the cell for these words is not in the notebook", "not attempted": "nothing is written"}.get(status, "")
    points = "" if status == "to be read" else 0
    return Row(submission.name, submission.assignment.name, task.number, task.label, "words", status, points, task.points, feedback)


def grade(submissions: list[Submission], seconds: float = 30.0, memory: int = 2**30, workers: int = 2) -> list[Row]:
    """Grade all submissions, several answers at a time; one row for each exercise, or for a file that cannot be read."""
    rows: list[Row] = []
    pending = []
    with Grader(seconds, memory) as grader, ThreadPoolExecutor(workers) as pool:
        for submission in submissions:
            if submission.problem:
                rows.append(Row(submission.name, "", "", "", "", "unreadable", 0, 0, f"this file {submission.problem}"))
                continue
            for task in submission.assignment.tasks:
                if task.words:
                    rows.append(row_of_words(submission, task))
                else:
                    pending.append((submission, task, pool.submit(grader.verdict, submission, task)))
        rows += [row_of(submission, task, verdict.result()) for submission, task, verdict in pending]
    return sorted(rows, key=lambda row: (row.submission, row.assignment, [int(n) for n in row.exercise.split(".") if n], row.part))


def write_table(rows: list[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Row)])
        table.writeheader()
        table.writerows({key: _harmless(value) for key, value in asdict(row).items()} for row in rows)


def _harmless(value: object) -> object:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")) else value


def summary(rows: list[Row]) -> str:
    """A line for each submission: its points and what became of its exercises."""
    lines = []
    for name in dict.fromkeys(row.submission for row in rows):
        own = [row for row in rows if row.submission == name]
        points = sum(row.points for row in own if row.points != "")
        counts = ", ".join(f"{count} {status}" for status, count in Counter(row.status for row in own).items())
        lines.append(f"{name}: {points:g} of {sum(row.of for row in own):g} ({counts})")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", type=Path, help="folder with what was handed in, in subfolders or not")
    parser.add_argument("--edition", type=Path, default=Path(__file__).resolve().parent, help="folder of the instructor edition")
    parser.add_argument("--output", type=Path, default=Path("grades.csv"), help="the table (grades.csv)")
    parser.add_argument("--seconds", type=float, default=30.0, help="limit for one exercise (30)")
    parser.add_argument("--megabytes", type=int, default=1024, help="memory limit for one exercise (1024)")
    parser.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1), help="answers at a time")
    options = parser.parse_args(arguments)
    if not options.submissions.is_dir():
        parser.error(f"submissions is {str(options.submissions)!r}; expected a folder")
    if not hasattr(os, "fork"):
        parser.error("the grader needs Linux or macOS; on Windows use WSL or a container")
    try:
        submissions = read_submissions(options.submissions, read_edition(options.edition))
        rows = grade(submissions, options.seconds, options.megabytes * 2**20, options.workers)
    except ValueError as error:
        parser.error(str(error))
    write_table(rows, options.output)
    print(summary(rows))
    print(f"{len(rows)} rows in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
