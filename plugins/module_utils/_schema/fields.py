# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row that names another object. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

from .._errors import Conflict, OptionError
from .._values.base import ValueType, parsed
from .._values.ids import read_id
from .._values.scalars import Integer
from .difference import Difference, Resolved
from .exported import CannotBeNamed, NameOf, Said
from .nested import Path
from .row import Change, Member

OWNER = "id_user"  # the member that says to which client an object belongs
NOT_SHOWN = object()


@dataclass(frozen=True)
class Reference(Member):
    """A pair of options for another object: ``name_option`` takes its name, ``name`` (the API's own) its id.

    ``collection`` is the other kind's path, ``type`` parses its name. ``empty_is_zero``: an empty name means none, which the API
    writes as 0. ``inherit``: the reference, or the option of a need, to the object whose own one a new object takes where this is omitted.
    ``alike``: tells from the object and the referenced one whether they belong together where the object does not
    show the id; ``alike_by``: pairs of the members of the referenced object and of this one that it looks at. ``same_owner``: whether
    the panel refuses one that belongs to another client; what belongs to the server itself is everybody's. ``fits``: what is wrong
    with a new object that refers to one with this name ("" for nothing). ``copies``: the word for what the object gets from the referenced
    one, and keeps. ``reapply``: the option that refers to the same one again where they are not ``alike``.
    """

    name_option: str
    name: str
    collection: str
    noun: str
    type: ValueType
    change: Change = Change.FREE
    required: bool = False
    empty_is_zero: bool = False
    inherit: str = ""
    alike: Callable[[Mapping[str, Any], Mapping[str, Any]], bool] | None = None
    alike_by: tuple[tuple[str, str], ...] = ()
    same_owner: bool = False
    fits: Callable[[Mapping[str, Any], str], str] | None = None
    copies: str = ""
    reapply: str = ""

    @property
    def option(self) -> str:
        return self.name_option

    @property
    def options(self) -> tuple[str, ...]:
        return (self.name_option, self.name)

    @property
    def tells_which(self) -> bool:
        return self.change is Change.IDENTITY or self.name == OWNER

    @property
    def refers_to(self) -> str:
        return self.collection

    @property
    def telling(self) -> frozenset[str]:
        """The members that tell what it refers to where its id is not shown."""
        return frozenset(own for _other, own in self.alike_by)

    def is_told_by(self, shown: Set[str]) -> bool:
        return super().is_told_by(shown) or (self.alike is not None and self.telling <= shown)

    def shown(self, holder: Mapping[str, Any]) -> Any:
        """What the panel shows; the empty one is written as 0."""
        shown = holder.get(self.name, NOT_SHOWN)
        return 0 if shown is None and self.empty_is_zero else shown

    def comparable(self, shown: Any) -> Any:
        """Ids may be written as texts."""
        return str(shown)

    def same(self, wanted: Any, shown: Any) -> bool:
        return str(wanted) == str(shown)

    def arguments(self) -> dict[str, dict[str, Any]]:
        reapply = {self.reapply: {"type": "bool", "default": False}} if self.reapply else {}
        return {self.name_option: self.type.argument(), self.name: {"type": "int"}, **reapply}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        del values
        wanted = self._read_one(given, path)
        if given.get(self.reapply):
            wanted = (wanted or WantedReference(self, (*path, self.name), self.reapply))._replace(reapply=True)
        if wanted is not None:
            references.append(wanted)

    def _read_one(self, given: Mapping[str, Any], path: Path) -> WantedReference | None:
        """The object that one of the two options names."""
        if self.name_option not in given and self.name not in given:
            return None
        named_by, by_id = (".".join((*path, name)) for name in self.options)
        path = (*path, self.name)
        if self.name_option in given:
            if self.name in given:
                raise OptionError(named_by, f"excludes {by_id}; give one of the two.")
            if given[self.name_option] == "" and self.empty_is_zero:
                return WantedReference(self, path, named_by, id=0)
            return WantedReference(self, path, named_by, name=parsed(self.type, named_by, given[self.name_option]))
        least = 0 if self.empty_is_zero else 1
        try:
            return WantedReference(self, path, by_id, id=Integer(least).parse(given[self.name]))
        except ValueError:
            raise OptionError(
                by_id, f"{given[self.name]!r} is not the id of a {self.noun}; it must be a whole number from {least}."
            ) from None

    def compare(self, wanted: Lead, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        reference, target = wanted
        shown = self.shown(holder)
        if self.change is not Change.FREE:
            if self.is_another(target, shown):
                named = reference.given
                if reference.name is not None and target.id is not None:
                    named = f"{reference.name} (id {target.id})"
                there, wants = target.instead or (f"{self.noun} id {shown}", named)
                difference.refuse(reference.option, wants, there)
            return
        before = None if shown is NOT_SHOWN else shown
        if before is None and self.alike is not None and target.object is not None:
            is_same = self.alike(difference.current, target.object)
        else:
            is_same = self._is_at(target, 0 if before is None and self.empty_is_zero else shown)
        path, given = (*path, self.name), reference.given
        if is_same and reference.reapply and self._is_outdated(target, difference):
            given = before if given is None else given
            difference.record(path, target.id, f"{given} (as it was)", False, (reference.shown_path, given))
            return
        if not reference.is_given:
            return
        if reference.name is not None:
            before = given if is_same else target.before or (f"id {before}" if before is not None else None)
        difference.record(path, target.id, before, is_same, (reference.shown_path, given))

    def _is_outdated(self, target: Resolved, difference: Difference) -> bool:
        """Whether the object has something else than it would get from the one that it refers to."""
        if self.alike is None or target.object is None:
            return False
        if not self.telling <= difference.current.keys():
            difference.warnings.append(
                f"{self.reapply}: the panel does not show what the {difference.object} got from its {self.noun}, so whether that "
                "is up to date cannot be told, and it was not assigned again."
            )
            return False
        return not self.alike(difference.current, target.object)

    def is_another(self, target: Resolved, shown: Any) -> bool:
        """Whether the panel shows that an object refers to another one."""
        return shown is not NOT_SHOWN and not self._is_at(target, shown)

    def _is_at(self, target: Resolved, shown: Any) -> bool:
        return target.id is not None and self.same(target.id, shown)

    def refuse_another(self, wanted: Lead, difference: Difference) -> None:
        """Raises Conflict where an object that shall go is somebody else's, or elsewhere, than the task says."""
        reference, target = wanted
        shown = self.shown(difference.current)
        if not self.tells_which or not self.is_another(target, shown):
            return
        there, wants = target.instead or (f"the {self.noun} with id {shown}", f"{self.noun} {reference.given}")
        raise Conflict(
            f"{reference.option}: the {difference.object} belongs to {there}, the task says {wants}. It was not deleted. "
            "Correct the task. Nothing was written.",
            option=reference.option,
        )

    def value_of(self, shown: Mapping[str, Any], name_of: NameOf) -> str | None:
        is_empty = self.empty_is_zero and self.name in shown and shown[self.name] in (None, 0, "0")
        return "" if is_empty else name_of(self, shown)

    def label(self, shown: Mapping[str, Any], name_of: NameOf) -> str:
        current = shown.get(self.name)
        return name_of(self, shown) or (f"id {current}" if current else "")

    def exported(self, shown: Mapping[str, Any], said: Said, prefix: str = "") -> Any:
        current, value = shown.get(self.name), self.value_of(shown, said.name_of)
        if value is not None:
            return value
        # An object that is made again may take it over from another one that its item names.
        is_inherited = said.values.get(self.inherit)
        is_shown = current not in (None, "")
        if (self.required and not is_inherited) or (is_shown and self.change is not Change.FREE):
            raise CannotBeNamed(self.why_unnamed(shown))
        if is_shown and str(current) != "0":
            said.leave_out(
                prefix + self.option, f"the {self.noun} with this id is not on the panel, or cannot be named"
            )
        return None

    def why_unnamed(self, _shown: Mapping[str, Any]) -> str:
        return f"the {self.noun} that it belongs to is not on the panel, or cannot be named"

    def hidden(self, label: str) -> Conflict:
        """The error for an object that would be written without what the panel did not show."""
        return Conflict(
            f"{self.option}: the panel does not show the id that {self.name} of the {label} has to be, or "
            f"shows something else there. Give {self.name} itself. Nothing was written.",
            option=self.option,
        )

    def sent(self, wanted: Lead) -> Any:
        return wanted.target.id

    def is_repeatable(self, shown: Any) -> bool:
        # It may show something else than an id.
        return shown is None or read_id(shown, least=0) is not None


class WantedReference(NamedTuple):
    """Another object that an option names. Exactly one of ``name`` and ``id`` is set; ``path`` leads to the member in the body.

    ``reapply``: whether it is referred to again where the two are not alike; then neither may be set, for the one that it is already.
    """

    row: Reference
    path: Path
    option: str
    name: str | None = None
    id: int | None = None
    reapply: bool = False

    @property
    def is_given(self) -> bool:
        return self.given is not None

    @property
    def given(self) -> Any:
        return self.name if self.name is not None else self.id

    @property
    def shown_path(self) -> Path:
        """Where a diff shows it: at the option that names it."""
        return tuple((self.option if self.is_given else self.row.name).split("."))


class Lead(NamedTuple):
    """What an option names, and the object that it leads to."""

    reference: WantedReference
    target: Resolved
