"""The long fuzz: `make fuzz` calls every public function thousands of times and writes checks/fuzz.json.

Each function meets every form of every argument with several sizes, then Hypothesis draws mixtures of forms, sizes and
leading axes. Two processes share the functions. The results hold

- ``run``: command, date, duration, machine and versions; at how many sizes (``cases``) every form was tried and how many
  mixtures (``examples``) each function met; ``partial`` is true if these or the functions were fewer than usual;
- ``functions``, ``parameters``, ``forms``: how many public functions, parameters and hostile forms there are;
- ``calls``: how many calls were ``answered`` (like the clean copy) and ``refused`` (with the documented error);
- ``modules``: the same two counts for each module, with its number of functions;
- ``faults``: for each class of fault how many calls had it, all 0 in a healthy library, and ``found``, the first of them;
- ``mended``: the faults found so far, each with its ``class``, ``function``, ``argument``, what was ``given``, what happened
  ``before``, and the answer or the error ``now``; one class more than above, ``hang``. tests/test_fuzz.py repeats each.
"""

import argparse
import json
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: two processes share two cores
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from hostile import FAULTS, Fault  # noqa: E402
from hostile_arguments import family  # noqa: E402
from hostile_faults import MENDED  # noqa: E402
from hostile_run import every_form, make_case, mixtures  # noqa: E402
from hostile_targets import targets  # noqa: E402
from run_record import run_record  # noqa: E402

RESULTS = Path(__file__).resolve().parents[1] / "checks" / "fuzz.json"
#: Sizes and leading axes at which every form is tried: all different, all 1, and n = k = d = m.
CASES = (
    ({"n": 2, "k": 3, "d": 4, "m": 5, "q": 2, "h": 3, "T": 2}, (2,)),
    (dict.fromkeys("nkdmqhTab", 1), ()),
    (dict.fromkeys("nkdmqhTab", 3), (3,)),
)


def fuzz(name: str, examples: int, cases: int) -> tuple[str, Counter, list[tuple[str, str]]]:
    """All calls of one function: counts by result, and the faults by class and text."""
    target, counts, faults = targets()[name], Counter(), []
    for seed, (sizes, lead) in enumerate(CASES[:cases]):
        found = every_form(target, make_case(sizes, lead, seed))
        counts += found[0]
        faults += found[1]
    if target.parameters and examples:
        try:
            mixtures(target, examples, lambda result: counts.update([result]))
        except Fault as fault:
            faults.append((fault.kind, fault.args[1]))
    return name, counts, faults


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=200, help="mixtures for each function (200)")
    parser.add_argument("--cases", type=int, default=len(CASES), help=f"sizes at which every form is tried ({len(CASES)})")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write")
    parser.add_argument("functions", nargs="*", help="parts of names (all functions if none is given)")
    options, start = parser.parse_args(arguments), perf_counter()
    names = [name for name in targets() if not options.functions or any(part in name for part in options.functions)]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(fuzz, names, [options.examples] * len(names), [options.cases] * len(names)))
    kinds = Counter(kind for _, _, faults in found for kind, _ in faults)
    for name, _, faults in found:
        for kind, text in faults[:3]:
            print(f"{kind}: {name}: {text}")
    whole = not sys.argv[1:]
    command = "make fuzz" if whole else f"python tests/fuzz.py --cases {options.cases} --examples {options.examples}"
    record = run_record(command, perf_counter() - start, "numpy", "hypothesis") | {"partial": not whole}
    record |= {"cases": options.cases, "examples": options.examples}
    options.results.write_text(json.dumps({"run": record} | report(found), indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{sum((counts for _, counts, _ in found), Counter()).total()} calls, {kinds.total()} faults")
    return int(bool(kinds))


def report(found: list[tuple[str, Counter, list[tuple[str, str]]]]) -> dict:
    """What the module's docstring describes."""
    known = targets()
    pairs = [(name, parameter) for name, _, _ in found for parameter in known[name].parameters]
    kinds = Counter(kind for _, _, faults in found for kind, _ in faults)
    modules: dict[str, Counter] = {}
    for name, counts, _ in found:
        modules.setdefault(name.split(".")[0], Counter()).update(counts | Counter(functions=1))
    total = sum((counts for _, counts, _ in found), Counter())
    return {
        "functions": len(found),
        "parameters": len(pairs),
        "forms": len({form.name for pair in pairs for form in family(*pair).forms}),
        "calls": {result: total[result] for result in ("answered", "refused")},
        "modules": [
            {"module": module} | {key: counts[key] for key in ("functions", "answered", "refused")}
            for module, counts in sorted(modules.items())
        ],
        "faults": {kind: kinds[kind] for kind in FAULTS},
        "found": [f"{kind}: {name}: {text}" for name, _, faults in found for kind, text in faults[:3]],
        "mended": [
            {"class": m.kind, "function": m.function, "argument": m.argument, "given": m.given, "before": m.before}
            | {"now": m.outcome()}
            for m in MENDED
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
