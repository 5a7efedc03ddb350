"""Chapters in plain Markdown: nothing of MyST is left, links lead somewhere, formulas mean the same.

tests/test_site.py compares the numbers with those of the built pages.
"""

import re

import nbformat
import pytest
import sphinx_katex
from book_references import Target, page_title, read_references
from helpers import BOOK, CHAPTERS, ROOT, markdown, read_chapter
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from myst_blocks import parse, walk, words
from plain_markdown import INLINE, UnknownMarkup, plain_text
from plain_notebook import plain_notebook
from statements import read_book
from tex_macros import expand

REFERENCES = read_references(ROOT)
MACROS = REFERENCES.macros
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin)


def without_code(text):
    return re.sub(r"^ *(```+).*?^ *\1 *$|(?<!\})`[^`\n]+`", "", text, flags=re.S | re.M)


def leftovers(text):
    """MyST, and macros of the table, that a plain Markdown text still contains."""
    text = without_code(text)
    found = re.findall(r"^ *:{3,}.*|^:[\w-]+:.*|^\([\w-]+\)=|\{[\w:.-]+\}(?=`)|\$\$ \([\w-]+\)", text, re.M)
    return found + [name for name in re.findall(r"\\[A-Za-z]+", text) if name in MACROS]


def broken_links(text):
    """Links to no anchor, and anchors that stand twice."""
    text = without_code(text)
    anchors = re.findall(r'<a id="([^"]+)"></a>', text)
    addresses = re.findall(r"\]\(([^)]+)\)", text)
    broken = [address for address in addresses if not address.startswith("https://") and address[1:] not in anchors]
    return broken + [name for name in set(anchors) if anchors.count(name) > 1]


def quoted_formulas_with_marks(text):
    """Displays in quotations that span lines: Jupyter would show the quotation marks inside them."""
    return [line for line in text.split("\n") if line.startswith(">") and line.count("$$") % 2]


def read_as_text(text):
    """What a Markdown parser with formulas takes for words, though it is markup."""
    tokens = PARSER.parse(text)
    words = [child.content for token in tokens for child in token.children or () if child.type == "text"]
    words += [token.content for token in tokens if token.type == "code_block"]
    words += [token.content for token in tokens if token.type == "html_block" and "$" in token.content]
    folds = "".join(token.content for token in tokens if token.type == "html_block")
    unclosed = ["a fold without end"] if folds.count("<details") != folds.count("</details>") else []
    return [word for word in words if re.search(r"\$|\*\*|\]\(|\\[a-z]|^ *(>|```)", word)] + unclosed


CHECKS = (leftovers, broken_links, quoted_formulas_with_marks, read_as_text)


@pytest.fixture(scope="module")
def plain():
    return {path.stem: markdown(plain_notebook(read_chapter(path), REFERENCES)) for path in CHAPTERS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_chapters_pass(plain, check):
    assert {name: check(text) for name, text in plain.items() if check(text)} == {}


@pytest.mark.parametrize(
    ("check", "defect"),
    [
        (leftovers, ":::{note}\nA\n:::"),
        (leftovers, "By {prf:ref}`thm-rate`."),
        (leftovers, "$$\nx\n$$ (eq-x)"),
        (leftovers, "(sec-a)=\n## A"),
        (leftovers, r"In $\R$."),
        (broken_links, "[Theorem 1.1](#thm-a)"),
        (broken_links, "[an exercise](exr-a)"),
        (broken_links, '<a id="a"></a> <a id="a"></a>'),
        (quoted_formulas_with_marks, "> $$\n> x\n> $$"),
        (read_as_text, "<details>\n**Bold** $x$\n</details>"),
        (read_as_text, "<details>\n\nA"),
        (read_as_text, "Open $x, and **bold."),
    ],
)
def test_checks_go_red(check, defect):
    assert check(defect) != []


def formulas(text):
    """TeX of all displays and inline formulas of a MyST text."""
    displays = {(block.text, True) for block in walk(text) if block.kind == "display"}
    return displays | {(match["tex"], False) for part in words(text) for match in INLINE.finditer(part) if match["tex"]}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_written_out_formulas_look_as_on_the_site(path):
    macros, found = tuple(MACROS.items()), formulas(markdown(read_chapter(path)))
    concerned = [(tex, display) for tex, display in found if expand(tex, MACROS) != tex]
    assert len(found) > 100 and len(concerned) > 10
    for tex, display in concerned:
        assert sphinx_katex.render(expand(tex, MACROS), display, ()) == sphinx_katex.render(tex, display, macros), tex


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\R^d, \Rad_n", r"\mathbb{R}^d, \widehat{\operatorname{Rad}}_n"),
        (r"\norm{\inner{x}{y_{\N}}}", r"\lVert \langle x, y_{\mathbb{N}}\rangle\rVert"),
        (r"\inner ab c", r"\langle a, b\rangle c"),
        (r"\inner{a}{b}c", r"\langle a, b\rangle c"),
        (r"\norm\alpha", r"\lVert \alpha\rVert"),
        (r"\norm{\{x\}}", r"\lVert \{x\}\rVert"),
        (r"\Rightarrow\Pi", r"\Rightarrow\Pi"),
    ],
)
def test_macros_are_written_out(tex, expected):
    assert expand(tex, MACROS) == expected


