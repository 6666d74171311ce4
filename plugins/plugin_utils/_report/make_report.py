# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of panel_report: options, reading, one dictionary, and the files that say it. Private to the collection.

A report that says the same as the one of earlier that day is not written: the time in a file is that from which on it was so. On another day it
is written in any case, since it counts days until something ends. Metrics are written each time, since they tell when that was.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT, read_connection, without_empty
from ...module_utils._task.operation import WITHOUT_VALIDATION
from ...module_utils._task.validation import checkable, misread_values
from ...module_utils._values.sizes import ByteSize
from .._run.controller_files import ANY_NUMBER, OwnFiles, check_place, read_regular, reason_of, replace_file
from .._run.job import Job, JobFailed
from .._run.panel_action import empty_paths, plain
from .._run.panel_connections import CONNECTION, connection_of, panel_host
from .findings import FORMAT, NUMBERS, VERSION, instant, report
from .reading import Options, PanelToRead, gather, months_kept, months_over, months_until, read_kept
from .rendering import lines, metrics, page

_PANEL = {"name": {"type": "str"}, "disk_space": {"type": "str"}, "export_dir": {"type": "path"}, **CONNECTION}
ARGUMENT_SPEC: dict[str, Any] = {
    "panels": {"type": "list", "elements": "dict", "options": _PANEL},
    "hosts": {"type": "list", "elements": "str"},
    "file": {"type": "path", "required": True},
    "json_file": {"type": "path"},
    "metrics_file": {"type": "path"},
    "title": {"type": "str", "default": "Hosting report"},
    "export_dir": {"type": "path"},
    **{name: {"type": "int", "default": default} for name, (default, _least, _most) in NUMBERS.items()},
    "mail_dns": {"type": "bool", "default": True},
    "time": {"type": "str"},
    "fail_on_unread": {"type": "bool", "default": True},
    **CONNECTION,
}
# By variable of a host the option of a panel.
_OF_HOSTS = {
    **{f"panel_{name}": name for name in ENVIRONMENT},
    "panel_disk_space": "disk_space",
    "panel_dir": "export_dir",
}
_SIZE = ByteSize(unlimited=False)
# The files that a report may replace, and their modes: metrics name no customer, and a collector is a user of its own.
FILES = {
    name: (OwnFiles("file of a report", re.compile(begins)), mode)
    for name, begins, mode in (
        ("file", r'\s*<!DOCTYPE html>(?s:.*)<meta name="generator" content="hosting.panel">', 0o640),
        ("json_file", rf'\s*\{{\s*"format":\s*"{re.escape(FORMAT)}",\s*"version":\s*{VERSION}\b', 0o640),
        ("metrics_file", "# TYPE hosting_panel_report_timestamp_seconds ", 0o644),
    )
}
# The time of day in a page and in JSON, where the day is another word, and the time of metrics.
_TIME = re.compile(
    r'(?<=<time datetime="\d{4}-\d\d-\d\d)T[^<]*|(?<="generated_at": "\d{4}-\d\d-\d\d)T[^"]*|^hosting_panel_report_timestamp_seconds .*$',
    re.MULTILINE,
)


def make_report(job: Job) -> dict[str, Any]:
    """The result of the task. Raises MissingLibrary before anything is read, and JobFailed."""
    clock = datetime.datetime.now().astimezone()
    options = _checked(job, clock)
    months = months_until(options["now"], options["months"])
    # With a time that is yet to come, no month is over that is not over by now.
    over = months_over(months, min(options["now"], clock))
    before = {name: _text_of(options[name]) for name in FILES}
    try:
        kept = read_kept(json.loads(before["json_file"]), over)
    except ValueError:
        kept = {}
    readings = gather(
        options["read"], Options(months, options["concurrency"], job.vault, kept, options["mail_dns"]), job.say
    )
    found = report(readings, options["now"], options["title"], **{name: options[name] for name in NUMBERS})
    # All texts before the first file, so that a text that cannot be made leaves every file as it is.
    texts = {"file": page(found)}
    if options["json_file"]:
        data = {**found, "months_over": months_kept(readings, over)}
        texts["json_file"] = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    if options["metrics_file"]:
        texts["metrics_file"] = metrics(found)
    changed = [name for name, text in texts.items() if _TIME.sub("", before[name]) != _TIME.sub("", text)]
    if not job.check_mode:
        _write(options, {name: text for name, text in texts.items() if name in (*changed, "metrics_file")})
    written = [options[name] for name in changed]
    files = ", ".join(written) or "nothing, since the report says the same as earlier today"
    unread = {reading.name: reading.failure for reading in readings if reading.failure}
    result = {
        "changed": bool(changed),
        **{name: options[name] for name in FILES},
        "written": written,
        "summary": found["summary"],
        "lines": [*lines(found), f"{'would be written' if job.check_mode else 'written'}: {files}"],
        "requests": sum(reading.requests for reading in readings),
        "unread": list(unread),
    }
    if any(panel.connection.verify is False for panel in options["read"]):
        job.warn([WITHOUT_VALIDATION])
    if unread:
        message = (
            f"{len(unread)} of {len(readings)} panels could not be read. "
            + " ".join(f"{name}: {why}" for name, why in unread.items())
            + f" The report in {options['file']} {'would say' if job.check_mode else 'says'} so, and shows the others."
        )
        if options["fail_on_unread"]:
            raise JobFailed(message, **result)
        job.warn([message])
    return result


