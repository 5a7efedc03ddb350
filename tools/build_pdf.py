"""Build the book as one PDF and check it: `make pdf`.

Sphinx writes LaTeX (sphinx_pdf.py says how), latexmk runs XeLaTeX until all references are settled,
and pdf_checks.py compares the result with the chapters. A PDF that fails a check is not delivered.
It starts afresh each time, so that it never depends on what an earlier build left.
"""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pdf_checks
import yaml
from sphinx_pdf import TARGET

ROOT = Path(__file__).resolve().parents[1]
NAME = TARGET.replace(".tex", ".pdf")

#: What the build calls, and the Debian package that has it.
PROGRAMS = {
    "latexmk": "latexmk",
    "xelatex": "texlive-xetex",
    "rsvg-convert": "librsvg2-bin",
    "pdftotext": "poppler-utils",
    "fc-list": "fontconfig",
}
#: Fonts by the name that fontconfig knows.
FONTS = {"Latin Modern Roman": "fonts-lmodern", "FreeSerif": "fonts-freefont-otf", "DejaVu Sans Mono": "fonts-dejavu-core"}
PACKAGES = sorted({*PROGRAMS.values(), *FONTS.values()})


def missing() -> list[str]:
    """Programs and fonts that this machine lacks."""
    found = [name for name in PROGRAMS if not shutil.which(name)]
    if "fc-list" in found:
        return found
    known = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True).stdout
    return found + [f"font {name}" for name in FONTS if name not in known]


def environment(root: Path) -> dict[str, str]:
    """Settings for the same bytes every time: the date in the PDF is the start of the copyright year."""
    year = int(yaml.safe_load((root / "_config.yml").read_text("utf-8"))["copyright"])
    date = str(int(datetime(year, 1, 1, tzinfo=UTC).timestamp()))
    options = {"LATEXOPTS": "-interaction=nonstopmode -halt-on-error", "XINDYOPTS": "", "max_print_line": "10000"}
    return {"SOURCE_DATE_EPOCH": date} | os.environ | {"FORCE_SOURCE_DATE": "1"} | options


def write_latex(root: Path, work: Path) -> Path:
    """Let Jupyter Book write the LaTeX of the book below `work`; return its folder."""
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, "build", str(root), "--builder", "latex", "--path-output", str(work)]
    run([*command, "-W", "--keep-going", "-n", "-q"], root, environment(root))
    return work / "_build" / "latex"


def run(command: list, folder: Path, variables: dict[str, str]) -> None:
    """Run a command; if it fails, show the end of what it said and stop."""
    result = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, errors="replace")
    if result.returncode:
        sys.exit("\n".join([*(result.stdout + result.stderr).splitlines()[-120:], f"{Path(command[0]).name} failed"]))


def typeset(folder: Path, variables: dict[str, str]) -> Path:
    """Run XeLaTeX on what `write_latex` wrote; return the path of the PDF."""
    run(["latexmk", "-xelatex", TARGET], folder, variables)
    return folder / NAME


def main() -> int:
    if lacking := missing():
        print(f"make pdf needs {', '.join(lacking)}, which this machine lacks. On Debian or Ubuntu:", file=sys.stderr)
        print(f"  sudo apt-get install {' '.join(PACKAGES)}", file=sys.stderr)
        return 1
    product = ROOT / "_build" / "pdf" / NAME
    product.unlink(missing_ok=True)
    print("Building the PDF, about two minutes ...", flush=True)
    work = product.parent / "work"
    shutil.rmtree(work, ignore_errors=True)
    result = typeset(write_latex(ROOT, work), environment(ROOT))
    pdf = pdf_checks.Pdf.read(result)
    if complaints := pdf_checks.complaints(pdf, ROOT / "book"):
        print("\n".join([*complaints, f"The PDF has {len(complaints)} faults."]), file=sys.stderr)
        return 1
    shutil.copy(result, product)
    print(f"{product.relative_to(ROOT)}: {len(pdf.pages)} pages, {product.stat().st_size / 1e6:.1f} MB, all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
