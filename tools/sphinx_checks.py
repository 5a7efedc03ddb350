"""The tables of the page "How this book is checked", made from the files of results while the site is built.

``{planted-faults}``, ``{mutants}``, ``{hostile-input}`` and ``{reproducibility}`` read checks/*.json, and ``{speed}``
reads benchmarks/results.json. Where a file is missing, the page says that nobody has run the checks; a result that is older than what it is about says so, too.
"""

import json
import math
from collections import Counter
from pathlib import Path

import mutants
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective
from sphinx_folds import fold

from infonce_theory.evidence import KINDS


#: Contenders of a benchmark that are no other implementation.
NO_PEERS = ("library", "matrix products")


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


def listed(items: list[list[nodes.Node]]) -> nodes.container:
    """A list of changes to formulas and code; the class lets its long words break."""
    rows = (nodes.list_item("", nodes.paragraph("", "", *item)) for item in items)
    return nodes.container("", nodes.bullet_list("", *rows), classes=["changes"])


class Results(SphinxDirective):
    """A directive that reads a file of results: its page is built again when the file changes."""

    def results(self, name: str) -> dict | list | None:
        """The results; None if nobody has run the checks yet."""
        path = Path(self.env.srcdir) / name
        self.env.note_dependency(str(path))
        return json.loads(path.read_text("utf-8")) if path.exists() else None

    def not_yet(self, command: str) -> list[nodes.Node]:
        return [nodes.paragraph("", "", nodes.Text("Not measured yet; "), nodes.literal(text=command), nodes.Text(" does it."))]

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


def wilson_interval(hits: int, trials: int, sigmas: float = 1.96) -> tuple[float, float]:
    """Interval of 95 % for a share, from a random sample."""
    share, weight = hits / trials, sigmas**2 / trials
    centre = share + weight / 2
    reach = sigmas * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    return (centre - reach) / (1 + weight), (centre + reach) / (1 + weight)


class Mutants(Results):
    """How many mutants of each module the tests notice, and those that they do not."""

    def run(self) -> list[nodes.Node]:
        rows = self.results("checks/mutants.json")
        if rows is None:
            return self.not_yet("make mutants")
        for row in rows:
            self.env.note_dependency(str(mutants.ROOT / "lib" / mutants.PACKAGE / f"{row['module']}.py"))
        columns = ["Module", "Mutants", "Tried", "Caught", "Equivalent", "Survived"]
        lines = [self.line(row) for row in rows]
        sums = ["all", *(sum(line[place] for line in lines) for place in range(1, len(columns)))]
        found = [nodes.paragraph(text=self.summary(*sums[1:])), table(columns, [*lines, sums])]
        found += [run_line(run) for run in {json.dumps(row["run"]): row["run"] for row in rows}.values()]
        tried = [row["module"] for row in rows]
        missing = [name for name in mutants.modules() if name not in tried]
        changed = [row["module"] for row in rows if row["key"] != mutants.key_of(row["module"])]
        for title, names in (("Modules not tried", missing), ("Module or tests edited since", changed)):
            if names:
                found.append(nodes.paragraph(text=f"{title}: {', '.join(names)}."))
        return [*found, *self.folds(rows)]

    def summary(self, every: int, tried: int, caught: int, equivalent: int, survived: int) -> str:
        share = caught / (caught + survived)
        text = f"{caught:,} of {caught + survived:,} mutants that compute something else are caught by the tests: {100 * share:.2f}\u00a0%"
        if tried == every:
            return text + "."
        low, high = wilson_interval(caught, caught + survived)
        drawn = f", with a 95 % interval of {100 * low:.1f} to {100 * high:.1f} %"
        return f"{text}{drawn}, since {tried:,} of the {every:,} mutants were tried, drawn at random."

    def line(self, row: dict) -> list:
        name, caught = nodes.literal(text=row["module"]), row["killed"] + row["timeout"]
        return [name, row["mutants"], row["tried"], caught, len(row["equivalent"]), len(row["survived"])]

    def folds(self, rows: list[dict]) -> list[nodes.Node]:
        found = []
        for kind, title in (("survived", "survivors"), ("equivalent", "equivalent mutants, each with its reason")):
            items = [self.item(row["module"], mutant) for row in rows for mutant in row[kind]]
            if items:
                found.append(fold("", listed(items), title=f"The {len(items)} {title}", open=False))
        return found

    def item(self, module: str, mutant: dict) -> list[nodes.Node]:
        parts = [nodes.literal(text=f"{module}.{mutant['function']}"), nodes.Text(": "), nodes.literal(text=mutant["old"])]
        parts += [nodes.Text(" becomes "), nodes.literal(text=mutant["new"])]
        return [*parts, nodes.Text(f". {mutant.get('reason', '')}")]


