# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One object of a customer, with its password in an encrypted file. Private to the collection.

The password is made here, and is in the file before the panel gets it and in no result that Ansible prints. So loops over many objects
need no no_log, which would hide names and errors too, and a run that is killed at any moment loses none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...module_utils._http.connection_settings import connection_argument_spec
from ...module_utils._kinds.registry import KINDS
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed
from .._passwords.credentials_content import Name
from .._passwords.credentials_file import CredentialsFile, credentials_file
from .._passwords.generated_passwords import PasswordsAhead, Results, is_certainly_not_written

# Options of single modules that no item has: those of the connection, and what is done after the write.
_OF_TASK = (*connection_argument_spec(), "wait", "wait_timeout", "read_back")


def bring_object(job: Job) -> dict[str, Any]:
    """Runs the module of the object's kind; its result. Raises JobFailed, and CredentialsError before anything is written."""
    kind, options, path = (job.arguments[name] for name in ("kind", "options", "credentials_file"))
    if not path or KINDS[kind].password is None:
        return job.panel.run(KINDS[kind].module, options)
    file = credentials_file(path, job.vault)
    file.check()
    return _brought_with_file(job, kind, options, file)


def _brought_with_file(job: Job, kind: str, options: dict[str, Any], file: CredentialsFile) -> dict[str, Any]:
    def run(options: Mapping[str, Any], **task: bool) -> dict[str, Any]:
        """task: check_mode or diff where they are others than those of the task."""
        return job.panel.run(KINDS[kind].module, options, **task)

    def shown(result: Mapping[str, Any]) -> dict[str, Any]:
        """Without the diff that the task did not ask for."""
        return {name: value for name, value in result.items() if name != "diff" or job.diff}

    alone = {name: value for name, value in options.items() if name not in _OF_TASK}
    given = {name: value for name, value in options.items() if name in _OF_TASK}
    ahead = PasswordsAhead({kind: [alone]}, job.panel.name(given), lambda _kind, _index: file)
    if ahead.mistakes:
        refused = run(options, check_mode=True)
        if refused.get("failed"):
            return refused
        raise JobFailed(f"{' '.join(ahead.mistakes)} Nothing was written.")
    if not ahead.names:
        return run(options)

    (name,) = ahead.names
    planned = job.panel.planned(KINDS[kind].module, {**given, **ahead.resources()[kind][0]}, diff=True)
    if not ahead.choose(_actions(name, planned)):
        # What waits until the panel has applied the object has to run.
        if planned.get("failed") or job.check_mode or not (planned["changed"] or given.get("wait")):
            return shown(planned)
        # By its id, so that it is not created where somebody has deleted it meanwhile.
        there = planned[KINDS[kind].singular]
        return run(KINDS[kind].by_id(options, there["id"]) if there else options)
    job.warn(ahead.warnings())
    if job.check_mode:
        ahead.check()
        return shown(planned)
    done = ahead.hand_over(lambda resources: run({**given, **resources[kind][0]}, diff=True), _results)
    return {**shown(done), "credentials_file": file.path}


def _actions(name: Name, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a result of a module says that it does, as a plan has it."""
    after = (result.get("diff") or {}).get("after") or {}
    return [{"kind": name[0], "key": name[1], "after": after}]


def _results(result: Mapping[str, Any], names: Collection[Name]) -> Results:
    """What became of the one object, by the result of its module."""
    (name,) = names
    is_sent = "password" in _actions(name, result)[0]["after"]
    # A module fails after its write where the wait does.
    is_written = result.get("changed") and (result.get("failed") or is_sent)
    is_not_written = is_certainly_not_written(result.get("error")) if result.get("failed") else not is_sent
    return Results(frozenset([name] * bool(is_written)), frozenset([name] * bool(is_not_written and not is_written)))
