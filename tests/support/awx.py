"""The kit for AWX: its files, and its jobs on simulated panels as AWX starts them, with
ansible-runner and what AWX writes for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from tests.support.marked_secrets import make_secret, make_secret_key
from tests.support.playbook import IN_PROCESS, make_environment, run_ansible
from tests.support.simulator import Simulator
from tools.layout import ROOT

AWX = ROOT / "extensions" / "awx"


class _Unsafe(yaml.SafeLoader):
    """Reads the mark of texts that Ansible leaves alone."""


_Unsafe.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def read(path: Path) -> Any:
    """Return the content of a file of YAML."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=_Unsafe)


def read_tables() -> dict[str, Any]:
    """Return all variables of the files in objects."""
    merged: dict[str, Any] = {}
    for path in sorted((AWX / "objects").glob("*.yml")):
        merged.update(read(path))
    return merged


def list_survey_questions(
    template: Mapping[str, Any], definitions: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the questions of a job template. known: the variables of the files in objects."""
    name = str(template.get("survey_spec")).strip("{} ")
    questions = definitions.get(name, {}).get("spec", [])
    return [
        definitions[question.strip("{} ")] if isinstance(question, str) else question
        for question in questions
    ]


VAULT_PASSWORD = make_secret("vault").replace("ü", "u")
VAULT = VaultLib([("default", VaultSecret(VAULT_PASSWORD.encode()))])
KEYS = {name: make_secret_key(name) for name in ("panel1", "panel2")}


class Fleet:
    """Two panels and the repository of their files."""

    def __init__(self, folder: Path, panels: dict[str, Simulator]) -> None:
        self.panels = panels
        self.folder = folder
        self._numbers = count()
        self.repository = folder / "panels.git"
        self.work = folder / "work"
        self.run_git(
            "init", "--quiet", "--bare", "--initial-branch", "main", str(self.repository), of=folder
        )
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
        self.run_git("init", "--quiet", "--initial-branch", "main")
        self.run_git("remote", "add", "origin", str(self.repository))
        self.commit("Begin")

    def run_git(self, *arguments: str, of: Path | None = None) -> str:
        """Run git in the operator's folder, and return what it prints."""
        who = ["-c", "user.name=Operator", "-c", "user.email=operator@panels.example"]
        done = subprocess.run(
            ["git", *who, *arguments],
            cwd=of or self.work,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr

        return done.stdout

    def commit(self, message: str) -> None:
        """Push what the operator has in the folder."""
        self.run_git("add", "--all")
        self.run_git("commit", "--quiet", "--message", message)
        if self.run_git("ls-remote", "origin"):
            self.run_git("pull", "--quiet", "--rebase", "origin", "main")  # what jobs have pushed
        self.run_git("push", "--quiet", "--set-upstream", "origin", "main")

    def run(
        self,
        playbook: str,
        limit: str = "",
        answers: Mapping[str, Any] | None = None,
        **variables: Any,
    ) -> Job:
        """Run a job of the repository's branch main.

        answers: to the survey, which AWX marks as unsafe; variables: of the template.
        """
        job_variables = {"panels_repository": str(self.repository), **OF_A_JOB, **variables}
        folder = self.folder / f"job-{next(self._numbers)}"
        return run_job(folder, self.repository, playbook, job_variables, answers or {}, limit)

    def play(
        self, playbook: str, answers: Mapping[str, Any], limit: str = "", **variables: Any
    ) -> Play:
        """Run the same without ansible-runner, which each ansible-core can do."""
        job_variables = {"panels_repository": str(self.repository), **OF_A_JOB, **variables}
        project = self.folder / f"job-{next(self._numbers)}"
        self.run_git(
            "clone",
            "--quiet",
            "--branch",
            "main",
            str(self.repository),
            str(project),
            of=self.folder,
        )
        extra = self.folder / "extravars"
        password = self.folder / "vault-password"
        extra.write_text(make_extra_variables(job_variables, answers), encoding="utf-8")
        password.write_text(VAULT_PASSWORD, encoding="utf-8")
        arguments = [
            "-i",
            "inventory/panels.yml",
            "-e",
            f"@{extra}",
            "--vault-password-file",
            str(password),
            playbook,
        ]
        done = run_ansible(
            "playbook", [*arguments, *(["--limit", limit] if limit else [])], project, IN_PROCESS
        )

        return Play(done.returncode, done.stdout)


SECONDS = 180
# What AWX tells every job about itself.
OF_A_JOB = {
    "awx_job_id": 4711,
    "awx_job_launch_type": "manual",
    "awx_job_template_name": "Panels - a template",
    "tower_job_id": 4711,
}
# What AWX answers to ansible-playbook's question, as its Vault credential says.
ASKED_FOR_VAULT = "Vault password:\\s*?$"


@dataclass(frozen=True)
class Job:
    """A job that has ended. artifacts: the folder of all that ansible-runner keeps of it."""

    artifacts: Path

    @property
    def code(self) -> int:
        """Return the code with which the job ended."""
        return int((self.artifacts / "rc").read_text(encoding="ascii"))

    @property
    def text(self) -> str:
        """Return what the job printed."""
        return (self.artifacts / "stdout").read_text(encoding="utf-8")

    @property
    def flat_text(self) -> str:
        """Return the output on one line, since Ansible wraps long ones."""
        return " ".join(self.text.split())

    @property
    def handed_on(self) -> dict[str, Any]:
        """Return what a workflow gives to the next job as extra variables."""
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
    variables: Mapping[str, Any],
    answers: Mapping[str, Any],
    limit: str,
) -> Job:
    """Run a playbook of the repository's branch main in a folder that does not exist yet."""
    (folder / "env").mkdir(parents=True)
    clone = [
        "git",
        "clone",
        "--quiet",
        "--branch",
        "main",
        str(repository),
        str(folder / "project"),
    ]
    subprocess.run(clone, check=True, timeout=SECONDS)
    (folder / "env" / "extravars").write_text(
        make_extra_variables(variables, answers), encoding="utf-8"
    )
    (folder / "env" / "passwords").write_text(
        json.dumps({ASKED_FOR_VAULT: VAULT_PASSWORD}), encoding="utf-8"
    )
    (folder / "env" / "cmdline").write_text("--ask-vault-pass", encoding="utf-8")
    environment = make_environment(folder, IN_PROCESS)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    inventory = ["--inventory", str(folder / "project" / "inventory" / "panels.yml")]
    arguments = [
        "run",
        str(folder),
        "--quiet",
        "--ident",
        "job",
        "--playbook",
        playbook,
        *inventory,
    ]
    arguments += ["--limit", limit] if limit else []
    command = [sys.executable, "-m", "ansible_runner", *arguments]
    # A container is started in the folder of the project.
    subprocess.run(
        command,
        cwd=folder / "project",
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
    )

    return Job(folder / "artifacts" / "job")


def make_extra_variables(variables: Mapping[str, Any], answers: Mapping[str, Any]) -> str:
    """Return the file of extra variables as AWX writes it.

    Texts of answers are marked, those of the template are not.
    """
    lines = [f"{name}: {json.dumps(value)}\n" for name, value in variables.items()]
    for name, answer in answers.items():
        if isinstance(answer, list):
            lines.append(f"{name}:\n" + "".join(f"- {_mark_unsafe(entry)}\n" for entry in answer))
        else:
            lines.append(f"{name}: {_mark_unsafe(answer)}\n")

    return "---\n" + "".join(lines)


def _mark_unsafe(answer: Any) -> str:
    if not isinstance(answer, str):
        return json.dumps(answer)
    # In single quotes, in which a line break is written as an empty line.
    text = answer.replace("'", "''").replace("\n", "\n\n  ")
    return f"!unsafe '{text}'"


@dataclass(frozen=True)
class Play:
    """A job that ansible-playbook alone has done, with what AWX writes for it."""

    code: int
    text: str

    @property
    def flat_text(self) -> str:
        """Return the output on one line."""
        return " ".join(self.text.split())

    @property
    def displayed(self) -> str:
        """Return what the playbooks say themselves.

        Without the places in files that Ansible adds.
        """
        return "\n".join(
            line for line in self.text.splitlines() if not line.startswith(("Origin:", "included:"))
        )
