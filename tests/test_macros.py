"""One table of macros serves the site, JupyterLab and the PDF."""

import copy
import re

import jupyter_lab_config
import nbformat
import pytest
import sphinx_katex
import yaml
from helpers import BOOK, CHAPTERS, markdown, read_chapter

MACROS = jupyter_lab_config.MACROS


def test_jupyterlab_reads_the_table_from_the_front_matter():
    _, header, _ = jupyter_lab_config.FRONT_MATTER.split("---\n")
    assert yaml.safe_load(header) == {"math": MACROS}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_opening_and_saving_in_jupyterlab_changes_nothing(path):
    notebook = read_chapter(path)
    opened = copy.deepcopy(notebook)
    jupyter_lab_config.add_macros(opened)
    assert opened != notebook and markdown(opened).startswith("---\nmath:\n")
    jupyter_lab_config.remove_macros(opened)
    assert nbformat.writes(opened) == nbformat.writes(notebook)


def test_the_pdf_has_every_macro_with_its_arguments():
    preamble = sphinx_katex.latex_macros(MACROS)
    assert re.findall(r"\\renewcommand\{(\\\w+)\}", preamble) == list(MACROS)
    assert r"\renewcommand{\inner}[2]{\langle #1, #2\rangle}" in preamble
    assert r"\renewcommand{\norm}[1]{\lVert #1\rVert}" in preamble


@pytest.mark.parametrize("name", MACROS)
def test_katex_renders_every_macro(name):
    arguments = "{a}{b}"[: 3 * max(map(int, re.findall(r"#(\d)", MACROS[name])), default=0)]
    assert "<math" in sphinx_katex.render(name + arguments, False, tuple(MACROS.items()))


def test_katex_refuses_an_unknown_macro():
    with pytest.raises(sphinx_katex.FormulaError, match="Undefined control sequence"):
        sphinx_katex.render(r"\nosuchmacro", True, ())


def test_stylesheet_and_script_of_katex_have_one_version():
    version = sphinx_katex._engine().eval("katex.version")
    stylesheet = (BOOK / "_static/katex/katex.min.css").read_text("utf-8")
    assert stylesheet.startswith(f"/* KaTeX {version},")
