"""The checks of `make check-site` go red on planted defects, in a real browser.

They need Chromium and the tools that `make check-site` installs, and are skipped elsewhere.
"""

import pytest
from browser.chromium import NODE_PACKAGES, launch, missing_tools
from browser.serving import serve

MISSING = missing_tools(lighthouse=False)
pytestmark = pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING))

FORMULA = (
    '<span class="math"><span class="katex"><span class="katex-mathml"><math><mi>x</mi></math></span>'
    '<span class="katex-html" aria-hidden="true">x</span></span></span>'
)
STYLE = """
.katex-mathml { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
.wide { overflow-x: auto; } .wide > p { width: 3000px; }
#pst-skip-link a:not(:focus) { position: absolute; left: -999px; }
@media print {
  nav, #pst-skip-link, button { display: none; } details::details-content { content-visibility: visible; block-size: auto; }
  .wide { overflow: visible; } .wide > p { width: auto; }
}
"""
SOUND = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A sound page</title><meta name="viewport" content="width=device-width">
<meta name="description" content="A page without any of the faults."><link rel="icon" href="data:,"><style>{STYLE}</style></head>
<body><div id="pst-skip-link"><a href="#main-content">Skip to the text</a></div>
<nav aria-label="Book"><a href="#main-content">The first chapter</a></nav>
<main id="main-content"><article><h1>A sound page</h1><p>Let {FORMULA} be a number that everybody can read.</p>
<p><a href="#end">To the end</a></p><details><summary>Proof</summary><p>Words that are folded away until the reader opens them.</p></details>
<div class="wide" tabindex="0"><p>A box that scrolls.</p></div><p id="end">END</p></article></main></body></html>
"""
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@pytest.fixture(scope="module")
def browser():
    with launch() as started:
        yield started


@pytest.fixture
def complaints(tmp_path, browser):
    """Complaints of one kind of check about a page."""
    from browser import keyboard, looks, opening, printing, reading

    def look(url, mode):
        with opening.opened(browser, url, 390, mode) as visit:
            return looks.look(visit, {}, mode == "dark")

    def check(kind, html):
        path = tmp_path / "page.html"
        path.write_text(html, "utf-8")
        with serve(tmp_path) as address:
            url = f"{address}/page.html"
            checks = {
                "light": lambda: look(url, "light"),
                "dark": lambda: look(url, "dark"),
                "plain": lambda: reading.without_scripts(browser, url, 390),
                "keys": lambda: keyboard.use_keyboard(browser, url, 1280),
                "file": lambda: reading.from_a_file(browser, path.as_uri()),
                "paper": lambda: printing.print_page(browser, url, {}),
            }
            return "\n".join(checks[kind]())

    return check


@pytest.mark.parametrize("kind", ["light", "dark", "plain", "keys", "file", "paper"])
def test_a_sound_page_passes(complaints, kind):
    assert complaints(kind, SOUND) == ""


LATE = (
    "<p id='late' style='height: 300px' hidden>late</p><script>document.querySelector('h1').before(late);"
    "new PerformanceObserver(() => (late.hidden = false)).observe({ type: 'paint', buffered: true })</script>"
)
TRAP = "<input aria-label='words' onkeydown=\"if (event.key === 'Tab') event.preventDefault()\">"
UNSEEN_FOCUS = "<style>a.dull:focus { outline: none; }</style><a class='dull' href='#end'>dull link</a>"
SCRIPTED = "<p id='written'></p><script>document.getElementById('written').textContent = 'Only a script writes this.'</script>"
DARK_WORDS = "<svg role='img' aria-label='a drawing' width='90' height='30'><text y='20' fill='#555'>faint</text></svg>"
DARK_GROUND = "<style>body { background: #111; color: #eee } a { color: #9cf }</style>"
BROKEN_FONT = "<style>@font-face { font-family: F; src: url(gone.woff2) }</style><p style='font-family: F'>a</p>"
FOLDED_ON_PAPER = "<style>@media print { details::details-content { content-visibility: hidden !important } }</style>"
SMALL_BUTTON = "<button style='width: 9px; height: 9px; padding: 0' aria-label='press'></button>"
PLANTED = [
    ("light", "axe: image-alt", f"<img src='{PIXEL}'>"),
    ("light", "axe: color-contrast", "<p style='color: #999; background: #fff'>faint words</p>"),
    ("light", "axe: target-size", SMALL_BUTTON * 2),
    ("light", "asks for https://elsewhere.example/a.png", "<img alt='a picture' src='https://elsewhere.example/a.png'>"),
    ("light", "404 for", "<img alt='a picture' src='gone.png'>"),
    ("light", "script error", "<script>undefinedFunction()</script>"),
    ("light", "console: trouble", "<script>console.error('trouble')</script>"),
    ("light", "px too wide", "<div style='width: 2000px'>wide</div>"),
    ("light", "sticks out", "<style>body { overflow-x: clip }</style><div style='width: 2000px'>wide</div>"),
    ("light", "layout shift", LATE),
    ("light", "formulas without MathML", FORMULA.replace("<mi>x</mi>", "")),
    ("light", "formulas not rendered", "<span class='math'>x^2</span>"),
    ("light", "formulas that nobody sees", FORMULA.replace('aria-hidden="true"', 'style="display: none"')),
    ("dark", "figure on a dark ground", DARK_GROUND + f"<img alt='a picture' width='50' height='50' src='{PIXEL}'>"),
    ("dark", "faint words in a drawing", DARK_GROUND + DARK_WORDS),
    ("keys", "the keyboard does not reach", TRAP + "<a href='#end'>after the trap</a>"),
    ("keys", "the focus does not show", UNSEEN_FOCUS),
    ("keys", "scroll boxes cannot have the focus", "<div style='overflow-x: scroll; width: 200px'><p style='width: 500px'>a</p></div>"),
    ("keys", "the arrow key does not move a scroll box", "<script>onkeydown = (event) => event.key === 'ArrowRight' && event.preventDefault()</script>"),
    ("plain", "without scripts 1 texts do not show", SCRIPTED),
    ("plain", "without scripts 1 texts do not show: x", f"<div id='m' hidden>{FORMULA}</div><script>m.hidden = false</script>"),
    ("file", "from a file: cannot load the font", BROKEN_FONT),
    ("paper", "boxes are cut", "<div style='overflow: hidden; width: 200px'><p style='width: 500px'>a</p></div>"),
    ("paper", "parts of the navigation are printed", "<style>nav { display: block !important }</style>"),
    ("paper", "folds are printed closed", FOLDED_ON_PAPER),
]


@pytest.mark.parametrize(("kind", "complaint", "defect"), PLANTED, ids=[complaint for _, complaint, _ in PLANTED])
def test_a_planted_defect_is_found(complaints, kind, complaint, defect):
    assert complaint in complaints(kind, SOUND.replace("</article>", defect + "</article>"))


AT_ONE_WIDTH = {
    "390 px, keyboard: the focus does not show": "<style>@media (width < 600px) { a.dull:focus { outline: none } }</style>"
    "<a class='dull' href='#end'>dull on phones</a>",
    "1280 px, without scripts 1 texts do not show": "<style>@media (width < 600px) { #written { display: none } }</style>" + SCRIPTED,
    "1280 px, dark: axe: list": "<style>ul.dark { display: none } @media (prefers-color-scheme: dark) and (width > 600px)"
    "{ ul.dark { display: block } }</style><ul class='dark'><p>no item</p></ul>",
}


def test_a_page_is_read_at_all_widths_and_in_both_modes(tmp_path, browser):
    from check_site import read

    (tmp_path / "page.html").write_text(SOUND.replace("</article>", "".join(AT_ONE_WIDTH.values()) + "</article>"), "utf-8")
    with serve(tmp_path) as address:
        found = read(browser, tmp_path, address, "page.html").complaints
    missed = [complaint for complaint in AT_ONE_WIDTH if not any(text.startswith(complaint) for text in found)]
    assert not missed, found


def test_a_page_without_a_way_past_the_navigation_is_found(complaints):
    assert "first stop is no link that skips" in complaints("keys", SOUND.replace('<div id="pst-skip-link">', "<div>"))


def test_words_missing_on_paper_are_found():
    from browser.printing import is_printed, letters

    paper = letters("one two three. four, five six")
    assert is_printed("one two three", paper) and is_printed("two five six", paper)
    assert not is_printed("one two seven", paper)


@pytest.mark.skipif(not (NODE_PACKAGES / "lighthouse").exists(), reason="the npm package lighthouse is not installed")
def test_lighthouse_finds_a_page_without_title(tmp_path):
    from browser import lighthouse

    (tmp_path / "page.html").write_text(SOUND.replace("<title>A sound page</title>", ""), "utf-8")
    with serve(tmp_path) as address:
        found = lighthouse.judge(f"{address}/page.html", "mobile", {}, speed=False, live=False)
    assert any("accessibility" in text and "document-title" in text for text in found)
