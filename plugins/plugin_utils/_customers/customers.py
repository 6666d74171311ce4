# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers: read from files with every mistake by file and line, as resources of panel_resources, and what became of them.

Private to the collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._items.wanted_items import path_of, reader_of
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.validation import path_in_words
from ...module_utils._problems import abbreviate
from .._folder.written_texts import texts_as_written
from .._folder.yaml_file import YamlFile, read_yaml
from .._variables.rule import is_empty, read_switch
from .tables import Table, TableMistake, mistake_at, read_table

# The lists of a customer, with the options of their items that name the owner.
LISTS: dict[str, tuple[str, ...]] = {
    plural: ("client",) if kind.owner is None else kind.owner.options
    for plural, kind in KINDS.items()
    if kind.owner is not None or kind.part_of
}
_FIELDS = ("client", "plan", "hosting_plan", *LISTS, "login_url")
# A list of customers neither deletes nor renames a client or a hosting plan.
_NOT_TAKEN = (("client", "id"), ("client", "state"), ("plan", "id"), ("plan", "state"), ("plan", "new_name"))

COLUMNS = (
    "client", "email", "hosting_plan", "domain", "mailboxes", "company", "first_name", "last_name", "language",
)  # fmt: skip
_CONTACT = ("company", "first_name", "last_name")
_MOST_NAMED = 5
_YAML, _TABLES = (".yml", ".yaml"), (".csv", ".tsv")
_FORM = "must be a list of customers, each a dictionary with a client."
# What a file of passwords holds, which may lie below the customers.
_PASSWORDS = "generated_passwords"

Where = tuple[Any, ...]
Found = tuple[Where, str]
"""Where in a customer, ("emails", 0, "max_size"), and a sentence about it."""


def username_of(customer: Any) -> str:
    """Empty if the customer names none."""
    client = customer.get("client") if isinstance(customer, Mapping) else None
    return str(client.get("username") or "") if isinstance(client, Mapping) else ""


def mistakes_in_form(customer: Any) -> Iterator[Found]:
    """What panel_resources cannot find wrong, since it never sees it."""
    if not isinstance(customer, Mapping):
        yield (), "must be a dictionary with a client."
        return
    client: Any = customer.get("client")
    plan, username = customer.get("plan"), username_of(customer)
    for name in [name for name in customer if name not in _FIELDS]:
        yield (name,), f"there is no such field; there are {', '.join(_FIELDS)}."
    if not username:
        yield ("client",), "must be a dictionary with a username."
    if plan is not None and not (isinstance(plan, Mapping) and plan.get("name")):
        yield ("plan",), "must be a dictionary with a name."
    for option, name in _NOT_TAKEN:
        if isinstance(customer.get(option), Mapping) and name in customer[option]:
            yield (option, name), "is not taken here."
    named = [name for name in ("plan", "hosting_plan") if customer.get(name) is not None]
    named += [f"client.{name}" for name in ("hosting_plan", "id_hosting_plan") if username and client.get(name)]
    try:
        wants_login_url(customer)
    except ValueError:
        yield ("login_url",), "must be true or false."
    if len(named) > 1:
        yield (), f"the hosting plan is named in {' and in '.join(named)}. Specify it once."
    yield from _mistakes_in_lists(customer, username)


def wants_login_url(customer: Mapping[str, Any]) -> bool:
    """Tell whether a customer gets a login URL. Raises ValueError for what is no switch."""
    value = customer.get("login_url")
    return False if is_empty(value) else read_switch(value)


def _mistakes_in_lists(customer: Mapping[str, Any], username: str) -> Iterator[Found]:
    for kind, owner in LISTS.items():
        items = customer.get(kind) or []
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            yield (kind,), "must be a list of dictionaries."
            continue
        for number, item in enumerate(items):
            for name in owner:
                if item.get(name) not in (None, username):
                    yield (kind, number, name), f"the owner is the client {username}."


