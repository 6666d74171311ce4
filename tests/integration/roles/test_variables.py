# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables with a typing mistake, which Ansible would pass over: refused before anything else, by every role and playbook."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, assert_refused, plays_of
from tools.layout import ROOT

MakeOperator = Callable[[str], Operator]
CONNECTION = {"api_url": "https://panel.example", "api_key": "k"}
# What each role cannot do without; and a mistake with what was meant.
MISTAKES: dict[str, tuple[dict[str, Any], str, str]] = {
    "site": ({"site_client": {"username": "acme"}}, "site_mailboxes", "did you mean site_emails?"),
    "sites": ({"sites": []}, "sites_max_delete", "did you mean sites_max_deletes?"),
    "suspend": ({"suspend_clients": ["acme"]}, "suspend_exept", "did you mean suspend_except?"),
    "rotate": (
        {"rotate_id": "1", "rotate_clients": ["acme"], "rotate_credentials_file": "x.yml"},
        "rotate_expect",
        "did you mean rotate_except?",
    ),
    "move": (
        {
            "move_client": "acme",
            "move_step": "prepare",
            "move_source": CONNECTION,
            "move_target": CONNECTION,
            "move_dir": ".",
        },
        "move_adresses",
        "did you mean move_addresses?",
    ),
    "offboard": (
        {"offboard_client": "acme", "offboard_archive_dir": "archive"},
        "offboard_acton",
        "did you mean offboard_action?",
    ),
    "report": ({"report_file": "report.html"}, "report_near_procent", "did you mean report_near_percent?"),
    "simulator": ({"simulator_api_key": "k"}, "simulator_option", "did you mean simulator_options?"),
}
PLAYBOOKS = ("apply", "drift", "export", "onboard", "ping", "plan", "report")
# What some of them cannot do without.
OWN = {"site_client": {"username": "acme"}, "report_file": "report.html", "panel_dir": "."}


def test_every_role_is_among_them() -> None:
    assert sorted(MISTAKES) == sorted({path.name for path in (ROOT / "roles").iterdir()} - {"variables"})


@pytest.mark.parametrize("role", MISTAKES)
def test_a_role_refuses_an_unknown_variable_of_its_own_before_anything_else(
    make_operator: MakeOperator, role: str
) -> None:
    operator = make_operator("mistakes")
    required, name, words = MISTAKES[role]
    before = {path.name for path in operator.folder.iterdir()}
    run = operator.run(plays_of(role), {**required, name: ["x"]}, "--check")
    assert_refused(run, f"{name}: {words} Nothing was read or written.")
    assert {path.name for path in operator.folder.iterdir()} - before == {
        "playbook.yml",
        "variables.yml",
        "hosts.yml",
        "home",
    }


REQUIRED = [(role, name) for role, (required, _name, _words) in MISTAKES.items() for name in required if "_" in name]


@pytest.mark.parametrize(("role", "name"), REQUIRED, ids=[name for _role, name in REQUIRED])
def test_a_misspelt_required_variable_is_told_with_what_was_meant(
    make_operator: MakeOperator, role: str, name: str
) -> None:
    required = dict(MISTAKES[role][0])
    misspelt = f"{name[:-2]}{name[-1]}{name[-2]}"
    required[misspelt] = required.pop(name)
    run = make_operator("required").run(plays_of(role), required)
    assert_refused(run, f"{misspelt}: did you mean {name}?")


def test_an_unknown_variable_is_seen_wherever_it_comes_from(make_operator: MakeOperator) -> None:
    operator = make_operator("sources")
    plays = plays_of(
        "suspend",
        roles=[{"role": "hosting.panel.suspend", "vars": {"suspend_graze_days": 1}}],
        vars={"suspend_clint": 1},
        pre_tasks=[
            {"ansible.builtin.set_fact": {"suspend_maxx": 1}},
            {"ansible.builtin.debug": {"msg": "x"}, "register": "suspend_days"},
            {"ansible.builtin.add_host": {"name": "localhost", "suspend_csv": 1}},
        ],
    )
    run = operator.run(plays, {"suspend_clients": ["acme"], "suspend_exept": ["acme"]}, "-e", "suspend_stat=released")
    assert run.code != 0
    found = {word.rstrip(":") for word in run.text.split() if word.startswith("suspend_") and word.endswith(":")}
    wrong = {"clint", "maxx", "days", "graze_days", "csv", "exept", "stat"}
    assert found == {f"suspend_{name}" for name in wrong}, run.text
    assert run.requests == []


def test_what_the_role_leaves_behind_and_names_of_others_are_no_mistake(make_operator: MakeOperator) -> None:
    operator = make_operator("others")
    role = {"ansible.builtin.include_role": {"name": "hosting.panel.suspend"}}
    plays = plays_of("suspend", tasks=[role])
    variables = {
        "suspend_clients": [],
        "suspend_mail_to": "it@acme.example",
        "suspended_clients": [],
        "panel_foreign_variables": ["suspend_mail_*"],
    }
    run = operator.run(plays, variables)
    assert run.code == 0, run.text


def test_a_role_that_runs_again_looks_at_its_variables_again(make_operator: MakeOperator) -> None:
    include = {"ansible.builtin.include_role": {"name": "hosting.panel.suspend"}}
    tasks = [include, {**include, "vars": {"suspend_exept": ["acme"]}}]
    run = make_operator("again").run(plays_of("suspend", tasks=tasks), {"suspend_clients": []})
    assert run.code != 0
    assert "suspend_exept: did you mean suspend_except?" in run.text


