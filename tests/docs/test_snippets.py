# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever follows a page gets what it shows."""

from __future__ import annotations

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
