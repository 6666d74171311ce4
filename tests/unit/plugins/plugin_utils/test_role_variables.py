# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which variables are taken for typing mistakes."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.hosts import hosts_of
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.role_variables import (
    missing_variables,
    unknown_variables,
    with_variables,
    wrong_values,
)
from tools.layout import ROOT

KNOWN = ["site_emails", "site_result", "site_dns"]
(TASK, *_REST) = yaml.safe_load((ROOT / "playbooks" / "tasks" / "variables.yml").read_text(encoding="utf-8"))
OF_PLAYBOOKS = TASK["hosting.panel.panel_variables"]
SHARED = [*OF_PLAYBOOKS["known"], *OF_PLAYBOOKS["types"]]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["site_emails", "site_result", "sites_x", "sites", "__site_x", "my_site_x", "ansible_host"], []),
        (["site_EMAILS"], ["site_EMAILS: did you mean site_emails?"]),
        (["site_xyz", "site_emial"], ["site_emial: did you mean site_emails?", "site_xyz: there is no such variable."]),
        (["site_"], ["site_: there is no such variable."]),
        (["site_map_url", "site_qqq"], ["site_qqq: there is no such variable."]),
    ],
)
def test_a_variable_with_the_prefix_that_is_not_known_is_refused(names: list[str], found: list[str]) -> None:
    assert unknown_variables(names, "site_", ["site", *KNOWN], ["site_map_*"]) == found


def test_the_playbooks_know_every_variable_that_they_use() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("playbooks/**/*.yml")]
    modules = {path.stem for path in ROOT.glob("plugins/*/panel_*.py")} | {"panel_simulator", "panel_purg"}
    used = set(re.findall(r"(?<![\w.])panel_[a-z_]*[a-z]\b", "\n".join(texts))) - modules
    # The names of one host of the inventory plugin, which are no variables of the playbooks; and what only the role report reads.
    assert used - {"panel_name", "panel_client", "panel_hosting_plan"} | {"panel_disk_space"} == set(SHARED)


@pytest.mark.parametrize(
    "name", ["checksum", "approved_checksum", "plan_checksum", "dry_run", "check", "clients", "client"]
)
def test_a_variable_that_no_playbook_has_is_refused(name: str) -> None:
    (found,) = unknown_variables([f"panel_{name}"], "panel_", SHARED)
    assert found.startswith(f"panel_{name}: ")


WORDS = (True, False, 1, 0, "true", "False", "YES", "no", "on", "off", "1", "0", " yes ")


@pytest.mark.parametrize("value", WORDS)
def test_a_switch_takes_words_that_mean_one_thing(value: Any) -> None:
    assert (
        wrong_values({"panel_confirm": value, "panel_dir": "x"}, {"panel_confirm": "bool", "panel_dir": "path"}) == []
    )


@pytest.mark.parametrize("value", ["ture", "y", "t", "n", "", None, 2, 1.5, [], {}, "{{ x }}"])
def test_a_switch_with_any_other_value_is_refused_without_showing_it(value: Any) -> None:
    (found,) = wrong_values({"panel_confirm": value}, {"panel_confirm": "bool"})
    assert found == "panel_confirm has to be true or false."


@pytest.mark.parametrize("value", ["", "  ", None])
def test_an_empty_path_is_refused_by_the_name_of_its_variable(value: Any) -> None:
    (found,) = wrong_values({"panel_dir": value, "panel_x": value}, {"panel_dir": "path"})
    assert found == "panel_dir is empty: it has to name a path, or to be left out."


def test_what_is_not_given_has_no_wrong_value() -> None:
    assert wrong_values({}, {"panel_confirm": "bool", "panel_dir": "path"}) == []


@pytest.mark.parametrize("kind", ["clients", "domains"])
def test_no_variable_of_the_inventory_looks_like_a_mistake(kind: str) -> None:
    members = members_of(kind) | {"id", "status", "created_at", "id_parent_domain", "id_hosting_plan"}
    item = {**dict.fromkeys(members, 1), "username": "acme", "domain": "acme.example", "is_system_domain": False}
    reading: dict[str, list[dict[str, Any]]] = {"clients": [item], "domains": [item], "hosting_plans": []}
    (host,) = hosts_of({"p": reading}, kind, ["main_domains", "subdomains"], panel_in_names=False)[0]
    assert len(host.variables) > len(members)
    variables = {**host.variables, "panel_name": "p", "panel_api_url": "https://panel.example"}
    assert unknown_variables(variables, "panel_", SHARED, is_shared=True) == []
    assert {"panel_client", "panel_hosting_plan"} <= set(variables)


def members_of(kind: str) -> set[str]:
    """The members that the table of a kind has."""
    table = TABLES[kind]
    return {getattr(row, "name", "") for row in (*table.key, *table.rows)}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("max: is 0. id: is empty.", "max (r_max in the role r): is 0. id (r_name in the role r): is empty."),
        ("2 mistakes: id[1].x: is wrong.", "2 mistakes: id[1].x (r_name in the role r): is wrong."),
        ("except: nothing is called id: did you mean max?", "except: nothing is called id: did you mean max?"),
        ("clients acme: max is 0: id:", "clients acme: max is 0: id:"),
        ("max: 3 go. If so, set max: 3.", "max (r_max in the role r): 3 go. If so, set r_max: 3."),
    ],
)
def test_options_that_begin_a_sentence_have_the_roles_variables_behind_them(message: str, told: str) -> None:
    assert with_variables(message, "r", {"max": "r_max", "id": "r_name"}) == told


@pytest.mark.parametrize(
    ("hosts", "missing"),
    [
        ({"localhost": []}, {}),
        ({"web-1": ["url", "key"]}, {}),
        ({"web-1": ["key"], "web-2": ["url"], "web-3": []}, {"url": "web-1, web-3", "key": "web-2, web-3"}),
    ],
)
def test_a_host_of_the_inventory_misses_what_only_localhost_has_from_the_environment(
    hosts: dict[str, list[str]], missing: dict[str, str]
) -> None:
    found = missing_variables(hosts, ["url", "key"])
    assert [text.partition(".")[0] for text in found] == [f"{name}: missing for {on}" for name, on in missing.items()]
