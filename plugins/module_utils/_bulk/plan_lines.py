# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan in lines for a person, by client, what is lost first. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._kinds.registry import KINDS
from .._problems import format_number_of
from .._secrets.redaction import escape_control_characters

MOST_CHARACTERS = 60_000
_LONGEST_VALUE = 60
_LONGEST_LINE = 240
_BEFORE_THE_DIFFERENCE = 10  # characters of two long values that are shown before those that differ
_MISSING = object()
_ORDER = ("delete", "update", "create", *KINDS)

DisplayedAction = Mapping[str, Any]  # as a plan shows it


def make_plan_text(plan: Mapping[str, Any]) -> str:
    """Return the lines as one text, which is empty where there is nothing to do."""
    return "".join(f"{line}\n" for line in make_plan_lines(plan)) if plan["actions"] else ""


def make_plan_lines(plan: Mapping[str, Any], most: int | None = None) -> list[str]:
    """Return the counts, and under each client its objects with what changes of each or goes with
    it.

    Args:
        plan: As the result of a task has it.
        most: So many objects at most.
    """
    lines = [format_change_counts(plan["summary"])]
    room = MOST_CHARACTERS - len(lines[0]) - 2 * _LONGEST_LINE
    losing, keeping = split_by_loss(plan["actions"])
    displayed = 0
    for username, actions in [*group_by_client(losing), *group_by_client(keeping)]:
        heading = [f"{escape_control_characters(username) or 'the panel itself'}:"]
        for action in actions:
            block = _make_block_of(action)
            head = [*heading, f"  {block.head}"]
            if displayed == most or _count_characters(head) > room:
                return [*lines, f"and {len(plan['actions']) - displayed} more"]

            details = _format_first_details(block.details, room - _count_characters(head))
            lines += [*head, *details]
            room -= _count_characters([*head, *details])
            heading = []
            displayed += 1
    return lines


def _count_characters(lines: Iterable[str]) -> int:
    """Return the number of characters of lines with their ends."""
    return sum(len(line) + 1 for line in lines)


def format_change_counts(summary: Mapping[str, int]) -> str:
    """Return how many objects a plan changes in which way."""
    counts = [f"{summary[name]} to {name}" for name in ("create", "update", "delete")]
    return f"{', '.join(counts)}, {summary['unchanged']} unchanged"


def split_by_loss(
    actions: Iterable[DisplayedAction],
) -> tuple[list[DisplayedAction], list[DisplayedAction]]:
    """Return the actions by which something is lost, and those by which nothing is."""
    losing: list[DisplayedAction] = []
    keeping: list[DisplayedAction] = []
    for action in actions:
        if action["action"] == "delete" or count_lost_records(action) > 0:
            losing.append(action)
        else:
            keeping.append(action)
    return losing, keeping


def count_lost_records(action: DisplayedAction) -> int:
    """Return how many records are deleted from a zone that stays."""
    count = 0
    for entry in action.get("entries") or ():
        count += sum(value not in entry["after"] for value in entry["before"])
    return count


def group_by_client(actions: Iterable[DisplayedAction]) -> list[tuple[str, list[DisplayedAction]]]:
    """Return the actions of each client, in the order of their names; what no client owns comes
    first, since it is for all of them.
    """

    def order(action: DisplayedAction) -> tuple[int, int, str]:
        return _ORDER.index(action["action"]), _ORDER.index(action["kind"]), str(action["key"])

    groups: dict[str, list[DisplayedAction]] = {}
    for action in sorted(actions, key=order):
        groups.setdefault(action.get("client") or "", []).append(action)
    return sorted(groups.items(), key=lambda group: (group[0].casefold(), group[0]))


class _Block(NamedTuple):
    """The lines of one object. details: each with the number of fields, record sets or objects that
    it names.
    """

    head: str
    details: list[tuple[str, int]]


