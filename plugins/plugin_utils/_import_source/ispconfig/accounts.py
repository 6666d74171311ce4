# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's clients, resellers and templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..source_rows import NoObject, try_row
from ..source_shape import Customer, FieldLeftOut, LeftOut, Limits, Origin, PathPrefix, Plan
from ..source_tables import Row, Tables
from .lock import Lock, read_lock
from .rows import (
    LostColumn,
    Owners,
    ReadRows,
    RowKind,
    index_rows,
    is_yes,
    read_domain,
    read_fields_left_out,
    read_number,
    read_prose,
    read_root,
    read_text,
    shorten_key,
    sort_rows,
)

_MB = 1024**2
_UNLIMITED = -1
_MASTER = "m"
_SYSTEM_USER = re.compile(r"web[0-9]{1,10}", re.ASCII)
_NO_PARENTS = ("", "0")
# Of the directory of a site: the logs of the web server, which writes them at each request.
_OF_SERVER = ("/log",)
# Fields of Limits, the columns that have them, and what one of them counts.
_LIMITS = {
    "disk_space": ("limit_web_quota", _MB),
    "traffic": ("limit_traffic_quota", _MB),
    "domains": ("limit_web_domain", 1),
    "subdomains": ("limit_web_subdomain", 1),
    "mailboxes": ("limit_mailbox", 1),
    "forwards": ("limit_mailforward", 1),
    "databases": ("limit_database", 1),
    "ftp_users": ("limit_ftp_user", 1),
    "scheduled_tasks": ("limit_cron", 1),
}
_CLIENTS = RowKind("client", "clients", lambda row: row.get("username") or "")
_ASSIGNED = "client_template_assigned"
_TEMPLATES = RowKind("client_template", "plans", lambda row: row.get("template_name") or "")
# Fields of contact_data of the panel, and the columns that have them.
_CONTACT_COLUMNS = {
    "first_name": "contact_firstname",
    "last_name": "contact_name",
    "company": "company_name",
    "telephone": "telephone",
    "address": "street",
    "city": "city",
    "zip": "zip",
    "state": "state",
    "country": "country",
    "client_id": "customer_no",
}
_NO_FIELD = "The panel's contact data have no such field."
_ADDED = "The limits of its client hold it already."
_KEYS = "The panel's API takes no SSH keys."
_LOST = (
    *(
        LostColumn(column, (), _NO_FIELD)
        for column in (
            "mobile", "fax", "internet", "icq", "vat_id", "company_id", "bank_account_owner",
            "bank_account_number", "bank_code", "bank_name", "bank_account_iban",
            "bank_account_swift", "paypal_email",
        )
    ),
    LostColumn("limit_client", ("0",), "The panel has no resellers: the customers below are its own."),
)  # fmt: skip


@dataclass(frozen=True)
class Accounts:
    """Customers and plans, and whose the other rows are."""

    customers: tuple[Customer, ...]
    plans: tuple[Plan, ...]
    left_out: tuple[LeftOut, ...]
    owners: Owners


def read_accounts(tables: Tables) -> Accounts:
    """Return the clients of a source, resellers among them, and its templates."""
    clients_by_group = {
        group: row.get("client_id") or "" for group, row in index_rows(tables, "sys_group").items()
    }
    clients = _read_clients(tables, _find_paths(tables, clients_by_group))
    customers = tuple(client.customer for client in clients.entries)
    owners = Owners(
        usernames={customer.origin.id: customer.username for customer in customers},
        client_ids=frozenset(index_rows(tables, "client")),
        clients_by_group=clients_by_group,
        locks={
            client.customer.username: client.lock
            for client in clients.entries
            if client.lock is not None
        },
    )
    plans = owners.read_rows(tables, _TEMPLATES, _read_plan)
    assigned = _leave_out_assigned_templates(tables, owners)
    return Accounts(
        customers, plans.entries, (*clients.left_out, *plans.left_out, *assigned), owners
    )


