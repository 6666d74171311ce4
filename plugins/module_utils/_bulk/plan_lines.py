# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan in lines for a person: what goes first, by client, sizes as people write them. Pure. Private to the collection."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._kinds.registry import KINDS
from .._secrets.redaction import on_one_line

MOST_CHARACTERS = 60_000
_LONGEST_VALUE = 60
_LONGEST_LINE = 240
_BEFORE_THE_DIFFERENCE = 10  # characters of two long values that are shown before those that differ
_MISSING = object()
_ORDER = ("delete", "update", "create", *KINDS)

Action = Mapping[str, Any]  # as a plan shows it


def plan_text(plan: Mapping[str, Any]) -> str:
    """The lines as one text, which is empty where there is nothing to do."""
    return "".join(f"{line}\n" for line in plan_lines(plan)) if plan["actions"] else ""


def plan_lines(plan: Mapping[str, Any], most: int | None = None) -> list[str]:
    """Return the counts, and under each client its objects with what changes of each or goes with it.

    Args:
        most: so many objects at most.
    """
    lines = [counts_of(plan["summary"])]
    room = MOST_CHARACTERS - len(lines[0]) - 2 * _LONGEST_LINE
    shown = 0
    for client, found in (group for part in in_parts(plan["actions"]) for group in by_client(part)):
        heading = [f"{on_one_line(client) or 'the panel itself'}:"]
        for action in found:
            block = _block_of(action)
            head = [*heading, f"  {block.head}"]
            details = _first_details(block.details, room - _length(head))
            if shown == most or _length(head) > room:
                return [*lines, f"and {len(plan['actions']) - shown} more"]
            lines += [*head, *details]
            room -= _length([*head, *details])
            heading = []
            shown += 1
    return lines


def _length(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


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


class _Block(NamedTuple):
    """The lines of one object. details: each with the number of fields, record sets or objects that it names."""

    head: str
    details: list[tuple[str, int]]


def _block_of(action: Action) -> _Block:
    words = [action["action"], f"{KINDS[action['kind']].title} {action['key']}"]
    if action["action"] == "delete":
        along = action.get("also_deleted") or {}
        if along:
            words.append(f"and with it {in_numbers(kind for kind, keys in along.items() for _key in keys)}")
        return _Block(_on_a_line("  ".join(words)), _names_of(along))

    changes = action_changes(action)
    count = len(changes) - len(action.get("entries") or ())
    fields, sets = changes[:count], changes[count:]
    if fields:
        words.append(", ".join(fields))
    head = on_one_line("  ".join(words))
    # A field that the first line has no room for has its own line, as each record set has.
    hidden = _hidden_fields(fields, len(head)) if len(head) > _LONGEST_LINE else []
    return _Block(_on_a_line(head), [(_on_a_line(one), 1) for one in (*hidden, *sets)])


def _hidden_fields(fields: Sequence[str], length: int) -> list[str]:
    """Those of the fields at the end of a line of this length that are not wholly within what is shown of it."""
    hidden: list[str] = []
    end = length
    for field in reversed(fields):
        if end >= _LONGEST_LINE:
            hidden.insert(0, field)
        end -= len(on_one_line(field)) + len(", ")
    return hidden


def _names_of(also_deleted: Mapping[str, Sequence[Any]]) -> list[tuple[str, int]]:
    """The names of what goes with an object, by kind, in lines that are not too long."""
    lines: list[tuple[str, int]] = []
    for kind, keys in also_deleted.items():
        line = f"{titled(kind, len(keys))}: "
        count = 0
        for position, key in enumerate(keys, 1):
            name = _cut(on_one_line(str(key)), _LONGEST_LINE - len("  "))
            comma = "," if position < len(keys) else ""
            if count and len(line) + len(name) + len(comma) > _LONGEST_LINE:
                lines.append((line.rstrip(), count))
                line, count = "  ", 0
            line += f"{name}{comma} "
            count += 1
        lines.append((line.rstrip(), count))
    return lines


def _first_details(details: Sequence[tuple[str, int]], room: int) -> list[str]:
    """As many of the lines as there is room for, and the number of what the others name."""
    lines: list[str] = []
    for line, _count in details:
        room -= len(line) + 5
        if room < 0:
            break
        lines.append(f"    {line}")
    left = sum(count for _line, count in details[len(lines) :])
    return [*lines, f"    and {left} more"] if left else lines


def _on_a_line(text: str) -> str:
    return _cut(on_one_line(text), _LONGEST_LINE)


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
            yield f"{here} {' -> '.join(_abbreviated(sides, longest))}"


def _list_change(what: str, old: Sequence[Any], new: Sequence[Any], longest: int) -> str:
    gone = [one for one in old if one not in new]
    added = [one for one in new if one not in old]
    signs = ["-"] * len(gone) + ["+"] * len(added)
    texts = _abbreviated([*gone, *added], longest)
    return " ".join([what, *(f"{sign}{text}" for sign, text in zip(signs, texts))])


def _abbreviated(values: Sequence[Any], longest: int) -> list[str]:
    """The values as texts that are not too long. Those that begin alike begin where they differ, so that a person sees what changes."""
    texts = [_shown(value) for value in values]
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_cut(text, longest), []).append(text)
    abbreviated = []
    for text in texts:
        others = alike[_cut(text, longest)]
        start = _common_length(others) - _BEFORE_THE_DIFFERENCE
        if len(set(others)) > 1 and start > 0:
            text = f"…{text[start:]}"
        abbreviated.append(_cut(text, longest))
    return abbreviated


def _common_length(texts: Sequence[str]) -> int:
    """The number of characters with which all of the texts begin."""
    first, last = min(texts), max(texts)
    return next((place for place, one in enumerate(first) if one != last[place]), len(first))


def _shown(value: Any) -> str:
    is_plain = isinstance(value, str) and value and value.isprintable() and value == value.strip()
    return value if is_plain else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
