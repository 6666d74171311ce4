# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the panels of a report, all at the same time. Private to the collection."""

from __future__ import annotations

import datetime
import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils._dns.reading import find_zone_of
from ...module_utils._errors import Defect, PanelError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import PanelClient, path_of
from ...module_utils._kinds.registry import DETAILS, SERVER_FIELDS, TABLES
from ...module_utils._kinds.tables import CLIENT, class_of
from ...module_utils._operation.operation import progress
from ...module_utils._schema.kind import OWNER
from ...module_utils._secrets.redaction import Secrets
from ...module_utils._sources.checked_answers import checked_fields
from ...module_utils._sources.live_source import LiveSource

# Admins use nothing and end never.
REPORTED = tuple(plural for plural in TABLES if plural != "admins")
# What the report shows of objects, beside their names and owners.
_SHOWN: Mapping[str, tuple[str, ...]] = {
    "clients": ("id_hosting_plan", "is_suspended"),
    "domains": ("security", "is_system_domain", "is_email_domain"),
    "certificates": ("valid_till", "secured_domains"),
    "emails": ("size", "max_size"),
}
# People have other words for the protocols of docs/panel_api.md#traffic-of-a-client.
SERVICES = {"web": ("http",), "mail": ("smtp", "pop3", "imap"), "ftp": ("ftp",)}
# A panel counts a day at night, and its day may end up to a day later than that of the controller
# (docs/panel_api.md#days-of-traffic).
_SETTLED_AFTER = datetime.timedelta(days=2)
_MOST_PANELS_AT_ONCE = 8
# Control characters, and those that turn the direction of everything after them.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
Items = Sequence[Mapping[str, Any]]
# Bytes by month YYYY-MM and service.
Months = Mapping[str, Mapping[str, int]]
# Months by panel, address, id and name of a client: one that was created again is asked for again.
_NAMES = ("server", "address", "id", "client")
Kept = Mapping[tuple[str, ...], Months]


