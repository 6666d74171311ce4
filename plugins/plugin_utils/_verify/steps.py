# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with the throw-away client, step by step. Private to the collection.

A step that fails leaves its points unknown and stands in the way of no other. What it made goes with the client at the end, whatever happens.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils._errors import RequestError
from ...module_utils._http.answers import Exchange
from ...module_utils._http.panel_client import path_of
from . import client_trials as clients
from . import domain_trials as domains
from . import mail_trials as mail
from . import zone_trials as zones
from .evidence import DIFFERS, NONE, Evidence, number
from .marks import PLAN_LIMITS
from .members import BY_NAME, INFERRED
from .objects import CLIENTS, PLANS, Made, Objects
from .observations import CHARACTERS, OBSERVATIONS, PROBE, SHOWN, contradictions, kinds_in
from .trials import Called, Trying

# What a panel may answer to any write with a key that only reads.
READ_ONLY = (403, 405)
# About so many requests a step takes.
_OF_A_STEP = 5


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
        self._objects, self._seen = objects, seen
        self._do = Trying(objects, seen, name, notes, today, longest)

    def run(self) -> None:
        """Takes the steps that have what they need. Raises Refused where there is no client, and Enough where the panel went away for good."""
        steps: Sequence[tuple[Callable[[], None], tuple[Called, ...]]] = (
            (self._make_plan, ()),
            (self._make_client, ()),
            (self._make_domain, ("client",)),
            (self._change_client, ("client",)),
            (self._certificates, ("client",)),
            (self._mail, ("client", "domain")),
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
        )
        for number_of_step, (step, needed) in enumerate(steps, 1):
            self._do.still_to_ask = _OF_A_STEP * (len(steps) - number_of_step)
            if self._do.has.keys() >= set(needed):
                self._take(step)

    def _take(self, step: Callable[[], None]) -> None:
        try:
            step()
        except RequestError:
            self._seen.broken_steps += 1

    def _make_plan(self) -> None:
        body = {"name": self._do.name, "resources": {**PLAN_LIMITS, "databases": self._do.plan_limit}}
        before = self._unanswered()
        reply = self._do.make("plan", PLANS, self._do.name, body)
        if reply.status in READ_ONLY:
            raise Refused(reply, self._objects.made)
        if "plan" in self._do.has:
            self._measure_lag(self._do.has["plan"], before)
            self._do.show("plan")

    def _unanswered(self) -> tuple[int, int]:
        """How many requests had to be sent again."""
        return self._objects.panel.broken, self._objects.panel.reloads

    def _measure_lag(self, made: Made, before: tuple[int, int]) -> None:
        """Between the last look that did not show it and the first that did; a slow panel is not one that lags.

        before: what had to be sent again before the creation; the time of more of it hides a lag.
        """
        begun, missed = self._objects.panel.clock(), None
        while (asked := self._objects.panel.clock() - begun) < 10:
            is_listed = self._is_listed(made)
            if is_listed and missed is None and before != self._unanswered():
                return
            if is_listed:
                self._seen.list_lag = 0 if missed is None else max(1, round((missed + asked) / 2))
                return
            missed = asked if is_listed is False else missed
            self._objects.panel.sleep(0.4)

    def _is_listed(self, made: Made) -> bool | None:
        """Whether the list shows it; None where there was none."""
        reply = self._do.ask("GET", BY_NAME[made.kind].path)
        is_list = reply.is_done and isinstance(reply.data, list)
        return any(number(item.get("id")) == made.number for item in reply.items) if is_list else None

    def _make_client(self) -> None:
        body: dict[str, Any] = {
            "username": self._do.name,
            "notes": self._do.notes,
            # The panel itself removes it then, whoever forgets it.
            "delete_on": f"{self._do.today + datetime.timedelta(days=2)}T12:00:00+00:00",
            "contact_data": clients.CONTACT,
            "create_system_domain": True,
        }
        if "plan" in self._do.has:
            body["id_hosting_plan"] = self._do.has["plan"].number
        reply, before = NONE, self._unanswered()
        for left_out in ((), ("create_system_domain",), ("create_system_domain", "delete_on", "contact_data")):
            tried = {key: one for key, one in body.items() if key not in left_out}
            reply = self._do.make("client", CLIENTS, self._do.name, tried)
            if not reply.is_refused:
                break
        if "client" not in self._do.has:
            raise Refused(reply, self._objects.made)
        client = self._do.has["client"]
        if self._seen.list_lag is None:
            self._measure_lag(client, before)
        elif self._seen.list_lag and self._is_listed(client) is not False:
            self._seen.tried["list_lag"] = DIFFERS
        self._seen.notes_are_shown = self._objects.shown_first(client).get("notes") == self._do.notes

    def _make_domain(self) -> None:
        self._do.note(domains.new_clients)
        if "domain" in self._do.has:
            self._objects.shown_first(self._do.has["domain"])

    def _change_client(self) -> None:
        for trial in (clients.nested_update, clients.unknown_members, clients.scalars, clients.dates):
            self._do.see(trial)
        self._do.change("client", {"suspend_on": None})

    def _certificates(self) -> None:
        certificate, key = domains.throw_away_certificate()
        components = {"certificate": certificate, "private_key": key}
        body = {"id_user": self._do.has["client"].number, "name": self._do.name, "components": components}
        self._do.make("certificate", "certificates", self._do.name, body)
        made = self._do.has.get("certificate")
        if made is None:
            return
        self._do.show("certificate")
        self._do.see(domains.certificate_update)
        if self._is_found_by(made, "".join(CHARACTERS.values()), tries=1):
            found = dict.fromkeys(CHARACTERS, True)
        else:
            each = {written: self._is_found_by(made, character) for written, character in CHARACTERS.items()}
            found = {written: is_found for written, is_found in each.items() if is_found is not None}
        is_renamed = self._do.change("certificate", {"name": self._do.name}).is_done
        # What is not found by a plain name either says nothing of characters.
        if all(found.values()) or (is_renamed and self._has_name(made, self._do.name)):
            self._seen.names.update(found)

    def _is_found_by(self, certificate: Made, characters: str, tries: int = 2) -> bool | None:
        """Whether it is found by a name with these characters; None where the panel does not take such a name."""
        name = f"{self._do.name}{characters}x"
        if not self._objects.change(certificate, {"name": name}).is_done:
            return None
        return self._has_name(certificate, name, tries)

    def _has_name(self, made: Made, name: str, tries: int = 2) -> bool | None:
        """Whether the object is found by the name in a path, which is asked again where it is not; None where nobody knows."""
        is_found = None
        for _try in range(tries if made.kept else 0):
            found = self._do.ask("GET", f"{BY_NAME[made.kind].path}/name{path_of(name)}")
            if not found.object and not found.is_refused:
                return None
            is_found = number(found.object.get("id")) == made.number
            if is_found:
                break
        return is_found

    def _mail(self) -> None:
        domain, owner = self._do.has["domain"], self._do.has["client"].number
        # Neither in the order of their names nor in its reverse.
        for part in ("m", "z", "a"):
            address = f"{part}@{domain.name}"
            made, _reply = self._objects.make("emails", address, {"id_user": owner, "email": address})
            if made is not None:
                self._do.has.setdefault("mailbox", made)
                self._objects.shown_first(made)
        if "mailbox" not in self._do.has:
            return
        first = self._do.has["mailbox"]
        is_found = self._has_name(first, first.name)
        # What is not shown by its id either says nothing of names.
        if is_found is not None and (is_found or self._do.show("mailbox")):
            self._seen.names["%40"] = is_found
        for trial in (mail.duplicates, mail.unlimited_size, mail.max_size_zero, mail.password_hashes):
            self._do.see(trial)

    def _subdomain(self) -> None:
        self._do.see(domains.subdomain_members)

    def _zone(self) -> None:
        self._do.see(zones.dkim_read)
        if not self._do.zone:
            return
        self._do.see(zones.txt_read)
        if "subdomain" in self._do.has:
            self._do.see(zones.subdomain_zones)
        for trial in (zones.empty_host, zones.disabled_zones, zones.zone_deletion):
            self._do.see(trial)

    def _databases(self) -> None:
        self._do.note(clients.database_usernames)
        if "database" in self._do.has:
            self._do.show("database")
            self._do.change("database", {"description": "Verify"})
            self._do.see(clients.over_limit)

    def _ftp_users(self) -> None:
        name = f"{self._do.name}_f"
        self._one_of_each("ftp_users", name, {"username": name, "home_directory": "/www"}, {"description": "Verify"})

    def _protections(self) -> None:
        body = {"path": f"/{self._do.name}", "auth_name": "Verify", "username": self._do.name}
        self._seen.protection_path = body["path"]
        self._one_of_each("directory_protections", self._do.name, body, {"auth_name": "Verified"})

    def _tasks(self) -> None:
        """A task that is off, and would do nothing."""
        body = {
            "type": "exec",
            "command": "/bin/true",
            "description": PROBE,
            "is_enabled": False,
            "schedule": {"minute": "0", "hour": "0"},
        }
        self._one_of_each("scheduled_tasks", PROBE, body, {"description": PROBE})

    def _one_of_each(self, kind: str, name: str, body: Mapping[str, Any], change: Mapping[str, Any]) -> None:
        """Makes an object, shows it and changes it; all of these paths are only inferred."""
        made, _reply = self._objects.make(kind, name, {"id_user": self._do.has["client"].number, **body})
        if made is not None:
            self._objects.shown_first(made)
            self._objects.change(made, change)

    def _lists(self) -> None:
        """Each kind's list, when it shows everything that was made. What is shown otherwise is looked at a second time."""
        lag = self._seen.list_lag or 0
        self._objects.panel.sleep(lag + 1.0 if lag else 0.0)
        self._do.see(domains.system_domains)
        for kind in dict.fromkeys(made.kind for made in self._objects.made):
            if kind != "domains":
                self._do.read_list(kind)
        first = contradictions(self._seen, SHOWN)
        for kind in kinds_in(first):
            self._look_again(kind)
        second = {point: OBSERVATIONS[point](self._seen) for point in first}
        self._seen.tried.update({point: DIFFERS for point, value in first.items() if second[point] != value})

    def _look_again(self, kind: str) -> None:
        if kind == "dns":
            self._do.read_zone()
        for made in [one for one in self._objects.made if one.kind == kind][-1:]:
            self._objects.show(made)
            self._do.read_list(kind)

    def _plans(self) -> None:
        """Limits after the plan was changed, after it was assigned again, and the deletion of a plan that a client has."""
        for trial in (clients.plan_changes, clients.plan_assignment, clients.plan_deletion):
            self._do.see(trial)

    def _delete_certificate(self) -> None:
        self._do.see(domains.certificate_choice)
        self._do.see(domains.certificate_deletion)
        certificate = self._do.has["certificate"]
        if certificate in self._objects.made:
            self._do.change("domain", {"security": {"id_certificate": 0, "lets_encrypt": False}})
            if not self._objects.drop(certificate).is_done:
                self._do.doubt("certificate_deletion")

    def _delete_domain(self) -> None:
        owner, name = self._do.has["client"].number, f"{self._do.name}-2.example"
        self._do.make("second domain", "domains", name, {"id_user": owner, "domain": name})
        if "second domain" in self._do.has:
            address = f"m@{name}"
            self._do.make("mailbox of the second domain", "emails", address, {"id_user": owner, "email": address})
        if "mailbox of the second domain" in self._do.has:
            self._do.see(domains.domain_deletion)
            if self._seen.tried["domain_deletion"] == "refused":
                within, domain = (self._do.has[one] for one in ("mailbox of the second domain", "second domain"))
                if not self._objects.drop(within).is_done or not self._objects.drop(domain).is_done:
                    self._do.doubt("domain_deletion")

    def _statuses(self) -> None:
        """What the client and its domain have come to, and the paths that only inference knows."""
        end = self._objects.panel.clock() + self._do.longest
        for made in [self._do.has[one] for one in ("client", "domain") if one in self._do.has]:
            settled = self._objects.settled(made, end - self._objects.panel.clock())
            self._seen.have_settled.append(settled)
        for made in [one for one in self._objects.made if one.kind in INFERRED]:
            if made.number is not None:
                self._objects.drop(made)
