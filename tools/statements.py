"""The statements of the book, read from its notebooks: text, proof, dependencies, evidence.

The claims page and the guards in tests/test_claims.py both start here. A statement *uses* another
if it or its proof refers to it by {prf:ref}, or by {eq} to an equation that stands in it.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from infonce_theory.evidence import KINDS, RECORD_TYPE


def directive(name: str) -> re.Pattern[str]:
    """Pattern of a directive with colons: fence, the group in `name`, title, options and body."""
    return re.compile(rf"^(:{{3,}})\{{{name}\}}[ ]*([^\n]*)\n((?::\w+:[^\n]*\n)*)(.*?)^\1[ ]*$", re.M | re.S)


DIRECTIVE = directive(r"prf:(\w+)")
REFERENCE = re.compile(r"\{prf:ref\}`(?:[^`<]*<)?([^`>]+)>?`")
EQUATION = re.compile(r"\{eq\}`([^`]+)`")
#: Kinds of statement that assert nothing that one could test twice.
NEED_NO_EVIDENCE = ("definition", "example", "remark")
EQUATION_LABEL = re.compile(r"^(\s*\$\$) \(([\w-]+)\)", re.M)


@dataclass
class Statement:
    """One numbered statement; `proof` is empty if none follows, `cited` is the part of `uses` that it cites."""

    label: str
    kind: str
    title: str
    chapter: str
    number: str
    text: str
    proof: str = ""
    uses: list[str] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    records: list[dict] = field(default_factory=list)

    @property
    def starred(self) -> bool:
        return self.title.startswith("★")

    @property
    def plain_title(self) -> str:
        """The title without its star and without dollar signs."""
        return self.title.removeprefix("★ ").replace("$", "")

    @property
    def sorting_key(self) -> str:
        """The title as an index sorts it: small letters, no article in front."""
        return re.sub(r"^(the|a|an) ", "", self.plain_title.lower())

    @property
    def kinds(self) -> list[str]:
        """Kinds of evidence, in the order of the evidence module."""
        return [kind for kind in KINDS if any(record["kind"] == kind for record in self.records)]

    @property
    def worst_ratio(self) -> float | None:
        ratios = [r["worst_ratio"] for r in self.records if r.get("worst_ratio") is not None]
        return max(ratios, default=None)


def statements_of(text: str, chapter: str) -> list[Statement]:
    """The statements in a chapter's Markdown, each with its proof; `uses` and `records` are still empty."""
    found: list[Statement] = []
    for _, kind, title, options, body in DIRECTIVE.findall(text):
        if kind == "proof":
            if found:
                found[-1].proof += body
            continue
        label = re.search(r":label:[ ]*(\S+)", options)
        number = f"{int(chapter[:2])}.{len(found) + 1}"
        found.append(Statement(label[1] if label else "", kind, title.strip(), chapter, number, body.strip()))
    return found


def connect(statements: list[Statement]) -> dict[str, Statement]:
    """Fill in what each statement uses, and index the statements by label."""
    home = {
        equation: statement.label
        for statement in statements
        for _, equation in EQUATION_LABEL.findall(statement.text + "\n" + statement.proof)
    }
    for statement in statements:
        parts = []
        for text in (statement.text, statement.proof):
            labels = REFERENCE.findall(text) + [home[name] for name in EQUATION.findall(text) if name in home]
            parts.append([label for label in dict.fromkeys(labels) if label != statement.label])
        statement.uses, statement.cited = list(dict.fromkeys(parts[0] + parts[1])), parts[1]
    return {statement.label: statement for statement in statements}


def read_book(folder: Path) -> dict[str, Statement]:
    """All statements of the chapters in `folder`, in order, by label."""
    paths = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    return _read(tuple((path, path.stat().st_mtime_ns) for path in paths))


def markdown(notebook: NotebookNode) -> str:
    """The text of a chapter."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def records_of(notebook: NotebookNode) -> list[dict]:
    """The evidence that a chapter's outputs store."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output["data"][RECORD_TYPE] for output in outputs if RECORD_TYPE in output.get("data", {})]


@lru_cache(maxsize=1)
def _read(paths: tuple[tuple[Path, int], ...]) -> dict[str, Statement]:
    found, records = [], []
    for path, _ in paths:
        notebook = nbformat.read(path, as_version=4)
        found += statements_of(markdown(notebook), path.stem)
        records += records_of(notebook)
    book = connect(found)
    for record in records:
        if record["statement"] in book:
            book[record["statement"]].records.append(record)
    return book


def ancestor_layers(label: str, book: dict[str, Statement]) -> list[list[str]]:
    """The statement and all that it rests on: what uses nothing comes first, the statement itself last."""
    depth: dict[str, int] = {}

    def descend(name: str) -> int:
        if name not in depth:
            depth[name] = 0  # a cycle, which is an error elsewhere, ends here
            depth[name] = 1 + max((descend(used) for used in book[name].uses if used in book), default=-1)
        return depth[name]

    layers: list[list[str]] = [[] for _ in range(descend(label) + 1)]
    for name in (name for name in book if name in depth):
        layers[depth[name]].append(name)
    return layers
