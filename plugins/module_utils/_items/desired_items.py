# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the desired objects of a whole panel and finds every mistake in them before anything is
sent.

Ansible does not check these options: with thousands of items its own check would take longer than
everything else. The same tables and types of values do it here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import OptionError
from .._http.connection_settings import ENVIRONMENT
from .._kinds.registry import DNS, KINDS
from .._kinds.tables import DOMAIN
from .._operation.validation import describe_unknown_name, find_misread_values
from .._problems import (
    ItemName,
    OptionPath,
    OtherItem,
    Problem,
    ProblemForm,
    describe_option_problem,
)
from .._schema.desired_object import DesiredObject, build_argument_spec, read_desired
from .._schema.password_options import REGENERATE, DesiredPassword
from .._secrets.redaction import Secrets, collect_secrets
from .._values.option_marks import is_text_only
from .._values.value_types import describe_text_problem

if TYPE_CHECKING:
    from .._dns.desired_zone import DesiredZone

SINGLE_MODULE_ONLY = ("wait", "wait_timeout", "read_back", "credentials_file")
_ELSEWHERE = {
    **dict.fromkeys(ENVIRONMENT, "the connection is given once for the task, not in an item."),
    **dict.fromkeys(SINGLE_MODULE_ONLY, "is an option of the single module only."),
}
# The option, the plural of the kind and the position.
_STEPS_TO_ITEM = 3
# Values of an option that are taken as they are, as most are; of a text numbers are not, whose
# digits YAML may have changed.
_PLAIN_TYPES: dict[str, tuple[type, ...]] = {"str": (str, int), "bool": (bool,), "int": (int,)}


Options = Mapping[str, Any]


@dataclass
class Item:
    """Has what is desired of one object.

    plural: That of its kind.
    index: Its position in the list of its kind.
    key: Its natural key as the user wrote it, the parts joined with a colon.
    desired: What is desired of the object; of a zone it says nothing but the id.
    options: The options as the user wrote them.
    zone: What is desired of a zone.
    """

    plural: str
    index: int
    key: str
    desired: DesiredObject = field(repr=False)
    options: Options = field(default_factory=dict, repr=False)
    zone: DesiredZone | None = field(default=None, repr=False)

    @property
    def name(self) -> ItemName:
        """Name the item in a problem."""
        return ItemName(self.plural, self.index, self.key, owner=_find_owner(self.options))

    @property
    def is_absent(self) -> bool:
        """Tell whether the object shall go; records of zones that shall go do not count."""
        return not self.desired.is_present

    def with_password(self, password: str, is_always_set: bool) -> Item:
        """Return the item with a password that the panel need not make.

        Args:
            password: The password.
            is_always_set: Whether it is set where the object exists, too.
        """
        options = {name: value for name, value in self.options.items() if name != REGENERATE}
        options["password"] = password
        options["update_password"] = "always" if is_always_set else "on_create"
        desired_password = DesiredPassword(password=password, always=is_always_set)
        desired = self.desired._replace(password=desired_password)
        return replace(self, options=options, desired=desired)

    def list_secrets(self) -> list[str]:
        """Return the values of its options that no message shows."""
        return collect_secrets_of_item(self.plural, self.options)


class ItemsRead(NamedTuple):
    """Has what was read of all items.

    items: Those without a mistake, by plural kind.
    mistakes: Everything that is wrong.
    """

    items: Mapping[str, list[Item]]
    mistakes: tuple[Problem, ...]


def read_items(resources: Options) -> ItemsRead:
    """Read the items of all kinds.

    Args:
        resources: For each plural kind a list of the options of its single module.
    """
    mistakes = [
        describe_option_problem(plural, describe_unknown_name(plural, list(KINDS), "type"))
        for plural in resources
        if plural not in KINDS
    ]
    items: dict[str, list[Item]] = {}
    for plural in KINDS:
        entries = resources.get(plural)
        if isinstance(entries, list):
            items[plural] = _read_kind(plural, entries, mistakes)
        elif entries is not None:
            mistakes.append(describe_option_problem(plural, "must be a list of dictionaries."))

    if mistakes:
        # A name may be a secret too, and nothing else masks these options.
        secrets = Secrets(collect_secrets_of_resources(resources))
        mistakes = [mistake.with_texts(secrets.mask) for mistake in mistakes]
    return ItemsRead(items, tuple(mistakes))


