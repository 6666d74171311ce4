"""Runs a role as an operator does.

A playbook, a file of variables, a Vault password, and Ansible's usual output.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from panel_simulator.self_signed import make
from tests.support.playbook import run_ansible, write_inventory
from tests.support.simulator import Simulator

VAULT_PASSWORD = "correct horse battery staple"
# Ansible does not say what it takes.
_secret: Any = VaultSecret
_vault: Any = VaultLib
VAULT = _vault([("default", _secret(VAULT_PASSWORD.encode()))])
WRITES = ("POST", "PUT", "DELETE")
# What has a password, by what names it.
KEYS = {
    "clients": "username",
    "emails": "email",
    "databases": "database_name",
    "ftp_users": "username",
}
# By kind and key.
Passwords = dict[tuple[str, str], str]


@dataclass(frozen=True)
class RoleRun:
    """One run of ``ansible-playbook``, what it printed, and what the simulator got meanwhile."""

    code: int
    text: str
    requests: list[dict[str, Any]]

    @property
    def writes(self) -> list[str]:
        """Return method and path of every write, in order."""
        return [
            f"{request['method']} {request['path']}"
            for request in self.requests
            if request["method"] in WRITES
        ]

    @property
    def said(self) -> str:
        """Return what it printed on one line, since Ansible wraps long ones.

        With quotes as they were before YAML doubled them.
        """
        return " ".join(self.text.split()).replace("''", "'")

    def count_mentions(self, message: str) -> int:
        """Return how often the run says it.

        Ansible itself says what a task fails with in a paragraph of its own, since 2.19.
        """
        return re.sub(r"\[ERROR\]:.*?(?=fatal: \[|failed: \[[^]]*\] \(item)", "", self.said).count(
            message
        )

    @property
    def recap(self) -> dict[str, int]:
        """Return the numbers of the closing line: ok, changed, failed and so on."""
        line = next(
            line for line in reversed(self.text.splitlines()) if line.startswith("localhost ")
        )
        return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", line)}


def assert_failed(run: RoleRun, *messages: str) -> None:
    """Assert that the run failed, wrote nothing, and printed these messages."""
    assert run.code != 0, run.text
    assert run.writes == [], run.text
    assert [message for message in messages if " ".join(message.split()) not in run.said] == [], (
        run.text
    )
    assert "Traceback" not in run.text


def assert_refused(run: RoleRun, *messages: str) -> None:
    """Assert that the run failed before it sent anything, and printed these messages."""
    assert_failed(run, *messages)
    assert run.requests == []


def make_plays(role: str, **keywords: Any) -> list[dict[str, Any]]:
    """Return a playbook with a role. keywords: more of its play."""
    roles = [{"role": f"hosting.panel.{role}"}]
    return [
        {"name": "Play", "hosts": "localhost", "gather_facts": False, "roles": roles, **keywords}
    ]


class Operator:
    """Somebody with a folder of files who starts ``ansible-playbook`` in it."""

    def __init__(self, folder: Path, simulator: Simulator) -> None:
        self.folder = folder
        self.simulator = simulator
        self.credentials = folder / "customer.credentials.yml"
        self.vault_password_file = folder / "vault password"
        folder.mkdir(parents=True, exist_ok=True)
        self.vault_password_file.write_text(VAULT_PASSWORD, encoding="utf-8")

    def run(
        self,
        playbook: str | list[Any],
        variables: Mapping[str, Any] | str,
        *arguments: str,
        way: str = "in process",
        vault: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> RoleRun:
        """Run a playbook, given by name or as plays.

        With a file of variables, given as such or as text.
        """
        line, surroundings = self.make_command_line(playbook, variables, *arguments, vault=vault)
        before = self.simulator.get_last_number()
        process = run_ansible(
            "playbook", line, self.folder, way, {**surroundings, **(environment or {})}
        )
        return RoleRun(process.returncode, process.stdout, self.simulator.read_log(before))

    def make_command_line(
        self,
        playbook: str | list[Any],
        variables: Mapping[str, Any] | str,
        *arguments: str,
        vault: bool = True,
    ) -> tuple[list[str], dict[str, str]]:
        """Return the arguments of ``ansible-playbook`` for such a run, and its environment."""
        if not isinstance(playbook, str):
            path = self.folder / "playbook.yml"
            path.write_text(json.dumps(playbook), encoding="utf-8")
            playbook = str(path)

        file = self.folder / "variables.yml"
        file.write_text(
            variables if isinstance(variables, str) else json.dumps(variables), encoding="utf-8"
        )
        secret = ["--vault-password-file", str(self.vault_password_file)] if vault else []
        environment = {
            "PANEL_API_URL": self.simulator.url,
            "PANEL_API_KEY": self.simulator.api_key,
            "PANEL_RETRY_TIME": "2",
        }

        return [
            "-i",
            str(write_inventory(self.folder)),
            *secret,
            "--extra-vars",
            f"@{file}",
            *arguments,
            playbook,
        ], environment

    def run_site(
        self, variables: Mapping[str, Any] | str, *arguments: str, **keywords: Any
    ) -> RoleRun:
        """Run the role hosting.panel.site.

        With a credentials file unless the variables name one.
        """
        return self.run(make_plays("site"), variables, *arguments, **keywords)

    def read_passwords(
        self, file: Path | None = None, name: str = "generated_passwords"
    ) -> Passwords:
        """Return what an encrypted file has, or the customer's."""
        content = yaml.safe_load(VAULT.decrypt((file or self.credentials).read_bytes()))
        return {(entry["kind"], entry["key"]): entry["password"] for entry in content.get(name, [])}

    def list_passwords_on_panel(self) -> Passwords:
        """Return those that log in."""
        objects = self.simulator.get_state()["objects"]
        return {
            (kind, item["data"][key]): item["hidden"]["password"]
            for kind, key in KEYS.items()
            for item in objects[kind]
        }

    def run_vault(self, *arguments: str) -> str:
        """Return what ``ansible-vault`` prints."""
        command, *operands = arguments
        secret = ["--vault-password-file", str(self.vault_password_file)]
        process: subprocess.CompletedProcess[str] = run_ansible(
            "vault", [command, *secret, *operands], self.folder, "module"
        )
        assert process.returncode == 0, process.stdout

        return process.stdout


