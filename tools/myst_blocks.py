"""Cut the MyST of the chapters into blocks: text, code, displays, directives, targets, headings.

Only what the book uses is known. `walk` goes into the directives, so that whoever counts equations
or exercises meets them in the order of the page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

CODE = re.compile(r"^([ ]*)(`{3,}|~{3,})(?!\{)")
DIRECTIVE = re.compile(r"^([ ]*)(:{3,}|`{3,})\{([^}\s]+)\}[ ]*(.*)$")
OPTION = re.compile(r"^[ ]*:([\w-]+):[ ]*(.*)$")
DISPLAY = re.compile(r"^([ ]*)\$\$(.*)$")
DISPLAY_END = re.compile(r"^(.*)\$\$(?:[ ]*\(([\w-]+)\))?[ ]*$")
TARGET = re.compile(r"^\(([\w-]+)\)=[ ]*$")
HEADING = re.compile(r"^(#{1,6})[ ]+(.*)$")
DEFINITION = re.compile(r"^:[ ]+(.*)$")


@dataclass
class Block:
    """One block of a text.

    Attributes
    ----------
    kind
        ``text``, ``code``, ``display``, ``directive``, ``target``, ``heading``, ``definition`` or ``blank``.
    text
        Source of text and code, TeX of a display, body of a directive or of a definition, words of a heading.
    name
        Name of a directive, the term that a definition explains, the ``#`` of a heading.
    label
        Label of a display, of a directive or of a target; empty if there is none.
    """

    kind: str
    text: str = ""
    name: str = ""
    label: str = ""
    argument: str = ""
    indent: str = ""
    options: dict[str, str] = field(default_factory=dict)


def parse(source: str) -> list[Block]:
    """The blocks of a MyST text, in order; the bodies of directives are left as they are."""
    lines, blocks, place = source.split("\n"), [], 0
    while place < len(lines):
        for pattern, read in READERS:
            if match := pattern.match(lines[place]):
                block, place = read(match, lines, place)
                break
        else:
            block, place = _text(lines, place)
        if block.kind == "definition":  # the line before it was read as text; it is the term
            block.name = blocks.pop().text
        blocks.append(block)
    return blocks


def walk(source: str) -> Iterator[Block]:
    """All blocks, those inside directives after the directive itself."""
    for block in parse(source):
        yield block
        if block.kind == "directive":
            yield from walk(block.text)


def words(source: str) -> Iterator[str]:
    """All that is read as words, with inline formulas and roles: neither code nor displays."""
    for block in walk(source):
        if block.kind in ("text", "heading"):
            yield block.text
        elif block.kind == "definition":
            yield block.name
            yield from words(block.text)
        elif block.kind == "directive":
            yield block.argument


def _fenced(lines: list[str], place: int, fence: str) -> int:
    """Line that closes the fence opened at `place`."""
    closing = re.compile(rf"^[ ]*{re.escape(fence[0])}{{{len(fence)},}}[ ]*$")
    for end in range(place + 1, len(lines)):
        if closing.match(lines[end]):
            return end
    raise ValueError(f"no line closes the block that begins with {lines[place]!r}")


def _code(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    end = _fenced(lines, place, match[2])
    return Block("code", "\n".join(lines[place : end + 1])), end + 1


def _directive(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    end, options = _fenced(lines, place, match[2]), {}
    start = place + 1
    while start < end and (option := OPTION.match(lines[start])):
        options[option[1]] = option[2].strip()
        start += 1
    body = "\n".join(line.removeprefix(match[1]) for line in lines[start:end]).strip("\n")
    label = options.get("label", options.get("name", ""))
    return Block("directive", body, match[3], label, match[4].strip(), match[1], options), end + 1


def _display(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    rest, end = [match[2], *lines[place + 1 :]], 0
    while end < len(rest):
        if closing := DISPLAY_END.match(rest[end]):
            tex = "\n".join([*rest[:end], closing[1]]).strip()
            return Block("display", tex, label=closing[2] or "", indent=match[1]), place + end + 1
        end += 1
    raise ValueError(f"no $$ closes the display that begins with {match[0]!r}, {lines[place + 1 : place + 2]}")


def _target(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    return Block("target", label=match[1]), place + 1


def _heading(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    return Block("heading", match[2].strip(), match[1]), place + 1


def _definition(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    end = place + 1
    while end < len(lines) and (lines[end].startswith("  ") or DEFINITION.match(lines[end])):
        end += 1
    return Block("definition", "\n".join(line[2:] for line in lines[place:end])), end


def _blank(match: re.Match, lines: list[str], place: int) -> tuple[Block, int]:
    return Block("blank"), place + 1


def _text(lines: list[str], place: int) -> tuple[Block, int]:
    end = place + 1
    while end < len(lines) and not any(pattern.match(lines[end]) for pattern, _ in READERS):
        end += 1
    return Block("text", "\n".join(lines[place:end])), end


READERS = (
    (CODE, _code),
    (DIRECTIVE, _directive),
    (DISPLAY, _display),
    (TARGET, _target),
    (HEADING, _heading),
    (DEFINITION, _definition),
    (re.compile(r"^[ ]*$"), _blank),
)
