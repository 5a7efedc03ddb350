"""The tables of the page "How this book is checked", made from the files of results while the site is built.

``{planted-faults}`` reads checks/faults.json. A missing file is an error.
"""

import json
from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective
from sphinx_folds import fold

from infonce_theory.evidence import KINDS


def table(columns: list[str], rows: list[list]) -> nodes.table:
    """A table of numbers and short texts; a cell that is a node stays as it is."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in columns), cols=len(columns))
    heads = nodes.row("", *(nodes.entry("", nodes.paragraph(text=name)) for name in columns))
    group += [nodes.thead("", heads), nodes.tbody("", *(nodes.row("", *map(cell, row)) for row in rows))]
    return nodes.table("", group, classes=["checks"])


def cell(value: object) -> nodes.entry:
    content = value if isinstance(value, nodes.Element) else nodes.Text(f"{value:,}" if isinstance(value, int) else str(value))
    return nodes.entry("", nodes.paragraph("", "", content))


def run_line(record: dict) -> nodes.paragraph:
    """The command that makes a table, and when and where it was run."""
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    minutes, seconds = divmod(record["seconds"], 60)
    text = f", run on {record['date']} in {minutes} min {seconds} s. {record['machine']}; {versions}."
    return nodes.paragraph("", "", nodes.literal(text=record["command"]), nodes.Text(text), classes=["run"])


def listed(items: list[list[nodes.Node]]) -> nodes.bullet_list:
    return nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", "", *item)) for item in items))


class Results(SphinxDirective):
    """A directive that reads a file of results: its page is built again when the file changes."""

    def results(self, name: str) -> dict | list:
        path = Path(self.env.srcdir) / name
        self.env.note_dependency(str(path))
        return json.loads(path.read_text("utf-8"))

    def statement(self, label: str) -> pending_xref:
        options = {"refdomain": "prf", "reftype": "ref", "reftarget": label, "refdoc": self.env.docname, "refwarn": True}
        return pending_xref("", nodes.inline(text=label), **options)


class PlantedFaults(Results):
    """What went red for each planted fault."""

    def run(self) -> list[nodes.Node]:
        data = self.results("checks/faults.json")
        rows, checks = data["faults"], sum(control["checks"] for control in data["control"])
        caught = [row for row in rows if row["red"]]
        text = (
            f"{len(rows)} faults in {len({row['statement'] for row in rows})} statements; {len(caught)} of them turn a check "
            f"of their own statement red. Without a fault, all {checks:,} checks hold."
        )
        found = [nodes.paragraph(text=text), self.by_kind(caught), run_line(data["run"])]
        for chapter in [control["chapter"] for control in data["control"]]:
            part = [row for row in rows if row["chapter"] == chapter]
            title = f"Chapter {chapter}: the {len(part)} faults"
            found.append(fold("", listed([self.item(row) for row in part]), title=title, open=False))
        return found

    def by_kind(self, caught: list[dict]) -> nodes.table:
        counts = Counter(row["red"]["kind"] for row in caught)
        return table(["Kind of check that went red", "Faults"], [[kind, counts[kind]] for kind in KINDS if counts[kind]])

    def item(self, row: dict) -> list[nodes.Node]:
        red, place = row["red"], nodes.literal(text=row["place"])
        start = [self.statement(row["statement"]), nodes.Text(f": {row['change']} ("), place, nodes.Text("). ")]
        if not red:
            return [*start, nodes.strong(text="Not caught.")]
        failure = red["failure"] if len(red["failure"]) < 120 else red["failure"][:117] + "…"
        return [*start, nodes.emphasis(text=red["kind"].capitalize()), nodes.Text(f": {red['claim']}: {failure}.")]


def setup(app) -> dict[str, bool]:
    app.add_directive("planted-faults", PlantedFaults)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
