"""The sweep: killed and restarted, or run by another executor, it writes the same bytes; its file is fresh."""

import csv
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sweep
from helpers import ROOT

from infonce_theory import digits
from infonce_theory.digits import Setting

NUMBER = 2


def start(result, parts, *options):
    command = [sys.executable, ROOT / "tools/sweep.py", "--only", str(NUMBER), "--result", result, "--parts", parts, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def finish(process):
    output, progress = process.communicate(timeout=240)
    assert process.returncode == 0, progress
    return output, progress


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    output, progress = finish(start(folder / "sweep.csv", folder / "parts", "--workers", "2"))
    assert output.startswith(f"{NUMBER} settings run") and f"{NUMBER}/{NUMBER}" in progress
    return (folder / "sweep.csv").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="kills a group of processes")
def test_killed_midway_and_restarted_gives_the_same_bytes(tmp_path, uninterrupted):
    result, parts = tmp_path / "sweep.csv", tmp_path / "parts"
    process = start(result, parts, "--workers", "1")
    while not list(parts.glob("*/*.json")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    done = len(list(parts.glob("*/*.json")))
    assert 0 < done < NUMBER and not result.exists()
    output, _ = finish(start(result, parts, "--workers", "2"))
    assert output.startswith(f"{NUMBER - done} settings run")
    assert result.read_bytes() == uninterrupted


def test_dask_gives_the_same_bytes(tmp_path, uninterrupted):
    pytest.importorskip("distributed", reason="optional: pip install -e .[sweep]")
    finish(start(tmp_path / "sweep.csv", tmp_path / "parts", "--executor", "dask", "--workers", "2"))
    assert (tmp_path / "sweep.csv").read_bytes() == uninterrupted


def test_any_executor_will_do_and_finished_settings_are_kept(tmp_path, monkeypatch):
    calls = []

    def run(setting, images, labels):
        calls.append(setting.name)
        if setting.seed == 2 and calls.count(setting.name) == 1:
            raise RuntimeError("stopped")
        return {"value": setting.seed / 3}

    monkeypatch.setattr(digits, "run", run)
    todo = [Setting("linear", 1, 0.5, seed) for seed in range(3)]
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="stopped"):
        sweep.sweep(pool, todo, tmp_path / "a.csv", tmp_path)
    assert not (tmp_path / "a.csv").exists()
    with ThreadPoolExecutor(2) as pool:
        assert sweep.sweep(pool, todo, tmp_path / "a.csv", tmp_path) == 1
        assert sweep.sweep(pool, todo, tmp_path / "b.csv", tmp_path) == 0
    assert calls == ["linear_k1_t0.5_seed0", "linear_k1_t0.5_seed1", "linear_k1_t0.5_seed2", "linear_k1_t0.5_seed2"]
    assert (tmp_path / "a.csv").read_text("utf-8").splitlines()[-1] == "linear,1,0.5,2,0.666667"
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_an_edit_of_the_experiment_starts_anew(tmp_path, monkeypatch):
    before = sweep.code_digest()
    assert before == sweep.code_digest()
    (tmp_path / "digits.npz").write_bytes(b"other data")
    monkeypatch.setattr(sweep, "DATA", tmp_path / "digits.npz")
    assert sweep.code_digest() != before


def stored_rows():
    with sweep.RESULT.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_results_file_holds_every_setting_in_order():
    keys = [(row["kind"], int(row["k"]), float(row["temperature"]), int(row["seed"])) for row in stored_rows()]
    assert keys == [tuple(vars(setting).values()) for setting in sweep.settings()]


def disagreements(stored, setting, row):
    """Names of the measurements that differ; a hit or two may flip where rounding differs."""
    line = next(entry for entry in stored if tuple(entry.values())[:4] == tuple(map(str, vars(setting).values())))
    return [name for name, value in row.items() if not np.isclose(value, float(line[name]), rtol=1e-4, atol=2.5e-3 * ("image" in name or "label" in name))]


@pytest.mark.parametrize("setting", [Setting("linear", 4, 0.2, 3), Setting("rescaled", 16, 0.5, 1)], ids=lambda s: s.name)
def test_the_results_file_is_fresh_on_sampled_entries(setting):
    with np.load(sweep.DATA) as data:
        row = digits.run(setting, data["images"], data["labels"])
    stored = stored_rows()
    assert disagreements(stored, setting, row) == []
    assert disagreements(stored, setting, row | {"unseen_ce": row["unseen_ce"] + 1e-3}) == ["unseen_ce"]
