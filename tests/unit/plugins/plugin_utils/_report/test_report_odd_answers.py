# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a panel puts into a member: there is a report."""

from __future__ import annotations

import copy
import datetime
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_answers import PanelReading, members
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_data import Thresholds, report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.report_page import page
from ansible_collections.hosting.panel.plugins.plugin_utils._report.usage import by_service

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, float("inf"), 10**400, "", "x", "\ud800\x00", [], [[]], {}, {"value": []}, ["x", None],
    "2026-11-20", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59",
)  # fmt: skip
USED = {"value": 5, "max": 10}
READ: dict[str, Any] = {
    "server": {
        "meta": {"hostname": "one", "panel_version": "26", "uptime": {"days": 5}},
        "operating_system": {"label": "Debian", "updates": {"reboot_required": True}},
        "resources": {"consumed_disk_space": 50, "traffic": 7},
    },
    "objects": {
        "plans": [{"id": 3, "name": "Business"}],
        "clients": [{"id": 1, "username": "acme", "status": 2, "id_hosting_plan": 3, "is_suspended": False}],
        "domains": [
            {
                "domain": "acme.example",
                "domain_utf8": "acme.example",
                "id_user": 1,
                "status": 2,
                "is_subdomain": False,
                "is_system_domain": False,
                "security": {"id_certificate": 7, "lets_encrypt": False},
            }
        ],
        "certificates": [
            {
                "id": 7,
                "name": "c",
                "id_user": 1,
                "issuer": "CA",
                "valid_till": "2026-11-21",
                "secured_domains": ["a", "b"],
            }
        ],
        "emails": [{"email": "a@acme.example", "email_utf8": "a@acme.example", "size": 5, "max_size": 5, "id_user": 1}],
        "databases": [{"database_name": "a"}],
    },
    "stats": {1: {"disk_space": USED, "domains": USED}},
    "traffic": {1: {"2026-11": {"http": {"in": 5, "out": 5}}}},
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every member below the objects themselves, which are checked where they are read."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from places(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from places(member, (*path, index))
    if len(path) > (3 if path[:1] == ("objects",) else 2):
        yield path


def changed(odd: Any, *ways: tuple[Any, ...]) -> dict[str, Any]:
    read = copy.deepcopy(READ)
    for way in ways:
        holder = read
        for name in way[:-1]:
            holder = holder[name]
        holder[way[-1]] = odd
    return read


def reported(read: dict[str, Any]) -> dict[str, Any]:
    two = PanelReading("two", "two", objects=READ["objects"])
    read["traffic"] = {1: {month: by_service(members(told)) for month, told in read["traffic"][1].items()}}
    return report([PanelReading("one", "one", 100, **read), two], NOW, Thresholds(), "Report")


@pytest.mark.parametrize("way", list(places(READ)), ids=lambda way: ".".join(str(name) for name in way))
def test_one_odd_member_makes_a_report_all_the_same(way: tuple[Any, ...]) -> None:
    for odd in ODD:
        text = json.dumps(reported(changed(odd, way)), ensure_ascii=False, allow_nan=False)
        assert text.encode()


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_a_panel_of_odd_members_makes_a_page(odd: Any) -> None:
    leaves = [way for way in places(READ) if not isinstance(value_at(way), (dict, list))]
    text = page(reported(changed(odd, *leaves)))
    assert text.encode() and "two" in text


def value_at(way: tuple[Any, ...]) -> Any:
    value: Any = READ
    for name in way:
        value = value[name]
    return value
