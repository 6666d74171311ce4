# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""First contact with one panel: read, tried where that is wanted, judged and written down. Private to the collection."""

from __future__ import annotations

import contextlib
import datetime
import re
import secrets
import string
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...module_utils._endpoints.ping import check_pong
from ...module_utils._errors import Denied, OptionError, PanelError, RequestError
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, connection_argument_spec, read_connection
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._task.locks import exclusive
from ...module_utils._task.operation import WITHOUT_VALIDATION
from ...module_utils._values.value_types import check_seconds
from .._run.controller_files import OwnFiles, check_place, explained, replace_file
from .._run.job import Job, JobFailed
from .._run.panel_connections import connection_of
from .described import described
from .fields import BY_NAME, Shown, number, observed
from .panel import CLIENTS, PLANS, Answer, Interrupted, Made, Panel, Run, interruptible, said
from .points import Point, checks, lines, other_names, page, profile_of, profile_text, read_points
from .trials import PLAN_LIMITS, take

ARGUMENT_SPEC: dict[str, Any] = {
    "writes": {"type": "bool", "default": False},
    "client": {"type": "str"},
    "wrong_key": {"type": "bool", "default": False},
    "wait_timeout": {"type": "int", "default": 20},
    "profile_file": {"type": "path"},
    "report_file": {"type": "path"},
    **connection_argument_spec(),
}
OWN = {
    "report_file": OwnFiles("page of a verify", re.compile("# What this panel does\n")),
    "profile_file": OwnFiles("profile of a verify", re.compile("# How a panel .*written by hosting.panel.verify\n")),
}
_MADE_UP = re.compile("hpverify[a-z]{6}")
_GIVEN = re.compile(r"[a-z][a-z0-9-]{3,22}[a-z0-9]")
_MARK = "hosting.panel.verify {}: a test client, which may be deleted."
# No panel has so many objects.
_UNKNOWN_ID = 2147483646
_LONGEST_WAIT = 120
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,3}")


def verify(job: Job) -> dict[str, Any]:
    """The result of the task; raises OptionError before anything is sent, and JobFailed."""
    options = job.arguments
    connection = _checked(options, job)
    if connection.verify is False:
        job.warn([WITHOUT_VALIDATION])
    points, writes = read_points(), options["writes"] and not job.check_mode
    with contextlib.closing(PanelClient(connection)) as client:
        panel = Panel(client, options["wait_timeout"])
        seen, failure, version = _look(panel, connection, points, options, writes, job)
    compared = described(connection)
    if compared is not None:
        seen.update(described_paths=compared["paths"]["gone"], described_fields=compared["fields"]["gone"])
    done = {"read", *(["write"] if writes else []), *(["asked"] if options["wrong_key"] else [])}
    found = checks(points, seen, frozenset(done))
    left = [f"{one['kind']} {one['name']}" for one in panel.left]
    profile, requests = profile_of(points, found), panel.requests + 1
    texts = {"report_file": page(found, version, compared, left), "profile_file": profile_text(profile, version)}
    # In check mode nobody knows what writes would show.
    changed = (
        [] if failure else _written(job, {options[name]: text for name, text in texts.items() if options.get(name)})
    )
    end = [f"Files: {', '.join(changed)}"] if changed else []
    result = {
        "changed": bool(changed or left),
        "checks": found,
        "profile": profile,
        "described": compared,
        "version": version,
        "left": panel.left,
        "requests": requests,
        "written": changed,
        "lines": lines(found, version, requests, [*(f"Not removed: {name}" for name in left), *end]),
    }
    if failure or left:
        words = (
            f"These could not be removed: {', '.join(left)}. Delete them on the panel."
            if left
            else "Everything that it made is removed."
        )
        raise JobFailed(
            f"{failure or 'The panel was verified.'} {words if left or writes else 'Nothing was written.'}", **result
        )
    return result


def _checked(options: Mapping[str, Any], job: Job) -> Connection:
    client = options.get("client") or ""
    if client and not _GIVEN.fullmatch(client):
        raise OptionError(
            "client", f"{client!r} is invalid. Use 5 to 24 lower case letters, digits and hyphens; start with a letter."
        )
    check_seconds("wait_timeout", options["wait_timeout"], 0, _LONGEST_WAIT)
    files = {name: Path(options[name]).expanduser() for name in OWN if options.get(name)}
    for name, path in files.items():
        with explained(f"{name}: {path} cannot be written", JobFailed, "Nothing was read or written."):
            check_place(path, own=OWN[name])
    if len(set(files.values())) < len(files):
        raise OptionError("report_file", "is the same file as profile_file.")
    given = {name: None if job.given.get(name) == "" else job.given.get(name) for name in ENVIRONMENT}
    return read_connection(connection_of({}, given, job.environment, is_only_one=True))


