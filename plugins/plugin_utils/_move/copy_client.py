# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes on one panel what a client has on another. The source is only read. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module_utils._task.mistakes import first_of
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed, explained
from .._jobs.plan_words import failure_lines, plan_lines
from .._passwords.apply_with_passwords import Application
from .._passwords.credentials_file import file_of_task
from .._run.controller_files import check_place
from .differences import objects_of_a_namesake, unexpected_changes, without_passwords
from .hand_over_page import PAGES
from .mapping import CannotMove, Resources, mapped
from .move_options import both_panels, read_rules
from .read_both_panels import read_both

_MOST_LINES = 200


def copy_client(job: Job) -> dict[str, Any]:
    """The result of the task. Raises CannotMove, ModuleFailed and CredentialsError before anything is written, JobFailed also later."""
    arguments = job.arguments
    source, target = both_panels(job)
    file = file_of_task(job)
    if file is not None:
        file.check()
    if arguments["page"]:
        # It is written after the target was.
        with explained(f"page: {arguments['page']}", "Nothing was written."):
            check_place(Path(arguments["page"]), missing=1, own=PAGES)
    rules = read_rules(arguments, source.name())
    seen = read_both(source, target, rules.client)
    wanted = mapped(seen, rules)
    job.warn(wanted.warnings)
    application = Application(job, target, wanted.resources, lambda _kind, _index: file, {})
    plan, ahead = target.checked(application.plan())["plan"], application.ahead
    _refuse(without_passwords(plan, ahead.chosen), wanted.resources, seen.target, rules.client, arguments["update"])
    if ahead.chosen_without_file():
        named = first_of([f"{kind} {key}" for kind, key in ahead.chosen], 10)
        raise CannotMove(
            f"credentials_file: missing; there is no file to keep the passwords in that are made for {named}."
        )
    done = application.write()
    result = {
        "changed": bool(done.get("changed")),
        "summary": plan["summary"],
        "lines": plan_lines(plan, _MOST_LINES),
        "failures": failure_lines(done.get("results") or (), _MOST_LINES),
        **application.file(),
    }
    if done.get("failed"):
        raise JobFailed(f"On the target: {done.get('msg')}", **result)
    return result


def _refuse(plan: Mapping[str, Any], resources: Resources, there: Resources, client: str, may_update: bool) -> None:
    """Raises CannotMove where the plan would change what the target has, and is not known to be of the same customer."""
    lines = [] if may_update else unexpected_changes(plan, there)
    if lines:
        raise CannotMove(
            f"The target has {len(lines)} of these objects already, and they differ: {first_of(lines, 20, '; ')}. Make both panels equal, or "
            "delete them on the target, or set update: true to change them there (move_update in the role move)."
        )
    objects = objects_of_a_namesake(plan, resources, there, client)
    if objects:
        raise CannotMove(
            f"client: the client {client} of the target has nothing of the one on the source, and differs from it: it is another customer, who "
            f"has {first_of(objects, 10)}. Rename one of both."
        )
