# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan in lines for a person: what goes first, by client, sizes as people write them. Pure. Private to the collection."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._kinds.registry import KINDS
from .._secrets.redaction import on_one_line

MOST_CHARACTERS = 60_000
_LONGEST_VALUE = 60
_LONGEST_LINE = 240
_MISSING = object()
_ORDER = ("delete", "update", "create", *KINDS)

Action = Mapping[str, Any]  # as a plan shows it


def plan_text(plan: Mapping[str, Any]) -> str:
    """The lines as one text, which is empty where there is nothing to do."""
    return "".join(f"{line}\n" for line in plan_lines(plan)) if plan["actions"] else ""


def plan_lines(plan: Mapping[str, Any], most: int | None = None) -> list[str]:
    """The counts, and under each client a line for each of its objects and record sets. most: so many objects at most."""
    lines = [counts_of(plan["summary"])]
    room = MOST_CHARACTERS - len(lines[0]) - _LONGEST_LINE
    shown = 0
    for client, found in (group for part in in_parts(plan["actions"]) for group in by_client(part)):
        new = [f"{on_one_line(client) or 'the panel itself'}:"]
        for action in found:
            new += [f"  {line}" for line in _lines_of(action)]
            room -= sum(len(line) + 1 for line in new)
            if room < 0 or shown == most:
                return [*lines, f"and {len(plan['actions']) - shown} more"]
            lines += new
            new, shown = [], shown + 1
    return lines


def counts_of(summary: Mapping[str, int]) -> str:
    counts = [f"{summary[name]} to {name}" for name in ("create", "update", "delete")]
    return f"{', '.join(counts)}, {summary['unchanged']} unchanged"


def in_parts(actions: Iterable[Action]) -> tuple[list[Action], list[Action]]:
    parts: tuple[list[Action], list[Action]] = ([], [])
    for action in actions:
        parts[action["action"] != "delete" and not lost_records(action)].append(action)
    return parts


def lost_records(action: Action) -> int:
    """How many records go from a zone that stays."""
    return sum(value not in entry["after"] for entry in action.get("entries") or () for value in entry["before"])


def by_client(actions: Iterable[Action]) -> list[tuple[str, list[Action]]]:
    """The actions of each client, in the order of their names; what no client owns comes first, since it is for all of them."""

    def place(action: Action) -> tuple[int, int, str]:
        return _ORDER.index(action["action"]), _ORDER.index(action["kind"]), str(action["key"])

    groups: dict[str, list[Action]] = {}
    for action in sorted(actions, key=place):
        groups.setdefault(action.get("client") or "", []).append(action)
    return sorted(groups.items(), key=lambda group: (group[0].casefold(), group[0]))


def _lines_of(action: Action) -> Iterator[str]:
    words = [action["action"], f"{KINDS[action['kind']].title} {action['key']}"]
    changes = [] if action["action"] == "delete" else action_changes(action)
    # Each record set has a line of its own.
    fields = changes[: len(changes) - len(action.get("entries") or ())]
    if fields:
        words.append(", ".join(fields))
    elif action.get("also_deleted"):
        words.append(
            f"and with it {in_numbers(kind for kind, keys in action['also_deleted'].items() for _key in keys)}"
        )
    for line in ("  ".join(words), *(f"  {one}" for one in changes[len(fields) :])):
        yield _cut(on_one_line(line), _LONGEST_LINE)


def action_changes(action: Action, longest: int = _LONGEST_VALUE) -> list[str]:
    """What an action changes, a text for each field and each record set: ``max_size 512M -> 1G``, ``aliases -a +b``. longest: of each value."""
    kind = KINDS[action["kind"]]
    own = {*kind.named_by, "client"} if action["action"] == "create" else set()  # what names a new object
    before, after = (
        kind.with_sizes_in_words({name: one for name, one in (action.get(side) or {}).items() if name not in own})
        for side in ("before", "after")
    )
    changes = list(_members_changed(before, after, longest))
    for entry in action.get("entries") or ():
        ttl = f" ttl {entry['ttl']}" if entry["after"] else ""
        changes.append(_list_change(f"{entry['host']} {entry['type']}", entry["before"], entry["after"], longest) + ttl)
    return changes


def titled(kind: str, number: int) -> str:
    return f"{number} {KINDS[kind].title if number == 1 else KINDS[kind].titles}"


def in_numbers(kinds: Iterable[str]) -> str:
    """How many objects of each kind there are. kinds: of each object."""
    counts = Counter(kinds)
    return ", ".join(titled(kind, counts[kind]) for kind in KINDS if kind in counts)


def _members_changed(
    before: Mapping[str, Any], after: Mapping[str, Any], longest: int, path: str = ""
) -> Iterator[str]:
    for name in {**before, **after}:
        old, new, here = before.get(name, _MISSING), after.get(name, _MISSING), f"{path}{name}"
        if old is _MISSING and new and isinstance(new, (Mapping, list)):
            old = {} if isinstance(new, Mapping) else []
        if isinstance(new, Mapping) and isinstance(old, Mapping):
            yield from _members_changed(old, new, longest, f"{here}.")
        elif old != new and isinstance(new, list) and isinstance(old, list):
            yield _list_change(here, old, new, longest)
        elif old != new:
            sides = ([] if old is _MISSING else [old]) + [None if new is _MISSING else new]
            yield f"{here} {' -> '.join(_cut(_shown(one), longest) for one in sides)}"


def _list_change(what: str, old: Sequence[Any], new: Sequence[Any], longest: int) -> str:
    signs = [f"-{_cut(_shown(one), longest)}" for one in old if one not in new]
    signs += [f"+{_cut(_shown(one), longest)}" for one in new if one not in old]
    return " ".join([what, *signs])


def _shown(value: Any) -> str:
    is_plain = isinstance(value, str) and value and value.isprintable() and value == value.strip()
    return value if is_plain else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
