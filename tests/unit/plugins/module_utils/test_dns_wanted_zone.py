"""The options of panel_dns: what is read, and the mistakes that are found before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns.wanted_zone import (
    WantedRecord,
    located,
    read_wanted_zone,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError

DOMAIN = {"domain": "acme.example"}
GOOD = {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.10"}


def record(**members: Any) -> dict[str, Any]:
    return {**GOOD, **members}


def without(name: str) -> dict[str, Any]:
    return {member: value for member, value in GOOD.items() if member != name}


def mistake(options: dict[str, Any]) -> OptionError:
    with pytest.raises(OptionError) as error:
        read_wanted_zone({**DOMAIN, **options})
    return error.value


def test_a_record_is_read_in_the_spelling_in_which_it_is_sent() -> None:
    given = {"host": "WWW.Acme.Example.", "type": "mx", "ttl": "60", "value": "10   mail.acme.example."}
    wanted = read_wanted_zone({"domain": "Acme.Example", "records": [given]})
    assert wanted.domain == "acme.example"
    assert wanted.records == (WantedRecord("records[0]", "www", "MX", 60, "10 mail.acme.example."),)


def test_a_mistake_in_a_record_is_named_with_its_place() -> None:
    for given, option in [
        (record(host="a b"), "records[1].host"),
        (record(host="www.other.example."), "records[1].host"),
        (record(host="."), "records[1].host"),
        (record(host=False), "records[1].host"),
        (record(host="a\u0378b"), "records[1].host"),
        (without("host"), "records[1].host"),
        (record(type=""), "records[1].type"),
        (record(type="A B"), "records[1].type"),
        (record(type="SOA"), "records[1].type"),
        (without("type"), "records[1].type"),
        (record(ttl=0), "records[1].ttl"),
        (record(ttl="1h"), "records[1].ttl"),
        (record(ttl=True), "records[1].ttl"),
        (record(value="1.2.3"), "records[1].value"),
        (record(value=""), "records[1].value"),
        (record(value=["192.0.2.10"]), "records[1].value"),
        (without("value"), "records[1].value"),
        ({**without("ttl"), "tll": 60}, "records[1].tll"),
        ("www A 192.0.2.10", "records[1]"),
    ]:
        assert mistake({"records": [GOOD, given]}).option == option


def test_options_that_do_not_go_together_are_named() -> None:
    for options, option in [
        ({"records": {"host": "www"}}, "records"),
        ({"domain": "a b"}, "domain"),
        ({"id": 1}, "domain"),
        ({"domain": None}, "domain"),
        ({"domain": None, "id": 0}, "id"),
        ({"soa": {}}, "soa"),
        ({"soa": []}, "soa"),
        ({"soa": {"serial": 1}}, "soa.serial"),
        ({"soa": {"ttl": "1d"}}, "soa.ttl"),
        ({"soa": {"refresh": 0}}, "soa.refresh"),
        ({"soa": {"primary_ns": "ns1"}}, "soa.primary_ns"),
        ({"soa": {"rname": "it@acme.example"}}, "soa.rname"),
        ({"append": True}, "records"),
        ({"purge": True}, "records"),
        ({"purge": True, "append": True, "records": []}, "purge"),
        ({"max_delete_percent": 101}, "max_delete_percent"),
        ({"max_delete_percent": -1}, "max_delete_percent"),
        ({"protect": ["@"]}, "protect[0]"),
        ({"protect": ["@ NS", "www.other.example. A"]}, "protect"),
        ({"protect": "@ NS"}, "protect"),
        ({"state": "absent"}, "records"),
        ({"state": "absent", "records": [record(value="")]}, "records[0].value"),
        ({"state": "absent", "records": [record(value="a\nb")]}, "records[0].value"),
        ({"state": "absent", "records": [], "soa": {"ttl": 60}}, "soa"),
        ({"state": "absent", "records": [], "purge": True}, "purge"),
        ({"state": "absent", "records": [], "append": True}, "append"),
        ({"state": "default", "records": []}, "records"),
        ({"state": "default", "soa": {"ttl": 60}}, "soa"),
        ({"state": "default", "purge": True}, "purge"),
        ({"is_dns_disabled": True, "records": []}, "is_dns_disabled"),
        ({"is_dns_disabled": False, "soa": {"ttl": 60}}, "is_dns_disabled"),
        ({"is_dns_disabled": False, "state": "default"}, "is_dns_disabled"),
        ({"is_dns_disabled": False, "state": "absent", "records": []}, "is_dns_disabled"),
    ]:
        assert mistake(options).option == option


def test_all_wrong_records_and_patterns_are_told_at_once_with_all_that_is_wrong_in_each() -> None:
    records = [
        record(host="a b", ttl="soon"),
        {"type": "A"},
        record(host="www.other.example."),
        record(host="x.other.example."),
        record(type="CNAME", value="a.example.", host="@"),
        GOOD,
        record(ttl=60),
    ]
    error = mistake({"records": records, "protect": ["@", "a b c"], "purge": True})
    assert [one.option for one in error.errors] == [
        "records[0].host",
        "records[0].ttl",
        "records[1].host",
        "records[1].value",
        "protect[0]",
        "protect[1]",
        "records[2].host",
        "records[3].host",
        "records[4]",
    ]
    assert error.message == " ".join(one.message for one in error.errors)


def test_a_host_that_only_looks_absolute_is_relative_and_gets_a_warning() -> None:
    wanted = read_wanted_zone({**DOMAIN, "records": [record(host="www.acme.example")]})
    assert wanted.records == (WantedRecord("records[0]", "www.acme.example", "A", 3600, "192.0.2.10"),)
    (warning,) = wanted.warnings
    assert warning == (
        "records[0].host: www.acme.example has no dot at its end, so it means www.acme.example.acme.example. "
        "Write the dot if the name is complete."
    )


def test_named_by_id_an_absolute_host_waits_for_the_domain() -> None:
    wanted = read_wanted_zone({"id": 31, "records": [record(host="www.acme.example.")]})
    assert [r.host for r in located(wanted, "acme.example").records or ()] == ["www"]
    with pytest.raises(OptionError) as error:
        located(wanted, "other.example")
    assert error.value.option == "records[0].host"
