# SPDX-License-Identifier: GPL-3.0-or-later
"""First contact with one panel: read, tried if the task asks for that, judged and written down."""

from __future__ import annotations

import contextlib
import re
import secrets
import signal
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...module_utils._endpoints import check_pong
from ...module_utils._errors import OptionError, PanelError, RequestError
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, read_connection
from ...module_utils._http.panel_session import join_path
from ...module_utils._operation.defects import report_defect
from ...module_utils._problems import Problem, Written
from ...module_utils._task.perform import WITHOUT_VALIDATION
from ...module_utils._values.value_types import check_seconds, read_id
from .._run.controller_files import explain_error, replace_file
from .._run.job import Job, JobFailed, make_failure, refuse_conflicts
from .._run.panel_connections import make_connection
from .._written_files.conflicts import find_conflicts
from .._written_files.forms import FORMS
from .._written_files.named_file import inspect_file
from .api_description import compare_description
from .asked_panel import Answer, AskedPanel, UnreadableList
from .open_points import BY_NAME, Sample, observe_fields, read_points, read_version
from .ownership import CLIENTS, PLANS, Presence, TrialCreation
from .trials import list_used_names, run_trials
from .tried_panel import Observations, TriedPanel, draw_identity, read_ids
from .verdicts import (
    format_profile,
    format_summary_lines,
    make_checks,
    make_profile,
    make_report_page,
)

_CLIENT_NAME = re.compile(r"[a-z][a-z0-9-]{3,22}[a-z0-9]")
# No panel has so many objects.
_UNKNOWN_ID = 2147483646
# By option the form of the file.
_FORMS = {"report_file": FORMS["verify_report"], "profile_file": FORMS["verify_profile"]}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def verify(job: Job) -> dict[str, Any]:
    """Find out what a panel does, and return the result of the task.

    Raises:
        OptionError: An option is wrong; nothing was sent.
        JobFailed: The panel was not verified to the end, or something of the trials is left on it.
    """
    options = job.arguments
    connection = _read_connection(options, job)
    if connection.verify is False:
        job.warn([WITHOUT_VALIDATION.format(job.name_option("ca_path"))])

    points = read_points()
    writes = options["writes"] and not job.check_mode
    asked = AskedPanel(connection)
    observations = Observations()
    with contextlib.closing(asked.session):
        examination = _examine(asked, observations, writes, job)
    if options["wrong_key"]:
        observations.findings.update(_try_wrong_key(connection))
    description = compare_description(connection)
    if description is not None:
        observations.findings["described_paths"] = description["paths"]["gone"]
        observations.findings["described_fields"] = description["fields"]["gone"]

    findings = {
        **observe_fields(observations.samples, observations.own_kinds, points),
        **observations.findings,
    }
    checks = make_checks(points, findings, _list_done_stages(writes, options["wrong_key"]))
    profile = make_profile(points, checks)
    # Those for the description and with the wrong key were not counted.
    requests = asked.requests + 1 + options["wrong_key"]
    result = _write_result(job, examination, checks, profile, description, requests)
    if examination.problems or result["left"]:
        problems = [
            *(examination.problems or [Problem(cause="The panel was verified.")]),
            *_describe_remnants(examination, asked.has_written),
        ]
        raise make_failure(problems, result)
    return result


def _write_result(
    job: Job,
    examination: _Examination,
    checks: list[dict[str, Any]],
    profile: dict[str, Any],
    description: dict[str, Any] | None,
    requests: int,
) -> dict[str, Any]:
    """Write the files, and return the result of the task.

    Args:
        job: The task.
        examination: How it ended. Before its end no file is written.
        checks: The verdicts.
        profile: How the panel differs.
        description: The comparison with the panel's own description; None without one.
        requests: How many were sent.
    """
    version = examination.version
    remnants = _list_remnants(examination.creations)
    written = []
    if not examination.problems:
        advice = _advise_on_remnants(examination.creations)
        page = make_report_page(checks=checks, version=version, described=description, left=advice)
        texts = {"report_file": page, "profile_file": format_profile(profile, version)}
        written = _write_files(job, texts)

    lines = format_summary_lines(checks, version, requests, job.name_option("writes"))
    if written:
        lines.append(f"Files: {', '.join(written)}")
    return {
        "changed": bool(written or remnants),
        "checks": checks,
        "profile": profile,
        "described": description,
        "version": version,
        "left": remnants,
        "requests": requests,
        "written": written,
        "lines": lines,
    }


