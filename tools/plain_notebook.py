"""Turn a chapter, or chosen cells of one, into a notebook in plain Markdown that can be read alone.

Figures get their captions below them. What the notebook cites and does not hold stands in its last
cells: statements in full, and the works.
"""

import re
from collections.abc import Set
from copy import deepcopy

import nbformat
from book_references import References, figure_of, markdown_of
from myst_blocks import walk, words
from nbformat import NotebookNode
from plain_markdown import INLINE, anchor, plain_text, split_title, target_of

from infonce_theory.evidence import RECORD_TYPE


def plain_notebook(notebook: NotebookNode, references: References) -> NotebookNode:
    """A copy of the notebook in plain Markdown, with captions under the figures and cited texts at its end."""
    own = labels_of(notebook)
    cited = [label for label in cited_labels(notebook) if label not in own]
    linked = own | {label for label in cited if can_be_listed(label, references)}
    cells = []
    for cell in deepcopy(notebook.cells):
        figure = figure_of(cell)
        cell.metadata.pop("mystnb", None)
        if cell.cell_type == "markdown":
            cell.source = plain_text(cell.source, references, linked)
        cells.append(cell)
        if figure and cell.cell_type == "code":
            caption = _caption(figure, references, linked)
            cells.append(nbformat.v4.new_markdown_cell(caption, id=f"{cell.id}-caption"))
    closing = {"cited-statements": cited_statements(cited, references, own), "references": cited_works(cited, references)}
    cells += [nbformat.v4.new_markdown_cell(text, id=name) for name, text in closing.items() if text]
    result = nbformat.v4.new_notebook(cells=cells, metadata=deepcopy(notebook.metadata))
    result.nbformat_minor = notebook.nbformat_minor
    return result


def labels_of(notebook: NotebookNode) -> set[str]:
    """Labels to which a link inside the notebook can lead."""
    blocks = [block for source in markdown_of(notebook) for block in walk(source)]
    figures = {figure_of(cell).get("name", "") for cell in notebook.cells if cell.cell_type == "code"}
    return {block.label for block in blocks if block.label} | figures - {""}


def cited_labels(notebook: NotebookNode) -> list[str]:
    """Labels and keys of works that the texts, the captions and the evidence refer to, in order."""
    found = []
    for cell in notebook.cells:
        text = cell.source if cell.cell_type == "markdown" else figure_of(cell).get("caption", "")
        found += [label for part in words(text) for match in INLINE.finditer(part) for label in references_in(match)]
        data = (output.get("data", {}) for output in cell.get("outputs", ()))
        found += [bundle[RECORD_TYPE]["statement"] for bundle in data if RECORD_TYPE in bundle]
    return list(dict.fromkeys(found))


def references_in(match: re.Match) -> list[str]:
    """Labels or keys of a match of `INLINE`."""
    if match["role"]:
        cites = match["role"].startswith("cite")
        return [key.strip() for key in match["content"].split(",")] if cites else [split_title(match["content"])[1]]
    return [match["address"].removeprefix("#")] if match["address"] else []


def can_be_listed(label: str, references: References) -> bool:
    """Whether the end of a notebook can show what the label names: a work, or a text."""
    return label in references.works or bool(label in references.targets and references.targets[label].source)


def cited_statements(labels: list[str], references: References, own: Set[str]) -> str:
    """The cited statements, equations and exercises that the notebook does not hold, under a heading; empty if there are none."""
    listed = [label for label in labels if label in references.targets and can_be_listed(label, references)]
    names = set(references.targets[label].statement or label for label in listed)
    if not names:
        return ""
    sources = [target.source for label, target in references.targets.items() if label in names]
    inside = {block.label for source in sources for block in walk(source)}
    texts = [plain_text(source, references, inside | own) for source in sources]
    return "\n\n".join(["## Cited from elsewhere in the book", "The number before the point is that of the chapter.", *texts])


def cited_works(labels: list[str], references: References) -> str:
    """The list of the cited works, under a heading; empty if there are none."""
    items = [f'- <a id="{key}"></a>{work.entry}' for key, work in references.works.items() if key in labels]
    return "\n".join(["## References", "", *items]) if items else ""


def _caption(figure: dict[str, str], references: References, linked: Set[str]) -> str:
    label = figure.get("name", "")
    name = f"**{target_of(label, references).name}.** " if label else ""
    return f"{anchor(label) if label else ''}{name}{plain_text(figure.get('caption', ''), references, linked)}"
