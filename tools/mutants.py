"""Change the library's functions one token at a time and see whether the library's tests notice.

mutmut makes the mutants, forks a process for each, and runs the tests that reach the changed function.
Left out are the text of error messages (lines that raise) and other string literals, which decide no
value, and what mutmut cannot change: constants outside functions and functions with a decorator.

A mutant that no test notices is a survivor, unless checks/equivalent.toml says why it computes the same.
"""

import argparse
import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path
from time import perf_counter

from run_record import run_record

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "infonce_theory"
WORK = ROOT / "_build" / "mutants"
RESULTS = ROOT / "checks" / "mutants.json"
EQUIVALENT = ROOT / "checks" / "equivalent.toml"
#: A style of figures, checked by the stored outputs of the chapters.
NOT_MUTATED = ("__init__", "plotting")
#: Tests of the whole repository, which say nothing about one module.
NOT_TESTS = ("test_build", "test_chapters", "test_faults", "test_fuzz", "test_library_structure", "test_sweep")
#: Tests that a module has beside its own: the stored results of all settings are functions of `digits`.
ALSO = {"digits": ("test_sweep.py",)}
SETTINGS = """[tool.mutmut]
source_paths = ["{package}"]
only_mutate = {files}
also_copy = ["book", "tools"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider"]
do_not_mutate_patterns = ['\\braise \\w+']
use_git_change_detection = false
track_dependencies = false
timeout_multiplier = 5.0

[tool.pytest.ini_options]
pythonpath = ["tools", "tests"]
filterwarnings = ["error::RuntimeWarning"]
"""


def modules() -> list[str]:
    """Modules of the library that are mutated, in order."""
    found = sorted(path.stem for path in (ROOT / "lib" / PACKAGE).glob("*.py"))
    return [name for name in found if name not in NOT_MUTATED]


def mentions(path: Path, module: str) -> bool:
    """Whether a file imports a module of the library."""
    lines = path.read_text("utf-8").replace("(\n", "(").splitlines()
    return any(PACKAGE in line and "import" in line and module in line.replace(",", " ").replace(".", " ").split() for line in lines)


def tests_of(module: str) -> list[str]:
    """The module's own tests; without any, those that import it, or those of the modules that do."""
    folder = ROOT / "tests"
    if (folder / f"test_{module}.py").exists():
        return [f"test_{module}.py", *ALSO.get(module, ())]
    files = [path for path in sorted(folder.glob("test_*.py")) if path.stem not in NOT_TESTS]
    direct = [path.name for path in files if mentions(path, module)]
    users = [name for name in modules() if mentions(ROOT / "lib" / PACKAGE / f"{name}.py", module)]
    return direct or sorted({test for user in users for test in tests_of(user)})


def digest_of_source(module: str) -> "hashlib._Hash":
    return hashlib.sha256((ROOT / "lib" / PACKAGE / f"{module}.py").read_bytes())


def key_of(module: str) -> str:
    """Digest of the module and its tests, which tells whether a result is of the present ones."""
    digest = digest_of_source(module)
    for name in tests_of(module):
        digest.update((ROOT / "tests" / name).read_bytes())
    return digest.hexdigest()


def prepare(names: list[str]) -> None:
    """A folder with the library, its tests and the settings of mutmut for these modules."""
    shutil.rmtree(WORK, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "_static", "*.ipynb")
    for source, target in (("lib/" + PACKAGE, PACKAGE), ("tools", "tools"), ("book", "book"), ("tests", "tests")):
        shutil.copytree(ROOT / source, WORK / target, ignore=ignore)
    tests = sorted({f"tests/{test}" for name in names for test in tests_of(name)})
    files = [f"{PACKAGE}/{name}.py" for name in names]
    settings = SETTINGS.format(package=PACKAGE, files=json.dumps(files), tests=json.dumps(tests))
    (WORK / "pyproject.toml").write_text(settings, encoding="utf-8")


def here(names: list[str], size: int | None, again: dict[str, list[dict]] | None) -> int:
    """In the prepared folder: run mutmut, on a sample or some mutants if asked, and write what became of each."""
    from mutmut import __main__ as mutmut
    from mutmut.mutation import mutators
    from mutmut.mutation.data import SourceFileMutationData

    kept = [(node, change) for node, change in mutators.mutation_operators if change is not mutators.operator_string]
    mutators.mutation_operators[:] = kept
    files = [SourceFileMutationData(path=Path(PACKAGE) / f"{name}.py") for name in names]
    chosen = []
    if size or again:
        Path("mutants").mkdir()
        mutmut.copy_src_dir()
        mutmut.create_mutants(1)
        for name, file in zip(names, files):
            file.load()
            found = list(file.exit_code_by_key)
            if again:
                changes = [change_of(mutant) for mutant in again[name]]
                found = [mutant for mutant, outcome in zip(found, outcomes_of(file)) if change_of(outcome) in changes]
            chosen += found
        if size:
            chosen = sorted(random.Random(0).sample(chosen, min(size, len(chosen))))
    mutmut._run(chosen, max_children=1)
    outcomes = {name: outcomes_of(file) for name, file in zip(names, files)}
    Path("outcomes.json").write_text(json.dumps(outcomes), encoding="utf-8")
    return 0


