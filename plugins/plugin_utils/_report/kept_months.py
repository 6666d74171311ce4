# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic of months that are over, kept in the JSON file of a report so that no panel is asked for it twice. Pure. Private to the collection.

A panel that was rebuilt, and a client that was made again, have another address, number or name, and are asked anew.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .panel_answers import Months, PanelReading, identifier, members, number, text
from .usage import SERVICES

# A panel counts a day at night, and its day ends up to a day later than that of whoever asks.
_SETTLED_AFTER = datetime.timedelta(days=2)
Name = tuple[str, str, str, str]
Kept = Mapping[Name, Mapping[str, Mapping[str, int]]]
"""By server, address, id and username of a client, and by month: bytes of each service."""


def months_over(months: Iterable[str], now: datetime.datetime) -> list[str]:
    """Those of the months YYYY-MM whose traffic does not change any more."""
    newest = (now - _SETTLED_AFTER).strftime("%Y-%m")
    return [month for month in months if month < newest]


def name_of(server: str, address: str, client: Mapping[str, Any]) -> Name:
    """What a client is kept under."""
    return server, address, str(identifier(client.get("id"))), text(client.get("username"))


def read_kept(report: Any, over: Sequence[str]) -> Kept:
    """What the content of a JSON file keeps of the months that are over; nothing where it has another form, or what cannot be."""
    rows = members(report).get("months_over")
    found: dict[Name, Mapping[str, Mapping[str, int]]] = {}
    for row in rows if isinstance(rows, list) else []:
        one = members(row)
        name = (text(one.get("server")), text(one.get("address")), text(one.get("id")), text(one.get("client")))
        months = {month: members(amounts) for month, amounts in members(one.get("months")).items() if month in over}
        found[name] = {month: amounts for month, amounts in months.items() if _is_whole(amounts)}
    return found


def _is_whole(amounts: Mapping[str, Any]) -> bool:
    return set(amounts) == set(SERVICES) and all(
        isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0 and number(amount) is not None
        for amount in amounts.values()
    )


def kept_after(before: Kept, readings: Iterable[PanelReading], months: Sequence[str]) -> Kept:
    """What is kept from now on. months: that are over. Of a panel or a client that could not be read it is what was kept.

    A month of which the panel did not tell everything is asked for again, since nothing would ever correct it.
    """
    found: dict[Name, Months] = {}
    for reading in readings:
        if reading.failure:
            found.update({name: kept for name, kept in before.items() if name[:2] == (reading.name, reading.address)})
            continue
        for client in reading.of("clients"):
            name = name_of(reading.name, reading.address, client)
            found[name] = reading.traffic.get(identifier(client.get("id"))) or before.get(name, {})
    only = {
        name: {month: kept[month] for month in months if set(kept.get(month, ())) == set(SERVICES)}
        for name, kept in found.items()
    }
    return {name: kept for name, kept in only.items() if kept}


def rows_of(kept: Kept) -> list[dict[str, Any]]:
    """The same as a member of the report."""
    return [
        {"server": server, "address": address, "id": number_, "client": client, "months": dict(months)}
        for (server, address, number_, client), months in kept.items()
    ]
