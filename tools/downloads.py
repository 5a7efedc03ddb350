"""What readers can take away: each chapter as a clean notebook, and the whole book as a zip.

`make_downloads` writes them into the site, at addresses that stay the same, and only what changed.
A figure is stored as PNG: an SVG is shown only in a notebook that its reader has declared trusted.
"""

import base64
import hashlib
import tomllib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import nbformat
import resvg_py
from book_references import References, read_references
from nbformat import NotebookNode
from plain_markdown import plain_text
from plain_notebook import plain_notebook
from reproducible_archives import build_wheel, source_files, write_whole, write_zip
from run_chapters import KEY

BOOK_NAME = "infonce-derived-and-tested"
ZIP_NAME, PDF_NAME = f"{BOOK_NAME}.zip", f"{BOOK_NAME}.pdf"
#: Packages that decide on the bytes of the downloads.
BUILDERS = ("nbformat", "pybtex", "resvg-py", "setuptools")
#: Pixels of a stored figure for each of its pixels on the page, so that it is sharp on good screens.
SHARPNESS = 2
ABOUT = (
    "*This notebook is chapter {number} of the book* InfoNCE, derived and tested *in plain Markdown. Its code needs the "
    "book's library `infonce_theory`, which the zip of the whole book contains: unpack `" + ZIP_NAME + "` and run "
    "`pip install -r requirements.txt` there. The number of a statement begins with that of its chapter. A line with a "
    "tick ✓ below a cell reports a check, and its link leads to the statement that was checked. "
    "Text and figures: CC BY 4.0. Code: BSD-3-Clause.*"
)


def make_downloads(root: Path, folder: Path, chapters: Iterable[Path], record: Path | None = None) -> list[Path]:
    """Write what is missing or outdated into `folder` and return all files that belong there.

    Parameters
    ----------
    root
        The project. Its ``_build/downloads`` keeps the wheel and the figures between builds.
    folder
        Where the site has its downloads.
    chapters
        Notebooks of the chapters that the site shows.
    record
        Where the digest of all inputs is kept, outside of the site. Without it everything is written again.
    """
    paths = sorted(chapters)
    notebooks = [folder / path.name for path in paths]
    key = _digest(_inputs(root, paths))
    expected = [*notebooks, folder / ZIP_NAME]
    if record and record.exists() and record.read_text() == key and all(path.exists() for path in expected):
        return expected
    folder.mkdir(parents=True, exist_ok=True)
    references, store = read_references(root), root / "_build" / "downloads"
    for path, place in zip(paths, notebooks, strict=True):
        place.write_bytes(_bytes(clean_notebook(path, references, store)))
    contents = {path.name: path.read_bytes() for path in notebooks} | book_files(root, references, wheel(root, store))
    write_zip(folder / ZIP_NAME, {f"{BOOK_NAME}/{name}": content for name, content in contents.items()})
    if record:
        record.write_text(key)
    return expected


def clean_notebook(path: Path, references: References, store: Path) -> NotebookNode:
    """The chapter with its outputs in plain Markdown, with a note on what it needs and PNG figures."""
    try:
        result = plain_notebook(nbformat.read(path, as_version=4), references)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error
    result.metadata.pop(KEY, None)
    about = nbformat.v4.new_markdown_cell(ABOUT.format(number=int(path.stem[:2])), id="about-this-notebook")
    result.cells.insert(1, about)
    for cell in result.cells:
        for output in cell.get("outputs", ()):
            if "image/svg+xml" in output.get("data", {}):
                rasterise(output, store)
    return result


def rasterise(output: NotebookNode, store: Path) -> None:
    """Replace the SVG of an output by a PNG, which is kept in `store` under the digest of the SVG."""
    svg = output["data"].pop("image/svg+xml")
    path = store / f"{_digest([version('resvg-py').encode(), str(SHARPNESS).encode(), svg.encode()])}.png"
    if not path.exists():
        drawn = resvg_py.svg_to_bytes(svg_string=svg, zoom=SHARPNESS, dpi=96, background="#ffffff", skip_system_fonts=True)
        write_whole(path, bytes(drawn))
    png = path.read_bytes()
    width, height = (int.from_bytes(png[start : start + 4], "big") // SHARPNESS for start in (16, 20))
    output["data"]["image/png"] = base64.b64encode(png).decode()
    output["metadata"]["image/png"] = {"width": width, "height": height}


def book_files(root: Path, references: References, library: Path) -> dict[str, bytes]:
    """What the zip holds beside the notebooks, by name; nothing but these, whatever the project contains."""
    lab = next(line for line in _project(root)["optional-dependencies"]["lab"] if line.split(">")[0] == "jupyterlab")
    requirements = f"--constraint lock.txt\n./{library.name}[chapters]\n{lab}\n"
    notation = plain_text((root / "book/notation.md").read_text("utf-8"), references)
    files = {name: (root / name).read_bytes() for name in ("LICENSE", "LICENSE-text", "CITATION.cff")}
    files |= {f"data/{path.name}": path.read_bytes() for path in sorted((root / "book/data").glob("*"))}
    files |= {"lock.txt": (root / "requirements.txt").read_bytes(), "requirements.txt": requirements.encode()}
    files |= {"README.md": (root / "tools/zip_readme.md").read_bytes(), "notation.md": notation.encode() + b"\n"}
    return files | {library.name: library.read_bytes()}


def wheel(root: Path, store: Path) -> Path:
    """The library's wheel, built if its sources changed."""
    folder = store / _digest([version("setuptools").encode(), *map(_named_bytes, source_files(root))])
    built = list(folder.glob("*.whl"))
    return built[0] if built else build_wheel(root, folder)


def _inputs(root: Path, chapters: list[Path]) -> Iterable[bytes]:
    """All that the downloads depend on."""
    yield from (f"{name} {version(name)}".encode() for name in BUILDERS)
    yield from (path.name.encode() for path in chapters)
    kept = ("LICENSE-text", "CITATION.cff", "requirements.txt", "_config.yml", "tools/zip_readme.md", "book/references.bib")
    folders = (("book", "*.ipynb"), ("book", "*.md"), ("book/data", "*"), ("tools", "*.py"))
    found = [path for folder, pattern in folders for path in sorted((root / folder).glob(pattern))]
    yield from map(_named_bytes, [*(root / name for name in kept), *found, *source_files(root)])


def _named_bytes(path: Path) -> bytes:
    return path.name.encode() + b"\0" + path.read_bytes()


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _bytes(notebook: NotebookNode) -> bytes:
    return (nbformat.writes(notebook, indent=1) + "\n").encode()


def _project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
