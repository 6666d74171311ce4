# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers: read from files, as resources of panel_resources, and what became of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._items.wanted_items import reader_of, split_option_path
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.validation import format_path
from ...module_utils._problems import abbreviate
from ...module_utils._values.value_types import shorten
from .._folder.written_texts import texts_as_written
from .._folder.yaml_file import YamlFile, read_yaml
from .._variables.rule import is_empty, read_switch
from .customer_tables import Table, TableMistake, mistake_at, read_table


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
    "client",
    "email",
    "hosting_plan",
    "domain",
    "mailboxes",
    "company",
    "first_name",
    "last_name",
    "language",
)
_CONTACT = ("company", "first_name", "last_name")
_MOST_NAMED = 5
# What a spreadsheet or its user puts around or before a username: quotes of any kind, a formula, a
# comment.
_NO_USERNAME = re.compile("[\"'`\u00b4\u00ab\u00bb\u2018-\u201f\u2039\u203a#=]")
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
    """Yield which fields of a customer do not exist, or are no dictionaries."""
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
    if not username_of(customer):
        return fields
    client = customer["client"]
    options = [name for name in ("hosting_plan", "id_hosting_plan") if client.get(name)]
    return [*fields, *(f"client.{option}" for option in options)]


def wants_login_url(customer: Mapping[str, Any]) -> bool:
    """Return whether a customer gets a login URL; raises ValueError for what is no switch."""
    value = customer.get("login_url")
    return False if is_empty(value) else read_switch(value)


def _mistakes_in_lists(customer: Mapping[str, Any]) -> Iterator[Mistake]:
    """Yield which lists of a customer are none, or have objects of other owners."""
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


def mistakes_in_options(customer: Mapping[str, Any]) -> Iterator[OptionMistake]:
    """Yield what panel_resources would find wrong in the options of each object alone."""
    for kind, path, item in items_of(customer):
        reader = reader_of(kind)
        for problem in reader.mistakes(item):
            if kind != "clients" and problem.option == "client":
                continue  # The name of the owner is told once, at the client.
            name = format_path(path)
            label = reader.label(item)
            if label:
                name = f"{name} ({label})"
            option_path = (*path, *split_option_path(problem.option))
            yield OptionMistake(option_path, name, problem.option, problem.cause)


class WrittenNames(NamedTuple):
    """Says what messages call a customer without a username.

    Attributes:
        list_variable: The variable that has the customers.
        prefix: What the variables with the fields of the only customer begin with; empty where
            they are fields of a list.
    """

    list_variable: str = "customers"
    prefix: str = ""

    def place_of(self, index: int, path: OptionPath) -> str:
        """Return the place of an option of the customer with this number."""
        if self.prefix:
            return f"{self.prefix}{format_path(path)}"
        return f"{self.list_variable}[{index}] {format_path(path)}".strip()


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
        """Add the objects of a customer, or what is wrong with it.

        Args:
            customer: As it was read.
            place_of: What messages call an option of a customer without a username.
        """
        username = username_of(customer)
        mistakes = list(mistakes_in_form(customer))
        for path, sentence in mistakes:
            title = f"{username} {format_path(path)}".strip() if username else place_of(path)
            self.mistakes.append(f"{title}: {sentence}")
        if mistakes:
            return

        for kind, path, item in items_of(customer):
            if kind == "plans" and not self._is_new_plan(item, username):
                continue
            self._check_password(kind, item, f"of {username} in {format_path(path)}")
            self.resources.setdefault(kind, []).append(item)

    def _is_new_plan(self, plan: Any, username: str) -> bool:
        """Return whether no customer before had a hosting plan.

        The same plan with other options is a mistake.
        """
        name = str(plan["name"])
        if name not in self._plans:
            self._plans[name] = (plan, username)
            return True

        existing, first_username = self._plans[name]
        reader = reader_of("plans")
        if existing != plan and reader.read(existing) != reader.read(plan):
            problem = f"has other options than in {first_username}."
            advice = "Give a hosting plan the same options everywhere."
            self.mistakes.append(f"{username} plan {plan['name']}: {problem} {advice}")
        return False

    def _check_password(self, kind: str, item: Mapping[str, Any], position: str) -> None:
        """Add a mistake for an object that needs a password. position: names one without a key."""
        if self._password_variable and KINDS[kind].password and _lacks_password(item):
            name = f"{KINDS[kind].title} {KINDS[kind].format_key(item) or position}"
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
    with_login_url = [customer for customer in customers if wants_login_url(customer)]
    return {
        "summary": plan["summary"],
        "customers": _count_outcomes(outcomes, owners, customers, credentials_file),
        "failures": _describe_failures(outcomes, owners),
        "objects": _list_objects(outcomes, items),
        "with_login_url": [username_of(customer) for customer in with_login_url],
    }


# The kind and the key of an object.
_Name = tuple[str, Any]


def _name_of(outcome: Mapping[str, Any]) -> _Name:
    return outcome["kind"], outcome["key"]


def _collect_items(customers: Iterable[Any]) -> list[tuple[_Name, Mapping[str, Any]]]:
    """Return the objects of all customers, each with its name."""
    items: list[tuple[_Name, Mapping[str, Any]]] = []
    for customer in customers:
        for kind, _path, item in items_of(customer):
            name = (kind, KINDS[kind].format_key(item))
            items.append((name, item))
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
    """Return for each customer how many of its objects were changed, failed or were skipped."""
    counts: dict[str, dict[str, int]] = {}
    for customer in customers:
        counts[username_of(customer)] = {"changed": 0, "failed": 0, "skipped": 0}
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
    """Return a line for each object that failed or was skipped."""
    failures = []
    for outcome in outcomes:
        if outcome["result"] not in ("failed", "skipped"):
            continue
        title = f"{KINDS[outcome['kind']].title} {outcome['key']}"
        owner = owners.get(_name_of(outcome))
        if owner:
            title = f"{owner}: {title}"
        failures.append(f"{outcome['result']} {title}: {outcome.get('msg', '')}")
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
        if outcome["result"] in ("failed", "skipped") or _name_of(outcome) in absent:
            continue
        identity = {"key": outcome["key"], "id": outcome.get("id")}
        objects.setdefault(outcome["kind"], []).append(identity)
    return objects


