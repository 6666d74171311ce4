# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads rows of froxlor's tables one by one: a row that makes no sense never stops the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ....module_utils._values.names import encode_punycode
from ..source_rows import NoObject, try_row
from ..source_shape import Domain, FieldLeftOut, LeftOut, Origin
from ..source_tables import Row, TableForm, Tables

UNLIMITED = -1
OWN_OBJECT = "The source's panel made it for itself, and the new panel has its own."
_NO_CUSTOMER = "Its customer does not exist at the source."
_LOST_CUSTOMER = "Its customer is left out."
_LONGEST_KEY = 300
_LARGEST = 2**63
_Object = TypeVar("_Object")


@dataclass(frozen=True)
class FroxlorRow:
    """A row of a table. The value of a column that the source lacks is null."""

    form: TableForm
    values: Row

    @property
    def id(self) -> str:
        """Return what the row's key holds."""
        return self.format_label(self.form.key)

    @property
    def origin(self) -> Origin:
        """Return where the row comes from."""
        return Origin(self.form.name, self.id)

    def get_value(self, column: str) -> str:
        """Return a value as the source has it; an empty text for null."""
        return self.values.get(column) or ""

    def read_text(self, column: str) -> str:
        """Return a name, a path or an address without blanks around it.

        Raises:
            NoObject: The value holds bytes that are no text.
        """
        value = self.get_value(column).strip()
        if not _is_text(value):
            raise NoObject(f"Its {column} holds bytes that are no text.")
        return value

    def require_text(self, column: str) -> str:
        """Return a text that may not be empty.

        Raises:
            NoObject: It is empty, or holds bytes that are no text.
        """
        value = self.read_text(column)
        if not value:
            raise NoObject(f"Its {column} is empty.")
        return value

    def read_prose(self, column: str) -> str:
        """Return a text for people, or a hash: bytes that are no text become a sign for that."""
        value = self.get_value(column)
        if _is_text(value):
            return value
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    def format_label(self, column: str) -> str:
        """Return what lists of a result show of a value."""
        text = self.read_prose(column).strip()
        if len(text) > _LONGEST_KEY:
            return f"{text[:_LONGEST_KEY]}…"
        return text

    def read_reference(self, column: str) -> str:
        """Return the id of another row; an empty text where there is none."""
        value = self.get_value(column).strip()
        return "" if value == "0" else value

    def require_number(self, column: str) -> int:
        """Return a whole number.

        Raises:
            NoObject: The value is no such number.
        """
        value = read_number(self.get_value(column))
        if value is None:
            raise NoObject(f"Its {column} is no number.")
        return value

    def is_on(self, column: str) -> bool:
        """Tell whether a switch is on."""
        return self.get_value(column).strip() in {"1", "Y", "y"}

    def has(self, column: str) -> bool:
        """Tell whether the source says anything about a column."""
        return self.values.get(column) is not None

    def read_path(self, column: str) -> str:
        """Return an absolute path without a final slash and without escapes of blanks.

        Raises:
            NoObject: It is empty, or holds bytes that are no text.
        """
        return clean_path(self.require_text(column))


def clean_path(path: str) -> str:
    """Return a path as the file system has it: froxlor writes a backslash before each blank."""
    parts = path.split(" ")
    unescaped = [segment.rstrip("\\") for segment in parts[:-1]]
    whole = " ".join([*unescaped, parts[-1]])
    return whole.rstrip("/") or "/"


def read_number(text: str) -> int | None:
    """Return the whole number that a text is; None where it is none."""
    text = text.strip()
    if not text.isascii() or len(text) > 40:
        return None
    try:
        value = int(text)
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None


def read_limit(text: str, unit: int = 1) -> int | None:
    """Return a limit in bytes or pieces; -1 for none, None where the source does not say it.

    Args:
        text: As the source has it; each number below zero stands for no limit.
        unit: How many bytes one of its units has.
    """
    if len(text) > 40:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    if not math.isfinite(value) or abs(value) >= _LARGEST:
        return None
    if value < 0:
        return UNLIMITED
    whole = read_number(text)
    if whole is None:
        return int(value * unit)
    return whole * unit


def find_settings(
    row: FroxlorRow, defaults: Mapping[str, str], reasons: Mapping[str, str]
) -> tuple[FieldLeftOut, ...]:
    """Return the fields of a row that are set and do not arrive.

    Args:
        row: The row.
        defaults: The value of each column with which there is nothing to tell.
        reasons: Why, by column.
    """
    return tuple(
        FieldLeftOut(column, reasons[column])
        for column, default in defaults.items()
        if row.get_value(column).strip() not in {default, ""}
    )


