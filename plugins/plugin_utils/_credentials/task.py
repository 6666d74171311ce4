# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option credentials_file of a task: which file each object has, and the module run with passwords from there. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Callable

from ansible.parsing.vault import VaultLib

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._items.wanted_items import SINGLE_MODULE_ONLY, Item
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.redaction import structured
from .._run.module_action import ModuleAction, module_action
from .._run.panel_action import plain
from .._run.panel_connections import panel_host
from .durable_write import NewPasswords, Outcome, Resources, reading
from .passwords import CredentialsFile, Name

FILE, ROTATION, CLIENT = "credentials_file", "rotation", "{client}"
# In an error the name under which the panel keeps a new object.
KEPT_AS = "kept_as"
_BY_MODULE = {kind.module: kind for kind in KINDS.values() if kind.password}
Result = dict[str, Any]
# After these errors nothing was written.
_NOT_WRITTEN = frozenset({
    "OptionError", "UnknownReference", "Conflict", "MissingLibrary", "Unreachable", "TimeIsUp", "Denied", "Refused", "PlanChanged", "ExistsByNow",
})  # fmt: skip
# runs a module: its name without the collection, its options beside the connection, whether in check mode, and the checksum of its plan
Run = Callable[..., Result]


def run_with_file(action: ModuleAction, task_vars: Any) -> Result:
    """The result of a task with credentials_file: new passwords are in that file before the panel gets them. Raises PanelError."""
    task, module = action._task, str(action._task.action).rpartition(".")[2]
    path = task.args[FILE]
    if not isinstance(path, str) or (module != "panel_resources" and module not in _BY_MODULE):
        plainly: Result = module_action(action, task).run(task_vars=task_vars)
        return plainly
    if task.async_val or action._connection.transport != "local":
        raise OptionError(
            FILE, "needs a local connection and no async, because the file is on the controller. Nothing was written."
        )
    options: dict[str, Any] = plain(task.args)
    rotation = options.pop(ROTATION, None)
    for name, value in ((FILE, path), (ROTATION, rotation)):
        if value is not None and not str(value).strip():
            raise OptionError(name, "is empty; give a value, or omit the option. Nothing was written.")
    options.pop(FILE)
    connection = {name: options.pop(name) for name in ENVIRONMENT if name in options}

    def run(module: str, options: Mapping[str, Any], check_mode: bool, planned: str = "") -> Result:
        inner = task.copy()
        inner.action, inner.args = f"hosting.panel.{module}", {**connection, **options}
        # The diff says whether a single module sends the password.
        inner.check_mode, inner.diff = check_mode, True
        running = module_action(action, inner)
        running.planned = planned
        done: Result = running.run(task_vars=task_vars)
        return done

    work = _Bulk(run, options) if module == "panel_resources" else _Single(run, module, options)
    files = _Files(path, action.vault, run, work.resources, task.check_mode)
    panel = panel_host(connection, action._task_environment())
    try:
        passwords = NewPasswords(work.resources, files.of, panel, str(rotation or ""))
    except _NotRead as failure:
        return dict(failure.args[0])
    done = _write(work, passwords, task.check_mode)
    if passwords.paths or module == "panel_resources":
        done[FILE] = passwords.paths[0] if len(passwords.paths) == 1 else path
    # It would tell how the module was called from here.
    done.pop("invocation", None)
    if not task.diff:
        done.pop("diff", None)
    return done


