# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a table that are more than one field: references to other objects, and groups of fields. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Union

from .._errors import Conflict, OptionError
from .._values.value_types import Integer, parsed, read_id
from .fields import Change, Difference, Field, Path, Resolved, Row

Alike = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
OWNER = "id_user"  # the member that says to which client an object belongs
NOT_SHOWN = object()


@dataclass(frozen=True)
class Reference(Field):
    """A pair of options for another object: ``option`` takes its name, ``name`` (the API's own) its id.

    ``collection`` is the other kind's path, ``type`` parses its name. ``empty_is_zero``: an empty name means none, which the API
    writes as 0. ``inherit``: the reference, or the option of a need, to the object whose own one a new object takes where this is omitted.
    ``alike``: tells from the object and the referenced one whether they belong together where the object does not
    show the id; ``alike_by``: pairs of the members of the referenced object and of this one that it looks at.
    ``reapply``: the option that refers to the same one again where they are not ``alike``.
    """

    option: str = ""
    collection: str = ""
    noun: str = ""
    empty_is_zero: bool = False
    inherit: str = ""
    alike: Alike | None = None
    alike_by: tuple[tuple[str, str], ...] = ()
    reapply: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        return (self.option, self.name)

    @property
    def tells_which(self) -> bool:
        return self.change is Change.IDENTITY or self.name == OWNER

    @property
    def telling(self) -> frozenset[str]:
        return frozenset(own for _other, own in self.alike_by)

    @property
    def features(self) -> frozenset[str]:
        """The members of the referenced object that tell it where its id is not shown."""
        return frozenset(other for other, _own in self.alike_by)

    def is_told_by(self, shown: Set[str]) -> bool:
        return super().is_told_by(shown) or (self.alike is not None and self.telling <= shown)

    def shown(self, holder: Mapping[str, Any]) -> Any:
        shown = holder.get(self.name, NOT_SHOWN)
        return 0 if shown is None and self.empty_is_zero else shown

    def typed(self, shown: Any) -> Any:
        # 0 stands for none, or for the server itself.
        identifier = read_id(shown, least=0)
        return shown if identifier is None else identifier

    def comparable(self, shown: Any) -> str:
        return "0" if shown is None and self.empty_is_zero else str(shown)

    def same(self, wanted: Any, shown: Any) -> bool:
        return wanted is not None and str(wanted) == self.comparable(shown)

    def arguments(self) -> dict[str, dict[str, Any]]:
        reapply = {self.reapply: {"type": "bool", "default": False}} if self.reapply else {}
        return {self.option: self.type.argument(), self.name: {"type": "int"}, **reapply}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        del values
        named_by, by_id = (".".join((*path, name)) for name in self.options)
        wanted = WantedReference(self, (*path, self.name), named_by, reapply=bool(given.get(self.reapply)))
        if self.option in given:
            if self.name in given:
                raise OptionError(named_by, f"excludes {by_id}; give one of the two.")
            if given[self.option] == "" and self.empty_is_zero:
                wanted = wanted._replace(id=0)
            else:
                wanted = wanted._replace(name=parsed(self.type, named_by, given[self.option]))
        elif self.name in given:
            least = 0 if self.empty_is_zero else 1
            wanted = wanted._replace(option=by_id, id=parsed(Integer(least), by_id, given[self.name]))
        elif wanted.reapply:
            wanted = wanted._replace(option=self.reapply)
        else:
            return
        references.append(wanted)

    def compare(self, wanted: Lead, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        reference, target = wanted
        shown, given = self.shown(holder), reference.given
        if self.change is not Change.FREE:
            if self.is_another(target, shown):
                named = f"{given} (id {target.id})" if reference.name is not None and target.id is not None else given
                there, wants = target.instead or (f"{self.noun} id {shown}", named)
                difference.refuse(reference.option, wants, there)
            return
        before = None if shown is NOT_SHOWN else shown
        if before is None and self.alike is not None and target.object is not None:
            is_same = self._is_alike(self.alike, given, target.object, difference)
        else:
            is_same = self.same(target.id, before if before is not None or self.empty_is_zero else NOT_SHOWN)
        path = (*path, self.name)
        if is_same and reference.reapply and self._is_outdated(target, difference):
            given = before if given is None else given
            difference.record(path, target.id, f"{given} (as it was)", False, (reference.shown_path, given))
        elif reference.is_given:
            if reference.name is not None:
                before = given if is_same else target.before or (f"id {before}" if before is not None else None)
            difference.record(path, target.id, before, is_same, (reference.shown_path, given))

    def _is_alike(self, alike: Alike, given: Any, wanted: Mapping[str, Any], difference: Difference) -> bool:
        current = difference.current
        if self.name in current or self.telling <= current.keys():
            return alike(current, wanted)
        told = {other: wanted[other] for other, own in self.alike_by if own in current and other in wanted}
        if told and not alike(current, told):
            return False
        problem = f"The panel does not show which {self.noun} the {difference.object} has, so {given} was not assigned."
        difference.warnings.append(problem)
        return True

    def _is_outdated(self, target: Resolved, difference: Difference) -> bool:
        if self.alike is None or target.object is None:
            return False
        if self.telling <= difference.current.keys():
            return not self.alike(difference.current, target.object)
        problem = f"the panel does not show what the {difference.object} got from its {self.noun}, so it was not assigned again."
        difference.warnings.append(f"{self.reapply}: {problem}")
        return False

    def is_another(self, target: Resolved, shown: Any) -> bool:
        return shown is not NOT_SHOWN and not self.same(target.id, shown)

    def refuse_another(self, wanted: Lead, difference: Difference) -> None:
        """Raises Conflict where an object that shall go is somebody else's, or elsewhere, than the task says."""
        reference, target = wanted
        shown = self.shown(difference.current)
        if not self.tells_which or not self.is_another(target, shown):
            return
        there, wants = target.instead or (f"the {self.noun} with id {shown}", f"{self.noun} {reference.given}")
        raise Conflict(
            f"{reference.option}: the {difference.object} belongs to {there}, the task says {wants}. "
            "Correct the task. Nothing was written.",
            option=reference.option,
        )

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


@dataclass(frozen=True)
class Group(Row):
    """A nested dictionary, managed member by member. ``clearable``: an empty dictionary clears all of its members.

    ``alternatives``: members of which at most one is on, each with the value that means off; switching one on switches the others off.
    ``shown``: members that the panel shows and nobody sets; they are accepted, so that what was read can be given, and ignored.
    """

    name: str
    members: tuple[Field, ...]
    clearable: bool = False
    required: bool = False
    alternatives: tuple[tuple[str, Any], ...] = ()
    shown: tuple[str, ...] = ()

    def leaves(self) -> Iterator[tuple[Path, Field]]:
        for member in self.members:
            yield (self.name, member.name), member

    def arguments(self) -> dict[str, dict[str, Any]]:
        members = {option: argument for member in self.members for option, argument in member.arguments().items()}
        members.update({name: {"type": "raw"} for name in self.shown})
        exclusive = [list(member.options) for member in self.members if len(member.options) > 1]
        limits = {"mutually_exclusive": exclusive} if exclusive else {}
        return {self.name: {"type": "dict", "options": members, **limits}}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        if self.name not in given:
            return
        value = given[self.name]
        if not isinstance(value, dict):
            raise OptionError(self.name, "must be a dictionary of its fields.")
        members = {name: member for name, member in value.items() if member is not None and name not in self.shown}
        if not members:
            if not value.keys().isdisjoint(self.shown):
                return
            if not self.clearable:
                raise OptionError(self.name, "an empty dictionary would change nothing; name the fields to change.")
            members = {member.name: "" for member in self.members}
        known = {option for member in self.members for option in member.options}
        for name in sorted(str(name) for name in members.keys() - known):
            problem = f"there is no such field; {self.name} has {', '.join(sorted(known))}."
            raise OptionError(f"{self.name}.{name}", problem)
        inner: dict[str, Any] = {}
        referring: list[WantedReference] = []
        for member in self.members:
            member.read(members, (*path, self.name), inner, referring)
        self._check_siblings(inner, referring)
        references += referring
        if inner:
            values[self.name] = inner

    def _check_siblings(self, inner: Mapping[str, Any], references: Iterable[WantedReference]) -> None:
        off = dict(self.alternatives)
        on = [f"{self.name}.{name}" for name, value_off in off.items() if inner.get(name, value_off) != value_off]
        on += [one.option for one in references if one.given != off.get(one.row.name, one.given)]
        if len(on) > 1:
            raise OptionError(on[0], f"excludes {on[1]}; give one of the two.")
        for member in self.members:
            sibling, value = member.only_with or ("", None)
            if inner.get(member.name) is not None and inner.get(sibling, value) != value:
                problem = f"counts only with {self.name}.{sibling}: {value}; omit it, or clear it."
                raise OptionError(f"{self.name}.{member.name}", problem)

    def compare(self, wanted: Mapping[str, Any], holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        path = (*path, self.name)
        current = holder.get(self.name)
        current = current if isinstance(current, dict) else {}
        for member in self.members:
            if member.name in wanted:
                member.compare(wanted[member.name], current, path, difference)
        changed = difference.body.get(self.name)
        if changed is None:
            return
        self._switch_off_alternatives(wanted, current, changed, difference)
        # Whether the panel merges or replaces a nested object is only known for some; with all members sent both do the same.
        for member in self.members:
            name = member.name
            if name in current and name not in changed and member.is_repeatable(current[name]):
                changed[name] = current[name] if member.counts({**current, **changed}) else None

    def _switch_off_alternatives(
        self, wanted: Mapping[str, Any], current: Mapping[str, Any], changed: dict[str, Any], difference: Difference
    ) -> None:
        """Sends the others as off beside the one that the task wants: a panel that merges would keep them, and may refuse two."""
        others = {name: off for name, off in self.alternatives if name not in wanted}
        values = [(wanted[name], off) for name, off in self.alternatives if name in wanted]
        if all((value.target.id if isinstance(value, Lead) else value) == off for value, off in values):
            return
        for name, off in others.items():
            if str(current.get(name) or off) != str(off):
                difference.record((self.name, name), off, current[name])
            changed[name] = off

    def lacking(self, body: Mapping[str, Any], prefix: str = "") -> list[str]:
        if self.name not in body:
            return super().lacking(body, prefix)
        prefix = f"{prefix}{self.name}."
        return [option for member in self.members for option in member.lacking(body[self.name], prefix)]


AnyRow = Union[Field, Group]
