"""Checks of the built pages. Each takes pages and returns a list of complaints."""

import gzip
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

#: Bytes that a chapter may transfer, figures apart.
WEIGHT_LIMIT = 400_000

#: KaTeX's fonts, by a class that calls for them.
MATH_FONTS = {
    "mathbb": "AMS-Regular",
    "amsrm": "AMS-Regular",
    "mathnormal": "Math-Italic",
    "mathcal": "Caligraphic-Regular",
    "mathbf": "Main-Bold",
    "mathit": "Main-Italic",
    "mathsf": "SansSerif-Regular",
    "mathtt": "Typewriter-Regular",
    "small-op": "Size1-Regular",
    "large-op": "Size2-Regular",
    "size1": "Size1-Regular",
    "size2": "Size2-Regular",
    "size3": "Size3-Regular",
    "size4": "Size4-Regular",
}


def without_formulas(html: str) -> str:
    """The page without what KaTeX made: most of its tags, none of which name a file or an anchor."""
    kept, start, depth = [], 0, 0
    for tag in re.finditer(r'<span class="katex">|<span\b|</span>', html):
        if not depth:
            if tag[0] != '<span class="katex">':
                continue
            kept.append(html[start : tag.start()])
        depth += -1 if tag[0] == "</span>" else 1
        if not depth:
            start = tag.end()
    return "".join([*kept, html[start:]])


@dataclass(frozen=True)
class Page:
    """One built page: its path and its HTML."""

    path: Path
    site: Path

    @cached_property
    def html(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def soup(self) -> BeautifulSoup:
        return BeautifulSoup(without_formulas(self.html), "html.parser")

    @cached_property
    def article(self) -> Tag:
        return self.soup.find("article") or self.soup

    @cached_property
    def ids(self) -> list[str]:
        return re.findall(r'<[^>]*?\sid="([^"]+)"', self.html)

    @cached_property
    def places(self) -> dict[str, Tag]:
        """The elements of the article that have a name."""
        return {tag["id"]: tag for tag in self.article.find_all(id=True)}

    def target(self, address: str) -> tuple[Path, str]:
        """File and fragment that a relative address of this page leads to."""
        parts = urlsplit(address)
        path = (self.path.parent / unquote(parts.path)).resolve() if parts.path else self.path
        return path, unquote(parts.fragment)


def read_site(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path.resolve(), site) for path in sorted(site.rglob("*.html"))}


def is_external(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https", "ftp", "ws", "wss")


def resources(page: Page) -> list[str]:
    """Addresses that a browser fetches by itself."""
    found = [tag["href"] for tag in page.soup.find_all("link", href=True)]
    found += [tag[name] for name in ("src", "data", "poster") for tag in page.soup.find_all(attrs={name: True})]
    found += [part.split()[0] for tag in page.soup.find_all(srcset=True) for part in tag["srcset"].split(",")]
    styles = [tag.get_text() for tag in page.soup.find_all("style")]
    styles += re.findall(r'\sstyle="([^"]*)"', page.html)
    return found + [address for style in styles for address in style_resources(style)]


def style_resources(style: str) -> list[str]:
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.S)
    urls = re.findall(r"""url\(\s*["']?([^"')]+)""", style)
    return urls + re.findall(r"""@import\s+["']([^"']+)""", style)


def external_requests(page: Page) -> list[str]:
    return [address for address in resources(page) if is_external(address)]


def scripts_that_fetch(page: Page) -> list[str]:
    """Inline scripts that name another server."""
    scripts = [tag.get_text() for tag in page.soup.find_all("script", src=False)]
    return [script for script in scripts if re.search(r"""["'](https?:)?//\w""", script)]


def missing_resources(page: Page) -> list[str]:
    local = [address for address in resources(page) if not is_external(address) and not address.startswith("data:")]
    return [address for address in local if not page.target(address)[0].is_file()]


def broken_links(page: Page, pages: dict[Path, Page]) -> list[str]:
    found = []
    for tag in page.soup.find_all("a", href=True):
        address = tag["href"]
        if urlsplit(address).scheme or address in ("", "#"):
            continue
        path, fragment = page.target(address)
        known = pages.get(path)
        if not path.is_file() or (known and fragment and fragment not in known.ids):
            found.append(address)
    return found


def repeated_ids(page: Page) -> list[str]:
    return sorted({name for name in page.ids if page.ids.count(name) > 1})


def failed_formulas(page: Page) -> list[str]:
    classes = ("katex-error", "formula-error", "MathJax")
    found = [name for name in classes if name in page.html]
    hidden = ("pre", "code", "script", "style", "annotation")
    texts = (text for text in page.article.find_all(string=re.compile(r"\$|\\\(|\\\[")))
    return found + [text[:60] for text in texts if not any(text.find_parent(name) for name in hidden)]


def images_without_description(page: Page) -> list[str]:
    images = page.article.find_all("img")
    return [image["src"] for image in images if " " not in image.get("alt", "") or "/" in image["alt"].split()[0]]


def open_folds(page: Page) -> list[str]:
    folds = page.article.find_all("details", class_=("proof", "solution"))
    loose = page.article.find_all("div", class_="solution")
    return [str(fold.get("id")) for fold in [*folds, *loose] if fold.name != "details" or fold.has_attr("open")]


def without_description(page: Page) -> list[str]:
    tags = page.soup.find_all("meta", attrs={"name": "description"})
    faults = [] if len(tags) == 1 and len(tags[0].get("content", "")) > 20 else [f"{len(tags)} descriptions"]
    return faults + ([] if page.soup.html.get("lang") == "en" else ["no language"])


def weight(page: Page) -> int:
    """Bytes that a first visit transfers with gzip: page, scripts, styles, fonts, not the figures."""
    files = {page.target(address)[0] for address in resources(page) if not is_external(address)}
    text = [path for path in files if path.suffix in (".css", ".js")]
    names = {"Main-Regular"} if 'class="katex"' in page.html else set()
    names |= {font for name, font in MATH_FONTS.items() if re.search(rf'class="[^"]*\b{name}\b', page.html)}
    static = page.site / "_static"
    fonts = [static / "katex/fonts" / f"KaTeX_{name}.woff2" for name in names] + [static / "icons/icons.woff"]
    return sum(len(gzip.compress(path.read_bytes())) for path in [page.path, *text]) + sum(
        path.stat().st_size for path in fonts
    )
