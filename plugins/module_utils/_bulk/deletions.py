# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan deletes: what a purge finds, what goes along with it, and what is protected or more than was allowed. Private to the collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable

from .._errors import Conflict, first_of
from .._http.answers import unexpected_answer
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, IN_DOMAINS, KINDS, TABLES
from .._object.deciding import DELETE, deleted
from .._object.objects import Object, is_planned
from .._schema.kind import OWNER, Change, Kind
from .._values.names import DomainName, composed, in_letters
from .plan_lines import titled
from .planner import Action, Name, place_of

if TYPE_CHECKING:
    from .planner import Planner

(PARENT,) = DOMAIN.above
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


def _needed(kind: Kind) -> set[str]:
    """The members that an item cannot do without."""
    references = {row.name for row in kind.references if row.change is not Change.FREE}
    return references | {path[0] for path, row in kind.leaves() if row.required and len(path) == 1}


class Deletions:
    """What goes, as actions and mistakes of a planner. compares: whether nothing is deleted, and files may hold a part of a panel."""

    def __init__(self, planner: Planner, protect: Protection, compares: bool = False) -> None:
        self._planner, self._before, self._protect, self._compares = planner, planner.before, protect, compares

    def purge(self, kinds: Sequence[str], whole: Callable[[Kind, Sequence[Object], Set[str]], list[Object]]) -> None:
        """Lets go what no item names, but for what is protected, what the panel made by itself, and what no item could be for.

        whole: objects with members that their list may leave out.
        """
        from .._items.export import Exporter, by_reason  # noqa: PLC0415 - few tasks purge

        planner, spared = self._planner, []

        def objects(plural: str) -> list[Object]:
            return self._before[plural] if plural in self._before else planner.panel.store(TABLES[plural]).known()

        exporter = Exporter(objects, TABLES, lambda kind, one: whole(kind, [dict(one)], _needed(kind))[0])
        for kind in (TABLES[plural] for plural in kinds):
            unnamed, needed = [], _needed(kind) | ({"is_system_domain"} if kind is DOMAIN else set())
            others = [one for one in self._before[kind.plural] if place_of(kind, one) not in planner.claimed]
            for one in whole(kind, others, needed):
                if self._stays(kind, one):
                    continue
                item, omissions = exporter.item(kind, one)
                if item is None:
                    spared += omissions
                elif one.get("id") is None:
                    raise unexpected_answer(kind.path, f"shows {planner.name_of(kind, one)} without its id.")
                else:
                    unnamed.append(one)
            # By name, since objects that were read on their own come in any order, and the checksum of the plan counts on one.
            unnamed.sort(key=lambda one: (planner.name_of(kind, one), str(one["id"])))
            # What the panel cannot do without: the first one stays, and new ones are not there yet.
            member, known = kind.keep_last, planner.panel.store(kind).known
            for one in unnamed if member is None else reversed(unnamed):
                left = known() if member is not None else ()
                kept = [other for other in left if other.get(str(member), True) and not is_planned(other["id"])]
                if kept != [one]:
                    planner.let_go(kind, None, one)
        planner.warnings += [
            f"purge: {kind}: {labels}: not deleted, since no item could keep it: {reason}. "
            "Delete such objects by id, with state: absent."
            for kind, _option, reason, labels in by_reason(spared, "{0.key} (id {0.id})")
        ]

    def _stays(self, kind: Kind, current: Object) -> bool:
        planner = self._planner
        if current.get("is_system_domain") is True:
            return True
        # The panel makes it with its domain.
        parent = planner.claimed.get((kind.path, current.get(PARENT))) if kind is DOMAIN else None
        if parent is not None and parent.wanted.values.get("create_www_subdomain") is True:
            above = planner.panel.store(kind).by_id(current.get(PARENT)) or {}
            comparable = DomainName().comparable
            if comparable(current.get("domain")) == f"www.{comparable(above.get('domain'))}":
                return True
        return is_protected(self._protect, kind.plural, planner.name_of(kind, current))

    def add(self, owned: Mapping[int, Mapping[str, list[Object]]]) -> None:
        """Adds the actions. owned: what the clients have that go."""
        planner, contents = self._planner, _Contents(self._before)
        for place, (item, current) in planner.going.items():
            kind = BY_PATH[place[0]]
            taken: list[Found] = []
            if kind is CLIENT:
                taken = [
                    (plural, {**one, OWNER: place[1]}) for plural, found in owned[place[1]].items() for one in found
                ]
            elif kind is DOMAIN:
                taken = list(contents.of(current))
            name = planner.name_of(kind, current)
            along: dict[str, list[tuple[str, Any]]] = {}
            for plural, one in ((kind.plural, current), *taken):
                lost, lost_name = place_of(TABLES[plural], one), planner.name_of(TABLES[plural], one)
                if not self._compares:
                    why = item.place if item is not None else f"purge: {kind.plural} {name}"
                    takes = "" if one is current else f"would take {plural} {lost_name} with it"
                    self._refuse_needed(lost, why, takes)
                if lost not in planner.going:
                    along.setdefault(plural, []).append((lost_name, one.get("id")))
            needs, client = frozenset(planner.left.get(place, ())), planner.client_of(kind, current)
            action = Action(kind.plural, name, DELETE, deleted(kind, current), {}, item, identifier=place[1])
            planner.actions.append(action._replace(along=along, needs=needs, client=client))

    def check(self, actions: Sequence[Action], max_deletes: int | None) -> None:
        """Raises Conflict where the actions delete what is protected, or more than is allowed."""
        hit = [
            f"{kind} {key}" + (f" (with {action.kind} {action.key})" if (kind, key) != action.name else "")
            for action in actions
            for kind, key in _deleted_by(action).values()
            if is_protected(self._protect, kind, key)
        ]
        if hit:
            raise Conflict(
                f"protect: {len(hit)} protected object{'s' if len(hit) > 1 else ''} would be deleted: {first_of(hit, _MOST_NAMED, '; ')}. "
                "Nothing was written. Take them out of the deletions, or out of protect.",
                option="protect",
                objects=hit[:_MOST_NAMED],
            )
        check_deletions(actions, max_deletes)

    def _refuse_needed(self, lost: tuple[str, Any], why: str, takes: str) -> None:
        wanted, user = self._planner.claimed.get(lost), self._planner.needed.get(lost)
        if wanted is not None and not wanted.is_absent:
            problem = f"{why} would take {wanted.place} with it, which the same task wants to be there."
            self._planner.mistakes.append(problem)
        elif user is not None:
            self._planner.mistakes.append(f"{why} {takes or 'is deleted'}, but {user.place} refers to it.")


