"""Lighthouse, run as its own program: scores of one page on a phone and on a desktop."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from browser.chromium import FLAGS, NODE_PACKAGES, browser_path

FORMS = ("mobile", "desktop")
MUST_BE_PERFECT = ("accessibility", "best-practices", "seo")
#: Lowest scores for speed. A page with a live drawing may load a library on phones.
SPEED_LIMITS = {"mobile": 95, "desktop": 100}
LIVE_SPEED_LIMIT = 80


def audit(address: str, form: str, categories: tuple[str, ...]) -> dict:
    """Lighthouse's report of one page."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = ["node", NODE_PACKAGES / "lighthouse/cli/index.js", address, "--quiet", "--output=json", f"--output-path={report}"]
        command += [f"--only-categories={','.join(categories)}", f"--chrome-flags=--headless=new {' '.join(map(quoted, FLAGS))}"]
        command += ["--preset=desktop"] if form == "desktop" else []
        environment = os.environ | {"CHROME_PATH": str(browser_path())}
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode or not report.exists():
            raise RuntimeError(f"Lighthouse failed on {address}: {result.stderr.strip()[-500:]}")
        return json.loads(report.read_text("utf-8"))


def quoted(flag: str) -> str:
    return f'"{flag}"' if " " in flag else flag


def scores(report: dict) -> dict[str, int]:
    return {name: round(100 * (category["score"] or 0)) for name, category in report["categories"].items()}


def failures(report: dict, category: str) -> list[str]:
    """Names of the audits that cost the category points."""
    audits = report["audits"]
    names = [entry["id"] for entry in report["categories"][category]["auditRefs"] if entry["weight"]]
    return [name for name in names if audits[name]["score"] is not None and audits[name]["score"] < 1]


def judge(address: str, form: str, figures: dict[str, float], speed: bool, live: bool) -> list[str]:
    """Complaints about one page on one form of device; `figures` gets its scores."""
    report = audit(address, form, (*MUST_BE_PERFECT, "performance") if speed else MUST_BE_PERFECT)
    found = scores(report)
    worst = min(found[name] for name in MUST_BE_PERFECT)
    figures["quality"] = min(figures.get("quality", 100), worst)
    complaints = [
        f"Lighthouse {form}: {name} {found[name]} ({', '.join(failures(report, name))})"
        for name in MUST_BE_PERFECT
        if found[name] < 100
    ]
    if speed:
        figures[form] = found["performance"]
        limit = LIVE_SPEED_LIMIT if live and form == "mobile" else SPEED_LIMITS[form]
        if found["performance"] < limit:
            times = {name: round(report["audits"][name]["numericValue"]) for name in
                     ("first-contentful-paint", "largest-contentful-paint", "speed-index", "total-blocking-time")}
            complaints.append(f"Lighthouse {form}: performance {found['performance']} < {limit} ({times} ms)")
    return complaints
