"""Runs a job as AWX does: with ansible-runner, in a folder of its own, from a clone of the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.playbook import IN_PROCESS, surroundings

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
