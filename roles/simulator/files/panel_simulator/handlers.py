# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers of the paths: those of each kind, /ping, /server, /login, /dns, and reports on a client."""

from __future__ import annotations

import hashlib
import itertools
import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any

from panel_simulator import zones
from panel_simulator.calls import Answer, Call, Invalid, NotFound
from panel_simulator.fields import PANEL_ZONE, UNLIMITED, Flag
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.domains import DOMAINS, find_filter, has_zone
from panel_simulator.kinds.rules import count_objects
from panel_simulator.kinds.users import CLIENTS
from panel_simulator.panel import Panel
from panel_simulator.store import CONFIG_UPDATE, Entry, Kind

DOMAIN_FILTERS = ("main_domains", "subdomains", "system_domains")


def find(panel: Panel, kind: Kind, call: Call) -> Entry:
    """Return the object that the path names by id or by name; raises NotFound."""
    text = call.parameters.get("id")
    if text is None:
        name = call.parameters["name"]
        entry = kind.find_holder(panel.store, name)
        subject = f"{name!r}"
    else:
        entry = _find_by_id(panel, kind, text)
        subject = f"with the id {text}"

    if entry is None:
        raise NotFound(f"There is no {kind.noun} {subject}.")

    return entry


def _find_by_id(panel: Panel, kind: Kind, text: str) -> Entry | None:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return None
    return panel.store.get(kind.name, int(text))


def list_objects(kind: Kind, panel: Panel, call: Call) -> Answer:
    """Answer the list of a kind, in the order that the query asks for; raises Invalid."""
    sort = call.query.get("sort", "id")
    order = call.query.get("order", "asc")
    if sort not in kind.sorts:
        raise Invalid(f"sort: must be one of {', '.join(kind.sorts)}.")
    if order not in ("asc", "desc"):
        raise Invalid("order: must be asc or desc.")

    entries = list(panel.store.list_all(kind.name))
    if kind.name == "domains":
        filters = call.read_selection(DOMAIN_FILTERS)
        entries = [entry for entry in entries if find_filter(entry.data) in filters]

    entries.sort(key=lambda entry: (entry.data.get(sort), entry.id), reverse=order == "desc")
    if panel.settings["short_lists"].get(kind.name):
        return Answer(value=[panel.show_in_list(entry) for entry in entries])

    return Answer(value=[panel.show_object(entry) for entry in entries])


def create_object(kind: Kind, panel: Panel, call: Call) -> Answer:
    """Create an object; answer its id, and the password if one was generated."""
    entry, password = panel.create(kind.name, _read_body(panel, kind, call))
    return _answer_write(201, entry, password)


def get_object(kind: Kind, panel: Panel, call: Call) -> Answer:
    """Answer the object that the path names."""
    return Answer(value=panel.show_object(find(panel, kind, call)))


def update_object(kind: Kind, panel: Panel, call: Call) -> Answer:
    """Change an object; answer its id, and the password if a new one was generated."""
    entry = find(panel, kind, call)
    password = panel.update(entry, _read_body(panel, kind, call))
    return _answer_write(200, entry, password)


def delete_object(kind: Kind, panel: Panel, call: Call) -> Answer:
    """Delete an object, unless a rule of its kind refuses that."""
    entry = find(panel, kind, call)
    kind.check_deletion(panel, entry)
    panel.remove(entry)
    return Answer(status=204)


def _read_body(panel: Panel, kind: Kind, call: Call) -> Any:
    return panel.use_usual_names(kind.name, call.decode_body())


def _answer_write(status: int, entry: Entry, password: str | None) -> Answer:
    value: dict[str, Any] = {"id": entry.id}
    if password is not None:
        value["password"] = password
    return Answer(status=status, value=value)


BLOCKS = (
    "meta",
    "operating_system",
    "utilization",
    "resources",
    "components",
    "additional_php_interpreters",
    "ports",
)
LOGIN_PATH = "/login"


def _is_owned(kind: Kind) -> bool:
    return any(field.name == "id_user" for field in kind.fields)


OWNED = tuple(name for name, kind in KINDS.items() if _is_owned(kind))
_PORTS = (22, 25, 80, 443, 587, 993)
_PROTOCOLS = ("http", "ftp", "smtp", "pop3", "imap")
# What a seed may say of a client, kept where answers do not show it.
STATISTICS = "statistics"
TRAFFIC = "traffic"
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


