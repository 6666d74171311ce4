# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan deletes: what a purge finds, what goes along with it, and what is protected or more than was allowed. Private to the collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .._errors import Conflict, first_of
from .._http.answers import unexpected_answer
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN, PARENT
from .._kinds.registry import BY_PATH, IN_DOMAINS, KINDS, TABLES
from .._object.deciding import DELETE, deleted
from .._object.objects import Object, is_planned
from .._schema.kind import OWNER, Change, Kind
from .._values.names import composed, in_letters
from .plan_lines import in_numbers, titled
from .planner import Action, place_of

if TYPE_CHECKING:
    from .planner import Planner
    from .reading import Reader

_MOST_NAMED = 20

Found = tuple[str, Mapping[str, Any]]  # (plural kind, object)
Protection = Mapping[str, Sequence[Any]]  # by plural kind names and shell patterns


@lru_cache(10_000)
def _spellings(text: str) -> tuple[str, str]:
    """Without what has no meaning in a name: case, blanks around it, a dot at its end. Domains in letters, and as they are written."""
    return in_letters(composed(text.strip().rstrip(".").lower())), text.strip().lower()


def is_name_or_pattern(given: Any, name: str) -> bool:
    """Whether it is a name in any spelling, or a pattern for it; of a client, a mailbox or a database. Null, as an empty entry is, fits nothing."""
    # A name may have brackets in it.
    both = zip(_spellings(str(given)), _spellings(name))
    return given is not None and any(shown == pattern or fnmatchcase(shown, pattern) for pattern, shown in both)


def is_protected(protect: Protection, kind: str, key: str) -> bool:
    return any(is_name_or_pattern(one, key) for one in protect.get(kind, ()))


def plan_deletions(
    planner: Planner, reader: Reader, kinds: Collection[str], protect: Protection, compares: bool
) -> None:
    """Adds the actions that delete. kinds: of a purge. compares: whether nothing is deleted, and files may hold a part of a panel."""
    if kinds:
        _purge(planner, reader, kinds, protect)
    owned = reader.owned([identifier for path, identifier in planner.going if path == CLIENT.path])
    inside = _inside(planner.before)
    for place, (item, current) in planner.going.items():
        kind = BY_PATH[place[0]]
        taken: list[Found] = []
        along: dict[str, list[tuple[str, Any]]] = {}
        if kind is CLIENT:
            taken = [(plural, {**one, OWNER: place[1]}) for plural, found in owned[place[1]].items() for one in found]
        elif kind is DOMAIN:
            taken = list(_contents(current, inside, set()))
        name = planner.name_of(kind, current)
        why = item.place if item is not None else f"purge: {kind.plural} {name}"
        for plural, one in ((kind.plural, current), *taken):
            lost, lost_name = place_of(TABLES[plural], one), planner.name_of(TABLES[plural], one)
            wanted, user = planner.claimed.get(lost), planner.needed.get(lost)
            if not compares and wanted is not None and not wanted.is_absent:
                takes = f"would take {wanted.place} with it, which the same task wants to be there."
                planner.mistakes.append(f"{why} {takes}")
            elif not compares and user is not None:
                takes = "is deleted" if one is current else f"would take {plural} {lost_name} with it"
                planner.mistakes.append(f"{why} {takes}, but {user.place} refers to it.")
            if lost not in planner.going:
                along.setdefault(plural, []).append((lost_name, one.get("id")))
        old, client, needs = deleted(kind, current), planner.client_of(kind, current), planner.left.get(place, ())
        action = Action(kind.plural, name, DELETE, old, {}, item, place[1], client, frozenset(needs), along=along)
        planner.actions.append(action)


# A purge


