"""Train the digits experiment for many settings and write book/data/sweep.csv.

Each finished setting is kept in a file of its own, with the seed in its name, below a folder that is
named after the code and the data. So a sweep that was stopped goes on where it was, and one after
an edit starts anew. Any concurrent.futures.Executor can do the work: `sweep(executor=...)`.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core for each worker; before NumPy is loaded

import numpy as np
from run_chapters import library_closure

from infonce_theory import digits
from infonce_theory.digits import Setting

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "data" / "digits.npz"
RESULT = ROOT / "book" / "data" / "sweep.csv"
PARTS = ROOT / "_build" / "sweep"
SEEDS = range(5)


def settings() -> list[Setting]:
    """All settings of the sweep, in the order of the results file."""
    grids = (
        ("linear", (1, 4, 16, 64, 256), (0.1, 0.2, 0.5)),
        ("network", (1, 4, 16, 64, 256), (0.1, 0.2, 0.5)),
        ("extrapolated", (4, 16, 64), (0.2,)),
        ("rescaled", (16,), (0.1, 0.2, 0.5)),
    )
    return [Setting(kind, *rest) for kind, *axes in grids for rest in product(*axes, SEEDS)]


def code_digest() -> str:
    """Digest of all that the results depend on: the data, and the modules that the experiment uses."""
    digest, code = hashlib.sha256(), library_closure("import infonce_theory.digits", Path(digits.__file__).parent)
    for path in [DATA, *code]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def sweep(
    executor: Executor,
    todo: Sequence[Setting] | None = None,
    result: Path = RESULT,
    parts: Path = PARTS,
) -> int:
    """Run what is missing, then write the results file; return how many settings were run."""
    chosen, folder = settings() if todo is None else list(todo), parts / code_digest()
    folder.mkdir(parents=True, exist_ok=True)
    missing = [setting for setting in chosen if not (folder / f"{setting.name}.json").exists()]
    with np.load(DATA) as data:
        images, labels = data["images"], data["labels"]
    show_progress(len(chosen) - len(missing), len(chosen))
    running = {executor.submit(digits.run, setting, images, labels): setting for setting in missing}
    for number, future in enumerate(as_completed(running), start=1):
        write(folder / f"{running[future].name}.json", json.dumps(future.result()))
        show_progress(len(chosen) - len(missing) + number, len(chosen))
    rows = [json.loads((folder / f"{setting.name}.json").read_text("utf-8")) for setting in chosen]
    write(result, table(chosen, rows))
    return len(missing)


def table(chosen: Sequence[Setting], rows: Sequence[dict[str, float]]) -> str:
    """Results as CSV, six significant digits, one line for each setting."""
    names = list(rows[0])
    lines = [",".join(["kind", "k", "temperature", "seed", *names])]
    for setting, row in zip(chosen, rows, strict=True):
        lines.append(",".join([*map(str, vars(setting).values()), *(f"{row[name]:.6g}" for name in names)]))
    return "\n".join(lines) + "\n"


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, even if the process is killed."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)


def show_progress(done: int, total: int) -> None:
    width = 40 * done // total
    print(f"\r[{'#' * width}{'.' * (40 - width)}] {done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


@contextmanager
def executor_for(name: str, workers: int, scheduler: str | None):
    """Local processes, or the executor of dask.distributed on a local or on a running cluster."""
    if name == "processes":
        with ProcessPoolExecutor(workers) as pool:
            yield pool
        return
    from distributed import Client  # optional: pip install -e .[sweep]

    options = {"address": scheduler} if scheduler else {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with Client(**options) as client, client.get_executor() as pool:
        yield pool


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executor", choices=("processes", "dask"), default="processes")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="local worker processes")
    parser.add_argument("--scheduler", help="address of a running dask scheduler, such as tcp://host:8786")
    parser.add_argument("--result", type=Path, default=RESULT, help="file to write")
    parser.add_argument("--parts", type=Path, default=PARTS, help="folder of the finished settings")
    parser.add_argument("--only", type=int, default=None, metavar="N", help="the first N settings only")
    options = parser.parse_args(arguments)
    with executor_for(options.executor, options.workers, options.scheduler) as pool:
        count = sweep(pool, settings()[: options.only], options.result, options.parts)
    print(f"{count} settings run; results in {options.result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
