# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans what is deleted, with all that the panel deletes along with it. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from .._kinds.registry import BY_PATH, IN_DOMAINS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, PARENT
from .._object.info import fetch_owned
from .._plan.object_plan import collect_fields_of_deleted
from .._problems import OtherItem, Problem, ProblemForm
from .._schema.fields import OWNER
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import Identity
from .._values.value_types import read_id
from .actions import ORDER, Action, Cascaded, Deletion
from .deletion_guards import Protection
from .object_names import find_client_name, name_object
from .panel_reader import PanelReader, list_existing
from .plan_state import MarkedObject, PlanState, get_identity_of
from .purge import mark_unnamed

KindAndObject = tuple[Kind, PanelObject]


def plan_deletions(
    state: PlanState,
    reader: PanelReader,
    purged: Collection[str],
    protect: Protection,
    name_option: Callable[[str], str],
) -> tuple[list[Action], list[Problem]]:
    """Return the actions that delete, and which of them other items contradict.

    Args:
        state: What is decided about all items.
        reader: Reads of the panel what is deleted along.
        purged: The kinds of which the unnamed objects are deleted too.
        protect: What a purge spares.
        name_option: Returns what messages call an option.
    """
    if purged:
        mark_unnamed(state, reader, purged, protect)
    cascade = Cascade(state, reader)
    cascade.read_owned()

    actions: list[Action] = []
    contradictions: list[Problem] = []
    for identity, marked in state.marked.items():
        kind = BY_PATH[identity[0]]
        members = cascade.list_members_of(kind, marked.current)
        action = _make_action(state, identity, marked, members)
        actions.append(action)
        contradictions += _find_contradictions(state, action, marked, members, name_option("purge"))
    return actions, contradictions


def _make_action(
    state: PlanState, identity: Identity, marked: MarkedObject, members: Sequence[Member]
) -> Action:
    """Return the action that deletes a marked object.

    Args:
        state: What is decided.
        identity: The identity of the object.
        marked: The object.
        members: All that is deleted with it, the object itself first.
    """
    itself, *cascaded = members
    # What is deleted by itself is not deleted along with this one.
    counted = [itself, *[member for member in cascaded if member.identity not in state.marked]]
    deletion = Deletion(tuple([member.as_cascaded() for member in counted]))

    kind = itself.kind
    username = find_client_name(state.source, kind, marked.current)
    displayed = _display_deletion(kind, marked.current, username, deletion)
    needs = frozenset(state.released_by.get(identity, ()))
    return Action(kind.plural, itself.key, deletion, displayed, marked.item, identity[1], needs)


def _display_deletion(
    kind: Kind, current: PanelObject, username: str | None, deletion: Deletion
) -> dict[str, Any]:
    """Return what a plan shows of a deletion."""
    displayed: dict[str, Any] = {
        "client": username,
        "before": collect_fields_of_deleted(kind, current),
        "after": {},
    }
    cascaded = sorted(
        deletion.cascaded,
        key=lambda member: (ORDER[member.plural], str((member.key, member.identifier))),
    )
    keys: dict[str, list[str]] = {}
    ids: dict[str, list[Any]] = {}
    for member in cascaded:
        keys.setdefault(member.plural, []).append(member.key)
        ids.setdefault(member.plural, []).append(member.identifier)
    if cascaded:
        displayed["also_deleted"] = keys
        displayed["also_deleted_ids"] = ids
    return displayed


def _find_contradictions(
    state: PlanState,
    action: Action,
    marked: MarkedObject,
    members: Iterable[Member],
    purge_option: str,
) -> Iterator[Problem]:
    """Describe each deletion of something that another item needs.

    Args:
        state: What is decided.
        action: The action that deletes.
        marked: The object that it deletes.
        members: All that is deleted with it.
        purge_option: What messages call the option purge.
    """
    for member in members:
        user = state.find_user_of(member.identity)
        if user is None:
            continue
        takes = f"would take {member.kind.plural} {member.key} with it, but"
        if member.current is marked.current:
            takes = "is deleted, but"
        other_item = OtherItem(user.name, " needs it.")
        if marked.item is not None:
            yield Problem(
                cause=takes,
                form=ProblemForm.ITEM_MISTAKE,
                item=marked.item.name,
                other_item=other_item,
            )
        else:
            cause = f"{action.plural} {action.key} {takes}"
            yield Problem((purge_option,), cause=cause, other_item=other_item)