def _leave_out_assigned_templates(tables: Tables, owners: Owners) -> list[LeftOut]:
    """Return which clients have additional templates, whose limits the clients have already."""
    templates = index_rows(tables, "client_template")
    left_out: list[LeftOut] = []
    for origin, row in sort_rows(tables, _ASSIGNED):
        template_id = read_prose(row, "client_template_id")
        template = templates.get(template_id, {})
        name = read_prose(template, "template_name") or template_id
        customer = owners.usernames.get(row.get("client_id") or "")
        left_out.append(LeftOut(customer, "plans", shorten_key(name), origin, _ADDED))
    return left_out


def read_own_addresses(tables: Tables) -> tuple[str, ...]:
    """Return the addresses of the source's servers."""
    rows = [row for _origin, row in sort_rows(tables, "server_ip")]
    addresses = [read_prose(row, "ip_address") for row in rows]
    return tuple(dict.fromkeys(address for address in addresses if address))


@dataclass(frozen=True)
class _ReadClient:
    """What the row of a client becomes. lock: what was off before a lock; None without one."""

    customer: Customer
    lock: Lock | None


def _read_clients(
    tables: Tables, paths: Mapping[str, Sequence[PathPrefix]]
) -> ReadRows[_ReadClient]:
    """Return the clients that arrive; of two with one username it is the first.

    Args:
        tables: The tables of the source.
        paths: Folders of sites by the id of the client.
    """
    logins = tables.list_rows("sys_user")
    related = _RowsOfClients(
        clients=index_rows(tables, "client"),
        templates=index_rows(tables, "client_template"),
        switched_off=frozenset(
            row.get("client_id") or "" for row in logins if row.get("active") == "0"
        ),
        paths=paths,
    )
    clients: dict[str, _ReadClient] = {}
    left_out: list[LeftOut] = []

    def read(row: Row, origin: Origin) -> _ReadClient:
        username = read_text(row, "username")
        if not username.strip():
            raise NoObject("It has no username.")
        if username in clients:
            raise NoObject("Another client has the same username.")
        return related.read_client(row, origin, username)

    for origin, row in sort_rows(tables, _CLIENTS.table):
        client = try_row(partial(read, row, origin), _CLIENTS.table)
        if isinstance(client, NoObject):
            # The group of a client is its maker's, not its own.
            key = shorten_key(_CLIENTS.name(row))
            left_out.append(LeftOut(key or None, _CLIENTS.plural, key, origin, client.reason))
        else:
            clients[client.customer.username] = client
    return ReadRows(tuple(clients.values()), tuple(left_out))


@dataclass(frozen=True)
class _RowsOfClients:
    """What a client's row leads to.

    Attributes:
        clients: Rows of clients by id.
        templates: Rows of templates by id.
        switched_off: Ids of clients whose login is off, which only a dump shows.
        paths: Folders of sites by the id of the client.
    """

    clients: Mapping[str, Row]
    templates: Mapping[str, Row]
    switched_off: frozenset[str]
    paths: Mapping[str, Sequence[PathPrefix]]

    def read_client(self, row: Row, origin: Origin, username: str) -> _ReadClient:
        """Return a client as a customer, and its lock."""
        omitted = list(read_fields_left_out(row, _LOST))
        if read_prose(row, "id_rsa") or read_prose(row, "ssh_rsa"):
            omitted.append(FieldLeftOut("ssh_rsa", _KEYS))
        email = _read_email(row, omitted)
        limits = _read_limits(row, omitted)
        reseller = self._find_reseller(row, omitted)
        lock = _read_lock(row, omitted)
        template = self.templates.get(read_prose(row, "template_master"))
        customer = Customer(
            origin,
            username,
            email,
            limits,
            contact=_read_contact(row),
            language=read_prose(row, "language"),
            notes=read_prose(row, "notes"),
            reseller=reseller,
            plan=None if template is None else read_prose(template, "template_name"),
            is_locked=self._is_locked(row, origin),
            hash=read_prose(row, "password"),
            paths=tuple(self.paths.get(origin.id, ())),
            fields_left_out=tuple(omitted),
        )
        return _ReadClient(customer, lock)

    def _is_locked(self, row: Row, origin: Origin) -> bool:
        """Tell whether a client is locked or cancelled."""
        return is_yes(row, "locked") or is_yes(row, "canceled") or origin.id in self.switched_off

    def _find_reseller(self, row: Row, omitted: list[FieldLeftOut]) -> str:
        """Return the username of a client's reseller; empty without one."""
        parent = read_prose(row, "parent_client_id")
        if parent in _NO_PARENTS:
            return ""
        reseller = self.clients.get(parent)
        if reseller is None:
            omitted.append(FieldLeftOut("parent_client_id", "The reseller is not at the source."))
            return ""
        return read_prose(reseller, "username")


