"""Find and start the tools that the checks need; none of them is needed to build or to test the book."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: `make check-site` installs the packages of package-lock.json here.
NODE_PACKAGES = ROOT / ".venv/check/node_modules"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Containers lack the sandbox and the graphics; every name but this machine's stays unresolved: the network is cut.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def browser_path() -> Path | None:
    """The browser: the one that the variable CHROME_PATH names, else the first of the usual names."""
    named = os.environ.get("CHROME_PATH")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    return Path(found) if found and Path(found).exists() else None


def missing_tools(lighthouse: bool = True) -> list[str]:
    """What is not installed, each with the way to get it; empty if all is there."""
    wanted = {
        "Chromium is not installed (Debian: apt-get install chromium; or name it in CHROME_PATH)": browser_path(),
        "the Python package playwright is not installed (make check-site installs it)": importlib.util.find_spec("playwright"),
        "the npm package axe-core is not installed (make check-site installs it)": (NODE_PACKAGES / "axe-core").exists(),
    }
    if lighthouse:
        wanted["Node is not installed (Debian: apt-get install nodejs npm)"] = shutil.which("node")
        installed = (NODE_PACKAGES / "lighthouse").exists()
        wanted["the npm package lighthouse is not installed (make check-site installs it)"] = installed
    return [complaint for complaint, found in wanted.items() if not found]


@contextmanager
def launch() -> Iterator["Browser"]:  # noqa: F821 (playwright is optional)
    """A headless browser while the block runs."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