@pytest.mark.parametrize("tex", [r"x \norm", r"\norm{x", r"{\inner{x}}"])
def test_a_macro_without_its_argument_is_an_error(tex):
    with pytest.raises(ValueError, match=r"macro \\(norm|inner)"):
        expand(tex, MACROS)


SOURCE = """(sec-a)=
## A section

::::{prf:theorem} ★ Big $\\R$
:label: thm-a
Let $\\inner{a}{b} = 1$. Then

$$
x
= y
$$ (eq-a)

1. one, see {eq}`eq-a`.
::::

:::{prf:proof}
:class: dropdown
By {prf:ref}`lem-b`, {ref}`below <sec-a>`, {numref}`fig-c` and {cite:t}`oord2018`; {cite:p}`oord2018,poole2019`.

```python
x = "{prf:ref}`thm-a`"  # $\\R$


y = 1
```
:::

::::{exercise} Try
:label: exr-d
Cost: 5\\$. The {doc}`notation page <notation>`, `$\\R$`.
::::

:::{solution} exr-d
:label: sol-d
:class: dropdown
Done.
:::

term
: what it
  means

:::{note}
$$
x
$$
:::"""

PLAIN = """<a id="sec-a"></a>

## A section

> <a id="thm-a"></a>**Theorem 1.1** (★ Big $\\mathbb{R}$). Let $\\langle a, b\\rangle = 1$. Then
>
> <a id="eq-a"></a>
>
> $$ x = y \\tag{1.1} $$
>
> 1. one, see [(1.1)](#eq-a).

<details>
<summary>Proof</summary>

By Lemma 2.1, [below](#sec-a), Fig. 1.1 and van den Oord et al. [[2018](#oord2018)]; [Poole et al., 2019, [van den Oord et al., 2018](#oord2018)].

```python
x = "{prf:ref}`thm-a`"  # $\\R$


y = 1
```

∎

</details>

<a id="exr-d"></a>**Exercise 1.1** (Try). Cost: 5\\$. The notation page, `$\\R$`.

<a id="sol-d"></a>

<details>
<summary>Solution to Exercise 1.1</summary>

Done.

</details>

- **term**: what it
  means

> **Note.**
>
> $$ x $$"""


def small_references():
    names = {"thm-a": "Theorem 1.1", "eq-a": "(1.1)", "lem-b": "Lemma 2.1", "fig-c": "Fig. 1.1", "exr-d": "Exercise 1.1"}
    targets = {label: Target(name) for label, name in names.items()}
    return REFERENCES.__class__(MACROS, targets | {"sec-a": Target("A section")}, REFERENCES.works)


