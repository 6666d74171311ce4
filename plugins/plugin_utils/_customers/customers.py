# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers: read from files, as resources of panel_resources, and what became of them.

Private to the collection.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._items.wanted_items import reader_of, split_option_path
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.validation import path_in_words
from ...module_utils._problems import abbreviate
from .._folder.written_texts import texts_as_written
from .._folder.yaml_file import YamlFile, read_yaml
from .._variables.rule import is_empty, read_switch
from .tables import Table, TableMistake, mistake_at, read_table


def _owner_options() -> dict[str, tuple[str, ...]]:
    """Return the options that name the owner, for each kind that a customer has a list of."""
    options = {}
    for plural, kind in KINDS.items():
        if kind.owner is not None:
            options[plural] = kind.owner.options
        elif kind.part_of:
            options[plural] = ("client",)
    return options


# The lists of a customer, with the options of their items that name the owner.
LISTS = _owner_options()
_FIELDS = ("client", "plan", "hosting_plan", *LISTS, "login_url")
# A list of customers neither deletes nor renames a client or a hosting plan.
_NOT_TAKEN = (
    ("client", "id"),
    ("client", "state"),
    ("plan", "id"),
    ("plan", "state"),
    ("plan", "new_name"),
)

COLUMNS = (
    "client", "email", "hosting_plan", "domain", "mailboxes", "company", "first_name", "last_name", "language",
)  # fmt: skip
_CONTACT = ("company", "first_name", "last_name")
_MOST_NAMED = 5
_YAML = (".yml", ".yaml")
_TABLES = (".csv", ".tsv")
_FORM = "must be a list of customers, each a dictionary with a client."
# What a file of passwords holds, which may lie below the customers.
_PASSWORDS = "generated_passwords"

OptionPath = tuple[Any, ...]
"""Where in a customer: ("emails", 0, "max_size")."""
Mistake = tuple[OptionPath, str]
"""Where in a customer, and a sentence about it."""


def username_of(customer: Any) -> str:
    """Return the username of a customer; empty if it names none."""
    if not isinstance(customer, Mapping) or not isinstance(customer.get("client"), Mapping):
        return ""
    return str(customer["client"].get("username") or "")


def mistakes_in_form(customer: Any) -> Iterator[Mistake]:
    """Yield what panel_resources cannot find wrong, since it never sees it."""
    if not isinstance(customer, Mapping):
        yield (), "must be a dictionary with a client."
        return
    yield from _mistakes_in_fields(customer)
    try:
        wants_login_url(customer)
    except ValueError:
        yield ("login_url",), "must be true or false."
    plans = _list_named_plans(customer)
    if len(plans) > 1:
        yield (), f"the hosting plan is named in {' and in '.join(plans)}. Specify it once."
    yield from _mistakes_in_lists(customer)


def _mistakes_in_fields(customer: Mapping[str, Any]) -> Iterator[Mistake]:
    for name in customer:
        if name not in _FIELDS:
            yield (name,), f"there is no such field; there are {', '.join(_FIELDS)}."
    if not username_of(customer):
        yield ("client",), "must be a dictionary with a username."
    plan = customer.get("plan")
    has_name = isinstance(plan, Mapping) and plan.get("name")
    if plan is not None and not has_name:
        yield ("plan",), "must be a dictionary with a name."
    for field, option in _NOT_TAKEN:
        if isinstance(customer.get(field), Mapping) and option in customer[field]:
            yield (field, option), "is not taken here."


def _list_named_plans(customer: Mapping[str, Any]) -> list[str]:
    """Return the fields of a customer that name a hosting plan."""
    fields = [name for name in ("plan", "hosting_plan") if customer.get(name) is not None]
    if username_of(customer):
        client = customer["client"]
        fields += [
            f"client.{name}" for name in ("hosting_plan", "id_hosting_plan") if client.get(name)
        ]
    return fields


def wants_login_url(customer: Mapping[str, Any]) -> bool:
    """Tell whether a customer gets a login URL. Raises ValueError for what is no switch."""
    value = customer.get("login_url")
    return False if is_empty(value) else read_switch(value)


def _mistakes_in_lists(customer: Mapping[str, Any]) -> Iterator[Mistake]:
    for kind, owner_options in LISTS.items():
        items = customer.get(kind) or []
        if isinstance(items, list) and all(isinstance(item, Mapping) for item in items):
            yield from _mistakes_in_owners(kind, items, owner_options, username_of(customer))
        else:
            yield (kind,), "must be a list of dictionaries."


