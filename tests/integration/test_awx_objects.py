# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What extensions/awx loads into AWX: by the real modules of awx.awx, into a stand-in for its API."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support import awx_stand_in
from tests.support.awx_stand_in import StandIn
from tests.support.foreign_collections import collections_folder
from tests.support.marked_secrets import found_in, secret
from tests.support.playbook import IN_PROCESS, ansible, surroundings
from tools.layout import ROOT

AWX = ROOT / "extensions" / "awx"
SUPPORT = ROOT / "tests" / "support"
WORKFLOW = "Panels - plan, approve, apply"
CREDENTIALS = ("Panels - Vault", "Panels - deploy key")
GIVEN = {name: secret(name) for name in ("awx_repository_key", "awx_repository_known_hosts", "awx_vault_password")}
LOOKUPS: dict[str, dict[str, Any]] = {
    "HashiCorp Vault Secret Lookup": {
        "awx_lookup_inputs": {
            "url": "https://vault.example:8200",
            "api_version": "v2",
            "role_id": "awx",
            "secret_id": secret("lookup"),
        },
        "awx_lookups": {
            "awx_vault_password": {"secret_backend": "kv", "secret_path": "panels", "secret_key": "vault_password"},
        },
    },
    "CyberArk Central Credential Provider Lookup": {
        "awx_lookup_inputs": {"url": "https://ccp.example", "app_id": secret("lookup"), "verify": True},
        "awx_lookups": {
            "awx_vault_password": {"object_query": "Safe=Panels;Object=vault", "object_query_format": "Exact"}
        },
    },
}
EVERYTHING: dict[str, Any] = {
    **GIVEN,
    "awx_registry": {"host": "images.example", "username": "awx"},
    "awx_registry_password": secret("registry"),
    "awx_notification_type": "email",
    "awx_notification_configuration": {"host": "mail.example", "password": secret("mail")},
    "awx_webhook_service": "gitlab",
    "awx_signature_key": "a public key",
    "awx_volume_folder": "/var/lib/panels",
    "awx_volume_source": "/srv/panels",
    "awx_volume_claim": "panels",
    "awx_cache_timeout": 30,
    "awx_panel": {"api_url": "https://panel.example"},
    "awx_panel_api_key": secret("panel"),
    "awx_members": {"Panels - approvers": ["anna", "ben"]},
    "awx_lookup_type": "HashiCorp Vault Secret Lookup",
    **LOOKUPS["HashiCorp Vault Secret Lookup"],
}
del EVERYTHING["awx_vault_password"]
BY_TOKEN = {"CONTROLLER_OAUTH_TOKEN": awx_stand_in.TOKEN}
BY_NAME = {"CONTROLLER_USERNAME": awx_stand_in.USERNAME, "CONTROLLER_PASSWORD": awx_stand_in.PASSWORD}


