"""The claims page and the dependency map, made from the chapters while the site is built.

``{claims}`` lists all statements, ``{claims-map}`` draws the chapters and what they use, and
``{paper-claims}`` adds a column of status to a table of claims that refer to statements. All three
read the notebooks by `statements.read_book`; references and numbers are resolved by Sphinx, so
that a reference to a missing statement is a warning.
"""

import html
from collections import Counter
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.addnodes import only, pending_xref
from sphinx.util.docutils import SphinxDirective
from sphinx_folds import fold
from statements import EQUATION_LABEL, NEED_NO_EVIDENCE, REFERENCE, Statement, ancestor_layers, read_book

SHORT = {"definition": "Def", "theorem": "Thm", "lemma": "Lem", "proposition": "Prop", "corollary": "Cor"}
SHORT |= {"example": "Ex", "remark": "Rem"}
NODE_WIDTH, NODE_HEIGHT, COLUMN, ROW, PER_ROW = 66, 24, 70, 46, 5
MAP_ROW, MAP_WIDTH = 56, 76  # units of the drawing, which is stretched to the rows beside it
COLUMNS = ("Statement", "Evidence", "Uses", "Used by")


class BookDirective(SphinxDirective):
    """A directive that reads the chapters: its page is built again when one of them changes."""

    has_content = True

    def book(self) -> dict[str, Statement]:
        self.folder = Path(self.env.srcdir) / "book"
        for path in [*self.folder.glob("*.ipynb"), self.folder / "about.md"]:
            self.env.note_dependency(str(path))
        return read_book(self.folder)

    def parse(self, text: str) -> list[nodes.Node]:
        box = nodes.Element()
        self.state.nested_parse(text.splitlines(), 0, box)
        return box.children

    def links(self, labels: list[str]) -> str:
        return ", ".join(f"{{prf:ref}}`{label}`" for label in labels) or "–"


def centres(layers: list[list[str]]) -> dict[str, tuple[float, float]]:
    """Places of the nodes: a layer takes as many rows as it needs, each of them centred."""
    rows = [layer[start : start + PER_ROW] for layer in layers for start in range(0, len(layer), PER_ROW)]
    width = max(len(row) for row in rows)
    return {
        name: ((place + (width - len(row)) / 2 + 0.5) * COLUMN, (height + 0.5) * ROW)
        for height, row in enumerate(rows)
        for place, name in enumerate(row)
    }


def ancestor_picture(label: str, book: dict[str, Statement]) -> str:
    """The statement and its ancestors as SVG; each node is a link, each line runs down to what uses it."""
    places = centres(ancestor_layers(label, book))
    width, height = (max(place[axis] for place in places.values()) + (COLUMN, ROW)[axis] / 2 for axis in (0, 1))
    width = max(width, *(COLUMN / 2 + x for x, _ in places.values()))
    marks = []
    for user, (x, y) in places.items():
        for used in filter(places.get, book[user].uses):
            top, left = places[used][1] + NODE_HEIGHT / 2, places[used][0]
            bend, end = (top + y - NODE_HEIGHT / 2) / 2, y - NODE_HEIGHT / 2
            marks.append(f'<path d="M{left:g},{top:g} C{left:g},{bend:g} {x:g},{bend:g} {x:g},{end:g}"/>')
    for name, (x, y) in places.items():
        statement = book[name]
        title = f"{statement.kind.title()} {statement.number}: {html.escape(statement.plain_title)}"
        marks.append(
            f'<a href="{statement.chapter}.html#{name}" class="{statement.kind}"><title>{title}</title>'
            f'<rect x="{x - NODE_WIDTH / 2:g}" y="{y - NODE_HEIGHT / 2:g}" width="{NODE_WIDTH}" height="{NODE_HEIGHT}" rx="4"/>'
            f'<text x="{x:g}" y="{y + 4.5:g}">{SHORT[statement.kind]} {statement.number}</text></a>'
        )
    number = f"{book[label].kind} {book[label].number}"
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg class="ancestors" role="group" aria-label="Ancestors of {number}" {size}>{"".join(marks)}</svg>'


class Claims(BookDirective):
    """All statements of the book, a table for each chapter."""

    def run(self) -> list[nodes.Node]:
        book = self.book()
        self.used_by = {label: [s.label for s in book.values() if label in s.uses] for label in book}
        table_of_claims = (self.folder / "about.md").read_text("utf-8")
        self.programme = set(REFERENCE.findall(table_of_claims))
        return [self.chapter(stem, book) for stem in dict.fromkeys(s.chapter for s in book.values())]

    def chapter(self, stem: str, book: dict[str, Statement]) -> nodes.section:
        name = f"claims-of-chapter-{int(stem[:2])}"
        group = nodes.tgroup("", cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=width) for width in (50, 20, 15, 15)]
        heads = [nodes.entry("", nodes.paragraph(text=text)) for text in COLUMNS]
        rows = [self.row(statement, book) for statement in book.values() if statement.chapter == stem]
        group += [nodes.thead("", nodes.row("", *heads)), nodes.tbody("", *rows)]
        title = nodes.title(text=f"Chapter {int(stem[:2])}")
        return nodes.section("", title, *self.parse(f"{{doc}}`/book/{stem}`"), nodes.table("", group, classes=["claims"]), ids=[name])

    def row(self, statement: Statement, book: dict[str, Statement]) -> nodes.row:
        cells = (self.statement(statement, book), self.parse(self.evidence(statement)))
        links = (statement.uses, self.used_by[statement.label])
        cells += tuple(self.parse(self.links(labels)) for labels in links)
        return nodes.row("", *(nodes.entry("", *cell) for cell in cells), ids=[f"claim-{statement.label}"])

    def evidence(self, statement: Statement) -> str:
        if not statement.records:
            return "none asked for" if statement.kind in NEED_NO_EVIDENCE else "**none**"
        count = len(statement.records)
        text = f"{', '.join(statement.kinds)}; {count} check{'s' * (count > 1)}"
        return text + (f"; worst ratio {statement.worst_ratio:.4g}" if statement.worst_ratio is not None else "")

    def statement(self, statement: Statement, book: dict[str, Statement]) -> list[nodes.Node]:
        origin = ["programme"] * (statement.label in self.programme) + ["★ beyond it"] * statement.starred
        head = f"{{prf:ref}}`{statement.label}` {statement.title.removeprefix('★ ')}"
        found = self.parse(head + f" *({', '.join(origin)})*" * bool(origin))
        name = f"{statement.kind.title()} {statement.number}"
        text = EQUATION_LABEL.sub(r"\1", statement.text)
        folds = [fold("", *self.parse(text), title=f"{name} in full", open=False)]
        *before, _ = ancestor_layers(statement.label, book)
        if before:
            order = [label for layer in before for label in layer]
            picture = nodes.raw("", ancestor_picture(statement.label, book), format="html")
            words = self.parse(f"In order: {self.links(order)}.")
            folds.append(fold("", picture, *words, title=f"Ancestors of {name}: {len(order)}", open=False))
        return [*found, only("", *folds, expr="html")]