def _mistakes_in_owners(
    kind: str, items: Iterable[Mapping[str, Any]], owner_options: Sequence[str], username: str
) -> Iterator[Mistake]:
    for number, item in enumerate(items):
        for option in owner_options:
            if item.get(option) not in (None, username):
                yield (kind, number, option), f"the owner is the client {username}."


def items_of(customer: Mapping[str, Any]) -> Iterator[tuple[str, OptionPath, dict[str, Any]]]:
    """Yield what panel_resources gets of a customer whose form is right.

    Of each object that is the kind, where in the customer it is from, and its options.
    """
    plan = customer.get("plan")
    client = dict(customer["client"])
    hosting_plan = customer.get("hosting_plan")
    if plan is not None:
        yield "plans", ("plan",), dict(plan)
        hosting_plan = plan["name"]
    if hosting_plan is not None:
        client["hosting_plan"] = hosting_plan
    yield "clients", ("client",), client

    for kind in LISTS:
        for number, item in enumerate(customer.get(kind) or ()):
            yield kind, (kind, number), {**item, "client": client["username"]}


class OptionMistake(NamedTuple):
    """What is wrong with an option of a customer.

    path: Where in the customer the option is. item: its object, as messages name it. option,
        problem: in words.
    """

    path: OptionPath
    item: str
    option: str
    problem: str


def mistakes_in_options(customer: Mapping[str, Any]) -> Iterator[OptionMistake]:
    """Yield what panel_resources would find wrong in the options of each object alone."""
    for kind, path, item in items_of(customer):
        reader = reader_of(kind)
        for problem in reader.mistakes(item):
            if kind != "clients" and problem.option == "client":
                continue  # The name of the owner is told once, at the client.
            label = reader.label(item)
            name = f"{path_in_words(path)} ({label})" if label else path_in_words(path)
            yield OptionMistake(
                (*path, *split_option_path(problem.option)), name, problem.option, problem.cause
            )


class WrittenNames(NamedTuple):
    """Says what messages call a customer without a username.

    list_variable: The variable that has the customers. prefix: What the variables with the fields
        of the only customer begin with; empty where they are fields of a list.
    """

    list_variable: str = "customers"
    prefix: str = ""

    def place_of(self, index: int, path: OptionPath) -> str:
        """Return the place of an option of the customer with this number."""
        if self.prefix:
            return f"{self.prefix}{path_in_words(path)}"
        return f"{self.list_variable}[{index}] {path_in_words(path)}".strip()


_USUAL_NAMES = WrittenNames()


