# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers from a YAML file, a folder of them or a table, with every mistake by file and line. Private to the collection.

A table is CSV or TSV in UTF-8, as spreadsheets save it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from .._folder.yaml_file import NotRead, YamlFile, read_text, read_yaml
from .customers import in_words, mistakes_in_form, mistakes_in_options, username_of

COLUMNS = (
    "client", "email", "hosting_plan", "domain", "mailboxes", "company", "first_name", "last_name", "language",
)  # fmt: skip
_CONTACT = ("company", "first_name", "last_name")
_YAML, _TABLES = (".yml", ".yaml"), (".csv", ".tsv")
_DELIMITERS = ";,\t"
_QUOTES = "a quote is not closed, or a text goes on behind one. Write a quote within quotes twice."
# What a file of passwords holds, which may lie below the customers.
_PASSWORDS = "generated_passwords"


class Customers(NamedTuple):
    """found: the customers of a source. mistakes: sentences that start with the file and line."""

    found: list[Any]
    mistakes: list[str]


class Row(NamedTuple):
    """cells: by column, without empty ones and without blanks around them."""

    line: int
    cells: dict[str, str]


class Table(NamedTuple):
    """columns: in lower case and with underscores. mistakes: sentences that start with the file and line."""

    columns: list[str]
    rows: list[Row]
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
        customers.mistakes.append(f"{source}: the name of the file must end with .yml, .yaml, .csv or .tsv.")
    return customers


def _add(customers: Customers, customer: Any, file: YamlFile, start: tuple[Any, ...] = ()) -> None:
    """start: where in the file the customer is."""
    customers.found.append(customer)
    username = username_of(customer)
    whose = f" ({username})" if username else ""
    found = [(path, f"{in_words(path)}: {sentence}") for path, sentence in mistakes_in_form(customer)]
    for path, sentence in found or mistakes_in_options(customer):
        place = f"{file.place((*start, *path))}{whose}"
        customers.mistakes.append(f"{place}: {sentence.removeprefix(': ')}")


def _add_file(customers: Customers, file: YamlFile) -> None:
    """A dictionary is one customer, unless it has a list of them in sites."""
    content: Any = file.content
    start: tuple[Any, ...] = ()
    customers.mistakes.extend(file.mistakes)
    if isinstance(content, dict) and "sites" in content:
        content, start = content["sites"], ("sites",)
    if isinstance(content, dict) and content:
        _add(customers, content, file, start)
    elif isinstance(content, list) and content:
        for number, customer in enumerate(content):
            _add(customers, customer, file, (*start, number))
    elif not file.mistakes:
        sentence = (
            "must be a list of customers, each a dictionary with a client."
            if content
            else "there is no customer in it."
        )
        customers.mistakes.append(f"{file.place(())}: {sentence}")


def _add_table(customers: Customers, name: str, table: Table) -> None:
    customers.mistakes.extend(table.mistakes)
    unknown = [column for column in table.columns if column and column not in COLUMNS]
    if unknown:
        customers.mistakes.append(
            f"{name}: unknown columns: {', '.join(unknown)}. The columns are {', '.join(COLUMNS)}."
        )
    elif table.columns and "client" not in table.columns:
        customers.mistakes.append(f"{name}: there is no column client, for the username.")
    elif not table.rows and not table.mistakes:
        customers.mistakes.append(f"{name}: there is no customer in it.")
    else:
        for line, cells in table.rows:
            if "" in cells:
                customers.mistakes.append(f"{name}: line {line}: there is a cell in a column without a name.")
            _add(customers, _customer_of(cells), YamlFile(name, line=line))


def _customer_of(cells: Mapping[str, str]) -> dict[str, Any]:
    client: dict[str, Any] = {"username": cells.get("client", "")}
    client.update({column: cells[column] for column in ("email", "language") if column in cells})
    contact = {column: cells[column] for column in _CONTACT if column in cells}
    customer: dict[str, Any] = {"client": {**client, **({"contact_data": contact} if contact else {})}}
    domain, mailboxes = cells.get("domain", ""), cells.get("mailboxes", "").split()
    if "hosting_plan" in cells:
        customer["hosting_plan"] = cells["hosting_plan"]
    if domain:
        customer["domains"] = [{"domain": domain}]
    if mailboxes:
        customer["emails"] = [{"email": one if "@" in one else f"{one}@{domain}"} for one in mailboxes]
    return customer


def read_table(path: Path, name: str, vault: VaultLib) -> Table:
    """The rows with all mistakes in their form; never raises. name: of the file in messages."""
    table = Table([], [], [])
    line = 1
    try:
        text = read_text(path, vault)[0]
        header = text.lstrip("\r\n ").partition("\n")[0]
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=header.count), strict=True)
        for cells in reader:
            _add_row(table, name, line, [cell.strip() for cell in cells])
            line = reader.line_num + 1
    except NotRead as error:
        place = f"{name}: line {error.line}" if error.line else name
        table.mistakes.append(f"{place}: {error}")
    except csv.Error:
        table.mistakes.append(f"{name}: line {line}: {_QUOTES}")
    if not table.columns and not table.mistakes:
        table.mistakes.append(f"{name}: the file is empty. Its first line names the columns.")
    return table


def _add_row(table: Table, name: str, line: int, cells: list[str]) -> None:
    while cells and not cells[-1]:
        cells.pop()
    if cells and not table.columns:
        table.columns.extend(re.sub(r"[\s_-]+", "_", cell.casefold()) for cell in cells)
        twice = {column for column in table.columns if column and table.columns.count(column) > 1}
        table.mistakes.extend(f"{name}: line {line}: column {one} is there twice." for one in twice)
    elif len(cells) > len(table.columns):
        sentence = "more cells than the first line has. Put a text with a separator in quotes."
        table.mistakes.append(f"{name}: line {line}: {sentence}")
    elif cells:
        table.rows.append(Row(line, {column: cell for column, cell in zip(table.columns, cells) if cell}))
