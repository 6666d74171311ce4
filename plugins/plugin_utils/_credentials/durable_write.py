# SPDX-License-Identifier: GPL-3.0-or-later
"""The durable write: new passwords are in their credentials file before the panel gets them.

Private to the collection.

The collection makes a password itself. What a killed run left pending, the next run sets again.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Callable

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._items.wanted_items import SINGLE_MODULE_ONLY, Item, read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.operation import ON_PASSWORDS, REPORTS
from ...module_utils._schema.fields import OWNER
from ...module_utils._schema.kind import Kind
from ...module_utils._secrets.redaction import structured
from .._ansible.plain_values import plain
from .._run.panel_action import ModuleAction, module_action
from .._run.panel_connections import panel_host
from .encrypted_file import lock_files
from .passwords import (
    ROTATION,
    CredentialsFile,
    Name,
    NewPassword,
    NewPasswords,
    Outcomes,
    Resources,
)

FILE = "credentials_file"
CLIENT = "{client}"
# Whoever logs in to the panel, and owns what else there is.
_ACCOUNTS = ("clients", "admins")
# In an error the name under which the panel keeps a new object.
KEPT_AS = "kept_as"
# After these errors nothing was written.
_NOT_WRITTEN = frozenset(
    {
        "OptionError",
        "UnknownReference",
        "Conflict",
        "MissingLibrary",
        "Unreachable",
        "TimeIsUp",
        "Denied",
        "Refused",
        "PlanChanged",
        "ExistsByNow",
        "Busy",
        "WrongItems",
    }
)

Result = dict[str, Any]
# Runs a module: its name without the collection, its options beside the connection, whether in
# check
# mode, and the checksum of its plan.
Run = Callable[..., Result]


def run_with_file(action: ModuleAction, task_vars: Any) -> Result:
    """Return the result of a task with credentials_file. Raises PanelError."""
    task = action._task
    module = str(task.action).rpartition(".")[2]
    kind = _find_kind(module)
    takes_file = kind is not None or module == "panel_resources"
    if not takes_file or not isinstance(task.args[FILE], str):
        # The module itself says what is wrong.
        plain_result: Result = module_action(action, task).run(task_vars=task_vars)
        return plain_result
    if task.async_val or action._connection.transport != "local":
        raise OptionError(
            FILE,
            "needs a local connection and no async, because the file is on the controller. Nothing was written.",
        )

    options: dict[str, Any] = plain(task.args)
    pattern = options.pop(FILE)
    rotation = options.pop(ROTATION, None)
    _check_file_options(pattern, rotation)
    connection = {name: options.pop(name) for name in ENVIRONMENT if name in options}
    run = _ModuleRunner(action, connection, task_vars).run
    work = _Single(run, kind, options) if kind else _Bulk(run, options)
    owners = _Owners(run, work.resources, task.check_mode)
    panel = panel_host(connection, action.task_environment())

    paths: set[str] = set()
    predicted_paths: set[str] = set()
    number_of_passwords = 0
    try:
        new = _assign_files(_select_items(work.resources), pattern, owners, action.vault)
        paths = {password.file.path for password in new}
        passwords = NewPasswords(new, panel, str(rotation or ""))
        result = _write(work, passwords, task.check_mode)
        number_of_passwords = passwords.number_kept
        if task.check_mode:
            predicted_paths = {password.file.path for password in passwords.chosen.values()}
    except _Failed as failure:
        result = failure.result

    # What exists already may need no password, so that there is no file.
    if any(path in predicted_paths or os.path.exists(path) for path in paths):
        result[FILE] = paths.pop() if len(paths) == 1 else pattern
    if not kind:
        result["new_passwords"] = number_of_passwords
    result.pop("invocation", None)  # it would show how the module was called from here
    if not action.handed_on.get("reports"):
        result.pop(REPORTS, None)
    return result


def _find_kind(module: str) -> Kind | None:
    """Return the kind with passwords that a module manages; None if there is none."""
    for kind in KINDS.values():
        if kind.module == module and kind.password:
            return kind
    return None


def _check_file_options(pattern: str, rotation: Any) -> None:
    for name, value in ((FILE, pattern), (ROTATION, rotation)):
        if value is not None and not str(value).strip():
            raise OptionError(
                name, "is empty; give a value, or omit the option. Nothing was written."
            )
    if set(re.findall(r"{\w+}", pattern)) - {CLIENT}:
        problem = (
            f"{pattern}: only {CLIENT} can stand for something in a path. Nothing was written."
        )
        raise OptionError(FILE, problem)


def _assign_files(
    items: list[Item], pattern: str, owners: _Owners, vault: VaultLib
) -> list[NewPassword]:
    """Return a new password for each item, with the file that keeps it."""
    paths = []
    for item in items:
        path = pattern
        if CLIENT in pattern:
            path = pattern.replace(CLIENT, owners.find(item))
        paths.append(path)

    files = {path: CredentialsFile(path, vault) for path in dict.fromkeys(paths)}
    return [NewPassword(item, files[path]) for item, path in zip(items, paths)]


class _ModuleRunner:
    """Runs modules for a task, with its connection."""

    def __init__(self, action: ModuleAction, connection: Mapping[str, Any], task_vars: Any) -> None:
        self._action = action
        self._connection = connection
        self._task_vars = task_vars

    def run(
        self, module: str, options: Mapping[str, Any], check_mode: bool, planned: str = ""
    ) -> Result:
        """Return the result of a module. Raises _Failed for one that fails in check mode."""
        task = self._action._task.copy()
        task.action = f"hosting.panel.{module}"
        task.args = {**self._connection, **options}
        task.check_mode = check_mode
        running = module_action(self._action, task)
        reports = [*running.handed_on.get("reports", ()), ON_PASSWORDS]
        running.handed_on = {**running.handed_on, "planned": planned, "reports": reports}
        result: Result = running.run(task_vars=self._task_vars)
        if check_mode and result.get("failed"):
            raise _Failed(result)
        return result


class _Failed(Exception):
    """A module that only reads has failed."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


