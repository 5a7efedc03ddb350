"""Links to the repository: source, edit, issue, Binder and Colab, in a build that knows its address.

``BOOK_REPOSITORY`` is the address on GitHub and ``BOOK_BRANCH`` the branch; the workflow that
publishes the site sets both. Without them the site links to no repository at all.
"""

import html
import os
import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+")
BRANCH = re.compile(r"[\w./-]+")


def repository() -> tuple[str, str] | None:
    """Address and branch from the environment, or None; ValueError if they cannot be such."""
    address, branch = os.environ.get("BOOK_REPOSITORY", "").rstrip("/"), os.environ.get("BOOK_BRANCH") or "main"
    if not address:
        return None
    if not ADDRESS.fullmatch(address):
        raise ValueError(f"BOOK_REPOSITORY is {address!r}; expected https://github.com/OWNER/NAME")
    if not BRANCH.fullmatch(branch):
        raise ValueError(f"BOOK_BRANCH is {branch!r}; expected the name of a branch")
    return address, branch


def packages_of_a_chapter(pyproject: str) -> list[str]:
    """What a chapter imports besides the library: Colab brings a kernel of its own."""
    project = tomllib.loads(pyproject)["project"]
    entries = project["dependencies"] + project["optional-dependencies"]["chapters"]
    return [name for name in (re.match(r"[\w-]+", entry)[0] for entry in entries) if name != "ipykernel"]


def colab_cell(address: str, branch: str, pyproject: str) -> str:
    """A first cell for Colab: the library, and the chapter's packages in the versions of the lock."""
    lock = f"https://raw.githubusercontent.com{urlsplit(address).path}/{branch}/requirements.txt"
    packages = " ".join(packages_of_a_chapter(pyproject))
    return f'%pip install --quiet --constraint {lock} {packages} "infonce-theory @ git+{address}@{branch}"'


def how_to_launch(address: str, branch: str) -> str:
    """What a reader must know before using the launch buttons, as a fold below the title."""
    cell = html.escape(colab_cell(address, branch, (ROOT / "pyproject.toml").read_text("utf-8")))
    return (
        '<details class="fold"><summary>Run this chapter in the cloud</summary><div class="content">'
        "<p>The rocket above leads to two services. Binder builds the environment from the book’s lock; "
        "its first start takes minutes. Colab starts with packages of its own, in other versions and "
        "without the book’s library. There, run this as a first cell, then restart the session:</p>"
        f'<div class="highlight"><pre tabindex="0">{cell}</pre></div>'
        "<p>Colab’s Python may be another than the one that computed the outputs shown here.</p></div></details>"
    )


def fill_in(app, config) -> None:
    """Turn on the theme's buttons if the address is known."""
    found = repository()
    config.book_repository = list(found or ())
    if found:
        address, branch = found
        config.html_theme_options = config.html_theme_options | {
            "repository_url": address,
            "repository_branch": branch,
            "use_repository_button": True,
            "use_edit_page_button": True,
            "use_issues_button": True,
            "launch_buttons": {
                "binderhub_url": "https://mybinder.org",
                "colab_url": "https://colab.research.google.com",
                "notebook_interface": "jupyterlab",
            },
        }


def add_launch_notes(app, pagename, templatename, context, doctree) -> None:
    if app.config.book_repository and pagename in app.env.metadata and "kernelspec" in app.env.metadata[pagename]:
        context["body"] = context["body"].replace("</h1>", "</h1>" + how_to_launch(*app.config.book_repository), 1)


def setup(app) -> dict[str, bool]:
    # In the configuration, so that a build with another address writes every page again.
    app.add_config_value("book_repository", [], "html", types=[list])
    app.connect("config-inited", fill_in, priority=100)
    app.connect("html-page-context", add_launch_notes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
