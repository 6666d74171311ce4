# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which panels an inventory is made of, and what is read from them. No message holds a key. Private to the collection."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ...module_utils._errors import OptionError, raise_noted
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, connection_argument_spec, read_connection
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.domain import DOMAIN
from ...module_utils._kinds.plan import PLAN
from ...module_utils._object.objects import checked_list
from ...module_utils._secrets.redaction import Redactor, is_secret_name, without_secrets
from ...module_utils._task.validation import refuse_misread_values
from .._run.panel_connections import OF_ONE_PANEL, connection_of, panel_host

_PATHS = {"clients": CLIENT.path, "hosting_plans": PLAN.path, "domains": DOMAIN.path}
Reading = dict[str, list[dict[str, Any]]]


class InventoryPanel(NamedTuple):
    """One panel. options: the connection options, checked, with the key."""

    name: str
    options: Mapping[str, Any]
    connection: Connection


def words_for(error: Exception, path: str) -> str:
    """What Ansible says about an inventory file, without the keys in it."""
    try:
        root = yaml.compose(Path(path).read_text(encoding="utf-8"), yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError) as mistake:
        mark = getattr(mistake, "problem_mark", None)
        return f"line {mark.line + 1}: is no YAML." if mark else "the file is not in UTF-8, or cannot be read."
    # Since 2.19 Ansible keeps apart what to do about it.
    helps = (getattr(one, "_help_text", None) for one in (error, error.__cause__))
    return Redactor(list(_secrets(root)) if root else []).text(" ".join([str(error), *filter(None, helps)]))


def _secrets(node: Any, is_secret: bool = False) -> Iterator[str]:
    """The texts below secret names."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _secrets(name, is_secret)
            yield from _secrets(value, is_secret or is_secret_name(str(name.value)))
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _secrets(value, is_secret)
    elif is_secret:
        yield node.value


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
        for option in OF_ONE_PANEL:
            if not options[option]:
                problem = f"missing. Set it in the inventory file or in the environment variable {ENVIRONMENT[option]}."
                raise OptionError(option, problem)
        connection = read_connection(options)
    except OptionError as error:
        raise OptionError(f"{place}{error.option}", error.problem) from None
    return InventoryPanel(str(given.get("name") or panel_host(options, {})), options, connection)


def read_panel(panel: InventoryPanel) -> Reading:
    """All clients, hosting plans and domains, without secrets; raises PanelError."""
    with contextlib.closing(PanelClient(panel.connection)) as client:
        return {kind: without_secrets(checked_list(client.get(path), path)) for kind, path in _PATHS.items()}


def is_reading(value: Any) -> bool:
    """Whether something from a cache is a reading of this release."""
    return isinstance(value, Mapping) and set(value) == set(_PATHS)
