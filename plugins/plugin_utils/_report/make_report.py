# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the report: the panels read, judged, and written as a page, as JSON and as metrics. Private to the collection."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils._errors import Defect
from ...module_utils._task.operation import WITHOUT_VALIDATION
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed
from .._jobs.months import months_until
from .._run.task_arguments import plain
from .kept_months import Kept, kept_after, months_over, read_kept, rows_of
from .panel_answers import PanelReading
from .read_panels import Wish, gather
from .report_data import report
from .report_files import FileFailure, fresh_text, text_for, text_of, write
from .report_metrics import as_of, metrics
from .report_options import Options, panels_of_hosts, read_options
from .report_page import page
from .report_words import lines

# A collector reads it as a user of its own; it names panels and no customer.
METRICS_MODE = 0o644


def make_report(job: Job) -> dict[str, Any]:
    """The result of the task. Raises WrongOptions and MissingLibrary before anything is read, FileFailure, and JobFailed."""
    clock = datetime.datetime.now().astimezone()
    options = read_options(_given(job), job.environment, clock)
    months = months_until(options.now, options.thresholds.months)
    # Whoever gives a time that is yet to come has no month read that is over by then.
    over = months_over(months, min(options.now, clock))
    kept = _kept(options.json_file, over)
    readings = gather(options.panels, _wish(options, job, months, kept), job.say)
    kept = kept_after(kept, readings, over)
    try:
        result = _written(options, readings, kept, job.check_mode)
    except FileFailure:
        raise
    except Exception as error:
        raise JobFailed(f"There is no report. {Defect(error).message}") from None
    if any(panel.connection.verify is False for panel in options.panels):
        job.warn([WITHOUT_VALIDATION])
    unread = {reading.name: reading.failure for reading in readings if reading.failure}
    result["unread"] = list(unread)
    if unread:
        message = _unread_words(unread, len(readings), options, job.check_mode)
        if options.fail_on_unread:
            raise JobFailed(message, **result)
        job.warn([message])
    return result


def _kept(path: Path | None, over: Sequence[str]) -> Kept:
    try:
        return read_kept(json.loads((path and text_of(path)) or "null"), over)
    except (ValueError, RecursionError):
        return {}


def _wish(options: Options, job: Job, months: Sequence[str], kept: Kept) -> Wish:
    return Wish(months, options.concurrency, job.vault, kept, options.mail_dns, options.resolver)


def _given(job: Job) -> dict[str, Any]:
    """The options as they were written, with the panels of the hosts where none are named."""
    given = dict(job.arguments)
    hosts = given.get("hosts")
    if given.get("panels") is None and isinstance(hosts, list):
        given["panels"] = plain(panels_of_hosts(hosts, job.variables["hostvars"], bool(given.get("api_key"))))
    return {name: value for name, value in given.items() if value is not None}


def _written(options: Options, readings: Sequence[PanelReading], kept: Kept, check_mode: bool) -> dict[str, Any]:
    """Writes what has changed; the result of the task."""

    def data(now: datetime.datetime) -> dict[str, Any]:
        return report(readings, now, options.thresholds, options.title)

    def as_json(now: datetime.datetime) -> str:
        return json.dumps({**data(now), "months_over": rows_of(kept)}, indent=1, ensure_ascii=False) + "\n"

    def as_page(now: datetime.datetime) -> str:
        return page(data(now))

    makers: list[tuple[Path, Callable[[datetime.datetime], str]]] = [(options.file, as_page)]
    if options.json_file is not None:
        makers.append((options.json_file, as_json))
    # All texts before the first file, so that a text that cannot be made leaves every file as it is.
    texts = [(path, *text_for(path, options.now, make)) for path, make in makers]
    changed = [(path, text) for path, text, is_other in texts if is_other]
    found = data(options.now)
    writing = [(path, text, options.mode) for path, text in changed]
    if options.metrics_file is not None:
        text, is_other = fresh_text(options.metrics_file, metrics(found), as_of)
        changed += [(options.metrics_file, text)] if is_other else []
        writing.append((options.metrics_file, text, METRICS_MODE))
    for done, (path, text, mode) in enumerate([] if check_mode else writing):
        write(path, text, mode, [one for one, _text, _mode in writing[:done]])
    return {
        "changed": bool(changed),
        "file": str(options.file),
        "json_file": str(options.json_file) if options.json_file else None,
        "metrics_file": str(options.metrics_file) if options.metrics_file else None,
        "written": [str(path) for path, _text in changed],
        "summary": found["summary"],
        "lines": [*lines(found), _files_line(changed, check_mode)],
        "requests": sum(reading.requests for reading in readings),
    }


def _files_line(changed: Sequence[tuple[Path, str]], check_mode: bool) -> str:
    named = (
        ", ".join(str(path) for path, _text in changed) or "nothing, since the report says the same as earlier today"
    )
    return f"{'would be written' if check_mode else 'written'}: {named}"


def _unread_words(unread: Mapping[str, str], count: int, options: Options, check_mode: bool) -> str:
    """Says which panels are missing in the report."""
    state = "would say so" if check_mode else "says so"
    return (
        f"{len(unread)} of {count} panels could not be read. "
        + " ".join(f"{name}: {why}" for name, why in unread.items())
        + f" The report in {options.file} {state}, and shows the others."
    )
