"""What the site needs beyond the theme: chapter numbers, page descriptions, no idle scripts."""

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles

DESCRIPTION_LENGTH = 160

#: Fonts that a page needs at once: that of the icons, and those of formulas by a class that calls for them.
ICONS = "icons/icons.woff"
MATH_FONTS = {
    "katex": ("katex/fonts/KaTeX_Main-Regular.woff2", "katex/fonts/KaTeX_Math-Italic.woff2"),
    "mathbb": ("katex/fonts/KaTeX_AMS-Regular.woff2",),
    "mathcal": ("katex/fonts/KaTeX_Caligraphic-Regular.woff2",),
    "small-op": ("katex/fonts/KaTeX_Size1-Regular.woff2",),
    "large-op": ("katex/fonts/KaTeX_Size2-Regular.woff2",),
}
#: Characters of markup that hold the first screen.
FIRST_SCREEN = 60_000


def chapter_number(docname: str) -> int | None:
    """The number in the name of a chapter's file: 3 for ``book/03_k_negatives``."""
    match = re.match(r"(\d\d)_", docname.rsplit("/", 1)[-1])
    return int(match[1]) if match else None


def number_by_file_name(env: BuildEnvironment) -> None:
    """Give each chapter the number of its file, whichever chapters the table of contents lists."""
    for docname, numbers in env.toc_secnumbers.items():
        chapter = chapter_number(docname)
        if chapter is None:
            continue
        for anchor, number in numbers.items():
            numbers[anchor] = number and (chapter, *number[1:])
        for entry in [*env.tocs[docname].findall(nodes.reference), env.titles[docname]]:
            if entry.get("secnumber"):
                entry["secnumber"] = [chapter, *entry["secnumber"][1:]]


def install_numbering() -> None:
    number_in_order = TocTreeCollectorWithStyles.assign_section_numbers

    def assign_section_numbers(collector: TocTreeCollectorWithStyles, env: BuildEnvironment) -> list[str]:
        before = env.toc_secnumbers
        number_in_order(collector, env)
        number_by_file_name(env)
        return [name for name, numbers in env.toc_secnumbers.items() if numbers != before.get(name)]

    TocTreeCollectorWithStyles.assign_section_numbers = assign_section_numbers


def description(doctree: nodes.document) -> str:
    """The beginning of the first paragraph without formulas, cut at a word."""
    paragraphs = (node for node in doctree.findall(nodes.paragraph) if not any(node.findall(nodes.math)))
    text = " ".join(next(paragraphs, nodes.paragraph()).astext().split())
    return text if len(text) <= DESCRIPTION_LENGTH else text[:DESCRIPTION_LENGTH].rsplit(" ", 1)[0] + " …"


#: Descriptions of pages that Sphinx makes by itself.
OTHER_DESCRIPTIONS = {"search": "Search the book: its chapters, statements by their names, and terms."}


def drop_scripts(markup: str, *names: str) -> str:
    """Remove the script elements that load one of the named files."""
    return re.sub(rf"<script[^>]*/(?:{'|'.join(names)})\.js[^>]*></script>", "", markup)


#: Faults of the theme's markup, as pairs of a pattern and what stands in its place.
MENDS = (
    # The mode is set by the book's own template, and scripts that are deferred need no preloading.
    (r'<script data-cfasync="false">.*?</script>', ""),
    (r'<link rel="preload" as="script"[^>]*>', ""),
    (r"<script[^>]*/fontawesome\.js[^>]*></script>", ""),
    # No script may hold up the page. A module waits as a deferred script does, and keeps its turn.
    (r"<script (?:defer(?:=\"defer\")? )?src=", "<script defer src="),
    (r"<script>DOCUMENTATION_OPTIONS", '<script type="module">DOCUMENTATION_OPTIONS'),
    # What a button is called must begin with what it says.
    (r'(<button class="btn search-button-field[^>]*?) title="Search" aria-label="Search"', r"\1"),
    # What a list contains is called an item; the role that docutils gives to references is deprecated.
    (r' role="doc-biblioentry"', ' role="listitem"'),
    # All content belongs to a landmark.
    (r'<div id="pst-primary-sidebar"', '<div id="pst-primary-sidebar" role="navigation" aria-label="Book"'),
)


def mend(markup: str) -> str:
    """The theme's markup without its faults."""
    for pattern, replacement in MENDS:
        markup = re.sub(pattern, replacement, markup, flags=re.S)
    return markup


def first_fonts(body: str) -> list[str]:
    """Fonts that the beginning of a page shows: one that comes later changes widths, and the lines move."""
    start = body[:FIRST_SCREEN]
    used = [fonts for name, fonts in MATH_FONTS.items() if re.search(rf'class="[^"]*\b{name}\b', start)]
    return [ICONS, *(font for fonts in used for font in fonts)]


def complete_page(app, pagename, templatename, context, doctree) -> None:
    context["drop_scripts"] = drop_scripts
    context["mend"] = mend
    context["first_fonts"] = [context["pathto"](f"_static/{font}", resource=True) for font in first_fonts(context.get("body", ""))]
    text = description(doctree) if doctree is not None else OTHER_DESCRIPTIONS.get(pagename, "")
    if text:
        context["metatags"] = context.get("metatags", "") + f'\n<meta name="description" content="{html.escape(text)}" />'


def remove_unused_files(app, exception) -> None:
    """Leave out of the site what no page loads: the icon script, source maps and theme templates."""
    static = Path(app.outdir) / "_static"
    unused = (static.rglob(pattern) for pattern in ("fontawesome.js*", "*.map", "*.html"))
    for path in {path for paths in unused for path in paths}:
        path.unlink()


def setup(app) -> dict[str, bool]:
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it, though nothing here reads it
    install_numbering()
    app.connect("html-page-context", complete_page)
    app.connect("build-finished", remove_unused_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
