# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Domains: what is sent for each option, what counts as the same, owners and parents, and the choice of a certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import Conflict, OptionError
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._rows.difference import Resolved
from ansible_collections.hosting.panel.plugins.modules.panel_domain_info import OPERATION as INFO
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import NOT_FOUND, answer, call

Dialogue = Callable[..., PanelClient]
OPERATION = resource_operation(DOMAIN)
CLIENT, PARENT, CERTIFICATE = ("id_user",), ("id_parent_domain",), ("security", "id_certificate")

SECURITY: dict[str, Any] = {
    "id_certificate": 0,
    "lets_encrypt": False,
    "is_prefer_https": False,
    "is_hsts": False,
    "hsts_max_age": 10368000,
    "hsts_include": False,
    "hsts_preload": False,
}
# The whole object as the panel shows it (facts.md section 6).
CURRENT: dict[str, Any] = {
    "id": 31,
    "id_user": 21,
    "id_parent_domain": 0,
    "status": 1,
    "domain": "acme.example",
    "domain_utf8": "acme.example",
    "created_at": "2026-05-01T10:00:00+02:00",
    "php_version": "",
    "traffic": 0,
    "is_disabled": False,
    "delete_on": "2026-12-31T00:00:00+0000",
    "dkim_selector": "default",
    "dkim_record": "default._domainkey IN TXT ( x )",
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "is_subdomain": False,
    "is_system_domain": False,
    "is_email_domain": True,
    "is_email_sending_only": False,
    "target": {"target": "/acme.example/", "is_forwarding": False, "forwarding_type": 301},
    "security": SECURITY,
    "apache": {"http_directives": "", "https_directives": "Header set X 1\r\n"},
}
WRITABLE = {
    name: CURRENT[name]
    for name in (
        "domain",
        "php_version",
        "is_disabled",
        "delete_on",
        "dkim_selector",
        "is_dns_disabled",
        "is_email_domain",
        "is_email_sending_only",
        "apache",
    )
}
TARGET = {"target": "/acme.example/", "forwarding_type": 301}


def with_security(**members: Any) -> dict[str, Any]:
    return {**CURRENT, "security": {**SECURITY, **members}}


def test_every_option_reaches_the_wire_on_creation() -> None:
    options = {
        **WRITABLE,
        "id_user": 21,
        "id_parent_domain": 0,
        "delete_on": "2026-12-31",
        "target": TARGET,
        "security": SECURITY,
        "create_www_subdomain": True,
    }
    resolved = {CLIENT: Resolved(21), PARENT: Resolved(0), CERTIFICATE: Resolved(0)}
    assert plan_of(DOMAIN, options, None, resolved).body == options


def test_what_is_read_is_right_when_it_is_written_back() -> None:
    options = {**WRITABLE, "id_user": 21, "id_parent_domain": 0, "target": TARGET, "security": SECURITY}
    resolved = {CLIENT: Resolved(21), PARENT: Resolved(0), CERTIFICATE: Resolved(0)}
    plan = plan_of(DOMAIN, options, CURRENT, resolved)
    assert (plan.action, plan.body, plan.warnings) == ("none", {}, ())


@pytest.mark.parametrize("current", [CURRENT, None])
def test_a_member_that_the_panel_only_shows_is_accepted_and_not_sent(current: dict[str, Any] | None) -> None:
    options = {"domain": "acme.example", "id_user": 21, "target": {"is_forwarding": True}}
    assert "target" not in plan_of(DOMAIN, options, current, {CLIENT: Resolved(21)}).body
    changed = {**options, "target": {"is_forwarding": True, "forwarding_type": 302}}
    assert "is_forwarding" not in plan_of(DOMAIN, changed, current, {CLIENT: Resolved(21)}).body["target"]


