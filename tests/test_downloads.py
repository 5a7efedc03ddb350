"""The downloads: clean notebooks, and a zip that has the same bytes each time and runs elsewhere."""

import base64
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest
from book_references import read_references
from downloads import BOOK_NAME, ZIP_NAME, clean_notebook, make_downloads
from helpers import BOOK, CHAPTERS, ROOT, read_chapter
from nbclient import NotebookClient
from reproducible_archives import build_wheel, write_zip

#: The chapter that is executed from the zip: a short one.
EXECUTED = "01_infonce_loss.ipynb"


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return tmp_path_factory.mktemp("record") / "digest"


@pytest.fixture(scope="module")
def downloads(record, tmp_path_factory):
    folder = tmp_path_factory.mktemp("downloads")
    made = make_downloads(ROOT, folder, CHAPTERS, record)
    assert set(folder.iterdir()) == set(made)  # all of it is published
    return folder


@pytest.fixture(scope="module")
def unpacked(downloads, tmp_path_factory):
    """The zip, unpacked where nothing of the project is near."""
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.unpack_archive(downloads / ZIP_NAME, folder)
    return folder / BOOK_NAME


def outputs(notebook):
    """What the cells with code say, by name of the cell, figures and evidence records apart."""
    texts = {}
    for cell in notebook.cells:
        said = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", ())]
        texts |= {cell.id: "".join(said)} if cell.cell_type == "code" else {}
    return texts


def drawings(notebook):
    """The outputs that are pictures."""
    found = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output for output in found if images(output)]


def images(output):
    return [name for name in output.get("data", {}) if name.startswith("image/")]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_clean_notebook_is_the_chapter(downloads, path):
    stored, clean = read_chapter(path), nbformat.read(downloads / path.name, as_version=4)
    nbformat.validate(clean)
    assert [cell.source for cell in clean.cells if cell.cell_type == "code"] == [
        cell.source for cell in stored.cells if cell.cell_type == "code"
    ]
    assert outputs(clean) == outputs(stored)
    assert len(drawings(clean)) == len(drawings(stored))
    assert all(images(output) == ["image/png"] for output in drawings(clean))
    assert set(clean.metadata) == {"kernelspec", "language_info"}
    assert f"chapter {int(path.name[:2])} of the book" in clean.cells[1].source


def test_a_figure_keeps_its_size_and_is_sharp(downloads):
    stored, clean = (nbformat.read(folder / EXECUTED, as_version=4) for folder in (BOOK, downloads))
    points = [re.search(r'width="([\d.]+)pt"', output["data"]["image/svg+xml"])[1] for output in drawings(stored)]
    widths = [output["metadata"]["image/png"]["width"] for output in drawings(clean)]
    assert widths == pytest.approx([float(width) * 96 / 72 for width in points], abs=1)
    png = base64.b64decode(drawings(clean)[0]["data"]["image/png"])
    assert png[1:4] == b"PNG" and int.from_bytes(png[16:20], "big") == pytest.approx(2 * widths[0], abs=1)


def test_a_chapter_that_cannot_be_converted_is_named(tmp_path):
    path = tmp_path / "07_small.ipynb"
    cell = nbformat.v4.new_markdown_cell("```{novelty}\nA\n```", id="a")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    with pytest.raises(ValueError, match="07_small.ipynb: directive 'novelty'"):
        clean_notebook(path, read_references(ROOT), tmp_path)


def unexpected_files(names):
    """Files of a zip that a reader should not find there, and files that are missing."""
    expected = {path.name for path in CHAPTERS} | {f"data/{path.name}" for path in (BOOK / "data").glob("*")}
    expected |= {"README.md", "LICENSE", "LICENSE-text", "CITATION.cff", "lock.txt", "requirements.txt", "notation.md"}
    expected.add(f"infonce_theory-{version('infonce-theory')}-py3-none-any.whl")
    return sorted({name.removeprefix(f"{BOOK_NAME}/") for name in names} ^ expected)


