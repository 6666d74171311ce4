# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the wanted objects of a whole panel and finds every mistake in them before anything is
sent. Private to the collection.

Ansible does not check these options: with thousands of items its own check would take longer than
everything else. The same tables and types of values do it here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import OptionError
from .._http.connection_settings import ENVIRONMENT
from .._kinds.registry import DNS, KINDS
from .._kinds.tables import DOMAIN
from .._operation.validation import misread_values, unknown
from .._problems import ItemName, Problem, option_problem
from .._schema.kind import Wanted, argument_spec, read_wanted
from .._secrets.redaction import Secrets, secrets_in
from .._values.value_types import TEXT, problem_of_text

if TYPE_CHECKING:
    from .._dns.desired_zone import DesiredZone

SINGLE_MODULE_ONLY = ("wait", "wait_timeout", "read_back", "credentials_file")
_ELSEWHERE = {
    **dict.fromkeys(ENVIRONMENT, "the connection is given once for the task, not in an item."),
    **dict.fromkeys(SINGLE_MODULE_ONLY, "is an option of the single module only."),
}
# Values of an option that are taken as they are, as most are; of a text numbers are not, whose
# digits YAML may have changed.
_PLAIN: dict[str, tuple[type, ...]] = {"str": (str, int), "bool": (bool,), "int": (int,)}


@dataclass
class Item:
    """One wanted object.

    kind: plural. index: its place in the list of its kind. key: as the user named it, its parts
        joined with a colon. options: as given.
    zone: what is wanted of a zone, of which ``wanted`` says nothing but its id.
    """

    kind: str
    index: int
    key: str
    wanted: Wanted = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    zone: DesiredZone | None = field(default=None, repr=False)

    @property
    def name(self) -> ItemName:
        """Name the item in a problem."""
        return ItemName(self.kind, self.index, self.key)

    @property
    def is_absent(self) -> bool:
        """Whether the object shall go; records of zones that shall go do not count."""
        return not self.wanted.is_present

    def secrets(self) -> list[str]:
        """Return what of its options no message shows."""
        return secrets_in(self.options, reader_of(self.kind).spec)


class Reading(NamedTuple):
    """What was read of all items: those without a mistake by plural kind, and all mistakes."""

    items: Mapping[str, list[Item]]
    mistakes: tuple[Problem, ...]


def read_items(resources: Mapping[str, Any]) -> Reading:
    """Read the items of all kinds.

    Args:
        resources: For each plural kind a list of the options of its single module.
    """
    unknown_type = f"there is no such type; the types are {', '.join(KINDS)}."
    mistakes = [option_problem(kind, unknown_type) for kind in resources if kind not in KINDS]
    items: dict[str, list[Item]] = {}
    for kind in KINDS:
        given = resources.get(kind)
        if isinstance(given, list):
            items[kind] = _read_kind(kind, given, mistakes)
        elif given is not None:
            mistakes.append(option_problem(kind, "must be a list of dictionaries."))
    return Reading(items, tuple(mistakes))


def _read_kind(kind: str, given: list[Any], mistakes: list[Problem]) -> list[Item]:
    items: list[Item] = []
    first_with_key: dict[str, int] = {}
    reader = reader_of(kind)
    for index, options in enumerate(given):
        if not isinstance(options, dict):
            cause = "must be a dictionary of options."
            mistakes.append(replace(option_problem("", cause), item=ItemName(kind, index)))
            continue
        desired, problems = reader.read(options)
        if problems:
            name = ItemName(kind, index, reader.label(options))
            mistakes += [replace(problem, item=name, follows_item=True) for problem in problems]
        key = KINDS[kind].key_of(options) if desired is None else desired.label()
        if key is None:
            continue

        first = first_with_key.setdefault(key, index)
        if first != index:
            mistakes.append(_same_object(ItemName(kind, index, key), ItemName(kind, first)))
        elif isinstance(desired, Wanted):
            items.append(Item(kind, index, key, desired, options))
        elif desired is not None:
            items.append(Item(kind, index, key, Wanted(id=desired.id), options, zone=desired))
    if kind == DOMAIN.plural:
        # A subdomain has more labels than the domain that it is in, so its parent comes first.
        items.sort(key=lambda item: item.key.count("."))
    return items


def _same_object(item: ItemName, first: ItemName) -> Problem:
    return Problem("WrongItems", cause="names the same object as", item=item, other_item=first, after_other_item=".")


