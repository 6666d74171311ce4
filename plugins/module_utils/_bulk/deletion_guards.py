# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses plans that delete what is protected, or more than was allowed. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Conflict
from .._kinds.registry import TABLES
from .._kinds.tables import DOMAIN, find_hidden_system_domains
from .._plan.object_plan import DELETE
from .._problems import Written, abbreviate, format_number_of
from .._schema.kind import Kind
from .._sources.snapshot_source import SnapshotSource
from .._values.near_names import ask_for_near_names
from .._values.shell_patterns import EntryForm, find_entry_form
from .actions import Action, Cascaded
from .name_patterns import NamePatterns
from .object_names import name_object
from .plan_lines import format_counts

_MOST_NAMED = 20
Protection = Mapping[str, Sequence[Any]]  # by plural kind names and shell patterns


def check_deletions(
    actions: Sequence[Action],
    protect: Protection,
    max_deletes: int | None,
    name_option: Callable[[str], str] = str,
) -> None:
    """Raise Conflict where what is protected would be deleted, or more than is allowed, everything
    that is deleted along counted.

    Args:
        actions: The whole plan.
        protect: What must not be deleted.
        max_deletes: How many may be deleted. None: no limit for objects that were named one by one
            and take nothing else with them, and 0 for all others.
        name_option: Returns what messages call an option.
    """
    deletions = [action for action in actions if action.action == DELETE]
    # By id, since what goes along with two counts once, and several scheduled tasks may have one
    # name.
    deleted: dict[tuple[str, Any], _Deleted] = {}
    for action in deletions:
        for member in action.cascade:
            identity = member.key if member.identifier is None else member.identifier
            deleted[member.plural, identity] = _Deleted(member, action)
    _refuse_protected(deleted.values(), protect, name_option("protect"))

    counted = list(deleted.values())
    if max_deletes is None:
        counted = [entry for entry in counted if not entry.is_named]
    limit = max_deletes or 0
    if len(counted) > limit:
        raise _make_limit_error(deletions, deleted, counted, limit, name_option("max_deletes"))


class _Deleted(NamedTuple):
    """An object that is deleted, and the action by which it is."""

    member: Cascaded
    action: Action

    @property
    def is_cascaded(self) -> bool:
        """Tell whether it goes along with another object."""
        return (self.member.plural, self.member.key) != self.action.name

    @property
    def is_named(self) -> bool:
        """Tell whether an item asks for just this deletion."""
        return self.action.item is not None and not self.is_cascaded


def _make_limit_error(
    deletions: Sequence[Action],
    deleted: Mapping[tuple[str, Any], _Deleted],
    counted: Iterable[_Deleted],
    limit: int,
    name: str,
) -> Conflict:
    """Return the error about more deletions than are allowed.

    Args:
        deletions: The actions that delete.
        deleted: By kind and id all objects that would be deleted.
        counted: Those of them to which the limit applies.
        limit: How many are allowed.
        name: What messages call the option.
    """
    total = len(deleted)
    counts = format_counts(Counter(plural for plural, _identifier in deleted))
    names = abbreviate([_with_its_cascade(action) for action in deletions], _MOST_NAMED, "; ")
    objects = sorted((entry.member.plural, entry.member.key) for entry in counted)[:_MOST_NAMED]
    return Conflict(
        f"{format_number_of(total, 'object', 'objects')} would be deleted ({counts}; the limit is {limit}): {names}.",
        option="max_deletes",
        written=Written.NOTHING,
        advice=f"Set {name}: {total} to allow this.",
        deletes=total,
        limit=limit,
        objects=[{"kind": plural, "key": key} for plural, key in objects],
    )


