# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried with the client itself, its plan, and its databases. Private to the collection."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from .evidence import NONE, Shown, number
from .marks import PLAN_LIMITS
from .observations import OTHERWISE
from .trials import Called, Trying, trial

CONTACT = {"first_name": "Hosting", "city": "Verify"}
_DATES: Mapping[Called, str] = {"client": "suspend_on", "domain": "delete_on"}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:?\d\d)")


@trial
def nested_update(do: Trying) -> Any:
    shown = do.seen.single("clients").get("contact_data")
    if not isinstance(shown, Mapping) or not shown.get("first_name"):
        do.change("client", {"contact_data": CONTACT})
    contact = do.show("client").get("contact_data") if _changes_city(do) else None
    if not isinstance(contact, Mapping) or contact.get("city") != "Elsewhere":
        return None
    return "merge" if contact.get("first_name") else "replace"


def _changes_city(do: Trying) -> bool:
    return do.change("client", {"contact_data": {"city": "Elsewhere"}}).is_done


@trial
def unknown_members(do: Trying) -> Any:
    return do.accepted("client", {"notes": do.notes, "hosting_panel_verify": "x"}, "ignore", "refuse")


@trial
def scalars(do: Trying) -> Any:
    found = [do.accepted("client", {"contact_data": {**CONTACT, "client_id": 17}}, "converted", "refused")]
    if "domain" in do.has:
        found.append(do.accepted("domain", {"security": {"hsts_max_age": "31536000"}}, "converted", "refused"))
    return "refused" if "refused" in found else "converted" if found == ["converted", "converted"] else None


@trial
def dates(do: Trying) -> Any:
    """By the offsets of clients and of domains, in winter and in summer."""
    shown = {called: _shown_dates(do, called, member) for called, member in _DATES.items() if called in do.has}
    texts = [text for of_one in shown.values() for text in of_one if text]
    if not texts:
        return None
    if all(isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in texts):
        return "date"
    offsets = {called: [one for one in map(_offset, of_one) if one is not None] for called, of_one in shown.items()}
    clients, domains = offsets["client"], offsets.get("domain")
    if not clients or not domains:
        return None
    if len(set(clients)) > 1 or len(set(domains)) > 1:
        return "local_with_winter"
    client, domain = clients[0], domains[0]
    if client == domain:
        return "utc" if not client else "local" if client > 0 else "west"
    return "as_declared" if not domain else OTHERWISE


def _shown_dates(do: Trying, called: Called, member: str) -> list[Any]:
    """As the panel shows a moment in winter and one in summer."""
    moments = [f"{day}T12:00:00+00:00" for day in do.days().values()]
    return [do.show(called).get(member) for moment in moments if do.change(called, {member: moment}).is_done]


def _offset(text: Any) -> int | None:
    """Minutes east of Greenwich."""
    found = _INSTANT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    if found[1] == "Z":
        return 0
    delta = datetime.timedelta(hours=int(found[1][1:3]), minutes=int(found[1][-2:]))
    return int(delta.total_seconds() // 60) * (-1 if found[1][0] == "-" else 1)


@trial
def plan_changes(do: Trying) -> Any:
    before = _limit(do.show("client"))
    if before is None:
        return None
    limits = {"resources": {**PLAN_LIMITS, "databases": before + 1}}
    if not do.change("plan", limits).is_done:
        return None
    do.plan_limit = before + 1
    after = _limit(do.show("client"))
    return "stay" if after == before else "follow" if after == before + 1 else None


@trial
def plan_assignment(do: Trying) -> Any:
    """Only to be seen where the limits did not change with the plan already."""
    before = _limit(do.seen.single("clients"))
    if before in (None, do.plan_limit) or not do.change("client", {"id_hosting_plan": do.has["plan"].number}).is_done:
        return None
    after = _limit(do.show("client"))
    return "copies" if after == do.plan_limit else "nothing" if after == before else None


@trial
def plan_deletion(do: Trying) -> Any:
    return do.dropped(do.has["plan"], "allowed")


def _limit(client: Shown) -> int | None:
    limits = client.get("resource_limits", client.get("resources"))
    return number(limits.get("databases")) if isinstance(limits, Mapping) else None


@trial
def database_usernames(do: Trying) -> Any:
    """A name without the client's in front shows a naming scheme, which may also refuse it."""
    for name in (f"v{do.name}", f"{do.name}_1"):
        body = {"id_user": do.has["client"].number, "database_name": name}
        without, reply = do.make("database", "databases", name, body), NONE
        if do.seen.is_objection(without):
            # Before one is made: there can be one only.
            without = do.make("database", "databases", name, body)
        if "database" not in do.has:
            reply = do.make("database", "databases", name, {**body, "database_username": name})
        if "database" in do.has:
            do.seen.database_name = name
            needs_name = reply.is_done and do.seen.is_objection(without)
            return "as_database" if without.is_done else "required" if needs_name else None
    return None


@trial
def over_limit(do: Trying) -> Any:
    """The throw-away plan allows one database. Where limits do not count for the API, nothing is refused."""
    name = f"{do.name}_2"
    body = {"id_user": do.has["client"].number, "database_name": name, "database_username": name}
    other, reply = do.objects.make("databases", name, body)
    if other is not None:
        do.objects.drop(other)
    return reply.status if do.seen.is_objection(reply) and _limit(do.seen.single("clients")) == 1 else None
