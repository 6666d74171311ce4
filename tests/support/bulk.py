"""Wanted objects in any number, and what a panel has of them under names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support.simulator import Simulator

Items = list[dict[str, Any]]
Resources = dict[str, Items]

PASSWORD = "Correct-horse-7"
UNLIMITED = dict.fromkeys(
    ("domains", "subdomains", "email_accounts", "databases", "ftp_users", "scheduled_tasks"), -1
)


def make_customers(count: int, mailboxes: int = 4) -> Resources:
    """Return one plan and, for each customer, six objects and so many mailboxes, of eight kinds.

    As they are right on the panel after a run.
    """
    secret = {"password": PASSWORD}
    names = [f"customer-{number:03}" for number in range(count)]

    return {
        "plans": [{"name": "Business", "resources": {**UNLIMITED, "disk_space": 10 * 1024**3}}],
        "clients": [
            {"username": name, "email": f"it@{name}.example", "hosting_plan": "Business", **secret}
            for name in names
        ],
        "domains": [{"domain": f"{name}.example", "client": name} for name in names],
        "emails": [
            {"email": f"box{number}@{name}.example", "max_size": 1024**3, **secret}
            for name in names
            for number in range(mailboxes)
        ],
        "databases": [
            {"database_name": f"{name}_shop", "client": name, **secret} for name in names
        ],
        "ftp_users": [{"username": f"{name}_web", "client": name, **secret} for name in names],
        "directory_protections": [
            {"client": name, "path": "/admin", "username": "anna", "auth_name": "Staff", **secret}
            for name in names
        ],
        "scheduled_tasks": [
            {"client": name, "description": "Backup", "type": "exec", "command": "/bin/backup"}
            for name in names
        ],
    }


# Made by the panel, so another one in every run.
_MADE_BY_THE_PANEL = ("created_at", "dkim_record")
_REFERENCES = {
    "id_user": ("clients", "username"),
    "id_hosting_plan": ("hosting_plans", "name"),
    "id_parent_domain": ("domains", "domain"),
}


def read_panel(simulator: Simulator) -> Resources:
    """Return all objects as the panel keeps them, sorted, with names for ids.

    An object that is there twice is there twice.

    Without what is different in every run: ids, times, passwords.
    """
    objects = simulator.get_state()["objects"]
    names: dict[str, dict[int, str]] = {}
    for member, (kind, name) in _REFERENCES.items():
        names[member] = {item["id"]: item["data"][name] for item in objects[kind]}

    resources: Resources = {}

    for kind, items in objects.items():
        comparable = [_make_comparable(item["data"], names) for item in items]
        resources[kind] = sorted(comparable, key=lambda data: json.dumps(data, sort_keys=True))

    return resources


def _make_comparable(
    data: Mapping[str, Any], names: Mapping[str, Mapping[int, str]]
) -> dict[str, Any]:
    return {
        name: names[name].get(value, value) if name in names else value
        for name, value in data.items()
        if name not in _MADE_BY_THE_PANEL
    }


_DIFFERENT: dict[str, dict[str, Any]] = {
    "clients": {"email": "old@far.example"},
    "emails": {"max_size": 5},
}


def make_different_customers(number: int) -> Resources:
    """Return so many customers as they are before the run."""
    resources: Resources = {}
    for kind, items in make_customers(number).items():
        if KINDS[kind].traits.is_unique:
            resources[kind] = [{**item, **_DIFFERENT.get(kind, {})} for item in items]

    return resources


def make_completing_options(wanted: Resources) -> dict[str, Any]:
    """Return the options of panel_resources that make the panel what is wanted."""
    return {
        "resources": {
            **wanted,
            "clients": [*wanted["clients"], {"username": "gone", "state": "absent"}],
        },
        "purge": ["emails"],
        "max_deletes": 25,
    }
