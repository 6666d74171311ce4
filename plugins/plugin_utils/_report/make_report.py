# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of panel_report: options, reading, one dictionary, and the files that say it. Private to the collection.

A report that says the same as the one of earlier that day is not written: the time in a file is that from which on it was so. On another day it
is written in any case, since it counts days until something ends. Metrics are written each time, since they tell when that was.
"""

from __future__ import annotations

import datetime
import functools
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._bulk.managing import MOST_AT_ONCE
from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT, read_connection
from ...module_utils._task.operation import WITHOUT_VALIDATION
from ...module_utils._task.validation import checkable, misread_values
from ...module_utils._values.sizes import ByteSize
from .._run.controller_files import ANY_NUMBER, OwnFiles, check_place, read_regular, reason_of, replace_file
from .._run.job import Job, JobFailed
from .._run.panel_action import empty_paths, plain
from .._run.panel_connections import CONNECTION, connection_of, panel_host
from .findings import certificates, duplicates, faults, instant, lets_encrypt, mail_dns
from .metrics import metrics
from .page import lines, page
from .reading import PanelReading, PanelToRead, Wish, gather, kept_after, months_over, months_until, read_kept
from .usage import BAD, FINE, LEVELS, NEAR, Row, clients, mailboxes, server, traffic

FORMAT, VERSION = "hosting.panel.report", 1
# Options that are whole numbers: default, least, most.
_NUMBERS = {
    "near_percent": (90, 1, 100),
    "soon_days": (30, 0, 3650),
    "urgent_days": (7, 0, 3650),
    "months": (6, 0, 24),
    "top": (10, 1, 1000),
    "concurrency": (4, 1, MOST_AT_ONCE),
}
_PANEL = {"name": {"type": "str"}, "disk_space": {"type": "str"}, "export_dir": {"type": "path"}, **CONNECTION}
ARGUMENT_SPEC: dict[str, Any] = {
    "panels": {"type": "list", "elements": "dict", "options": _PANEL},
    "hosts": {"type": "list", "elements": "str"},
    "file": {"type": "path", "required": True},
    "json_file": {"type": "path"},
    "metrics_file": {"type": "path"},
    "title": {"type": "str", "default": "Hosting report"},
    "export_dir": {"type": "path"},
    **{name: {"type": "int", "default": default} for name, (default, _least, _most) in _NUMBERS.items()},
    "mail_dns": {"type": "bool", "default": True},
    "time": {"type": "str"},
    "fail_on_unread": {"type": "bool", "default": True},
    **CONNECTION,
}
NOT_COMPARED: Row = {"is_compared": False, "failure": "", "changes": []}
# By variable of a host the option of a panel.
_OF_HOSTS = {
    **{f"panel_{name}": name for name in ENVIRONMENT},
    "panel_disk_space": "disk_space",
    "panel_dir": "export_dir",
}
_SIZE = ByteSize(unlimited=False)
# The files that a report may replace, and their modes: metrics name no customer, and a collector is a user of its own.
_PAGE = re.compile(r'\s*<!DOCTYPE html>.*<meta name="generator" content="hosting.panel">', re.DOTALL)
_DATA = re.compile(rf'\s*\{{\s*"format":\s*"{re.escape(FORMAT)}",\s*"version":\s*{VERSION}\b')
_METRICS = re.compile("# TYPE hosting_panel_report_timestamp_seconds ")
FILES = {
    "file": (OwnFiles("page of a report", _PAGE), 0o640),
    "json_file": (OwnFiles(f"report of version {VERSION}", _DATA), 0o640),
    "metrics_file": (OwnFiles("file of a report's metrics", _METRICS), 0o644),
}
_WRITTEN_AT = re.compile(r'(?:"generated_at": ?"|<meta name="generated-at" content=")([0-9T:+.-]+)"')
_READ_AT = re.compile(r"^hosting_panel_report_timestamp_seconds .*$", re.MULTILINE)


def make_report(job: Job) -> dict[str, Any]:
    """The result of the task. Raises MissingLibrary before anything is read, and JobFailed."""
    clock = datetime.datetime.now().astimezone()
    options = _checked(job, clock)
    months = months_until(options["now"], options["months"])
    # With a time that is yet to come, no month is over that is not over by now.
    over = months_over(months, min(options["now"], clock))
    try:
        kept = read_kept(json.loads(_text_of(options["json_file"]) or "null"), over)
    except ValueError:
        kept = {}
    wish = Wish(months, options["concurrency"], job.vault, kept, options["mail_dns"])
    readings = gather(options["read"], wish, job.say)
    result = _written(options, readings, kept_after(kept, readings, over), job.check_mode)
    if any(panel.connection.verify is False for panel in options["read"]):
        job.warn([WITHOUT_VALIDATION])
    unread = {reading.name: reading.failure for reading in readings if reading.failure}
    result["unread"] = list(unread)
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


def report(readings: Sequence[PanelReading], now: datetime.datetime, title: str = "Report", **numbers: int) -> Row:
    """All that the page, the JSON file and the metrics say. ``now`` has the time zone of the days. numbers: the options of that name."""
    wanted = {**{name: default for name, (default, _least, _most) in _NUMBERS.items()}, **numbers}
    near, soon, urgent = wanted["near_percent"], wanted["soon_days"], wanted["urgent_days"]
    read = [reading for reading in readings if not reading.failure]

    def rows(area: Callable[..., list[Row]], *options: Any, order: Callable[[Row], Any]) -> list[Row]:
        """Of all panels."""
        return sorted((one for reading in read for one in area(reading, *options)), key=order)

    found: Row = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "generated_at": now.isoformat(timespec="seconds"),
        "thresholds": {name: wanted[name] for name in ("near_percent", "soon_days", "urgent_days", "top")},
        "servers": [server(reading, near) for reading in readings],
        "clients": rows(clients, near, order=_worst_first),
        "mailboxes": rows(mailboxes, near, order=lambda one: (-one["percent"], one["email"], one["server"])),
        "traffic": traffic(read, months_until(now, wanted["months"]), wanted["top"]),
        "certificates": rows(certificates, now, soon, urgent, order=_first_to_end),
        "lets_encrypt_domains": sum(lets_encrypt(reading) for reading in read),
        "mail_dns": rows(mail_dns, order=lambda one: (LEVELS.index(one["level"]), one["domain"], one["server"])),
        "errors": [fault for reading in read for fault in faults(reading)],
        "duplicates": duplicates(read),
        "drift": [{"server": one.name, **(one.drift or NOT_COMPARED)} for one in readings],
    }
    found["summary"] = _summary(found)
    return found


def _worst_first(client: Row) -> tuple[Any, ...]:
    """Those without numbers last."""
    percent = client["worst"]["percent"] if client["worst"] else -1.0
    return LEVELS.index(client["level"]), -percent, client["client"], client["server"]


def _first_to_end(one: Row) -> tuple[Any, ...]:
    """Those in use first; without a date last."""
    return not one["used_by"], one["days"] is None, one["days"] or 0, one["name"], one["server"]


def _summary(found: Row) -> Row:
    """By area: what is bad, what comes near, how much there is in all, and what that makes the area."""
    servers, drift = found["servers"], found["drift"]
    levels = {
        area: [one["level"] for one in found[area]] for area in ("clients", "mailboxes", "certificates", "mail_dns")
    }
    counts = {area: (rows.count(BAD), rows.count(NEAR), len(rows)) for area, rows in levels.items()}
    disks = [one["disk_space"]["level"] for one in servers]
    failed = sum(1 for one in servers if one["failure"])
    partly = sum(1 for one in servers if not one["failure"] and (one["reboot_required"] or one["problems"]))
    areas = {
        "servers": (failed + disks.count(BAD), partly + disks.count(NEAR), len(servers)),
        "limits": counts["clients"],
        "mailboxes": (*counts["mailboxes"][:2], sum(one["counts"]["emails"] for one in servers)),
        "certificates": counts["certificates"],
        "mail_dns": counts["mail_dns"],
        "errors": (len(found["errors"]), 0, len(found["errors"])),
        "duplicates": (0, len(found["duplicates"]), len(found["duplicates"])),
        "drift": (
            sum(1 for one in drift if one["failure"]),
            sum(len(one["changes"]) for one in drift),
            sum(1 for one in drift if one["is_compared"]),
        ),
    }
    return {
        area: {"bad": bad, "near": near, "total": total, "level": BAD if bad else NEAR if near else FINE}
        for area, (bad, near, total) in areas.items()
    }


def _checked(job: Job, clock: datetime.datetime) -> dict[str, Any]:
    """The options, with ``now`` and the panels to ``read``. Raises JobFailed with all mistakes."""
    given = _given(job.arguments)
    mistakes: list[str] = []
    if "panels" not in given and isinstance(given.get("hosts"), list):
        hosts = {host: job.variables["hostvars"][host] for host in given["hosts"]}
        given.update(_panels_of_hosts(hosts, bool(given.get("api_key")), mistakes))
    if isinstance(given.get("panels"), list):
        given["panels"] = [_given(one) if isinstance(one, dict) else one for one in given["panels"]]
    validated = ArgumentSpecValidator(ARGUMENT_SPEC).validate(checkable(given, ARGUMENT_SPEC))
    mistakes += [f"{message}." for message in validated.error_messages]
    options: dict[str, Any] = dict(validated.validated_parameters)
    if not mistakes:
        mistakes += [error.message for error in misread_values(given, ARGUMENT_SPEC)]
        mistakes += empty_paths(options, ARGUMENT_SPEC)
    if not mistakes:
        mistakes += _wrong_numbers(options)
        options["read"] = _panels(options, job.environment, mistakes)
        mistakes += _wrong_files(options)
        options["now"] = instant(options["time"], clock.tzinfo) if options["time"] else clock
        if options["now"] is None:
            mistakes.append(f"time: {options['time']!r} is no time such as 2026-11-20T06:00:00+01:00.")
    if mistakes:
        raise JobFailed(f"{' '.join(mistakes)} Nothing was read or written.")
    return options


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """An empty text in an option of the connection counts as not given."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and not (name in ENVIRONMENT and value == "")
    }


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
    for name, (_default, least, most) in _NUMBERS.items():
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
        mistakes.append(f"export_dir: there is no folder {directory}.")
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
                mistakes.append(f"{place}name: {name} is the name of another panel; give each one of its own.")
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


