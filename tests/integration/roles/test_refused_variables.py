"""What every role and playbook refuses before anything else, above all variables with a typing
mistake, which Ansible would pass over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.plugin_utils._variables.unread_variables import (
    list_all_variables,
)
from tests.integration.roles.operators import (
    Operator,
    RoleRun,
    assert_failed,
    assert_refused,
    make_plays,
)
from tools.layout import ROOT

MakeOperator = Callable[[str], Operator]
# These two have panels of their own.
PLAYBOOKS = sorted({path.stem for path in ROOT.glob("playbooks/*.yml")} - {"demo", "play"})
# Roles that refuse near misses in their first task, by a name and what it may mean.
NEAR = {
    "certificate": ("certificate_nameserver", "certificate_nameservers"),
    "content": ("content_stat_dir", "content_state_dir"),
    "offboard": ("offboard_acton", "offboard_action"),
    "report": ("report_soon_day", "report_soon_days"),
    "rotate": ("rotate_expect", "rotate_except"),
    "suspend": ("suspend_exept", "suspend_except"),
    "move": ("move_adresses", "move_addresses"),
    "simulator": ("simulator_option", "simulator_options"),
    "site": ("site_emailz", "site_emails"),
    "sites": ("sites_max_delete", "sites_max_deletes"),
}


@pytest.mark.parametrize("role", NEAR)
def test_a_near_miss_is_refused_before_anything_else_wherever_it_is_set(
    make_operator: MakeOperator, role: str
) -> None:
    written, meant = NEAR[role]
    include = {
        "ansible.builtin.include_role": {"name": f"hosting.panel.{role}"},
        "vars": {written: []},
    }
    run = make_operator("near").run(
        make_plays(role, roles=[], tasks=[include]), {"panel_purg": []}, "--check"
    )

    assert_refused(
        run, "panel_purg: did you mean panel_purge?", f"{written}: did you mean {meant}?"
    )

    assert run.text.count("TASK [") == 3  # the inclusion, Ansible's validation and the check


def mistype_prefix(name: str) -> str:
    """Return the name without its second letter."""
    return name[0] + name[2:]


@pytest.mark.parametrize("role", NEAR)
def test_a_role_refuses_a_misspelt_prefix_and_warns_about_a_variable_that_it_does_not_read(
    make_operator: MakeOperator, role: str
) -> None:
    _written, meant = NEAR[role]
    misspelt = mistype_prefix(meant)
    unread = f"{role}_wanted_by"
    variables = {misspelt: [], unread: "it", f"{role}_result": {}}

    run = make_operator("prefix").run(make_plays(role), variables, "--check", vault=False)

    assert_refused(run, f"{misspelt}: did you mean {meant}?")
    assert f"{unread}: the role hosting.panel.{role} has no such variable" in run.said
    assert run.count_mentions(f"{role}_result") == 0

    foreign = {**variables, "panel_foreign_variables": [misspelt, unread]}
    run = make_operator("prefix").run(make_plays(role), foreign, "--check", vault=False)

    assert (run.count_mentions(misspelt), run.count_mentions(unread)) == (0, 0)


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_refuses_a_misspelt_prefix_and_warns_about_a_variable_that_it_does_not_read(
    make_operator: MakeOperator, playbook: str
) -> None:
    variables = {**OWN, "pnel_purge": [], "panel_location": "it"}

    run = make_operator("prefix").run(f"hosting.panel.{playbook}", variables, vault=False)

    assert_refused(run, "pnel_purge: did you mean panel_purge?")
    assert "panel_location: the playbook has no such variable" in run.said


@pytest.mark.parametrize(
    ("playbook", "written", "meant"),
    [
        ("verify", "verify_writes", "panel_verify_writes"),
        ("retry", "retry_client", "panel_retry_client"),
        ("ping", "ping_hosts", "panel_hosts"),
        ("drift", "drift_hosts", "panel_hosts"),
        ("report", "report_hosts", "panel_hosts"),
        ("certificates", "certificate_hosts", "panel_hosts"),
        ("certificates", "certificates_hosts", "panel_hosts"),
        ("import", "import_page", "import_page_file"),
    ],
)
def test_a_playbook_refuses_a_variable_that_is_called_after_it_or_its_role(
    make_operator: MakeOperator, playbook: str, written: str, meant: str
) -> None:
    run = make_operator("prefix").run(
        f"hosting.panel.{playbook}", {**OWN, written: "localhost"}, vault=False
    )
    assert_refused(run, f"{written}: did you mean {meant}?")


# Whose tasks have the options of a playbook.
ROLES_OF_PLAYBOOKS = {"certificates": "certificate", "onboard": "site", "report": "report"}
# An option as a task has it, and the variable that sets it. A name with underscores before it is no
# option, but a variable within the collection.
SET_BY_VARIABLE = re.compile(r'^ +([a-z]\w*): "\{\{ __\w+\.(?:settings\.)?(\w+)', re.MULTILINE)


def list_options(playbook: str) -> dict[str, str]:
    """Return by option of a playbook's tasks the variable that sets it."""
    files = [ROOT / "playbooks" / f"{playbook}.yml", ROOT / "playbooks/vars/panel.yml"]
    if playbook not in {"plan", "apply", "drift"}:  # the others have options of their own
        del files[1]
    if playbook in ROLES_OF_PLAYBOOKS:
        files.append(ROOT / "roles" / ROLES_OF_PLAYBOOKS[playbook] / "tasks/main.yml")
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    all_variables = list_all_variables()
    return {
        option: meant
        for option, meant in SET_BY_VARIABLE.findall(text)
        if meant in all_variables and option not in all_variables | {"dest"}
    }