def items_of(customer: Mapping[str, Any]) -> Iterator[tuple[str, Where, dict[str, Any]]]:
    """What panel_resources gets of a customer whose form is right: the kind, where it is from, and the options."""
    plan, client = customer.get("plan"), dict(customer["client"])
    if plan is not None:
        yield "plans", ("plan",), dict(plan)
    hosting_plan = customer.get("hosting_plan") if plan is None else plan["name"]
    if hosting_plan is not None:
        client["hosting_plan"] = hosting_plan
    yield "clients", ("client",), client
    for kind in LISTS:
        for number, item in enumerate(customer.get(kind) or ()):
            yield kind, (kind, number), {**item, "client": client["username"]}


class OptionMistake(NamedTuple):
    """What is wrong with an option. where: the option in the customer. item: its object, as messages name it. option, problem: in words."""

    where: Where
    item: str
    option: str
    problem: str


def mistakes_in_options(customer: Mapping[str, Any]) -> Iterator[OptionMistake]:
    """What panel_resources would find wrong in the options of each object alone."""
    for kind, path, item in items_of(customer):
        reader = reader_of(kind)
        for problem in reader.mistakes(item):
            if kind != "clients" and problem.option == "client":
                continue  # The name of the owner is told once, at the client.
            label = reader.label(item)
            named = f"{path_in_words(path)} ({label})" if label else path_in_words(path)
            yield OptionMistake((*path, *path_of(problem.option)), named, problem.option, problem.cause)


def resources_of(customers: Sequence[Any], password_variable: str | None) -> tuple[dict[str, list[Any]], list[str]]:
    """What panel_resources takes, and all mistakes.

    password_variable: names, in the mistake, what is not set; then an object with a password needs one of its own.
    """
    resources: dict[str, list[Any]] = {}
    mistakes: list[str] = []
    plans: dict[str, tuple[Any, str]] = {}
    for index, customer in enumerate(customers):
        username = username_of(customer) or f"customers[{index}]"
        found = list(mistakes_in_form(customer))
        mistakes += [f"{f'{username} {path_in_words(path)}'.strip()}: {sentence}" for path, sentence in found]
        for kind, path, item in () if found else items_of(customer):
            if kind == "plans":
                plan, first = plans.setdefault(str(item["name"]), (item, username))
                if plan != item and reader_of(kind).read(plan) != reader_of(kind).read(item):
                    sentence = f"has other options than in {first}. Give a hosting plan the same options everywhere."
                    mistakes.append(f"{username} plan {item['name']}: {sentence}")
                if plan is not item:
                    continue
            if password_variable and KINDS[kind].password and _lacks_password(item):
                name = f"{KINDS[kind].title} {KINDS[kind].key_of(item) or f'of {username} in {path_in_words(path)}'}"
                mistakes.append(f"{name}: no password. Give a password, or set {password_variable}.")
            resources.setdefault(kind, []).append(item)
    return resources, mistakes


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


def result_of(done: Mapping[str, Any], customers: Sequence[Any], credentials_file: str) -> dict[str, Any]:
    """What became of customers, from the result of panel_resources."""
    plan = done.get("plan") or {"summary": {}, "actions": ()}
    actions = {(action["kind"], action["key"]): action for action in plan["actions"]}
    items = [((kind, KINDS[kind].key_of(item)), item) for one in customers for kind, _path, item in items_of(one)]
    # Of a zone, only records can be absent.
    absent = {name for name, item in items if item.get("state") == "absent" and not KINDS[name[0]].part_of}
    # A run that completes another one has done them in another order.
    places = {name: place for place, (name, _item) in enumerate(items)}
    done_in_order = sorted(done.get("results") or (), key=lambda one: places.get((one["kind"], one["key"]), len(items)))
    counts = {username_of(one): {"changed": 0, "failed": 0, "skipped": 0} for one in customers}
    objects: dict[str, list[dict[str, Any]]] = {}
    failures = []
    for one in done_in_order:
        action = actions.get((one["kind"], one["key"]), {})
        owner = action.get("client")
        if owner in counts and one["result"] in counts[owner]:
            counts[owner][one["result"]] += 1
        if one["result"] in ("failed", "skipped"):
            whose = f"{owner}: " if owner else ""
            failures.append(f"{one['result']} {whose}{KINDS[one['kind']].title} {one['key']}: {one.get('msg', '')}")
        elif (one["kind"], one["key"]) not in absent:
            objects.setdefault(one["kind"], []).append({"key": one["key"], "id": one.get("id")})
    return {
        "summary": plan["summary"],
        "customers": [
            {"client": name, **count, "credentials_file": credentials_file.replace("{client}", name)}
            for name, count in counts.items()
        ],
        "failures": failures,
        "objects": objects,
        "with_login_url": [username_of(one) for one in customers if wants_login_url(one)],
    }


