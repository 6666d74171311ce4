# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks up where the references of an object lead. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import Conflict, UnknownReference
from .._schema.difference import Path, Resolved, value_at
from .._schema.fields import Reference, WantedReference
from .._schema.kind import Change, Kind, Wanted
from .._values.ids import read_id
from .panel import Panel


class References:
    """Follows references, each once; ``resolved`` has by their paths what they lead to.

    wanted: the object that has them. warnings: what is added to where a missing object is only warned about; None where it is an error.
    """

    def __init__(self, kind: Kind, wanted: Wanted, panel: Panel, warnings: list[str] | None) -> None:
        self._kind, self._wanted, self._panel, self._warnings = kind, wanted, panel, warnings
        self.resolved: dict[Path, Resolved] = {}

    def follow(self, references: Iterable[WantedReference], current: Mapping[str, Any] | None) -> None:
        """Looks up where these lead to. current: the object as it is."""
        for reference in references:
            target = self.resolved.get(reference.path) or self._look_up(reference, current)
            self.resolved[reference.path] = self._named(reference, target, current)

    def key(self) -> dict[str, Any] | None:
        """The natural key with ids for references; None where a referenced object does not exist, so nothing can be in it."""
        key: dict[str, Any] = {}
        references = {reference.path: reference for reference in self._wanted.references}
        for row in self._kind.key:
            reference = references.get((row.name,))
            if reference is None:
                key[row.name] = self._wanted.key[row.name]
                continue
            if reference.id is None and not self._wanted.is_present:
                found = self._panel.look_up(row.refers_to, reference.name)
                if found is None:
                    return None
                target = Resolved(found.get("id"), found)
            else:
                target = self._look_up(reference, None)
            self.resolved[reference.path] = target
            if target.id is None:
                return None
            key[row.name] = target.id
        return key

    def _look_up(self, reference: WantedReference, current: Mapping[str, Any] | None) -> Resolved:
        row = reference.row
        if not reference.is_given:
            return self._look_up_again(row, current or {})
        if reference.id is not None and not (reference.reapply and current is not None):
            is_readable = current is None or current.get(row.name) is not None or row.alike is None
            if reference.id == 0 or is_readable:
                return Resolved(reference.id)
        found = self._panel.look_up(row.collection, reference.name, reference.id)
        if found is not None:
            return Resolved(found.get("id", reference.id), found)
        shown = reference.name if reference.name is not None else f"with id {reference.id}"
        problem = f"{reference.option}: there is no {row.noun} {shown} on this panel."
        if self._warnings is None:
            raise UnknownReference(
                f"{problem} Create it first, or correct the name. Nothing was written.", option=reference.option
            )
        self._warnings.append(
            f"{problem} Check mode assumes that an earlier task creates it; otherwise the real run fails here."
        )
        return Resolved(None)

    def _look_up_again(self, row: Reference, current: Mapping[str, Any]) -> Resolved:
        """The object that this one refers to already."""
        identifier = read_id(current.get(row.name))
        found = self._panel.look_up(row.collection, None, identifier) if identifier else None
        if found is None:
            raise Conflict(
                f"{row.reapply}: the panel does not show which {row.noun} the {self._kind.title} {self._wanted.label()} has. Give {row.option} "
                "too. Nothing was written.",
                option=row.reapply,
            )
        return Resolved(found.get("id", identifier), found)

    def _named(self, reference: WantedReference, target: Resolved, current: Mapping[str, Any] | None) -> Resolved:
        """The same with the name of what the object refers to now, where it is known or where the two are a conflict."""
        row, holder = reference.row, value_at(current, reference.path[:-1])
        if not isinstance(holder, Mapping):
            return target
        target = target._replace(before=self._panel.known_name(row.collection, holder.get(row.name)))
        shown = row.shown(holder)
        if row.change is Change.IDENTITY and len(reference.path) == 1 and row.is_another(target, shown):
            there = self._panel.shown(row, shown)
            wanted = f"the {row.noun} {reference.name}" if reference.name else self._panel.shown(row, reference.id)
            return target._replace(instead=(there, wanted))
        return target
