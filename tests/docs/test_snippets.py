"""Whoever follows a page gets what it shows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.snippets import FLEET_PORTS, Reader, has_snippet, list_snippets
from tools.layout import ROOT, list_guides

# The role simulator is what the practice fleet starts.
ROLES = [path for path in sorted(ROOT.glob("roles/*/README.md")) if path.parent.name != "simulator"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *list_guides(), *ROLES]
# Whose last block removes everything that the page has made.
CLEARED_UP = ("certificates.md", "zones.md")
GUIDES = ROOT / "docs"
ON_THE_FLEET = [page for page in list_guides() if has_snippet(page, "fleet")]
PROMISE = "You can run every command here unchanged on the [practice fleet](getting_started.md)."
NOTHING_TO_TYPE = "nothing to type"


# Each fleet takes a minute to start: a push follows the first guide, and a release all of them on
# one fleet. See noxfile.py.
FIRST = GUIDES / "getting_started.md"
ALONE = [
    pytest.param(
        page,
        marks=pytest.mark.alone if page in ON_THE_FLEET and page != FIRST else (),
        id=page.relative_to(ROOT).as_posix(),
    )
    for page in PAGES
]


@pytest.mark.parametrize("page", ALONE)
def test_every_snippet_of_a_page_does_what_the_page_says(
    page: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A short name, since sockets of pages have no long ones.
    with Reader(tmp_path_factory.mktemp("page")) as reader:
        reader.follow(page)


@pytest.mark.release
def test_whoever_follows_the_guides_from_top_to_bottom_on_one_fleet_types_every_word_as_it_is(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tmp_path = tmp_path_factory.mktemp("page")
    guides = {page.name for page in list_guides()} - {"README.md"}
    index = (GUIDES / "README.md").read_text(encoding="utf-8")
    # The index has pages of reference as well.
    pages = re.findall(r"^\| \[.*\]\((\w+\.md)\)", index, re.MULTILINE)
    order = [name for name in pages if name in guides]

    assert sorted(order) == sorted(guides)

    with Reader(tmp_path) as reader:
        for name in order:
            if GUIDES / name in ON_THE_FLEET:
                reader.follow(GUIDES / name)
            if name in CLEARED_UP:
                assert (
                    list((tmp_path / "home" / "panel-play" / name.removesuffix(".md")).iterdir())
                    == []
                )
        # Its playbooks can be run again, it says, and all of them once more.
        for snippet in list_snippets(GUIDES / "dns.md"):
            twice = snippet.language == "shell" and snippet.directive != "fails"
            reader.do(replace(snippet, text=snippet.text * 2) if twice else snippet)


@pytest.mark.parametrize("page", list_guides(), ids=lambda page: page.name)
def test_a_guide_says_at_its_top_that_it_can_be_typed_as_it_is_which_is_tried(page: Path) -> None:
    top = page.read_text(encoding="utf-8").partition("\n## ")[0]
    types_something = has_snippet(page, "shell")

    assert types_something == (page in ON_THE_FLEET)
    assert (PROMISE in top) == (types_something and page.name != "getting_started.md")
    assert (NOTHING_TO_TYPE in top) == (not types_something and page.name != "README.md")


# Guides write this address for each client that they create. The fleet begins with acme.
ADDRESS_OF_A_CLIENT = re.compile(r"\bit@(?!acme\b)(\w+)\.example\b")


def test_no_two_guides_on_one_fleet_create_the_same_client() -> None:
    guides_by_client: dict[str, list[str]] = {}
    for page in ON_THE_FLEET:
        for client in set(ADDRESS_OF_A_CLIENT.findall(page.read_text(encoding="utf-8"))):
            guides_by_client.setdefault(client, []).append(page.name)

    assert len(guides_by_client) > 4
    assert {client: pages for client, pages in guides_by_client.items() if len(pages) > 1} == {}


# The words of these stay within the shell; those of any program are for every user of the machine
# to read.
WITHIN_THE_SHELL = ("export", "printf", "read")
A_KEY = re.compile(r"\$\{?\w*KEY\b|panel-play/keys")


@pytest.mark.parametrize("page", list_guides(), ids=lambda page: page.name)
@pytest.mark.parametrize("port", FLEET_PORTS)
def test_no_guide_writes_a_port_of_the_practice_fleet_which_a_reader_may_choose(
    page: Path, port: str
) -> None:
    assert port not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", list_guides(), ids=lambda page: page.name)
def test_no_key_is_a_word_of_a_command(page: Path) -> None:
    shells = [snippet for snippet in list_snippets(page) if snippet.language == "shell"]
    commands = [
        command
        for snippet in shells
        for command in re.split(r"[|;&\n]+(?:\s*do\b)?", snippet.text)
        if A_KEY.search(command)
    ]

    assert [command for command in commands if command.split()[0] not in WITHIN_THE_SHELL] == []