def get_ping(_panel: Panel, _call: Call) -> Answer:
    """Answer that the panel is there."""
    return Answer(value={"response": "pong"})


def get_server(panel: Panel, call: Call) -> Answer:
    """Answer blocks of information about the server; boolean query parameters of their names
    select them, which is assumed (docs/panel_api.md#server-blocks)."""
    settings = panel.settings
    clients = list(panel.store.list_all("clients"))
    blocks = (
        {
            "hostname": settings["hostname"],
            "ip_addresses": list(settings["ip_addresses"]),
            "panel_version": "26.0",
            "panel_build": 3510,
            "uptime": _describe_uptime(panel),
        },
        {"label": "Debian 13 (64-bit)", "updates": {"reboot_required": False}},
        {"load": {"minute_1": 0.12, "minute_5": 0.1, "minute_15": 0.05, "percent": 3}},
        {
            "traffic": sum(_sum_traffic_of_month(client) for client in clients),
            "consumed_disk_space": sum(_measure_disk_space(panel, client) for client in clients),
        },
        {"kernel": "6.12.0", "web_server": "Apache 2.4", "database": "MariaDB 11.8"},
        list(settings["php_versions"]),
        [{"port": port, "protocol": "tcp", "is_online": True} for port in _PORTS],
    )
    by_name = dict(zip(BLOCKS, blocks, strict=True))
    selected = call.read_selection(BLOCKS)
    return Answer(value={name: by_name[name] for name in BLOCKS if name in selected})


