"""The shape of the library: imports run one way, docstrings point to statements that exist."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import infonce_theory

FOLDER = Path(infonce_theory.__file__).parent
BOOK = Path(__file__).resolve().parents[1] / "book"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
ALLOWED = {"answers": {"sympy"}, "evidence": {"sympy", "IPython"}, "plotting": {"matplotlib", "matplotlib_inline", "cycler"}, "gateaux": {"sympy"}}
STATEMENT = re.compile(r"``((?:def|prop|thm|lem|cor|ex|rem)-[a-z0-9-]+)``")


def imported(module):
    """Top-level packages and own modules that a module imports."""
    found = set()
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    own = {name.split(".")[1] for name in found if name.startswith("infonce_theory.")} & set(MODULES)
    return own, {name.split(".")[0] for name in found} - {"infonce_theory"}


def public_functions(module):
    loaded = importlib.import_module(f"infonce_theory.{module}")
    return {
        name: member
        for name, member in inspect.getmembers(loaded, inspect.isfunction)
        if member.__module__ == loaded.__name__ and not name.startswith("_")
    }


@pytest.mark.parametrize("module", MODULES)
def test_mathematics_knows_numpy_only(module):
    _, outside = imported(module)
    extra = outside - {"numpy"} - set(sys.stdlib_module_names)
    assert extra <= ALLOWED.get(module, set())


def test_imports_run_one_way():
    pending = {module: imported(module)[0] for module in MODULES}
    while pending:
        free = {module for module, needs in pending.items() if not needs & set(pending)}
        assert free, f"these modules import each other: {sorted(pending)}"
        pending = {module: needs for module, needs in pending.items() if module not in free}


def unknown_labels(source, book=BOOK):
    """Labels in double backquotes that no statement of the book has."""
    labels = {label for path in book.glob("*.ipynb") for label in re.findall(r":label: ([a-z0-9-]+)", path.read_text("utf-8"))}
    return sorted(set(STATEMENT.findall(source)) - labels)


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_point_to_statements_of_the_book(module):
    assert unknown_labels((FOLDER / f"{module}.py").read_text("utf-8")) == []


def test_a_label_without_a_statement_is_found():
    source = (FOLDER / "rates.py").read_text("utf-8")
    assert "``thm-rate``" in source
    assert unknown_labels(source.replace("``thm-rate``", "``thm-rare``")) == ["thm-rare"]
    assert unknown_labels("The law of ``def-setting``, ``lem-gone``, ``rem-in-batch`` and ``rem-gone``.") == ["lem-gone", "rem-gone"]


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("_")])
def test_public_functions_are_documented_and_typed(module):
    for name, function in public_functions(module).items():
        assert function.__doc__, f"{module}.{name} has no docstring"
        hints = inspect.signature(function)
        assert hints.return_annotation is not inspect.Signature.empty, f"{module}.{name} has no return type"
        untyped = [key for key, value in hints.parameters.items() if value.annotation is inspect.Parameter.empty]
        assert not untyped, f"{module}.{name} leaves {untyped} without a type"


@pytest.mark.parametrize("module", MODULES)
def test_modules_and_functions_stay_short(module):
    source = (FOLDER / f"{module}.py").read_text("utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert length <= 40, f"{module}.{node.name} has {length} lines"


def test_importing_the_mathematics_loads_neither_sympy_nor_matplotlib():
    modules = [name for name in MODULES if name not in ALLOWED]
    program = f"import sys, {', '.join(f'infonce_theory.{name}' for name in modules)}\n"
    program += "print(sorted({'sympy', 'matplotlib', 'IPython', 'scipy'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