def _make_block_of(action: DisplayedAction) -> _Block:
    """Return the lines of the object of an action."""
    name = f"{KINDS[action['kind']].title} {action['key']}"
    if action["action"] == "delete":
        return _make_block_of_deletion(action, name)

    fields = _describe_fields(action, _LONGEST_VALUE)
    record_sets = _describe_record_sets(action, _LONGEST_VALUE)
    parts = [action["action"], name]
    if fields:
        parts.append(", ".join(fields))
    head = escape_control_characters("  ".join(parts))
    details = record_sets
    if len(head) > _LONGEST_LINE:
        # A field that the first line has no room for has its own line, as each record set has.
        details = [*_list_hidden_fields(fields, len(head)), *record_sets]
    return _Block(_format_on_a_line(head), [(_format_on_a_line(detail), 1) for detail in details])


def _make_block_of_deletion(action: DisplayedAction, name: str) -> _Block:
    """Return the lines of an object that is deleted, with the names of all that goes with it."""
    also_deleted = action.get("also_deleted") or {}
    parts = [action["action"], name]
    if also_deleted:
        counts = {plural: len(keys) for plural, keys in also_deleted.items()}
        parts.append(f"and with it {format_counts(counts)}")
    return _Block(_format_on_a_line("  ".join(parts)), _format_names(also_deleted))


def _list_hidden_fields(fields: Sequence[str], length: int) -> list[str]:
    """Return those of the fields at the end of a line of this length that are not wholly within
    what is shown of it.
    """
    hidden: list[str] = []
    end = length
    for field in reversed(fields):
        if end >= _LONGEST_LINE:
            hidden.insert(0, field)
        end -= len(escape_control_characters(field)) + len(", ")
    return hidden


def _format_names(also_deleted: Mapping[str, Sequence[Any]]) -> list[tuple[str, int]]:
    """Return the names of what is deleted with an object, by kind, in lines that are
    not too long.
    """
    lines: list[tuple[str, int]] = []
    for plural, keys in also_deleted.items():
        line = f"{format_count(plural, len(keys))}: "
        count = 0
        for position, key in enumerate(keys, 1):
            name = _cut(escape_control_characters(str(key)), _LONGEST_LINE - len("  "))
            comma = "," if position < len(keys) else ""
            if count and len(line) + len(name) + len(comma) > _LONGEST_LINE:
                lines.append((line.rstrip(), count))
                line = "  "
                count = 0
            line += f"{name}{comma} "
            count += 1
        lines.append((line.rstrip(), count))
    return lines


def _format_first_details(details: Sequence[tuple[str, int]], room: int) -> list[str]:
    """Return as many of the lines as there is room for, and the number of what the others name."""
    lines: list[str] = []
    for line, _count in details:
        room -= len(line) + 5
        if room < 0:
            break
        lines.append(f"    {line}")
    hidden = sum(count for _line, count in details[len(lines) :])
    if hidden:
        lines.append(f"    and {hidden} more")
    return lines


def _format_on_a_line(text: str) -> str:
    """Return a text on one line that is not too long."""
    return _cut(escape_control_characters(text), _LONGEST_LINE)


def describe_action_changes(action: DisplayedAction, longest: int = _LONGEST_VALUE) -> list[str]:
    """Return what an action changes, a text for each field and each record set: ``max_size 512M ->
    1G``, ``aliases -a +b``.

    Args:
        action: As a plan shows it.
        longest: The most characters of each value.
    """
    return _describe_fields(action, longest) + _describe_record_sets(action, longest)


def _describe_fields(action: DisplayedAction, longest: int) -> list[str]:
    before = _display_fields(action, "before")
    after = _display_fields(action, "after")
    return list(_describe_changed_fields(before, after, longest))


