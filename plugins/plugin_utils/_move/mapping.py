# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a client has on one panel to what it shall have on another. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._kinds.registry import KINDS, OWNED
from .._jobs.job_failed import JobFailed
from .._jobs.mistyped_names import VERY_MUCH_ALIKE, nearest
from .moved_zones import Substitutes, is_same_but_for_ttl, left_behind, occurring, rewritten

Item = dict[str, Any]
Resources = Mapping[str, Sequence[Item]]
_STATE = ("is_suspended", "suspend_on", "delete_on")
# Kinds whose names are taken for the whole panel, whichever client has them; certificates are brought by hand.
TAKEN_ONCE = tuple(plural for plural in OWNED if KINDS[plural].is_unique and plural != "certificates")


@dataclass(frozen=True)
class Rules:
    """What the operator wants of the move.

    plans: by the name of a hosting plan on the source that on the target. hosting_plan: instead, the one plan for the client.
    passwords: by kind and key, those that objects get on the target. zones_before: by domain, zones as they were before their times to live
    were lowered, entries of ``panel_dns_info``.
    """

    client: str
    plans: Mapping[str, str] = field(default_factory=dict)
    hosting_plan: str | None = None
    create_plans: bool = False
    substitutes: Substitutes = field(default_factory=Substitutes)
    enable_tasks: bool = False
    passwords: Mapping[tuple[str, str], str] = field(default_factory=dict, repr=False)
    zones_before: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """What was read: the client's export of the source, all plans there, what of the source server records may lead to, and the target's export.

    left_out: what the source's export does not hold, as ``panel_resources_info`` returns it.
    """

    source: Resources
    source_plans: Sequence[Item]
    old: Substitutes
    target: Resources
    left_out: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Mapped:
    """resources: for panel_resources on the target. without_key: certificates that have to be brought by hand, with the domains that use them.

    left_out: those entries of what the export does not hold that the target shall have all the same.

    warnings: about rules for what is nowhere on the source.
    """

    resources: dict[str, list[Item]]
    without_key: dict[str, list[str]]
    lets_encrypt: list[str]
    disabled_tasks: list[str]
    warnings: list[str]
    left_out: list[Mapping[str, Any]] = field(default_factory=list)


class CannotMove(JobFailed):
    """The move cannot begin; mistakes: sentences for the operator, which are listed beside the message where there are several."""

    def __init__(self, *mistakes: str) -> None:
        super().__init__(" ".join(mistakes), **({"mistakes": list(mistakes)} if len(mistakes) > 1 else {}))


def no_client(client: str) -> CannotMove:
    """The source does not have the client."""
    return CannotMove(f"client: there is no client {client} on the source.")


def mapped(seen: Seen, rules: Rules) -> Mapped:
    """What the client shall have on the target; raises CannotMove with everything that stands against it."""
    mistakes: list[str] = []
    resources: dict[str, list[Item]] = {
        kind: [dict(item) for item in items] for kind, items in seen.source.items() if items
    }
    there = {kind: {key_of(kind, item) for item in items} for kind, items in seen.target.items()}
    if not resources.get("clients"):
        raise no_client(rules.client)
    is_there = rules.client in there.get("clients", set())
    if is_there:
        _leave_state(resources)
    _give_accepted(resources, seen.left_out, there)
    _map_plan(resources, seen, rules, mistakes)
    certificates = {item["name"]: item.get("client") for item in seen.target.get("certificates", ())}
    usable = {name for name, owner in certificates.items() if owner in (rules.client, "", None)}
    without_key = _leave_certificates(resources, usable)
    _map_zones(resources, seen, rules, mistakes)
    disabled = _hold_tasks(resources, there.get("scheduled_tasks", set()), rules.enable_tasks)
    _give_passwords(resources, rules.passwords, mistakes)
    mistakes += taken_names(resources, seen.target, rules.client)
    if mistakes:
        raise CannotMove(*mistakes)
    encrypting = [
        domain["domain"]
        for domain in resources.get("domains", ())
        if (domain.get("security") or {}).get("lets_encrypt") is True
    ]
    left_out = [one for one in seen.left_out if not _is_replaced(one, is_there)]
    return Mapped(resources, without_key, encrypting, disabled, [*_pointless(seen, rules)], left_out)


