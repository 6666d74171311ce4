# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file with a page of a plan, for a merge request. It is about this run in any case, also about one that fails. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._jobs.job import Job
from .._jobs.job_failed import explained
from .._jobs.plan_page import PAGES, Page, code, code_block, counts
from .._run.controller_files import check_place, mode_for, replace_file

OPTION: dict[str, Any] = {"plan_file": {"type": "path"}}
_NOT_WRITTEN = "A page that is there is of an earlier run. Nothing was written to the panel. Make room, or name another file, and run again."
_MOST_WARNINGS = 10
_LONGEST_WARNING = 500


class PlanFile:
    """The file that the option plan_file of a task names; without one nothing is written. Raises JobFailed where there can be no such file."""

    def __init__(self, job: Job) -> None:
        given = job.arguments["plan_file"]
        self.is_written = False
        self._job = job
        self.path = Path(given).absolute() if given else None
        if self.path is not None:
            with explained(f"plan_file: {self.path}", "Nothing was read or written."):
                check_place(self.path, own=PAGES)  # not one of the folder, which the plan would miss then

    @property
    def paths(self) -> list[Path]:
        """The one path, or none."""
        return [] if self.path is None else [self.path]

    def write(self, page: Page) -> None:
        """Puts the page in the place of the file, also in check mode, of which it is the result."""
        if self.path is not None:
            with explained(f"plan_file: {self.path}: cannot be written", _NOT_WRITTEN):
                replace_file(self.path, self._job.vault.masked(page.text()).encode(), mode_for(self.path), flush=False)
            self.is_written = True


def page_of_plan(panel: str, planned: Mapping[str, Any], new_passwords: Sequence[str], has_file: bool) -> Page:
    """planned: a result of panel_resources in check mode. new_passwords: what gets one. has_file: whether there is a file for them."""
    plan = planned.get("plan")
    if plan is None:
        return page_of_failure(panel, str(planned.get("msg", "")))
    notes = [counts(plan["summary"], plan["actions"])]
    if planned.get("failed"):
        notes += ["**This plan cannot be applied:**", code_block(str(planned.get("msg", "")))]
    elif new_passwords and not has_file:
        notes.append(
            f"**This plan cannot be applied:** nobody would know the passwords of {_objects(len(new_passwords))}. Name a file for them in "
            "`panel_passwords_file`, or give passwords in the files of the folder."
        )
    elif not plan["actions"]:
        notes.append("There is nothing to do.")
    else:
        if new_passwords:
            notes.append(f"The new passwords of {_objects(len(new_passwords))} go into the encrypted file.")
        notes.append(
            f"`hosting.panel.apply` with `panel_expected_checksum` {code(str(plan['checksum']))} does exactly this, or nothing."
        )
    warnings = planned.get("warnings") or ()
    notes += [f"Warning: {code(str(warning), _LONGEST_WARNING)}" for warning in warnings[:_MOST_WARNINGS]]
    if len(warnings) > _MOST_WARNINGS:
        notes.append(f"And {len(warnings) - _MOST_WARNINGS} more warnings.")
    return Page(f"Plan for {code(panel)}", notes, plan["actions"])


def page_of_failure(panel: str, message: str) -> Page:
    """Instead of a plan, so that nobody takes an older one for it."""
    return Page(f"No plan for {code(panel)}", ["There is none, because:", code_block(message)], [])


def _objects(count: int) -> str:
    return f"{count} object{'' if count == 1 else 's'}"
