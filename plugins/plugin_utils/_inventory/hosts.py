# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of an inventory, with variables and groups, from what panels show. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._kinds.registry import STATUS_WORDS
from ...module_utils._kinds.tables import classify_domain, has_features_of
from ...module_utils._schema.fields import OWNER
from ...module_utils._values.names import normalize_domain
from .panels import Reading

# Names that mean something else to Ansible.
_RESERVED = ("all", "localhost", "127.0.0.1", "ungrouped")
_USERNAME = re.compile(r"[a-z0-9_][a-z0-9_.-]*", re.ASCII | re.IGNORECASE)
_FIELD = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
# What playbooks of the collection read as panel_ and this name.
OF_PLAYBOOKS = frozenset({
    "after_apply", "concurrency", "confirm", "dir", "disk_space", "expected_checksum", "expected_checksums", "foreign_variables", "hosts",
    "max_deletes", "passwords_file", "plan_file", "planned_changes", "protect", "purge", "rebuild", "retry_client", "retry_id",
    "verify_client", "verify_profile_file", "verify_report_file", "verify_wait_timeout", "verify_writes", "verify_wrong_key",
})  # fmt: skip
# A panel must not say where and how it is to be reached, nor what a playbook does.
_NOT_FROM_A_PANEL = frozenset({*ENVIRONMENT, "name", *OF_PLAYBOOKS})
Item = Mapping[str, Any]


class PanelHost(NamedTuple):
    """A host of the inventory.

    Attributes:
        name: Unique over all panels, and safe for Ansible.
        panel: The name of the panel that has the object.
        variables: By name, with ``panel_`` before it.
        groups: Pairs such as ``("client", "acme")``, before they become names of groups.
    """

    name: str
    panel: str
    variables: dict[str, Any]
    groups: tuple[tuple[str, str], ...]


class _Owner(NamedTuple):
    """The client that an object belongs to; without a username for the panel itself."""

    item: Item = {}
    username: str | None = None
    hosting_plan: str | None = None


class _Panel:
    """What one panel shows, with the look-ups that hosts need."""

    def __init__(self, name: str, reading: Reading) -> None:
        self.name = name
        self.owners = _index_owners(reading)
        self.domain_names = {
            domain.get("id"): domain.get("domain") for domain in reading["domains"]
        }
        self.domains_by_owner: dict[Any, list[Any]] = {}
        for domain in reading["domains"]:
            if classify_domain(domain) != "system_domains":
                names = self.domains_by_owner.setdefault(domain.get(OWNER), [])
                names.append(domain.get("domain"))


def make_hosts(
    readings: Mapping[str, Reading],
    plural: str,
    domain_kinds: Collection[str],
    panel_in_names: bool,
) -> tuple[list[PanelHost], list[str]]:
    """Make the hosts of all panels.

    Args:
        readings: What the panels show, by their names.
        plural: What becomes a host, ``domains`` or ``clients``.
        domain_kinds: The domains that become hosts, such as ``main_domains``.
        panel_in_names: Whether each name has that of its panel.

    Returns:
        The hosts, and warnings about objects that cannot be one.
    """
    warnings: list[str] = []
    hosts: list[PanelHost] = []
    for panel_name, reading in readings.items():
        panel = _Panel(panel_name, reading)
        for item in _list_items(reading, plural, domain_kinds):
            displayed_name = _get_displayed_name(plural, item)
            name = _make_host_name(plural, str(displayed_name or ""))
            if name is None:
                warnings.append(
                    f"panel {panel_name}: {displayed_name!r} cannot be the name of a host and is left out."
                )
                continue
            make_host = _make_client_host if plural == "clients" else _make_domain_host
            hosts.append(make_host(name, item, panel))

    return _with_unique_names(hosts, panel_in_names), warnings


def _list_items(
    reading: Reading, plural: str, domain_kinds: Collection[str]
) -> list[dict[str, Any]]:
    """Return the objects that become hosts."""
    if plural == "clients":
        return reading["clients"]
    return [domain for domain in reading["domains"] if classify_domain(domain) in domain_kinds]