class ClaimsMap(BookDirective):
    """The chapters by part, with an arc from each chapter to those that it uses."""

    def run(self) -> list[nodes.Node]:
        book = self.book()
        contents = self.folder.parent / "_toc.yml"
        self.env.note_dependency(str(contents))
        arcs = Counter(
            (s.chapter, book[used].chapter) for s in book.values() for used in s.uses if used in book
        )
        rows = nodes.bullet_list()
        heights, present = {}, {statement.chapter for statement in book.values()}
        for part in yaml.safe_load(contents.read_text("utf-8"))["parts"]:
            stems = [Path(chapter["file"]).name for chapter in part["chapters"]]
            if not present.intersection(stems):
                continue
            rows += nodes.list_item("", nodes.strong(text=part["caption"]))
            for stem in filter(present.__contains__, stems):
                heights[stem] = (len(rows) + 0.5) * MAP_ROW
                rows += nodes.list_item("", *self.chapter(stem, book, arcs))
        picture = nodes.raw("", arc_picture(arcs, heights, len(rows) * MAP_ROW), format="html")
        return [nodes.container("", picture, rows, classes=["claims-map"])]

    def chapter(self, stem: str, book: dict[str, Statement], arcs: Counter) -> list[nodes.Node]:
        number, count = int(stem[:2]), sum(s.chapter == stem for s in book.values())
        uses = sorted({int(used[:2]) for user, used in arcs if user == stem != used})
        users = sorted({int(user[:2]) for user, used in arcs if used == stem != user})
        words = [f"{verb} {', '.join(map(str, names))}" for verb, names in (("uses", uses), ("used by", users)) if names]
        listed = nodes.reference("", f"{count} statements", refid=f"claims-of-chapter-{number}", internal=True)
        text = nodes.Text("".join(f"; {word}" for word in words))
        return [*self.parse(f"{number} · {{doc}}`/book/{stem}`"), nodes.paragraph("", "", listed, text)]


def arc_picture(arcs: Counter, heights: dict[str, float], height: float) -> str:
    """Arcs between the rows of chapters, thicker for more references; the rows say the same in words."""
    marks = []
    for (user, used), count in sorted(arcs.items()):
        if user != used and user in heights and used in heights:
            start, end = heights[used], heights[user]
            left = MAP_WIDTH - 2 - (MAP_WIDTH - 8) * min(1.0, 0.2 + abs(end - start) / height) * 4 / 3
            kind = ' class="ahead"' * (user < used)
            stroke = f'stroke-width="{min(1 + 0.5 * (count - 1), 4):g}"'
            path = f"M{MAP_WIDTH},{start:g} C{left:.4g},{start:g} {left:.4g},{end:g} {MAP_WIDTH},{end:g}"
            marks.append(f'<path{kind} {stroke} d="{path}"/>')
    return f'<svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 {MAP_WIDTH} {height:g}">{"".join(marks)}</svg>'


class PaperClaims(BookDirective):
    """A table of claims; a row's status follows from the statements that it refers to."""

    def run(self) -> list[nodes.Node]:
        book, content = self.book(), self.parse("\n".join(self.content))
        for table in [table for node in content for table in node.findall(nodes.tgroup)]:
            table["cols"] += 1
            table.insert(table.first_child_matching_class(nodes.thead), nodes.colspec(colwidth=20))
            for row in table.findall(nodes.row):
                labels = [link["reftarget"] for link in row.findall(pending_xref) if link["refdomain"] == "prf"]
                head = isinstance(row.parent, nodes.thead)
                row += nodes.entry("", nodes.paragraph(text="Status" if head else status(labels, book)))
        return content


def status(labels: list[str], book: dict[str, Statement]) -> str:
    """What the book has for a claim that rests on these statements."""
    found = [book[label] for label in labels if label in book]
    if not found:
        return "to come"
    kinds = {kind for statement in found for kind in statement.kinds}
    count = sum(len(statement.records) for statement in found)
    return f"{'proved' if all(s.proof for s in found) else 'stated'}; {count} checks of {len(kinds)} kinds"


def setup(app) -> dict[str, bool]:
    app.add_directive("claims", Claims)
    app.add_directive("claims-map", ClaimsMap)
    app.add_directive("paper-claims", PaperClaims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
