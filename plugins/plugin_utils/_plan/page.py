# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as a page of Markdown: headings, lists and code, what goes first, all of it by client. Pure. Private to the collection.

Names and values are texts of customers. Each is in code, where neither GitHub nor GitLab makes a link, a mention or a reference of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ...module_utils._bulk.plan_lines import (
    MOST_CHARACTERS,
    Action,
    MemberChange,
    by_client,
    changes_of,
    counts_of,
    entry_changes,
    in_parts,
    lost_records,
    titled,
)
from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.redaction import MASK, is_secret_name, shown_text
from ...module_utils._secrets.terminal import on_one_line
from ...module_utils._task.mistakes import first_of

_LONGEST_NAME, _LONGEST_VALUE, _LONGEST_MESSAGE, _MOST_WARNINGS = 260, 200, 5_000, 10
# Of a page that is too long otherwise: lines of an object, and names of what goes along with it.
_MOST_DETAILS, _MOST_NAMES = 30, 20
_MEMBER = re.compile(r"(?P<name>[\w.-]+)(?P<sign>[\"']?\s*[:=]\s*)(?P<value>\S.*)")
_MAY_HAVE_SECRETS = re.compile(r"[\s:=$]")
_TICKS = re.compile("`+")
_SHORTEST_OBJECT = 15  # characters
# Nothing of these is seen, and some stand for other characters or turn the direction of a line.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


class Words(NamedTuple):
    """What a page is called, what it calls its two parts, and what it says of an object."""

    plan: str
    no_plan: str
    nothing: str
    deletions: str
    changes: str
    verbs: Mapping[str, str]


PLAN = Words(
    "Plan for",
    "No plan for",
    "There is nothing to do.",
    "To delete",
    "To create and to change",
    {"delete": "delete", "update": "change", "create": "new"},
)
DRIFT = Words(
    "Drift of",
    "No comparison of",
    "The panel is as the files say.",
    "Only on the panel",
    "Missing and changed on the panel",
    {"delete": "only on the panel", "update": "changed", "create": "missing"},
)


