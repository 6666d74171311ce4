# SPDX-License-Identifier: GPL-3.0-or-later
"""What a customer may hold, and customers as resources of panel_resources."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._items.desired_items import (
    collect_secrets_of_item,
    describe_text_problem_at,
    get_item_reader,
)
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.validation import describe_unknown_name
from ...module_utils._problems import cut_name, format_path
from ...module_utils._secrets.redaction import Secrets, collect_secrets
from ...module_utils._values.near_names import SURELY_MEANT, find_like_word
from .._variables.rule import is_empty, is_text, read_switch


def _collect_owner_options() -> dict[str, tuple[str, ...]]:
    """Return the options that name the owner, for each kind that a customer has a list of."""
    options = {}
    for plural, kind in KINDS.items():
        if kind.owner is not None:
            options[plural] = kind.owner.options
        elif kind.part_of:
            options[plural] = ("client",)
    return options


# The lists of a customer, with the options of their items that name the owner.
LISTS = _collect_owner_options()
_FIELDS = ("client", "plan", "hosting_plan", *LISTS, "login_url")
# A list of customers neither deletes nor renames a client or a hosting plan.
_NOT_TAKEN = (
    ("client", "id"),
    ("client", "state"),
    ("plan", "id"),
    ("plan", "state"),
    ("plan", "new_name"),
)
# Where a customer has names that other objects of it get, each with the plural of a kind and its
# option.
_NAMES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("client", "username"), "clients", "username"),
    (("plan", "name"), "plans", "name"),
    (("hosting_plan",), "clients", "hosting_plan"),
)


OptionPath = tuple[Any, ...]
"""Where in a customer: ("emails", 0, "max_size")."""
Mistake = tuple[OptionPath, str]
"""Where in a customer, and a sentence about it."""


def find_username(customer: Any) -> str:
    """Return the username of a customer; empty if it names none."""
    if not isinstance(customer, Mapping) or not isinstance(customer.get("client"), Mapping):
        return ""
    return str(customer["client"].get("username") or "")


def _find_typed_username(customer: Any) -> str:
    """Return the username of a customer as it was typed; empty where YAML may have changed it."""
    username = find_username(customer)
    return username if username and is_text(customer["client"]["username"]) else ""


def find_near_field(name: str, fields: Iterable[str]) -> str:
    """Return the field or column that was meant; empty where none is near."""
    return find_like_word(name, list(fields), SURELY_MEANT) or ""


def find_mistakes_in_form(customer: Any, prefix: str = "") -> Iterator[Mistake]:
    """Yield what panel_resources cannot find wrong, since it never sees it, or finds wrong in each
    object of the customer.

    prefix: What the variables with the fields of the customer begin with, as of WrittenNames.
    """
    if not isinstance(customer, Mapping):
        yield (), "must be a dictionary with a client."
        return
    for name in customer:
        if name not in _FIELDS:
            near_field = find_near_field(str(name), _FIELDS)
            ending = f"there are {', '.join(_FIELDS)}."
            if near_field:
                ending = f"did you mean {near_field}?"
            yield (name,), f"there is no such field; {ending}"

    given_fields = _select_given_fields(customer)
    yield from _find_mistakes_in_dictionaries(given_fields)
    yield from _find_mistakes_in_names(given_fields)
    try:
        wants_login_url(given_fields)
    except ValueError:
        yield ("login_url",), "must be true or false."
    plans = _list_named_plans(given_fields)
    if len(plans) > 1:
        fields = " and in ".join([f"{prefix}{field}" for field in plans])
        yield (), f"the hosting plan is named in {fields}. Specify it once."
    yield from _find_mistakes_in_lists(given_fields)


def _select_given_fields(customer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a customer without those that count as not given, as the variables of
    the role site do."""
    return {name: value for name, value in customer.items() if not is_empty(value)}


