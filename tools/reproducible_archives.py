"""Archives whose bytes depend on their contents only: the library's wheel and the zip of the book."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

#: What the wheel is built from.
WHEEL_SOURCES = ("pyproject.toml", "README.md", "LICENSE", "lib/infonce_theory")
#: The earliest time that a zip can hold; as seconds since 1970 for the build of the wheel.
EARLIEST, EARLIEST_SECONDS = (1980, 1, 1, 0, 0, 0), "315532800"
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


def source_files(root: Path) -> list[Path]:
    """Files that decide on the bytes of the wheel."""
    found = [root / name for name in WHEEL_SOURCES]
    return [path for start in found for path in ([start] if start.is_file() else sorted(start.rglob("*.py")))]


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the library's wheel into `folder`, from a copy, so that nothing is left in the sources."""
    with TemporaryDirectory() as copy:
        for path in source_files(root):
            place = Path(copy) / path.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
            place.chmod(0o644)  # the wheel stores it
        built = Path(copy) / "wheel"
        built.mkdir()
        environment = os.environ | {"SOURCE_DATE_EPOCH": EARLIEST_SECONDS, "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-c", BUILD, str(built)]
        result = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"setuptools could not build the wheel:\n{result.stdout}{result.stderr}")
        (wheel,) = built.glob("*.whl")
        return write_whole(folder / wheel.name, wheel.read_bytes())


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all: two builds side by side may want the same one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    draft.write_bytes(content)
    return draft.replace(path)


def write_zip(path: Path, contents: dict[str, bytes]) -> None:
    """Write the files, by name, in the order of their names and without times."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # as on Unix, wherever it is built
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
