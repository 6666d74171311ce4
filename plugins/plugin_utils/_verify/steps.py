# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried with the throw-away client, step by step. Private to the collection.

A step that fails leaves its points unknown and stands in the way of no other. What it made goes with the client at the end, whatever happens.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...module_utils._errors import RequestError
from ...module_utils._http.answers import Exchange
from ...module_utils._http.panel_client import path_of
from .evidence import NONE, Evidence, number
from .marks import PLAN_LIMITS
from .members import BY_NAME
from .objects import CLIENTS, PLANS, Made, Objects

PEM = Path(__file__).with_name("throw_away_certificate.pem")
# One text that every way of keeping texts changes in its own manner.
PROBE = "Verify  <u\u0308> & 0123456789"
SHORT_TEXT = "hosting panel verify"
LONG_TEXT = "hosting-panel-verify=" + "0123456789" * 28
EMPTY_HOST_TEXT = "hosting panel verify of the zone"
HASH = "$6$hostingpanelverif$" + "." * 86
# What a name of a certificate gets, by what stands for it in the path.
CHARACTERS = {"%20": " ", "+": "+", "%2F": "/", "%25": "%"}
# What a panel may answer to any write with a key that only reads.
READ_ONLY = (403, 405)


class Refused(Exception):
    """There is no throw-away client. reply: the last answer to its creation. had_written: whether there may be something to remove."""

    def __init__(self, reply: Exchange, made: list[Made]) -> None:
        super().__init__()
        self.reply, self.had_written = reply, bool(made)


