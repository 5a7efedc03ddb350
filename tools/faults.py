"""Plant each fault of checks/faults.toml in a copy of the book and record which check goes red.

A fault counts as caught if a check of its own statement fails on the value: an evidence line, not
a crash and not a comparison with a stored output. Before that, all chapters run without a fault
and must be green.
"""

import argparse
import hashlib
import importlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter

from run_record import run_record

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "checks" / "faults.toml"
RESULTS = ROOT / "checks" / "faults.json"
#: Seconds that a chapter may take; a fault that makes it hang is not caught.
LIMIT = 600


class FaultError(ValueError):
    """A row of the table does not fit the book."""


def read_table(path: Path = TABLE) -> list[dict]:
    """The faults, in order."""
    return tomllib.loads(path.read_text("utf-8"))["fault"]


def key_of(fault: dict) -> str:
    """Digest that ties a result to its row of the table."""
    return hashlib.sha256(json.dumps(fault, sort_keys=True).encode()).hexdigest()[:16]


def chapter_of(fault: dict) -> int:
    """Number of the chapter whose checks must notice the fault."""
    return int(fault["cell"][2:4]) if "cell" in fault else fault["chapter"]


def place_of(fault: dict) -> str:
    """Where the fault is planted, for readers."""
    return f"cell {fault['cell']}" if "cell" in fault else f"{fault['module']}.py"


def read_cells(chapter: int, root: Path = ROOT) -> list[dict]:
    """Code cells of a chapter, each with its id and source."""
    [path] = (root / "book").glob(f"{chapter:02d}_*.ipynb")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [{"id": c["id"], "source": "".join(c["source"])} for c in cells if c["cell_type"] == "code"]


def replaced(text: str, fault: dict) -> str:
    """The text with the fault in it."""
    count = text.count(fault["old"])
    if count != 1 or fault["new"] == fault["old"]:
        place = f"{fault['statement']}, {fault['change']} ({place_of(fault)})"
        raise FaultError(f"{place}: {fault['old']!r} occurs {count} times; expected once, and a new text that differs")
    return text.replace(fault["old"], fault["new"])


def perturb(cells: list[dict], library: Path, fault: dict) -> None:
    """Plant the fault in the cells, or in the library's files."""
    if "cell" not in fault:
        path = library / "infonce_theory" / f"{fault['module']}.py"
        path.write_text(replaced(path.read_text("utf-8"), fault), encoding="utf-8")
        return
    found = [cell for cell in cells if cell["id"] == fault["cell"]]
    if len(found) != 1:
        raise FaultError(f"{fault['statement']}: cell {fault['cell']} occurs {len(found)} times; expected once")
    found[0]["source"] = replaced(found[0]["source"], fault)


def run_cells(cells: list[dict], statement: str | None, names: dict | None = None, before: Callable | None = None) -> dict:
    """Execute the cells until a check of the statement goes red; what happened.

    A red check of another statement, or a crash, ends its cell and nothing else. `names` are those
    that earlier cells left behind; `before` is called with each cell and the names.
    """
    from infonce_theory import evidence

    start, settle, last, checks = perf_counter(), evidence._settle, {}, 0

    def watch(record, passed, failure):
        nonlocal checks
        checks += passed
        last.update(statement=record.statement, kind=record.kind, claim=record.claim, failure=failure)
        settle(record, passed, failure)

    names, red, elsewhere, crashes = names or {"__name__": "__main__"}, None, [], []
    evidence._settle = watch
    for cell in cells:
        if before:
            before(cell, names)
        try:
            exec(compile(cell["source"], cell["id"], "exec"), names)
        except evidence.EvidenceError:
            failed = {"cell": cell["id"], **last}
            if failed["statement"] == statement:
                red = failed
                break
            elsewhere.append(failed)
        except Exception as error:  # whatever a fault breaks
            crashes.append(f"{cell['id']}: {type(error).__name__}: {error}"[:200])
    evidence._settle = settle
    seconds = round(perf_counter() - start, 1)
    return {"red": red, "elsewhere": elsewhere, "crashes": crashes, "checks": checks, "seconds": seconds}


def forked(work: Callable[..., dict], *arguments, limit: float = LIMIT) -> dict:
    """What the work returns in a process of its own, which begins with all that is in this one."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(work(*arguments)))
    process.start()
    sender.close()
    outcome = {"red": None, "elsewhere": [], "crashes": ["no answer in time"], "checks": 0, "seconds": limit}
    try:
        if receiver.poll(limit):
            outcome = receiver.recv()
    except EOFError:
        outcome["crashes"] = ["the process ended"]
    process.kill()
    process.join()
    return outcome


def run_with_library(library: Path, cells: list[dict], statement: str | None, before: Callable | None = None) -> dict:
    """Run the cells here with the library in that folder; nothing of it may be imported yet."""
    sys.path.insert(0, str(library))
    os.chdir(ROOT / "book")
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        return run_cells(cells, statement, before=before)


def plant_in_library(fault: dict) -> dict:
    """Run the chapter with a copy of the library that has the fault."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "lib", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        cells = read_cells(chapter_of(fault))
        perturb(cells, Path(folder), fault)
        return forked(run_with_library, Path(folder), cells, fault["statement"])


