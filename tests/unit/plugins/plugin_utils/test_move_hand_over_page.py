# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over page: what remains, and the next steps in their order."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move.differences import suspended_on
from ansible_collections.hosting.panel.plugins.plugin_utils._move.hand_over_page import next_steps, page_of, remaining
from ansible_collections.hosting.panel.plugins.plugin_utils._move.moved_zones import with_lowered_times


def facts(**changes: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "client": "acme",
        "source": "old.example",
        "target": "new.example",
        "at": "2026-11-21T15:00:00+00:00",
        "differences": [],
        "only_on_target": [],
        "suspended": [],
        "made": {"emails": ["info@acme.example"]},
        "main_domains": ["acme.example"],
        "credentials_file": "",
        "without_password": [],
        "remaining": remaining({}, {}),
        "name_servers": [],
        "lets_encrypt": [],
        "held_tasks": [],
        "zones_file": "zones.json",
        "wait": 0,
        "lowered": [],
    }
    return {**usual, **changes}


@pytest.mark.parametrize("size", [None, "5", True])
def test_a_size_that_is_no_number_is_unknown(size: Any) -> None:
    found = remaining({"resources": {"emails": [{"email": "info@acme.example", "size": size}]}}, {})
    assert "- Mails of info@acme.example: size unknown." in page_of(facts(remaining=found))


def test_what_remains_is_named_with_its_size() -> None:
    details = {
        "resources": {
            "domains": [{"target": {"target": "/acme/"}}, {"target": {"target": "https://far.example"}}, {}],
            "ftp_users": [{"home_directory": "/www/shop"}],
            "emails": [{"email": "info@acme.example", "size": 2048}],
            "databases": [{"database_name": "acme_shop"}],
        },
        "stats": {"disk_space": {"value": 4096}, "files": {"value": 12}},
    }
    found = remaining(details, {"2026": ["acme.example"]})
    assert found == {
        "files": {"disk_space": 4096, "count": 12, "folders": ["/acme/", "/www/shop"]},
        "mails": [{"name": "info@acme.example", "size": 2048}],
        "databases": [{"name": "acme_shop", "size": None}],
        "private_keys": [{"certificate": "2026", "domains": ["acme.example"]}],
    }
    page = page_of(facts(remaining=found))
    assert "- Files: 4.0 KiB in 12 files in all; folders /acme/, /www/shop." in page
    assert "- Content of the database acme\\_shop: size unknown." in page
    assert "- Certificate 2026 with its private key, used by acme.example." in page


def test_steps_are_named_only_where_there_is_something_to_do() -> None:
    few, many = (
        "\n".join(next_steps(facts())),
        "\n".join(
            next_steps(
                facts(
                    differences=["create  emails a"],
                    wait=86400,
                    lowered=["acme.example"],
                    name_servers=["ns1.old.example"],
                    lets_encrypt=["acme.example"],
                    held_tasks=["Backup"],
                    remaining=remaining({}, {"2026": []}),
                )
            )
        ),
    )
    for words in (
        "differences",
        "86400 seconds",
        "Let's Encrypt",
        "scheduled tasks",
        "private keys",
        "Raise the times to live of acme.example again, on the target; what they were is in zones.json.",
        "ns1.old.example",
    ):
        assert words not in few
        assert words in many
    assert few.index("Copy the files") < few.index("Switch the name servers") < few.index("hosting.panel.offboard")


def test_times_to_live_are_raised_only_in_zones_that_the_target_has_them_from_the_source_in() -> None:
    zones = [{"domain": "acme.example", "records": []}, {"domain": "plain.example", "state": "default"}]
    assert with_lowered_times(zones, {"acme.example": {}, "plain.example": {}}) == ["acme.example"]
    assert with_lowered_times(zones, {}) == []
    assert "Raise the times" not in page_of(facts(wait=86400))


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (True, True, "The client is suspended on the source and on the target.\n"),
        (True, False, "The client is suspended on the source.\n"),
        (False, True, "The client is suspended on the target.\n"),
        (False, False, ""),
    ],
)
def test_a_suspension_is_told_with_the_panels_that_have_it(source: bool, target: bool, words: str) -> None:
    other = {"username": "globex", "is_suspended": True}
    seen = [{"clients": [{"username": "acme", "is_suspended": state}, other]} for state in (source, target)]
    page = page_of(facts(suspended=suspended_on(*seen, "acme")))
    assert words in page
    assert ("is suspended" in page) == bool(words)


def test_texts_of_the_panels_cannot_become_markup() -> None:
    evil = "<script>alert(1)</script> [x](https://far.example) `a` | b\n# c"
    page = page_of(facts(made={"scheduled_tasks": [evil]}, only_on_target=[evil], without_password=[evil]))
    assert "<" not in page
    assert "[x](" not in page.replace("\\[x\\](", "")
    assert "\n# c" not in page
    assert " \\| b \\# c" in page
