"""Build the site with every warning an error.

Sphinx skips pages that it has built before, with their warnings. So after a failure the
intermediate files are removed: the next build reads everything again and fails again until the
cause is gone. It does not notice an edit of a style sheet, a template or an extension either: after
one, too, everything is built again.

After a build that succeeded, ``_build/.built`` holds a digest of all that it read, so that a build with
nothing new to read costs nothing.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def shapes_every_page(root: Path) -> list[Path]:
    """Files on which all pages depend: settings, table of contents, styles, templates, extensions."""
    found = [root / "_config.yml", root / "_toc.yml"]
    for folder in (root / "book" / "_static", root / "tools"):
        found += [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return found


def remove_outdated(root: Path, site: Path) -> None:
    """Remove a site that is older than a file on which all of its pages depend, and nothing else below _build."""
    front = site / "html" / "index.html"
    if front.exists() and any(path.stat().st_mtime > front.stat().st_mtime for path in shapes_every_page(root)):
        for name in ("html", ".doctrees", "jupyter_execute"):
            shutil.rmtree(site / name, ignore_errors=True)


def build(root: Path = ROOT, output: Path | None = None, *options: str) -> subprocess.CompletedProcess[str]:
    """Run Jupyter Book on `root`; the site lands in ``html`` below `output`, or `root`/_build."""
    site = (output or root) / "_build"
    remove_outdated(root, site)
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, "build", str(root), "-W", "--keep-going", "-n", "-q"]
    command += ["--path-output", str(output)] if output else []
    result = subprocess.run([*command, *options], cwd=root, capture_output=True, text=True)
    if result.returncode:
        shutil.rmtree(site / ".doctrees", ignore_errors=True)
    return result


def state(root: Path) -> str:
    """Digest of the names, sizes and times of all files that a build reads, and of its variables."""
    found = [path for path in root.iterdir() if path.is_file()]
    for folder in ("book", "lib", "tools", "checks", "benchmarks", "_build/pdf"):
        found += [path for path in (root / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    digest = hashlib.sha256(repr(sorted(item for item in os.environ.items() if item[0].startswith("BOOK_"))).encode())
    for path in sorted(found):
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def build_if_needed(root: Path = ROOT) -> subprocess.CompletedProcess[str] | None:
    """Build the site; nothing is done, and nothing returned, if the last build read just what is there."""
    stamp, present = root / "_build" / ".built", state(root)
    front = root / "_build" / "html" / "index.html"
    if front.exists() and stamp.exists() and stamp.read_text("utf-8") == present:
        return None
    stamp.unlink(missing_ok=True)
    result = build(root)
    if not result.returncode:
        stamp.write_text(present, "utf-8")
    return result


def main() -> int:
    print("Building the site ...", flush=True)
    result = build_if_needed()
    if result is None:
        print("Nothing has changed since the last build.")
        return 0
    if result.returncode:
        print(result.stdout + result.stderr, file=sys.stderr)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
