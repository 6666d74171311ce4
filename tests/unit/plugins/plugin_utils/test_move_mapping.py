# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client shall have on another panel, and what stands against it."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move.mapping import CannotMove, Mapped, Rules, Seen, mapped
from ansible_collections.hosting.panel.plugins.plugin_utils._move.moved_zones import Substitutes, read_substitutes

SOURCE: dict[str, list[dict[str, Any]]] = {
    "clients": [{"username": "acme", "hosting_plan": "Business"}],
    "certificates": [{"name": "2026", "client": "acme"}],
    "domains": [
        {"domain": "acme.example", "client": "acme", "security": {"certificate": "2026", "is_hsts": True}},
        {"domain": "free.example", "client": "acme", "security": {"certificate": "", "lets_encrypt": True}},
    ],
    "emails": [{"email": "info@acme.example", "client": "acme"}],
    "databases": [],
    "scheduled_tasks": [
        {"client": "acme", "description": "Backup", "is_enabled": True},
        {"client": "acme", "description": "Old", "is_enabled": False},
    ],
}
BUSINESS = {"name": "Business", "resources": {"domains": 5}}
TARGET: dict[str, list[dict[str, Any]]] = {"plans": [{"name": "Business"}], "clients": []}


def seen(target: dict[str, list[dict[str, Any]]] | None = None, **source: Any) -> Seen:
    return Seen(copy.deepcopy({**SOURCE, **source}), [BUSINESS], Substitutes(), {**TARGET, **(target or {})})


def result(target: dict[str, list[dict[str, Any]]] | None = None, rules: Rules | None = None, **source: Any) -> Mapped:
    return mapped(seen(target, **source), rules or Rules("acme"))


def mistakes(target: dict[str, list[dict[str, Any]]] | None = None, rules: Rules | None = None, **source: Any) -> str:
    with pytest.raises(CannotMove) as raised:
        result(target, rules, **source)
    return str(raised.value)


def test_several_mistakes_are_listed_beside_the_message_and_a_single_one_is_the_message() -> None:
    several, single = CannotMove("ttl: wrong.", "page: wrong."), CannotMove("ttl: wrong.")
    assert (str(several), several.members) == (
        "ttl: wrong. page: wrong.",
        {"mistakes": ["ttl: wrong.", "page: wrong."]},
    )
    assert (str(single), single.members) == ("ttl: wrong.", {})


def test_a_plan_keeps_its_name_or_gets_the_mapped_or_the_only_one() -> None:
    assert result().resources["clients"][0]["hosting_plan"] == "Business"
    small = {"plans": [{"name": "Small"}]}
    assert result(small, Rules("acme", plans={"Business": "Small"})).resources["clients"][0]["hosting_plan"] == "Small"
    assert result(small, Rules("acme", hosting_plan="Small")).resources["clients"][0]["hosting_plan"] == "Small"


def test_a_plan_that_the_target_lacks_is_refused_or_created_under_its_new_name() -> None:
    assert "no plan Business on the target" in mistakes({"plans": []})
    rules = Rules("acme", plans={"Business": "Business 2"}, create_plans=True)
    assert result({"plans": []}, rules).resources["plans"] == [{**BUSINESS, "name": "Business 2"}]
    said = mistakes(rules=Rules("acme", hosting_plan="Gone"))
    assert "no plan Gone (Business on the source)" in said


def test_a_plan_that_is_mapped_with_a_typing_mistake_is_not_taken_by_its_own_name() -> None:
    said = mistakes(rules=Rules("acme", plans={"Bizness": "Small", "Basic": "Small"}))
    assert "plans: there is no plan Bizness on the source: did you mean Business, which this client has?" in said
    assert "plans: there is no plan business on" in mistakes(rules=Rules("acme", plans={"business": "Small"}))
    # Of other clients, on this panel or another one.
    others = Rules("acme", plans={"Basic": "Small", "Business": "Business"})
    assert result(rules=others).resources["clients"][0]["hosting_plan"] == "Business"


