# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes scheduled tasks of cron jobs. No text of it shows what may be a password of a command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from ..._import_source.source_shape import CronJob, Source
from ..import_ledger import ORPHAN, Ledger, RowName
from ..item_checks import place_item
from ..mapped_source import Item, Secret
from ..naming.command_names import is_plain_address, is_plain_command, name_address, name_command

KIND = "scheduled_tasks"
_EXEC = "exec"
_HTTP = "http"
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


class _Command(NamedTuple):
    """What a job does.

    Attributes:
        type: That of the task: "http" for what only fetches an address, else "exec".
        text: The address, or the command. It may hold a password.
        name: What people call it, without anything that may be a password.
        is_plain: Whether nothing of the text can be a password.
    """

    type: str
    text: str
    name: str
    is_plain: bool


def map_tasks(ledger: Ledger, source: Source) -> None:
    """Add a scheduled task for each cron job, which is disabled.

    Its command is a secret where anything of it may be a password.
    """
    keys: set[tuple[str, str]] = set()
    for job in source.cron_jobs:
        command = _read_command(job)
        row = RowName(job.customer, KIND, command.name, job.origin)
        if job.customer not in ledger.usernames:
            ledger.leave_out(row, ORPHAN)
            continue
        schedule = _read_schedule(job.schedule)
        reason = _find_reason(job, command, schedule)
        if reason:
            ledger.leave_out(row, reason)
            continue
        text = command.text if command.is_plain else Secret(command.text)
        fields = {"type": command.type, "command": text, "schedule": schedule}
        _place_task(ledger, job, row, fields, keys)


def _find_reason(job: CronJob, command: _Command, schedule: Item | None) -> str:
    """Return why a job of a customer does not arrive; empty if it does."""
    if not job.command.strip():
        return _EMPTY
    if schedule is None:
        return _NO_FIELDS.format(_clean(job.schedule)[:60] or "its schedule")
    if command.type == _HTTP and not _URL.fullmatch(command.text):
        return _NO_URL
    return ""


def _read_command(job: CronJob) -> _Command:
    url = job.command.strip() if job.is_url else _find_fetched_url(job.command)
    if url is None:
        # What a command writes to /dev/null is no part of what it does.
        is_plain = is_plain_command(_REDIRECTION.sub("", job.command).strip())
        return _Command(_EXEC, job.command, name_command(job.command), is_plain)
    return _Command(_HTTP, url, name_address(url), is_plain_address(url))


def _place_task(
    ledger: Ledger, job: CronJob, row: RowName, fields: Item, keys: set[tuple[str, str]]
) -> None:
    """Add a task to the folder.

    Args:
        ledger: Gets the item, and what became of the row.
        job: The job.
        row: The row of the job.
        fields: What the task does, and when.
        keys: Customers and descriptions of the tasks before. The one of this task is added.
    """
    client = ledger.usernames[job.customer]
    description = _number(row.key, job.customer, keys)
    item: Item = {"client": client, "description": description, **fields, "is_enabled": False}
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
