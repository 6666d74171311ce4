# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in the options of many objects, found without a panel."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._sites.check_objects import mistakes_in

MAILBOX = {"email": "info@acme.example", "max_size": "1G", "password": "canary-password"}


def _mistakes(*emails: Any, keeps_passwords: bool = False) -> list[str]:
    return mistakes_in({"emails": list(emails)}, keeps_passwords)


def test_right_options_are_no_mistake() -> None:
    assert _mistakes(MAILBOX) == []


def test_every_kind_accepts_an_empty_list() -> None:
    kinds = (
        "plans admins clients certificates domains dns emails databases ftp_users directory_protections scheduled_tasks"
    )
    assert mistakes_in({kind: [] for kind in kinds.split()}, keeps_passwords=False) == []


def test_an_unknown_kind_is_named_with_those_that_exist() -> None:
    (mistake,) = mistakes_in({"mailboxes": []}, keeps_passwords=False)
    assert mistake.startswith("mailboxes: there is no such kind; there are plans, admins, clients,")


@pytest.mark.parametrize("items", [{"email": "info@acme.example"}, ["info@acme.example"], "info@acme.example"])
def test_something_else_than_a_list_of_dictionaries_is_a_mistake(items: Any) -> None:
    assert mistakes_in({"emails": items}, keeps_passwords=False) == ["emails: must be a list of dictionaries."]


def test_a_wrong_value_is_reported_in_the_words_of_the_module() -> None:
    (mistake,) = _mistakes({**MAILBOX, "max_size": "1.5G"})
    assert mistake.startswith("emails[0] (info@acme.example): max_size: '1.5G' is not accepted; it must be")


def test_every_wrong_record_of_a_zone_is_a_mistake_of_its_own() -> None:
    records = [
        {"host": "www", "type": "A", "ttl": 60, "value": value} for value in ("192.0.2.256", "192.0.2.1", "nowhere")
    ]
    found = mistakes_in({"dns": [{"domain": "acme.example", "records": records}]}, keeps_passwords=False)
    assert [mistake.partition(" is not")[0] for mistake in found] == [
        "dns[0] (acme.example): records[0].value: '192.0.2.256'",
        "dns[0] (acme.example): records[2].value: 'nowhere'",
    ]


def test_an_unknown_option_is_reported_without_the_secret_beside_it() -> None:
    (mistake,) = _mistakes({**MAILBOX, "maxsize": "1G"})
    assert mistake.startswith("emails[0] (info@acme.example): maxsize.")
    assert "canary" not in mistake


def test_an_option_of_the_connection_is_a_mistake() -> None:
    assert _mistakes({**MAILBOX, "api_key": "canary-key"}) == [
        "emails[0] (info@acme.example): api_key: the connection is not an option of a single object."
    ]


def test_one_object_twice_is_a_mistake_in_every_spelling() -> None:
    twice = _mistakes({**MAILBOX, "email": "info@müller.example"}, {**MAILBOX, "email": "INFO@xn--mller-kva.example"})
    assert twice == ["emails[1] (INFO@xn--mller-kva.example): names the same object as emails[0]."]


def test_an_object_without_a_name_is_a_mistake() -> None:
    (mistake,) = _mistakes({"max_size": "1G", "password": "canary-password"})
    assert mistake.startswith("emails[0] (no name): one of the following is required: id, email")


def test_an_object_named_by_its_id_is_never_created_and_needs_no_password() -> None:
    assert _mistakes({"id": 5, "max_size": "1G"}) == []


@pytest.mark.parametrize(
    ("options", "generates"),
    [
        ({}, True),
        ({"password": "canary-password"}, False),
        ({"password_hash": "$6$canary"}, False),
        ({"regenerate_password": True}, True),
        ({"state": "absent"}, False),
    ],
)
def test_a_password_that_nobody_would_know_is_a_mistake_unless_it_is_kept(
    options: dict[str, Any], generates: bool
) -> None:
    item = {"email": "info@acme.example", **options}
    found = [mistake for mistake in _mistakes(item) if "nobody would know it" in mistake]
    assert len(found) == generates
    assert _mistakes(item, keeps_passwords=True) == []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("a\0b", "holds a NUL character, which the panel cannot keep; remove it."),
        ("\ud800", "holds half of a character (a lone surrogate), which is no Unicode; write the whole character."),
        (2**64, f"holds a number larger than {2**63 - 1}, which the panel cannot keep."),
        (float("inf"), "holds a number that is infinite, or none at all (.inf, .nan), which no request can hold."),
    ],
)
def test_a_value_that_no_request_can_hold_is_found_before_the_first_object_is_written(value: Any, problem: str) -> None:
    """The module of this object would refuse it, when those before it have been written."""
    assert _mistakes(MAILBOX, {"email": "b@acme.example", "password": "canary-password", "extra": {"more": value}}) == [
        f"emails[1] (b@acme.example): extra.more: {problem}"
    ]
