# SPDX-License-Identifier: GPL-3.0-or-later
"""The durable write: new passwords are in their credentials file before the panel gets them.

The collection makes a password itself. What a killed run left pending, the next run sets again.
"""

from __future__ import annotations

import functools
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Callable

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import Effect, OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._items.desired_items import SINGLE_MODULE_ONLY, Item, read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.operation import ON_EFFECTS, ON_PASSWORDS, ObjectEffect
from ...module_utils._schema.fields import OWNER
from ...module_utils._schema.kind import Kind
from ...module_utils._secrets.redaction import parse_structure
from .._ansible.plain_values import plain
from .._run.controller_files import expand_path
from .._run.module_call import ModuleResult, split_report
from .._run.panel_action import ModuleAction, action_of_call
from .._run.panel_connections import panel_host
from .credentials_file import (
    ROTATION,
    CredentialsFile,
    Name,
    NewPassword,
    NewPasswords,
    Outcomes,
    Resources,
)
from .encrypted_file import lock_files

FILE = "credentials_file"
CLIENT = "{client}"
# Whoever logs in to the panel, and owns what else there is.
_ACCOUNTS = ("clients", "admins")

Result = dict[str, Any]
# Runs a module: its name without the collection, its options beside the connection, whether in
# check mode, and the checksum of its plan.
Run = Callable[..., ModuleResult]


def run_with_file(action: ModuleAction, task_vars: Any) -> Result:
    """Run a task with credentials_file.

    Args:
        action: The action of the task.
        task_vars: The variables of the task.

    Raises:
        PanelError: The options are wrong, or the file cannot be read; nothing was written.
    """
    task = action._task
    module = str(task.action).rpartition(".")[2]
    kind = _find_kind(module)
    takes_file = kind is not None or module == "panel_resources"
    if not takes_file or not isinstance(task.args[FILE], str):
        # The module itself says what is wrong.
        return action.run_module(task_vars)
    _refuse_other_hosts(action)
    return _run_with_passwords(action, kind, task_vars)


def _run_with_passwords(action: ModuleAction, kind: Kind | None, task_vars: Any) -> Result:
    """Run a task whose new passwords a file keeps.

    Args:
        action: The action of the task.
        kind: What its module manages; None for several kinds.
        task_vars: The variables of the task.
    """
    task = action._task
    options: dict[str, Any] = plain(task.args)
    pattern = options.pop(FILE)
    rotation = options.pop(ROTATION, None)
    _check_file_options(pattern, rotation)
    connection = {name: options.pop(name) for name in ENVIRONMENT if name in options}
    run = _ModuleRunner(action, connection, task_vars).run
    work: _Work = _Single(run, kind, options) if kind else _Bulk(run, options)
    owners = _Owners(run, work.resources, task.check_mode)
    panel = panel_host(connection, action.task_environment())

    passwords = NewPasswords((), panel, str(rotation or ""))
    try:
        new = _assign_files(_select_items(work.resources), pattern, owners, action.vault)
        passwords = NewPasswords(new, panel, str(rotation or ""))
        result = _write(work, passwords, task.check_mode)
    except _Failed as failure:
        result = failure.result

    path = _displayed_path(passwords, pattern, task.check_mode)
    if path:
        result[FILE] = path
    if not kind:
        result["new_passwords"] = passwords.number_kept
    result.pop("invocation", None)  # it would show how the module was called from here
    return result


def _refuse_other_hosts(action: ModuleAction) -> None:
    """Raise OptionError for a task that does not run on the controller, or not at once."""
    if action._task.async_val or action._connection.transport != "local":
        problem = "needs a local connection and no async, because the file is on the controller."
        raise OptionError(FILE, f"{problem} Nothing was written.")


def _displayed_path(passwords: NewPasswords, pattern: str, check_mode: bool) -> str:
    """Return what the result has as the credentials file; empty if there is no file.

    Args:
        passwords: Those of the task.
        pattern: The path of the task, in which ``{client}`` stands for an account.
        check_mode: Whether nothing was written.
    """
    paths = {password.file.path for password in passwords.new.values()}
    existing = {path for path in paths if os.path.exists(path)}
    if check_mode:
        existing |= {password.file.path for password in passwords.chosen.values()}
    # What exists already may need no password, so that there is no file.
    if not existing:
        return ""
    return paths.pop() if len(paths) == 1 else pattern


def _find_kind(module: str) -> Kind | None:
    """Return the kind with passwords that a module manages; None if there is none."""
    for kind in KINDS.values():
        if kind.module == module and kind.password:
            return kind
    return None


