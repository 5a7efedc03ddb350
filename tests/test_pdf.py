"""The PDF: its LaTeX for a book in small, and the checks that `make pdf` runs on the whole book.

The whole book takes TeX two minutes, so here TeX sets only the small one, where it is installed.
"""

import dataclasses
import re
import shutil

import build_pdf
import nbformat
import pdf_checks
import pytest
from helpers import ROOT

LACKING = build_pdf.missing()

CHAPTER = r"""# Twice $x$

:::{prf:definition} Twice the $x$
:label: def-twice
Twice $x$ is

$$
2x .
$$ (eq-twice)
:::

:::{prf:proposition} It doubles
:label: prop-doubles
$\E 2X = 2\E X$ by {prf:ref}`def-twice`.
:::

:::{prf:proof}
:class: dropdown
See {eq}`eq-twice`.
:::

| a table | of claims |
| --- | --- |
| one | two |

::::{exercise} Half of it · 5 min
:label: exr-07-half
Halve {prf:ref}`prop-doubles`.
::::

::::{solution} exr-07-half
:label: sol-07-half
:class: dropdown
Exercise {ref}`exr-07-half` gives τ/2 ★.
::::
"""
DRAW = "from IPython.display import SVG\nSVG('<svg/>')"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="80" height="50"/></svg>'
CAPTION = "What to see. A rectangle that shows {eq}`eq-twice`, and nothing else at all."
CHECK = "evidence.holds('def-twice', 'oracle', True, 'the value is positive')"
RECORD = {"statement": "def-twice", "kind": "oracle", "claim": "the value is positive"}


