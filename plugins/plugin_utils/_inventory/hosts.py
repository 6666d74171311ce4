# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of an inventory, and their hosts with variables and groups. No message holds a key. Private to the collection."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._errors import OptionError, raise_noted
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, connection_argument_spec, read_connection
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.client import CLIENT, PLAN, has_features_of
from ...module_utils._kinds.domain import DOMAIN, class_of
from ...module_utils._kinds.registry import STATUS_WORDS
from ...module_utils._object.objects import checked_list
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.panel_text import Secrets
from ...module_utils._secrets.redaction import without_secrets
from ...module_utils._task.validation import refuse_misread_values
from ...module_utils._values.names import ascii_domain
from .._run.panel_connections import OF_ONE_PANEL, connection_of, panel_host

_trusted: Any = None
with contextlib.suppress(ImportError):
    from ansible.template import trust_as_template as _trusted

PATHS = {"clients": CLIENT.path, "hosting_plans": PLAN.path, "domains": DOMAIN.path}
# Names that mean something else to Ansible.
_RESERVED = ("all", "localhost", "127.0.0.1", "ungrouped")
_USERNAME = re.compile(r"[a-z0-9_][a-z0-9_.-]*", re.ASCII | re.IGNORECASE)
_FIELD = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_KEY = re.compile(r"""api_key["']?\s*:\s*(\{.*?\}|\[.*?\]|"[^"]*"?|'[^']*'?|[^\s,}]+)""")
# A panel must not say where and how it is to be reached.
_NOT_FROM_A_PANEL = frozenset({*ENVIRONMENT, "name"})
Item = Mapping[str, Any]
Reading = Mapping[str, list[dict[str, Any]]]


class InventoryPanel(NamedTuple):
    """One panel. options: the connection options, checked, with the key."""

    name: str
    options: Mapping[str, Any]
    connection: Connection


def words_for(error: Exception, path: str) -> str:
    """What Ansible says about an inventory file, without the keys in it."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        yaml.compose(content, yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError) as mistake:
        mark = getattr(mistake, "problem_mark", None)
        return f"line {mark.line + 1}: is no YAML." if mark else "the file is not in UTF-8, or cannot be read."
    # Since 2.19 Ansible keeps apart what to do about it.
    helps = (getattr(one, "_help_text", None) for one in (error, error.__cause__))
    keys = re.findall(r"""[^\s"',:{}\[\]]+""", " ".join(_KEY.findall(content)))
    return Secrets(keys).masked(" ".join([str(error), *filter(None, helps)]))


def check_names(given: Iterable[Any], known: Iterable[str], place: str = "") -> None:
    """Raises OptionError for options that the plugin does not have, which Ansible ignores."""
    names = list(known)
    wrong = [str(name) for name in given if name not in names]
    there_are = f"there is no such option; there are {', '.join(names)}."
    raise_noted([OptionError(f"{place}{name}", there_are) for name in wrong])


def panels_of_file(panels: Any, shared: Mapping[str, Any]) -> list[InventoryPanel]:
    """The panels of an inventory file; raises OptionError. panels: the option. shared: connection options beside it."""
    if panels is None:
        return [_panel("", {}, shared)]
    if not panels:
        raise OptionError("panels", "is empty; name a panel, or omit it for the one of api_url.")
    read = [_panel(f"panels[{index}].", entry, shared, len(panels) == 1) for index, entry in enumerate(panels)]
    twice = [name for name, times in Counter(panel.name for panel in read).items() if times > 1]
    if twice:
        raise OptionError("panels", f"several are named {twice[0]}; give each a name of its own.")
    return read


def _panel(place: str, entry: Any, shared: Mapping[str, Any], is_only_one: bool = True) -> InventoryPanel:
    if not isinstance(entry, Mapping):
        raise OptionError(place.rstrip("."), "must be a dictionary with api_url.")
    # Some releases of ansible-core hand over what the file encrypts as objects.
    plain = (str, int, float, list, dict, type(None))
    given = {str(name): value if isinstance(value, plain) else str(value) for name, value in entry.items()}
    check_names(given, ["name", *connection_argument_spec()], place)
    try:
        refuse_misread_values(given, connection_argument_spec())
        options = connection_of(given, shared, {}, is_only_one)
        for option in (option for option in OF_ONE_PANEL if not options[option]):
            where = f"in the inventory file or in the environment variable {ENVIRONMENT[option]}"
            raise OptionError(option, f"missing. Set it {where}.")
        return InventoryPanel(str(given.get("name") or panel_host(options, {})), options, read_connection(options))
    except OptionError as error:
        raise OptionError(f"{place}{error.option}", error.problem) from None


def read_panel(panel: InventoryPanel) -> Reading:
    """All clients, hosting plans and domains, without secrets; raises PanelError."""
    with contextlib.closing(PanelClient(panel.connection)) as client:
        return {kind: without_secrets(checked_list(client.get(path), path)) for kind, path in PATHS.items()}


