# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan deletes: what a purge finds, what goes along with it, and what is protected or more
than was allowed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import Conflict
from .._kinds.registry import BY_PATH, IN_DOMAINS, KINDS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, PARENT, find_hidden_system_domains
from .._object.info import fetch_owned
from .._plan.object_plan import DELETE, fields_of_deleted
from .._problems import NOTHING_WRITTEN, OtherItem, Problem, ProblemForm, abbreviate
from .._schema.fields import OWNER, Mutability
from .._schema.kind import Kind
from .._secrets.redaction import Secrets
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import is_planned
from .._sources.snapshot_source import SnapshotObjects
from .._values.names import fold_spelling
from .actions import ORDER, Action, Cascaded, Deletion
from .plan_lines import format_counts
from .plan_state import Identity, MarkedObject, identity_of

if TYPE_CHECKING:
    from .._items.omissions import Omission
    from .planner import Planner

_MOST_NAMED = 20

KindAndObject = tuple[Kind, PanelObject]
Protection = Mapping[str, Sequence[Any]]  # by plural kind names and shell patterns


@lru_cache(10_000)
def _spellings(text: str, plural: str) -> tuple[str, ...]:
    """A name or pattern without what has no meaning in it.

    Returns:
        Case, width and blanks around it taken away, domains in letters; then domains as they are
        written; then, for a name of a kind, each part as the option takes it.
    """
    spellings = [fold_spelling(text), text.strip().lower()]
    if plural:
        spellings.append(_as_options_take_it(KINDS[plural], text))
    return tuple(spellings)


def _as_options_take_it(kind: Kind, name: str) -> str:
    """Return the natural key with each part in the normal form of its option, and without case;
    another text without case alone.
    """
    parts = [name]
    if len(kind.key) > 1:
        # The first part is a name without a colon, which a path behind it may have.
        head, _colon, tail = name.partition(":")
        parts = [head, *tail.rsplit(":", len(kind.key) - 2)]
    if len(parts) != len(kind.key):
        return fold_spelling(name)

    normal = []
    for field, part in zip(kind.key, parts):
        normal.append(fold_spelling(str(field.type.normalize(part.strip()))))
    return ":".join(normal)


class NamePatterns:
    """Names and shell patterns of one kind, each in every spelling.

    Thousands of names are looked up in a table: only what has a wildcard is compared with one name
    after another.
    """

    def __init__(self, entries: Iterable[Any], plural: str = "") -> None:
        """Read the entries.

        Args:
            entries: Names and patterns. Null, as an empty entry is, fits nothing.
            plural: The kind of what they name, where that is known.
        """
        self._plural = plural
        self._entries = list(entries)
        spelled = [_spellings(str(entry), plural) for entry in self._entries if entry is not None]
        self._names = _by_position(spelled)
        self._patterns = [spellings for spellings in spelled if _has_wildcard(spellings)]

    def fits(self, name: str) -> bool:
        """Tell whether one of the entries is the name in any spelling, or a pattern for it."""
        spellings = _spellings(name, self._plural)
        if _is_among(spellings, self._names):
            return True
        return any(any(map(fnmatchcase, spellings, pattern)) for pattern in self._patterns)

    def unmatched(self, names: Iterable[str]) -> list[Any]:
        """Return the entries that fit none of the names."""
        spelled_names = [_spellings(name, self._plural) for name in names]
        table = _by_position(spelled_names)
        return [
            entry for entry in self._entries if not self._fits_one_of(entry, spelled_names, table)
        ]

    def _fits_one_of(
        self, entry: Any, spelled_names: Iterable[tuple[str, ...]], table: list[set[str]]
    ) -> bool:
        """Tell whether an entry fits one of the names. table: these by position."""
        if entry is None:
            return False
        pattern = _spellings(str(entry), self._plural)
        if _is_among(pattern, table):
            return True
        if not _has_wildcard(pattern):
            return False
        return any(any(map(fnmatchcase, name, pattern)) for name in spelled_names)


def _by_position(spelled: Iterable[tuple[str, ...]]) -> list[set[str]]:
    """Return the first spellings of all names, the second ones and so on."""
    return [set(spellings) for spellings in zip(*spelled)]


