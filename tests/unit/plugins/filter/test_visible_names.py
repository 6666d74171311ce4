"""Lists that roles and playbooks print show what is in a name, also what no terminal would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_message import (
    panel_content_message,
)
from ansible_collections.hosting.panel.plugins.filter.panel_select import panel_select
from ansible_collections.hosting.panel.plugins.filter.panel_suspend_rows import panel_suspend_rows
from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_lines import make_plan_lines
from ansible_collections.hosting.panel.plugins.plugin_utils._content_copy.content_result import (
    list_failures,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._move.hand_over import _list_differences
from ansible_collections.hosting.panel.plugins.plugin_utils._move.mapping import (
    find_unexpected_changes,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    read_short_line,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._suspend.rows import format_table

SIGNS = "\u200b\u200d\u202e\u2060\u2066\u00ad\u034f\u115f\u3164\ufe0f\ufeff\x1b\U000e0041"


def _make_action(name: str, action: str) -> dict[str, Any]:
    return {
        "kind": "clients",
        "key": name,
        "client": name,
        "action": action,
        "before": {"notes": f"a{name}"},
        "after": {"notes": f"b{name}"},
        "also_deleted": {"emails": [name]} if action == "delete" else {},
    }


def _plan(name: str) -> Any:
    actions = [_make_action(name, action) for action in ("create", "update", "delete")]
    return make_plan_lines(
        {"actions": actions, "summary": {"create": 1, "update": 1, "delete": 1, "unchanged": 0}}
    )


def _hand_over(name: str) -> Any:
    omission = {"kind": "emails", "key": name, "id": 3, "reason": "it has no domain."}
    desired = {"mistakes": [], "left_out": [omission]}
    return _list_differences(desired, [_make_action(name, "create"), _make_action(name, "update")])


def _describe_content(name: str) -> Any:
    objects = [{"kind": "mailboxes", "from": name, "to": name, "outcome": "failed", "why": name}]
    result: dict[str, Any] = {"objects": objects, "differences": [], "page": "p"}
    result["other_runs"] = [name]
    return panel_content_message({**result, "failures": list_failures(result)}, "new")


def _select(name: str) -> Any:
    resources = {"clients": [{"username": "acme"}], "emails": []}
    return panel_select(resources, clients=[name], kinds=["emails"])["unmatched"]


def _suspend(entries: list[dict[str, Any]], excepted: list[str]) -> Any:
    clients = [{"id": 2, "username": "acme", "is_suspended": False}]
    return panel_suspend_rows(entries, clients, "2026-11-21", excepted=excepted)["mistakes"]


def _suspend_entry(name: str) -> dict[str, Any]:
    return {"username": name, "due": "", "reason": "", "place": "unpaid.csv: line 2"}


LISTS: dict[str, Callable[[str], Any]] = {
    "plan": _plan,
    "hand-over of a move": _hand_over,
    "mistakes of a move": lambda name: find_unexpected_changes(
        {"actions": [_make_action(name, "update")]}, []
    ),
    "content": _describe_content,
    "suspended clients": lambda name: format_table(
        [{"username": name, "due": "", "outcome": "failed", "reason": name}]
    ),
    "clients to suspend that are missing": lambda name: _suspend([_suspend_entry(name)], []),
    "exceptions that fit nothing": lambda name: _suspend([], [name]),
    "names that fit nothing": _select,
    "report": read_short_line,
}


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
@pytest.mark.parametrize("name", LISTS)
def test_a_sign_that_is_not_seen_is_written_out(name: str, sign: str) -> None:
    lines = LISTS[name](f"ac{sign}me")
    text = lines if isinstance(lines, str) else "\n".join(lines)

    assert sign not in text
    assert f"ac{ascii(sign)[1:-1]}me" in text
