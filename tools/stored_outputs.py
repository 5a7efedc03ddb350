"""Whether an output is the stored one, though another processor gives a computed number other last binary digits.

Printed numbers must be equal, with two exceptions. A coordinate of a figure may move by what nobody can see. And the
path of an optimiser is chaotic: the largest ratio that an attack on a bound finds depends on those last digits.
"""

import re

#: Of a coordinate, in points of 1/72 inch.
SHIFT = 0.01
#: Of the ratio that an attack finds.
RATIO = 0.01
#: Matplotlib names a clip path or a marker by a digest of its coordinates.
NAME = re.compile(r"\b[mp][0-9a-f]{10}\b")
#: A number that is no part of a name, a colour or a version.
NUMBER = re.compile(r"(?<![\w#.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
#: The line of evidence that an optimiser leaves.
ATTACK = re.compile(r"(?s)(.* · adversarial · .* · worst ratio )([\d.e+-]+)(.*)")


class Text(str):
    """An output that is a text; it equals another as `same_text` says."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and same_text(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Record(dict):
    """An output that is a mapping, such as a record of evidence; it equals another as `same_record` says."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and same_record(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def comparable(output: object) -> object:
    """The output of a cell as something that compares so."""
    return Text(output) if isinstance(output, str) else Record(output) if isinstance(output, dict) else output


def same_text(one: str, other: str) -> bool:
    if one.startswith("<?xml"):
        return _same_drawing(one, other)
    attacks = [ATTACK.fullmatch(str(text)) for text in (one, other)]
    if not all(attacks):
        return str(one) == str(other)
    (before, ratio, after), (other_before, other_ratio, other_after) = (attack.groups() for attack in attacks)
    return (before, after) == (other_before, other_after) and abs(float(ratio) - float(other_ratio)) <= RATIO


def same_record(one: dict, other: dict) -> bool:
    found = [record.get("worst_ratio") for record in (one, other)]
    if one.get("kind") != "adversarial" or None in found:
        return dict(one) == dict(other)
    rest = [{key: value for key, value in record.items() if key not in ("worst_ratio", "measure")} for record in (one, other)]
    return rest[0] == rest[1] and abs(found[0] - found[1]) <= RATIO


def _same_drawing(one: str, other: str) -> bool:
    """Whether elements, texts and styles are equal and every number is within `SHIFT`."""
    parts = [_with_names_by_order(text) for text in (one, other)]
    if len({NUMBER.sub("0", part) for part in parts}) > 1:
        return False
    numbers = [[float(number) for number in NUMBER.findall(part)] for part in parts]
    return all(abs(a - b) <= SHIFT for a, b in zip(*numbers))


def _with_names_by_order(text: str) -> str:
    order: dict[str, str] = {}
    return NAME.sub(lambda match: order.setdefault(match[0], f"name{len(order)}"), text)
