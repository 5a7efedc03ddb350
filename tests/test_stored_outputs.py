"""The comparison with the stored outputs forgives what another processor changes, and nothing else."""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from run_chapters import ROOT
from stored_outputs import comparable

PICTURE = """<?xml version="1.0"?><svg width="400pt"><style>*{stroke-linejoin: round}</style>
<path d="M 58.963689 225.414364 L 58.963689 7.2" clip-path="url(#p376196047d)" style="stroke: #d9d9d9; stroke-width: 0.6"/>
<clipPath id="p376196047d"><rect x="43.2" y="7.2" width="306.9"/></clipPath><text x="9">τ = 0.5</text></svg>"""
SAME_PICTURE = {
    "last digit": ("225.414364", "225.414365"),
    "name": ("p376196047d", "p62675c99c8"),
}
OTHER_PICTURE = {
    "place": ("225.414364", "225.434364"),
    "colour": ("#d9d9d9", "#d9d9d8"),
    "one name of two": ("url(#p376196047d)", "url(#p62675c99c8)"),
    "number in a text": ("τ = 0.5", "τ = 0.6"),
    "word": ("τ = ", "k = "),
    "point less": ("L 58.963689 7.2", ""),
    "element more": ("</svg>", "<path/></svg>"),
}
ATTACKED = "✓ thm-rate · adversarial · gap against its bound, optimised · worst ratio 0.9992, 6 cases"
OTHER_ATTACKED = {
    "ratio": ("0.9992", "0.9792"),
    "cases": ("6 cases", "5 cases"),
    "claim": ("its bound", "its limit"),
    "kind": ("adversarial", "enumeration"),
}


@pytest.mark.parametrize("change", SAME_PICTURE.values(), ids=SAME_PICTURE)
def test_what_is_forgiven_in_a_figure(change):
    assert PICTURE != PICTURE.replace(*change)
    assert comparable(PICTURE) == comparable(PICTURE.replace(*change))


@pytest.mark.parametrize("change", OTHER_PICTURE.values(), ids=OTHER_PICTURE)
def test_what_is_not(change):
    assert PICTURE != PICTURE.replace(*change)
    assert comparable(PICTURE) != comparable(PICTURE.replace(*change))
    assert not comparable(PICTURE) == comparable(PICTURE.replace(*change))


def test_an_attack_may_find_a_little_more_or_less():
    assert comparable(ATTACKED) == comparable(ATTACKED.replace("0.9992", "0.9943"))
    assert comparable(ATTACKED) == comparable(ATTACKED.replace("0.9992", "1"))
    record = {"kind": "adversarial", "cases": 6, "measure": "worst ratio 0.9992", "worst_ratio": 0.9992}
    assert comparable(record) == comparable(record | {"measure": "worst ratio 0.9943", "worst_ratio": 0.9943})


@pytest.mark.parametrize("change", OTHER_ATTACKED.values(), ids=OTHER_ATTACKED)
def test_nothing_else_may_change_in_an_attack(change):
    assert comparable(ATTACKED) != comparable(ATTACKED.replace(*change))


@pytest.mark.parametrize("change", [{"cases": 5}, {"worst_ratio": 0.9792}, {"kind": "enumeration"}, {"worst_ratio": None}])
def test_nothing_else_may_change_in_its_record(change):
    record = {"kind": "adversarial", "cases": 6, "measure": "worst ratio 0.9992", "worst_ratio": 0.9992}
    assert comparable(record) != comparable(record | change) and comparable(record | change) != comparable(record)


@pytest.mark.parametrize("text", [ATTACKED.replace("adversarial", "enumeration"), "0.9992\n"])
def test_other_numbers_are_compared_digit_by_digit(text):
    assert comparable(text) == text and comparable(text) != comparable(text.replace("0.9992", "0.9991"))
    record = {"kind": "enumeration", "worst_ratio": 0.9992}
    assert comparable(record) != comparable(record | {"worst_ratio": 0.9991})


def test_nbval_compares_so(tmp_path):
    chapters = tmp_path / "book"
    chapters.mkdir()
    for name, place in (("far", "225.434364"), ("near", "225.414365")):
        cell = nbformat.v4.new_code_cell(f"display({{'image/svg+xml': {PICTURE!r}}}, raw=True)", execution_count=1)
        stored = {"image/svg+xml": PICTURE.replace("225.414364", place)}
        cell.outputs = [nbformat.v4.new_output("display_data", data=stored)]
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), chapters / f"{name}.ipynb")
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "book"]
    tools = {"PYTHONPATH": str(ROOT / "tools")}
    result = subprocess.run(command, cwd=tmp_path, env=os.environ | tools, capture_output=True, text=True)
    assert "1 failed, 1 passed" in result.stdout and "FAILED book/far.ipynb::Cell 0" in result.stdout
