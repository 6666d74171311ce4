# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page: everything that a panel says is text, charts add up, words fit numbers."""

from __future__ import annotations

import datetime
import html.parser
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report import report_words
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_answers import Drift, PanelReading
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_data import Thresholds, report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_page import expiries, page, stacks
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_words import lines

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
EVIL = "</script><script>alert('{{ 7 * 7 }}')</script><img src=x onerror=alert(1)>\"'&\u202e"
CLEAN = EVIL[:-1]  # as what is read is handed on, and as an operator names things


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
    traffic = {1: {"2026-11": {"web": 10}}}
    return PanelReading(name, name, 100, "", (CLEAN,), shown, objects, {1: stats}, traffic, Drift((change,)))


def rendered(readings: list[PanelReading], title: str = "Report") -> str:
    return page(report(readings, NOW, Thresholds(), title))


def test_what_a_panel_says_is_shown_as_text_wherever_it_is_shown() -> None:
    tame = Elements(rendered([evil_panel("one"), evil_panel("two")])).names
    text = rendered([evil_panel("one"), evil_panel(CLEAN), PanelReading(CLEAN, CLEAN, failure=CLEAN)], CLEAN)
    assert text.count("&lt;/script&gt;&lt;script&gt;") > 20
    # One script and no picture, as without it, and the direction of a line is not turned.
    assert Elements(text).names.count("script") == tame.count("script") == 1
    assert "img" not in Elements(text).names
    assert "\u202e" not in text
    assert "49" not in text.replace("{{ 7 * 7 }}", "").partition("</style>")[2].partition("<script>")[0]


def test_the_page_has_no_style_or_handler_in_an_attribute_and_loads_nothing() -> None:
    elements = Elements(rendered([evil_panel("one")]))
    assert {name for name in elements.attributes if name == "style" or name.startswith("on")} == set()
    assert {"link", "img", "iframe", "object", "form"} & set(elements.names) == set()
    assert "src" not in elements.attributes
    assert {target for target in elements.targets if not target.startswith("#")} == set()
    assert {target[1:] for target in elements.targets} <= set(elements.ids)
    assert len(elements.ids) == len(set(elements.ids))


def test_a_page_without_any_panel_that_could_be_read_says_so() -> None:
    text = rendered([PanelReading("one", "one.example", failure="It is away.")])
    assert "Could not be read: It is away." in text
    assert "0 clients" in text


def test_the_same_data_and_time_make_the_same_page() -> None:
    assert rendered([evil_panel("one")]) == rendered([evil_panel("one")])


def test_columns_are_stacked_in_percent_of_the_highest() -> None:
    found = stacks(["2026-10", "2026-11"], [("one", [30, 0]), ("two", [10, 20])])
    assert found["columns"] == [
        {
            "label": "2026-10",
            "total": 40,
            "parts": [{"series": 1, "bottom": 0.0, "height": 75.0}, {"series": 2, "bottom": 75.0, "height": 25.0}],
        },
        {"label": "2026-11", "total": 20, "parts": [{"series": 2, "bottom": 0.0, "height": 50.0}]},
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


@pytest.mark.parametrize(
    ("soon", "later", "is_cut"), [(2, 61, True), (0, 61, False), (2, 2, False), (2, 1, False), (2, 3, True)]
)
def test_only_the_last_column_is_cut_and_has_a_mark_where_it_would_dwarf_the_others(
    soon: int, later: int, is_cut: bool
) -> None:
    numbers = range(soon + later)
    days = [10 if number < soon else 200 for number in numbers]
    ends = [(NOW + datetime.timedelta(days=one)).date().isoformat() for one in days]
    objects = {
        "certificates": [{"id": at + 1, "name": f"c-{at}", "valid_till": ends[at]} for at in numbers],
        "domains": [{"domain": f"c-{at}.example", "security": {"id_certificate": at + 1}} for at in numbers],
    }
    found = report([PanelReading("one", "one", objects=objects)], NOW, Thresholds(), "Report")
    columns = expiries(found["certificates"])
    assert [one["is_cut"] for one in columns] == [False] * (len(columns) - 1) + [is_cut]
    assert sum(part["height"] for part in columns[-1]["heights"]) == (100 if later >= soon else 50)
    shown = page(found)
    assert shown.count('class="cut"') == shown.count("not to the scale of the others") == int(is_cut)


def test_words_fit_their_numbers() -> None:
    assert [report_words.remaining(days) for days in (None, -2, -1, 0, 1, 2)] == [
        "unknown", "ended 2 days ago", "ended yesterday", "today", "tomorrow", "in 2 days",
    ]  # fmt: skip
    assert [report_words.counted(number, "mailbox", "mailboxes") for number in (0, 1, 2)] == [
        "0 mailboxes",
        "1 mailbox",
        "2 mailboxes",
    ]
    assert report_words.amount(1234567).split("\u202f") == ["1", "234", "567"]
    assert [report_words.percent(value).replace("\u00a0", " ") for value in (None, 99.9, 999.0)] == [
        "–",
        "99 %",
        "over 999 %",
    ]
    assert (report_words.month("2026-01"), report_words.month("2026-11"), report_words.day(None)) == (
        "Jan 2026",
        "Nov",
        "unknown",
    )


def test_the_lines_name_what_needs_attention_and_nothing_else() -> None:
    fine: dict[str, Any] = report([PanelReading("one", "one")], NOW, Thresholds(), "Report")
    assert lines(fine) == ["1 of 1 server read, 0 clients", "nothing needs attention"]
    assert lines(report([evil_panel("one")], NOW, Thresholds(), "Report")) == [
        "1 of 1 server read, 1 client",
        "servers: 1 server with something to look at",
        "limits: 1 client over or at a limit",
        "mailboxes: 1 mailbox full",
        "certificates: 1 certificate ended or urgent",
        "errors: 3 objects in the state of error",
        "drift: 1 object different from the export",
    ]