def test_a_rule_for_what_is_nowhere_on_the_source_is_a_warning_with_what_may_be_meant() -> None:
    zone = {
        "domain": "acme.example",
        "records": [
            {"host": "@", "type": "MX", "ttl": 60, "value": "10 Mail.far.example."},
            {"host": "@", "type": "A", "ttl": 60, "value": "192.0.2.7"},
        ],
        "soa": {"primary_ns": "ns1.far.example."},
    }
    known = {"mail.far.example": "mail.new.example", "ns1.far.example": "ns1.new.example"}
    substitutes = Substitutes(
        {"192.0.2.7": "192.0.2.8", "192.0.2.9": "192.0.2.8"}, {**known, "serwer.old.example": "new.example"}
    )
    rules = Rules("acme", plans={"Basic": "Small", "Business": "Business"}, substitutes=substitutes)
    given = dataclasses.replace(seen(dns=[zone]), old=Substitutes({}, {"server.old.example": ""}))
    assert " ".join(mapped(given, rules).warnings) == (
        "plans: no plan on the source is called Basic, so what it becomes has no effect (move_plans in the role move). "
        "names: neither the source nor a record of the client has the name serwer.old.example, so what it becomes has no effect "
        "(move_names in the role move). Did you mean server.old.example? "
        "addresses: neither the source nor a record of the client has the address 192.0.2.9, so what it becomes has no effect "
        "(move_addresses in the role move)."
    )
    right = Rules("acme", substitutes=Substitutes({"192.0.2.7": "192.0.2.8"}, known))
    assert mapped(given, right).warnings == []


def test_a_client_whose_plan_is_not_told_needs_one_named() -> None:
    clients = [{"username": "acme"}]
    assert "does not tell which plan" in mistakes(clients=clients)
    rules = Rules("acme", hosting_plan="Business")
    assert result(rules=rules, clients=clients).resources["clients"][0]["hosting_plan"] == "Business"


def test_domains_are_made_without_certificates_whose_keys_nobody_can_read() -> None:
    found = result()
    assert "certificates" not in found.resources
    assert found.resources["domains"][0]["security"] == {"is_hsts": True}
    assert found.without_key == {"2026": ["acme.example"]}
    assert found.lets_encrypt == ["free.example"]


def test_a_certificate_that_was_brought_to_the_target_is_used() -> None:
    found = result({"certificates": [{"name": "2026", "client": "acme"}]})
    assert found.resources["domains"][0]["security"]["certificate"] == "2026"
    assert found.without_key == {}
    others = result({"certificates": [{"name": "2026", "client": "other"}]})
    assert others.without_key == {"2026": ["acme.example"]}


def test_new_tasks_wait_and_those_on_the_target_are_left_as_they_are() -> None:
    new, old = result().resources["scheduled_tasks"]
    assert (new["is_enabled"], old["is_enabled"]) == (False, False)
    there = {"scheduled_tasks": [{"client": "acme", "description": "Backup"}]}
    assert "is_enabled" not in result(there).resources["scheduled_tasks"][0]
    enabled = result(there, Rules("acme", enable_tasks=True))
    assert [task["is_enabled"] for task in enabled.resources["scheduled_tasks"]] == [True, False]
    assert (result().disabled_tasks, enabled.disabled_tasks) == (["Backup"], [])


def test_names_of_others_on_the_target_are_all_named() -> None:
    said = mistakes(
        {
            "admins": [{"username": "acme"}],
            "domains": [{"domain": "acme.example", "client": "other"}, {"domain": "free.example", "client": "acme"}],
            "emails": [{"email": "info@acme.example", "client": "other"}],
        }
    )
    assert "an admin acme" in said
    assert "domains acme.example: exists on the target, where it belongs to other." in said
    assert "emails info@acme.example" in said
    assert "free.example" not in said


def test_given_passwords_go_to_their_accounts_and_others_are_refused() -> None:
    rules = Rules("acme", passwords={("emails", "info@acme.example"): "canary"})
    assert result(rules=rules).resources["emails"][0]["password"] == "canary"
    said = mistakes(rules=Rules("acme", passwords={("emails", "nobody@acme.example"): "canary"}))
    assert "no emails nobody@acme.example" in said
    assert "canary" not in said
    assert "canary" not in repr(rules)


