"""Make the student and the instructor edition of chosen chapters, as folders and zips in _build/course.

student/     notebooks without solutions and hidden checks, the library, the data
instructor/  the same notebooks as nbgrader's source folder, with both, and the grader
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from book_references import References, read_references
from course_cells import edition, seal
from coursework import ROOT, checks_path, read_checks, read_exercises
from nbformat import NotebookNode
from plain_notebook import plain_notebook
from reproducible_archives import build_wheel, write_zip
from run_chapters import chapter_paths

LICENCES = ("LICENSE", "LICENSE-text", "CITATION.cff")
GRADER = ("grade.py", "grade_answers.py", "grade_processes.py", "grade_submissions.py", "grade_values.py")


def chosen(numbers: list[int], root: Path = ROOT) -> list[Path]:
    """The chapters with these numbers, all of them if there are none."""
    paths = {int(path.stem[:2]): path for path in chapter_paths(root)}
    unknown = sorted(set(numbers) - set(paths))
    if unknown:
        raise SystemExit(f"CHAPTERS has {unknown}; expected numbers from {min(paths)} to {max(paths)}")
    return [paths[number] for number in sorted(set(numbers) or paths)]


def notebook_of(path: Path, references: References, wheel: str, student: bool) -> NotebookNode:
    """One chapter as a student or an instructor gets it, in plain Markdown."""
    chapter = nbformat.read(path, as_version=4)
    exercises = read_exercises(chapter, int(path.stem[:2]))
    file = checks_path(path)
    imports, checks = read_checks(file.read_text("utf-8")) if file.exists() else ("", {})
    notebook = plain_notebook(edition(chapter, exercises, imports, checks, wheel, student), references)
    return seal(notebook) if student else notebook


def place_notebook(notebook: NotebookNode, path: Path, wheel: Path) -> None:
    """Write a notebook with all that it needs beside it: the library, the data that it reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook, indent=1) + "\n", "utf-8")
    shutil.copy(wheel, path.parent / wheel.name)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    for file in sorted((ROOT / "book" / "data").iterdir()):
        if file.name in code or (file.name == "README.md" and "data/" in code):
            (path.parent / "data").mkdir(exist_ok=True)
            shutil.copy(file, path.parent / "data" / file.name)


def add_files(folder: Path, kind: str, names: tuple[str, ...] = ()) -> None:
    """Add the edition's own files, the licences and the named tools."""
    shutil.copytree(ROOT / "course" / kind, folder, dirs_exist_ok=True)
    for name in LICENCES:
        shutil.copy(ROOT / name, folder / name)
    for name in names:
        shutil.copy(ROOT / "tools" / name, folder / name)


def make_zip(folder: Path) -> Path:
    """Pack a folder into an archive beside it."""
    archive = folder.with_name(f"infonce-{folder.name}.zip")
    files = (path for path in folder.rglob("*") if path.is_file())
    write_zip(archive, {f"infonce-{folder.name}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files})
    return archive


def make(chapters: list[Path], output: Path) -> list[Path]:
    """Make both editions of the chapters in `output`, in place of earlier ones; returns their archives."""
    student, instructor = output / "student", output / "instructor"
    output.mkdir(parents=True, exist_ok=True)
    for folder in (student, instructor):
        shutil.rmtree(folder, ignore_errors=True)
    references = read_references(ROOT)
    with tempfile.TemporaryDirectory() as place:
        wheel = build_wheel(ROOT, Path(place))
        for path in chapters:
            place_notebook(notebook_of(path, references, wheel.name, True), student / path.name, wheel)
            place_notebook(notebook_of(path, references, wheel.name, False), instructor / "source" / path.stem / path.name, wheel)
    add_files(student, "student")
    add_files(instructor, "instructor", GRADER)
    return [make_zip(folder) for folder in (student, instructor)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", type=int, help="numbers of chapters (all if none is given)")
    parser.add_argument("--output", type=Path, default=ROOT / "_build" / "course")
    options = parser.parse_args(arguments)
    paths = chosen(options.chapters)
    for archive in make(paths, options.output):
        print(f"{archive.relative_to(Path.cwd()) if archive.is_relative_to(Path.cwd()) else archive}: {archive.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
