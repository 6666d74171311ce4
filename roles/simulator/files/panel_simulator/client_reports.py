"""Handlers of /clients/{id}/resources, /stats and /traffic."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime

from panel_simulator import limits, objects
from panel_simulator.calls import Answer, Call
from panel_simulator.errors import Invalid
from panel_simulator.instants import PANEL_ZONE
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.clients import CLIENTS
from panel_simulator.panel import Panel
from panel_simulator.resources import find
from panel_simulator.store import Entry
from panel_simulator.values import UNLIMITED

RESOURCE_LISTS = tuple(name for name, kind in KINDS.items() if any(field.name == "id_user" for field in kind.fields))
PROTOCOLS = ("http", "ftp", "smtp", "pop3", "imap")
# What a seed may say of a client, kept where answers do not show it.
STATISTICS, TRAFFIC = "statistics", "traffic"
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


def get_resources(panel: Panel, call: Call) -> Answer:
    """One list for each kind (facts.md section 4.4); query parameters of the same names include or skip them (inferred)."""
    client = find(panel, CLIENTS, call)
    wanted = call.selection(RESOURCE_LISTS)
    lists = {name: sorted(panel.store.of_user(name, client.id), key=lambda entry: entry.id) for name in RESOURCE_LISTS}
    return Answer(
        value={
            name: [objects.shown(panel, KINDS[name], entry) for entry in entries]
            for name, entries in lists.items()
            if name in wanted
        }
    )


def get_stats(panel: Panel, call: Call) -> Answer:
    """``{"value": used, "max": limit}`` for each resource (facts.md section 4.2); a seed may say what is used."""
    client = find(panel, CLIENTS, call)
    maxima = client.data["resource_limits"]
    values = {
        "disk_space": disk_space(panel, client),
        "files": 0,
        "traffic": traffic_this_month(client),
        **limits.used(panel, client.id),
        **client.hidden.get(STATISTICS, {}),
    }
    return Answer(value={name: {"value": value, "max": maxima.get(name, UNLIMITED)} for name, value in values.items()})


def disk_space(panel: Panel, client: Entry) -> int:
    """All bytes that a client has on the disk."""
    seeded: int | None = client.hidden.get(STATISTICS, {}).get("disk_space")
    if seeded is not None:
        return seeded
    return sum(entry.data["size"] for kind in ("emails", "databases") for entry in panel.store.of_user(kind, client.id))


def get_traffic(panel: Panel, call: Call) -> Answer:
    """``{"in": bytes, "out": bytes}`` for each protocol (facts.md section 4.3)."""
    client = find(panel, CLIENTS, call)
    month = call.query.get("month", _this_month())
    if not _MONTH.fullmatch(month):
        raise Invalid("month: must be in the format YYYY-MM.")
    return Answer(value=_traffic(client, month))


def _this_month() -> str:
    return datetime.now(PANEL_ZONE).strftime("%Y-%m")


def _traffic(client: Entry, month: str) -> dict[str, dict[str, int]]:
    seeded = client.hidden.get(TRAFFIC)
    if seeded is not None:
        nothing = {"in": 0, "out": 0}
        return {protocol: {**nothing, **seeded.get(month, {}).get(protocol, {})} for protocol in PROTOCOLS}
    # Invented, but always the same for one client and month; nothing in the future.
    digest = hashlib.sha256(f"{client.id} {month}".encode()).digest()
    scale = 0 if month > _this_month() else 4096
    return {
        protocol: {"in": digest[2 * number] * scale, "out": digest[2 * number + 1] * scale * 16}
        for number, protocol in enumerate(PROTOCOLS)
    }


def traffic_this_month(client: Entry) -> int:
    """All bytes of a client in the current month."""
    return sum(both["in"] + both["out"] for both in _traffic(client, _this_month()).values())