def _check_file_options(pattern: str, rotation: Any) -> None:
    """Raise OptionError for an option that is empty, or a path with unknown names."""
    for name, value in ((FILE, pattern), (ROTATION, rotation)):
        if value is not None and not str(value).strip():
            problem = "is empty; give a value, or omit the option. Nothing was written."
            raise OptionError(name, problem)
    if set(re.findall(r"{\w+}", expand_path(pattern))) - {CLIENT}:
        problem = (
            f"{pattern}: only {CLIENT} can stand for something in a path. Nothing was written."
        )
        raise OptionError(FILE, problem)


def _assign_files(
    items: list[Item], pattern: str, owners: _Owners, vault: VaultLib
) -> list[NewPassword]:
    """Return a new password for each item, with the file that keeps it."""
    expanded_pattern = expand_path(pattern)
    paths = []
    for item in items:
        path = expanded_pattern
        if CLIENT in expanded_pattern:
            path = expanded_pattern.replace(CLIENT, owners.find(item))
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
        self,
        module: str,
        options: Mapping[str, Any],
        check_mode: bool,
        planned: str = "",
        made_passwords: Sequence[tuple[str, int]] = (),
    ) -> ModuleResult:
        """Return what a module returns; raises _Failed for one that fails in check mode."""
        user_call = self._action.call()
        reports = [*user_call.handed_on.get("reports", ()), ON_PASSWORDS, ON_EFFECTS]
        call = user_call._replace(
            module=f"hosting.panel.{module}",
            options={**self._connection, **options},
            handed_on={
                **user_call.handed_on,
                "planned": planned,
                "reports": reports,
                "made_passwords": made_passwords,
            },
            check_mode=check_mode,
        )
        returned = split_report(action_of_call(self._action, call).run(task_vars=self._task_vars))
        if check_mode and returned.result.get("failed"):
            raise _Failed(returned.result)
        return returned


class _Failed(Exception):
    """A module that only reads has failed."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


def _write(work: _Work, passwords: NewPasswords, check_mode: bool) -> Result:
    """Plan, keep the passwords, write exactly that plan, and note what the panel has.

    Raises:
        FileError: A file cannot be read or written; nothing was sent.
    """
    passwords.read()
    plan = _plan(work, passwords)
    if check_mode:
        passwords.check()
        return _add_warnings(plan.result, passwords)

    # All files of the task, since a later plan may choose other objects.
    files = [password.file for password in passwords.new.values()] if passwords.chosen else []
    with lock_files(files):
        # Another task may have written the same files before they were locked.
        if passwords.chosen and passwords.read():
            plan = _plan(work, passwords)
        passwords.keep()
        resources = passwords.fill(work.resources, passwords.chosen)
        applied = work.apply(resources, plan, passwords.chosen)
        unknown = passwords.settle(work.outcomes_of(applied, passwords.chosen))
    result = applied.result
    if unknown:
        result = _add_failure(result, unknown)
    return _add_warnings(result, passwords)


def _add_failure(result: Result, reason: str) -> Result:
    """Return the result as that of a failed task. reason: why; what failed before comes first."""
    messages = [result.get("msg"), reason]
    return {
        "error": {"type": "FileError", "message": reason},
        **result,
        "failed": True,
        "msg": " ".join(message for message in messages if message),
    }


def _plan(work: _Work, passwords: NewPasswords) -> ModuleResult:
    """Return the plan of a task, and choose the passwords of the objects that get one by it."""
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

    Raises:
        OptionError: The name of one is not known.
    """
    # What is wrong with them the module itself says.
    kinds = [plural for plural in resources if plural in KINDS and KINDS[plural].password]
    read_resources = read_items({plural: resources[plural] for plural in kinds})

    selected = []
    for items in read_resources.items.values():
        selected += [item for item in items if _needs_password(item)]
    for item in selected:
        _refuse_ids(item)
    return selected


def _needs_password(item: Item) -> bool:
    desired = item.desired
    if not desired.is_present or desired.password.body():
        return False
    return desired.id is None or desired.password.regenerate


def _refuse_ids(item: Item) -> None:
    """Raise OptionError for an item without its key, under which its password is filed."""
    desired = item.desired
    kind = KINDS[item.plural]
    named = {reference.path[0] for reference in desired.references if reference.name is not None}
    # In some kinds the owner's name is a part of the key.
    by_id = [field.name for field in kind.key if field.collection and field.name not in named]
    if desired.id is not None:
        by_id.insert(0, "id")
    if by_id:
        reason = "the password is filed under the name of the object."
        raise OptionError(
            f"{item.plural}[{item.index}].{by_id[0]}",
            f"give {kind.key_options[0]} instead: {reason} Nothing was written.",
        )