# Customers in files


class Customers(NamedTuple):
    """found: the customers of a source. mistakes: sentences that start with the file and line."""

    found: list[Any]
    mistakes: list[str]


def read_customers(source: str, vault: VaultLib) -> Customers:
    """The customers of one source; never raises."""
    customers = Customers([], [])
    path = Path(source)
    if path.is_dir():
        below = [one for one in sorted(path.rglob("*")) if one.suffix.lower() in _YAML and one.is_file()]
        files = [one for one in below if not any(part.startswith(".") for part in one.relative_to(path).parts)]
        for file in (read_yaml(one, str(one), vault) for one in files):
            if not isinstance(file.content, dict) or _PASSWORDS not in file.content:
                _add_file(customers, file)
        if not files:
            customers.mistakes.append(f"{source}: no file in it ends with .yml or .yaml.")
    elif path.suffix.lower() in _TABLES:
        _add_table(customers, source, read_table(path, source, vault))
    elif path.suffix.lower() in _YAML:
        _add_file(customers, read_yaml(path, source, vault))
    else:
        problem = "the name of the file must end with .yml, .yaml, .csv or .tsv."
        customers.mistakes.append(f"{source}: {problem if path.exists() else 'No such file or directory.'}")
    return customers


def _add(customers: Customers, customer: Any, file: YamlFile, start: tuple[Any, ...] = ()) -> None:
    """start: where in the file the customer is."""
    misread: list[Found] = []
    if isinstance(customer, dict):
        customer, misread = _as_written(customer, file, start)
    customers.found.append(customer)
    username = username_of(customer)
    whose = f" ({username})" if username else ""
    in_form = [*misread, *mistakes_in_form(customer)]
    found = [(path, f"{path_in_words(path)}: {sentence}") for path, sentence in in_form]
    if not in_form:
        found = [(one.where, f"{one.item} {one.option}: {one.problem}") for one in mistakes_in_options(customer)]
    for path, sentence in found:
        place = f"{file.place((*start, *path))}{whose}"
        customers.mistakes.append(f"{place}: {sentence.removeprefix(': ')}")


def _as_written(customer: dict[str, Any], file: YamlFile, start: Where) -> tuple[dict[str, Any], list[Found]]:
    """The customer with the texts of its objects as they were written, and what is wrong with them."""
    misread: list[Found] = []

    def item_at(kind: str, item: Any, path: Where) -> Any:
        if not isinstance(item, dict):
            return item
        read, mistakes = texts_as_written(file, kind, item, (*start, *path))
        misread.extend(((*path, *inner), sentence) for inner, sentence in mistakes)
        return read

    read = dict(customer)
    for name, kind in (("client", "clients"), ("plan", "plans")):
        if name in read:
            read[name] = item_at(kind, read[name], (name,))
    for kind in LISTS:
        if isinstance(read.get(kind), list):
            read[kind] = [item_at(kind, item, (kind, number)) for number, item in enumerate(read[kind])]
    # It is an option of the client.
    whole = item_at("clients", {name: read[name] for name in ("hosting_plan",) if name in read}, ())
    return {**read, **whole}, misread


