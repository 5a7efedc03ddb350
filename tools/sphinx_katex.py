"""Render all mathematics with KaTeX while the site is built.

KaTeX runs in QuickJS, a JavaScript engine that is a Python wheel: no Node, no network, and
readers need no JavaScript. A formula that KaTeX refuses is a Sphinx warning at its place in the
source, so that a build with ``-W`` fails.

The one table of macros is ``math_macros`` in _config.yml. This module gives it to KaTeX and to the
LaTeX builder; ``tools/jupyter_lab_config.py`` gives it to JupyterLab.
"""

import html
import json
import re
from functools import lru_cache
from pathlib import Path

import quickjs
from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

KATEX = Path(__file__).parent / "katex" / "katex.min.js"
#: Characters of TeX up to which a formula is kept on one line.
LONGEST_UNBROKEN = 30
logger = logging.getLogger(__name__)


class FormulaError(ValueError):
    """KaTeX cannot render a formula."""


@lru_cache(maxsize=1)
def _engine() -> quickjs.Context:
    context = quickjs.Context()
    context.eval(KATEX.read_text("utf-8"))
    # QuickJS hands back only flat strings, hence the JSON.
    context.eval(
        "function render(tex, options) { return JSON.stringify(katex.renderToString(tex, JSON.parse(options))) }"
    )
    return context


@lru_cache(maxsize=None)
def render(tex: str, display: bool, macros: tuple[tuple[str, str], ...]) -> str:
    """Return the HTML and MathML of one formula, without its TeX, or raise FormulaError."""
    options = {
        "displayMode": display,
        "macros": dict(macros),
        "output": "htmlAndMathml",
        "strict": "error",
        "throwOnError": True,
    }
    try:
        markup = json.loads(_engine().get("render")(tex, json.dumps(options)))
        return re.sub("<annotation.*?</annotation>", "", markup, flags=re.S)
    except quickjs.JSException as error:
        message = str(error).splitlines()[0].removeprefix("ParseError: ")
        raise FormulaError(message) from None


def latex_macros(macros: dict[str, str]) -> str:
    """The table as LaTeX definitions, for the preamble of the PDF."""
    lines = []
    for name, body in macros.items():
        count = max((int(digit) for digit in re.findall(r"#(\d)", body)), default=0)
        arguments = f"[{count}]" if count else ""
        lines.append(rf"\providecommand{{{name}}}{{}}\renewcommand{{{name}}}{arguments}{{{body}}}")
    return "\n".join(lines) + "\n"


def _formula(translator, node: nodes.Element, display: bool) -> str:
    macros = tuple(translator.builder.config.math_macros.items())
    tex = node.astext().strip()
    try:
        return render(tex, display, macros)
    except FormulaError as error:
        logger.warning("%s in the formula %s", error, tex, location=node, type="katex")
        return f'<code class="formula-error">{html.escape(tex)}</code>'


def heads_a_column(node: nodes.math) -> bool:
    """Whether the formula is all that the head of a table's column says."""
    entry = node.parent and node.parent.parent
    return isinstance(entry, nodes.entry) and entry.astext() == node.astext() and isinstance(entry.parent.parent, nodes.thead)


def visit_inline(translator, node: nodes.math) -> None:
    formula = _formula(translator, node, False)
    if heads_a_column(node):  # a head needs a name, and MathML alone does not count as one
        formula = formula.replace("<math ", f'<math aria-label="{html.escape(node.astext())}" ', 1)
    translator.body.append(f'<span class="math">{formula}</span>')
    raise nodes.SkipNode


def visit_display(translator, node: nodes.math_block) -> None:
    """A box that scrolls sideways, with the equation's number outside of what scrolls."""
    translator.body.append(translator.starttag(node, "div", "", CLASS="math display"))
    translator.body.append(f'<div class="scroll">{_formula(translator, node, True)}</div>')
    if node.get("number"):
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


class StrayDollars(SphinxTransform):
    """Warn of dollar signs left in the text: mathematics that the parser did not take for such."""

    default_priority = 420

    def apply(self, **kwargs) -> None:
        for text in self.document.findall(nodes.Text):
            verbatim = isinstance(text.parent, (nodes.literal, nodes.math, nodes.FixedTextElement, nodes.raw))
            if "$" in text and not verbatim:
                message = "stray $ in %r; leave a blank line before $$ and close each formula"
                logger.warning(message, text.astext()[:60], location=text.parent, type="katex")


class KeepPunctuation(SphinxPostTransform):
    """Keep a short formula and what touches it on one line: browsers would break before the full stop.

    A long formula must be free to break on a phone, so it is left alone.
    """

    default_priority = 700
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for formula in list(self.document.findall(nodes.math)):
            parent = formula.parent
            place = parent.index(formula)
            before, after = parent[:place], parent[place + 1 :]
            lead = re.search(r"\S{0,12}$", before[-1])[0] if before and isinstance(before[-1], nodes.Text) else ""
            tail = re.match(r"\S{0,12}", after[0])[0] if after and isinstance(after[0], nodes.Text) else ""
            if len(formula.astext()) > LONGEST_UNBROKEN or not (lead or tail):
                continue
            if lead:
                before[-1] = nodes.Text(before[-1][: -len(lead)])
            if tail:
                after[0] = nodes.Text(after[0][len(tail) :])
            joined = [nodes.Text(lead), formula, nodes.Text(tail)]
            parent.children = []
            parent.extend([*before, nodes.inline("", "", *joined, classes=["unbroken"]), *after])


def add_latex_macros(app, config) -> None:
    elements = dict(config.latex_elements)
    elements["preamble"] = elements.get("preamble", "") + latex_macros(config.math_macros)
    config.latex_elements = elements


def setup(app) -> dict[str, bool]:
    app.add_config_value("math_macros", {}, "env", types=[dict])
    app.add_transform(StrayDollars)
    app.add_post_transform(KeepPunctuation)
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_display, None))
    app.connect("config-inited", add_latex_macros)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
