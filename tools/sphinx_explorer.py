"""``{explorer}``: sliders and charts of the explorer page; ``{explorer-tables}``: its numbers without scripts.

The charts are drawn by uPlot, which only this page loads, from numbers that explorer_data.py takes
from the library. They travel as a script, because a page opened from a folder may not fetch.
"""

import json
import shutil
from pathlib import Path
from string import Template

from docutils import nodes
from explorer_data import explorer_json
from products import inputs
from sphinx.util.docutils import SphinxDirective
from sphinx_folds import fold

HERE = Path(__file__).parent
ASSETS = HERE / "explorer"
START = {"temperature": 0.2, "negatives": 64, "dimension": 16}
TABLED = {"dimensions": (3, 16, 128), "temperatures": (0.05, 0.1, 0.2, 0.5, 1.0), "negatives": (1, 16, 256, 4096, 65536)}
HEADS = ("τ", "k", "CE", "InfoNCE", "negatives only")


class explorer(nodes.General, nodes.Element):
    """The place of the sliders and charts."""


class ExplorerDirective(SphinxDirective):
    """Sliders and charts; the page is built again when the library changes."""

    def run(self) -> list[nodes.Node]:
        for path in inputs(HERE / "explorer_data.py"):
            self.env.note_dependency(str(path))
        return [explorer()]


class ExplorerTables(SphinxDirective):
    """Some of the numbers of the charts as tables, one fold for each of some dimensions."""

    def run(self) -> list[nodes.Node]:
        data = json.loads(explorer_json())
        return [
            fold("", table(HEADS, rows(data, dimension)), title=f"Dimension d = {dimension}", open=False, classes=["explorer-table"])
            for dimension in TABLED["dimensions"]
        ]


def rows(data: dict, dimension: int) -> list[tuple[str, ...]]:
    """The rows of one dimension's table."""
    found = []
    for temperature in TABLED["temperatures"]:
        setting = data["settings"][data["dimensions"].index(dimension)][data["temperatures"].index(temperature)]
        for k in TABLED["negatives"]:
            place = data["negatives"].index(k)
            low = number(setting["least"][place])
            errors = [
                f"{number(setting['excess'][alpha][place])} [{low}, {number(setting['most'][alpha][place])}]"
                for alpha in (1, 0)
            ]
            found.append((f"{temperature:g}", f"{k:,}", number(setting["target"]), *errors))
    return found


def number(value: float) -> str:
    """Three digits, with a proper minus sign."""
    return f"{value:.3g}".replace("-", "−").replace("e−0", "e−")


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> nodes.table:
    def row(texts: tuple[str, ...]) -> nodes.row:
        return nodes.row("", *(nodes.entry("", nodes.paragraph(text=text)) for text in texts))

    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in heads), cols=len(heads))
    group += [nodes.thead("", row(heads)), nodes.tbody("", *map(row, rows))]
    return nodes.table("", group, classes=["explorer-table"])


def visit_html(translator, node: explorer) -> None:
    data = json.loads(explorer_json())
    fields = {f"last_{name}": len(data[key]) - 1 for name, key in _axes()}
    fields |= {name: data[key].index(START[name]) for name, key in _axes()}
    translator.body.append(Template((ASSETS / "explorer.html").read_text("utf-8")).substitute(fields))
    raise nodes.SkipNode


def _axes() -> list[tuple[str, str]]:
    return [("temperature", "temperatures"), ("negatives", "negatives"), ("dimension", "dimensions")]


def skip(translator, node: explorer) -> None:
    raise nodes.SkipNode


def load_on_this_page(app, pagename, templatename, context, doctree) -> None:
    """Give a page with an explorer, and no other, the scripts and the numbers."""
    if doctree is None or not any(doctree.findall(explorer)):
        return
    folder = Path(app.outdir) / "_static" / "explorer"
    folder.mkdir(parents=True, exist_ok=True)
    for path in ASSETS.iterdir():
        if path.suffix != ".html":
            shutil.copyfile(path, folder / path.name)
    (folder / "data.js").write_text(f"window.explorerData={explorer_json()};\n", encoding="utf-8")
    for name in ("uPlot.min.css", "explorer.css"):
        app.add_css_file(f"explorer/{name}")
    for name in ("uPlot.iife.min.js", "data.js", "explorer.js"):
        app.add_js_file(f"explorer/{name}", loading_method="defer")


def setup(app) -> dict[str, bool]:
    app.add_node(explorer, html=(visit_html, None), latex=(skip, None))
    app.add_directive("explorer", ExplorerDirective)
    app.add_directive("explorer-tables", ExplorerTables)
    app.connect("html-page-context", load_on_this_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