class ItemReader:
    """Reads the items of a kind. spec: their options, in Ansible's words."""

    def __init__(self, kind: str) -> None:
        table = KINDS[kind]
        self._read_wanted: Callable[[Mapping[str, Any]], Any] = functools.partial(read_wanted, table)
        self.spec = argument_spec(table)
        if table.part_of:
            # Without the room of the zones, which most lists do not need, a task about 1,000
            # objects takes 6 % less.
            from .._dns.desired_zone import DNS_OPTIONS, read_desired_zone  # noqa: PLC0415

            self._read_wanted, self.spec = read_desired_zone, DNS_OPTIONS
        self._names = table.named_by
        self._known = {name: self.spec[name] for name in sorted(self.spec) if name not in SINGLE_MODULE_ONLY}
        self._plain = {
            name: (str,) if one.get("no_log") or one.get(TEXT) else _PLAIN.get(one["type"], ())
            for name, one in self._known.items()
        }

    def label(self, options: Mapping[str, Any]) -> str:
        """Return what the options name the object by, its parts joined with a colon."""
        return ":".join([str(options[name]) for name in self._names if options.get(name) not in (None, "")])

    def read(self, options: Mapping[str, Any]) -> tuple[Any, list[Problem]]:
        """Return the wanted object or zone, None where anything is wrong with it, and every mistake
        in its options.
        """
        wanted: Any = None
        problems: list[Problem] = []
        for name, value in options.items():
            plain = self._plain.get(name, ())
            if not isinstance(value, plain) or isinstance(value, bool) != (bool in plain):
                problems += self._misread(options)
                break
        try:
            wanted = self._read_wanted(options)
        except OptionError as error:
            refused = [problem.option for problem in problems]
            # Of a value of another type nothing more is told, nor of a list beside its entries.
            for problem in error.problems:
                if not any(_is_about(option, problem.option) for option in refused):
                    problems.append(problem)
        if not problems:
            return wanted, []
        return None, self._masked(problems, options)

    def mistakes(self, options: Mapping[str, Any]) -> list[Problem]:
        """Return every mistake in the options of an object that is still to be made, which has
        nothing unusual that could stay.
        """
        wanted, problems = self.read(options)
        if wanted is None:
            return problems
        return self._masked(wanted.unusual_problems(), options)

    def _masked(self, problems: Iterable[Problem], options: Mapping[str, Any]) -> list[Problem]:
        secrets = Secrets(secrets_in(options, self._known))
        return [replace(problem, cause=secrets.masked(problem.cause)) for problem in problems]

    def _misread(self, options: Mapping[str, Any]) -> Iterator[Problem]:
        for name, value in options.items():
            if name not in self._known and value is not None:
                yield option_problem(str(name), _ELSEWHERE.get(name) or unknown(name, self._known))
        yield from misread_values(options, self._known)


reader_of = functools.cache(ItemReader)


def problem_of_text_at(kind: str, path: Iterable[Any], value: Any, written: str = "") -> str:
    """Says why an option that takes texts alone does not take a value; empty where it does, or
    takes more.

    Args:
        kind: The plural of the kind that has the option.
        path: Leads to the option or into it, such as ("contact_data", "zip") or ("records", 0,
            "value").
        value: The value, as YAML read it.
        written: The value as a file has it, where that is known.
    """
    options: Mapping[str, Any] = reader_of(kind).spec
    names = tuple(step for step in path if isinstance(step, str))
    if kind == DNS and len(names) > 1:
        from .._dns.record_options import TEXT_FIELDS  # noqa: PLC0415 - it is there, since the reader needs it

        return problem_of_text(value, written=written) if names in TEXT_FIELDS else ""

    rules: Mapping[str, Any] = {}
    for name in names:
        rules = options.get(name) or {}
        options = rules.get("options") or {}
    if not rules.get(TEXT) and not rules.get("no_log"):
        return ""
    return problem_of_text(value, bool(rules.get("no_log")), written)


def path_of(option: str) -> tuple[str | int, ...]:
    """The steps to an option that a mistake names, such as records[0].value."""
    words = re.findall(r"[^.\[\]]+", option)
    return tuple(int(word) if word.isdecimal() else word for word in words)


def _is_about(option: str, other: str) -> bool:
    return option == other or option.startswith(f"{other}[")
