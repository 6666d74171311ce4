# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object needs of others: what a new one takes over from them, and why the panel would refuse it or a change. Private to the collection.

What the panel certainly refuses fails here, before the first write and in check mode too. Limits of clients, the password policy and
other settings of the panel cannot be read through the API, so what they refuse is not foreseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import Conflict, OptionError, UnknownReference
from .._kinds.owner import owner as owner_row
from .._kinds.registry import BY_PATH, TABLES
from .._schema.difference import Resolved, has
from .._schema.fields import Reference, WantedReference
from .._schema.kind import OWNER, Kind, Needed, Taken, Wanted
from .._values.json_values import read_id
from .objects import Panel

Found = Mapping[str, Any]
# Under the option's name a new object has its owner where that client is still to be created, and has no id.
_OWNER_ROW = owner_row()
OWNER_NAME = _OWNER_ROW.option


def owner_of(found: Found) -> tuple[str, str] | None:
    """Whose an object is, comparable; the owner's id, or its name where it has none yet."""
    identifier = read_id(found.get(OWNER), least=0)
    if identifier is not None:
        return OWNER, str(identifier)
    name = found.get(OWNER_NAME)
    return None if name is None else (OWNER_NAME, str(name))


ASSUMED = "Check mode assumes that an earlier task creates it; otherwise the real run fails here."


