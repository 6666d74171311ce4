# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a report: what panels show, by area, and how bad it is. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import CONSUMED, COUNTED, KINDS
from ...module_utils._kinds.tables import classify_domain
from ...module_utils._schema.fields import OWNER
from ...module_utils._schema.kind import Kind
from ...module_utils._values.days import parse_time as parse_written_time
from .._mail_dns.resolver import list_suffixes
from .months import SERVICES
from .panel_reading import Months, PanelReading, read_fields, read_short_line, read_whole_number

BAD = "bad"
NEAR = "near"
FINE = "fine"
LEVELS = (BAD, NEAR, FINE)
# The status of an object that the panel could not apply (docs/panel_api.md#status).
ERROR = 2
# Percent of a limit that allows nothing, where there is something.
_OVER_NOTHING = 999.0
Row = dict[str, Any]
Rows = Iterator[Row]
# Objects as the panel lists them, each with its row.
PairsWithRow = Iterator[tuple[Mapping[str, Any], Row]]


def compute_percent(value: int | None, limit: int | None) -> float | None:
    """Return percent of the limit; None without one.

    Of a limit that allows nothing, nothing is 0 percent, and anything too much.
    """
    if value is None or limit is None or limit < 0:
        return None
    if limit == 0:
        return 0.0 if value <= 0 else _OVER_NOTHING
    return round(100 * value / limit, 1)


def _choose_level(percent: float | None, near_percent: int) -> str:
    if percent is None or percent < near_percent:
        return FINE
    return NEAR if percent < 100 else BAD


def name_domain(domain: Mapping[str, Any]) -> str:
    """Return the name in Unicode if the panel shows it."""
    return read_short_line(domain.get("domain_utf8")) or read_short_line(domain.get("domain"))


# Clients and mailboxes, by the limits that they have.


def make_client_rows(reading: PanelReading, near_percent: int) -> Rows:
    """Yield the clients of a panel, in the order of its list.

    Args:
        reading: The panel.
        near_percent: From so many percent a client is near a limit.
    """
    for _client, row in pair_clients_with_rows(reading, near_percent):
        yield row


def pair_clients_with_rows(reading: PanelReading, near_percent: int) -> PairsWithRow:
    """Yield each client as the panel lists it, with what ``make_client_rows`` yields of it."""
    hosting_plans = {
        plan.get("id"): read_short_line(plan.get("name")) for plan in reading.list_objects("plans")
    }
    for client in reading.list_objects("clients"):
        stats = reading.stats.get(client.get("id"))
        resources = list(_make_resource_rows(stats or {}, near_percent))
        worst = _find_worst_resource(resources)
        row = {
            "server": reading.name,
            "client": read_short_line(client.get("username"), "(without a name)"),
            "plan": hosting_plans.get(client.get("id_hosting_plan"), ""),
            "is_suspended": client.get("is_suspended") is True,
            "is_read": stats is not None,
            "level": worst["level"] if worst else FINE,
            "worst": worst,
            "resources": resources,
        }
        yield client, row


def _make_resource_rows(stats: Mapping[str, Any], near_percent: int) -> Rows:
    """Yield what a client uses of each resource that the panel shows."""
    for name in (*CONSUMED, *COUNTED):
        use = read_fields(stats.get(name))
        value = read_whole_number(use.get("value"))
        limit = read_whole_number(use.get("max"))
        percent = compute_percent(value, limit)
        if value is None:
            continue

        if name in CONSUMED:
            level = _choose_level(percent, near_percent)
        else:
            # To have as many as allowed is what a plan is for.
            level = BAD if percent and percent > 100 else FINE
        yield {"name": name, "value": value, "max": limit, "percent": percent, "level": level}


def _find_worst_resource(resources: Iterable[Row]) -> Row | None:
    limited = [resource for resource in resources if resource["percent"] is not None]
    if not limited:
        return None
    return min(
        limited, key=lambda resource: (LEVELS.index(resource["level"]), -resource["percent"])
    )


