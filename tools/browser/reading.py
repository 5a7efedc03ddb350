"""Reading without scripts, and from a file without any network."""

from collections import Counter

from playwright.sync_api import Browser, Page, TimeoutError

from browser.opening import OPEN_FOLDS, opened

#: Every piece of text that shows, formulas among it, apart from what only scripts can show, such as controls and the
#: explorer's charts, whose numbers its page repeats as tables.
SHOWN_TEXT = """() => {
  const apart = "script, style, noscript, button, dialog, .pst-js-only, .explorer, .katex-mathml, #pst-skip-link";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const box = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (text && !box.closest(apart) && box.checkVisibility({ opacityProperty: true, visibilityProperty: true })) found.push(text);
  }
  return found;
}"""
CLOSED = "() => [...document.querySelectorAll('summary')].filter((s) => s.checkVisibility() && !s.parentElement.open)"
FAILED_FONTS = """async () => {
  await document.fonts.ready;
  return [...document.fonts].filter((font) => font.status === "error").map((font) => `cannot load the font ${font.family}`);
}"""


def open_folds_natively(page: Page) -> int:
    """Open fold after fold with the Enter key; return how many stay closed."""
    while closed := page.evaluate(f"({CLOSED})().length"):
        page.evaluate(f"({CLOSED})()[0].focus()")
        page.keyboard.press("Enter")
        if page.evaluate(f"({CLOSED})().length") >= closed and not page.evaluate("document.activeElement.parentElement.open"):
            return closed
    return 0


def without_scripts(browser: Browser, address: str, width: int) -> list[str]:
    """What a reader without JavaScript misses."""
    with opened(browser, address, width) as visit:
        visit.page.evaluate(OPEN_FOLDS)
        whole = visit.page.evaluate(SHOWN_TEXT)
    with opened(browser, address, width, java_script_enabled=False) as visit:
        closed = open_folds_natively(visit.page)
        found = [f"without scripts {closed} folds stay closed"] if closed else []
        lost = list((Counter(whole) - Counter(visit.page.evaluate(SHOWN_TEXT))).elements())
        found += [f"without scripts {len(lost)} texts do not show: {lost[0][:80]}"] if lost else []
        return found + visit.complaints


def from_a_file(browser: Browser, address: str) -> list[str]:
    """What goes wrong when the page is opened from the disk, with the network cut."""
    with opened(browser, address, offline=True) as visit:
        found = visit.page.evaluate(FAILED_FONTS)
        if not visit.page.evaluate("[...document.styleSheets].length"):
            found.append("no style sheet")
        return [f"from a file: {text}" for text in dict.fromkeys(found + visit.complaints)]


def search_finds(browser: Browser, address: str, words: str) -> list[str]:
    """Complain if the search page at `address` lists nothing for `words`."""
    with opened(browser, f"{address}?q={words}") as visit:
        try:
            visit.page.wait_for_selector("#search-results li a", timeout=10_000)
        except TimeoutError:
            visit.complaints.append(f"the search for {words!r} lists nothing")
        return visit.complaints
