"""Check the built site with real tools: Chromium, axe-core and Lighthouse. `make check-site` runs this.

The site is served gzipped from this machine; every other name stays unresolved. Each page is read
at two widths, in two modes, without scripts, from a file, with the keyboard alone and on paper.
Prints a line of figures for each page and every complaint; exits with 1 if there is one.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from browser.chromium import ROOT, launch, missing_tools
from browser.serving import serve, transfer_size

COLUMNS = {
    "kB": "{:.0f}", "files": "{:.0f}", "axe": "{:.0f}", "shift": "{:.4f}", "sheets": "{:.0f}",
    "quality": "{:.0f}", "mobile": "{:.0f}", "desktop": "{:.0f}",
}  # fmt: skip
#: Figures of which the smallest is the worst.
HIGHER_IS_BETTER = ("quality", "mobile", "desktop")


@dataclass
class Report:
    """Figures and complaints of one page."""

    page: str
    figures: dict[str, float] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)


def pages_of(site: Path) -> list[str]:
    """Every page of the site but those that only lead to another one."""
    paths = sorted(site.rglob("*.html"))
    return [path.relative_to(site).as_posix() for path in paths if 'http-equiv="refresh"' not in path.read_text("utf-8").lower()]


def weigh(requests: set[str], address: str, site: Path, figures: dict[str, float]) -> None:
    paths = {site / request.removeprefix(address).split("?")[0].split("#")[0].lstrip("/") for request in requests}
    sizes = [transfer_size(path) for path in paths if path.is_file()]
    figures |= {"kB": sum(sizes) / 1000, "files": len(sizes)}


def read(browser: "Browser", site: Path, address: str, name: str) -> Report:  # noqa: F821 (playwright is optional)
    """All checks of one page that need a browser of ours."""
    from browser import keyboard, looks, opening, printing, reading

    report, url = Report(name), f"{address}/{name}"
    for width in opening.WIDTHS:
        for mode in opening.MODES:
            with opening.opened(browser, url, width, mode) as visit:
                found = looks.look(visit, report.figures, mode == "dark")
                report.complaints += [f"{width} px, {mode}: {text}" for text in found]
                if (width, mode) == (1280, "light"):
                    weigh(visit.requests, address, site, report.figures)
        found = keyboard.use_keyboard(browser, url, width) + reading.without_scripts(browser, url, width)
        report.complaints += [f"{width} px, {text}" for text in found]
    report.complaints += reading.from_a_file(browser, (site / name).as_uri())
    report.complaints += printing.print_page(browser, url, report.figures)
    if name == "search.html":
        for place in (url, (site / name).as_uri()):
            report.complaints += reading.search_finds(browser, place, "kernel")
    return report


def tell(report: Report, told: int = 0) -> None:
    """Show the complaints about one page, but for those told before, at once: the whole check takes minutes."""
    for complaint in dict.fromkeys(report.complaints[told:]):
        print(f"{report.page}: {complaint}", flush=True)


def audit(address: str, report: Report, speed: bool) -> Report:
    """Lighthouse on both forms of device."""
    from browser import lighthouse

    for form in lighthouse.FORMS:
        live = Path(report.page).stem == "explorer"
        report.complaints += lighthouse.judge(f"{address}/{report.page}", form, report.figures, speed, live)
    return report


def read_and_audit(site: Path, address: str, name: str, audited: bool) -> Report:
    with launch() as browser:
        report = read(browser, site, address, name)
    if audited:
        audit(address, report, speed=False)
    tell(report)
    return report


def line(name: str, figures: dict[str, float], width: int) -> str:
    cells = [COLUMNS[key].format(figures[key]) if key in figures else "" for key in COLUMNS]
    return f"{name:{width}}" + "".join(f"{cell:>9}" for cell in cells)


def table(reports: list[Report], site: Path) -> str:
    """A line for each page, then the worst page of each column and the weight of the whole site."""
    width = max(len(report.page) for report in reports) + 1
    rows = [f"{'page':{width}}" + "".join(f"{key:>9}" for key in COLUMNS)]
    rows += [line(report.page, report.figures, width) for report in reports]
    for key in COLUMNS:
        found = [report for report in reports if key in report.figures]
        if found:
            worst = (min if key in HIGHER_IS_BETTER else max)(found, key=lambda report: report.figures[key])
            rows.append(f"worst {key}: {COLUMNS[key].format(worst.figures[key])}, {worst.page}")
    files = [path for path in site.rglob("*") if path.is_file()]
    raw, sent = sum(path.stat().st_size for path in files), sum(map(transfer_size, files))
    return "\n".join([*rows, f"whole site: {len(files)} files, {raw / 1e6:.1f} MB, {sent / 1e6:.1f} MB as served"])


def check(site: Path, names: list[str], audited: bool, speed: bool) -> list[Report]:
    """Reports of the named pages; speed is measured last, one page at a time."""
    with serve(site) as address:
        with ProcessPoolExecutor(max_workers=2) as pool:
            # Heavy pages first, so that no worker is left with one at the end.
            order = sorted(names, key=lambda name: -(site / name).stat().st_size)
            jobs = [pool.submit(read_and_audit, site, address, name, audited and not speed) for name in order]
            reports = [job.result() for job in as_completed(jobs)]
        if audited and speed:
            for report in reports:
                told = len(report.complaints)
                tell(audit(address, report, speed=True), told)
    return sorted(reports, key=lambda report: report.page)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=ROOT / "_build/html", help="the built site")
    parser.add_argument("--only", nargs="+", metavar="PAGE", help="check these pages only, e.g. book/claims.html")
    parser.add_argument("--no-speed", action="store_true", help="leave out Lighthouse's performance, which other work on the machine disturbs")
    parser.add_argument("--no-lighthouse", action="store_true", help="leave out Lighthouse")
    options = parser.parse_args()
    missing = missing_tools(lighthouse=not options.no_lighthouse)
    site = options.site.resolve()
    if not (site / "index.html").exists():
        missing.append(f"there is no site in {site}; run: make book")
    names = pages_of(site)
    missing += [f"there is no page {name} in {site}" for name in options.only or () if name not in names]
    if missing:
        print("Cannot check the site:", *missing, sep="\n  ", file=sys.stderr)
        return 2
    reports = check(site, options.only or names, not options.no_lighthouse, not options.no_speed)
    print(table(reports, site))
    count = sum(len(report.complaints) for report in reports)
    print(f"{len(reports)} pages, {count} complaints")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
