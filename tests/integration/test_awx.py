"""The kit for AWX: its tables fit the modules of awx.awx and one another, and its jobs run with ansible-runner as AWX runs them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support.marked_secrets import found_in, found_in_files, secret, secret_key
from tests.support.playbook import IN_PROCESS, surroundings
from tests.support.simulator import Simulator
from tools.layout import ROOT

AWX = ROOT / "extensions" / "awx"
MODULES = yaml.safe_load((ROOT / "tests" / "support" / "awx_modules.yml").read_text(encoding="utf-8"))
PLAYBOOKS = sorted(path.name for path in (AWX / "project").glob("*.yml"))


class _Unsafe(yaml.SafeLoader):
    """Reads the mark of texts that Ansible leaves alone."""


_Unsafe.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def _read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_Unsafe)


TABLES: dict[str, Any] = {}
for _path in sorted((AWX / "objects").glob("*.yml")):
    TABLES.update(_read(_path))
SETTINGS = _read(AWX / "settings.yml")
# By table the module that load.yml hands its rows to.
LOADED = {
    str(task["loop"]).strip("{} "): next(name for name in task if name.startswith("awx.awx."))
    for task in _read(AWX / "load.yml")[0]["tasks"]
    if "loop" in task
}
ROWS = [
    (module.rpartition(".")[2], row)
    for table, module in LOADED.items()
    for row in TABLES["controller_credential_input_sources" if table == "__looked_up" else table]
]
TYPES = {"str": str, "int": int, "bool": bool, "list": list, "dict": dict}
TEMPLATES = {row["name"]: row for row in TABLES["controller_templates"]}


def _misfits(module: str, row: dict[str, Any]) -> list[str]:
    """What of a row its module does not take."""
    options = MODULES[module]["options"]
    found = [*(set(MODULES[module]["required"]) - set(row)), *(set(row) - set(options))]
    for name, value in row.items():
        kind = options.get(name)
        # What a template makes of it is known to AWX alone.
        if kind and not (isinstance(value, str) and "{{" in value):
            found += [] if (value in kind if isinstance(kind, list) else isinstance(value, TYPES[kind])) else [name]
    return found


def test_every_table_is_loaded_and_its_rows_have_options_of_its_module_with_values_of_their_types() -> None:
    named = {name for name in TABLES if name.startswith("controller_")} - {"controller_credential_input_sources"}
    assert named == set(LOADED) - {"__looked_up"}
    assert [(row, found) for module, row in ROWS if (found := _misfits(module, row))] == []


def test_templates_workflow_roles_and_schedules_name_what_there_is() -> None:
    assert {row["playbook"] for row in TEMPLATES.values()} == set(PLAYBOOKS)
    (workflow,) = TABLES["controller_workflows"]
    nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}
    for node in nodes.values():
        job = node["unified_job_template"]
        assert job["name"] in TEMPLATES or job["type"] == "workflow_approval"
        assert {one["identifier"] for to in node.get("related", {}).values() for one in to} <= set(nodes)
    # Nothing is applied without an approval.
    before = [
        node for node in nodes.values() if {"identifier": "apply"} in node.get("related", {}).get("success_nodes", [])
    ]
    assert [node["unified_job_template"]["type"] for node in before] == ["workflow_approval"]
    teams = {row["name"] for row in TABLES["controller_teams"]}
    for role in TABLES["controller_roles"]:
        assert set(role.get("teams", [role.get("target_team")])) <= teams
        assert set(role.get("job_templates", [])) <= set(TEMPLATES)
        assert set(role.get("workflows", [])) <= {workflow["name"]}
    assert {row["unified_job_template"] for row in TABLES["controller_schedules"]} <= set(TEMPLATES)
    assert set(SETTINGS["awx_members"]) == teams


def _roles_in(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        if "ansible.builtin.include_role" in value:
            yield value["ansible.builtin.include_role"]["name"].rpartition(".")[2], value.get("vars", {})
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from _roles_in(part)


def test_surveys_ask_for_variables_and_playbooks_give_roles_variables_that_there_are() -> None:
    of_panels = _read(ROOT / "playbooks" / "vars" / "panel.yml")["__panel_variables"]
    specs = {path.parts[-3]: _read(path) for path in ROOT.glob("roles/*/meta/argument_specs.yml")}
    roles = {role: set(spec["argument_specs"]["main"]["options"]) for role, spec in specs.items()}
    for name, row in TEMPLATES.items():
        questions = TABLES.get(str(row.get("survey_spec")).strip("{} "), {}).get("spec", [])
        asked = {question["variable"] for question in questions if isinstance(question, dict)}
        used = (AWX / "project" / row["playbook"]).read_text(encoding="utf-8")
        assert [one for one in asked.difference(of_panels, *roles.values()) if one not in used] == [], name
    for playbook in PLAYBOOKS:
        for role, variables in _roles_in(_read(AWX / "project" / playbook)):
            own = {variable for variable in variables if variable.startswith(f"{role}_")}
            assert own <= roles[role] and bool(own) == bool(variables), playbook


VAULT_PASSWORD = secret("vault").replace("ü", "u")
VAULT = VaultLib([("default", VaultSecret(VAULT_PASSWORD.encode()))])
KEYS = {name: secret_key(name) for name in ("panel1", "panel2")}
SEED: dict[str, Any] = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}


class Fleet:
    """Two panels and the repository of their files."""

    def __init__(self, folder: Path, panels: dict[str, Simulator]) -> None:
        self.panels, self.folder, self._numbers = panels, folder, count()
        self.repository, self.work = folder / "panels.git", folder / "work"
        self.git("init", "--quiet", "--bare", "--initial-branch", "main", str(self.repository), of=folder)
        shutil.copytree(AWX / "project", self.work)
        inventory = self.work / "inventory" / "panels.yml"
        text = inventory.read_text(encoding="utf-8")
        (inventory.parent / "host_vars").mkdir()
        for name, panel in panels.items():
            text = text.replace(f"https://{name}.example", panel.url)
            key = json.dumps(VAULT.encrypt(KEYS[name]).decode())
            (inventory.parent / "host_vars" / f"{name}.yml").write_text(
                f"panel_api_key: !vault {key}\n", encoding="utf-8"
            )
        inventory.write_text(text, encoding="utf-8")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("remote", "add", "origin", str(self.repository))
        self.commit("Begin")

    def git(self, *words: str, of: Path | None = None) -> str:
        who = ["-c", "user.name=Operator", "-c", "user.email=operator@panels.example"]
        done = subprocess.run(
            ["git", *who, *words], cwd=of or self.work, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, message: str) -> None:
        """Pushes what the operator has in the folder."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        if self.git("ls-remote", "origin"):
            self.git("pull", "--quiet", "--rebase", "origin", "main")  # what jobs have pushed
        self.git("push", "--quiet", "--set-upstream", "origin", "main")

    def run(self, playbook: str, environment: dict[str, str] | None = None, **variables: Any) -> Job:
        given = {"panels_repository": str(self.repository), **variables}
        folder = self.folder / f"job {next(self._numbers)}"
        return run_job(folder, self.repository, playbook, VAULT_PASSWORD, given, environment)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    settings = {"status_delay": 0.0}
    with Simulator.start(KEYS["panel1"], settings) as first, Simulator.start(KEYS["panel2"], settings) as second:
        for panel in (first, second):
            panel.seed(SEED)
        yield Fleet(tmp_path, {"panel1": first, "panel2": second})