def _describe_uptime(panel: Panel) -> dict[str, int]:
    minutes, seconds = divmod(int(panel.clock() - panel.booted_at), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return {"days": days, "hours": hours, "minutes": minutes, "seconds": seconds}


def post_reboot(_panel: Panel, call: Call) -> Answer:
    """Accept a reboot: 202 with an empty body (docs/panel_api.md#reboot).

    A body, if there is one, must be JSON. What then happens is in application.py.
    """
    if call.raw.strip():
        call.decode_body()
    return Answer(status=202)


def get_login(panel: Panel, call: Call) -> Answer:
    """Answer a URL that logs a client in, valid for 60 minutes; the query parameter ``page`` is
    assumed (docs/panel_api.md#login-urls)."""
    client = find(panel, CLIENTS, call)
    token = secrets.token_urlsafe(24)
    panel.logins[token] = (client.id, panel.clock() + 60 * 60)
    page = call.query.get("page", "")
    if page and not page.replace("_", "").replace("-", "").isalnum():
        raise Invalid("page: is not the name of a page.")

    url = f"{call.base_url}{LOGIN_PATH}?token={token}"
    if page:
        url += f"&page={page}"

    return Answer(value={"url": url})


def open_login_url(panel: Panel, token: str) -> tuple[int, str]:
    """Return the status and the text of the page behind a login URL."""
    client, until = panel.logins.get(token, (0, 0.0))
    entry = panel.store.get("clients", client)
    if entry is None or panel.clock() > until:
        return 403, "This login link is not valid."

    return 200, f"Logged in as {entry.data['username']}."


def get_resources(panel: Panel, call: Call) -> Answer:
    """Answer one list for each kind (docs/panel_api.md#resources-of-a-client); query parameters of
    the same names include or skip them, which is assumed."""
    client = find(panel, CLIENTS, call)
    selected = call.read_selection(OWNED)
    lists = {}

    for name in OWNED:
        if name in selected:
            entries = sorted(panel.store.select_of_user(name, client.id), key=attrgetter("id"))
            lists[name] = [panel.show_object(entry) for entry in entries]

    return Answer(value=lists)


def get_stats(panel: Panel, call: Call) -> Answer:
    """Answer ``{"value": used, "max": limit}`` for each resource
    (docs/panel_api.md#statistics-of-a-client); a seed may say what is used."""
    client = find(panel, CLIENTS, call)
    maxima = client.data["resource_limits"]
    values = {
        "disk_space": _measure_disk_space(panel, client),
        "files": 0,
        "traffic": _sum_traffic_of_month(client),
        **count_objects(panel, client.id),
        **client.hidden.get(STATISTICS, {}),
    }
    statistics = {}
    for name, value in values.items():
        statistics[name] = {"value": value, "max": maxima.get(name, UNLIMITED)}

    return Answer(value=statistics)


def _measure_disk_space(panel: Panel, client: Entry) -> int:
    """Return what a seed says, or else the sizes of the mailboxes and databases of a client."""
    seeded: int | None = client.hidden.get(STATISTICS, {}).get("disk_space")
    if seeded is not None:
        return seeded

    entries = itertools.chain(
        panel.store.select_of_user("emails", client.id),
        panel.store.select_of_user("databases", client.id),
    )
    return sum(entry.data["size"] for entry in entries)


def get_traffic(panel: Panel, call: Call) -> Answer:
    """Answer ``{"in": bytes, "out": bytes}`` for each protocol
    (docs/panel_api.md#traffic-of-a-client).
    """
    client = find(panel, CLIENTS, call)
    month = call.query.get("month", _format_this_month())
    if not _MONTH.fullmatch(month):
        raise Invalid("month: must be in the format YYYY-MM.")

    return Answer(value=_describe_traffic(client, month))


def _format_this_month() -> str:
    return datetime.now(PANEL_ZONE).strftime("%Y-%m")


def _describe_traffic(client: Entry, month: str) -> dict[str, dict[str, int]]:
    """Return what a seed says, or else what is always the same for one client and month."""
    seeded = client.hidden.get(TRAFFIC)
    if seeded is not None:
        of_month = seeded.get(month, {})
        return {name: {"in": 0, "out": 0, **of_month.get(name, {})} for name in _PROTOCOLS}

    is_future = month > _format_this_month()
    scale = 0 if is_future else 4096
    digest = hashlib.sha256(f"{client.id} {month}".encode()).digest()
    invented = {}

    for number, name in enumerate(_PROTOCOLS):
        received, sent = digest[2 * number : 2 * number + 2]
        invented[name] = {"in": received * scale, "out": sent * scale * 16}

    return invented


def _sum_traffic_of_month(client: Entry) -> int:
    traffic = _describe_traffic(client, _format_this_month())
    return sum(amounts["in"] + amounts["out"] for amounts in traffic.values())


def _find_domain_of_zone(panel: Panel, call: Call) -> Entry:
    """Return the main domain that the path names; a subdomain if the panel answers for those."""
    entry = find(panel, DOMAINS, call)
    if panel.settings["subdomain_zones"] == "of_parent":
        entry = _find_main_domain(panel, entry)

    if not has_zone(panel, entry.data):
        raise NotFound(f"{entry.data['domain']} is not a main domain.")

    return entry


def _find_main_domain(panel: Panel, entry: Entry) -> Entry:
    parent = panel.store.get("domains", entry.data["id_parent_domain"])
    if parent is None:
        return entry
    return _find_main_domain(panel, parent)


def get_zone(panel: Panel, call: Call) -> Answer:
    """Answer the zone of a domain: its flags, SOA and records."""
    zone = zones.show_zone(panel, _find_domain_of_zone(panel, call))
    zone |= panel.settings["extra_members"].get("dns", {})
    return Answer(value=panel.present("dns", zone))


def put_zone(panel: Panel, call: Call) -> Answer:
    """Replace the complete record set, or write ``is_dns_disabled`` and ignore the records."""
    entry = _find_domain_of_zone(panel, call)
    body = panel.use_usual_names("dns", call.decode_body())
    if not isinstance(body, Mapping):
        raise Invalid("The request body must be a JSON object.")

    if panel.settings["scalars"] == "converted":
        body = zones.ZONE.convert(body)

    if "is_dns_disabled" in body:
        entry.data["is_dns_disabled"] = Flag().check(body["is_dns_disabled"], "is_dns_disabled")
        zones.reset(panel, entry)
    elif "records" not in body:
        raise Invalid("records: this member is required, unless is_dns_disabled is given.")
    else:
        soa, records = zones.read_records(entry, body["records"])
        zones.set_custom(panel, entry, soa, records)

    panel.unsettle(entry, CONFIG_UPDATE)
    return Answer(value={"id": entry.id})


def delete_zone(panel: Panel, call: Call) -> Answer:
    """Return a zone to its default records."""
    entry = _find_domain_of_zone(panel, call)
    entry.data["is_dns_disabled"] = False
    zones.reset(panel, entry)
    panel.unsettle(entry, CONFIG_UPDATE)
    return Answer(status=204)
