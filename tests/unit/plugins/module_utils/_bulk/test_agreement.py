"""One task with many objects and many tasks with one object never disagree."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._dns.managing import dns_operation
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task, without_new_ids
from tests.unit.plugins.module_utils._bulk.whole_panels import SECRET, Drawn, key_members, whole_panel

BULK = resources_operation()
SINGLE: dict[str, Operation] = {
    DNS: dns_operation(),
    **{plural: resource_operation(kind) for plural, kind in TABLES.items()},
}
Name = tuple[str, str]


def one_by_one(panel: MemoryPanel, drawn: Drawn) -> dict[Name, dict[str, Any]]:
    """The results of the single modules, run one after the other."""
    return {(item.kind, item.key): run_task(SINGLE[item.kind], panel, item.options) for item in drawn.in_order}


def all_at_once(panel: MemoryPanel, drawn: Drawn, check_mode: bool = False, concurrency: int = 1) -> dict[str, Any]:
    options = {"max_deletes": 1000, "concurrency": concurrency, "return_unchanged": True}
    return run_task(BULK, panel, {"resources": drawn.resources, **options}, check_mode)


def in_any_order(calls: list[tuple[str, str, Any]]) -> list[str]:
    return sorted(json.dumps(call, sort_keys=True) for call in calls)


def state(panel: MemoryPanel) -> Any:
    return {path: sorted(items, key=lambda item: item["id"]) for path, items in panel.objects.items() if items}


def named_state(panel: MemoryPanel) -> Any:
    """The same with names in the places of ids, which depend on what is created first."""
    named = {
        item["id"]: ":".join(str(item[name]) for name in key_members(kind))
        for kind in TABLES.values()
        for item in panel.objects.get(kind.path, [])
    }

    def without_ids(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {member: without_ids(inner, member) for member, inner in value.items()}
        return named.get(value, value) if name == "id" or name.startswith("id_") else value

    return {
        path: in_any_order([("", "", without_ids(item)) for item in items]) for path, items in panel.objects.items()
    }


@given(st.integers(0, 2**32))
@settings(max_examples=2 * settings().max_examples, phases=[Phase.generate])
def test_many_objects_in_one_task_become_what_they_become_one_by_one(seed: int) -> None:
    drawn = whole_panel(random.Random(seed))
    first, second = (MemoryPanel(drawn.objects, drawn.short) for _number in range(2))
    single = one_by_one(first, drawn)
    predicted = all_at_once(second, drawn, check_mode=True)
    assert second.writes == []
    failed = {name for name, result in single.items() if result.get("failed")}
    without_key = {
        (entry["kind"], entry["key"]) for entry in predicted.get("results", ()) if entry["result"] == "skipped"
    }
    if without_key:
        event("a certificate is left out, since its key is not given")
        assert without_key <= failed
        assert {kind for kind, _key in without_key} == {"certificates"}
        return
    if failed or any(ONE_ADDRESS in text for text in mistakes_of(predicted)):
        event("some cannot be")
        assert_refused(second, predicted, drawn, single)
        return
    event("all can be")
    second.forget()
    bulk = all_at_once(second, drawn)
    assert not bulk.get("failed"), bulk["msg"]
    assert SECRET.format("")[:-1] not in str(bulk)
    assert in_any_order(second.writes) == in_any_order(first.writes)
    assert state(second) == state(first)
    assert second.passwords == first.passwords
    assert_same_reports(bulk, single, [drawn.objects, second.objects])
    for name in ("changed", "plan", "diff"):
        assert bulk[name] == predicted[name], name
    assert without_new_ids(bulk["results"], bulk["plan"]) == predicted["results"]
    first.forget()
    second.forget()
    one_by_one(first, drawn)
    all_at_once(second, drawn)
    assert in_any_order(second.writes) == in_any_order(first.writes)
    event("the second run writes nothing" if not first.writes else "the second run writes again")


# Said of items that are right each on its own, and cannot all be.
ONE_ADDRESS = "an address leads to one account"


def mistakes_of(result: dict[str, Any]) -> list[str]:
    return list(result.get("error", {}).get("mistakes", ()))


def assert_refused(
    panel: MemoryPanel, predicted: dict[str, Any], drawn: Drawn, single: dict[Name, dict[str, Any]]
) -> None:
    """Both fail about the same objects; the task with many of them before its first write."""
    places = {
        f"{kind}[{index}]": options
        for kind, all_of_it in drawn.resources.items()
        for index, options in enumerate(all_of_it)
    }
    expected = [item for item in drawn.items if single[item.kind, item.key].get("failed") and item.kind != DNS]
    mistakes = [text for text in mistakes_of(predicted) if ONE_ADDRESS not in text]
    expected = [item for item in expected if ONE_ADDRESS not in single[item.kind, item.key]["msg"]]
    named = [places[text.partition(" ")[0]] for text in mistakes if not text.startswith(DNS)]
    if not panel.calls:
        # Wrong options are told before the panel is asked, so what only the panel can tell is not among them.
        expected = [item for item in expected if item.options in named]
    assert in_any_order([("", "", one) for one in named]) == in_any_order([("", "", one.options) for one in expected])
    again = all_at_once(panel, drawn)
    assert again["error"] == predicted["error"]
    assert panel.writes == []


# Where a panel has what an option names, and by which member.
REFERENCES = {
    "client": ("/clients", "username"),
    "hosting_plan": ("/hosting-plans", "name"),
    "parent_domain": ("/domains", "domain"),
    "certificate": ("/certificates", "name"),
}


def with_names(single: Any, bulk: Any, panels: list[dict[str, Any]], option: str = "") -> Any:
    """A side of the diff of a single module, with the name that the task with many objects knows in the place of the same object's id."""
    if isinstance(single, dict) and isinstance(bulk, dict):
        return {name: with_names(value, bulk.get(name), panels, name) for name, value in single.items()}
    collection, member = REFERENCES.get(option, ("", ""))
    owners = [item for panel in panels for item in panel.get(collection, ())]
    is_named = any(single == f"id {item['id']}" and bulk == item[member] for item in owners)
    return bulk if is_named else single


