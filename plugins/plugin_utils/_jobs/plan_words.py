# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan of panel_resources, what came of it, and its messages, in words for a person. Pure. Private to the collection."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import Mistake, first_lines
from ...module_utils._values.sizes import size_in_units

_LONGEST_VALUE = 60
_LONGEST_LINE = 240
_MISSING = object()
_INDEXED = re.compile(rf"\b(?:resources\.)?({'|'.join(KINDS)})\[(\d+)\]")


def plan_lines(plan: Mapping[str, Any], most: int) -> list[str]:
    """The counts, and a line for each action as of `action_lines`."""
    return [counts_line(plan["summary"]), *action_lines(plan["actions"], most)]


def action_lines(actions: Iterable[Mapping[str, Any]], most: int) -> list[str]:
    """A line for each action, ``most`` of them at most."""
    return first_lines([cut(_action_line(action), _LONGEST_LINE) for action in actions], most)


def failure_lines(results: Iterable[Mapping[str, Any]], most: int) -> list[str]:
    """A line for each object that failed or was skipped, the failed ones first."""
    wrong = [result for outcome in ("failed", "skipped") for result in results if result.get("result") == outcome]
    return first_lines([f"{one['result']:<7} {one['kind']} {one['key']}: {one.get('msg', '')}" for one in wrong], most)


def counts_line(summary: Mapping[str, int]) -> str:
    """The numbers of a plan."""
    counts = [f"{summary[name]} to {name}" for name in ("create", "update", "delete")]
    return f"{', '.join(counts)}, {summary['unchanged']} unchanged"


def _action_line(action: Mapping[str, Any]) -> str:
    named = f"{action['action']:<6}  {action['kind']} {action['key']}"
    before, after = action.get("before") or {}, action.get("after") or {}
    if action["action"] == "update":
        changes = [*member_changes(before, after, action["kind"]), *entry_changes(action)]
        return f"{named}: {', '.join(map(_change_in_words, changes))}"
    if action["action"] == "delete":
        also = ", ".join(KINDS[kind].numbered(len(keys)) for kind, keys in (action.get("also_deleted") or {}).items())
        return named + (f", and with it {also}" if also else "")
    return named


def changed_members(before: Mapping[str, Any], after: Mapping[str, Any], kind: str) -> Iterator[str]:
    """A text for each member that is another one afterwards: ``max_size 512M -> 1G``."""
    return map(_change_in_words, member_changes(before, after, kind))


def _change_in_words(member: MemberChange) -> str:
    if member.old is not None and member.new is not None:
        return f"{member.path} {_short(member.old)} -> {_short(member.new)}"
    signs = [f"-{_short(entry)}" for entry in member.removed] + [f"+{_short(entry)}" for entry in member.added]
    return " ".join([member.path, *signs, *([] if member.new is None else [_short(member.new)])])


class MemberChange(NamedTuple):
    """A member that is another one afterwards, in words. path: dotted within others. old: None where it was not managed before.

    removed, added: of a list, the entries that go and come, in the place of old and new.
    """

    path: str
    old: str | None = None
    new: str | None = None
    removed: Sequence[str] = ()
    added: Sequence[str] = ()


def entry_changes(action: Mapping[str, Any]) -> Iterator[MemberChange]:
    """A change for each record set of an action on a zone."""
    for entry in action.get("entries") or ():
        old, new = entry["before"], entry["after"]
        removed, added = (
            [_shown(one) for one in some if one not in others] for some, others in ((old, new), (new, old))
        )
        name = f"{entry['host']} {entry['type']}"
        yield MemberChange(name, new=f"ttl {entry['ttl']}" if new else None, removed=removed, added=added)


def member_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], kind: str, path: tuple[str, ...] = ()
) -> Iterator[MemberChange]:
    """Each member that is another one afterwards, sizes as people write them. kind: plural, whose members they are."""
    for name in {**before, **after}:
        old, new = before.get(name, _MISSING), after.get(name, _MISSING)
        here = (*path, str(name))
        if old == new:
            continue
        if isinstance(new, Mapping) and (isinstance(old, Mapping) or (new and old is _MISSING)):
            yield from member_changes(old if isinstance(old, Mapping) else {}, new, kind, here)
        elif isinstance(old, list) and isinstance(new, list):
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


def _short(text: str) -> str:
    return cut(text, _LONGEST_VALUE)


def cut(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def in_places(message: str, places: Mapping[str, Sequence[str]]) -> str:
    """A message about ``emails[7]`` in the words of the place that this item is from; places: by kind, for each item in its order."""
    if isinstance(message, Mistake):
        place, sentence = in_places(message.place, places), in_places(message.sentence, places)
        return Mistake(place, sentence, message.between, message.most_alike)

    def named(match: re.Match[str]) -> str:
        known = places.get(match[1], ())
        index = int(match[2])
        return known[index] if index < len(known) else match[0]

    return _INDEXED.sub(named, message)