@cache
def _template() -> Template:
    # Nothing in it is HTML, and everything that is not ours is in code.
    environment = Environment(
        loader=FileSystemLoader(str(Path(__file__).parent)),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.md.j2")


def markdown(result: Mapping[str, Any], panel: str = "", words: Words = PLAN) -> str:
    """The page. result: of panel_resources, or its plan alone. panel: the name for the title."""
    plan = result if "actions" in result else result.get("plan")
    of_panel = f" {code(panel)}" if panel else ""
    if plan is None:
        title = words.no_plan + of_panel if panel else words.no_plan.rpartition(" ")[0]
        notes = ["There is none, because:"]
        return _page(title, notes, _block(str(result.get("msg") or "The task has no result.")), [], words)
    title = words.plan + of_panel if panel else words.plan.rpartition(" ")[0]
    failed = bool(result.get("failed"))
    message = _block(str(result.get("msg", ""))) if failed else ""
    notes = [*_notes(plan, result, words)] + (["This plan cannot be applied:"] if failed else [])
    return _page(title, notes, message, plan["actions"], words)


def _notes(plan: Mapping[str, Any], result: Mapping[str, Any], words: Words) -> Iterator[str]:
    actions = plan["actions"]
    yield f"{counts_of(plan['summary'])}."
    along = sum(len(keys) for one in actions for keys in (one.get("also_deleted") or {}).values())
    if along:
        yield f"{along} more object{' goes' if along == 1 else 's go'} along with the deletions."
    lost = [count for count in map(lost_records, actions) if count]
    if lost:
        yield (
            f"{sum(lost)} record{' goes' if sum(lost) == 1 else 's go'} from {len(lost)} DNS zone"
            f"{' that stays' if len(lost) == 1 else 's that stay'}."
        )
    if not actions:
        yield words.nothing
    elif words is PLAN and not result.get("failed"):
        yield f"`hosting.panel.apply` with `panel_expected_checksum` {code(str(plan['checksum']))} does exactly this, or nothing."
    warnings = result.get("warnings") or ()
    yield from (f"Warning: {code(str(warning), 2 * _LONGEST_NAME)}" for warning in warnings[:_MOST_WARNINGS])
    if len(warnings) > _MOST_WARNINGS:
        yield f"And {len(warnings) - _MOST_WARNINGS} more warnings."


def _page(title: str, notes: Sequence[str], message: str, actions: Sequence[Action], words: Words) -> str:
    """The page with as many objects as there is room for."""
    most, details = min(len(actions), MOST_CHARACTERS // _SHORTEST_OBJECT), 10**9
    while True:
        parts = _parts(actions, words, most, details)
        more = len(actions) - most
        text = _template().render(title=title, notes=notes, message=message, parts=parts, more=more)
        if len(text) <= MOST_CHARACTERS or not most:
            return text
        # First all objects with fewer lines each, then fewer objects.
        fewer = min(most - 1, most * MOST_CHARACTERS // len(text))
        most, details = (most, _MOST_DETAILS) if details > _MOST_DETAILS else (fewer, details)


def _parts(actions: Sequence[Action], words: Words, most: int, details: int) -> list[dict[str, Any]]:
    parts = []
    for heading, found in zip((words.deletions, words.changes), in_parts(actions)):
        clients = []
        for client, its_own in by_client(found):
            objects = [_object(one, words, details) for one in its_own[:most]]
            most -= len(objects)
            if objects:
                clients.append({"name": code(client) if client else "The panel itself", "objects": objects})
        if clients:
            parts.append({"heading": heading, "count": len(found), "clients": clients})
    return parts


def _object(action: Action, words: Words, most: int) -> dict[str, Any]:
    line = f"{words.verbs[action['action']]}: {KINDS[action['kind']].title} {code(str(action['key']))}"
    lines = list(_details(action, most))
    return {"line": line, "details": lines[:most] + ([f"and {len(lines) - most} more"] if len(lines) > most else [])}


def _details(action: Action, most: int) -> Iterator[str]:
    if action["action"] == "delete":
        for kind, keys in (action.get("also_deleted") or {}).items():
            names = first_of([code(str(key)) for key in keys], _MOST_NAMES if most == _MOST_DETAILS else most)
            yield f"and with it {titled(kind, len(keys))}: {names}"
        return
    for change in (*changes_of(action), *entry_changes(action)):
        yield from _change(change)


def _change(change: MemberChange) -> Iterator[str]:
    name = code(change.path)
    yield from (f"{name}: not any more {_value(entry)}" for entry in change.removed)
    new = f" ({change.new})" if change.new and change.added else ""
    yield from (f"{name}: also {_value(entry)}{new}" for entry in change.added)
    if not (change.removed or change.added):
        old = "" if change.old is None else f"{_value(change.old)} → "
        yield f"{name}: {old}{_value(change.new or '')}"


def _value(text: str) -> str:
    return code(text, _LONGEST_VALUE)


def code(text: str, longest: int = _LONGEST_NAME) -> str:
    """A text as code within a line, whatever is in it."""
    line = _visible(text, longest) or " "
    fence = _fence(line, 1)
    # One blank at each end is taken away where both are there, and sets ticks of the text apart from those around it.
    space = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{space}{line}{space}{fence}"


def _block(text: str) -> str:
    """A message of several sentences as a block of code."""
    line = _visible(text, _LONGEST_MESSAGE)
    fence = _fence(line, 3)
    return f"{fence}text\n{line}\n{fence}"


def _fence(line: str, least: int) -> str:
    return "`" * max(least, 1 + max((len(ticks) for ticks in _TICKS.findall(line)), default=0))


def _visible(text: str, longest: int) -> str:
    line = on_one_line(_UNSEEN.sub(lambda one: one[0].encode("unicode_escape").decode(), text[: longest + 1]))
    # A name is not looked through: a page may have thousands.
    return _cut(_masked(line) if _MAY_HAVE_SECRETS.search(line) else line, longest)


def _masked(text: str) -> str:
    """A text in which nothing follows what looks like the name of a secret: customers note some in comments."""
    return _MEMBER.sub(_masked_member, shown_text(text))


def _masked_member(member: re.Match[str]) -> str:
    value = MASK if is_secret_name(member["name"]) else _MEMBER.sub(_masked_member, member["value"])
    return f"{member['name']}{member['sign']}{value}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
