"""The front page: pictures that both modes can colour, and a map that leaves out nothing."""

import re

import answer_figure
import pytest
import yaml
from helpers import BOOK, ROOT

FRONT = (BOOK / "index.md").read_text("utf-8")


@pytest.fixture(scope="module")
def svg():
    return answer_figure.answer_svg()


def fixed_colours(svg):
    return re.findall(r"#[0-9a-f]{6}\b|\b(?:white|black)\b", svg)


def leaks(svg):
    """What a drawing inside a page must not have: a style sheet or fonts of its own, names that occur twice."""
    names = re.findall(r'\sid="([^"]+)"', svg)
    return re.findall(r"<style|font-family", svg) + [name for name in names if names.count(name) > 1]


def not_on_the_map(front, contents):
    """Parts and chapters of the table of contents that the front page does not name."""
    parts = [part for part in contents["parts"] if part["caption"].startswith("Part")]
    chapters = [chapter["file"].removeprefix("book/") for part in parts for chapter in part["chapters"]]
    return [name for name in [part["caption"] for part in parts] if f"\n{name}\n: " not in front] + [
        name for name in chapters if f"<{name}>`" not in front
    ]


def test_the_pictures_take_their_colours_from_the_page(svg):
    assert fixed_colours(svg) == leaks(svg) == []
    assert len(re.findall(r'<svg role="img" aria-label="[^"]{60,}"', svg)) == len(answer_figure.PICTURES) == 2


@pytest.mark.parametrize(("check", "defect"), [(fixed_colours, '<path style="fill: #ffffff"/>'), (leaks, "<style>*{}</style>"), (leaks, '<g id="a"/><g id="a"/>')])
def test_a_planted_defect_is_found(svg, check, defect):
    assert check(svg + defect) != []


def test_the_map_names_every_part_and_chapter():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    assert not_on_the_map(FRONT, contents) == []
    assert not_on_the_map(FRONT.replace("11_digits", "gone").replace("Part II:", ""), contents) == ["Part II: What the loss measures", "11_digits"]
