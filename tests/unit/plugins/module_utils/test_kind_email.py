# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""E-mail accounts: what is sent for each option, addresses in any spelling, the inherited owner, and passwords."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import Conflict, OptionError
from ansible_collections.hosting.panel.plugins.module_utils._kinds.email import EMAIL
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._rows.difference import Resolved
from tests.support.memory_panel import GENERATED, MemoryPanel
from tests.support.tasks import plan_of, run_task

OPERATION, INFO = resource_operation(EMAIL), info_operation(EMAIL)
MADE = GENERATED.format(1)
PATH = "/emails/name/info%40acme.example"

ACCOUNT: dict[str, Any] = {
    "id": 5,
    "status": 1,
    "id_user": 21,
    "email": "info@acme.example",
    "email_utf8": "info@acme.example",
    "description": "Front desk",
    "size": 4096,
    "max_size": 1073741824,
    "catch_all": False,
    "store_forwarded_emails": False,
    "aliases": ["office@acme.example", "hello@xn--bcher-kva.example"],
    "aliases_utf8": ["office@acme.example", "hello@bücher.example"],
    "forwardings": ["team@partner.example"],
    "forwardings_utf8": ["team@partner.example"],
}
SAME: dict[str, Any] = {
    "email": "info@acme.example",
    "description": "Front desk",
    "max_size": "1G",
    "catch_all": False,
    "store_forwarded_emails": False,
    "aliases": ["Hello@BÜCHER.example", "office@ACME.example."],
    "forwardings": ["Team@Partner.example"],
}


def panel(*accounts: dict[str, Any]) -> MemoryPanel:
    return MemoryPanel(
        {
            "/clients": [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}],
            "/domains": [{"id": 31, "domain": "acme.example", "id_user": 21}],
            "/emails": accounts,
        }
    )


def test_every_option_reaches_the_wire_on_creation() -> None:
    one = panel()
    options = {
        "email": "Info@ACME.example",
        "client": "acme",
        "description": "Front desk",
        "max_size": "2G",
        "catch_all": True,
        "store_forwarded_emails": "yes",
        "aliases": ["office@acme.example"],
        "forwardings": ["team@partner.example", "b@bücher.example"],
        "password": "s3cret-s3cret",
        "extra": {"expunge_junk": 30},
    }
    result = run_task(OPERATION, one, options)
    body = {
        "email": "info@acme.example",
        "id_user": 21,
        "description": "Front desk",
        "max_size": 2147483648,
        "catch_all": True,
        "store_forwarded_emails": True,
        "aliases": ["office@acme.example"],
        "forwardings": ["team@partner.example", "b@xn--bcher-kva.example"],
        "expunge_junk": 30,
    }
    assert one.calls == [
        ("GET", PATH, None),
        ("GET", "/clients/name/acme", None),
        ("GET", "/emails", None),
        ("GET", "/domains/name/acme.example", None),
        ("POST", "/emails", {**body, "password": "s3cret-s3cret"}),
    ]
    assert result["changed"] is True
    assert result["email"] == {"id": 32, **body}
    assert "s3cret" not in repr(result)


def test_the_owner_of_the_domain_owns_the_account_when_no_client_is_given() -> None:
    one = panel()
    run_task(OPERATION, one, {"email": "info@acme.example"})
    assert one.calls == [
        ("GET", PATH, None),
        ("GET", "/domains/name/acme.example", None),
        ("GET", "/emails", None),
        ("POST", "/emails", {"email": "info@acme.example", "id_user": 21}),
    ]


def test_the_owner_of_a_domain_in_utf8_is_found_by_its_punycode() -> None:
    one = panel()
    one.objects["/domains"].append({"id": 40, "domain": "xn--bcher-kva.example", "id_user": 22})
    run_task(OPERATION, one, {"email": "info@BÜCHER.example"})
    assert one.writes == [("POST", "/emails", {"email": "info@xn--bcher-kva.example", "id_user": 22})]


def test_an_account_of_a_domain_that_is_not_there_is_an_error_before_any_write() -> None:
    one = panel()
    result = run_task(OPERATION, one, {"email": "info@typo.example"})
    assert one.writes == []
    assert result["msg"] == (
        "email: there is no domain typo.example on this panel. Create it first, or correct the name. Nothing was written."
    )