def is_repeated(run: RoleRun, question: str) -> bool:
    """Return whether the last message of a run has a question more than once."""
    message = run.said[run.said.rindex("FAILED! =>") :]
    return len(re.findall(rf"(?<!\w){re.escape(question)}", message)) != 1


OPTIONS = {playbook: list_options(playbook) for playbook in PLAYBOOKS}


@pytest.mark.parametrize("playbook", [name for name, options in OPTIONS.items() if options])
def test_a_playbook_refuses_each_option_of_its_tasks_on_the_command_line_beside_the_variable_too(
    make_operator: MakeOperator, playbook: str
) -> None:
    options = OPTIONS[playbook]
    variables = {**OWN, **dict.fromkeys(options, "x")}

    run = make_operator("options").run(f"hosting.panel.{playbook}", variables, vault=False)

    questions = [f"{option}: did you mean {meant}?" for option, meant in options.items()]
    assert_refused(run, *questions)
    assert [question for question in questions if is_repeated(run, question)] == []


@pytest.mark.parametrize("name", ["report_file", "writes", "panel_report_file", "panel_writes"])
def test_an_option_with_and_without_the_prefix_panel_is_refused_with_the_right_name_alone(
    make_operator: MakeOperator, name: str
) -> None:
    meant = f"panel_verify_{name.removeprefix('panel_')}"
    run = make_operator("options").run("hosting.panel.verify", {name: "true"}, vault=False)

    assert_refused(run, f"{name}: did you mean {meant}?")
    assert run.said.count("[WARNING]") == 0, run.text