def make_mailbox_rows(reading: PanelReading, near_percent: int) -> Rows:
    """Yield the mailboxes that are full or nearly so: they refuse mail."""
    for email in reading.list_objects("emails"):
        size = read_whole_number(email.get("size"))
        limit = read_whole_number(email.get("max_size"))
        percent = compute_percent(size, limit)
        if percent is not None and percent >= near_percent:
            yield {
                "server": reading.name,
                "email": read_short_line(email.get("email_utf8"))
                or read_short_line(email.get("email")),
                "client": reading.usernames.get(email.get(OWNER), ""),
                "value": size,
                "max": limit,
                "percent": percent,
                "level": _choose_level(percent, near_percent),
            }


# Servers.


def make_server_row(reading: PanelReading, near_percent: int) -> Row:
    """Return what a panel says about its server, and what is on it; with ``failure`` alone if it
    could not be read.

    Args:
        reading: The panel.
        near_percent: From so many percent its disk is nearly full.
    """
    # A panel may leave out any of these fields (docs/panel_api.md#fields-of-the-server).
    meta = read_fields(reading.server.get("meta"))
    system = read_fields(reading.server.get("operating_system"))
    resources = read_fields(reading.server.get("resources"))
    must_reboot = read_fields(system.get("updates")).get("reboot_required") is True
    disk_space = _make_disk_space_row(
        reading, read_whole_number(resources.get("consumed_disk_space")), near_percent
    )
    return {
        "server": reading.name,
        "address": reading.address,
        "failure": reading.failure,
        "level": _choose_level_of_server(reading, must_reboot, disk_space["level"]),
        "problems": list(reading.problems),
        "hostname": read_short_line(meta.get("hostname")),
        "panel_version": read_short_line(meta.get("panel_version")),
        "operating_system": read_short_line(system.get("label")),
        "uptime_days": read_whole_number(read_fields(meta.get("uptime")).get("days")),
        "reboot_required": must_reboot,
        "traffic_this_month": read_whole_number(resources.get("traffic")),
        "disk_space": disk_space,
        "counts": _count_objects(reading),
        "mail_domains": None if reading.mail_dns is None else len(reading.mail_dns),
    }


def _choose_level_of_server(reading: PanelReading, must_reboot: bool, level_of_disk: str) -> str:
    if reading.failure or level_of_disk == BAD:
        return BAD
    if must_reboot or reading.problems or level_of_disk == NEAR:
        return NEAR
    return FINE


def _make_disk_space_row(reading: PanelReading, used: int | None, near_percent: int) -> Row:
    """Return what is used of the disk, and what clients may use."""
    percent = compute_percent(used, reading.disk_space)
    promised = 0
    unlimited_clients = 0
    for stats in reading.stats.values():
        limit = read_whole_number(read_fields(stats.get("disk_space")).get("max"))
        if limit is None:
            continue
        if limit < 0:
            unlimited_clients += 1
        else:
            promised += limit

    return {
        "used": used,
        "promised": promised,
        "unlimited_clients": unlimited_clients,
        "capacity": reading.disk_space,
        "percent": percent,
        "level": _choose_level(percent, near_percent),
    }


def _count_objects(reading: PanelReading) -> Row:
    classes = [classify_domain(domain) for domain in reading.list_objects("domains")]
    return {
        "clients": len(reading.list_objects("clients")),
        "suspended": sum(
            client.get("is_suspended") is True for client in reading.list_objects("clients")
        ),
        "domains": classes.count("main_domains"),
        "subdomains": classes.count("subdomains"),
        "emails": len(reading.list_objects("emails")),
        "databases": len(reading.list_objects("databases")),
        "ftp_users": len(reading.list_objects("ftp_users")),
    }


# Traffic.


