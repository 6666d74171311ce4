# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_resources: read, list, decide, guard, apply, report. Private to the collection."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, NamedTuple, TypeVar

from .._errors import (
    Conflict,
    OptionError,
    PanelError,
    Refused,
    RequestError,
    UnexpectedAnswer,
)
from .._http.client import PanelClient, path_of
from .._http.request_errors import unexpected_answer
from .._kinds.registry import BY_PATH, DNS, KINDS, OWNED, TABLES
from .._object.managing import ObjectRun, shows_everything
from .._object.objects import checked_list, checked_object
from .._rows.tables import OWNER, Kind
from .._secrets.foreign_texts import shown_value
from .._secrets.redaction import Redactor, secrets_in, structured
from .._task.mistakes import Mistake, each_once, told
from .._task.operation import Operation, Outcome, Task
from .actions import Action, in_waves
from .applying import (
    CHANGED,
    FAILED,
    SKIPPED,
    Applier,
    Result,
)
from .cascades import DEPENDENTS, PARENT
from .deciding import Decider, Decisions, ReadZone
from .guards import check_deletions, check_protection
from .items import Item, read_items
from .progress import Progress
from .protection import Protection
from .report import (
    diff_texts,
    shown_plan,
    summary_line,
    unchanged_results,
)
from .snapshot import Snapshot, SnapshotPanel, Store

MOST_AT_ONCE = 16
_MOST_WARNINGS = 20
_DELETABLE = tuple(TABLES)
_OPTIONS: dict[str, dict[str, Any]] = {
    "resources": {"type": "dict", "required": True},
    "purge": {"type": "list", "elements": "str", "choices": list(_DELETABLE), "default": []},
    "max_deletes": {"type": "int"},
    "protect": {"type": "dict", "default": {}},
    "concurrency": {"type": "int", "default": 4},
    "expected_checksum": {"type": "str", "no_log": False},
    "return_unchanged": {"type": "bool", "default": False},
}