def text(value: Any, default: str = "", longest: int = 200) -> str:
    """One short line of text; ``default`` for what is no text or number."""
    if value is None or value == "" or isinstance(value, (dict, list, bool)):
        return default
    shown = _INVISIBLE.sub("\ufffd", str(value))
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def number(value: Any) -> int | None:
    """A whole number; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True)
class PanelToRead:
    """A panel of the fleet. disk_space: bytes of its disk. export: the directory of its committed export."""

    name: str
    address: str
    connection: Connection
    disk_space: int | None = None
    export: Path | None = None


@dataclass(frozen=True)
class Options:
    """What is read of each panel. vault: decrypts exports. kept: months that are known already."""

    months: Sequence[str]
    concurrency: int
    vault: Any
    kept: Kept = field(default_factory=dict)
    mail_dns: bool = True


@dataclass(frozen=True)
class PanelReading:
    """One panel as it answered.

    failure: why nothing could be read. problems: what else could not be read. objects: by plural kind. stats, traffic: by id of the client.
    mail_dns: the judged domains, None if they were not read. drift: None without an export.
    """

    name: str
    address: str
    disk_space: int | None = None
    failure: str = ""
    problems: tuple[str, ...] = ()
    server: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, Items] = field(default_factory=dict)
    stats: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    traffic: Mapping[Any, Months] = field(default_factory=dict)
    drift: Mapping[str, Any] | None = None
    mail_dns: Items | None = None
    requests: int = 0

    def of(self, kind: str) -> Items:
        return self.objects.get(kind, ())

    @functools.cached_property
    def usernames(self) -> dict[Any, str]:
        """The names of the clients by id; without the panel itself, which owns objects too."""
        named = {client.get("id"): text(client.get("username")) for client in self.of("clients")}
        # What shows no owner is not of a client that shows no id.
        named.pop(None, None)
        return named


class _CountingClient(PanelClient):
    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.asked: list[Any] = []

    def call(self, *request: Any, **more: Any) -> Any:
        self.asked.append(request)
        return super().call(*request, **more)


def gather(panels: Sequence[PanelToRead], options: Options, say: Callable[[str], None]) -> list[PanelReading]:
    """The panels as they answered, in their order. Raises MissingLibrary, and nothing else for a panel that fails."""
    readers = [_Reader(panel, options, say) for panel in panels]
    with ThreadPoolExecutor(min(_MOST_PANELS_AT_ONCE, len(panels))) as pool:
        return list(pool.map(_Reader.read, readers))


class _Reader:
    def __init__(self, panel: PanelToRead, options: Options, say: Callable[[str], None]) -> None:
        self._panel, self._options = panel, options
        self._secrets = Secrets([panel.connection.api_key])
        self._client = _CountingClient(panel.connection)
        self._client.allow_at_once(options.concurrency)
        self._say: Callable[[str], None] = lambda words: say(f"{panel.name}: {words}")
        # Why the rest is not asked for: a panel in trouble would let each request wait.
        self._stopped = ""

    def read(self) -> PanelReading:
        found: dict[str, Any] = {}
        try:
            found = {**self._parts(), "drift": self._drift()}
        except Exception as error:
            message = str(error if isinstance(error, PanelError) else Defect(error))
            found = {"failure": self._text(message)}
        finally:
            self._client.close()
        panel = self._panel
        return PanelReading(panel.name, panel.address, panel.disk_space, requests=len(self._client.asked), **found)

    def _text(self, message: str) -> str:
        return text(self._secrets.masked(message))

    def _drift(self) -> dict[str, Any] | None:
        """How the panel differs from its export. Costs one list for each kind, and one request for each zone that the files name."""
        from .._folder.resources_dir import compare  # noqa: PLC0415  # a quarter of all lines

        if self._panel.export is None:
            return None
        try:
            found = compare(self._client, self._panel.export, self._options.vault, self._options.concurrency)
        except PanelError as error:
            # A page that only compares does not say that nothing was written.
            message = self._text(error.without_nothing_written())
            return {"is_compared": False, "failure": message, "changes": []}
        changes = [{name: text(one[name]) for name in ("kind", "key", "what", "details")} for one in found]
        return {"is_compared": True, "failure": "", "changes": changes}

    def _parts(self) -> dict[str, Any]:
        """Everything except the drift. Raises PanelError if a list cannot be read."""
        # Alone, so that a panel that refuses the key is asked once.
        server = checked_fields(self._client.get("/server"), "/server", SERVER_FIELDS)
        with ThreadPoolExecutor(self._options.concurrency) as pool:
            objects = dict(zip(REPORTED, pool.map(self._list, REPORTED)))
            clients = objects["clients"]
            read = pool.map(functools.partial(self._unless_stopped, self._details), clients)
            found = list(progress(read, "clients read", len(clients), self._say))
            mail_dns, unread = self._mail_dns(pool, objects["domains"]) if self._options.mail_dns else (None, 0)
        has_ids = all(client.get("id") is not None for client in clients)
        details = {client.get("id"): one for client, one in zip(clients, found) if one is not None}
        problems = [f"Use and traffic of {found.count(None)} of {len(clients)} clients"] if None in found else []
        problems += [f"The zones of {unread} domains"] if unread else []
        missing = "gone by now" if has_ids else "shown without an id"
        return {
            "server": server,
            "objects": objects,
            "stats": {its_id: stats for its_id, (stats, _months) in details.items()},
            "traffic": {its_id: months for its_id, (_stats, months) in details.items()},
            "problems": tuple(f"{part} could not be read: {self._stopped or missing}" for part in problems),
            "mail_dns": mail_dns,
        }

    def _list(self, plural: str) -> list[dict[str, Any]]:
        kind = TABLES[plural]
        objects = LiveSource(lambda: self._client).of(kind)
        names = [row.name for row in kind.key] + [row.name for row in kind.references if row.name == OWNER]
        return objects.complete([(name,) for name in (*names, *_SHOWN.get(plural, ()))], objects.fetch_all())

    def _unless_stopped(self, read: Callable[..., Any], *arguments: Any) -> Any:
        """What was read; None if it could not be, and from then on for all the rest."""
        if self._stopped:
            return None
        try:
            return read(*arguments)
        except PanelError as error:
            self._stopped = self._text(str(error))
            return None

    def _details(self, client: Mapping[str, Any]) -> tuple[Mapping[str, Any], Months] | None:
        """Statistics, and traffic by month, of a client; None if it was deleted since the list was read, or has no id."""
        if client.get("id") is None:
            return None
        path = CLIENT.path + path_of(client.get("id"))
        kept = self._options.kept.get(_name_of(self._panel, client), {})
        stats = self._client.get_or_none(f"{path}/stats")
        if stats is None:
            return None
        months: dict[str, Mapping[str, int]] = {}
        for month in self._options.months:
            traffic = kept.get(month)
            if not traffic:
                answer = self._client.get_or_none(f"{path}/traffic", {"month": month})
                if answer is None:
                    return None
                traffic = by_service(checked_fields(answer, f"{path}/traffic", DETAILS["traffic"]))
            months[month] = traffic
        return checked_fields(stats, f"{path}/stats", DETAILS["stats"]), months

    def _mail_dns(self, pool: ThreadPoolExecutor, domains: Items) -> tuple[list[dict[str, Any]], int]:
        """The judged domains with mail, and how many zones could not be read."""
        from .._mail_dns.judge import judged, looked_up  # noqa: PLC0415

        main = [one for one in domains if class_of(one) == "main_domains" and not one.get("is_dns_disabled")]
        zone_of = functools.partial(self._unless_stopped, lambda one: find_zone_of(self._client, one))
        zones = list(progress(pool.map(zone_of, main), "zones read", len(main), self._say))
        read = {looked_up(domain.get("domain")): zone for domain, zone in zip(main, zones) if zone is not None}
        return judged(read, domains), zones.count(None)


def by_service(protocols: Mapping[str, Any]) -> dict[str, int]:
    """Bytes in and out together, by service that the panel shows."""
    return {
        service: sum(number(members(protocols.get(name)).get(way)) or 0 for name in names for way in ("in", "out"))
        for service, names in SERVICES.items()
        if any(protocols.get(name) for name in names)
    }


def months_until(day: datetime.date, count: int) -> list[str]:
    """So many months in the form of docs/panel_api.md#traffic-of-a-client, the last of them the one
    of the day."""
    last = day.year * 12 + day.month - 1
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(last - count + 1, last + 1)]


def months_over(months: Iterable[str], now: datetime.datetime) -> list[str]:
    """Those of the months YYYY-MM whose traffic does not change any more."""
    newest = (now - _SETTLED_AFTER).strftime("%Y-%m")
    return [month for month in months if month < newest]


def _name_of(panel: PanelToRead | PanelReading, client: Mapping[str, Any]) -> tuple[str, ...]:
    return panel.name, panel.address, str(client.get("id")), text(client.get("username"))


def read_kept(report: str) -> Kept:
    """The months that the JSON file of an earlier report keeps; none if a person changed its form."""
    try:
        return {tuple(row[name] for name in _NAMES): row["months"] for row in json.loads(report)["months_over"]}
    except (KeyError, TypeError, ValueError):
        return {}


def months_kept(readings: Iterable[PanelReading], over: Sequence[str]) -> list[dict[str, Any]]:
    """What the next report does not have to ask for, as rows of the JSON file."""
    rows = []
    for reading in readings:
        for client in reading.of("clients"):
            found = reading.traffic.get(client.get("id"), {})
            # A month of which a panel shows only a part is asked for again.
            months = {month: found[month] for month in over if found.get(month, {}).keys() == SERVICES.keys()}
            if months:
                rows.append({**dict(zip(_NAMES, _name_of(reading, client))), "months": months})
    return rows
