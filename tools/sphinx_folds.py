"""Proofs and solutions as native folds: ``<details>``, closed at first, working without JavaScript.

The extensions sphinx-proof and sphinx-exercise fold by script and give every proof the same
anchor. Here a proof is ``proof-<label of the statement before it>`` and a solution keeps its label.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import solution_node
from sphinx_proof.nodes import NODE_TYPES

STATEMENTS = tuple(NODE_TYPES.values())


class fold(nodes.General, nodes.Element):
    """A block whose body the reader opens; attributes `title` and `open`."""


class ProofDirective(SphinxDirective):
    """``{prf:proof}``; with ``:class: dropdown`` it starts closed."""

    has_content = True
    option_spec = {"class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        classes = self.options.get("class", [])
        node = fold(title="Proof", open="dropdown" not in classes, classes=["proof"])
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class NameProofs(SphinxTransform):
    """Give every proof an anchor of its own, after the statement that it proves."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        statement, taken = "", set()
        for node in self.document.findall(nodes.Element):
            if isinstance(node, STATEMENTS):
                statement = node["label"]
            elif isinstance(node, fold) and "proof" in node["classes"]:
                name, count = f"proof-{statement or 'of-the-page'}", 1
                while name in taken:
                    count += 1
                    name = f"proof-{statement}-{count}"
                taken.add(name)
                node["statement"] = statement
                node["ids"] = [name]


class PlainContents(SphinxTransform):
    """Turn the sections inside statements and exercises, which all share one id, into plain boxes."""

    default_priority = 410

    def apply(self, **kwargs) -> None:
        for node in list(self.document.findall(nodes.section)):
            if isinstance(node.parent, nodes.Admonition):
                node.parent.replace(node, nodes.container("", *node.children, classes=["content"]))


class FoldSolutions(SphinxPostTransform):
    """Replace each solution by a fold, once its title carries the exercise's number."""

    default_priority = 30

    def run(self, **kwargs) -> None:
        for node in list(self.document.findall(solution_node)):
            body = fold(
                "",
                *node.children[1:],
                title=node["title"],
                open="dropdown" not in node["classes"],
                classes=["solution"],
                ids=node["ids"],
            )
            node.replace_self(body)


def visit_fold_html(translator, node: fold) -> None:
    attributes = {"open": "open"} if node["open"] else {}
    translator.body.append(translator.starttag(node, "details", "", CLASS="fold", **attributes))
    translator.body.append(f'<summary>{translator.encode(node["title"])}</summary>\n<div class="content">\n')


def depart_fold_html(translator, node: fold) -> None:
    translator.body.append("</div></details>\n")


def setup(app) -> dict[str, bool]:
    app.setup_extension("sphinx_proof")
    app.setup_extension("sphinx_exercise")
    app.add_node(fold, html=(visit_fold_html, depart_fold_html))
    app.add_transform(NameProofs)
    app.add_transform(PlainContents)
    app.add_post_transform(FoldSolutions)
    app.add_directive_to_domain("prf", "proof", ProofDirective, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