# Customers in files


class Customers(NamedTuple):
    """The customers of a source.

    Attributes:
        customers: As they were read.
        mistakes: Sentences that start with the file and line.
    """

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
    """Add what the files below a directory hold. name: what messages call the directory."""
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
    names = path.relative_to(directory).parts
    return not any(name.startswith(".") for name in names)


def _add(result: Customers, customer: Any, file: YamlFile, start: OptionPath = ()) -> None:
    """Add a customer with its mistakes. start: where in the file the customer is."""
    misread: list[Mistake] = []
    if isinstance(customer, dict):
        customer, misread = _read_texts_as_written(customer, file, start)
    result.customers.append(customer)

    username = username_of(customer)
    owner = f" ({username})" if username else ""
    for path, sentence in _describe_mistakes(customer, misread):
        file_and_line = file.place((*start, *path))
        result.mistakes.append(f"{file_and_line}{owner}: {sentence.removeprefix(': ')}")


def _describe_mistakes(customer: Any, misread: Iterable[Mistake]) -> list[Mistake]:
    """Return the mistakes in the form of a customer, or in its options where its form is right."""
    in_form = [*misread, *mistakes_in_form(customer)]
    if in_form:
        return [(path, f"{format_path(path)}: {sentence}") for path, sentence in in_form]

    in_options = []
    for mistake in mistakes_in_options(customer):
        sentence = f"{mistake.item} {mistake.option}: {mistake.problem}"
        in_options.append((mistake.path, sentence))
    return in_options


def _read_texts_as_written(
    customer: dict[str, Any], file: YamlFile, start: OptionPath
) -> tuple[dict[str, Any], list[Mistake]]:
    """Return the customer with texts as they were written, and what is wrong with them.

    Args:
        customer: As YAML has read it.
        file: Its file.
        start: Where in the file the customer is.
    """
    reader = _WrittenTexts(file, start)
    as_written = dict(customer)
    for name, kind in (("client", "clients"), ("plan", "plans")):
        if name in as_written:
            as_written[name] = reader.read_item(kind, as_written[name], (name,))
    for kind in LISTS:
        if isinstance(as_written.get(kind), list):
            as_written[kind] = reader.read_list(kind, as_written[kind])
    if "hosting_plan" in as_written:
        # It is an option of the client.
        options = {"hosting_plan": as_written["hosting_plan"]}
        as_written.update(reader.read_item("clients", options, ()))
    return as_written, reader.mistakes


class _WrittenTexts:
    """Reads the objects of a customer with texts as they were written.

    Attributes:
        mistakes: What is wrong with them.
    """

    def __init__(self, file: YamlFile, start: OptionPath) -> None:
        self.mistakes: list[Mistake] = []
        self._file = file
        self._start = start

    def read_list(self, kind: str, items: Iterable[Any]) -> list[Any]:
        """Return the objects of a list of the customer."""
        return [self.read_item(kind, item, (kind, number)) for number, item in enumerate(items)]

    def read_item(self, kind: str, item: Any, path: OptionPath) -> Any:
        """Return the options of an object. path: where in the customer it is."""
        if not isinstance(item, dict):
            return item
        texts, mistakes = texts_as_written(self._file, kind, item, (*self._start, *path))
        for option_path, sentence in mistakes:
            self.mistakes.append(((*path, *option_path), sentence))
        return texts


def _add_file(result: Customers, file: YamlFile) -> None:
    """Add what a file holds.

    That is a list of customers, one customer, or a dictionary with a list of them in sites.
    """
    result.mistakes.extend(file.mistakes)
    content: Any = file.content
    start: OptionPath = ()
    if isinstance(content, dict) and "sites" in content:
        _refuse_fields_beside_sites(result, file)
        content = content["sites"]
        start = ("sites",)

    if content and isinstance(content, dict):
        _add(result, content, file, start)
        return
    if content and isinstance(content, list):
        for number, customer in enumerate(content):
            _add(result, customer, file, (*start, number))
        return
    if not file.mistakes:
        sentence = _FORM if content else "there is no customer in it."
        result.mistakes.append(f"{file.place(())}: {sentence}")


def _refuse_fields_beside_sites(result: Customers, file: YamlFile) -> None:
    """Add a mistake for each field of a file beside the list of customers."""
    for name in file.content.keys() - {"sites"}:
        problem = "there is no such field beside sites."
        result.mistakes.append(f"{file.place((name,))}: {name}: {problem}")


def _add_table(result: Customers, name: str, table: Table) -> None:
    """Add the customers of a table. name: what messages call its file."""
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
    steps = [str(step) for step in path if step in COLUMNS]
    return steps[-1] if steps else ""


def _customer_of(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the customer of a row, and what no option of it would tell."""
    mistakes: list[str] = []
    if "" in cells:
        mistakes.append("there is a cell in a column without a name.")
    if "client" not in cells:
        mistakes.append("client: the cell is empty; it needs the username of the customer.")
    elif _NO_USERNAME.search(cells["client"]):
        cell = shorten(cells["client"])
        mistakes.append(f"client: {cell} can be no username. Write it without quotes and signs.")

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
    """Return the client of a row."""
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
