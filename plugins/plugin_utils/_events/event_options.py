# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the event source, checked. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import Connection, read_connection
from ...module_utils._task.validation import checkable, refuse_misread_values
from .._run.controller_files import check_place, reason_of
from .._run.panel_connections import CONNECTION, connection_of, panel_host
from .what_happened import TYPES, Wanted

ARGUMENT_SPEC: dict[str, Any] = {
    "panels": {"type": "list", "elements": "dict", "options": {"name": {"type": "str"}, **CONNECTION}},
    "interval": {"type": "int", "default": 300},
    "events": {"type": "list", "elements": "str", "choices": list(TYPES), "default": list(TYPES)},
    "certificate_days": {"type": "list", "elements": "int", "default": [30, 14, 7, 1]},
    "limit_percent": {"type": "int", "default": 90},
    "state_file": {"type": "path"},
    # Of ansible-rulebook itself, which hands it on.
    "feedback": {"type": "bool"},
    **CONNECTION,
}
_RANGES = {"interval": (10, 86400), "limit_percent": (1, 100), "certificate_days": (0, 3650)}


class WatchedPanel(NamedTuple):
    """A panel: what events call it, and how to reach it."""

    name: str
    connection: Connection


class Settings(NamedTuple):
    """What is watched. interval: seconds between two readings of a panel. state_file: None forgets what is known at the end."""

    panels: Sequence[WatchedPanel]
    interval: int
    wanted: Wanted
    state_file: Path | None


def read_options(given: Mapping[str, Any]) -> Settings:
    """The checked options; raises OptionError."""
    validated = ArgumentSpecValidator(ARGUMENT_SPEC).validate(checkable(given, ARGUMENT_SPEC))
    if validated.error_messages:
        raise OptionError("options", " ".join(f"{message.rstrip('.')}." for message in validated.error_messages))
    refuse_misread_values(given, ARGUMENT_SPEC)
    options = validated.validated_parameters
    for name, (least, most) in _RANGES.items():
        for value in options[name] if isinstance(options[name], list) else [options[name]]:
            if not least <= value <= most:
                raise OptionError(name, f"{value} is not accepted; use whole numbers from {least} to {most}.")
    if options["state_file"] is not None:
        try:
            check_place(Path(options["state_file"]))
        except OSError as error:
            raise OptionError("state_file", f"{options['state_file']}: {reason_of(error)}.") from None
    days = tuple(sorted(options["certificate_days"], reverse=True))
    wanted = Wanted(frozenset(options["events"]), days, options["limit_percent"])
    state_file = None if options["state_file"] is None else Path(options["state_file"])
    return Settings(_panels(options), options["interval"], wanted, state_file)


def _panels(options: Mapping[str, Any]) -> list[WatchedPanel]:
    several = options["panels"]
    found: dict[str, WatchedPanel] = {}
    for index, panel in enumerate([{}] if several is None else several):
        place = "" if several is None else f"panels[{index}]."
        try:
            connection = connection_of(panel, options, {}, is_only_one=several is None or len(several) == 1)
            name = panel.get("name") or panel_host(connection, {})
            if name in found:
                raise OptionError("name", f"{name} is the name of another panel; give each one of its own.")
            found[name] = WatchedPanel(name, read_connection(connection))
        except OptionError as error:
            raise OptionError(f"{place}{error.option}", error.problem) from None
    return list(found.values())
