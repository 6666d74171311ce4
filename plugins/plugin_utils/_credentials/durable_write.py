# SPDX-License-Identifier: GPL-3.0-or-later
"""The durable write: new passwords of a task are in their credentials file before the panel gets them. Private to the collection.

The collection makes a password itself. What a killed run left pending, the next run sets again.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Callable

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._items.wanted_items import SINGLE_MODULE_ONLY, Item, read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.operation import ON_PASSWORDS, REPORTS
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.redaction import structured
from .._ansible.plain_values import plain
from .._run.panel_action import ModuleAction, module_action
from .._run.panel_connections import panel_host
from .encrypted_file import turn_at
from .passwords import ROTATION, Became, CredentialsFile, Name, New, NewPasswords, Resources

FILE, CLIENT = "credentials_file", "{client}"
# Whoever logs in to the panel, and owns what else there is.
_ACCOUNTS = ("clients", "admins")
# In an error the name under which the panel keeps a new object.
KEPT_AS = "kept_as"
# After these errors nothing was written.
_NOT_WRITTEN = frozenset({
    "OptionError", "UnknownReference", "Conflict", "MissingLibrary", "Unreachable", "TimeIsUp", "Denied", "Refused", "PlanChanged", "ExistsByNow",
    "Busy", "WrongItems",
})  # fmt: skip

Result = dict[str, Any]
# Runs a module: its name without the collection, its options beside the connection, whether in check mode, and the checksum of its plan.
Run = Callable[..., Result]


def run_with_file(action: ModuleAction, task_vars: Any) -> Result:
    """The result of a task with credentials_file. Raises PanelError."""
    task, module = action._task, str(action._task.action).rpartition(".")[2]
    kind = next((one for one in KINDS.values() if one.module == module and one.password), None)
    if not isinstance(task.args[FILE], str) or not (kind or module == "panel_resources"):
        plainly: Result = module_action(action, task).run(task_vars=task_vars)  # the module itself says what is wrong
        return plainly
    if task.async_val or action._connection.transport != "local":
        raise OptionError(
            FILE, "needs a local connection and no async, because the file is on the controller. Nothing was written."
        )
    options: dict[str, Any] = plain(task.args)
    pattern, rotation = options.pop(FILE), options.pop(ROTATION, None)
    for name, value in ((FILE, pattern), (ROTATION, rotation)):
        if value is not None and not str(value).strip():
            raise OptionError(name, "is empty; give a value, or omit the option. Nothing was written.")
    if set(re.findall(r"{\w+}", pattern)) - {CLIENT}:
        raise OptionError(FILE, f"{pattern}: only {CLIENT} can stand for something in a path. Nothing was written.")
    connection = {name: options.pop(name) for name in ENVIRONMENT if name in options}

    def run(module: str, options: Mapping[str, Any], check_mode: bool, planned: str = "") -> Result:
        inner = task.copy()
        inner.action, inner.args = f"hosting.panel.{module}", {**connection, **options}
        inner.check_mode = check_mode
        running = module_action(action, inner)
        reports = [*running.handed_on.get("reports", ()), ON_PASSWORDS]
        running.handed_on = {**running.handed_on, "planned": planned, "reports": reports}
        done: Result = running.run(task_vars=task_vars)
        if check_mode and done.get("failed"):
            raise _Failed(done)
        return done

    work = _Single(run, kind, options) if kind else _Bulk(run, options)
    owners = _Owners(run, work.resources, task.check_mode)
    opened = functools.cache(lambda path: CredentialsFile(path, action.vault))
    panel = panel_host(connection, action.task_environment())
    paths = set()
    number_of_passwords = 0
    try:
        items = _without_password(work.resources)
        filed = [pattern.replace(CLIENT, owners.of(item)) if CLIENT in pattern else pattern for item in items]
        new = [New(item, opened(path)) for item, path in zip(items, filed)]
        paths = {one.file.path for one in new}
        passwords = NewPasswords(new, panel, str(rotation or ""))
        done = _write(work, passwords, task.check_mode)
        number_of_passwords = passwords.number_kept
    except _Failed as failure:
        done = failure.args[0]
    if paths or not kind:
        done[FILE] = paths.pop() if len(paths) == 1 else pattern
    if not kind:
        done["new_passwords"] = number_of_passwords
    done.pop("invocation", None)  # it would show how the module was called from here
    if not action.handed_on.get("reports"):
        done.pop(REPORTS, None)
    return done


class _Failed(Exception):
    """A module that only reads has failed. The argument is its result."""


def _write(work: _Bulk | _Single, passwords: NewPasswords, check_mode: bool) -> Result:
    """Plans, keeps the passwords, writes exactly that plan, and notes what the panel has. Raises FileError before the first write."""
    passwords.read()
    plan = _planned(work, passwords)
    if check_mode:
        passwords.check()
        return _warned(plan, passwords)
    # All files of the task, since a later plan may choose other objects.
    with turn_at([one.file for one in passwords.new.values()] if passwords.chosen else []):
        # Another task may have had its turn at the same files.
        if passwords.chosen and passwords.read():
            plan = _planned(work, passwords)
        passwords.keep()
        done = work.apply(passwords.filled(work.resources, passwords.chosen), plan, passwords.chosen)
        unknown = passwords.settle(work.became(done, passwords.chosen))
    if unknown:
        done.setdefault("error", {"type": "FileError", "message": unknown})
        done.update(failed=True, msg=" ".join(filter(None, [done.get("msg"), unknown])))
    return _warned(done, passwords)


def _planned(work: _Bulk | _Single, passwords: NewPasswords) -> Result:
    plan = work.run(passwords.filled(work.resources), True)
    passwords.choose(work.objects_receiving_passwords(plan, passwords.new))
    return plan


def _warned(done: Result, passwords: NewPasswords) -> Result:
    more = [*(done.get("warnings") or ()), *passwords.warnings()]
    return {**done, "warnings": more} if more else done


# Which objects get a password, and whose they are.


def _without_password(resources: Resources) -> list[Item]:
    """The items that get a new password. Raises OptionError where one is not known by its name, under which the password is filed."""
    # What is wrong with them the module itself says.
    read = read_items({kind: items for kind, items in resources.items() if kind in KINDS and KINDS[kind].password})
    found = []
    for item in [item for items in read.items.values() for item in items]:
        wanted = item.wanted
        is_asked_for = wanted.id is None or wanted.password.regenerate
        if not wanted.is_present or wanted.password.body() or not is_asked_for:
            continue
        named = {one.path[0] for one in wanted.references if one.name is not None}
        # In some kinds the owner's name is a part of it.
        owner = [row.name for row in KINDS[item.kind].key if row.collection and row.name not in named]
        if by_id := ["id"] * (wanted.id is not None) + owner:
            problem = f"give {KINDS[item.kind].named_by[0]} instead: the password is filed under the name of the object. Nothing was written."
            raise OptionError(f"{item.kind}[{item.index}].{by_id[0]}", problem)
        found.append(item)
    return found


class _Owners:
    """Finds the account that an object belongs to; asks the panel only where the task does not say it."""

    def __init__(self, run: Run, resources: Resources, check_mode: bool) -> None:
        self._run, self._resources, self._check_mode = run, resources, check_mode
        self._listed = functools.cache(self._list)

    def of(self, item: Item) -> str:
        kind = KINDS[item.kind]
        owner = item.key if item.kind in _ACCOUNTS else self._found(item)
        if not owner and self._check_mode and kind.owner:
            return CLIENT  # an earlier task may be about to create its domain
        if not owner:
            problem = f"{CLIENT} has no value, because the client of {kind.title} {item.key} is unknown. Nothing was written. "
            raise OptionError(FILE, f"{problem}Give client, or a path without {CLIENT}.")
        if "/" in owner or owner.startswith("."):
            problem = f"{CLIENT} has no value, because {owner} cannot be a part of a file's name. Nothing was written. "
            raise OptionError(FILE, f"{problem}Give a path without {CLIENT}.")
        return owner

    def _found(self, item: Item) -> str:
        for reference in item.wanted.references:
            if reference.path == (OWNER,):
                return reference.name or self._listed("clients").get(str(reference.id), "")
        found = self._listed(item.kind).get(item.key, "")
        domain = KINDS[item.kind].domain_of(item.wanted.key)
        if found or domain is None:
            return found
        # A new mailbox belongs to the client of its domain.
        named = {KINDS["domains"].key_of(one): one.get("client") for one in self._resources.get("domains") or ()}
        return str(named.get(domain) or self._listed("domains").get(domain, ""))

    def _list(self, kind: str) -> dict[str, str]:
        """The clients of all objects of a kind by the objects' keys; the clients themselves by id."""
        if kind == "clients":
            clients = self._run("panel_client_info", {}, True)["clients"]
            return {str(one["id"]): one["username"] for one in clients}
        items = self._run("panel_resources_info", {"kinds": [kind]}, True)["resources"][kind]
        return {str(KINDS[kind].key_of(one)): str(one.get("client") or "") for one in items}


