# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers from files: one of YAML, a folder of them, or a table of a spreadsheet, with every mistake in them. Private to the collection."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._task.mistakes import Mistake, first_of
from .._files.folder_files import SUFFIXES, FolderError, files_of
from .._files.table_text import TOO_MANY_CELLS, Row, TableError, read_table
from .._files.yaml_text import YamlText, read_yaml
from .._jobs.mistyped_names import nearest
from .._jobs.plan_words import cut
from .._jobs.vaulted import hold, in_vaulted_file
from .origins import InTable, InVariable, InYaml, Origin

COLUMNS = (
    "client", "email", "hosting_plan", "domain", "mailboxes", "company", "first_name", "last_name", "language",
)  # fmt: skip
_CONTACT = ("company", "first_name", "last_name")
_TABLES = (".csv", ".tsv")
_MOST_NAMED = 10
_LONGEST_NAME = 60
_SHAPE = "must hold a list of customers, each a dictionary with a client."
_SHAPE_IN_FOLDER = "must hold one customer, a dictionary with a client; a file of a folder has one each."


@dataclass
class Found:
    """sites: as the variable of the role has them. origins: where each of them is from. mistakes: a sentence each. warnings: the same."""

    sites: list[Any] = field(default_factory=list, repr=False)
    origins: list[Origin] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, site: Any, origin: Origin) -> None:
        self.sites.append(site)
        self.origins.append(origin)


def customers_from(
    sites: Sequence[Any] | None, source: str | None, vault: VaultLib, credentials_dir: str | None = None
) -> Found:
    """The customers of a variable and of what ``source`` names. credentials_dir: a folder whose files are none of customers."""
    found = Found()
    for index, site in enumerate(sites or ()):
        found.add(site, InVariable(index))
    if source is None:
        if sites is None:
            found.mistakes.append("sites, sites_from: name one of them.")
        return found
    path = Path(source)
    if path.is_dir():
        _add_folder(found, path, vault, credentials_dir)
    elif path.suffix.lower() in _TABLES:
        _add_table(found, path, vault)
    elif path.suffix.lower() in SUFFIXES:
        _add_yaml(found, path, vault)
    elif os.path.lexists(path):
        found.mistakes.append(f"{path}: the name of a file has to end with .yml, .yaml, .csv or .tsv.")
    else:
        found.mistakes.append(f"{path}: there is no such file or folder.")
    return found


# YAML


def _add_yaml(found: Found, path: Path, vault: VaultLib) -> None:
    name = str(path)
    read = read_yaml(path, name, vault)
    found.mistakes += read.mistakes
    root: tuple[Any, ...] = ()
    content = read.content
    if isinstance(content, dict) and "sites" in content:
        content, root = content["sites"], ("sites",)
        others = [str(member) for member in read.content if member != "sites"]
        found.mistakes += [
            Mistake(InYaml(name, (member,), read.places).at(), f"{member}: there is no such member beside sites.", ": ")
            for member in others
        ]
    if isinstance(content, list) and content:
        for number, site in enumerate(content):
            found.add(site, InYaml(name, (*root, number), read.places))
    elif isinstance(content, dict) and "client" in content and not root:
        found.add(content, InYaml(name, (), read.places))
    elif not read.mistakes:
        found.mistakes.append(_without_customers(name, read, content, _SHAPE))


def _add_folder(found: Found, folder: Path, vault: VaultLib, credentials_dir: str | None) -> None:
    passwords = None if credentials_dir is None else Path(os.path.realpath(credentials_dir))
    if passwords == Path(os.path.realpath(folder)):
        found.mistakes.append(
            f"{folder}: this is also the folder of the files of passwords (sites_credentials_dir), which have the names of clients too. "
            "Give the passwords a folder of their own."
        )
        return
    try:
        files = files_of(folder, _files_below(passwords, folder))
    except FolderError as error:
        found.mistakes.append(str(error).removesuffix(" Nothing was written."))
        return
    if files.passed_over:
        shown = first_of(files.passed_over, _MOST_NAMED)
        found.warnings.append(
            f"These files of {folder} were passed over, and customers in them are not known: {shown}."
        )
    for path in files.read:
        read = read_yaml(path, str(path), vault)
        found.mistakes += read.mistakes
        if isinstance(read.content, dict) and read.content:
            found.add(read.content, InYaml(str(path), (), read.places))
        elif not read.mistakes:
            found.mistakes.append(_without_customers(str(path), read, read.content, _SHAPE_IN_FOLDER))


def _files_below(passwords: Path | None, folder: Path) -> list[Path]:
    """The files of passwords among the customers. Where it is the other way round, the customers are no passwords."""
    if passwords is None or Path(os.path.realpath(folder)) not in passwords.parents:
        return []
    return [path for path in passwords.rglob("*") if path.is_file()]


def _without_customers(name: str, read: YamlText, content: Any, shape: str) -> str:
    if content is None or content in ([], {}):
        return Mistake(name, "the file has no customer in it.", ": ")
    return Mistake(InYaml(name, (), read.places).at(), shape, ": ")


