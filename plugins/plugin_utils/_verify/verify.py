# SPDX-License-Identifier: GPL-3.0-or-later
"""First contact with one panel: read, tried if that is wanted, judged and written down. Private to the collection."""

from __future__ import annotations

import contextlib
import re
import secrets
import signal
import string
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...module_utils._endpoints import check_pong
from ...module_utils._errors import OptionError, PanelError, RequestError
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, read_connection
from ...module_utils._task.operation import WITHOUT_VALIDATION
from ...module_utils._values.value_types import check_seconds
from .._run.controller_files import check_place, explained, replace_file
from .._run.job import Job, JobFailed
from .._run.panel_connections import connection_of
from . import findings
from .findings import BY_NAME, number, version_in
from .trials import CLIENTS, PLANS, Made, Panel, take

_GIVEN = re.compile(r"[a-z][a-z0-9-]{3,22}[a-z0-9]")
# No panel has so many objects.
_UNKNOWN_ID = 2147483646
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def verify(job: Job) -> dict[str, Any]:
    """The result of the task; raises OptionError before anything is sent, and JobFailed."""
    options = job.arguments
    connection = _checked(options, job)
    if connection.verify is False:
        job.warn([WITHOUT_VALIDATION])
    points, writes = findings.read_points(), options["writes"] and not job.check_mode
    panel = Panel(connection, options["wait_timeout"])
    with contextlib.closing(panel.client):
        failure = _look(panel, writes, job)
    if options["wrong_key"]:
        other = Panel(replace(connection, api_key=f"verify.{secrets.token_hex(16)}"), 0)
        with contextlib.closing(other.client), contextlib.suppress(RequestError):
            panel.seen["wrong_key"] = other.ask("GET", "/ping").form
    compared = findings.described(connection)
    if compared is not None:
        panel.seen |= {f"described_{what}": compared[what]["gone"] for what in ("paths", "fields")}
    done = {"read"} | ({"write"} if writes else set()) | ({"asked"} if options["wrong_key"] else set())
    seen = {**findings.observed(panel.shown, panel.own, points), **panel.seen}
    found = findings.checks(points, seen, done)
    left = [{"kind": BY_NAME[made.kind].title, "name": made.name} for made in panel.made]
    names, version = [f"{one['kind']} {one['name']}" for one in left], panel.seen["version"]
    profile, requests = findings.profile_of(points, found), panel.requests + 1 + options["wrong_key"]
    page = findings.page(checks=found, version=version, described=compared, names=names)
    text = findings.profile_text(profile, version)
    written = [] if failure else _written(job, {"report_file": page, "profile_file": text})
    said = findings.lines(found, version, requests)
    result = {
        "changed": bool(written or left),
        "checks": found,
        "profile": profile,
        "described": compared,
        "version": version,
        "left": left,
        "requests": requests,
        "written": written,
        "lines": [*said, *([f"Files: {', '.join(written)}"] if written else [])],
    }
    if failure or left:
        words = f"These could not be removed: {', '.join(names)}. Delete them on the panel."
        words = words if left else "Everything that it made is removed."
        raise JobFailed(f"{failure or 'The panel was verified.'} {words}", **result)
    return result


def _checked(options: Mapping[str, Any], job: Job) -> Connection:
    client = options.get("client") or ""
    if client and not _GIVEN.fullmatch(client):
        problem = f"{client!r} is invalid. Use 5 to 24 lower case letters, digits and hyphens; start with a letter."
        raise OptionError("client", problem)
    check_seconds("wait_timeout", options["wait_timeout"], 0, 120)
    for name in (name for name in ("report_file", "profile_file") if options[name]):
        path = Path(options[name]).expanduser()
        with explained(f"{name}: {path} cannot be written", JobFailed, "Nothing was read or written."):
            check_place(path)
    return read_connection(connection_of(job.given, dict.fromkeys(ENVIRONMENT), job.environment, is_only_one=True))


def _look(panel: Panel, writes: bool, job: Job) -> str:
    """Why it ended early, empty if it did not. Errors of the first request are those of any task."""
    check_pong(panel.client)
    panel.requests += 1
    meta = panel.ask("GET", "/server").object.get("meta")
    panel.seen["version"] = version_in(meta.get("panel_version")) if isinstance(meta, Mapping) else ""
    panel.seen["unknown_id"] = panel.ask("GET", f"/clients/{_UNKNOWN_ID}").form
    letters = secrets.SystemRandom().choices(string.ascii_lowercase, k=6)
    name = job.arguments.get("client") or f"hpverify{''.join(letters)}"
    for kind in (PLANS, CLIENTS):
        items = panel.listed(kind) or []
        for item in items[:1]:
            its_id = number(item.get("id"))
            panel.shown[kind] = (panel.ask("GET", Made(kind, "", its_id).path).object if its_id else {}, item)
        if writes and any(one.get(BY_NAME[kind].name_member) == name for one in items):
            words = f"client: the panel has a {BY_NAME[kind].title} {name}. Nothing was written."
            raise JobFailed(f"{words} Choose another name, or delete it.")
    if not writes:
        return ""
    panel.name = name
    job.say(f"the test client is {name}; it is removed at the end")
    return _try(panel)


def _try(panel: Panel) -> str:
    """Why it ended early. Whatever happens, what was made is removed, and further signals wait for that."""
    failure = ""
    before = {one: signal.signal(one, signal.default_int_handler) for one in _SIGNALS}
    try:
        take(panel)
    except KeyboardInterrupt:
        failure = "The verify was interrupted."
    except PanelError as error:
        failure = error.message
    finally:
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        answer = panel.remove_all()
        for one, handler in before.items():
            signal.signal(one, handler)
    if answer is not None and not failure:
        panel.seen["client_deletion"] = answer.says("cascade", "refused")
    return failure


def _written(job: Job, texts: Mapping[str, str]) -> list[str]:
    """The files that got, or would get, another text. What writes would show is unknown in check mode."""
    changed = []
    for name in (name for name in texts if job.arguments.get(name)):
        path, text = Path(job.arguments[name]).expanduser(), texts[name].encode()
        with explained(f"{path}: the panel was verified, but this file cannot be written", JobFailed):
            is_unknown = job.check_mode and job.arguments["writes"]
            if is_unknown or not path.is_file() or path.read_bytes() != text:
                if not job.check_mode:
                    replace_file(path, text, 0o644)
                changed.append(str(path))
    return changed
