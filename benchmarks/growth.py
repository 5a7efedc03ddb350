"""Time against n, k, d and the number of points, with fitted exponents, and the cost of imports."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.exact import TEMPERATURE, case
from benchmarks.loss import points
from benchmarks.timing import compare, spread
from infonce_theory.continuity import expectile_functional
from infonce_theory.exact_risk import exact_excess
from infonce_theory.gradient import loss_gradient


def run() -> list[dict[str, Any]]:
    """One row for each quantity; `theory` is the exponent that the number of operations has."""

    def gradient(n: int, k: int, d: int) -> Callable[[], object]:
        x, y, z = points(n, k, d, np.float64)
        return lambda: loss_gradient(x, y, z, 0.1)

    def excess(size: int, k: int) -> Callable[[], object]:
        space, scores = case(size)
        return lambda: exact_excess(space, scores, TEMPERATURE, k, 1)

    def expectiles(k: int) -> Callable[[], object]:
        rows = np.random.default_rng(5).random((2000, k))
        return lambda: expectile_functional(rows, 0.5)

    return [
        _row("loss and gradient, k = 1024, d = 128", "n", 1.0, (256, 512, 1024, 2048), lambda n: gradient(n, 1024, 128)),
        _row("loss and gradient, n = 512, d = 128", "k", 1.0, (512, 1024, 2048, 4096), lambda k: gradient(512, k, 128)),
        _row("loss and gradient, n = 512, k = 1024", "d", 1.0, (64, 128, 256, 512), lambda d: gradient(512, 1024, d)),
        _row("exact excess, k = 1000", "points", 2.0, (50, 100, 200, 400), lambda m: excess(m, 1000)),
        _row("exact excess, 50 points", "k", 0.0, (10**3, 10**6, 10**9, 10**12), lambda k: excess(50, k)),
        _row("expectiles of 2000 rows", "k", 1.0, (128, 256, 512, 1024), expectiles),
    ]


def run_imports() -> dict[str, Any]:
    """Processor seconds of the imports in a fresh interpreter: NumPy, and the library's mathematics after it."""
    modules = ("loss", "gradient", "exact_risk", "continuity", "rates", "training", "retrieval")
    lines = ["import time", "start = time.process_time()", "import numpy", "middle = time.process_time()"]
    lines += [f"import infonce_theory.{name}" for name in modules]
    lines += ["print(middle - start, time.process_time() - middle)"]
    command = [sys.executable, "-c", "\n".join(lines)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(9)]
    return {
        "modules": list(modules),
        "numpy_seconds": spread([float(numpy) for numpy, _ in runs]),
        "library_seconds": spread([float(library) for _, library in runs]),
    }


def _row(
    what: str, variable: str, theory: float, values: tuple[int, ...], make: Callable[[int], Callable[[], object]]
) -> dict[str, Any]:
    seconds = [compare({"library": make(value)}, rounds=3)["library"]["cpu_seconds"]["median"] for value in values]
    exponent = float(np.polyfit(np.log(values), np.log(seconds), 1)[0])
    return {"what": what, "variable": variable, "values": list(values), "cpu_seconds": seconds, "exponent": exponent, "theory": theory}
