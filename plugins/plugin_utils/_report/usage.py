# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients by use of their limits, and mailboxes by how full they are. Pure. Private to the collection.

Space, files and traffic matter before they are used up, since a customer's site or mail then stands still. Of what is counted, such as
mailboxes, having all that were paid for is normal; only more than that, which a smaller plan leaves behind, needs a look.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .panel_reading import PanelReading
from .panel_values import identifier, members, number, text

BAD, NEAR, FINE = "bad", "near", "fine"
LEVELS = (BAD, NEAR, FINE)
# Members of the statistics (facts.md section 4.2): those that run full, and those that are counted.
CONSUMED = ("disk_space", "traffic", "files")
COUNTED = (
    "domains",
    "subdomains",
    "email_accounts",
    "email_addresses",
    "email_forwardings",
    "databases",
    "ftp_users",
    "scheduled_tasks",
)
IN_BYTES = ("disk_space", "traffic")


def clients(reading: PanelReading, near_percent: int) -> list[dict[str, Any]]:
    """The clients of a panel; see ``sorted_by_use`` for their order."""
    plans = {identifier(plan.get("id")): text(plan.get("name")) for plan in reading.of("plans")}
    return [_client(reading, client, plans, near_percent) for client in reading.of("clients")]


def sorted_by_use(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The worst first."""
    return sorted(found, key=lambda one: (LEVELS.index(one["level"]), -_percent(one), one["client"], one["server"]))


def _percent(client: Mapping[str, Any]) -> float:
    worst = client["worst"]
    return float(worst["percent"]) if worst else -1.0


def _client(
    reading: PanelReading, client: Mapping[str, Any], plans: Mapping[Any, str], near_percent: int
) -> dict[str, Any]:
    stats = reading.stats.get(identifier(client.get("id")))
    resources = [] if stats is None else [_resource(name, stats, near_percent) for name in (*CONSUMED, *COUNTED)]
    shown = [one for one in resources if one is not None]
    limited = [one for one in shown if one["percent"] is not None]
    worst = min(limited, key=lambda one: (LEVELS.index(one["level"]), -one["percent"]), default=None)
    return {
        "server": reading.name,
        "client": text(client.get("username"), "(without a name)"),
        "plan": plans.get(identifier(client.get("id_hosting_plan")), ""),
        "is_suspended": client.get("is_suspended") is True,
        "is_read": stats is not None,
        "level": worst["level"] if worst else FINE,
        "worst": worst,
        "resources": shown,
    }


def _resource(name: str, stats: Mapping[str, Any], near_percent: int) -> dict[str, Any] | None:
    both = members(stats.get(name))
    value, most = number(both.get("value")), number(both.get("max"))
    if value is None:
        return None
    percent = _share(value, most)
    return {"name": name, "value": value, "max": most, "percent": percent, "level": _level(name, percent, near_percent)}


def _share(value: int, most: int | None) -> float | None:
    """Percent of the limit; None without one. Of nothing allowed, nothing is 0 and anything too much."""
    if most is None or most < 0:
        return None
    if most == 0:
        return 0.0 if value <= 0 else 999.0
    return round(100 * value / most, 1)


def _level(name: str, percent: float | None, near_percent: int) -> str:
    if percent is None:
        return FINE
    if percent > 100 or (percent == 100 and name in CONSUMED):
        return BAD
    return NEAR if name in CONSUMED and percent >= near_percent else FINE


def mailboxes(reading: PanelReading, near_percent: int) -> list[dict[str, Any]]:
    """The mailboxes that are full or nearly so, the fullest first; they refuse mail."""
    found = []
    for email in reading.of("emails"):
        size, most = number(email.get("size")), number(email.get("max_size"))
        percent = None if size is None else _share(size, most)
        if percent is not None and percent >= near_percent:
            found.append(
                {
                    "server": reading.name,
                    "email": text(email.get("email_utf8")) or text(email.get("email")),
                    "client": text(reading.username(email.get("id_user"))),
                    "value": size,
                    "max": most,
                    "percent": percent,
                    "level": BAD if percent >= 100 else NEAR,
                }
            )
    return sorted(found, key=lambda one: (-float(str(one["percent"])), str(one["email"])))