def _write(work: _Bulk | _Single, passwords: NewPasswords, check_mode: bool) -> Result:
    """Plan, keep the passwords, write exactly that plan, and note what the panel has.

    Raises FileError before the first write.
    """
    passwords.read()
    plan = _plan(work, passwords)
    if check_mode:
        passwords.check()
        return _add_warnings(plan, passwords)

    # All files of the task, since a later plan may choose other objects.
    files = [password.file for password in passwords.new.values()] if passwords.chosen else []
    with lock_files(files):
        # Another task may have written the same files before they were locked.
        if passwords.chosen and passwords.read():
            plan = _plan(work, passwords)
        passwords.keep()
        result = work.apply(
            passwords.fill(work.resources, passwords.chosen), plan, passwords.chosen
        )
        unknown = passwords.settle(work.outcomes_of(result, passwords.chosen))
    if unknown:
        message = " ".join(filter(None, [result.get("msg"), unknown]))
        result.setdefault("error", {"type": "FileError", "message": unknown})
        result.update(failed=True, msg=message)
    return _add_warnings(result, passwords)


def _plan(work: _Bulk | _Single, passwords: NewPasswords) -> Result:
    plan = work.run(passwords.fill(work.resources), True)
    passwords.choose(work.objects_receiving_passwords(plan, passwords.new))
    return plan


def _add_warnings(result: Result, passwords: NewPasswords) -> Result:
    warnings = [*(result.get("warnings") or ()), *passwords.warnings()]
    if not warnings:
        return result
    return {**result, "warnings": warnings}


# Which objects get a password, and whose they are.


def _select_items(resources: Resources) -> list[Item]:
    """Return the items that get a new password.

    Raises OptionError where the name of one is not known.
    """
    # What is wrong with them the module itself says.
    with_passwords = {
        kind: items for kind, items in resources.items() if kind in KINDS and KINDS[kind].password
    }
    selected = []
    for items in read_items(with_passwords).items.values():
        for item in items:
            if _needs_password(item):
                _refuse_ids(item)
                selected.append(item)
    return selected