def _pointless(seen: Seen, rules: Rules) -> Iterator[str]:
    """Sentences about rules for what is nowhere on the source. They may be meant for other clients, or be typing mistakes."""
    plans = {str(plan["name"]) for plan in seen.source_plans} | {
        str(client["hosting_plan"]) for client in seen.source.get("clients", ()) if client.get("hosting_plan")
    }
    places = occurring(seen.source.get("dns", ()), seen.old)
    for option, given, known, where in (
        ("plans", rules.plans, plans, "no plan on the source is called"),
        ("names", rules.substitutes.names, places.names, "neither the source nor a record of the client has the name"),
        (
            "addresses",
            rules.substitutes.addresses,
            places.addresses,
            "neither the source nor a record of the client has the address",
        ),
    ):
        for name in sorted(given.keys() - known):
            meant = nearest(name, known - given.keys()) if option != "addresses" else None
            hint = f" Did you mean {meant}?" if meant is not None else ""
            yield f"{option}: {where} {name}, so what it becomes has no effect (move_{option} in the role move).{hint}"


def key_of(kind: str, item: Mapping[str, Any]) -> str:
    """The natural key of an item."""
    return KINDS[kind].key_of(item) or ""


def taken_names(resources: Resources, target: Resources, client: str) -> list[str]:
    """Sentences about names that the target has already, but not for this client."""
    taken = [
        f"The target has an admin {client}, and a client cannot have the same name."
        for item in target.get("admins", ())
        if item.get("username") == client
    ]
    for kind in TAKEN_ONCE:
        owners = {key_of(kind, item): item.get("client") for item in target.get(kind, ())}
        taken += [
            f"{kind} {key}: exists on the target, where it belongs to {owners[key]}."
            for key in (key_of(kind, item) for item in resources.get(kind, ()))
            if owners.get(key, client) != client
        ]
    return taken


def _leave_state(resources: Mapping[str, list[Item]]) -> None:
    """Once the client is on the target, it is suspended and deleted there on its own: after the move that is done to the source."""
    for client in resources["clients"]:
        for name in _STATE:
            client.pop(name, None)


def _give_accepted(
    resources: Mapping[str, list[Item]], left_out: Iterable[Mapping[str, Any]], there: Mapping[str, Collection[str]]
) -> None:
    """Gives new objects those entries of a list that can be copied; what the target has already may be complete by now."""
    accepted: dict[tuple[str, str], Item] = {}
    for one in left_out:
        if one.get("accepted"):
            accepted.setdefault((one["kind"], one["key"]), {})[one["option"]] = list(one["accepted"])
    for kind, items in resources.items():
        for item in items:
            key = key_of(kind, item)
            if key not in there.get(kind, ()):
                item.update(accepted.get((kind, key), {}))


def _is_replaced(omission: Mapping[str, Any], is_there: bool) -> bool:
    """Whether a member is not taken from the source: certificates are brought by hand, and rules or the target decide about some of a client."""
    option = omission.get("option")
    if omission["kind"] == "clients":
        return option == "hosting_plan" or (is_there and option in _STATE)
    return omission["kind"] == "certificates" and option is not None


