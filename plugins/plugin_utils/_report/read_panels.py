# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the panels of a fleet, all of them at once, and several requests at once on each. Private to the collection.

A panel that does not answer stands in the way of no other. Per panel: one request about the server, one list for each kind, for each client
one for its statistics and one for each month of traffic that is not kept, one for each zone, and one for each object of which the list leaves out
what is reported.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.progress import Progress
from ...module_utils._dns.reading import find_zone_of, id_of_listed
from ...module_utils._dns.zone import flag
from ...module_utils._errors import Defect, PanelError, Refused
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._kinds.client import CLIENT
from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import TABLES
from ...module_utils._kinds.taken import DETAILS, SERVER_BLOCKS
from ...module_utils._object.objects import Objects, checked_object
from ...module_utils._object.whole_lists import whole_list
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.redaction import Redactor, without_secrets
from .._mail_dns.judge import judge_domain, mail_domains
from .._mail_dns.names import Names, Zone, looked_up
from .._mail_dns.resolver import Resolver
from .._run.refused_keys import run_key
from .drift import drift
from .kept_months import Kept, name_of
from .panel_answers import Months, PanelReading, identifier, text
from .usage import by_service

# Admins use nothing and end never, so there is nothing to report of them.
REPORTED = tuple(plural for plural in TABLES if plural != "admins")
MOST_PANELS_AT_ONCE = 8
# What the report shows of them, beside their names and owners.
_SHOWN: Mapping[str, tuple[str, ...]] = {
    "clients": ("id_hosting_plan", "is_suspended"),
    "domains": ("security", "is_system_domain", "is_email_domain"),
    "certificates": ("valid_till", "secured_domains"),
    "emails": ("size", "max_size"),
}


@dataclass(frozen=True)
class PanelToRead:
    """A panel of the fleet: how to reach it, and the folder of its committed export, where there is one."""

    name: str
    address: str
    connection: Connection
    disk_space: int | None = None
    export: Path | None = None


@dataclass(frozen=True)
class Wish:
    """What is read of each panel. concurrency: requests at once on one panel. months: of traffic, YYYY-MM.

    kept: of months, what is known already. mail_dns: whether zones are read. resolver: who is asked about names outside them.
    """

    months: Sequence[str]
    concurrency: int
    vault: VaultLib
    kept: Kept = field(default_factory=dict)
    mail_dns: bool = True
    resolver: Resolver | None = None


