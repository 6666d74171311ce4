# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of panel_report, checked, with all mistakes at once. Private to the collection."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._bulk.managing import MOST_AT_ONCE
from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT, read_connection
from ...module_utils._task.validation import checkable, misread_values
from ...module_utils._values.sizes import ByteSize
from .._jobs.role_variables import missing_variables
from .._mail_dns.resolver import Resolver, WrongResolver
from .._run.controller_files import ANY_NUMBER, check_place, reason_of
from .._run.own_files import OwnFiles
from .._run.panel_connections import CONNECTION, connection_of
from .._run.panel_name import panel_host
from .._run.task_arguments import empty_paths
from .panel_answers import instant
from .read_panels import PanelToRead
from .report_data import DATA, Thresholds
from .report_metrics import METRICS
from .report_page import PAGES

ARGUMENT_SPEC: dict[str, Any] = {
    "panels": {
        "type": "list",
        "elements": "dict",
        "options": {
            "name": {"type": "str"},
            "disk_space": {"type": "str"},
            "export_dir": {"type": "path"},
            **CONNECTION,
        },
    },
    "hosts": {"type": "list", "elements": "str"},
    "file": {"type": "path", "required": True},
    "json_file": {"type": "path"},
    "metrics_file": {"type": "path"},
    "title": {"type": "str", "default": "Hosting report"},
    "export_dir": {"type": "path"},
    "near_percent": {"type": "int", "default": 90},
    "soon_days": {"type": "int", "default": 30},
    "urgent_days": {"type": "int", "default": 7},
    "months": {"type": "int", "default": 6},
    "top": {"type": "int", "default": 10},
    "concurrency": {"type": "int", "default": 4},
    "mail_dns": {"type": "bool", "default": True},
    "resolver": {"type": "str"},
    "mode": {"type": "str", "default": "0640"},
    "time": {"type": "str"},
    "fail_on_unread": {"type": "bool", "default": True},
    **CONNECTION,
}
_RANGES = {
    "near_percent": (1, 100),
    "soon_days": (0, 3650),
    "urgent_days": (0, 3650),
    "months": (0, 24),
    "top": (1, 1000),
}
_SIZE = ByteSize(unlimited=False)
_FILES = {"file": PAGES, "json_file": DATA, "metrics_file": METRICS}


# By variable of a host, which the playbooks export and apply have, too, the option of a panel.
_OF_HOSTS = {
    **{f"panel_{name}": name for name in ENVIRONMENT},
    "panel_disk_space": "disk_space",
    "panel_dir": "export_dir",
}


class WrongOptions(Exception):
    """The text names every mistake; nothing was read or written."""


@dataclass(frozen=True)
class Options:
    """What a report is made of, and where it goes. now: the time that it is made for, in the zone of its days."""

    panels: Sequence[PanelToRead]
    file: Path
    json_file: Path | None
    metrics_file: Path | None
    title: str
    thresholds: Thresholds
    concurrency: int
    mail_dns: bool
    resolver: Resolver | None
    mode: int
    now: datetime.datetime
    fail_on_unread: bool


def panels_of_hosts(
    hosts: Sequence[str], variables: Mapping[str, Mapping[str, Any]], has_key: bool = False
) -> list[dict[str, Any]] | None:
    """The panels of a play, one for each host; None where no host has the variable panel_api_url. Raises WrongOptions where some have.

    variables: of all hosts, by name. has_key: whether the task has a key for those without one of their own.
    """
    found = [
        {"name": host}
        | {option: variables[host][name] for name, option in _OF_HOSTS.items() if variables[host].get(name) is not None}
        for host in hosts
    ]
    without = [panel["name"] for panel in found if "api_url" not in panel]
    if len(without) == len(found):
        return None
    if without:
        raise WrongOptions(f"panel_api_url: missing for {', '.join(without)}; other hosts of the play have it.")
    keys = {host: [name for name in ("panel_api_key",) if variables[host].get(name)] for host in hosts}
    missing = [] if has_key else missing_variables(keys, ["panel_api_key"])
    if missing:
        raise WrongOptions(" ".join(missing))
    return found