def test_the_zip_holds_the_book_and_nothing_else(downloads):
    names = zipfile.ZipFile(downloads / ZIP_NAME).namelist()
    assert unexpected_files(names) == []
    assert unexpected_files([*names, "course/checks/03_k_negatives.py"]) != []
    assert unexpected_files(names[1:]) != []


def test_the_zip_holds_what_the_site_offers(downloads, unpacked):
    for path in CHAPTERS:
        assert (unpacked / path.name).read_bytes() == (downloads / path.name).read_bytes()
    assert (unpacked / "lock.txt").read_bytes() == (ROOT / "requirements.txt").read_bytes()
    for path in (BOOK / "data").iterdir():
        assert (unpacked / "data" / path.name).read_bytes() == path.read_bytes()


def test_one_command_installs_all_that_the_chapters_need(unpacked):
    commands = re.findall(r"^.*\bpip install.*$", (unpacked / "README.md").read_text("utf-8"), re.M)
    assert commands == ["pip install -r requirements.txt"]
    constraint, library, lab = (unpacked / "requirements.txt").read_text("utf-8").splitlines()
    assert constraint == "--constraint lock.txt" and lab.startswith("jupyterlab")
    assert library == f"./{next(unpacked.glob('*.whl')).name}[chapters]"


def test_a_chapter_runs_where_the_project_is_not(unpacked, tmp_path):
    """With the wheel of the zip and the packages of this environment, and with the same outputs."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(tmp_path)]
    subprocess.run([*command, str(next(unpacked.glob("*.whl")))], check=True, capture_output=True)
    notebook = nbformat.read(unpacked / EXECUTED, as_version=4)
    asked = nbformat.v4.new_code_cell("import infonce_theory\nprint(infonce_theory.__file__)", id="asked")
    notebook.cells.append(asked)
    stored = outputs(notebook)
    client = NotebookClient(notebook, timeout=120, coalesce_streams=True, resources={"metadata": {"path": str(unpacked)}})
    client.execute(env=os.environ | {"PYTHONPATH": str(tmp_path)})
    computed = outputs(notebook)
    assert Path(computed.pop("asked").strip()).is_relative_to(tmp_path)
    assert computed == {name: text for name, text in stored.items() if name != "asked"}


def test_the_same_input_gives_the_same_bytes(downloads, tmp_path):
    make_downloads(ROOT, tmp_path, reversed(CHAPTERS))
    for path in downloads.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_wheel_depends_on_its_sources_only(unpacked, tmp_path):
    """Neither the place, nor the times, nor the permissions of the files change a byte of it."""
    copy = tmp_path / "copy"
    for name in ("lib/infonce_theory", "pyproject.toml", "README.md", "LICENSE"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        copied = (shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile)(ROOT / name, copy / name)
        for path in [Path(copied), *Path(copied).rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o600)
            os.utime(path, (10**9, 10**9))
    wheel = next(unpacked.glob("*.whl"))
    assert build_wheel(copy, tmp_path / "built").read_bytes() == wheel.read_bytes()
    with (copy / "lib/infonce_theory/loss.py").open("a") as module:
        module.write("# an edit\n")
    assert build_wheel(copy, tmp_path / "edited").read_bytes() != wheel.read_bytes()


def test_a_zip_depends_on_its_contents_only(tmp_path):
    contents = {"b": b"1", "a/c": b"2" * 1000}
    write_zip(tmp_path / "one.zip", contents)
    write_zip(tmp_path / "two.zip", dict(reversed(contents.items())))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == contents


def test_what_is_up_to_date_stays_untouched(record, downloads):
    before = {path: path.stat().st_mtime_ns for path in downloads.iterdir()}
    make_downloads(ROOT, downloads, CHAPTERS, record)
    assert {path: path.stat().st_mtime_ns for path in downloads.iterdir()} == before
