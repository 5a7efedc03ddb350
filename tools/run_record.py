"""When and where a set of checks ran: what the page "How this book is checked" says beside its tables."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def processor() -> str:
    """Name of the processor, as far as the system tells it."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text("utf-8").splitlines() if cpus.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def run_record(command: str, seconds: float, *packages: str) -> dict:
    """Command, date, duration, machine and versions, for a file of results."""
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(seconds),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {"Python": platform.python_version()} | {name: version(name) for name in packages},
    }
