"""Build the site with every warning an error.

Sphinx skips pages that it has built before, with their warnings. So after a failure the
intermediate files are removed: the next build reads everything again and fails again until the
cause is gone.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build(root: Path = ROOT, output: Path | None = None, *options: str) -> subprocess.CompletedProcess[str]:
    """Run Jupyter Book on `root`; the site lands in ``html`` below `output`, or `root`/_build."""
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, "build", str(root), "-W", "--keep-going", "-n", "-q"]
    command += ["--path-output", str(output)] if output else []
    result = subprocess.run([*command, *options], cwd=root, capture_output=True, text=True)
    if result.returncode:
        shutil.rmtree((output or root) / "_build" / ".doctrees", ignore_errors=True)
    return result


def main() -> int:
    print("Building the site ...", flush=True)
    result = build()
    if result.returncode:
        print(result.stdout + result.stderr, file=sys.stderr)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