def _find_mistakes_in_dictionaries(customer: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield which fields of a customer are no dictionaries, or have what is not taken."""
    if not find_username(customer):
        yield _describe_missing_name("client", "clients", "username", customer.get("client"))
    plan = customer.get("plan")
    has_name = isinstance(plan, Mapping) and plan.get("name")
    if plan is not None and not has_name:
        yield _describe_missing_name("plan", "plans", "name", plan)
    for field, option in _NOT_TAKEN:
        if isinstance(customer.get(field), Mapping) and option in customer[field]:
            yield (field, option), "is not taken here."


def _describe_missing_name(field: str, plural: str, option: str, value: Any) -> Mistake:
    """Return that an object of a customer has no name, or in which misspelt option it is.

    Args:
        field: Of the customer, which has the object.
        plural: The kind of the object.
        option: The option that names it.
        value: The object, as it was read.
    """
    options = list(get_item_reader(plural).spec)
    for name in value if isinstance(value, Mapping) else ():
        if name not in options and find_like_word(str(name), options) == option:
            return (field, str(name)), describe_unknown_name(name, options)
    return (field,), f"must be a dictionary with a {option}."


def _find_mistakes_in_names(customer: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield which names that several objects get are no texts, so that each counts once."""
    for path, plural, option in _NAMES:
        value: Any = customer
        for step in path:
            value = value.get(step) if isinstance(value, Mapping) else None
        if value is None or is_text(value):
            continue
        problem = describe_text_problem_at(plural, (option,), value)
        if problem:
            yield path, problem


def _list_named_plans(customer: Mapping[str, Any]) -> list[str]:
    """Return the fields of a customer that name a hosting plan."""
    fields = [name for name in ("plan", "hosting_plan") if customer.get(name) is not None]
    if not find_username(customer):
        return fields
    client = customer["client"]
    options = [name for name in ("hosting_plan", "id_hosting_plan") if client.get(name)]
    return [*fields, *(f"client.{option}" for option in options)]


def wants_login_url(customer: Mapping[str, Any]) -> bool:
    """Return whether a customer gets a login URL; raises ValueError for what is no switch."""
    value = customer.get("login_url")
    return False if is_empty(value) else read_switch(value)


def _find_mistakes_in_lists(customer: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield which lists of a customer are none, or have objects of other owners."""
    for kind, owner_options in LISTS.items():
        items = customer.get(kind, [])
        if isinstance(items, list) and all(isinstance(item, Mapping) for item in items):
            yield from _find_mistakes_in_owners(kind, items, owner_options, find_username(customer))
        else:
            yield (kind,), "must be a list of dictionaries."


def _find_mistakes_in_owners(
    plural: str, items: Iterable[Mapping[str, Any]], owner_options: Sequence[str], username: str
) -> Iterator[Mistake]:
    for number, item in enumerate(items):
        for option in owner_options:
            if item.get(option) not in (None, username):
                yield (plural, number, option), f"the owner is the client {username}."


def list_items(customer: Mapping[str, Any]) -> Iterator[tuple[str, OptionPath, dict[str, Any]]]:
    """Yield what panel_resources gets of a customer whose form is right.

    Of each object that is the kind, where in the customer it is from, and its options.
    """
    given_fields = _select_given_fields(customer)
    plan = given_fields.get("plan")
    client = dict(given_fields["client"])
    hosting_plan = given_fields.get("hosting_plan")
    if plan is not None:
        yield "plans", ("plan",), dict(plan)
        hosting_plan = plan["name"]
    if hosting_plan is not None:
        client["hosting_plan"] = hosting_plan
    yield "clients", ("client",), client

    for kind in LISTS:
        for number, item in enumerate(given_fields.get(kind) or ()):
            yield kind, (kind, number), {**item, "client": client["username"]}


def make_secrets_of_customer(customer: Any) -> Secrets:
    """Return what masks the secrets of a customer, also of one whose form is wrong."""
    if not isinstance(customer, Mapping):
        return Secrets(collect_secrets(customer))

    secrets = collect_secrets(dict(customer))
    for name, value in customer.items():
        kind = {"client": "clients", "plan": "plans"}.get(name, name)
        if kind in KINDS:
            secrets += collect_secrets_of_item(kind, value)
    return Secrets(secrets)


class OptionMistake(NamedTuple):
    """What is wrong with an option of a customer.

    Attributes:
        path: Where in the customer the option is.
        item: Its object, as messages name it.
        option: Its name, as messages have it.
        problem: A sentence about it.
    """

    path: OptionPath
    item: str
    option: str
    problem: str


def find_mistakes_in_options(customer: Mapping[str, Any]) -> Iterator[OptionMistake]:
    """Yield what panel_resources would find wrong in the options of each object alone."""
    for kind, path, item in list_items(customer):
        reader = get_item_reader(kind)
        for problem in reader.find_mistakes(item):
            if kind != "clients" and problem.option == "client":
                continue  # The name of the owner is told once, at the client.
            name = format_path(path)
            label = reader.format_label(item)
            if label:
                name = f"{name} ({label})"
            option_path = (*path, *problem.path)
            yield OptionMistake(option_path, name, problem.option, problem.cause)


class WrittenNames(NamedTuple):
    """Says what messages call the fields of customers.

    Attributes:
        list_variable: The variable that has the customers.
        prefix: What the variables with the fields of the only customer begin with; empty where
            they are fields of a list.
    """

    list_variable: str = "customers"
    prefix: str = ""

    def locate_option(self, index: int, username: str, path: OptionPath) -> str:
        """Return the place of an option of a customer.

        Args:
            index: The number of the customer, which names one without a username.
            username: Of the customer; empty if it names none.
            path: Where in the customer the option is; empty for the customer itself.
        """
        if self.prefix and path:
            return f"{self.prefix}{format_path(path)}"
        customer = cut_name(username) or f"{self.list_variable}[{index}]"
        return f"{customer} {format_path(path)}".strip()


_USUAL_NAMES = WrittenNames()


def build_resources(
    customers: Sequence[Any],
    password_variable: str | None,
    names: WrittenNames = _USUAL_NAMES,
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return what panel_resources takes, and all mistakes.

    Args:
        customers: As they were read.
        password_variable: Names, in a mistake, what is not set; then an object with a password
            needs one of its own.
        names: What messages call their fields.
    """
    builder = _ResourcesBuilder(password_variable, names.prefix)
    for index, customer in enumerate(customers):
        builder.add(
            customer, functools.partial(names.locate_option, index, _find_typed_username(customer))
        )
    return builder.resources, builder.mistakes


class _ResourcesBuilder:
    """Collects the objects of customers, and what is wrong with them."""

    def __init__(self, password_variable: str | None, prefix: str) -> None:
        self.resources: dict[str, list[Any]] = {}
        self.mistakes: list[str] = []
        self._password_variable = password_variable
        self._prefix = prefix
        # By name, the options of a hosting plan and the first customer that has it.
        self._plans: dict[str, tuple[Any, str]] = {}

    def add(self, customer: Any, place_of: Callable[[OptionPath], str]) -> None:
        """Add the objects of a customer, or what is wrong with it.

        Args:
            customer: As it was read.
            place_of: Returns what messages call an option of it.
        """
        number_before = len(self.mistakes)
        self._add(customer, place_of)
        new_mistakes = self.mistakes[number_before:]
        if new_mistakes:
            # A name may be a secret too.
            secrets = make_secrets_of_customer(customer)
            self.mistakes[number_before:] = [secrets.mask(mistake) for mistake in new_mistakes]

    def _add(self, customer: Any, place_of: Callable[[OptionPath], str]) -> None:
        """Add the objects of a customer, or what is wrong with it, with its secrets."""
        mistakes = list(find_mistakes_in_form(customer, self._prefix))
        for path, sentence in mistakes:
            self.mistakes.append(f"{place_of(path)}: {sentence}")
        if mistakes:
            return

        username = find_username(customer)
        for kind, path, item in list_items(customer):
            if kind == "plans":
                conflict = self._find_plan_conflict(item, username)
                if conflict:
                    self.mistakes.append(conflict)
                is_new = self._register_plan(item, username)
                if not is_new:
                    continue
            self._check_password(kind, item, f"of {cut_name(username)} in {format_path(path)}")
            self.resources.setdefault(kind, []).append(item)

    def _register_plan(self, plan: Any, username: str) -> bool:
        """Register the hosting plan of a customer, and return whether it is the first one of its
        name; only that one is registered."""
        name = str(plan["name"])
        if name in self._plans:
            return False
        self._plans[name] = (plan, username)
        return True

    def _find_plan_conflict(self, plan: Any, username: str) -> str:
        """Return what is wrong with the hosting plan of a customer, if an earlier customer has it
        with other options; else an empty text."""
        name = str(plan["name"])
        if name not in self._plans:
            return ""

        existing, first_username = self._plans[name]
        reader = get_item_reader("plans")
        if existing == plan or reader.read(existing) == reader.read(plan):
            return ""
        problem = f"has other options than in {first_username}."
        advice = "Give a hosting plan the same options everywhere."
        return f"{username} plan {plan['name']}: {problem} {advice}"

    def _check_password(self, plural: str, item: Mapping[str, Any], position: str) -> None:
        """Add a mistake for an object that needs a password. position: names one without a key."""
        if self._password_variable and KINDS[plural].password and _lacks_password(item):
            key = KINDS[plural].format_key(item) or position
            name = f"{KINDS[plural].title} {cut_name(key)}"
            self.mistakes.append(
                f"{name}: no password. Give a password, or set {self._password_variable}."
            )


def _lacks_password(item: Mapping[str, Any]) -> bool:
    """Return whether an object needs a password that it does not have."""
    if item.get("state") == "absent":
        return False
    if _regenerates_password(item):
        return True
    # An object that is named by its id is never created.
    has_id = item.get("id") is not None
    return not (has_id or item.get("password") or item.get("password_hash"))


def _regenerates_password(item: Mapping[str, Any]) -> bool:
    value = item.get("regenerate_password")
    if is_empty(value):
        return False
    try:
        return read_switch(value)
    except ValueError:
        return False  # panel_resources refuses it.
