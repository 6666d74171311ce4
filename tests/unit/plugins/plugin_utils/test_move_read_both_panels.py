# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether source and target of a move are two panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._move.mapping import CannotMove
from ansible_collections.hosting.panel.plugins.plugin_utils._move.read_both_panels import read_both

BORN = "2026-01-01T00:00:00+0000"
SERVER = {"hostname": "One.Panel.example", "ip_addresses": ["192.0.2.1", "2001:db8::1"]}
SAME = {"hostname": "one.panel.example.", "ip_addresses": ["2001:DB8:0::1", "192.0.2.1"]}
OTHER = {"hostname": "two.panel.example", "ip_addresses": ["192.0.2.1", "2001:db8::1"]}
MOVED = {"hostname": "one.panel.example", "ip_addresses": ["192.0.2.2"]}


class Panel:
    """A panel with one client, or none, on such a server."""

    def __init__(self, client: Mapping[str, Any] | None, meta: Mapping[str, Any]) -> None:
        self.client, self.meta = client, meta

    def succeed(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"resources": self.read(module, "resources", options), "left_out": []}

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:  # noqa: ARG002
        if module == "panel_server_info":
            return {"meta": self.meta}
        clients = [] if self.client is None else [{"username": "acme", **self.client}]
        if module == "panel_client_info":
            return clients
        return {kind: clients if kind == "clients" else [] for kind in options.get("kinds", KINDS)}


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (
            Panel({"id": 7, "created_at": BORN}, SERVER),
            Panel({"id": 7, "created_at": BORN}, OTHER),
            "the time of its making",
        ),
        (Panel({"id": 7}, SERVER), Panel({"id": 7}, SAME), "answers with the host name One.Panel.example"),
        (Panel({"id": 7, "created_at": BORN}, SERVER), Panel({"id": 7}, SAME), "both addresses lead to one panel"),
        (Panel({}, SERVER), Panel({}, SAME), "both addresses lead to one panel"),
        (Panel({"id": 7}, SERVER), Panel({"id": 7}, {}), "cannot be told"),
        (Panel({"id": 7}, {}), Panel({"id": 7}, {}), "cannot be told"),
        (Panel({"id": 7}, {"hostname": "a"}), Panel({"id": 7}, {"hostname": "a"}), "cannot be told"),
    ],
)
def test_one_panel_under_two_addresses_is_refused_also_where_that_cannot_be_told(
    source: Panel, target: Panel, words: str
) -> None:
    with pytest.raises(CannotMove, match=words):
        read_both(source, target, "acme")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (Panel({"id": 7}, SERVER), Panel(None, SAME)),
        (Panel({"id": 7}, SERVER), Panel({"id": 8}, SAME)),
        (Panel({"id": 7, "created_at": BORN}, {}), Panel({"id": 7, "created_at": "2026-01-02"}, {})),
        (Panel({"id": 7}, SERVER), Panel({"id": 7}, OTHER)),
        (Panel({"id": 7}, SERVER), Panel({"id": 7}, MOVED)),
    ],
)
def test_two_panels_are_told_by_the_client_or_by_the_server(source: Panel, target: Panel) -> None:
    assert ("dns" in read_both(source, target, "acme").target) is (target.client is not None)
