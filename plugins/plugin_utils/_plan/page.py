# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as a page of Markdown: headings, lists and code, what goes first, all of it by client. Pure. Private to the collection.

Names and values are texts of customers. Each is in code, where neither GitHub nor GitLab makes a link, a mention or a reference of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils._bulk.plan_lines import (
    MOST_CHARACTERS,
    Action,
    action_changes,
    by_client,
    counts_of,
    in_parts,
    lost_records,
    titled,
)
from ...module_utils._errors import first_lines, first_of
from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.redaction import on_one_line
from .._run.template import rendered

_LONGEST_NAME, _LONGEST_VALUE, _LONGEST_CHANGE, _LONGEST_MESSAGE = 260, 250, 1_000, 5_000
# Of an object, lines and names of what goes along with it.
_MOST_DETAILS, _MOST_NAMES, _MOST_WARNINGS = 40, 40, 10
_TICKS = re.compile("`+")
# Nothing of these is seen, and some stand for other characters or turn the direction of a line.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def markdown(result: Mapping[str, Any], panel: str = "", drift: bool = False) -> str:
    """The page, with as many objects as there is room for. result: of panel_resources, or its plan alone. panel: the name for the title."""
    plan = result if "actions" in result else result.get("plan")
    actions = plan["actions"] if plan else ()
    warnings = result.get("warnings") or ()
    content = {
        "drift": drift,
        "panel": panel,
        "plan": plan,
        "counts": plan and counts_of(plan["summary"]),
        "along": sum(len(keys) for one in actions for keys in (one.get("also_deleted") or {}).values()),
        "lost": [count for count in map(lost_records, actions) if count],
        "warnings": first_lines([f"Warning: {code(str(one), 2 * _LONGEST_NAME)}" for one in warnings], _MOST_WARNINGS),
        "message": str(result.get("msg", "")) if result.get("failed") or not plan else "",
    }
    most, is_short = len(actions), False
    while True:
        content |= {"parts": list(_parts(actions, most, is_short)), "more": len(actions) - most}
        text = rendered(Path(__file__).with_name("page.md.j2"), content, code=code, block=_block)
        if len(text) <= MOST_CHARACTERS or not most:
            return text
        if not is_short:
            is_short = True
            continue
        most = min(most - 1, most * MOST_CHARACTERS // len(text))


def _parts(actions: Sequence[Action], most: int, is_short: bool) -> Iterator[dict[str, Any]]:
    """What goes, and what is created or changed: how many there are, and by client those that there is room for."""
    for what, found in zip(("delete", "change"), in_parts(actions)):
        clients = []
        for client, its_own in by_client(found):
            objects = [
                {**one, "title": KINDS[one["kind"]].title, "details": _details(one, is_short)}
                for one in its_own[: max(most, 0)]
            ]
            most -= len(objects)
            clients += [(client, objects)] if objects else []
        if clients:
            yield {"what": what, "count": len(found), "clients": clients}


def _details(action: Action, is_short: bool) -> list[str]:
    """All of it, unless the page would be too long."""
    most_names, most_lines, longest = (_MOST_NAMES, _MOST_DETAILS, _LONGEST_CHANGE) if is_short else (sys.maxsize,) * 3
    if action["action"] == "delete":
        along = (action.get("also_deleted") or {}).items()
        names = {kind: first_of([code(str(key)) for key in keys], most_names) for kind, keys in along}
        return [f"and with it {titled(kind, len(keys))}: {names[kind]}" for kind, keys in along]
    return first_lines([code(change, longest) for change in action_changes(action, _LONGEST_VALUE)], most_lines)


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
    return line if len(line) <= longest else line[: longest - 1] + "…"
