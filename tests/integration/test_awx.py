"""The kit for AWX: its tables fit the modules of awx.awx and one another, and its jobs run with
ansible-runner as AWX runs them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support.awx import AWX, KEYS, VAULT, Fleet, Job, list_survey_questions, read, read_tables
from tests.support.marked_secrets import find_secrets, find_secrets_in_files
from tests.support.simulator import Simulator
from tools.layout import ROOT

MODULES = yaml.safe_load(
    (ROOT / "tests" / "support" / "awx_modules.yml").read_text(encoding="utf-8")
)
PLAYBOOKS = sorted(path.name for path in (AWX / "project").glob("*.yml"))
TABLES = read_tables()
SETTINGS = read(AWX / "settings.yml")
# By table the module that load.yml hands its rows to.
LOADED = {
    str(task["loop"]).strip("{} "): name
    for entry in read(AWX / "load.yml")[0]["tasks"]
    for task in entry.get("block", [entry])
    for name in task
    if "loop" in task and name.startswith("awx.awx.")
}
ROWS = [
    (module.rpartition(".")[2], row)
    for table, module in LOADED.items()
    for row in TABLES["controller_credential_input_sources" if table == "__looked_up" else table]
]
TYPES = {"str": str, "int": int, "bool": bool, "list": list, "dict": dict}
TEMPLATES = {row["name"]: row for row in TABLES["controller_templates"]}


def _find_misfits(module: str, row: dict[str, Any]) -> list[str]:
    """Return what of a row its module does not take."""
    options = MODULES[module]["options"]
    misfits = [*(set(MODULES[module]["required"]) - set(row)), *(set(row) - set(options))]

    for name, value in row.items():
        kind = options.get(name)
        # What a template makes of it is known to AWX alone.
        is_template = isinstance(value, str) and "{{" in value
        if kind and not is_template and not _is_taken(value, kind):
            misfits.append(name)

    return misfits


def _is_taken(value: Any, kind: Any) -> bool:
    """Return whether a value is one of the choices of an option, or of its type."""
    return value in kind if isinstance(kind, list) else isinstance(value, TYPES[kind])


def test_every_table_is_loaded_and_its_rows_have_options_of_its_module_with_values_of_their_types() -> (
    None
):
    named = {name for name in TABLES if name.startswith("controller_")} - {
        "controller_credential_input_sources"
    }
    assert named == set(LOADED) - {"__looked_up"}
    assert [(row, misfits) for module, row in ROWS if (misfits := _find_misfits(module, row))] == []


def test_templates_workflow_roles_and_schedules_name_what_there_is() -> None:
    assert {row["playbook"] for row in TEMPLATES.values()} == set(PLAYBOOKS)

    (workflow,) = TABLES["controller_workflows"]
    nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}

    for node in nodes.values():
        job = node["unified_job_template"]
        assert job["name"] in TEMPLATES or job["type"] == "workflow_approval"
        assert {
            neighbour["identifier"] for to in node.get("related", {}).values() for neighbour in to
        } <= set(nodes)

    # Nothing is applied without an approval.
    before = [
        node
        for node in nodes.values()
        if {"identifier": "apply"} in node.get("related", {}).get("success_nodes", [])
    ]

    assert [node["unified_job_template"]["type"] for node in before] == ["workflow_approval"]

    teams = {row["name"] for row in TABLES["controller_teams"]}
    for role in TABLES["controller_roles"]:
        assert set(role.get("teams", [role.get("target_team")])) <= teams
        assert set(role.get("job_templates", [])) <= set(TEMPLATES)
        assert set(role.get("workflows", [])) <= {workflow["name"]}

    assert {row["unified_job_template"] for row in TABLES["controller_schedules"]} <= set(TEMPLATES)
    assert set(SETTINGS["awx_members"]) == teams


def _list_roles(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each role that tasks include, with the variables that they hand it."""
    if isinstance(value, dict):
        if "ansible.builtin.include_role" in value:
            yield (
                value["ansible.builtin.include_role"]["name"].rpartition(".")[2],
                value.get("vars", {}),
            )
        value = list(value.values())
    for entry in value if isinstance(value, list) else ():
        yield from _list_roles(entry)


