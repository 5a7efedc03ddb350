"""Contenders timed in turns, so that a slow moment of the machine meets all of them; peak memory of one call."""

import ctypes
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

Call = Callable[[], object]


def spread(values: list[float]) -> dict[str, float]:
    """Median and quartiles."""
    low, median, high = np.percentile(values, [25, 50, 75])
    return {"median": float(median), "low": float(low), "high": float(high)}


def compare(contenders: dict[str, Call], rounds: int = 7, least: float = 0.01) -> dict[str, dict]:
    """Time the contenders in `rounds` turns of at least `least` seconds each.

    A ratio is a contender's processor time over that of the first contender in the same round.
    """
    repeats = {name: _repeats(call, least) for name, call in contenders.items()}
    wall: dict[str, list[float]] = {name: [] for name in contenders}
    processor: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            seconds = _time(contenders[name], repeats[name])
            wall[name].append(seconds[0])
            processor[name].append(seconds[1])
    first = processor[names[0]]
    return {
        name: {
            "wall_seconds": spread(wall[name]),
            "cpu_seconds": spread(processor[name]),
            "ratio": spread([mine / base for mine, base in zip(processor[name], first)]),
        }
        for name in names
    }


def peak_bytes(call: Call) -> tuple[int | None, object]:
    """Memory that one call takes at its peak beyond what was in use before, and its result.

    The memory is None where Linux does not tell.
    """
    if not sys.platform.startswith("linux"):
        return None, call()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # hand back what earlier calls left
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    result = call()
    return 1024 * max(0, _status("VmHWM") - before), result


def _repeats(call: Call, least: float) -> int:
    seconds = _time(call, 1)[1]  # which also warms the caches
    return max(1, int(np.ceil(least / max(seconds, 1e-6))))


def _time(call: Call, repeats: int) -> tuple[float, float]:
    start, start_cpu = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats, (time.process_time() - start_cpu) / repeats


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise OSError(f"/proc/self/status has no {field}")
