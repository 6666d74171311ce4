# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which panels an inventory is made of, by their names and connection options, and what is read from them. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError, raise_noted
from ...module_utils._http.connection_settings import (
    connection_argument_spec,
    from_environment,
    read_connection,
    without,
)
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.domain import DOMAIN
from ...module_utils._kinds.plan import PLAN
from ...module_utils._object.objects import checked_list
from ...module_utils._secrets.redaction import without_secrets
from ...module_utils._task.validation import checkable, misread_values
from .._jobs.mistyped_names import no_such_option
from .._run.panel_name import OF_ONE_PANEL, missing_of_several, panel_host

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*", re.ASCII)
# What is a host, or tells something of one: an inventory costs three requests a panel, whatever else there is.
_PATHS = {"clients": CLIENT.path, "hosting_plans": PLAN.path, "domains": DOMAIN.path}
Reading = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class InventoryPanel:
    """One panel. options: the connection options, checked for their types, with the key."""

    name: str
    options: Mapping[str, Any] = field(repr=False)

    @property
    def api_url(self) -> str:
        return str(self.options["api_url"])


def check_names(given: Iterable[Any], known: Iterable[str]) -> None:
    """Raises OptionError for options that the plugin does not have, which Ansible ignores."""
    names = list(known)
    raise_noted([OptionError(str(name), no_such_option(str(name), names)) for name in given if name not in names])


def panels_of_file(panels: Any, shared: Mapping[str, Any], written: Container[str] = ()) -> list[InventoryPanel]:
    """The panels of an inventory file; raises OptionError.

    panels: the option, None for the single panel that ``shared`` describes. shared: connection options for the panels that have none of
    their own. written: those of them that are not from the environment.
    """
    if panels is None:
        return [_panel("", {}, shared)]
    if not isinstance(panels, list) or not panels:
        raise OptionError(
            "panels", "must be a list of dictionaries with api_url, and name and other connection options as needed."
        )
    is_only_one = len(panels) == 1
    # An address names one panel, so that of the environment is none for each, and neither is its key, which other panels must not see.
    others = {
        name: value
        for name, value in shared.items()
        if name not in OF_ONE_PANEL or (name == "api_key" and (is_only_one or name in written))
    }
    read = [_panel(f"panels[{index}]", entry, others, is_only_one) for index, entry in enumerate(panels)]
    names = [panel.name for panel in read]
    for name in names:
        if names.count(name) > 1:
            raise OptionError("panels", f"several are named {name}; give each a name of its own.")
    return read


def _panel(place: str, entry: Any, shared: Mapping[str, Any], is_only_one: bool = True) -> InventoryPanel:
    if not isinstance(entry, Mapping):
        raise OptionError(place, "must be a dictionary with api_url, and name and other connection options as needed.")
    prefix = f"{place}." if place else ""
    given = {**{key: value for key, value in shared.items() if value is not None}, **_plain(entry)}
    specifications = {name: _without_environment(option) for name, option in connection_argument_spec().items()}
    with_name = {"name": {"type": "str"}, **specifications}
    for error in misread_values(given, with_name):
        raise OptionError(f"{prefix}{error.option}", error.problem)
    checked = ArgumentSpecValidator(with_name).validate(checkable(given, specifications))
    if checked.error_messages:
        message = checked.error_messages[0]
        named = (from_environment(name, given.get(name)) for name in specifications if f"'{name}'" in message)
        raise OptionError(place or "panel", f"{message}.{''.join(named)}")
    options: dict[str, Any] = checked.validated_parameters
    for option in ("api_url", "api_key"):
        if not options.get(option):
            what = without(options.get(option))
            if not is_only_one:
                raise OptionError(f"{prefix}{option}", missing_of_several(option, options, what))
            raise OptionError(
                f"{prefix}{option}",
                f"{what}. Set it in the inventory file or in the environment variable PANEL_{option.upper()}."
                f"{from_environment(option, options.get(option))}"
                if option == "api_key" or not place
                else f"{what}. Every panel has an address of its own.",
            )
    name = options.pop("name") or panel_host(options, {})
    if not _NAME.fullmatch(name):
        raise OptionError(
            f"{prefix}name",
            f"{name!r} is not accepted; it must be made of letters, digits, underscores, dots, colons and hyphens.",
        )
    return InventoryPanel(name, options)


def _plain(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Texts in place of values that are encrypted in the file, which some releases of ansible-core hand over as objects."""
    return {
        str(name): value if value is None or isinstance(value, (str, int, float, list, dict)) else str(value)
        for name, value in entry.items()
    }


def _without_environment(option: Mapping[str, Any]) -> dict[str, Any]:
    """Ansible has read the environment already."""
    return {name: value for name, value in option.items() if name != "fallback"}


def read_panel(panel: InventoryPanel) -> Reading:
    """All clients, hosting plans and domains, without secrets; raises PanelError."""
    connection = read_connection(panel.options)
    client = PanelClient(connection)
    try:
        return {kind: without_secrets(checked_list(client.get(path), path)) for kind, path in _PATHS.items()}
    finally:
        client.close()


def is_reading(value: Any) -> bool:
    """Whether something from a cache has the shape of a reading of this release."""
    return (
        isinstance(value, Mapping)
        and set(value) == set(_PATHS)
        and all(
            isinstance(items, list) and all(isinstance(item, Mapping) for item in items) for items in value.values()
        )
    )
