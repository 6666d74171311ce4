# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects get a new password. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.guards import is_protected
from ansible_collections.hosting.panel.plugins.plugin_utils._object_kinds import OBJECT_KINDS

# The kinds whose passwords are rotated, in this order.
KINDS = ("clients", "emails", "databases", "ftp_users")


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
        return [kind for kind in KINDS if kind == "clients" or kind in by_owner or self.objects.get(kind)]


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
    """targets: in the order of KINDS and their names. missing: what was asked for and is not on the panel, in words."""

    targets: list[Target]
    missing: list[str]


def mistakes_in(wish: Wish) -> list[str]:
    """What is wrong with the options, before anything is read."""
    found = [
        f"objects: there is no kind {kind} here; there are {', '.join(KINDS)}."
        for kind in wish.objects
        if kind not in KINDS
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
    """lists: by kind, and under ``plans``, the objects as the panel shows them."""
    usernames = {client.get("id"): str(client.get("username")) for client in lists["clients"]}
    plans = {plan.get("id"): str(plan.get("name")) for plan in lists.get("plans", ())}
    missing = _missing("clients", wish.clients, usernames.values()) + _missing("plans", wish.plans, plans.values())
    if wish.plans and lists["clients"] and not any("id_hosting_plan" in client for client in lists["clients"]):
        missing.append("the hosting plan of any client, which this panel does not show; name the clients")
    owners = {
        client.get("id")
        for client in lists["clients"]
        if _fits(wish.clients, usernames[client.get("id")])
        or _fits(wish.plans, plans.get(client.get("id_hosting_plan")))
    }
    targets: list[Target] = []
    for kind in wish.needed_kinds():
        named = {_key(kind, name): name for name in wish.objects.get(kind, ())}
        for found in lists[kind]:
            owner = found.get("id") if kind == "clients" else found.get("id_user")
            key = str(OBJECT_KINDS[kind].key_of(found))
            is_named = named.pop(key, None) is not None
            if is_named or (kind in wish.kinds and owner in owners):
                targets.append(Target(kind, key, int(found["id"]), usernames.get(owner, "")))
        missing += [f"{kind} {name}" for name in named.values()]
    wanted = [target for target in targets if not _is_excepted(wish, target)]
    return Selection(sorted(wanted, key=lambda target: (KINDS.index(target.kind), target.key)), missing)


def _key(kind: str, name: str) -> str:
    return str(OBJECT_KINDS[kind].key_of({OBJECT_KINDS[kind].key[0]: name}))


def _missing(what: str, patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """The names, and patterns, that fit nothing."""
    known = list(names)
    return [f"{what} {pattern}" for pattern in patterns if not any(_fits([pattern], name) for name in known)]


def _is_excepted(wish: Wish, target: Target) -> bool:
    # As names in a list of one text may have them, "acme, beta".
    patterns = [exception.strip() for exception in wish.exceptions]
    return _fits(patterns, target.key) or bool(target.client and _fits(patterns, target.client))


def _fits(patterns: Sequence[str], name: str | None) -> bool:
    """As names of protected objects are compared: without case, and domains in either spelling."""
    return name is not None and is_protected({"name": patterns}, "name", name)
