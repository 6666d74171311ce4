# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page and the lines of a report: what a panel says is text, nothing is loaded, and the charts are right."""

from __future__ import annotations

import datetime
import html.parser
import re
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report import page as words
from ansible_collections.hosting.panel.plugins.plugin_utils._report.make_report import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.page import expiries, lines, page, stacks
from ansible_collections.hosting.panel.plugins.plugin_utils._report.reading import PanelReading

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
EVIL = "</script><script>alert('{{ 7 * 7 }}')</script><img src=x onerror=alert(1)>\"'&\u202e"
CLEAN = EVIL[:-1]  # as an operator names things


class Elements(html.parser.HTMLParser):
    """The names of all elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _value in attrs}
        self.ids += [str(value) for name, value in attrs if name == "id"]
        self.targets |= {str(value) for name, value in attrs if name == "href"}


def evil_panel(name: str) -> PanelReading:
    stats = {"disk_space": {"value": 100, "max": 100}, "traffic": {"value": EVIL, "max": EVIL}}
    objects = {
        "clients": [{"id": 1, "username": EVIL, "status": 2, "id_hosting_plan": 3}],
        "plans": [{"id": 3, "name": EVIL}],
        "domains": [
            {"domain": EVIL, "domain_utf8": EVIL, "id_user": 1, "status": 2, "security": {"id_certificate": 7}}
        ],
        "certificates": [
            {"id": 7, "name": EVIL, "issuer": EVIL, "valid_till": "2026-11-21", "secured_domains": [EVIL]}
        ],
        "emails": [{"email": EVIL, "size": 5, "max_size": 5, "id_user": 1, "status": 2}],
    }
    shown = {"meta": {"hostname": EVIL, "panel_version": EVIL}, "operating_system": {"label": EVIL}}
    change = {"kind": "clients", "key": CLEAN, "what": "different", "details": CLEAN}
    drift = {"is_compared": True, "failure": "", "changes": [change]}
    return PanelReading(name, name, 100, "", (CLEAN,), shown, objects, {1: stats}, {1: {"2026-11": {"web": 10}}}, drift)


def rendered(*readings: PanelReading, title: str = "Report") -> str:
    return page(report(readings, NOW, title))


def test_what_a_panel_says_is_shown_as_text_wherever_it_is_shown() -> None:
    text = rendered(evil_panel("one"), evil_panel(CLEAN), PanelReading(CLEAN, CLEAN, failure=CLEAN), title=CLEAN)
    assert text.count("&lt;/script&gt;&lt;script&gt;") > 20
    # One script and no picture, and the direction of a line is not turned.
    assert Elements(text).names.count("script") == 1
    assert "img" not in Elements(text).names and "\u202e" not in text
    assert "49" not in text.replace("{{ 7 * 7 }}", "").partition("</style>")[2].partition("<script>")[0]


def test_the_page_loads_nothing_links_nowhere_and_allows_its_own_style_and_script_alone() -> None:
    text = rendered(evil_panel("one"))
    elements = Elements(text)
    assert {name for name in elements.attributes if name in ("style", "src") or name.startswith("on")} == set()
    assert {"link", "img", "iframe", "object", "form"} & set(elements.names) == set()
    assert {target for target in elements.targets if not target.startswith("#")} == set()
    assert {target[1:] for target in elements.targets} <= set(elements.ids)
    assert len(elements.ids) == len(set(elements.ids))
    policy = re.search(r'Security-Policy" content="([^"]*)"', text)
    assert policy and re.sub(r"sha256-[A-Za-z0-9+/=]+", "X", policy[1]) == (
        "default-src 'none'; style-src 'X'; script-src 'X'; base-uri 'none'; form-action 'none'"
    )


def test_a_page_without_any_panel_that_could_be_read_says_so() -> None:
    text = rendered(PanelReading("one", "one.example", failure="It is away."))
    assert "Could not be read: It is away." in text and "0 clients" in text


def test_columns_are_stacked_in_percent_of_the_highest() -> None:
    found = stacks(["2026-10", "2026-11"], [("one", [30, 0]), ("two", [10, 20])])
    first, second = {"index": 1, "bottom": 0.0, "height": 75.0}, {"index": 2, "bottom": 75.0, "height": 25.0}
    assert [(one["label"], one["shown"], one["parts"]) for one in found["columns"]] == [
        ("Oct", "40\u00a0B", [first, second]),
        ("Nov", "20\u00a0B", [{"index": 2, "bottom": 0.0, "height": 50.0}]),
    ]
    assert stacks(["2026-10"], [("one", [0])])["columns"][0]["parts"] == []


def test_a_large_fleet_shows_its_largest_servers_and_the_others_together() -> None:
    found = stacks(["2026-10"], [(f"server-{number}", [number]) for number in range(10)])
    assert found["names"] == ["server-5", "server-6", "server-7", "server-8", "server-9", "5 others"]
    assert found["columns"][0]["total"] == 45


@pytest.mark.parametrize(("days", "column"), [(-1, 0), (0, 1), (6, 1), (7, 2), (90, 13), (91, 14), (4000, 14)])
def test_certificates_are_counted_by_week(days: int, column: int) -> None:
    found = expiries([{"days": days, "used_by": ["a.example"], "level": "fine"}, {"days": 3, "used_by": []}])
    assert [index for index, one in enumerate(found) if one["total"]] == [column]


@pytest.mark.parametrize(("soon", "later", "is_cut"), [(2, 61, True), (0, 61, False), (2, 2, False), (2, 3, True)])
def test_only_the_last_column_is_cut_if_it_would_dwarf_the_others(soon: int, later: int, is_cut: bool) -> None:
    days = [10] * soon + [200] * later
    ends = [(NOW + datetime.timedelta(days=one)).date().isoformat() for one in days]
    objects = {
        "certificates": [{"id": at, "name": f"c-{at}", "valid_till": end} for at, end in enumerate(ends, 1)],
        "domains": [
            {"domain": f"c-{at}.example", "security": {"id_certificate": at}} for at in range(1, len(ends) + 1)
        ],
    }
    found = report([PanelReading("one", "one", objects=objects)], NOW)
    columns = expiries(found["certificates"])
    assert [one["is_cut"] for one in columns] == [False] * (len(columns) - 1) + [is_cut]
    assert sum(part["height"] for part in columns[-1]["parts"]) == 100
    shown = page(found)
    assert shown.count("not to the scale of the others") == int(is_cut)


def test_words_fit_their_numbers() -> None:
    assert [words.remaining(days) for days in (None, -2, -1, 0, 1, 2)] == [
        "unknown", "ended 2 days ago", "ended yesterday", "today", "tomorrow", "in 2 days",
    ]  # fmt: skip
    assert [words.counted(number, "mailbox", "mailboxes") for number in (0, 1)] == ["0 mailboxes", "1 mailbox"]
    assert words.amount(1234567).split("\u202f") == ["1", "234", "567"]
    shown = [words.percent(value).replace("\u00a0", " ") for value in (None, 99.9, 999.0)]
    assert shown == ["–", "99 %", "over 999 %"]
    assert (words.month("2026-01"), words.month("2026-11"), words.day(None)) == ("Jan 2026", "Nov", "unknown")


def test_the_lines_name_what_needs_attention_and_nothing_else() -> None:
    fine: dict[str, Any] = report([PanelReading("one", "one")], NOW)
    assert lines(fine) == ["1 of 1 panel read, 0 clients", "nothing needs attention"]
    assert lines(report([evil_panel("one")], NOW)) == [
        "1 of 1 panel read, 1 client",
        "panels: 1 panel to check",
        "limits: 1 client over or at a limit",
        "mailboxes: 1 mailbox full",
        "certificates: 1 certificate ended or urgent",
        "errors: 3 objects with the status error",
        "drift: 1 object different from the export",
    ]
