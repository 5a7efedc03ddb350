"""What `make reproduce` relies on: a changed output is noticed, and a warning fails a chapter."""

import nbformat
import pytest
import reproduce
import run_chapters
from nbclient.exceptions import CellExecutionError
from nbformat import v4


def written(path, *texts):
    cells = []
    for number, text in enumerate(texts):
        output = v4.new_output("execute_result", {"text/plain": text, "image/svg+xml": "<svg/>"}, execution_count=1)
        cells.append(v4.new_code_cell("x", outputs=[output], id=f"cell{number}"))
    path.write_text(nbformat.writes(v4.new_notebook(cells=cells)), "utf-8")
    return path


def test_a_changed_digit_a_lost_cell_and_another_order_are_noticed(tmp_path):
    stored = written(tmp_path / "01_a.ipynb", "0.12", "0.34")
    assert reproduce.differences(stored, written(tmp_path / "same.ipynb", "0.12", "0.34")) == []
    assert reproduce.differences(stored, written(tmp_path / "digit.ipynb", "0.12", "0.35")) == ["01_a.ipynb, cell 1"]
    assert reproduce.differences(stored, written(tmp_path / "lost.ipynb", "0.12")) == ["01_a.ipynb, cell 1"]
    assert len(reproduce.differences(stored, written(tmp_path / "order.ipynb", "0.34", "0.12"))) == 2


def test_a_warning_fails_a_chapter_where_warnings_are_errors(tmp_path, monkeypatch):
    path = tmp_path / "01_warns.ipynb"
    path.write_text(nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell("import numpy as np\nnp.log(0.0)")])), "utf-8")
    (tmp_path / "lib" / "infonce_theory").mkdir(parents=True)
    for name in ("lib/infonce_theory/__init__.py", "requirements.txt"):
        (tmp_path / name).touch()
    run_chapters.execute(path, tmp_path)
    variables = next(condition.variables for condition in reproduce.CONDITIONS if condition.name == "warnings are errors")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CellExecutionError, match="divide by zero"):
        run_chapters.execute(path, tmp_path)


def test_a_missing_interpreter_is_reported_and_not_skipped():
    result = reproduce.reproduce(reproduce.Condition("CPython 3.0", "python3.0"))
    assert result == {"name": "CPython 3.0", "missing": "python3.0 is not installed"}