def _is_among(spellings: tuple[str, ...], table: list[set[str]]) -> bool:
    """Tell whether one of the spellings of a name is among those of the table at its position."""
    return any(spelling in spellings_of_all for spelling, spellings_of_all in zip(spellings, table))


def _has_wildcard(spellings: tuple[str, ...]) -> bool:
    """Tell whether an entry is a shell pattern."""
    return any(wildcard in spelling for spelling in spellings for wildcard in "*?[")


def _patterns_by_kind(protect: Protection) -> dict[str, NamePatterns]:
    return {kind: NamePatterns(entries, kind) for kind, entries in protect.items()}


# Of the beginning of a name, since a search would look for the end of each bracket.
_WILDCARDS = re.compile(r"[^*?]*[*?]|[^\[]*\[.+\]", re.DOTALL)


def unprotected_names(
    planner: Planner, protect: Protection, name_of: Callable[[str], str]
) -> Iterator[str]:
    """Warn of each name in protect that is not on the panel, so that it protects nothing."""
    for plural, entries in protect.items():
        names = [str(entry) for entry in entries if not _WILDCARDS.match(str(entry))]
        if not names:
            continue
        kind = TABLES[plural]
        objects = planner.source.get_objects(kind)
        keys = [planner.name_of(kind, item) for item in objects.all()]
        missing = _not_among(names, keys, plural)
        if missing and kind is DOMAIN:
            hidden = find_hidden_system_domains(objects.all(), objects.fetch_all)
            missing = _not_among(missing, [planner.name_of(kind, item) for item in hidden], plural)
        if missing:
            named = abbreviate(missing, _MOST_NAMED)
            yield f"{name_of('protect')}.{plural}: {named}: not on this panel, so nothing is protected by it. Correct the name, or take it out."


def _not_among(names: Iterable[str], keys: Sequence[str], plural: str) -> list[str]:
    """Return the names that none of the keys has."""
    return NamePatterns(names, plural).unmatched(keys)


def plan_deletions(
    planner: Planner, purged: Collection[str], protect: Protection, name_of: Callable[[str], str]
) -> tuple[list[Action], list[Problem]]:
    """Return the actions that delete, and which of them other items contradict.

    Args:
        planner: Has decided about all items.
        purged: The kinds of which the unnamed objects are deleted too.
        protect: What a purge spares.
        name_of: Returns what messages call an option.
    """
    if purged:
        _purge(planner, purged, protect)
    actions: list[Action] = []
    contradictions: list[Problem] = []
    cascade = Cascade(planner)
    cascade.read_owned()
    for identity, marked in planner.state.marked.items():
        kind = BY_PATH[identity[0]]
        name = planner.name_of(kind, marked.current)
        members = cascade.members_of(kind, marked.current)
        contradictions += _contradictions(planner, kind, name, marked, members, name_of("purge"))
        itself, *cascaded = members
        # What is deleted by itself is not deleted along with this one.
        counted = [
            itself,
            *(each for each in cascaded if each.identity not in planner.state.marked),
        ]
        deletion = Deletion(
            tuple(
                [Cascaded(each.kind.plural, each.key, each.current.get("id")) for each in counted]
            )
        )
        client = planner.client_of(kind, marked.current)
        displayed = _displayed_deletion(kind, marked.current, client, deletion)
        needs = frozenset(planner.state.released_by.get(identity, ()))
        actions.append(
            Action(kind.plural, name, deletion, displayed, marked.item, identity[1], needs)
        )
    return actions, contradictions


def _displayed_deletion(
    kind: Kind, current: PanelObject, client: str | None, deletion: Deletion
) -> dict[str, Any]:
    """Return what a plan shows of a deletion."""
    displayed: dict[str, Any] = {
        "client": client,
        "before": fields_of_deleted(kind, current),
        "after": {},
    }
    cascaded = sorted(
        deletion.cascade[1:],
        key=lambda member: (ORDER[member.kind], str((member.key, member.identifier))),
    )
    keys: dict[str, list[str]] = {}
    ids: dict[str, list[Any]] = {}
    for member in cascaded:
        keys.setdefault(member.kind, []).append(member.key)
        ids.setdefault(member.kind, []).append(member.identifier)
    if cascaded:
        displayed["also_deleted"] = keys
        displayed["also_deleted_ids"] = ids
    return displayed


