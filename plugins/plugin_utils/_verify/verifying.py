# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""First contact with one panel: read, tried where that is wanted, judged and written down. Private to the collection."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...module_utils._errors import Defect, PanelError
from ...module_utils._http.answers import Exchange
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import USER_AGENT, PanelClient
from ...module_utils._http.repeats import Patience
from ...module_utils._secrets.redaction import Redactor
from ...module_utils._task.operation import WITHOUT_VALIDATION
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed
from .._run.refused_keys import run_key
from .conversation import PING, Conversation, Enough, NoAccess
from .evidence import Evidence
from .files import written
from .openapi import compared_with
from .options import Options, read_options
from .points import evidence_for, read_points
from .reading import read
from .recognition import NotThisPanel, no_access
from .texts import compared_lines, extent_line, lines, page, profile_text, shortened, version_line, version_of
from .verdicts import checks, observed, profile
from .writing import NotBegun, WritingPhase, what_is_left

_KEPT = "{} stay as they are, since an earlier run has seen more of a panel of this version. Remove them, or name others, to have what this one saw."
_ENOUGH = "The panel was asked as often or as long as a verify may, or does not answer any more. Look whether it runs, and try again later."
_COLLECTION = USER_AGENT.partition(" ")[0].replace("/", " ")


def verify(job: Job) -> dict[str, Any]:
    """The result of the task. Raises OptionError, DescriptionError and MissingLibrary before anything is sent, and JobFailed."""
    options = read_options(job.arguments, job.given, job.environment)
    compared = compared_with(options.openapi) if options.openapi is not None else None
    if options.connection.verify is False:
        job.warn([WITHOUT_VALIDATION])
    points = read_points()
    seen = evidence_for(points)
    is_writing = options.writes and not job.check_mode
    with contextlib.closing(PanelClient(options.connection, key=run_key(options.connection))) as client:
        panel = Conversation(client, Patience(options.connection.retry_time))
        writing = WritingPhase(panel, seen, options.connection.base_url, job.say)
        try:
            read_only = ask_and_try(panel, seen, writing, options, is_writing)
        except Exception as error:
            left = what_is_left(writing.left)
            message = _message(error, options.connection, left)
            raise JobFailed(message if left in message else f"{message} {left}", **_end(writing, panel)) from None
    # Of what a run that was cut short has not come to, nobody can say that the panel did not show it.
    done = {
        "read": not writing.was_cut_short,
        "write": is_writing and not writing.was_cut_short,
        "asked": options.wrong_key,
    }
    tried = frozenset(how for how, was_done in done.items() if was_done)
    made = checks(observed(seen, points), points, tried)
    version = version_of(seen.server.object)
    end = _end_lines(writing, panel, seen)
    was_finished = not writing.was_cut_short
    changed, kept, problems = written(
        (options.report_file, page(made, points, version, _COLLECTION, end, compared, was_finished)),
        (options.profile_file, profile_text(profile(made), version, extent_line(made, was_finished))),
        (_failure(writing, is_for_others=True),) if writing.left or writing.was_interrupted else (),
        only_predicted=job.check_mode,
        # In check mode nobody knows what writes would show.
        is_known=not (job.check_mode and options.writes),
    )
    if kept:
        job.warn([_KEPT.format(", ".join(kept))])
    shown = [*end, f"{panel.asked} requests, {read_only} of them without writes"]
    if compared is not None:
        shown += [f"{words}: {shortened(names)}" for words, names in compared_lines(compared).items() if names]
    shown += [f"{'would be written' if job.check_mode else 'written'}: {', '.join(changed)}"] if changed else []
    end_of_it = _end(writing, panel)
    result = {
        **end_of_it,
        "changed": bool(changed) or end_of_it["changed"],
        "checks": made,
        "profile": profile(made),
        "lines": lines(made, points, shown),
        "version": version,
        "written": changed,
        **({"openapi": compared} if compared is not None else {}),
    }
    if writing.left or writing.was_interrupted:
        problems.insert(0, _failure(writing))
    if problems:
        raise JobFailed(" ".join(problems), **result)
    return result


def ask_and_try(panel: Conversation, seen: Evidence, writing: WritingPhase, options: Options, is_writing: bool) -> int:
    """Fills the evidence; how many requests were only to read."""
    read(panel, seen, _with_wrong_key(options.connection, panel) if options.wrong_key else None)
    read_only = panel.asked
    writing.remove_left_overs(options.client, only_look=not is_writing)
    if is_writing:
        writing.run(options.client, options.wait_timeout)
    return read_only


def _message(error: Exception, connection: Connection, left: str) -> str:
    """Why nothing can be said of the panel."""
    if isinstance(error, (NotThisPanel, NotBegun)):
        return str(error)
    if isinstance(error, NoAccess):
        return no_access(error.reply, left)
    if isinstance(error, Enough):
        return _ENOUGH
    return Redactor([connection.api_key]).text((error if isinstance(error, PanelError) else Defect(error)).message)


def _failure(writing: WritingPhase, is_for_others: bool = False) -> str:
    begin = "The verify was interrupted. " if writing.was_interrupted else ""
    return begin + (what_is_left(writing.left, is_for_others) or "Everything that it made is removed.")


def _end(writing: WritingPhase, panel: Conversation) -> dict[str, Any]:
    has_changed = writing.has_removed or bool(writing.left)
    return {"changed": has_changed, "left": writing.left, "found": writing.found, "requests": panel.asked}


def _end_lines(writing: WritingPhase, panel: Conversation, seen: Evidence) -> list[str]:
    """What is to be known beside the points. It is in the page, which is for others, too."""
    version = version_line(version_of(seen.server.object))
    found = [*([version] if version else []), *writing.found]
    if writing.left or writing.was_interrupted:
        found.append(_failure(writing, is_for_others=True))
    if seen.notes_are_shown is False:
        found.append(
            "The panel does not show the notes of clients: what a crash leaves there has to be removed by hand"
        )
    counts = {
        "connections broke off": panel.broken,
        "requests were not served": panel.reloads,
        "steps could not be taken to their end": seen.broken_steps,
    }
    found += [f"{number} {words}" for words, number in counts.items() if number]
    return found


def _with_wrong_key(connection: Connection, panel: Conversation) -> Callable[[], Exchange]:
    """Asks once with a key that nobody has; what comes of it leaves the rest as it is."""

    def ask() -> Exchange:
        client = PanelClient(replace(connection, api_key=f"verify.{secrets.token_hex(16)}"))
        try:
            panel.asked += 1
            return client.exchange("GET", PING)
        finally:
            client.close()

    return ask
