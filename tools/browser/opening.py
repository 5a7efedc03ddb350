"""Open a page as one kind of reader does, and note what goes wrong while it loads."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

WIDTHS = {1280: 900, 390: 844}
MODES = ("light", "dark")

#: Add up the layout shifts of the page, from its first frame on.
COUNT_SHIFTS = """
window.layoutShift = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.layoutShift += entry.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
OPEN_FOLDS = "document.querySelectorAll('details').forEach((fold) => (fold.open = true))"
#: KaTeX's spans are hidden from assistive technology and share the colour of their box: as one text each they cost axe
#: a third of the time and the Tab key half of it, and their contrast is still checked. The argument names boxes to spare.
FLATTEN_FORMULAS = """(spared) => document.querySelectorAll(".katex-html").forEach((box) => {
  if (!spared || !box.closest(spared)) box.textContent = box.textContent;
})"""


@dataclass
class Visit:
    """A loaded page with what it asked for and what it complained of."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: set[str] = field(default_factory=set)


def watch(page: Page, address: str) -> Visit:
    """Note console errors, script errors, failed and external requests of `page` from now on."""
    visit = Visit(page)
    origin = urlsplit(address)[:2]

    def asked(request) -> None:
        if request.url.startswith(("data:", "blob:")):
            return
        if urlsplit(request.url)[:2] != origin:
            visit.complaints.append(f"asks for {request.url}")
        visit.requests.add(request.url)

    page.on("request", asked)
    page.on("requestfailed", lambda request: visit.complaints.append(f"cannot load {request.url}"))
    page.on("response", lambda answer: answer.status >= 400 and visit.complaints.append(f"{answer.status} for {answer.url}"))
    page.on("pageerror", lambda error: visit.complaints.append(f"script error: {error}"))
    page.on("console", lambda message: message.type == "error" and visit.complaints.append(f"console: {message.text}"))
    return visit


@contextmanager
def opened(browser: Browser, address: str, width: int = 1280, mode: str = "light", **options) -> Iterator[Visit]:
    """The page at `address` in a fresh profile; `options` are playwright's for a context."""
    context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, color_scheme=mode, **options)
    try:
        page = context.new_page()
        page.add_init_script(COUNT_SHIFTS)
        visit = watch(page, address)
        page.goto(address, wait_until="load")
        page.wait_for_timeout(150)  # what scripts do after the load event
        yield visit
    finally:
        context.close()
