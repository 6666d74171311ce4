# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of panel_report: options, reading, one dictionary, and the files that say it.

A report that says the same as the one of earlier that day is not written: the time in a file is
that from which on it was so. On another day it is written in any case, since it counts days until
something ends. Metrics are written each time, since they tell when that was.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ...module_utils._errors import OptionError, collect_problems, raise_if_any
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._operation.defects import report_defect
from ...module_utils._problems import (
    OptionPath,
    Problem,
    Written,
    abbreviate,
    describe_option_problem,
    format_message,
    format_messages,
    format_path,
    name_option_path,
)
from ...module_utils._task.perform import WITHOUT_VALIDATION
from ...module_utils._values.option_marks import TEXT_ONLY_MARK
from ...module_utils._values.sizes import ByteSize
from ...module_utils._values.value_types import parse_option
from .._run.controller_files import explain_error, limit_mode, read_regular, replace_file
from .._run.job import Job, JobFailed, make_failure
from .._run.marked_texts import mark_texts
from .._run.panel_connections import (
    CONNECTION,
    NamedPanel,
    describe_shared_address,
    find_shared_addresses,
    get_panel_host,
    make_named_panel,
    make_named_panels,
)
from .._written_files.conflicts import find_conflicts
from .._written_files.forms import FORMS
from .._written_files.named_file import inspect_file
from .build_report import NUMBERS, build_report
from .limit_days import FIELD as LIMIT_DAYS
from .limit_days import LimitDays, read_limit_days
from .metrics import format_timestamp, render_metrics
from .months import list_months_to_keep, list_months_until, read_kept_months, select_past_months
from .panel_reading import PanelReading
from .panels_of_hosts import VARIABLES, HostPanel, read_hosts
from .read_panels import PanelToRead, ReadOptions, read_panels
from .rendering import format_summary_lines, format_time, render_page
from .report_rows import Row, parse_time
from .usage import DECIMALS, SEPARATORS, UsageForm, list_gaps, make_usage_rows, render_usage

PANEL = {
    "name": {"type": "str", **TEXT_ONLY_MARK},
    "disk_space": {"type": "str"},
    "export_dir": {"type": "path"},
    **CONNECTION,
}
# Of a table of usage, in a warning.
_MOST_GAPS = 20
_MODE_WITH_CUSTOMERS = 0o640
"""Of a file that names customers. Metrics name none, and a collector is a user of its own."""
# By option the form of the file.
FILES = {
    "file": FORMS["report_page"],
    "json_file": FORMS["report_json"],
    "metrics_file": FORMS["report_metrics"],
    "usage_file": FORMS["report_usage"],
}


def make_report(job: Job) -> dict[str, Any]:
    """Read the panels, write the files, and return the result of the task.

    Raises:
        MissingLibrary: A Python library is missing; nothing was read.
        OptionError: An option is wrong; nothing was read.
        JobFailed: A panel could not be read, or a file not be written.
    """
    options = job.arguments
    clock = datetime.datetime.now().astimezone()
    fleet, now = _read_options(job, clock)
    months = list_months_until(now, options["months"])
    old_texts = {name: _read_text(options[name]) for name in FILES}
    what_to_read = ReadOptions(
        months,
        options["concurrency"],
        job.vault,
        read_kept_months(old_texts["json_file"]),
        mail_dns=options["mail_dns"],
        contact_data=bool(options["usage_file"]),
    )
    readings = fleet.order_readings(read_panels(fleet.panels, what_to_read, job.say))
    report, readings = _build_report(readings, now, options)

    limit_days = read_limit_days(old_texts["json_file"]).with_day(readings, now)
    # A time in the future ends no month.
    kept = {
        "months_over": list_months_to_keep(readings, select_past_months(months, min(now, clock))),
        LIMIT_DAYS: limit_days.as_json(),
    }
    # All texts before the first file, so that a text that cannot be made leaves every file as it
    # is.
    texts = _render_files(report, kept, options)
    if options["usage_file"]:
        texts["usage_file"] = _render_usage(job, readings, now, limit_days)
    changed = _find_changed(old_texts, texts, report)
    if not job.check_mode:
        _write_changed_files(options, texts, changed)
    changed += _limit_modes(job, [name for name in texts if name not in changed])

    result = _make_result(job, report, readings, [options[name] for name in changed])
    _warn_of_unchecked_certificates(job, fleet.panels)
    if result["unread"]:
        problems = _describe_unread_panels(job, readings)
        if options["fail_on_unread"]:
            raise make_failure(problems, result)
        job.warn([format_messages(problems)])
    return result