def _contradictions(
    planner: Planner,
    kind: Kind,
    name: str,
    marked: MarkedObject,
    members: Iterable[Member],
    purge_option: str,
) -> Iterator[Problem]:
    """Describe each deletion of something that another item needs. purge_option: what messages call
    the option purge.
    """
    for member in members:
        user = planner.state.user_of(member.identity)
        if user is None:
            continue
        takes = f"would take {member.kind.plural} {member.key} with it, but"
        if member.current is marked.current:
            takes = "is deleted, but"
        other_item = OtherItem(user.name, " needs it.")
        if marked.item is not None:
            yield Problem(
                "WrongItems",
                cause=takes,
                form=ProblemForm.ITEM_MISTAKE,
                item=marked.item.name,
                other_item=other_item,
            )
        else:
            cause = f"{kind.plural} {name} {takes}"
            yield Problem("WrongItems", purge_option, cause=cause, other_item=other_item)


# A purge


def _purge(planner: Planner, purged: Collection[str], protect: Protection) -> None:
    """Mark for deletion what no item names, except what is protected, what the panel made by
    itself, and what no item could be for, which the state gets as spared.
    """
    from .._items.exporter import Exporter  # noqa: PLC0415 - few tasks purge

    source = planner.source
    spared = planner.state.spared
    # An export knows no other secret, so no item can be for what has this one.
    secrets = Secrets([source.client.connection.api_key])
    exporter = Exporter(
        lambda plural: _existing(source.get_objects(TABLES[plural])),
        TABLES,
        lambda text: secrets.mask_given(text) != text,
        lambda kind, item: (
            source.get_objects(kind).with_fields(dict(item), _needed_fields(kind)) or item
        ),
    )
    for kind in [kind for plural, kind in TABLES.items() if plural in purged]:
        unnamed: list[PanelObject] = []
        for item in _unclaimed(planner, kind, protect):
            exported, omissions = exporter.item(kind, item)
            if exported is None:
                spared += omissions
            else:
                unnamed.append(item)
        _mark_unnamed(planner, kind, unnamed)


def spared_warnings(spared: Iterable[Omission], option: str) -> Iterator[str]:
    """Yield why a purge leaves objects. option: what messages call the option purge."""
    for omission, labels in _group_spared(spared):
        yield (
            f"{option}: {omission.kind}: {labels}: not deleted, since no item could keep it: {omission.reason}. "
            "Delete such objects by id, with state: absent."
        )


def uncompared_warnings(spared: Iterable[Omission]) -> Iterator[str]:
    """Yield why a comparison says nothing about objects of the panel."""
    for omission, labels in _group_spared(spared):
        yield f"{omission.kind}: {labels}: not compared, since no item could keep it: {omission.reason}."


def _group_spared(spared: Iterable[Omission]) -> Iterator[tuple[Omission, str]]:
    from .._items.omissions import group_by_reason  # noqa: PLC0415 - few tasks purge

    return group_by_reason(spared, lambda omission: f"{omission.key} (id {omission.id})")


def _unclaimed(planner: Planner, kind: Kind, protect: Protection) -> Iterator[PanelObject]:
    """Yield the objects of a kind that no item is for, that the panel did not make by itself, and
    that are not protected.
    """
    objects = planner.source.get_objects(kind)
    claimed = planner.state.claimed
    needed = _needed_fields(kind)
    if kind is DOMAIN:
        needed.add("is_system_domain")
    planner.complete(
        objects,
        [(item, needed) for item in objects.all() if identity_of(kind, item) not in claimed],
    )
    patterns = NamePatterns(protect.get(kind.plural, ()), kind.plural)
    for item in objects.all():
        if identity_of(kind, item) in claimed or _is_made_by_panel(planner, kind, item):
            continue
        if not patterns.fits(planner.name_of(kind, item)):
            yield item


