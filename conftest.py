"""Settings that must stand before NumPy is imported and before a chapter's kernel starts, and how outputs are compared.

It lies here, above book/ and tests/, because pytest calls the hooks of a conftest.py only for what lies below it.
"""

import os

import pytest
from stored_outputs import comparable

# Two workers share two cores; more threads than cores slow both down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Where nbval compares outputs, it forgives what another processor changes."""
    if hasattr(item, "compare_outputs"):
        item.sanitize = comparable