VARIABLES_OF_ROLES = {
    path.parts[-3]: set(read(path)["argument_specs"]["main"]["options"])
    for path in ROOT.glob("roles/*/meta/argument_specs.yml")
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_survey_asks_for_variables_that_there_are(name: str) -> None:
    tables = read(ROOT / "playbooks" / "vars" / "panel.yml")
    of_panels = [
        name for title, table in tables.items() if title.endswith("_variables") for name in table
    ]
    asked = {question["variable"] for question in list_survey_questions(TEMPLATES[name], TABLES)}
    used = (AWX / "project" / TEMPLATES[name]["playbook"]).read_text(encoding="utf-8")

    unknown = asked.difference(of_panels, *VARIABLES_OF_ROLES.values())

    assert [variable for variable in unknown if variable not in used] == []


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_of_a_job_hands_a_role_variables_of_its_own(playbook: str) -> None:
    for role, variables in _list_roles(read(AWX / "project" / playbook)):
        own_variables = {variable for variable in variables if variable.startswith(f"{role}_")}
        assert own_variables <= VARIABLES_OF_ROLES[role]
        assert bool(own_variables) == bool(variables)


SEED: dict[str, Any] = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """Yield two panels and a repository that has their files."""
    settings = {"status_delay": 0.0}
    with (
        Simulator.start(KEYS["panel1"], settings) as first,
        Simulator.start(KEYS["panel2"], settings) as second,
    ):
        for panel in (first, second):
            panel.seed(SEED)
        yield Fleet(tmp_path, {"panel1": first, "panel2": second})


def test_a_credential_without_a_private_authority_gives_an_empty_path() -> None:
    (kind,) = [
        credential_type
        for credential_type in TABLES["controller_credential_types"]
        if "PANEL_API_KEY" in credential_type["injectors"]["env"]
    ]
    inputs = {"api_url": "https://panel.example", "api_key": "k", "skip_certificate_check": False}
    environment = {
        name: ImmutableSandboxedEnvironment()
        .from_string(text)
        .render(**inputs, tower={"filename": {"ca": "none"}})
        for name, text in kind["injectors"]["env"].items()
    }

    # Which counts as not given: test_tasks.py.
    assert (environment["PANEL_CA_PATH"], environment["PANEL_VALIDATE_CERTS"]) == ("", "True")


@pytest.mark.release
def test_jobs_export_plan_and_apply_what_was_approved_and_push_what_has_to_stay(
    fleet: Fleet,
) -> None:
    exported = export_into_files(fleet)
    # What the workflow's survey gives to both jobs if nobody wants to delete anything.
    answers = {"panel_purge": "", "panel_max_deletes": 0}

    planned = plan_new_mailbox(fleet, answers)
    applied = apply_approved_plan(fleet, planned, answers)

    password = assert_new_password_is_pushed(fleet)
    assert_push_of_jobs_starts_no_other(fleet)
    assert_files_of_several_panels_are_pushed(fleet, answers)

    artifacts = [job.artifacts for job in (exported, planned, applied)]
    assert [find_secrets_in_files(folder, more=[password]) for folder in artifacts] == [{}] * 3
    assert find_secrets(fleet.run_git("log", "-p", "main", of=fleet.repository), [password]) == []


def export_into_files(fleet: Fleet) -> Job:
    """Run the job that exports, and pull what it has pushed."""
    exported = fleet.run("export.yml")
    assert exported.code == 0, exported.text

    fleet.run_git("pull", "--quiet")
    assert "username: acme" in (
        fleet.work / "panels" / "panel1" / "clients" / "acme.yml"
    ).read_text(encoding="utf-8")
    return exported


def plan_new_mailbox(fleet: Fleet, answers: Mapping[str, Any]) -> Job:
    """Run the job that plans, once there is a new mailbox in the files of one panel."""
    new = "emails:\n  - email: new@acme.example\n"
    (fleet.work / "panels" / "panel1" / "new.yml").write_text(new, encoding="utf-8")
    fleet.commit("Add a mailbox")

    planned = fleet.run("plan.yml", answers=answers)

    assert planned.code == 0, planned.text
    assert planned.handed_on["panel_planned_changes"] == {"panel1": 1, "panel2": 0}
    assert sorted(planned.handed_on["panel_expected_checksums"]) == ["panel1", "panel2"]
    return planned


def apply_approved_plan(fleet: Fleet, planned: Job, answers: Mapping[str, Any]) -> Job:
    """Run the job that applies, which does nothing without what the plan has handed on."""
    alone = fleet.run("apply.yml", answers=answers)
    assert alone.code != 0
    assert [panel.list_writes() for panel in fleet.panels.values()] == [[], []]

    applied = fleet.run("apply.yml", answers=answers, **planned.handed_on)
    assert applied.code == 0, applied.text

    (write,) = fleet.panels["panel1"].list_writes()
    assert (write["method"], write["path"]) == ("POST", "/emails")
    return applied


def assert_new_password_is_pushed(fleet: Fleet) -> str:
    """Assert that the file of the repository has the password that the panel has; return it."""
    (email,) = [
        candidate
        for candidate in fleet.panels["panel1"].list_objects("emails")
        if candidate["email"] == "new@acme.example"
    ]
    password = str(email["hidden"]["password"])

    kept = yaml.safe_load(
        VAULT.decrypt(fleet.run_git("show", "main:passwords/panel1.yml", of=fleet.repository))
    )

    assert [entry["password"] for entry in kept["generated_passwords"]] == [password]
    # By this author the workflow knows what it has pushed itself.
    assert (
        fleet.run_git("log", "-1", "--format=%ae", "main", of=fleet.repository).strip()
        == "awx@localhost"
    )
    return password


def assert_push_of_jobs_starts_no_other(fleet: Fleet) -> None:
    """Assert that the job which a push starts leaves out those of the workflow itself."""
    push_of_awx = {"ref": "refs/heads/main", "commits": [{"author": {"email": "awx@localhost"}}]}
    assert (
        "Jobs of AWX have pushed"
        in fleet.run("pushed.yml", awx_webhook_payload=push_of_awx).flat_text
    )


def assert_files_of_several_panels_are_pushed(fleet: Fleet, answers: Mapping[str, Any]) -> None:
    """Assert that each panel's file of passwords is pushed, also where git knows all of them.

    In the second round both change before the first of them is pushed.
    """
    for panel in fleet.panels:
        text = "emails:\n  - email: new@acme.example\n  - email: next@acme.example\n"
        (fleet.work / "panels" / panel / "new.yml").write_text(text, encoding="utf-8")

    for _round in (1, 2):
        fleet.commit("Add mailboxes")
        second_plan = fleet.run("plan.yml", answers=answers)
        done = fleet.run("apply.yml", answers=answers, **second_plan.handed_on)
        assert done.code == 0, done.text
        assert "New passwords: repository/passwords/panel2.yml" in done.flat_text
        assert str(fleet.folder) not in "".join(re.findall(r"item=.*", done.text))
        for panel in fleet.panels:
            path = fleet.work / "panels" / panel / "new.yml"
            path.write_text(
                path.read_text(encoding="utf-8").replace("next@", "last@"), encoding="utf-8"
            )

    keys = [
        VAULT.decrypt(fleet.run_git("show", f"main:passwords/{panel}.yml", of=fleet.repository))
        for panel in fleet.panels
    ]

    assert [b"last@acme.example" in text for text in keys] == [True, True]
