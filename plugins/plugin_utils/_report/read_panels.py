# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the panels of a report, all at the same time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils._dns.panel_zones import find_zone_of_domain
from ...module_utils._errors import PanelError, UnexpectedAnswer
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_session import PanelSession, join_path
from ...module_utils._kinds.registry import DETAILS, SERVER_FIELDS, TABLES
from ...module_utils._kinds.tables import CLIENT, classify_domain
from ...module_utils._operation.defects import as_panel_error
from ...module_utils._operation.operation import report_progress
from ...module_utils._problems import format_number_of, limit_lines
from ...module_utils._schema.fields import OWNER
from ...module_utils._secrets.redaction import Secrets
from ...module_utils._sources.checked_answers import (
    read_answer,
    require_distinct_ids,
    require_names,
)
from ...module_utils._sources.live_source import LiveSource
from .months import Kept, make_identity, sum_by_service
from .panel_reading import Items, Months, PanelReading, read_short_line

# Admins use nothing and end never.
REPORTED = tuple(plural for plural in TABLES if plural != "admins")
# What the report shows of objects, beside their names and owners.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "clients": ("id_hosting_plan", "is_suspended"),
    "domains": ("security", "is_system_domain", "is_email_domain"),
    "certificates": ("valid_till", "secured_domains"),
    "emails": ("size", "max_size"),
}
_FIELDS_OF_CHANGES = ("kind", "key", "what", "details")
_MOST_PANELS_AT_ONCE = 8
_MOST_ODD_ANSWERS = 3
# Statistics, and traffic by month.
Details = tuple[Mapping[str, Any], Months]


@dataclass(frozen=True)
class PanelToRead:
    """A panel of the fleet.

    Attributes:
        disk_space: Bytes of its disk.
        export: The directory of its committed export.
        export_option: Which option, or which variable of which host, names that directory.
    """

    name: str
    address: str
    connection: Connection
    disk_space: int | None = None
    export: Path | None = None
    export_option: str = ""


@dataclass(frozen=True)
class ReadOptions:
    """What is read of each panel.

    Attributes:
        months: Those whose traffic is read, YYYY-MM.
        concurrency: Requests at once for each panel.
        vault: Decrypts exports.
        kept: Months that are known already.
        mail_dns: Whether the zones are read and judged.
        contact_data: Whether the clients' contact data are needed, which some lists leave out.
    """

    months: Sequence[str]
    concurrency: int
    vault: Any
    kept: Kept = field(default_factory=dict)
    mail_dns: bool = True
    contact_data: bool = False


