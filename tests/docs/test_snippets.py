# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever follows a page gets what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.snippets import Reader, snippets
from tools.layout import ROOT

# The role simulator is what docs/guides/getting_started.md starts.
ROLES = [path for path in sorted(ROOT.glob("roles/*/README.md")) if path.parent.name != "simulator"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "guides").glob("*.md")), *ROLES]
MOST_NOT_RUN = 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_snippet_of_a_page_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    with Reader(tmp_path) as reader:
        reader.follow(page)


def test_the_guide_to_dns_holds_on_the_panel_that_getting_started_leaves_and_once_more(tmp_path: Path) -> None:
    guides = ROOT / "docs" / "guides"
    first = snippets(guides / "getting_started.md")
    clear_up = [snippet for snippet in first if "simulator_state=absent" in snippet.text]
    with Reader(tmp_path) as reader:
        for snippet in first:
            if snippet not in clear_up:
                reader.do(snippet)
        reader.go_on(guides / "dns.md")
        reader.go_on(guides / "dns.md")
        reader.do(*clear_up)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_few_snippets_of_a_page_are_not_run(page: Path) -> None:
    assert len([snippet for snippet in snippets(page) if snippet.reason]) <= MOST_NOT_RUN


# By hand, against whatever panel the terminal names.
WRITES = re.compile(r"panel_(?!\w*_info)\w+ -a .*(state=absent|\"resources\": \{)")


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=lambda page: page.name)
def test_before_a_guide_makes_or_deletes_something_by_hand_it_says_what_that_would_do_on_a_live_panel(
    page: Path,
) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    for snippet in snippets(page):
        own_panel = "PANEL_API_URL=http://127.0.0.1:18080" in snippet.text and "recorder" not in snippet.text
        if snippet.language == "shell" and WRITES.search(snippet.text) and not own_panel:
            assert "live panel" in " ".join(lines[: snippet.line]), snippet.place
