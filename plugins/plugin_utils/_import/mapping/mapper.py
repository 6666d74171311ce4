# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns what another panel says into the items of a folder, and accounts for each of its rows.
Pure: it reads no file, and asks nobody. ``steps.py`` has the steps in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from ....module_utils._kinds.registry import KINDS
from ..._content_copy.content_objects import find_refused
from ..._import_source.source_shape import CONTENT as CONTENT_FIELD
from ..._import_source.source_shape import Customer, Origin, Source
from ..import_ledger import ChosenClients, Ledger, RowName
from ..mapped_source import (
    ExceededLimit,
    Item,
    ItemsByKind,
    MappedSource,
    PasswordCounts,
    ResourcesByClient,
)
from ..naming.usernames import choose_usernames
from ..operator_mapping import OperatorMapping
from .steps import CONTENT, STEPS, ContentObject, MappingCase, run_steps

KEEP = "keep"
NEW = "new"
_KIND_BY_FIELD = {
    "customers": "clients",
    "plans": "plans",
    "domains": "domains",
    "mail_domains": "domains",
    "mail_alias_domains": "emails",
    "mailboxes": "emails",
    "forwards": "emails",
    "catch_alls": "emails",
    "zones": "dns",
    "databases": "databases",
    "ftp_users": "ftp_users",
    "protection_users": "directory_protections",
    "cron_jobs": "scheduled_tasks",
}
_KIND_OF_CONTENT = {"mailboxes": "emails", "databases": "databases"}
_WITHOUT_DOMAIN = "Its domain does not arrive."
_NOT_COPIED = "The role content does not take it: {}"
_UNACCOUNTED = "The import has no rule for this row."