# With what the error says of them.
REFUSED: dict[str, tuple[Any, str]] = {
    "panel_purg": (["emails"], "panel_purg: did you mean panel_purge?"),
    "panel_checksum": ("abc", "panel_checksum: did you mean panel_expected_checksum"),
    "panel_dry_run": (True, "panel_dry_run: "),
    "panel_client": ("acme", "panel_client: "),
    "expected_checksum": ("abc", "expected_checksum: did you mean panel_expected_checksum?"),
    "max_deletes": (1, "max_deletes: did you mean panel_max_deletes?"),
    "panel_confirm": ("ture", "panel_confirm has to be true or false."),
    "panel_expected_checksum": (
        "",
        "panel_expected_checksum is empty: it has to be the checksum that hosting.panel.plan shows, or to be left out.",
    ),
    "panel_ca_path": ("", "panel_ca_path is empty: it has to name a path, or to be left out."),
}


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_refuses_variables_that_it_does_not_have_and_values_that_fit_none_of_its_own_and_says_so_once(
    make_operator: MakeOperator, playbook: str
) -> None:
    operator = make_operator("playbooks")
    given = {name: value for name, (value, _words) in REFUSED.items()}
    run = operator.run(f"hosting.panel.{playbook}", {**OWN, **given}, vault=False)
    assert_refused(run, *(words for _value, words in REFUSED.values()), "Nothing was read or written.")
    assert run.times("did you mean panel_purge?") == 1


@pytest.mark.parametrize("name", ["panel_confirm", "panel_dir", "panel_dry_run"])
def test_apply_writes_nothing_with_such_a_variable(make_operator: MakeOperator, name: str) -> None:
    operator = make_operator("apply")
    (operator.folder / "panel").mkdir()
    (operator.folder / "panel" / "plans.yml").write_text("---\nplans: [{name: Business}]\n", encoding="utf-8")
    values = {"panel_confirm": "ture", "panel_dir": "", "panel_dry_run": True}
    run = operator.run("hosting.panel.apply", {"panel_dir": "panel", name: values[name]}, vault=False)
    assert_refused(run, f"{name}")


def test_a_host_of_the_inventory_plugin_has_variables_of_its_own(make_operator: MakeOperator) -> None:
    operator = make_operator("inventory")
    host = {
        "panel_name": "p",
        "panel_api_url": operator.simulator.url,
        "panel_client": "acme",
        "panel_hosting_plan": None,
        "panel_php_version": "8.4",
    }
    run = operator.run("hosting.panel.ping", host, vault=False)
    assert run.code == 0, run.text
    mistaken = operator.run("hosting.panel.ping", {**host, "panel_purg": []}, vault=False)
    assert "panel_purg: did you mean panel_purge?" in mistaken.text


EMPTY = {
    "offboard": ({"offboard_client": "acme"}, "offboard_archive_dir"),
    "rotate": ({"rotate_id": "1", "rotate_clients": ["acme"]}, "rotate_credentials_file"),
    "report": ({}, "report_file"),
    "site": ({"site_client": {"username": "acme"}}, "site_credentials_file"),
}


@pytest.mark.parametrize("role", EMPTY)
def test_a_role_refuses_an_empty_path_by_the_name_of_its_variable(make_operator: MakeOperator, role: str) -> None:
    operator = make_operator("empty")
    variables, name = EMPTY[role]
    run = operator.run(plays_of(role), {**variables, name: ""})
    assert_refused(run, f"{name} is empty: it has to name a path, or to be left out. Nothing was read or written.")


@pytest.mark.parametrize(
    ("playbook", "given"),
    [*((name, "pannels") for name in PLAYBOOKS), ("ping", ""), ("onboard", ["pannels"]), ("apply", None)],
)
def test_a_playbook_fails_where_no_host_is_meant(make_operator: MakeOperator, playbook: str, given: Any) -> None:
    operator = make_operator("hosts")
    name = "onboard_hosts" if playbook == "onboard" else "panel_hosts"
    run = operator.run(f"hosting.panel.{playbook}", {**OWN, name: given}, vault=False)
    assert_refused(run, f"{name} names no host of the inventory. Nothing was read or written.")


# What such a host lacks, and what it has in place of it.
INCOMPLETE: dict[str, dict[str, Any]] = {
    "panel_api_url": {"panel_url": "https://web-3.example", "panel_api_key": "of-web-3"},
    "panel_api_key": {"panel_api_url": "https://web-3.example", "panel_key": "of-web-3"},
}


@pytest.mark.parametrize("missing", INCOMPLETE)
@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_host_of_the_inventory_never_stands_for_the_panel_of_the_environment(
    make_operator: MakeOperator, playbook: str, missing: str
) -> None:
    operator = make_operator("fleets")
    hosts = {"web-3": {**INCOMPLETE[missing], "panel_foreign_variables": ["panel_url", "panel_key"]}}
    inventory = operator.folder / "fleet.json"
    inventory.write_text(json.dumps({"panels": {"hosts": hosts}}), encoding="utf-8")
    name = "onboard_hosts" if playbook == "onboard" else "panel_hosts"
    run = operator.run(f"hosting.panel.{playbook}", {**OWN, name: "web-3"}, "-i", str(inventory), vault=False)
    assert_refused(run, f"{missing}: missing for web-3.", "Nothing was read or written.")


@pytest.mark.parametrize("hosts", ["localhost", ["localhost"], "local*:!other", ["web1", "localhost"], "all"])
def test_hosts_may_be_a_pattern_or_a_list_of_them(make_operator: MakeOperator, hosts: Any) -> None:
    operator = make_operator("patterns")
    run = operator.run("hosting.panel.ping", {"panel_hosts": hosts}, vault=False)
    assert run.code == 0, run.text
    assert run.recap["failed"] == 0