class Steps:
    """One throw-away client on one panel. name: its name. notes: its mark. longest: seconds for which a status is waited for."""

    def __init__(
        self, objects: Objects, seen: Evidence, name: str, notes: str, today: datetime.date, longest: float
    ) -> None:
        self._objects, self._seen, self._name = objects, seen, name
        self._notes, self._today, self._longest = notes, today, longest
        # What there is, by what steps call it.
        self._has: dict[str, Made] = {}

    def run(self) -> None:
        """Takes the steps that have what they need. Raises Refused where there is no client, and Enough where the panel went away for good."""
        for step, needed in (
            (self._make_plan, ()),
            (self._make_client, ()),
            (self._make_domain, ("client",)),
            (self._change_client, ("client",)),
            (self._certificates, ("client",)),
            (self._mail, ("client", "domain")),
            (self._change_domain, ("domain",)),
            (self._subdomain, ("client", "domain")),
            (self._zone, ("domain",)),
            (self._databases, ("client",)),
            (self._ftp_users, ("client",)),
            (self._protections, ("client",)),
            (self._tasks, ("client",)),
            (self._lists, ("client",)),
            (self._plans, ("client", "plan")),
            (self._delete_certificate, ("domain", "certificate")),
            (self._delete_domain, ("client",)),
            (self._statuses, ("client",)),
        ):
            if self._has.keys() >= set(needed):
                self._take(step)

    def _take(self, step: Callable[[], None]) -> None:
        try:
            step()
        except RequestError:
            self._seen.broken_steps += 1

    def _make(self, called: str, kind: str, name: str, body: Mapping[str, Any]) -> Exchange:
        """What the panel answered; other steps find what it made as what it is called."""
        made, reply = self._objects.make(kind, name, body)
        if made is not None:
            self._has[called] = made
        return reply

    def _make_plan(self) -> None:
        body = {"name": self._name, "resources": {**PLAN_LIMITS, "databases": 1}}
        reply = self._make("plan", PLANS, self._name, body)
        if reply.status in READ_ONLY:
            raise Refused(reply, self._objects.made)
        if "plan" in self._has:
            self._measure_lag(self._has["plan"])
            self._objects.show(self._has["plan"])

    def _measure_lag(self, made: Made) -> None:
        """Between the last look that did not show it and the first that did; a slow panel is not one that lags."""
        begun, missed = self._objects.panel.clock(), None
        while (asked := self._objects.panel.clock() - begun) < 10:
            reply = self._ask("GET", BY_NAME[made.kind].path)
            if any(number(item.get("id")) == made.number for item in reply.items):
                self._seen.list_lag = 0 if missed is None else max(1, round((missed + asked) / 2))
                return
            missed = asked if reply.is_done else missed
            self._objects.panel.sleep(0.4)

    def _make_client(self) -> None:
        body: dict[str, Any] = {
            "username": self._name,
            "notes": self._notes,
            # The panel itself removes it then, whoever forgets it.
            "delete_on": f"{self._today + datetime.timedelta(days=2)}T12:00:00+00:00",
            "contact_data": {"first_name": "Hosting", "city": "Verify"},
            "create_system_domain": True,
        }
        if "plan" in self._has:
            body["id_hosting_plan"] = self._has["plan"].number
        reply = NONE
        for left_out in ((), ("create_system_domain",), ("create_system_domain", "delete_on", "contact_data")):
            tried = {key: one for key, one in body.items() if key not in left_out}
            reply = self._make("client", CLIENTS, self._name, tried)
            if not reply.is_refused:
                break
        if "client" not in self._has:
            raise Refused(reply, self._objects.made)
        shown = self._objects.shown_first(self._has["client"])
        self._seen.notes_are_shown = shown.get("notes") == self._notes

    def _make_domain(self) -> None:
        """At once after the client, which may be too early."""
        client = self._has["client"]
        name = f"{self._name}.example"
        body = {"id_user": client.number, "domain": name}
        first = self._seen.replies["domain of a new client"] = self._make("domain", "domains", name, body)
        if first.is_refused:
            self._objects.settled(client, self._longest)
            self._seen.replies["domain of a client that is ready"] = self._make("domain", "domains", name, body)
        if "domain" in self._has:
            self._objects.shown_first(self._has["domain"])

    def _change_client(self) -> None:
        client = self._has["client"]
        reply = self._change("part of a group", client, {"contact_data": {"city": "Elsewhere"}})
        if reply.is_done:
            self._seen.replies["client after a part of a group"] = Exchange(200, self._objects.show(client))
        self._change("unknown member", client, {"notes": self._notes, "hosting_panel_verify": "x"})
        contact = {"first_name": "Hosting", "city": "Verify", "client_id": 17}
        self._change("number for a text", client, {"contact_data": contact})
        for name, day in self._days().items():
            reply = self._change(f"date in {name}", client, {"suspend_on": f"{day}T12:00:00+00:00"})
            if reply.is_done:
                self._seen.facts[f"client in {name}"] = self._objects.show(client).get("suspend_on")
        self._change("no date", client, {"suspend_on": None})

    def _days(self) -> dict[str, datetime.date]:
        """The next days that lie in winter and in summer north of the equator."""
        days = {}
        for name, month in (("winter", 1), ("summer", 7)):
            day = datetime.date(self._today.year, month, 15)
            days[name] = day if day > self._today else day.replace(year=day.year + 1)
        return days

    def _certificates(self) -> None:
        text = PEM.read_text(encoding="ascii")
        certificate, key = text.split("-----BEGIN PRIVATE KEY-----")
        components = {"certificate": certificate, "private_key": f"-----BEGIN PRIVATE KEY-----{key}"}
        body = {"id_user": self._has["client"].number, "name": self._name, "components": components}
        self._make("certificate", "certificates", self._name, body)
        made = self._has.get("certificate")
        if made is None:
            return
        self._objects.show(made)
        self._change("certificate without its key", made, {"components": {"certificate": certificate}})
        if self._is_found_by(made, "".join(CHARACTERS.values())):
            self._seen.names.update(dict.fromkeys(CHARACTERS, True))
        else:
            for written, character in CHARACTERS.items():
                is_found = self._is_found_by(made, character)
                if is_found is not None:
                    self._seen.names[written] = is_found
        self._objects.change(made, {"name": self._name})

    def _is_found_by(self, certificate: Made, characters: str) -> bool | None:
        """Whether it is found by a name with these characters; None where the panel does not take such a name."""
        name = f"{self._name}{characters}x"
        if not self._objects.change(certificate, {"name": name}).is_done:
            return None
        return self._has_name(certificate, name)

    def _has_name(self, made: Made, name: str) -> bool | None:
        """Whether the object is found by the name in a path; None where nobody knows."""
        found = self._ask("GET", f"{BY_NAME[made.kind].path}/name{path_of(name)}")
        return number(found.object.get("id")) == made.number if found.fault is None else None

    def _mail(self) -> None:
        domain = self._has["domain"]
        owner = self._has["client"].number
        mailboxes = []
        # Neither in the order of their names nor in its reverse.
        for part in ("m", "z", "a"):
            address = f"{part}@{domain.name}"
            made, _reply = self._objects.make("emails", address, {"id_user": owner, "email": address})
            if made is not None:
                mailboxes.append(made)
                self._objects.shown_first(made)
        if not mailboxes:
            return
        first = mailboxes[0]
        is_found = self._has_name(first, first.name)
        if is_found is not None:
            self._seen.names["%40"] = is_found
        body = {"id_user": owner, "email": first.name}
        for _try in range(2):
            again, reply = self._objects.make("emails", f"{first.name} again", body)
            # Only a panel that fails each time means this one.
            if reply.fault is None:
                break
        self._seen.replies["mailbox again"] = reply
        if again is not None:
            self._objects.drop(again)
        for size in (-1, 0):
            if self._change(f"size {size}", first, {"max_size": size}).is_done:
                self._seen.facts[f"size {size}"] = number(self._objects.show(first).get("max_size"))
        if self._change("password hash", first, {"password_hash": HASH}).is_done:
            self._seen.facts["password hash is shown"] = bool(self._objects.show(first).get("password_hash"))

    def _change_domain(self) -> None:
        domain = self._has["domain"]
        self._change("text for a number", domain, {"security": {"hsts_max_age": "31536000"}})
        for name, day in self._days().items():
            reply = self._change(f"date of a domain in {name}", domain, {"delete_on": f"{day}T12:00:00+00:00"})
            if reply.is_done:
                self._seen.facts[f"domain in {name}"] = self._objects.show(domain).get("delete_on")

    def _subdomain(self) -> None:
        domain, owner = self._has["domain"], self._has["client"].number
        name = f"sub.{domain.name}"
        body = {"id_user": owner, "id_parent_domain": domain.number, "domain": name}
        flags = {"create_www_subdomain": False, "is_email_domain": True, "is_dns_disabled": False}
        self._seen.replies["subdomain with members"] = self._make("subdomain", "domains", name, {**body, **flags})
        if "subdomain" in self._has:
            shown = self._objects.show(self._has["subdomain"])
            if "is_email_domain" in shown:
                self._seen.facts["subdomain is for e-mail"] = shown["is_email_domain"]
        else:
            self._seen.replies["subdomain without members"] = self._make("subdomain", "domains", name, body)

    def _zone(self) -> None:
        path = "/dns" + path_of(self._has["domain"].number)
        zone = self._seen.replies["zone"] = self._ask("GET", path)
        if not zone.object:
            return
        self._seen.own["dns"] = (zone.object, {})
        records = zone.object.get("records")
        soa, other = (records.get("soa"), records.get("other")) if isinstance(records, Mapping) else (None, None)
        if not isinstance(other, list):
            return
        texts = [_text("short", SHORT_TEXT), _text("long", LONG_TEXT)]
        for more in (texts, texts[:1]):
            if self._ask("PUT", path, {"records": {"soa": soa, "other": [*other, *more]}}).is_done:
                self._seen.replies["zone with texts"] = self._ask("GET", path)
                break
        if "subdomain" in self._has:
            subdomain = "/dns" + path_of(self._has["subdomain"].number)
            self._seen.replies["zone of the subdomain"] = self._ask("GET", subdomain)
        empty = [*other, _text("", EMPTY_HOST_TEXT)]
        reply = self._seen.replies["empty host"] = self._ask("PUT", path, {"records": {"soa": soa, "other": empty}})
        if reply.is_done:
            self._seen.replies["zone with an empty host"] = self._ask("GET", path)
        if self._ask("PUT", path, {"is_dns_disabled": True}).is_done:
            self._seen.replies["disabled zone"] = self._ask("GET", path)
            if self._ask("DELETE", path).is_done:
                self._seen.replies["zone after its deletion"] = self._ask("GET", path)

    def _databases(self) -> None:
        """The throw-away plan allows one. A name without the client's in front shows a naming scheme, which may also refuse it."""
        owner = self._has["client"].number
        for name in (f"v{self._name}", f"{self._name}_1"):
            body = {"id_user": owner, "database_name": name}
            made, reply = self._objects.make("databases", name, body)
            self._seen.replies["database without a user"] = reply
            if made is None:
                made, reply = self._objects.make("databases", name, {**body, "database_username": name})
                self._seen.replies["database with a user"] = reply
            if made is not None:
                break
        if made is None:
            return
        self._seen.facts["name of the database"] = name
        self._objects.show(made)
        self._objects.change(made, {"description": "Verify"})
        second = f"{self._name}_2"
        other, reply = self._objects.make(
            "databases", second, {"id_user": owner, "database_name": second, "database_username": second}
        )
        self._seen.replies["database over the limit"] = reply
        if other is not None:
            self._objects.drop(other)

    def _ftp_users(self) -> None:
        name = f"{self._name}_f"
        self._one_of_each("ftp_users", name, {"username": name, "home_directory": "/www"}, {"description": "Verify"})

    def _protections(self) -> None:
        body = {"path": f"/{self._name}", "auth_name": "Verify", "username": self._name}
        self._seen.facts["path of the protection"] = body["path"]
        self._one_of_each("directory_protections", self._name, body, {"auth_name": "Verified"})

    def _tasks(self) -> None:
        """A task that is off, and would do nothing."""
        body = {
            "type": "exec",
            "command": "/bin/true",
            "description": PROBE,
            "is_enabled": False,
            "schedule": {"minute": "0", "hour": "0"},
        }
        self._one_of_each("scheduled_tasks", PROBE, body, {"command": "/bin/true"})

    def _one_of_each(self, kind: str, name: str, body: Mapping[str, Any], change: Mapping[str, Any]) -> None:
        """Makes an object, shows it and changes it; all of these paths are only inferred."""
        made, _reply = self._objects.make(kind, name, {"id_user": self._has["client"].number, **body})
        if made is not None:
            self._objects.shown_first(made)
            self._objects.change(made, change)

    def _lists(self) -> None:
        """Each kind's list, when it shows everything that was made."""
        lag = self._seen.list_lag or 0
        self._objects.panel.sleep(lag + 1.0 if lag else 0.0)
        own = {(made.kind, made.number) for made in self._objects.made}
        for kind in dict.fromkeys(made.kind for made in self._objects.made):
            path = BY_NAME[kind].path
            reply = self._ask("GET", path)
            self._seen.paths.setdefault(path, {})["GET"] = reply.status
            # What belongs to customers is forgotten here.
            items = [item for item in reply.items if (kind, number(item.get("id"))) in own]
            self._seen.replies[f"list of {kind}"] = Exchange(reply.status, items, reply.is_json)
            if kind == "domains" and reply.is_done:
                self._seen.facts["system domain is listed"] = self._has_system_domain(reply)
            self._compare(kind, {number(item.get("id")): item for item in items})
        # Where the list was not read, nobody knows whether it has them.
        if self._seen.facts.get("system domain is listed") is False:
            asked = self._ask("GET", "/domains", query={"system_domains": "true"})
            self._seen.facts["system domain is asked for"] = self._has_system_domain(asked)

    def _compare(self, kind: str, items: Mapping[int | None, Mapping[str, Any]]) -> None:
        """The single object that was shown last beside its item; where the panel shows no single ones, the item stands for it."""
        single = self._seen.own.get(kind, ({}, {}))[0]
        if single:
            self._seen.own[kind] = (single, items.get(number(single.get("id")), {}))
        elif items:
            self._seen.own[kind] = (next(iter(items.values())), {})

    def _has_system_domain(self, reply: Exchange) -> bool:
        return any(
            number(item.get("is_system_domain")) == 1 or item.get("is_system_domain") is True
            for item in reply.items
            if self._is_own(item)
        )

    def _is_own(self, domain: Mapping[str, Any]) -> bool:
        return str(domain.get("domain", "")).startswith(f"{self._name}.")

    def _plans(self) -> None:
        """Limits after the plan was changed, after it was assigned again, and the deletion of a plan that a client has."""
        client, plan = self._has["client"], self._has["plan"]
        self._seen.facts["limit at first"] = _limit(self._objects.show(client))
        if self._change("plan changed", plan, {"resources": {**PLAN_LIMITS, "databases": 2}}).is_done:
            self._seen.facts["limit after a change of the plan"] = _limit(self._objects.show(client))
            if self._change("plan again", client, {"id_hosting_plan": plan.number}).is_done:
                self._seen.facts["limit after the plan again"] = _limit(self._objects.show(client))
        self._seen.replies["plan deleted"] = self._objects.drop(plan)

    def _delete_certificate(self) -> None:
        domain, certificate = self._has["domain"], self._has["certificate"]
        security = {"id_certificate": certificate.number, "lets_encrypt": False}
        if not self._change("certificate of a domain", domain, {"security": security}).is_done:
            return
        reply = self._change("another choice", domain, {"security": {"lets_encrypt": True}})
        if reply.is_done:
            self._seen.facts["security after another choice"] = self._objects.show(domain).get("security")
            # Before the panel asks for a certificate that nobody needs.
            self._objects.change(domain, {"security": security})
        reply = self._seen.replies["certificate in use deleted"] = self._objects.drop(certificate)
        if not reply.is_done and self._objects.change(domain, {"security": {**security, "id_certificate": 0}}).is_done:
            self._objects.drop(certificate)

    def _delete_domain(self) -> None:
        """A domain of its own, with a mailbox, so that the client keeps the other."""
        owner, name = self._has["client"].number, f"{self._name}-2.example"
        domain, _reply = self._objects.make("domains", name, {"id_user": owner, "domain": name})
        if domain is None:
            return
        mailbox, _reply = self._objects.make("emails", f"m@{name}", {"id_user": owner, "email": f"m@{name}"})
        if mailbox is None:
            return
        self._seen.replies["domain with a mailbox deleted"] = self._objects.drop(domain)
        shown = self._seen.replies["mailbox of a deleted domain"] = self._ask("GET", mailbox.path)
        if shown.status == 404 and shown.is_json:
            self._objects.made.remove(mailbox)

    def _statuses(self) -> None:
        """What the client and its domain have come to, and the paths that only inference knows."""
        end = self._objects.panel.clock() + self._longest
        for made in [self._has[one] for one in ("client", "domain") if one in self._has]:
            settled = self._objects.settled(made, end - self._objects.panel.clock())
            self._seen.have_settled.append(settled)
        for made in [one for one in self._objects.made if BY_NAME[one.kind].is_inferred or one.kind == "databases"]:
            if made.number is not None:
                self._objects.drop(made)

    def _change(self, name: str, made: Made, body: Mapping[str, Any]) -> Exchange:
        reply = self._seen.replies[name] = self._objects.change(made, body)
        return reply

    def _ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Exchange:
        return self._objects.panel.ask(method, path, query, body)


def _text(host: str, value: str) -> dict[str, Any]:
    return {"host": host, "ttl": 3600, "type": "TXT", "value": value}


def _limit(client: Mapping[str, Any]) -> int | None:
    limits = client.get("resource_limits", client.get("resources"))
    return number(limits.get("databases")) if isinstance(limits, Mapping) else None
