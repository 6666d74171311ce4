# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings many customers to what is wanted of them, with the passwords of each in a file of its own. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._task.mistakes import Mistake, first_of, number_of
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed, mistaken, mistaken_in
from .._jobs.plan_by_client import lines_by_client
from .._jobs.plan_words import failure_lines, in_places
from .._jobs.run_modules import of_task
from .._passwords.apply_with_passwords import Application
from .._passwords.credentials_file import CredentialsError, CredentialsFile, credentials_file
from .customers import Customers, read_sites
from .customers_from import customers_from
from .origins import in_order

# Options of panel_resources that are handed on as they are.
HANDED_ON: dict[str, Any] = {"max_deletes": {"type": "int"}, "concurrency": {"type": "int"}}
_MOST_NAMED = 10


def bring(job: Job) -> dict[str, Any]:
    """Gives everything of all customers to panel_resources; the result of the task. Raises JobFailed, and CredentialsError before any write."""
    given, directory = job.arguments["sites"], job.arguments["credentials_dir"]
    found = customers_from(given, job.arguments["sites_from"], job.vault, directory)
    job.warn(found.warnings)
    customers = read_sites(found.sites, directory, found.origins)
    files = {path: credentials_file(path, job.vault) for path in customers.files if path}
    mistakes = [
        *found.mistakes,
        *customers.mistakes,
        *(mistake for file in files.values() for mistake in _in_place(file)),
    ]
    if mistakes:
        raise mistaken(in_order(mistakes))

    def file_of(kind: str, index: int) -> CredentialsFile | None:
        return files.get(customers.files[customers.owners[kind][index]] or "")

    application = Application(job, job.panel, customers.resources, file_of, job.handed_on(HANDED_ON))
    application.plan()
    return _explained(application.write(), customers, job.arguments["most_lines"])


def _in_place(file: CredentialsFile) -> list[str]:
    try:
        file.check_place()
    except CredentialsError as error:
        # By its place and its cause, since the files of all customers may have the same.
        cause = str(error).removeprefix(f"{file.path}: ")
        return [Mistake(f"credentials_file: {file.path}", cause, ": ", most_alike=1)]
    return []


def _explained(inner: Mapping[str, Any], customers: Customers, most: int) -> dict[str, Any]:
    """What a person wants to read of a result of panel_resources: what became of each customer, and no secret. Raises JobFailed."""
    shown = of_task(inner)
    plan, results = inner.get("plan"), inner.get("results") or ()
    if plan is not None:
        shown["summary"] = plan["summary"]
        shown["changes"] = len(plan["actions"])
        shown["lines"] = lines_by_client(plan, most, len(customers.usernames))
    named = [{**entry, "owner": customers.owner_of(entry["kind"], entry["key"])} for entry in results]
    shown["failures"] = failure_lines([_with_customer(entry, customers) for entry in named], most)
    shown["customers"] = _by_customer(named, customers) if plan is not None else []
    shown["with_login_url"] = customers.with_login_url
    if inner.get("failed"):
        message = str(inner.get("msg", ""))
        wrong = [one["client"] for one in shown["customers"] if one["failed"] or one["skipped"]]
        prefix = f"Not complete: {first_of(wrong, _MOST_NAMED)}. " if wrong else ""
        # Ansible prints all of a result that failed.
        shown.pop("lines", None)
        shown.pop("with_login_url")
        shown["customers"] = [one for one in shown["customers"] if one["failed"] or one["skipped"]]
        error = shown.get("error")
        if isinstance(error, dict) and error.get("mistakes"):
            once = in_order(map(customers.explained, error["mistakes"]))
            shown["error"] = {name: value for name, value in error.items() if name != "mistakes"}
            raise mistaken_in(once, number_of(message), **shown)
        raise JobFailed(prefix + in_places(message, customers.places), **shown)
    return shown


def _with_customer(entry: Mapping[str, Any], customers: Customers) -> dict[str, Any]:
    owner = entry["owner"]
    return {**entry, "kind": entry["kind"] if owner is None else f"{customers.usernames[owner]}: {entry['kind']}"}


def _by_customer(results: list[dict[str, Any]], customers: Customers) -> list[dict[str, Any]]:
    """For each customer how many of its objects were changed, failed and were skipped."""
    counts = [{"changed": 0, "failed": 0, "skipped": 0} for _username in customers.usernames]
    for entry in results:
        if entry["owner"] is not None and entry["result"] in counts[entry["owner"]]:
            counts[entry["owner"]][entry["result"]] += 1
    return [
        {"client": username, **counted, "credentials_file": path or ""}
        for username, counted, path in zip(customers.usernames, counts, customers.files)
    ]