def make_traffic_tables(readings: Sequence[PanelReading], months: list[str], top: int) -> Row:
    """Return bytes in and out together by month, of panels, of services, and of clients.

    Args:
        readings: The panels.
        months: YYYY-MM, the last one decides about the clients.
        top: So many clients, those with the most.
    """
    servers = []
    clients: list[Row] = []
    all_traffic: list[Months] = []
    for reading in readings:
        traffic_of_panel = []
        for client in reading.list_objects("clients"):
            traffic = reading.traffic.get(client.get("id"), {})
            traffic_of_panel.append(traffic)
            username = read_short_line(client.get("username"))
            clients.append(
                {
                    "server": reading.name,
                    "client": username,
                    "bytes": _sum_bytes_by_month([traffic], months),
                }
            )
        servers.append(
            {"server": reading.name, "bytes": _sum_bytes_by_month(traffic_of_panel, months)}
        )
        all_traffic += traffic_of_panel

    clients.sort(key=_rank_traffic)
    return {
        "months": months,
        "servers": servers,
        "services": [
            {"service": service, "bytes": _sum_bytes_by_month(all_traffic, months, (service,))}
            for service in SERVICES
        ],
        "clients": [client for client in clients if any(client["bytes"])][:top],
    }


def _sum_bytes_by_month(
    traffic: Sequence[Months], months: Iterable[str], services: Iterable[str] = tuple(SERVICES)
) -> list[int]:
    """Return the sums over clients and services, one for each month."""
    sums = []
    for month in months:
        total = 0
        for traffic_of_client in traffic:
            amounts = traffic_of_client.get(month, {})
            total += sum(amounts.get(service, 0) for service in services)
        sums.append(total)
    return sums


def _rank_traffic(client: Row) -> tuple[Any, ...]:
    """Return a key that sorts clients with more traffic in later months first."""
    amounts = [-amount for amount in reversed(client["bytes"])]
    return amounts, client["client"], client["server"]


# Certificates.


def parse_time(value: Any, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """Return a time; None if it is none, or lies outside of all calendars.

    Args:
        value: A text in the form of ISO 8601.
        zone: That of a time without an offset.
    """
    time = parse_written_time(str(value))
    if time is None:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=zone)
    try:
        time.astimezone(zone)
    except (ValueError, OverflowError):
        return None
    return time


def make_certificate_rows(
    reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int
) -> Rows:
    """Yield the certificates of a panel, in the order of its list. One that no domain uses is never
    urgent.

    Args:
        reading: The panel.
        now: With the time zone of the days.
        soon_days: Within so many days it expires soon.
        urgent_days: Within so many days it has to be renewed at once.
    """
    for _certificate, row in pair_certificates_with_rows(reading, now, soon_days, urgent_days):
        yield row


def pair_certificates_with_rows(
    reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int
) -> PairsWithRow:
    """Yield each certificate as the panel lists it, with what ``make_certificate_rows`` yields of
    it."""
    users: dict[Any, list[str]] = {}
    for domain in reading.list_objects("domains"):
        identifier = read_fields(domain.get("security")).get("id_certificate")
        users.setdefault(identifier, []).append(name_domain(domain))

    for certificate in reading.list_objects("certificates"):
        end = _read_end(certificate, now.tzinfo)
        # On the calendar: 0 is today, -1 was yesterday.
        days = (end - now.date()).days if end else None
        used_by = sorted(users.get(certificate.get("id"), []))
        level = FINE
        if used_by and days is not None:
            level = _choose_level_of_end(days, soon_days, urgent_days)
        row = {
            "server": reading.name,
            "name": read_short_line(certificate.get("name")),
            "client": reading.usernames.get(certificate.get(OWNER), ""),
            "issuer": read_short_line(certificate.get("issuer")),
            "valid_till": end.isoformat() if end else None,
            "days": days,
            "used_by": used_by,
            "secures": sorted(
                read_short_line(name) for name in certificate.get("secured_domains") or ()
            ),
            "level": level,
        }
        yield certificate, row


