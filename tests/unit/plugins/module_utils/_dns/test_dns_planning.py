"""From a zone and what is wanted of it to one request.

Sets, ttls, order, purges, SOA, switches and refusals.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns.desired_zone import (
    read_desired_zone,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.planning import plan_zone
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_change import ZonePlan
from ansible_collections.hosting.panel.plugins.module_utils._errors import Conflict
from tests.support.transcript import SOA, make_custom_zone

DKIM = '"v=DKIM1; k=rsa; " "p=MIIB"'


def make_record(line: str, **further: Any) -> dict[str, Any]:
    """From "HOST TYPE TTL VALUE"."""
    host, kind, ttl, value = line.split(maxsplit=3)
    return {"host": host, "ttl": int(ttl), "type": kind, "value": value, **further}


NS1, NS2 = (
    make_record("@ NS 86400 ns1.panel.example."),
    make_record("@ NS 86400 ns2.panel.example."),
)
APEX = make_record("@ A 86400 192.0.2.10")
WWW4, WWW6 = make_record("www A 3600 192.0.2.10"), make_record("www AAAA 3600 2001:db8::10")
MX = make_record("@ MX 86400 10 mail.acme.example.")
SPF = make_record('@ TXT 86400 "v=spf1 a mx ~all"')
KEY = make_record(f"default._domainkey TXT 86400 {DKIM}")
CHALLENGE = make_record("_acme-challenge.www TXT 60 token")
RECORDS = [NS1, NS2, APEX, WWW4, WWW6, MX, SPF, KEY, CHALLENGE]


def make_zone(*records: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a zone of the panel that has its own records."""
    return make_custom_zone(
        *(records or RECORDS), dkim_record=f"default._domainkey IN TXT ( {DKIM} )", **fields
    )


def plan(options: dict[str, Any], current: dict[str, Any] | None = None) -> ZonePlan:
    """Plans, and proves on the way that a second run of the same task would change nothing."""
    requested = read_desired_zone({"domain": "acme.example", **options})
    current = make_zone() if current is None else current
    before = copy.deepcopy(current)
    planned = plan_zone(current, requested)
    assert current == before
    assert not plan_zone(planned.zone, requested).is_change

    return planned


