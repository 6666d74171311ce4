# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan deletes: what a purge finds, what goes along with it, and what is protected or more than was allowed. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from .._errors import Conflict, first_of
from .._kinds.registry import BY_PATH, IN_DOMAINS, KINDS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, PARENT, system_domains_beside
from .._object.deciding import DELETE, deleted
from .._object.info import owned_by
from .._object.objects import Object, is_planned
from .._schema.kind import OWNER, Change, Kind
from .._values.names import plain_spelling
from .plan_lines import in_numbers
from .planner import ORDER, Action, place_of

if TYPE_CHECKING:
    from .._object.objects import Panel, Store
    from .planner import Planner

_MOST_NAMED = 20

Found = tuple[str, Object]  # (plural kind, object)
Protection = Mapping[str, Sequence[Any]]  # by plural kind names and shell patterns


@lru_cache(10_000)
def _spellings(text: str, plural: str) -> tuple[str, ...]:
    """A name or pattern without what has no meaning in it.

    Returns:
        Case, width and blanks around it taken away, domains in letters; then domains as they are written; then, for a name of a kind, each
        part as the option takes it.
    """
    spellings = [plain_spelling(text), text.strip().lower()]
    if plural:
        spellings.append(_as_options_take_it(KINDS[plural], text))
    return tuple(spellings)


def _as_options_take_it(kind: Kind, name: str) -> str:
    """The natural key with each part in the normal form of its option, and without case; another text without case alone."""
    first, *others = kind.key
    parts = [name]
    if others:
        start, _colon, rest = name.partition(":")
        parts = [start, *rest.rsplit(":", len(others) - 1)]
    if len(parts) != len(kind.key):
        return plain_spelling(name)

    normal = []
    for row, part in zip((first, *others), parts):
        normal.append(plain_spelling(str(row.type.comparable(part.strip()))))
    return ":".join(normal)


def is_name_or_pattern(given: Any, name: str, plural: str = "") -> bool:
    """Tells whether a text is a name in any spelling, or a pattern for it.

    Args:
        given: The text. Null, as an empty entry is, fits nothing.
        name: The name of a client, a mailbox, a database and so on, as the panel has it.
        plural: The kind of what it names, where that is known, since its parts may have spellings of their own.
    """
    if given is None:
        return False
    # A name may have brackets in it.
    pairs = zip(_spellings(str(given), plural), _spellings(name, plural))
    return any(displayed == pattern or fnmatchcase(displayed, pattern) for pattern, displayed in pairs)


def is_protected(protect: Protection, kind: str, key: str) -> bool:
    return any(is_name_or_pattern(one, key, kind) for one in protect.get(kind, ()))


# Of the beginning of a name, since a search would look for the end of each bracket.
_WILDCARDS = re.compile(r"[^*?]*[*?]|[^\[]*\[.+\]", re.DOTALL)


def unprotected_names(planner: Planner, protect: Protection) -> Iterator[str]:
    """Says of each name in protect that is not on the panel that it is not, so that it protects nothing."""
    for plural, entries in protect.items():
        names = [str(one) for one in entries if not _WILDCARDS.match(str(one))]
        if not names:
            continue
        store, kind = planner.panel.store(TABLES[plural]), TABLES[plural]
        keys = [planner.name_of(kind, one) for one in store.known()]
        missing = _not_among(names, keys, plural)
        if missing and kind is DOMAIN:
            hidden = system_domains_beside(store.known(), store.listed)
            missing = _not_among(missing, [planner.name_of(kind, one) for one in hidden], plural)
        if missing:
            named = first_of(missing, _MOST_NAMED)
            yield f"protect.{plural}: {named}: not on this panel, so nothing is protected by it. Correct the name, or take it out."


def _not_among(names: Iterable[str], keys: Sequence[str], plural: str) -> list[str]:
    """The names that none of the keys has."""
    return [name for name in names if not any(is_name_or_pattern(name, key, plural) for key in keys)]