def _mark_unnamed(planner: Planner, kind: Kind, unnamed: list[PanelObject]) -> None:
    """Mark objects for deletion by name, so that the checksum is the same in whatever order the
    panel shows them.
    """
    objects = planner.source.get_objects(kind)
    last = kind.rules.keep_last
    # Of what the panel cannot do without, the first one stays.
    unnamed.sort(
        key=lambda item: (planner.name_of(kind, item), str(item.get("id"))),
        reverse=last is not None,
    )
    for item in unnamed:
        if last is None or [item] != [
            existing for existing in _existing(objects) if existing.get(last, True)
        ]:
            planner.mark_for_deletion(kind, None, item)


def _needed_fields(kind: Kind) -> set[str]:
    """Return the fields that an item cannot do without."""
    references = {field.name for field in kind.references if field.change is not Mutability.FREE}
    return references | {
        path[0] for path, field in kind.walk_fields() if field.required and len(path) == 1
    }


def _is_made_by_panel(planner: Planner, kind: Kind, current: PanelObject) -> bool:
    """Tell whether the panel makes it by itself: with a client, or the www subdomain that an item
    asks for.
    """
    if current.get("is_system_domain") is True:
        return True
    if kind is not DOMAIN:
        return False
    parent = planner.state.claimed.get((kind.path, current.get(PARENT)))
    has_www = parent is not None and parent.wanted.values.get("create_www_subdomain") is True
    return has_www and str(current.get("domain")).startswith("www.")


# What is deleted along


def _existing(objects: SnapshotObjects) -> list[PanelObject]:
    """Return what is on the panel, without what is only planned."""
    return [item for item in objects.all() if not is_planned(item.get("id"))]


class Member(NamedTuple):
    """An object that is deleted with another one, or is that one itself."""

    kind: Kind
    key: str
    current: PanelObject

    @property
    def identity(self) -> Identity:
        """Return by what the state of the plan knows the object."""
        return identity_of(self.kind, self.current)


class Cascade:
    """Finds what the panel deletes with an object: with a client what it owns, with a domain what
    is in it and in its subdomains.
    """

    def __init__(self, planner: Planner) -> None:
        """Keep the planner. ``read_owned`` has to follow."""
        self._planner = planner
        self._source = planner.source
        self._owned: dict[int, list[KindAndObject]] = {}

    def members_of(self, kind: Kind, current: PanelObject) -> list[Member]:
        """Return what is deleted with an object, that one first."""
        members = [(kind, current)]
        if kind is CLIENT:
            members += self._owned[current["id"]]
        elif kind is DOMAIN:
            members += self._contents_of(current)
        return [
            Member(of_kind, self._planner.name_of(of_kind, item), item) for of_kind, item in members
        ]

    def read_owned(self) -> None:
        """Ask what the clients own that are deleted."""
        clients = [
            identifier for path, identifier in self._planner.state.marked if path == CLIENT.path
        ]
        read = partial(fetch_owned, self._source.client)
        for client, by_kind in zip(
            clients, self._planner.read_at_once(read, clients, "clients read")
        ):
            self._owned[client] = []
            for plural, items in by_kind.items():
                self._owned[client] += [(TABLES[plural], {**item, OWNER: client}) for item in items]

    @cached_property
    def _inside(self) -> dict[str, list[KindAndObject]]:
        """What is deleted with domains (docs/panel_api.md#contents-of-a-domain): mailboxes by the
        domain's name, subdomains by its id."""
        inside: dict[str, list[KindAndObject]] = {}
        for kind in [TABLES[plural] for plural in (*IN_DOMAINS, DOMAIN.plural)]:
            objects = self._source.get_objects(kind)
            if not objects.has_list:
                continue
            for item in _existing(objects):
                inside.setdefault(str(kind.read_domain(item) or item.get(PARENT)), []).append(
                    (kind, item)
                )
        return inside

    def _contents_of(self, domain: PanelObject) -> list[KindAndObject]:
        """Return everything that is in a domain and in its subdomains."""
        contents: list[KindAndObject] = []
        waiting = [domain]
        seen = set()
        while waiting:
            outer = waiting.pop(0)
            # Two may be said to be in each other.
            if outer["id"] in seen:
                continue
            seen.add(outer["id"])
            for name_or_id in (
                DOMAIN.key[-1].normalize(outer.get(DOMAIN.name_field)),
                outer["id"],
            ):
                inner = self._inside.get(str(name_or_id), [])
                contents += inner
                waiting += [item for kind, item in inner if kind is DOMAIN]
        return contents


