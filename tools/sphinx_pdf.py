"""The book as LaTeX, for `make pdf`: its parts, its numbers, its boxes.

Sphinx would let LaTeX count statements, exercises, equations and figures anew. Here each of them is
printed with the number that the site shows, and each reference with the number of its target.
The nodes' own LaTeX is in latex_nodes.py, the look of it all in latex/infoncebook.sty.
"""

from pathlib import Path

import latex_nodes
from docutils import nodes
from latex_nodes import number, to_pdf
from sphinx.addnodes import number_reference, start_of_file, toctree
from sphinx.builders.latex.nodes import thebibliography
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter
from sphinx.util import texescape
from sphinx_site import chapter_number

STYLE = "infoncebook"
TARGET = "infonce-derived-and-tested.tex"
GLYPHS = "glyphs.tex"
CLAIMS_WIDTHS = (30, 24, 23, 23)  # a row with many users must not grow long
FRONT_TITLE = "Introduction"


def latex(text: str) -> nodes.raw:
    return nodes.raw("", text, format="latex")


class Parts(SphinxPostTransform):
    """The front page becomes a chapter of its own; parts and chapters get their titles and numbers.

    Sphinx assembles the book without the captions of its table of contents.
    """

    default_priority = 1
    formats = ("latex",)

    def run(self, **kwargs) -> None:
        del self.document["docname"]  # or its label would stand on the cover, too
        book = next(self.document.findall(nodes.section))
        files = list(book.findall(start_of_file))
        front = start_of_file("", docname=self.config.root_doc)
        own = [node for node in book.children[1:] if not any(node.findall(start_of_file))]
        front += nodes.section("", nodes.title(text=FRONT_TITLE), *own, ids=[name for name in book["ids"] if name != ":doc"])
        book["ids"] = []
        book.children = [book[0]]
        for file in files:
            file.parent.remove(file)
        for file in [front, *files]:
            book += [latex(command) for command in self.commands(file["docname"])]
            book += file

    def commands(self, docname: str) -> list[str]:
        chapter = chapter_number(docname)
        unnumbered, numbered = r"\setcounter{secnumdepth}{-2}", r"\setcounter{secnumdepth}{0}"
        found = [unnumbered] + [rf"\part{{{texescape.escape(caption, self.config.latex_engine)}}}" for caption in self.captions(docname)]
        return found + ([numbered, rf"\setcounter{{chapter}}{{{chapter - 1}}}"] if chapter else [])

    def captions(self, docname: str) -> list[str]:
        trees = self.env.get_doctree(self.config.root_doc).findall(toctree)
        return [tree["caption"] for tree in trees if tree.get("caption") and tree["includefiles"][:1] == [docname]]


class Numbers(SphinxPostTransform):
    """Write the number of the target into each reference to it, and that of a figure before it."""

    default_priority = 300
    formats = ("latex",)

    def run(self, **kwargs) -> None:
        for page in self.document.findall(start_of_file):
            for node in list(page.findall(number_reference)):
                self.write_out(node, page["docname"])
            for figure in page.findall(nodes.figure):
                if figure["ids"] and any(isinstance(child, nodes.caption) for child in figure):
                    shown = number(self.env, page["docname"], "figure", figure["ids"][0])
                    figure.insert(0, latex(rf"\renewcommand{{\thefigure}}{{{shown}}}"))

    def write_out(self, node: number_reference, docname: str) -> None:
        uri = node.get("refuri") or f"%{docname}#{node['refid']}"
        docname, name = uri.lstrip("%").split("#")
        kinds = [kind for kind, numbers in self.env.toc_fignumbers[docname].items() if name in numbers]
        text = node.get("title", "Exercise %s").replace("%s", number(self.env, docname, kinds[0], name))
        node.replace_self(nodes.reference("", "", nodes.inline(text=text), refuri=uri))


class EvidenceBoxes(SphinxPostTransform):
    """Put the lines of evidence into boxes, for which the style has an environment."""

    default_priority = 310
    formats = ("latex",)

    def run(self, **kwargs) -> None:
        for line in list(self.document.findall(nodes.paragraph)):
            if "evidence" in line["classes"]:
                line.replace_self(nodes.container("", line.deepcopy(), classes=["evidence"]))


class ClaimsTables(SphinxPostTransform):
    """Let the tables of claims break between pages, with the widths of their columns."""

    default_priority = 310
    formats = ("latex",)

    def run(self, **kwargs) -> None:
        for table in self.document.findall(nodes.table):
            if "claims" in table["classes"]:
                table["classes"] += ["longtable", "colwidths-given"]
                for column, width in zip(table.findall(nodes.colspec), CLAIMS_WIDTHS):
                    column["colwidth"] = width


class References(SphinxPostTransform):
    """Move the list of works, which Sphinx puts at the end under a title of its own, to its page."""

    default_priority = 760
    formats = ("latex",)

    def run(self, **kwargs) -> None:
        for works in list(self.document.findall(thebibliography)):
            pages = {file["docname"]: file for file in self.document.findall(start_of_file)}
            works.parent.remove(works)
            pages[works[0]["docname"]][-1].append(works)


class SvgToPdf(ImageConverter):
    """Figures as PDF, by librsvg."""

    conversion_rules = [("image/svg+xml", "application/pdf")]

    def is_available(self) -> bool:
        return True

    def convert(self, source: str, target: str) -> bool:
        to_pdf(source, target)
        return True


def collect_glyphs(app, exception) -> None:
    """Let each character beyond ASCII choose a font that has it."""
    if exception is None and app.builder.name == "latex":
        text = (Path(app.outdir) / TARGET).read_text("utf-8")
        lines = [rf"\newunicodechar{{{glyph}}}{{\bookglyph{{{ord(glyph)}}}}}" for glyph in sorted(set(text)) if ord(glyph) > 127]
        (Path(app.outdir) / GLYPHS).write_text("\n".join(lines) + "\n", "utf-8")


def configure(app, config) -> None:
    config.latex_engine = "xelatex"
    config.latex_documents = [(config.root_doc, TARGET, config.html_title, config.author, "manual", False)]
    config.latex_additional_files = [f"tools/latex/{STYLE}.sty"]
    config.latex_table_style = ["booktabs"]
    config.latex_domain_indices = False
    config.nb_mime_priority_overrides = [*config.nb_mime_priority_overrides, ("latex", "image/svg+xml", 5)]
    config.latex_show_urls = "no"
    config.today = " "
    config.latex_elements = dict(config.latex_elements) | {
        "papersize": "a4paper",
        "pointsize": "11pt",
        "extraclassoptions": "openany,oneside",
        "figure_align": "!htb",
        "fontpkg": "",
        "fncychap": "",
        "makeindex": "",
        "printindex": "",
        "preamble": config.latex_elements.get("preamble", "") + rf"\usepackage{{{STYLE}}}\input{{{GLYPHS}}}" + "\n",
    }


def setup(app) -> dict[str, bool]:
    app.setup_extension("sphinx_folds")
    app.connect("config-inited", configure, priority=900)  # the table of contents has named the root by then
    app.connect("build-finished", collect_glyphs)
    for transform in (Parts, Numbers, EvidenceBoxes, ClaimsTables, References, SvgToPdf):
        app.add_post_transform(transform)
    latex_nodes.register(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