def _warn_of_unchecked_certificates(job: Job, panels: Sequence[PanelToRead]) -> None:
    """Warn once if the certificate of a panel is not checked."""
    for panel in panels:
        if panel.connection.verify is False:
            job.warn([WITHOUT_VALIDATION.format(panel.connection.name_option("ca_path"))])
            return


def _build_report(
    readings: list[PanelReading], now: datetime.datetime, options: Mapping[str, Any]
) -> tuple[Row, list[PanelReading]]:
    """Return the report, and the readings that it was made from."""
    numbers = {name: options[name] for name in NUMBERS}
    try:
        return build_report(readings, now, options["title"], **numbers), readings
    except Exception:
        # A defect with one panel does not end the report about the others.
        readings = [_replace_unsound(reading, now) for reading in readings]
        return build_report(readings, now, options["title"], **numbers), readings


def _replace_unsound(reading: PanelReading, now: datetime.datetime) -> PanelReading:
    """Return the reading, or a failed one if no report can be made of it, which is a defect of the
    collection."""
    try:
        build_report([reading], now)
    except Exception as error:
        failure = str(report_defect(error))
        return PanelReading(reading.name, reading.address, reading.disk_space, failure)
    return reading


def _render_files(
    report: Row, kept: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, str]:
    """Return the text of each file that shows the report, by option. kept: what the next report
    takes from the JSON file."""
    data = json.dumps(mark_texts({**report, **kept}), indent=1, ensure_ascii=False)
    texts = {
        "file": render_page(report),
        "json_file": f"{data}\n",
        "metrics_file": render_metrics(report),
    }
    return {name: text for name, text in texts.items() if options[name]}


def _render_usage(
    job: Job, readings: Sequence[PanelReading], now: datetime.datetime, limit_days: LimitDays
) -> str:
    """Return the text of the table of usage. A warning names what it lacks."""
    options = job.arguments
    # Without traffic there is a row for today's figures, too.
    months = list_months_until(now, max(1, options["months"]))
    # Only a JSON file keeps the days before this one.
    days = limit_days if options["json_file"] else LimitDays()
    rows = make_usage_rows(readings, months, days)
    gaps = list_gaps(readings, rows, options["months"] > 0)
    if gaps:
        names = abbreviate(gaps, _MOST_GAPS)
        job.warn([f"{job.name_option('usage_file')}: figures are missing for {names}."])
    form = UsageForm(SEPARATORS[options["usage_separator"]], options["usage_decimal"])
    return render_usage(rows, form)


def _find_changed(old_texts: Mapping[str, str], texts: Mapping[str, str], report: Row) -> list[str]:
    """Return the options whose files say something else than that of an earlier report."""
    times = _find_times(report)
    return [
        name
        for name, text in texts.items()
        if not _says_the_same(old_texts[name], text, times.get(name))
    ]


class _TimeInText(NamedTuple):
    """How a text says when it was made.

    Attributes:
        written: As it is in the text.
        lasting: The beginning of that, which another time of the same day has too.
    """

    written: str
    lasting: str


def _find_times(report: Row) -> dict[str, _TimeInText]:
    """Return by option how its file says the time of the report."""
    moment = report["generated_at"]
    page_time = str(format_time(moment))
    json_time = f'"generated_at": "{moment}"'
    metrics_time = format_timestamp(report)

    time_of_day = f"T{moment.partition('T')[2]}"
    return {
        "file": _TimeInText(page_time, page_time.partition(time_of_day)[0]),
        "json_file": _TimeInText(json_time, json_time.partition(time_of_day)[0]),
        "metrics_file": _TimeInText(metrics_time, metrics_time.partition(" ")[0]),
    }


def _says_the_same(old_text: str, text: str, time: _TimeInText | None) -> bool:
    """Return whether two texts differ in the time of the same day at most.

    Args:
        old_text: That of an earlier report.
        text: That of this one.
        time: How this one says its time; None if it says none.
    """
    if time is None:
        return old_text == text
    before, _time, after = text.partition(time.written)
    begin = before + time.lasting
    is_long_enough = len(old_text) >= len(begin) + len(after)
    return is_long_enough and old_text.startswith(begin) and old_text.endswith(after)


