"""Run all benchmarks on one thread and write benchmarks/results.json.

The file holds:

``run``
    Command, date, seconds, machine and versions, as tools/run_record.py writes them; ``threads``; ``load``: jobs that wanted the
    cores in the last five minutes. On a busy machine wall times mean little, and processor times are what to read.
``loss``
    A list: ``n``, ``k``, ``d``, ``dtype``, ``negatives`` (shared or own), ``result_bytes`` (gradients), and
    ``contenders``: for each name ``wall_seconds``, ``cpu_seconds`` and ``ratio`` (processor time over the library's in
    the same round: above 1 the library is faster), each with ``median`` and the quartiles ``low`` and ``high``;
    ``gflops`` (6nkd operations over the time); ``peak_bytes`` of one call; ``value_difference`` and
    ``gradient_difference``, relative, from PyTorch in float64. ``matrix products`` is the part bound by BLAS.
``exact``
    A list over ``k``: ``times`` of all 50 anchors for each α; ``monte_carlo``: what a standard error of 1e-9 (of the gap,
    or absolute) would need by the measured deviation, and the ratio of times; ``mpmath_difference``, relative, and time.
``expectile``
    ``contenders`` as above; ``ratio_for_all_rows`` of the loop over SciPy; ``value_difference``, relative.
``imports``
    Processor time in a fresh interpreter: ``numpy_seconds``, and ``library_seconds`` after it.
``growth``
    A list: ``what``, ``variable``, ``values``, ``cpu_seconds``, fitted ``exponent``, and ``theory``'s.
"""

import json
import os
import sys
from pathlib import Path
from time import perf_counter

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy and PyTorch read them

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results.json"
sys.path.insert(0, str(ROOT / "tools"))


def main() -> None:
    from run_record import run_record

    from benchmarks import exact, growth, loss, peers

    optional = ("torch", "pytorch-metric-learning", "info-nce-pytorch") if peers.available() else ()
    start, parts = perf_counter(), {}
    for name, part in (
        ("exact", exact.run),
        ("expectile", exact.run_expectile),
        ("imports", growth.run_imports),
        ("growth", growth.run),
        ("loss", loss.run),
    ):
        print(f"{name}, after {perf_counter() - start:.0f} s ...", flush=True)
        parts[name] = part()
    run = run_record("make bench", perf_counter() - start, "numpy", "scipy", "mpmath", *optional)
    run |= {"threads": 1, "load": os.getloadavg()[1] if hasattr(os, "getloadavg") else None}
    text = json.dumps({"run": run, **parts}, indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(f"{RESULTS.name} written after {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