def _read_kind(plural: str, entries: list[Any], mistakes: list[Problem]) -> list[Item]:
    """Return the items in the list of a kind, and add the mistakes in it to the others."""
    items: list[Item] = []
    first_with_key: dict[str, int] = {}
    for index, options in enumerate(entries):
        entry = _read_entry(plural, index, options)
        mistakes += entry.mistakes
        if entry.key is None:
            continue

        first = first_with_key.setdefault(entry.key, index)
        if first != index:
            owner = _find_owner(options)
            name = ItemName(plural, index, entry.key, owner=owner)
            first_name = ItemName(plural, first, owner=_find_owner(entries[first]))
            mistakes.append(_describe_same_object(name, first_name))
        elif entry.item is not None:
            items.append(entry.item)

    if plural == DOMAIN.plural:
        # A subdomain has more labels than the domain that it is in, so its parent comes first.
        items.sort(key=lambda item: item.key.count("."))
    return items


class _Entry(NamedTuple):
    """Has what was read of one entry of a list.

    key: The natural key that its options name; None where they name none.
    item: The item; None where anything is wrong with the entry.
    mistakes: What is wrong with it.
    """

    key: str | None = None
    item: Item | None = None
    mistakes: Sequence[Problem] = ()


def _read_entry(plural: str, index: int, options: Any) -> _Entry:
    """Read an entry of the list of a kind on its own."""
    if not isinstance(options, dict):
        problem = describe_option_problem("", "must be a dictionary of options.")
        return _Entry(mistakes=[replace(problem, item=ItemName(plural, index))])

    reader = get_item_reader(plural)
    desired, problems = reader.read(options)
    if problems:
        name = ItemName(plural, index, reader.format_label(options), owner=_find_owner(options))
        mistakes = [
            replace(problem, item=name, form=ProblemForm.ITEM_MISTAKE) for problem in problems
        ]
        return _Entry(KINDS[plural].format_key(options), mistakes=mistakes)

    key: str = desired.format_label()
    if isinstance(desired, DesiredObject):
        return _Entry(key, Item(plural, index, key, desired, options))
    return _Entry(
        key, Item(plural, index, key, DesiredObject(id=desired.id), options, zone=desired)
    )


def _find_owner(options: Options) -> str:
    """Return the username of the client that an item names as its owner; empty for none."""
    return str(options.get("client") or "")


def name_item_of_problem(problem: Problem, resources: Any) -> Problem:
    """Return a problem of an option below ``resources`` as one of the item that has it.

    Args:
        problem: Its path leads there from the options of panel_resources, or elsewhere.
        resources: The value of that option, as the user wrote it.
    """
    if problem.path[:1] != ("resources",) or len(problem.path) < _STEPS_TO_ITEM:
        return problem
    _resources, plural, index, *path = problem.path
    if plural not in KINDS or not isinstance(index, int):
        return problem
    options = resources[plural][index]
    if not isinstance(options, Mapping):
        return problem
    key = get_item_reader(str(plural)).format_label(options)
    name = ItemName(str(plural), index, key, owner=_find_owner(options))
    return replace(problem, path=tuple(path), item=name)


def _describe_same_object(item: ItemName, first: ItemName) -> Problem:
    """Return the problem of an item that names the same object as an earlier one."""
    return Problem(
        cause="names the same object as",
        item=item,
        other_item=OtherItem(first),
    )


