"""Show the evidence records of the chapters as lines that link to the statement, by its number.

`infonce_theory.evidence` leaves a record in the output of each cell that checks something. Here it
becomes "✓ Theorem 3.2 · adversarial · what was checked · worst ratio …". A record of a statement
that the book does not contain is a warning.
"""

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer
from sphinx.addnodes import pending_xref

from infonce_theory.evidence import RECORD_TYPE, Evidence


def evidence_line(record: dict, docname: str) -> nodes.paragraph:
    """One line: a tick, a reference to the statement, and what the record says."""
    evidence = Evidence(**record)
    target = evidence.statement
    reference = pending_xref(
        "", nodes.inline(text=target), refdomain="prf", reftype="ref", reftarget=target, refdoc=docname, refwarn=True
    )
    text = str(evidence).removeprefix(f"✓ {target}")
    return nodes.paragraph("", "", nodes.Text("✓ "), reference, nodes.Text(text), classes=["evidence"])


def setup(app) -> dict[str, bool]:
    render_unhandled = NbElementRenderer.render_unhandled

    def render(renderer: NbElementRenderer, data: MimeData) -> list[nodes.Element]:
        if data.mime_type != RECORD_TYPE:
            return render_unhandled(renderer, data)
        return [evidence_line(data.content, app.env.docname)]

    NbElementRenderer.render_unhandled = render
    app.connect("config-inited", show_records_first)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def show_records_first(app, config) -> None:
    config.nb_mime_priority_overrides = [*config.nb_mime_priority_overrides, ("*", RECORD_TYPE, 1)]
