# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the wanted objects of a whole panel and finds every mistake in them before anything is sent. Private to the collection.

Ansible does not check these options: with thousands of items its own check would take longer than everything else. The same tables and types
of values do it here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import OptionError
from .._http.connection_settings import ENVIRONMENT
from .._kinds.registry import KINDS
from .._schema.kind import Wanted, argument_spec, read_wanted
from .._secrets.redaction import Secrets, secrets_in
from .._task.validation import misread_values, unknown
from .._values.value_types import Boolean, Choice, Integer, Text, ValueType, parsed

if TYPE_CHECKING:
    from .._dns.wanted_zone import WantedZone

SINGLE_MODULE_ONLY = ("wait", "wait_timeout", "read_back", "credentials_file")
_BOOLEAN, _NUMBER, _TEXT = Boolean(), Integer(least=-(2**63)), Text()
_NUMBER.form = "a whole number"  # as Ansible takes one; its bounds are checked where the option is read


@dataclass
class Item:
    """One wanted object.

    kind: plural. index: its place in the list of its kind. key: as the user named it, its parts joined with a colon. options: as given.
    zone: what is wanted of a zone, of which ``wanted`` says nothing but its id.
    """

    kind: str
    index: int
    key: str
    wanted: Wanted = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    zone: WantedZone | None = field(default=None, repr=False)

    @property
    def place(self) -> str:
        return f"{self.kind}[{self.index}] ({self.key})"

    @property
    def is_absent(self) -> bool:
        """Whether the object shall go; records of zones that shall go do not count."""
        return not self.wanted.is_present

    def secrets(self) -> list[str]:
        """What of its options no message shows."""
        return secrets_in(self.options, reader_of(self.kind).spec)

    def redacted(self, text: Any) -> Any:
        return Secrets(self.secrets()).value(text)


class Reading(NamedTuple):
    items: Mapping[str, list[Item]]
    mistakes: tuple[str, ...]


def read_items(resources: Mapping[str, Any]) -> Reading:
    """The items of all kinds; ``resources`` has for each plural kind a list of the options of its single module."""
    mistakes = [
        f"{kind}: there is no such type; the types are {', '.join(KINDS)}." for kind in resources if kind not in KINDS
    ]
    items: dict[str, list[Item]] = {}
    for kind in KINDS:
        given = resources.get(kind)
        if isinstance(given, list):
            items[kind] = _read_kind(kind, given, mistakes)
        elif given is not None:
            mistakes.append(f"{kind}: must be a list of dictionaries.")
    return Reading(items, tuple(mistakes))


def _read_kind(kind: str, given: list[Any], mistakes: list[str]) -> list[Item]:
    items: list[Item] = []
    places: dict[str, int] = {}
    reader = reader_of(kind)
    for index, options in enumerate(given):
        place = f"{kind}[{index}]"
        if not isinstance(options, dict):
            mistakes.append(f"{place}: must be a dictionary of options.")
            continue
        wanted, problems = reader.read(options)
        mistakes += [f"{place}{reader.label(options)} {problem}" for problem in problems]
        if wanted is None:
            continue
        key = wanted.label()
        first = places.setdefault(key, index)
        if first != index:
            mistakes.append(f"{place} ({key}): names the same object as {kind}[{first}].")
        elif not problems:
            zone = None if isinstance(wanted, Wanted) else wanted
            items.append(Item(kind, index, key, wanted if zone is None else Wanted(id=zone.id), options, zone))
    # A subdomain has more labels than the domain that it is in, so its parent comes first.
    return sorted(items, key=lambda item: item.key.count(".")) if kind == "domains" else items


