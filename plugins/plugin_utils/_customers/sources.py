# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers from a YAML file, a folder of them or a table, with every mistake by file and line. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from .._folder.yaml_file import YamlFile, read_yaml
from . import table
from .customers import in_words, mistakes_in_form, mistakes_in_options, username_of

COLUMNS = (
    "client", "email", "hosting_plan", "domain", "mailboxes", "company", "first_name", "last_name", "language",
)  # fmt: skip
_CONTACT = ("company", "first_name", "last_name")
_YAML = (".yml", ".yaml")
_FORM = "must be a list of customers, each a dictionary with a client."
_FORM_IN_FOLDER = "must be one customer, a dictionary with a client. Each file of a directory holds one."
# What a file of passwords holds, which may lie below the customers.
_PASSWORDS = "generated_passwords"


class Customers:
    """found: the customers of all sources. mistakes: sentences that start with the file and line."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self.mistakes: list[str] = []

    def wrong(self, place: str, sentence: str) -> None:
        self.mistakes.append(f"{place}: {sentence}")

    def add(self, customer: Any, file: YamlFile, start: tuple[Any, ...] = ()) -> None:
        """start: where in the file the customer is."""
        self.found.append(customer)
        username = username_of(customer)
        whose = f" ({username})" if username else ""
        before = len(self.mistakes)
        for path, sentence in mistakes_in_form(customer):
            option = f"{in_words(path)}: " if path else ""
            self.wrong(f"{file.place((*start, *path))}{whose}", f"{option}{sentence}")
        if len(self.mistakes) == before:
            for path, named, sentence in mistakes_in_options(customer):
                self.mistakes.append(f"{file.place((*start, *path))}{whose}: {named} {sentence}")

    def add_file(self, file: YamlFile, form: str) -> None:
        """A dictionary is one customer, a list has several. form: what the file must be."""
        content: Any = file.content
        start: tuple[Any, ...] = ()
        self.mistakes += file.mistakes
        if isinstance(content, dict) and "sites" in content and form == _FORM:
            for name in content.keys() - {"sites"}:
                self.wrong(file.place((name,)), f"{name}: there is no such field beside sites.")
            content, start = content["sites"], ("sites",)
        if isinstance(content, list) and content and form == _FORM:
            for number, customer in enumerate(content):
                self.add(customer, file, (*start, number))
        elif isinstance(content, dict) and ("client" in content or form != _FORM) and content and not start:
            self.add(content, file)
        elif not file.mistakes:
            self.wrong(file.place(()), form if content else "there is no customer in it.")


def read_customers(source: str, vault: VaultLib) -> Customers:
    """The customers of one source; never raises."""
    customers = Customers()
    path = Path(source)
    if path.is_dir():
        _add_folder(customers, path, vault)
    elif path.suffix.lower() in table.SUFFIXES:
        _add_table(customers, path, vault)
    elif path.suffix.lower() in _YAML:
        customers.add_file(read_yaml(path, source, vault), _FORM)
    else:
        problem = "the name of the file must end with .yml, .yaml, .csv or .tsv."
        customers.wrong(source, problem if path.exists() else "No such file or directory.")
    return customers


def _add_folder(customers: Customers, folder: Path, vault: VaultLib) -> None:
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in _YAML and path.is_file()]
    paths = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    if not paths:
        customers.wrong(str(folder), "no file in it ends with .yml or .yaml.")
    for path in paths:
        file = read_yaml(path, str(path), vault)
        if not (isinstance(file.content, dict) and _PASSWORDS in file.content and "client" not in file.content):
            customers.add_file(file, _FORM_IN_FOLDER)


def _add_table(customers: Customers, path: Path, vault: VaultLib) -> None:
    name, before = str(path), len(customers.mistakes)
    read = table.read_table(path, name, vault)
    customers.mistakes += read.mistakes
    unknown = [column for column in read.columns if column and column not in COLUMNS]
    if unknown:
        customers.wrong(name, f"unknown columns: {', '.join(unknown)}. The columns are {', '.join(COLUMNS)}.")
    if read.columns and "client" not in read.columns:
        customers.wrong(name, "there is no column client, for the username.")
    elif not read.rows and not read.mistakes:
        customers.wrong(name, "there is no customer in it.")
    for row in read.rows if len(customers.mistakes) == before + len(read.mistakes) else ():
        if wrong := _mistake_in_row(row.cells):
            whose = f" ({row.cells['client']})" if "client" in row.cells else ""
            customers.wrong(f"{name}: line {row.line}{whose}", wrong)
        else:
            customers.add(_customer_of(row.cells), YamlFile(name, line=row.line))


def _mistake_in_row(cells: Mapping[str, str]) -> str:
    mailboxes = cells.get("mailboxes", "")
    if "client" not in cells:
        return "client is empty. Put the username of the client there."
    if "" in cells:
        return "there is a cell in a column without a name."
    if "," in mailboxes or ";" in mailboxes:
        return "mailboxes: separate them by blanks."
    if "domain" not in cells and any("@" not in one for one in mailboxes.split()):
        return "mailboxes: give whole addresses, since the row has no domain."
    return ""


def _customer_of(cells: Mapping[str, str]) -> dict[str, Any]:
    client: dict[str, Any] = {"username": cells["client"]}
    client.update({column: cells[column] for column in ("email", "language") if column in cells})
    contact = {column: cells[column] for column in _CONTACT if column in cells}
    customer: dict[str, Any] = {"client": {**client, **({"contact_data": contact} if contact else {})}}
    domain = cells.get("domain", "")
    if "hosting_plan" in cells:
        customer["hosting_plan"] = cells["hosting_plan"]
    if domain:
        customer["domains"] = [{"domain": domain}]
    mailboxes = cells.get("mailboxes", "").split()
    if mailboxes:
        customer["emails"] = [{"email": one if "@" in one else f"{one}@{domain}"} for one in mailboxes]
    return customer