def _needs_password(item: Item) -> bool:
    wanted = item.wanted
    if not wanted.is_present or wanted.password.body():
        return False
    return wanted.id is None or wanted.password.regenerate


def _refuse_ids(item: Item) -> None:
    """Raise OptionError for an item without its key, under which its password is filed."""
    wanted = item.wanted
    kind = KINDS[item.kind]
    named = {reference.path[0] for reference in wanted.references if reference.name is not None}
    # In some kinds the owner's name is a part of the key.
    by_id = [field.name for field in kind.key if field.collection and field.name not in named]
    if wanted.id is not None:
        by_id.insert(0, "id")
    if by_id:
        raise OptionError(
            f"{item.kind}[{item.index}].{by_id[0]}",
            f"give {kind.key_options[0]} instead: the password is filed under the name of the object. Nothing was written.",
        )


def _without_value(reason: str, advice: str) -> str:
    return f"{CLIENT} has no value, because {reason}. Nothing was written. {advice}"


class _Owners:
    """Finds the account of an object; asks the panel only where the task does not say it."""

    def __init__(self, run: Run, resources: Resources, check_mode: bool) -> None:
        self._run = run
        self._resources = resources
        self._check_mode = check_mode
        self._clients_by_key = functools.cache(self._list_clients)

    def find(self, item: Item) -> str:
        """Return the name of the account, as it stands in the path of a file.

        Raises OptionError if there is none.
        """
        kind = KINDS[item.kind]
        owner = item.key if item.kind in _ACCOUNTS else self._find_client(item)
        if not owner and self._check_mode and kind.owner:
            return CLIENT  # an earlier task may be about to create its domain
        if not owner:
            reason = f"the client of {kind.title} {item.key} is unknown"
            advice = f"Give client, or a path without {CLIENT}."
            raise OptionError(FILE, _without_value(reason, advice))
        if "/" in owner or owner.startswith("."):
            reason = f"{owner} cannot be a part of a file's name"
            raise OptionError(FILE, _without_value(reason, f"Give a path without {CLIENT}."))
        return owner

    def _find_client(self, item: Item) -> str:
        for reference in item.wanted.references:
            if reference.path == (OWNER,):
                return reference.name or self._clients_by_key("clients").get(str(reference.id), "")
        client = self._clients_by_key(item.kind).get(item.key, "")
        domain = KINDS[item.kind].read_domain(item.wanted.key)
        if client or domain is None:
            return client

        # A new mailbox belongs to the client of its domain.
        for options in reversed(self._resources.get("domains") or []):
            if KINDS["domains"].format_key(options) == domain:
                client = str(options.get("client") or "")
                break
        return client or self._clients_by_key("domains").get(domain, "")

    def _list_clients(self, kind: str) -> dict[str, str]:
        """Return the clients of all objects of a kind by key; the clients themselves by id."""
        if kind == "clients":
            clients = self._run("panel_client_info", {}, True)["clients"]
            return {str(client["id"]): client["username"] for client in clients}
        objects = self._run("panel_resources_info", {"kinds": [kind]}, True)["resources"][kind]
        return {
            str(KINDS[kind].format_key(object_)): str(object_.get("client") or "")
            for object_ in objects
        }


# The modules that write.


def _is_certainly_not_written(error: Any) -> bool:
    """Tell whether an error says that the panel did not do what was asked, at any attempt."""
    if not isinstance(error, Mapping) or error.get("written"):
        return False
    return error.get("type") in _NOT_WRITTEN and error.get("attempts") in (None, 0, 1)


