# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways of doing a job that are compared, and the requests that each may send: not one more, not one less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tools.bench.mailboxes import Start, step_of

Requests = dict[str, int]


@dataclass(frozen=True)
class Way:
    """One way. Exactly one of `play`, `tasks` and `script` names what runs."""

    title: str
    requests: Callable[[int, Start], Requests]
    """The requests by method, for a number of mailboxes and a start."""
    play: str = ""
    """A file in plays/."""
    tasks: str = ""
    """A file in tasks/, written out once for each mailbox."""
    script: str = ""
    """A file beside this one."""
    in_process: bool = True


def writes(count: int, start: Start) -> Requests:
    """Return the writes that a job takes."""
    if start is Start.NEW:
        return {"POST": count}
    step = step_of(start)
    return {"PUT": len(range(0, count, step))} if step else {}


def _none(_count: int, _start: Start) -> Requests:
    return {}


def _one_read_each(count: int, start: Start) -> Requests:
    return {"GET": count, **writes(count, start)}


def _one_module_each(count: int, start: Start) -> Requests:
    # Before a new mailbox is made, its domain is looked at, and whether its address is another one's alias.
    return {"GET": 3 * count if start is Start.NEW else count, **writes(count, start)}


def _one_list(count: int, start: Start) -> Requests:
    # A new mailbox belongs to the owner of its domain, which a second list tells.
    return {"GET": 2 if start is Start.NEW else 1, **writes(count, start)}


EMPTY = Way("empty play", _none, play="empty.yml")
DEBUG_LOOP = Way("`debug` in a loop", _none, play="debug_loop.yml")
LOOP = Way("`panel_email` in a loop, in process, panel in the environment", _one_module_each, play="module_loop.yml")
LOOP_DEFAULTS = Way(
    "`panel_email` in a loop, in process, panel in `module_defaults`, with `id_user`",
    _one_module_each,
    play="module_loop_defaults.yml",
)
LOOP_MODULE = Way("`panel_email` in a loop, as module", _one_module_each, play="module_loop.yml", in_process=False)
URI_LOOP = Way("`uri` in loops: GET each, then POST or PUT", _one_read_each, play="uri_loop.yml")

TASK = Way("`panel_email` tasks, in process", _one_module_each, tasks="module.yml")
TASK_MODULE = Way("`panel_email` tasks, as module", _one_module_each, tasks="module.yml", in_process=False)
TASK_MODULE_CREATE = Way(
    "`panel_email` tasks with `id_user`, as module", _one_module_each, tasks="module_create.yml", in_process=False
)
URI_READ = Way("`uri` tasks: GET", _one_read_each, tasks="uri_read.yml")
URI_CREATE = Way("`uri` tasks: GET and POST", _one_read_each, tasks="uri_create.yml")
URI_CHANGE = Way("`uri` tasks: GET and PUT", _one_read_each, tasks="uri_change.yml")

BULK = Way("`panel_resources`, in process", _one_list, play="bulk.yml")
BULK_MODULE = Way("`panel_resources`, as module", _one_list, play="bulk.yml", in_process=False)
RESULT = Way("`panel_resources`, in process, result kept", _one_list, play="bulk_result.yml")
RESULT_MODULE = Way("`panel_resources`, as module, result kept", _one_list, play="bulk_result.yml", in_process=False)
NOTHING = Way("a module that only imports `requests`", _none, play="nothing.yml")
URI_FILTERS = Way("`uri` list, difference with filters", _one_list, play="uri_filters.yml")
URI_TEMPLATE = Way("`uri` list, difference in a tuned template", _one_list, play="uri_template.yml")
SCRIPT = Way("script with `requests`", _one_list, script="floor.py")
