# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's customers, resellers and plans."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..source_rows import NoObject, try_row
from ..source_shape import Customer, LeftOut, Limits, PathPrefix, Plan
from .rows import (
    FroxlorPanel,
    FroxlorRow,
    Owner,
    TableReading,
    clean_path,
    find_settings,
    make_namer,
    read_limit,
    read_table,
)

_HOME = "/www"
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


def read_accounts(panel: FroxlorPanel) -> None:
    """Read customers, which later rows belong to, then resellers and plans."""
    resellers = _name_resellers(panel)
    usernames: set[str] = set()
    for row in panel.list_rows("panel_customers"):
        panel.objects.append(_read_customer(panel, row, resellers, usernames))
    no_owner = Owner("")
    admins = TableReading(
        "panel_admins", "clients", _read_admin, make_namer("loginname"), lambda _row: no_owner
    )
    plans = TableReading(
        "panel_plans", "plans", _read_plan, make_namer("name"), lambda _row: no_owner
    )
    read_table(panel, admins)
    read_table(panel, plans)


def _name_resellers(panel: FroxlorPanel) -> dict[str, str]:
    """Return what notes call each reseller, by id."""
    names: dict[str, str] = {}
    for row in panel.list_rows("panel_admins"):
        if row.is_on("change_serversettings"):
            continue
        login = row.format_label("loginname")
        name = row.format_label("name")
        names[row.id] = login
        if name and name != login:
            names[row.id] = f"{name} ({login})"
    return names


def _read_customer(
    panel: FroxlorPanel, row: FroxlorRow, resellers: Mapping[str, str], usernames: set[str]
) -> Customer | LeftOut:
    """Return a customer, and keep whose rows are its own."""
    customer = try_row(partial(_make_customer, row, resellers), row.form.name)
    if isinstance(customer, NoObject):
        return _lose_customer(panel, row, customer.reason)
    if customer.username in usernames:
        return _lose_customer(panel, row, _SAME_USERNAME)

    usernames.add(customer.username)
    panel.owners.setdefault(row.id, Owner(customer.username, is_locked=customer.is_locked))
    subdomain = row.read_reference("standardsubdomain")
    if subdomain:
        panel.standard_subdomains.setdefault(subdomain, row.id)
    return customer


def _lose_customer(panel: FroxlorPanel, row: FroxlorRow, reason: str) -> LeftOut:
    """Return a customer that does not arrive, and keep that its rows do not either."""
    panel.lost_customers.add(row.id)
    name = row.format_label("loginname") or f"row {row.id}"
    return LeftOut(None, "clients", name, row.origin, reason)


def _make_customer(row: FroxlorRow, resellers: Mapping[str, str]) -> Customer:
    """Return what a row says of a customer."""
    contact = {field: row.read_prose(column).strip() for field, column in _CONTACT.items()}
    settings = {**_OWN_LIMITS, **_OWN_SETTINGS}
    paths: tuple[PathPrefix, ...] = ()
    documentroot = row.read_text("documentroot")
    if documentroot:
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
        fields_left_out=find_settings(row, settings, _REASONS),
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


def _read_admin(row: FroxlorRow, _owner: Owner) -> list[LeftOut]:
    """Return why an administrator or a reseller does not arrive."""
    if row.is_on("change_serversettings"):
        reason = "It is an administrator of the source's panel, not a customer."
    else:
        reason = "The panel has no resellers; their customers arrive, with the name in their notes."
    return [LeftOut(None, "clients", row.format_label("loginname"), row.origin, reason)]


def _read_plan(row: FroxlorRow, _owner: Owner) -> list[Plan]:
    """Return a plan, whose limits are JSON in a column."""
    try:
        values = json.loads(row.require_text("value"))
    except (ValueError, RecursionError):
        raise NoObject("Its limits cannot be read.") from None
    if not isinstance(values, dict):
        raise NoObject("Its limits cannot be read.")
    return [Plan(row.origin, row.require_text("name"), _read_limits(values, _PLAN_UNITS))]