def read_options(given: Mapping[str, Any], environment: Mapping[str, str], clock: datetime.datetime) -> Options:
    """The checked options; raises WrongOptions. environment: what the task adds to the run's own. clock: the time now, with its zone."""
    validated = ArgumentSpecValidator(ARGUMENT_SPEC).validate(checkable(given, ARGUMENT_SPEC))
    if validated.error_messages:
        raise WrongOptions(" ".join(f"{message}." for message in validated.error_messages))
    options = validated.validated_parameters
    mistakes = [error.message for error in misread_values(given, ARGUMENT_SPEC)]
    mistakes += empty_paths(options, ARGUMENT_SPEC)
    if mistakes:
        raise WrongOptions(" ".join(mistakes))
    mistakes += [
        f"{name}: {options[name]} is not accepted; it must be a whole number from {least} to {most}."
        for name, (least, most) in {**_RANGES, "concurrency": (1, MOST_AT_ONCE)}.items()
        if not least <= options[name] <= most
    ]
    if options["urgent_days"] > options["soon_days"]:
        mistakes.append("urgent_days: is more than soon_days, so that nothing would ever be soon.")
    panels = _panels(options, environment, mistakes)
    files = _files(options, mistakes)
    mode = _mode(options["mode"], mistakes)
    resolver = _resolver(options["resolver"], mistakes)
    now = clock if not options["time"] else instant(options["time"], clock.tzinfo)
    if now is None:
        mistakes.append(f"time: {options['time']!r} is no time such as 2026-11-20T06:00:00+01:00.")
    if mistakes or now is None:
        raise WrongOptions(" ".join(mistakes))
    return Options(
        panels=panels,
        file=files["file"],
        json_file=files.get("json_file"),
        metrics_file=files.get("metrics_file"),
        title=options["title"],
        thresholds=Thresholds(**{name: options[name] for name in _RANGES}),
        concurrency=options["concurrency"],
        mail_dns=options["mail_dns"],
        resolver=resolver,
        mode=mode,
        now=now,
        fail_on_unread=options["fail_on_unread"],
    )


def _panels(options: Mapping[str, Any], environment: Mapping[str, str], mistakes: list[str]) -> list[PanelToRead]:
    several = options["panels"]
    found: list[PanelToRead] = []
    if several == []:
        mistakes.append("panels: is empty; name a panel, or omit it for the one of PANEL_API_URL.")
    if options["export_dir"] and not Path(options["export_dir"]).is_dir():
        mistakes.append(f"export_dir: there is no folder {options['export_dir']}.")
    for index, panel in enumerate([{}] if several is None else several):
        place = "" if several is None else f"panels[{index}]."
        try:
            connection = connection_of(panel, options, environment, several is None or len(several) == 1)
            checked = read_connection(connection)
            name = panel.get("name") or panel_host(connection, {})
            size = _SIZE.parse(panel["disk_space"]) if panel.get("disk_space") else None
        except OptionError as error:
            mistakes.append(f"{place}{error.message}")
            continue
        except ValueError:
            mistakes.append(f"{place}disk_space: {panel['disk_space']!r} is not accepted; it must be {_SIZE.form}.")
            continue
        for other in found:
            if other.name == name:
                mistakes.append(f"{place}name: {name} is the name of another panel; give each one of its own.")
            elif other.connection.base_url == checked.base_url:
                mistakes.append(f"{place}api_url: is that of {other.name}, too.")
        folder = _export(panel, options["export_dir"], name, several is None or len(several) == 1)
        found.append(PanelToRead(name, panel_host(connection, {}), checked, size, folder))
    return found


def _export(panel: Mapping[str, Any], directory: str | None, name: str, is_only_one: bool) -> Path | None:
    """The folder of a panel's export; None where there is none. One panel may have the whole of export_dir."""
    if panel.get("export_dir"):
        return Path(panel["export_dir"])
    if not directory:
        return None
    own = Path(directory, quote(name, safe=""))
    if own.is_dir():
        return own
    return Path(directory) if is_only_one else None


def _files(options: Mapping[str, Any], mistakes: list[str]) -> dict[str, Path]:
    found = {name: Path(options[name]) for name in _FILES if options[name]}
    places: dict[str, str] = {}
    for name, path in found.items():
        mistakes += _mistakes_in_place(name, path, _FILES[name])
        other = places.setdefault(os.path.realpath(path), name)
        if other != name:
            mistakes.append(f"{name}: is the same as {other}.")
    return found


def _mistakes_in_place(name: str, path: Path, own: OwnFiles) -> list[str]:
    try:
        check_place(path, missing=ANY_NUMBER, own=own)
    except OSError as error:
        return [f"{name}: {path}: {reason_of(error)}."]
    return []


def _resolver(server: str | None, mistakes: list[str]) -> Resolver | None:
    if not server:
        return None
    try:
        return Resolver(server)
    except WrongResolver as error:
        mistakes.append(f"resolver: {error}")
    return None


def _mode(text: str, mistakes: list[str]) -> int:
    try:
        mode = int(text, 8)
    except ValueError:
        mode = -1
    if not 0 <= mode <= 0o777:
        mistakes.append(f"mode: {text!r} is not accepted; it must be an octal number in quotes such as '0640'.")
    return mode