def test_a_zone_that_was_default_before_its_times_were_lowered_is_default_again() -> None:
    now = [{"host": "@", "type": "A", "ttl": 300, "value": "192.0.2.10"}]
    key = {"host": "default._domainkey", "type": "TXT", "ttl": 300, "value": "the key"}
    shown = {"host": "default._domainkey", "type": "TXT", "ttl": 300, "value": "<DKIM_RECORD_VALUE>"}
    before = {"is_custom_dns": False, "records": {"other": [{**now[0], "ttl": 86400}, key]}}
    zone = {"domain": "acme.example", "purge": True, "records": [*now, shown]}
    rules = Rules("acme", zones_before={"acme.example": before})
    assert result(rules=rules, dns=[zone]).resources["dns"] == [{"domain": "acme.example", "state": "default"}]
    changed = {**zone, "records": [{**now[0], "value": "192.0.2.99"}, shown]}
    assert result(rules=rules, dns=[changed]).resources["dns"] == [changed]
    custom = Rules("acme", zones_before={"acme.example": {**before, "is_custom_dns": True}})
    assert result(rules=custom, dns=[zone]).resources["dns"] == [zone]


def test_a_record_that_leads_to_the_source_has_to_be_mapped() -> None:
    zone = {"domain": "acme.example", "records": [{"host": "@", "type": "A", "ttl": 60, "value": "192.0.2.10"}]}
    here = Seen({**SOURCE, "dns": [zone]}, [], Substitutes({"192.0.2.10": ""}, {}), TARGET)
    with pytest.raises(CannotMove, match=r"dns acme\.example: @ A 192\.0\.2\.10 leads to the source"):
        mapped(here, Rules("acme"))
    rules = Rules("acme", substitutes=read_substitutes({"192.0.2.10": "198.51.100.20"}, {}))
    assert mapped(here, rules).resources["dns"][0]["records"][0]["value"] == "198.51.100.20"


def test_suspending_the_source_after_the_move_does_not_suspend_the_target() -> None:
    clients = [{"username": "acme", "hosting_plan": "Business", "is_suspended": True, "delete_on": "2031-01-01"}]
    assert result(clients=clients).resources["clients"] == clients
    there = {"clients": [{"username": "acme"}]}
    assert result(there, clients=clients).resources["clients"] == [{"username": "acme", "hosting_plan": "Business"}]


def test_what_was_read_is_not_changed() -> None:
    read = seen()
    before = copy.deepcopy(read.source)
    mapped(read, Rules("acme", passwords={("emails", "info@acme.example"): "canary"}))
    assert read.source == before


def omission(kind: str, key: str, option: str | None = None, **members: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, "reason": "it is odd", **({"option": option} if option else {}), **members}


FORWARDINGS = omission("emails", "info@acme.example", "forwardings", accepted=["boss@far.example"])


def test_a_new_object_gets_the_entries_of_a_list_that_can_be_copied() -> None:
    found = mapped(dataclasses.replace(seen(), left_out=[FORWARDINGS]), Rules("acme"))
    assert found.resources["emails"][0]["forwardings"] == ["boss@far.example"]
    assert found.left_out == [FORWARDINGS]


def test_a_list_of_what_the_target_has_already_is_left_as_it_is_there() -> None:
    there = {"emails": [{"email": "info@acme.example", "client": "acme"}]}
    found = mapped(dataclasses.replace(seen(there), left_out=[FORWARDINGS]), Rules("acme"))
    assert "forwardings" not in found.resources["emails"][0]
    assert found.left_out == [FORWARDINGS], "but whether it is complete cannot be told"


def test_what_is_not_taken_from_the_source_is_no_difference() -> None:
    left_out = [
        omission("clients", "acme", "hosting_plan"),
        omission("clients", "acme", "suspend_on"),
        omission("clients", "acme", "email"),
        omission("certificates", "2026", "components"),
        omission("certificates", "id 7"),
        omission("scheduled_tasks", "acme:id 8"),
    ]
    found = mapped(dataclasses.replace(seen(), left_out=left_out), Rules("acme"))
    assert found.left_out == [left_out[1], left_out[2], left_out[4], left_out[5]]
    there = {"clients": [{"username": "acme"}]}
    found = mapped(dataclasses.replace(seen(there), left_out=left_out), Rules("acme"))
    assert found.left_out == [left_out[2], left_out[4], left_out[5]]
