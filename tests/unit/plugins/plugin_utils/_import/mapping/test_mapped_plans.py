"""Hosting plans of an import: what of a limit does not arrive is named."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._import.item_checks import CheckedItem
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    ExceededLimit,
    MappedSource,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping import plans
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    CronJob,
    Customer,
    Database,
    Domain,
    Forward,
    FtpUser,
    Limits,
    MailDomain,
    Origin,
    PathPrefix,
    Plan,
    Source,
)

# Some that the collection takes, and some that it refuses for one resource or for all of them.
_VALUES = st.sampled_from([None, -1, 0, 1, -2, 10**6, 10**30])
_LIMITS = st.builds(Limits, **dict.fromkeys(plans.RESOURCES.values(), _VALUES))
_CHOICES = st.sampled_from([None, ["anna"], ["anna", "bert"]])


@given(limits=_LIMITS, plan_count=st.integers(0, 2), clients=_CHOICES)
def test_each_limit_that_a_plan_loses_is_named_once_for_each_of_its_rows(
    limits: Limits, plan_count: int, clients: list[str] | None
) -> None:
    mapped = map_source(_make_source(limits, plan_count), read_mapping(None), clients=clients)

    (plan,) = mapped.resources[None]["plans"]
    requested = {
        option for option, name in plans.RESOURCES.items() if getattr(limits, name) is not None
    }
    dropped = requested - set(plan.get("resources", {}))
    rows = [entry["source"] for entry in mapped.carried if entry["kind"] == "plans"]
    customers = ["client:1", "client:2"] if clients != ["anna"] else ["client:1"]
    assert rows == ([f"plan:{number}" for number in range(plan_count)] or customers)
    named = Counter(
        (entry["source"], entry["field"]) for entry in mapped.left_out if entry["kind"] == "plans"
    )
    assert named == Counter((row, f"resources.{option}") for row in rows for option in dropped)


def test_a_plan_without_disk_space_is_named() -> None:
    mapped = map_source(_make_source(Limits(disk_space=0), 0), read_mapping(None))

    assert {
        (entry["source"], entry["field"]) for entry in mapped.left_out if entry["kind"] == "plans"
    } == {("client:1", "resources.disk_space"), ("client:2", "resources.disk_space")}


@pytest.mark.parametrize("clients", [None, ["anna"]])
@pytest.mark.parametrize("plan_count", [0, 2])
def test_a_client_whose_plan_is_refused_is_named(
    monkeypatch: pytest.MonkeyPatch, plan_count: int, clients: list[str] | None
) -> None:
    def refuse(*_arguments: Any) -> CheckedItem:
        return CheckedItem(None, {}, "It is refused.")

    monkeypatch.setattr(plans, "check_item", refuse)

    mapped = map_source(
        _make_source(Limits(domains=3), plan_count), read_mapping(None), clients=clients
    )

    named = {
        (entry["source"], entry.get("field"), entry["why"])
        for entry in mapped.left_out
        if entry.get("field") == "hosting_plan"
    }
    assert named == {
        (f"client:{number}", "hosting_plan", "It is refused.")
        for number in range(1, 3 if clients is None else 2)
    }
    assert not any(
        "hosting_plan" in client
        for items in mapped.resources.values()
        for client in items.get("clients", ())
    )


_SMALL = Limits(domains=1)
_LARGE = Limits(domains=9)
_OWN = Limits(domains=5, mailboxes=-1)
_OTHER = Limits(domains=6)


def _make_customers(*limits: Limits) -> tuple[Customer, ...]:
    """Return a customer for each of the limits, called a, b, c …, without a plan at the source."""
    return tuple(
        Customer(Origin("client", str(number)), "abcdefgh"[number], "", limit)
        for number, limit in enumerate(limits)
    )


def _list_plan_names(mapped: MappedSource) -> list[str]:
    """Return the hosting plan of each client, in the order of their names."""
    return [
        items["clients"][0]["hosting_plan"]
        for client, items in mapped.resources.items()
        if client is not None
    ]


def test_equal_limits_are_one_plan_that_has_the_name_of_one_with_these_limits() -> None:
    source = Source(
        customers=_make_customers(_SMALL, _OWN, _OTHER, _OWN, _SMALL),
        plans=(
            Plan(Origin("plan", "1"), "Web S", _SMALL),
            Plan(Origin("plan", "2"), "Web L", _LARGE),
            # Its name is one that the import would give.
            Plan(Origin("plan", "3"), "Import 1", Limits(domains=7)),
        ),
    )

    mapped = map_source(source, read_mapping(None))

    assert _list_plan_names(mapped) == ["Web S", "Import 2", "Import 3", "Import 2", "Web S"]
    assert {plan["name"]: plan["resources"] for plan in mapped.resources[None]["plans"]} == {
        "Web S": {"domains": 1},
        "Import 2": {"domains": 5, "email_accounts": -1},
        "Import 3": {"domains": 6},
    }
    unused = {entry["key"] for entry in mapped.left_out if entry["kind"] == "plans"}
    assert unused == {"Web L", "Import 1"}


def test_a_plan_that_the_operator_names_is_not_written_and_its_limits_are_not_guessed() -> None:
    source = Source(
        customers=_make_customers(_SMALL, _OWN, Limits(domains=1, databases=1)),
        plans=(Plan(Origin("plan", "1"), "Web S", _SMALL),),
        domains=tuple(
            Domain(Origin("site", f"{owner}{number}"), owner, f"{owner}{number}.example")
            for owner in "abc"
            for number in range(2)
        ),
    )

    mapped = map_source(
        source, read_mapping({"hosting_plans": {"Web S": "Small", "Import 1": "Large"}})
    )

    assert _list_plan_names(mapped) == ["Small", "Large", "Import 2"]
    assert [plan["name"] for plan in mapped.resources[None]["plans"]] == ["Import 2"]
    assert [entry["key"] for entry in mapped.left_out if entry["kind"] == "plans"] == ["Web S"]
    assert mapped.exceeded_limits == [ExceededLimit("c", "domains", 1, 2)]


@pytest.mark.parametrize(
    ("limits", "exceeded"),
    [
        (Limits(domains=2), []),
        (Limits(domains=-1), []),
        (Limits(), []),
        (Limits(domains=1), [ExceededLimit("a", "domains", 1, 2)]),
        (Limits(subdomains=0), [ExceededLimit("a", "subdomains", 0, 1)]),
        (Limits(mailboxes=0), [ExceededLimit("a", "email_accounts", 0, 1)]),
        (Limits(forwards=1), [ExceededLimit("a", "email_forwardings", 1, 2)]),
        (Limits(databases=0), [ExceededLimit("a", "databases", 0, 1)]),
        (Limits(ftp_users=0), [ExceededLimit("a", "ftp_users", 0, 1)]),
        (Limits(scheduled_tasks=0), [ExceededLimit("a", "scheduled_tasks", 0, 1)]),
    ],
)
def test_a_customer_above_a_limit_is_named_with_what_the_panel_counts(
    limits: Limits, exceeded: list[ExceededLimit]
) -> None:
    forward = ("x@elsewhere.example", "y@elsewhere.example")
    (customer,) = _make_customers(limits)
    source = Source(
        customers=(replace(customer, paths=(PathPrefix("/srv/a", "/www"),)),),
        domains=(
            Domain(Origin("site", "1"), "a", "a.example"),
            Domain(Origin("site", "2"), "a", "b.example"),
            Domain(Origin("site", "3"), "a", "x.a.example", parent="a.example"),
        ),
        mail_domains=(MailDomain(Origin("mail", "1"), "a", "a.example"),),
        forwards=(Forward(Origin("forward", "1"), "a", "f@a.example", forward),),
        databases=(Database(Origin("db", "1"), "a", "a_db", user="a_db"),),
        ftp_users=(FtpUser(Origin("ftp", "1"), "a", "a_ftp", "/srv/a"),),
        cron_jobs=(CronJob(Origin("cron", "1"), "a", "* * * * *", "/bin/true"),),
    )

    mapped = map_source(source, read_mapping(None))

    assert mapped.exceeded_limits == exceeded


def _make_source(limits: Limits, plan_count: int) -> Source:
    """Return two customers with equal limits, and so many plans with these."""
    return Source(
        customers=tuple(
            Customer(Origin("client", str(number)), name, "", limits)
            for number, name in enumerate(("anna", "bert"), 1)
        ),
        plans=tuple(
            Plan(Origin("plan", str(number)), f"Plan {number}", limits)
            for number in range(plan_count)
        ),
    )
