# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the objects of a panel to the items that panel_resources takes. Pure: dictionaries in, an Export out. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import OptionError
from .._kinds.domain import class_of
from .._kinds.registry import DNS, KINDS
from .._schema.exported import SECRET, reason_of_problem
from .._schema.kind import OWNER
from .._secrets.redaction import holds_private_key
from .._secrets.terminal import on_one_line
from .export_object import Exporters, Objects, Omission, by_reason, is_made_along
from .export_zone import exported_zone


class Export(NamedTuple):
    """resources: as panel_resources takes them, with an entry for each kind asked for. left_out: what could not be exported, and why."""

    resources: Mapping[str, list[dict[str, Any]]]
    left_out: tuple[Omission, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The same in sentences; a thousand equal cases make one."""
        return tuple(
            f"{kind}: {labels}: {f'{option} is ' if option else ''}left out, since {reason}."
            for kind, option, reason, labels in by_reason(self.left_out, lambda one: one.key)
        )


def exported(
    objects: Objects,
    zones: Mapping[Any, Mapping[str, Any]] | None = None,
    kinds: Iterable[str] = tuple(KINDS),
    owners: frozenset[Any] | None = None,
) -> Export:
    """The items of these kinds.

    objects: by plural kind all objects as the panel shows them, also of the kinds that are only referred to. zones: by the id of the
    domain, as read; not needed for domains that say that theirs is the default one, or disabled. owners: the ids of the clients to which
    the export is restricted, None for everything.
    """
    left_out: list[Omission] = []
    wanted = frozenset(kinds)
    exporters = Exporters(objects, wanted)
    resources: dict[str, list[dict[str, Any]]] = {}
    for plural in KINDS:
        if plural not in wanted:
            continue
        if plural == DNS:
            domains = _chosen("domains", objects["domains"], owners)
            resources[plural] = _exported_zones(domains, zones or {}, exporters, left_out)
        else:
            resources[plural] = exporters[plural].items(_chosen(plural, objects[plural], owners), left_out)
    return Export(resources, tuple(left_out))


def _chosen(plural: str, shown: Sequence[Mapping[str, Any]], owners: frozenset[Any] | None) -> list[Mapping[str, Any]]:
    """The objects that are exported: without those of other clients, and without the panel's own domains."""
    shown = [one for one in shown if not is_made_along(plural, one)]
    if owners is None:
        return shown
    member = "id" if plural == "clients" else OWNER
    return [item for item in shown if _is_one_of(item.get(member), owners)]


def _is_one_of(identifier: Any, owners: frozenset[Any]) -> bool:
    """Whether an id is in a set; what a panel shows there may be anything."""
    return isinstance(identifier, (int, str)) and identifier in owners


def _exported_zones(
    domains: Iterable[Mapping[str, Any]],
    zones: Mapping[Any, Mapping[str, Any]],
    exporters: Exporters,
    left_out: list[Omission],
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for domain in sorted(domains, key=lambda domain: str(domain.get("domain"))):
        if class_of(domain) != "main_domains":
            continue
        item = None
        try:
            item = exported_zone(domain, zones.get(domain.get("id")))
            # What else is in records the world can read anyway.
            is_private = any(holds_private_key(record["value"]) for record in (item or {}).get("records", ()))
            reason = SECRET if is_private else reason_of_problem(item)
            if item is not None and exporters.leave_out("domains", domain.get("id")):
                reason = "its domain is left out"
        except OptionError as error:
            reason = f"panel_dns does not take its records ({error.message})"
        if reason:
            left_out.append(Omission(DNS, on_one_line(str(domain.get("domain"))), domain.get("id"), reason))
        elif item is not None:
            items.append(item)
    return items