def plan_deletions(planner: Planner, kinds: Collection[str], protect: Protection) -> list[str]:
    """Adds the actions that delete; returns which of them other items contradict. kinds: of a purge."""
    if kinds:
        _purge(planner, kinds, protect)
    mistakes: list[str] = []
    clients = [identifier for path, identifier in planner.going if path == CLIENT.path]
    owned = dict(zip(clients, planner.at_once(partial(owned_by, planner.panel.client), clients, "clients read")))
    inside = _inside(planner.panel)
    for place, (item, current) in planner.going.items():
        kind = BY_PATH[place[0]]
        name, taken = planner.name_of(kind, current), [(kind.plural, current)]
        if kind is CLIENT:
            taken += [(plural, {**one, OWNER: place[1]}) for plural, found in owned[place[1]].items() for one in found]
        elif kind is DOMAIN:
            taken = _with_contents(current, inside)
        lost: list[tuple[str, str, Any]] = []
        for plural, one in taken:
            its_place, its_name = place_of(TABLES[plural], one), planner.name_of(TABLES[plural], one)
            users = planner.claimed.get(its_place), planner.needed.get(its_place)
            user = next((user for user in users if user is not None and not user.is_absent), None)
            if user is not None:
                takes = "is deleted" if one is current else f"would take {plural} {its_name} with it"
                why = f"purge: {kind.plural} {name}" if item is None else item.place
                mistakes.append(f"{why} {takes}, but {user.place} needs it.")
            if its_place not in planner.going or one is current:
                lost.append((plural, its_name, one.get("id")))
        old = deleted(kind, current)
        shown: dict[str, Any] = {"client": planner.client_of(kind, current), "before": old, "after": {}}
        for plural, *pair in sorted(lost[1:], key=lambda one: (ORDER[one[0]], str(one[1:]))):
            for also, part in zip(("also_deleted", "also_deleted_ids"), pair):
                shown.setdefault(also, {}).setdefault(plural, []).append(part)
        needs = frozenset(planner.left.get(place, ()))
        planner.actions.append(Action(kind.plural, name, DELETE, shown, item, place[1], needs, lost=lost))
    return mistakes


# A purge


def _purge(planner: Planner, kinds: Collection[str], protect: Protection) -> None:
    """Lets go what no item names, but for what is protected, what the panel made by itself, and what no item could be for."""
    from .._items.export import Exporter, by_reason  # noqa: PLC0415 - few tasks purge

    panel, spared = planner.panel, []
    exporter = Exporter(
        lambda plural: _there(panel.store(TABLES[plural])),
        TABLES,
        lambda kind, one: panel.store(kind).whole(dict(one), _needed(kind)) or one,
    )
    for kind in [kind for plural, kind in TABLES.items() if plural in kinds]:
        store, unnamed = panel.store(kind), []
        needed = _needed(kind) | ({"is_system_domain"} if kind is DOMAIN else set())
        planner.complete(store, [(one, needed) for one in store.known() if place_of(kind, one) not in planner.claimed])
        for one in store.known():
            is_kept = place_of(kind, one) in planner.claimed or _is_made_along(planner, kind, one)
            if is_kept or is_protected(protect, kind.plural, planner.name_of(kind, one)):
                continue
            item, omissions = exporter.item(kind, one)
            spared += omissions if item is None else []
            unnamed += [] if item is None else [one]
        # By name, so that the checksum is the same in whatever order the panel shows them. Of what it cannot do without, the first one stays.
        last = kind.keep_last
        unnamed.sort(key=lambda one: (planner.name_of(kind, one), str(one.get("id"))), reverse=last is not None)
        for one in unnamed:
            if last is None or [one] != [other for other in _there(store) if other.get(last, True)]:
                planner.let_go(kind, None, one)
    planner.warnings += [
        f"purge: {one.kind}: {labels}: not deleted, since no item could keep it: {one.reason}. "
        "Delete such objects by id, with state: absent."
        for one, labels in by_reason(spared, "{0.key} (id {0.id})")
    ]


def _needed(kind: Kind) -> set[str]:
    """The members that an item cannot do without."""
    references = {row.name for row in kind.references if row.change is not Change.FREE}
    return references | {path[0] for path, row in kind.leaves() if row.required and len(path) == 1}


