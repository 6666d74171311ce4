# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of an archive, from what a panel tells about a client."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._offboard.archive_content import (
    Material,
    archive_name,
    certificates_in,
    differing_from,
    files_of,
    joined_traffic,
    manifest_of,
    missing_objects,
    only_in_earlier,
    safe_name,
)

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"


def material(**changes: Any) -> Material:
    usual: dict[str, Any] = {
        "client": {"id": 7, "username": "acme", "is_suspended": False, "status": 1, "password_hash": "$6$hidden"},
        "resources": {"emails": [{"id": 3}]},
        "stats": {"disk_space": {"value": 5, "max": -1}},
        "traffic": {"2026-11": {"http": {"in": 1, "out": 2}}},
        "owned": {"emails": [{"id": 3, "email": "info@acme.example", "status": 3}]},
        "zones": [],
    }
    return Material(**{**usual, **changes})


def test_a_name_from_the_panel_never_leaves_the_folder() -> None:
    assert safe_name("../../etc/passwd") == "_.._etc_passwd"
    assert safe_name("..") == "_"
    assert safe_name("a/b\\c\0d e") == "a_b_c_d_e"
    assert len(safe_name("x" * 1000)) == 100
    assert archive_name("acme", "panel.example:8443", 7) == "acme-panel.example_8443-7"


def test_clients_with_long_names_have_folders_of_their_own() -> None:
    panel = f"{'panel' * 20}.example"
    assert archive_name("acme", panel, 7) != archive_name("acme", panel, 17)


def test_what_only_an_earlier_archive_has_is_named() -> None:
    zone = {"domain": "acme.example", "records": {"other": [{"host": "www", "type": "A", "value": "192.0.2.10"}]}}
    earlier = {"emails": [{"id": 3}, {"id": 4}], "databases": None, "dns": [zone, {"domain": "off.example"}]}
    assert only_in_earlier(earlier, material()) == ["emails 4", "dns acme.example www A 192.0.2.10"]
    assert only_in_earlier(earlier, material(owned={"emails": [{"id": 4}, {"id": 3}]}, zones=[zone])) == []


def test_a_month_of_which_the_panel_forgot_the_traffic_keeps_what_was_archived() -> None:
    some, none = {"http": {"in": 1, "out": 0}}, {"http": {"in": 0, "out": 0}}
    more = {"http": {"in": 2, "out": 0}}
    assert joined_traffic({"2025-01": some, "2025-02": some, "2025-03": some}, {"2025-02": none, "2025-03": more}) == {
        "2025-01": some,
        "2025-02": some,
        "2025-03": more,
    }
    assert joined_traffic({}, {"2025-02": none}) == {"2025-02": none}


def test_two_names_that_become_one_get_a_file_each() -> None:
    certificates = [
        {"id": number, "name": name, "components": {"certificate": PEM}} for number, name in enumerate("a /")
    ]
    certificates += [{"id": 9, "name": "?", "components": {"certificate": PEM}}]
    files, _left_out = files_of(material(owned={"certificates": certificates}))
    assert [path for path in files if path.startswith("certificates/")] == [
        "certificates/a.pem",
        "certificates/_.pem",
        "certificates/_-2.pem",
        "certificates/_-3.pem",
    ]


def test_no_file_holds_a_hash_or_a_key() -> None:
    certificate = {"id": 1, "name": "2026", "components": {"private_key": KEY, "certificate": f"{KEY}\n{PEM}"}}
    files, _left_out = files_of(material(owned={"certificates": [certificate]}))
    together = b"".join(files.values()).decode()
    assert "PRIVATE KEY" not in together
    assert "$6$hidden" not in together
    assert files["certificates/2026.pem"].decode() == f"{PEM}\n"


def test_a_chain_follows_its_certificate() -> None:
    second = PEM.replace("MIIB", "MIIC")
    assert certificates_in({"ca_certificate": second, "certificate": PEM}) == f"{PEM}\n{second}\n"
    assert certificates_in({"certificate": None}) == ""


def test_a_zone_that_bind_cannot_hold_is_left_out_and_says_why() -> None:
    soa = {"ttl": 1, "primary_ns": "ns.x.", "rname": "h.x.", "refresh": 1, "retry": 1, "expire": 1, "minimum": 1}
    good = {"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.10"}
    zones = [
        {"domain": "good.example", "records": {"soa": soa, "other": [good]}},
        {"domain": "bad.example", "records": {"soa": soa, "other": [{**good, "value": "no address"}]}},
        {"domain": "off.example", "is_dns_disabled": True, "records": None},
    ]
    files, left_out = files_of(material(zones=zones))
    assert "192.0.2.10" in files["zones/good.example.zone"].decode()
    assert sorted(left_out) == ["zones/bad.example.zone", "zones/off.example.zone"]
    assert "dns.json only" in left_out["zones/bad.example.zone"]
    assert json.loads(files["dns.json"])[1]["records"]["other"][0]["value"] == "no address"


def test_suspending_changes_no_fingerprint_and_everything_else_does() -> None:
    before = material()
    suspended = material(client={**before.client, "is_suspended": True, "status": 4})
    assert suspended.fingerprint == before.fingerprint
    for name in ("client", "resources", "stats", "traffic", "owned"):
        changed = dataclasses.replace(before, **{name: {**getattr(before, name), "new": 1}})
        assert changed.fingerprint != before.fingerprint, name


def test_the_manifest_says_what_is_in_each_file() -> None:
    files, left_out = files_of(material())
    manifest = manifest_of(material(), "panel.example", "2026-11-21T15:00:00+00:00", files, left_out)
    assert manifest["objects"] == {"emails": 1}
    assert set(manifest["files"]) == set(files)
    assert manifest["files"]["stats.json"]["bytes"] == len(files["stats.json"])


def test_an_object_that_only_the_resources_name_is_missing() -> None:
    resources = {"emails": [{"id": 3}, {"id": 4}], "unknown": [{"id": 1}]}
    assert missing_objects(resources, {"emails": [{"id": 3}]}) == ["emails 4"]


PLANNED = {
    "kind": "clients",
    "key": "acme",
    "id": 7,
    "also_deleted": {"emails": ["info@acme.example"]},
    "also_deleted_ids": {"emails": [3]},
}


@pytest.mark.parametrize(
    ("expected", "found", "differences"),
    [
        (None, material(owned={"emails": [{"id": 9}]}), []),
        (PLANNED, material(), []),
        ({}, None, []),
        ({}, material(owned={}), ["clients acme (id 7) was not there"]),
        (
            {**PLANNED, "also_deleted": {}, "also_deleted_ids": {}},
            None,
            ["clients acme (id 7) is there no more"],
        ),
        (
            PLANNED,
            material(owned={"emails": [{"id": 4, "email": "info@acme.example"}]}),
            [
                "emails info@acme.example (id 3) is there no more",
                "emails info@acme.example (id 4) was not there",
            ],
        ),
        (
            {**PLANNED, "also_deleted_ids": {"emails": [None]}},
            material(owned={"emails": [{"email": "info@acme.example"}]}),
            ["emails info@acme.example (id None) has no id, so it cannot be told from others"],
        ),
    ],
)
def test_what_is_not_as_it_was_planned_is_told_by_its_id(expected: Any, found: Any, differences: list[str]) -> None:
    assert differing_from(expected, found) == differences
