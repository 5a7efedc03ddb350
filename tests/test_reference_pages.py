"""The pages that one looks things up in: citations, versions, notation, glossary, in step with their sources."""

import re
import tomllib
import unicodedata

import pytest
import yaml
from helpers import BOOK, CHAPTERS, ROOT, read_chapter
from statements import EQUATION_LABEL, markdown, read_book

CITE, CHANGES, NOTATION, GLOSSARY = ((BOOK / f"{name}.md").read_text("utf-8") for name in ("cite", "changelog", "notation", "glossary"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
REFERENCES = (BOOK / "references.bib").read_text("utf-8")
STATEMENTS = read_book(BOOK)
EQUATIONS = {label for path in CHAPTERS for _, label in EQUATION_LABEL.findall(markdown(read_chapter(path)))}
ASKED_FOR = (
    "anchor", "CVaR", "decoupled loss", "embedding", "expectile", "Gâteaux derivative", "InfoNCE", "Lipschitz modulus", "negative",
    "partition function", "positive", "Rademacher complexity", "score", "search kernel", "target", "temperature", "vacuous",
)  # fmt: skip


def bibtex(text, name):
    """Fields of one entry, without the braces that keep capitals."""
    entry = re.search(rf"@\w+\{{{name},\n(.*?)\n\}}", text, re.S)[1]
    fields = re.findall(r"^\s*(\w+)\s*= \{(.*)\},?$", entry, re.M)
    return {key: value.replace("{", "").replace("}", "") for key, value in fields}


def disagreements(cite, citation, references):
    """Fields in which the page differs from CITATION.cff, or its entry of the paper from the bibliography."""
    book, paper = bibtex(cite, "infoncebook"), citation["references"][0]
    expected = {
        "author": " and ".join(author["name"] for author in citation["authors"]),
        "title": citation["title"],
        "note": f"Version {citation['version']}, code {citation['license']}, text CC BY 4.0",
    }
    found = [key for key, value in expected.items() if book[key] != value]
    copies = [bibtex(text, "whiteley2026") for text in (cite, references)]
    same = copies[0] == copies[1] and copies[0]["title"] == paper["title"] and copies[0]["year"] == str(paper["year"])
    return found + ["paper"] * (not same)


def test_the_page_cites_what_the_files_say():
    assert disagreements(CITE, CITATION, REFERENCES) == []
    assert bibtex(CITE, "infoncebook")["year"] == yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["copyright"]
    assert f"version {CITATION['version']}" in CITE


@pytest.mark.parametrize(("old", "new", "field"), [("{InfoNCE}, derived", "InfoNCE derived", "title"), ("0.1.0, code", "0.2.0, code", "note"), ("Whiteley, N.", "Whiteley, M.", "paper")])
def test_a_citation_that_differs_is_found(old, new, field):
    assert old in CITE and disagreements(CITE.replace(old, new), CITATION, REFERENCES) == [field]


def test_the_latest_version_is_that_of_the_project():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.findall(r"^## Version (\S+)", CHANGES, re.M)[0] == version == CITATION["version"]


def dead_ends(text):
    """Statements and formulas that a page refers to and that do not exist."""
    found = re.findall(r"\{(prf:ref|eq)\}`([\w-]+)`", text)
    return [label for role, label in found if label not in (STATEMENTS if role == "prf:ref" else EQUATIONS)]


def symbols_without_a_link(notation):
    rows = [line for line in notation.splitlines() if line.startswith("| $")]
    assert len(rows) > 50
    return [row for row in rows if not re.search(r"\{(prf:ref|eq)\}`[\w-]+` \|$", row)]


def terms(glossary):
    """Terms with their definitions."""
    body = re.search(r":::\{glossary\}\n(.*?)\n:::", glossary, re.S)[1]
    return dict(re.findall(r"^(\S.*)\n((?:  .+\n?)+)", body, re.M))


def terms_without_a_link(glossary):
    return [term for term, text in terms(glossary).items() if term != "nat" and not re.search(r"\{(prf:ref|eq|doc)\}`", text)]


def test_every_symbol_and_every_term_links_back():
    assert dead_ends(NOTATION) == dead_ends(GLOSSARY) == []
    assert symbols_without_a_link(NOTATION) == terms_without_a_link(GLOSSARY) == []


def test_the_glossary_is_complete_and_in_order():
    def without_accents(term):
        return "".join(c for c in unicodedata.normalize("NFD", term.casefold()) if not unicodedata.combining(c))

    found = list(terms(GLOSSARY))
    assert found == sorted(found, key=without_accents) and set(ASKED_FOR) <= set(found)


def test_the_checks_of_links_go_red():
    assert dead_ends(NOTATION.replace("def-setting", "def-gone"))
    assert symbols_without_a_link(NOTATION.replace("{prf:ref}`def-centred-risk` |", "1 |"))
    assert terms_without_a_link(GLOSSARY.replace(" {prf:ref}`rem-recall`.", "")) == ["recall"]
