"""What publishes the book and runs it elsewhere: the workflow, Binder and Colab follow the one lock."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sphinx_repository
import yaml
from helpers import ROOT
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

WORKFLOW = ROOT / ".github/workflows/publish.yml"
PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def unpinned(workflow: str) -> list[str]:
    """Actions that are not pinned by a full commit with its version beside it."""
    return [line.strip() for line in workflow.splitlines() if "uses:" in line and not PINNED.search(line)]


def excessive_permissions(workflow: str) -> list[str]:
    """Rights beyond reading, but for the one job that publishes."""
    document = yaml.safe_load(workflow)
    rights = {"workflow": document.get("permissions"), **{name: job.get("permissions") for name, job in document["jobs"].items()}}
    allowed = {"workflow": {}, "build": {"contents": "read"}, "deploy": {"pages": "write", "id-token": "write"}}
    return [f"{name}: {found}" for name, found in rights.items() if found != allowed.get(name)]


def binder_faults(requirements: str, runtime: str) -> list[str]:
    """Ways in which Binder's environment could differ from the lock."""
    lines = [line.strip() for line in requirements.splitlines() if line.strip() and not line.startswith("#")]
    found = [] if lines[:1] == ["-r ../requirements.txt"] else ["the lock does not come first"]
    found += [f"not from the lock: {line}" for line in lines[1:] if not re.fullmatch(r"-e \.(\[\w+\])?", line)]
    version = re.fullmatch(r"python-(\d+\.\d+)\n", runtime)
    supported = SpecifierSet(re.search(r'requires-python = "(.*)"', PYPROJECT)[1])
    return found + ([] if version and version[1] in supported else [f"Python of {runtime!r} is not supported"])


def colab_faults(cell: str, lock: str) -> list[str]:
    """Packages of Colab's first cell that carry a version of their own or that the lock does not hold."""
    locked = {Requirement(line).name for line in lock.splitlines() if line and not line.lstrip().startswith("#")}
    words = cell.split('"')[0].split()
    names = [word for word in words[2:] if not word.startswith(("-", "https:"))]
    found = [f"not in the lock: {name}" for name in names if name not in locked]
    return found + ([] if words[words.index("--constraint") + 1].endswith("/requirements.txt") else ["not constrained by the lock"])


def test_actions_are_pinned_by_their_commits():
    workflow = WORKFLOW.read_text("utf-8")
    assert unpinned(workflow) == [] and workflow.count("uses:") >= 5
    assert unpinned("uses: actions/checkout@v6") and unpinned("uses: actions/checkout@" + "a" * 40)


def test_the_workflow_has_no_right_that_it_does_not_need():
    workflow = WORKFLOW.read_text("utf-8")
    assert excessive_permissions(workflow) == []
    assert excessive_permissions(workflow.replace("permissions: {}", "permissions: write-all"))
    assert excessive_permissions(workflow.replace("contents: read", "contents: write"))


def test_the_workflow_publishes_what_make_builds_and_only_from_pushes():
    jobs = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
    steps = {step.get("run", step.get("uses", "").split("@")[0]): step for step in jobs["build"]["steps"]}
    order = list(steps)
    assert order.index("make test") < order.index("make book") < order.index("actions/upload-pages-artifact")
    assert set(steps["make book"]["env"]) == {"BOOK_REPOSITORY", "BOOK_BRANCH"}
    checked = steps["make check-site CHECKS=--no-speed"]
    assert checked["env"] == steps["make book"]["env"]  # or the check would build another site in its place
    assert order.index("make book") < order.index(checked["run"]) < order.index("actions/upload-pages-artifact")
    assert jobs["deploy"]["if"] == steps["actions/upload-pages-artifact"]["if"] == "github.event_name == 'push'"


def test_the_workflow_installs_the_tex_that_the_readme_names_and_calls_only_what_make_knows():
    workflow = WORKFLOW.read_text("utf-8")
    packages = [set(re.search(r"apt-get install (.*)", text)[1].replace("--yes --no-install-recommends ", "").split())
                for text in (workflow, (ROOT / "README.md").read_text("utf-8"))]  # fmt: skip
    assert packages[0] == packages[1]
    targets = set(re.findall(r"run: make ([\w-]+)", workflow))
    assert targets == {"test", "pdf", "book", "check-site"} and targets <= set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))


def test_binder_follows_the_lock():
    requirements = (ROOT / ".binder/requirements.txt").read_text("utf-8")
    runtime = (ROOT / ".binder/runtime.txt").read_text("utf-8")
    assert binder_faults(requirements, runtime) == []
    assert binder_faults(requirements + "numpy==1.26.0\n", runtime) == ["not from the lock: numpy==1.26.0"]
    assert binder_faults(requirements.replace("-r ../requirements.txt", "-r other.txt"), runtime)
    assert binder_faults(requirements, "python-3.9\n")


def test_colab_follows_the_lock():
    lock = (ROOT / "requirements.txt").read_text("utf-8")
    cell = sphinx_repository.colab_cell("https://github.com/owner/name", "main", PYPROJECT)
    assert colab_faults(cell, lock) == []
    assert {"numpy", "sympy", "scipy", "matplotlib"} <= set(cell.split()) and "ipykernel" not in cell
    assert "https://raw.githubusercontent.com/owner/name/main/requirements.txt" in cell
    assert colab_faults(cell.replace(" sympy", " sympy==1.0"), lock)
    assert colab_faults(cell, lock.replace("scipy==", "skipy=="))
    assert colab_faults(cell.replace("main/requirements.txt", "main/other.txt"), lock)


@pytest.mark.parametrize(
    ("address", "branch"),
    [("https://elsewhere.example/a/b", "main"), ("https://github.com/owner", "main"), ("https://github.com/o/n", "a b")],
)
def test_an_impossible_address_is_refused(monkeypatch, address, branch):
    monkeypatch.setenv("BOOK_REPOSITORY", address)
    monkeypatch.setenv("BOOK_BRANCH", branch)
    with pytest.raises(ValueError, match="BOOK_(REPOSITORY|BRANCH) is .*expected"):
        sphinx_repository.repository()


TOOLS = {
    "check-jsonschema": ["--builtin-schema", "vendor.github-workflows"],
    "zizmor": ["--offline", "--no-progress", "--persona", "pedantic"],
}


def tool(name: str) -> Path | None:
    beside = Path(sys.executable).with_name(name)
    found = beside if beside.exists() else shutil.which(name)
    return Path(found) if found else None


@pytest.mark.parametrize("name", TOOLS)
def test_the_workflow_passes_its_schema_and_an_audit(tmp_path, name):
    if not tool(name):
        pytest.skip(f"{name} is not installed; make check-workflow installs it")

    def passes(text: str) -> bool:
        path = tmp_path / ".github/workflows/publish.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return subprocess.run([tool(name), *TOOLS[name], str(path)], capture_output=True, text=True).returncode == 0

    workflow = WORKFLOW.read_text("utf-8")
    assert passes(workflow)
    planted = {
        "check-jsonschema": workflow.replace("runs-on:", "runs_on:"),
        "zizmor": workflow.replace("run: make test", "run: echo ${{ github.event.pull_request.title }}"),
    }
    assert planted[name] != workflow and not passes(planted[name])
