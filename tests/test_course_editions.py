"""The editions for students and instructors: nothing leaks, all is there, the same bytes each time."""

import ast
import base64
import json
import shutil
import subprocess
import sys
import venv
import zipfile

import course
import nbformat
import pytest
from coursework import checks_path, read_checks
from helpers import CHAPTERS, code_cells, read_chapter
from leaks import kept_from_students, leaks
from test_course import WITH_CHECKS


@pytest.fixture(scope="module")
def editions(tmp_path_factory):
    """Both editions of all chapters."""
    output = tmp_path_factory.mktemp("course")
    course.make(CHAPTERS, output)
    return output


@pytest.fixture(scope="module")
def secrets():
    return kept_from_students()


def test_nothing_leaks_to_students(editions, secrets, tmp_path):
    assert len(secrets) > 20 * len(CHAPTERS)
    assert leaks(editions / "student", secrets) == []
    shutil.copy(editions / "infonce-student.zip", tmp_path)
    assert leaks(tmp_path, secrets) == []


def test_the_search_finds_what_instructors_have(editions, secrets):
    """The same search finds nearly every secret of checks in the instructor edition, so it is not blind."""
    found = {secret for _, secret in leaks(editions / "instructor", secrets)}
    hidden = {line for path in WITH_CHECKS for one in read_checks(checks_path(path).read_text("utf-8"))[1].values() for line in one.hidden.splitlines()}
    lines = {" ".join(line.split()) for line in hidden} & set(secrets)
    assert lines and lines <= found


def _in_cell(notebook, secret):
    notebook.cells[-3].source += f"\n{secret}"


def _in_metadata(notebook, secret):
    notebook.cells[4].metadata["comment"] = {"old": [secret]}


def _in_notebook_metadata(notebook, secret):
    notebook.metadata["history"] = [secret]


def _in_output(notebook, secret):
    code_cells(notebook)[-1].outputs = [nbformat.v4.new_output("stream", text=f"note: {secret}\n")]


def _in_attachment(notebook, secret):
    text = base64.b64encode(f"see here: {secret}, and so on".encode()).decode()
    next(c for c in notebook.cells if c.cell_type == "markdown")["attachments"] = {"a.txt": {"text/plain": text}}


@pytest.mark.parametrize("plant", [_in_cell, _in_metadata, _in_notebook_metadata, _in_output, _in_attachment])
def test_a_leak_in_a_notebook_is_found(editions, secrets, plant, tmp_path):
    source = editions / "student" / "03_k_negatives.ipynb"
    for secret in (secrets[0], secrets[len(secrets) // 2], secrets[-1]):
        notebook = nbformat.read(source, 4)
        plant(notebook, secret)
        nbformat.write(notebook, tmp_path / source.name)
        assert (source.name, secret) in leaks(tmp_path, secrets)


@pytest.mark.parametrize("name", ["page.html", "_sources/page.ipynb", "_sources/page.md", "notes.zip", "searchindex.js"])
def test_a_leak_beside_the_notebooks_is_found(secrets, name, tmp_path):
    secret = secrets[len(secrets) // 3]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("deep/notes.txt", f"x {secret} y")
    elif name.endswith(".ipynb"):
        path.write_text(json.dumps({"cells": [{"source": ["a\n", f"{secret}\n"]}]}))
    else:
        path.write_text(secret.replace("&", "&amp;").replace("<", "&lt;").replace(" ", " <b></b>", 1) if name.endswith(".html") else secret)
    assert (name, secret) in leaks(tmp_path, secrets)


def test_editions_have_the_same_bytes_each_time(editions, tmp_path):
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / "01_old.ipynb").touch()
    (tmp_path / "notes.txt").touch()
    course.make(course.chosen([11]), tmp_path)
    assert (tmp_path / "notes.txt").exists(), "only earlier editions may be replaced"
    again = [path for path in (tmp_path / "student").rglob("*") if path.is_file()]
    assert len(again) > 6
    for path in again:
        assert path.read_bytes() == (editions / path.relative_to(tmp_path)).read_bytes(), path.name
        path.touch()
    first = (tmp_path / "infonce-student.zip").read_bytes()
    assert course.make_zip(tmp_path / "student").read_bytes() == first


def test_student_notebooks_are_complete(editions):
    for path in CHAPTERS:
        notebook = nbformat.read(editions / "student" / path.name, 4)
        nbformat.validate(notebook)
        assert not [cell for cell in code_cells(notebook) if cell.outputs or cell.execution_count]
        markdown = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        assert "{prf:" not in markdown and ":::" not in markdown and "Solution to" not in markdown
        assert [cell.source for cell in code_cells(notebook) if "nbgrader" not in cell.metadata][1:] == [
            cell.source for cell in code_cells(read_chapter(path))
        ]
        for cell in code_cells(notebook):
            ast.parse(cell.source)


def test_data_and_library_come_along(editions):
    student, instructor = editions / "student", editions / "instructor" / "source" / "11_digits"
    for folder in (student, instructor):
        assert {path.name for path in (folder / "data").iterdir()} == {"README.md", "digits.npz", "sweep.csv"}
        assert [path.name for path in folder.glob("*.whl")]
    assert not (editions / "instructor" / "source" / "03_k_negatives" / "data").exists()


@pytest.mark.slow
def test_the_first_cell_installs_the_library(editions, tmp_path):
    """In an empty environment the wheel beside the notebook is installed; here without what it depends on."""
    venv.create(tmp_path / "env", with_pip=True)
    notebook = nbformat.read(editions / "student" / "03_k_negatives.ipynb", 4)
    setup = code_cells(notebook)[0].source
    assert "[chapters]" in setup
    program = setup.replace("[chapters]", "").replace('"--quiet"', '"--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"')
    program += "\nassert importlib.util.find_spec('infonce_theory')"
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-I", "-c", program], cwd=editions / "student", check=True)
    lost = subprocess.run([python, "-I", "-m", "pip", "uninstall", "-qy", "infonce-theory"], check=True, capture_output=True)
    assert lost.returncode == 0
    alone = subprocess.run([python, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert "unpack the whole folder" in alone.stderr
