"""The search of the built site, run as a browser runs it: the theme's own script on the built index."""

import json
import re
from pathlib import Path

import quickjs

BROWSER = """
const document = { getElementById: () => null, addEventListener: () => {}, documentElement: { dataset: {} } };
const window = {}, DOCUMENTATION_OPTIONS = {}, SPHINX_HIGHLIGHT_ENABLED = false;
const _ = (text) => text, _ready = () => {}, location = { search: "" };
class URLSearchParams {
  constructor(text) { this.text = text; }
  get() { return this.text; }
}
"""


class SearchEngine:
    """Answers queries from the index of the site in a folder."""

    def __init__(self, site: Path) -> None:
        self.context = quickjs.Context()
        for script in (BROWSER, *((site / name).read_text("utf-8") for name in ("_static/language_data.js", "_static/searchtools.js", "searchindex.js"))):
            # Declarations of one script are not seen by the next one unless they are global.
            self.context.eval(re.sub(r"^(const|let|class) (\w+)", lambda m: f"globalThis.{m[2]} = class" if m[1] == "class" else f"var {m[2]}", script, flags=re.M))
        self.context.eval(
            "const results = (query) => { location.search = query;"
            " return JSON.stringify(Search._performSearch(...Search._parseQuery(query)).reverse()) }"
        )

    def find(self, query: str) -> list[tuple[str, str]]:
        """Page with anchor and title of each result, best first."""
        return [(page + anchor, title) for page, title, anchor, *_ in json.loads(self.context.eval(f"results({json.dumps(query)})"))]