def _make_result(
    job: Job, report: Row, readings: Sequence[PanelReading], written: list[str]
) -> dict[str, Any]:
    """Return the result of the task. written: the files that have changed."""
    files = ", ".join(written) or "nothing, since the report says the same as earlier today"
    verb = "would be written" if job.check_mode else "written"
    return {
        "changed": bool(written),
        **{name: job.arguments[name] for name in FILES},
        "written": written,
        "summary": report["summary"],
        "lines": [*format_summary_lines(report), f"{verb}: {files}"],
        "requests": sum(reading.requests for reading in readings),
        "unread": [reading.name for reading in readings if reading.failure],
    }


def _describe_unread_panels(job: Job, readings: Sequence[PanelReading]) -> list[Problem]:
    """Return which panels could not be read, and why."""
    unread = [reading for reading in readings if reading.failure]
    verb = "would say" if job.check_mode else "says"
    report = f"The report in {job.arguments['file']} {verb} so, and shows the others."
    return [
        Problem(cause=f"{len(unread)} of {len(readings)} panels could not be read."),
        *[Problem(subject=reading.name, cause=reading.failure) for reading in unread],
        Problem(cause=report),
    ]


# Options.


class _Fleet(NamedTuple):
    """The panels of a report.

    Attributes:
        panels: Those that are read.
        mistaken: By name of a host that is not read, what is wrong with its variables.
        hosts: The hosts of the play in their order; none where the task names the panels.
    """

    panels: list[PanelToRead]
    mistaken: Mapping[str, str] = {}
    hosts: Sequence[str] = ()

    def order_readings(self, readings: Sequence[PanelReading]) -> list[PanelReading]:
        """Return the readings, and one for each host that was not read."""
        if not self.mistaken:
            return list(readings)
        by_name = {reading.name: reading for reading in readings}
        for host, mistake in self.mistaken.items():
            by_name[host] = PanelReading(host, "", failure=mistake)
        return [by_name[host] for host in self.hosts]

    def list_problems_of_hosts(self) -> list[Problem]:
        """Return a problem for each host that is not read."""
        return [Problem(subject=host, cause=mistake) for host, mistake in self.mistaken.items()]


def _read_options(job: Job, clock: datetime.datetime) -> tuple[_Fleet, datetime.datetime]:
    """Return the panels, and the time of the report; raises OptionError, which has each mistake."""
    problems: list[Problem] = []
    fleet = _read_fleet(job, problems)
    problems += _find_problems_of_numbers(job)
    problems += _find_problems_of_usage_form(job)
    problems += _find_problems_of_files(job, fleet.panels)
    now = _read_time(job, clock, problems)
    # A report about nothing helps nobody.
    if problems or not fleet.panels:
        *first, last = [*fleet.list_problems_of_hosts(), *problems]
        raise_if_any([*first, replace(last, written=Written.NOTHING_READ)])
    return fleet, now


def _read_time(job: Job, clock: datetime.datetime, problems: list[Problem]) -> datetime.datetime:
    """Return the time of the report.

    Args:
        job: The task.
        clock: What it is now.
        problems: Gets what is wrong with the option.
    """
    text = job.arguments["time"]
    if not text:
        return clock
    time = parse_time(text, clock.tzinfo)
    if time is None:
        cause = f"{text!r} is no time such as 2026-11-20T06:00:00+01:00."
        problems.append(describe_option_problem("time", cause))
    return time or clock


def _find_problems_of_numbers(job: Job) -> Iterator[Problem]:
    """Yield a problem for each number that is out of its range."""
    options = job.arguments
    for name, (_default, least, most) in NUMBERS.items():
        if not least <= options[name] <= most:
            requirement = f"it must be a whole number from {least} to {most}."
            cause = f"{options[name]} is not accepted; {requirement}"
            yield describe_option_problem(name, cause)
    if options["urgent_days"] > options["soon_days"]:
        soon_days = job.name_option("soon_days")
        cause = f"is more than {soon_days}, so that nothing would ever be soon."
        yield describe_option_problem("urgent_days", cause)


