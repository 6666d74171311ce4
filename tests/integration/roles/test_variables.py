# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables with a typing mistake, which Ansible would pass over: refused before anything else, by every role and playbook."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.integration.roles.operators import Operator, assert_refused, plays_of
from tools.layout import ROOT

MakeOperator = Callable[[str], Operator]
# The demonstration has a panel of its own.
PLAYBOOKS = sorted({path.stem for path in ROOT.glob("playbooks/*.yml")} - {"demo"})


class Mistakes(NamedTuple):
    """required: what a role cannot do without, and has under a wrong name. unknown, meant: another mistake. empty: a path."""

    required: tuple[str, ...]
    unknown: str
    meant: str
    empty: str = ""


MISTAKES = {
    "sites": Mistakes((), "sites_max_delete", "sites_max_deletes"),
    "report": Mistakes(("report_file",), "report_near_procent", "report_near_percent", "report_file"),
    "simulator": Mistakes(("simulator_api_key",), "simulator_option", "simulator_options"),
}


# Roles that refuse near misses in the validation of their arguments, by a name and what it may mean.
NEAR = {
    "certificate": ("certificate_nameserver", "certificate_nameservers"),
    "site": ("site_emailz", "site_emails"),
    "offboard": ("offboard_acton", "offboard_action"),
    "rotate": ("rotate_expect", "rotate_except"),
    "suspend": ("suspend_exept", "suspend_except"),
    "move": ("move_adresses", "move_addresses"),
}


@pytest.mark.parametrize("role", NEAR)
def test_a_near_miss_is_refused_before_anything_else_wherever_it_is_set(make_operator: MakeOperator, role: str) -> None:
    written, meant = NEAR[role]
    include = {"ansible.builtin.include_role": {"name": f"hosting.panel.{role}"}, "vars": {written: []}}
    run = make_operator("near").run(plays_of(role, roles=[], tasks=[include]), {"panel_purg": []}, "--check")
    assert_refused(run, "panel_purg: did you mean panel_purge?", f"{written}: did you mean {meant}?")
    assert run.text.count("TASK [") == 2  # the inclusion and the validation


def test_every_role_is_among_them() -> None:
    assert sorted([*MISTAKES, *NEAR]) == sorted({path.name for path in (ROOT / "roles").iterdir()} - {"variables"})


@pytest.mark.parametrize("role", MISTAKES)
def test_a_role_refuses_misspelt_variables_and_an_empty_path_before_anything_else(
    make_operator: MakeOperator, role: str
) -> None:
    operator = make_operator("mistakes")
    mistakes = MISTAKES[role]
    meant = {f"{name[:-2]}{name[-1]}{name[-2]}": name for name in mistakes.required} | {
        mistakes.unknown: mistakes.meant
    }
    empty = {mistakes.empty: ""} if mistakes.empty else {}
    before = {path.name for path in operator.folder.iterdir()}
    run = operator.run(plays_of(role), {**dict.fromkeys(meant, "x"), **empty}, "--check")
    said = [f"{name}: did you mean {right}?" for name, right in meant.items()]
    said += [f"{name} is empty: it has to name a path, or to be left out." for name in empty]
    assert_refused(run, *said, "Nothing was read or written.")
    assert {path.name for path in operator.folder.iterdir()} - before == {
        "playbook.yml",
        "variables.yml",
        "hosts.yml",
        "home",
    }


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


# What some of them cannot do without.
OWN = {"site_client": {"username": "acme"}, "report_file": "report.html", "panel_dir": "."}
# With what the error says of them.
REFUSED: dict[str, tuple[Any, str]] = {
    "panel_purg": (["emails"], "panel_purg: did you mean panel_purge?"),
    "panel_max_delets": (1, "panel_max_delets: did you mean panel_max_deletes?"),
    "panel_confirm": ("ture", "panel_confirm has to be true or false."),
}
# What such a host has in place of its panel's address and key.
INCOMPLETE = {"panel_url": "https://web-3.example", "panel_key": "of-web-3"}


def fleet(operator: Operator, **variables: Any) -> tuple[str, str]:
    """The words that name an inventory with one host, which has these variables."""
    inventory = operator.folder / "fleet.json"
    inventory.write_text(json.dumps({"panels": {"hosts": {"web-3": variables}}}), encoding="utf-8")
    return "-i", str(inventory)


def hosts_of(playbook: str) -> str:
    """The variable that names the hosts of a playbook."""
    return "onboard_hosts" if playbook == "onboard" else "panel_hosts"


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_refuses_misspelt_variables_and_a_host_that_stands_for_the_panel_of_the_environment_at_once(
    make_operator: MakeOperator, playbook: str
) -> None:
    operator = make_operator("playbooks")
    given = {name: value for name, (value, _words) in REFUSED.items()} | {"panel_foreign_variables": list(INCOMPLETE)}
    words = fleet(operator, **INCOMPLETE)
    run = operator.run(f"hosting.panel.{playbook}", {**OWN, **given, hosts_of(playbook): "web-3"}, *words, vault=False)
    missing = [f"{name}: missing for web-3." for name in ("panel_api_url", "panel_api_key")]
    assert_refused(run, *(said for _value, said in REFUSED.values()), *missing, "Nothing was read or written.")
    assert run.times("did you mean panel_purge?") == 1


@pytest.mark.parametrize(
    ("mistake", "said"),
    [({"panel_purg": []}, "panel_purg: did you mean"), ({"panel_hosts": "web-3"}, "panel_api_key: missing")],
)
def test_one_such_mistake_is_enough_for_apply_to_write_nothing(
    make_operator: MakeOperator, mistake: dict[str, Any], said: str
) -> None:
    operator = make_operator("apply")
    (operator.folder / "panel").mkdir()
    (operator.folder / "panel" / "plans.yml").write_text("---\nplans: [{name: Business}]\n", encoding="utf-8")
    words = fleet(operator, panel_api_url=operator.simulator.url)
    run = operator.run("hosting.panel.apply", {"panel_dir": "panel", **mistake}, *words, vault=False)
    assert_refused(run, said)


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


@pytest.mark.parametrize(
    ("playbook", "given"),
    [*((name, "pannels") for name in PLAYBOOKS), ("ping", ""), ("onboard", ["pannels"]), ("apply", None)],
)
def test_a_playbook_fails_where_no_host_is_meant(make_operator: MakeOperator, playbook: str, given: Any) -> None:
    operator = make_operator("hosts")
    name = hosts_of(playbook)
    run = operator.run(f"hosting.panel.{playbook}", {**OWN, name: given}, vault=False)
    assert_refused(run, f"{name} names no host of the inventory. Nothing was read or written.")


@pytest.mark.parametrize("hosts", ["localhost", ["localhost"], "local*:!other", ["web1", "localhost"], "all"])
def test_hosts_may_be_a_pattern_or_a_list_of_them(make_operator: MakeOperator, hosts: Any) -> None:
    operator = make_operator("patterns")
    run = operator.run("hosting.panel.ping", {"panel_hosts": hosts}, vault=False)
    assert run.code == 0, run.text
    assert run.recap["failed"] == 0