class _CountingSession(PanelSession):
    """Counts the requests of a panel."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        # A list, since its method append is safe between threads.
        self.requests: list[Any] = []

    def call(self, *request: Any, **options: Any) -> Any:
        """Send a request, and note it."""
        self.requests.append(request)
        return super().call(*request, **options)


def read_panels(
    panels: Sequence[PanelToRead], options: ReadOptions, say: Callable[[str], None]
) -> list[PanelReading]:
    """Return the panels as they answered, in their order.

    Args:
        panels: The fleet.
        options: What is read.
        say: Tells the operator how far the work is.

    Raises:
        MissingLibrary: A Python library is missing; a panel that fails raises nothing.
    """
    secrets = Secrets([panel.connection.api_key for panel in panels])
    readers = [_Reader(panel, options, say, secrets) for panel in panels]
    with ThreadPoolExecutor(min(_MOST_PANELS_AT_ONCE, len(panels))) as pool:
        return list(pool.map(_Reader.read, readers))


class _Reader:
    """Reads one panel."""

    def __init__(
        self,
        panel: PanelToRead,
        options: ReadOptions,
        say: Callable[[str], None],
        secrets: Secrets,
    ) -> None:
        """Prepare to read a panel.

        Args:
            panel: The panel.
            options: What is read.
            say: Tells the operator how far the work is.
            secrets: The keys of all panels, which a customer's text may repeat.
        """
        self._panel = panel
        self._options = options
        self._secrets = secrets
        self._session = _CountingSession(panel.connection)
        self._session.allow_at_once(options.concurrency)
        self._say_to_all = say
        # Why the rest is not asked for: a panel in trouble would let each request wait.
        self._stopped = ""
        # What the panel shows in a form that cannot be read, of some client alone.
        self._odd_answers: list[str] = []

    def read(self) -> PanelReading:
        """Return the panel as it answered."""
        answers: dict[str, Any] = {}
        try:
            answers = self._read_objects()
            answers["drift"] = self._compare_with_export()
        except Exception as error:
            message = str(as_panel_error(error))
            answers = {"failure": self._mask_and_shorten(message)}
        finally:
            self._session.close()

        panel = self._panel
        requests = len(self._session.requests)
        return PanelReading(
            panel.name, panel.address, panel.disk_space, requests=requests, **answers
        )

    def _say(self, message: str) -> None:
        self._say_to_all(f"{self._panel.name}: {message}")

    def _mask_and_shorten(self, message: str) -> str:
        return read_short_line(self._secrets.mask(message))

    def _without_secrets(self, value: Any) -> Any:
        """Return what a panel shows, with a mask in the place of each key in it."""
        return self._secrets.mask_given_value(value)

    def _compare_with_export(self) -> dict[str, Any] | None:
        """Return how the panel differs from its export.

        It costs one list for each kind, and one request for each zone that the files name.
        """
        from .._folder.resources_dir import compare  # noqa: PLC0415  # a quarter of all lines

        if self._panel.export is None:
            return None
        try:
            changes = compare(
                self._session, self._panel.export, self._options.vault, self._options.concurrency
            )
        except PanelError as error:
            # A page that only compares does not say that nothing was written.
            message = self._mask_and_shorten(error.format_for_comparison())
            return {"is_compared": False, "failure": message, "changes": []}

        return {
            "is_compared": True,
            "failure": "",
            "changes": [_shorten_change(self._without_secrets(change)) for change in changes],
        }

    def _read_objects(self) -> dict[str, Any]:
        """Return everything except the drift, by field of the reading; raises PanelError if a list
        cannot be read."""
        # Alone, so that a panel that refuses the key is asked once.
        server = read_answer(self._session.get("/server"), "/server", SERVER_FIELDS)
        mail_dns: list[dict[str, Any]] | None = None
        unread_zones = 0
        with ThreadPoolExecutor(self._options.concurrency) as pool:
            objects = dict(zip(REPORTED, pool.map(self._read_list, REPORTED)))
            clients = objects["clients"]
            details = self._read_details(pool, clients)
            if self._options.mail_dns:
                mail_dns, unread_zones = self._read_mail_dns(pool, objects["domains"])

        stats = {}
        traffic = {}
        for client, client_details in zip(clients, details):
            if client_details is not None:
                stats[client.get("id")] = client_details[0]
                traffic[client.get("id")] = client_details[1]

        return {
            "server": self._without_secrets(server),
            "objects": self._without_secrets(objects),
            "stats": stats,
            "traffic": traffic,
            "problems": self._describe_problems(clients, details.count(None), unread_zones),
            "mail_dns": self._without_secrets(mail_dns),
        }

    def _describe_problems(
        self, clients: Items, unread_clients: int, unread_zones: int
    ) -> tuple[str, ...]:
        """Return which parts could not be read, and why."""
        reason = self._stopped
        if not reason and self._odd_answers:
            reason = "an answer has another form"
        if not reason:
            has_ids = all(client.get("id") is not None for client in clients)
            reason = "gone by now" if has_ids else "shown without an id"

        subjects = []
        if unread_clients:
            subjects.append(f"Use and traffic of {unread_clients} of {len(clients)} clients")
        if unread_zones:
            domains = format_number_of(unread_zones, "domain", "domains")
            subjects.append(f"The zones of {domains}")
        problems = [f"{subject} could not be read: {reason}" for subject in subjects]
        # What is odd in every month is read once a month, and is one problem.
        odd_answers = list(dict.fromkeys(self._odd_answers))
        return (*problems, *limit_lines(odd_answers, _MOST_ODD_ANSWERS))

    def _read_list(self, plural: str) -> list[dict[str, Any]]:
        kind = TABLES[plural]
        objects = LiveSource(lambda: self._session).get_objects(kind)
        names = [key_field.name for key_field in kind.key]
        names += [reference.name for reference in kind.references if reference.name == OWNER]
        names += _FIELDS.get(plural, ())
        if kind is CLIENT and self._options.contact_data:
            names.append("contact_data")
        items = objects.complete([(name,) for name in names], objects.fetch_all())

        # Figures are by id and names: a client that is shown twice would be counted twice.
        require_distinct_ids(items, kind)
        if kind is CLIENT:
            require_names(items, kind)
        return items

    def _read_unless_stopped(self, read: Callable[..., Any], *arguments: Any) -> Any:
        """Return what was read; None if it could not be, and from then on for all that comes
        later."""
        if self._stopped:
            return None
        try:
            return read(*arguments)
        except PanelError as error:
            self._stopped = self._mask_and_shorten(str(error))
            return None

    def _read_details(self, pool: ThreadPoolExecutor, clients: Items) -> list[Details | None]:
        """Return the details of each client; None for one whose details could not be read."""
        details = pool.map(functools.partial(self._read_unless_stopped, self._read_client), clients)
        return list(report_progress(details, "clients read", len(clients), self._say))

    def _read_client(self, client: Mapping[str, Any]) -> Details | None:
        """Return the details of a client; None if it was deleted since the list was read, or has no
        id."""
        if client.get("id") is None:
            return None
        path = CLIENT.path + join_path(client.get("id"))
        kept = self._options.kept.get(
            make_identity(self._panel.name, self._panel.address, client), {}
        )
        stats = self._session.get_or_none(f"{path}/stats")
        if stats is None:
            return None

        months: dict[str, Mapping[str, int]] = {}
        for month in self._options.months:
            if kept.get(month):
                months[month] = kept[month]
                continue
            answer = self._session.get_or_none(f"{path}/traffic", {"month": month})
            if answer is None:
                return None
            traffic = self._read_detail(answer, f"{path}/traffic", "traffic")
            if traffic is not None:
                months[month] = sum_by_service(traffic)

        known_stats = self._read_detail(stats, f"{path}/stats", "stats")
        return None if known_stats is None else (known_stats, months)

    def _read_detail(self, answer: Any, path: str, detail: str) -> dict[str, Any] | None:
        """Return statistics or traffic; None if they have another form.

        That is about this client alone, so the others are still asked for.
        """
        try:
            return read_answer(answer, path, DETAILS[detail])
        except UnexpectedAnswer as error:
            self._odd_answers.append(self._mask_and_shorten(str(error)))
            return None

    def _read_mail_dns(
        self, pool: ThreadPoolExecutor, domains: Items
    ) -> tuple[list[dict[str, Any]], int]:
        """Return the judged domains with mail, and how many zones could not be read."""
        from .._mail_dns.judge import judge_domains, normalize_domain  # noqa: PLC0415

        with_zone = [
            domain
            for domain in domains
            if classify_domain(domain) == "main_domains" and not domain.get("is_dns_disabled")
        ]
        read_zone = functools.partial(
            self._read_unless_stopped, functools.partial(find_zone_of_domain, self._session)
        )
        zones = list(
            report_progress(pool.map(read_zone, with_zone), "zones read", len(with_zone), self._say)
        )
        by_name = {}
        for domain, zone in zip(with_zone, zones):
            if zone is not None:
                by_name[normalize_domain(domain.get("domain"))] = zone

        return judge_domains(by_name, domains), zones.count(None)


def _shorten_change(change: Mapping[str, Any]) -> dict[str, str]:
    return {name: read_short_line(change[name]) for name in _FIELDS_OF_CHANGES}