class _Bulk:
    """Resources, by panel_resources."""

    def __init__(self, run: Run, options: Mapping[str, Any]) -> None:
        self._run = run
        self._options = options
        resources = options.get("resources")
        if isinstance(resources, str):
            resources = structured(resources)
        # What is wrong with them the module says itself.
        self._is_readable = isinstance(resources, dict) and all(
            isinstance(items, list) for items in resources.values()
        )
        self.resources: Resources = (
            resources if isinstance(resources, dict) and self._is_readable else {}
        )

    def run(self, resources: Resources, check_mode: bool, planned: str = "") -> Result:
        """Run the module, for a plan with that checksum."""
        options = dict(self._options)
        if self._is_readable:
            options["resources"] = resources
        return self._run("panel_resources", options, check_mode, planned)

    def objects_receiving_passwords(self, planned: Result, _names: Iterable[Name]) -> set[Name]:
        """Return the objects that get a password by the plan."""
        # A process reports pairs as lists.
        return {(name[0], name[1]) for name in planned[REPORTS][ON_PASSWORDS]}

    def apply(self, resources: Resources, planned: Result, _chosen: Collection[Name]) -> Result:
        """Carry out the plan, and no other; returns the result."""
        if not planned["plan"]["actions"]:
            return planned
        return self.run(resources, False, planned["plan"]["checksum"])

    def outcomes_of(self, result: Result, chosen: Mapping[Name, NewPassword]) -> Outcomes:
        """Return which of the chosen objects have their new password."""
        if "results" not in result:
            return dict.fromkeys(chosen) if _is_certainly_not_written(result.get("error")) else {}
        outcomes: dict[Name, str | None] = {}
        for entry in result["results"]:
            name = (entry["kind"], entry["key"])
            error = entry.get("error") or {}
            # What someone else made in the meantime keeps its own password.
            is_theirs = entry.get("existed") and name in chosen and not chosen[name].force
            is_untouched = is_theirs or entry["result"] in ("skipped", "unchanged")
            if KEPT_AS in error:
                outcomes[name] = error[KEPT_AS]
            elif entry["result"] == "changed" and not is_theirs:
                outcomes[name] = entry["key"]
            elif is_untouched or _is_certainly_not_written(error):
                outcomes[name] = None
        return outcomes


class _Single:
    """One object, by the module of its kind."""

    def __init__(self, run: Run, kind: Kind, options: Mapping[str, Any]) -> None:
        self._run = run
        self._kind = kind
        # What is done after the write is no option of an item.
        self._task_options = {
            name: value for name, value in options.items() if name in SINGLE_MODULE_ONLY
        }
        item = {name: value for name, value in options.items() if name not in SINGLE_MODULE_ONLY}
        self.resources: Resources = {kind.plural: [item]}

    def run(self, resources: Resources, check_mode: bool) -> Result:
        """Run the module for the one item."""
        item = resources[self._kind.plural][0]
        return self._run(self._kind.module, {**self._task_options, **item}, check_mode)

    def objects_receiving_passwords(self, planned: Result, names: Iterable[Name]) -> set[Name]:
        """Return the object where it gets a password by the plan."""
        return set(names) if planned[REPORTS][ON_PASSWORDS] else set()

    def apply(self, resources: Resources, planned: Result, chosen: Collection[Name]) -> Result:
        """Carry out what was planned; returns the result."""
        waits = self._task_options.get("wait") or self._task_options.get("read_back")
        if not chosen and not planned["changed"] and not waits:
            return planned
        existing = planned[self._kind.singular]
        if not chosen and existing and existing.get("id") is not None:
            # By its id, so that it is not created where someone has deleted it in the meantime.
            item = {**resources[self._kind.plural][0], "id": existing["id"]}
            # Parts of a composite key are fields then.
            if len(self._kind.key) == 1:
                item.pop(self._kind.key_options[0], None)
            resources = {self._kind.plural: [item]}
        return self.run(resources, False)

    def outcomes_of(self, result: Result, chosen: Mapping[Name, NewPassword]) -> Outcomes:
        """Return whether the object has its new password."""
        error = result.get("error") or {}
        has_failed = result.get("failed")
        # A module fails after its write where a wait does, or where the panel keeps the object
        # under another name.
        is_written = result.get("changed") if has_failed else result[REPORTS][ON_PASSWORDS]
        if is_written:
            return {name: error.get(KEPT_AS, name[1]) for name in chosen}
        if has_failed and not _is_certainly_not_written(error):
            return {}
        return dict.fromkeys(chosen)
