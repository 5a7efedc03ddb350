"""Ways to a statement: the search finds it by the words of its title, and ``{statement-index}`` lists all.

Sphinx indexes section titles and the objects of its domains. Here the statements become objects of
the domain `prf`, so that a result leads to the statement and not to the top of its chapter.
"""

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.domains import ObjType
from sphinx_claims import BookDirective
from sphinx_proof.domain import ProofDomain
from sphinx_proof.proof_type import PROOF_TYPES
from statements import Statement, read_book

BEFORE_OTHER_RESULTS = 0


def objects_of_the_search(domain: ProofDomain) -> Iterator[tuple[str, str, str, str, str, int]]:
    """Name, shown name, kind, page, anchor and priority of each statement on the site."""
    on_pages = getattr(domain.env, "proof_list", {})
    for label, statement in read_book(Path(domain.env.srcdir) / "book").items():
        if label in on_pages:
            # The label leads from a docstring to its statement, and has no accents.
            name = f"{statement.number} {statement.plain_title} [{label}]"
            yield name, name, statement.kind, on_pages[label]["docname"], label, BEFORE_OTHER_RESULTS


class StatementIndex(BookDirective):
    """All statements: ``by-title`` in the order of the alphabet, ``by-kind`` in the order of the book."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        book = list(self.book().values())
        if self.arguments[0] == "by-title":
            return self.parse("\n".join(map(entry, sorted(book, key=lambda statement: statement.sorting_key))))
        if self.arguments[0] == "by-kind":
            return self.parse("\n".join(line for kind in PROOF_TYPES for line in of_one_kind(kind, book)))
        raise self.error(f"{self.arguments[0]} is no order; expected by-title or by-kind")


def entry(statement: Statement) -> str:
    """An item of a list: the title and the number, which is a link."""
    return f"- {statement.title.removeprefix('★ ')}{' ★' * statement.starred} · {{prf:ref}}`{statement.label}`"


def of_one_kind(kind: str, book: list[Statement]) -> list[str]:
    """The statements of one kind below their kind, as Markdown."""
    found = [statement for statement in book if statement.kind == kind]
    head = [f"{kind.title()} ({len(found)})"] if found else []
    marks = [":", *" " * (len(found) - 1)]
    return [*head, *(f"{mark} {entry(statement)}" for mark, statement in zip(marks, found)), ""]


def setup(app) -> dict[str, bool]:
    ProofDomain.object_types = {kind: ObjType(kind, "ref") for kind in PROOF_TYPES}
    ProofDomain.get_objects = objects_of_the_search
    ProofDomain.get_type_name = lambda domain, kind, primary=False: kind.lname.title()  # not "Proof Domain theorem"
    app.add_directive("statement-index", StatementIndex)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