def test_every_form_becomes_plain():
    linked = {"thm-a", "eq-a", "sec-a", "oord2018"}
    assert plain_text(SOURCE, small_references(), linked) == PLAIN


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```{novelty}\nA\n```", "directive 'novelty'"),
        ("See {term}`a`.", "role 'term'"),
        ("See {prf:ref}`thm-gone`.", "'thm-gone'"),
        ("See {eq}`eq-gone`.", "'eq-gone'"),
        ("See {cite:t}`nobody1900`.", "'nobody1900'"),
        ("See {doc}`nowhere`.", "'nowhere'"),
        ("See [there](exr-gone).", "'exr-gone'"),
    ],
)
def test_what_is_not_known_is_named(text, complaint):
    with pytest.raises(UnknownMarkup, match=complaint):
        plain_text(text, REFERENCES)


@pytest.mark.parametrize("text", [":::{prf:proof}\nA", "```python\nx", "$$\nx"])
def test_a_block_without_end_is_an_error(text):
    with pytest.raises(ValueError, match="no (line|\\$\\$) closes"):
        plain_text(text, REFERENCES)


def test_statements_have_the_numbers_of_the_claims_page():
    book = read_book(BOOK)
    assert len(book) > 50
    assert {label: f"{s.kind.title()} {s.number}" for label, s in book.items()} == {
        label: target.name for label, target in REFERENCES.targets.items() if label in book
    }


def test_every_label_of_the_book_is_known():
    labels = {block.label for path in CHAPTERS for block in walk(markdown(read_chapter(path))) if block.label}
    assert labels and labels <= set(REFERENCES.targets)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_cited_work_is_listed_and_linked(path):
    notebook = read_chapter(path)
    keys = {key for keys in re.findall(r"\{cite:[tp]\}`([^`]+)`", markdown(notebook)) for key in keys.split(",")}
    text = markdown(plain_notebook(notebook, REFERENCES))
    assert {key for key in keys if f"](#{key})" not in text or f'<a id="{key}"></a>' not in text} == set()


def small_notebook():
    title = "# The InfoNCE loss and the similarity-search problem\n\n"
    words = "$$\nx\n$$ (eq-infonce-loss)\n\nBy {prf:ref}`thm-rate` and {cite:t}`oord2018`; [there](exr-01-two-logs), $x$."
    text = nbformat.v4.new_markdown_cell(title + words, id="a")
    figure = {"mystnb": {"figure": {"caption": "See $\\CE$ and {eq}`eq-excess`.", "name": "fig-search-laws"}}, "tags": ["kept"]}
    code = nbformat.v4.new_code_cell("1", id="b", metadata=figure)
    return nbformat.v4.new_notebook(cells=[text, code])


def test_a_notebook_of_chosen_cells_can_be_read_alone():
    notebook, names = small_notebook(), {label: target.name for label, target in REFERENCES.targets.items()}
    result = plain_notebook(notebook, REFERENCES)
    nbformat.validate(result)
    assert notebook == small_notebook(), "the notebook that was given must stay as it was"
    assert [cell.id for cell in result.cells] == ["a", "b", "b-caption", "cited-statements", "references"]
    assert result.cells[0].source.startswith("# 1. The InfoNCE loss") and f"[{names['thm-rate']}](#thm-rate)" in result.cells[0].source
    assert result.cells[1].metadata == {"tags": ["kept"]}
    caption = f"**{names['fig-search-laws']}.** See $\\operatorname{{CE}}$ and [{names['eq-excess']}](#eq-excess)."
    assert result.cells[2].source == '<a id="fig-search-laws"></a>' + caption
    assert f"> <a id=\"thm-rate\"></a>**{names['thm-rate']}** (" in result.cells[3].source
    assert "[there](#exr-01-two-logs)" in result.cells[0].source and names["exr-01-two-logs"] in result.cells[3].source
    assert f"\\tag{{{names['eq-excess'][1:-1]}}}" in result.cells[3].source
    assert re.search(r'- <a id="oord2018"></a>.*Oord.* 2018', result.cells[4].source)
    assert broken_links(markdown(result)) == leftovers(markdown(result)) == []


def test_a_page_without_title_is_named():
    with pytest.raises(ValueError, match="a.ipynb has no title"):
        page_title("Text.", "a.ipynb")


def test_text_and_blocks_keep_their_order():
    assert [block.kind for block in parse("a\n\n$$\nx\n$$\nb\n```\n# c\n```")] == ["text", "blank", "display", "text", "code"]