def _describe_record_sets(action: DisplayedAction, longest: int) -> list[str]:
    changes = []
    for entry in action.get("entries") or ():
        change = _describe_list_change(
            f"{entry['host']} {entry['type']}", entry["before"], entry["after"], longest
        )
        if entry["after"]:
            change += f" ttl {entry['ttl']}"
        changes.append(change)
    return changes


def _display_fields(action: DisplayedAction, moment: str) -> dict[str, Any]:
    """Return the fields before or after an action, without those that name a new object."""
    kind = KINDS[action["kind"]]
    fields = dict(action.get(moment) or {})
    if action["action"] == "create":
        for name in (*kind.key_options, "client"):
            fields.pop(name, None)
    return kind.display_sizes(fields)


def format_count(plural: str, number: int) -> str:
    """Return a number of objects in words. plural: of its kind."""
    return format_number_of(number, KINDS[plural].title, KINDS[plural].titles)


def format_counts(counts: Mapping[str, int]) -> str:
    """Return how many objects of each kind there are, in words."""
    return ", ".join(
        [format_count(plural, counts[plural]) for plural in KINDS if counts.get(plural)]
    )


def _describe_changed_fields(
    before: Mapping[str, Any], after: Mapping[str, Any], longest: int, path: str = ""
) -> Iterator[str]:
    """Yield what changes of each field. path: leads to the group that the fields are in."""
    for name in {**before, **after}:
        yield from _describe_changes_of(
            f"{path}{name}", before.get(name, _MISSING), after.get(name, _MISSING), longest
        )


def _describe_changes_of(path: str, old: Any, new: Any, longest: int) -> Iterable[str]:
    """Return what changes of a field, or of each field of a group."""
    if old is _MISSING and new:
        old = _choose_empty_value(new)
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        return _describe_changed_fields(old, new, longest, f"{path}.")
    if old == new:
        return []
    if isinstance(new, list) and isinstance(old, list):
        return [_describe_list_change(path, old, new, longest)]

    after = None if new is _MISSING else new
    values = [after] if old is _MISSING else [old, after]
    return [f"{path} {' -> '.join(_abbreviate_values(values, longest))}"]


def _choose_empty_value(value: Any) -> Any:
    """Return what a new group or list is compared with: an empty one; a new value with nothing."""
    if isinstance(value, Mapping):
        return {}
    return [] if isinstance(value, list) else _MISSING


def _describe_list_change(name: str, old: Sequence[Any], new: Sequence[Any], longest: int) -> str:
    """Return the entries that a list loses and gets, after its name."""
    removed = [entry for entry in old if entry not in new]
    added = [entry for entry in new if entry not in old]
    signs = ["-"] * len(removed) + ["+"] * len(added)
    texts = _abbreviate_values([*removed, *added], longest)
    return " ".join([name, *(f"{sign}{text}" for sign, text in zip(signs, texts))])


def _abbreviate_values(values: Sequence[Any], longest: int) -> list[str]:
    """Return the values as texts that are not too long. Those that begin alike begin where they
    differ, so that a person sees what changes.
    """
    texts = [_format_value(value) for value in values]
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_cut(text, longest), []).append(text)

    abbreviated = []
    for text in texts:
        group = alike[_cut(text, longest)]
        start = _count_common_characters(group) - _BEFORE_THE_DIFFERENCE
        if len(set(group)) > 1 and start > 0:
            text = f"…{text[start:]}"
        abbreviated.append(_cut(text, longest))
    return abbreviated


def _count_common_characters(texts: Sequence[str]) -> int:
    """Return the number of characters with which all of the texts begin."""
    first = min(texts)
    last = max(texts)
    for position, character in enumerate(first):
        if character != last[position]:
            return position
    return len(first)


def _format_value(value: Any) -> str:
    """Return a value as it can be read: a text as it is, where that is seen as a whole, and
    everything else as JSON.
    """
    if isinstance(value, str) and value and value.isprintable() and value == value.strip():
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, most: int) -> str:
    """Return a text, or its beginning if it is longer than that."""
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"