def _list_done_stages(writes: bool, wrong_key: bool) -> set[str]:
    """Return the stages of this run, as the table of open points names them."""
    stages = {"read"}
    if writes:
        stages.add("write")
    if wrong_key:
        stages.add("asked")
    return stages


def _try_wrong_key(connection: Connection) -> dict[str, Any]:
    """Return how the panel answers a key that it does not know; empty if it does not answer."""
    wrong_key = f"verify.{secrets.token_hex(16)}"
    stranger = AskedPanel(replace(connection, api_key=wrong_key))
    with contextlib.closing(stranger.session), contextlib.suppress(RequestError):
        return {"wrong_key": stranger.ask("GET", "/ping").form}
    return {}


def _list_remnants(creations: Iterable[TrialCreation]) -> list[dict[str, str]]:
    """Return kind and name of each object that is not removed."""
    remnants: list[dict[str, str]] = []
    for creation in creations:
        remnant = {"kind": creation.table.title, "name": creation.name}
        if remnant not in remnants:
            remnants.append(remnant)
    return remnants


def _describe_remnants(examination: _Examination, has_written: bool) -> list[Problem]:
    """Return what the message of a failure says about what the run has made."""
    sentences = [Written.NOTHING.value]
    if has_written:
        advice = _advise_on_remnants(examination.creations)
        sentences = advice or ["Everything that it made is removed."]
    return [Problem(cause=sentence) for sentence in sentences]


def _advise_on_remnants(creations: Iterable[TrialCreation]) -> list[str]:
    """Return sentences about the objects that are not removed."""
    # Dictionaries, since each name is there once, in the order of creation.
    not_removed: dict[str, None] = {}
    unseen: dict[str, None] = {}
    uncertain: dict[str, None] = {}
    for creation in creations:
        if creation.id is None:
            names = uncertain
        elif creation.presence is Presence.THERE:
            names = not_removed
        else:
            names = unseen
        names[f"{creation.table.title} {creation.name}"] = None

    sentences = []
    if not_removed:
        sentences.append(
            f"These could not be removed: {', '.join(not_removed)}; delete them on the panel."
        )
    if unseen:
        sentences.append(
            "These may be left, because the panel did not show whether they are gone: "
            f"{', '.join(unseen)}. Check them on the panel."
        )
    if uncertain:
        sentences.append(
            f"These were kept, because this run may not have created them: {', '.join(uncertain)}. "
            "Check them on the panel."
        )
    return sentences


def _read_connection(options: Mapping[str, Any], job: Job) -> Connection:
    """Return the connection; raises OptionError or JobFailed for options that are wrong."""
    client = options.get("client") or ""
    if client and not _CLIENT_NAME.fullmatch(client):
        advice = "Use 5 to 24 lower case letters, digits and hyphens; start with a letter."
        problem = f"{client!r} is invalid. {advice}"
        raise OptionError(problem, option="client")
    check_seconds("wait_timeout", options["wait_timeout"], 0, 120)

    files = [
        inspect_file(job.name_option(name), options[name], form)
        for name, form in _FORMS.items()
        if options[name]
    ]
    refuse_conflicts(find_conflicts(files), Written.NOTHING_READ)
    unset = dict.fromkeys(ENVIRONMENT)
    options_of_panel = make_connection(job.given, unset, job.environment, is_only_one=True)
    return read_connection(options_of_panel, job.names)


@dataclass(frozen=True)
class _Examination:
    """How the examination of a panel ended.

    Attributes:
        version: The version of the panel.
        problems: Why it ended early; empty if it did not.
        creations: What the run has made and not removed.
    """

    version: Any
    problems: Sequence[Problem] = ()
    creations: Sequence[TrialCreation] = ()