class Member(NamedTuple):
    """An object that is deleted with another one, or is that one itself."""

    kind: Kind
    key: str
    current: PanelObject

    @property
    def identity(self) -> Identity:
        """Return by what the state of the plan knows the object."""
        return get_identity_of(self.kind, self.current)

    def as_cascaded(self) -> Cascaded:
        """Return the object as an action names it."""
        return Cascaded(self.kind.plural, self.key, self.current.get("id"))


class Cascade:
    """Finds what the panel deletes with an object: with a client what it owns, with a domain what
    is in it and in its subdomains.
    """

    def __init__(self, state: PlanState, reader: PanelReader) -> None:
        """Keep what is decided. ``read_owned`` has to follow."""
        self._state = state
        self._reader = reader
        self._source = state.source
        self._owned: dict[int, list[KindAndObject]] = {}

    def list_members_of(self, kind: Kind, current: PanelObject) -> list[Member]:
        """Return what is deleted with an object, that one first."""
        members = [(kind, current)]
        if kind is CLIENT:
            members += self._owned[current["id"]]
        elif kind is DOMAIN:
            members += self._list_contents_of(current)
        return [
            Member(of_kind, name_object(self._source, of_kind, actual), actual)
            for of_kind, actual in members
        ]

    def read_owned(self) -> None:
        """Ask what the clients own that are deleted."""
        client_ids = [identifier for path, identifier in self._state.marked if path == CLIENT.path]
        read = partial(fetch_owned, self._source.session)
        for client_id, by_kind in zip(
            client_ids, self._reader.read_at_once(read, client_ids, "clients read")
        ):
            self._owned[client_id] = []
            for plural, items in by_kind.items():
                self._owned[client_id] += [
                    (TABLES[plural], {**actual, OWNER: client_id}) for actual in items
                ]

    @cached_property
    def _inside(self) -> Contents:
        """What is deleted with domains (docs/panel_api.md#contents-of-a-domain)."""
        inside = Contents()
        for kind in [TABLES[plural] for plural in (*IN_DOMAINS, DOMAIN.plural)]:
            # A list that was not read yet is read now: what it has counts for the guards too.
            for actual in list_existing(self._source.get_objects(kind)):
                inside.add(kind, actual)
        return inside

    def _list_contents_of(self, domain: PanelObject) -> list[KindAndObject]:
        """Return everything that is in a domain and in its subdomains."""
        contents: list[KindAndObject] = []
        waiting = [domain]
        seen = set()
        while waiting:
            outer = waiting.pop(0)
            name = DOMAIN.key[-1].normalize(outer.get(DOMAIN.name_field))
            identity = (name, outer.get("id"))
            # Two may be said to be in each other.
            if identity in seen:
                continue
            seen.add(identity)

            inner = self._inside.find(*identity)
            contents += inner
            waiting += [actual for kind, actual in inner if kind is DOMAIN]
        return contents


class Contents:
    """Objects by the domain that they are in: mailboxes by its name, subdomains by its id. What
    shows neither is in no domain.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._by_domain_name: dict[str, list[KindAndObject]] = {}
        self._by_parent_id: dict[int, list[KindAndObject]] = {}

    def add(self, kind: Kind, actual: PanelObject) -> None:
        """Note in which domain an object is."""
        name = kind.read_domain(actual)
        if name:
            self._by_domain_name.setdefault(name, []).append((kind, actual))
            return

        parent_id = read_id(actual.get(PARENT))
        if parent_id is not None:
            self._by_parent_id.setdefault(parent_id, []).append((kind, actual))

    def find(self, name: str, identifier: int | None) -> list[KindAndObject]:
        """Return what is directly in a domain. identifier: None where the panel does not show it,
        so that no object can refer to it.
        """
        contents = list(self._by_domain_name.get(name, ()))
        if identifier is not None:
            contents += self._by_parent_id.get(identifier, ())
        return contents