class ItemReader:
    """Reads the items of a kind.

    spec: Their options, in Ansible's words.
    """

    def __init__(self, plural: str) -> None:
        table = KINDS[plural]
        self._read_desired: Callable[[Options], Any] = functools.partial(read_desired, table)
        self.spec = build_argument_spec(table)
        if table.part_of:
            # Without the package of the zones, which most lists do not need, a task about 1,000
            # objects takes 6 % less.
            from .._dns.desired_zone import DNS_OPTIONS, read_desired_zone  # noqa: PLC0415

            self._read_desired = read_desired_zone
            self.spec = DNS_OPTIONS
        self._key_options = table.key_options
        self._item_spec = {
            name: self.spec[name] for name in sorted(self.spec) if name not in SINGLE_MODULE_ONLY
        }
        self._plain_types = {
            name: _list_plain_types(rules) for name, rules in self._item_spec.items()
        }

    def format_label(self, options: Options) -> str:
        """Return what the options name the object by, its parts joined with a colon."""
        named = [name for name in self._key_options if options.get(name) not in (None, "")]
        return ":".join([str(options[name]) for name in named])

    def read(self, options: Options) -> tuple[Any, list[Problem]]:
        """Return the desired object or zone, None where anything is wrong with it, and every
        mistake in its options.
        """
        desired: Any = None
        problems: list[Problem] = []
        if not self._has_plain_types(options):
            problems += self._find_misread_options(options)
        try:
            desired = self._read_desired(options)
        except OptionError as error:
            problems += _select_problems_of_others(error.problems, problems)

        if problems:
            return None, self._mask_problems(problems, options)
        return desired, []

    def find_mistakes(self, options: Options) -> list[Problem]:
        """Return every mistake in the options of an object that is still to be made, which has
        nothing unusual that could stay.
        """
        desired, problems = self.read(options)
        if desired is None:
            return problems
        return self._mask_problems(desired.list_unusual_problems(), options)

    def _mask_problems(self, problems: Iterable[Problem], options: Options) -> list[Problem]:
        """Return problems without the secrets that the options hold."""
        secrets = Secrets(collect_secrets(options, self._item_spec))
        return [replace(problem, cause=secrets.mask(problem.cause)) for problem in problems]

    def _has_plain_types(self, options: Options) -> bool:
        """Tell whether YAML cannot have misread any option, which is true of most items."""
        for name, value in options.items():
            types = self._plain_types.get(name, ())
            # A bool is an int too.
            if not isinstance(value, types) or isinstance(value, bool) != (bool in types):
                return False
        return True

    def _find_misread_options(self, options: Options) -> Iterator[Problem]:
        """Yield a problem for each option that the kind does not have, or that YAML misread."""
        for name, value in options.items():
            if name in self._item_spec or value is None:
                continue
            cause = _ELSEWHERE.get(name) or describe_unknown_name(name, self._item_spec)
            yield describe_option_problem(str(name), cause)
        yield from find_misread_values(options, self._item_spec)


def _list_plain_types(rules: Options) -> tuple[type, ...]:
    """Return the types of values that are taken as they are, by the rules of an option."""
    if rules.get("no_log") or is_text_only(rules):
        return (str,)
    return _PLAIN_TYPES.get(rules["type"], ())


def _select_problems_of_others(
    problems: Iterable[Problem], earlier: Iterable[Problem]
) -> list[Problem]:
    """Return the problems of options that have no earlier one.

    Of a value of another type nothing more is said, nor of a list beside its entries.
    """
    refused = {problem.path for problem in earlier}
    return [problem for problem in problems if not _is_about_any(refused, problem.path)]


get_item_reader = functools.cache(ItemReader)


def collect_secrets_of_resources(resources: Options) -> list[str]:
    """Return the values of the options of all objects that no message shows, by plural kind."""
    secrets: list[str] = []
    for plural, entries in resources.items():
        secrets += (
            collect_secrets_of_item(plural, entries)
            if plural in KINDS
            else collect_secrets(entries)
        )
    return secrets


def collect_secrets_of_item(plural: str, options: Any) -> list[str]:
    """Return the values of the options of an object, or of a list of them, that no message
    shows. plural: of its kind.
    """
    return collect_secrets(options, get_item_reader(plural).spec)


def describe_text_problem_at(
    plural: str, path: Iterable[Any], value: Any, written: str = ""
) -> str:
    """Say why an option that takes texts alone does not take a value; empty where it does, or
    takes more.

    Args:
        plural: That of the kind that has the option.
        path: Leads to the option or into it, such as ("contact_data", "zip") or ("records", 0,
            "value").
        value: The value, as YAML read it.
        written: The value as a file has it, where that is known.
    """
    options: Options = get_item_reader(plural).spec
    names = tuple(step for step in path if isinstance(step, str))
    if plural == DNS and len(names) > 1:
        from .._dns.record_options import TEXT_FIELDS  # noqa: PLC0415 - the reader needs it anyway

        if names not in TEXT_FIELDS:
            return ""
        return describe_text_problem(value, written=written)

    rules: Options = {}
    for name in names:
        rules = options.get(name) or {}
        options = rules.get("options") or {}
    if not is_text_only(rules) and not rules.get("no_log"):
        return ""
    return describe_text_problem(value, bool(rules.get("no_log")), written)


def _is_about_any(paths: Iterable[OptionPath], whole: OptionPath) -> bool:
    """Tell whether one of the paths leads to the whole option, or to an entry of it."""
    for path in paths:
        further = path[len(whole) :]
        is_in_it = path[: len(whole)] == whole
        if is_in_it and (not further or isinstance(further[0], int)):
            return True
    return False
