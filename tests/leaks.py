"""Search files for what only lecturers may see: solutions, hidden checks, the listed answers.

A secret is a line of code, or a run of plain words of a solution in prose, that occurs nowhere in what
the reader is given anyway. So it is found in whatever cell, output, metadata or archive it hides,
even after Markdown has been converted or code highlighted.
"""

import base64
import binascii
import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from coursework import CODE_BLOCK, DIRECTIVE, Checks, Exercise, checks_path, read_checks, read_exercises, stub
from helpers import CHAPTERS, ROOT, read_chapter
from nbformat import NotebookNode

#: Shorter pieces are no secret: they occur by chance.
SHORTEST_CODE, SHORTEST_WORDS = 24, 32

WORDS = re.compile(r"[A-Za-z][A-Za-z ,;'’–-]+[A-Za-z]")
BASE64 = re.compile(r"[A-Za-z0-9+/\n]{40,}={0,2}")


def squeezed(text: str) -> str:
    return " ".join(text.split())


def code_lines(code: str) -> set[str]:
    return {squeezed(line) for line in code.splitlines() if len(squeezed(line)) >= SHORTEST_CODE}


def word_runs(prose: str) -> set[str]:
    without_code = CODE_BLOCK.sub(" ", prose)
    return {squeezed(run) for run in WORDS.findall(squeezed(without_code)) if len(squeezed(run)) >= SHORTEST_WORDS}


def secrets_of_checks(checks: dict[str, Checks]) -> set[str]:
    """Hidden checks and listed answers."""
    found: set[str] = set()
    for one in checks.values():
        for code in (one.hidden, *one.right.values(), *one.wrong.values()):
            found |= code_lines(code)
        found |= {reason for reason in (*one.right, *one.wrong) if len(reason) >= SHORTEST_CODE}
    return found


def secrets_of_solutions(exercises: list[Exercise]) -> set[str]:
    """Code and prose of the solutions."""
    found: set[str] = set()
    for exercise in exercises:
        found |= word_runs(exercise.solution)
        for code in CODE_BLOCK.findall(exercise.solution):
            found |= code_lines(code)
    return found


def given_to_students(chapter: NotebookNode, exercises: list[Exercise], checks: dict[str, Checks]) -> str:
    """What a student may read anyway: the chapter without solutions, the stubs, the visible checks, the library."""
    parts = [DIRECTIVE.sub(lambda match: "" if match[2] == "solution" else match[0], cell.source) for cell in chapter.cells]
    parts += [text for cell in chapter.cells for text in _strings(cell.metadata)]
    parts += [stub(exercise.answer) for exercise in exercises if exercise.answer] + [one.visible for one in checks.values()]
    parts += [path.read_text("utf-8") for path in sorted((ROOT / "lib").rglob("*.py"))]
    return squeezed("\n".join(parts))


def kept_from_students() -> list[str]:
    """Solutions, hidden checks and listed answers of all chapters, without what a student is given anyway."""
    secrets, given = set(), ""
    for chapter, exercises, checks in _chapters():
        secrets |= secrets_of_solutions(exercises) | secrets_of_checks(checks)
        given += given_to_students(chapter, exercises, checks) + "\n"
    return sorted(secret for secret in secrets if secret not in given)


def kept_from_the_site() -> list[str]:
    """Hidden checks and listed answers of all chapters, without what the chapters and the library contain."""
    secrets, given = set(), ""
    for chapter, exercises, checks in _chapters():
        secrets |= secrets_of_checks(checks)
        given += given_to_students(chapter, exercises, checks)
        given += squeezed("\n".join(exercise.solution for exercise in exercises)) + "\n"
    return sorted(secret for secret in secrets if secret not in given)


def _chapters() -> Iterator[tuple[NotebookNode, list[Exercise], dict[str, Checks]]]:
    for path in CHAPTERS:
        chapter, file = read_chapter(path), checks_path(path)
        checks = read_checks(file.read_text("utf-8"))[1] if file.exists() else {}
        yield chapter, read_exercises(chapter, int(path.name[:2])), checks


def texts(name: str, content: bytes) -> Iterator[str]:
    """All texts in a file: strings of JSON, entries of archives, pages without tags, decoded attachments."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.namelist():
                yield entry
                yield from texts(entry, archive.read(entry))
        return
    text = content.decode("utf-8", errors="replace")
    if name.endswith((".ipynb", ".json")):
        yield from _strings(json.loads(text))
    elif name.endswith((".html", ".htm")):
        yield html.unescape(re.sub(r"<[^>]*>", "", text))
    else:
        yield text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        for run in BASE64.findall(value):
            try:
                yield base64.b64decode(run).decode("utf-8", errors="ignore")
            except (ValueError, binascii.Error):
                continue
    elif isinstance(value, list):
        whole = ["".join(value)] if all(isinstance(item, str) for item in value) else value
        for item in whole:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)


def leaks(folder: Path, secrets: list[str]) -> list[tuple[str, str]]:
    """Files in the folder with the secrets that they hold."""
    found = []
    # A text that holds a secret has all words inside it, and looking up words is quick.
    inside = {secret: set(secret.split()[1:-1]) for secret in secrets}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        words = " ".join(texts(path.name, path.read_bytes())).split()
        text, known = " ".join(words), set(words)
        found += [(path.relative_to(folder).as_posix(), secret) for secret in secrets if inside[secret] <= known and secret in text]
    return found