def _add_file(customers: Customers, file: YamlFile) -> None:
    """A dictionary is one customer, unless it has a list of them in sites."""
    content: Any = file.content
    start: tuple[Any, ...] = ()
    customers.mistakes.extend(file.mistakes)
    if isinstance(content, dict) and "sites" in content:
        for name in content.keys() - {"sites"}:
            customers.mistakes.append(f"{file.place((name,))}: {name}: there is no such field beside sites.")
        content, start = content["sites"], ("sites",)
    if isinstance(content, dict) and content:
        _add(customers, content, file, start)
    elif isinstance(content, list) and content:
        for number, customer in enumerate(content):
            _add(customers, customer, file, (*start, number))
    elif not file.mistakes:
        sentence = _FORM if content else "there is no customer in it."
        customers.mistakes.append(f"{file.place(())}: {sentence}")


def _add_table(customers: Customers, name: str, table: Table) -> None:
    mistakes = list(table.mistakes)
    unknown = [column for column in table.columns if column and column not in COLUMNS]
    if unknown:
        words = f"unknown columns: {', '.join(unknown)}. The columns are {', '.join(COLUMNS)}."
        mistakes.append(mistake_at(name, table.header_line, words))
    elif table.columns and "client" not in table.columns:
        mistakes.append(mistake_at(name, table.header_line, "there is no column client, for the username."))
    elif not table.rows and not table.mistakes:
        mistakes.append(mistake_at(name, table.header_line, "there is no customer below the columns."))
    else:
        for line, cells in table.rows:
            mistakes += _add_row(customers, name, line, cells)
    customers.mistakes.extend(mistake.sentence for mistake in sorted(mistakes))


def _add_row(customers: Customers, name: str, line: int, cells: Mapping[str, str]) -> Iterator[TableMistake]:
    """Add the customer of a row. A mistake names its column, since the reader sees no other name."""
    customer, problems = _customer_of(cells)
    customers.found.append(customer)
    username = username_of(customer)
    if username:
        options = mistakes_in_options(customer)
        problems += [f"{_column_of(one.where) or one.option}: {one.problem}" for one in options]
    for problem in problems:
        yield mistake_at(name, line, problem, username)


def _column_of(where: Where) -> str:
    """The column that an option of a customer comes from."""
    if where[0] == "domains":
        return "domain"
    if where[0] == "emails":
        return "mailboxes"
    if where == ("client", "username"):
        return "client"
    return next((str(step) for step in reversed(where) if step in COLUMNS), "")


def _customer_of(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The customer of a row, and what no option of it would tell."""
    mistakes: list[str] = []
    if "" in cells:
        mistakes.append("there is a cell in a column without a name.")
    if "client" not in cells:
        mistakes.append("client: the cell is empty; it needs the username of the customer.")

    client: dict[str, Any] = {"username": cells.get("client", "")}
    client.update({column: cells[column] for column in ("email", "language") if column in cells})
    contact = {column: cells[column] for column in _CONTACT if column in cells}
    if contact:
        client["contact_data"] = contact
    customer: dict[str, Any] = {"client": client}
    if "hosting_plan" in cells:
        customer["hosting_plan"] = cells["hosting_plan"]
    domain = cells.get("domain", "")
    if domain:
        customer["domains"] = [{"domain": domain}]

    words = cells.get("mailboxes", "").split()
    incomplete = [word for word in words if "@" not in word and not domain]
    if incomplete:
        names = abbreviate(incomplete, _MOST_NAMED)
        mistakes.append(f"mailboxes: no domain for {names}. Fill the column domain, or write whole addresses.")
    addresses = [word if "@" in word else f"{word}@{domain}" for word in words if word not in incomplete]
    if addresses:
        customer["emails"] = [{"email": address} for address in addresses]
    return customer, mistakes
