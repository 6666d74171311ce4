"""The documentation becomes a site in which everything is found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest

from tools.browser.looking import PHONE, View, find_barriers, look
from tools.docs.__main__ import CONTENTS, PAGES, SITE, build
from tools.layout import ROOT, list_guides, list_tracked_paths

REFERENCE = SITE / "reference"
INDEX = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


class Page(HTMLParser):
    """The links of a page, and the places in it to which links can lead."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where an element can be linked to, and where it leads."""
        attributes = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := attributes.get(name)))
        self.links += [value for name in ("href", "src") if (value := attributes.get(name))]


@pytest.fixture(scope="module")
def built() -> int:
    """Return the exit code of the build of a new site."""
    return build()


@pytest.fixture(scope="module")
def site(built: int) -> dict[Path, Page]:
    """Return all pages of the new site, by their paths."""
    return {path: Page(path) for path in SITE.rglob("*.html")}


def list_file_names(pattern: str) -> Iterator[str]:
    """Yield the names of the Python files that a pattern matches, without their suffixes."""
    return (path.stem for path in ROOT.glob(pattern) if path.stem != "__init__")


def test_the_site_is_built_without_a_warning(built: int) -> None:
    assert built == 0


def test_every_module_plugin_and_role_has_a_page(site: dict[Path, Page]) -> None:
    wanted = {f"{name}_module" for name in list_file_names("plugins/modules/*.py")}
    wanted |= {
        f"{name}_{kind}"
        for kind in ("filter", "inventory", "lookup")
        for name in list_file_names(f"plugins/{kind}/*.py")
    }
    wanted |= {
        f"{path.parent.parent.name}_role" for path in ROOT.glob("roles/*/meta/argument_specs.yml")
    }

    assert sorted(name for name in wanted if REFERENCE / f"{name}.html" not in site) == []


def test_every_module_is_in_the_reference(site: dict[Path, Page]) -> None:
    listed = {
        link.rpartition("/")[2].removesuffix("_module.html")
        for link in site[REFERENCE / "index.html"].links
    }
    assert set(list_file_names("plugins/modules/panel_*.py")) <= listed


def test_every_page_of_the_repository_is_a_page_of_the_site(site: dict[Path, Page]) -> None:
    wanted = [
        Path(path).with_suffix(".html") for path in list_tracked_paths() if PAGES.fullmatch(path)
    ]
    assert [str(path) for path in wanted if SITE / path not in site] == []


def test_every_link_within_the_site_leads_somewhere(site: dict[Path, Page]) -> None:
    links = [(page, link) for page in site.values() for link in page.links]
    assert [
        f"{page.path.relative_to(SITE)}: {link}"
        for page, link in links
        if not leads_somewhere(site, page, link)
    ] == []


def leads_somewhere(site: dict[Path, Page], page: Page, link: str) -> bool:
    """Return whether a link leads out of the site, or to a file and an anchor that exist."""
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return True

    path = page.path.parent / unquote(address.path) if address.path else page.path
    target = path.resolve()
    if target not in site:
        return target.is_file()

    return not address.fragment or unquote(address.fragment) in site[target].anchors


# What the search shows first, once it has something. Pages are read over HTTP, as excerpts are.
FIRST = """(async () => {
  const found = () => document.querySelector('#search-results li a');
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  for (let tried = 0; tried < 100 && !found(); tried += 1) await wait(100);
  await wait(500);
  return found().textContent;
})()"""
SEARCHED = {
    "password": "panel_email",
    "suspend": "panel_client",
    "certificate": "panel_certificate",
    "dns": "panel_dns",
}


def test_the_search_finds_the_module_of_a_word_first(site: dict[Path, Page]) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(SITE))

    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/search.html?q="
        sights = look([View(f"{address}{term}", evaluate=FIRST) for term in SEARCHED])
        server.shutdown()

    first = {term: sight.evaluated for term, sight in zip(SEARCHED, sights, strict=True)}

    assert {
        term: name for term, name in SEARCHED.items() if f"{name} module" not in first[term]
    } == {}, first


@pytest.mark.parametrize("guide", [path.name for path in list_guides() if path.name != "README.md"])
def test_every_guide_is_in_the_index(guide: str) -> None:
    assert f"({guide})" in INDEX


@pytest.mark.parametrize("page", CONTENTS["Explanation"].split(", "))
def test_every_explanation_of_the_site_is_in_the_index(page: str) -> None:
    assert f"{page.removeprefix('docs/')}.md)" in INDEX


# How far words that are set as code reach, outside of blocks and tables, which scroll in
# themselves.
REACH = """Math.max(...[...document.querySelectorAll('p code, li code')]
    .filter(one => !one.closest('table')).map(one => one.getBoundingClientRect().right))"""


def test_pages_fit_on_a_phone_and_ask_no_other_server(site: dict[Path, Page]) -> None:
    pages = ("index", "docs/dns", "docs/from_uri", "reference/panel_dns_module", "reference/index")
    pages += ("docs/certificates", "docs/zones", "roles/certificate/README")
    views = [View(SITE / f"{page}.html", *PHONE, evaluate=REACH) for page in pages]

    for page, sight in zip(pages, look(views), strict=True):
        assert (page, sight.overflow, sight.errors) == (page, 0, [])
        assert (sight.evaluated or 0) <= PHONE[0], page
        assert [request for request in sight.requests if not request.startswith("file:")] == []


def test_people_with_a_screen_reader_or_weak_eyes_meet_no_barrier(site: dict[Path, Page]) -> None:
    names = ("index", "docs/dns", "docs/reliability", "reference/panel_dns_module")
    assert find_barriers([SITE / f"{name}.html" for name in names]) == []