def _checked(job: Job, clock: datetime.datetime) -> dict[str, Any]:
    """The options, with ``now`` and the panels to ``read``. Raises JobFailed with all mistakes."""
    given = without_empty(job.arguments)
    mistakes: list[str] = []
    if given.get("panels") is None and isinstance(given.get("hosts"), list):
        hosts = {host: job.variables["hostvars"][host] for host in given["hosts"]}
        given.update(_panels_of_hosts(hosts, bool(given.get("api_key")), mistakes))
    if isinstance(given.get("panels"), list):
        given["panels"] = [without_empty(one) if isinstance(one, dict) else one for one in given["panels"]]
    validated = ArgumentSpecValidator(ARGUMENT_SPEC).validate(checkable(given, ARGUMENT_SPEC))
    mistakes += [f"{message}." for message in validated.error_messages]
    options: dict[str, Any] = dict(validated.validated_parameters)
    if not mistakes:
        wrong = (*misread_values(given, ARGUMENT_SPEC), *empty_paths(options, ARGUMENT_SPEC))
        mistakes += [error.message for error in wrong]
    if not mistakes:
        mistakes += _wrong_numbers(options)
        options["read"] = _panels(options, job.environment, mistakes)
        mistakes += _wrong_files(options)
        options["now"] = instant(options["time"], clock.tzinfo) if options["time"] else clock
        if options["now"] is None:
            mistakes.append(f"time: {options['time']!r} is no time such as 2026-11-20T06:00:00+01:00.")
    if mistakes:
        raise JobFailed(f"{' '.join(mistakes)} Nothing was read or written.", error={"type": "OptionError"})
    return options


def _panels_of_hosts(hosts: Mapping[str, Mapping[str, Any]], has_key: bool, mistakes: list[str]) -> dict[str, Any]:
    """The panels of a play, one for each host; none if no host has panel_api_url. has_key: whether the task has a key for hosts without one."""
    found = [
        {"name": host, **{option: own[name] for name, option in _OF_HOSTS.items() if own.get(name) not in (None, "")}}
        for host, own in hosts.items()
    ]
    without = [panel["name"] for panel in found if "api_url" not in panel]
    if len(without) == len(found):
        return {}
    if without:
        mistakes.append(f"panel_api_url: missing for {', '.join(without)}; other hosts of the play have it.")
    without = [panel["name"] for panel in found if "api_key" not in panel and panel["name"] != "localhost"]
    if without and not has_key:
        mistakes.append(
            f"panel_api_key: missing for {', '.join(without)}. PANEL_API_KEY is no key of a host of the inventory."
        )
    return {"panels": plain(found)}


def _wrong_numbers(options: Mapping[str, Any]) -> Iterable[str]:
    for name, (_default, least, most) in NUMBERS.items():
        if not least <= options[name] <= most:
            yield f"{name}: {options[name]} is not accepted; it must be a whole number from {least} to {most}."
    if options["urgent_days"] > options["soon_days"]:
        yield "urgent_days: is more than soon_days, so that nothing would ever be soon."


def _panels(options: Mapping[str, Any], environment: Mapping[str, str], mistakes: list[str]) -> list[PanelToRead]:
    several, directory = options["panels"], options["export_dir"]
    found: list[PanelToRead] = []
    if several == []:
        mistakes.append("panels: is empty; name a panel, or omit it for the one of PANEL_API_URL.")
    if directory and not Path(directory).is_dir():
        mistakes.append(f"export_dir: there is no directory {directory}.")
    for index, panel in enumerate([{}] if several is None else several):
        place = "" if several is None else f"panels[{index}]."
        is_only = several is None or len(several) == 1
        try:
            connection = connection_of(panel, options, environment, is_only)
            checked = read_connection(connection)
            size = _SIZE.parse(panel["disk_space"]) if panel.get("disk_space") else None
        except OptionError as error:
            mistakes.append(f"{place}{error.message}")
            continue
        except ValueError:
            mistakes.append(f"{place}disk_space: {panel['disk_space']!r} is not accepted; it must be {_SIZE.form}.")
            continue
        host = panel_host(connection, {})
        name = panel.get("name") or host
        for other in found:
            if other.name == name:
                mistakes.append(f"{place}name: {name} is the name of another panel; give each one its own.")
            elif other.connection.base_url == checked.base_url:
                mistakes.append(f"{place}api_url: is that of {other.name}, too.")
        own = os.path.join(directory or "", quote(name, safe=""))
        # One panel may have the whole directory.
        in_directory = own if directory and os.path.isdir(own) else directory if is_only else None
        export = panel.get("export_dir") or in_directory
        found.append(PanelToRead(name, host, checked, size, Path(export) if export else None))
    return found


def _wrong_files(options: Mapping[str, Any]) -> Iterable[str]:
    places: dict[str, str] = {}
    for name, (own, _mode) in FILES.items():
        if not options[name]:
            continue
        try:
            check_place(Path(options[name]), missing=ANY_NUMBER, own=own)
        except OSError as error:
            yield f"{name}: {options[name]}: {reason_of(error)}."
        other = places.setdefault(os.path.realpath(options[name]), name)
        if other != name:
            yield f"{name}: is the same as {other}."


def _text_of(path: str | None) -> str:
    """The text of a file; empty if it does not exist."""
    try:
        return read_regular(path).decode("utf-8", "replace") if path else ""
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise JobFailed(f"{path}: {reason_of(error)}. Nothing was written.") from None


def _write(options: Mapping[str, Any], texts: Mapping[str, str]) -> None:
    """Replaces each file as a whole, and makes its directory."""
    done: list[str] = []
    for name, text in texts.items():
        path = Path(options[name])
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text.encode(), FILES[name][1])
        except OSError as error:
            before = f"{', '.join(done) or 'Nothing'} was written."
            raise JobFailed(f"{path}: {reason_of(error)}. {before} Free the place and run again.") from None
        done.append(str(path))
