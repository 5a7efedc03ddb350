"""The downloads on the site: made after each build, linked from every page and by ``{downloads}``.

The PDF is made by `make pdf`. If it is there, it is copied and linked, and otherwise neither.
"""

import shutil
from html import escape
from pathlib import Path

from docutils import nodes
from downloads import PDF_NAME, ZIP_NAME, make_downloads
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx_site import chapter_number

FOLDER = "downloads"


class download_list(nodes.General, nodes.Element):
    """Links to the whole book; which ones is known when the page is written."""


class Downloads(SphinxDirective):
    """``{downloads} Title``: links to the whole book as zip and, if it was made, as PDF."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        return [download_list(title=self.arguments[0])]


def pdf_path(root: str | Path) -> Path:
    return Path(root) / "_build" / "pdf" / PDF_NAME


def look_for_pdf(app, config) -> None:
    config.pdf_is_built = pdf_path(app.srcdir).exists()


def visit_list_html(translator, node: download_list) -> None:
    depth = translator.builder.current_docname.count("/")
    address = "../" * depth + FOLDER
    items = [f'<a href="{address}/{ZIP_NAME}" download>The book as a zip</a>, which runs without a network after one <code>pip install</code>']
    if translator.builder.config.pdf_is_built:
        items.append(f'<a href="{address}/{PDF_NAME}">The book as a PDF</a>')
    items.append("Each chapter as a notebook for any Jupyter: the download button at the top of its page")
    rows = "".join(f"<li><p>{item}</p></li>" for item in items)
    translator.body.append(f'<p class="rubric">{escape(node["title"])}</p>\n<ul class="simple downloads">{rows}</ul>\n')
    raise nodes.SkipNode


def skip(translator, node: nodes.Element) -> None:
    raise nodes.SkipNode


def add_buttons(app, pagename, templatename, context, doctree) -> None:
    """Offer the clean notebook first, then the source, the page on paper, and the whole book."""
    groups = [button for button in context.get("header_buttons", ()) if button.get("label") == "download-buttons"]
    for group in groups:
        folder, buttons = context["pathto"](FOLDER, 1), group["buttons"]
        for button in buttons:
            if button["label"] == "download-source-button":
                button |= {"text": "Source (MyST)", "tooltip": "The file that this page is made from"}
            elif button["label"] == "download-pdf-button":
                button |= {"text": "Print this page", "tooltip": "Print, or save as PDF"}
        if chapter_number(pagename):
            name = f"{pagename.rsplit('/', 1)[-1]}.ipynb"
            tooltip = "This chapter in plain Markdown, for any Jupyter"
            buttons.insert(0, link(f"{folder}/{name}", "Notebook", "fas fa-download", "notebook", tooltip))
        buttons.append(link(f"{folder}/{ZIP_NAME}", "Book as zip", "fas fa-download", "zip", "The whole book, to run without a network"))
        if app.config.pdf_is_built:
            buttons.append(link(f"{folder}/{PDF_NAME}", "Book as PDF", "fas fa-file-pdf", "book", "The whole book as a PDF"))


def link(url: str, text: str, icon: str, name: str, tooltip: str) -> dict[str, str]:
    return {"type": "link", "url": url, "text": text, "icon": icon, "label": f"download-{name}-button", "tooltip": tooltip}


def make(app, exception) -> None:
    if exception or app.builder.format != "html":
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    chapters = [root / f"{name}.ipynb" for name in app.env.found_docs if chapter_number(name)]
    try:
        make_downloads(root, folder, chapters, Path(app.doctreedir) / "downloads.digest")
    except ValueError as error:
        raise ExtensionError(f"the downloads cannot be made: {error}") from error
    pdf, copy = pdf_path(root), folder / PDF_NAME
    if not pdf.exists():
        copy.unlink(missing_ok=True)
    elif not copy.exists() or copy.stat().st_mtime < pdf.stat().st_mtime:
        shutil.copy2(pdf, copy)


def setup(app) -> dict[str, bool]:
    app.add_config_value("pdf_is_built", False, "html")
    app.add_node(download_list, html=(visit_list_html, None), latex=(skip, None), text=(skip, None))
    app.add_directive("downloads", Downloads)
    app.connect("config-inited", look_for_pdf)
    app.connect("html-page-context", add_buttons, priority=502)  # after the theme has made its buttons
    app.connect("build-finished", make)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