def plant_in_cells(chapter: int, faults: list[dict]) -> dict:
    """Run the chapter as it is and, from each cell with a fault, a copy of the process with the fault."""
    cells, outcomes = read_cells(chapter), {}

    def before(cell: dict, names: dict) -> None:
        for number, fault in enumerate(faults):
            if fault["cell"] == cell["id"]:
                changed = [dict(other) for other in cells]
                perturb(changed, ROOT, fault)
                rest = changed[cells.index(cell) :]
                outcomes[number] = forked(run_cells, rest, fault["statement"], names)

    control = run_with_library(ROOT / "lib", cells, None, before)
    return control | {"faults": [outcomes[number] for number in range(len(faults))]}


def run_chapter(chapter: int, faults: list[dict]) -> tuple[dict, list[dict]]:
    """The chapter without a fault, and a row of results for each of its faults, in order."""
    start = perf_counter()
    in_cells = [fault for fault in faults if "cell" in fault]
    control = forked(plant_in_cells, chapter, in_cells, limit=LIMIT * (1 + len(in_cells)))
    if control["elsewhere"] or control["crashes"]:
        raise SystemExit(f"chapter {chapter} is not green without a fault: {control}")
    of_cells, rows = iter(control["faults"]), []
    for fault in faults:
        outcome = next(of_cells) if "cell" in fault else plant_in_library(fault)
        print(describe(fault, outcome), flush=True)
        rows.append(row_of(fault, outcome))
    seconds = round(perf_counter() - start)
    print(f"chapter {chapter}: {control['checks']} checks hold without a fault; {len(rows)} faults in {seconds} s", flush=True)
    return {"chapter": chapter, "checks": control["checks"]}, rows


def prepare() -> None:
    """In a worker: what all copies need, once, except the library."""
    # Without Jupyter the checks print, and the figures are never drawn.
    sys.modules |= {"IPython.display": None, "matplotlib_inline.backend_inline": None}
    for name in ("matplotlib.pyplot", "sympy", "scipy.optimize", "scipy.stats"):
        importlib.import_module(name)


def row_of(fault: dict, outcome: dict) -> dict:
    """One row of the results."""
    row = {"key": key_of(fault), "chapter": chapter_of(fault), "statement": fault["statement"]}
    row |= {"change": fault["change"], "place": place_of(fault)}
    return row | {"red": outcome["red"], "seconds": outcome["seconds"]}


def store(table: list[dict], controls: list[dict], rows: list[dict], run: dict) -> None:
    """Write the results in the order of the table; what was not run again keeps its old result."""
    old = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {"run": run, "control": [], "faults": []}
    by_key = {row["key"]: row for row in [*old["faults"], *rows]}
    found = [by_key[key_of(fault)] for fault in table if key_of(fault) in by_key]
    by_chapter = {control["chapter"]: control for control in [*old["control"], *controls]}
    control = [by_chapter[chapter] for chapter in sorted({row["chapter"] for row in found})]
    result = {"run": run if len(rows) == len(table) else old["run"], "control": control, "faults": found}
    RESULTS.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def describe(fault: dict, outcome: dict) -> str:
    """One line for the terminal."""
    red, title = outcome["red"], f"{fault['statement']}: {fault['change']}"
    if red:
        return f"caught   {title} ({outcome['seconds']} s)\n         by {red['cell']} · {red['kind']} · {red['claim']}: {red['failure']}"
    others = [f"{other['statement']} in {other['cell']}" for other in outcome["elsewhere"]]
    return f"MISSED   {title}\n         red elsewhere: {others}; crashes: {outcome['crashes']}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("statements", nargs="*", help="labels of statements (all if none is given)")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    options = parser.parse_args(arguments)
    start, table = perf_counter(), read_table()
    chosen = [f for f in table if not options.statements or f["statement"] in options.statements]
    by_chapter = {}
    for fault in chosen:
        by_chapter.setdefault(chapter_of(fault), []).append(fault)
    os.environ |= {"MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1"}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.workers, mp_context=context, initializer=prepare) as pool:
        results = list(pool.map(run_chapter, by_chapter, by_chapter.values()))
    rows = [row for _, part in results for row in part]
    missed = sum(row["red"] is None for row in rows)
    print(f"{len(rows) - missed} of {len(rows)} faults caught in {perf_counter() - start:.0f} s")
    run = run_record("make faults", perf_counter() - start, "numpy", "scipy", "sympy")
    store(table, [control for control, _ in results], rows, run)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