# A customer with an object of every kind


# One of them looks like a list, one like a template, one has every character that some encoding
# changes.
GIVEN_PASSWORDS = {
    "werkstatt@fahrrad-mueller.example": "[1, 'canary']",
    "inge@xn--mller-kva.example": "canary {{ 6 * 7 }}!",
    "mueller_files": 'Canary "quoted" \\ / + ü\'&',
}


def make_customer(credentials_file: str | None) -> dict[str, Any]:
    """Return the variables of the role; ``private_key`` of the certificate is new in every call."""
    certificate, private_key = make("xn--mller-kva.example")
    variables: dict[str, Any] = {
        "site_plan": {"name": "Business", "resources": {"disk_space": "10G", "email_accounts": 20}},
        "site_client": {
            "username": "mueller",
            "email": "inge@müller.example",
            "contact_data": {"company": "Fahrrad Müller", "city": "Köln"},
        },
        "site_certificates": [
            {
                "name": "Fahrrad Müller",
                "components": {"private_key": private_key, "certificate": certificate},
            }
        ],
        "site_domains": [
            {"domain": "shop.müller.example", "parent_domain": "müller.example"},
            {
                "domain": "müller.example",
                "security": {"certificate": "Fahrrad Müller", "is_prefer_https": True},
            },
            {"domain": "fahrrad-mueller.example"},
        ],
        "site_dns": [
            {
                "domain": "müller.example",
                "records": [
                    {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.80"},
                    {
                        "host": "mail._domainkey",
                        "type": "TXT",
                        "ttl": 3600,
                        "value": "<DKIM_RECORD_VALUE>",
                    },
                ],
            }
        ],
        "site_emails": [
            {
                "email": "info@müller.example",
                "max_size": "2G",
                "aliases": ["kontakt@müller.example"],
            },
            {"email": "inge@müller.example", "max_size": "5G"},
            {"email": "werkstatt@fahrrad-mueller.example", "max_size": "1G"},
        ],
        "site_databases": [{"database_name": "mueller_shop", "database_username": "mueller_shop"}],
        "site_ftp_users": [
            {"username": "mueller_web", "home_directory": "/www"},
            {"username": "mueller_files", "home_directory": "/files"},
        ],
    }
    if credentials_file is not None:
        variables["site_credentials_file"] = credentials_file

    return variables
