# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what panels have to the hosts of an inventory, with their variables and groups. Pure. Private to the collection."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._kinds.client import has_features_of
from ...module_utils._kinds.domain import class_of
from ...module_utils._object.waiting import STATUS_WORDS
from ...module_utils._schema.kind import OWNER
from ...module_utils._values.names import ascii_domain

_trusted: Any = None
with contextlib.suppress(ImportError):
    from ansible.template import trust_as_template as _trusted

# Names that mean something else to Ansible.
_RESERVED = ("all", "localhost", "127.0.0.1", "ungrouped")
_USERNAME = re.compile(r"[a-z0-9_][a-z0-9_.-]*", re.ASCII | re.IGNORECASE)
_MEMBER = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
# A panel must not say where and how it is to be reached.
_NOT_FROM_A_PANEL = frozenset({*ENVIRONMENT, "name"})

Item = Mapping[str, Any]


class PanelHost(NamedTuple):
    """One host. groups: pairs of what they are made by and the value, before they become names of groups."""

    name: str
    panel: str
    variables: dict[str, Any]
    groups: tuple[tuple[str, str], ...]


class _Owner(NamedTuple):
    """A client with what belongs to it."""

    item: Item
    username: str | None
    plan: str | None
    is_suspended: bool


def hosts_of(
    readings: Mapping[str, Mapping[str, list[dict[str, Any]]]],
    kind: str,
    domain_kinds: Iterable[str],
    panel_in_names: bool,
) -> tuple[list[PanelHost], list[str]]:
    """The hosts of all panels, and warnings about objects that cannot be one. readings: by the panel's name. kind: domains or clients."""
    warnings: list[str] = []
    hosts: list[PanelHost] = []
    for panel, reading in readings.items():
        found = _domains(reading, frozenset(domain_kinds)) if kind == "domains" else _clients(reading)
        for shown, name, variables, groups in found:
            if name is None:
                warnings.append(f"panel {panel}: {shown!r} cannot be the name of a host and is left out.")
            else:
                hosts.append(PanelHost(name, panel, variables, (*groups, ("panel", panel))))
    times = Counter(host.name for host in hosts)
    return [_named(host, panel_in_names or times[host.name] > 1) for host in hosts], warnings


def _named(host: PanelHost, with_panel: bool) -> PanelHost:
    return host._replace(name=f"{host.name}@{host.panel}") if with_panel or host.name in _RESERVED else host


_Found = tuple[Any, "str | None", dict[str, Any], tuple[tuple[str, str], ...]]


def _domains(reading: Mapping[str, list[dict[str, Any]]], kinds: frozenset[str]) -> Iterator[_Found]:
    owners = _owners(reading)
    names = {_key(item.get("id")): item.get("domain") for item in reading["domains"] if item.get("id")}
    nobody = _Owner({}, None, None, is_suspended=False)
    for item in reading["domains"]:
        if class_of(item) not in kinds:
            continue
        owner = owners.get(_key(item.get(OWNER)), nobody)
        variables = {
            **_members(item),
            "panel_client": owner.username,
            "panel_hosting_plan": owner.plan,
            "panel_parent_domain": names.get(_key(item.get("id_parent_domain"))),
            "panel_client_email": owner.item.get("email"),
            "panel_client_is_suspended": owner.is_suspended,
        }
        yield item.get("domain"), _domain_name(item.get("domain")), variables, _groups(owner, item)


def _clients(reading: Mapping[str, list[dict[str, Any]]]) -> Iterator[_Found]:
    domains: dict[str, list[Any]] = {}
    for item in reading["domains"]:
        if class_of(item) != "system_domains":
            domains.setdefault(_key(item.get(OWNER)), []).append(item.get("domain"))
    for identifier, owner in _owners(reading).items():
        variables = {
            **_members(owner.item),
            "panel_client": owner.username,
            "panel_hosting_plan": owner.plan,
            "panel_domains": domains.get(identifier, []),
        }
        name = owner.username if owner.username and _USERNAME.fullmatch(owner.username) else None
        yield owner.username, name, variables, _groups(owner, owner.item)


def _owners(reading: Mapping[str, list[dict[str, Any]]]) -> dict[str, _Owner]:
    plans = {_key(plan.get("id")): plan for plan in reading["hosting_plans"] if plan.get("id")}
    owners: dict[str, _Owner] = {}
    for client in reading["clients"]:
        username = client.get("username")
        owners[_key(client.get("id")) or f"without id {len(owners)}"] = _Owner(
            client,
            username if isinstance(username, str) else None,
            _plan_name(client, plans),
            client.get("is_suspended") is True,
        )
    return owners


def _plan_name(client: Item, plans: Mapping[str, Item]) -> str | None:
    """By the id where the panel shows it, else the only plan whose limits the client has."""
    plan = plans.get(_key(client.get("id_hosting_plan")))
    if plan is None:
        alike = [one for one in plans.values() if has_features_of(client, one)]
        plan = alike[0] if len(alike) == 1 else None
    name = plan.get("name") if plan else None
    return name if isinstance(name, str) else None


def _groups(owner: _Owner, item: Item) -> tuple[tuple[str, str], ...]:
    # What concerns all of a suspended client has to reach its disabled domains too.
    states = ["suspended"] * owner.is_suspended + ["disabled"] * (item.get("is_disabled") is True)
    groups = [("state", state) for state in states or ["active"]]
    status = item.get("status")
    if isinstance(status, int) and status in STATUS_WORDS:
        groups.append(("status", STATUS_WORDS[status]))
    if owner.username:
        groups.append(("client", owner.username))
    if owner.plan:
        groups.append(("plan", owner.plan))
    return tuple(groups)


def _members(item: Item) -> dict[str, Any]:
    return {
        f"panel_{name}": value
        for name, value in item.items()
        if _MEMBER.fullmatch(name) and name not in _NOT_FROM_A_PANEL
    }


def _domain_name(value: Any) -> str | None:
    try:
        return ascii_domain(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _key(identifier: Any) -> str:
    """Ids may come as numbers or texts; an empty text, which nothing is found by, where there is none."""
    return str(identifier or "")


def untrusted(value: Any) -> Any:
    """The value marked so that no template in it is evaluated; since 2.19 ansible-core evaluates only what is marked as trusted."""
    if _trusted is not None:
        return value
    if isinstance(value, dict):
        return {untrusted(name): untrusted(member) for name, member in value.items()}
    if isinstance(value, list):
        return [untrusted(entry) for entry in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    from ansible.utils.unsafe_proxy import wrap_var  # noqa: PLC0415 - only old releases need it

    return wrap_var(value)


def trusted_template(text: str) -> str:
    """A template of the collection's own that Ansible has to evaluate."""
    trusted: str = text if _trusted is None else _trusted(text)
    return trusted
