# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that answer with nonsense to whole runs: the plan of check mode first, then the run on the same panel with the same nonsense."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._dns.managing import dns_operation
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tests.support.memory_panel import Call, MemoryPanel
from tests.support.spoilt_panel import SpoiltPanel, client_of, spoiling
from tests.support.tasks import run_task
from tests.unit.plugins.module_utils._bulk.whole_panels import Drawn, whole_panel
from tools.reliability.fuzz_options import DEFECT, operations

BULK = resources_operation()
SINGLE: dict[str, Operation] = {
    DNS: dns_operation(),
    **{plural: resource_operation(kind) for plural, kind in TABLES.items()},
}
METHODS = {"create": "POST", "update": "PUT", "delete": "DELETE"}
# A password that the panel generated, and whose answer was not understood, is asked for again: this, of the same object, and nothing else.


@dataclass
class Trial:
    """What was tried, and what must not have happened."""

    tried: int = 0
    failed: int = 0
    spoilt: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Did:
    """One run on a panel of its own. writes: method, path and body, without what it took away again of what it had made itself."""

    result: Mapping[str, Any]
    writes: Sequence[Call]
    spoilt: int

    @property
    def has_failed(self) -> bool:
        return bool(self.result.get("failed"))


def many_objects(seed: int, share: float) -> Trial:
    """A run of panel_resources over a drawn panel."""
    drawn = whole_panel(random.Random(seed))
    options = {"resources": drawn.resources, "max_deletes": 1000, "concurrency": 1, "return_unchanged": True}
    trial = Trial()
    planned, done = (_did(trial, BULK, _panel(drawn), options, seed, share, is_check) for is_check in (True, False))
    if planned is None or done is None:
        return trial
    if planned.has_failed:
        if done.writes:
            trial.problems.append(f"it wrote {done.writes[0][:2]} where check mode failed")
        if not done.has_failed:
            trial.problems.append("it ended well where check mode failed")
        return trial
    actions = Counter((METHODS[one["action"]], _path_of(one["kind"])) for one in planned.result["plan"]["actions"])
    trial.problems += _compared(actions, done, _unknown_zones(planned.result["plan"]["actions"]))
    return trial


def _unknown_zones(actions: Sequence[Mapping[str, Any]]) -> int:
    """How many zones are changed whose domains are only made by the same plan: nobody knows yet what is in them, maybe what is wanted."""
    made = {one["key"] for one in actions if (one["kind"], one["action"]) == ("domains", "create")}
    return sum(one["kind"] == DNS and one["key"] in made for one in actions)


_MADE_TWICE = [kind.path for kind in TABLES.values() if not kind.is_unique]
_UNDONE = frozenset(("DELETE", path) for path in _MADE_TWICE)
_PASSWORD = {"password", "password_hash", "password_hash_os"}


def _path_of(plural: str) -> str:
    return TABLES[plural].path if plural in TABLES else "/dns"


def _compared(planned: Counter[tuple[str, str]], done: Did, unknown_zones: int) -> Iterator[str]:
    """Whether the writes are those that the plan showed, and all of them where the run did not fail."""
    reset = Counter({("PUT", "/dns"): sum(write[:2] == ("DELETE", "/dns") for write in map(_place, done.writes))})
    writes = Counter(map(_place, done.writes))
    # Giving a zone back to the panel's defaults is a DELETE in the API and a change in the plan.
    writes[("DELETE", "/dns")] = 0
    writes += reset
    planned = planned.copy()
    for path in _MADE_TWICE:
        # The look before the creation may find what the panel's list did not show: it is changed, or right already.
        found = max(0, planned[("POST", path)] - writes[("POST", path)])
        planned[("POST", path)] -= found
        planned[("PUT", path)] += max(0, min(found, writes[("PUT", path)] - planned[("PUT", path)]))
    for place, count in (writes - planned).items():
        renewed = sum(_place(write) == place and _is_of_a_password(write) for write in done.writes)
        if count > renewed:
            yield f"{count} writes {' '.join(place)} more than the plan showed, {renewed} of them for lost passwords"
    without = planned - writes
    without -= Counter({("PUT", "/dns"): unknown_zones})
    if not done.has_failed and without:
        yield f"it ended well without {sorted(without)}"


def _is_of_a_password(write: Call) -> bool:
    """Whether it settles a creation in doubt: a lost password is made anew, a given one is sent once more."""
    method, _path, body = write
    return method == "PUT" and isinstance(body, dict) and bool(body) and body.keys() <= _PASSWORD


def _place(write: Call) -> tuple[str, str]:
    method, path, _body = write
    return method, f"/{path.split('/')[1]}"


