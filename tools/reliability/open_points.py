# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that answer what the interface leaves open in each way that the simulator knows: a dimension of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

USUAL = "as usual"
PANELS: Mapping[str, Mapping[str, Any]] = {
    USUAL: {},
    "nested objects are replaced": {"nested_update": "replace"},
    "unknown members are refused": {"unknown_members": "refuse"},
    "further members": {"extra_members": {"clients": {"colour": "blue"}, "emails": {"colour": "blue"}}},
    "short lists": {"short_lists": {"clients": ["contact_data", "notes"], "emails": ["aliases", "description"]}},
    "plans without their ids": {"show_id_hosting_plan": False},
    "private keys are shown": {"show_private_key": True},
    "hashes are taken and shown": {"use_password_hashes": True, "show_password_hash": True},
    "DKIM as placeholder": {"dkim_read": "placeholder"},
    "TXT in quotes": {"txt_read": "quoted"},
    "no times of creation": {"hidden_members": {"clients": ["created_at"], "domains": ["created_at"]}},
    "certificates of other clients are refused": {"foreign_certificates": "refuse"},
    **{
        f"dates answered: {dates.replace('_', ' ')}": {"dates": dates}
        for dates in ("utc", "local", "winter", "west", "date")
    },
    "409 for a name that is taken": {"duplicate_status": 409},
    **{
        f"texts are kept: {form.replace('_', ' ')}": {"kept_texts": form}
        for form in ("cut", "nfc", "escaped", "ascii", "collapsed", "lower")
    },
    "no paths of single objects to read, where they are inferred": {
        "missing_paths": [rf"GET /{kind}/\d+" for kind in ("ftp-users", "directory-protections", "scheduled-tasks")]
    },
}
# Settings of the simulator that are no such points: what an administrator sets, times, and how connections behave.
NOT_OPEN = frozenset(
    {
        "api_enabled",
        "allowed_addresses",
        "ignore_account_limits",
        "apply_password_policy",
        "hostname",
        "ip_addresses",
        "name_servers",
        "prohibited_domains",
        "languages",
        "default_language",
        "php_versions",
        "skeletons",
        "status_delay",
        "status_delays",
        "failing_kinds",
        "reboot_delay",
        "reboot_down_time",
        "latency",
        "connection_latency",
        "write_latency",
        "requests_per_connection",
        "announce_close",
        "keep_alive_seconds",
        "reload_every_writes",
        "reload_milliseconds",
        "reload_status",
    }
)


def panel_of(operation: int, turn: int, turns: int = 2, first: int = 0) -> str:
    """The panel of a case: so many by turns for each operation, since each needs an undisturbed run, and all of them over all operations.

    first: another number for each experiment, so that an operation does not meet the same panels in all of them.
    """
    return list(PANELS)[(first + operation + turn % turns * len(PANELS) // turns) % len(PANELS)]


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a panel of the table."""
    return dict(PANELS[name])
