"""Rules of several kinds: who may own an object, how many a client may have by the limits of its plan, and what a password is."""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping

from panel_simulator.calls import Invalid
from panel_simulator.panel import CONFIG_NEW, Panel
from panel_simulator.values import UNLIMITED

_CHARACTERS = string.ascii_letters + string.digits
_SPECIAL = "!#%+-_=?"


def check_owner(panel: Panel, number: int, system_allowed: bool = False) -> None:
    """Refuses an ``id_user`` that is no client; 0 is the system where it may own such objects."""
    if not (number == 0 and system_allowed) and panel.store.get("clients", number) is None:
        raise Invalid(f"id_user: there is no client with the id {number}.")


def check_ready(panel: Panel, number: int) -> None:
    """Refuses an object of a client that is not ready, if the panel insists on that."""
    client = panel.store.get("clients", number)
    if client is not None and panel.settings.new_clients == "when_ready" and panel.status_of(client) == CONFIG_NEW:
        raise Invalid(f"id_user: the client {client.data['username']} is not ready yet.")


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
        **{kind: len(panel.store.of_user(kind, user)) for kind in ("databases", "ftp_users", "scheduled_tasks")},
    }


def check_limits(panel: Panel, user: int, further: Mapping[str, int]) -> None:
    """Refuses ``further`` objects beyond the client's limits, unless the API's option says otherwise."""
    client = panel.store.get("clients", user)
    if client is None or panel.settings.ignore_account_limits:
        return
    limits = client.data["resource_limits"]
    limited = [name for name, count in further.items() if count > 0 and limits[name] != UNLIMITED]
    counts = used(panel, user) if limited else {}
    for name in limited:
        if counts[name] + further[name] > limits[name]:
            raise Invalid(
                f"The limit of the client {client.data['username']} for {name} is reached: "
                f"{counts[name]} of {limits[name]} are used."
            )


def generated_password() -> str:
    """Sixteen characters that satisfy the policy."""
    groups = (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SPECIAL, *[_CHARACTERS] * 12)
    letters = [secrets.choice(group) for group in groups]
    secrets.SystemRandom().shuffle(letters)
    return "".join(letters)


def check_policy(password: str) -> None:
    """The policy that applies with the setting ``apply_password_policy`` (facts.md section 12; the minimum is inferred)."""
    wanted = {
        "at least 8 characters": len(password) >= 8,
        "a lower-case letter": any(c.islower() for c in password),
        "an upper-case letter": any(c.isupper() for c in password),
        "a digit": any(c.isdigit() for c in password),
    }
    missing = [words for words, fulfilled in wanted.items() if not fulfilled]
    if missing:
        raise Invalid(f"password: the password policy asks for {', '.join(missing)}.")
