"""What the references of the book lead to: numbers, titles and texts, read from its sources.

The numbers are counted as the site counts them, without building it: statements of all kinds, then
exercises, labelled displays and figures, each from 1 in every chapter. tests/test_site.py compares
all of them with the built pages.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import yaml
from myst_blocks import Block, walk
from nbformat import NotebookNode
from pybtex.database import Entry, parse_file
from pybtex.plugin import find_plugin
from pybtex.richtext import Text


@dataclass(frozen=True)
class Target:
    """What a label names: its name as the site shows it, its title, its chapter and its MyST.

    `source` is empty for what can only be named elsewhere: figures, solutions, sections, pages.
    """

    name: str
    title: str = ""
    chapter: str = ""
    source: str = ""
    statement: str = ""  # the statement in which an equation stands


@dataclass(frozen=True)
class Work:
    """A cited work: authors and year as the site cites it, and its entry in Markdown."""

    authors: str
    year: str
    entry: str


@dataclass(frozen=True)
class References:
    """All that turning a chapter into plain Markdown needs to know of the rest of the book."""

    macros: dict[str, str]
    targets: dict[str, Target] = field(default_factory=dict)
    works: dict[str, Work] = field(default_factory=dict)
    chapters: dict[str, int] = field(default_factory=dict)  # title of the page: number of the chapter


def read_references(root: Path) -> References:
    """The references of the book in `root`: its settings, chapters, pages and bibliography."""
    macros = yaml.safe_load((root / "_config.yml").read_text("utf-8"))["sphinx"]["config"]["math_macros"]
    found = References(macros, works=read_works(root / "book" / "references.bib"))
    for path in sorted((root / "book").glob("*.md")):
        found.targets[path.stem] = Target(page_title(path.read_text("utf-8"), path.name))
    for path in sorted((root / "book").glob("[0-9][0-9]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        title = page_title("\n\n".join(markdown_of(notebook)), path.name)
        found.chapters[title] = int(path.stem[:2])
        found.targets[path.stem] = Target(title, chapter=path.stem)
        for label, target in targets_of(notebook, path.stem):
            if label in found.targets:
                raise ValueError(f"{path.name}: the label {label!r} is taken by {found.targets[label].name}")
            found.targets[label] = target
    return found


def markdown_of(notebook: NotebookNode) -> list[str]:
    """Sources of the Markdown cells."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def page_title(source: str, name: str) -> str:
    title = next((block.text for block in walk(source) if block.kind == "heading" and block.name == "#"), None)
    if title is None:
        raise ValueError(f"{name} has no title, that is, no line that begins with '# '")
    return title


def figure_of(cell: NotebookNode) -> dict[str, str]:
    """Caption and name of the figure that a code cell draws; empty if it draws none."""
    return dict(cell.metadata.get("mystnb", {}).get("figure", {}))


def targets_of(notebook: NotebookNode, chapter: str) -> list[tuple[str, Target]]:
    """Labels of a chapter with what they name, in order."""
    counts, found, number = {"statement": 0, "exercise": 0, "equation": 0, "figure": 0}, [], int(chapter[:2])

    def next_number(kind: str) -> str:
        counts[kind] += 1
        return f"{number}.{counts[kind]}"

    for cell in notebook.cells:
        figure = figure_of(cell)
        if cell.cell_type == "code" and figure:
            name = f"Fig. {next_number('figure')}"
            found += [(figure["name"], Target(name, chapter=chapter))] if "name" in figure else []
        blocks = list(walk(cell.source)) if cell.cell_type == "markdown" else []
        around = Block("blank")
        for block, following in zip(blocks, [*blocks, Block("blank")][1:], strict=True):
            around = block if block.name.startswith("prf:") else around
            target = _target(block, following, next_number, around, chapter)
            found += [(block.label, target)] if target and block.label else []
    names = {label: target.name for label, target in found}
    return [(label, _named(target, names)) for label, target in found]


def _target(block: Block, following: Block, next_number: Callable[[str], str], around: Block, chapter: str) -> Target | None:
    """What a block is to a reference, if anything; `following` is the next block, `around` the last statement or proof."""
    if block.kind == "display" and block.label:
        home = around.label if f"$$ ({block.label})" in around.text else ""
        source = f"$$\n{block.text}\n$$ ({block.label})"
        return Target(f"({next_number('equation')})", "", chapter, source, home)
    if block.kind == "target":
        title = following.text if following.kind == "heading" else ""
        return Target(title, chapter=chapter)
    if block.kind != "directive":
        return None
    if block.name == "solution":
        return Target(block.argument, chapter=chapter)
    if block.name == "prf:proof" or not block.name.startswith(("prf:", "exercise")):
        return None
    kind = block.name.removeprefix("prf:")
    source = f"::::::{{{block.name}}} {block.argument}\n:label: {block.label}\n{block.text}\n::::::"
    number = next_number("exercise" if kind == "exercise" else "statement")
    return Target(f"{kind.title()} {number}", block.argument, chapter, source)


def _named(target: Target, names: dict[str, str]) -> Target:
    """The target; that of a solution, so far called by the label of its exercise, gets its name."""
    if target.name in names:
        return Target(f"Solution to {names[target.name]}", chapter=target.chapter)
    return target


def read_works(path: Path) -> dict[str, Work]:
    """The works of a BibTeX file by key, in the order in which a list of references shows them."""
    database = parse_file(str(path))
    bibliography = find_plugin("pybtex.style.formatting", "alpha")().format_bibliography(database)
    markdown = find_plugin("pybtex.backends", "markdown")()
    works = {}
    for formatted in bibliography:
        entry = database.entries[formatted.key]
        text = re.sub(r"\\([.()-])", r"\1", " ".join(formatted.text.render(markdown).split()))  # no needless escapes
        works[formatted.key] = Work(_authors(entry), entry.fields["year"], text)
    return works


def _authors(entry: Entry) -> str:
    """Family names: one, two with "and", or the first with "et al."."""
    persons = entry.persons["author"]
    names = [" ".join(str(Text.from_latex(part)) for part in p.prelast_names + p.last_names) for p in persons]
    return names[0] + " et al." if len(names) > 2 else " and ".join(names)
