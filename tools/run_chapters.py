"""Execute the chapters in place, two at a time, and leave the same bytes each time.

A chapter is stale when its stored key differs from the present one. The key covers all
that its outputs depend on: its code cells, the library modules that it imports (and those
that they import), its data files and the locked versions. So an edit in lib/ reaches every page it
concerns, and an edit of the prose executes nothing.
"""

import argparse
import ast
import hashlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from time import perf_counter

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "infonce_theory"
KEY = "infonce_theory_inputs"


def chapter_paths(root: Path = ROOT) -> list[Path]:
    """The chapters of the book, in order."""
    return sorted((root / "book").glob("[0-9][0-9]_*.ipynb"))


def imported_modules(source: str, package_folder: Path) -> set[str]:
    """Names of the library's modules that the source imports directly."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    names = {name.removeprefix(f"{PACKAGE}.") for name in found if name.startswith(f"{PACKAGE}.")}
    return {name for name in names if (package_folder / f"{name}.py").exists()}


def library_closure(source: str, package_folder: Path) -> list[Path]:
    """Files of the library that the source depends on, directly or through other modules."""
    pending, closed = imported_modules(source, package_folder), {"__init__"}
    while pending:
        name = pending.pop()
        closed.add(name)
        pending |= imported_modules((package_folder / f"{name}.py").read_text("utf-8"), package_folder) - closed
    return [package_folder / f"{name}.py" for name in sorted(closed)]


def input_key(notebook: nbformat.NotebookNode, root: Path) -> str:
    """Digest of everything that the chapter's outputs depend on."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    files = library_closure("\n".join(code), root / "lib" / PACKAGE)
    files += sorted(path for path in (root / "book" / "data").glob("*") if any(path.name in cell for cell in code))
    digest = hashlib.sha256()
    for text in code:
        digest.update(text.encode() + b"\0")
    for path in [*files, root / "requirements.txt"]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def is_stale(path: Path, root: Path = ROOT) -> bool:
    """Whether the stored outputs may differ from what the present library produces."""
    notebook = nbformat.read(path, as_version=4)
    return notebook.metadata.get(KEY) != input_key(notebook, root)


def execute(path: Path, root: Path = ROOT) -> float:
    """Execute one chapter, write it back and return the seconds that it took."""
    start = perf_counter()
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        record_timing=False,
        coalesce_streams=True,  # how the kernel cuts its output differs between runs
        extra_arguments=["--IPKernelApp.log_level=40"],  # errors only, not advice on its transport
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata = nbformat.from_dict(
        {
            KEY: input_key(notebook, root),
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    path.write_text(nbformat.writes(notebook, indent=1) + "\n", encoding="utf-8")
    return perf_counter() - start


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--force", action="store_true", help="execute chapters that are not stale, too")
    parser.add_argument("--check", action="store_true", help="execute nothing; fail if a chapter is stale")
    parser.add_argument("chapters", nargs="*", type=Path, help="notebooks (all chapters if none is given)")
    options = parser.parse_args(arguments)
    paths = [path.resolve() for path in options.chapters] or chapter_paths()
    stale = [path for path in paths if options.force or is_stale(path)]
    if options.check:
        for path in stale:
            print(f"stale: {path.name}; run `make run`")
        return int(bool(stale))
    # Two chapters run side by side on two cores; more threads than cores slow both down.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(f"{len(paths) - len(stale)} of {len(paths)} chapters are up to date, {len(stale)} to execute", flush=True)
    failures = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        running = {pool.submit(execute, path): path for path in stale}
        for number, future in enumerate(as_completed(running), start=1):
            path = running[future]
            try:
                print(f"[{number}/{len(stale)}] {path.name} executed in {future.result():.1f} s", flush=True)
            except CellExecutionError as error:
                failures += 1
                print(f"[{number}/{len(stale)}] {path.name} FAILED\n{error}", file=sys.stderr, flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