def _is_made_along(planner: Planner, kind: Kind, current: Object) -> bool:
    """Whether the panel makes it by itself: with a client, or the www subdomain that an item asks for."""
    parent = planner.claimed.get((kind.path, current.get(PARENT))) if kind is DOMAIN else None
    has_www = parent is not None and parent.wanted.values.get("create_www_subdomain") is True
    return current.get("is_system_domain") is True or (has_www and str(current.get("domain")).startswith("www."))


# What goes along


def _there(store: Store) -> list[Object]:
    """What is on the panel, without what is only planned."""
    return [one for one in store.known() if not is_planned(one.get("id"))]


def _inside(panel: Panel) -> dict[str, list[Found]]:
    """What goes with domains (docs/panel_api.md#contents-of-a-domain): mailboxes by the domain's
    name, subdomains by its id."""
    inside: dict[str, list[Found]] = {}
    for kind in (TABLES[plural] for plural in (*IN_DOMAINS, DOMAIN.plural)):
        for one in _there(panel.store(kind)) if panel.store(kind).is_read() else ():
            inside.setdefault(str(kind.domain_of(one) or one.get(PARENT)), []).append((kind.plural, one))
    return inside


def _with_contents(domain: Object, inside: Mapping[str, list[Found]]) -> list[Found]:
    """The domain, and everything in it and in its subdomains."""
    found, seen = [(DOMAIN.plural, domain)], set()
    for plural, one in found:
        # Two may be said to be in each other.
        if plural == DOMAIN.plural and one["id"] not in seen:
            seen.add(one["id"])
            for place in (DOMAIN.key[-1].comparable(one.get(DOMAIN.name_member)), one["id"]):
                found += inside.get(str(place), ())
    return found


# Guards


def check_deletions(
    actions: Sequence[Action], protect: Protection, max_deletes: int | None, name_of: Callable[[str], str] = str
) -> None:
    """Check that a plan deletes nothing that is protected, and no more than the limit, everything that goes along counted.

    Args:
        actions: The plan.
        protect: What is never deleted.
        max_deletes: None is no limit for objects that were named one by one and take nothing else with them, and 0 for all others.
        name_of: What messages call an option.

    Raises:
        Conflict: The plan may not be carried out.
    """
    deletions = [action for action in actions if action.action == DELETE]
    # By id, since what goes along with two counts once, and several scheduled tasks may have one name.
    lost = [(action, *one) for action in deletions for one in action.lost]
    going = {(kind, key if one is None else one): (kind, key, action) for action, kind, key, one in lost}
    hit = [
        f"{kind} {key}" + (f" (with {action.kind} {action.key})" if (kind, key) != action.name else "")
        for kind, key, action in going.values()
        if is_protected(protect, kind, key)
    ]
    if hit:
        raise Conflict(
            f"{name_of('protect')}: {len(hit)} protected object{'s' if len(hit) > 1 else ''} would be deleted: {first_of(hit, _MOST_NAMED, '; ')}. "
            f"Nothing was written. Take them out of the deletions, or out of {name_of('protect')}.",
            option="protect",
            objects=hit[:_MOST_NAMED],
        )
    counted = [
        (kind, key)
        for kind, key, action in going.values()
        if max_deletes is not None or action.item is None or (kind, key) != action.name
    ]
    limit = max_deletes or 0
    if len(counted) <= limit:
        return
    name = name_of("max_deletes")
    total, counts, lines = len(going), in_numbers(kind for kind, _identifier in going), []
    for action in deletions:
        along = in_numbers(kind for kind, _key, _identifier in action.lost[1:])
        lines.append(f"{KINDS[action.kind].title} {action.key}" + (f" with {along}" if along else ""))
    raise Conflict(
        f"{name}: {total} object{'s' if total > 1 else ''} would be deleted ({counts}; the limit is {limit}): "
        f"{first_of(lines, _MOST_NAMED, '; ')}. Nothing was written. Set {name}: {total} to allow this.",
        option="max_deletes",
        deletes=total,
        limit=limit,
        objects=[{"kind": kind, "key": key} for kind, key in sorted(counted)[:_MOST_NAMED]],
    )
