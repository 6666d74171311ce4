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
from ...module_utils._errors import Defect, OptionError, PanelError, RequestError
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, read_connection
from ...module_utils._http.panel_client import path_of
from ...module_utils._problems import NOTHING_WRITTEN
from ...module_utils._task.perform import WITHOUT_VALIDATION
from ...module_utils._values.value_types import check_seconds, read_id
from .._run.controller_files import explained, replace_file
from .._run.job import Job, JobFailed
from .._run.panel_connections import connection_of
from .._run.written_files import FORMS, find_conflicts, read_file
from . import findings
from .findings import BY_NAME, version_in
from .ownership import CLIENTS, PLANS
from .trials import Panel, UnreadableList, take, used_names

_GIVEN = re.compile(r"[a-z][a-z0-9-]{3,22}[a-z0-9]")
# No panel has so many objects.
_UNKNOWN_ID = 2147483646
# By option the form of the file.
_FORMS = {"report_file": FORMS["verify_report"], "profile_file": FORMS["verify_profile"]}
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
    left, words = _what_is_left(panel)
    version = panel.seen["version"]
    profile, requests = findings.profile_of(points, found), panel.requests + 1 + options["wrong_key"]
    page = findings.page(checks=found, version=version, described=compared, left=words)
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
        if not panel.has_written:
            words = [NOTHING_WRITTEN]
        elif not left:
            words = ["Everything that it made is removed."]
        raise JobFailed(" ".join([failure or "The panel was verified.", *words]), **result)
    return result


def _what_is_left(panel: Panel) -> tuple[list[dict[str, str]], list[str]]:
    """Kind and name of each object that is not removed, and sentences about them."""
    own, uncertain = dict[str, None](), dict[str, None]()
    left: list[dict[str, str]] = []
    for creation in panel.creations:
        one = {"kind": creation.table.title, "name": creation.name}
        if one not in left:
            left.append(one)
        names = uncertain if creation.id is None else own
        names[f"{one['kind']} {one['name']}"] = None

    sentences = []
    if own:
        sentences.append(f"These could not be removed: {', '.join(own)}; delete them on the panel.")
    if uncertain:
        sentences.append(
            f"These were kept, because this run may not have created them: {', '.join(uncertain)}. Check them on the panel."
        )
    return left, sentences


def _checked(options: Mapping[str, Any], job: Job) -> Connection:
    client = options.get("client") or ""
    if client and not _GIVEN.fullmatch(client):
        problem = f"{client!r} is invalid. Use 5 to 24 lower case letters, digits and hyphens; start with a letter."
        raise OptionError("client", problem)
    check_seconds("wait_timeout", options["wait_timeout"], 0, 120)
    files = [read_file(job.name_of(name), options[name], form) for name, form in _FORMS.items() if options[name]]
    conflicts = find_conflicts(files)
    if conflicts:
        raise JobFailed(f"{' '.join(conflicts)} Nothing was read or written.")
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
        _show_first(panel, kind)
    if not writes:
        return ""
    panel.name = name
    try:
        panel.look_around(used_names(panel))
    except UnreadableList as error:
        return f"{job.name_of('writes')}: {error}"
    except PanelError as error:
        return str(error)
    job.say(f"the test client is {name}; it is removed at the end")
    return _try(panel)


def _show_first(panel: Panel, kind: str) -> None:
    """Note what the first object of a kind shows, alone and in its list."""
    path = BY_NAME[kind].path
    answer = panel.ask("GET", path)
    items = answer.data if answer.is_done and isinstance(answer.data, list) else []
    item = next((one for one in items if isinstance(one, Mapping)), None)
    if item is None:
        return
    identifier = read_id(item.get("id"))
    alone = {} if identifier is None else panel.ask("GET", path + path_of(identifier)).object
    panel.shown[kind] = (alone, item)


class _Signals:
    """Ctrl-C and its like: the first one interrupts the trials, and none the removal of what they made."""

    def __init__(self) -> None:
        self._is_armed = True
        self._handlers = {number: signal.signal(number, self._interrupt) for number in _SIGNALS}

    def _interrupt(self, _number: int, _frame: object) -> None:
        if self._is_armed:
            self._is_armed = False
            raise KeyboardInterrupt

    def disarm(self) -> None:
        """Let signals pass without an effect."""
        self._is_armed = False

    def restore(self) -> None:
        """Give signals back to whom they were for."""
        for number, handler in self._handlers.items():
            if handler is not None:
                signal.signal(number, handler)


def _try(panel: Panel) -> str:
    """Why it ended early. Whatever happens, what was made is removed, and further signals wait for that."""
    failure = ""
    answer = None
    signals = _Signals()
    try:
        try:
            take(panel)
        finally:
            signals.disarm()
    except KeyboardInterrupt:
        failure = "The verify was interrupted."
    except PanelError as error:
        failure = str(error)
    except Exception as error:
        failure = str(Defect(error))
    finally:
        try:
            answer = panel.remove_all()
        finally:
            signals.restore()
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
