"""The site as a reader gets it, built afresh: offline, complete, light.

Every check is in site_checks.py; each must be silent on every page and red on a planted defect.
"""

import json
import re

import build_site
import numpy as np
import pytest
import site_checks
from book_references import read_references
from downloads import ZIP_NAME
from explorer_data import explorer_json
from helpers import CHAPTERS, ROOT, book_statements, markdown, read_chapter
from leaks import kept_from_the_site, leaks
from myst_blocks import words
from plain_markdown import INLINE, plain_text
from search_engine import SearchEngine
from site_checks import Page, read_site
from statements import read_book

ON_ONE_PAGE = (
    site_checks.external_requests,
    site_checks.scripts_that_fetch,
    site_checks.missing_resources,
    site_checks.repeated_ids,
    site_checks.failed_formulas,
    site_checks.images_without_description,
    site_checks.open_folds,
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    output = tmp_path_factory.mktemp("site")
    result = build_site.build(ROOT, output)
    assert result.returncode == 0, result.stdout + result.stderr
    return output / "_build/html"


@pytest.fixture(scope="module")
def pages(site):
    return read_site(site)


@pytest.fixture(scope="module")
def written(pages):
    """The pages that someone wrote, not the redirect and the search form."""
    return [page for path, page in pages.items() if path.parent.name == "book"]


@pytest.mark.parametrize("check", ON_ONE_PAGE, ids=lambda check: check.__name__)
def test_pages_pass(pages, check):
    assert {page.path.name: check(page) for page in pages.values() if check(page)} == {}


def test_every_link_leads_somewhere(pages):
    broken = {page.path.name: site_checks.broken_links(page, pages) for page in pages.values()}
    assert {name: links for name, links in broken.items() if links} == {}


def test_every_page_describes_itself(written):
    assert {page.path.name: site_checks.without_description(page) for page in written if site_checks.without_description(page)} == {}


def test_the_search_says_what_it_is(pages, site):
    assert site_checks.without_description(pages[(site / "search.html").resolve()]) == []


def test_pages_have_colours_without_scripts_and_follow_the_system_with_them(written):
    for page in written:
        assert page.soup.html["data-theme"] == "light"
        assert page.soup.body["data-default-mode"] == "auto" and '{ mode = "auto" } = stored' in page.html


def test_styles_ask_for_nothing_elsewhere(site):
    missing = []
    for path in site.rglob("*.css"):
        for address in site_checks.style_resources(path.read_text("utf-8")):
            local = address.startswith(("data:", "#")) or (path.parent / address.split("?")[0].split("#")[0]).is_file()
            missing += [] if local else [(path.name, address)]
    assert missing == []


def test_scripts_of_no_page_come_from_the_build_tools(site):
    assert [path.name for path in site.rglob("*.js") if "katex" in path.name or "fontawesome" in path.name] == []


def test_no_hidden_file_is_published(site):
    assert {path.name for path in site.rglob(".*")} <= {".buildinfo", ".nojekyll"}  # Sphinx's own


def test_every_source_page_is_built(written):
    sources = {path.stem for path in CHAPTERS} | {path.stem for path in (ROOT / "book").glob("*.md")}
    assert sources == {page.path.stem for page in written}


def test_every_page_with_formulas_renders_them(written):
    by_name = {page.path.stem: page for page in written}
    for path in CHAPTERS:
        page = by_name[path.stem]
        formulas = markdown(read_chapter(path)).count("$") // 4
        assert page.html.count('class="katex"') >= formulas
        assert page.html.count("<math ") >= formulas


def test_chapters_have_the_number_of_their_file(written):
    for page in written:
        heading = page.article.find("h1").find(class_="section-number")
        expected = f"{int(page.path.name[:2])}. " if page.path.name[:2].isdigit() else None
        assert (heading.get_text() if heading else None) == expected


def test_numbers_begin_with_the_chapter(written):
    for page in written:
        if page.path.name[:2].isdigit():
            chapter = f"{int(page.path.name[:2])}."
            numbers = [tag.get_text().split()[-1] for tag in page.article.select(".caption-number")]
            numbers += [tag.get_text().strip("(#)") for tag in page.article.select(".eqno")]
            assert [number for number in numbers if not number.startswith(chapter)] == []


def test_statements_share_one_counter(written):
    kinds = ("Definition", "Theorem", "Lemma", "Proposition", "Corollary", "Example", "Remark")
    for page in written:
        titles = [tag.get_text().split() for tag in page.article.select(".proof > .admonition-title > .caption-number")]
        places = [int(number.split(".")[1]) for kind, number in titles if kind in kinds]
        assert places == list(range(1, len(places) + 1))


def test_every_chapter_offers_its_notebook_and_the_book(written):
    for page in written:
        links = {link["href"] for link in page.soup.select(".dropdown-download-buttons a")}
        chapter = {f"../downloads/{page.path.stem}.ipynb"} if page.path.name[:2].isdigit() else set()
        assert chapter | {f"../downloads/{ZIP_NAME}"} == {link for link in links if "downloads" in link and not link.endswith(".pdf")}


def test_the_front_page_offers_the_book(written):
    front = next(page for page in written if page.path.stem == "index")
    assert [link["href"] for link in front.article.select("ul.downloads a")][0] == f"../downloads/{ZIP_NAME}"


def shown_name(page, label):
    """What a page shows at a label: number of a statement, title of a section or of the page itself."""
    place = page.places.get(f"equation-{label}") or page.places.get(label)
    if label == page.path.stem:
        place = page.article.find("h1")
    elif place.name == "span":  # the mark before a section
        place = place.find_next(["h2", "h3"])
    title = place.find(class_=re.compile("^(caption-number|eqno)$")) or place.find("summary") or place
    return " ".join(title.get_text().rstrip("#").split())


def test_names_in_plain_notebooks_are_those_of_the_site(written):
    references, by_name = read_references(ROOT), {page.path.stem: page for page in written}
    shown = {label: shown_name(by_name[target.chapter or label], label) for label, target in references.targets.items()}
    numbered = {path.stem: f"{int(path.stem[:2])}. {references.targets[path.stem].name}" for path in CHAPTERS}
    assert shown == {label: target.name for label, target in references.targets.items()} | numbered


def test_citations_in_plain_notebooks_are_those_of_the_site(written):
    references, by_name = read_references(ROOT), {page.path.stem: page for page in written}
    for path in CHAPTERS:
        roles = [match[0] for part in words(markdown(read_chapter(path))) for match in INLINE.finditer(part) if match["role"]]
        cited = [plain_text(role, references) for role in roles if role.startswith("{cite")]
        page = " ".join(by_name[path.stem].article.get_text().split())
        assert [citation for citation in cited if citation not in page] == []


def test_the_claims_page_has_a_row_for_each_statement_under_its_number(written):
    by_name = {page.path.stem: page for page in written}
    rows = {row["id"].removeprefix("claim-"): row for row in by_name["claims"].article.select("table.claims tbody > tr")}
    assert [label for _, label in book_statements()] == list(rows)
    for label, statement in read_book(ROOT / "book").items():
        heading = by_name[statement.chapter].places[label].find(class_="caption-number").get_text().strip()
        assert rows[label].find("a").get_text() == heading == f"{statement.kind.title()} {statement.number}"
        assert len(rows[label].select("svg a")) == len(rows[label].select("svg rect")) != 1
        assert all(link["href"].split("#")[1] in rows for link in rows[label].select("svg a"))


def test_the_map_has_the_chapters_with_statements_and_their_arcs(written):
    claims = next(page for page in written if page.path.stem == "claims").article
    book = read_book(ROOT / "book")
    pairs = {(s.chapter, book[used].chapter) for s in book.values() for used in s.uses if book[used].chapter != s.chapter}
    assert len(claims.select("div.claims-map > svg > path")) == len(pairs) > 0
    links = [link["href"] for link in claims.select("div.claims-map li a") if not link["href"].startswith("#")]
    assert links == [f"{chapter}.html" for chapter in dict.fromkeys(s.chapter for s in book.values())]


def test_the_index_lists_each_statement_by_title_and_by_kind(written):
    article = next(page for page in written if page.path.stem == "statements").article
    book = read_book(ROOT / "book")
    for section in ("by-title", "by-kind"):
        links = {link["href"]: link.get_text() for link in article.find(id=section).select("li a")}
        assert links == {f"{s.chapter}.html#{s.label}": f"{s.kind.title()} {s.number}" for s in book.values()}
    order = [link["href"].split("#")[1] for link in article.find(id="by-title").select("li a")]
    assert order == sorted(order, key=lambda label: re.sub("^(the|an?) ", "", book[label].title.strip("★ ").replace("$", "").lower()))


@pytest.mark.parametrize("name", ["plain_title", "label"])
def test_the_search_leads_to_a_statement_by_its_title_and_by_its_label(site, name):
    engine = SearchEngine(site)
    missed = {}
    for statement in read_book(ROOT / "book").values():
        results = engine.find(getattr(statement, name))
        if not results or results[0][0] != f"book/{statement.chapter}#{statement.label}":
            missed[statement.label] = results[:2]
    assert missed == {}


@pytest.mark.parametrize(
    ("query", "target"),
    [
        ("Massart", "book/08_rademacher_complexity#lem-massart"),
        ("McDiarmid", "book/09_generalisation#lem-mcdiarmid"),
        ("temperature keeps", "book/02_softmax_search_kernels#thm-temperature"),
        ("gateaux derivative", "book/06_gateaux_derivatives#def-gateaux"),
        ("theorem 3.5", "book/03_k_negatives#thm-rate"),
        ("expectile", "book/glossary#term-expectile"),
    ],
)
def test_the_search_knows_parts_of_titles_numbers_and_terms(site, query, target):
    assert target in [address for address, _ in SearchEngine(site).find(query)[:3]]


def test_the_search_finds_nothing_where_nothing_is(site):
    assert SearchEngine(site).find("xylophone quartet") == []


def test_only_the_explorer_loads_the_charts_and_the_present_numbers(site, written):
    loading = [page.path.stem for page in written if any("explorer/" in address for address in site_checks.resources(page))]
    assert loading == ["explorer"]
    assert (site / "_static/explorer/data.js").read_text("utf-8") == f"window.explorerData=JSON.parse('{explorer_json()}');\n"
    assert not set("'\\") & set(explorer_json())


def test_the_explorer_has_its_numbers_as_tables_too(written):
    article = next(page for page in written if page.path.stem == "explorer").article
    numbers = json.loads(explorer_json())
    rows = [[cell.get_text(strip=True) for cell in row.select("td")] for row in article.select("table.explorer-table tbody tr")]
    assert len(rows) == 75
    for (temperature, k, target, *errors), dimension in zip(rows, np.repeat([3, 16, 128], 25)):
        setting = numbers["settings"][numbers["dimensions"].index(dimension)][numbers["temperatures"].index(float(temperature))]
        place = numbers["negatives"].index(int(k.replace(",", "")))
        most, excess = ([setting[name][alpha][place] for alpha in (1, 0)] for name in ("most", "excess"))
        found = [float(text) for text in re.findall(r"[\d.e-]+", " ".join([target, *errors]).replace("−", "-"))]
        expected = [setting["target"], excess[0], setting["least"][place], most[0], excess[1], setting["least"][place], most[1]]
        assert found == pytest.approx(expected, rel=6e-3)


def test_the_page_of_checks_tells_what_became_of_each_planted_fault(written):
    checks = next(page for page in written if page.path.stem == "checks").article
    items = [item.get_text().replace("’", "'") for item in checks.select("details li")]
    for row in json.loads((ROOT / "checks/faults.json").read_text("utf-8"))["faults"]:
        assert any(row["change"] in item and row["place"] in item and row["red"]["claim"] in item for item in items)


def test_hidden_checks_and_listed_answers_are_nowhere_on_the_site(site):
    secrets = kept_from_the_site()
    assert len(secrets) > 20
    assert leaks(site, secrets) == []


def test_chapters_are_light(written):
    weights = {page.path.name: site_checks.weight(page) for page in written}
    assert {name: size for name, size in weights.items() if size > site_checks.WEIGHT_LIMIT} == {}


SOUND = (
    '<html lang="en"><head><meta name="description" content="Words enough to describe it."></head><body><article>'
    '<img src="a.svg" alt="A rising line."><details class="proof" id="proof-a"></details>'
    '<a href="#proof-a">there</a></article></body></html>'
)
PLANTED = [
    (site_checks.external_requests, '<script src="https://cdn.example/a.js"></script>'),
    (site_checks.external_requests, '<link rel="stylesheet" href="//fonts.example/a.css">'),
    (site_checks.external_requests, "<style>@import 'https://fonts.example/a.css';</style>"),
    (site_checks.external_requests, '<p style="background: url(https://a.example/b.png)">a</p>'),
    (site_checks.external_requests, '<img srcset="https://a.example/b.png 2x" alt="a b">'),
    (site_checks.scripts_that_fetch, "<script>import('https://cdn.example/a.js')</script>"),
    (site_checks.missing_resources, '<img src="b.svg" alt="A falling line.">'),
    (site_checks.repeated_ids, '<p id="proof-a">again</p>'),
    (site_checks.failed_formulas, "<p>Let $x$ be</p>"),
    (site_checks.failed_formulas, '<code class="formula-error">x</code>'),
    (site_checks.images_without_description, '<img src="a.svg" alt="../_images/a.svg">'),
    (site_checks.images_without_description, '<img src="a.svg">'),
    (site_checks.open_folds, '<details class="solution" open="open" id="sol-a"></details>'),
    (site_checks.open_folds, '<div class="solution admonition" id="sol-a"></div>'),
]


def planted_page(folder, extra=""):
    (folder / "a.svg").write_text("<svg/>")
    path = folder / "page.html"
    path.write_text(SOUND.replace("</article>", extra + "</article>"))
    return Page(path.resolve(), folder)


def test_formulas_are_left_out_whole():
    formula = '<span class="katex"><span class="katex-html"><span>x</span></span></span>'
    page = f"<p>a <span>b</span> {formula} c</p><span>{formula}</span>"
    assert site_checks.without_formulas(page) == "<p>a <span>b</span>  c</p><span></span>"


def test_checks_are_silent_on_a_sound_page(tmp_path):
    page = planted_page(tmp_path)
    assert [check.__name__ for check in ON_ONE_PAGE if check(page)] == []
    assert site_checks.broken_links(page, {page.path: page}) == site_checks.without_description(page) == []


@pytest.mark.parametrize(("check", "defect"), PLANTED)
def test_checks_go_red_on_a_planted_defect(tmp_path, check, defect):
    assert check(planted_page(tmp_path, defect)) != []


@pytest.mark.parametrize("address", ["gone.html", "#gone", "page.html#gone"])
def test_a_broken_link_is_found(tmp_path, address):
    page = planted_page(tmp_path, f'<a href="{address}">there</a>')
    assert site_checks.broken_links(page, {page.path: page}) == [address]


def test_a_heavy_page_is_found(tmp_path):
    for name in ("_static/icons/icons.woff", "_static/katex/fonts/KaTeX_AMS-Regular.woff2"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(1000))
    light = site_checks.weight(planted_page(tmp_path))
    assert site_checks.weight(planted_page(tmp_path, '<b class="mathbb">E</b>')) > light + 1000
    assert light < 2000 < site_checks.WEIGHT_LIMIT


def test_a_page_without_description_is_found(tmp_path):
    page = planted_page(tmp_path)
    page.path.write_text(SOUND.replace('lang="en"', "").replace('name="description"', 'name="other"'))
    assert len(site_checks.without_description(page)) == 2