def test_a_credential_without_a_private_authority_gives_an_empty_path() -> None:
    (kind,) = [one for one in TABLES["controller_credential_types"] if "PANEL_API_KEY" in one["injectors"]["env"]]
    inputs = {"api_url": "https://panel.example", "api_key": "k", "skip_certificate_check": False}
    environment = {
        name: ImmutableSandboxedEnvironment().from_string(text).render(**inputs, tower={"filename": {"ca": "none"}})
        for name, text in kind["injectors"]["env"].items()
    }
    # Which counts as not given: test_tasks.py.
    assert (environment["PANEL_CA_PATH"], environment["PANEL_VALIDATE_CERTS"]) == ("", "True")


@pytest.mark.release
def test_jobs_export_plan_and_apply_what_was_approved_and_push_what_has_to_stay(fleet: Fleet) -> None:
    exported = fleet.run("export.yml")
    assert exported.code == 0, exported.text
    fleet.git("pull", "--quiet")
    assert "username: acme" in (fleet.work / "panels" / "panel1" / "clients" / "acme.yml").read_text(encoding="utf-8")

    new = "emails:\n  - email: new@acme.example\n"
    (fleet.work / "panels" / "panel1" / "new.yml").write_text(new, encoding="utf-8")
    fleet.commit("Add a mailbox")
    # What the workflow's survey gives to both jobs if nobody wants to delete anything.
    answers = {"panel_purge": "", "panel_max_deletes": 0}
    planned = fleet.run("plan.yml", **answers)
    assert planned.code == 0, planned.text
    assert planned.handed_on["panel_planned_changes"] == {"panel1": 1, "panel2": 0}
    assert sorted(planned.handed_on["panel_expected_checksums"]) == ["panel1", "panel2"]

    alone = fleet.run("apply.yml", **answers)
    assert alone.code != 0
    assert [panel.writes() for panel in fleet.panels.values()] == [[], []]
    applied = fleet.run("apply.yml", **planned.handed_on, **answers)
    assert applied.code == 0, applied.text
    (write,) = fleet.panels["panel1"].writes()
    assert (write["method"], write["path"]) == ("POST", "/emails")
    (made,) = [one for one in fleet.panels["panel1"].objects("emails") if one["email"] == "new@acme.example"]
    password = str(made["hidden"]["password"])
    kept = yaml.safe_load(VAULT.decrypt(fleet.git("show", "main:passwords/panel1.yml", of=fleet.repository)))
    assert [one["password"] for one in kept["generated_passwords"]] == [password]
    # By this author the workflow knows what it has pushed itself.
    assert fleet.git("log", "-1", "--format=%ae", "main", of=fleet.repository).strip() == "awx@localhost"
    own = {"ref": "refs/heads/main", "commits": [{"author": {"email": "awx@localhost"}}]}
    assert "Jobs of AWX have pushed" in fleet.run("pushed.yml", awx_webhook_payload=own).words

    artifacts = [job.artifacts for job in (exported, planned, applied)]
    assert [found_in_files(folder, more=[password]) for folder in artifacts] == [{}] * 3
    assert found_in(fleet.git("log", "-p", "main", of=fleet.repository), [password]) == []


