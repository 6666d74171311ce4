"""Limits of clients, copied from their plan, and how much of them is used."""

from __future__ import annotations

from collections.abc import Mapping

from panel_simulator.errors import Invalid
from panel_simulator.panel import Panel
from panel_simulator.values import UNLIMITED


def used(panel: Panel, user: int) -> dict[str, int]:
    """How many objects of each limited kind a client has (facts.md section 4.2); system domains do not count (inferred)."""
    domains = [entry.data for entry in panel.store.of_user("domains", user) if not entry.data["is_system_domain"]]
    emails = [entry.data for entry in panel.store.of_user("emails", user)]
    subdomains = sum(1 for data in domains if data["is_subdomain"])
    return {
        "domains": len(domains) - subdomains,
        "subdomains": subdomains,
        "email_accounts": len(emails),
        "email_addresses": sum(1 + len(data["aliases"]) for data in emails),
        "email_forwardings": sum(len(data["forwardings"]) for data in emails),
        "databases": len(panel.store.of_user("databases", user)),
        "ftp_users": len(panel.store.of_user("ftp_users", user)),
        "scheduled_tasks": len(panel.store.of_user("scheduled_tasks", user)),
    }


def check_limits(panel: Panel, user: int, further: Mapping[str, int]) -> None:
    """Refuses ``further`` objects beyond the client's limits, unless the API's option says otherwise."""
    client = panel.store.get("clients", user)
    if client is None or panel.settings.ignore_account_limits:
        return
    limits = client.data["resource_limits"]
    limited = [name for name, count in further.items() if count > 0 and limits[name] != UNLIMITED]
    if not limited:
        return
    counts = used(panel, user)
    for name in limited:
        if counts[name] + further[name] > limits[name]:
            name_of_client = client.data["username"]
            raise Invalid(
                f"The limit of the client {name_of_client} for {name} is reached: {counts[name]} of {limits[name]} are used."
            )