class HostileInput(Results):
    """What became of the calls with hostile arguments, and the faults that they found."""

    def run(self) -> list[nodes.Node]:
        data = self.results("checks/fuzz.json")
        if data is None:
            return self.not_yet("make fuzz")
        calls, faults = data["calls"], sum(data["faults"].values())
        text = (
            f"{sum(calls.values()):,} calls of {data['functions']} public functions, with {data['forms']} forms of hostile values "
            f"for {data['parameters']} parameters: {calls['answered']:,} got the answer of a clean copy of the arguments, "
            f"{calls['refused']:,} the documented error, {faults} something else."
        )
        kinds = Counter(fault["class"] for fault in data["mended"])
        rows = [[kind, count, kinds[kind]] for kind, count in data["faults"].items()]
        found = [nodes.paragraph(text=text), table(["Class of fault", "In this run", "Found before and mended"], rows)]
        items = [self.item(fault) for fault in data["mended"]]
        mended = fold("", listed(items), title=f"The {len(items)} faults that were found and mended", open=False)
        return [*found, run_line(data["run"]), mended]

    def item(self, fault: dict) -> list[nodes.Node]:
        name = nodes.literal(text=f"{fault['function']}({fault['argument']})")
        return [name, nodes.Text(f", given {fault['given']}. Before: {fault['before']}. Now: {fault['now']}")]


class Reproducibility(Results):
    """Whether the chapters give the same outputs under other conditions."""

    def run(self) -> list[nodes.Node]:
        data = self.results("checks/reproducibility.json")
        if data is None:
            return self.not_yet("make reproduce")
        columns = ["Condition", "Versions", "Outputs compared", "Cells that differ", "Tests of the library"]
        return [table(columns, [self.line(row) for row in data["conditions"]]), run_line(data["run"])]

    def line(self, row: dict) -> list:
        if "missing" in row:
            return [row["name"], row["missing"], "–", "–", "–"]
        versions = ", ".join(f"{name} {number}" for name, number in row["versions"].items())
        equal = "none, equal to the byte" if row["to_the_byte"] else ", ".join(row["differ"]) or "none"
        return [row["name"], versions, row["outputs"], equal, row["tests"] or "–"]


class Speed(Results):
    """Times of the library and of its peers in one run, by processor time."""

    def run(self) -> list[nodes.Node]:
        data = self.results("benchmarks/results.json")
        if data is None:
            return self.not_yet("make bench")
        names = list(dict.fromkeys(name for row in data["loss"] for name in row["contenders"] if name not in NO_PEERS))
        rows = [self.peers(row, names) for row in data["loss"]]
        gap = ", ".join(f"{self.milliseconds(row['times']['alpha 0']['cpu_seconds'])} at k = {row['k']:,}" for row in data["exact"])
        ratio = data["expectile"]["ratio_for_all_rows"]
        text = (
            f"Milliseconds for the exact gap of 50 anchors on 50 points: {gap}. A loop over SciPy takes {ratio['median']:.0f} times "
            f"[{ratio['low']:.0f}, {ratio['high']:.0f}] as long as the library for {data['expectile']['rows']:,} expectiles of "
            f"{data['expectile']['k']} numbers."
        )
        return [table(["Case", "Library, ms", *names], rows), nodes.paragraph(text=text), run_line(data["run"])]

    def milliseconds(self, spread: dict) -> str:
        return f"{1000 * spread['median']:.3g} [{1000 * spread['low']:.3g}, {1000 * spread['high']:.3g}]"

    def peers(self, row: dict, names: list[str]) -> list[str]:
        ratios = [row["contenders"][name]["ratio"] if name in row["contenders"] else None for name in names]
        shown = ["{median:.3g} [{low:.3g}, {high:.3g}]".format(**ratio) if ratio else "–" for ratio in ratios]
        case = f"k = {row['k']:,}, {row['dtype']}, {row['negatives']}"
        return [case, self.milliseconds(row["contenders"]["library"]["cpu_seconds"]), *shown]


def setup(app) -> dict[str, bool]:
    app.add_directive("planted-faults", PlantedFaults)
    app.add_directive("mutants", Mutants)
    app.add_directive("hostile-input", HostileInput)
    app.add_directive("reproducibility", Reproducibility)
    app.add_directive("speed", Speed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