def _examine(asked: AskedPanel, observations: Observations, writes: bool, job: Job) -> _Examination:
    """Read the panel, and try it if the run may write.

    Errors of the first request are those of any task.
    """
    check_pong(asked.session)
    asked.requests += 1
    meta = asked.ask("GET", "/server").object.get("meta")
    shown_version = meta.get("panel_version") if isinstance(meta, Mapping) else ""
    version = read_version(shown_version)
    observations.findings["version"] = version
    observations.findings["unknown_id"] = asked.ask("GET", f"/clients/{_UNKNOWN_ID}").form
    for kind in (PLANS, CLIENTS):
        _note_sample(asked, observations, kind)
    if not writes:
        return _Examination(version)

    identity = draw_identity(job.arguments.get("client") or _draw_client_name())
    try:
        ids_before = read_ids(asked, list_used_names(identity))
    except UnreadableList as error:
        option = job.name_option("writes")
        return _Examination(
            version, [replace(problem, subject=option) for problem in error.problems]
        )
    except PanelError as error:
        return _Examination(version, error.problems)

    job.say(f"the test client is {identity.name}; it is removed at the end")
    wait = job.arguments["wait_timeout"]
    panel = TriedPanel(asked, identity, observations, ids_before, wait)
    problems = _try_and_remove(panel)
    return _Examination(version, problems, panel.creations)


def _draw_client_name() -> str:
    letters = secrets.SystemRandom().choices(string.ascii_lowercase, k=6)
    return f"hpverify{''.join(letters)}"


def _note_sample(asked: AskedPanel, observations: Observations, kind: str) -> None:
    """Note what the first object of a kind shows, alone and in its list."""
    path = BY_NAME[kind].path
    answer = asked.ask("GET", path)
    if not answer.is_done or not isinstance(answer.data, list):
        return
    item = next((entry for entry in answer.data if isinstance(entry, Mapping)), None)
    if item is None:
        return

    alone: Mapping[str, Any] = {}
    identifier = read_id(item.get("id"))
    if identifier is not None:
        answer = asked.ask("GET", path + join_path(identifier))
        if answer.is_broken:
            return
        alone = answer.object
    observations.samples[kind] = Sample(alone, item)


class _Signals:
    """Handles Ctrl-C and its like: the first one interrupts the trials, and none the removal of
    what they made."""

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


def _try_and_remove(panel: TriedPanel) -> Sequence[Problem]:
    """Run the trials, and remove what they made, whatever happens; further signals wait for that.

    Returns:
        Why it ended early, empty if it did not.
    """
    problems: Sequence[Problem] = ()
    answer = None
    signals = _Signals()
    try:
        try:
            run_trials(panel)
        finally:
            signals.disarm()
    except KeyboardInterrupt:
        problems = [Problem(cause="The verify was interrupted.")]
    except PanelError as error:
        problems = error.problems
    except Exception as error:
        problems = report_defect(error).problems
    finally:
        try:
            answer = panel.remove_all()
        finally:
            signals.restore()

    if answer is not None and not problems:
        panel.observations.findings["client_deletion"] = _judge_client_deletion(panel, answer)
    return problems


def _judge_client_deletion(panel: TriedPanel, answer: Answer) -> str | None:
    """Return what the panel does when a client is deleted; None unless the client is gone."""
    if answer.is_done and panel.objects["client"].presence is not Presence.GONE:
        return None
    return answer.choose("cascade", "refused")


def _write_files(job: Job, texts: Mapping[str, str]) -> list[str]:
    """Return the files that got, or would get, another text.

    In check mode it is unknown what the trials of a real run would show, so their files count as
    changed.
    """
    is_unknown = job.check_mode and job.arguments["writes"]
    changed = []
    for name, text in texts.items():
        if not job.arguments.get(name):
            continue
        path = Path(job.arguments[name]).expanduser()
        content = text.encode()
        with explain_error(
            f"{path}: the panel was verified, but this file cannot be written", JobFailed
        ):
            if not is_unknown and path.is_file() and path.read_bytes() == content:
                continue
            if not job.check_mode:
                replace_file(path, content, 0o644)
        changed.append(str(path))

    return changed