def _map_plan(resources: dict[str, list[Item]], seen: Seen, rules: Rules, mistakes: list[str]) -> None:
    (client,) = resources["clients"]
    old = client.get("hosting_plan")
    if old and not rules.hosting_plan and str(old) not in rules.plans:
        # With a typing mistake in the map, the client would get the target's plan of the same name, and nobody would be told.
        mistyped = nearest(str(old), rules.plans.keys() - {plan["name"] for plan in seen.source_plans}, VERY_MUCH_ALIKE)
        if mistyped is not None:
            mistakes.append(
                f"plans: there is no plan {mistyped} on the source: did you mean {old}, which this client has? Correct the name, or map {old} too."
            )
            return
    new = rules.hosting_plan or rules.plans.get(str(old), old)
    if not new:
        mistakes.append(
            "hosting_plan: the source does not tell which plan the client has; name the one that it gets on the target."
        )
        return
    client["hosting_plan"] = new
    if new in {plan["name"] for plan in seen.target.get("plans", ())}:
        return
    plan = next((plan for plan in seen.source_plans if plan["name"] == old), None)
    if not rules.create_plans or plan is None:
        words = f" ({old} on the source)" if old and old != new else ""
        mistakes.append(
            f"hosting_plan: there is no plan {new}{words} on the target. Create it there, map {old or new} to another one in plans, or let it be "
            "created with the limits of the source's (create_plans)."
        )
        return
    resources["plans"] = [{**plan, "name": new}]


def _leave_certificates(resources: dict[str, list[Item]], usable: Iterable[str]) -> dict[str, list[str]]:
    """Takes out what needs a private key, which no panel shows; by certificate the domains that are without it."""
    usable = set(usable)
    own = [item["name"] for item in resources.pop("certificates", [])]
    without: dict[str, list[str]] = {name: [] for name in own if name not in usable}
    for domain in resources.get("domains", ()):
        security = dict(domain.get("security") or {})
        name = security.get("certificate")
        if name and name not in usable:
            del security["certificate"]
            domain["security"] = security
            without.setdefault(name, []).append(domain["domain"])
    return without


def _map_zones(resources: dict[str, list[Item]], seen: Seen, rules: Rules, mistakes: list[str]) -> None:
    zones = [_as_it_was(zone, rules.zones_before.get(str(zone.get("domain")))) for zone in resources.get("dns", ())]
    for zone in zones:
        mistakes += [
            f"dns {zone['domain']}: {record} leads to the source, and neither addresses nor names says what it becomes; map it to itself to keep it."
            for record in left_behind(zone, seen.old, rules.substitutes)
        ]
    if zones:
        resources["dns"] = [rewritten(zone, rules.substitutes) for zone in zones]


def _as_it_was(zone: Item, before: Mapping[str, Any] | None) -> Item:
    """A zone that was the panel's default one until its times to live were lowered becomes the target's default one."""
    if before is None or before.get("is_custom_dns") or "records" not in zone:
        return zone
    # The export has the placeholder where the panel shows the key itself.
    dkim = [r for r in before["records"]["other"] if "_domainkey" in str(r.get("host"))]
    others = [r for r in before["records"]["other"] if r not in dkim]
    now = [r for r in zone["records"] if "_domainkey" not in str(r.get("host"))]
    return {"domain": zone["domain"], "state": "default"} if is_same_but_for_ttl(now, others) else zone


def _hold_tasks(resources: dict[str, list[Item]], there: Iterable[str], enable: bool) -> list[str]:
    """Keeps new tasks from running on both servers at once; what the target has already is left as it is there."""
    held = []
    for task in resources.get("scheduled_tasks", ()) if not enable else ():
        if task.pop("is_enabled", True) is False:
            task["is_enabled"] = False
            continue
        held.append(str(task.get("description")))
        if key_of("scheduled_tasks", task) not in there:
            task["is_enabled"] = False
    return held


def _give_passwords(
    resources: dict[str, list[Item]], passwords: Mapping[tuple[str, str], str], mistakes: list[str]
) -> None:
    items = {(kind, key_of(kind, item)): item for kind, found in resources.items() for item in found}
    for (kind, key), password in passwords.items():
        if (kind, key) in items and kind in KINDS and KINDS[kind].password:
            items[kind, key]["password"] = password
        else:
            mistakes.append(f"passwords: the client has no {kind} {key} with a password on the source.")
