# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes hosting plans of the limits of customers: equal limits are one plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..._import_source.source_shape import Customer, Limits, Plan
from ..import_ledger import ChosenClients, Ledger, RowName
from ..item_checks import check_item
from ..mapped_source import Item
from ..operator_mapping import OperatorMapping

KIND = "plans"
# By the name of the panel the one of the shape.
RESOURCES = {
    "disk_space": "disk_space",
    "traffic": "traffic",
    "domains": "domains",
    "subdomains": "subdomains",
    "email_accounts": "mailboxes",
    "email_forwardings": "forwards",
    "databases": "databases",
    "ftp_users": "ftp_users",
    "scheduled_tasks": "scheduled_tasks",
}
_UNUSED = "No customer has these limits."
_OF_OPERATOR = "mapping.hosting_plans names {} in its place, which is the operator's."
_SAME_NAME = "Another hosting plan has the same name."
_SAME_LIMITS = "It has the same limits as {}, and equal limits are one hosting plan."


@dataclass
class _Group:
    """Customers with equal limits.

    Attributes:
        limits: The limits.
        customers: The customers.
        plans: The plans of the source with these limits.
        name: What their plan is called.
    """

    limits: Limits
    customers: list[Customer] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    name: str = ""


@dataclass
class MappedPlans:
    """The plans of the folder.

    Attributes:
        items: By name, in the order of the source.
        name_by_customer: The plan that a client gets, by username of the source.
        omitted: By name of a plan and path of a field why that is left out.
        refusals: By username of the source why a client gets no plan.
        wishes: By name of a plan what it would be called if no other plan were.
        rows: By name of a plan the rows that it stands for.
        customers: By name of a plan the customers with its limits.
    """

    items: dict[str, Item] = field(default_factory=dict)
    name_by_customer: dict[str, str] = field(default_factory=dict)
    omitted: dict[str, dict[str, str]] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    wishes: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[RowName]] = field(default_factory=dict)
    customers: dict[str, list[Customer]] = field(default_factory=dict)


def map_plans(
    ledger: Ledger, plans: Iterable[Plan], customers: Iterable[Customer], mapping: OperatorMapping
) -> MappedPlans:
    """Return the plans that the limits of customers need, and account for those of the source."""
    plans_by_limits: dict[Limits, list[Plan]] = {}
    for plan in plans:
        plans_by_limits.setdefault(plan.limits, []).append(plan)
    names = {plan.name for group in plans_by_limits.values() for plan in group}

    mapped = MappedPlans()
    number = 0
    for group in _group_customers(customers):
        group.plans = plans_by_limits.pop(group.limits, [])
        if group.plans:
            group.name = _choose_name(group)
        else:
            number += 1
            while f"Import {number}" in names:
                number += 1
            group.name = f"Import {number}"
        _add_plan(ledger, mapped, group, mapping)

    for unused in plans_by_limits.values():
        for plan in unused:
            ledger.leave_out(RowName(None, KIND, plan.name, plan.origin), _UNUSED)
    return mapped


def _group_customers(customers: Iterable[Customer]) -> list[_Group]:
    groups: dict[Limits, _Group] = {}
    for customer in customers:
        group = groups.setdefault(customer.limits, _Group(customer.limits))
        group.customers.append(customer)
    return list(groups.values())


def _choose_name(group: _Group) -> str:
    """Return the name of the plan that a customer of the group was made from, else of the first."""
    used = {customer.plan for customer in group.customers}
    for plan in group.plans:
        if plan.name in used:
            return plan.name
    return group.plans[0].name


def _add_plan(
    ledger: Ledger,
    mapped: MappedPlans,
    group: _Group,
    mapping: OperatorMapping,
) -> None:
    """Add the plan of customers with equal limits, or the one of the operator."""
    rows = [RowName(None, KIND, plan.name, plan.origin) for plan in group.plans]
    asked = _find_asked(group, mapping.hosting_plans)
    if asked:
        for row in rows:
            ledger.leave_out(row, _OF_OPERATOR.format(asked))
        for customer in group.customers:
            mapped.name_by_customer[customer.username] = asked
        return

    name = _find_free_name(group.name, mapped.items)
    checked = check_item(KIND, _make_item(name, group.limits))
    if checked.item is None:
        for row in rows:
            ledger.leave_out(row, checked.reason)
        for customer in group.customers:
            mapped.refusals[customer.username] = checked.reason
        return

    mapped.items[name] = checked.item
    mapped.omitted[name] = checked.omitted
    mapped.wishes[name] = group.name
    mapped.rows[name] = rows
    mapped.customers[name] = group.customers
    for customer in group.customers:
        mapped.name_by_customer[customer.username] = name


def _find_asked(group: _Group, asked: Mapping[str, str]) -> str:
    for candidate in (group.name, *(plan.name for plan in group.plans)):
        if candidate in asked:
            return asked[candidate]
    return ""


def _find_free_name(name: str, plans: Mapping[str, Item]) -> str:
    """Return a name that no other plan of the folder has."""
    number = 2
    free = name
    while free in plans:
        free = f"{name} {number}"
        number += 1
    return free


def _make_item(name: str, limits: Limits) -> Item:
    resources = {
        option: getattr(limits, source)
        for option, source in RESOURCES.items()
        if getattr(limits, source) is not None
    }
    item: Item = {"name": name}
    if resources:
        item["resources"] = resources
    return item


def place_plans(ledger: Ledger, mapped: MappedPlans, chosen: ChosenClients) -> None:
    """Add the plans that the chosen customers need to the folder."""
    needed = {name for customer, name in mapped.name_by_customer.items() if chosen.has(customer)}
    for name, item in mapped.items.items():
        if name in needed:
            ledger.add_item(None, KIND, item)
            _carry_rows(ledger, mapped, name, chosen)


def _carry_rows(ledger: Ledger, mapped: MappedPlans, name: str, chosen: ChosenClients) -> None:
    """Enter which rows of the source have become the plan of this name, and without what."""
    rows = mapped.rows[name]
    for row in rows:
        _carry_plan(ledger, row, name, mapped.wishes[name])
    if not rows:
        rows = _list_own_rows(mapped.customers[name], chosen)
        for row in rows:
            ledger.carry(row, name)
    for row in rows:
        for field_name, reason in mapped.omitted[name].items():
            ledger.leave_field(row, field_name, reason)


def _list_own_rows(customers: Iterable[Customer], chosen: ChosenClients) -> list[RowName]:
    """Return the rows of customers as a plan, where the source has none like it."""
    return [
        RowName(None, KIND, customer.username, customer.origin)
        for customer in customers
        if chosen.has(customer.username)
    ]


def _carry_plan(ledger: Ledger, row: RowName, name: str, wish: str) -> None:
    """Enter that a plan of the source is a plan of the folder, which may have another name.

    Args:
        ledger: Gets what became of the row.
        row: The plan of the source.
        name: What the plan of the folder is called.
        wish: What it would be called if no other plan were.
    """
    ledger.carry(row, name)
    if row.key == name:
        return
    reason = _SAME_NAME if row.key == wish else _SAME_LIMITS
    ledger.rename(None, KIND, row.key, name, reason.format(name))
