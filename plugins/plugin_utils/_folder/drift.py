# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a panel and a directory of files differ, from a plan that compares in both directions. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._bulk.plan_lines import action_changes
from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.terminal import on_one_line
from ...module_utils._task.mistakes import first_lines
from .folder import Folder

Plan = dict[str, Any]
_MOST, _LONGEST = 100, 240
_WORDS = {"missing": "missing on the panel", "surplus": "only on the panel", "different": "differs"}
_WHAT = {"create": "missing", "update": "different", "delete": "surplus"}


def drift_plan(result: Mapping[str, Any], folder: Folder) -> Plan:
    """The plan of a result of panel_resources with ``compare``: each action has the ``file`` and line of its object, empty if only the panel has it.

    A certificate whose key no file has is no action in the result. Here it is one that creates.
    """
    plan = result["plan"]
    places = {
        (kind, (KINDS[kind].key_of(item) or "").casefold()): origins[0].place()
        for kind, items in folder.resources.items()
        for item, origins in zip(items, folder.origins[kind])
    }
    left_out = [
        {
            "kind": one["kind"],
            "key": one["key"],
            "id": None,
            "client": None,
            "action": "create",
            "before": {},
            "after": {},
        }
        for one in result.get("results") or ()
        if one.get("result") == "skipped"
    ]
    actions = [
        {**one, "file": places.get((one["kind"], str(one["key"]).casefold()), "")}
        for one in [*plan["actions"], *left_out]
    ]
    summary = {**plan["summary"], "create": plan["summary"]["create"] + len(left_out)}
    return {**plan, "summary": summary, "actions": actions}


def differences(plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Such a plan as ``{kind, key, client, what, file, details}``; what: missing, different or surplus on the panel.

    details: from the value of the panel to that of the file.
    """
    return [
        {
            "kind": one["kind"],
            "key": one["key"],
            "client": one["client"],
            "what": _WHAT[one["action"]],
            "file": one["file"],
            "details": ", ".join(action_changes(one)) if one["action"] == "update" else "",
        }
        for one in plan["actions"]
    ]


def drift_text(plan: Mapping[str, Any], most: int = _MOST) -> str:
    """A line for each object, at most so many: its name, its file, and what differs."""
    found = differences(plan)
    if not found:
        return ""
    head = f"{len(found)} object{'' if len(found) == 1 else 's'} differ{'s' if len(found) == 1 else ''} (on the panel -> in the files):"
    lines = [" ".join(filter(None, [*_named(one), one["details"]])) for one in found]
    shown = (on_one_line(line) for line in [head, *first_lines(lines, most)])
    return "".join(f"{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}\n" for line in shown)


def _named(one: Mapping[str, Any]) -> list[str]:
    where = _WORDS[one["what"]] if one["what"] == "surplus" else f"{_WORDS[one['what']]} ({one['file']})"
    return [f"{KINDS[one['kind']].title} {one['key']}:", where]