class PanelHost(NamedTuple):
    """One host. groups: pairs of what they are made by and the value, before they become names of groups."""

    name: str
    panel: str
    variables: dict[str, Any]
    groups: tuple[tuple[str, str], ...]


class _Owner(NamedTuple):
    item: Item = {}
    username: str | None = None
    plan: str | None = None


def hosts_of(
    readings: Mapping[str, Reading], kind: str, domain_kinds: Collection[str], panel_in_names: bool
) -> tuple[list[PanelHost], list[str]]:
    """The hosts of all panels, and warnings about objects that cannot be one. readings: by the panel's name. kind: domains or clients."""
    warnings: list[str] = []
    hosts: list[PanelHost] = []
    for panel, reading in readings.items():
        found = _domains(reading, domain_kinds) if kind == "domains" else _clients(reading)
        for shown, variables, groups in found:
            name = _host_name(kind, str(shown or ""))
            if name is None:
                warnings.append(f"panel {panel}: {shown!r} cannot be the name of a host and is left out.")
            else:
                hosts.append(PanelHost(name, panel, variables, (*groups, ("panel", panel))))
    times = Counter(host.name for host in hosts)
    for index, host in enumerate(hosts):
        if panel_in_names or times[host.name] > 1 or host.name in _RESERVED:
            hosts[index] = host._replace(name=f"{host.name}@{host.panel}")
    return hosts, warnings


_Found = tuple[Any, dict[str, Any], tuple[tuple[str, str], ...]]


def _domains(reading: Reading, kinds: Collection[str]) -> Iterator[_Found]:
    owners = _owners(reading)
    names = {item.get("id"): item.get("domain") for item in reading["domains"]}
    for item in reading["domains"]:
        if class_of(item) not in kinds:
            continue
        owner = owners.get(item.get(OWNER), _Owner())
        variables = {
            "panel_parent_domain": names.get(item.get("id_parent_domain") or 0),
            "panel_client_email": owner.item.get("email"),
            "panel_client_is_suspended": owner.item.get("is_suspended") is True,
        }
        yield item.get("domain"), {**_variables(item, owner), **variables}, _groups(owner, item)


def _clients(reading: Reading) -> Iterator[_Found]:
    domains: dict[Any, list[Any]] = {}
    for item in reading["domains"]:
        if class_of(item) != "system_domains":
            domains.setdefault(item.get(OWNER), []).append(item.get("domain"))
    for identifier, owner in _owners(reading).items():
        variables = {**_variables(owner.item, owner), "panel_domains": domains.get(identifier, [])}
        yield owner.username, variables, _groups(owner, owner.item)


def _owners(reading: Reading) -> dict[Any, _Owner]:
    """By id. The plan is known by its id where the panel shows it, else as the only one whose limits the client has."""
    plans, owners = reading["hosting_plans"], {}
    for client in reading["clients"]:
        found = [plan for plan in plans if plan.get("id") == client.get("id_hosting_plan", 0)]
        found = found or [plan for plan in plans if has_features_of(client, plan)]
        plan = found[0].get("name") if len(found) == 1 else None
        owners[client.get("id")] = _Owner(client, client.get("username"), plan)
    return owners


def _groups(owner: _Owner, item: Item) -> tuple[tuple[str, str], ...]:
    # What concerns all of a suspended client has to reach its disabled domains too.
    states = ["suspended"] * (owner.item.get("is_suspended") is True) + ["disabled"] * (item.get("is_disabled") is True)
    status = STATUS_WORDS.get(item.get("status", -1))
    named = [("status", status), ("client", owner.username), ("plan", owner.plan)]
    return (
        *(("state", state) for state in states or ["active"]),
        *((grouping, value) for grouping, value in named if value),
    )


def _variables(item: Item, owner: _Owner) -> dict[str, Any]:
    names = [name for name in item if _FIELD.fullmatch(name) and name not in _NOT_FROM_A_PANEL]
    return {
        **{f"panel_{name}": item[name] for name in names},
        "panel_client": owner.username,
        "panel_hosting_plan": owner.plan,
    }


def _host_name(kind: str, shown: str) -> str | None:
    if kind == "clients":
        return shown if _USERNAME.fullmatch(shown) else None
    try:
        return ascii_domain(shown)
    except ValueError:
        return None


def untrusted(value: Any) -> Any:
    """The value marked so that no template in it is evaluated; since 2.19 ansible-core evaluates only what is marked as trusted."""
    if _trusted is None and isinstance(value, dict):
        return {untrusted(name): untrusted(member) for name, member in value.items()}
    if _trusted is None and isinstance(value, list):
        return [untrusted(entry) for entry in value]
    if _trusted is not None or not isinstance(value, str) or "{" not in value:
        return value
    from ansible.utils.unsafe_proxy import wrap_var  # noqa: PLC0415 - only old releases need it

    return wrap_var(value)


def trusted_template(text: str) -> str:
    """A template of the collection's own that Ansible has to evaluate."""
    trusted: str = text if _trusted is None else _trusted(text)
    return trusted