class _Contents:
    """What is in domains: subdomains and mailboxes (facts.md section 6: the panel warns of them). before: all objects by plural kind."""

    def __init__(self, before: Mapping[str, Sequence[Object]]) -> None:
        self._below: dict[str, list[Object]] = {}
        self._within: dict[str, list[Found]] = {}
        for found in before.get(DOMAIN.plural, ()):
            self._below.setdefault(str(found.get(PARENT)), []).append(found)
        for kind in map(TABLES.__getitem__, IN_DOMAINS):
            for found in before.get(kind.plural, ()):
                name = "" if kind.domain_of is None else kind.domain_of(kind.comparable_key(found))
                self._within.setdefault(name, []).append((kind.plural, found))

    def of(self, domain: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> Iterator[Found]:
        """seen: ids, since two may be said to be in each other."""
        seen |= {str(domain.get("id"))}
        yield from self._within.get(str(DomainName().comparable(domain.get(DOMAIN.name_member))), ())
        for below in self._below.get(str(domain.get("id")), ()):
            if str(below.get("id")) not in seen:
                yield DOMAIN.plural, below
                yield from self.of(below, seen)


# Guards


def check_deletions(actions: Sequence[Action], max_deletes: int | None) -> None:
    """Raises Conflict where more would be deleted than ``max_deletes`` allows, everything that goes along counted.

    None: no limit for objects that were named one by one and take nothing else with them, and 0 for all others.
    """
    deletions = [action for action in actions if action.action == DELETE]
    going = {identity: name for action in deletions for identity, name in _deleted_by(action).items()}
    named = {(action.kind, action.identifier) for action in deletions if action.item is not None}
    counted = [name for identity, name in going.items() if max_deletes is not None or identity not in named]
    limit = max_deletes or 0
    if len(counted) <= limit:
        return
    total, by_kind = len(going), Counter(kind for kind, _identifier in going)
    counts = ", ".join(titled(kind, by_kind[kind]) for kind in KINDS if kind in by_kind)
    lines = []
    for action in deletions:
        along = ", ".join(titled(kind, len(pairs)) for kind, pairs in action.along.items())
        lines.append(f"{KINDS[action.kind].title} {action.key}" + (f" with {along}" if along else ""))
    raise Conflict(
        f"max_deletes: {total} object{'s' if total > 1 else ''} would be deleted ({counts}; the limit is {limit}): "
        f"{first_of(lines, _MOST_NAMED, '; ')}. Nothing was written. Set max_deletes: {total} to allow this.",
        option="max_deletes",
        deletes=total,
        limit=limit,
        objects=[{"kind": kind, "key": key} for kind, key in sorted(counted)[:_MOST_NAMED]],
    )


def _deleted_by(action: Action) -> dict[tuple[str, Any], Name]:
    """The names of all that goes, by what tells one from the other, since several scheduled tasks may have one name."""
    if action.action != DELETE:
        return {}
    gone: dict[tuple[str, Any], Name] = {(action.kind, action.identifier): action.name}
    for kind, pairs in action.along.items():
        for number, (key, identifier) in enumerate(pairs):
            gone[kind, f"{action.name} {number}" if identifier is None else identifier] = (kind, key)
    return gone
