"""What a reader sees at one width and in one mode: axe-core, overflow, layout shift, figures, formulas."""

from functools import lru_cache

from playwright.sync_api import Page

from browser.chromium import NODE_PACKAGES
from browser.opening import FLATTEN_FORMULAS, OPEN_FOLDS, Visit

SHIFT_LIMIT = 0.02

RUN_AXE = """async () => {
  const result = await axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } });
  return result.violations.map((found) => [found.id, found.nodes.length, found.nodes[0].html.slice(0, 120)]);
}"""

SCROLL_THROUGH = """async () => {
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
  scrollTo(0, 0);
}"""

#: Elements that stick out to the right, though no box around them scrolls or hides what sticks out.
STICKING_OUT = """() => {
  const edge = document.documentElement.clientWidth + 1;
  const held = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  const out = [...document.querySelectorAll("main *")].filter((element) =>
    element.getBoundingClientRect().right > edge && element.checkVisibility({ visibilityProperty: true }) && !element.closest(".katex-mathml") && !held(element));
  const wide = document.documentElement.scrollWidth - innerWidth;
  return (wide > 0 ? [`the page is ${wide} px too wide`] : []).concat(
    out.slice(0, 3).map((element) => `sticks out to the right: ${element.outerHTML.slice(0, 100)}`));
}"""

#: Formulas that a screen reader or an eye would miss.
SILENT_FORMULAS = """() => {
  const shown = [...document.querySelectorAll(".katex")].filter((formula) => formula.checkVisibility());
  const silent = shown.filter((formula) => !formula.querySelector("math")?.textContent.trim());
  const unseen = shown.filter((formula) => !formula.querySelector(".katex-html")?.getBoundingClientRect().width);
  const raw = [...document.querySelectorAll(".math")].filter((box) => !box.querySelector("math"));
  return [[silent, "formulas without MathML"], [unseen, "formulas that nobody sees"], [raw, "formulas not rendered"]]
    .filter(([found]) => found.length).map(([found, what]) => `${found.length} ${what}: ${found[0].textContent.slice(0, 60)}`);
}"""

#: A picture with dark strokes needs a light card; words in a drawing need contrast with what is behind them.
DIM_FIGURES = """() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let box = element; box; box = box.parentElement) {
      const colour = channels(getComputedStyle(box).backgroundColor);
      if ((colour[3] ?? 1) > 0.5) return light(colour);
    }
    return 1;
  };
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0;
  const pictures = [...document.querySelectorAll("article img")].filter((image) => shown(image) && behind(image) < 0.5);
  const words = [...document.querySelectorAll("article svg text")].filter((text) => shown(text)
    && contrast(light(channels(getComputedStyle(text).fill)), behind(text.ownerSVGElement)) < 4.5);
  return pictures.map((image) => `figure on a dark ground: ${image.getAttribute("src")}`)
    .concat(words.slice(0, 3).map((text) => `faint words in a drawing: ${text.textContent}`));
}"""


@lru_cache(maxsize=1)
def axe_source() -> str:
    return (NODE_PACKAGES / "axe-core/axe.min.js").read_text("utf-8")


def axe_violations(page: Page) -> list[str]:
    """Violations of axe's rules, folds open; changes the page."""
    page.evaluate(OPEN_FOLDS)
    page.evaluate(FLATTEN_FORMULAS, "")
    page.evaluate(axe_source())
    found = page.evaluate(RUN_AXE)
    return [f"axe: {rule} ({count}): {example}" for rule, count, example in found]


def layout_shift(page: Page) -> float:
    """Sum of all shifts while the page loads and a reader scrolls to its end."""
    page.evaluate(SCROLL_THROUGH)
    page.wait_for_timeout(100)
    return page.evaluate("window.layoutShift")


def look(visit: Visit, figures: dict[str, float], dark: bool) -> list[str]:
    """All complaints about one view of the page; `figures` gets the worst shift and the count of axe's rules broken."""
    page = visit.page
    shift = layout_shift(page)
    figures["shift"] = max(figures.get("shift", 0), shift)
    found = [f"layout shift {shift:.3f}"] if shift > SHIFT_LIMIT else []
    found += page.evaluate(STICKING_OUT) + page.evaluate(SILENT_FORMULAS)
    page.evaluate(OPEN_FOLDS)
    found += page.evaluate(STICKING_OUT) + page.evaluate(SILENT_FORMULAS)
    found += page.evaluate(DIM_FIGURES) if dark else []
    broken = axe_violations(page)
    figures["axe"] = figures.get("axe", 0) + len(broken)
    return list(dict.fromkeys(found)) + broken + visit.complaints
