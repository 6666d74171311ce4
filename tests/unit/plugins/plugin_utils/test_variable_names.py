# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which variables are taken for typing mistakes."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._bulk.kinds import TABLES
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory_hosts import hosts_of
from ansible_collections.hosting.panel.plugins.plugin_utils._variable_names import unknown_variables
from tools.layout import ROOT

KNOWN = ["site_emails", "site_result", "site_dns"]
(SHARED,) = (
    task["hosting.panel.panel_variables"]["known"]
    for task in yaml.safe_load((ROOT / "playbooks" / "tasks" / "variables.yml").read_text(encoding="utf-8"))
)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["site_emails", "site_result", "sites_x", "sites", "__site_x", "my_site_x", "ansible_host"], []),
        (["site_EMAILS"], ["site_EMAILS: did you mean site_emails?"]),
        (["site_xyz", "site_emial"], ["site_emial: did you mean site_emails?", "site_xyz: there is no such variable."]),
        (["site_map_url", "site_qqq"], ["site_qqq: there is no such variable."]),
    ],
)
def test_a_variable_with_the_prefix_that_is_not_known_is_refused(names: list[str], found: list[str]) -> None:
    assert unknown_variables(names, "site_", KNOWN, ["site_map_*"]) == found


@pytest.mark.parametrize(
    "mistake", ["panel_purg", "panel_pruge", "panel_protct", "panel_max_delets", "panel_passwordsfile"]
)
def test_where_others_have_the_prefix_too_only_a_typing_mistake_is_refused(mistake: str) -> None:
    (found,) = unknown_variables([mistake, "panel_x", "panel_firewall"], "panel_", SHARED, is_shared=True)
    assert found.startswith(f"{mistake}: did you mean panel_")


def test_the_playbooks_know_every_variable_that_they_use() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("playbooks/**/*.yml")]
    modules = {path.stem for path in ROOT.glob("plugins/*/panel_*.py")} | {"panel_simulator", "panel_purg"}
    assert set(re.findall(r"(?<![\w.])panel_[a-z_]*[a-z]\b", "\n".join(texts))) - modules == set(SHARED)


@pytest.mark.parametrize("kind", ["clients", "domains"])
def test_no_variable_of_the_inventory_looks_like_a_mistake(kind: str) -> None:
    members = members_of(kind) | {"id", "status", "created_at", "id_parent_domain", "id_hosting_plan"}
    item = {**dict.fromkeys(members, 1), "username": "acme", "domain": "acme.example", "is_system_domain": False}
    reading: dict[str, list[dict[str, Any]]] = {"clients": [item], "domains": [item], "hosting_plans": []}
    (host,) = hosts_of({"p": reading}, kind, ["main_domains", "subdomains"], panel_in_names=False)[0]
    assert len(host.variables) > len(members)
    assert unknown_variables(host.variables, "panel_", SHARED, is_shared=True) == []


def members_of(kind: str) -> set[str]:
    """The members that the table of a kind has."""
    table = TABLES[kind]
    return {getattr(row, "name", "") for row in (*table.key, *table.rows)}
