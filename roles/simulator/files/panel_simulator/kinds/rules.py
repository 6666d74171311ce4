# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of several kinds: who may own an object, and how many the limits of a client allow."""

from __future__ import annotations

from collections.abc import Mapping

from panel_simulator.calls import Invalid
from panel_simulator.fields import UNLIMITED
from panel_simulator.panel import Panel
from panel_simulator.store import CONFIG_NEW


def check_owner(panel: Panel, number: int, system_allowed: bool = False) -> None:
    """Refuse an ``id_user`` that is no client; 0 is the system where it may own such objects."""
    if system_allowed and number == 0:
        return
    if panel.store.get("clients", number) is None:
        raise Invalid(f"id_user: there is no client with the id {number}.")


def check_ready(panel: Panel, number: int) -> None:
    """Refuse an object of a client that is not ready, if the panel insists on that
    (docs/panel_api.md#new-clients)."""
    client = panel.store.get("clients", number)
    if client is None or panel.settings["new_clients"] != "when_ready":
        return
    if panel.find_status(client) == CONFIG_NEW:
        raise Invalid(f"id_user: the client {client.data['username']} is not ready yet.")


def count_objects(panel: Panel, user: int) -> dict[str, int]:
    """Return how many objects of each limited kind a client has, without system domains
    (docs/panel_api.md#statistics-of-a-client)."""
    domains = [
        entry.data
        for entry in panel.store.select_of_user("domains", user)
        if not entry.data["is_system_domain"]
    ]
    emails = [entry.data for entry in panel.store.select_of_user("emails", user)]
    subdomains = sum(1 for data in domains if data["is_subdomain"])
    counts = {
        "domains": len(domains) - subdomains,
        "subdomains": subdomains,
        "email_accounts": len(emails),
        "email_addresses": sum(1 + len(data["aliases"]) for data in emails),
        "email_forwardings": sum(len(data["forwardings"]) for data in emails),
    }
    for kind in ("databases", "ftp_users", "scheduled_tasks"):
        counts[kind] = len(panel.store.select_of_user(kind, user))

    return counts


def check_limits(panel: Panel, user: int, further: Mapping[str, int]) -> None:
    """Refuse ``further`` objects beyond the client's limits, unless the API's option allows it."""
    client = panel.store.get("clients", user)
    if client is None or panel.settings["ignore_account_limits"]:
        return

    limits = client.data["resource_limits"]
    limited = [name for name, count in further.items() if count > 0 and limits[name] != UNLIMITED]
    if not limited:
        return

    counts = count_objects(panel, user)
    for name in limited:
        if counts[name] + further[name] > limits[name]:
            raise Invalid(
                f"The limit of the client {client.data['username']} for {name} is reached: "
                f"{counts[name]} of {limits[name]} are used."
            )