def list_written_records(
    options: dict[str, Any], current: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The records that are sent."""
    planned = plan(options, current)
    assert planned.method == "PUT"
    assert planned.body.keys() == {"records"}
    assert planned.body["records"].keys() == {"soa", "other"}

    return planned.body["records"]["other"]


def get_refusal(options: dict[str, Any], current: dict[str, Any] | None = None) -> Conflict:
    """Return the error for which no plan is made."""
    with pytest.raises(Conflict) as error:
        plan(options, current)
    assert "Nothing was written." in str(error.value)
    return error.value


# Sets


def test_appended_values_get_the_ttl_of_their_set() -> None:
    requested = make_record("www A 60 192.0.2.20")
    sent = list_written_records({"append": True, "records": [requested, WWW4, CHALLENGE]})

    assert sent == [*RECORDS, {**requested, "ttl": 3600}]


def test_values_that_stay_do_so_as_they_are_spelled() -> None:
    odd = {**WWW4, "host": "WWW"}
    requested = [make_record("www A 3600 192.0.2.20"), WWW4]

    assert list_written_records(
        {"records": requested}, make_zone(odd, NS1, make_record("www A 3600 192.0.2.30"), MX)
    ) == [
        odd,
        NS1,
        MX,
        requested[0],
    ]


# Times to live


def test_without_a_ttl_a_new_value_gets_that_of_its_set() -> None:
    requested = [
        {"host": "www", "type": "A", "value": value} for value in ("192.0.2.10", "192.0.2.20")
    ]
    assert list_written_records({"records": requested}, make_zone(NS1, WWW4)) == [
        NS1,
        WWW4,
        make_record("www A 3600 192.0.2.20"),
    ]


def test_without_a_ttl_a_new_set_gets_the_ttl_of_most_records() -> None:
    assert (
        list_written_records({"records": [{"host": "x", "type": "A", "value": "192.0.2.1"}]})[-1][
            "ttl"
        ]
        == 86400
    )

    few = make_zone(WWW4, WWW6, NS1)
    assert (
        list_written_records({"records": [{"host": "x", "type": "A", "value": "192.0.2.1"}]}, few)[
            -1
        ]["ttl"]
        == 3600
    )


TWICE = [make_record("www A 300 192.0.2.10"), make_record("www A 600 192.0.2.10")]


@pytest.mark.parametrize("ttl", [300, 600, 60], ids=["first", "second", "another"])
def test_a_value_with_two_ttls_is_there_once_with_the_listed_one(ttl: int) -> None:
    """Plan one record, and look at the records that are sent and at the diff."""
    listed = {**TWICE[0], "ttl": ttl}
    planned = plan({"records": [listed]}, make_zone(NS1, *TWICE))

    assert planned.body["records"]["other"] == [NS1, listed]
    assert planned.before == {"records": ["www A 300 192.0.2.10", "www A 600 192.0.2.10"]}
    assert planned.after == {"records": [f"www A {ttl} 192.0.2.10"]}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"records": TWICE}, id="both are listed"),
        pytest.param({"records": [{**TWICE[0], "ttl": None}]}, id="no TTL is listed"),
        pytest.param({"records": TWICE[:1], "append": True}, id="one is appended"),
        pytest.param({"records": [NS1]}, id="another set is listed"),
    ],
)
def test_a_value_with_two_ttls_stays_if_the_task_does_not_say_otherwise(
    options: dict[str, Any],
) -> None:
    """Plan tasks that do not decide between the TTLs."""
    assert not plan(options, make_zone(NS1, *TWICE)).is_change


def test_a_purge_names_the_second_record_of_a_value_that_it_would_delete() -> None:
    """Refuse a purge whose only effect is that a value is there once."""
    error = get_refusal({"purge": True, "records": TWICE[:1]}, make_zone(*reversed(TWICE)))
    assert "would delete 1 of 2 records of acme.example" in str(error)
    assert "limit 30 %): www A 600 192.0.2.10. Nothing" in str(error)


# Appending and removing


@pytest.mark.parametrize(
    ("kind", "value", "actual"),
    [
        ("MX", "10 192.0.2.10.", "10 192.0.2.10"),
        ("MX", "10 2001:db8::1.", "10 2001:DB8::1"),
        ("MX", "70000 mail.acme.example.", "70000 mail"),
        ("MX", "mail.acme.example.", "mail.acme.example."),
        ("CNAME", "mü_l.example.", "mü_l.example."),
        ("A", "192.0.2.300", "192.0.2.300"),
    ],
)
def test_absent_removes_what_is_there_and_wrong(kind: str, value: str, actual: str) -> None:
    wrong = {"host": "old", "type": kind, "ttl": 3600, "value": actual}
    assert list_written_records(
        {"state": "absent", "records": [{**wrong, "value": value}]}, make_zone(WWW4, wrong)
    ) == [WWW4]


# Purges

EVERYTHING = {"purge": True, "max_delete_percent": 100}


def test_after_a_purge_the_given_order_holds() -> None:
    current = make_zone(make_record("x A 60 192.0.2.1"), *reversed(RECORDS))
    assert list_written_records({**EVERYTHING, "records": RECORDS}, current) == RECORDS


def test_a_purge_above_the_limit_is_refused_with_counts_limit_and_remedy() -> None:
    error = get_refusal({"purge": True, "records": [APEX, WWW4, WWW6]})
    assert str(error) == (
        "max_delete_percent: the purge would delete 3 of 9 records of acme.example (34 %, limit 30 %): @ MX 86400 10 mail.acme.example.; "
        '@ TXT 86400 "v=spf1 a mx ~all"; default._domainkey TXT 86400 "v=DKIM1; k=rsa; " "p=MIIB". Nothing was written. '
        "Add the missing records, or set max_delete_percent: 34."
    )
    assert error.as_result()["error"] == {
        "type": error.type_name,
        "option": "max_delete_percent",
        "removed": 3,
        "records": 9,
        "limit": 30,
    }


def test_a_purge_at_the_limit_passes() -> None:
    ten = [make_record(f"h{number} A 60 192.0.2.1") for number in range(10)]
    assert list_written_records({"purge": True, "records": ten[3:]}, make_zone(*ten)) == ten[3:]

    get_refusal({"purge": True, "records": ten[4:]}, make_zone(*ten))
    get_refusal({"purge": True, "records": ten[1:], "max_delete_percent": 0}, make_zone(*ten))


# CNAME


def test_a_cname_that_would_stand_beside_other_records_is_refused() -> None:
    error = get_refusal({"records": [make_record("www CNAME 60 other.example.")]})
    assert "www A 3600 192.0.2.10; www AAAA 3600 2001:db8::10; www CNAME 60 other.example." in str(
        error
    )
    assert "state: absent" in str(error)


def test_a_purge_may_replace_addresses_by_a_cname() -> None:
    cname = make_record("www CNAME 60 other.example.")
    assert list_written_records({**EVERYTHING, "records": [cname]}) == [NS1, NS2, CHALLENGE, cname]


# The SOA record


def test_soa_is_managed_member_by_member() -> None:
    planned = plan({"soa": {"refresh": 7200, "ttl": 86400}})
    assert planned.body == {"records": {"soa": {**SOA, "refresh": 7200}, "other": RECORDS}}
    assert planned.before == {"soa": {"refresh": 14400, "ttl": 86400}}
    assert planned.after == {"soa": {"refresh": 7200, "ttl": 86400}}


# The difference


def test_the_difference_has_the_managed_sets_only_sorted_by_host_and_type() -> None:
    requested = [
        make_record("www AAAA 60 2001:db8::1"),
        {**MX, "value": "10 MAIL"},
        make_record("@ A 60 192.0.2.1"),
    ]
    planned = plan({"records": requested})

    assert planned.before == {
        "records": [
            "@ A 86400 192.0.2.10",
            "@ MX 86400 10 mail.acme.example.",
            "www AAAA 3600 2001:db8::10",
        ]
    }
    assert planned.after == {
        "records": [
            "@ A 60 192.0.2.1",
            "@ MX 86400 10 mail.acme.example.",
            "www AAAA 60 2001:db8::1",
        ]
    }


# Switches


@pytest.mark.parametrize("actual", [True, False])
@pytest.mark.parametrize("requested", [True, False])
def test_dns_is_switched_only_when_the_panel_shows_otherwise(actual: bool, requested: bool) -> None:
    planned = plan({"is_dns_disabled": requested}, make_zone(is_dns_disabled=actual))
    assert planned.body == ({} if actual == requested else {"is_dns_disabled": requested})
    assert planned.before == {"is_dns_disabled": actual}
    assert planned.after == {"is_dns_disabled": requested}


@pytest.mark.parametrize(
    ("fields", "method"),
    [
        pytest.param({"is_custom_dns": False, "is_dns_disabled": False}, "", id="default zone"),
        pytest.param({"is_custom_dns": True, "is_dns_disabled": False}, "DELETE", id="custom zone"),
        pytest.param(
            {"is_custom_dns": False, "is_dns_disabled": True}, "DELETE", id="disabled zone"
        ),
    ],
)
def test_the_default_zone_is_restored_only_from_another(
    fields: dict[str, Any], method: str
) -> None:
    planned = plan({"state": "default"}, make_zone(**fields))
    assert planned.method == method
    assert planned.before == fields
    assert planned.after == {"is_custom_dns": False, "is_dns_disabled": False}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"records": []}, id="no records"),
        pytest.param({"records": [WWW4]}, id="records"),
        pytest.param({"soa": {"ttl": 60}}, id="SOA record"),
        pytest.param({"state": "absent", "records": [WWW4]}, id="absent records"),
    ],
)
def test_records_of_a_disabled_zone_are_refused(options: dict[str, Any]) -> None:
    assert "is_dns_disabled: false" in str(get_refusal(options, make_zone(is_dns_disabled=True)))


# A zone that is still to be created


def plan_for_new_domain(options: dict[str, Any]) -> ZonePlan:
    """Plan the zone of a domain that the same task creates."""
    return plan_zone(None, read_desired_zone({"domain": "acme.example", **options}))


def test_the_zone_of_a_new_domain_is_predicted_from_the_wanted_records() -> None:
    planned = plan_for_new_domain(
        {"records": [WWW4, {"host": "x", "type": "A", "value": "192.0.2.1"}]}
    )

    assert planned.is_change
    assert planned.zone["records"]["other"] == [WWW4, make_record("x A 86400 192.0.2.1")]


def test_a_ttl_that_one_record_gives_counts_for_the_others_of_its_set() -> None:
    requested = [
        {"host": "www", "type": "A", "value": "192.0.2.10"},
        make_record("www A 60 192.0.2.20"),
    ]
    assert list_written_records({"records": requested}, make_zone(NS1, WWW4)) == [
        NS1,
        {**WWW4, "ttl": 60},
        requested[1],
    ]


# What an approval allows


@pytest.mark.parametrize(
    ("other_zone", "is_same"),
    [
        pytest.param(make_zone(NS1, WWW4), True, id="the same zone"),
        pytest.param(make_zone(WWW4, NS1), True, id="another order"),
        pytest.param(make_zone(NS1, WWW4, SPF), True, id="another record that stays"),
        pytest.param(make_zone(NS1, {**WWW4, "ttl": 60}), False, id="another TTL"),
        pytest.param(make_zone(NS1), False, id="a value that is gone"),
        pytest.param(make_zone(NS1, WWW4, WWW6), False, id="a listed set with a value"),
    ],
)
def test_a_plan_has_the_same_effect_where_the_listed_sets_are_as_they_were(
    other_zone: dict[str, Any], is_same: bool
) -> None:
    options = {
        "records": [make_record("www A 300 192.0.2.20"), make_record("www AAAA 300 2001:db8::20")]
    }
    approved = plan(options, make_zone(NS1, WWW4))

    assert plan(options, other_zone).has_same_effect(approved) is is_same


def test_plans_for_other_values_of_the_soa_record_have_another_effect() -> None:
    options = {"soa": {"refresh": 7200}}
    first_zone, second_zone = make_zone(), make_zone()
    first_zone["records"]["soa"] = {"refresh": 14400}
    second_zone["records"]["soa"] = {"refresh": 3600}

    first_plan = plan(options, first_zone)

    assert first_plan.has_same_effect(plan(options, first_zone))
    assert not first_plan.has_same_effect(plan(options, second_zone))


def test_switching_a_zone_off_that_has_lost_a_record_has_another_effect() -> None:
    options = {"is_dns_disabled": True}
    approved = plan(options, make_zone(NS1, WWW4, is_dns_disabled=False))

    assert plan(options, make_zone(WWW4, NS1, is_dns_disabled=False)).has_same_effect(approved)
    assert not plan(options, make_zone(NS1, is_dns_disabled=False)).has_same_effect(approved)
