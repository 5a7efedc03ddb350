"""requirements.txt holds exactly what pyproject.toml asks for, directly or through others."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution

from helpers import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKED_EXTRAS = ("chapters", "book", "test")
PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")


def direct_requirements(pyproject: str) -> list[Requirement]:
    project = tomllib.loads(pyproject)["project"]
    extras = [entry for extra in LOCKED_EXTRAS for entry in project["optional-dependencies"][extra]]
    return [Requirement(entry) for entry in project["dependencies"] + extras]


def locked_versions(lock: str) -> dict[str, str]:
    """Name and version of every pin that applies to this Python and platform."""
    pins = [Requirement(line) for line in lock.splitlines() if line and not line.lstrip().startswith("#")]
    active = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in active}


def requirements_of(name: str, extras: set[str]) -> Iterator[Requirement]:
    for entry in distribution(name).requires or ():
        requirement = Requirement(entry)
        wanted = [{"extra": extra} for extra in extras or {""}]
        if requirement.marker is None or any(requirement.marker.evaluate(environment) for environment in wanted):
            yield requirement


def disagreements(direct: list[Requirement], locked: dict[str, str]) -> list[str]:
    """Requirements that the lock lacks or contradicts, and pins that nothing requires."""
    found, closed, pending = [], set(), [(requirement, "pyproject.toml") for requirement in direct]
    while pending:
        requirement, origin = pending.pop()
        name = canonicalize_name(requirement.name)
        if name not in locked:
            found.append(f"{origin} requires {requirement}, which is not locked")
            continue
        if not requirement.specifier.contains(locked[name], prereleases=True):
            found.append(f"{origin} requires {requirement}, but {locked[name]} is locked")
        key = (name, frozenset(requirement.extras))
        if key not in closed:
            closed.add(key)
            pending += [(dependency, name) for dependency in requirements_of(name, requirement.extras)]
    unused = sorted(set(locked) - {name for name, _ in closed})
    return found + [f"{name} is locked, but nothing requires it" for name in unused]


def without_reason(pyproject: str) -> list[str]:
    """Direct dependencies without a comment that says what they are for."""
    lists = re.findall(r"^(?:dependencies|\w+) = \[\n(.*?)^\]", pyproject.split("[project]")[1], re.M | re.S)
    lines = [line.strip() for block in lists for line in block.splitlines() if line.strip().startswith('"')]
    return [line for line in lines if not re.search(r"#\s*\S", line)]


DIRECT = direct_requirements(PYPROJECT)
LOCKED = locked_versions((ROOT / "requirements.txt").read_text("utf-8"))


def test_lock_and_direct_requirements_agree():
    assert disagreements(DIRECT, LOCKED) == []


def test_the_environment_holds_the_locked_versions():
    different = {}
    for name, version in LOCKED.items():
        try:
            installed = distribution(name).version
        except PackageNotFoundError:
            installed = "missing"
        if installed != version:
            different[name] = (version, installed)
    assert different == {}


def test_every_direct_dependency_has_its_reason():
    assert without_reason(PYPROJECT) == []


def test_disagreements_are_found():
    unlocked = {name: version for name, version in LOCKED.items() if name != "sympy"}
    indirect = {name: version for name, version in LOCKED.items() if name != "mpmath"}
    assert any("sympy" in line for line in disagreements(DIRECT, unlocked))
    assert any("mpmath" in line for line in disagreements(DIRECT, indirect))
    assert any("0.1 is locked" in line for line in disagreements(DIRECT, LOCKED | {"numpy": "0.1"}))
    assert any("requests is locked" in line for line in disagreements([Requirement("numpy")], LOCKED))
    assert without_reason('[project]\ndependencies = [\n    "numpy>=2",\n]\n') == ['"numpy>=2",']
