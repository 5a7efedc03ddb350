"""The printed page: folds open, nothing cut, no navigation, and every word in the PDF."""

import re
import unicodedata

import pypdfium2
from playwright.sync_api import Browser

from browser.opening import opened

#: An A4 page with Chromium's usual margins, in CSS pixels.
PAPER_WIDTH = 718

FAULTS = """() => {
  const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().height > 0;
  const navigation = "nav, .bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .prev-next-footer, "
    + "#pst-back-to-top, #pst-skip-link, .copybtn, .headerlink";
  const found = [];
  const add = (elements, what) => elements.length && found.push(`${elements.length} ${what}: ${elements[0].outerHTML.slice(0, 100)}`);
  add([...document.querySelectorAll(navigation)].filter(shown), "parts of the navigation are printed");
  add([...document.querySelectorAll("details > :not(summary)")].filter((part) => !shown(part)
    && part.textContent.trim() && part.parentElement.parentElement.checkVisibility()), "folds are printed closed");
  const edge = document.documentElement.clientWidth + 1;
  add([...document.querySelectorAll("main *")].filter((box) => shown(box) && !box.closest(".katex-mathml, .katex-html, svg")
    && ((getComputedStyle(box).overflowX !== "visible" && box.scrollWidth > box.clientWidth + 1)
      || box.getBoundingClientRect().right > edge)), "boxes are cut");
  return found;
}"""

#: Runs of plain words, each of which must be found in the PDF.
RUNS = """() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const box = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    if (text.length > 25 && !box.closest(".katex, script, style, noscript, button, svg") && box.checkVisibility()) found.push(text);
  }
  return found;
}"""


def letters(text: str) -> str:
    """Letters and digits only: line breaks, hyphens and ligatures differ between page and PDF."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text))


def is_printed(text: str, printed: str) -> bool:
    """Whether the words are there in order, or in two parts: the PDF may hold a broken line elsewhere."""
    words = text.split()
    halves = ((letters(" ".join(words[:cut])), letters(" ".join(words[cut:]))) for cut in range(len(words)))
    return any(first in printed and second in printed for first, second in halves)


def print_page(browser: Browser, address: str, figures: dict[str, float]) -> list[str]:
    """All complaints about the page on paper; `figures` gets the count of sheets."""
    with opened(browser, address) as visit:
        page = visit.page
        page.set_viewport_size({"width": PAPER_WIDTH, "height": 1000})
        page.emulate_media(media="print")
        found = page.evaluate(FAULTS)
        runs = page.evaluate(RUNS)
        document = pypdfium2.PdfDocument(page.pdf(format="A4"))
    figures["sheets"] = len(document)
    printed = letters("".join(sheet.get_textpage().get_text_bounded() for sheet in document))
    lost = [text for text in runs if not is_printed(text, printed)]
    if lost:
        found.append(f"{len(lost)} of {len(runs)} texts are not in the PDF: {lost[0][:80]}")
    return [f"print: {text}" for text in found]
