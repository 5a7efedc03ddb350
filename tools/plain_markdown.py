"""Turn the MyST of the chapters into Markdown that reads well in any Jupyter and on a code host.

Statements become quotations that begin with "**Theorem 3.1** (Title).", proofs and solutions become
folds, references become links or names, and macros are written out. A directive or role that is not
known here is an error. tools/plain_notebook.py does this to whole notebooks.
"""

import re
from collections.abc import Set

from book_references import References, Target, Work
from myst_blocks import Block, parse
from tex_macros import expand

ADMONITIONS = ("note", "tip", "hint", "important", "attention", "caution", "warning", "danger", "seealso", "admonition")
STATEMENTS = ("definition", "theorem", "lemma", "proposition", "corollary", "example", "remark")
INLINE = re.compile(
    r"\{(?P<role>[\w:.-]+)\}`(?P<content>[^`]+)`"
    r"|(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<escaped>\\\$)"
    r"|(?<![\\$])\$(?!\$)(?P<tex>(?:\\.|[^$\\])+)\$"
    r"|(?<!!)\[(?P<words>[^\[\]]+)\]\((?P<address>[^()\s]+)\)",
    re.S,
)
TITLED = re.compile(r"^(.*?)\s*<([^<>]+)>$", re.S)
OPENS_PARAGRAPH = re.compile(r"^(?!\s*(?:\$\$|[-*+] |\d+\. |\||```|:::|#|>|\())")


class UnknownMarkup(ValueError):
    """A directive, role or label that cannot be turned into plain Markdown."""


def plain_text(markdown: str, references: References, linked: Set[str] = frozenset()) -> str:
    """`markdown` without MyST; references to the labels and works in `linked` become links.

    Raises
    ------
    UnknownMarkup
        If a directive or a role is not known, or a reference leads nowhere.
    ValueError
        If a block or a macro's argument does not end.
    """
    text = ""
    for block in parse(markdown):
        if block.kind != "blank" or not text.endswith("\n\n"):
            text += _render(block, references, linked) + "\n"
    return text.strip("\n")


def _render(block: Block, references: References, linked: Set[str]) -> str:
    if block.kind == "display":
        return _display(block, references)
    if block.kind == "directive":
        if block.name not in DIRECTIVES:
            raise UnknownMarkup(f"directive {block.name!r} is not known to tools/plain_markdown.py; it knows {sorted(DIRECTIVES)}")
        return DIRECTIVES[block.name](block, references, linked)
    if block.kind == "target":
        return f"{anchor(block.label)}\n"
    if block.kind == "heading":
        number = references.chapters.get(block.text) if block.name == "#" else None
        return f"{block.name} {f'{number}. ' if number else ''}{_inline(block.text, references, linked)}"
    if block.kind == "definition":
        return f"- **{_inline(block.name, references, linked)}**: {_indented(plain_text(block.text, references, linked))}"
    return _inline(block.text, references, linked) if block.kind == "text" else block.text


def _display(block: Block, references: References) -> str:
    tex = expand(block.text, references.macros)
    if not block.label:
        return "\n".join(block.indent + line for line in ("$$", *tex.split("\n"), "$$"))
    number = references.targets[block.label].name.strip("()")
    lines = (anchor(block.label), "", "$$", *tex.split("\n"), rf"\tag{{{number}}}", "$$")
    return "\n".join((block.indent + line).rstrip() for line in lines)


def _statement(block: Block, references: References, linked: Set[str]) -> str:
    """A quotation, so that the reader sees where the statement ends."""
    return _quoted(_headed(f"{anchor(block.label)}{_head(block, references, linked)}", block, references, linked))


def _admonition(block: Block, references: References, linked: Set[str]) -> str:
    title = _inline(block.argument, references, linked) or {"seealso": "See also"}.get(block.name, block.name.title())
    return _quoted(_headed(f"**{title}.**", block, references, linked))


def _headed(head: str, block: Block, references: References, linked: Set[str]) -> str:
    """The body after its head, on the same line if it begins with a paragraph."""
    return head + (" " if OPENS_PARAGRAPH.match(block.text) else "\n\n") + plain_text(block.text, references, linked)


def _quoted(text: str) -> str:
    # A renderer takes formulas out before it reads quotation marks, so a formula must not contain any.
    text = re.sub(r"\$\$.*?\$\$", lambda display: " ".join(display[0].split()), text, flags=re.S)
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _exercise(block: Block, references: References, linked: Set[str]) -> str:
    return _headed(f"{anchor(block.label)}{_head(block, references, linked)}", block, references, linked)