def _is_text(value: str) -> bool:
    """Tell whether a value has no lone surrogates, which stand for bytes that are no text."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class Owner:
    """The customer of a row.

    Attributes:
        username: Of the customer; empty where there is none.
        reason: Why there is none; empty for rows that belong to nobody, such as plans.
        is_locked: The customer is deactivated, and so is everything that it has.
    """

    username: str
    reason: str = ""
    is_locked: bool = False


@dataclass
class FroxlorPanel:
    """What the reader knows of a source, and the objects that it has read so far.

    Attributes:
        owners: Customers that are read, by their ids.
        lost_customers: Ids of customers that are left out.
        standard_subdomains: Ids of domains that the panel made for a customer, whose id is the value.
        domains: Rows of domains by their ids.
        names: Names of domains in punycode, by their form in letters.
        sites: Domains with a site, by their ids.
        mail_domains: Ids of domains with mail.
        objects: Everything for the Source, in the order in which it was read.
    """

    tables: Tables
    forms: Mapping[str, TableForm]
    owners: dict[str, Owner] = field(default_factory=dict)
    lost_customers: set[str] = field(default_factory=set)
    standard_subdomains: dict[str, str] = field(default_factory=dict)
    domains: dict[str, FroxlorRow] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    sites: dict[str, Domain] = field(default_factory=dict)
    mail_domains: set[str] = field(default_factory=set)
    objects: list[Any] = field(default_factory=list)

    def list_rows(self, table: str) -> list[FroxlorRow]:
        """Return the rows of a table in the order of their ids."""
        form = self.forms[table]
        rows = [FroxlorRow(form, values) for values in self.tables.list_rows(table)]
        return sorted(rows, key=_rank_row)

    def list_objects(self, type_: type[_Object]) -> tuple[_Object, ...]:
        """Return the objects of a type, in the order in which they were read."""
        return tuple(item for item in self.objects if isinstance(item, type_))

    def get_owner(self, row: FroxlorRow) -> Owner:
        """Return the customer that a row names."""
        return self.get_owner_by_id(row.get_value("customerid").strip())

    def get_owner_by_id(self, customer_id: str) -> Owner:
        """Return a customer by its id."""
        if customer_id in self.lost_customers:
            return Owner("", _LOST_CUSTOMER)
        return self.owners.get(customer_id, Owner("", _NO_CUSTOMER))

    def get_owner_of_domain(self, domain_id: str) -> Owner:
        """Return the customer of a domain by the domain's id."""
        domain = self.domains.get(domain_id)
        if domain is None:
            return Owner("", "Its domain does not exist at the source.")
        return self.get_owner(domain)

    def name_domain(self, domain_id: str) -> str:
        """Return what lists of a result call a domain, which may be gone."""
        domain = self.domains.get(domain_id)
        if domain is None:
            return f"domain {domain_id}"
        return domain.format_label("domain")

    def encode_domain(self, name: str) -> str:
        """Return a domain name in punycode, lower case, without a final dot.

        Raises:
            NoObject: There is no such form of it.
        """
        name = name.strip().rstrip(".").lower()
        if name.isascii():
            return name
        if name in self.names:
            return self.names[name]
        try:
            return encode_punycode(name)
        except ValueError:
            raise NoObject("Its domain is no domain name.") from None

    def format_address_label(self, text: str) -> str:
        """Return an address as both forms of a source name it."""
        try:
            return self.encode_address(text)
        except NoObject:
            return text

    def encode_address(self, text: str) -> str:
        """Return an address, its domain in punycode; a text that is none stays as it is."""
        local, sign, domain = text.rpartition("@")
        if not sign:
            return text
        if domain.isascii():
            return f"{local}@{domain.lower()}"
        return f"{local}@{self.encode_domain(domain)}"


@dataclass(frozen=True)
class TableReading:
    """How the rows of a table are read.

    Attributes:
        table: The table.
        plural: The kind of the folder that its rows would be.
        read: Makes the objects of a row.
        find_name: Returns the source's name of a row.
        find_owner: Finds the customer of a row; that of its customerid by default.
    """

    table: str
    plural: str
    read: Callable[[FroxlorRow, Owner], Iterable[Any]]
    find_name: Callable[[FroxlorRow], str]
    find_owner: Callable[[FroxlorRow], Owner] | None = None


def read_table(panel: FroxlorPanel, reading: TableReading) -> None:
    """Read each row of a table into the panel's objects, or into those that are left out."""
    for row in panel.list_rows(reading.table):
        panel.objects += _read_row(panel, reading, row)


def _read_row(panel: FroxlorPanel, reading: TableReading, row: FroxlorRow) -> list[Any]:
    """Return the objects of a row, or the reason why there are none."""
    find_owner = reading.find_owner or panel.get_owner
    owner = try_row(partial(find_owner, row), reading.table)
    if isinstance(owner, NoObject):
        owner = Owner("", owner.reason)
    objects = try_row(partial(_read_owned_row, reading, row, owner), reading.table)
    if not isinstance(objects, NoObject):
        return objects
    name = reading.find_name(row) or f"row {row.id}"
    return [LeftOut(owner.username or None, reading.plural, name, row.origin, objects.reason)]


def _read_owned_row(reading: TableReading, row: FroxlorRow, owner: Owner) -> list[Any]:
    """Return the objects of a row, whose owner may be missing; raises NoObject."""
    if owner.reason:
        raise NoObject(owner.reason)
    return list(reading.read(row, owner))


def make_namer(column: str) -> Callable[[FroxlorRow], str]:
    """Return what finds the name of a row in a column."""
    return lambda row: row.format_label(column)


def _rank_row(row: FroxlorRow) -> tuple[int, str]:
    """Return what orders rows: their numbers, and those without one at the end."""
    number = read_number(row.id)
    if number is None:
        number = _LARGEST
    return number, row.id