def _find_problems_of_usage_form(job: Job) -> Iterator[Problem]:
    """Yield a problem for each option that no table of usage can be written with."""
    separator = job.arguments["usage_separator"]
    decimal = job.arguments["usage_decimal"]
    if separator not in SEPARATORS:
        cause = f"{separator!r} is not one of , ; | and tab."
        yield describe_option_problem("usage_separator", cause)
    if decimal not in DECIMALS:
        cause = f"{decimal!r} is neither a point nor a comma."
        yield describe_option_problem("usage_decimal", cause)
    elif separator == decimal:
        names = f"{job.name_option('usage_separator')}, {job.name_option('usage_decimal')}"
        cause = f"both are {separator!r}; set the first to ';'."
        yield Problem(("usage_separator",), subject=names, cause=cause)


def _find_problems_of_files(job: Job, panels: Sequence[PanelToRead]) -> list[Problem]:
    """Return a problem for each file that must not be written."""
    files = [
        inspect_file(panel.export_option, panel.export, is_directory=True)
        for panel in panels
        if panel.export is not None
    ]
    for name, form in FILES.items():
        path = job.arguments[name]
        if path:
            files.append(inspect_file(job.name_option(name), path, form, makes_directory=True))
    return find_conflicts(files)


def _read_fleet(job: Job, problems: list[Problem]) -> _Fleet:
    """Return the panels of the task.

    Args:
        job: The task.
        problems: Gets what is wrong.
    """
    options = job.arguments
    directory = options["export_dir"]
    if directory and not Path(directory).is_dir():
        cause = f"there is no directory {directory}."
        problems.append(describe_option_problem("export_dir", cause))

    hosts: list[HostPanel] = []
    if options["panels"] is None and options["hosts"]:
        hosts = read_hosts(
            options["hosts"], job.variables["hostvars"], _make_key_check(options), job.is_template
        )
    if hosts:
        return _read_fleet_of_hosts(job, hosts)
    return _Fleet(_read_named_panels(job, problems))


def _read_named_panels(job: Job, problems: list[Problem]) -> list[PanelToRead]:
    """Return the panels that the task names. problems: gets what is wrong with their options."""
    options = job.arguments
    described = options["panels"]
    named: list[NamedPanel] = []
    with collect_problems(problems):
        named = make_named_panels(described, options, job.environment, PANEL)
    entries = described or [{}]
    sizes: list[int | None] = []
    for index, entry in enumerate(entries):
        with collect_problems(problems):
            sizes.append(_read_disk_space(entry, ("panels", index, "disk_space")))

    problems += find_shared_addresses(named)
    # What the environment sets has no variable.
    named_options = (*ENVIRONMENT, "export_dir") if described else ()
    panels: list[PanelToRead] = []
    for index, (panel, size, entry) in enumerate(zip(named, sizes, entries)):
        names = {}
        for name in named_options:
            names[name] = format_path(name_option_path(("panels", index, name), job.names))
        own_export = _Export(entry.get("export_dir"), names.get("export_dir", ""))
        export = _find_export(job, panel.name, own_export, len(named) == 1)
        panels.append(_make_panel_to_read(panel, size, export, names))
    return panels


def _read_fleet_of_hosts(job: Job, hosts: Sequence[HostPanel]) -> _Fleet:
    """Return the hosts of the play, of which one with a mistake is not read."""
    panels: list[PanelToRead] = []
    mistaken: dict[str, str] = {}
    names: dict[str, str] = {}
    for host in hosts:
        problems: list[Problem] = []
        if not host.mistakes:
            with collect_problems(problems):
                panel = _read_panel_of_host(job, host, len(hosts) == 1)
                address = panel.connection.base_url
                if address in names:
                    cause = describe_shared_address(host.name, names[address])
                    raise OptionError(cause, option="api_url")
                names[address] = host.name
                panels.append(panel)

        sentences = list(host.mistakes.values())
        for problem in problems:
            path = name_option_path(problem.path, VARIABLES)
            sentences.append(format_message(replace(problem, path=path)))
        if sentences:
            mistaken[host.name] = " ".join(sentences)
    return _Fleet(panels, mistaken, [host.name for host in hosts])


