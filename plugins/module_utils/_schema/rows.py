# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a table that are more than one field: references to other objects, and groups of fields. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

from .._errors import OptionError
from .._values.value_types import Integer, ValueType, contains, parsed
from .fields import Change, Difference, Field, Leaves, Path, Row

OWNER = "id_user"  # the member that says to which client an object belongs
NOT_SHOWN = object()


@dataclass(frozen=True)
class Reference(Field):
    """A pair of options for another object: ``option`` takes its name, ``name`` (the API's own) its id.

    ``collection`` is the other kind's path, ``type`` parses its name. ``empty_is_zero``: an empty name means none, which the API
    writes as 0. ``inherit``: the reference, or the option of a need, to the object whose own one a new object takes where this is omitted.
    ``copies``: pairs of members of the referenced object and of this one, which gets them from it: they tell whether the two belong
    together where the object does not show the id. ``reapply``: the option that refers to the same one again where they differ.
    """

    option: str = ""
    collection: str = ""
    noun: str = ""
    empty_is_zero: bool = False
    inherit: str = ""
    copies: tuple[tuple[str, str], ...] = ()
    reapply: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        return (self.option, self.name)

    @property
    def tells_which(self) -> bool:
        return self.change is Change.IDENTITY or self.name == OWNER

    @property
    def telling(self) -> frozenset[str]:
        return frozenset(own for _other, own in self.copies)

    @property
    def features(self) -> frozenset[str]:
        """The members of the referenced object that tell it where its id is not shown."""
        return frozenset(other for other, _own in self.copies)

    def is_told_by(self, shown: Set[str]) -> bool:
        return super().is_told_by(shown) or (bool(self.copies) and self.telling <= shown)

    def alike(self, holder: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether an object has what it gets from the other one."""
        pairs = [(holder.get(own), other[name]) for name, own in self.copies if name in other]
        return bool(pairs) and all(contains(has, wanted) for has, wanted in pairs)

    def shown(self, holder: Mapping[str, Any]) -> Any:
        shown = holder.get(self.name, NOT_SHOWN)
        return 0 if shown is None and self.empty_is_zero else shown

    def comparable(self, shown: Any) -> str:
        return "0" if shown is None and self.empty_is_zero else str(shown)

    def same(self, wanted: Any, shown: Any) -> bool:
        return wanted is not None and str(wanted) == self.comparable(shown)

    def arguments(self) -> dict[str, dict[str, Any]]:
        reapply = {self.reapply: {"type": "bool", "default": False}} if self.reapply else {}
        return {self.option: self.type.argument(), self.name: {"type": "int"}, **reapply}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        del values
        named_by, by_id = ".".join((*path, self.option)), ".".join((*path, self.name))
        name, identifier, reapply = given.get(self.option), given.get(self.name), bool(given.get(self.reapply))
        if name is not None and identifier is not None:
            raise OptionError(named_by, f"excludes {by_id}; give one of the two.")
        if name == "" and self.empty_is_zero:
            name, identifier = None, 0
        elif name is not None:
            name = parsed(self.type, named_by, name)
        elif identifier is not None:
            named_by, identifier = by_id, parsed(Integer(0 if self.empty_is_zero else 1), by_id, identifier)
        elif reapply:
            named_by = self.reapply
        else:
            return
        references.append(WantedReference(self, (*path, self.name), named_by, name, identifier, reapply))

    def compare(self, wanted: WantedReference, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        if self.change is not Change.FREE:
            self.refuse_another(wanted, holder, difference)
            return
        given, before = wanted.given, self.shown(holder)
        before = None if before is NOT_SHOWN else before
        is_same, is_outdated = self.same(wanted.leads_to, before), False
        if wanted.target is not None and self.copies and before is None:
            is_same = self._has_features(wanted, wanted.target, difference)
        elif wanted.target is not None and is_same and wanted.reapply:
            is_outdated = not self._has_features(wanted, wanted.target, difference)
        path = (*path, self.name)
        if is_outdated:
            given = before if given is None else given
            difference.record(path, wanted.leads_to, f"{given} (as it was)", False, (wanted.shown_path, given))
        elif wanted.is_given:
            if wanted.name is not None:
                before = given if is_same else wanted.before or (f"id {before}" if before is not None else None)
            difference.record(path, wanted.leads_to, before, is_same, (wanted.shown_path, given))

    def _has_features(self, wanted: WantedReference, other: Mapping[str, Any], difference: Difference) -> bool:
        """Whether the object has, as far as the panel shows it, what it gets from the other one; warns where not all is shown."""
        current = difference.current
        if current.get(self.name, NOT_SHOWN) is None:
            return self.alike(current, other)
        shown = {name: other[name] for name, own in self.copies if own in current and name in other}
        if shown and not self.alike(current, shown):
            return False
        if not self.telling <= current.keys():
            unseen = f"which {self.noun} the {difference.object} has, or all that it got from it"
            given = wanted.given or f"the {self.noun}"
            difference.warnings.append(f"The panel does not show {unseen}, so {given} was not assigned.")
        return True

    def refuse_another(self, wanted: WantedReference, holder: Mapping[str, Any], difference: Difference) -> None:
        """Raises Conflict where an object is somebody else's, or elsewhere, than the task says."""
        shown = self.shown(holder)
        if shown is not NOT_SHOWN and not self.same(wanted.leads_to, shown):
            difference.refuse(wanted.option, self.words(wanted.id, wanted.name), self.words(shown, wanted.before))

    def words(self, identifier: Any, name: Any = None) -> str:
        """What has this id, in the words of a message."""
        if str(identifier) == "0":
            return "the server itself" if self.name == OWNER else f"no {self.noun}"
        return f"the {self.noun} {name}" if name else f"the {self.noun} with id {identifier}"


def reference_to(option: str, value_type: ValueType, collection: str = "", **further: Any) -> Reference:
    """The options OPTION and id_OPTION. collection: its path and noun, where they are not those of the option."""
    noun = collection or option.replace("_", " ")
    path = f"/{noun.replace(' ', '-')}s"
    return Reference(name=f"id_{option}", type=value_type, option=option, collection=path, noun=noun, **further)


class WantedReference(NamedTuple):
    """Another object that an option names. At most one of ``name`` and ``id`` is set; ``path`` leads to the member in the body.

    ``reapply``: whether it is referred to again where the two are not alike; then neither may be set, for the one that it is already.
    Once that is known: ``leads_to``, the id of the object, which is a planned one where it does not exist yet; ``target``, the object, where
    it was read; ``before``, the name of the one that is referred to now.
    """

    row: Reference
    path: Path
    option: str
    name: str | None = None
    id: int | None = None
    reapply: bool = False
    leads_to: Any = None
    target: Mapping[str, Any] | None = None
    before: Any = None

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

    def leaves(self) -> Leaves:
        for member in self.members:
            yield (self.name, member.name), member

    def arguments(self) -> dict[str, dict[str, Any]]:
        members = {option: argument for member in self.members for option, argument in member.arguments().items()}
        members.update({name: {"type": "raw"} for name in self.shown})
        exclusive = [list(member.options) for member in self.members if len(member.options) > 1]
        limits = {"mutually_exclusive": exclusive} if exclusive else {}
        return {self.name: {"type": "dict", "options": members, **limits}}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        value = given.get(self.name)
        if not isinstance(value, dict):
            raise OptionError(self.name, "must be a dictionary of its fields.")
        members = {name: member for name, member in value.items() if member is not None and name not in self.shown}
        if not members:
            if not value.keys().isdisjoint(self.shown):
                return
            if not self.clearable:
                raise OptionError(self.name, "an empty dictionary would change nothing; list the fields to change.")
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
            if name in current and name not in changed and not member.secret:
                changed[name] = current[name] if member.counts({**current, **changed}) else None

    def _switch_off_alternatives(
        self, wanted: Mapping[str, Any], current: Mapping[str, Any], changed: dict[str, Any], difference: Difference
    ) -> None:
        """Sends the others as off beside the one that the task wants: a panel that merges would keep them, and may refuse two."""
        values = [(wanted[name], off) for name, off in self.alternatives if name in wanted]
        if all((value.given if isinstance(value, WantedReference) else value) == off for value, off in values):
            return
        for name, off in self.alternatives:
            if name not in wanted:
                if str(current.get(name) or off) != str(off):
                    difference.record((self.name, name), off, current[name])
                changed[name] = off

    def lacking(self, body: Mapping[str, Any], prefix: str = "") -> list[str]:
        if self.name not in body:
            return super().lacking(body, prefix)
        prefix = f"{prefix}{self.name}."
        return [option for member in self.members for option in member.lacking(body[self.name], prefix)]


AnyRow = Union[Field, Group]
