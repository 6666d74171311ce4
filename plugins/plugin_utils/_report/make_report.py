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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...module_utils._errors import collect_problems, named_option
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._problems import Problem, format_message, option_problem
from ...module_utils._task.perform import WITHOUT_VALIDATION
from ...module_utils._values.value_types import ByteSize, parsed
from .._ansible.plain_values import plain
from .._run.controller_files import explained, read_regular, replace_file
from .._run.job import Job, JobFailed
from .._run.panel_connections import CONNECTION, NamedPanel, named_panels, panel_host
from .._run.written_files import FORMS, find_conflicts, read_file
from .findings import NUMBERS, instant, report, sound
from .reading import Options, PanelToRead, gather, months_kept, months_over, months_until, read_kept
from .rendering import lines, metrics, page

PANEL = {"name": {"type": "str"}, "disk_space": {"type": "str"}, "export_dir": {"type": "path"}, **CONNECTION}
# By option of a panel the variable of a host.
_OF_HOSTS = {**{name: f"panel_{name}" for name in (*ENVIRONMENT, "disk_space")}, "export_dir": "panel_dir"}
# By option the form of the file.
FILES = {
    "file": FORMS["report_page"],
    "json_file": FORMS["report_json"],
    "metrics_file": FORMS["report_metrics"],
}
# The time of day in a page and in JSON, where the day is another word, and the time of metrics.
_TIME = re.compile(
    r'(?<=<time datetime="\d{4}-\d\d-\d\d)T[^<]*|(?<="generated_at": "\d{4}-\d\d-\d\d)T[^"]*|^hosting_panel_report_timestamp_seconds .*$',
    re.MULTILINE,
)


def make_report(job: Job) -> dict[str, Any]:
    """The result of the task. Raises MissingLibrary before anything is read, and JobFailed."""
    options, clock, mistakes = job.arguments, datetime.datetime.now().astimezone(), list[str]()
    panels = _panels(job, mistakes)
    now = instant(options["time"], clock.tzinfo) if options["time"] else clock
    mistakes += [*_wrong_numbers(options, job.name_of), *_wrong_files(options, job.name_of)]
    if now is None:
        mistakes.append(f"{job.name_of('time')}: {options['time']!r} is no time such as 2026-11-20T06:00:00+01:00.")
    if mistakes or now is None:
        raise JobFailed(f"{' '.join(mistakes)} Nothing was read or written.", error={"type": "OptionError"})
    months = months_until(now, options["months"])
    over = months_over(months, min(now, clock))  # a time in the future ends no month
    before = {name: _text_of(options[name]) for name in FILES}
    kept = read_kept(before["json_file"])
    readings = gather(panels, Options(months, options["concurrency"], job.vault, kept, options["mail_dns"]), job.say)
    numbers = {name: options[name] for name in NUMBERS}
    try:
        found = report(readings, now, options["title"], **numbers)
    except Exception:
        # A defect with one panel does not end the report about the others.
        readings = [sound(reading, now) for reading in readings]
        found = report(readings, now, options["title"], **numbers)
    data = json.dumps({**found, "months_over": months_kept(readings, over)}, indent=1, ensure_ascii=False)
    # All texts before the first file, so that a text that cannot be made leaves every file as it is.
    made = {"file": page(found), "json_file": f"{data}\n", "metrics_file": metrics(found)}
    texts = {name: text for name, text in made.items() if options[name]}
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
    if any(panel.connection.verify is False for panel in panels):
        job.warn([WITHOUT_VALIDATION])
    if unread:
        told = " ".join(f"{name}: {why}" for name, why in unread.items())
        message = f"{len(unread)} of {len(readings)} panels could not be read. {told} "
        message += (
            f"The report in {options['file']} {'would say' if job.check_mode else 'says'} so, and shows the others."
        )
        if options["fail_on_unread"]:
            raise JobFailed(message, **result)
        job.warn([message])
    return result