# Guards


def check_deletions(
    actions: Sequence[Action],
    protect: Protection,
    max_deletes: int | None,
    name_of: Callable[[str], str] = str,
) -> None:
    """Raise Conflict where what is protected would be deleted, or more than is allowed, everything
    that is deleted along counted.

    Args:
        actions: The whole plan.
        protect: What must not be deleted.
        max_deletes: How many may be deleted. None: no limit for objects that were named one by one
            and take nothing else with them, and 0 for all others.
        name_of: Returns what messages call an option.
    """
    deletions = [action for action in actions if action.action == DELETE]
    # By id, since what goes along with two counts once, and several scheduled tasks may have one
    # name.
    deleted: dict[tuple[str, Any], _Deleted] = {}
    for action in deletions:
        for member in action.cascade:
            identity = member.key if member.identifier is None else member.identifier
            deleted[member.kind, identity] = _Deleted(member, action)
    _refuse_protected(deleted.values(), protect, name_of("protect"))

    counted = list(deleted.values())
    if max_deletes is None:
        counted = [entry for entry in counted if not entry.is_named]
    limit = max_deletes or 0
    if len(counted) > limit:
        raise _too_many(deletions, deleted, counted, limit, name_of("max_deletes"))


class _Deleted(NamedTuple):
    """An object that is deleted, and the action by which it is."""

    member: Cascaded
    action: Action

    @property
    def is_cascaded(self) -> bool:
        """Tell whether it goes along with another object."""
        return (self.member.kind, self.member.key) != self.action.name

    @property
    def is_named(self) -> bool:
        """Tell whether an item asks for just this deletion."""
        return self.action.item is not None and not self.is_cascaded


def _too_many(
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
    counts = format_counts(Counter(kind for kind, _identifier in deleted))
    names = abbreviate([_with_its_cascade(action) for action in deletions], _MOST_NAMED, "; ")
    objects = sorted((entry.member.kind, entry.member.key) for entry in counted)[:_MOST_NAMED]
    error = Conflict(
        f"{total} object{'s' if total > 1 else ''} would be deleted ({counts}; the limit is {limit}): {names}.",
        option="max_deletes",
        written=NOTHING_WRITTEN,
        advice=f"Set {name}: {total} to allow this.",
        deletes=total,
        limit=limit,
        objects=[{"kind": kind, "key": key} for kind, key in objects],
    )
    error.amend(option=name)
    return error


def _refuse_protected(deleted: Iterable[_Deleted], protect: Protection, name: str) -> None:
    """Raise Conflict where what is protected would be deleted. name: what messages call
    the option.
    """
    protected = []
    patterns = _patterns_by_kind(protect)
    for entry in deleted:
        member = entry.member
        if member.kind in patterns and patterns[member.kind].fits(member.key):
            cause = f" (with {entry.action.kind} {entry.action.key})" if entry.is_cascaded else ""
            protected.append(f"{member.kind} {member.key}{cause}")
    if not protected:
        return

    count = f"{len(protected)} protected object{'s' if len(protected) > 1 else ''}"
    error = Conflict(
        f"{count} would be deleted: {abbreviate(protected, _MOST_NAMED, '; ')}.",
        option="protect",
        written=NOTHING_WRITTEN,
        advice=f"Take them out of the deletions, or out of {name}.",
        objects=protected[:_MOST_NAMED],
    )
    error.amend(option=name)
    raise error


def _with_its_cascade(action: Action) -> str:
    """Return a deletion in words, with the numbers of what is deleted along."""
    cascaded = format_counts(Counter(member.kind for member in action.cascade[1:]))
    if not cascaded:
        return action.label
    return f"{action.label} with {cascaded}"
