"""Settings of `make lab`: the macros of the book in JupyterLab, without a copy in every notebook.

jupyterlab-myst takes macros from the front matter of a notebook's first Markdown cell. Here the
table `math_macros` of _config.yml is put there when a chapter is opened and taken away when it is
saved, so that the files stay as they are.
"""

from pathlib import Path

import yaml

CONFIG = Path(__file__).resolve().parents[1] / "_config.yml"
MACROS = yaml.safe_load(CONFIG.read_text("utf-8"))["sphinx"]["config"]["math_macros"]
FRONT_MATTER = "---\n" + yaml.safe_dump({"math": MACROS}, sort_keys=False, width=1000) + "---\n\n"


def add_macros(notebook: dict) -> None:
    """Put the front matter into the first Markdown cell."""
    first = next((cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"), None)
    if first and not first["source"].startswith("---\n"):
        first["source"] = FRONT_MATTER + first["source"]


def remove_macros(notebook: dict) -> None:
    """Undo add_macros."""
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].removeprefix(FRONT_MATTER)


def configure(settings) -> None:
    """Fill in the settings of the server that reads this file."""
    from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

    class ChapterManager(AsyncLargeFileManager):
        async def get(self, path, content=True, **options):
            model = await super().get(path, content, **options)
            if content and model["type"] == "notebook":
                add_macros(model["content"])
            return model

        async def save(self, model, path=""):
            if model.get("type") == "notebook" and model.get("content"):
                remove_macros(model["content"])
            return await super().save(model, path)

    settings.ServerApp.contents_manager_class = ChapterManager


if "get_config" in globals():  # the server reads this file; the tests import it
    configure(get_config())  # noqa: F821
