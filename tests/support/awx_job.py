# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a job as AWX does: with ansible-runner, in a folder of its own that is thrown away, and its inventory as a script.

What AWX does is known from its published sources; there is no AWX here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.playbook import IN_PROCESS, surroundings

# What AWX answers to ansible-playbook's question, as its Vault credential says.
ASKED_FOR_VAULT = {"Vault password:\\s*?$": ""}
SECONDS = 180


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
    def events(self) -> list[dict[str, Any]]:
        """What AWX shows, in the order of the job."""
        found = [
            json.loads(path.read_text(encoding="utf-8")) for path in (self.artifacts / "job_events").glob("*.json")
        ]
        return sorted(found, key=lambda event: int(event["counter"]))

    @property
    def handed_on(self) -> dict[str, Any]:
        """What a workflow gives to the next job as extra variables."""
        for event in self.events:
            if event["event"] == "playbook_on_stats":
                data: dict[str, Any] = event["event_data"].get("artifact_data", {})
                return data
        return {}


class Controller:
    """Starts jobs; ``folder`` has to be empty. vault_password: of the Vault credential.

    without_credentials: the folders of the jobs that had no other one, so that no secret was in their environment.
    """

    def __init__(self, folder: Path, vault_password: str) -> None:
        self.folder = folder
        self.vault_password = vault_password
        self._jobs = 0
        self._inventories: dict[str, str] = {}
        self.without_credentials: list[Path] = []

    def run(
        self,
        repository: Path,
        playbook: str,
        hosts: Iterable[str] | None = None,
        variables: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        on_another_node: bool = False,
        arguments: str = "",
    ) -> Job:
        """Runs a playbook of the repository's branch main; hosts: those of the slice, or of the limit, else all.

        on_another_node: by ``transmit | worker | process`` instead of ``run``.
        """
        self._jobs += 1
        place = self.folder / f"job {self._jobs}"
        if not environment:
            self.without_credentials.append(place)
        self._prepare(place, repository, hosts, variables or {}, environment or {}, arguments)
        common = ["--ident", str(self._jobs), "--playbook", playbook]
        if on_another_node:
            receiving, artifacts = place / "node", place / "received"
            sent = self._runner(place, "transmit", str(place), *common)
            answer = self._runner(place, "worker", "--private-data-dir", str(receiving), received=sent.stdout)
            self._runner(place, "process", str(artifacts), "--ident", str(self._jobs), received=answer.stdout)
            return Job(artifacts / "artifacts" / str(self._jobs))
        self._runner(place, "run", str(place), "--quiet", *common)
        return Job(place / "artifacts" / str(self._jobs))

    def _prepare(
        self,
        place: Path,
        repository: Path,
        hosts: Iterable[str] | None,
        variables: Mapping[str, Any],
        environment: Mapping[str, str],
        arguments: str,
    ) -> None:
        (place / "inventory").mkdir(parents=True)
        (place / "env").mkdir()
        clone = ["git", "clone", "--quiet", "--branch", "main", str(repository), str(place / "project")]
        subprocess.run(clone, check=True, timeout=SECONDS)
        script = place / "inventory" / "hosts"
        script.write_text(
            f"#!{sys.executable}\nprint({json.dumps(self.inventory(place / 'project', hosts))!r})\n", encoding="utf-8"
        )
        script.chmod(0o700)
        contents: dict[str, Any] = {
            "envvars": dict(environment),
            "extravars": dict(variables),
            "passwords": dict.fromkeys(ASKED_FOR_VAULT, self.vault_password),
        }
        for name, content in contents.items():
            (place / "env" / name).write_text(json.dumps(content), encoding="utf-8")
        (place / "env" / "cmdline").write_text(f"--ask-vault-pass {arguments}".strip(), encoding="utf-8")

    def inventory(self, project: Path, hosts: Iterable[str] | None = None) -> dict[str, Any]:
        """What AWX knows of the project's inventory after it has read it, without the Vault password."""
        version = subprocess.run(
            ["git", "rev-parse", "HEAD:inventory"],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        ).stdout
        if version not in self._inventories:
            self._inventories[version] = self._read_inventory(project)
        found: dict[str, Any] = json.loads(self._inventories[version])
        if hosts is not None:
            kept = set(hosts)
            found["panels"]["hosts"] = [host for host in found["panels"]["hosts"] if host in kept]
            variables = found["_meta"]["hostvars"]
            found["_meta"]["hostvars"] = {host: variables[host] for host in variables if host in kept}
        return found

    def _read_inventory(self, project: Path) -> str:
        words = ["inventory", "--list", "--export", "--inventory", str(project / "inventory" / "panels.yml")]
        return subprocess.run(
            [sys.executable, "-m", "ansible", *words],
            cwd=self.folder,
            env=surroundings(self.folder, IN_PROCESS),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        ).stdout

    def _runner(self, place: Path, *words: str, received: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = surroundings(place, IN_PROCESS)
        # In the image they are found in its own folder.
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        return subprocess.run(
            [sys.executable, "-m", "ansible_runner", *words],
            cwd=place,
            env=environment,
            input=received,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