def _look(
    panel: Panel,
    connection: Connection,
    points: Mapping[str, Point],
    options: Mapping[str, Any],
    writes: bool,
    job: Job,
) -> tuple[dict[str, Any], str, str]:
    """What was found by point, why that ended early, and the panel's version. Errors of the first request are those of any task."""
    check_pong(panel.client)
    panel.requests += 1
    server = panel.ask("GET", "/server").object.get("meta")
    version = str(server.get("panel_version", "")) if isinstance(server, Mapping) else ""
    plans, clients = panel.ask("GET", BY_NAME[PLANS].path).items, panel.ask("GET", BY_NAME[CLIENTS].path).items
    seen: dict[str, Any] = {"unknown_id": _form(panel.ask("GET", f"/clients/{_UNKNOWN_ID}"))}
    if options["wrong_key"]:
        seen["wrong_key"] = _with_wrong_key(connection, panel)
    read = {
        kind: Shown(panel.ask("GET", Made(kind, "", number(items[0].get("id"))).path).object, items[0])
        for kind, items in ((PLANS, plans), (CLIENTS, clients))
        if items and number(items[0].get("id")) is not None
    }
    names, own, failure = other_names(points), dict[str, Shown](), ""
    job.warn(
        f"client {name}: left by an earlier run. Remove it with panel_verify_writes: true and panel_verify_client: {name}."
        for client in clients
        if _MADE_UP.fullmatch(name := str(client.get("username")))
        and name != options.get("client")
        and _is_marked(panel, client)
    )
    if writes:
        name = options.get("client") or _new_name(clients, plans)
        with exclusive(f"verify {connection.base_url} {name}", "the test client", 0.0):
            _remove_earlier(panel, name, clients, plans)
            run = Run(panel, name, _MARK.format(name), datetime.date.today(), names)
            job.say(f"the test client is {name}; it is removed at the end")
            failure = _try(run)
        seen, own = {**seen, **run.seen}, run.own
    return (
        {**observed(own, read, [*plans, *clients], names), **seen},
        failure,
        version if _VERSION.fullmatch(version) else "",
    )


def _try(run: Run) -> str:
    """Why it ended early, empty where it did not. Whatever happens, what was made is removed."""
    failure = ""
    with interruptible() as defer:
        try:
            take(run)
        except Interrupted:
            failure = "The verify was interrupted."
        except PanelError as error:
            failure = error.message
        finally:
            defer()
            answer = run.panel.remove_all()
    if answer is not None and not failure:
        run.seen["client_deletion"] = said(answer, "cascade", "refused")
    return failure


def _form(answer: Answer) -> str:
    return f"{'json' if answer.is_own else 'page'}_{answer.status}"


def _with_wrong_key(connection: Connection, panel: Panel) -> str | None:
    panel.requests += 1
    with contextlib.closing(PanelClient(replace(connection, api_key=f"verify.{secrets.token_hex(16)}"))) as client:
        try:
            return _form(Panel(client, 0).ask("GET", "/ping"))
        except RequestError as error:
            is_told = not error.details.keys().isdisjoint(("code", "panel_message"))
            return _form(Answer(401, is_own=is_told)) if isinstance(error, Denied) else None


def _new_name(*lists: list[Mapping[str, Any]]) -> str:
    taken = {one.get(field) for items in lists for one in items for field in ("username", "name")}
    while (name := "hpverify" + "".join(secrets.choice(string.ascii_lowercase) for _letter in range(6))) in taken:
        pass
    return name


def _is_marked(panel: Panel, client: Mapping[str, Any]) -> bool:
    """Whether a verify made it; the list may leave the notes out."""
    shown = client if "notes" in client else panel.ask("GET", f"/clients{path_of(client.get('id'))}").object
    return shown.get("notes") == _MARK.format(client.get("username"))


def _remove_earlier(panel: Panel, name: str, clients: list[Mapping[str, Any]], plans: list[Mapping[str, Any]]) -> None:
    """Removes what a killed run left under this name; raises JobFailed where the name is someone's."""
    for client in (one for one in clients if one.get("username") == name):
        if not _is_marked(panel, client):
            raise JobFailed(
                f"client: the panel has a client {name} that no verify made. Nothing was written. Choose another name."
            )
        panel.made.append(Made(CLIENTS, name, number(client.get("id"))))
    for plan in (one for one in plans if one.get("name") == name):
        limits = plan.get("resources")
        if not isinstance(limits, Mapping) or any(
            number(limits.get(one)) != value for one, value in PLAN_LIMITS.items()
        ):
            raise JobFailed(
                f"client: the panel has a hosting plan {name} that no verify made. Nothing was written. Choose another name."
            )
        panel.made.append(Made(PLANS, name, number(plan.get("id"))))
    if panel.made:
        panel.remove_all()
    if panel.made:
        raise JobFailed(
            f"client {name}: what an earlier run left could not be removed. Delete it on the panel.", left=panel.left
        )


def _written(job: Job, texts: Mapping[str, str]) -> list[str]:
    """The files that got, or would get, another text."""
    changed = []
    for name, text in texts.items():
        path = Path(name).expanduser()
        with explained(f"{path}: the panel was verified, but this file cannot be written", JobFailed):
            is_unknown = job.check_mode and job.arguments["writes"]
            if is_unknown or not path.is_file() or path.read_bytes() != text.encode():
                if not job.check_mode:
                    replace_file(path, text.encode(), 0o644)
                changed.append(str(path))
    return changed