def small_chapter():
    figure = {"image": {"alt": "A black rectangle."}, "figure": {"caption": CAPTION, "name": "fig-box"}}
    output = nbformat.v4.new_output("display_data", {"image/svg+xml": PICTURE, "text/plain": "<SVG>"})
    record = nbformat.v4.new_output(
        "display_data", {"application/vnd.infonce-theory.evidence+json": RECORD, "text/plain": "✓ def-twice"}
    )
    cells = [
        nbformat.v4.new_markdown_cell(CHAPTER),
        nbformat.v4.new_code_cell(DRAW, outputs=[output], execution_count=1, metadata={"mystnb": figure}),
        nbformat.v4.new_code_cell(CHECK, outputs=[record], execution_count=2),
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with one small chapter, the seventh."""
    root = tmp_path_factory.mktemp("pdf")
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "book").mkdir()
    shutil.copytree(ROOT / "book/_static", root / "book/_static")
    for name in ("_config.yml", "book/references.bib"):
        shutil.copy(ROOT / name, root / name)
    (root / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nparts:\n- caption: 'Part IX: Doubles & co'\n  numbered: 1\n"
        "  chapters:\n  - file: book/07_small\n- caption: Reference\n  chapters:\n  - file: book/references\n"
    )
    (root / "book/index.md").write_text("# A book in small\n\nSee {numref}`fig-box` and {cite:t}`whiteley2026`.\n")
    (root / "book/references.md").write_text("# References\n\n```{bibliography}\n:all:\n```\n")
    nbformat.write(small_chapter(), root / "book/07_small.ipynb")
    return root


@pytest.fixture(scope="module")
def folder(project):
    if not shutil.which("rsvg-convert"):
        pytest.skip("rsvg-convert, which turns figures into PDF, is not installed (Debian package librsvg2-bin)")
    return build_pdf.write_latex(project, project / "work")


@pytest.fixture(scope="module")
def latex(folder):
    return (folder / build_pdf.TARGET).read_text("utf-8")


WRITTEN = {
    "the part": r"\part{Part IX: Doubles \& co}",
    "the number of the chapter": r"\setcounter{chapter}{6}",
    "a heading in words": r"\texorpdfstring{\protect\(x\protect\)}{x}",
    "a statement": r"\begin{bookstatement}{Definition 7.1}",
    "the next statement": r"\begin{bookstatement}{Proposition 7.2}",
    "a reference to it": r"prop-doubles}]{\sphinxcrossref{Proposition 7.2}}",
    "an equation": r"\tag{7.1}\label{equation:book/07_small:eq-twice}",
    "an exercise": r"\begin{bookexercise}{Exercise 7.1}",
    "a proof": r"\begin{bookproof}{Proof}",
    "a solution": r"\begin{booksolution}{Solution to Exercise 7.1}",
    "a figure": r"\renewcommand{\thefigure}{7.1}",
    "a line of evidence": r"\begin{sphinxuseclass}{evidence}",
    "a macro": r"\renewcommand{\E}{\mathbb{E}}",
}


@pytest.mark.parametrize("what", WRITTEN)
def test_the_latex_has(latex, what):
    assert WRITTEN[what] in latex


def test_numbers_are_written_into_references(latex):
    assert re.search(r"fig-box\}\]\{\\sphinxcrossref\{[^}]*\{?Fig\. 7\.1\}", latex)
    assert re.search(r"exr-07-half\}\]\{\\sphinxcrossref\{[^}]*\{?Exercise 7\.1\}", latex)


def test_the_works_stand_on_their_page(latex):
    assert latex.count(r"\begin{sphinxthebibliography}") == 1
    assert latex.index(r"\chapter{References}") < latex.index(r"\begin{sphinxthebibliography}")


@pytest.mark.skipif(bool(LACKING), reason=f"the PDF needs {', '.join(LACKING)}; README.md names the packages")
def test_the_small_book_passes_all_checks(project, folder):
    pdf = pdf_checks.Pdf.read(build_pdf.typeset(folder, build_pdf.environment(project)))
    assert pdf_checks.complaints(pdf, project / "book") == []
    bare = dataclasses.replace(pdf, pages=[""] * len(pdf.pages))
    against = {check.__name__ for check in pdf_checks.AGAINST_THE_BOOK if check(bare, project / "book")}
    assert against == {check.__name__ for check in pdf_checks.AGAINST_THE_BOOK}


SOUND = pdf_checks.Pdf(
    ["A page with text", "Theorem 7.1 (It doubles) and (7.1)"],
    "Overfull \\hbox (3.2pt too wide) in paragraph\nDisplay shrunk from 400.0pt to 390.0pt\n",
    "name type\n---- ----\nABC+LMRoman10 CID Type 0C Identity-H yes yes yes 12 0\n",
    "Title:           A book\nAuthor:          Somebody\n",
)
PLANTED = [
    (pdf_checks.tex_complaints, "log", "! Undefined control sequence.\n"),
    (pdf_checks.tex_complaints, "log", "LaTeX Warning: Reference `eq' on page 3 undefined on input line 5.\n"),
    (pdf_checks.tex_complaints, "log", "LaTeX Warning: Label `a' multiply defined.\n"),
    (pdf_checks.tex_complaints, "log", "Missing character: There is no ★ in font FreeSerif!\n"),
    (pdf_checks.overfull_boxes, "log", "Overfull \\hbox (20.5pt too wide) in paragraph\n"),
    (pdf_checks.overfull_boxes, "log", "Overfull \\vbox (120.5pt too high) detected\n"),
    (pdf_checks.tiny_formulas, "log", "Display shrunk from 900.0pt to 390.0pt\n"),
    (pdf_checks.raw_markup, "pages", ["By Theorem ?? and more"]),
    (pdf_checks.raw_markup, "pages", [":::{prf:theorem} It doubles"]),
    (pdf_checks.raw_markup, "pages", ["See {prf:ref}`thm-doubles`."]),
    (pdf_checks.raw_markup, "pages", ["See {eq}`eq-twice`."]),
    (pdf_checks.empty_pages, "pages", ["A page with text", " 12 \n"]),
    (pdf_checks.unembedded_fonts, "fonts", "name\n----\nHelvetica Type 1 WinAnsi no no no 5 0\n"),
    (pdf_checks.missing_metadata, "info", "Title:\nAuthor:   Somebody\n"),
]


def test_checks_are_silent_on_a_sound_pdf():
    assert [check.__name__ for check in pdf_checks.ALONE if check(SOUND)] == []


@pytest.mark.parametrize(("check", "field", "defect"), PLANTED)
def test_checks_go_red_on_a_planted_defect(check, field, defect):
    assert check(dataclasses.replace(SOUND, **{field: defect})) != []


def whole_book():
    """A PDF with every word that the checks look for, made from the chapters."""
    statements = pdf_checks.read_book(ROOT / "book").values()
    words = [f"{s.kind.title()} {s.number} ({s.title})" for s in statements]
    words += [f"{s.kind.title()} {s.number} {s.title} (programme)" for s in statements]  # the tables of claims
    for path, notebook in pdf_checks.chapters(ROOT / "book"):
        number, text = int(path.stem[:2]), pdf_checks.markdown(notebook)
        figures = [cell.metadata.get("mystnb", {}).get("figure", {}) for cell in notebook.cells]
        captions = [figure["caption"] for figure in figures if "caption" in figure]
        words += [f"Fig. {number}.{place}: {caption}" for place, caption in enumerate(captions, 1)]
        words += [f"({number}.{place})" for place in range(1, text.count("$$ (eq-") + 1)]
        for place in range(1, text.count("::{exercise}") + 1):
            words += [f"Exercise {number}.{place} (a title)", f"Solution to Exercise {number}.{place}."]
    return dataclasses.replace(SOUND, pages=words)


def test_what_is_missing_or_misnumbered_is_found():
    whole = whole_book()
    assert [check(whole, ROOT / "book") for check in pdf_checks.AGAINST_THE_BOOK] == [[]] * 4
    book = pdf_checks.read_book(ROOT / "book")
    theorem = next(s for s in book.values() if s.kind == "theorem")
    wrong = {
        pdf_checks.missing_statements: (f"Theorem {theorem.number} (", "Theorem 77.7 ("),
        pdf_checks.missing_captions: ("Fig. 3.1:", "Fig. 3.2:"),
        pdf_checks.missing_equations: ("(3.2)", "(3.1)"),
        pdf_checks.missing_exercises: ("Exercise 3.1 (", "Exercise 3.9 ("),
    }
    for check, (before, after) in wrong.items():
        pages = [page.replace(before, after) for page in whole.pages]
        assert pages != whole.pages and len(check(dataclasses.replace(whole, pages=pages), ROOT / "book")) == 1


def test_without_tex_the_message_names_the_packages(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert build_pdf.main() == 1
    message = capsys.readouterr().err
    assert "xelatex" in message and "apt-get install" in message and "texlive-xetex" in message
