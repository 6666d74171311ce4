# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of the guide for AWX, on two panels: export, plan, approve, apply in slices, with ansible-runner as AWX uses it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support.awx_job import Controller, Job
from tests.support.foreign_collections import collections_folder
from tests.support.marked_secrets import found_in, found_in_files, secret, secret_key
from tests.support.simulator import Simulator
from tools.layout import ROOT, link_collection

AWX = ROOT / "extensions" / "awx"
KEYS = {name: secret_key(name) for name in ("panel1", "panel2")}
VAULT_PASSWORD = secret("vault").replace("ü", "u")
GIVEN = secret("given")
SEED: dict[str, Any] = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example"}],
}
# What the workflow's survey gives to both jobs, if nobody wants to delete anything.
ANSWERS = {"panel_purge": "", "panel_max_deletes": 0}
VAULT = VaultLib([("default", VaultSecret(VAULT_PASSWORD.encode()))])


def encrypted(text: str) -> str:
    """As ``ansible-vault encrypt_string`` writes it, on one line."""
    return f"!vault {json.dumps(VAULT.encrypt(text).decode())}"


class Fleet:
    """Two panels, the repository of their files, and the AWX that runs jobs on them."""

    def __init__(self, folder: Path, panels: dict[str, Simulator]) -> None:
        self.panels = panels
        self.repository = folder / "panels.git"
        self.controller = Controller(folder / "jobs", VAULT_PASSWORD)
        self.controller.folder.mkdir()
        self.work = folder / "work"
        self.variables = {"panels_repository": str(self.repository)}
        self.git("init", "--quiet", "--bare", "--initial-branch", "main", str(self.repository), of=folder)
        shutil.copytree(AWX / "project", self.work)
        inventory = self.work / "inventory" / "panels.yml"
        text = inventory.read_text(encoding="utf-8")
        keys = inventory.parent / "host_vars"
        keys.mkdir()
        for name, panel in panels.items():
            text = text.replace(f"https://{name}.example", panel.url)
            (keys / f"{name}.yml").write_text(f"panel_api_key: {encrypted(KEYS[name])}\n", encoding="utf-8")
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

    def run(self, playbook: str, *hosts: str, **keywords: Any) -> Job:
        variables = {**self.variables, **keywords.pop("variables", {})}
        return self.controller.run(self.repository, playbook, hosts or None, variables, **keywords)

    def writes(self) -> dict[str, list[str]]:
        """What the panels were sent since the last look."""
        found = {
            name: [f"{one['method']} {one['path']}" for one in panel.writes()] for name, panel in self.panels.items()
        }
        for panel in self.panels.values():
            panel.clear_log()
        return found

    def kept_passwords(self, panel: str) -> dict[str, str]:
        """What is in the repository, by name of the object."""
        text = self.git("show", f"main:passwords/{panel}.yml", of=self.repository)
        content = yaml.safe_load(VAULT.decrypt(text))
        return {entry["key"]: entry["password"] for entry in content["generated_passwords"]}

    def password(self, panel: str, address: str) -> str:
        """What the panel itself knows."""
        (found,) = [one for one in self.panels[panel].objects("emails") if one["email"] == address]
        return str(found["hidden"]["password"])


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Two panels with a client each, and an export of them in the repository, made by a job on another node."""
    settings = {"status_delay": 0.0}
    with (
        Simulator.start(KEYS["panel1"], settings) as first,
        Simulator.start(KEYS["panel2"], settings) as second,
    ):
        panels = {"panel1": first, "panel2": second}
        for panel in panels.values():
            panel.seed(SEED)
        made = Fleet(tmp_path_factory.mktemp("awx"), panels)
        job = made.run("export.yml", on_another_node=True)
        assert job.code == 0, job.text
        made.git("pull", "--quiet")
        yield made


@pytest.fixture(scope="module")
def planned(fleet: Fleet) -> Job:
    """The job that plans what the operator has changed in the files."""
    for name in KEYS:
        file = fleet.work / "panels" / name / "clients" / "acme.yml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("max_size: 1G", "max_size: 2G"), encoding="utf-8")
    new = fleet.work / "panels" / "panel1" / "new.yml"
    new.write_text(
        f"emails:\n  - email: new@acme.example\n  - email: sales@acme.example\n    password: {encrypted(GIVEN)}\n",
        encoding="utf-8",
    )
    fleet.commit("Enlarge mailboxes")
    job = fleet.run("plan.yml", on_another_node=True, variables=ANSWERS)
    assert job.code == 0, job.text
    return job


@pytest.fixture(scope="module")
def applied(fleet: Fleet, planned: Job) -> dict[str, Job]:
    """The jobs of the two slices that apply what was planned."""
    fleet.writes()
    return {name: fleet.run("apply.yml", name, variables={**planned.handed_on, **ANSWERS}) for name in KEYS}


def test_an_export_pushes_the_files_of_all_panels(fleet: Fleet) -> None:
    assert "username: acme" in (fleet.work / "panels" / "panel1" / "clients" / "acme.yml").read_text(encoding="utf-8")
    assert (fleet.work / "panels" / "panel2" / "clients" / "acme.yml").is_file()
    assert fleet.git("log", "-1", "--format=%s").strip() == "Take over what is on the panels"


def test_a_plan_hands_the_checksums_of_all_panels_to_the_next_job(fleet: Fleet, planned: Job) -> None:
    assert planned.handed_on["panel_planned_changes"] == {"panel1": 3, "panel2": 1}
    assert sorted(planned.handed_on["panel_expected_checksums"]) == ["panel1", "panel2"]
    assert "create emails new@acme.example" in planned.words


def test_each_slice_applies_what_was_approved_for_its_panels(fleet: Fleet, applied: dict[str, Job]) -> None:
    assert [job.code for job in applied.values()] == [0, 0], [job.text for job in applied.values()]
    writes = fleet.writes()
    assert sorted(line.rpartition("/")[0] for line in writes["panel1"] if line.startswith("PUT")) == ["PUT /emails"]
    assert [line for line in writes["panel1"] if line.startswith("POST")] == ["POST /emails"] * 2
    assert [line.rpartition("/")[0] for line in writes["panel2"]] == ["PUT /emails"]


def test_generated_passwords_reach_the_repository_encrypted(fleet: Fleet, applied: dict[str, Job]) -> None:
    assert fleet.kept_passwords("panel1") == {"new@acme.example": fleet.password("panel1", "new@acme.example")}
    assert fleet.password("panel1", "sales@acme.example") == GIVEN


def test_drift_shows_what_was_left_to_the_panel_until_the_files_have_it(
    fleet: Fleet, planned: Job, applied: dict[str, Job]
) -> None:
    # As the last node of the workflow, with all that the others were given.
    inherited = {**planned.handed_on, **ANSWERS, "awx_webhook_payload": {"ref": "refs/heads/main"}}
    last = fleet.run("drift.yml", "panel2", variables=inherited)
    assert last.code == 0, last.text
    left = fleet.run("drift.yml", "panel1")
    assert left.code != 0
    assert "email: new@acme.example" in left.text
    assert fleet.run("export.yml", "panel1").code == 0
    assert fleet.run("drift.yml", "panel1").code == 0


def test_an_approval_counts_once(fleet: Fleet, planned: Job, applied: dict[str, Job]) -> None:
    fleet.writes()
    again = fleet.run("apply.yml", variables=planned.handed_on)
    assert again.code != 0
    assert "There is nothing left to do: the panel is as the files say" in again.words
    alone = fleet.run("apply.yml")
    assert alone.code != 0
    assert "This job belongs into the workflow" in alone.words
    assert fleet.writes() == {"panel1": [], "panel2": []}


def test_passwords_that_cannot_be_pushed_are_in_the_output_encrypted(fleet: Fleet, applied: dict[str, Job]) -> None:
    new = fleet.work / "panels" / "panel2" / "new.yml"
    new.write_text("emails: [{email: late@acme.example}]\n", encoding="utf-8")
    fleet.commit("Add a mailbox")
    plan = fleet.run("plan.yml", "panel2")
    hook = fleet.repository / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho the repository is being moved\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    job = fleet.run("apply.yml", "panel2", variables=plan.handed_on, environment={"PUSH_PAUSES": "0"})
    hook.unlink()
    assert job.code != 0
    assert "could not be pushed, and this job's folder will be thrown away" in job.words
    assert "the repository is being moved" in job.words
    assert '"passwords/panel2.yml",' in job.text
    shown = re.findall(r'^\s+"(\$ANSIBLE_VAULT;.*|[0-9a-f]{2,80})",?$', job.text, re.MULTILINE)
    content = yaml.safe_load(VAULT.decrypt("\n".join(shown)))
    assert content["generated_passwords"][0]["password"] == fleet.password("panel2", "late@acme.example")


def test_a_report_is_pushed_as_a_page(fleet: Fleet, applied: dict[str, Job]) -> None:
    job = fleet.run("report.yml")
    assert job.code == 0, job.text
    assert "panel2" in fleet.git("show", "main:report/index.html", of=fleet.repository)


def test_what_panels_do_is_pushed_as_a_table_and_a_profile(fleet: Fleet, applied: dict[str, Job]) -> None:
    job = fleet.run("verify.yml", variables={"panel_verify_writes": "true"})
    assert job.code == 0, job.text
    for name, panel in fleet.panels.items():
        assert "| confirmed |" in fleet.git("show", f"main:verify/{name}.md", of=fleet.repository)
        assert "hpverify" not in json.dumps(panel.state()["objects"])


def test_suspending_and_rotating_need_one_panel(fleet: Fleet, tmp_path: Path) -> None:
    fleet.writes()
    clients = {"panels_clients": "acme\n\n"}
    refused = fleet.run("suspend.yml", variables=clients)
    assert refused.code != 0
    assert "Name the panel of these clients in the limit of the job; now it is for panel1, panel2." in refused.words
    assert fleet.writes() == {"panel1": [], "panel2": []}
    job = fleet.run("suspend.yml", "panel2", variables={**clients, "suspend_state": "suspended"})
    assert job.code == 0, job.text
    rotation = {**clients, "rotate_id": "one", "rotate_kinds": ["emails"]}
    volume = {"panels_volume": str(tmp_path)}
    job = fleet.run("rotate.yml", "panel2", variables={**rotation, **volume})
    assert job.code == 0, job.text
    writes = fleet.writes()
    assert writes["panel1"] == []
    assert {line.rpartition("/")[0] for line in writes["panel2"]} == {"PUT /clients", "PUT /emails"}
    kept = yaml.safe_load(VAULT.decrypt((tmp_path / "passwords" / "panel2.yml").read_bytes()))["generated_passwords"]
    found = {entry["key"]: entry["password"] for entry in kept}
    assert found["info@acme.example"] == fleet.password("panel2", "info@acme.example")
    refused = fleet.run("rotate.yml", "panel2", variables=rotation)
    assert "panels_volume has to name a folder on a volume" in refused.words


@pytest.fixture(scope="module")
def onboarded(fleet: Fleet, applied: dict[str, Job]) -> Job:
    """The job that has onboarded gamma on the first panel, with the answers of its survey."""
    answers = {
        "panels_client": "gamma",
        "panels_email": "it@gamma.example",
        "panels_password": GIVEN,
        "panels_hosting_plan": "",
        "panels_domains": "gamma.example\n",
        "panels_mailboxes": "info@gamma.example\n\nsales@gamma.example\n",
    }
    refused = fleet.run("onboard.yml", variables=answers)
    assert "Name the panel of these clients in the limit of the job" in refused.words
    return fleet.run("onboard.yml", "panel1", variables=answers)


def test_a_customer_is_onboarded_and_its_passwords_are_kept(fleet: Fleet, onboarded: Job) -> None:
    assert onboarded.code == 0, onboarded.text
    (client,) = [one for one in fleet.panels["panel1"].objects("clients") if one["username"] == "gamma"]
    assert (client["email"], client["hidden"]["password"]) == ("it@gamma.example", GIVEN)
    assert "gamma" not in [one["username"] for one in fleet.panels["panel2"].objects("clients")]
    assert "gamma.example" in [one["domain"] for one in fleet.panels["panel1"].objects("domains")]
    kept = fleet.kept_passwords("panel1")
    for address in ("info@gamma.example", "sales@gamma.example"):
        assert kept[address] == fleet.password("panel1", address)


def test_customers_of_a_table_are_managed_and_their_passwords_are_kept(fleet: Fleet, applied: dict[str, Job]) -> None:
    table = "client,email,domain,mailboxes\ndelta,it@delta.example,delta.example,info\n"
    (fleet.work / "customers.csv").write_text(table, encoding="utf-8")
    fleet.commit("Add a customer")
    answers = {"sites_from": "customers.csv", "sites_max_deletes": 0}
    job = fleet.run("sites.yml", "panel2", variables=answers)
    assert job.code == 0, job.text
    kept = VAULT.decrypt(fleet.git("show", "main:passwords/panel2/delta.yml", of=fleet.repository))
    assert fleet.password("panel2", "info@delta.example").encode() in kept
    fleet.writes()
    assert fleet.run("sites.yml", "panel2", variables=answers).code == 0
    assert fleet.writes() == {"panel1": [], "panel2": []}


def test_a_customer_is_moved_to_the_panel_that_was_typed(fleet: Fleet, onboarded: Job) -> None:
    answers = {
        "move_client": "gamma",
        "panels_source": "panel1",
        "panels_target": "panel3",
        "move_step": "copy",
        "panels_addresses": "",
        "panels_names": "old.example new.example\n",
        "move_create_plans": "false",
        "move_update": "false",
    }
    fleet.writes()
    refused = fleet.run("move.yml", variables=answers)
    assert "The inventory has no panel panel3. It has panel1, panel2. Nothing was read or written." in refused.words
    mistyped = {
        "panels_addresses": "192.0.2.1 192.0.2.2\r\n192.0.2.3\n",
        "panels_names": "old.example  new.example more",
    }
    refused = fleet.run("move.yml", variables={**answers, "panels_target": "panel2", **mistyped})
    assert "Not so: 192.0.2.3; old.example new.example more. Nothing was read or written." in refused.words
    assert fleet.writes() == {"panel1": [], "panel2": []}
    job = fleet.run("move.yml", variables={**answers, "panels_target": "panel2"})
    assert job.code == 0, job.text
    assert fleet.writes()["panel1"] == []
    assert "gamma" in [one["username"] for one in fleet.panels["panel2"].objects("clients")]
    page = fleet.git("show", "main:moves/gamma.hand-over.md", of=fleet.repository)
    assert "gamma" in page
    assert fleet.kept_passwords("panel2")["info@gamma.example"] == fleet.password("panel2", "info@gamma.example")


def test_a_customer_is_archived_on_a_volume_and_deleted_only_with_its_name(
    fleet: Fleet, applied: dict[str, Job], tmp_path: Path
) -> None:
    panel = fleet.panels["panel2"]
    panel.seed({"clients": [{"username": "omega"}]})
    answers = {"offboard_client": "omega", "offboard_action": "suspend", "offboard_confirm": ""}
    refused = fleet.run("offboard.yml", "panel2", variables=answers)
    assert "panels_volume has to name a folder on a volume" in refused.words
    volume = {"panels_volume": str(tmp_path)}
    job = fleet.run("offboard.yml", "panel2", variables={**answers, **volume})
    assert job.code == 0, job.text
    assert [path.name.startswith("omega-") for path in (tmp_path / "archives").iterdir()] == [True]
    fleet.writes()
    refused = fleet.run("offboard.yml", "panel2", variables={**answers, **volume, "offboard_action": "delete"})
    assert refused.code != 0
    assert fleet.writes()["panel2"] == []
    answers = {**answers, "offboard_action": "delete", "offboard_confirm": "omega"}
    job = fleet.run("offboard.yml", "panel2", variables={**answers, **volume})
    assert job.code == 0, job.text
    assert "omega" not in [one["username"] for one in panel.objects("clients")]


def test_certificates_are_asked_for_where_the_repository_has_a_file_of_them(
    fleet: Fleet, applied: dict[str, Job]
) -> None:
    fleet.writes()
    nothing = fleet.run("certificates.yml")
    assert nothing.code == 0, nothing.text
    wanted = fleet.work / "certificates" / "panel1.yml"
    wanted.parent.mkdir(exist_ok=True)
    item = {"name": "acme", "client": "acme", "domains": ["acme.example"], "assign": ["acme.example"]}
    variables = {
        "certificate_items": [item],
        "certificate_acme_directory": "https://127.0.0.1:9/directory",
        "certificate_terms_agreed": True,
        "certificate_nameservers": ["127.0.0.1:9"],
    }
    wanted.write_text(json.dumps(variables), encoding="utf-8")
    fleet.commit("Ask for a certificate")
    collections = f"{link_collection()}:{collections_folder()}"
    environment = {"ANSIBLE_COLLECTIONS_PATH": collections}
    answers = {"certificate_renew_days": 30}
    job = fleet.run("certificates.yml", variables=answers, environment=environment, arguments="--check")
    # There is no authority, so this is as far as it goes.
    assert "The authority at https://127.0.0.1:9/directory cannot be reached" in job.words, job.text
    assert re.search(r"panel2 .* failed=0 ", job.text)
    assert fleet.writes() == {"panel1": [], "panel2": []}


@pytest.mark.parametrize(
    ("push", "message"),
    [
        ({}, ""),
        ({"ref": "refs/heads/main", "commits": [{"author": {"email": "anna@panels.example"}}]}, ""),
        (
            {
                "ref": "refs/heads/main",
                "commits": [{"author": {"email": name}} for name in ("anna@x.example", "awx@localhost")],
            },
            "",
        ),
        (
            {"ref": "refs/heads/main", "commits": [{"author": {"email": "awx@localhost"}}] * 2},
            "Jobs of AWX have pushed",
        ),
        ({"ref": "refs/heads/try", "commits": [{"author": {"email": "anna@x.example"}}]}, "Another branch was pushed"),
        ({"zen": "Keep it logically awesome."}, "Another branch was pushed"),
    ],
)
def test_a_push_is_planned_unless_it_is_of_jobs_or_another_branch(
    fleet: Fleet, push: dict[str, Any], message: str
) -> None:
    fleet.writes()
    job = fleet.run("pushed.yml", variables={"awx_webhook_payload": push} if push else {})
    assert (job.code == 0) == (not message), job.text
    assert message in job.words
    assert fleet.writes() == {"panel1": [], "panel2": []}


def test_what_jobs_push_has_the_author_that_does_not_start_the_workflow(fleet: Fleet, applied: dict[str, Job]) -> None:
    authors = fleet.git("log", "--format=%ae", "main", "--", "passwords", of=fleet.repository).split()
    assert set(authors) == {"operator@panels.example", "awx@localhost"}


def test_a_credential_gives_panel_key_and_authority_to_a_job(fleet: Fleet, tmp_path: Path) -> None:
    types = yaml.load((AWX / "objects" / "credential_types.yml").read_text(encoding="utf-8"), Loader=_Unsafe)
    (kind,) = [one for one in types["controller_credential_types"] if "PANEL_API_KEY" in one["injectors"]["env"]]
    inputs = {"api_url": fleet.panels["panel2"].url, "api_key": KEYS["panel2"], "skip_certificate_check": False}
    environment = {
        name: ImmutableSandboxedEnvironment().from_string(text).render(**inputs, tower={"filename": {"ca": "none"}})
        for name, text in kind["injectors"]["env"].items()
    }
    assert environment["PANEL_CA_PATH"] == ""
    assert environment["PANEL_VALIDATE_CERTS"] == "True"
    inventory = fleet.work / "inventory" / "panels.yml"
    before = inventory.read_text(encoding="utf-8")
    # A host that is to have the panel of the credential says so.
    given = {
        f"panel_{name}": f"{{{{ lookup('ansible.builtin.env', 'PANEL_{name.upper()}') }}}}"
        for name in ("api_url", "api_key")
    }
    hosts = {"panels": {"hosts": {"one": {"ansible_connection": "local", **given}}}}
    inventory.write_text(yaml.safe_dump(hosts), encoding="utf-8")
    fleet.commit("Name no panel in the inventory")
    job = fleet.run("ping.yml", environment=environment, arguments="-vvv")
    inventory.write_text(before, encoding="utf-8")
    fleet.commit("Name the panels again")
    assert job.code == 0, job.text
    assert "panel_version" in job.text
    # ansible-runner itself writes all variables of the environment there; AWX deletes it with the job's folder.
    assert list(found_in_files(job.artifacts)) == ["command"]


class _Unsafe(yaml.SafeLoader):
    """Reads the mark of texts that Ansible leaves alone."""


_Unsafe.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def test_no_artifact_of_any_job_holds_a_secret(fleet: Fleet, applied: dict[str, Job]) -> None:
    generated = [fleet.password("panel1", "new@acme.example"), fleet.password("panel2", "info@acme.example")]
    kept = [folder for job in fleet.controller.without_credentials for folder in job.glob("**/artifacts/*")]
    assert len(kept) > len(applied)
    assert [found_in_files(folder, more=generated) for folder in kept] == [{}] * len(kept)
    assert found_in(fleet.git("log", "-p", "main", of=fleet.repository), generated) == []
