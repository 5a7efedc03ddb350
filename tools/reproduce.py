"""Execute the chapters again under other conditions, and record whether every text output is the same.

The repository itself is not touched: each condition executes a copy. `CONDITIONS` lists them; an interpreter gets an
environment of its own from requirements.txt, in _build/reproduce. The results, checks/reproducibility.json, hold

- ``run``: the latest run, as `run_record.run_record` describes it, and whether it was ``partial``;
- ``conditions``: for each condition its ``name``, the ``versions`` of Python and NumPy, how many ``chapters`` were executed
  and ``outputs`` compared, the chapters and cells that ``differ``, whether all outputs, figures among them, were equal ``to_the_byte``, and the
  last line of the ``tests`` of the library (None where they are not run). ``missing`` says why a condition was left out.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import nbformat
from run_chapters import ROOT, chapter_paths
from run_record import run_record
from stored_outputs import comparable

RESULTS = ROOT / "checks" / "reproducibility.json"
ENVIRONMENTS = ROOT / "_build" / "reproduce"
#: Tests of the library that are not named after one of its modules.
OF_MANY_MODULES = ("broadcasting", "fuzz", "library_structure")


class Condition(NamedTuple):
    """What differs from an ordinary run."""

    name: str
    python: str | None = None
    variables: dict[str, str] = {}
    tests: bool = False


#: ipykernel warns of itself when a kernel stops, after the last cell; nothing in the book causes it.
KERNEL_WARNING = "ignore:For consistency across implementations:PendingDeprecationWarning:ipykernel.kernelbase"

#: Makes NumPy, OpenBLAS and the C library of Linux use the instructions that every x86-64 processor has.
OLDER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable",
}

CONDITIONS = (
    Condition("again"),
    Condition("once more"),
    Condition("one thread", variables={"OPENBLAS_NUM_THREADS": "1"}),
    Condition("two threads", variables={"OPENBLAS_NUM_THREADS": "2"}),
    Condition("older processor", variables=OLDER_PROCESSOR, tests=True),
    Condition("warnings are errors", variables={"PYTHONWARNINGS": f"error,{KERNEL_WARNING}"}, tests=True),
    Condition("CPython 3.11", "python3.11", tests=True),
    Condition("CPython 3.12", "python3.12", tests=True),
    Condition("CPython 3.13", "python3.13", tests=True),
)


def text_outputs(path: Path) -> list[list[str | dict]]:
    """The outputs of each cell: printed lines, results, formulas and records, not figures."""
    return [list(_texts(cell)) for cell in nbformat.read(path, 4).cells]


def differences(reference: Path, executed: Path) -> list[str]:
    """Cells of a chapter whose text outputs are not the same, by the rules of `stored_outputs`."""
    pairs = enumerate(zip_longest(text_outputs(reference), text_outputs(executed), fillvalue=[]))
    found = [number for number, (one, other) in pairs if [comparable(text) for text in one] != other]
    return [f"{reference.name}, cell {number}" for number in found]


def reproduce(condition: Condition) -> dict:
    """Execute a copy under one condition and compare it with what is stored."""
    python = environment(condition.python) if condition.python else sys.executable
    if python is None:
        return {"name": condition.name, "missing": f"{condition.python} is not installed"}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "book"
        _copy_repository(copy)
        variables = os.environ | {"PYTHONPATH": str(copy / "lib")} | condition.variables
        subprocess.run([python, "tools/run_chapters.py", "--force"], cwd=copy, env=variables, check=True)
        pairs = [(path, copy / path.relative_to(ROOT)) for path in chapter_paths()]
        line = _library_tests(python, copy, variables) if condition.tests else None
        return {
            "name": condition.name,
            "versions": _versions(python),
            "chapters": len(pairs),
            "outputs": sum(len(texts) for path, _ in pairs for texts in text_outputs(path)),
            "differ": [cell for pair in pairs for cell in differences(*pair)],
            "to_the_byte": all(_outputs(one) == _outputs(other) for one, other in pairs),
            "tests": line,
        }


def environment(name: str) -> str | None:
    """Path of the interpreter of an environment with the locked packages; None if the interpreter is not installed."""
    found, folder = shutil.which(name), ENVIRONMENTS / name
    if found is None:
        return None
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        subprocess.run([found, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", ROOT / "requirements.txt"], check=True)
        (folder / "complete").touch()
    return str(python)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="conditions (all if none is given)")
    options, start = parser.parse_args(arguments), perf_counter()
    stored = json.loads(RESULTS.read_text("utf-8"))["conditions"] if RESULTS.exists() else []
    results = {result["name"]: result for result in stored}
    for condition in CONDITIONS:
        if not options.names or condition.name in options.names:
            results[condition.name] = reproduce(condition)
            print(results[condition.name], flush=True)
            rows = [results[condition.name] for condition in CONDITIONS if condition.name in results]
            run = run_record("make reproduce", perf_counter() - start, "numpy", "scipy", "sympy")
            run |= {"partial": len(rows) < len(CONDITIONS) or any("missing" in row for row in rows)}
            record = json.dumps({"run": run, "conditions": rows}, indent=1, ensure_ascii=False)
            RESULTS.write_text(record + "\n", "utf-8")
    rows = [results[name] for name in results if not options.names or name in options.names]
    return int(any(row.get("differ") or "failed" in (row.get("tests") or "") for row in rows))


def _texts(cell: nbformat.NotebookNode) -> Iterator[str | dict]:
    for output in cell.get("outputs", []):
        yield output.get("text", "")
        yield from (value for kind, value in sorted(output.get("data", {}).items()) if not kind.startswith("image/"))


def _outputs(path: Path) -> list:
    return [cell.get("outputs") for cell in nbformat.read(path, 4).cells]


def _copy_repository(target: Path) -> None:
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


def _library_tests(python: str, copy: Path, variables: dict[str, str]) -> str:
    modules = {path.stem.removeprefix("_") for path in (copy / "lib" / "infonce_theory").glob("*.py")}
    files = [f"tests/test_{name}.py" for name in sorted(modules.union(OF_MANY_MODULES))]
    files = [name for name in files if (copy / name).exists()]
    command = [python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *files]
    result = subprocess.run(command, cwd=copy, env=variables, capture_output=True, text=True)
    lines = [line for line in result.stdout.splitlines() if line.strip()]
    print("\n".join([*lines[-20:], result.stderr]))
    return lines[-1].strip("= ") if lines else "failed before the first test"


def _versions(python: str) -> dict[str, str]:
    code = "import json, platform, numpy; print(json.dumps({'Python': platform.python_version(), 'numpy': numpy.__version__}))"
    return json.loads(subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