def _written(options: Mapping[str, Any], readings: Sequence[PanelReading], kept: list[Row], check_mode: bool) -> Row:
    """Writes what has changed; the result of the task."""

    @functools.cache
    def found(now: datetime.datetime) -> Row:
        return report(readings, now, options["title"], **{name: options[name] for name in _NUMBERS})

    def as_json(now: datetime.datetime) -> str:
        return json.dumps({**found(now), "months_over": kept}, indent=1, ensure_ascii=False) + "\n"

    now = options["now"]
    writing: dict[str, str] = {}
    # All texts before the first file, so that a text that cannot be made leaves every file as it is.
    for name, make in (("file", lambda then: page(found(then))), ("json_file", as_json)):
        if options[name] and not _says_the_same(options[name], now, make):
            writing[name] = make(now)
    changed = list(writing)
    if options["metrics_file"]:
        writing["metrics_file"] = metrics(found(now))
        if _READ_AT.sub("", _text_of(options["metrics_file"])) != _READ_AT.sub("", writing["metrics_file"]):
            changed.append("metrics_file")
    if not check_mode:
        _write(options, writing)
    written = [options[name] for name in changed]
    files = ", ".join(written) or "nothing, since the report says the same as earlier today"
    return {
        "changed": bool(changed),
        **{name: options[name] for name in FILES},
        "written": written,
        "summary": found(now)["summary"],
        "lines": [*lines(found(now)), f"{'would be written' if check_mode else 'written'}: {files}"],
        "requests": sum(reading.requests for reading in readings),
    }


def _says_the_same(path: str, now: datetime.datetime, make: Callable[[datetime.datetime], str]) -> bool:
    """Whether the file is the report of earlier that day, and would be the same if it were made now."""
    old = _text_of(path)
    match = _WRITTEN_AT.search(old)
    then = instant(match[1], now.tzinfo) if match else None
    then = then and then.astimezone(now.tzinfo)
    return then is not None and then.date() == now.date() and make(then) == old


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