def test_an_unknown_client_is_an_error_before_any_write_and_check_mode_goes_on_to_the_domain() -> None:
    one = panel()
    options = {"email": "info@acme.example", "client": "acne"}
    assert run_task(OPERATION, one, options)["msg"] == (
        "client: there is no client acne on this panel. Create it first, or correct the name. Nothing was written."
    )
    predicted = run_task(OPERATION, one, {**options, "email": "info@acne.example"}, check_mode=True)
    assert (predicted["failed"], one.writes) == (True, [])
    assert predicted["msg"].startswith("email: there is no domain acne.example on this panel.")


def test_a_second_run_sends_no_write() -> None:
    one = panel(ACCOUNT)
    result = run_task(OPERATION, one, {**SAME, "client": "acme"})
    assert (result["changed"], one.writes) == (False, [])
    assert result["diff"]["before"] == result["diff"]["after"]
    assert result["email"] == ACCOUNT


@pytest.mark.parametrize(
    ("option", "written", "sent"),
    [
        ("description", "Desk", "Desk"),
        ("description", "", ""),
        ("max_size", "2G", 2147483648),
        ("max_size", 1073741825, 1073741825),
        ("max_size", "-1", -1),
        ("catch_all", True, True),
        ("store_forwarded_emails", True, True),
        ("aliases", ["office@acme.example"], ["office@acme.example"]),
        ("aliases", [], []),
        ("aliases", "", []),
        ("forwardings", ["x@partner.example", "team@partner.example"], ["x@partner.example", "team@partner.example"]),
        ("forwardings", [], []),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any, sent: Any) -> None:
    one = panel(ACCOUNT)
    predicted = run_task(OPERATION, one, {**SAME, option: written}, check_mode=True)
    result = run_task(OPERATION, one, {**SAME, option: written})
    assert one.writes == [("PUT", "/emails/5", {option: sent})]
    assert result["email"] == predicted["email"] == {**ACCOUNT, option: sent}
    assert result["diff"] == predicted["diff"]


@pytest.mark.parametrize("spelling", ["info@xn--bcher-kva.example", "INFO@Bücher.EXAMPLE", "Info@BÜCHER.example."])
def test_an_address_is_the_same_in_every_spelling(spelling: str) -> None:
    account = {**ACCOUNT, "email": "info@xn--bcher-kva.example", "email_utf8": "info@bücher.example"}
    one = panel(account)
    result = run_task(OPERATION, one, {"email": spelling, "description": "Front desk"})
    assert one.calls == [("GET", "/emails/name/info%40xn--bcher-kva.example", None)]
    assert (result["changed"], result["email"]["id"]) == (False, 5)


@pytest.mark.parametrize("option", ["aliases", "forwardings"])
def test_addresses_of_a_list_are_the_same_in_every_spelling_and_order(option: str) -> None:
    account = {**ACCOUNT, option: ["A@bücher.example", "b@xn--bcher-kva.example"]}
    wanted = ["B@BÜCHER.example", "a@xn--bcher-kva.example", "a@bücher.example"]
    plan = plan_of(EMAIL, {"email": "info@acme.example", option: wanted}, account)
    assert plan.action == "none"


def test_two_spellings_in_a_list_are_sent_as_one_address() -> None:
    plan = plan_of(EMAIL, {"email": "info@acme.example", "aliases": ["a@bücher.example", "A@xn--bcher-kva.example"]})
    assert plan.body["aliases"] == ["a@xn--bcher-kva.example"]


@pytest.mark.parametrize("written", ["a@acme.example,B@acme.example", "a@acme.example, b@acme.example"])
def test_a_list_written_as_one_text_means_the_same_with_and_without_ansible(written: str) -> None:
    options = {"email": "info@acme.example", "aliases": written}
    one = panel(ACCOUNT)
    run_task(OPERATION, one, options)
    sent = {"aliases": ["a@acme.example", "b@acme.example"]}
    assert [call[2] for call in one.writes] == [sent]
    assert plan_of(EMAIL, options, ACCOUNT).body == sent


def test_another_owner_is_an_error_that_names_both() -> None:
    one = panel(ACCOUNT)
    result = run_task(OPERATION, one, {"email": "info@acme.example", "client": "rival", "catch_all": True})
    assert one.writes == []
    assert result["msg"] == (
        "client: the e-mail account info@acme.example exists with the client acme, the task wants the client rival. The panel cannot change "
        "that on an existing object. Correct the task. Nothing was written."
    )


def test_an_omitted_owner_is_not_compared() -> None:
    assert plan_of(EMAIL, {"email": "info@acme.example"}, {**ACCOUNT, "id_user": 99}).action == "none"


def test_another_owner_by_id_is_a_conflict_too() -> None:
    with pytest.raises(Conflict, match="exists with client id 21, the task wants 22"):
        plan_of(EMAIL, {"email": "info@acme.example", "id_user": 22}, ACCOUNT, {("id_user",): Resolved(22)})


def test_a_generated_password_is_returned_once() -> None:
    one = panel()
    first, second = (run_task(OPERATION, one, {"email": "info@acme.example"}) for _time in range(2))
    assert (first["changed"], first["generated_password"]) == (True, MADE)
    assert (second["changed"], "generated_password" in second) == (False, False)
    assert repr(first).count(MADE) == 1


def test_a_given_password_is_sent_later_only_when_asked_for() -> None:
    one = panel(ACCOUNT)
    options = {"email": "info@acme.example", "password": "s3cret-s3cret"}
    assert run_task(OPERATION, one, options)["changed"] is False
    assert one.writes == []
    result = run_task(OPERATION, one, {**options, "update_password": "always"})
    assert one.writes == [("PUT", "/emails/5", {"password": "s3cret-s3cret"})]
    assert "generated_password" not in result
    assert "s3cret" not in repr(result)


def test_a_new_password_is_asked_for_and_returned() -> None:
    one = panel(ACCOUNT)
    result = run_task(OPERATION, one, {"email": "info@acme.example", "regenerate_password": True})
    assert one.writes == [("PUT", "/emails/5", {"password": None})]
    assert result["generated_password"] == MADE


@pytest.mark.parametrize(("shown", "is_sent"), [("$6$old", True), ("$6$new", False)])
def test_a_hash_that_the_panel_shows_is_compared(shown: str, is_sent: bool) -> None:
    one = panel({**ACCOUNT, "password_hash": shown})
    result = run_task(OPERATION, one, {"email": "info@acme.example", "password_hash": "$6$new"})
    assert one.writes == ([("PUT", "/emails/5", {"password_hash": "$6$new"})] if is_sent else [])
    assert "$6$" not in repr(result)


def test_a_hash_that_the_panel_does_not_show_follows_update_password() -> None:
    one = panel(ACCOUNT)
    options = {"email": "info@acme.example", "password_hash": "$6$new"}
    assert run_task(OPERATION, one, options)["changed"] is False
    assert run_task(OPERATION, one, {**options, "update_password": "always"})["changed"] is True
    assert one.writes == [("PUT", "/emails/5", {"password_hash": "$6$new"})]


@pytest.mark.parametrize("option", ["password", "password_hash"])
def test_an_empty_password_is_refused_before_any_request(option: str) -> None:
    one = panel()
    result = run_task(OPERATION, one, {"email": "info@acme.example", option: ""})
    assert (result["error"]["option"], one.calls) == (option, [])


@pytest.mark.parametrize(
    ("option", "value", "form"),
    [
        ("email", "acme.example", "an e-mail address such as info@example.com, in punycode or UTF-8."),
        ("email", "", "an e-mail address such as info@example.com, in punycode or UTF-8."),
        ("max_size", "1.5G", "decimals are not allowed; -1 is unlimited."),
        ("max_size", "0", "a whole number of bytes from 1, or"),
        ("max_size", "", "a whole number of bytes from 1, or"),
        ("max_size", "-2", "a whole number of bytes from 1, or"),
        ("aliases", ["office"], "a list; each entry must be an e-mail address such as"),
        ("forwardings", ["a@b.example", ""], "a list; each entry must be an e-mail address such as"),
        ("client", "", "the name of a client, not empty and without upper case,"),
        ("client", "ACME", "the name of a client, not empty and without upper case,"),
        ("id_user", 0, "a whole number from 1."),
    ],
)
def test_a_wrong_value_names_the_option_and_the_form_before_any_request(option: str, value: Any, form: str) -> None:
    one = panel(ACCOUNT)
    result = run_task(OPERATION, one, {"email": "info@acme.example", option: value})
    assert one.calls == []
    assert result["error"] == {"type": "OptionError", "option": option}
    assert result["msg"].startswith(f"{option}: ")
    assert form in result["msg"]


def test_a_switch_that_is_none_names_the_option() -> None:
    with pytest.raises(OptionError, match=r"^catch_all: 'perhaps' is not accepted; it must be true or false\.$"):
        plan_of(EMAIL, {"email": "info@acme.example", "catch_all": "perhaps"})


def test_an_account_is_named_by_id_too() -> None:
    one = panel(ACCOUNT)
    result = run_task(OPERATION, one, {"id": 5, "description": "Desk"})
    assert one.calls == [("GET", "/emails/5", None), ("PUT", "/emails/5", {"description": "Desk"})]
    assert result["email"]["email"] == "info@acme.example"


def test_an_absent_account_stays_absent() -> None:
    one = panel(ACCOUNT)
    options = {"email": "INFO@acme.example", "state": "absent"}
    assert run_task(OPERATION, one, options, check_mode=True)["changed"] is True
    first, second = (run_task(OPERATION, one, options) for _time in range(2))
    assert one.writes == [("DELETE", "/emails/5", None)]
    assert (first["changed"], first["email"], second["changed"]) == (True, None, False)


def test_info_reads_all_accounts_with_one_request_and_no_secrets() -> None:
    one = panel({**ACCOUNT, "password_hash": "$6$x"}, {**ACCOUNT, "id": 6, "email": "a@acme.example"})
    result = run_task(INFO, one, {"sort": "email", "order": "asc"})
    assert one.calls == [("GET", "/emails", {"sort": "email", "order": "asc"})]
    assert [account["id"] for account in result["emails"]] == [6, 5]
    assert "$6$" not in repr(result)


def test_info_finds_one_account_in_any_spelling_or_none() -> None:
    one = panel({**ACCOUNT, "email": "info@xn--bcher-kva.example"})
    assert [a["id"] for a in run_task(INFO, one, {"email": "Info@Bücher.example"})["emails"]] == [5]
    assert run_task(INFO, one, {"email": "other@acme.example"})["emails"] == []
    assert run_task(INFO, one, {"id": 99})["emails"] == []


@pytest.mark.parametrize("way", [{"email": "info@acme.example"}, {"id": 5}])
@pytest.mark.parametrize(
    "shown", [{"aliases": None}, {"aliases": 5}, {"aliases": None, "forwardings": None, "catch_all": None}]
)
def test_a_change_needs_nothing_of_members_that_the_panel_shows_oddly(
    way: dict[str, Any], shown: dict[str, Any]
) -> None:
    there = panel({**ACCOUNT, **shown})
    result = run_task(OPERATION, there, {**way, "max_size": "2G"})
    assert result.get("changed"), result.get("msg")
    assert there.calls[-1] == ("PUT", "/emails/5", {"max_size": 2147483648})


def test_a_change_by_id_needs_no_address_in_the_answer() -> None:
    there = panel({name: value for name, value in ACCOUNT.items() if name != "email"})
    result = run_task(OPERATION, there, {"id": 5, "aliases": ["office@acme.example"]})
    assert result.get("changed"), result.get("msg")


def test_404_to_a_deletion_is_not_gone_while_the_list_shows_the_account() -> None:
    one = panel(ACCOUNT)
    one.delete = lambda path, before_repeat=None: False  # type: ignore[method-assign]
    result = run_task(OPERATION, one, {"email": "info@acme.example", "state": "absent"})
    assert result["error"]["type"] == "UnexpectedAnswer"
    assert (
        "DELETE /emails/5 answered 404, and the list shows the e-mail account with id 5 all the same" in result["msg"]
    )


@pytest.mark.parametrize("owner", [{"client": "rival"}, {"id_user": 22}, {"client": "nobody"}])
@pytest.mark.parametrize("check_mode", [False, True])
def test_an_account_of_another_client_is_not_deleted(owner: dict[str, Any], check_mode: bool) -> None:
    one = panel(ACCOUNT)
    result = run_task(OPERATION, one, {"email": "info@acme.example", "state": "absent", **owner}, check_mode=check_mode)
    assert result["error"]["type"] in ("Conflict", "UnknownReference")
    assert result["msg"].startswith(next(iter(owner)))
    assert one.writes == []
    assert run_task(OPERATION, one, {"id": 5, "state": "absent", **owner})["failed"]
    same = {"client": "acme"} if "client" in owner else {"id_user": 21}
    assert run_task(OPERATION, one, {"email": "info@acme.example", "state": "absent", **same})["changed"]
    # What is gone already is nobody's.
    assert run_task(OPERATION, one, {"email": "info@acme.example", "state": "absent", **owner})["changed"] is False