def _write(work: _Bulk | _Single, passwords: NewPasswords, check_mode: bool) -> Result:
    """Plans, keeps the passwords, writes exactly that plan, and notes what the panel has. Raises FileError before the first write."""

    def planned() -> Result:
        result = work.plan(passwords.resources())
        passwords.choose(() if result.get("failed") else work.sends(result))
        return result

    passwords.read()
    plan = planned()
    if plan.get("failed"):
        return plan
    if check_mode or not passwords.chosen:
        passwords.check()
        warnings = passwords.warnings()
        # Where nothing is to be done, the panel is not read again.
        is_done = check_mode or (plan.get("plan") or {}).get("actions") == []
        done = plan if is_done else work.apply(passwords.resources(()), plan, ())
        return _warned(done, warnings)
    with passwords.turn():
        # Another task may have had its turn at the same files.
        if passwords.read():
            plan = planned()
            if plan.get("failed"):
                return plan
        passwords.keep()
        done = work.apply(passwords.resources(passwords.chosen), plan, passwords.chosen)
        unknown = passwords.settle(work.outcome(done, passwords.chosen))
    if unknown:
        done.update(failed=True, msg=" ".join(filter(None, [done.get("msg"), unknown])))
    return _warned(done, passwords.warnings())


def _warned(done: Result, warnings: Iterable[str]) -> Result:
    more = [*(done.get("warnings") or ()), *warnings]
    return {**done, "warnings": more} if more else done


def _is_certainly_not_written(error: Any) -> bool:
    """Whether an error says that the panel did not do what was asked, at the last attempt and at those before it."""
    if not isinstance(error, Mapping) or error.get("written"):
        return False
    return error.get("type") in _NOT_WRITTEN and error.get("attempts") in (None, 0, 1)


class _NotRead(Exception):
    """The panel did not say whose objects are. The argument is the result of the module that asked."""


class _Files:
    """Finds the credentials file of an object; asks the panel whose it is only where the task does not say that."""

    def __init__(self, pattern: str, vault: VaultLib, run: Run, resources: Resources, check_mode: bool) -> None:
        self._pattern, self._resources, self._check_mode = pattern, resources, check_mode
        self._open = functools.cache(lambda path: CredentialsFile(path, vault))
        self._run = run
        self._listed = functools.cache(self._list)

    def of(self, item: Item) -> CredentialsFile:
        if CLIENT not in self._pattern:
            return self._open(self._pattern)
        owner = self._owner(item)
        if not owner and self._check_mode and KINDS[item.kind].owner:
            # An earlier task may be about to create its domain.
            owner = CLIENT
        if not owner or "/" in owner or owner.startswith("."):
            name = f"{KINDS[item.kind].title} {item.key}"
            raise OptionError(
                FILE,
                f"{CLIENT} has no value, because the client of {name} is unknown. Nothing was written. Give client, or a path without {CLIENT}.",
            )
        return self._open(self._pattern.replace(CLIENT, owner))

    def _owner(self, item: Item) -> str:
        if item.kind == "clients":
            return item.key
        for reference in item.wanted.references:
            if reference.path == (OWNER,):
                return reference.name or self._listed("clients").get(str(reference.id), "")
        found = self._listed(item.kind).get(item.key, "")
        domain_of = KINDS[item.kind].domain_of
        if found or domain_of is None:
            return found
        domain = domain_of(item.wanted.key)
        named = {KINDS["domains"].key_of(one): one.get("client") for one in self._resources.get("domains") or ()}
        return str(named.get(domain) or self._listed("domains").get(domain, ""))

    def _list(self, kind: str) -> dict[str, str]:
        """The clients of all objects of a kind by the objects' keys; the clients themselves by id."""
        if kind == "clients":
            clients = self._read("panel_client_info", {}).get("clients") or ()
            return {str(one.get("id")): str(one.get("username") or "") for one in clients}
        items = (self._read("panel_resources_info", {"kinds": [kind]}).get("resources") or {}).get(kind) or ()
        return {str(KINDS[kind].key_of(one)): str(one.get("client") or "") for one in items}

    def _read(self, module: str, options: Mapping[str, Any]) -> Result:
        done: Result = self._run(module, options, True)
        if done.get("failed"):
            raise _NotRead(done)
        return done