def _head(block: Block, references: References, linked: Set[str]) -> str:
    name = target_of(block.label, references).name
    return f"**{name}**" + (f" ({_inline(block.argument, references, linked)})." if block.argument else ".")


def _proof(block: Block, references: References, linked: Set[str]) -> str:
    return _fold("Proof", block, references, linked, end="\n\n∎")


def _solution(block: Block, references: References, linked: Set[str]) -> str:
    title = f"Solution to {target_of(block.argument, references).name}"
    return f"{anchor(block.label)}\n\n" * bool(block.label) + _fold(title, block, references, linked)


def _fold(title: str, block: Block, references: References, linked: Set[str], end: str = "") -> str:
    """The blank lines around the body make every renderer read it as Markdown."""
    opened = "" if "dropdown" in block.options.get("class", "") else " open"
    return f"<details{opened}>\n<summary>{title}</summary>\n\n{plain_text(block.text, references, linked)}{end}\n\n</details>\n"


def _inline(text: str, references: References, linked: Set[str]) -> str:
    """Text with its formulas written out and its roles resolved; code stays as it is."""

    def replace(match: re.Match) -> str:
        if match["tex"]:
            return f"${expand(' '.join(match['tex'].split()), references.macros)}$"
        if match["address"]:
            return _markdown_link(_inline(match["words"], references, linked), match["address"], references, linked)
        if not match["role"]:
            return match[0]
        if match["role"] not in ROLES:
            raise UnknownMarkup(f"role {match['role']!r} is not known to tools/plain_markdown.py; it knows {sorted(ROLES)}")
        return ROLES[match["role"]](match["content"], references, linked)

    return INLINE.sub(replace, text)


def _markdown_link(words: str, address: str, references: References, linked: Set[str]) -> str:
    """A link that leads out of the book stays; one to a label or to a page of the book is a reference."""
    if re.match(r"\w+:", address):
        return f"[{words}]({address})"
    label = re.sub(r"^#|\.(md|ipynb)$", "", address.rsplit("/", 1)[-1])
    target_of(label, references)
    return _link(words, label, linked)


def _reference(content: str, references: References, linked: Set[str]) -> str:
    title, label = split_title(content)
    return _link(title or target_of(label, references).name, label, linked)


def _page(content: str, references: References, linked: Set[str]) -> str:
    title, name = split_title(content)
    return title or target_of(name.rsplit("/", 1)[-1], references).name


def _textual_citation(content: str, references: References, linked: Set[str]) -> str:
    works = _works(content, references)
    return ", ".join(f"{work.authors} [{_link(work.year, key, linked)}]" for key, work in works)


def _citation(content: str, references: References, linked: Set[str]) -> str:
    works = sorted((f"{work.authors}, {work.year}", key) for key, work in _works(content, references))
    return f"[{', '.join(_link(text, key, linked) for text, key in works)}]"


def _works(content: str, references: References) -> list[tuple[str, Work]]:
    keys = [key.strip() for key in content.split(",")]
    for key in keys:
        if key not in references.works:
            raise UnknownMarkup(f"citation {key!r} is not in the bibliography")
    return [(key, references.works[key]) for key in keys]


def split_title(content: str) -> tuple[str, str]:
    """Title and label of a reference; the title is empty if the label stands alone."""
    match = TITLED.match(content)
    return (match[1], match[2]) if match else ("", content.strip())


def target_of(label: str, references: References) -> Target:
    if label not in references.targets:
        raise UnknownMarkup(f"reference to {label!r}, a label that the book does not contain")
    return references.targets[label]


def _link(text: str, label: str, linked: Set[str]) -> str:
    return f"[{text}](#{label})" if label in linked else text


def anchor(label: str) -> str:
    return f'<a id="{label}"></a>'


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


DIRECTIVES = {f"prf:{kind}": _statement for kind in STATEMENTS}
DIRECTIVES |= {name: _admonition for name in ADMONITIONS}
DIRECTIVES |= {"prf:proof": _proof, "exercise": _exercise, "solution": _solution}
ROLES = {"prf:ref": _reference, "eq": _reference, "ref": _reference, "numref": _reference, "doc": _page}
ROLES |= {"cite:t": _textual_citation, "cite:p": _citation}
