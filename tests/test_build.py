"""What `make book` promises: an edit reaches the pages, prose executes nothing, mistakes fail."""

import os
import shutil
import subprocess
import sys
import zipfile

import build_site
import downloads
import nbformat
import pytest
from helpers import ROOT

TEXT = """# A chapter in small

:::{prf:definition} Twice
:label: def-twice
Twice $x$ is $2x$.
:::
"""
CODE = "from infonce_theory import evidence, two\nprint('the value is', two.VALUE)"
CHECK = "evidence.holds('def-twice', 'oracle', two.VALUE > 0, 'the value is positive')"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with one small chapter, which imports one small module."""
    root = tmp_path_factory.mktemp("project")
    for folder in ("lib", "tools", "book/_static"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    kept = ("_config.yml", "requirements.txt", "pyproject.toml", "README.md", "LICENSE", "LICENSE-text", "CITATION.cff")
    for name in (*kept, "book/references.bib"):
        shutil.copy(ROOT / name, root / name)
    (root / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nparts:\n- numbered: 1\n  chapters:\n  - file: book/07_small\n"
    )
    (root / "book/index.md").write_text("# A book in small\n\nSee {prf:ref}`def-twice`.\n")
    (root / "book/notation.md").write_text("# Notation\n\n{prf:ref}`def-twice` has the only symbol.\n")
    (root / "lib/infonce_theory/two.py").write_text("VALUE = 2.0\n")
    cells = [nbformat.v4.new_markdown_cell(TEXT), nbformat.v4.new_code_cell(CODE), nbformat.v4.new_code_cell(CHECK)]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), root / "book/07_small.ipynb")
    return root


def execute(root):
    """Run tools/run_chapters.py of the copy, with the copy's library."""
    command = [sys.executable, str(root / "tools/run_chapters.py")]
    environment = os.environ | {"PYTHONPATH": str(root / "lib")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def page(root):
    result = build_site.build_if_needed(root)
    assert result is None or result.returncode == 0, result.stdout + result.stderr
    return (root / "_build/html/book/07_small.html").read_text("utf-8")


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_an_edit_reaches_the_pages(project):
    assert "1 to execute" in execute(project)
    first = page(project)
    assert "the value is 2.0" in first and "Definition 7.1" in first and "✓ <a" in first

    stored = (project / "book/07_small.ipynb").read_bytes()
    assert "0 to execute" in execute(project)
    edit(project / "book/07_small.ipynb", "Twice $x$ is", "The double of $x$ is")
    assert "0 to execute" in execute(project)
    assert "The double of" in page(project)

    edit(project / "lib/infonce_theory/two.py", "2.0", "3.5")
    assert "1 to execute" in execute(project)
    assert "the value is 3.5" in page(project)

    edit(project / "lib/infonce_theory/two.py", "3.5", "2.0")
    edit(project / "book/07_small.ipynb", "The double of $x$ is", "Twice $x$ is")
    execute(project)
    assert (project / "book/07_small.ipynb").read_bytes() == stored


def test_an_edit_of_the_style_reaches_the_site(project):
    page(project)
    with (project / "book/_static/book.css").open("a", encoding="utf-8") as style:
        style.write(".planted { color: red; }\n")
    page(project)
    assert ".planted" in (project / "_build/html/_static/book.css").read_text("utf-8")


def test_an_edit_reaches_the_downloads(project):
    page(project)
    folder, index = project / "_build/html/downloads", project / "book/index.md"
    sound = index.read_text("utf-8")
    assert "$2x$" in (folder / "07_small.ipynb").read_text("utf-8")
    edit(project / "book/07_small.ipynb", "Twice $x$ is", "The double of $x$ is")
    index.write_text(sound + "\n```{downloads} To take away\n```\n", "utf-8")
    page(project)
    assert "The double of" in (folder / "07_small.ipynb").read_text("utf-8")
    with zipfile.ZipFile(folder / downloads.ZIP_NAME) as archive:
        assert b"The double of" in archive.read(f"{downloads.BOOK_NAME}/07_small.ipynb")
    assert f'href="../downloads/{downloads.ZIP_NAME}"' in (project / "_build/html/book/index.html").read_text("utf-8")
    edit(project / "book/07_small.ipynb", "The double of $x$ is", "Twice $x$ is")
    index.write_text(sound, "utf-8")


def test_the_pdf_is_linked_if_and_only_if_it_was_made(project):
    pdf, address = project / "_build/pdf" / downloads.PDF_NAME, f'href="../downloads/{downloads.PDF_NAME}"'
    pdf.parent.mkdir(parents=True, exist_ok=True)
    assert address not in page(project)
    pdf.write_bytes(b"a book")
    assert address in page(project)
    assert (project / "_build/html/downloads" / downloads.PDF_NAME).read_bytes() == b"a book"
    (project / "_config.yml").touch()
    assert address in page(project) and pdf.exists(), "a site that is built afresh leaves the PDF alone"
    pdf.unlink()
    assert address not in page(project)
    assert not (project / "_build/html/downloads" / downloads.PDF_NAME).exists()
LINKS = ("https://github.com/owner/name/edit/trunk/book/07_small.ipynb", "https://github.com/owner/name/issues/new")
LINKS += ("https://mybinder.org/v2/gh/owner/name/trunk?urlpath=lab/tree/book/07_small.ipynb",)
LINKS += ("https://colab.research.google.com/github/owner/name/blob/trunk/book/07_small.ipynb", "%pip install")


def test_links_to_the_repository_are_there_when_its_address_is_known_and_only_then(project, monkeypatch):
    assert [link for link in (*LINKS, "github.com", "mybinder") if link in page(project)] == []
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/owner/name")
    monkeypatch.setenv("BOOK_BRANCH", "trunk")
    found = page(project)
    assert [link for link in LINKS if link not in found] == []


def test_only_a_build_with_nothing_new_to_read_is_skipped(project, monkeypatch):
    built = []

    def build(root, returncode=0):
        built.append(root)
        return subprocess.CompletedProcess([], returncode)

    page(project)
    monkeypatch.setattr(build_site, "build", build)
    (project / "_build" / ".built").unlink()
    assert build_site.build_if_needed(project) and build_site.build_if_needed(project) is None and len(built) == 1
    for path in ("book/index.md", "lib/infonce_theory/two.py", "tools/statements.py", "_toc.yml", "book/references.bib"):
        (project / path).touch()
        assert build_site.build_if_needed(project) and build_site.build_if_needed(project) is None, path
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/owner/name")
    assert build_site.build_if_needed(project) and build_site.build_if_needed(project) is None
    (project / "book/index.md").touch()
    monkeypatch.setattr(build_site, "build", lambda root: build(root, 1))
    assert all(build_site.build_if_needed(project) for _ in range(2)), "a build that failed is not the last word"


MISTAKES = {
    r"Wrong: $\nosuchmacro$.": "Undefined control sequence",
    "A price: 5$.": "stray $",
    "See {prf:ref}`thm-nowhere`.": "thm-nowhere",
    "See {eq}`eq-nowhere`.": "eq-nowhere",
    "See {cite:t}`nobody1900`.": "nobody1900",
    "See [there](nowhere.md).": "nowhere.md",
}


def test_mistakes_fail_the_build_each_time(project):
    """Each mistake is reported; and the second build does not pass for having read the page before."""
    index, chapter = project / "book/index.md", project / "book/07_small.ipynb"
    sound = index.read_text("utf-8"), chapter.read_text("utf-8")
    index.write_text("\n\n".join([sound[0], *MISTAKES]), "utf-8")
    edit(chapter, '"statement": "def-twice"', '"statement": "thm-unknown"')
    try:
        results = [build_site.build(project), build_site.build(project)]
    finally:
        index.write_text(sound[0], "utf-8")
        chapter.write_text(sound[1], "utf-8")
    for result in results:
        assert result.returncode != 0
        assert [complaint for complaint in [*MISTAKES.values(), "thm-unknown"] if complaint not in result.stderr] == []
