# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a client whole, also where lists of the panel are short, and noticing what came or went meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job_failed import WithoutId
from ansible_collections.hosting.panel.plugins.plugin_utils._offboard.read_client import ClientChanged, read_client

DOMAIN = {"id": 5, "id_user": 7, "domain": "acme.example", "id_parent_domain": 0}
EMAIL = {"id": 3, "email": "info@acme.example", "id_user": 7}


class Panel:
    """Answers from tables: lists by module, single objects by module and id."""

    def __init__(self, lists: Mapping[str, list[Any]], single: Mapping[tuple[str, int], Any], resources: Any) -> None:
        self.lists, self.single, self.resources = lists, single, resources
        self.asked: list[tuple[str, Any]] = []

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:  # noqa: ARG002
        self.asked.append((module, options.get("id")))
        if module == "panel_resources_info":
            return {"clients": [{"username": "acme"}]}
        if module == "panel_client_info" and "username" in options:
            if options["username"] != "acme":
                return []
            details = {"resources": self.resources, "stats": {}, "traffic": {"http": {"in": 1, "out": 1}}}
            return [{"id": 7, "username": "acme", **details}]
        if options.get("id") is not None:
            found = self.single.get((module, options["id"]))
            return [] if found is None else [found]
        return self.lists.get(module, [])


def panel(**changes: Any) -> Panel:
    usual: dict[str, Any] = {
        "lists": {
            "panel_domain_info": [DOMAIN],
            "panel_email_info": [EMAIL, {"id": 4, "email": "x@y.example", "id_user": 8}],
        },
        "single": {
            ("panel_client_info", 7): {"id": 7, "traffic": {}},
            ("panel_domain_info", 5): {**DOMAIN, "php_version": "8.3"},
            ("panel_email_info", 3): {**EMAIL, "size": 12},
            ("panel_dns_info", 5): {"domain": "acme.example", "records": {"other": []}},
        },
        "resources": {"domains": [{"id": 5}], "emails": [{"id": 3, "size": 12}]},
    }
    return Panel(**{**usual, **changes})


def test_everything_of_the_client_is_read_whole_and_nothing_of_others() -> None:
    one = panel()
    found = read_client(one, "acme", ["2026-10", "2026-11"])
    assert found is not None
    assert found.owned["emails"] == [{**EMAIL, "size": 12}]
    assert found.owned["domains"][0]["php_version"] == "8.3"
    assert list(found.traffic) == ["2026-11", "2026-10"]
    assert [zone["domain"] for zone in found.zones] == ["acme.example"]
    assert ("panel_email_info", 4) not in one.asked


@pytest.mark.parametrize("module", ["panel_email_info", "panel_domain_info"])
def test_an_object_of_the_client_that_is_shown_without_an_id_is_named(module: str) -> None:
    # Two of them would count as one, and the archive would lack the other.
    lists = {"panel_domain_info": [DOMAIN], "panel_email_info": [EMAIL]}
    without = [{name: value for name, value in item.items() if name != "id"} for item in lists[module] * 2]
    named = {"panel_email_info": "emails info@acme.example", "panel_domain_info": "domains acme.example"}[module]
    with pytest.raises(WithoutId, match=f"^{named}: the panel shows it without an id"):
        read_client(panel(lists={**lists, module: without}), "acme", ["2026-11"])


def test_objects_of_others_need_no_id() -> None:
    lists = {"panel_domain_info": [DOMAIN], "panel_email_info": [EMAIL, {"email": "x@y.example", "id_user": 8}]}
    found = read_client(panel(lists=lists), "acme", ["2026-11"])
    assert found is not None
    assert [item["id"] for item in found.owned["emails"]] == [3]


def test_a_client_that_is_not_there_is_none() -> None:
    assert read_client(panel(), "nobody", ["2026-11"]) is None


def test_an_object_whose_owner_no_list_tells_is_found_by_the_clients_resources() -> None:
    short = {"id": 3, "email": "info@acme.example"}
    found = read_client(panel(lists={"panel_domain_info": [DOMAIN], "panel_email_info": [short]}), "acme", ["2026-11"])
    assert found is not None
    assert found.owned["emails"] == [{**EMAIL, "size": 12}]


@pytest.mark.parametrize(
    "gone", [("panel_email_info", 3), ("panel_domain_info", 5), ("panel_client_info", 7)], ids=lambda gone: gone[0]
)
def test_what_went_meanwhile_is_named(gone: tuple[str, int]) -> None:
    single = {place: item for place, item in panel().single.items() if place != gone}
    with pytest.raises(ClientChanged, match=r"emails 3|domains 5|clients acme"):
        read_client(panel(single=single), "acme", ["2026-10", "2026-11"])


def test_a_domain_without_a_zone_is_no_change() -> None:
    single = {place: item for place, item in panel().single.items() if place[0] != "panel_dns_info"}
    found = read_client(panel(single=single), "acme", ["2026-11"])
    assert found is not None
    assert found.zones == []
