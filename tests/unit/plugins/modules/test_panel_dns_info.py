"""Reading zones: one, none, or those of all main domains."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.modules.panel_dns_info import OPERATION
from tests.support.tasks import run_task
from tests.support.transcript import NOT_FOUND, Dialogue, answer, call

ZONE = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": "",
    "later": "kept",
    "records": {"soa": {"ttl": 60}, "other": [{"host": "www", "ttl": 60, "type": "A", "value": "192.0.2.10"}]},
}
ACME = {"id": 31, "domain": "acme.example", "id_parent_domain": 0, "is_subdomain": False, "is_system_domain": False}
BETA = {"id": 40, "domain": "beta.example", "id_parent_domain": 0, "is_subdomain": 0, "is_system_domain": 0}
OTHERS = [
    {**ACME, "id": 32, "domain": "www.acme.example", "id_parent_domain": 31, "is_subdomain": True},
    {**ACME, "id": 33, "domain": "acme.server.panel.example", "is_system_domain": True},
    {"id": 34, "domain": "shop.acme.example", "id_parent_domain": 31},
]


def entry(domain: dict[str, Any]) -> dict[str, Any]:
    return {"domain": domain["domain"], "id": domain["id"], **ZONE}


@pytest.mark.parametrize(("options", "key"), [({"domain": "ACME.example"}, "name/acme.example"), ({"id": 31}, "31")])
def test_a_zone_has_the_name_and_the_id_of_its_domain(dialogue: Dialogue, options: dict[str, Any], key: str) -> None:
    client = dialogue(call("GET", f"/dns/{key}", answer(200, ZONE)), call("GET", f"/domains/{key}", answer(200, ACME)))
    result = run_task(OPERATION, client, options)
    assert result["dns"] == [entry(ACME)]
    assert result["changed"] is False


@pytest.mark.parametrize(("options", "key"), [({"domain": "acme.example"}, "name/acme.example"), ({"id": 31}, "31")])
def test_a_domain_without_a_zone_gives_an_empty_list(dialogue: Dialogue, options: dict[str, Any], key: str) -> None:
    client = dialogue(call("GET", f"/dns/{key}", answer(404, NOT_FOUND)))
    assert run_task(OPERATION, client, options)["dns"] == []


def test_without_a_key_the_zones_of_all_main_domains_are_read(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/domains", answer(200, [ACME, *OTHERS, BETA])),
        call("GET", "/dns/31", answer(200, ZONE)),
        call("GET", "/dns/40", answer(200, ZONE)),
    )
    assert run_task(OPERATION, client, {})["dns"] == [entry(ACME), entry(BETA)]


def test_a_domain_that_was_deleted_meanwhile_is_left_out(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/domains", answer(200, [ACME, BETA])),
        call("GET", "/dns/31", answer(404, NOT_FOUND)),
        call("GET", "/dns/40", answer(200, ZONE)),
    )
    assert run_task(OPERATION, client, {})["dns"] == [entry(BETA)]


def test_check_mode_reads_as_usual(dialogue: Dialogue) -> None:
    client = dialogue(call("GET", "/domains", answer(200, [])))
    assert run_task(OPERATION, client, {}, check_mode=True)["dns"] == []


@pytest.mark.parametrize("options", [{"domain": "a b"}, {"id": 0}, {"domain": "acme.example", "id": 31}])
def test_a_wrong_key_sends_nothing(dialogue: Dialogue, options: dict[str, Any]) -> None:
    assert run_task(OPERATION, dialogue(), options)["failed"]


def test_a_domain_that_is_listed_without_its_id_is_named(dialogue: Dialogue) -> None:
    result = run_task(OPERATION, dialogue(call("GET", "/domains", answer(200, [{**ACME, "id": None}]))), {})
    assert "GET /domains shows acme.example without its id." in result["msg"]


def test_a_record_whose_ttl_is_no_number_is_not_taken_for_one(dialogue: Dialogue) -> None:
    records = {"soa": {}, "other": [{"host": "www", "ttl": [60], "type": "A", "value": "192.0.2.10"}]}
    client = dialogue(call("GET", "/dns/31", answer(200, {**ZONE, "records": records})))
    assert "did not answer with a zone" in run_task(OPERATION, client, {"id": 31})["msg"]