class CountingClient(PanelClient):
    """A client that counts what it asks."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, key=run_key(connection))
        self._counter = itertools.count()

    def call(self, *arguments: Any, **keywords: Any) -> Any:
        next(self._counter)
        return super().call(*arguments, **keywords)

    def asked(self) -> int:
        """How many requests there were, repeats not counted; to be asked once, at the end."""
        return next(self._counter)


def gather(panels: Sequence[PanelToRead], wish: Wish, say: Callable[[str], None]) -> list[PanelReading]:
    """The panels as they answered, in their order; raises MissingLibrary, and nothing else for a panel that fails."""
    clients = [CountingClient(panel.connection) for panel in panels]
    with ThreadPoolExecutor(min(MOST_PANELS_AT_ONCE, len(panels) or 1)) as pool:
        return list(pool.map(lambda both: _one(both[0], both[1], wish, say), zip(panels, clients)))


def _one(panel: PanelToRead, client: CountingClient, wish: Wish, say: Callable[[str], None]) -> PanelReading:
    empty = PanelReading(panel.name, panel.address, panel.disk_space)
    redactor = Redactor([panel.connection.api_key])
    client.allow_at_once(wish.concurrency)
    progress = Progress(lambda words: say(f"{panel.name}: {words}"))
    try:
        reading = _Reader(client, wish, progress, redactor).read(empty)
        if panel.export is not None:
            compared = drift(client, panel.export, wish.vault, wish.concurrency)
            reading = replace(reading, drift=replace(compared, failure=redactor.text(compared.failure)))
    except PanelError as error:
        reading = replace(empty, failure=text(redactor.text(error.message)))
    except Exception as error:
        reading = replace(empty, failure=text(Defect(error).message))
    finally:
        client.close()
    return replace(reading, requests=client.asked())


class _Reader:
    """Reads one panel."""

    def __init__(self, client: PanelClient, wish: Wish, progress: Progress, redactor: Redactor) -> None:
        self._client, self._wish, self._progress, self._redactor = client, wish, progress, redactor
        self._stopped = ""

    def read(self, empty: PanelReading) -> PanelReading:
        """Everything but the drift. Raises PanelError where a list cannot be read."""
        # The first alone: a panel that does not accept the key shall be asked once.
        server = without_secrets(checked_object(self._client.get("/server"), "/server", SERVER_BLOCKS))
        with ThreadPoolExecutor(self._wish.concurrency) as pool:
            objects = dict(zip(REPORTED, pool.map(self._list, REPORTED)))
            clients = [identifier(client.get("id")) for client in objects["clients"]]
            kept = [
                self._wish.kept.get(name_of(empty.name, empty.address, client), {}) for client in objects["clients"]
            ]
            self._progress.begin("clients read", len(clients))
            details = dict(zip(clients, pool.map(self._details, clients, kept)))
            mail_dns, unread_zones = self._mail_dns(pool, objects["domains"]) if self._wish.mail_dns else (None, 0)
        unread = sum(1 for found in details.values() if found is None)
        problems = [f"Use and traffic of {unread} of {len(clients)} clients could not be read: {self._stopped}"] * bool(
            unread
        )
        problems += [f"The zones of {unread_zones} domains could not be read: {self._stopped}"] * bool(unread_zones)
        if self._wish.resolver is not None and self._wish.resolver.is_away:
            problems.append(
                f"The name server {self._wish.resolver.server} does not answer, so what is outside the panel was not looked at."
            )
        return replace(
            empty,
            server=server,
            objects=objects,
            stats={identifier: found[0] for identifier, found in details.items() if found is not None},
            traffic={identifier: found[1] for identifier, found in details.items() if found is not None},
            problems=tuple(problems),
            mail_dns=mail_dns,
        )

    def _list(self, plural: str) -> list[dict[str, Any]]:
        kind = TABLES[plural]
        objects = Objects(self._client, kind)
        owner = [row.name for row in kind.references if row.name == OWNER]
        sought = [(name,) for name in (*(row.name for row in kind.key), *owner, *_SHOWN.get(plural, ()))]
        return [without_secrets(item) for item in whole_list(objects, kind, sought, objects.list())]

    def _details(self, client: Any, kept: Months) -> tuple[Mapping[str, Any], Months] | None:
        """Statistics, and traffic by month, of a client; None where they could not be read. kept: of months that are not asked for."""
        if self._stopped:
            return None
        try:
            path = CLIENT.path + path_of(client)
            stats = checked_object(self._client.get(f"{path}/stats"), f"{path}/stats", DETAILS["stats"])
            months = {month: kept.get(month) or self._traffic(path, month) for month in self._wish.months}
        except Refused as refusal:
            if refusal.details["status"] == 404:
                # Deleted since the list was read.
                return {}, {}
            self._stop(refusal)
            return None
        except PanelError as error:
            # The panel is in trouble: the other clients would be asked in vain, each for as long as requests are repeated.
            self._stop(error)
            return None
        self._progress.step()
        return stats, months

    def _traffic(self, path: str, month: str) -> Mapping[str, int]:
        answer = self._client.get(f"{path}/traffic", {"month": month})
        return by_service(checked_object(answer, f"{path}/traffic", DETAILS["traffic"]))

    def _mail_dns(
        self, pool: ThreadPoolExecutor, domains: Sequence[Mapping[str, Any]]
    ) -> tuple[list[dict[str, Any]], int]:
        """What is found of each domain with mail, but for those whose zone could not be read, and how many zones could not."""
        main = [
            one
            for one in domains
            if _name(one) and class_of(one) == "main_domains" and not flag(one, "is_dns_disabled")
        ]
        self._progress.begin("zones read", len(main))
        shown = {_name(one): zone for one, zone in zip(main, pool.map(self._zone, main)) if zone is not None}
        unread = {_name(one) for one in main} - set(shown)
        zones = [Zone(name, zone) for name, zone in shown.items()]
        names = Names(zones, self._wish.resolver.find) if self._wish.resolver else Names(zones)
        judged = (
            [one for one in mail_domains(zones, shown, domains) if one.main_domain not in unread] if domains else []
        )
        return list(pool.map(lambda one: judge_domain(one, names), judged)), len(unread)

    def _zone(self, domain: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The zone of a domain; None where it could not be read, a disabled one where it is gone meanwhile."""
        if self._stopped:
            return None
        try:
            zone = find_zone_of(self._client, id_of_listed(domain))
        except PanelError as error:
            self._stop(error)
            return None
        self._progress.step()
        return {"is_dns_disabled": True, "records": {"other": []}} if zone is None else zone

    def _stop(self, error: PanelError) -> None:
        self._stopped = self._stopped or text(self._redactor.text(error.message))


def _name(domain: Mapping[str, Any]) -> str:
    return looked_up(domain.get("domain"))
