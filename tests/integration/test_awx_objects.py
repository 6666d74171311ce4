# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What extensions/awx loads into AWX, as far as it can be tried without one: every option, and that one object finds the other."""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

import pytest
import yaml
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support.marked_secrets import found_in, secret
from tests.support.playbook import IN_PROCESS, ansible, surroundings
from tools.layout import ROOT

AWX = ROOT / "extensions" / "awx"
SUPPORT = ROOT / "tests" / "support"
Calls = dict[str, dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Calls]:
    """The output of load.yml, and what each module was given, by the object's name."""
    folder = tmp_path_factory.mktemp("load")
    modules = yaml.safe_load((SUPPORT / "awx_modules.yml").read_text(encoding="utf-8"))
    plugins = folder / "collections" / "ansible_collections" / "awx" / "awx" / "plugins"
    for kind in ("action", "modules"):
        (plugins / kind).mkdir(parents=True)
    for name in modules:
        shutil.copy(SUPPORT / "recording_action.py", plugins / "action" / f"{name}.py")
        (plugins / "modules" / f"{name}.py").write_text("", encoding="utf-8")
    (folder / "options.json").write_text(json.dumps(modules), encoding="utf-8")
    secrets = {
        name: secret(name) for name in ("awx_repository_key", "awx_repository_known_hosts", "awx_vault_password")
    }
    (folder / "secrets.yml").write_text(json.dumps(secrets), encoding="utf-8")
    paths = f"{surroundings(folder, IN_PROCESS)['ANSIBLE_COLLECTIONS_PATH']}:{folder / 'collections'}"
    done = ansible(
        "playbook",
        ["--extra-vars", f"@{folder / 'secrets.yml'}", "-vvv", str(AWX / "load.yml")],
        folder,
        IN_PROCESS,
        {
            "ANSIBLE_COLLECTIONS_PATH": paths,
            "RECORDED_OPTIONS": str(folder / "options.json"),
            "RECORDED_CALLS": str(folder / "calls"),
        },
    )
    assert done.returncode == 0, done.stdout
    calls: Calls = {}
    for line in (folder / "calls").read_text(encoding="utf-8").splitlines():
        module, given = json.loads(line)
        calls.setdefault(module, {})[given["name"]] = given
    return done.stdout, calls


def test_loading_prints_no_secret(loaded: tuple[str, Calls]) -> None:
    assert found_in(loaded[0]) == []


def test_templates_name_playbooks_credentials_and_projects_that_are_there(loaded: tuple[str, Calls]) -> None:
    calls = loaded[1]
    for name, template in calls["job_template"].items():
        assert (AWX / "project" / template["playbook"]).is_file(), name
        assert template["project"] in calls["project"]
        assert template["inventory"] in calls["inventory"]
        assert template["execution_environment"] in calls["execution_environment"]
        assert set(template["credentials"]) <= calls["credential"].keys()
    types = {given["credential_type"] for given in calls["credential"].values()}
    assert types <= calls["credential_type"].keys() | {"Source Control", "Vault"}
    source = calls["inventory_source"]["Panels - repository"]
    assert (AWX / "project" / source["source_path"]).is_file()


def test_every_playbook_of_the_project_is_found_by_awx_and_has_a_template(loaded: tuple[str, Calls]) -> None:
    used = {template["playbook"] for template in loaded[1]["job_template"].values()}
    present = {path.name for path in (AWX / "project").glob("*.yml")}
    assert used == present
    for name in present:
        # AWX lists a file as a playbook if a line of it begins so; import_playbook with the name of its collection is none to older ones.
        text = (AWX / "project" / name).read_text(encoding="utf-8")
        assert re.search(r"^\s*-?\s*(?:hosts|import_playbook):", text, re.MULTILINE), name


def test_a_workflow_goes_from_the_plan_over_an_approval_to_applying_it(loaded: tuple[str, Calls]) -> None:
    calls = loaded[1]
    (workflow,) = calls["workflow_job_template"].values()
    nodes = {node["identifier"]: node for node in workflow["schema"]}
    way, current = [], "plan"
    while current:
        way.append(nodes[current]["unified_job_template"])
        following = [node["identifier"] for node in nodes[current]["related"]["success_nodes"]]
        current = following[0] if following else ""
    assert [step["type"] for step in way] == ["job_template", "workflow_approval", "job_template"]
    templates = [calls["job_template"][step["name"]]["playbook"] for step in way if step["type"] == "job_template"]
    assert templates == ["plan.yml", "apply.yml"]
    assert all(node["related"]["failure_nodes"] == node["related"]["always_nodes"] == [] for node in nodes.values())
    # The questions are asked once, and both jobs know the answers.
    specs = [workflow["survey_spec"], *(calls["job_template"][way[place]["name"]]["survey_spec"] for place in (0, 2))]
    assert specs[0] == specs[1] == specs[2]


def test_questions_are_asked_in_the_shape_of_awx(loaded: tuple[str, Calls]) -> None:
    for template in loaded[1]["job_template"].values():
        assert template["survey_enabled"] == ("survey_spec" in template)
        for question in template.get("survey_spec", {}).get("spec", []):
            assert {"question_name", "variable", "type", "required"} <= question.keys()
            assert question["type"] in {
                "text",
                "textarea",
                "password",
                "integer",
                "float",
                "multiplechoice",
                "multiselect",
            }
            assert ("choices" in question) == question["type"].startswith("multi")


def test_schedules_have_rules_that_awx_takes(loaded: tuple[str, Calls]) -> None:
    calls = loaded[1]
    for schedule in calls["schedule"].values():
        assert schedule["unified_job_template"] in calls["job_template"]
        rule = r"DTSTART:\d{8}T\d{6}Z RRULE:FREQ=(DAILY|WEEKLY|MONTHLY);INTERVAL=\d+(;BY(DAY|MONTHDAY)=\w+)?"
        assert re.fullmatch(rule, schedule["rrule"])


def test_credential_types_hand_their_own_fields_to_a_job(loaded: tuple[str, Calls]) -> None:
    for kind in loaded[1]["credential_type"].values():
        fields = {field["id"]: "x" for field in kind["inputs"]["fields"]}
        assert set(kind["inputs"]["required"]) <= fields.keys()
        files = {name.partition(".")[2]: f"/file/{name}" for name in kind["injectors"]["file"]}
        # AWX refuses an injector that names something unknown.
        environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
        for text in [*kind["injectors"]["file"].values(), *kind["injectors"]["env"].values()]:
            assert "{" not in environment.from_string(text).render(**fields, tower={"filename": files})
        assert not any(name.startswith("ANSIBLE_") for name in kind["injectors"]["env"])


def test_secrets_are_marked_as_such(loaded: tuple[str, Calls]) -> None:
    kinds = loaded[1]["credential_type"].values()
    secrets = {field["id"] for kind in kinds for field in kind["inputs"]["fields"] if field.get("secret")}
    assert secrets == {"api_key", "key"}


def test_without_secrets_the_credentials_are_left_as_they_are() -> None:
    tasks = yaml.safe_load((AWX / "load.yml").read_text(encoding="utf-8"))[0]["tasks"]
    made = [task for task in tasks if "awx.awx.credential" in task]
    assert made
    assert all(task["no_log"] and task["when"] and not task["awx.awx.credential"]["update_secrets"] for task in made)
