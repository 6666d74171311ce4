# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of an inventory, and their hosts with variables and groups. No message holds a key. Private to the collection."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.registry import STATUS_WORDS
from ...module_utils._kinds.tables import CLIENT, DOMAIN, PLAN, class_of, has_features_of
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.redaction import Secrets, without_secrets
from ...module_utils._sources.checked_answers import checked_list
from ...module_utils._values.names import ascii_domain
from .._ansible.error_messages import message_with_help
from .._run.panel_connections import NamedPanel, named_panels

LISTS = {"clients": CLIENT, "hosting_plans": PLAN, "domains": DOMAIN}
# Names that mean something else to Ansible.
_RESERVED = ("all", "localhost", "127.0.0.1", "ungrouped")
_USERNAME = re.compile(r"[a-z0-9_][a-z0-9_.-]*", re.ASCII | re.IGNORECASE)
_FIELD = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_KEY = re.compile(r"""api_key["']?\s*:\s*(\{.*?\}|\[.*?\]|"[^"]*"?|'[^']*'?|[^\s,}]+)""")
# What playbooks of the collection read as panel_ and this name.
OF_PLAYBOOKS = frozenset({
    "after_apply", "concurrency", "confirm", "dir", "disk_space", "expected_checksum", "expected_checksums", "foreign_variables", "hosts",
    "max_deletes", "passwords_file", "plan_file", "planned_changes", "protect", "purge", "rebuild", "retry_client", "retry_id",
    "verify_client", "verify_profile_file", "verify_report_file", "verify_wait_timeout", "verify_writes", "verify_wrong_key",
})  # fmt: skip
# A panel must not say where and how it is to be reached, nor what a playbook does.
_NOT_FROM_A_PANEL = frozenset({*ENVIRONMENT, "name", *OF_PLAYBOOKS})
Reading = Mapping[str, list[dict[str, Any]]]


def words_for(error: Exception, path: str) -> str:
    """What Ansible says about an inventory file, without the keys in it."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        yaml.compose(content, yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError) as mistake:
        mark = getattr(mistake, "problem_mark", None)
        return f"line {mark.line + 1}: is no YAML." if mark else "the file is not in UTF-8, or cannot be read."
    keys = re.findall(r"""[^\s"',:{}\[\]]+""", " ".join(_KEY.findall(content)))
    return Secrets(keys).masked(message_with_help(error))


def panels_of_file(panels: Any, shared: Mapping[str, Any]) -> list[NamedPanel]:
    """The panels of an inventory file; raises OptionError. panels: the option. shared: connection options beside it."""
    read = []
    # Some releases of ansible-core hand over what the file encrypts as objects.
    plain = (str, int, float, list, dict, type(None))
    for index, entry in enumerate(panels or ()):
        if not isinstance(entry, Mapping):
            raise OptionError(f"panels[{index}]", "must be a dictionary with api_url.")
        read.append({str(name): value if isinstance(value, plain) else str(value) for name, value in entry.items()})
    return named_panels(None if panels is None else read, shared)


def read_panel(panel: NamedPanel) -> Reading:
    """All clients, hosting plans and domains, without secrets; raises PanelError."""
    reading = {}
    with contextlib.closing(PanelClient(panel.connection)) as client:
        for plural, kind in LISTS.items():
            listed = checked_list(client.get(kind.path), kind.path, kind)
            reading[plural] = without_secrets(listed)
    return reading


class PanelHost(NamedTuple):
    """One host. groups: pairs of what they are made by and the value, before they become names of groups."""

    name: str
    panel: str
    variables: dict[str, Any]
    groups: tuple[tuple[str, str], ...]


class _Owner(NamedTuple):
    item: Mapping[str, Any] = {}
    username: str | None = None
    plan: str | None = None


def hosts_of(
    readings: Mapping[str, Reading], kind: str, domain_kinds: Collection[str], panel_in_names: bool
) -> tuple[list[PanelHost], list[str]]:
    """The hosts of all panels, and warnings about objects that cannot be one. readings: by the panel's name. kind: domains or clients."""
    warnings: list[str] = []
    hosts: list[PanelHost] = []
    for panel, reading in readings.items():
        names = {item.get("id"): item.get("domain") for item in reading["domains"]}
        domains: dict[Any, list[Any]] = {}
        for item in (item for item in reading["domains"] if class_of(item) != "system_domains"):
            domains.setdefault(item.get(OWNER), []).append(item.get("domain"))
        owners, is_client = _owners(reading), kind == "clients"
        for item in reading[kind]:
            if not is_client and class_of(item) not in domain_kinds:
                continue
            owner = owners.get(item.get("id" if is_client else OWNER), _Owner())
            fields = [name for name in item if _FIELD.fullmatch(name) and name not in _NOT_FROM_A_PANEL]
            variables = {f"panel_{name}": item[name] for name in fields}
            variables.update(panel_client=owner.username, panel_hosting_plan=owner.plan)
            if is_client:
                variables["panel_domains"] = domains.get(item.get("id"), [])
            else:
                variables["panel_parent_domain"] = names.get(item.get("id_parent_domain") or 0)
                variables["panel_client_email"] = owner.item.get("email")
                variables["panel_client_is_suspended"] = owner.item.get("is_suspended") is True
            shown = item.get("username" if is_client else "domain")
            name = _host_name(kind, str(shown or ""))
            if name is None:
                warnings.append(f"panel {panel}: {shown!r} cannot be the name of a host and is left out.")
            else:
                hosts.append(PanelHost(name, panel, variables, (*_groups(owner, item), ("panel", panel))))
    times = Counter(host.name for host in hosts)
    for index, host in enumerate(hosts):
        if panel_in_names or times[host.name] > 1 or host.name in _RESERVED:
            hosts[index] = host._replace(name=f"{host.name}@{host.panel}")
    return hosts, warnings


def _owners(reading: Reading) -> dict[Any, _Owner]:
    """By id. The plan is known by its id where the panel shows it, else as the only one whose limits the client has."""
    plans, owners = reading["hosting_plans"], {}
    for client in reading["clients"]:
        found = [plan for plan in plans if plan.get("id") == client.get("id_hosting_plan", 0)]
        found = found or [plan for plan in plans if has_features_of(client, plan)]
        plan = found[0].get("name") if len(found) == 1 else None
        owners[client.get("id")] = _Owner(client, client.get("username"), plan)
    return owners


def _groups(owner: _Owner, item: Mapping[str, Any]) -> list[tuple[str, str]]:
    # What concerns all of a suspended client has to reach its disabled domains too.
    states = ["suspended"] * (owner.item.get("is_suspended") is True) + ["disabled"] * (item.get("is_disabled") is True)
    status = STATUS_WORDS.get(item.get("status", -1))
    named = [("status", status), ("client", owner.username), ("plan", owner.plan)]
    return [*(("state", state) for state in states or ["active"]), *((group, name) for group, name in named if name)]


def _host_name(kind: str, shown: str) -> str | None:
    if kind == "clients":
        return shown if _USERNAME.fullmatch(shown) else None
    try:
        return ascii_domain(shown)
    except ValueError:
        return None
