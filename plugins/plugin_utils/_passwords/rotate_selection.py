# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects get a new password. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER
from .._jobs.job_failed import id_of
from .._jobs.mistyped_names import fits, nearest, without_effect

# The kinds whose passwords are rotated, in this order: clients, and what they have that is named by one name.
ROTATED = tuple(
    plural
    for plural, kind in KINDS.items()
    if kind.password and (plural == "clients" or kind.owner) and len(kind.key) == 1
)


@dataclass(frozen=True)
class Wish:
    """What was asked for. clients, plans, exceptions: names or shell patterns. objects: names by kind. kinds: of what clients and plans have."""

    kinds: Sequence[str] = ()
    clients: Sequence[str] = ()
    plans: Sequence[str] = ()
    objects: Mapping[str, Sequence[str]] = field(default_factory=dict)
    exceptions: Sequence[str] = ()

    def needed_kinds(self) -> list[str]:
        """The kinds whose lists have to be read; clients always, since they say whose an object is."""
        by_owner = self.kinds if self.clients or self.plans else ()
        return [kind for kind in ROTATED if kind == "clients" or kind in by_owner or self.objects.get(kind)]


@dataclass(frozen=True)
class Target:
    """An object that gets a new password; client: whose it is, empty where the panel does not say."""

    kind: str
    key: str
    id: int
    client: str

    @property
    def name(self) -> tuple[str, str]:
        return (self.kind, self.key)

    def line(self) -> str:
        """For a person."""
        owner = f" of {self.client}" if self.client and self.kind != "clients" else ""
        return f"{self.kind} {self.key}{owner}"


@dataclass(frozen=True)
class Selection:
    """targets: in the order of ROTATED and their names. missing: what was asked for and is not on the panel, in words."""

    targets: list[Target]
    missing: list[str]


def mistakes_in(wish: Wish) -> list[str]:
    """What is wrong with the options, before anything is read."""
    found = [
        f"objects: there is no kind {kind} here; there are {', '.join(ROTATED)}."
        for kind in wish.objects
        if kind not in ROTATED
    ]
    found += [
        f"objects.{kind}: must be a list of names."
        for kind, names in wish.objects.items()
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names)
    ]
    if not (wish.clients or wish.plans or any(wish.objects.values())):
        found.append(
            "clients, plans, objects: name at least one of what shall get new passwords; '*' in clients means all of them."
        )
    elif (wish.clients or wish.plans) and not wish.kinds:
        found.append("kinds: missing; name what of the clients shall get new passwords.")
    return found


def select(wish: Wish, lists: Mapping[str, Sequence[Mapping[str, Any]]]) -> Selection:
    """lists: by kind, and under ``plans``, the objects as the panel shows them. Raises WithoutId."""
    usernames = {_same(client["id"]): str(client.get("username")) for client in lists["clients"] if "id" in client}
    plans = {_same(plan.get("id")): str(plan.get("name")) for plan in lists.get("plans", ())}
    everybody = [str(client.get("username")) for client in lists["clients"]]
    missing = _missing("clients", wish.clients, everybody) + _missing("plans", wish.plans, plans.values())
    if wish.plans and lists["clients"] and not any("id_hosting_plan" in client for client in lists["clients"]):
        missing.append("the hosting plan of any client, which this panel does not show; name the clients")
    owners: set[str] = set()
    for client in lists["clients"]:
        username = str(client.get("username"))
        is_chosen = fits(wish.clients, username) or fits(wish.plans, plans.get(_same(client.get("id_hosting_plan"))))
        # Without the id of somebody who is excepted, nobody knows what is excepted.
        if is_chosen or fits(wish.exceptions, username):
            identifier = id_of(client, f"clients {username}")
            owners.update({str(identifier)} if is_chosen else ())
    targets: list[Target] = []
    for kind in wish.needed_kinds():
        named = {_key(kind, name): name for name in wish.objects.get(kind, ())}
        for found in lists[kind]:
            owner = _same(found.get("id" if kind == "clients" else OWNER))
            key = str(KINDS[kind].key_of(found))
            is_named = named.pop(key, None) is not None
            is_wanted = is_named or (kind in wish.kinds and owner in owners)
            username = usernames.get(owner, "")
            if is_wanted and not (fits(wish.exceptions, key) or (username and fits(wish.exceptions, username))):
                targets.append(Target(kind, key, id_of(found, f"{kind} {key}"), username))
        missing += _named(kind, named.values(), (str(KINDS[kind].key_of(found)) for found in lists[kind]))
    return Selection(sorted(targets, key=lambda target: (ROTATED.index(target.kind), target.key)), missing)


def names_in(lists: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """What exceptions may fit: the names of all objects, clients among them."""
    return [str(KINDS[kind].key_of(found)) for kind in ROTATED for found in lists.get(kind, ())]


def pointless_exceptions(wish: Wish, lists: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """The exceptions that fit nothing of what was read."""
    return without_effect(wish.exceptions, names_in(lists))


def _same(identifier: Any) -> str:
    """Ids may come as numbers or texts; an empty text, which is nobody's, where there is none."""
    return "" if identifier is None else str(identifier)


def _key(kind: str, name: str) -> str:
    return str(KINDS[kind].key_of({KINDS[kind].named_by[0]: name}))


def _missing(what: str, patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """The names, and patterns, that fit nothing."""
    known = list(names)
    return _named(what, without_effect(patterns, known), known)


def _named(what: str, missing: Iterable[str], names: Iterable[str]) -> list[str]:
    """What is missing, each with the name that may be meant."""
    known = list(names)
    meant = {name: nearest(name, known) for name in missing}
    return [f"{what} {name}" + (f" (did you mean {meant[name]}?)" if meant[name] else "") for name in meant]