def assert_same_reports(bulk: dict[str, Any], single: dict[Name, dict[str, Any]], panels: list[dict[str, Any]]) -> None:
    changed = {(entry["kind"], entry["key"]): entry["result"] == "changed" for entry in bulk["results"]}
    # With which records a new zone begins is not known beforehand.
    created = {(DNS, action["key"]) for action in bulk["plan"]["actions"] if action["action"] == "create"}
    assert changed.keys() == single.keys()
    assert [name for name in changed if changed[name] != single[name]["changed"] and name not in created] == []
    assert bulk["changed"] == any(changed.values())
    for action in bulk["plan"]["actions"]:
        kind, key = action["kind"], action["key"]
        if (kind, key) in created:
            continue
        before, after = (single[kind, key]["diff"][side] for side in ("before", "after"))
        # A diff is for people, who write sizes with letters.
        shown, then = (KINDS[kind].with_sizes_in_words(action[side]) for side in ("before", "after"))
        if kind == DNS:
            # A task about many zones tells which records change, and of one zone how all that it manages are.
            before, after = ({name: side[name] for name in side if name != "records"} for side in (before, after))
        if action["action"] == "delete":
            # What a list leaves out of an object that goes is not always asked for.
            common = before.keys() & shown.keys()
            before, shown = ({name: side[name] for name in common} for side in (before, shown))
        assert (shown, then) == (with_names(before, shown, panels), after), (kind, key)
    passwords = {(entry["kind"], entry["key"]): entry["password"] for entry in bulk.get("generated_passwords", [])}
    assert passwords == {
        name: result["generated_password"] for name, result in single.items() if "generated_password" in result
    }


@given(st.integers(0, 2**32))
@settings(phases=[Phase.generate])
def test_several_at_once_make_what_one_at_a_time_makes(seed: int) -> None:
    drawn = whole_panel(random.Random(seed))
    first, second = (MemoryPanel(drawn.objects, drawn.short) for _number in range(2))
    alone, together = all_at_once(first, drawn), all_at_once(second, drawn, concurrency=4)
    for name in ("changed", "plan", "diff", "failed", "error"):
        assert together.get(name) == alone.get(name), name
    results = [without_new_ids(one.get("results", ()), one.get("plan", {"actions": []})) for one in (alone, together)]
    assert results[0] == results[1]
    assert named_state(second) == named_state(first)