class ItemReader:
    """Reads the items of a kind. spec: their options, in Ansible's words."""

    def __init__(self, kind: str) -> None:
        table = KINDS[kind]
        self._read_wanted: Callable[[Mapping[str, Any]], Any] = functools.partial(read_wanted, table)
        self.spec = argument_spec(table)
        if table.part_of:
            # Without the room of the zones, which most lists do not need, a task about 1,000 objects takes 6 % less.
            from .._dns.wanted_zone import DNS_OPTIONS, read_wanted_zone  # noqa: PLC0415

            self._read_wanted, self.spec = read_wanted_zone, DNS_OPTIONS
        self._names = table.named_by
        self._known = {name: self.spec[name] for name in sorted(self.spec) if name not in SINGLE_MODULE_ONLY}
        self._types = {name: _type_of(one) for name, one in self._known.items()}

    def label(self, options: Mapping[str, Any]) -> str:
        named = [str(options[name]) for name in self._names if options.get(name) not in (None, "")]
        return f" ({':'.join(named)})" if named else ""

    def read(self, options: Mapping[str, Any]) -> tuple[Any, list[str]]:
        """The wanted object or zone, as far as it can be read, and every mistake in its options: what is wrong is taken out, and the rest read."""
        problems: list[str] = []
        refused: set[str] = set()
        given = dict(options)
        for name, value in options.items():
            plain = self._types[name][1] if name in self._types else ()
            if not isinstance(value, plain) or isinstance(value, bool) != (bool in plain):
                given = self._converted(options, problems, refused)
                break
        wanted, is_named = None, True
        while wanted is None:
            try:
                wanted = self._read_wanted(given)
            except OptionError as error:  # noqa: PERF203
                option = _option_of(error)
                # What is only now missing is told already, and so is what was given up for an id that was wrong.
                is_told = option not in given and not refused.isdisjoint((option, "id"))
                problems += [] if is_told else [one.message for one in error.errors]
                if option in given:
                    refused.add(_take_out(given, error))
                elif "id" in given or set(self._names) <= given.keys():
                    break
                else:
                    # The other options are read as those of some object.
                    given["id"], is_named = 1, False
        if problems:
            secrets = Secrets(secrets_in(options, self._known))
            problems = [secrets.masked(problem) for problem in problems]
        return wanted if is_named else None, problems

    def _converted(self, options: Mapping[str, Any], problems: list[str], refused: set[str]) -> dict[str, Any]:
        """The options as Ansible makes them of what is given for a single module; adds what is wrong, and takes it out."""
        given = {name: value for name, value in options.items() if value is not None}
        problems += [self._unknown(name) for name in given if name not in self._known]
        given = {name: value for name, value in given.items() if name in self._known}
        errors = list(misread_values(options, self._known))
        refused.update(_take_out(given, error) for error in errors)
        for name, (value_type, _plain) in self._types.items():
            if value_type is not None and name in given:
                try:
                    given[name] = parsed(value_type, name, given[name], bool(self._known[name].get("no_log")))
                except OptionError as error:
                    errors.append(error)
                    refused.add(_take_out(given, error))
        problems += [error.message for error in errors]
        return given

    def _unknown(self, name: Any) -> str:
        if name in ENVIRONMENT:
            return f"{name}: the connection is given once for the task, not in an item."
        if name in SINGLE_MODULE_ONLY:
            return f"{name}: is an option of the single module only."
        return f"{name}: {unknown(name, self._known)}"


reader_of = functools.cache(ItemReader)


def _option_of(error: OptionError) -> str:
    return error.option.partition(".")[0].partition("[")[0]


def _take_out(given: dict[str, Any], error: OptionError) -> str:
    """Removes the option that is wrong, or only the wrong member of its dictionary; its name."""
    option, member = _option_of(error), error.option.partition(".")[2].partition("[")[0]
    members = given.pop(option, None)
    if isinstance(members, dict) and member in members and len(members) > 1:
        given[option] = {name: value for name, value in members.items() if name != member}
    return option


def _type_of(specification: Mapping[str, Any]) -> tuple[ValueType | None, tuple[type, ...]]:
    """What reads a plain option, None for those that their table reads; and the types of values that are taken as they are, as most are."""
    choices, is_secret, name = specification.get("choices"), specification.get("no_log"), specification["type"]
    if choices:
        return (Choice(*choices) if name == "str" else None), ()
    if name == "str":
        return (_TEXT, (str,)) if is_secret else (None, (str, int))
    return {"bool": (_BOOLEAN, (bool,)), "int": (_NUMBER, (int,))}.get(name, (None, ()))
