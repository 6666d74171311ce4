# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's customers, resellers and plans."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..source_rows import NoObject
from ..source_shape import (
    CONTENT,
    NO_ROOT,
    Customer,
    FieldLeftOut,
    LeftOut,
    Limits,
    PathPrefix,
    Plan,
)
from ..source_tables import Tables
from .rows import (
    FroxlorRow,
    Owner,
    RowKind,
    clean_path,
    find_settings,
    list_rows,
    make_namer,
    read_limit,
    read_row,
    read_rows,
)

_HOME = "/www"
_NO_CUSTOMER = "Its customer does not exist at the source."
_LOST_CUSTOMER = "Its customer is left out."
_SAME_USERNAME = "Another customer at the source has the same loginname."
_KIB = 1024
# The table of customers counts in KB, plans in MB and GB.
_CUSTOMER_UNITS = {"diskspace": _KIB, "traffic": _KIB}
_PLAN_UNITS = {"diskspace": _KIB**2, "traffic": _KIB**3}
_LIMITS = {
    "disk_space": "diskspace",
    "traffic": "traffic",
    "subdomains": "subdomains",
    "mailboxes": "email_accounts",
    "forwards": "email_forwarders",
    "databases": "mysqls",
    "ftp_users": "ftps",
}
_CONTACT = {
    "first_name": "firstname",
    "last_name": "name",
    "company": "company",
    "telephone": "phone",
    "address": "street",
    "city": "city",
    "zip": "zipcode",
    "client_id": "customernumber",
}
# No customer of the source has these rows.
_NO_OWNER = Owner("")
_CUSTOMERS = RowKind("panel_customers", "clients", make_namer("loginname"), lambda _row: _NO_OWNER)
_ADMINS = RowKind("panel_admins", "clients", make_namer("loginname"), lambda _row: _NO_OWNER)
_PLANS = RowKind("panel_plans", "plans", make_namer("name"), lambda _row: _NO_OWNER)
_NO_FIELD = "The panel has no field for it."
_OWN_LIMITS = {"emails": "-1", "email_quota": "-1"}
_OWN_SETTINGS = {
    "fax": "",
    "gender": "0",
    "perlenabled": "0",
    "type_2fa": "0",
    "gui_access": "1",
    "leprivatekey": "",
    "allowed_phpconfigs": "[]",
}
_REASONS = {
    "fax": _NO_FIELD,
    "gender": _NO_FIELD,
    "emails": "The panel limits mailboxes, not addresses.",
    "email_quota": "The panel has no limit for the sizes of all mailboxes together.",
    "perlenabled": "Whether programs of a site may run is up to the panel.",
    "type_2fa": "The customer has to set up a second factor again.",
    "gui_access": "The customer may not log in at the source; is_suspended would also stop sites.",
    "leprivatekey": "The panel has its own account at Let's Encrypt.",
    "allowed_phpconfigs": "Which versions of PHP a customer may choose is up to the panel.",
}


@dataclass(frozen=True)
class Accounts:
    """Customers and plans, and whose the other rows are.

    Attributes:
        owners: Customers that arrive, by the ids of their rows.
        lost_ids: Ids of customers that are left out.
        standard_subdomains: By the id of a domain that the panel is said to have made for a
            customer, the id of the customer that says so.
    """

    customers: tuple[Customer, ...]
    plans: tuple[Plan, ...]
    left_out: tuple[LeftOut, ...]
    owners: Mapping[str, Owner]
    lost_ids: frozenset[str]
    standard_subdomains: Mapping[str, str]

    def find_owner(self, row: FroxlorRow) -> Owner:
        """Return the customer that a row names, or why there is none."""
        customer_id = row.get_value("customerid").strip()
        if customer_id in self.lost_ids:
            return Owner("", _LOST_CUSTOMER)
        return self.owners.get(customer_id, Owner("", _NO_CUSTOMER))


def read_accounts(tables: Tables) -> Accounts:
    """Return the customers, whom other rows belong to, with plans and what becomes of resellers."""
    customers, lost_customers, standard_subdomains = _read_customers(tables)
    lost_admins = read_rows(tables, _ADMINS, _leave_out_admin).left_out
    plans = read_rows(tables, _PLANS, _read_plan)
    return Accounts(
        customers=customers,
        plans=plans.objects,
        left_out=(*lost_customers, *lost_admins, *plans.left_out),
        owners=_index_owners(customers),
        lost_ids=frozenset(entry.origin.id for entry in lost_customers),
        standard_subdomains=standard_subdomains,
    )


