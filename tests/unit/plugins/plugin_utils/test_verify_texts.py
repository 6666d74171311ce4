# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What panel_verify writes for a person: the worst first, and a row for the README."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._verify.evidence import DIFFERS
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.points import read_points
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.texts import (
    VERIFIED,
    lines,
    page,
    shortened,
    version_line,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.verdicts import checks
from tools.layout import ROOT

POINTS = read_points()
FOUND: dict[str, Any] = {
    **{name: point.default for name, point in POINTS.items() if point.seen != "never"},
    "dates": "utc",
    "unlimited_size": "refused",
    "dkim_read": "otherwise",
    "txt_read": None,
    "wrong_key": None,
}


def test_what_nobody_knows_comes_before_what_matters_and_that_before_what_is_harmless() -> None:
    made = checks(FOUND, POINTS, frozenset({"read", "write"}))
    table = [line.split()[0:2] for line in lines(made, POINTS, [])]
    assert [row[1] for row in table[:3]] == ["dkim_read", "unlimited_size", "dates"]
    assert [row[0] for row in table] == ["otherwise"] * 3 + ["could", *["as"] * 4, "not"]


def test_a_line_says_what_was_found_and_what_that_means() -> None:
    made = checks(FOUND, POINTS, frozenset({"read", "write"}))
    said = "\n".join(lines(made, POINTS, ["3 requests"]))
    assert "A mailbox with the size -1: refused instead of unlimited. A mailbox without a limit cannot be made." in said
    assert "could not be seen       1 point         txt_read" in said
    assert f"with wrong_key: 1, never: {sum(point.seen == 'never' for point in POINTS.values())}" in said
    assert said.endswith("\n3 requests")


def test_of_a_point_of_which_nothing_can_be_said_the_reason_is_told() -> None:
    made = checks({**FOUND, "txt_read": DIFFERS}, POINTS, frozenset({"read", "write"}))
    assert "txt_read (Asked a second time, the panel answered otherwise)" in "\n".join(lines(made, POINTS, []))
    row = next(line for line in page(made, POINTS, "", "", [], None).splitlines() if line.startswith("| `txt_read`"))
    assert "could not be seen" in row
    assert DIFFERS.reason in row
    assert [check["found"] for check in made if check["id"] == "txt_read"] == [None]


@pytest.mark.parametrize(
    ("version", "is_told"), [("26.0", False), ("26.1.2", False), ("25.3", True), ("27.0", True), ("", False)]
)
def test_a_panel_of_another_year_than_the_description_is_told(version: str, is_told: bool) -> None:
    assert (f"The panel is version {version}" in version_line(version)) is is_told


def test_the_last_line_of_the_page_is_a_row_of_the_table_in_the_readme() -> None:
    text = page(checks(FOUND, POINTS, frozenset({"read", "write"})), POINTS, "26.0", "hosting.panel 1.0.0", [], None)
    row = [cell.strip() for cell in text.splitlines()[-1].strip("|").split("|")]
    unseen = 2 + sum(point.seen == "never" for point in POINTS.values())
    seen = f"{len(POINTS) - unseen} of {len(POINTS)}"
    assert row == ["26.0", "hosting.panel 1.0.0", seen, "dkim_read, unlimited_size, dates", "", ""]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = [
        line
        for line in readme.partition("\n## Verified panels\n")[2].partition("\n## ")[0].splitlines()
        if line[:1] == "|"
    ]
    assert table[0] == f"| {' | '.join(VERIFIED)} |"
    assert {line.count(" | ") for line in table} == {len(VERIFIED) - 1}
    assert ("Nobody has added a panel yet." in readme) is (len(table) == 2)


@pytest.mark.parametrize(
    ("number", "end"), [(0, ""), (1, "name0"), (10, "name8, name9"), (11, "name9, and 1 more"), (60, "and 50 more")]
)
def test_a_long_list_is_cut_on_the_screen(number: int, end: str) -> None:
    assert shortened([f"name{one}" for one in range(number)]).endswith(end)
    assert shortened([f"name{one}" for one in range(number)]).count("name") == min(number, 10)
