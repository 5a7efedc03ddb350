"""Checks of the PDF against the chapters. Each takes a Pdf and returns a list of complaints.

What they expect is read from the notebooks and not from what Sphinx made of them. The PDF is read
by poppler, so they see what a reader of the PDF sees.
"""

import re
import subprocess
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import nbformat
from statements import markdown, read_book

#: Points by which a line may stick out into the margin, and a page be too full.
OVERFULL_LIMIT = 20
#: Size to which a wide formula may shrink.
SHRINK_LIMIT = 0.75
#: Letters and digits from which a piece of text is long enough to be looked for.
SHORTEST_PIECE = 12


def plain(text: str) -> str:
    """Letters and digits only: line breaks, hyphens and spaces differ between page and source."""
    text = unicodedata.normalize("NFKC", text)  # ligatures
    return "".join(letter for letter in text if letter.isalnum()).lower()


def pieces(text: str) -> list[str]:
    """The plain text between formulas, roles and markup."""
    text = re.sub(r"\{[\w:]+\}`[^`]*`|\$[^$]*\$|`[^`]*`|\*", "\0", text)
    return [plain(piece) for piece in text.split("\0")]


@dataclass(frozen=True)
class Pdf:
    """Text of the pages, TeX's log, and what poppler says of fonts and metadata."""

    pages: list[str]
    log: str
    fonts: str
    info: str

    @classmethod
    def read(cls, path: Path) -> "Pdf":
        def ask(program: str, *arguments: str | Path) -> str:
            return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout

        pages = ask("pdftotext", "-raw", path, "-").split("\f")[:-1]
        log = path.with_suffix(".log").read_text("utf-8", errors="replace")
        return cls(pages, log, ask("pdffonts", path), ask("pdfinfo", path))

    @cached_property
    def text(self) -> str:
        return "\n".join(self.pages)

    @cached_property
    def plain(self) -> str:
        return plain(self.text)


def tex_complaints(pdf: Pdf) -> list[str]:
    """Errors, references without target, labels defined twice, characters without glyph."""
    pattern = r"^!.*|.*LaTeX Error.*|.*(?:undefined|multiply.defined).*|^Missing character.*"
    return [line for line in re.findall(pattern, pdf.log, re.M) if "Font shape" not in line]


def overfull_boxes(pdf: Pdf) -> list[str]:
    boxes = re.findall(r"^(Overfull \\[hv]box \(([\d.]+)pt too.*)", pdf.log, re.M)
    return [line for line, size in boxes if float(size) > OVERFULL_LIMIT]


def tiny_formulas(pdf: Pdf) -> list[str]:
    """Formulas that had to shrink too much to fit the line."""
    found = re.findall(r"^(Display shrunk from ([\d.]+)pt to ([\d.]+)pt)", pdf.log, re.M)
    return [line for line, before, after in found if float(after) < SHRINK_LIMIT * float(before)]


def raw_markup(pdf: Pdf) -> list[str]:
    """Markup and unresolved references that reached the page."""
    return re.findall(r".*(?:\?\?|:::|\{(?:prf:)?\w+\}`|\{cite:|\$\$|\\begin\{).*", pdf.text)


def empty_pages(pdf: Pdf) -> list[str]:
    """Pages with nothing on them but their number; the cover has none."""
    return [f"page {place} is empty" for place, page in enumerate(pdf.pages, 1) if len(plain(page)) < 8]


def unembedded_fonts(pdf: Pdf) -> list[str]:
    rows = [line.split() for line in pdf.fonts.splitlines()[2:]]
    return [f"font {row[0]} is not embedded" for row in rows if row[-5] != "yes"]


def missing_metadata(pdf: Pdf) -> list[str]:
    return [f"no {field}" for field in ("Title", "Author") if not re.search(rf"^{field}: +\S", pdf.info, re.M)]


def missing_statements(pdf: Pdf, book: Path) -> list[str]:
    """Statements that do not stand in the PDF under their number, with "(" before the title.

    The tables of claims repeat number and title, but without the parenthesis.
    """
    found = []
    for statement in read_book(book).values():
        heads = re.finditer(rf"{statement.kind.title()}\s+{statement.number}\s+\(", pdf.text)
        after = [plain(pdf.text[head.end() :][: 2 * len(statement.title) + 20]) for head in heads]
        if not any(text.startswith(pieces(statement.title)[0]) for text in after):
            found.append(f"missing: {statement.kind.title()} {statement.number} ({statement.title})")
    return found


def missing_captions(pdf: Pdf, book: Path) -> list[str]:
    """Figures that do not stand in the PDF under their number, with all words of their caption."""
    found = []
    for path, notebook in chapters(book):
        figures = [cell.metadata.get("mystnb", {}).get("figure", {}) for cell in notebook.cells]
        for place, caption in enumerate((figure["caption"] for figure in figures if "caption" in figure), 1):
            head, *rest = pieces(caption)
            name = f"Fig. {int(path.stem[:2])}.{place}"
            wanted = [plain(name) + head, *(piece for piece in rest if len(piece) >= SHORTEST_PIECE)]
            found += [f"missing in {name}: {piece}" for piece in wanted if piece not in pdf.plain]
    return found


def missing_equations(pdf: Pdf, book: Path) -> list[str]:
    """Numbers of equations that the PDF lacks."""
    found = []
    for path, notebook in chapters(book):
        count = len(re.findall(r"^[ >]*(?:\S.*)?\$\$ \([\w-]+\)", markdown(notebook), re.M))
        names = [f"({int(path.stem[:2])}.{place})" for place in range(1, count + 1)]
        found += [f"missing: equation {name}" for name in names if name not in pdf.text]
    return found


def missing_exercises(pdf: Pdf, book: Path) -> list[str]:
    """Exercises without their number, and exercises whose solution is not printed."""
    found = []
    for path, notebook in chapters(book):
        text = markdown(notebook)
        for place in range(1, len(re.findall(r"^:{3,}\{exercise\}", text, re.M)) + 1):
            name = f"Exercise {int(path.stem[:2])}.{place}"
            found += [] if f"{name} (" in pdf.text else [f"missing: {name}"]
        solved = len(re.findall(r"^:{3,}\{solution\}", text, re.M))
        printed = len(re.findall(rf"Solution to\s+Exercise\s+{int(path.stem[:2])}\.\d", pdf.text))
        found += [] if printed >= solved else [f"{path.stem}: {printed} of {solved} solutions"]
    return found


@lru_cache(maxsize=1)
def chapters(book: Path) -> list[tuple[Path, nbformat.NotebookNode]]:
    return [(path, nbformat.read(path, as_version=4)) for path in sorted(book.glob("[0-9][0-9]_*.ipynb"))]


ALONE = (tex_complaints, overfull_boxes, tiny_formulas, raw_markup, empty_pages, unembedded_fonts, missing_metadata)
AGAINST_THE_BOOK = (missing_statements, missing_captions, missing_equations, missing_exercises)


def complaints(pdf: Pdf, book: Path) -> list[str]:
    found = [f"{check.__name__}: {complaint}" for check in ALONE for complaint in check(pdf)]
    return found + [f"{check.__name__}: {complaint}" for check in AGAINST_THE_BOOK for complaint in check(pdf, book)]
