# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that make the items of a folder, and what each needs of the steps before it.

Each step is a function of the case and of the results that it needs. Beside its result it only adds
to the ledger, which no step reads. So steps that need nothing of each other may change places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ....module_utils._values.value_types import quote_value
from ..._import_source.source_shape import CONTENT as CONTENT_FIELD
from ..._import_source.source_shape import NO_ROOT, Customer, PathPrefix, Source
from ..import_ledger import ChosenClients, Ledger, RowName
from ..item_checks import explain_unsendable
from ..mapped_source import Item
from ..naming.domain_names import NamedDomain, collect_names
from ..naming.paths import find_path
from ..operator_mapping import OperatorMapping
from .access import AccessMapper
from .clients import leave_out_duplicate, leave_out_plan, map_client
from .domains import DomainMapper, MappedDomains
from .mail import MailMapper
from .plans import MappedPlans, map_plans, place_plans
from .tasks import map_tasks
from .zones import ZoneMapper

CONTENT = ("trees", "mailboxes", "databases")
"""The steps whose results are objects with content, for the role content."""
_ROOT = "root"
# Whatever the source says, nothing is read as its administrator.
_OF_ROOT = "It belongs to root at the source, and the import has no files of root copied."


@dataclass(frozen=True)
class MappingCase:
    """What all steps get.

    Attributes:
        ledger: Gets the items, and what became of each row.
        source: What the other panel says.
        customers: By username of the source, in its order; the first of two with one name.
        mapping: The decisions of the operator.
        keeps_passwords: Whether hashes of passwords are taken over.
        chosen: Whose objects the import is about.
    """

    ledger: Ledger
    source: Source
    customers: Mapping[str, Customer]
    mapping: OperatorMapping
    keeps_passwords: bool
    chosen: ChosenClients


class ContentObject(NamedTuple):
    """An object with content, as an entry of the role content.

    Attributes:
        row: The row that it is about.
        item: The entry.
    """

    row: RowName
    item: Item


class Step(NamedTuple):
    """A step.

    Attributes:
        name: What it makes.
        run: Gets the case and the results of the steps that it needs, and returns its own.
        needs: Names of these steps, in the order of the arguments.
    """

    name: str
    run: Callable[..., Any]
    needs: tuple[str, ...] = ()


def run_steps(case: MappingCase, steps: Sequence[Step]) -> dict[str, Any]:
    """Run steps one after the other, and return the result of each by its name."""
    results: dict[str, Any] = {}
    for step in steps:
        needed = [results[name] for name in step.needs]
        results[step.name] = step.run(case, *needed)
    return results


def _make_plans(case: MappingCase) -> MappedPlans:
    plans = map_plans(case.ledger, case.source.plans, case.customers.values(), case.mapping)
    place_plans(case.ledger, plans, case.chosen)
    return plans


def _make_clients(case: MappingCase, plans: MappedPlans) -> None:
    for customer in case.source.customers:
        if case.customers[customer.username] is not customer:
            leave_out_duplicate(case.ledger, customer)
            continue
        plan = plans.name_by_customer.get(customer.username)
        map_client(case.ledger, customer, plan, case.mapping, case.keeps_passwords)
        leave_out_plan(case.ledger, customer, plans.refusals.get(customer.username, ""))


def _find_names(case: MappingCase) -> dict[str, NamedDomain]:
    return collect_names(case.ledger, case.source)


def _make_domains(case: MappingCase, names: Mapping[str, NamedDomain]) -> MappedDomains:
    return DomainMapper(case.ledger, names, case.customers, case.mapping).map_all()


def _make_zones(
    case: MappingCase, names: Mapping[str, NamedDomain], domains: MappedDomains
) -> None:
    ZoneMapper(case.ledger, case.source, names, domains, case.mapping).map_all()


def _make_mailboxes(case: MappingCase, domains: MappedDomains) -> list[ContentObject]:
    mapper = MailMapper(case.ledger, case.source, domains, case.mapping, case.keeps_passwords)
    return [
        ContentObject(row, {"from": address, "to": address}) for row, address in mapper.map_all()
    ]


def _make_databases(case: MappingCase) -> list[ContentObject]:
    return [
        ContentObject(row, {"from": name, "to": name, "definer": user})
        for row, name, user in _make_access_mapper(case).map_databases()
    ]


def _make_ftp_users(case: MappingCase) -> None:
    _make_access_mapper(case).map_ftp_users()


def _make_protections(case: MappingCase) -> None:
    _make_access_mapper(case).map_protections()


def _make_access_mapper(case: MappingCase) -> AccessMapper:
    return AccessMapper(
        case.ledger, case.source, case.customers, case.mapping, case.keeps_passwords
    )


def _make_tasks(case: MappingCase) -> None:
    map_tasks(case.ledger, case.source)


def _find_trees(case: MappingCase) -> list[ContentObject]:
    """Return the folders of customers, from where to where."""
    trees = []
    for customer in case.customers.values():
        owner = case.ledger.usernames[customer.username]
        for prefix in customer.paths:
            row = _name_folder(customer, prefix)
            target = find_path(prefix.source, customer.paths, case.mapping.paths)
            source_owner = prefix.owner or customer.username
            refusal = _explain_refusal(prefix.source, target, source_owner)
            if refusal:
                case.ledger.leave_field(row, CONTENT_FIELD, refusal)
                continue
            # The panel's own paths begin at the home of the client.
            tree: Item = {"from": prefix.source, "to": f"~{target}", "owner": owner}
            if source_owner != owner:
                tree["source_owner"] = source_owner
            if prefix.excluded:
                tree["exclude"] = list(prefix.excluded)
            trees.append(ContentObject(row, tree))
    return trees


def _explain_refusal(source: str, target: str | None, source_owner: str) -> str:
    """Return why the files of a folder are not copied; empty if they are."""
    if target is None:
        return NO_ROOT.format(quote_value(source))
    if source_owner == _ROOT:
        return _OF_ROOT
    return explain_unsendable([source, target, source_owner])


def _name_folder(customer: Customer, prefix: PathPrefix) -> RowName:
    """Return the row that a folder is about: its site, or else the customer."""
    if prefix.origin is None:
        return RowName(customer.username, "clients", customer.username, customer.origin)
    return RowName(customer.username, "domains", prefix.site, prefix.origin)


STEPS = (
    Step("plans", _make_plans),
    Step("clients", _make_clients, ("plans",)),
    Step("names", _find_names),
    Step("domains", _make_domains, ("names",)),
    Step("zones", _make_zones, ("names", "domains")),
    Step("mailboxes", _make_mailboxes, ("domains",)),
    Step("databases", _make_databases),
    Step("ftp_users", _make_ftp_users),
    Step("protections", _make_protections),
    Step("tasks", _make_tasks),
    Step("trees", _find_trees),
)
"""In the order of the lists in a result."""