def _refuse_protected(deleted: Iterable[_Deleted], protect: Protection, name: str) -> None:
    """Raise Conflict where what is protected would be deleted. name: what messages call
    the option.
    """
    protected = []
    patterns = _make_patterns_by_kind(protect)
    for entry in deleted:
        member = entry.member
        if member.plural in patterns and patterns[member.plural].fits(member.key):
            cause = f" (with {entry.action.plural} {entry.action.key})" if entry.is_cascaded else ""
            protected.append(f"{member.plural} {member.key}{cause}")
    if not protected:
        return

    count = format_number_of(len(protected), "protected object", "protected objects")
    raise Conflict(
        f"{count} would be deleted: {abbreviate(protected, _MOST_NAMED, '; ')}.",
        option="protect",
        written=Written.NOTHING,
        advice=f"Take them out of the deletions, or out of {name}.",
        objects=protected[:_MOST_NAMED],
    )


def _make_patterns_by_kind(protect: Protection) -> dict[str, NamePatterns]:
    return {plural: NamePatterns(entries, plural) for plural, entries in protect.items()}


def _with_its_cascade(action: Action) -> str:
    """Return a deletion in words, with the numbers of what is deleted along."""
    cascaded = format_counts(Counter(member.plural for member in action.cascaded))
    if not cascaded:
        return action.label
    return f"{action.label} with {cascaded}"


def describe_unprotected_names(
    source: SnapshotSource, protect: Protection, name_option: Callable[[str], str]
) -> Iterator[str]:
    """Warn of each name in protect that is not on the panel, and of each pattern that cannot match
    as it is meant, so that it protects nothing.
    """
    for plural, entries in protect.items():
        option = f"{name_option('protect')}.{plural}"
        yield from _describe_unprotected_names_of_kind(source, TABLES[plural], entries, option)


def _describe_unprotected_names_of_kind(
    source: SnapshotSource, kind: Kind, entries: Iterable[object], option: str
) -> Iterator[str]:
    """Warn as ``describe_unprotected_names`` does, of the entries for one kind."""
    forms = {str(entry): find_entry_form(str(entry)) for entry in entries}
    names = [entry for entry, form in forms.items() if form is not EntryForm.PATTERN]
    if not names:
        return

    actual_objects = source.get_objects(kind).list_all()
    keys = [name_object(source, kind, actual) for actual in actual_objects]
    missing = _list_missing_names(source, kind, names, keys)

    broken_patterns = [entry for entry in missing if forms[entry] is EntryForm.BROKEN]
    if broken_patterns:
        yield _describe_broken_patterns(option, broken_patterns)
    missing_names = [entry for entry in missing if forms[entry] is EntryForm.NAME]
    if missing_names:
        yield _describe_missing_names(option, missing_names, keys)


def _list_missing_names(
    source: SnapshotSource, kind: Kind, names: Iterable[str], keys: Sequence[str]
) -> list[str]:
    """Return the names that no object of the panel has, system domains included.

    Args:
        source: The lists of the panel.
        kind: The kind of the names.
        names: As protect has them.
        keys: Of the objects in the list.
    """
    missing = _list_unmatched_names(names, keys, kind.plural)
    if not missing or kind is not DOMAIN:
        return missing
    objects = source.get_objects(kind)
    hidden = find_hidden_system_domains(objects.list_all(), objects.fetch_all)
    hidden_keys = [name_object(source, kind, actual) for actual in hidden]
    return _list_unmatched_names(missing, hidden_keys, kind.plural)


def _describe_broken_patterns(option: str, patterns: Sequence[str]) -> str:
    named = abbreviate(patterns, _MOST_NAMED)
    cause = "a bracket is not closed, or its range is empty, so nothing is protected by it"
    return f"{option}: {named}: {cause}. Correct the pattern, or take it out."


def _describe_missing_names(option: str, names: Sequence[str], keys: Sequence[str]) -> str:
    """Return the warning. keys: of the objects that the panel has, for near names."""
    named = abbreviate(names, _MOST_NAMED)
    ending = ask_for_near_names(names, keys)
    advice = f"Correct the name, or take it out{ending}"
    return f"{option}: {named}: not on this panel, so nothing is protected by it. {advice}"


def _list_unmatched_names(names: Iterable[str], keys: Sequence[str], plural: str) -> list[str]:
    """Return the names that none of the keys has."""
    return NamePatterns(names, plural).list_unmatched(keys)
