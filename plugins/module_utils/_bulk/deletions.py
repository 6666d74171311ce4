# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan deletes: what a purge finds, what goes along with it, and what is protected or more than was allowed. Private to the collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from .._errors import Conflict, first_of
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, IN_DOMAINS, KINDS, TABLES
from .._object.objects import Object, is_planned
from .._object.planning import DELETE, deleted
from .._schema.kind import OWNER, Change, Kind
from .._values.names import DomainName, address_in_letters, composed
from .actions import Action, Name
from .plan_lines import titled

if TYPE_CHECKING:
    from .._items.wanted_items import Item
    from .planner import Place, Planner

(PARENT,) = DOMAIN.above
_MOST_NAMED = 20

Found = tuple[str, Mapping[str, Any]]  # (plural kind, object)
Identity = tuple[str, Any]  # (plural kind, id)


def is_name_or_pattern(given: str, name: str) -> bool:
    """Whether it is a name in any spelling, or a pattern for it; of a client, a mailbox or a database."""
    return _fits(_plain(given), _plain(name))


def _fits(pattern: str, name: str) -> bool:
    # A name may have brackets in it.
    return name == pattern or fnmatchcase(name, pattern)


def _plain(text: str) -> str:
    """Without what has no meaning in a name: case, blanks around it, a dot at its end. Domains in letters."""
    return address_in_letters(composed(text.strip().rstrip(".").lower()))


def _spellings(text: str) -> tuple[str, str]:
    """In letters, and as it is written: a pattern may be for either."""
    return _plain(text), text.strip().lower()