def _read_lock(row: Row, omitted: list[FieldLeftOut]) -> Lock | None:
    """Return what was off before a client was locked; what is not noted counts as on."""
    if not is_yes(row, "locked"):
        return None
    try:
        return read_lock(row.get("tmp_data") or "")
    except ValueError:
        reason = "What was off before the lock cannot be read, so all counts as on."
        omitted.append(FieldLeftOut("tmp_data", reason))
        return Lock()


def _find_paths(tables: Tables, clients_by_group: Mapping[str, str]) -> dict[str, list[PathPrefix]]:
    """Return the folders of sites by the id of their client; each site has one below /www."""
    paths: dict[str, list[PathPrefix]] = {}
    for origin, row in sort_rows(tables, "web_domain"):
        client = clients_by_group.get(row.get("sys_groupid") or "", "")
        path = _read_path(row, origin)
        if client and path is not None:
            paths.setdefault(client, []).append(path)
    return paths


def _read_path(row: Row, origin: Origin) -> PathPrefix | None:
    """Return the folder of a site; None for a row without one of its own."""
    if row.get("type") != "vhost":
        return None
    try:
        folder = read_root(row)
        site = read_domain(row, "domain")
        user = _read_system_user(row)
        return PathPrefix(folder, f"/www/{site}", user, _OF_SERVER, site, origin)
    except NoObject:
        return None


def _read_system_user(row: Row) -> str:
    """Return the system user of a site, which the panel calls web12; empty for any other name."""
    name = read_prose(row, "system_user")
    return name if _SYSTEM_USER.fullmatch(name) else ""


def _read_email(row: Row, omitted: list[FieldLeftOut]) -> str:
    """Return the first of a client's addresses; empty without one."""
    addresses = [address for address in re.split(r"[\s,;]+", read_prose(row, "email")) if address]
    if len(addresses) > 1:
        omitted.append(FieldLeftOut("email", "The panel takes one address, which is the first."))
    return addresses[0] if addresses else ""


def _read_contact(row: Row) -> dict[str, str]:
    """Return the contact data that say something."""
    values = {name: read_prose(row, column) for name, column in _CONTACT_COLUMNS.items()}
    return {name: value for name, value in values.items() if value}


def _read_plan(row: Row, origin: Origin) -> Plan:
    """Return a master template as a plan."""
    if read_text(row, "template_type") != _MASTER:
        raise NoObject(
            "It only adds to other templates: the limits of its clients hold it already."
        )
    name = read_text(row, "template_name").strip()
    if not name:
        raise NoObject("It has no name.")
    return Plan(origin, name, _read_limits(row, []))


def _read_limits(row: Row, omitted: list[FieldLeftOut]) -> Limits:
    """Return the limits of a client or a template; what is no number is left out."""
    limits: dict[str, int | None] = {}
    for name, (column, unit) in _LIMITS.items():
        number = read_number(row, column)
        if number is None or number < _UNLIMITED:
            omitted.append(FieldLeftOut(column, "The limit is no number."))
            limits[name] = None
        else:
            limits[name] = number if number == _UNLIMITED else number * unit
    return Limits(**limits)
