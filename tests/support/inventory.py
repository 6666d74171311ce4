"""Runs a real ``ansible-inventory`` on files of the inventory plugin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.playbook import IN_PROCESS, ansible


@dataclass(frozen=True)
class Listing:
    """What ``ansible-inventory --list`` found. text: all that it printed. hosts: variables by name. groups: names of hosts by name."""

    code: int
    text: str
    hosts: dict[str, dict[str, Any]]
    groups: dict[str, list[str]]


def write_source(folder: Path, name: str, options: Mapping[str, Any]) -> Path:
    """An inventory file of the plugin; JSON is YAML."""
    path = folder / f"{name}.panel.yml"
    path.write_text(json.dumps({"plugin": "hosting.panel.panel", **options}), encoding="utf-8")
    return path


def listing(
    sources: Iterable[Path], folder: Path, variables: Mapping[str, str] | None = None, words: Iterable[str] = ()
) -> Listing:
    """Lists the hosts of these files together."""
    output = folder / "listing.json"
    output.unlink(missing_ok=True)
    chosen = [word for source in sources for word in ("-i", str(source))]
    # Otherwise Ansible tries a file that failed with its other plugins, and prints what each of them says.
    more = {"ANSIBLE_INVENTORY_ENABLED": "hosting.panel.panel", **(variables or {})}
    done = ansible("inventory", [*chosen, "--list", "--output", str(output), *words], folder, IN_PROCESS, more)
    found = _plain(json.loads(output.read_text(encoding="utf-8"))) if output.exists() else {"_meta": {"hostvars": {}}}
    groups = {name: group.get("hosts", []) for name, group in found.items() if name not in ("_meta", "all")}
    return Listing(done.returncode, done.stdout, found["_meta"]["hostvars"], groups)


def _plain(value: Any) -> Any:
    """Without the marks of texts that are no templates."""
    if isinstance(value, dict):
        if set(value) == {"__ansible_unsafe"}:
            return value["__ansible_unsafe"]
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value
