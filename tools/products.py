"""What pages show and the library computes: kept in _build/products until an input changes.

The name of a kept file contains a digest of the program that makes it, of the library's modules
that this program imports, and of the locked packages. So nothing on a page can be out of date.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from run_chapters import PACKAGE, ROOT, library_closure


def inputs(program: Path, root: Path = ROOT) -> list[Path]:
    """Files on which the results of a program in tools/ depend."""
    closure = library_closure(program.read_text("utf-8"), root / "lib" / PACKAGE)
    return [program, *closure, root / "requirements.txt"]


def digest(program: Path, root: Path = ROOT) -> str:
    """Digest of the files on which the results of a program depend."""
    total = hashlib.sha256()
    for path in inputs(program, root):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:12]


def kept(make: Callable[[], str], name: str, program: Path, root: Path = ROOT) -> str:
    """The text that `make` returns, computed only if no kept file has the present digest."""
    folder = root / "_build" / "products"
    path = folder / f"{digest(program, root)}-{name}"
    if not path.exists():
        text = make()
        folder.mkdir(parents=True, exist_ok=True)
        for outdated in folder.glob(f"*-{name}"):
            outdated.unlink(missing_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)  # whole or not at all, even if another process makes the same
    return path.read_text("utf-8")