# The modules that write.


def _is_certainly_not_written(error: Any) -> bool:
    """Whether an error says that the panel did not do what was asked, at the last attempt and at those before it."""
    if not isinstance(error, Mapping) or error.get("written"):
        return False
    return error.get("type") in _NOT_WRITTEN and error.get("attempts") in (None, 0, 1)


class _Bulk:
    """Resources, by panel_resources."""

    def __init__(self, run: Run, options: Mapping[str, Any]) -> None:
        self._run, self._options = run, options
        given = options.get("resources")
        given = structured(given) if isinstance(given, str) else given
        # What is wrong with them the module says itself.
        self._is_readable = isinstance(given, dict) and all(isinstance(items, list) for items in given.values())
        self.resources: Resources = given if isinstance(given, dict) and self._is_readable else {}

    def run(self, resources: Resources, check_mode: bool, planned: str = "") -> Result:
        given = {"resources": resources} if self._is_readable else {}
        return self._run("panel_resources", {**self._options, **given}, check_mode, planned)

    def objects_receiving_passwords(self, planned: Result, _names: Iterable[Name]) -> set[Name]:
        """Return the objects that get a password by the plan."""
        return {(kind, key) for kind, key in planned[REPORTS][ON_PASSWORDS]}

    def apply(self, resources: Resources, planned: Result, _chosen: Collection[Name]) -> Result:
        if not planned["plan"]["actions"]:
            return planned
        return self.run(resources, False, planned["plan"]["checksum"])

    def became(self, done: Result, chosen: Mapping[Name, New]) -> Became:
        if "results" not in done:
            return dict.fromkeys(chosen) if _is_certainly_not_written(done.get("error")) else {}
        became: dict[Name, str | None] = {}
        for one in done["results"]:
            name, error = (one["kind"], one["key"]), one.get("error") or {}
            # What someone else made in the meantime keeps its own password.
            is_theirs = one.get("existed") and name in chosen and not chosen[name].anyway
            if KEPT_AS in error:
                became[name] = error[KEPT_AS]
            elif one["result"] == "changed" and not is_theirs:
                became[name] = one["key"]
            elif is_theirs or one["result"] in ("skipped", "unchanged") or _is_certainly_not_written(error):
                became[name] = None
        return became