class Loaded:
    """A run of load.yml: what it printed, what each module was given, and the requests that wrote."""

    def __init__(
        self, folder: Path, stand_in: StandIn, settings: dict[str, Any], who: Mapping[str, str] | None = None
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.settings = settings
        recorded = folder / "calls"
        recorded.unlink(missing_ok=True)
        before = len(stand_in.writes)
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        paths = f"{surroundings(folder, IN_PROCESS)['ANSIBLE_COLLECTIONS_PATH']}:{_modules_in_process(folder)}"
        done = ansible(
            "playbook",
            ["--extra-vars", f"@{folder / 'settings.json'}", "-vvv", str(AWX / "load.yml")],
            folder,
            IN_PROCESS,
            {
                "ANSIBLE_CONFIG": str(AWX / "ansible.cfg"),
                "ANSIBLE_COLLECTIONS_PATH": paths,
                "RECORDED_CALLS": str(recorded),
                # Each request would read the authorities of the system, which takes most of the time, and needs none.
                "SSL_CERT_FILE": os.devnull,
                "CONTROLLER_HOST": stand_in.url,
                **(who or BY_TOKEN),
            },
        )
        self.text = done.stdout
        assert done.returncode == 0, self.text
        self.stand_in = stand_in
        self.writes = stand_in.writes[before:]
        self.calls: dict[str, list[dict[str, Any]]] = {}
        for line in recorded.read_text(encoding="utf-8").splitlines():
            module, given = json.loads(line)
            self.calls.setdefault(module, []).append(given)

    def named(self, module: str) -> dict[str, dict[str, Any]]:
        """What a module was given, by the object's name."""
        return {given["name"]: given for given in self.calls[module]}


def _modules_in_process(folder: Path) -> Path:
    """The collection awx.awx as it is, with an action beside each module that runs it without a process of its own."""
    real = collections_folder() / "ansible_collections" / "awx" / "awx"
    copy = folder / "collections" / "ansible_collections" / "awx" / "awx"
    if not copy.is_dir():
        shutil.copytree(real, copy)
        (copy / "plugins" / "action").mkdir(exist_ok=True)
        for module in (copy / "plugins" / "modules").glob("[!_]*.py"):
            shutil.copy(SUPPORT / "awx_action.py", copy / "plugins" / "action" / module.name)
    return folder / "collections"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    """With the settings as they are delivered, and the secrets."""
    with awx_stand_in.started() as stand_in:
        yield Loaded(tmp_path_factory.mktemp("plain"), stand_in, GIVEN)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    """With every setting that there is."""
    with awx_stand_in.started() as stand_in:
        folder = tmp_path_factory.mktemp("everything")
        yield Loaded(folder, stand_in, {**EVERYTHING, "awx_webhook_key_file": str(folder / "webhook.key")})


def test_loading_again_by_name_and_password_changes_nothing_and_prints_no_secret(
    loaded: Loaded, tmp_path: Path
) -> None:
    again = Loaded(tmp_path, loaded.stand_in, loaded.settings, BY_NAME)
    assert found_in(again.text) == []
    # Of an approval, the module cannot know whether it changes, so it writes it in every run.
    assert [line for line in again.writes if "workflow_approval_templates" not in line] == []
    assert "changed=1 " in again.text


@pytest.mark.parametrize("which", ["plain", "loaded"])
def test_loading_prints_no_secret(which: str, request: pytest.FixtureRequest) -> None:
    assert found_in(request.getfixturevalue(which).text) == []


def test_ansible_warns_of_nothing(plain: Loaded) -> None:
    assert [line for line in plain.text.splitlines() if "unsafe" in line] == []


@pytest.mark.parametrize("kind", LOOKUPS)
def test_secrets_are_looked_up_where_they_are_not_given(kind: str, tmp_path: Path) -> None:
    settings = {**GIVEN, "awx_lookup_type": kind, **LOOKUPS[kind]}
    del settings["awx_vault_password"]
    with awx_stand_in.started() as stand_in:
        Loaded(tmp_path, stand_in, settings)
    (source,) = stand_in.objects["credential_input_sources"].values()
    assert source["target_credential"] == stand_in.named("credentials", "Panels - Vault")["id"]
    assert source["source_credential"] == stand_in.named("credentials", "Panels - lookup")["id"]
    assert (source["input_field_name"], source["metadata"]) == (
        "vault_password",
        LOOKUPS[kind]["awx_lookups"]["awx_vault_password"],
    )
    assert stand_in.named("credentials", "Panels - Vault")["inputs"] == {"vault_password": ""}


def test_what_nobody_asked_for_is_not_there(plain: Loaded) -> None:
    absent = ("notification_templates", "instance_groups", "credential_input_sources")
    assert [kind for kind in absent if plain.stand_in.objects[kind]] == []
    assert plain.stand_in.settings == {"AWX_ISOLATION_SHOW_PATHS": ["/etc/pki:/etc/pki:O"]}
    assert sorted(plain.named("credential")) == ["Panels - Vault", "Panels - deploy key", "Panels - repository"]
    assert "signature_validation_credential" not in plain.stand_in.named("projects", "Panels")


def test_secrets_that_awx_has_are_left_as_they_are_unless_they_are_to_be_written(
    loaded: Loaded, tmp_path: Path
) -> None:
    assert not any(one["update_secrets"] for one in loaded.calls["credential"])
    with awx_stand_in.started() as stand_in:
        place = {"organization": stand_in.create("organizations", {"name": "Hosting"})["id"]}
        place["credential_type"] = stand_in.named("credential_types", "Vault")["id"]
        inputs = {"vault_password": "an older one"}
        there = stand_in.create("credentials", {"name": "Panels - Vault", **place, "inputs": inputs})
        Loaded(tmp_path, stand_in, {**GIVEN, "awx_update_secrets": True})
        assert stand_in.secrets[there["id"]] == {"vault_password": GIVEN["awx_vault_password"]}


def test_one_panel_is_a_credential_of_every_template(loaded: Loaded, plain: Loaded) -> None:
    stand_in = loaded.stand_in
    made = stand_in.named("credentials", "Panels - the panel")
    assert made["credential_type"] == stand_in.named("credential_types", "Hosting panel")["id"]
    assert stand_in.secrets[made["id"]] == {"api_url": "https://panel.example", "api_key": secret("panel")}
    assert {tuple(one["credentials"]) for one in loaded.calls["job_template"]} == {(*CREDENTIALS, made["name"])}
    assert {tuple(one["credentials"]) for one in plain.calls["job_template"]} == {CREDENTIALS}


def test_templates_name_playbooks_credentials_and_projects_that_are_there(loaded: Loaded) -> None:
    stand_in = loaded.stand_in
    for name, template in loaded.named("job_template").items():
        assert (AWX / "project" / template["playbook"]).is_file(), name
        assert template["ask_limit_on_launch"]
        assert template["ask_job_type_on_launch"]
        assert template["ask_verbosity_on_launch"]
        made = stand_in.named("job_templates", name)
        assert made["execution_environment"] == stand_in.named("execution_environments", "Hosting panel")["id"]
        attached = stand_in.names("credentials", f"job_templates/{made['id']}/credentials")
        assert attached == {*CREDENTIALS, "Panels - the panel"}
        assert stand_in.names("instance_groups", f"job_templates/{made['id']}/instance_groups") == {"Panels"}
        assert json.loads(made["extra_vars"])["panels_volume"] == "/var/lib/panels"
    source = stand_in.named("inventory_sources", "Panels - repository")
    assert (AWX / "project" / source["source_path"]).is_file()
    assert source["update_cache_timeout"] == 30


def test_every_playbook_of_the_project_is_found_by_awx_and_has_a_template(loaded: Loaded) -> None:
    used = {template["playbook"] for template in loaded.calls["job_template"]}
    present = {path.name for path in (AWX / "project").glob("*.yml")}
    assert used == present
    for name in present:
        # AWX lists a file as a playbook if a line of it begins so; import_playbook with the name of its collection is none to older ones.
        text = (AWX / "project" / name).read_text(encoding="utf-8")
        assert re.search(r"^\s*-?\s*(?:hosts|import_playbook):", text, re.MULTILINE), name


def _way(loaded: Loaded, beginning: str, by: str = "success_nodes") -> list[str]:
    """Names of what a workflow runs, from a node on."""
    nodes = loaded.stand_in.objects["workflow_job_template_nodes"]
    templates = {one["id"]: one["name"] for one in loaded.stand_in.objects["job_templates"].values()}
    way, current = [], next(one for one in nodes.values() if one["identifier"] == beginning)
    while True:
        way.append(templates.get(current.get("unified_job_template", 0), "approval"))
        following = loaded.stand_in.associated[f"{current['url']}{by}/"]
        if not following:
            return way
        current, by = nodes[following[0]], "success_nodes"


def test_a_push_is_planned_approved_applied_and_looked_at(loaded: Loaded) -> None:
    planned = ["Panels - plan", "approval", "Panels - apply the approved plan", "Panels - drift"]
    assert _way(loaded, "push") == ["Panels - look at a push", *planned]
    assert _way(loaded, "push", "failure_nodes") == ["Panels - look at a push", "Panels - ping"]
    # Nothing follows any other failure, so that it is one of the workflow.
    after_failures = [
        place for place, nodes in loaded.stand_in.associated.items() if place.endswith("/failure_nodes/") and nodes
    ]
    assert len(after_failures) == 1
    # The questions are asked once, and both jobs know the answers.
    templates = loaded.named("job_template")
    specs = [templates[name]["survey_spec"] for name in ("Panels - plan", "Panels - apply the approved plan")]
    assert specs == [loaded.named("workflow_job_template")[WORKFLOW]["survey_spec"]] * 2


def test_a_webhook_starts_the_workflow_and_its_address_is_told(loaded: Loaded, plain: Loaded) -> None:
    workflow = loaded.stand_in.named("workflow_job_templates", WORKFLOW)
    assert workflow["webhook_service"] == "gitlab"
    assert f"address: {loaded.stand_in.url}{workflow['url']}gitlab/" in loaded.text
    key = Path(loaded.settings["awx_webhook_key_file"])
    assert (key.read_text(encoding="utf-8"), key.stat().st_mode & 0o777) == (awx_stand_in.WEBHOOK_KEY, 0o600)
    assert f"its secret: in {key}" in loaded.text
    assert "webhook_service" not in plain.stand_in.named("workflow_job_templates", WORKFLOW)


def test_somebody_is_told_of_failures_once_and_of_what_waits_for_approval(loaded: Loaded) -> None:
    stand_in = loaded.stand_in
    workflow = stand_in.named("workflow_job_templates", WORKFLOW)
    for event in ("error", "approvals"):
        place = f"workflow_job_templates/{workflow['id']}/notification_templates_{event}"
        assert stand_in.names("notification_templates", place) == {"Panels"}
    silent = {
        one["name"]
        for one in stand_in.objects["job_templates"].values()
        if not stand_in.names("notification_templates", f"job_templates/{one['id']}/notification_templates_error")
    }
    assert silent == {"Panels - look at a push", "Panels - plan", "Panels - apply the approved plan"}


def test_teams_may_do_what_they_are_for(loaded: Loaded) -> None:
    stand_in = loaded.stand_in
    teams = {
        name: stand_in.named("teams", f"Panels - {name}")["id"]
        for name in ("readers", "operators", "approvers", "administrators")
    }

    def may(kind: str, name: str, role: str) -> set[str]:
        number = stand_in.named(kind, name)["summary_fields"]["object_roles"][role]["id"]
        return {team for team in teams if teams[team] in stand_in.associated[f"/api/v2/roles/{number}/teams/"]}

    assert may("workflow_job_templates", WORKFLOW, "execute_role") == {"operators", "administrators"}
    assert may("workflow_job_templates", WORKFLOW, "approval_role") == {"approvers"}
    assert may("job_templates", "Panels - plan", "execute_role") == set(teams)
    assert may("job_templates", "Panels - apply the approved plan", "execute_role") == set()
    for name in ("Panels - move a customer", "Panels - offboard a customer"):
        assert may("job_templates", name, "execute_role") == {"administrators"}
    named = {name for one in loaded.calls["role"] for name in one.get("job_templates", [])}
    assert named == set(loaded.named("job_template"))
    members = stand_in.named("teams", "Panels - approvers")["summary_fields"]["object_roles"]["member_role"]["id"]
    assert len(stand_in.associated[f"/api/v2/roles/{members}/users/"]) == 2


def _options() -> dict[str, dict[str, Any]]:
    """What the roles of the collection take."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((ROOT / "roles").glob("*/meta/argument_specs.yml")):
        found.update(yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"])
    return found


def test_surveys_ask_for_what_the_playbooks_take(loaded: Loaded) -> None:
    options = _options()
    known = (ROOT / "playbooks" / "tasks" / "variables.yml").read_text(encoding="utf-8")
    types = {
        "int": {"integer"},
        "bool": {"multiplechoice"},
        "list": {"multiselect"},
        "str": {"text", "multiplechoice"},
        "path": {"text"},
    }
    for name, template in loaded.named("job_template").items():
        playbook = (AWX / "project" / template["playbook"]).read_text(encoding="utf-8")
        for question in template.get("survey_spec", {"spec": []})["spec"]:
            variable = question["variable"]
            assert (question["type"] == "password") == ("password" in variable), variable
            if variable.startswith("panels_"):
                assert f"{variable} " in playbook or f"{variable}." in playbook or f"{variable}]" in playbook, (
                    name,
                    variable,
                )
            elif variable.startswith("panel_"):
                assert f" {variable}" in known, variable
            else:
                option = options[variable]
                assert question["type"] in types[option["type"]], variable
                choices = ["false", "true"] if option["type"] == "bool" else option.get("choices")
                assert question.get("choices") == choices, variable


@pytest.mark.parametrize(
    ("template", "variable", "default"),
    [
        ("Panels - plan", "panel_purge", ""),
        ("Panels - plan", "panel_max_deletes", 0),
        ("Panels - apply the approved plan", "panel_max_deletes", 0),
        ("Panels - manage customers of a file", "sites_max_deletes", 0),
        ("Panels - offboard a customer", "offboard_action", "suspend"),
        ("Panels - offboard a customer", "offboard_client", ""),
        ("Panels - offboard a customer", "offboard_confirm", ""),
        ("Panels - move a customer", "move_step", "verify"),
        ("Panels - move a customer", "move_client", ""),
        ("Panels - move a customer", "panels_source", ""),
        ("Panels - move a customer", "panels_target", ""),
    ],
)
def test_no_answer_that_nobody_has_given_deletes_or_moves(
    loaded: Loaded, template: str, variable: str, default: Any
) -> None:
    spec = loaded.named("job_template")[template]["survey_spec"]["spec"]
    (question,) = [one for one in spec if one["variable"] == variable]
    assert question["default"] == default


def test_schedules_have_rules_that_awx_takes_and_need_no_answer(loaded: Loaded) -> None:
    templates = loaded.named("job_template")
    for schedule in loaded.calls["schedule"]:
        rule = r"DTSTART:\d{8}T\d{6}Z RRULE:FREQ=(DAILY|WEEKLY|MONTHLY);INTERVAL=\d+(;BY(DAY|MONTHDAY)=\w+)?"
        assert re.fullmatch(rule, schedule["rrule"])
        questions = templates[schedule["unified_job_template"]].get("survey_spec", {"spec": []})["spec"]
        assert not any(question["required"] for question in questions)


def test_credential_types_hand_their_own_fields_to_a_job(loaded: Loaded) -> None:
    for kind in loaded.calls["credential_type"]:
        fields = {field["id"]: "x" for field in kind["inputs"]["fields"]}
        assert set(kind["inputs"]["required"]) <= fields.keys()
        files = {name.partition(".")[2]: f"/file/{name}" for name in kind["injectors"]["file"]}
        # AWX refuses an injector that names something unknown.
        environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
        for text in [*kind["injectors"]["file"].values(), *kind["injectors"]["env"].values()]:
            assert "{" not in environment.from_string(text).render(**fields, tower={"filename": files})
        assert not any(name.startswith("ANSIBLE_") for name in kind["injectors"]["env"])


def test_secrets_are_marked_as_such(loaded: Loaded) -> None:
    kinds = loaded.calls["credential_type"]
    secrets = {field["id"] for kind in kinds for field in kind["inputs"]["fields"] if field.get("secret")}
    assert secrets == {"api_key", "key"}


def test_a_volume_is_mounted_into_jobs(loaded: Loaded) -> None:
    shown = loaded.stand_in.settings["AWX_ISOLATION_SHOW_PATHS"]
    assert shown == ["/etc/pki:/etc/pki:O", "/srv/panels:/var/lib/panels:z"]
    pod = yaml.safe_load(loaded.stand_in.named("instance_groups", "Panels")["pod_spec_override"])["spec"]
    assert pod["containers"] == [
        {"name": "worker", "volumeMounts": [{"name": "panels", "mountPath": "/var/lib/panels"}]}
    ]
    assert pod["volumes"] == [{"name": "panels", "persistentVolumeClaim": {"claimName": "panels"}}]


def test_the_tables_are_variables_of_infra_aap_configuration() -> None:
    known = yaml.safe_load((SUPPORT / "aap_configuration.yml").read_text(encoding="utf-8"))

    class Unsafe(yaml.SafeLoader):
        """Reads the mark of texts that Ansible leaves alone."""

    Unsafe.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))
    tables: dict[str, list[dict[str, Any]]] = {}
    for path in (AWX / "objects").glob("*.yml"):
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=Unsafe)
        tables.update({name: table for name, table in content.items() if not name.startswith("awx_")})
    assert tables.keys() == known.keys()
    for name, table in tables.items():
        for entry in table:
            assert entry.keys() <= {*known[name]}, name
