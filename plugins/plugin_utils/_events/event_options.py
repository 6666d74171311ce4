# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the event source, checked, with all mistakes at once. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import Connection, read_connection
from ...module_utils._task.validation import checkable, misread_values
from .._run.controller_files import check_place, reason_of
from .._run.near_names import no_such_option
from .._run.panel_connections import CONNECTION, connection_of
from .._run.panel_name import panel_host
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
LEAST_INTERVAL = 10
_RANGES = {"interval": (LEAST_INTERVAL, 86400), "limit_percent": (1, 100)}
_DAYS = (0, 3650)


class WrongOptions(Exception):
    """The text names every mistake; nothing was sent."""


@dataclass(frozen=True)
class WatchedPanel:
    """A panel: what events call it, and how to reach it."""

    name: str
    connection: Connection


@dataclass(frozen=True)
class Settings:
    """What is watched. interval: seconds between two readings of a panel. state_file: where is kept what is known; None forgets it at the end."""

    panels: Sequence[WatchedPanel]
    interval: int
    wanted: Wanted
    state_file: Path | None


def read_options(given: Mapping[str, Any]) -> Settings:
    """The checked options; raises WrongOptions."""
    known, unknown = _known(given, ARGUMENT_SPEC)
    if isinstance(given.get("panels"), list):
        known["panels"] = []
        for index, panel in enumerate(given["panels"]):
            its_own, more = _known(panel, ARGUMENT_SPEC["panels"]["options"], f"panels[{index}].")
            known["panels"].append(its_own)
            unknown += more
    validated = ArgumentSpecValidator(ARGUMENT_SPEC).validate(checkable(known, ARGUMENT_SPEC))
    if unknown or validated.error_messages:
        raise WrongOptions(" ".join([*unknown, *(f"{message.rstrip('.')}." for message in validated.error_messages)]))
    options = validated.validated_parameters
    mistakes = [error.message for error in misread_values(given, ARGUMENT_SPEC)]
    mistakes += [
        f"{name}: {options[name]} is not accepted; it must be a whole number from {least} to {most}."
        for name, (least, most) in _RANGES.items()
        if not least <= options[name] <= most
    ]
    mistakes += [
        f"certificate_days: {days} is not accepted; each must be a whole number from {_DAYS[0]} to {_DAYS[1]}."
        for days in options["certificate_days"]
        if not _DAYS[0] <= days <= _DAYS[1]
    ]
    if not options["events"]:
        mistakes.append(f"events: is empty; omit it for all, or name some of {', '.join(TYPES)}.")
    panels = _panels(options, mistakes)
    state_file = _state_file(options["state_file"], mistakes)
    if mistakes:
        raise WrongOptions(" ".join(mistakes))
    days = tuple(sorted(set(options["certificate_days"]), reverse=True))
    wanted = Wanted(frozenset(options["events"]), days, options["limit_percent"])
    return Settings(panels, options["interval"], wanted, state_file)


def _known(given: Any, spec: Mapping[str, Any], place: str = "") -> tuple[Any, list[str]]:
    """What is given of the options that there are, and what to say of the others."""
    if not isinstance(given, Mapping):
        return given, []
    mistakes = [f"{place}{name}: {no_such_option(str(name), spec)}" for name in given if name not in spec]
    return {name: value for name, value in given.items() if name in spec}, mistakes


def _panels(options: Mapping[str, Any], mistakes: list[str]) -> list[WatchedPanel]:
    several = options["panels"]
    found: list[WatchedPanel] = []
    if several == []:
        mistakes.append("panels: is empty; name a panel, or omit it for the one of api_url.")
    is_only_one = several is None or len(several) == 1
    for index, panel in enumerate([{}] if several is None else several):
        place = "" if several is None else f"panels[{index}]."
        try:
            connection = connection_of(panel, options, {}, is_only_one)
            checked = read_connection(connection)
        except OptionError as error:
            mistakes.append(f"{place}{error.message}")
            continue
        name = panel.get("name") or panel_host(connection, {})
        if name in {other.name for other in found}:
            mistakes.append(f"{place}name: {name} is the name of another panel; give each one of its own.")
        found.append(WatchedPanel(name, checked))
    return found


def _state_file(text: str | None, mistakes: list[str]) -> Path | None:
    if text is None:
        return None
    if not text.strip():
        mistakes.append("state_file: is empty; name a file, or omit it to begin anew with each start.")
        return None
    try:
        check_place(Path(text))
    except OSError as error:
        mistakes.append(f"state_file: {text}: {reason_of(error)}.")
    return Path(text)
