# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has changed on a panel since its export, as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.drift_page import page_of_drift
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import text_of

FOLDER = Path("panel")
MAILBOX = {"email": "info@acme.example", "max_size": 2**30, "aliases": ["a@acme.example", "b@acme.example"]}
EXPORTED = text_of({"emails": [MAILBOX], "dns": [{"domain": "acme.example", "state": "default"}]})


def page(before: str | None, after: str | None, path: str = "clients/acme.yml") -> str:
    return page_of_drift(FOLDER, [(FOLDER / path, before, after)], {}).text()


def test_nothing_differs() -> None:
    assert page_of_drift(FOLDER, [], {}).text() == "# No drift of `panel`\n\nThe panel is as the folder says.\n"


def test_what_is_gone_comes_first_and_sizes_are_as_people_write_them() -> None:
    now = text_of(
        {"emails": [{**MAILBOX, "max_size": 2**31, "aliases": ["a@acme.example"]}], "clients": [{"username": "x"}]}
    )
    assert (
        page(EXPORTED, now)
        == """\
# Drift of `panel`

Since it was exported, **1** object is gone from the panel, **1** was changed, and **1** is new. `hosting.panel.export` takes that over; \
`hosting.panel.apply` puts back what the folder says.

## Gone from the panel (1)

### `acme`

- gone: DNS zone `acme.example`

## New and changed on the panel (2)

### `acme`

- changed: e-mail account `info@acme.example`
  - `max_size`: `1G` → `2G`
  - `aliases`: not any more `b@acme.example`
- new: client `x`
"""
    )


@pytest.mark.parametrize(
    "before",
    [
        f"# a remark\n{EXPORTED}",
        EXPORTED.replace("1G", "1024M"),
        EXPORTED.replace("- a@acme.example\n      - b@acme.example", "- b@acme.example\n      - a@acme.example"),
    ],
)
def test_a_file_with_the_same_objects_is_named_and_shows_no_difference(before: str) -> None:
    assert before != EXPORTED
    assert page(before, EXPORTED).endswith("without another object: `clients/acme.yml`.\n")


def test_what_only_stands_in_another_file_is_not_gone() -> None:
    moved = page_of_drift(
        FOLDER, [(FOLDER / "clients/acme.yml", None, EXPORTED), (FOLDER / "clients/zcme.yml", EXPORTED, None)], {}
    ).text()
    assert "**0** objects are gone from the panel, **0** were changed, and **0** are new." in moved
    assert moved.endswith("without another object: `clients/acme.yml`, `clients/zcme.yml`.\n")


def test_a_file_belongs_to_the_client_of_its_name() -> None:
    assert "### `a/b c`" in page(None, EXPORTED, "clients/a%2Fb%20c.yml")
    assert "### Of other clients" in page(None, EXPORTED, "panel.yml")


@pytest.mark.parametrize(
    "before",
    ["{", "- a", "emails: 7", "emails: [7, {}]", "? [a]\n: b", "!!int x", "x: !unknown y", "emails: [{email: [1]}]"],
)
def test_what_is_no_object_counts_as_none(before: str) -> None:
    assert "**2** are new" in page(before, EXPORTED)


def test_an_encrypted_value_is_neither_decrypted_nor_shown() -> None:
    secret = (
        "emails:\n  - email: info@acme.example\n    password: !vault |\n      $ANSIBLE_VAULT;1.1;AES256\n      6162\n"
    )
    assert "6162" not in page(secret, EXPORTED)