def one_by_one(seed: int, share: float) -> Trial:
    """The single modules, each on the panel as it was at the beginning."""
    drawn = whole_panel(random.Random(seed))
    trial = Trial()
    for item in drawn.in_order:
        options = {
            name: value for name, value in item.options.items() if name not in ("wait", "wait_timeout", "read_back")
        }
        runs = [
            _did(trial, SINGLE[item.kind], _panel(drawn), options, seed, share, is_check) for is_check in (True, False)
        ]
        planned, done = runs
        if planned is None or done is None:
            continue
        trial.problems += [f"{item.kind}: {problem}" for problem in _compared_one(planned, done)]
    return trial


def _compared_one(planned: Did, done: Did) -> Iterator[str]:
    if planned.has_failed:
        if done.writes or not done.has_failed:
            yield f"check mode failed, and the run wrote {[write[:2] for write in done.writes]}"
        return
    writes = [write for number, write in enumerate(done.writes) if not (number and _is_of_a_password(write))]
    most = 1 if planned.result["changed"] else 0
    if len({json.dumps(write) for write in writes}) > most or (len(writes) < most and not done.has_failed):
        yield f"{len(writes)} writes instead of {most}: {[write[:2] for write in writes]}"
    if not done.has_failed and done.result["changed"] != planned.result["changed"]:
        yield f"changed is {done.result['changed']}, in check mode {planned.result['changed']}"
    if writes and "/dns" not in writes[0][1] and writes[0][0] not in _shown_methods(planned):
        yield f"{writes[0][0]} where the diff shows {' or '.join(_shown_methods(planned))}"


def _shown_methods(planned: Did) -> tuple[str, ...]:
    """What the diff of check mode announces; one that shows nothing before may be one of secrets, or of members that nobody can read."""
    diff = planned.result["diff"]
    if diff["before"]:
        return ("PUT",) if diff["after"] else ("DELETE",)
    return ("POST", "PUT")


def what_is_read(seed: int, share: float) -> Trial:
    """Every module that reads, without options and with the name of an object."""
    drawn = whole_panel(random.Random(seed))
    trial = Trial()
    reading = {name: one for name, one in operations().items() if name.endswith("_info") or name == "panel_ping"}
    for name, operation in reading.items():
        for options in _readings(name, drawn):
            did = _did(trial, operation, _panel(drawn), options, seed, share, False)
            if did is not None and did.writes:
                trial.problems.append(f"{name} wrote {did.writes[0][:2]}")
    return trial


def _readings(name: str, drawn: Drawn) -> Iterator[dict[str, Any]]:
    if name == "panel_login_info":
        yield {"username": "acme"}
        return
    yield {}
    if name == "panel_resources_info":
        yield {"clients": ["acme"]}
    singular = name.removeprefix("panel_").removesuffix("_info")
    kind = next((plural for plural, table in TABLES.items() if table.singular == singular), None)
    for item in drawn.items:
        if item.kind == kind and "id" not in item.options:
            yield {key: item.options[key] for key in TABLES[kind].named_by if key in item.options}
            return


def _panel(drawn: Drawn) -> MemoryPanel:
    return MemoryPanel(drawn.objects, drawn.short)


def _did(
    trial: Trial,
    operation: Operation,
    panel: MemoryPanel,
    options: Mapping[str, Any],
    seed: int,
    share: float,
    is_check: bool,
) -> Did | None:
    """One run; notes what must not happen in any."""
    session = SpoiltPanel(panel, spoiling(seed, share))
    client = client_of(session)
    there = {f"{path}/{item.get('id')}" for path, items in panel.objects.items() for item in items}
    try:
        result = run_task(operation, client, dict(options), is_check)
        text = json.dumps(result)
    except Exception as error:
        trial.problems.append(f"{type(error).__name__}: {str(error)[:200]}")
        return None
    trial.tried += 1
    trial.failed += bool(result.get("failed"))
    trial.spoilt += session.spoilt
    if DEFECT in text:
        trial.problems.append(text[text.index(DEFECT) :][:150])
    if result.get("failed") and not result.get("msg"):
        trial.problems.append("it failed without saying why")
    if is_check and panel.writes:
        trial.problems.append(f"it wrote {panel.writes[0][:2]} in check mode")
    writes = [write for write in panel.writes if not (result.get("failed") and _is_undoing(write, there))]
    return Did(result, writes, session.spoilt)


def _is_undoing(write: Call, there: Container[str]) -> bool:
    """Whether it takes away what was not there at the beginning: the task made it, and the panel shows it under another key."""
    return _place(write) in _UNDONE and write[1] not in there
