# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing that a customer called something drives the terminal of whoever reads the messages."""

from __future__ import annotations

import pickle
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_lines import plan_lines
from ansible_collections.hosting.panel.plugins.module_utils._items.export_panel import export_operation
from ansible_collections.hosting.panel.plugins.module_utils._secrets.terminal import (
    on_lines,
    on_one_line,
    with_harmless_words,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.mistakes import Mistake
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation, Outcome, Task, perform
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

# Clears the screen, forges lines, colours, turns the direction, and ends a line in other ways.
NASTY = "x\n\x1b[2J\x1b[1;1H\rPLAY RECAP ***\nlocalhost : ok=9\x9b31m\x08\x7f\u202eelif\u2066\u2028\u2029\x85"
SHOWN = r"x\n\x1b[2J\x1b[1;1H\rPLAY RECAP ***\nlocalhost : ok=9\x9b31m\x08\x7f\u202eelif\u2066\u2028\u2029\x85"
CLIENT = {"id": 1, "username": "acme"}
OBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "plans": ("/hosting-plans", {"name": NASTY}),
    "clients": ("/clients", {"username": NASTY}),
    "certificates": ("/certificates", {"name": NASTY, "id_user": 1}),
    "domains": ("/domains", {"domain": NASTY, "id_user": 1, "id_parent_domain": 0}),
    "emails": ("/emails", {"email": NASTY, "id_user": 1}),
    "databases": ("/databases", {"database_name": NASTY, "id_user": 1}),
    "ftp_users": ("/ftp-users", {"username": NASTY, "id_user": 1}),
    "directory_protections": ("/directory-protections", {"path": NASTY, "username": NASTY, "id_user": 1}),
    "scheduled_tasks": ("/scheduled-tasks", {"description": NASTY, "id_user": 1}),
}


def obeyed(text: str) -> set[str]:
    """What of a text no terminal should get."""
    categories = ("Cc", "Cf", "Zl", "Zp")
    return {one for one in text if unicodedata.category(one) in categories and one != "\t"}


def printed(result: dict[str, Any]) -> Iterator[str]:
    """What Ansible prints as it is, apart from the ends of lines in a diff of text."""
    yield str(result.get("msg", ""))
    yield from result.get("warnings", ())
    for side in result.get("diff", {}).values():
        yield from side.split("\n") if isinstance(side, str) else ()


def panel(kind: str) -> MemoryPanel:
    path, item = OBJECTS[kind]
    others = {} if path == "/clients" else {"/clients": [CLIENT]}
    return MemoryPanel({**others, path: [{"id": 7, **item}]})


def deletion(kind: str, most: int) -> dict[str, Any]:
    return {"resources": {kind: [{"id": 7, "state": "absent"}]}, "max_deletes": most}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("most", [0, 9], ids=["refused", "planned"])
def test_what_is_said_of_an_object_shows_its_name_without_obeying_it(kind: str, most: int) -> None:
    result = run_task(resources_operation(), panel(kind), deletion(kind, most), check_mode=True)  # type: ignore[arg-type]
    texts = list(printed(result))
    assert bool(result.get("failed")) is (most == 0)
    assert [obeyed(text) for text in texts if obeyed(text)] == []
    assert any(SHOWN in text for text in texts)


@pytest.mark.parametrize("kind", OBJECTS)
def test_what_an_export_leaves_out_is_named_without_being_obeyed(kind: str) -> None:
    result = run_task(export_operation(), panel(kind), {"kinds": [kind]})  # type: ignore[arg-type]
    assert [obeyed(text) for text in printed(result) if obeyed(text)] == []


def test_data_stay_as_they_are() -> None:
    result = run_task(resources_operation(), panel("emails"), deletion("emails", 0))  # type: ignore[arg-type]
    assert result["error"]["objects"] == [{"kind": "emails", "key": NASTY}]


def test_warnings_and_lines_of_every_module_are_harmless() -> None:
    def run(_params: Any, task: Task) -> Outcome:
        task.warn(NASTY)
        return Outcome(False, {"lines": [NASTY], "item": NASTY})

    params = {"api_url": "https://panel.example", "api_key": "k.k", "timeout": 30, "retry_time": 0}
    result = perform(Operation({}, run), params, params, False, False, lambda _connection: None)  # type: ignore[arg-type, return-value]
    assert (result["warnings"], result["lines"], result["item"]) == ([SHOWN], [SHOWN], NASTY)


def test_words_for_people_leave_as_plain_texts_that_another_process_can_read() -> None:
    mistake = Mistake("emails[0]", "is wrong.")
    done = with_harmless_words({"msg": mistake, "mistakes": [mistake], "left_out": {mistake: (mistake,)}})
    assert pickle.loads(pickle.dumps(done)) == {
        "msg": "emails[0] is wrong.",
        "mistakes": ["emails[0] is wrong."],
        "left_out": {"emails[0] is wrong.": ["emails[0] is wrong."]},
    }
    assert {type(done["msg"]), type(done["mistakes"][0]), *map(type, done["left_out"])} == {str}


def test_a_text_with_nothing_to_obey_is_the_same_text() -> None:
    text = "Müller's\ttable: שלום, 例え.jp, €\u00a0"
    assert on_one_line(text) is text


def test_a_diff_of_text_keeps_its_own_lines() -> None:
    assert on_lines("one\ntwo\x1b[2J\n") == "one\ntwo\\x1b[2J\n"


def test_everything_for_people_in_a_result_is_cleaned_and_nothing_else() -> None:
    result = {
        "msg": NASTY,
        "warnings": [NASTY],
        "deprecations": [{"msg": NASTY, "version": "2.0.0"}],
        "left_out": {NASTY: NASTY},
        "plan": {"actions": [{"key": NASTY}]},
        "diff": [{"before": "a\x1b\nb", "after": {"key": NASTY}, "before_header": NASTY}],
    }
    assert with_harmless_words(result) == {
        "msg": SHOWN,
        "warnings": [SHOWN],
        "deprecations": [{"msg": SHOWN, "version": "2.0.0"}],
        "left_out": {SHOWN: SHOWN},
        "plan": {"actions": [{"key": NASTY}]},
        "diff": [{"before": "a\\x1b\nb", "after": {"key": NASTY}, "before_header": on_lines(NASTY)}],
    }


def test_a_plan_in_lines_goes_through_the_same_gate() -> None:
    plan = {
        "summary": {"create": 0, "update": 0, "delete": 1, "unchanged": 0},
        "actions": [{"action": "delete", "kind": "emails", "key": NASTY, "before": {}}],
    }
    lines = with_harmless_words({"lines": plan_lines(plan)})["lines"]
    assert lines[2] == f"  delete  mailbox {SHOWN}"