def _describe_missing_value(reason: str, advice: str) -> str:
    """Return the problem of a path in which {client} has no value."""
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

        Raises:
            OptionError: There is none.
        """
        kind = KINDS[item.plural]
        owner = item.key if item.plural in _ACCOUNTS else self._find_client(item)
        if not owner and self._check_mode and kind.owner:
            return CLIENT  # an earlier task may be about to create its domain
        if not owner:
            reason = f"the client of {kind.title} {item.key} is unknown"
            advice = f"Give client, or a path without {CLIENT}."
            raise OptionError(FILE, _describe_missing_value(reason, advice))
        if "/" in owner or owner.startswith("."):
            reason = f"{owner} cannot be a part of a file's name"
            advice = f"Give a path without {CLIENT}."
            raise OptionError(FILE, _describe_missing_value(reason, advice))
        return owner

    def _find_client(self, item: Item) -> str:
        """Return the client that an object belongs to; empty if it is unknown."""
        for reference in item.desired.references:
            if reference.path == (OWNER,):
                return reference.name or self._clients_by_key("clients").get(str(reference.id), "")
        client = self._clients_by_key(item.plural).get(item.key, "")
        domain = KINDS[item.plural].read_domain(item.desired.key)
        if client or domain is None:
            return client

        # A new mailbox belongs to the client of its domain.
        for options in reversed(self._resources.get("domains") or []):
            if KINDS["domains"].format_key(options) == domain:
                client = str(options.get("client") or "")
                break
        return client or self._clients_by_key("domains").get(domain, "")

    def _list_clients(self, plural: str) -> dict[str, str]:
        """Return the clients of all objects of a kind by key; the clients themselves by id."""
        if plural == "clients":
            clients = self._run("panel_client_info", {}, True).result["clients"]
            return {str(client["id"]): client["username"] for client in clients}
        resources = self._run("panel_resources_info", {"kinds": [plural]}, True).result["resources"]
        return {
            str(KINDS[plural].format_key(object_)): str(object_.get("client") or "")
            for object_ in resources[plural]
        }


# The modules that write.


def _effects_of(returned: ModuleResult) -> Mapping[str, Any]:
    """Return what the module reports of what it wrote; nothing where it did not come to its end."""
    effects: Mapping[str, Any] = returned.report.get(ON_EFFECTS, {})
    return effects


def _wrote_nothing(effects: Mapping[str, Any]) -> bool:
    """Return whether a module that failed says that it wrote nothing, at any attempt."""
    return effects.get("failure") == Effect.NOTHING.value


class _Work(ABC):
    """What a task wants of a module that makes objects with passwords.

    resources: The items of the task, by kind.
    """

    resources: Resources

    @abstractmethod
    def run(self, resources: Resources, check_mode: bool) -> ModuleResult:
        """Run the module for these resources."""

    @abstractmethod
    def objects_receiving_passwords(
        self, planned: ModuleResult, names: Iterable[Name]
    ) -> set[Name]:
        """Return which of the named objects get a password by a plan."""

    @abstractmethod
    def apply(
        self, resources: Resources, planned: ModuleResult, chosen: Collection[Name]
    ) -> ModuleResult:
        """Carry out a plan; returns what came of it.

        Args:
            resources: The items, with their new passwords.
            planned: What the module returned as the plan.
            chosen: The objects that get a new password.
        """

    @abstractmethod
    def outcomes_of(self, applied: ModuleResult, chosen: Mapping[Name, NewPassword]) -> Outcomes:
        """Return which of the chosen objects have their new password by now."""


class _Bulk(_Work):
    """Resources, by panel_resources."""

    def __init__(self, run: Run, options: Mapping[str, Any]) -> None:
        self._run = run
        self._options = options
        resources: Any = options.get("resources")
        if isinstance(resources, str):
            resources = parse_structure(resources)
        # What is wrong with them the module says itself.
        self.resources: Resources = {}
        self._is_readable = _is_resources(resources)
        if self._is_readable:
            self.resources = resources

    def run(self, resources: Resources, check_mode: bool, planned: str = "") -> ModuleResult:
        """Run the module, for a plan with that checksum."""
        options = dict(self._options)
        if self._is_readable:
            options["resources"] = resources
        generated = self._find_generated(resources)
        return self._run("panel_resources", options, check_mode, planned, generated)

    def _find_generated(self, resources: Resources) -> list[tuple[str, int]]:
        """Return kind and index of the items whose password is not the task's own."""
        generated = []
        for plural, items in self.resources.items():
            for index, item in enumerate(items):
                filled = resources[plural][index]
                if filled is not item and "password" in filled:
                    generated.append((plural, index))
        return generated

    def objects_receiving_passwords(
        self, planned: ModuleResult, _names: Iterable[Name]
    ) -> set[Name]:
        """Return the objects that get a password by the plan."""
        # A process reports pairs as lists.
        return {(name[0], name[1]) for name in planned.report[ON_PASSWORDS]}

    def apply(
        self, resources: Resources, planned: ModuleResult, _chosen: Collection[Name]
    ) -> ModuleResult:
        """Carry out the plan, and no other; returns what came of it."""
        plan = planned.result["plan"]
        if not plan["actions"]:
            return planned
        return self.run(resources, False, plan["checksum"])

    def outcomes_of(self, applied: ModuleResult, chosen: Mapping[Name, NewPassword]) -> Outcomes:
        """Return which of the chosen objects have their new password."""
        effects = _effects_of(applied)
        objects = [ObjectEffect.from_json(fields) for fields in effects.get("objects", ())]
        if not objects:
            return dict.fromkeys(chosen) if _wrote_nothing(effects) else {}
        outcomes: dict[Name, str | None] = {}
        for written in objects:
            name = (written.kind, written.key)
            is_theirs = name in chosen and _is_of_someone_else(written, chosen[name])
            if is_theirs or written.effect is not Effect.UNKNOWN:
                outcomes[name] = _find_key(written, is_theirs)
        return outcomes


