"""Write out the macros of _config.yml, for readers whose mathematics does not know them."""

import re
from collections.abc import Mapping

CONTROL_WORD = re.compile(r"\\[A-Za-z]+")


def expand(tex: str, macros: Mapping[str, str]) -> str:
    r"""`tex` without the macros of the table.

    Raises
    ------
    ValueError
        If an argument is missing, as in ``\norm`` at the end of a formula.
    """
    parts, position = [], 0
    while match := next((m for m in CONTROL_WORD.finditer(tex, position) if m[0] in macros), None):
        parts.append(tex[position : match.start()])
        body, position = macros[match[0]], match.end()
        arguments = []
        for _ in range(max(map(int, re.findall(r"#(\d)", body)), default=0)):
            argument, position = _argument(tex, position, match[0])
            arguments.append(expand(argument, macros))
        pieces = re.split(r"#(\d)", expand(body, macros))
        parts += [arguments[int(piece) - 1] if place % 2 else piece for place, piece in enumerate(pieces)]
    return _join([*parts, tex[position:]])


def _argument(tex: str, position: int, macro: str) -> tuple[str, int]:
    """The macro's argument that starts at `position`, and the position after it."""
    match = re.compile(r"\s*(\\[A-Za-z]+|\\.|[^\s}])", re.S).match(tex, position)
    if match is None:
        raise ValueError(f"macro {macro} lacks an argument in the formula {tex!r}")
    if match[1] != "{":
        return match[1], match.end()
    depth, end = 1, match.end()
    for brace in re.compile(r"\\.|[{}]", re.S).finditer(tex, end):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return tex[end : brace.start()], brace.end()
    raise ValueError(f"macro {macro} has an argument without end in the formula {tex!r}")


def _join(parts: list[str]) -> str:
    r"""Concatenate, with a blank where ``\rangle`` and ``x`` would become ``\ranglex``."""
    joined = ""
    for part in filter(None, parts):
        blank = " " if part[0].isalpha() and re.search(r"\\[A-Za-z]+$", joined) else ""
        joined += blank + part
    return joined