SECONDS = 180
# What AWX answers to ansible-playbook's question, as its Vault credential says.
ASKED_FOR_VAULT = "Vault password:\\s*?$"


@dataclass(frozen=True)
class Job:
    """A job that has ended. artifacts: the folder of all that ansible-runner keeps of it."""

    artifacts: Path

    @property
    def code(self) -> int:
        return int((self.artifacts / "rc").read_text(encoding="ascii"))

    @property
    def text(self) -> str:
        return (self.artifacts / "stdout").read_text(encoding="utf-8")

    @property
    def words(self) -> str:
        """The output on one line, since Ansible wraps long ones."""
        return " ".join(self.text.split())

    @property
    def handed_on(self) -> dict[str, Any]:
        """What a workflow gives to the next job as extra variables."""
        for path in (self.artifacts / "job_events").glob("*.json"):
            event = json.loads(path.read_text(encoding="utf-8"))
            if event["event"] == "playbook_on_stats":
                data: dict[str, Any] = event["event_data"].get("artifact_data", {})
                return data
        return {}


def run_job(
    folder: Path,
    repository: Path,
    playbook: str,
    vault_password: str,
    variables: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Job:
    """Runs a playbook of the repository's branch main in a folder that does not exist yet."""
    (folder / "env").mkdir(parents=True)
    clone = ["git", "clone", "--quiet", "--branch", "main", str(repository), str(folder / "project")]
    subprocess.run(clone, check=True, timeout=SECONDS)
    contents: dict[str, Any] = {
        "envvars": dict(environment or {}),
        "extravars": dict(variables or {}),
        "passwords": {ASKED_FOR_VAULT: vault_password},
    }
    for name, content in contents.items():
        (folder / "env" / name).write_text(json.dumps(content), encoding="utf-8")
    (folder / "env" / "cmdline").write_text("--ask-vault-pass", encoding="utf-8")
    own = surroundings(folder, IN_PROCESS)
    own["PATH"] = f"{Path(sys.executable).parent}:{own['PATH']}"
    inventory = ["--inventory", str(folder / "project" / "inventory" / "panels.yml")]
    words = ["run", str(folder), "--quiet", "--ident", "job", "--playbook", playbook, *inventory]
    command = [sys.executable, "-m", "ansible_runner", *words]
    subprocess.run(command, cwd=folder, env=own, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
    return Job(folder / "artifacts" / "job")