class Preconditions:
    """Looks ahead of one object. label: tells it in the words of a message. resolved: where its references lead. warnings: what is added to where
    a missing object is only warned about, since an earlier task of a run in check mode may create it; None where it is an error."""

    def __init__(
        self,
        kind: Kind,
        wanted: Wanted,
        label: str,
        panel: Panel,
        resolved: Mapping[tuple[str, ...], Resolved],
        warnings: list[str] | None = None,
    ) -> None:
        self._kind, self._wanted, self._label, self._panel = kind, wanted, label, panel
        self._resolved, self._warnings = resolved, warnings
        self._source: Found | None = None
        self._found: dict[tuple[str, str], Found | None] = {}
        self._sent: Mapping[str, Any] = {**wanted.key, **wanted.values}  # as soon as that is known, what is really sent

    def _needed(self) -> Mapping[Needed, list[str]]:
        """The names of what the sent members count on."""
        return {
            need: list(dict.fromkeys(need.names(self._sent))) for need in self._kind.needs if need.option in self._sent
        }

    # What is taken over

    def inherited(self) -> dict[str, Any]:
        """Ids that an omitted reference takes over from another object when this one is created; None where only check mode goes on."""
        inherited: dict[str, Any] = {}
        given = {reference.path for reference in self._wanted.references}
        for row in self._kind.references:
            if not row.inherit or (row.name,) in given:
                continue
            self._source = source = self._read_source(row)
            if source is not None:
                inherited[row.name] = read_id(source.get(row.name), least=0)
                if inherited[row.name] is None and source.get("id") is not None:
                    raise row.hidden(f"{self._kind.title} {self._label}")
        return inherited

    def _read_source(self, row: Reference) -> Found | None:
        """The object that an omitted reference is taken from; {} where it does not exist yet, None where there is nothing to inherit."""
        inherit = row.inherit
        for need in self._kind.needs:
            if need.option == inherit:
                # It is read, and missed, by the same rules.
                return self._there(need, *need.names(self._wanted.key))
        parent = self._resolved.get((inherit,))
        if parent is None or parent.id == 0:
            return None
        if parent.id is None:
            return parent.object or {}
        reference = next(one for one in self._wanted.references if one.path == (inherit,))
        found = self._with_id(reference) if parent.object is None else parent.object
        return found and (self._panel.whole(reference.row.collection, found, frozenset([row.name])) or found)

    def about_others(self, body: Mapping[str, Any], owner: Found) -> Iterable[str]:
        """Warnings where a new object was perhaps meant to be another one's, such as a subdomain."""
        for need, names in self._needed().items():
            there = (name for name in names if need.beside and self._is_own(self._found_or_read(need, name), owner))
            first = next(there, None)
            warning = need.beside(body, first) if need.beside and first is not None else ""
            if warning:
                yield f"{need.option}: {warning}"

    def _is_own(self, found: Found | None, owner: Found) -> bool:
        return found is not None and owner_of(found) is not None and owner_of(found) == owner_of(owner)

    # What would be refused

    def check_new(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Raises what the panel would refuse the creation with; the members that tell whose the new object is."""
        self._sent = body
        self._check_members(body, body)
        self._check_free(self._kind.takes, body)
        owner = self._owner_of_new(body)
        self._check_others(self._wanted.references, body, owner, f"{self._kind.title} {self._label}")
        return owner

    def check_change(self, current: Found, body: Mapping[str, Any], outcome: Found) -> None:
        """The same for a change of an object, of which only what is sent is looked at, so that a second run costs no request."""
        self._sent = body
        self._check_members(outcome, body)
        # What only a new object can have is not sent again.
        self._check_free([taken for taken in self._kind.takes if taken.option in body], body, current)
        sent = [reference for reference in self._wanted.references if has(body, reference.path)]
        self._check_others(sent, outcome, current, f"{self._kind.title} {current.get(self._kind.name_member)}")

    def about_copies(self, current: Found, body: Mapping[str, Any]) -> list[str]:
        """A warning where objects keep what they once got from this one, and what is changed now does not reach them."""
        rows = ((kind, row) for kind in TABLES.values() for row in kind.references if row.reapply)
        return [
            warning
            for kind, row in rows
            if row.collection == self._kind.path and {name for name, _own in row.alike_by} & body.keys()
            for warning in self._about_copies_in(kind, row, current)
        ]

    def _about_copies_in(self, kind: Kind, row: Reference, current: Found) -> Iterable[str]:
        count, is_certain = 0, True
        for other in self._panel.all_of(kind.path):
            if str(other.get(kind.name_member)) in self._panel.reapplied:
                continue
            if other.get(row.name) is not None:
                count += row.same(other[row.name], current.get("id"))
            elif row.alike is not None and row.telling <= other.keys():
                count += row.alike(other, current)
            else:
                is_certain = is_certain and row.name in other
        which = f"the {self._kind.title} {current.get(self._kind.name_member)}"
        who = f"{count} {kind.titles} have {which}, and keep"
        if not is_certain:
            who = f"{kind.titles.capitalize()} that have {which} keep"
        elif count == 1:
            who = f"1 {kind.title} has {which}, and keeps"
        if count or not is_certain:
            yield (
                f"{who} the limits that came with it before; set {row.reapply}: true for {kind.a_title} to assign it again."
            )

    def _check_members(self, members: Mapping[str, Any], sent: Mapping[str, Any]) -> None:
        for option, problem in self._kind.wrong(members) if self._kind.wrong is not None else ():
            if option.partition(".")[0] in sent:
                raise OptionError(option, f"{problem} Nothing was written.")

    def _check_others(
        self, references: Iterable[WantedReference], members: Mapping[str, Any], owner: Found, shown: str
    ) -> None:
        for reference in references:
            self._check_reference(reference, members, owner, shown)
        for need, names in self._needed().items():
            for name in names:
                found = self._found_or_read(need, name) if need.may_lack else self._there(need, name)
                if found is None or self._panel.is_going(need.collection, found):
                    continue
                self._check_owner(need.option, f"{need.noun} {name}", found, owner, shown)
                member, value, why = need.having
                if found.get(member) is value:
                    raise Conflict(
                        f"{need.option}: the {need.noun} {name} {why} Nothing was written.", option=need.option
                    )

    def _check_free(self, takes: Iterable[Taken], body: Mapping[str, Any], current: Found | None = None) -> None:
        """Raises Conflict where a name is another object's. current: the object itself, which may have it."""
        wanted = {taken: list(taken.names(body)) for taken in takes}
        for taken, name, found in self._panel.holders({taken: names for taken, names in wanted.items() if names}):
            if found is not current and not self._is_itself(found, current):
                self._refuse_taken(taken, name, found)

    def _is_itself(self, found: Found, current: Found | None) -> bool:
        return current is not None and found.get("id") is not None and found.get("id") == current.get("id")

    def _refuse_taken(self, taken: Taken, name: str, found: Found) -> None:
        if self._panel.is_going(taken.collection, found):
            return
        noun = BY_PATH[taken.collection].title
        if not taken.among or taken.type.same(name, found.get(self._kind.name_member)):
            there = f"the {noun} {name} is on this panel already"
        else:
            there = f"{name} is an alias of the {noun} {found.get(self._kind.name_member)}"
        problem = f"{taken.option}: {there}, and {taken.why}. {taken.cure} Nothing was written."
        raise Conflict(problem, option=taken.option)

    def _check_reference(
        self, reference: WantedReference, members: Mapping[str, Any], owner: Found, shown: str
    ) -> None:
        row, target = reference.row, self._resolved[reference.path]
        if target.id == 0:
            return
        found = target.object
        if found is None and reference.id is not None and not self._is_proven(reference, owner):
            found = self._with_id(reference)
        name = reference.name
        if row.fits is not None:
            name = name or str((found or {}).get(BY_PATH[row.collection].name_member, ""))
            problem = row.fits(members, name) if name else ""
            if problem:
                raise OptionError(reference.option, f"{problem} Nothing was written.")
        if row.same_owner and found is not None:
            self._check_owner(reference.option, f"{row.noun} {name or f'with id {reference.id}'}", found, owner, shown)

    def _is_proven(self, reference: WantedReference, owner: Found) -> bool:
        """Whether an owner's id need not be looked up, since something that is there belongs to it."""
        if reference.path != (OWNER,):
            return False
        others = [self._found_or_read(need, name) for need, names in self._needed().items() for name in names]
        others += [target.object for target in self._resolved.values() if target.object is not None]
        return any(other is not None and owner_of(other) == owner_of(owner) for other in others)

    def _owner_of_new(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The members of a new object that tell whose it is."""
        if body.get(OWNER) is not None:
            return {OWNER: body[OWNER]}
        named = next((one.name for one in self._wanted.references if one.path == (OWNER,)), None)
        if named is not None:
            return {OWNER_NAME: named}
        known = owner_of(self._source or {})
        return {} if known is None else dict([known])

    def _check_owner(self, option: str, what: str, found: Found, owner: Found, shown: str) -> None:
        first, second = owner_of(found), owner_of(owner)
        is_systems = first == (OWNER, "0")
        if first is None or second is None or is_systems or first == second:
            return
        names = [self._shown_owner(one) for one in (first, second)]
        raise Conflict(
            f"{option}: the {what} belongs to {names[0]}, and the {shown} to {names[1]}; the panel keeps the objects of its clients apart. "
            "Correct the task. Nothing was written.",
            option=option,
        )

    def _shown_owner(self, owner: tuple[str, str]) -> str:
        member, value = owner
        if member == OWNER_NAME:
            return f"the client {value}"
        return self._panel.shown(_OWNER_ROW, value)

    # Reading

    def _there(self, need: Needed, name: str) -> Found:
        """An object that has to be there; raises UnknownReference where there is none, or warns and gives {}."""
        found = self._found_or_read(need, name)
        if found is not None:
            return found
        problem = f"{need.option}: there is no {need.noun} {name} on this panel."
        if self._warnings is None:
            raise UnknownReference(
                f"{problem} Create it first, or correct the name. Nothing was written.", option=need.option
            )
        self._warnings.append(f"{problem} {ASSUMED}")
        return {}

    def _found_or_read(self, need: Needed, name: str) -> Found | None:
        place = (need.collection, name)
        if place not in self._found:
            names = {
                name for other, names in self._needed().items() if other.collection == need.collection for name in names
            }
            for one, found in self._panel.look_up_all(need, sorted({*names, name})).items():
                self._found[need.collection, one] = found
        return self._found[place]

    def _with_id(self, reference: WantedReference) -> Found:
        row, place = reference.row, (reference.row.collection, f"id {reference.id}")
        if place not in self._found:
            self._found[place] = self._panel.look_up(row.collection, None, reference.id)
        found = self._found[place]
        if found is None:
            raise UnknownReference(
                f"{reference.option}: there is no {row.noun} with id {reference.id} on this panel. Correct it, or give "
                f"{row.option}. Nothing was written.",
                option=reference.option,
            )
        return found