def test_a_name_of_the_test_client_that_is_taken_is_named_by_its_variable(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("options")
    operator.simulator.seed({"clients": [{"username": "victim"}]})
    variables = {"panel_verify_writes": True, "panel_verify_client": "victim"}

    run = operator.run("hosting.panel.verify", variables, vault=False)

    assert "panel_verify_client: the panel has a client victim. Choose another name." in run.said
    assert (run.code, run.writes) == (2, [])


def test_a_variable_of_a_role_with_the_prefix_panel_is_refused_with_the_right_name_alone(
    make_operator: MakeOperator,
) -> None:
    run = make_operator("options").run(
        "hosting.panel.report", {"panel_report_file": "r.html"}, vault=False
    )
    assert_refused(run, "panel_report_file: did you mean report_file?")
    assert run.said.count("panel_verify_report_file") == 0, run.text


@pytest.mark.parametrize(
    ("playbook", "written"),
    [
        (
            "apply",
            {
                "checksum": "panel_expected_checksum",
                "checksums": "panel_expected_checksums",
                "confirm": "panel_confirm",
                "dir": "panel_dir",
                "hosts": "panel_hosts",
                "plan_file": "panel_plan_file",
            },
        ),
        ("export", {"dir": "panel_dir", "passwords_file": "panel_passwords_file"}),
        ("import", {"url": "import_url"}),
        ("onboard", {"hosts": "onboard_hosts", "summary_file": "onboard_summary_file"}),
        ("ping", {"hosts": "panel_hosts"}),
    ],
)
def test_a_playbook_refuses_its_variables_without_their_prefix_on_the_command_line(
    make_operator: MakeOperator, playbook: str, written: dict[str, str]
) -> None:
    variables = {**OWN, **dict.fromkeys(written, "localhost")}

    run = make_operator("unprefixed").run(f"hosting.panel.{playbook}", variables, vault=False)

    assert_refused(run, *(f"{name}: did you mean {meant}?" for name, meant in written.items()))


def test_names_that_a_playbook_or_a_template_has_another_use_for_are_the_operators_own(
    make_operator: MakeOperator,
) -> None:
    variables = {"panel_hosts": "{{ where }}", "where": "localhost", "hosts": "x", "dir": "."}

    run = make_operator("unprefixed").run("hosting.panel.ping", variables, vault=False)

    assert (run.code, "did you mean" in run.text) == (0, False), run.text


@pytest.mark.parametrize("playbook", ["plan", "export"])
def test_a_warning_suggests_no_variable_of_another_playbook(
    make_operator: MakeOperator, playbook: str
) -> None:
    variables = {"panel_report_file": "r.html", "panel_purg": []}

    run = make_operator("suggested").run(f"hosting.panel.{playbook}", variables, vault=False)

    assert "panel_report_file" in run.said
    assert "panel_verify_report_file" not in run.said, run.text


def test_an_inventory_may_have_names_of_options_and_a_template_may_use_them(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("options")
    inventory = operator.folder / "own.json"
    host = {"writes": True, "report_file": "r.html", "panel_verify_client": "{{ client }}"}
    inventory.write_text(json.dumps({"all": {"hosts": {"localhost": host}}}), encoding="utf-8")
    arguments = ("-i", str(inventory), "--check")

    run = operator.run("hosting.panel.verify", {"client": "acme"}, *arguments, vault=False)

    assert "did you mean" not in run.text


def test_a_run_with_variables_of_the_operators_own_ends_well_and_warns_once(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("own")
    register = {"ansible.builtin.command": "true", "register": "suspend_before"}
    variables = {"suspend_clients": [], "suspend_mail_to": "ops@acme.example"}

    run = operator.run(make_plays("suspend", pre_tasks=[register]), variables, vault=False)

    assert (run.code, run.recap["failed"]) == (0, 0), run.text
    assert run.count_mentions("suspend_before, suspend_mail_to: the role") == 1, run.text


@pytest.mark.parametrize(
    ("role", "written", "meant"),
    [
        ("sites", "site_max_deletes", "sites_max_deletes"),
        ("sites", "site_from", "sites_from"),
        ("site", "sites_max_deletes", "site_max_deletes"),
        ("site", "sites_client", "site_client"),
        ("site", "client_emails", "site_emails"),
        ("site", "hosting_plan", "site_hosting_plan"),
        ("sites", "panel_from", "sites_from"),
    ],
)
def test_a_variable_of_the_role_with_nearly_the_same_name_is_refused_unless_both_are_set(
    make_operator: MakeOperator, role: str, written: str, meant: str
) -> None:
    operator = make_operator(f"sister_{written}")
    question = f"{written}: did you mean {meant}?"

    assert_refused(operator.run(make_plays(role), {written: 0}, "--check"), question)
    assert question not in operator.run(make_plays(role), {written: 1, meant: 1}, "--check").text


def test_a_variable_that_is_called_as_the_column_of_a_table_is_refused(
    make_operator: MakeOperator,
) -> None:
    run = make_operator("column").run(make_plays("site"), {"site_mailboxes": []}, "--check")
    assert_refused(run, "site_mailboxes: did you mean site_emails?")


def test_a_template_in_error_is_refused_by_ansible_before_the_role_does_anything(
    make_operator: MakeOperator,
) -> None:
    run = make_operator("template").run(
        make_plays("suspend"), {"suspend_clients": ["acme"], "suspend_max": "{{ nowhere }}"}
    )

    assert_refused(run, "Validating arguments", "'nowhere' is undefined")
    assert run.text.count("TASK [") == 1  # in which no code of a role runs


def test_a_near_miss_is_seen_wherever_it_comes_from(make_operator: MakeOperator) -> None:
    operator = make_operator("sources")
    plays = make_plays(
        "site",
        roles=[{"role": "hosting.panel.site", "vars": {"site_emial": 1}}],
        vars={"site_domain": 1},
        pre_tasks=[
            {"ansible.builtin.set_fact": {"site_dnss": 1}},
            {"ansible.builtin.debug": {"msg": "x"}, "register": "site_plant"},
            {"ansible.builtin.add_host": {"name": "localhost", "site_clients": 1}},
        ],
    )
    variables = {"site_client": {"username": "acme"}, "site_ftp_user": 1, "site_map_url": 1}

    run = operator.run(plays, variables, "-e", "site_databaze=released")
    misspelt = set(re.findall(r"(site_\w+): did you mean", run.text))

    assert misspelt == {
        f"site_{name}"
        for name in ("emial", "domain", "dnss", "plant", "clients", "ftp_user", "databaze")
    }
    assert (run.code != 0, run.requests) == (True, [])

    foreign = {**variables, "panel_foreign_variables": ["site_*"]}
    assert "did you mean" not in operator.run(plays, foreign, "-e", "site_databaze=released").text


@pytest.mark.parametrize(
    ("playbook", "written", "meant"),
    [
        ("onboard", "panel_hosts", "onboard_hosts"),
        ("onboard", "sites_domains", "site_domains"),
        ("apply", "onboard_hosts", "panel_hosts"),
        ("export", "panel_directory", "panel_dir"),
        ("plan", "site_dir", "panel_dir"),
    ],
)
def test_a_playbook_refuses_a_variable_of_another_that_it_does_not_read(
    make_operator: MakeOperator, playbook: str, written: str, meant: str
) -> None:
    operator = make_operator("other_playbook")
    question = f"{written}: did you mean {meant}?"
    variables = {"site_client": {"username": "acme"}, written: "localhost"}
    run = operator.run(f"hosting.panel.{playbook}", variables, "--check", vault=False)
    assert_refused(run, question)
    assert run.said.count("[WARNING]") == 0, run.text

    with_meant = {**variables, meant: "localhost"}
    run_with_meant = operator.run(f"hosting.panel.{playbook}", with_meant, "--check", vault=False)
    assert question not in run_with_meant.text


def test_a_playbook_takes_an_inventory_with_variables_for_others(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("shared_inventory")
    variables = {
        "site_client": {"username": "acme"},
        "panel_dir": ".",
        "panel_max_deletes": 3,
        "report_file": "report.html",
        "sites_from": "customers.csv",
        "domains": ["acme.example"],
    }
    run = operator.run("hosting.panel.onboard", variables, "--check", vault=False)
    assert "did you mean" not in run.text


# What some of them cannot do without.
OWN = {"site_client": {"username": "acme"}, "report_file": "report.html", "panel_dir": "."}
# With what the error says of them.
REFUSED: dict[str, tuple[Any, str]] = {
    "panel_purg": (["emails"], "panel_purg: did you mean panel_purge?"),
    "panel_confirm": ("ture", "panel_confirm: 'ture' is invalid."),
}
# What such a host has in place of its panel's address and key.
INCOMPLETE = {"panel_url": "https://web-3.example", "panel_key": "of-web-3"}


def get_hosts_variable(playbook: str) -> str:
    """Return the variable that names the hosts of a playbook."""
    return "onboard_hosts" if playbook == "onboard" else "panel_hosts"


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_refuses_misspelt_variables_and_a_host_that_stands_for_the_panel_of_the_environment_at_once(
    make_operator: MakeOperator, playbook: str
) -> None:
    operator = make_operator("playbooks")
    refused_values = {name: value for name, (value, _message) in REFUSED.items()} | {
        "panel_foreign_variables": list(INCOMPLETE)
    }
    inventory = operator.folder / "fleet.json"
    inventory.write_text(json.dumps({"panels": {"hosts": {"web-3": INCOMPLETE}}}), encoding="utf-8")
    variables = {**OWN, **refused_values, get_hosts_variable(playbook): "web-3"}
    run = operator.run(f"hosting.panel.{playbook}", variables, "-i", str(inventory), vault=False)
    # An import reads files, and asks no panel.
    needed = () if playbook == "import" else ("panel_api_url", "panel_api_key")
    missing = [f"{name}: missing for web-3." for name in needed]
    assert_refused(run, *(message for _value, message in REFUSED.values()), *missing)


def test_a_host_of_the_inventory_plugin_has_variables_of_its_own_and_hosts_may_be_a_list_of_patterns(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("inventory")
    host = {
        "panel_name": "p",
        "panel_api_url": operator.simulator.url,
        "panel_client": "acme",
        "panel_php_version": "8.4",
    }
    host |= {"panel_hosting_plan": None, "panel_hosts": ["web*", "local*:!other"]}

    run = operator.run("hosting.panel.ping", host, vault=False)

    assert (run.code, run.recap["failed"]) == (0, 0), run.text


# Of a pattern of blanks or commas alone, Ansible makes every host of the inventory.
NO_HOSTS = (None, "", " ", ",", [], {}, [None], [" "], ":")


@pytest.mark.parametrize("hosts", NO_HOSTS, ids=str)
def test_a_playbook_fails_where_no_host_is_meant(make_operator: MakeOperator, hosts: Any) -> None:
    operator = make_operator("hosts")
    run = operator.run("hosting.panel.ping", {**OWN, "panel_hosts": hosts}, vault=False)
    assert_refused(run, "panel_hosts names no host of the inventory.")


@pytest.mark.parametrize(
    ("playbook", "hosts", "unknown"),
    [
        ("report", "pannels", "pannels; did you mean panels?"),
        ("onboard", ["pannels"], "pannels; did you mean panels?"),
        # Ansible would report on the others alone, with a warning.
        ("ping", "web-1,web-9", "web-9; did you mean web-1?"),
        ("ping", 2, "2."),
        ("ping", False, "False."),
    ],
)
def test_a_playbook_names_the_host_or_group_that_the_inventory_lacks(
    make_operator: MakeOperator, playbook: str, hosts: Any, unknown: str
) -> None:
    operator = make_operator("hosts")
    inventory = operator.folder / "fleet.json"
    inventory.write_text(json.dumps({"panels": {"hosts": {"web-1": {}}}}), encoding="utf-8")
    name = get_hosts_variable(playbook)
    run = operator.run(
        f"hosting.panel.{playbook}", {**OWN, name: hosts}, "-i", str(inventory), vault=False
    )
    assert_refused(run, f"{name}: the inventory has no host or group {unknown}")


@pytest.mark.parametrize(
    ("playbook", "message"), [("ping", "was refused (401)"), ("report", "could not be read")]
)
def test_a_playbook_says_once_why_it_fails(
    make_operator: MakeOperator, playbook: str, message: str
) -> None:
    wrong = {"PANEL_API_KEY": "k.wrong"}
    run = make_operator("once").run(
        f"hosting.panel.{playbook}", OWN, vault=False, environment=wrong
    )

    assert_failed(run, message)

    assert run.count_mentions(message) == 1, run.text


# By variable what would be called missing instead.
ALTERNATIVES = {
    "import_url": "import_path: missing",
    "sites_from": "sites: missing",
}
# By type of a variable a value of another type. What is raw takes any.
MISREAD = {
    **dict.fromkeys(
        ("text", "secret", "choice", "date", "names", "entries", "arguments", "list"), 5
    ),
    **dict.fromkeys(("objects", "mapping", "answer", "host_name", "address"), 5),
    "number": "soon",
    "switch": "perhaps",
}


def list_misread_variables(tables: Path) -> dict[str, Any]:
    """Return each variable of a file's tables, with a value of another type."""
    values: dict[str, Any] = {"panel_foreign_variables": 5}
    for title, table in yaml.safe_load(tables.read_text(encoding="utf-8")).items():
        if title.endswith("_variables"):
            for name, rules in table.items():
                if rules["type"] != "raw":
                    values[name] = MISREAD[rules["type"]]
    return values


def assert_each_is_named_once(run: RoleRun, names: Iterable[str]) -> None:
    """Assert that the run was refused, and that no variable was named twice."""
    assert_refused(run)
    mentions = {name: run.count_mentions(f"{name}: ") for name in names}
    assert {name: number for name, number in mentions.items() if number > 1} == {}, run.text
    assert mentions["panel_foreign_variables"] == 1, run.text


@pytest.mark.parametrize("role", NEAR)
def test_a_role_tells_each_variable_of_another_type_once(
    make_operator: MakeOperator, role: str
) -> None:
    variables = list_misread_variables(ROOT / "roles" / role / "vars" / "main.yml")

    run = make_operator("misread").run(make_plays(role), variables, "--check", vault=False)

    assert_each_is_named_once(run, variables)


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_tells_each_variable_of_another_type_once(
    make_operator: MakeOperator, playbook: str
) -> None:
    operator = make_operator("misread")
    inventory = operator.folder / "fleet.json"
    inventory.write_text(json.dumps({"all": {"hosts": {"web-1": {}}}}), encoding="utf-8")
    variables = list_misread_variables(ROOT / "playbooks" / "vars" / "panel.yml")
    hosts = {get_hosts_variable(playbook): "web-1"}

    run = operator.run(
        f"hosting.panel.{playbook}", {**variables, **hosts}, "-i", str(inventory), vault=False
    )

    assert_each_is_named_once(run, variables)


@pytest.mark.parametrize(
    ("plays", "variables"),
    [
        pytest.param("hosting.panel.import", {"import_url": 5, "panel_dir": "new"}, id="import"),
        pytest.param("hosting.panel.import", {"import_source": "none"}, id="source"),
        pytest.param("hosting.panel.retry", {"panel_retry_client": "{{ 1 / 0 }}"}, id="template"),
        pytest.param(make_plays("sites"), {"sites_from": 5}, id="sites"),
        pytest.param(make_plays("certificate"), {"certificate_items": 5}, id="certificate"),
        pytest.param(make_plays("content"), {"content_objects": 5}, id="content"),
        pytest.param(make_plays("site"), {"site_client": 5}, id="site"),
        pytest.param(make_plays("move"), {"move_target": 5}, id="move"),
        pytest.param(make_plays("suspend"), {"suspend_clients": 5}, id="suspend"),
        pytest.param(make_plays("rotate"), {"rotate_clients": 5}, id="rotate"),
    ],
)
def test_a_variable_of_another_type_is_not_called_missing(
    make_operator: MakeOperator, plays: Any, variables: dict[str, Any]
) -> None:
    run = make_operator("not_missing").run(plays, variables, "--check", vault=False)

    assert_refused(run)
    (name,) = set(variables) - {"panel_dir"}
    assert run.count_mentions(f"{name}: ") == 1, run.text
    assert ALTERNATIVES.get(name, f"{name}: missing") not in run.said