class _Single:
    """One object, by the module of its kind."""

    def __init__(self, run: Run, kind: Any, options: Mapping[str, Any]) -> None:
        self._run, self._kind = run, kind
        # What is done after the write is no option of an item.
        self._of_task = {name: value for name, value in options.items() if name in SINGLE_MODULE_ONLY}
        own = {name: value for name, value in options.items() if name not in SINGLE_MODULE_ONLY}
        self.resources: Resources = {kind.plural: [own]}

    def run(self, resources: Resources, check_mode: bool) -> Result:
        return self._run(self._kind.module, {**self._of_task, **resources[self._kind.plural][0]}, check_mode)

    def objects_receiving_passwords(self, planned: Result, names: Iterable[Name]) -> set[Name]:
        """Return the object where it gets a password by the plan."""
        return set(names) if planned[REPORTS][ON_PASSWORDS] else set()

    def apply(self, resources: Resources, planned: Result, chosen: Collection[Name]) -> Result:
        if not chosen and not (planned["changed"] or self._of_task.get("wait") or self._of_task.get("read_back")):
            return planned
        there = planned[self._kind.singular]
        if not chosen and there and there.get("id") is not None:
            # By its id, so that it is not created where someone has deleted it in the meantime. Parts of a composite key are members then.
            item = {**resources[self._kind.plural][0], "id": there["id"]}
            if len(self._kind.key) == 1:
                item.pop(self._kind.named_by[0], None)
            resources = {self._kind.plural: [item]}
        return self.run(resources, False)

    def became(self, done: Result, chosen: Mapping[Name, New]) -> Became:
        error = done.get("error") or {}
        # A module fails after its write where a wait does, or where the panel keeps the object under another name.
        if done.get("changed") if done.get("failed") else done[REPORTS][ON_PASSWORDS]:
            return {name: error.get(KEPT_AS, name[1]) for name in chosen}
        return dict.fromkeys(chosen) if not done.get("failed") or _is_certainly_not_written(error) else {}