def _purge(planner: Planner, reader: Reader, kinds: Collection[str], protect: Protection) -> None:
    """Lets go what no item names, but for what is protected, what the panel made by itself, and what no item could be for."""
    from .._items.export import Exporter, by_reason  # noqa: PLC0415 - few tasks purge

    before, spared = planner.before, []

    def objects(plural: str) -> list[Object]:
        return before[plural] if plural in before else planner.panel.store(TABLES[plural]).known()

    exporter = Exporter(objects, TABLES, lambda kind, one: reader.whole(kind, [dict(one)], _needed(kind))[0])
    for kind in [kind for plural, kind in TABLES.items() if plural in kinds]:
        unnamed, needed = [], _needed(kind) | ({"is_system_domain"} if kind is DOMAIN else set())
        others = [one for one in before[kind.plural] if place_of(kind, one) not in planner.claimed]
        for one in reader.whole(kind, others, needed):
            if _is_made_along(planner, kind, one) or is_protected(protect, kind.plural, planner.name_of(kind, one)):
                continue
            item, omissions = exporter.item(kind, one)
            if item is None:
                spared += omissions
            elif one.get("id") is None:
                raise unexpected_answer(kind.path, f"shows {planner.name_of(kind, one)} without its id.")
            else:
                unnamed.append(one)
        # By name, since objects that were read on their own come in any order, and the checksum of the plan counts on one. Of what the panel
        # cannot do without, the first one stays, and new ones are not there yet.
        member, known = kind.keep_last, planner.panel.store(kind).known
        unnamed.sort(key=lambda one: (planner.name_of(kind, one), str(one["id"])), reverse=member is not None)
        for one in unnamed:
            left = known() if member is not None else ()
            if [one] != [other for other in left if other.get(str(member), True) and not is_planned(other["id"])]:
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


def _inside(before: Mapping[str, Sequence[Object]]) -> dict[str, list[Found]]:
    """What is in domains (facts.md section 6: the panel warns of it): mailboxes by the domain's name, subdomains by its id."""
    inside: dict[str, list[Found]] = {}
    for kind in (TABLES[plural] for plural in (*IN_DOMAINS, DOMAIN.plural)):
        for found in before.get(kind.plural, ()):
            inside.setdefault(str(kind.domain_of(found) or found.get(PARENT)), []).append((kind.plural, found))
    return inside


def _contents(domain: Mapping[str, Any], inside: Mapping[str, list[Found]], seen: set[str]) -> Iterator[Found]:
    """seen: ids, since two may be said to be in each other."""
    seen.add(str(domain.get("id")))
    for place in (DOMAIN.key[-1].comparable(domain.get(DOMAIN.name_member)), domain.get("id")):
        for plural, found in inside.get(str(place), ()):
            if plural != DOMAIN.plural:
                yield plural, found
            elif str(found.get("id")) not in seen:
                yield plural, found
                yield from _contents(found, inside, seen)


# Guards


def check_deletions(actions: Sequence[Action], protect: Protection, max_deletes: int | None) -> None:
    """Raises Conflict where what is protected would be deleted, or more than ``max_deletes`` allows, everything that goes along counted.

    None: no limit for objects that were named one by one and take nothing else with them, and 0 for all others.
    """
    deletions = [action for action in actions if action.action == DELETE]
    going: dict[tuple[str, Any], tuple[str, str, Action]] = {}
    for action in deletions:
        along = [(kind, key, one) for kind, pairs in action.along.items() for key, one in pairs]
        for number, (kind, key, identifier) in enumerate([(*action.name, action.identifier), *along]):
            # By id, since several scheduled tasks may have one name.
            going[kind, (action.name, number) if identifier is None else identifier] = kind, key, action
    hit = [
        f"{kind} {key}" + (f" (with {action.kind} {action.key})" if (kind, key) != action.name else "")
        for kind, key, action in going.values()
        if is_protected(protect, kind, key)
    ]
    if hit:
        raise Conflict(
            f"protect: {len(hit)} protected object{'s' if len(hit) > 1 else ''} would be deleted: {first_of(hit, _MOST_NAMED, '; ')}. "
            "Nothing was written. Take them out of the deletions, or out of protect.",
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
    total, by_kind = len(going), Counter(kind for kind, _identifier in going)
    counts = ", ".join(titled(kind, by_kind[kind]) for kind in KINDS if kind in by_kind)
    lines = [
        f"{KINDS[action.kind].title} {action.key}" + (f" with {in_numbers(action.along)}" if action.along else "")
        for action in deletions
    ]
    raise Conflict(
        f"max_deletes: {total} object{'s' if total > 1 else ''} would be deleted ({counts}; the limit is {limit}): "
        f"{first_of(lines, _MOST_NAMED, '; ')}. Nothing was written. Set max_deletes: {total} to allow this.",
        option="max_deletes",
        deletes=total,
        limit=limit,
        objects=[{"kind": kind, "key": key} for kind, key in sorted(counted)[:_MOST_NAMED]],
    )
