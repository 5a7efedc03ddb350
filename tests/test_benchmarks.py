"""The stored benchmark results: complete, and of the values that the peers and the oracles have."""

import json

import pytest
from helpers import ROOT

RESULTS = json.loads((ROOT / "benchmarks" / "results.json").read_text("utf-8"))
VALUE = {"float32": 1e-6, "float64": 1e-12}


@pytest.mark.parametrize("row", RESULTS["loss"], ids=lambda row: f"{row['negatives']}-{row['k']}-{row['dtype']}")
def test_loss_and_gradient_have_the_value_of_the_peers(row):
    library = row["contenders"]["library"]
    assert library["value_difference"] <= VALUE[row["dtype"]]
    assert library["gradient_difference"] <= 50 * VALUE[row["dtype"]]
    assert {"torch cross_entropy", "info-nce-pytorch", "matrix products"} < set(row["contenders"])


def test_the_gap_is_that_of_quadrature():
    for row in RESULTS["exact"]:
        assert row["mpmath_difference"] < 1e-12


def test_the_expectiles_are_those_of_scipy():
    assert RESULTS["expectile"]["value_difference"] < 1e-12


def test_the_run_is_described():
    assert {"command", "date", "seconds", "machine", "versions", "threads"} <= set(RESULTS["run"])
    assert {"Python", "numpy", "torch"} <= set(RESULTS["run"]["versions"])