def resources_of(
    customers: Sequence[Any],
    password_variable: str | None,
    names: WrittenNames = _USUAL_NAMES,
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return what panel_resources takes, and all mistakes.

    Args:
        customers: As they were read.
        password_variable: Names, in a mistake, what is not set; then an object with a password
            needs one of its own.
        names: What messages call a customer without a username.
    """
    builder = _ResourcesBuilder(password_variable)
    for index, customer in enumerate(customers):
        builder.add(customer, functools.partial(names.place_of, index))
    return builder.resources, builder.mistakes


class _ResourcesBuilder:
    """Collects the objects of customers, and what is wrong with them."""

    def __init__(self, password_variable: str | None) -> None:
        self.resources: dict[str, list[Any]] = {}
        self.mistakes: list[str] = []
        self._password_variable = password_variable
        # By name, the options of a hosting plan and the first customer that has it.
        self._plans: dict[str, tuple[Any, str]] = {}

    def add(self, customer: Any, place_of: Callable[[OptionPath], str]) -> None:
        """Add the objects of a customer. place_of: what messages call an option of one without a
        username.
        """
        username = username_of(customer)
        mistakes = list(mistakes_in_form(customer))
        for path, sentence in mistakes:
            place = f"{username} {path_in_words(path)}".strip() if username else place_of(path)
            self.mistakes.append(f"{place}: {sentence}")
        if mistakes:
            return

        for kind, path, item in items_of(customer):
            if kind == "plans" and not self._is_new_plan(item, username):
                continue
            self._check_password(kind, item, f"of {username} in {path_in_words(path)}")
            self.resources.setdefault(kind, []).append(item)

    def _is_new_plan(self, plan: Any, username: str) -> bool:
        """Tell whether no customer before had a hosting plan.

        The same plan with other options is a mistake.
        """
        name = str(plan["name"])
        if name not in self._plans:
            self._plans[name] = (plan, username)
            return True
        existing, first_username = self._plans[name]
        if existing != plan and reader_of("plans").read(existing) != reader_of("plans").read(plan):
            sentence = f"has other options than in {first_username}. Give a hosting plan the same options everywhere."
            self.mistakes.append(f"{username} plan {plan['name']}: {sentence}")
        return False

    def _check_password(self, kind: str, item: Mapping[str, Any], place: str) -> None:
        if self._password_variable and KINDS[kind].password and _lacks_password(item):
            name = f"{KINDS[kind].title} {KINDS[kind].format_key(item) or place}"
            self.mistakes.append(
                f"{name}: no password. Give a password, or set {self._password_variable}."
            )


def _lacks_password(item: Mapping[str, Any]) -> bool:
    if item.get("state") == "absent":
        return False
    # An object that is named by its id is never created.
    is_given = item.get("password") or item.get("password_hash") or item.get("id") is not None
    return _regenerates_password(item) or not is_given


def _regenerates_password(item: Mapping[str, Any]) -> bool:
    value = item.get("regenerate_password")
    if is_empty(value):
        return False
    try:
        return read_switch(value)
    except ValueError:
        return False  # panel_resources refuses it.


def result_of(
    result: Mapping[str, Any], customers: Sequence[Any], credentials_file: str
) -> dict[str, Any]:
    """Return what became of customers.

    Args:
        result: Of panel_resources.
        customers: Whom it was about.
        credentials_file: The file of their passwords, in which ``{client}`` stands for a username.
    """
    plan = result.get("plan") or {"summary": {}, "actions": ()}
    owners = {(action["kind"], action["key"]): action.get("client") for action in plan["actions"]}
    items = _collect_items(customers)
    outcomes = _sort_outcomes(result.get("results") or (), items)
    return {
        "summary": plan["summary"],
        "customers": _count_outcomes(outcomes, owners, customers, credentials_file),
        "failures": _describe_failures(outcomes, owners),
        "objects": _list_objects(outcomes, items),
        "with_login_url": [
            username_of(customer) for customer in customers if wants_login_url(customer)
        ],
    }


# The kind and the key of an object.
_Name = tuple[str, Any]


def _name_of(outcome: Mapping[str, Any]) -> _Name:
    return outcome["kind"], outcome["key"]


def _collect_items(customers: Iterable[Any]) -> list[tuple[_Name, Mapping[str, Any]]]:
    items: list[tuple[_Name, Mapping[str, Any]]] = []
    for customer in customers:
        items += [
            ((kind, KINDS[kind].format_key(item)), item) for kind, _path, item in items_of(customer)
        ]
    return items


def _sort_outcomes(
    outcomes: Iterable[Mapping[str, Any]], items: Sequence[tuple[_Name, Any]]
) -> list[Mapping[str, Any]]:
    """Return results in the order of the customers.

    A run that completes another one has done them in another order.
    """
    positions = {name: position for position, (name, _item) in enumerate(items)}
    return sorted(outcomes, key=lambda outcome: positions.get(_name_of(outcome), len(items)))


def _count_outcomes(
    outcomes: Iterable[Mapping[str, Any]],
    owners: Mapping[_Name, Any],
    customers: Iterable[Any],
    credentials_file: str,
) -> list[dict[str, Any]]:
    counts = {
        username_of(customer): {"changed": 0, "failed": 0, "skipped": 0} for customer in customers
    }
    for outcome in outcomes:
        owner = owners.get(_name_of(outcome))
        if owner in counts and outcome["result"] in counts[owner]:
            counts[owner][outcome["result"]] += 1

    described = []
    for username, count in counts.items():
        file = credentials_file.replace("{client}", username)
        described.append({"client": username, **count, "credentials_file": file})
    return described


def _describe_failures(
    outcomes: Iterable[Mapping[str, Any]], owners: Mapping[_Name, Any]
) -> list[str]:
    failures = []
    for outcome in outcomes:
        if outcome["result"] in ("failed", "skipped"):
            owner = owners.get(_name_of(outcome))
            prefix = f"{owner}: " if owner else ""
            title = f"{KINDS[outcome['kind']].title} {outcome['key']}"
            failures.append(f"{outcome['result']} {prefix}{title}: {outcome.get('msg', '')}")
    return failures


def _list_objects(
    outcomes: Iterable[Mapping[str, Any]], items: Iterable[tuple[_Name, Mapping[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the objects that the customers have now, by kind."""
    absent = set()
    for name, item in items:
        # Of a zone, only records can be absent.
        if item.get("state") == "absent" and not KINDS[name[0]].part_of:
            absent.add(name)

    objects: dict[str, list[dict[str, Any]]] = {}
    for outcome in outcomes:
        if outcome["result"] not in ("failed", "skipped") and _name_of(outcome) not in absent:
            objects.setdefault(outcome["kind"], []).append(
                {"key": outcome["key"], "id": outcome.get("id")}
            )
    return objects


# Customers in files


class Customers(NamedTuple):
    """The customers of a source. mistakes: sentences that start with the file and line."""

    customers: list[Any]
    mistakes: list[str]


def read_customers(source: str, vault: VaultLib) -> Customers:
    """Read the customers of a file or of a directory; never raises.

    Args:
        source: The path, as messages name it.
        vault: Decrypts what is encrypted.
    """
    result = Customers([], [])
    path = Path(source)
    if path.is_dir():
        _add_directory(result, path, source, vault)
    elif path.suffix.lower() in _TABLES:
        _add_table(result, source, read_table(path, source, vault))
    elif path.suffix.lower() in _YAML:
        _add_file(result, read_yaml(path, source, vault))
    elif path.exists():
        result.mistakes.append(
            f"{source}: the name of the file must end with .yml, .yaml, .csv or .tsv."
        )
    else:
        result.mistakes.append(f"{source}: No such file or directory.")
    return result


def _add_directory(result: Customers, directory: Path, name: str, vault: VaultLib) -> None:
    paths = [path for path in sorted(directory.rglob("*")) if _is_visible_yaml(path, directory)]
    if not paths:
        result.mistakes.append(f"{name}: no file in it ends with .yml or .yaml.")
    for path in paths:
        file = read_yaml(path, str(path), vault)
        is_of_passwords = isinstance(file.content, dict) and _PASSWORDS in file.content
        if not is_of_passwords:
            _add_file(result, file)


def _is_visible_yaml(path: Path, directory: Path) -> bool:
    if path.suffix.lower() not in _YAML or not path.is_file():
        return False
    return not any(part.startswith(".") for part in path.relative_to(directory).parts)


def _add(result: Customers, customer: Any, file: YamlFile, start: OptionPath = ()) -> None:
    """Add a customer with its mistakes. start: where in the file the customer is."""
    misread: list[Mistake] = []
    if isinstance(customer, dict):
        customer, misread = _read_texts_as_written(customer, file, start)
    result.customers.append(customer)

    username = username_of(customer)
    owner = f" ({username})" if username else ""
    for path, sentence in _describe_mistakes(customer, misread):
        result.mistakes.append(
            f"{file.place((*start, *path))}{owner}: {sentence.removeprefix(': ')}"
        )


def _describe_mistakes(customer: Any, misread: Iterable[Mistake]) -> list[Mistake]:
    """Return the mistakes in the form of a customer, or in its options where its form is right."""
    in_form = [*misread, *mistakes_in_form(customer)]
    if in_form:
        return [(path, f"{path_in_words(path)}: {sentence}") for path, sentence in in_form]
    in_options = mistakes_in_options(customer)
    return [
        (mistake.path, f"{mistake.item} {mistake.option}: {mistake.problem}")
        for mistake in in_options
    ]


def _read_texts_as_written(
    customer: dict[str, Any], file: YamlFile, start: OptionPath
) -> tuple[dict[str, Any], list[Mistake]]:
    """Return the customer with texts as they were written, and what is wrong with them."""
    mistakes: list[Mistake] = []

    def read_item(kind: str, item: Any, path: OptionPath) -> Any:
        if not isinstance(item, dict):
            return item
        texts, mistakes_of_item = texts_as_written(file, kind, item, (*start, *path))
        mistakes.extend(
            ((*path, *option_path), sentence) for option_path, sentence in mistakes_of_item
        )
        return texts

    as_written = dict(customer)
    for name, kind in (("client", "clients"), ("plan", "plans")):
        if name in as_written:
            as_written[name] = read_item(kind, as_written[name], (name,))
    for kind in LISTS:
        if isinstance(as_written.get(kind), list):
            as_written[kind] = [
                read_item(kind, item, (kind, number))
                for number, item in enumerate(as_written[kind])
            ]
    if "hosting_plan" in as_written:
        # It is an option of the client.
        as_written.update(read_item("clients", {"hosting_plan": as_written["hosting_plan"]}, ()))
    return as_written, mistakes


def _add_file(result: Customers, file: YamlFile) -> None:
    """Add what a file holds.

    That is a list of customers, one customer, or a dictionary with a list of them in sites.
    """
    result.mistakes.extend(file.mistakes)
    content: Any = file.content
    start: OptionPath = ()
    if isinstance(content, dict) and "sites" in content:
        for name in content.keys() - {"sites"}:
            result.mistakes.append(
                f"{file.place((name,))}: {name}: there is no such field beside sites."
            )
        content = content["sites"]
        start = ("sites",)

    if isinstance(content, dict) and content:
        _add(result, content, file, start)
    elif isinstance(content, list) and content:
        for number, customer in enumerate(content):
            _add(result, customer, file, (*start, number))
    elif not file.mistakes:
        sentence = _FORM if content else "there is no customer in it."
        result.mistakes.append(f"{file.place(())}: {sentence}")


def _add_table(result: Customers, name: str, table: Table) -> None:
    mistakes = list(table.mistakes)
    problem = _problem_of_table(table)
    if problem:
        mistakes.append(mistake_at(name, table.header_line, problem))
    else:
        for line, cells in table.rows:
            mistakes += _add_row(result, name, line, cells)
    result.mistakes.extend(mistake.sentence for mistake in sorted(mistakes))


def _problem_of_table(table: Table) -> str:
    """Return why no row of a table is read; empty if they are."""
    unknown = [column for column in table.columns if column and column not in COLUMNS]
    if unknown:
        return f"unknown columns: {', '.join(unknown)}. The columns are {', '.join(COLUMNS)}."
    if table.columns and "client" not in table.columns:
        return "there is no column client, for the username."
    if not table.rows and not table.mistakes:
        return "there is no customer below the columns."
    return ""


def _add_row(
    result: Customers, name: str, line: int, cells: Mapping[str, str]
) -> Iterator[TableMistake]:
    """Add the customer of a row.

    A mistake names its column, since the reader sees no other name.
    """
    customer, problems = _customer_of(cells)
    result.customers.append(customer)
    username = username_of(customer)
    if username:
        for mistake in mistakes_in_options(customer):
            column = _column_of(mistake.path) or mistake.option
            problems.append(f"{column}: {mistake.problem}")
    for problem in problems:
        yield mistake_at(name, line, problem, username)


def _column_of(path: OptionPath) -> str:
    """Return the column that an option of a customer comes from."""
    if path[0] == "domains":
        return "domain"
    if path[0] == "emails":
        return "mailboxes"
    if path == ("client", "username"):
        return "client"
    return next((str(step) for step in reversed(path) if step in COLUMNS), "")


def _customer_of(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the customer of a row, and what no option of it would tell."""
    mistakes: list[str] = []
    if "" in cells:
        mistakes.append("there is a cell in a column without a name.")
    if "client" not in cells:
        mistakes.append("client: the cell is empty; it needs the username of the customer.")

    customer: dict[str, Any] = {"client": _client_of(cells)}
    if "hosting_plan" in cells:
        customer["hosting_plan"] = cells["hosting_plan"]
    domain = cells.get("domain", "")
    if domain:
        customer["domains"] = [{"domain": domain}]

    addresses, incomplete = _read_mailboxes(cells.get("mailboxes", ""), domain)
    if incomplete:
        names = abbreviate(incomplete, _MOST_NAMED)
        mistakes.append(
            f"mailboxes: no domain for {names}. Fill the column domain, or write whole addresses."
        )
    if addresses:
        customer["emails"] = [{"email": address} for address in addresses]
    return customer, mistakes


def _client_of(cells: Mapping[str, str]) -> dict[str, Any]:
    client: dict[str, Any] = {"username": cells.get("client", "")}
    client.update({column: cells[column] for column in ("email", "language") if column in cells})
    contact = {column: cells[column] for column in _CONTACT if column in cells}
    if contact:
        client["contact_data"] = contact
    return client


def _read_mailboxes(cell: str, domain: str) -> tuple[list[str], list[str]]:
    """Return the addresses in a cell, and the names in it that no domain completes."""
    addresses = []
    incomplete = []
    for name in cell.split():
        if "@" in name:
            addresses.append(name)
        elif domain:
            addresses.append(f"{name}@{domain}")
        else:
            incomplete.append(name)
    return addresses, incomplete
