# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan in lines for a person: what goes first, by client, sizes as people write them. Pure. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._kinds.registry import KINDS
from .._secrets.panel_text import on_one_line
from .._values.sizes import size_in_units

MOST_CHARACTERS = 60_000
_LONGEST_VALUE = 60
_LONGEST_LINE = 240
_MISSING = object()
_ORDER = tuple(KINDS)

Action = Mapping[str, Any]  # as a plan shows it
Group = tuple[str, list[Action]]  # of a client, or of what no client owns

_VERBS = ("delete", "update", "create")


def plan_text(plan: Mapping[str, Any]) -> str:
    """The lines as one text, which is empty where there is nothing to do."""
    return "".join(f"{line}\n" for line in plan_lines(plan)) if plan["actions"] else ""


def plan_lines(plan: Mapping[str, Any], most: int | None = None) -> list[str]:
    """The counts, and under each client a line for each of its objects and record sets. most: so many objects at most."""
    lines = [counts_of(plan["summary"])]
    room = MOST_CHARACTERS - len(lines[0]) - _LONGEST_LINE
    shown = 0
    for actions in in_parts(plan["actions"]):
        for client, found in by_client(actions):
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
    """The numbers of a plan."""
    counts = [f"{summary[name]} to {name}" for name in ("create", "update", "delete")]
    return f"{', '.join(counts)}, {summary['unchanged']} unchanged"


def in_parts(actions: Iterable[Action]) -> tuple[list[Action], list[Action]]:
    """What deletes something, an object or records of a zone, and the rest."""
    parts: tuple[list[Action], list[Action]] = ([], [])
    for action in actions:
        parts[action["action"] != "delete" and not lost_records(action)].append(action)
    return parts


def lost_records(action: Action) -> int:
    """How many records go from a zone that stays."""
    return sum(value not in entry["after"] for entry in action.get("entries") or () for value in entry["before"])


def by_client(actions: Iterable[Action]) -> list[Group]:
    """The actions of each client, in the order of their names; what no client owns comes first, since it is for all of them."""
    groups: dict[str, list[Action]] = {}
    for action in sorted(actions, key=_in_group):
        groups.setdefault(action.get("client") or "", []).append(action)
    return sorted(groups.items(), key=lambda group: (group[0].casefold(), group[0]))


def _in_group(action: Action) -> tuple[int, int, str]:
    return _VERBS.index(action["action"]), _ORDER.index(action["kind"]), str(action["key"])


def _lines_of(action: Action) -> Iterator[str]:
    named = f"{action['action']}  {KINDS[action['kind']].title} {action['key']}"
    if action["action"] == "delete":
        also = ", ".join(titled(kind, len(keys)) for kind, keys in (action.get("also_deleted") or {}).items())
        words = f"and with it {also}" if also else ""
    else:
        words = ", ".join(member.in_words() for member in changes_of(action))
    yield _cut(on_one_line(f"{named}  {words}" if words else named), _LONGEST_LINE)
    for change in entry_changes(action):
        yield _cut(on_one_line(f"  {change.in_words()}"), _LONGEST_LINE)


def action_changes(action: Action) -> list[str]:
    """What an action changes, a text for each field and each record set."""
    return [change.in_words() for change in (*changes_of(action), *entry_changes(action))]


def titled(kind: str, number: int) -> str:
    """So many objects of a kind in words."""
    return f"{number} {KINDS[kind].title if number == 1 else KINDS[kind].titles}"


class MemberChange(NamedTuple):
    """A field that is another one afterwards, in words. path: dotted within others. old: None where it was not managed before.

    removed, added: of a list, the entries that go and come, in place of old and new.
    """

    path: str
    old: str | None = None
    new: str | None = None
    removed: Sequence[str] = ()
    added: Sequence[str] = ()

    def in_words(self, longest: int = _LONGEST_VALUE) -> str:
        """``max_size 512M -> 1G``, ``aliases -a +b``. longest: of each value."""
        old, new = (None if value is None else _cut(value, longest) for value in (self.old, self.new))
        if old is not None and new is not None:
            return f"{self.path} {old} -> {new}"
        signs = [
            f"{sign}{_cut(one, longest)}" for sign, some in (("-", self.removed), ("+", self.added)) for one in some
        ]
        return " ".join([self.path, *signs, *([] if new is None else [new])])


def changes_of(action: Action) -> list[MemberChange]:
    """Each field of an action that is another one afterwards, but for what names a new object."""
    kind = KINDS[action["kind"]]
    own = {*kind.named_by, "client"} if action["action"] == "create" else set()
    before, after = (
        {name: value for name, value in (action.get(side) or {}).items() if name not in own}
        for side in ("before", "after")
    )
    return list(member_changes(before, after, action["kind"]))


def entry_changes(action: Action) -> Iterator[MemberChange]:
    """A change for each record set of an action on a zone."""
    for entry in action.get("entries") or ():
        old, new = entry["before"], entry["after"]
        gone, made = ([_shown(one) for one in some if one not in others] for some, others in ((old, new), (new, old)))
        ttl = f"ttl {entry['ttl']}" if new else None
        yield MemberChange(f"{entry['host']} {entry['type']}", new=ttl, removed=gone, added=made)


def member_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], kind: str, path: tuple[str, ...] = ()
) -> Iterator[MemberChange]:
    """Each field that is another one afterwards, sizes as people write them. kind: plural, whose fields they are."""
    for name in {**before, **after}:
        old, new = before.get(name, _MISSING), after.get(name, _MISSING)
        here = (*path, str(name))
        if old == new:
            continue
        if isinstance(new, Mapping) and (isinstance(old, Mapping) or (new and old is _MISSING)):
            yield from member_changes(old if isinstance(old, Mapping) else {}, new, kind, here)
        elif isinstance(new, list) and (isinstance(old, list) or (new and old is _MISSING)):
            old = old if isinstance(old, list) else []
            removed = [_shown(entry) for entry in old if entry not in new]
            added = [_shown(entry) for entry in new if entry not in old]
            yield MemberChange(".".join(here), removed=removed, added=added)
        else:
            is_size = here in KINDS[kind].sizes
            was, becomes = (
                None if value is _MISSING else _shown_size(value) if is_size else _shown(value) for value in (old, new)
            )
            yield MemberChange(".".join(here), was, "null" if becomes is None else becomes)


def _shown_size(value: Any) -> str:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return size_in_units(value) if is_number else _shown(value)


def _shown(value: Any) -> str:
    is_plain = isinstance(value, str) and value and value.isprintable() and value == value.strip()
    return value if is_plain else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
