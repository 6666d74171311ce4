# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's clients, resellers and templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..source_rows import NoObject
from ..source_shape import Customer, FieldLeftOut, LeftOut, Limits, Origin, PathPrefix, Plan
from ..source_tables import Row
from .lock import Lock, read_lock
from .rows import (
    IspconfigPanel,
    LostColumn,
    RowKind,
    index_rows,
    is_yes,
    join_path,
    read_domain,
    read_fields_left_out,
    read_number,
    read_prose,
    read_text,
    shorten_key,
    sort_rows,
)

_MB = 1024**2
_UNLIMITED = -1
_MASTER = "m"
_SYSTEM_USER = re.compile(r"web[0-9]{1,10}", re.ASCII)
_NO_PARENTS = ("", "0")
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


def read_customers(panel: IspconfigPanel) -> tuple[Customer, ...]:
    """Return the clients of a source, resellers among them.

    Args:
        panel: The tables; who has which rows, and what was off before a lock, are noted in it.
    """
    clients = index_rows(panel.tables, "client")
    panel.client_ids = frozenset(clients)
    for group, row in index_rows(panel.tables, "sys_group").items():
        panel.clients_by_group[group] = row.get("client_id") or ""
    logins = panel.tables.list_rows("sys_user")
    accounts = _Accounts(
        panel,
        clients,
        index_rows(panel.tables, "client_template"),
        frozenset(row.get("client_id") or "" for row in logins if row.get("active") == "0"),
        _find_paths(panel),
    )
    return panel.read_rows(_CLIENTS, accounts.read_customer)


def read_plans(panel: IspconfigPanel) -> tuple[Plan, ...]:
    """Return the master templates; what an additional one adds is in its clients' limits."""
    return panel.read_rows(_TEMPLATES, _read_plan)


def leave_out_assigned_templates(panel: IspconfigPanel) -> None:
    """Note which clients have additional templates."""
    templates = index_rows(panel.tables, "client_template")
    for origin, row in sort_rows(panel.tables, _ASSIGNED):
        template_id = read_prose(row, "client_template_id")
        template = templates.get(template_id, {})
        name = read_prose(template, "template_name") or template_id
        customer = panel.usernames.get(row.get("client_id") or "")
        panel.note(LeftOut(customer, "plans", shorten_key(name), origin, _ADDED))


def read_own_addresses(panel: IspconfigPanel) -> tuple[str, ...]:
    """Return the addresses of the source's servers."""
    rows = [row for _origin, row in sort_rows(panel.tables, "server_ip")]
    addresses = [read_prose(row, "ip_address") for row in rows]
    return tuple(dict.fromkeys(address for address in addresses if address))


@dataclass(frozen=True)
class _Accounts:
    """What a client's row leads to.

    Attributes:
        clients: Rows of clients by id.
        templates: Rows of templates by id.
        switched_off: Ids of clients whose login is off, which only a dump shows.
        paths: Folders of sites by the id of the client.
        used_usernames: Those that a client has already.
    """

    panel: IspconfigPanel
    clients: Mapping[str, Row]
    templates: Mapping[str, Row]
    switched_off: frozenset[str]
    paths: Mapping[str, Sequence[PathPrefix]]
    used_usernames: set[str] = field(default_factory=set)

    def read_customer(self, row: Row, origin: Origin) -> Customer:
        """Return a client as a customer, and note its name and its lock in the panel."""
        username = read_text(row, "username")
        if not username.strip():
            raise NoObject("It has no username.")
        if username in self.used_usernames:
            raise NoObject("Another client has the same username.")

        omitted = list(read_fields_left_out(row, _LOST))
        if read_prose(row, "id_rsa") or read_prose(row, "ssh_rsa"):
            omitted.append(FieldLeftOut("ssh_rsa", _KEYS))
        template = self.templates.get(read_prose(row, "template_master"))
        customer = Customer(
            origin,
            username,
            _read_email(row, omitted),
            _read_limits(row, omitted),
            contact=_read_contact(row),
            language=read_prose(row, "language"),
            notes=read_prose(row, "notes"),
            reseller=self._find_reseller(row, omitted),
            plan=None if template is None else read_prose(template, "template_name"),
            is_locked=self._is_locked(row, origin),
            hash=read_prose(row, "password"),
            paths=tuple(self.paths.get(origin.id, ())),
            fields_left_out=(*omitted, *self._note_lock(row, username)),
        )
        self.used_usernames.add(username)
        self.panel.usernames[origin.id] = username
        return customer

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

    def _note_lock(self, row: Row, username: str) -> list[FieldLeftOut]:
        """Note what was off before a client was locked; what is not noted counts as on."""
        if not is_yes(row, "locked"):
            return []
        try:
            self.panel.locks[username] = read_lock(row.get("tmp_data") or "")
        except ValueError:
            self.panel.locks[username] = Lock()
            reason = "What was off before the lock cannot be read, so all counts as on."
            return [FieldLeftOut("tmp_data", reason)]
        return []


def _find_paths(panel: IspconfigPanel) -> dict[str, list[PathPrefix]]:
    """Return the folders of sites by the id of their client; each site has one below /www."""
    paths: dict[str, list[PathPrefix]] = {}
    for _origin, row in sort_rows(panel.tables, "web_domain"):
        client = panel.clients_by_group.get(row.get("sys_groupid") or "", "")
        path = _read_path(row)
        if client and path is not None:
            paths.setdefault(client, []).append(path)
    return paths


def _read_path(row: Row) -> PathPrefix | None:
    """Return the folder of a site; None for a row without one of its own."""
    if row.get("type") != "vhost":
        return None
    try:
        folder = join_path(read_text(row, "document_root"), "")
        return PathPrefix(folder, f"/www/{read_domain(row, 'domain')}", _read_system_user(row))
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
