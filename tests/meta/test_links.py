"""Every link of a page leads somewhere, in the repository and in the archive."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import links
from tools.generated import list_texts, write_addresses_of_guides
from tools.layout import ROOT
from tools.words import list_strings

REPOSITORY = links.read_repository()
ADDRESS = links.Address.read(links.read_galaxy())
# Galaxy shows these and has no others; which files the archive has is a test of the archive.
OF_THE_ARCHIVE = {
    page: text
    for page, text in REPOSITORY.pages.items()
    if page.startswith(("docs/", "roles/")) or page in ("README.md", "SECURITY.md")
}
PLUGINS = ("doc_fragments", "filter", "inventory", "lookup", "modules")
LINK_OF_ANSIBLE = re.compile(r"(?:L\([^)]*,|link: )(https?:[^)\s]+)")
# What ansible-doc shows. The rest of these files are for developers, who have the repository.
DOCUMENTATION = {
    path.relative_to(ROOT).as_posix(): "\n".join(list_strings(path))
    for folder in PLUGINS
    for path in sorted((ROOT / "plugins" / folder).glob("*.py"))
} | {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "roles").glob("*/meta/argument_specs.yml"))
}
PICTURES = sorted(
    {
        Path(link.page).parent / link.target
        for page, text in REPOSITORY.pages.items()
        for link in links.list_links(page, text)
        if link.is_picture
    }
)


def test_every_link_leads_somewhere_in_the_repository() -> None:
    followed, dead = links.list_dead(REPOSITORY, REPOSITORY, ADDRESS)

    assert followed > 100
    assert dead == []


def test_every_link_of_a_page_of_the_archive_leads_somewhere_without_the_files_around_it() -> None:
    pages = {
        page: links.write_whole_addresses(text, page, ADDRESS)
        for page, text in OF_THE_ARCHIVE.items()
    }
    reader = links.Files(frozenset(pages), pages)

    followed, dead = links.list_dead(
        reader, REPOSITORY, ADDRESS, is_published=True, has_files=False
    )

    assert followed > 100
    assert dead == []


def test_the_documentation_of_a_plugin_or_role_names_no_page_without_its_address() -> None:
    pages = "|".join(re.escape(page) for page in REPOSITORY.pages if not page.startswith("."))
    # Ansible's own documentation and Galaxy show no path of the repository as a link.
    bare = re.compile(rf"(?<![\w./-])(?:{pages})(?![\w-])")
    named = [
        (path, match[0]) for path, text in DOCUMENTATION.items() for match in bare.finditer(text)
    ]

    assert named == []


def test_every_link_of_the_documentation_of_a_plugin_or_role_leads_somewhere() -> None:
    # As a page of Markdown has them.
    pages = {
        path: "\n\n".join(f"<{target}>" for target in LINK_OF_ANSIBLE.findall(text))
        for path, text in DOCUMENTATION.items()
    }
    reader = links.Files(frozenset(pages), pages)

    followed, dead = links.list_dead(
        reader, REPOSITORY, ADDRESS, is_published=True, has_files=False
    )

    assert followed > 0
    assert dead == []


def test_the_addresses_of_galaxy_yml_come_into_the_links_of_the_documentation() -> None:
    earlier = "L(a guide,https://old.example/files/docs/faults.md#error-types), C(docs/dns.md)"
    expected = f"L(a guide,{ADDRESS.find('docs/faults.md')}#error-types), C(docs/dns.md)"

    assert write_addresses_of_guides(earlier) == expected


def test_every_plugin_with_a_link_to_a_guide_gets_the_address_of_galaxy_yml() -> None:
    written = {name for name, write in list_texts() if write is write_addresses_of_guides}
    placeholder = "hosting-panel.example"
    with_address = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("plugins/**/*.py")
        if placeholder in path.read_text(encoding="utf-8")
    }

    assert with_address
    assert with_address <= written


@pytest.mark.parametrize("picture", PICTURES, ids=str)
def test_a_picture_that_a_page_shows_is_one(picture: Path) -> None:
    assert (ROOT / picture).read_bytes().startswith(b"\x89PNG\r\n")
