"""How the parts of a page become LaTeX: statements, exercises, proofs, solutions, formulas.

Each is printed with the number that the site shows; the environments are in latex/infoncebook.sty.
"""

import re
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx.writers.latex import LaTeXTranslator
from sphinx_exercise.nodes import exercise_enumerable_node
from sphinx_folds import STATEMENTS, fold


def to_pdf(source: str | Path, target: str | Path) -> None:
    """An SVG figure as PDF, by librsvg."""
    subprocess.run(["rsvg-convert", "--format=pdf", f"--output={target}", source], check=True)


def number(env, docname: str, kind: str, name: str) -> str:
    """The number under which the site shows a target."""
    return ".".join(map(str, env.toc_fignumbers[docname][kind][name]))


def open_box(translator: LaTeXTranslator, node: nodes.Element, environment: str, head: str) -> None:
    anchors = "".join(translator.hypertarget(name) for name in node["ids"])
    translator.body.append(f"\n\\begin{{{environment}}}{{{head}}}{{{anchors}}}")


def visit_statement(translator: LaTeXTranslator, node: nodes.Element) -> None:
    shown = number(translator.builder.env, translator.curfilestack[-1], node["countertype"], node["ids"][0])
    open_box(translator, node, "bookstatement", f"{node['realtype'].title()} {shown}")


def depart_statement(translator: LaTeXTranslator, node: nodes.Element) -> None:
    translator.body.append("\\end{bookstatement}\n")


def visit_exercise(translator: LaTeXTranslator, node: nodes.Element) -> None:
    shown = number(translator.builder.env, translator.curfilestack[-1], "exercise", node["ids"][0])
    node[0].pop(0)  # the extension's own number
    open_box(translator, node, "bookexercise", f"Exercise {shown}")


def depart_exercise(translator: LaTeXTranslator, node: nodes.Element) -> None:
    translator.body.append("\\end{bookexercise}\n")


def visit_fold(translator: LaTeXTranslator, node: fold) -> None:
    environment = "bookproof" if "proof" in node["classes"] else "booksolution"
    open_box(translator, node, environment, translator.encode(node["title"]))
    translator.context.append(environment)


def depart_fold(translator: LaTeXTranslator, node: fold) -> None:
    translator.body.append(f"\\end{{{translator.context.pop()}}}\n")


def visit_display(translator: LaTeXTranslator, node: nodes.math_block) -> None:
    """A display that shrinks if it is too wide: in its paragraph with the site's number, or on its own."""
    tex = re.sub(r"\n\s*\n", "\n", node.astext().strip())
    if r"\\" in tex:
        tex = rf"\begin{{gathered}}{tex}\end{{gathered}}"
    tag = ""
    if node.get("number"):
        shown = number(translator.builder.env, node["docname"], "displaymath", node["ids"][0])
        tag = rf"\tag{{{shown}}}\label{{equation:{node['docname']}:{node['label']}}}"
    place = node.parent.index(node)
    in_text = place > 0 and isinstance(node.parent[place - 1], (nodes.paragraph, nodes.target))
    if in_text and not translator.body[-1].strip():
        translator.body[-1] = ""  # an empty line would end the paragraph
    if in_text or tag:
        translator.body.append(f"\n\\begin{{equation*}}\\bookdisplay{{{tex}}}{tag}\\end{{equation*}}\n")
    else:
        translator.body.append(f"\n\\bookoutput{{{tex}}}\n")
    raise nodes.SkipNode


def visit_formula(translator: LaTeXTranslator, node: nodes.math) -> None:
    """A formula in the text; a heading's also as words, for the PDF's bookmarks."""
    tex = rf"\protect\({node.astext()}\protect\)" if translator.in_title else rf"\({node.astext()}\)"
    if translator.in_title:
        words = re.sub(r"[\\{}$]|\\[,;]", "", node.astext())
        tex = rf"\texorpdfstring{{{tex}}}{{{translator.encode(words)}}}"
    translator.body.append(tex)
    raise nodes.SkipNode


def register(app) -> None:
    """Give these writers of LaTeX to Sphinx, in place of those that the extensions bring."""
    for kind in STATEMENTS:
        app.add_node(kind, override=True, latex=(visit_statement, depart_statement))
    app.add_node(exercise_enumerable_node, override=True, latex=(visit_exercise, depart_exercise))
    app.add_node(fold, override=True, latex=(visit_fold, depart_fold))
    app.add_node(nodes.math, override=True, latex=(visit_formula, None))
    app.add_node(nodes.math_block, override=True, latex=(visit_display, None))
