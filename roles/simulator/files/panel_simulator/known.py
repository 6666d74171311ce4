"""What there is on a panel that settings can name: kinds, members, paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from panel_simulator.fields import Field, Members
from panel_simulator.forms import ZONES, Known
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.kind import Kind
from panel_simulator.routes import ROUTES

ZONE_MEMBERS = ("is_custom_dns", "is_dns_disabled", "dkim_record", "records")


def members(fields: Iterable[Field], prefix: str = "") -> Iterator[tuple[str, Field]]:
    """The members of a table; ``components.csr`` is one within another."""
    for field in fields:
        yield prefix + field.name, field
        if isinstance(field.value, Members):
            yield from members(field.value.fields, f"{prefix}{field.name}.")


def _shown(kind: Kind) -> tuple[str, ...]:
    of_all = ("id", "status") if kind.has_status else ("id",)
    return (*of_all, *(name for name, field in members(kind.fields) if field.access != "flag"))


KNOWN = Known(
    members={**{kind.name: _shown(kind) for kind in KINDS.values()}, ZONES: ZONE_MEMBERS},
    listed=tuple(KINDS),
    paths=tuple(f"{route.method} {route.path}" for route in ROUTES),
)
