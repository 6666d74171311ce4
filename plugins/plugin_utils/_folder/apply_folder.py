# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings a panel to what the files of a folder say, and keeps the passwords of new objects in an encrypted file. Private to the collection."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...module_utils._kinds.registry import TABLES
from ...module_utils._task.mistakes import first_of, rest_of
from .._files.folder_files import FolderError
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed
from .._jobs.plan_words import failure_lines, plan_lines
from .._passwords.apply_with_passwords import Application
from .._passwords.credentials_file import CredentialsError, file_of_task
from .plan_file import PlanFile, page_of_failure, page_of_plan
from .read_folder import Folder, read_folder

# Options of panel_resources that are handed on as they are.
HANDED_ON: dict[str, Any] = {
    "purge": {"type": "list", "elements": "str"},
    "max_deletes": {"type": "int"},
    "protect": {"type": "dict"},
    "concurrency": {"type": "int"},
    "expected_checksum": {"type": "str"},
}
_NO_FILE = (
    "credentials_file: missing; there is no file to keep the passwords in that are made for the {} objects under generates. Name one, or give "
    "passwords in the files of the folder. Nothing was written."
)

_NOT_IN_FOLDER = (
    "purge: no file of {1} has a list of {0}, so everything of that would go. Check purge (panel_purge of the playbooks) and the folder; if all "
    "of it shall go, put {2}: [] into a file of the folder. Nothing was written."
)

_WITHOUT_OBJECTS = "These files of {} were passed over, and objects that somebody believes to be in them are not: {}."
_NO_PURGE = (
    "purge: {} What they should hold would be deleted. Name files of objects NAME.yml, write what shall be empty as in emails: [], and move "
    "everything else out of the folder. Nothing was written."
)
_MOST_NAMED = 10


def apply_folder(job: Job) -> dict[str, Any]:
    """Gives the objects in the folder to panel_resources; the result of the task, in which no password is.

    Raises JobFailed, FolderError and CredentialsError before anything is written.
    """
    plan_file = PlanFile(job)
    try:
        return _applied(job, plan_file)
    except (JobFailed, FolderError, CredentialsError) as error:
        if not plan_file.is_written:
            plan_file.write(page_of_failure(job.panel.name(), str(error)))
        raise


def _applied(job: Job, plan_file: PlanFile) -> dict[str, Any]:
    directory = job.arguments["directory"]
    file = file_of_task(job)
    own = plan_file.paths if file is None else [*plan_file.paths, Path(file.path)]
    folder = read_folder(Path(directory), job.vault, own)
    if file is not None:
        file.check()
    options = job.handed_on(HANDED_ON)
    application = Application(job, job.panel, folder.resources, lambda _kind, _index: file, options)
    ahead = application.ahead
    if ahead.unnamed:
        raise JobFailed(f"{folder.in_files(' '.join(ahead.unnamed))} Nothing was written.")
    passed_over = _passed_over(folder, directory)
    _refuse_to_purge(options.get("purge", ()), folder, directory, passed_over)
    job.warn(filter(None, [passed_over]))
    planned = application.plan()
    new = [f"{kind} {key}" for kind, key in ahead.chosen]
    for_page = {**planned, "msg": folder.in_files(str(planned.get("msg", ""))), "warnings": _warnings(job, planned)}
    plan_file.write(page_of_plan(job.panel.name(), for_page, new, file is not None))
    if application.is_to_write() and ahead.chosen_without_file():
        raise JobFailed(
            _NO_FILE.format(len(new)),
            **{**_explained(planned, folder, job.arguments["most_lines"], new), "changed": False},
        )
    return {**_explained(application.write(), folder, job.arguments["most_lines"], new), **application.file()}


def _warnings(job: Job, planned: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys([*job.warnings, *(planned.get("warnings") or ())]))


def _refuse_to_purge(purge: Sequence[str], folder: Folder, directory: str, passed_over: str) -> None:
    """Raises JobFailed where what is not in the folder may only seem not to be wanted."""
    if passed_over and purge:
        raise JobFailed(_NO_PURGE.format(passed_over))
    if unnamed := [kind for kind in purge if kind in TABLES and folder.resources.get(kind) is None]:
        raise JobFailed(_NOT_IN_FOLDER.format(" and ".join(unnamed), directory, unnamed[0]))


def _passed_over(folder: Folder, directory: str) -> str:
    """A sentence about files that gave no objects; empty where there are none."""
    shown = first_of(folder.without_objects, _MOST_NAMED)
    return _WITHOUT_OBJECTS.format(directory, shown) if shown else ""


def _explained(done: dict[str, Any], folder: Folder, most: int, generates: list[str]) -> dict[str, Any]:
    """With what a person wants to read in the place of all actions, and with the file of each mistake."""
    result = {name: value for name, value in done.items() if name not in ("plan", "results")}
    plan = done.get("plan")
    if plan is not None:
        result["summary"] = plan["summary"]
        result["changes"] = len(plan["actions"])
        result["checksum"] = plan["checksum"]
        result["lines"] = plan_lines(plan, most)
        result["failures"] = failure_lines(done.get("results", ()), most)
        result["generates"] = generates
    if result.get("failed"):
        result["msg"] = folder.in_files(str(result.get("msg", "")))
        error = result.get("error")
        if isinstance(error, dict) and isinstance(error.get("mistakes"), list):
            mistakes = [folder.in_files(str(mistake)) for mistake in error.pop("mistakes")]
            # Ansible prints all of a result that failed, and the message has the others.
            rest = rest_of(mistakes)
            error.update({"mistakes": rest} if rest else {})
    return result