class UnknownClients(Exception):
    """Says that the source has no customers with some of the names.

    Attributes:
        names: The names that are unknown.
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def map_source(
    source: Source,
    mapping: OperatorMapping,
    passwords: str = KEEP,
    clients: Sequence[str] | None = None,
) -> MappedSource:
    """Return a source as a folder of this collection.

    Args:
        source: What the other panel says.
        mapping: The decisions of the operator.
        passwords: KEEP takes hashes over, NEW none.
        clients: Usernames of the source whose objects alone are returned; None for all. Names and
            numbers are the same as those of all.

    Raises:
        UnknownClients: The source has no such customers.
    """
    chosen = _choose(source, clients)
    source = _sort_rows(source)
    usernames = choose_usernames(source.customers, mapping.usernames)
    ledger = Ledger(usernames.by_old_name, mapping.skip)
    case = MappingCase(ledger, source, _index_customers(source), mapping, passwords == KEEP, chosen)

    ledger.enter_reader_omissions(source.left_out)
    for renamed in usernames.renamed:
        ledger.rename(
            renamed.old_name, "clients", renamed.old_name, renamed.new_name, renamed.reason
        )
    results = run_steps(case, STEPS)
    _enter_missing(ledger, source)
    return _make_result(case, {name: results[name] for name in CONTENT})


def _index_customers(source: Source) -> dict[str, Customer]:
    """Return the customers by username, in the order of the source; the first of two with one."""
    customers: dict[str, Customer] = {}
    for customer in source.customers:
        customers.setdefault(customer.username, customer)
    return customers


def _choose(source: Source, clients: Sequence[str] | None) -> ChosenClients:
    if clients is None:
        return ChosenClients()
    names = {customer.username for customer in source.customers}
    unknown = [name for name in clients if name not in names]
    if unknown:
        raise UnknownClients(unknown)
    return ChosenClients(frozenset(clients))


def _sort_rows(source: Source) -> Source:
    """Return a source whose rows are in the order of their ids."""
    ordered: dict[str, Any] = {}
    for declared in fields(source):
        rows = getattr(source, declared.name)
        if declared.name != "own_addresses":
            ordered[declared.name] = tuple(sorted(rows, key=lambda row: _rank_origin(row.origin)))
    return replace(source, **ordered)


def _rank_origin(origin: Origin) -> tuple[str, bool, int, str]:
    """Return what sorts rows: by table, numbers by their value."""
    is_number = origin.id.isascii() and origin.id.isdecimal() and len(origin.id) < 20
    number = int(origin.id) if is_number else 0
    return origin.table, not is_number, number, origin.id


def _enter_missing(ledger: Ledger, source: Source) -> None:
    """Enter each row that no list has, so that nothing goes in silence."""
    rows = []
    for name, kind in _KIND_BY_FIELD.items():
        for entry in getattr(source, name):
            row = RowName(getattr(entry, "customer", None), kind, _name_entry(entry), entry.origin)
            rows.append(row)
            certificate = getattr(entry, "certificate", None)
            if certificate is not None:
                rows.append(row._replace(plural="certificates", origin=certificate.origin))

    for row in ledger.find_missing(rows):
        reason = _WITHOUT_DOMAIN if row.plural == "certificates" else _UNACCOUNTED
        ledger.leave_out(row, reason)


def _name_entry(entry: Any) -> str:
    """Return what a message calls an object of the source."""
    for name in ("name", "address", "username", "domain"):
        value = getattr(entry, name, "")
        if value:
            return str(value)
    return str(entry.origin)


# The result


def _make_result(case: MappingCase, content: Mapping[str, Sequence[ContentObject]]) -> MappedSource:
    ledger = case.ledger
    chosen = case.chosen
    chosen_content = _choose_content(case, content)
    resources = _arrange(ledger, chosen)
    passwords = {
        name: is_kept
        for (customer, name), is_kept in ledger.kept_passwords.items()
        if chosen.has(customer)
    }
    kept = sum(passwords.values())
    return MappedSource(
        resources=resources,
        carried=ledger.list_carried(chosen),
        renamed=ledger.list_renamed(chosen),
        left_out=ledger.list_left_out(chosen),
        questions=ledger.list_questions(chosen),
        question_counts=ledger.count_questions(chosen),
        passwords=PasswordCounts(kept, len(passwords) - kept),
        changed_passwords=[name for name, is_kept in passwords.items() if not is_kept],
        content=chosen_content,
        exceeded_limits=_find_exceeded_limits(case),
    )


def _choose_content(
    case: MappingCase, content: Mapping[str, Sequence[ContentObject]]
) -> dict[str, list[Item]]:
    """Return the objects with content of the chosen clients, without those of skipped kinds.

    What the role content would not take is left out: with it, it would take none.
    """
    chosen: dict[str, list[ContentObject]] = {}
    for name, objects in content.items():
        is_skipped = _KIND_OF_CONTENT.get(name) in case.mapping.skip
        chosen[name] = []
        if not is_skipped:
            chosen[name] = [entry for entry in objects if case.chosen.has(entry.row.customer)]

    refused = find_refused({name: _list_items(objects) for name, objects in chosen.items()})
    for entry in refused:
        reason = _NOT_COPIED.format(entry.reason)
        case.ledger.leave_field(chosen[entry.list_name][entry.position].row, CONTENT_FIELD, reason)
    refused_objects = {(entry.list_name, entry.position) for entry in refused}
    accepted: dict[str, list[Item]] = {}
    for name, objects in chosen.items():
        items = enumerate(_list_items(objects))
        accepted[name] = [item for index, item in items if (name, index) not in refused_objects]
    return accepted


def _list_items(objects: Sequence[ContentObject]) -> list[Item]:
    return [entry.item for entry in objects]


def _arrange(ledger: Ledger, chosen: ChosenClients) -> ResourcesByClient:
    """Return the items by client and by kind, each list in the order of keys."""
    resources: ResourcesByClient = {}
    for customer, items_by_kind in ledger.items.items():
        if customer is not None and not chosen.has(customer):
            continue
        arranged: ItemsByKind = {}
        for kind, table in KINDS.items():
            items = items_by_kind.get(kind)
            if items:
                arranged[kind] = sorted(items, key=lambda item: table.format_key(item) or "")
        resources[ledger.find_client(customer)] = arranged
    return {client: resources[client] for client in sorted(resources, key=lambda name: name or "")}


def _find_exceeded_limits(case: MappingCase) -> list[ExceededLimit]:
    """Return the limits of clients that their objects in the folder are above.

    Nobody knows those of a hosting plan that the operator has named in place of the source's.
    """
    ledger = case.ledger
    exceeded = []
    for username in case.customers:
        if not case.chosen.has(username):
            continue
        items_by_kind = ledger.items.get(username, {})
        limits = _find_limits(ledger, items_by_kind)
        for option, used in _count_used(items_by_kind).items():
            limit = limits.get(option)
            if limit is not None and 0 <= limit < used:
                client = ledger.usernames[username]
                exceeded.append(ExceededLimit(client, option, limit, used))
    return exceeded


def _find_limits(ledger: Ledger, items_by_kind: ItemsByKind) -> Mapping[str, int]:
    """Return the limits of a client by resource: those of its hosting plan, if the folder has it."""
    plan_names = {item.get("hosting_plan") for item in items_by_kind.get("clients", ())}
    for plan in ledger.items.get(None, {}).get("plans", ()):
        if plan["name"] in plan_names:
            limits: Mapping[str, int] = plan.get("resources", {})
            return limits
    return {}


def _count_used(items: ItemsByKind) -> dict[str, int]:
    """Return how much of each resource the items of a client use."""
    domains = items.get("domains", [])
    subdomains = sum("parent_domain" in item for item in domains)
    emails = items.get("emails", [])
    return {
        "domains": len(domains) - subdomains,
        "subdomains": subdomains,
        "email_accounts": len(emails),
        "email_forwardings": sum(len(item.get("forwardings", ())) for item in emails),
        "databases": len(items.get("databases", [])),
        "ftp_users": len(items.get("ftp_users", [])),
        "scheduled_tasks": len(items.get("scheduled_tasks", [])),
    }