def _name_resellers(tables: Tables) -> dict[str, str]:
    """Return what notes call each reseller, by id."""
    names: dict[str, str] = {}
    for row in list_rows(tables, "panel_admins"):
        if row.is_on("change_serversettings"):
            continue
        login = row.format_label("loginname")
        name = row.format_label("name")
        names[row.id] = login
        if name and name != login:
            names[row.id] = f"{name} ({login})"
    return names


def _read_customers(
    tables: Tables,
) -> tuple[tuple[Customer, ...], tuple[LeftOut, ...], dict[str, str]]:
    """Return customers that arrive, those that do not, and the subdomains that the first name."""
    resellers = _name_resellers(tables)
    customers: dict[str, Customer] = {}
    left_out: list[LeftOut] = []
    standard_subdomains: dict[str, str] = {}

    def read(row: FroxlorRow, _owner: Owner) -> Customer:
        customer = _make_customer(row, resellers)
        if customer.username in customers:
            raise NoObject(_SAME_USERNAME)
        return customer

    for row in list_rows(tables, _CUSTOMERS.table):
        customer = read_row(_CUSTOMERS, row, read)
        if isinstance(customer, LeftOut):
            left_out.append(customer)
            continue
        customers[customer.username] = customer
        subdomain = row.read_reference("standardsubdomain")
        if subdomain:
            standard_subdomains.setdefault(subdomain, row.id)
    return tuple(customers.values()), tuple(left_out), standard_subdomains


def _index_owners(customers: Iterable[Customer]) -> dict[str, Owner]:
    """Return whose rows name an id of a customer; the first of two with one id."""
    owners: dict[str, Owner] = {}
    for customer in customers:
        owner = Owner(customer.username, is_locked=customer.is_locked)
        owners.setdefault(customer.origin.id, owner)
    return owners


def _make_customer(row: FroxlorRow, resellers: Mapping[str, str]) -> Customer:
    """Return what a row says of a customer."""
    contact = {field: row.read_prose(column).strip() for field, column in _CONTACT.items()}
    settings = {**_OWN_LIMITS, **_OWN_SETTINGS}
    paths: tuple[PathPrefix, ...] = ()
    fields_left_out = list(find_settings(row, settings, _REASONS))
    documentroot = row.read_text("documentroot")
    if not documentroot:
        fields_left_out.append(FieldLeftOut(CONTENT, NO_ROOT.format("''")))
    else:
        paths = (PathPrefix(clean_path(documentroot), _HOME),)
    return Customer(
        origin=row.origin,
        username=row.require_text("loginname"),
        email=row.read_prose("email").strip(),
        limits=_read_limits({**row.values}, _CUSTOMER_UNITS),
        contact={field: value for field, value in contact.items() if value},
        language=row.read_prose("def_language").strip(),
        notes=row.read_prose("custom_notes"),
        reseller=resellers.get(row.read_reference("adminid"), ""),
        is_locked=row.is_on("deactivated"),
        hash=row.read_prose("password"),
        paths=paths,
        fields_left_out=tuple(fields_left_out),
    )


def _read_limits(values: Mapping[str, Any], units: Mapping[str, int]) -> Limits:
    """Return limits of a customer or a plan."""
    limits: dict[str, int | None] = {}
    for field, column in _LIMITS.items():
        text = str(values.get(column, ""))
        if values.get(f"{column}_ul") in {1, "1", "on", "true"}:
            text = "-1"
        limits[field] = read_limit(text, units.get(column, 1))
    return Limits(**limits)


def _leave_out_admin(row: FroxlorRow, _owner: Owner) -> LeftOut:
    """Return why an administrator or a reseller does not arrive."""
    if row.is_on("change_serversettings"):
        reason = "It is an administrator of the source's panel, not a customer."
    else:
        reason = "The panel has no resellers; their customers arrive, with the name in their notes."
    return LeftOut(None, "clients", row.format_label("loginname"), row.origin, reason)


def _read_plan(row: FroxlorRow, _owner: Owner) -> Plan:
    """Return a plan, whose limits are JSON in a column."""
    try:
        values = json.loads(row.require_text("value"))
    except (ValueError, RecursionError):
        raise NoObject("Its limits cannot be read.") from None
    if not isinstance(values, dict):
        raise NoObject("Its limits cannot be read.")
    return Plan(row.origin, row.require_text("name"), _read_limits(values, _PLAN_UNITS))
