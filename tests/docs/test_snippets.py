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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_few_snippets_of_a_page_are_not_run(page: Path) -> None:
    assert len([snippet for snippet in snippets(page) if snippet.reason]) <= MOST_NOT_RUN