class _Bulk:
    """Resources, by panel_resources."""

    def __init__(self, run: Run, options: Mapping[str, Any]) -> None:
        self._run, self._options = run, options
        given = options.get("resources")
        given = structured(given) if isinstance(given, str) else given
        # What is wrong with them the module says itself.
        self._is_readable = isinstance(given, dict) and all(isinstance(items, list) for items in given.values())
        self.resources: Resources = given if isinstance(given, dict) and self._is_readable else {}

    def plan(self, resources: Resources) -> Result:
        return self._with(resources, True)

    def sends(self, planned: Result) -> set[Name]:
        return {
            (one["kind"], one["key"]) for one in planned["plan"]["actions"] if "password" in (one.get("after") or {})
        }

    def apply(self, resources: Resources, planned: Result, _chosen: Collection[Name]) -> Result:
        return self._with(resources, False, planned["plan"]["checksum"])

    def _with(self, resources: Resources, check_mode: bool, planned: str = "") -> Result:
        given = {"resources": resources} if self._is_readable else {}
        return self._run("panel_resources", {**self._options, **given}, check_mode, planned)

    def outcome(self, done: Result, chosen: Collection[Name]) -> Outcome:
        error = done.get("error")
        if "results" not in done and _is_certainly_not_written(error):
            return Outcome((), chosen)
        became = {(one["kind"], one["key"]): one for one in done.get("results") or ()}
        renamed = {name: one["error"][KEPT_AS] for name, one in became.items() if KEPT_AS in one.get("error", ())}
        refused = [
            name
            for name, one in became.items()
            if one["result"] in ("skipped", "unchanged") or _is_certainly_not_written(one.get("error"))
        ]
        return Outcome(
            written=[name for name, one in became.items() if one["result"] == "changed" or name in renamed],
            refused=[name for name in refused if name not in renamed],
            existed=[name for name, one in became.items() if one.get("existed")],
            renamed=renamed,
        )


class _Single:
    """One object, by the module of its kind."""

    def __init__(self, run: Run, module: str, options: Mapping[str, Any]) -> None:
        self._run, self._kind = run, _BY_MODULE[module]
        # What is done after the write is no option of an item.
        self._of_task = {name: value for name, value in options.items() if name in SINGLE_MODULE_ONLY}
        own = {name: value for name, value in options.items() if name not in SINGLE_MODULE_ONLY}
        self.resources: Resources = {self._kind.plural: [own]}

    def _with(self, resources: Resources, check_mode: bool) -> Result:
        return self._run(self._kind.module, {**self._of_task, **resources[self._kind.plural][0]}, check_mode)

    def _sends(self, result: Result) -> bool:
        return "password" in ((result.get("diff") or {}).get("after") or {})

    def plan(self, resources: Resources) -> Result:
        return self._with(resources, True)

    def sends(self, planned: Result) -> set[Name]:
        return {(item.kind, item.key) for found in reading(self.resources) for item in found if self._sends(planned)}

    def apply(self, resources: Resources, planned: Result, chosen: Collection[Name]) -> Result:
        is_needed = planned["changed"] or self._of_task.get("wait") or self._of_task.get("read_back")
        if not chosen and not is_needed:
            return planned
        there = planned[self._kind.singular]
        if not chosen and there and there.get("id") is not None:
            # By its id, so that it is not created where someone has deleted it in the meantime.
            options = self._kind.by_id(resources[self._kind.plural][0], there["id"])
            return self._with({self._kind.plural: [options]}, False)
        return self._with(resources, False)

    def outcome(self, done: Result, chosen: Collection[Name]) -> Outcome:
        if not done.get("failed"):
            return Outcome(chosen, ()) if self._sends(done) else Outcome((), chosen)
        # A module fails after its write where a wait does.
        if done.get("changed"):
            kept_as = (done.get("error") or {}).get(KEPT_AS)
            return Outcome(chosen, (), renamed=dict.fromkeys(chosen, kept_as) if kept_as else {})
        return Outcome((), chosen if _is_certainly_not_written(done.get("error")) else ())