@pytest.mark.parametrize(
    ("option", "written", "sent"),
    [
        ("php_version", "8.3", "8.3"),
        ("is_disabled", True, True),
        ("delete_on", "2027-01-31", "2027-01-31"),
        ("delete_on", "", None),
        ("dkim_selector", "mail", "mail"),
        ("is_email_domain", False, False),
        ("is_email_sending_only", True, True),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any, sent: Any) -> None:
    assert plan_of(DOMAIN, {**WRITABLE, option: written}, CURRENT).body == {option: sent}


@pytest.mark.parametrize(
    ("group", "member", "written", "sent"),
    [
        ("target", "target", "https://other.example/a/", "https://other.example/a/"),
        ("target", "target", "shop", "shop"),
        ("target", "target", "", "/"),
        ("target", "forwarding_type", 302, 302),
        ("security", "is_prefer_https", True, True),
        ("security", "is_hsts", True, True),
        ("security", "hsts_max_age", 0, 0),
        ("security", "hsts_include", True, True),
        ("security", "hsts_preload", True, True),
        ("apache", "http_directives", "Header set Y 2", "Header set Y 2"),
        ("apache", "https_directives", "", ""),
    ],
)
def test_one_changed_member_is_sent_in_its_group_without_read_only_ones(
    group: str, member: str, written: Any, sent: Any
) -> None:
    whole = {name: value for name, value in CURRENT[group].items() if name != "is_forwarding"}
    plan = plan_of(DOMAIN, {"domain": "acme.example", group: {member: written}}, CURRENT)
    assert plan.body == {group: {**whole, member: sent}}
    assert plan.before == {group: {member: CURRENT[group][member]}}
    assert plan.after == {group: {member: sent}}


@pytest.mark.parametrize(
    "written", ["/acme.example/", "acme.example", "/acme.example", "acme.example/", "//acme.example/"]
)
def test_slashes_around_a_directory_make_no_difference(written: str) -> None:
    assert plan_of(DOMAIN, {"domain": "acme.example", "target": {"target": written}}, CURRENT).action == "none"


@pytest.mark.parametrize(
    ("shown", "written", "action"),
    [
        ("https://x.example/", "https://x.example/", "none"),
        ("https://x.example/", "https://x.example", "update"),
        ("/Shop/", "/shop/", "update"),
        ("/", "", "none"),
        ("", "/", "none"),
    ],
)
def test_a_url_is_compared_as_it_is_written_and_a_directory_by_its_parts(shown: str, written: str, action: str) -> None:
    current = {**CURRENT, "target": {"target": shown, "is_forwarding": False, "forwarding_type": 301}}
    assert plan_of(DOMAIN, {"domain": "acme.example", "target": {"target": written}}, current).action == action


@pytest.mark.parametrize("written", ["ACME.Example", "acme.example.", "2026-12-31", "2026-12-31T01:00:00+01:00", "301"])
def test_other_spellings_of_the_same_value_change_nothing(written: str) -> None:
    options: dict[str, Any] = {"domain": "acme.example"}
    if written.startswith("2026"):
        options["delete_on"] = written
    elif written == "301":
        options["target"] = {"forwarding_type": written}
    else:
        options["domain"] = written
    assert plan_of(DOMAIN, options, CURRENT).action == "none"


def test_a_domain_is_looked_up_in_punycode(dialogue: Dialogue) -> None:
    current = {**CURRENT, "domain": "xn--bcher-kva.example", "domain_utf8": "bücher.example"}
    client = dialogue(call("GET", "/domains/name/xn--bcher-kva.example", answer(200, current)))
    assert run_task(OPERATION, client, {"domain": "BÜCHER.example"})["changed"] is False


# The owner and the parent domain


def test_a_main_domain_is_created_for_a_client_by_name(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/domains/name/acme.example", answer(404, NOT_FOUND)),
        call("GET", "/clients/name/acme", answer(200, {"id": 21, "username": "acme"})),
        call("POST", "/domains", answer(201, {"id": 31}), {"domain": "acme.example", "id_user": 21}),
    )
    result = run_task(OPERATION, client, {"domain": "acme.example", "client": "acme"})
    assert result["domain"] == {"id": 31, "domain": "acme.example", "id_user": 21}
    assert result["diff"] == {"before": {}, "after": {"domain": "acme.example", "client": "acme"}}


@pytest.mark.parametrize("parent", [{"parent_domain": "acme.example"}, {"id_parent_domain": 31}])
def test_a_subdomain_takes_the_owner_of_its_parent_domain(dialogue: Dialogue, parent: dict[str, Any]) -> None:
    where = "/domains/31" if "id_parent_domain" in parent else "/domains/name/acme.example"
    client = dialogue(
        call("GET", "/domains/name/shop.acme.example", answer(404, NOT_FOUND)),
        call("GET", where, answer(200, CURRENT)),
        call(
            "POST",
            "/domains",
            answer(201, {"id": 32}),
            {"domain": "shop.acme.example", "id_parent_domain": 31, "id_user": 21},
        ),
    )
    assert run_task(OPERATION, client, {"domain": "shop.acme.example", **parent})["changed"] is True


def test_a_main_domain_needs_a_client(dialogue: Dialogue) -> None:
    client = dialogue(call("GET", "/domains/name/acme.example", answer(404, NOT_FOUND)))
    result = run_task(OPERATION, client, {"domain": "acme.example", "parent_domain": ""})
    assert (
        result["msg"] == "client: missing; it is needed to create the domain acme.example, which is not on this panel."
    )


def test_an_unknown_client_fails_and_in_check_mode_warns(dialogue: Dialogue) -> None:
    calls = [
        call("GET", "/domains/name/acme.example", answer(404, NOT_FOUND)),
        call("GET", "/clients/name/acme", answer(404, NOT_FOUND)),
    ]
    client = dialogue(*calls, *calls)
    options = {"domain": "acme.example", "client": "acme"}
    result = run_task(OPERATION, client, options)
    assert result["msg"] == (
        "client: there is no client acme on this panel. Create it first, or correct the name. Nothing was written."
    )
    predicted = run_task(OPERATION, client, options, check_mode=True)
    assert (predicted["changed"], predicted["domain"]) == (
        True,
        {"id": None, "domain": "acme.example", "id_user": None},
    )
    (warning,) = predicted["warnings"]
    assert warning == (
        "client: there is no client acme on this panel. Check mode assumes that an earlier task creates it; "
        "otherwise the real run fails here."
    )


def test_an_unknown_parent_domain_fails_and_in_check_mode_warns(dialogue: Dialogue) -> None:
    calls = [
        call("GET", "/domains/name/shop.acme.example", answer(404, NOT_FOUND)),
        call("GET", "/domains/name/acme.example", answer(404, NOT_FOUND)),
    ]
    client = dialogue(*calls, *calls)
    options = {"domain": "shop.acme.example", "parent_domain": "acme.example"}
    assert (
        "parent_domain: there is no domain acme.example on this panel." in run_task(OPERATION, client, options)["msg"]
    )
    predicted = run_task(OPERATION, client, options, check_mode=True)
    assert (predicted["changed"], len(predicted["warnings"])) == (True, 1)


def test_another_client_is_an_error_with_both_values() -> None:
    with pytest.raises(Conflict) as caught:
        plan_of(DOMAIN, {"domain": "acme.example", "client": "beta"}, CURRENT, {CLIENT: Resolved(22)})
    assert caught.value.message == (
        "client: the domain acme.example exists with client id 21, the task wants beta (id 22). The panel cannot change that on an existing "
        "object. Correct the task. Nothing was written."
    )


def test_another_parent_domain_is_an_error() -> None:
    with pytest.raises(Conflict) as caught:
        plan_of(DOMAIN, {"domain": "acme.example", "id_parent_domain": 40}, CURRENT, {PARENT: Resolved(40)})
    assert caught.value.details == {"option": "id_parent_domain"}


@pytest.mark.parametrize("shown", [0, None, "0"])
def test_no_parent_domain_equals_none_however_the_panel_writes_it(shown: Any) -> None:
    current = {**CURRENT, "id_parent_domain": shown}
    plan = plan_of(DOMAIN, {"domain": "acme.example", "parent_domain": ""}, current, {PARENT: Resolved(0)})
    assert plan.action == "none"


# Flags of creation


def test_switching_dns_on_an_existing_domain_warns_and_names_the_module_that_does_it() -> None:
    plan = plan_of(DOMAIN, {"domain": "acme.example", "is_dns_disabled": True}, CURRENT)
    (warning,) = plan.warnings
    assert plan.action == "none"
    assert warning == (
        "is_dns_disabled counts only when a domain is created; acme.example exists with False and keeps it. "
        "Use hosting.panel.panel_dns with is_dns_disabled to switch it."
    )


def test_a_flag_that_the_panel_does_not_show_says_nothing_about_an_existing_domain() -> None:
    plan = plan_of(DOMAIN, {"domain": "acme.example", "create_www_subdomain": True}, CURRENT)
    assert (plan.action, plan.warnings) == ("none", ())


# Let's Encrypt or a certificate


def test_switching_to_lets_encrypt_takes_the_certificate_off() -> None:
    current = with_security(id_certificate=5)
    plan = plan_of(DOMAIN, {"domain": "acme.example", "security": {"lets_encrypt": True}}, current)
    assert plan.body == {"security": {**SECURITY, "lets_encrypt": True, "id_certificate": 0}}
    assert plan.before == {"security": {"lets_encrypt": False, "id_certificate": 5}}
    assert plan.after == {"security": {"lets_encrypt": True, "id_certificate": 0}}


def test_switching_to_a_certificate_switches_lets_encrypt_off() -> None:
    options = {"domain": "acme.example", "security": {"certificate": "acme 2026"}}
    plan = plan_of(DOMAIN, options, with_security(lets_encrypt=True), {CERTIFICATE: Resolved(5)})
    assert plan.body == {"security": {**SECURITY, "id_certificate": 5, "lets_encrypt": False}}
    assert plan.after == {"security": {"certificate": "acme 2026", "lets_encrypt": False}}


@pytest.mark.parametrize("shown", [{"id_certificate": None}, {}])
def test_what_the_panel_does_not_show_is_sent_as_off(shown: dict[str, Any]) -> None:
    current = {**CURRENT, "security": {"lets_encrypt": False, **shown}}
    plan = plan_of(DOMAIN, {"domain": "acme.example", "security": {"lets_encrypt": True}}, current)
    assert plan.body == {"security": {"lets_encrypt": True, "id_certificate": 0}}
    assert plan.after == {"security": {"lets_encrypt": True}}


def test_another_change_beside_a_certificate_does_not_touch_the_choice() -> None:
    options = {"domain": "acme.example", "security": {"is_hsts": True}}
    body = plan_of(DOMAIN, options, with_security(id_certificate=5)).body
    assert body == {"security": {**SECURITY, "id_certificate": 5, "is_hsts": True}}


def test_the_choice_that_the_domain_has_already_changes_nothing() -> None:
    resolved = {CERTIFICATE: Resolved(5)}
    by_name = {"domain": "acme.example", "security": {"certificate": "acme 2026", "lets_encrypt": False}}
    assert plan_of(DOMAIN, by_name, with_security(id_certificate=5), resolved).action == "none"
    encrypted = {"domain": "acme.example", "security": {"lets_encrypt": True, "id_certificate": 0}}
    assert plan_of(DOMAIN, encrypted, with_security(lets_encrypt=True), {CERTIFICATE: Resolved(0)}).action == "none"


def test_no_certificate_at_all() -> None:
    options = {"domain": "acme.example", "security": {"certificate": "", "lets_encrypt": False}}
    body = plan_of(DOMAIN, options, with_security(id_certificate=5), {CERTIFICATE: Resolved(0)}).body
    assert body == {"security": {**SECURITY, "id_certificate": 0}}


@pytest.mark.parametrize("certificate", [{"certificate": "acme 2026"}, {"id_certificate": 5}])
def test_lets_encrypt_together_with_a_certificate_is_an_error(certificate: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        plan_of(DOMAIN, {"domain": "acme.example", "security": {"lets_encrypt": True, **certificate}})
    option = f"security.{next(iter(certificate))}"
    assert caught.value.message == f"security.lets_encrypt: excludes {option}; give one of the two."


def test_a_certificate_by_name_is_looked_up_once(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/domains/name/acme.example", answer(200, CURRENT)),
        call("GET", "/certificates/name/acme%202026", answer(200, {"id": 5, "name": "acme 2026"})),
        call("PUT", "/domains/31", answer(200, {"id": 31}), {"security": {**SECURITY, "id_certificate": 5}}),
    )
    options = {"domain": "acme.example", "security": {"certificate": "acme 2026"}}
    result = run_task(OPERATION, client, options)
    assert (result["changed"], result["domain"]["security"]["id_certificate"]) == (True, 5)


def test_a_certificate_that_check_mode_does_not_find_is_assumed(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/domains/name/acme.example", answer(200, with_security(lets_encrypt=True))),
        call("GET", "/certificates/name/new", answer(404, NOT_FOUND)),
    )
    options = {"domain": "acme.example", "security": {"certificate": "new"}}
    result = run_task(OPERATION, client, options, check_mode=True)
    assert result["diff"]["after"] == {"security": {"certificate": "new", "lets_encrypt": False}}


def test_waiting_ends_when_the_domain_is_applied(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/domains/name/acme.example", answer(200, CURRENT)),
        call("PUT", "/domains/31", answer(200, {"id": 31}), {"is_disabled": True}),
        call("GET", "/domains/31", answer(200, {**CURRENT, "is_disabled": True})),
    )
    result = run_task(OPERATION, client, {"domain": "acme.example", "is_disabled": True, "wait": True})
    assert result["domain"] == {**CURRENT, "is_disabled": True}


# Reading

MAIN = {"id": 1, "domain": "a.example", "is_subdomain": False, "is_system_domain": False}
SUB = {"id": 2, "domain": "b.a.example", "is_subdomain": True, "is_system_domain": False}
SYSTEM = {"id": 3, "domain": "a.server.example", "is_subdomain": True, "is_system_domain": True}


@pytest.mark.parametrize(
    ("options", "query", "ids"),
    [
        ({}, None, [1, 2, 3]),
        ({"main_domains": True}, {"main_domains": "true"}, [1]),
        ({"subdomains": True}, {"subdomains": "true"}, [2]),
        ({"system_domains": True}, {"system_domains": "true"}, [3]),
        (
            {"main_domains": True, "subdomains": True, "system_domains": False},
            {"main_domains": "true", "subdomains": "true"},
            [1, 2],
        ),
        ({"system_domains": False}, None, [1, 2]),
        ({"main_domains": False, "subdomains": False}, None, [3]),
        ({"main_domains": False, "subdomains": False, "system_domains": False}, None, []),
        ({"sort": "domain", "order": "desc"}, {"sort": "domain", "order": "desc"}, [1, 2, 3]),
    ],
)
def test_classes_of_domains_are_asked_for_and_filtered_again(
    dialogue: Dialogue, options: dict[str, Any], query: dict[str, str] | None, ids: list[int]
) -> None:
    client = dialogue(call("GET", "/domains", answer(200, [MAIN, SUB, SYSTEM]), query=query))
    assert [domain["id"] for domain in run_task(INFO, client, options)["domains"]] == ids


def test_a_domain_that_shows_only_its_parent_is_told_apart_too(dialogue: Dialogue) -> None:
    domains = [{"id": 1, "id_parent_domain": 0}, {"id": 2, "id_parent_domain": 1}]
    client = dialogue(call("GET", "/domains", answer(200, domains), query={"subdomains": "true"}))
    assert run_task(INFO, client, {"subdomains": True})["domains"] == [domains[1]]


@pytest.mark.parametrize(("options", "path"), [({"domain": "Acme.Example"}, "name/acme.example"), ({"id": 31}, "31")])
def test_one_domain_or_an_empty_list(dialogue: Dialogue, options: dict[str, Any], path: str) -> None:
    client = dialogue(
        call("GET", f"/domains/{path}", answer(200, CURRENT)),
        call("GET", f"/domains/{path}", answer(404, NOT_FOUND)),
    )
    assert [run_task(INFO, client, options)["domains"] for _time in range(2)] == [[CURRENT], []]


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
def test_a_version_that_yaml_has_read_as_a_number_is_refused_before_it_is_another_one(in_bulk: bool) -> None:
    one = MemoryPanel()
    options = {"domain": "acme.example", "php_version": 8.10}
    operation, wanted = (
        (resources_operation(), {"resources": {"domains": [options]}}) if in_bulk else (OPERATION, options)
    )
    result = run_task(operation, one, wanted)
    assert (
        "php_version: 8.1 stands there as a number with a fraction, which loses the zeros at its end; write a text in quotes"
        in result["msg"]
    )
    assert one.calls == []