class Protection:
    """What the option ``protect`` says. given: by plural kind names and shell patterns."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        self._given = {kind: {text: _spellings(text) for text in texts} for kind, texts in given.items()}

    def covers(self, kind: str, key: str) -> bool:
        """Whether the object with this natural key may never be deleted."""
        names = self._given.get(kind, {})
        shown = _spellings(key) if names else ()
        return any(any(map(_fits, pattern, shown)) for pattern in names.values())

    def warnings(self, kind: str, keys: Iterable[str]) -> Iterator[str]:
        """What is given for this kind and fits none of these keys."""
        names = self._given.get(kind, {})
        shown = [_spellings(key) for key in keys] if names else []
        for text, pattern in names.items():
            if not any(any(map(_fits, pattern, one)) for one in shown):
                yield f"protect.{kind}: {text} fits none of the {kind} on this panel, so it protects nothing. Look at its spelling."


class Deletions:
    """What goes, as actions and mistakes of a planner."""

    def __init__(self, planner: Planner, protect: Protection, compares: bool = False) -> None:
        self._planner, self._before, self._protect, self._compares = planner, planner.before, protect, compares
        self._below: dict[str, list[Object]] = {}
        self._within: dict[str, list[Found]] = {}

    def purge(self, kinds: Sequence[str]) -> None:
        """Lets go what no item names, but for what is protected, what the panel made by itself, and what no item could be for."""
        from .._items.export import Exporter, by_reason  # noqa: PLC0415 - few tasks purge

        planner, spared = self._planner, []
        exporter = Exporter(self._objects, TABLES, self._whole)
        for kind in (TABLES[plural] for plural in kinds):
            unnamed = []
            for one in self._before[kind.plural]:
                if planner.place_of(kind, one) in planner.claimed or self._stays(kind, one):
                    continue
                item, omissions = exporter.item(kind, self._whole(kind, one))
                if item is None:
                    spared += omissions
                else:
                    unnamed.append(one)
            # By name, since objects that were read on their own come in any order, and the checksum of the plan counts on one.
            unnamed.sort(key=lambda one: (planner.name_of(kind, one), str(one.get("id"))))
            for one in self._all_but_the_last(kind, unnamed):
                if one.get("id") is None:
                    problem = f"the panel shows no id of the {kind.title} {planner.name_of(kind, one)}, so it cannot be deleted."
                    planner.decisions.mistakes.append(f"purge: {problem}")
                else:
                    planner.let_go(kind, None, one)
        planner.decisions.warnings += [
            f"purge: {kind}: {labels}: not deleted, since no item could keep it: {reason}. "
            "Delete what shall go by its id, with state: absent."
            for kind, _option, reason, labels in by_reason(spared, lambda one: f"{one.key} (id {one.id})")
        ]

    def _objects(self, plural: str) -> list[Object]:
        return self._before[plural] if plural in self._before else self._planner.panel.store(TABLES[plural]).known()

    def _whole(self, kind: Kind, current: Mapping[str, Any]) -> Mapping[str, Any]:
        """The object with what an item cannot do without, which a list may leave out."""
        references = {row.name for row in kind.references if row.change is not Change.FREE}
        needed = references | {path[0] for path, row in kind.leaves() if row.required and len(path) == 1}
        return self._planner.panel.store(kind).whole(dict(current), needed) or current

    def _stays(self, kind: Kind, current: Object) -> bool:
        name = self._planner.name_of(kind, current)
        if current.get("is_system_domain") is True or self._protect.covers(kind.plural, name):
            return True
        # The panel makes it with its domain.
        parent = self._planner.claimed.get((kind.path, current.get(PARENT))) if kind is DOMAIN else None
        if parent is None or parent.wanted.values.get("create_www_subdomain") is not True:
            return False
        above = self._planner.panel.store(kind).by_id(current.get(PARENT)) or {}
        comparable = DomainName().comparable
        return bool(comparable(current.get("domain")) == f"www.{comparable(above.get('domain'))}")

    def _all_but_the_last(self, kind: Kind, unnamed: list[Object]) -> list[Object]:
        """A purge never takes the last object that the panel cannot do without; new ones are not there yet."""
        member = kind.keep_last
        if member is None:
            return unnamed
        going = {one.get("id") for one in unnamed}
        others = self._planner.panel.store(kind).known()
        if any(one.get(member, True) for one in others if one["id"] not in going and not is_planned(one["id"])):
            return unnamed
        kept = next((one for one in unnamed if one.get(member, True)), None)
        return [one for one in unnamed if one is not kept]

    def add(self, owned: Mapping[int, Mapping[str, list[Object]]]) -> None:
        """Adds the actions. owned: what the clients have that go."""
        planner = self._planner
        self._look_through()
        for place, (item, current) in planner.going.items():
            kind = BY_PATH[place[0]]
            self._refuse_needed(kind, item, current, kind, current)
            taken: list[Found] = []
            if kind is CLIENT:
                taken = [
                    (plural, {**one, OWNER: place[1]}) for plural, found in owned[place[1]].items() for one in found
                ]
            elif kind is DOMAIN:
                taken = self._with_domain(current)
            along: dict[str, list[tuple[str, Any]]] = {}
            for plural, one in taken:
                self._refuse_needed(kind, item, current, TABLES[plural], one)
                if (TABLES[plural].path, one.get("id")) not in planner.going:
                    along.setdefault(plural, []).append((planner.name_of(TABLES[plural], one), one.get("id")))
            planner.decisions.actions.append(
                Action(
                    kind.plural,
                    planner.name_of(kind, current),
                    DELETE,
                    deleted(kind, current),
                    {},
                    item,
                    identifier=current.get("id"),
                    along=along,
                    needs=frozenset(planner.left.get(place, ())),
                    client=planner.client_of(kind, current),
                )
            )

    def _look_through(self) -> None:
        for found in self._before.get(DOMAIN.plural, ()):
            self._below.setdefault(str(found.get(PARENT)), []).append(found)
        for kind in map(TABLES.__getitem__, IN_DOMAINS):
            for found in self._before.get(kind.plural, ()):
                name = "" if kind.domain_of is None else kind.domain_of(kind.comparable_key(found))
                self._within.setdefault(name, []).append((kind.plural, found))

    def _with_domain(self, domain: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> list[Found]:
        """Its subdomains and mailboxes (facts.md section 6: the panel warns of them). seen: ids, since two may be said to be in each other."""
        seen |= {str(domain.get("id"))}
        taken = list(self._within.get(str(DomainName().comparable(domain.get(DOMAIN.name_member))), ()))
        for below in self._below.get(str(domain.get("id")), ()):
            if str(below.get("id")) not in seen:
                taken += [(DOMAIN.plural, below), *self._with_domain(below, seen)]
        return taken

    def _refuse_needed(
        self, kind: Kind, item: Item | None, current: Object, lost_kind: Kind, lost: Mapping[str, Any]
    ) -> None:
        """Notes a mistake where an item wants to keep, or refers to, what a deletion takes."""
        planner = self._planner
        if self._compares:  # nothing is deleted, and files may hold a part of a panel
            return
        place: Place = planner.place_of(lost_kind, lost)
        wanted, user = planner.claimed.get(place), planner.needed.get(place)
        why = item.place if item is not None else f"purge: {kind.plural} {planner.name_of(kind, current)}"
        if wanted is not None and not wanted.is_absent:
            problem = f"{why} would take {wanted.place} with it, which the same task wants to be there."
            planner.decisions.mistakes.append(problem)
        elif user is not None:
            is_itself = place == planner.place_of(kind, current)
            what = f"would take {lost_kind.plural} {planner.name_of(lost_kind, lost)} with it"
            planner.decisions.mistakes.append(
                f"{why} {'is deleted' if is_itself else what}, but {user.place} refers to it."
            )

    def warn_of_protection(self, items: Mapping[str, list[Item]]) -> None:
        """Warns of what is protected by a name that nothing has. Of a kind that was not read nothing is deleted."""
        for plural, found in self._before.items():
            shown = [self._planner.name_of(TABLES[plural], one) for one in found]
            keys = [*shown, *(item.key for item in items.get(plural, ()))]
            self._planner.decisions.warnings += self._protect.warnings(plural, keys)


# Guards


def check_protection(actions: Iterable[Action], protect: Protection) -> None:
    """Raises Conflict where a deletion would take a protected object."""
    hit = [
        f"{kind} {key}" + (f" (with {action.kind} {action.key})" if (kind, key) != action.name else "")
        for action in actions
        for kind, key in _deleted_by(action).values()
        if protect.covers(kind, key)
    ]
    if hit:
        raise Conflict(
            f"protect: {len(hit)} protected object{'s' if len(hit) > 1 else ''} would be deleted: {first_of(hit, _MOST_NAMED, '; ')}. "
            "Nothing was written. Take them out of the deletions, or out of protect.",
            option="protect",
            objects=hit[:_MOST_NAMED],
        )


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


def _deleted_by(action: Action) -> dict[Identity, Name]:
    """The names of all that goes, by what tells one from the other, since several scheduled tasks may have one name."""
    if action.action != DELETE:
        return {}
    gone: dict[Identity, Name] = {(action.kind, action.identifier): action.name}
    for kind, pairs in action.along.items():
        for number, (key, identifier) in enumerate(pairs):
            gone[kind, f"{action.name} {number}" if identifier is None else identifier] = (kind, key)
    return gone