def _read_end(certificate: Mapping[str, Any], zone: datetime.tzinfo | None) -> datetime.date | None:
    time = parse_time(certificate.get("valid_till"), zone)
    if time is None:
        return None
    return time.astimezone(zone).date()


def _choose_level_of_end(days: int, soon_days: int, urgent_days: int) -> str:
    if days > soon_days:
        return FINE
    return BAD if days <= urgent_days else NEAR


# Mail DNS, objects in error, and names on several panels.


def make_mail_dns_rows(reading: PanelReading) -> Rows:
    """Yield the judged domains with the names of their clients."""
    domains = {
        read_short_line(domain.get("domain")).lower(): domain
        for domain in reading.list_objects("domains")
    }
    for judged in reading.mail_dns or ():
        domain = domains.get(judged["domain"], {})
        yield {
            "server": reading.name,
            "domain": read_short_line(domain.get("domain_utf8"), judged["domain"]),
            "client": reading.usernames.get(domain.get(OWNER), ""),
            "level": judged["level"],
            "look_ups": judged["look_ups"],
            "findings": [{**finding, "replaces": []} for finding in judged["findings"]],
        }


def make_error_rows(reading: PanelReading) -> Rows:
    """Yield the objects that the panel could not apply."""
    for plural, kind in KINDS.items():
        if not kind.traits.has_status:
            continue
        for item in reading.list_objects(plural):
            if item.get("status") == ERROR:
                owner = item.get("id" if plural == "clients" else OWNER)
                yield {
                    "server": reading.name,
                    "kind": plural,
                    "title": kind.title,
                    "key": _display_key(item, kind),
                    "client": reading.usernames.get(owner, ""),
                }


def _display_key(item: Mapping[str, Any], kind: Kind) -> str:
    """Return the last field of the key that the object shows, in Unicode if it shows that; else its
    id."""
    for field in reversed(kind.key):
        name = item.get(f"{field.name}_utf8") or item.get(field.name)
        if name:
            return read_short_line(name)
    return read_short_line(f"id {item.get('id', '?')}")


def make_duplicate_rows(readings: Iterable[PanelReading]) -> Rows:
    """Yield domains, then client names, that are on several panels, with the owner on each.

    Subdomains of such a domain are counted, not listed.
    """
    sorted_readings = sorted(readings, key=lambda reading: reading.name)
    yield from _list_duplicate_domains(sorted_readings)
    yield from _list_duplicate_clients(sorted_readings)


def _list_duplicate_clients(readings: Iterable[PanelReading]) -> Rows:
    clients: dict[str, list[Row]] = {}
    for reading in readings:
        for client in reading.list_objects("clients"):
            name = read_short_line(client.get("username")).lower()
            servers = clients.setdefault(name, [])
            servers.append({"server": reading.name, "client": name})

    for name, servers in sorted(clients.items()):
        if name and len(servers) > 1:
            yield {"kind": "client", "name": name, "servers": servers, "subdomains": 0}


def _list_duplicate_domains(readings: Iterable[PanelReading]) -> Rows:
    domains: dict[str, list[Row]] = {}
    titles: dict[str, str] = {}
    for reading in readings:
        for domain in reading.list_objects("domains"):
            name = read_short_line(domain.get("domain")).lower()
            if not name or classify_domain(domain) == "system_domains":
                continue
            owner = reading.usernames.get(domain.get(OWNER), "")
            domains.setdefault(name, []).append({"server": reading.name, "client": owner})
            titles.setdefault(name, read_short_line(domain.get("domain_utf8"), name))

    names = {name for name, servers in domains.items() if len(servers) > 1}
    for name in sorted(names):
        if names.intersection(list_suffixes(name)[1:]):
            continue
        subdomains = sum(candidate.endswith(f".{name}") for candidate in names)
        yield {
            "kind": "domain",
            "name": titles[name],
            "servers": domains[name],
            "subdomains": subdomains,
        }
