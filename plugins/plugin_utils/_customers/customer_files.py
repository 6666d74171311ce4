# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads customers from files: directories of YAML, and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._problems import Problem, abbreviate, format_path
from ...module_utils._secrets.redaction import Secrets
from ...module_utils._values.unsendable import describe_unsendable
from ...module_utils._values.value_types import quote_value
from .._folder.written_texts import read_texts_as_written
from .._folder.yaml_file import YamlFile, describe_mistake_in_file, read_yaml
from .._run.controller_files import describe_missing_path, describe_unusable_path, expand_path
from .customer_tables import Table, describe_mistake_in_line, describe_unknown_columns, read_table
from .customers import (
    LISTS,
    Mistake,
    OptionPath,
    find_mistakes_in_form,
    find_mistakes_in_options,
    find_username,
    make_secrets_of_customer,
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


class Customers(NamedTuple):
    """The customers of a source.

    Attributes:
        customers: As they were read.
        mistakes: Everything that is wrong, each with its file and line.
    """

    customers: list[Any]
    mistakes: list[Problem]


def read_customers(source: str, vault: VaultLib, option: str = "") -> Customers:
    """Read the customers of a file or of a directory; never raises.

    Args:
        source: The path, as messages name it.
        vault: Decrypts what is encrypted.
        option: What set the path, for a message about a path where nothing is.
    """
    result = Customers([], [])
    path = Path(expand_path(source))
    reason = describe_unusable_path(path)
    missing = describe_missing_path(source, option)
    if reason:
        result.mistakes.append(Problem(cause=f"{reason}."))
    elif missing:
        result.mistakes.append(Problem(cause=missing))
    elif path.is_dir():
        _add_directory(result, path, source, vault)
    else:
        _add_file_by_suffix(result, path, source, vault)
    return result


def read_customers_of_paths(paths: Iterable[str], vault: VaultLib, option: str = "") -> Customers:
    """Read the customers of several files and directories, in their order; never raises.

    Args:
        paths: As messages name them.
        vault: Decrypts what is encrypted.
        option: What set the paths, for a message about one where nothing is.
    """
    result = Customers([], [])
    for path in paths:
        reading = read_customers(path, vault, option)
        result.customers.extend(reading.customers)
        result.mistakes.extend(reading.mistakes)
    return result


def _add_directory(result: Customers, directory: Path, name: str, vault: VaultLib) -> None:
    """Add what the files below a directory hold. name: what messages call the directory."""
    paths = [path for path in sorted(directory.rglob("*")) if _is_visible_yaml(path, directory)]
    if not paths:
        result.mistakes.append(
            describe_mistake_in_file(name, "no file in it ends with .yml or .yaml.")
        )
    for path in paths:
        file = read_yaml(path, str(path), vault)
        is_of_passwords = isinstance(file.content, dict) and _PASSWORDS in file.content
        if not is_of_passwords:
            _add_file(result, file)


def _add_file_by_suffix(result: Customers, path: Path, name: str, vault: VaultLib) -> None:
    """Add what a file holds. name: what messages call the file."""
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        _add_table(result, name, read_table(path, name, vault))
        return
    if suffix in _YAML:
        _add_file(result, read_yaml(path, name, vault))
        return

    sentence = "the name of the file must end with .yml, .yaml, .csv or .tsv."
    result.mistakes.append(describe_mistake_in_file(name, sentence))


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

    username = find_username(customer)
    owner = f" ({username})" if username else ""
    mistakes = _describe_mistakes(customer, misread)
    secrets = make_secrets_of_customer(customer) if mistakes else Secrets()
    for path, sentence in mistakes:
        # A name may be a secret too.
        subject = f"{file.locate((*start, *path))}{secrets.mask(owner)}"
        result.mistakes.append(describe_mistake_in_file(subject, secrets.mask(sentence)))


def _describe_mistakes(customer: Any, misread: Iterable[Mistake]) -> list[Mistake]:
    """Return the mistakes in the form of a customer, or in its options where its form is right."""
    in_form = [*misread, *find_mistakes_in_form(customer)]
    if in_form:
        return [(path, _name_field(path, sentence)) for path, sentence in in_form]

    in_options = []
    for mistake in find_mistakes_in_options(customer):
        sentence = f"{mistake.item} {mistake.option}: {mistake.problem}"
        in_options.append((mistake.path, sentence))
    return in_options


def _name_field(path: OptionPath, sentence: str) -> str:
    """Return a sentence after the field that it is about; of the customer itself as it is."""
    return f"{format_path(path)}: {sentence}" if path else sentence


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

    def read_list(self, plural: str, items: Iterable[Any]) -> list[Any]:
        """Return the objects of a list of the customer."""
        return [self.read_item(plural, item, (plural, number)) for number, item in enumerate(items)]

    def read_item(self, plural: str, item: Any, path: OptionPath) -> Any:
        """Return the options of an object. path: where in the customer it is."""
        if not isinstance(item, dict):
            return item
        texts, mistakes = read_texts_as_written(self._file, plural, item, (*self._start, *path))
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
        result.mistakes.append(describe_mistake_in_file(file.locate(()), sentence))


def _refuse_fields_beside_sites(result: Customers, file: YamlFile) -> None:
    """Add a mistake for each field of a file beside the list of customers."""
    for name in file.content.keys() - {"sites"}:
        sentence = f"{name}: there is no such field beside sites."
        result.mistakes.append(describe_mistake_in_file(file.locate((name,)), sentence))


def _add_table(result: Customers, name: str, table: Table) -> None:
    """Add the customers of a table. name: what messages call its file."""
    mistakes = list(table.mistakes)
    problem = _find_problem_of_table(table)
    if problem:
        mistakes.append(describe_mistake_in_line(name, table.header_line, problem))
    else:
        first_lines: dict[tuple[str, str], int] = {}
        for line, cells in table.rows:
            customer, problems = _read_row(cells)
            result.customers.append(customer)
            names = _list_names(customer)
            problems += _find_repeated_names(names, first_lines)
            for column, written_name in names:
                first_lines.setdefault((column, written_name.lower()), line)
            username = find_username(customer)
            mistakes += [
                describe_mistake_in_line(name, line, problem, username) for problem in problems
            ]
    mistakes.sort(key=lambda mistake: (mistake.line, mistake.problem.cause))
    result.mistakes.extend(mistake.problem for mistake in mistakes)


def _find_problem_of_table(table: Table) -> str:
    """Return why no row of a table is read; empty if they are."""
    unknown = describe_unknown_columns(table.columns, COLUMNS)
    if unknown:
        return unknown
    if table.columns and "client" not in table.columns:
        return "there is no column client, for the username."
    if not table.rows and not table.mistakes:
        return "there is no customer below the columns."
    return ""


def _read_row(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the customer of a row, and what is wrong with it.

    A mistake names its column, since the reader sees no other name.
    """
    customer, problems = _read_customer(cells)
    if find_username(customer):
        for mistake in find_mistakes_in_options(customer):
            column = _find_column(mistake.path) or mistake.option
            problems.append(f"{column}: {mistake.problem}")
    return customer, problems


def _list_names(customer: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the names of a row that no other row may have, each behind its column."""
    names = [("client", customer["client"]["username"])]
    names += [("domain", domain["domain"]) for domain in customer.get("domains", ())]
    names += [("mailboxes", mailbox["email"]) for mailbox in customer.get("emails", ())]
    return [(column, name) for column, name in names if name]


def _find_repeated_names(
    names: Iterable[tuple[str, str]], first_lines: Mapping[tuple[str, str], int]
) -> Iterator[str]:
    """Yield a problem for each name of a row that an earlier row has.

    Args:
        names: Those of the row, each behind its column.
        first_lines: By column and name in lower case the first line that has it.
    """
    for column, written_name in names:
        first_line = first_lines.get((column, written_name.lower()))
        if first_line is not None:
            yield f"{column}: line {first_line} has {written_name} too. Keep one of them."


def _find_column(path: OptionPath) -> str:
    """Return the column that an option of a customer comes from."""
    if path[0] == "domains":
        return "domain"
    if path[0] == "emails":
        return "mailboxes"
    if path == ("client", "username"):
        return "client"
    steps = [str(step) for step in path if step in COLUMNS]
    return steps[-1] if steps else ""


def _read_customer(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the customer of a row, and what no option of it would tell."""
    mistakes: list[str] = []
    for column, cell in cells.items():
        if unsendable := describe_unsendable(cell):
            mistakes.append(f"{column}: {unsendable}.")
    if "" in cells:
        mistakes.append("there is a cell in a column without a name.")
    if "client" not in cells:
        mistakes.append("client: the cell is empty; it needs the username of the customer.")
    elif _NO_USERNAME.search(cells["client"]):
        cell = quote_value(cells["client"])
        mistakes.append(f"client: {cell} can be no username. Write it without quotes and signs.")

    customer: dict[str, Any] = {"client": _read_client(cells)}
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


def _read_client(cells: Mapping[str, str]) -> dict[str, Any]:
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
