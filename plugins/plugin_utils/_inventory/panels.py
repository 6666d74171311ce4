# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which panels an inventory is made of, and what is read from them. No message holds a key. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._errors import OptionError, raise_noted
from ...module_utils._http.connection_settings import connection_argument_spec, read_connection
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.domain import DOMAIN
from ...module_utils._kinds.plan import PLAN
from ...module_utils._object.objects import checked_list
from ...module_utils._secrets.redaction import Redactor, is_secret_name, without_secrets
from ...module_utils._task.validation import refuse_misread_values
from .._run.near_names import no_such_option
from .._run.panel_connections import connection_of
from .._run.panel_name import OF_ONE_PANEL, missing_of_several, panel_host

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*", re.ASCII)
_PATHS = {"clients": CLIENT.path, "hosting_plans": PLAN.path, "domains": DOMAIN.path}
_OWN_TAGS = ("tag:yaml.org,2002:", "!vault", "!unsafe")
Reading = dict[str, list[dict[str, Any]]]


class InventoryPanel(NamedTuple):
    """One panel. options: the connection options, checked, with the key."""

    name: str
    options: Mapping[str, Any]


def words_for(error: Exception, path: str) -> str:
    """What Ansible says about an inventory file, without the keys in it."""
    try:
        root = yaml.compose(Path(path).read_text(encoding="utf-8"), yaml.SafeLoader)
    except yaml.MarkedYAMLError as mistake:
        line = "" if mistake.problem_mark is None else f"line {mistake.problem_mark.line + 1}: "
        return f"{line}is no YAML."
    except (OSError, ValueError, yaml.YAMLError):
        return "the file is not in UTF-8, or cannot be read."
    # Since 2.19 Ansible keeps apart what to do about it.
    helps = (getattr(one, "_help_text", None) for one in (error, error.__cause__))
    return Redactor(list(_secrets(root, set()))).text(" ".join([str(error), *filter(None, helps)]))


def _secrets(node: Any, seen: set[int], is_secret: bool = False) -> Iterator[str]:
    """The texts below secret names, also where they are no plain text, and tags that nobody knows."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if not node.tag.startswith(_OWN_TAGS):
        yield node.tag.lstrip("!")
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            is_own = is_secret_name(str(name.value)) or (name.value == "panels" and isinstance(value, yaml.ScalarNode))
            yield from _secrets(name, seen, is_secret)
            yield from _secrets(value, seen, is_secret or is_own)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _secrets(value, seen, is_secret)
    elif is_secret:
        yield node.value


def check_names(given: Iterable[Any], known: Iterable[str], place: str = "") -> None:
    """Raises OptionError for options that the plugin does not have, which Ansible ignores."""
    names = list(known)
    wrong = [str(name) for name in given if name not in names]
    raise_noted([OptionError(f"{place}{name}", no_such_option(name, names)) for name in wrong])


def panels_of_file(panels: Any, shared: Mapping[str, Any], written: Container[str] = ()) -> list[InventoryPanel]:
    """The panels of an inventory file; raises OptionError.

    panels: the option, None for one panel that ``shared`` describes. shared: options for panels without their own. written: those of them that
    are not from the environment, whose key is for one panel alone.
    """
    if panels is None:
        return [_panel("", {}, shared)]
    if not isinstance(panels, list) or not panels:
        raise OptionError(
            "panels", "must be a list of dictionaries with api_url, and name and other connection options as needed."
        )
    others = {
        name: None if name == "api_url" or (name == "api_key" and name not in written) else value
        for name, value in shared.items()
    }
    read = [_panel(f"panels[{index}]", entry, others, len(panels) == 1) for index, entry in enumerate(panels)]
    names = [panel.name for panel in read]
    for name in names:
        if names.count(name) > 1:
            raise OptionError("panels", f"several are named {name}; give each a name of its own.")
    return read


def _panel(place: str, entry: Any, shared: Mapping[str, Any], is_only_one: bool = True) -> InventoryPanel:
    if not isinstance(entry, Mapping):
        raise OptionError(place, "must be a dictionary with api_url, and name and other connection options as needed.")
    prefix = f"{place}." if place else ""
    # Some releases of ansible-core hand over what the file encrypts as objects.
    plain = (str, int, float, list, dict, type(None))
    given = {str(name): value if isinstance(value, plain) else str(value) for name, value in entry.items()}
    check_names(given, ["name", *connection_argument_spec()], prefix)
    try:
        refuse_misread_values(given, connection_argument_spec())
        options = connection_of(given, shared, {}, is_only_one)
        for option in OF_ONE_PANEL:
            if not options.get(option):
                advice = f"missing. Set it in the inventory file or in the environment variable PANEL_{option.upper()}."
                raise OptionError(option, advice if is_only_one else missing_of_several(option, options))
    except OptionError as error:
        raise OptionError(f"{prefix}{error.option}", error.problem) from None
    name = str(given.get("name") or panel_host(options, {}))
    if not _NAME.fullmatch(name):
        raise OptionError(
            f"{prefix}name", f"{name!r} is not accepted. Use letters, digits, underscores, dots, colons and hyphens."
        )
    return InventoryPanel(name, options)


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
    if not isinstance(value, Mapping) or set(value) != set(_PATHS):
        return False
    return all(isinstance(items, list) and all(isinstance(one, Mapping) for one in items) for items in value.values())
