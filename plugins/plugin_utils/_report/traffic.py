# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic by month. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .panel_reading import PanelReading
from .panel_values import identifier, members, number, text

# What people call the protocols of facts.md section 4.3.
SERVICES = {"web": ("http",), "mail": ("smtp", "pop3", "imap"), "ftp": ("ftp",)}


def traffic(readings: Iterable[PanelReading], months: list[str], top: int) -> dict[str, Any]:
    """Bytes in and out together: of servers and services by month, and of the clients with the most in the last month."""
    servers: list[dict[str, Any]] = []
    clients: list[dict[str, Any]] = []
    services = {service: [0] * len(months) for service in SERVICES}
    for reading in readings:
        if reading.failure:
            continue
        total = [0] * len(months)
        for client in reading.of("clients"):
            by_month = reading.traffic.get(identifier(client.get("id")))
            if by_month is None:
                continue
            own = [0] * len(months)
            for index, month in enumerate(months):
                for service, protocols in SERVICES.items():
                    amount = _bytes(by_month.get(month), protocols)
                    services[service][index] += amount
                    own[index] += amount
            total = [both[0] + both[1] for both in zip(total, own)]
            clients.append({"server": reading.name, "client": text(client.get("username")), "bytes": own})
        servers.append({"server": reading.name, "bytes": total})
    clients.sort(key=lambda one: ([-amount for amount in reversed(one["bytes"])], one["client"], one["server"]))
    return {
        "months": months,
        "servers": servers,
        "services": [{"service": service, "bytes": amounts} for service, amounts in services.items()],
        "clients": [one for one in clients if any(one["bytes"])][:top] if months else [],
    }


def _bytes(protocols: Mapping[str, Any] | None, names: Iterable[str]) -> int:
    total = 0
    for name in names:
        both = members(members(protocols).get(name))
        total += sum(max(0, number(both.get(direction)) or 0) for direction in ("in", "out"))
    return total