def _read_panel_of_host(job: Job, host: HostPanel, is_only_one: bool) -> PanelToRead:
    """Return the panel that a host is; raises OptionError."""
    panel = make_named_panel(host.options, job.arguments, job.environment, PANEL, is_only_one)
    size = _read_disk_space(host.options, ("disk_space",))
    names = {option: f"{variable} of {host.name}" for option, variable in VARIABLES.items()}
    own_export = _Export(host.options.get("export_dir"), names["export_dir"])
    export = _find_export(job, host.name, own_export, is_only_one)
    return _make_panel_to_read(panel, size, export, names)


class _Export(NamedTuple):
    """The directory with the export of a panel, and what messages call the option for it."""

    directory: str | None
    option: str


def _find_export(job: Job, panel_name: str, own_export: _Export, is_only_one: bool) -> _Export:
    """Return the panel's own directory, or the one within that of the task."""
    if own_export.directory:
        return own_export
    directory = _find_export_directory(panel_name, job.arguments["export_dir"], is_only_one)
    return _Export(directory, job.name_option("export_dir"))


def _make_panel_to_read(
    panel: NamedPanel, size: int | None, export: _Export, names: Mapping[str, str]
) -> PanelToRead:
    """Return what is read of a panel.

    Args:
        panel: The panel.
        size: The bytes of its disk.
        export: The directory with its export.
        names: By option of its connection what messages call it.
    """
    connection = replace(panel.connection, names=names)
    path = Path(export.directory).expanduser() if export.directory else None
    address = get_panel_host(panel.options, {})
    return PanelToRead(panel.name, address, connection, size, path, export.option)


def _read_disk_space(entry: Mapping[str, Any], path: OptionPath) -> int | None:
    """Return the bytes of a panel's disk; raises OptionError, which names the option."""
    size = entry.get("disk_space")
    if not size:
        return None
    number: int | None = parse_option(ByteSize(unlimited=False), path, size)
    return number


def _find_export_directory(name: str, directory: str | None, is_only_one: bool) -> str | None:
    """Return the directory with a panel's export; None if there is none.

    That is its subdirectory, or the whole directory for the only panel.
    """
    if not directory:
        return None
    subdirectory = os.path.join(directory, quote(name, safe=""))
    if os.path.isdir(subdirectory):
        return subdirectory
    return directory if is_only_one else None


def _make_key_check(options: Mapping[str, Any]) -> Callable[[str], bool]:
    """Return what tells whether a host has its key from elsewhere.

    That of the environment is of one panel, which no inventory names.
    """

    def has_key(host: str) -> bool:
        return bool(options["api_key"]) or host == "localhost"

    return has_key


# Files.


def _read_text(path: str | None) -> str:
    """Return the text of a file; empty without one."""
    if not path or not os.path.exists(path):
        return ""
    return read_regular(path).decode("utf-8", "replace")


def _write_changed_files(
    options: Mapping[str, Any], texts: Mapping[str, str], changed: Sequence[str]
) -> None:
    """Write the files that say something else, and the metrics with their time in any case."""
    names = [name for name in texts if name in changed or name == "metrics_file"]
    _write_files(options, {name: texts[name] for name in names})


def _limit_modes(job: Job, names: Sequence[str]) -> list[str]:
    """Take rights from unchanged files with customers in them; return the options of these files.

    A new text brings the mode with it, and the metrics are written in any case.
    """
    narrowed = []
    for name in names:
        path = Path(job.arguments[name])
        is_private = name != "metrics_file"
        if is_private and limit_mode(path, _MODE_WITH_CUSTOMERS, job.check_mode):
            narrowed.append(name)

    return narrowed


def _write_files(options: Mapping[str, Any], texts: Mapping[str, str]) -> None:
    """Write the files. Raises JobFailed, with the files that are written by then."""
    written: list[str] = []

    def make_error(cause: str) -> JobFailed:
        error = JobFailed(cause, advice="Free the place and run again.")
        if written:
            error.amend(detail=f"{', '.join(written)} was written.")
        else:
            error.amend(written=Written.NOTHING)
        return error

    for name, text in texts.items():
        path = Path(options[name])
        with explain_error(str(path), make_error):
            path.parent.mkdir(parents=True, exist_ok=True)
            mode = 0o644 if name == "metrics_file" else _MODE_WITH_CUSTOMERS
            replace_file(path, text.encode(), mode)
        written.append(str(path))
