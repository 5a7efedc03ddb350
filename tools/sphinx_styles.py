"""One style sheet for all pages: those of the theme and its extensions, without the rules that no page uses.

A browser draws nothing before it has all styles. The theme brings 400 KB of them in ten files, of
which a tenth applies to anything here. A rule stays if some page or script names each of the
classes and ids in its selector.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath

#: The joined style sheet, and what the theme loads before all others.
JOINED = "site.css"
FIRST = ("basic.css", "styles/pydata-sphinx-theme.css")
LINK = re.compile(r'\s*<link\b[^>]*\brel="stylesheet"[^>]*>')
TOKEN = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]|[^{};"'/]+|/""", re.S)


def blocks(style: str) -> Iterator[tuple[str, str | None]]:
    """Each rule of a style sheet as its head and its body; a statement such as ``@import`` has none."""
    head, body, depth = "", "", 0
    for token in TOKEN.findall(style):
        if token.startswith("/*"):
            continue
        closes = token == "}" and depth == 1
        depth += (token == "{") - (token == "}")
        if closes or (token == ";" and depth == 0):
            yield head.strip(), body if closes else None
            head = body = ""
        elif depth == 0:
            head += token
        elif not (token == "{" and depth == 1):
            body += token


def is_used(selector: str, names: set[str]) -> bool:
    """Whether pages or scripts know all classes and ids that `selector` asks for."""
    asked = re.sub(r"\[[^\]]*\]", "", re.sub(r":not\((?:[^()]|\([^()]*\))*\)", "", selector))
    if re.search(r":(?:is|where|has)\(", asked):  # alternatives: too subtle to judge
        return True
    return all(name.replace("\\", "") in names for name in re.findall(r"[.#](-?(?:[A-Za-z_]|\\.)(?:[\w-]|\\.)*)", asked))


def parts(selectors: str) -> list[str]:
    """A list of selectors, split at the commas outside of brackets."""
    return re.findall(r"(?:[^,()\[\]]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[[^\]]*\])+", selectors)


def trim(style: str, names: set[str]) -> str:
    """The style sheet without its unused rules."""
    kept = []
    for head, body in blocks(style):
        if body is None:
            kept += [] if head.startswith(("@charset", "@import")) else [f"{head};"]
        elif head.startswith(("@media", "@supports", "@layer", "@container")):
            inner = trim(body, names)
            kept += [f"{head}{{{inner}}}"] if inner else []
        elif head.startswith("@"):
            kept.append(f"{head}{{{body.strip()}}}")
        else:
            used = [part.strip() for part in parts(head) if is_used(part, names)]
            kept += [f"{','.join(used)}{{{body.strip()}}}"] if used else []
    return "\n".join(kept)


def rebase(style: str, folder: str) -> str:
    """Addresses of a style sheet in `folder` of ``_static`` as ones from ``_static`` itself."""

    def moved(match: re.Match) -> str:
        quote, address = match[1], match[2]
        if address.startswith(("data:", "#", "/")) or "://" in address:
            return match[0]
        path, mark, rest = address.partition("?") if "?" in address else address.partition("#")
        return f"url({quote}{normpath(f'{folder}/{path}')}{mark}{rest}{quote})"

    return re.sub(r"""url\(\s*(["']?)([^"')]+)\1\s*\)""", moved, style)


def names_in(site: Path) -> set[str]:
    """Every class and id of the pages, and every word of the scripts, which may set one."""
    names: set[str] = set()
    for page in site.rglob("*.html"):
        for value in set(re.findall(r'\s(?:class|id)="([^"]*)"', page.read_text("utf-8"))):
            names.update(value.split())
    for script in site.rglob("*.js"):
        if script.name != "searchindex.js":
            names.update(re.findall(r"[A-Za-z_][\w-]*", script.read_text("utf-8")))
    return names


def sheets(app) -> list[str]:
    """The style sheets that every page loads, in their order, as paths below ``_static``."""
    # While a page is written, the builder's own list holds the sheets of that page, too.
    found = getattr(app.builder, "_orig_css_files", app.builder._css_files)
    names = [str(sheet.filename).split("?")[0] for sheet in found]
    local = [name.removeprefix("_static/") for name in names if "://" not in name]
    return [*FIRST, *(name for name in local if name not in FIRST)]


def use_one_sheet(app, pagename, templatename, context, doctree) -> None:
    """Let the template put one link in the place of those to the joined sheets."""
    joined = {*sheets(app), "styles/theme.css"}

    def join_styles(markup: str) -> str:
        def is_joined(link: str) -> bool:
            address = re.search(r'href="[^"]*?_static/([^"?]*)', link)
            return bool(address) and address[1] in joined

        rest = LINK.sub(lambda link: "" if is_joined(link[0]) else link[0], markup)
        return f'<link rel="stylesheet" href="{context["pathto"](f"_static/{JOINED}", resource=True)}" />{rest}'

    context["join_styles"] = join_styles


def write_one_sheet(app, exception) -> None:
    site = Path(app.outdir)
    static, target = site / "_static", site / "_static" / JOINED
    if exception or app.builder.format != "html":
        return
    newest = max(path.stat().st_mtime for path in [*site.rglob("*.html"), *static.rglob("*.css")] if path != target)
    if target.exists() and target.stat().st_mtime > newest:
        return
    names = names_in(site)
    found = [(name, static / name) for name in sheets(app) if (static / name).is_file()]
    joined = (trim(rebase(path.read_text("utf-8"), str(Path(name).parent)), names) for name, path in found)
    target.write_text("\n".join(joined) + "\n", "utf-8")


def setup(app) -> dict[str, bool]:
    app.connect("html-page-context", use_one_sheet, priority=900)
    app.connect("build-finished", write_one_sheet, priority=900)  # after the theme has written its colours of code
    return {"parallel_read_safe": True, "parallel_write_safe": True}
