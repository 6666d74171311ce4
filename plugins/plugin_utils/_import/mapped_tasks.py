# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes scheduled tasks of cron jobs. No text of it shows a password of a command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from .._import_source.source_shape import CronJob, Source
from .command_secrets import HIDDEN, hide_secrets
from .import_ledger import ORPHAN, Ledger, RowName
from .item_checks import place_item
from .mapped_source import Item, Secret

KIND = "scheduled_tasks"
_COLUMNS = ("minute", "hour", "day_of_month", "month", "day_of_week")
_MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_LONGEST_DESCRIPTION = 100
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
# Options of wget and curl that change nothing but where the answer goes.
_HARMLESS_OPTIONS = frozenset({
    "-q", "-s", "-S", "-sS", "-f", "-fs", "-fsS", "-k", "-L", "--quiet", "--silent", "--spider",
    "-nv", "--fail", "--location", "-qO-", "-O-", "-qO/dev/null", "-O/dev/null",
    "--output-document=/dev/null", "--output-document=-",
})  # fmt: skip
_OUTPUT_OPTIONS = frozenset({"-O", "-qO", "-o", "--output", "--output-document"})
_NO_OUTPUT = frozenset({"/dev/null", "-"})
_FETCHERS = frozenset({"wget", "curl"})
_QUOTED = re.compile(r"'[^']*'|\"[^\"`$]*\"")
# A command with one of these, outside of quotes, does something else too.
_SHELL_SIGN = re.compile(r"[;|&<>`$()]")
_REDIRECTION = re.compile(r"(?:&?>>?\s*/dev/null|[12]>>?\s*/dev/null|2>&1)(?=\s|$)")

_NO_FIELDS = "{} has no five fields of a cron table."
_EMPTY = "It has no command."
_NO_URL = "The address that it fetches is none of http or https."


def map_tasks(ledger: Ledger, source: Source) -> None:
    """Add a scheduled task for each cron job, which is switched off."""
    keys: set[tuple[str, str]] = set()
    for job in source.cron_jobs:
        displayed = describe_command(job.command)
        row = RowName(job.customer, KIND, displayed, job.origin)
        if job.customer not in ledger.usernames:
            ledger.leave_out(row, ORPHAN)
            continue
        schedule = _read_schedule(job.schedule)
        if not job.command.strip():
            ledger.leave_out(row, _EMPTY)
        elif schedule is None:
            ledger.leave_out(row, _NO_FIELDS.format(_clean(job.schedule)[:60] or "its schedule"))
        else:
            _map_task(ledger, job, row, schedule, keys)


def _map_task(
    ledger: Ledger, job: CronJob, row: RowName, schedule: Item, keys: set[tuple[str, str]]
) -> None:
    url = job.command.strip() if job.is_url else _find_fetched_url(job.command)
    if job.is_url and not _URL.fullmatch(url or ""):
        ledger.leave_out(row, _NO_URL)
        return

    command = url or job.command
    client = ledger.usernames[job.customer]
    description = _number(row.key, job.customer, keys)
    item: Item = {
        "client": client,
        "description": description,
        "type": "http" if url else "exec",
        "command": Secret(command) if hide_secrets(command) != command else command,
        "schedule": schedule,
        "is_enabled": False,
    }
    if place_item(ledger, [row], item, f"{client}:{description}") is None:
        return
    keys.add((job.customer, description))
    ledger.leave_fields(row, job.fields_left_out)


def _number(description: str, customer: str, keys: set[tuple[str, str]]) -> str:
    """Return a description that no other task of the client has."""
    number = 2
    unique = description
    while (customer, unique) in keys:
        unique = f"{description} ({number})"
        number += 1
    return unique


def describe_command(command: str) -> str:
    """Return a command as one line for people, without the passwords in it."""
    text = _clean(hide_secrets(command))
    if len(text) > _LONGEST_DESCRIPTION:
        text = f"{text[: _LONGEST_DESCRIPTION - 1].rstrip()}{HIDDEN}"
    return text or "task"


def _clean(text: str) -> str:
    """Return a text in one line of visible signs."""
    visible = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(visible.split())


def _read_schedule(text: str) -> Item | None:
    """Return the columns of a schedule; None for what has no five."""
    columns = _MACROS.get(text.strip().lower(), text).split()
    if len(columns) != len(_COLUMNS):
        return None
    return dict(zip(_COLUMNS, columns))


def _find_fetched_url(command: str) -> str | None:
    """Return the address that a command fetches and does nothing else with; None for any other."""
    arguments = _split_command(_REDIRECTION.sub("", command).strip())
    if not arguments or arguments[0].rpartition("/")[2] not in _FETCHERS:
        return None
    operands = _without_harmless_options(arguments[1:])
    if len(operands) != 1 or not _URL.fullmatch(operands[0]):
        return None
    return operands[0]


def _split_command(command: str) -> list[str]:
    """Return the words of one simple command; none where a shell would do more with it."""
    if _SHELL_SIGN.search(_QUOTED.sub("", command)):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _without_harmless_options(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without the options that change at most where an answer is thrown away.

    What is left of a command that only fetches is the address.
    """
    operands: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument in _OUTPUT_OPTIONS:
            output = next(remaining, "")
            if output not in _NO_OUTPUT:
                operands += [argument, output]
        elif argument not in _HARMLESS_OPTIONS:
            operands.append(argument)
    return operands