class WrongItems(PanelError):
    """There are mistakes in the wanted objects; nothing was written. ``all_mistakes``: also those that say the same of several objects."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__(told(mistakes, "error.mistakes"), mistakes=each_once(mistakes))
        self.all_mistakes = list(mistakes)


class PlanChanged(PanelError):
    """The plan is not the expected one; nothing was written."""


class Incomplete(PanelError):
    """Some actions failed, or were skipped; the result says which."""


T = TypeVar("T")


class Request(NamedTuple):
    """The checked options of a task."""

    items: Mapping[str, list[Item]]
    purge: Sequence[str] = ()
    max_deletes: int | None = None
    protect: Protection = Protection({})
    concurrency: int = 4
    expected_checksum: str | None = None
    return_unchanged: bool = False


def resources_operation() -> Operation:
    """The operation of panel_resources."""
    return Operation(options=_OPTIONS, run=_run, summarized={"resources": counted})


def counted(resources: Any) -> Any:
    """How many items there are of each kind; thousands of them are nothing to look at."""
    if isinstance(resources, str):
        resources = structured(resources)
    if not isinstance(resources, dict):
        return "(no dictionary)"
    return {
        str(kind): f"{len(items)} item{'' if len(items) == 1 else 's'}" if isinstance(items, list) else "(no list)"
        for kind, items in resources.items()
    }


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    parent = os.getppid()
    request = _read_request(params)
    client = task.client
    client.allow_at_once(request.concurrency)
    items = [item for items in request.items.values() for item in items]
    client.gate.hold(secret for item in items for secret in secrets_in(item.options, {}))
    client.gate.allow(part for item in items for part in item.key.split(":"))
    progress = Progress(task.say)
    snapshot = Snapshot(lambda: client)
    reader = _Reader(client, snapshot, request, progress)
    reader.read_lists()
    zones, mistakes = reader.read_zones()
    decider = Decider(lambda: client, snapshot, zones, request.purge, request.protect, task.predicted)
    decisions = decider.decide(request.items)
    _warn(task, decisions)
    _refuse_mistakes([*mistakes, *decisions.mistakes])
    waves = in_waves(decisions.actions)
    actions = [action for wave in waves for action in wave]
    plan = shown_plan(actions, len(decisions.unchanged))
    _guard(request, actions, plan)
    results: list[Result] = []
    if not task.check_mode and actions:
        progress.begin("changes written", len(actions))
        applier = Applier(client, SnapshotPanel(lambda: client, snapshot), request.concurrency, progress, parent)
        results = applier.apply(waves)
        for warning in applier.warnings:
            task.warn(warning)
    return _outcome(request, decisions, actions, plan, results, Redactor([client.connection.api_key]))


# Options


def _read_request(params: Mapping[str, Any]) -> Request:
    resources = params["resources"]
    if isinstance(resources, str):
        resources = structured(resources)
    if not isinstance(resources, dict):
        raise OptionError("resources", "must be a dictionary with a list of objects for each kind.")
    reading = read_items(resources)
    mistakes = [*reading.mistakes, *_mistakes_in_options(params, resources)]
    _refuse_mistakes(mistakes)
    return Request(
        items=reading.items,
        purge=tuple(params["purge"]),
        max_deletes=params.get("max_deletes"),
        protect=Protection({kind: list(map(str, names)) for kind, names in params["protect"].items()}),
        concurrency=params["concurrency"],
        expected_checksum=params.get("expected_checksum"),
        return_unchanged=params["return_unchanged"],
    )


def _mistakes_in_options(params: Mapping[str, Any], resources: Mapping[str, Any]) -> Iterable[str]:
    for kind in params["purge"]:
        if resources.get(kind) is None:
            yield f"purge: resources has no {kind}; give an empty list if all of them shall go."
    if not 1 <= params["concurrency"] <= MOST_AT_ONCE:
        yield f"concurrency: {params['concurrency']} is not accepted; it must be a whole number from 1 to {MOST_AT_ONCE}."
    if params.get("expected_checksum") == "":
        yield "expected_checksum: is empty, which would approve every plan; omit it where none is expected."
    if params.get("max_deletes") is not None and params["max_deletes"] < 0:
        yield f"max_deletes: {params['max_deletes']} is not accepted; it must be a whole number from 0."
    for kind, patterns in params["protect"].items():
        if kind not in _DELETABLE:
            yield f"protect: there is no kind {kind}; there are {', '.join(_DELETABLE)}."
        elif not isinstance(patterns, list) or not all(_is_name(pattern) for pattern in patterns):
            yield f"protect.{kind}: must be a list of names or shell patterns."


def _is_name(given: Any) -> bool:
    """Whether it may stand for a name; YAML reads some as numbers."""
    return isinstance(given, (str, int)) and not isinstance(given, bool)


def _refuse_mistakes(mistakes: Sequence[str]) -> None:
    if not mistakes:
        return
    raise WrongItems(mistakes)


# Reading


class _Reader:
    """Reads from the panel what has to be known before anything can be decided."""

    def __init__(self, client: PanelClient, snapshot: Snapshot, request: Request, progress: Progress) -> None:
        self._client, self._snapshot, self._request, self._progress = client, snapshot, request, progress

    def read_lists(self) -> None:
        """One list request a kind, and one for each short item of a list that lacks what is needed of it."""
        plurals = self._needed_kinds()
        self._at_once(lambda plural: self._snapshot.store(TABLES[plural]), plurals, "lists read")
        self._complete((plural, identifier) for plural in plurals for identifier in self._short_items(plural))
        self._complete(self._short_references())
        self._read_owners()
        self._prove_parents()

    def _read_owners(self) -> None:
        """Asks for what the clients have that may go, where neither lists nor objects say whose something is (facts.md section 4.4)."""
        unknown = [kind for kind in OWNED if self._deletes("clients") and self._lacking(kind, OWNER)]
        self._at_once(
            lambda client: self._read_owned(client, unknown), self._going_clients() if unknown else [], "clients read"
        )

    def _lacking(self, plural: str, member: str) -> list[dict[str, Any]]:
        return [found for found in self._snapshot.store(TABLES[plural]).all() if found.get(member) is None]

    def _going_clients(self) -> list[Any]:
        """The ids of the clients that may be deleted."""
        store = self._snapshot.store(TABLES["clients"])
        if "clients" in self._request.purge:
            return list(store.by_id)
        absent = [item.wanted for item in self._request.items.get("clients", ()) if item.is_absent]
        named = [found for one in absent if one.id is None for found in store.find(one.key)]
        ids = [one.id for one in absent if one.id is not None]
        return [*ids, *(found["id"] for found in named if "id" in found)]

    def _read_owned(self, client: Any, plurals: Iterable[str]) -> None:
        path = "/clients" + path_of(client, "resources")
        found = self._client.get_or_none(path)
        resources = {} if found is None else checked_object(found, path)
        for plural in plurals if found is not None else ():
            if plural not in resources:
                raise unexpected_answer(
                    path,
                    f"shows no {plural}, and no other answer says whose they are, so what goes with a client cannot be told.",
                )
            by_id = self._snapshot.store(TABLES[plural]).by_id
            for one in checked_list(resources[plural], path):
                if one.get("id") in by_id:
                    by_id[one["id"]][OWNER] = client

    def _prove_parents(self) -> None:
        """Raises UnexpectedAnswer where it cannot be told which subdomains go with a domain."""
        for found in self._lacking("domains", PARENT) if self._deletes("domains") else ():
            raise unexpected_answer(
                TABLES["domains"].path,
                f"does not show what the domain with id {shown_value(found.get('id'))} is below of ({PARENT}), so what goes with a domain "
                "cannot be told.",
                "Delete the domain with panel_domain, or in the panel.",
            )

    def _complete(self, places: Iterable[tuple[str, int]]) -> None:
        """Fetches the whole objects with these kinds and ids."""
        short = list(dict.fromkeys(places))
        panel = SnapshotPanel(lambda: self._client, self._snapshot)
        for plural in {plural for plural, _identifier in short}:
            panel.objects(TABLES[plural])
        self._at_once(lambda place: panel.objects(TABLES[place[0]]).complete(place[1]), short, "objects read")

    def _needed_kinds(self) -> list[str]:
        """The plural kinds that are certainly needed; others are read when it turns out that they are."""
        needed = {kind for kind, items in self._request.items.items() if items and kind in TABLES}
        needed |= set(self._request.purge)
        for items in self._request.items.values():
            for item in items:
                needed |= {
                    BY_PATH[reference.row.collection].plural
                    for reference in item.wanted.references
                    if reference.name is not None or reference.row.alike is not None
                }
                if item.zone is not None and item.zone.id is not None:
                    needed.add("domains")
        for kind, dependents in DEPENDENTS.items():
            if self._deletes(kind):
                needed |= dependents.keys()
        return [kind for kind in KINDS if kind in needed]

    def _deletes(self, kind: str) -> bool:
        return kind in self._request.purge or any(item.is_absent for item in self._request.items.get(kind, ()))

    def _short_items(self, plural: str) -> Iterable[int]:
        """The ids of listed objects that lack a member that decides something."""
        kind = TABLES[plural]
        store = self._snapshot.store(kind)
        always = self._always_needed(kind)
        yield from [number for number, found in store.by_id.items() if not always <= found.keys()]
        wanted = [item.wanted for item in self._request.items.get(plural, ())]
        if shows_everything(kind, _shown_by_all(store)):
            # Then only what is no member of the table can be lacking.
            again = {one.label() for one in wanted if any(reference.reapply for reference in one.references)}
            wanted = [
                one for one in wanted if one.extra or one.password.password_hash is not None or one.label() in again
            ]
        panel = SnapshotPanel(lambda: self._client, self._snapshot)
        for one in wanted:
            run = ObjectRun(kind, one, panel, is_lenient=True)
            found = run.found() if one.is_present else None
            if found is not None and run.is_short(found) and found.get("id") is not None:
                yield found["id"]

    def _short_references(self) -> Iterable[tuple[str, int]]:
        """The kinds and ids of objects that others are compared with, where the list leaves out what they are compared by."""
        panel = SnapshotPanel(lambda: self._client, self._snapshot)
        for plural, kind in TABLES.items():
            if not any(row.alike for row in kind.references):
                continue
            for item in self._request.items.get(plural, ()):
                yield from self._short_references_of(ObjectRun(kind, item.wanted, panel, is_lenient=True))

    def _short_references_of(self, run: ObjectRun) -> Iterable[tuple[str, int]]:
        current = run.found()
        for reference in run.wanted.references if current is not None else ():
            row = reference.row
            if row.alike is None or ((current or {}).get(row.name) is not None and not reference.reapply):
                continue
            identifier = reference.id if reference.is_given else (current or {}).get(row.name)
            found = run.panel.look_up(row.collection, reference.name, identifier)
            if found is not None and not {other for other, _own in row.alike_by} <= found.keys():
                yield BY_PATH[row.collection].plural, found["id"]

    def _always_needed(self, kind: Kind) -> frozenset[str]:
        """The members without which it cannot be told what goes with an object, or what a purge leaves."""
        names: set[str] = set()
        for deleted, dependents in DEPENDENTS.items():
            if self._deletes(deleted):
                names |= dependents.get(kind.plural, frozenset())
        if kind.plural in self._request.purge:
            names |= {"is_system_domain"} if kind.plural == "domains" else set()
        if kind.keep_last is not None and self._deletes(kind.plural):
            names.add(kind.keep_last)
        return frozenset(names)

    def read_zones(self) -> tuple[dict[str, ReadZone], list[str]]:
        """The zones that items name, by the place of the item, and what is wrong with those that could not be read."""
        items = self._request.items.get(DNS, [])
        if not items:
            return {}, []
        from .zones import new_domains, read_item

        new = new_domains(self._request.items, self._snapshot)
        zones: dict[str, ReadZone] = {}
        mistakes: dict[str, str] = {}

        def read(item: Item) -> None:
            try:
                zones[item.place] = read_item(self._client, item, self._snapshot, new)
            except PanelError as error:
                if isinstance(error, RequestError) and not isinstance(error, (Refused, UnexpectedAnswer)):
                    # No fault of the item, and the other zones would only be asked for in vain.
                    raise
                mistakes[item.place] = Mistake(item.place, error.message.replace(" Nothing was written.", ""))

        self._at_once(read, items, "zones read")
        return zones, [mistakes[item.place] for item in items if item.place in mistakes]

    def _at_once(self, read: Callable[[T], Any], wanted: Sequence[T], words: str) -> None:
        """Reads the first alone, since a panel that does not accept the key shall be asked once, and then several at once."""
        self._progress.begin(words, len(wanted))
        first, rest = wanted[:1], wanted[1:]
        for one in first:
            read(one)
            self._progress.step()
        if not rest:
            return

        has_failed = threading.Event()

        def read_one(one: T) -> None:
            if has_failed.is_set():
                return
            try:
                read(one)
            except BaseException:
                has_failed.set()
                raise
            self._progress.step()

        with ThreadPoolExecutor(min(self._request.concurrency, len(rest))) as pool:
            list(pool.map(read_one, rest))


def _shown_by_all(store: Store) -> frozenset[str]:
    """The members that every listed object has."""
    shown: set[str] | None = None
    for found in store.by_id.values():
        if shown is None:
            shown = set(found)
        else:
            shown &= found.keys()
    return frozenset(shown or ())


# Guarding and reporting


def _warn(task: Task, decisions: Decisions) -> None:
    for warning in decisions.warnings[:_MOST_WARNINGS]:
        task.warn(warning)
    more = len(decisions.warnings) - _MOST_WARNINGS
    if more > 0:
        task.warn(f"There are {more} more warnings like these.")


def _guard(request: Request, actions: Sequence[Action], plan: Mapping[str, Any]) -> None:
    """Raises before the first write where the plan may not be carried out; the result has the plan."""
    try:
        check_protection(actions, request.protect)
        check_deletions(actions, request.max_deletes)
    except Conflict as error:
        error.details["result"] = {"plan": plan}
        raise
    expected = request.expected_checksum
    if expected is not None and expected != plan["checksum"]:
        raise PlanChanged(
            f"expected_checksum: the plan is another one now ({summary_line(plan['summary'])}), because the panel or the wanted objects "
            f"have changed since it was made. Its checksum is {plan['checksum']}, expected was {expected}. Nothing was written. Plan "
            "again, look at the new plan, and approve that.",
            expected=expected,
            checksum=plan["checksum"],
            result={"plan": plan},
        )


def _outcome(
    request: Request,
    decisions: Decisions,
    actions: Sequence[Action],
    plan: Mapping[str, Any],
    results: Sequence[Result],
    redactor: Redactor,
) -> Outcome:
    shown = [_shown_result(result, redactor) for result in results]
    if not results:
        shown = [{"kind": action.kind, "key": action.key, "result": CHANGED} for action in actions]
    shown += [
        {"kind": kind, "key": key, "result": SKIPPED, "msg": why} for (kind, key), why in decisions.left_out.items()
    ]
    if request.return_unchanged:
        shown += unchanged_results(decisions.unchanged)
    passwords = [
        {"kind": result.action.kind, "key": result.action.key, "password": result.password}
        for result in results
        if result.password is not None
    ]
    reached: dict[str, Any] = {"plan": plan, "results": shown}
    if passwords:
        reached["generated_passwords"] = passwords
    if any(result.outcome in (FAILED, SKIPPED) for result in results):
        raise _incomplete(results, reached)
    before, after = diff_texts(actions)
    # Where all of it was there by now, nothing was written.
    changed = any(result.outcome == CHANGED for result in results) if results else bool(actions)
    return Outcome(changed=changed, result=reached, before=before, after=after)


def _shown_result(result: Result, redactor: Redactor) -> dict[str, Any]:
    """redactor: of the secrets that belong to no item."""
    shown: dict[str, Any] = {"kind": result.action.kind, "key": result.action.key, "result": result.outcome}
    if result.error is not None:
        shown["msg"] = redactor.text(result.error.message)
        details = {name: value for name, value in result.error.details.items() if name != "result"}
        shown["error"] = {"type": type(result.error).__name__, **redactor.value(details)}
        # What a zone was before, so that it can be put back.
        shown.update(
            {name: value for name, value in result.error.details.get("result", {}).items() if name != "changed"}
        )
        if result.action.item is not None:
            shown["msg"] = result.action.item.redacted(shown["msg"])
            shown["error"] = result.action.item.redacted(shown["error"])
    elif result.why:
        shown["msg"] = result.why
    if result.existed:
        shown["existed"] = True
    return shown


def _incomplete(results: Sequence[Result], reached: Mapping[str, Any]) -> Incomplete:
    failed = [result for result in results if result.outcome == FAILED]
    written = sum(1 for result in results if result.outcome == CHANGED)
    skipped = sum(1 for result in results if result.outcome == SKIPPED)
    words = f"{len(failed)} of {len(results)} changes failed"
    # A zone that is not what it should be after its write was written.
    touched = sum(1 for result in failed if result.error and result.error.details.get("result", {}).get("changed"))
    if touched:
        words += f" ({touched} after {'it was' if touched == 1 else 'they were'} written)"
    if skipped:
        words += f", {skipped} {'was' if skipped == 1 else 'were'} skipped"
    shown = next(entry for outcome in (FAILED, SKIPPED) for entry in reached["results"] if entry["result"] == outcome)
    return Incomplete(
        f"{words}, {written} {'was' if written == 1 else 'were'} written. First: {shown['kind']} {shown['key']}: {shown['msg']} "
        "The results of this task say what became of each; run it again to complete the rest.",
        failed=len(failed),
        skipped=skipped,
        written=written,
        result={"changed": written + touched > 0, **reached},
    )
