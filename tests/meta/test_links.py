"""Every link of a page leads somewhere, in the repository and in the archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import links
from tools.layout import ROOT

REPOSITORY = links.read_repository()
ADDRESS = links.Address.read(links.read_galaxy())
# Galaxy shows these and has no others; which files the archive has is a test of the archive.
OF_THE_ARCHIVE = {
    page: text
    for page, text in REPOSITORY.pages.items()
    if page.startswith(("docs/", "roles/")) or page in ("README.md", "SECURITY.md")
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


@pytest.mark.parametrize("picture", PICTURES, ids=str)
def test_a_picture_that_a_page_shows_is_one(picture: Path) -> None:
    assert (ROOT / picture).read_bytes().startswith(b"\x89PNG\r\n")
