"""A zone with records of its own, as the panel shows it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

SOA: dict[str, Any] = {
    "ttl": 86400,
    "primary_ns": "ns1.panel.example.",
    "rname": "hostmaster.acme.example.",
    "refresh": 14400,
    "retry": 1800,
    "expire": 604800,
    "minimum": 3600,
}


def custom_zone(
    *records: Mapping[str, Any], soa: Mapping[str, Any] | None = None, dkim_record: str = "", **members: Any
) -> dict[str, Any]:
    """The answer; ``members`` replace others."""
    return {
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "dkim_record": dkim_record,
        "records": {"soa": dict(SOA if soa is None else soa), "other": copy.deepcopy(list(records))},
        **members,
    }