def _is_resources(value: Any) -> bool:
    """Return whether a value is a dictionary of lists."""
    if not isinstance(value, dict):
        return False
    return all(isinstance(items, list) for items in value.values())


def _is_of_someone_else(written: ObjectEffect, password: NewPassword) -> bool:
    """Return whether someone else made an object in the meantime, which keeps its own password.

    Args:
        written: What became of the object.
        password: The new password of the object.
    """
    return written.existed and not password.force


def _find_key(written: ObjectEffect, is_theirs: bool) -> str | None:
    """Return the key under which an object has its new password; None if it does not have it."""
    if written.kept_as:
        return written.kept_as
    if written.effect is Effect.WRITTEN and not is_theirs:
        return written.key
    return None


class _Single(_Work):
    """One object, by the module of its kind."""

    def __init__(self, run: Run, kind: Kind, options: Mapping[str, Any]) -> None:
        self._run = run
        self._kind = kind
        # What is done after the write is no option of an item.
        self._task_options: dict[str, Any] = {}
        item: dict[str, Any] = {}
        for name, value in options.items():
            if name in SINGLE_MODULE_ONLY:
                self._task_options[name] = value
            else:
                item[name] = value
        self.resources: Resources = {kind.plural: [item]}

    def run(self, resources: Resources, check_mode: bool) -> ModuleResult:
        """Run the module for the one item."""
        item = resources[self._kind.plural][0]
        return self._run(self._kind.module, {**self._task_options, **item}, check_mode)

    def objects_receiving_passwords(
        self, planned: ModuleResult, names: Iterable[Name]
    ) -> set[Name]:
        """Return the object where it gets a password by the plan."""
        return set(names) if planned.report[ON_PASSWORDS] else set()

    def apply(
        self, resources: Resources, planned: ModuleResult, chosen: Collection[Name]
    ) -> ModuleResult:
        """Carry out what was planned; returns what came of it."""
        waits = self._task_options.get("wait") or self._task_options.get("read_back")
        if not chosen and not planned.result["changed"] and not waits:
            return planned
        existing = planned.result[self._kind.singular]
        if not chosen and existing and existing.get("id") is not None:
            # By its id, so that it is not created where someone has deleted it in the meantime.
            item = {**resources[self._kind.plural][0], "id": existing["id"]}
            # Parts of a composite key are fields then.
            if len(self._kind.key) == 1:
                item.pop(self._kind.key_options[0], None)
            resources = {self._kind.plural: [item]}
        return self.run(resources, False)

    def outcomes_of(self, applied: ModuleResult, chosen: Mapping[Name, NewPassword]) -> Outcomes:
        """Return whether the object has its new password."""
        effects = _effects_of(applied)
        if _wrote_nothing(effects):
            return dict.fromkeys(chosen)
        passwords_sent = applied.report.get(ON_PASSWORDS)
        if passwords_sent is None:
            return {}
        if not passwords_sent:
            # Someone else has made the object in the meantime, and it keeps its own password.
            return dict.fromkeys(chosen)
        # A module fails after its write where a wait does, or where the panel keeps the object
        # under another name.
        is_written = effects.get("failure") == Effect.WRITTEN.value
        if applied.result.get("failed") and not is_written:
            return {}
        return {name: effects.get("kept_as") or name[1] for name in chosen}
