# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody encrypted with Vault is in nothing that the playbooks and roles show, in whichever member it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import VAULT, Operator, RoleRun

SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business", "notes": "the former canary of notes"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example", "max_size": "1G", "description": "public words"}],
}
# Every kind of member: a text, one of several lines, of a group, one in a list, a very short one, one of a number.
SECRETS = {
    "notes": "first canary of notes\nsecond canary of notes",
    "company": "Canary Holding",
    "directives": "SetEnv CANARY_TOKEN c4nary",
    "command": "/usr/bin/canary --quick",
    "alias": "canary-alias@acme.example",
    "size": "3G",
}


@pytest.fixture
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    made = make_operator("vaulted")
    made.simulator.settings({"status_delay": 0})
    made.simulator.seed(SEED)
    for name in ("panel", "passwords"):
        (made.folder / name).mkdir()
    return made


class _Secret(str):
    """A text that is written encrypted."""


class _Dumper(yaml.SafeDumper):
    pass


def _represent(dumper: Any, value: _Secret) -> Any:
    return dumper.represent_scalar("!vault", VAULT.encrypt(str(value)).decode(), style="|")


_Dumper.add_representer(_Secret, _represent)


def resources(text: Callable[[str], Any]) -> dict[str, Any]:
    return {
        "clients": [
            {
                "username": "acme",
                "notes": text(SECRETS["notes"]),
                "contact_data": {"company": text(SECRETS["company"]), "last_name": text("Yu")},
            }
        ],
        "domains": [{"domain": "acme.example", "apache": {"http_directives": text(SECRETS["directives"])}}],
        "emails": [
            {"email": "info@acme.example", "max_size": text(SECRETS["size"]), "aliases": [text(SECRETS["alias"])]}
        ],
        "scheduled_tasks": [
            {"client": "acme", "description": "nightly", "type": "exec", "command": text(SECRETS["command"])}
        ],
    }


def write(path: Path, content: Any, whole: bool) -> None:
    text = yaml.dump(content, Dumper=_Dumper)
    path.write_bytes(VAULT.encrypt(text) if whole else text.encode())


def assert_hidden(text: str) -> None:
    words = [word for secret in SECRETS.values() if len(secret) > 3 for word in secret.splitlines()]
    assert [word for word in [*words, "Yu", "former canary"] if word in text] == [], text


def run(operator: Operator, name: str, *words: str, **variables: Any) -> RoleRun:
    return operator.run(f"hosting.panel.{name}", {"panel_dir": "panel", **variables}, *words)


def test_a_mistake_in_a_vaulted_value_does_not_show_it(operator: Operator) -> None:
    wrong = {"emails": [{"email": "info@acme.example", "max_size": _Secret("canary of a size")}]}
    write(operator.folder / "panel" / "all.yml", wrong, whole=False)
    done = run(operator, "plan", "-vvv", panel_plan_file="page.md")
    assert done.code != 0
    assert "max_size" in done.text
    assert "canary" not in done.text.replace(json.dumps("canary"), "") + (operator.folder / "page.md").read_text(
        encoding="utf-8"
    )