def _with_unique_names(hosts: list[PanelHost], panel_in_names: bool) -> list[PanelHost]:
    """Return the hosts, with the panel in names that would be ambiguous, or in all."""
    times = Counter(host.name for host in hosts)
    unique_hosts = []
    for host in hosts:
        if panel_in_names or times[host.name] > 1 or host.name in _RESERVED:
            host = host._replace(name=f"{host.name}@{host.panel}")
        unique_hosts.append(host)

    return unique_hosts


def _make_client_host(name: str, item: Item, panel: _Panel) -> PanelHost:
    owner = panel.owners.get(item.get("id"), _Owner())
    variables = _make_common_variables(item, owner)
    variables["panel_domains"] = panel.domains_by_owner.get(item.get("id"), [])
    return PanelHost(name, panel.name, variables, _list_groups(panel.name, owner, item))


def _make_domain_host(name: str, item: Item, panel: _Panel) -> PanelHost:
    owner = panel.owners.get(item.get(OWNER), _Owner())
    variables = _make_common_variables(item, owner)
    variables["panel_parent_domain"] = panel.domain_names.get(item.get("id_parent_domain") or 0)
    variables["panel_client_email"] = owner.item.get("email")
    variables["panel_client_is_suspended"] = owner.item.get("is_suspended") is True
    return PanelHost(name, panel.name, variables, _list_groups(panel.name, owner, item))


def _make_common_variables(item: Item, owner: _Owner) -> dict[str, Any]:
    """Return the fields that the panel shows, and who owns the object."""
    fields = [name for name in item if _FIELD.fullmatch(name) and name not in _NOT_FROM_A_PANEL]
    variables = {f"panel_{name}": item[name] for name in fields}
    variables["panel_client"] = owner.username
    variables["panel_hosting_plan"] = owner.hosting_plan
    return variables


def _index_owners(reading: Reading) -> dict[Any, _Owner]:
    """Return the clients by id."""
    owners = {}
    for client in reading["clients"]:
        hosting_plan = _find_hosting_plan(client, reading["hosting_plans"])
        owners[client.get("id")] = _Owner(client, client.get("username"), hosting_plan)
    return owners


def _find_hosting_plan(client: Item, hosting_plans: Collection[Item]) -> str | None:
    """Return the name of a client's plan: by its id if the panel shows it, else the only one with
    the client's limits."""
    candidates = [
        plan for plan in hosting_plans if plan.get("id") == client.get("id_hosting_plan", 0)
    ]
    if not candidates:
        candidates = [plan for plan in hosting_plans if has_features_of(client, plan)]
    if len(candidates) != 1:
        return None
    return candidates[0].get("name")


def _list_groups(panel_name: str, owner: _Owner, item: Item) -> tuple[tuple[str, str], ...]:
    states = []
    # What concerns all of a suspended client has to reach its disabled domains too.
    if owner.item.get("is_suspended") is True:
        states.append("suspended")
    if item.get("is_disabled") is True:
        states.append("disabled")

    groups = [("state", state) for state in states or ["active"]]
    status = STATUS_WORDS.get(item.get("status", -1))
    for grouping, name in (
        ("status", status),
        ("client", owner.username),
        ("plan", owner.hosting_plan),
    ):
        if name:
            groups.append((grouping, name))

    groups.append(("panel", panel_name))
    return tuple(groups)


def _get_displayed_name(plural: str, item: Item) -> Any:
    """Return the name that the panel shows, which may be anything."""
    if plural == "clients":
        return item.get("username")
    return item.get("domain")


def _make_host_name(plural: str, displayed_name: str) -> str | None:
    """Return the name of a host; None for a name that no host can have."""
    if plural == "clients":
        return displayed_name if _USERNAME.fullmatch(displayed_name) else None
    try:
        return normalize_domain(displayed_name)
    except ValueError:
        return None
