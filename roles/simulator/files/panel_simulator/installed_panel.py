"""A panel with all of its kinds, which knows what its objects do to one another, and what settings can name on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from panel_simulator import objects
from panel_simulator.fields import Field, Members
from panel_simulator.kinds import KINDS
from panel_simulator.panel import Entry, Kind, Panel
from panel_simulator.routes import ROUTES
from panel_simulator.settings import ZONES, Known

ZONE_MEMBERS = ("is_custom_dns", "is_dns_disabled", "dkim_record", "records")


def _names(fields: Iterable[Field], prefix: str = "") -> Iterator[str]:
    """The fields that answers show; ``components.csr`` is one within another."""
    for field in fields:
        if field.access != "flag":
            yield prefix + field.name
        if isinstance(field.value, Members):
            yield from _names(field.value.fields, f"{prefix}{field.name}.")


def _shown(kind: Kind) -> tuple[str, ...]:
    return (*(("id", "status") if kind.has_status else ("id",)), *_names(kind.fields))


KNOWN = Known(
    members={**{kind.name: _shown(kind) for kind in KINDS.values()}, ZONES: ZONE_MEMBERS},
    listed=tuple(KINDS),
    paths=tuple(f"{route.method} {route.path}" for route in ROUTES),
)


class InstalledPanel(Panel):
    known = KNOWN

    def create(self, kind: str, body: Mapping[str, Any], is_internal: bool = False) -> Entry:
        return objects.create(self, KINDS[kind], body, is_internal)[0]

    def amend(self, entry: Entry, changes: Mapping[str, Any]) -> None:
        objects.amend(self, KINDS[entry.kind], entry, changes)

    def remove(self, entry: Entry) -> None:
        objects.remove(self, KINDS[entry.kind], entry)
