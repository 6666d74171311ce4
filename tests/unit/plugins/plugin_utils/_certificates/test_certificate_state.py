# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state file holds of orders, certificates and challenge records."""

from __future__ import annotations

import base64
import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.ordering import recorded
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.state import (
    account_keys,
    challenges_in,
    entries_of,
    fingerprint,
    is_ours,
    issued_now,
    other_owner_of_key,
    with_account_key,
    with_challenges,
    with_entries,
    without_challenges,
    wrong_place,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.state_file import StateError, state_file
from tests.support.authority import Authority

PANEL, OTHER = "panel.example", "other.example"
ONE = {"zone": "acme.example", "host": "_acme-challenge.acme.example", "value": "one"}


ACCOUNT = {"directory": "https://ca.example/dir", "key": "k"}


def order(name: str, panel: str = PANEL, **members: Any) -> dict[str, Any]:
    made = {
        "panel": panel,
        "name": name,
        "names": ["acme.example"],
        "key_type": "ec256",
        "directory": "https://ca.example/dir",
    }
    return {**made, "private_key": f"key of {name}", "request": "csr", **members}


def test_what_orders_reached_takes_the_place_of_what_was_known_of_them(tmp_path: Path) -> None:
    certificate = Authority(tmp_path).issue("acme.example")[0].read_text(encoding="utf-8")
    content: dict[str, Any] = {"accounts": [ACCOUNT], "certificates": []}
    content = recorded(content, [order("a"), order("b"), order("c"), order("a", OTHER)])
    assert set(entries_of(content, "orders", PANEL)) == {"a", "b", "c"}
    changed = recorded(
        content,
        [
            order("a", certificate=certificate, chain="above"),
            order("b", is_over=True),
            order("c", order_uri="https://ca.example/7"),
        ],
    )
    assert entries_of(content, "certificates", PANEL) == {}, "what it was given stays as it was"
    (issued,) = changed["certificates"]
    assert (issued["name"], issued["private_key"], issued["chain"]) == ("a", "key of a", "above")
    assert issued["not_before"] < issued["not_after"]
    assert issued["not_after"].endswith("+00:00")
    assert {name: one.get("order_uri") for name, one in entries_of(changed, "orders", PANEL).items()} == {
        "c": "https://ca.example/7"
    }
    assert set(entries_of(changed, "orders", OTHER)) == {"a"}
    assert changed["accounts"] == [ACCOUNT]


def test_what_was_issued_before_stays_known_by_its_fingerprint(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    issued = [authority.issue("acme.example")[0].read_text(encoding="utf-8") for _number in range(3)]
    content: dict[str, Any] = {"certificates": []}
    for certificate in issued:
        content = recorded(content, [order("a", certificate=certificate, chain="above")])
    (kept,) = content["certificates"]
    assert kept["replaced"] == [fingerprint(certificate) for certificate in issued[:2]]
    for certificate in issued:
        assert is_ours({"components": {"certificate": certificate}}, kept)


def test_an_account_key_belongs_to_one_authority() -> None:
    older: dict[str, Any] = {"certificates": [], "account": {**ACCOUNT, "uri": "https://ca.example/acct/1"}}
    both = with_account_key(older, "https://other.example", "o")
    assert both == {"certificates": [], "accounts": [ACCOUNT, {"directory": "https://other.example", "key": "o"}]}
    assert account_keys(older) == {"https://ca.example/dir": "k"}
    ended = with_account_key(both, "https://ca.example/dir", "new")
    assert account_keys(ended) == {"https://ca.example/dir": "new", "https://other.example": "o"}
    # As after somebody has copied it by hand.
    copied = with_account_key(both, "https://third.example", "k\n")
    found = {where: other_owner_of_key(copied, where) for where in (*account_keys(copied), "https://new.example")}
    assert found == {
        "https://ca.example/dir": "https://third.example",
        "https://other.example": "",
        "https://third.example": "https://ca.example/dir",
        "https://new.example": "",
    }


def test_no_more_than_the_last_fingerprints_stay_known() -> None:
    blocks = [base64.b64encode(str(number).encode()).decode() for number in range(30)]
    certificates = [f"-----BEGIN CERTIFICATE-----\n{block}\n-----END CERTIFICATE-----\n" for block in blocks]
    content: dict[str, Any] = {"certificates": []}
    for certificate in certificates:
        content = with_entries(content, "certificates", [issued_now(content, order("a", certificate=certificate))])
    assert content["certificates"][0]["replaced"] == [fingerprint(certificate) for certificate in certificates[19:29]]


def test_the_certificate_of_another_panel_of_the_same_name_stays() -> None:
    content = with_entries({"certificates": []}, "certificates", [order("a"), order("a", OTHER)])
    again = with_entries(content, "certificates", [order("a", private_key="new")])
    assert [entries_of(again, "certificates", panel)["a"]["private_key"] for panel in (PANEL, OTHER)] == [
        "new",
        "key of a",
    ]


def test_challenge_records_are_known_until_they_are_removed_from_their_zone() -> None:
    two = {**ONE, "zone": "beta.example"}
    content = with_challenges({"certificates": []}, PANEL, [ONE, two])
    content = with_challenges(with_challenges(content, PANEL, [ONE]), OTHER, [ONE])
    assert [one["zone"] for one in challenges_in(content, PANEL)] == ["acme.example", "beta.example"]
    left = without_challenges(content, PANEL, {"acme.example"})
    assert [one["zone"] for one in challenges_in(left, PANEL)] == ["beta.example"]
    assert [one["zone"] for one in challenges_in(left, OTHER)] == ["acme.example"]


ORDER = order("acme")
ISSUED = {
    **ORDER,
    "certificate": "c",
    "chain": "",
    **dict.fromkeys(("not_before", "not_after"), "2026-11-22T00:00:00+00:00"),
}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ({"certificates": []}, ""),
        (
            {
                "certificates": [ISSUED],
                "orders": [ORDER],
                "challenges": [{"panel": PANEL, **ONE}],
                "accounts": [ACCOUNT],
            },
            "",
        ),
        ({"certificates": [], "account": {}}, ""),
        ({"certificates": [], "account": {**ACCOUNT, "uri": "https://ca.example/acct/1"}}, ""),
        ({"certificates": [], "accounts": [ACCOUNT, {"key": "of nobody knows whom"}]}, "accounts[1]"),
        ({"certificates": [], "account": {"key": "of nobody knows whom"}}, "account"),
        ({"certificates": [ISSUED, None]}, "certificates[1]"),
        ({"certificates": ["acme"]}, "certificates[0]"),
        ({"certificates": [{**ISSUED, "panel": ["a", "b"]}]}, "certificates[0]"),
        ({"certificates": [{**ISSUED, "names": "acme.example"}]}, "certificates[0]"),
        ({"certificates": [{**ISSUED, "names": [None]}]}, "certificates[0]"),
        ({"certificates": [{**ISSUED, "not_after": "soon"}]}, "certificates[0]"),
        ({"certificates": [{**ISSUED, "not_after": "2026-11-22T00:00:00"}]}, "certificates[0]"),
        (
            {"certificates": [{**ISSUED, "not_after": datetime.datetime(2026, 11, 22, tzinfo=datetime.UTC)}]},
            "certificates[0]",
        ),
        ({"certificates": [ORDER]}, "certificates[0]"),
        ({"certificates": [], "orders": [{"name": "acme"}]}, "orders[0]"),
        ({"certificates": [], "orders": {"name": "acme"}}, "orders"),
        ({"certificates": [], "challenges": [ONE]}, "challenges[0]"),
        ({"certificates": [], "account": "key"}, "account"),
    ],
)
def test_what_no_run_has_written_is_found(content: dict[str, Any], place: str) -> None:
    assert wrong_place(content) == place


def test_a_state_file_that_somebody_spoilt_is_told_with_the_place_and_without_what_it_holds(tmp_path: Path) -> None:
    vault = VaultLib(secrets=[("default", VaultSecret(b"secret"))])
    file = state_file(str(tmp_path), vault)
    spoilt = yaml.safe_dump({"certificates": [ISSUED, {**ISSUED, "panel": None, "private_key": "geheim"}]})
    Path(file.path).write_bytes(vault.encrypt(spoilt))
    with pytest.raises(StateError) as caught:
        file.check()
    assert str(caught.value) == (
        f"{file.path}: certificates[1] is not as this role writes it; the file is left as it is. Correct it with ansible-vault edit, or take "
        "the file from a backup."
    )
