"""What admins and clients share: one id sequence, one name space (facts.md section 1)."""

from __future__ import annotations

from typing import Any

from panel_simulator.errors import Invalid
from panel_simulator.panel import Panel
from panel_simulator.store import CONFIG_NEW
from panel_simulator.values import Text

SEQUENCE = "users"
SCOPE = "username"
# The greatest length is unknown; 32 is what Linux allows.
USERNAME = Text(
    pattern=r"[a-z0-9][a-z0-9._-]*",
    longest=32,
    required=True,
    form="may have lower-case letters, digits, '.', '_' and '-' only.",
)


def check_language(panel: Panel, data: dict[str, Any]) -> None:
    """Fills in the default language and refuses one that is not enabled."""
    if not data.get("language"):
        data["language"] = panel.settings.default_language
    if data["language"] not in panel.settings.languages:
        raise Invalid(f"language: must be one of {', '.join(panel.settings.languages)}.")


def check_ready(panel: Panel, number: int) -> None:
    """Refuses what a client shall own that is not ready, where the panel insists on that."""
    client = panel.store.get("clients", number)
    if client is not None and panel.settings.new_clients == "when_ready" and panel.status_of(client) == CONFIG_NEW:
        raise Invalid(f"id_user: the client {client.data['username']} is not ready yet.")


def check_owner(panel: Panel, number: int, system_allowed: bool = False) -> None:
    """Refuses an ``id_user`` that is no client; 0 is the system where it may own such objects."""
    if number == 0 and system_allowed:
        return
    if panel.store.get("clients", number) is None:
        raise Invalid(f"id_user: there is no client with the id {number}.")
