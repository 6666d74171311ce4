"""A panel on which some of what is wanted is there and different, and with more than what is wanted: for runs that are killed."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support.bulk import Resources, customers

_DIFFERENT: dict[str, dict[str, Any]] = {"clients": {"email": "old@far.example"}, "emails": {"max_size": 5}}
TOO_MANY: Resources = {
    "clients": [{"username": "gone"}],
    "domains": [{"domain": "gone.example", "client": "gone"}],
    "emails": [{"email": f"old{number}@customer-001.example"} for number in range(20)],
}


def there_and_different(number: int) -> Resources:
    """So many customers as they are before the run."""
    return {
        kind: [{**item, **_DIFFERENT.get(kind, {})} for item in items]
        for kind, items in customers(number).items()
        if KINDS[kind].is_unique
    }


def completing(wanted: Resources) -> dict[str, Any]:
    """The options of panel_resources that make the panel what is wanted."""
    return {
        "resources": {**wanted, "clients": [*wanted["clients"], {"username": "gone", "state": "absent"}]},
        "purge": ["emails"],
        "max_deletes": 25,
    }
