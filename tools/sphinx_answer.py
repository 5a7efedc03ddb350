"""``{answer}``: the pictures of the front page, made by answer_figure.py, with the content as caption."""

from pathlib import Path

from docutils import nodes
from latex_nodes import to_pdf
from products import inputs, kept
from sphinx.util.docutils import SphinxDirective

PROGRAM = Path(__file__).with_name("answer_figure.py")


def drawn() -> str:
    """The pictures as SVG, drawn again only if an input changed."""

    def draw() -> str:
        from answer_figure import answer_svg  # here, because it loads Matplotlib

        return answer_svg()

    return kept(draw, "answer.svg", PROGRAM)


class answer(nodes.General, nodes.Element):
    """The two pictures; the children are their caption."""


class AnswerDirective(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        for path in inputs(PROGRAM):
            self.env.note_dependency(str(path))
        node = answer()
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def visit_html(translator, node: answer) -> None:
    translator.body.append(f'<figure class="answer">\n<div>{drawn()}</div>\n<figcaption>')


def depart_html(translator, node: answer) -> None:
    translator.body.append("</figcaption></figure>\n")


def visit_latex(translator, node: answer) -> None:
    from answer_figure import PICTURES, for_paper  # here, because it loads Matplotlib

    folder, pictures = Path(translator.builder.outdir), drawn().split("<svg")[1:]
    for name, picture in zip(PICTURES, pictures, strict=True):
        source = folder / f"answer-{name}.svg"
        source.write_text(for_paper(f"<svg{picture}"), encoding="utf-8")
        to_pdf(source, source.with_suffix(".pdf"))
    shown = [rf"\includegraphics[width=0.48\linewidth]{{answer-{name}.pdf}}" for name in PICTURES]
    translator.body.append("\n\\begin{center}" + r"\hfill ".join(shown) + "\\end{center}\n")


def depart_latex(translator, node: answer) -> None:
    translator.body.append("\n\n")


def setup(app) -> dict[str, bool]:
    app.add_node(answer, html=(visit_html, depart_html), latex=(visit_latex, depart_latex))
    app.add_directive("answer", AnswerDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