# Tables


def _add_table(found: Found, path: Path, vault: VaultLib) -> None:
    name = str(path)
    try:
        table = read_table(name, COLUMNS, vault)
    except TableError as error:
        found.mistakes.append(Mistake(name, str(error), ": "))
        return
    header = [re.sub(r"[\s_-]+", "_", cell.casefold()) for cell in table.header]
    if table.is_vaulted:
        # Of a file without names of columns this is a customer.
        hold(vault, (cell for cell, column in zip(table.header, header) if column not in COLUMNS))
    mistakes = list(_mistakes_in_header(table.header, header, table.rows))
    found.mistakes += [Mistake(f"{name}: line {table.line}", mistake, ", ") for mistake in mistakes]
    if mistakes:
        return
    if not table.rows:
        found.mistakes.append(Mistake(name, "the file has no customer in it.", ": "))
    for row in table.rows:
        cells = {column: cell for column, cell in zip(header, row.cells) if column and cell}
        origin = InTable(name, row.line, {(column,): column for column in COLUMNS})
        wrong = [("", TOO_MANY_CELLS)] if row.has_more_cells else list(_mistakes_in_row(cells))
        found.mistakes += [Mistake(origin.at((column,)) + _named(cells), mistake, ": ") for column, mistake in wrong]
        # The rest of a row is looked at too, so that all of its mistakes are told at once.
        right = {column: cell for column, cell in cells.items() if column not in dict(wrong)}
        if not row.has_more_cells and "client" in right:
            site, columns = _site_of(right)
            found.add(_vaulted(site, vault) if table.is_vaulted else site, InTable(name, row.line, columns))


def _vaulted(value: Any, vault: VaultLib) -> Any:
    """A customer of a table that was encrypted."""
    if isinstance(value, list):
        return [_vaulted(entry, vault) for entry in value]
    if isinstance(value, dict):
        return in_vaulted_file(vault, {name: _vaulted(member, vault) for name, member in value.items()})
    return value


def _named(cells: Mapping[str, str]) -> str:
    return f" ({cells['client']})" if "client" in cells else ""


def _mistakes_in_header(written: Sequence[str], header: Sequence[str], rows: Collection[Row]) -> Iterator[str]:
    all_of_them = f" The columns are {', '.join(COLUMNS)}."
    for number, column in enumerate(header):
        place = f"column {number + 1}"
        if not column:
            if any(len(row.cells) > number and row.cells[number] for row in rows):
                yield f"{place}: has no name, and there are cells in it."
        elif column not in COLUMNS:
            meant = nearest(column, COLUMNS)
            hint = "" if meant is None else f" Did you mean {meant}?"
            yield f"{place}: {cut(written[number], _LONGEST_NAME)}: there is no such column.{hint}{all_of_them}"
            all_of_them = ""  # once is enough, also of many columns
        elif column in header[:number]:
            yield f"{place}: {column} is there twice."
    if "client" not in header:
        yield "column 1: there has to be a column client, with the username of the client."


def _mistakes_in_row(cells: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each with its column."""
    if "client" not in cells:
        yield "client", "is empty; it has the username of the client."
    mailboxes = cells.get("mailboxes", "")
    if "," in mailboxes or ";" in mailboxes:
        yield "mailboxes", "mailboxes are separated by blanks."
    elif "domain" not in cells and (without := [one for one in mailboxes.split() if "@" not in one]):
        yield "mailboxes", f"{first_of(without, _MOST_NAMED)}: give the whole address, since the row has no domain."


def _site_of(cells: Mapping[str, str]) -> tuple[dict[str, Any], dict[tuple[Any, ...], str]]:
    """The customer of a row, and by path the column of each part. An empty cell says nothing, and is not managed."""
    site: dict[str, Any] = {"client": {"username": cells["client"]}}
    columns: dict[tuple[Any, ...], str] = {("client",): "client"}
    for column in ("email", "language"):
        if column in cells:
            site["client"][column] = cells[column]
            columns["client", column] = column
    contact = {column: cells[column] for column in _CONTACT if column in cells}
    if contact:
        site["client"]["contact_data"] = contact
        columns.update({("client", "contact_data", column): column for column in contact})
    if "hosting_plan" in cells:
        site["hosting_plan"] = cells["hosting_plan"]
        columns[("hosting_plan",)] = "hosting_plan"
    if "domain" in cells:
        site["domains"] = [{"domain": cells["domain"]}]
        columns[("domains",)] = "domain"
    addresses = list(_addresses(cells.get("mailboxes", "").split(), cells.get("domain", "")))
    if addresses:
        site["emails"] = [{"email": address} for address in addresses]
        columns[("emails",)] = "mailboxes"
    return site, columns


def _addresses(mailboxes: Iterable[str], domain: str) -> Iterator[str]:
    return (mailbox if "@" in mailbox else f"{mailbox}@{domain}" for mailbox in mailboxes)