def _panels_of_hosts(job: Job, mistakes: list[str]) -> list[dict[str, Any]] | None:
    """The panels of a play, one for each host; None if no host has panel_api_url."""
    hosts = {host: job.variables["hostvars"][host] for host in job.arguments["hosts"] or ()}
    found = [
        {"name": host, **{option: own[at] for option, at in _OF_HOSTS.items() if own.get(at) not in (None, "")}}
        for host, own in hosts.items()
    ]
    if not any("api_url" in panel for panel in found):
        return None
    # The key of the environment is of one panel, which no inventory names.
    with_key = hosts if job.arguments["api_key"] else ["localhost"]
    for option, others in (("api_url", []), ("api_key", with_key)):
        without = [panel["name"] for panel in found if option not in panel and panel["name"] not in others]
        if without:
            mistakes.append(f"panel_{option}: missing for {', '.join(without)}; each host of the play needs its own.")
    return list(plain(found))


def _variables_of_hosts(panels: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return by option of a panel which variable of which host sets it."""
    variables: dict[str, str] = {}
    for index, panel in enumerate(panels):
        for option, variable in _OF_HOSTS.items():
            variables[f"panels[{index}].{option}"] = f"{variable} of {panel['name']}"
    return variables


def _panels(job: Job, mistakes: list[str]) -> list[PanelToRead]:
    options = job.arguments
    several = _panels_of_hosts(job, mistakes) if options["panels"] is None else options["panels"]
    directory = options["export_dir"]
    if directory and not Path(directory).is_dir():
        mistakes.append(f"{job.name_of('export_dir')}: there is no directory {directory}.")
    problems: list[Problem] = []
    named: list[NamedPanel] = []
    sizes: list[int | None] = []
    with collect_problems(problems):
        named = named_panels(several, options, job.environment, PANEL)
    for index, panel in enumerate(several or [{}]):
        with collect_problems(problems):
            size = panel.get("disk_space")
            sizes.append(parsed(ByteSize(unlimited=False), f"panels[{index}].disk_space", size) if size else None)
    found: list[PanelToRead] = []
    for index, (panel, size, given) in enumerate(zip(named, sizes, several or [{}])):
        first = next(one for one in named if one.connection.base_url == panel.connection.base_url)
        if first is not panel:
            problems.append(option_problem(f"panels[{index}].api_url", f"is that of {first.name}, too."))
        own = os.path.join(directory or "", quote(panel.name, safe=""))
        # One panel may have the whole directory.
        in_directory = own if directory and os.path.isdir(own) else directory if len(named) == 1 else None
        export = given.get("export_dir") or in_directory
        path = Path(export).expanduser() if export else None
        found.append(PanelToRead(panel.name, panel_host(panel.options, {}), panel.connection, size, path))
    variables = _variables_of_hosts(several or ()) if options["panels"] is None else {}
    for problem in problems:
        option = variables.get(problem.option) or named_option(problem.option, job.names)
        mistakes.append(format_message(replace(problem, option=option)))
    return found


def _wrong_numbers(options: Mapping[str, Any], name_of: Callable[[str], str]) -> Iterator[str]:
    for name, (_default, least, most) in NUMBERS.items():
        if not least <= options[name] <= most:
            yield f"{name_of(name)}: {options[name]} is not accepted; it must be a whole number from {least} to {most}."
    if options["urgent_days"] > options["soon_days"]:
        yield f"{name_of('urgent_days')}: is more than {name_of('soon_days')}, so that nothing would ever be soon."


def _wrong_files(options: Mapping[str, Any], name_of: Callable[[str], str]) -> list[str]:
    names = [name for name in FILES if options[name]]
    return find_conflicts(
        [read_file(name_of(name), options[name], FILES[name], makes_directory=True) for name in names]
    )


def _text_of(path: str | None) -> str:
    return read_regular(path).decode("utf-8", "replace") if path and os.path.exists(path) else ""


def _write(options: Mapping[str, Any], texts: Mapping[str, str]) -> None:
    done: list[str] = []
    for name, text in texts.items():
        path = Path(options[name])
        ending = f"{', '.join(done) or 'Nothing'} was written. Free the place and run again."
        with explained(str(path), JobFailed, ending):
            path.parent.mkdir(parents=True, exist_ok=True)
            # Metrics name no customer, and a collector is a user of its own.
            replace_file(path, text.encode(), 0o644 if name == "metrics_file" else 0o640)
        done.append(str(path))