def outcomes_of(file) -> list[dict]:
    """What became of the mutants of one file; a mutant that is not in the sample has no status."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.stats import status_by_exit_code

    file.load()
    outcomes = []
    for name, code in file.exit_code_by_key.items():
        lines = get_diff_for_mutant(name, path=file.path).splitlines()[2:]
        changed = {sign: " ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"}
        function = name.rsplit(".", 1)[1].split("__mutmut_")[0].removeprefix("x_").replace("ǁ", ".").strip(".")
        status = None if code is None else status_by_exit_code[code]
        outcomes.append({"function": function, "old": changed["-"], "new": changed["+"], "status": status})
    return outcomes


def change_of(mutant: dict) -> tuple[str, str, str]:
    """What tells a mutant from the others of its module."""
    return mutant["function"], mutant["old"], mutant["new"]


def words(line: str) -> list[str]:
    """The tokens of a line, string literals all alike; those of half a statement as far as they go."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            found.append('""' if token.type == tokenize.STRING else token.string)
    except (tokenize.TokenError, IndentationError):
        pass
    return found


def changes_text_only(mutant: dict) -> bool:
    """Whether all that a mutant does is to put None where a string literal was."""
    old, new = words(mutant["old"]), words(mutant["new"])
    return len(old) == len(new) and all(a == b or (a, b) == ('""', "None") for a, b in zip(old, new))


def result_of(module: str, outcomes: list[dict], reasons: dict[tuple, str]) -> dict:
    """Counts of a module, with its survivors and its equivalent mutants."""
    every = [mutant for mutant in outcomes if not changes_text_only(mutant)]
    mutants = [mutant for mutant in every if mutant["status"]]
    row = {"module": module, "key": key_of(module), "source": digest_of_source(module).hexdigest()}
    row |= {"mutants": len(every), "tried": len(mutants)}
    row |= {"killed": sum(m["status"] == "killed" for m in mutants), "timeout": sum(m["status"] == "timeout" for m in mutants)}
    row |= {"survived": [], "equivalent": []}
    for mutant in mutants:
        if mutant["status"] not in ("killed", "timeout"):
            change = {name: mutant[name] for name in ("function", "old", "new")}
            reason = reasons.get((module, *change.values()))
            row["equivalent" if reason else "survived"].append(change | ({"reason": reason} if reason else {}))
    return row


def read_reasons() -> dict[tuple, str]:
    """Why a mutant computes the same as the original, by module, function and the changed line."""
    rows = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])
    return {(row["module"], row["function"], row["old"], row["new"]): row["reason"] for row in rows}


def again_with(row: dict, new: dict) -> dict:
    """A row in which the outcomes of the survivors are replaced by new ones."""
    if new["tried"] != len(row["survived"]):
        raise SystemExit(f"{row['module']}: two mutants change a line to the same; try it without --survivors")
    merged = row | {name: new[name] for name in ("key", "survived")}
    merged |= {name: row[name] + new[name] for name in ("killed", "timeout", "equivalent")}
    return merged


def mutate(names: list[str], size: int | None, again: dict[str, list[dict]] | None = None) -> list[dict]:
    """Run mutmut on these modules; a row of results for each."""
    start = perf_counter()
    prepare(names)
    command = [sys.executable, str(Path(__file__).resolve()), "--here", *names] + ["--sample", str(size)] * bool(size)
    if again:
        (WORK / "again.json").write_text(json.dumps(again), encoding="utf-8")
        command.append("--survivors")
    settings = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with open(WORK / "log.txt", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=WORK, env=os.environ | settings, stdout=log, stderr=subprocess.STDOUT)
    if not (WORK / "outcomes.json").exists():
        raise SystemExit(f"mutmut stopped; see {WORK / 'log.txt'}")
    outcomes, reasons = json.loads((WORK / "outcomes.json").read_text("utf-8")), read_reasons()
    run = run_record("make mutants", perf_counter() - start, "mutmut", "numpy", "pytest")
    return [result_of(name, outcomes[name], reasons) | {"run": run} for name in names]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="modules of the library (all if none is given)")
    parser.add_argument("--sample", type=int, help="try only so many mutants, drawn at random with a fixed seed")
    parser.add_argument("--survivors", action="store_true", help="try only what survived; for tests that were added, code unchanged")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = options.modules or modules()
    if options.here:
        return here(names, options.sample, json.loads(Path("again.json").read_text("utf-8")) if options.survivors else None)
    rows = {row["module"]: row for row in (json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else [])}
    again = None
    if options.survivors:
        names = [name for name in names if name in rows]
        edited = [name for name in names if rows[name]["source"] != digest_of_source(name).hexdigest()]
        if edited:
            parser.error(f"edited since they were tried: {', '.join(edited)}; try them without --survivors")
        for name in names:  # more tests catch no fewer
            rows[name]["key"] = key_of(name)
        names = [name for name in names if rows[name]["survived"]]
        again = {name: rows[name]["survived"] for name in names}
    for row in mutate(names, options.sample, again) if names else []:
        row = again_with(rows[row["module"]], row) if again else row
        rows[row["module"]] = row
        caught, left = row["killed"] + row["timeout"], len(row["survived"])
        print(f"{row['module']}: {caught} of {row['tried']} caught, {len(row['equivalent'])} equivalent, {left} survived")
    present = [rows[name] for name in modules() if name in rows]
    RESULTS.write_text(json.dumps(present, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
