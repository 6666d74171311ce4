# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over page: what remains, and the next steps in their order."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move_page import (
    next_steps,
    page_of,
    remaining,
)


def facts(**changes: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "client": "acme",
        "source": "old.example",
        "target": "new.example",
        "at": "2026-11-21T15:00:00+00:00",
        "differences": [],
        "only_on_target": [],
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
        "Raise the times",
        "ns1.old.example",
    ):
        assert words not in few
        assert words in many
    assert few.index("Copy the files") < few.index("Switch the name servers") < few.index("hosting.panel.offboard")


def test_texts_of_the_panels_cannot_become_markup() -> None:
    evil = "<script>alert(1)</script> [x](https://far.example) `a` | b\n# c"
    page = page_of(facts(made={"scheduled_tasks": [evil]}, only_on_target=[evil], without_password=[evil]))
    assert "<" not in page
    assert "[x](" not in page.replace("\\[x\\](", "")
    assert "\n# c" not in page
    assert " \\| b \\# c" in page
