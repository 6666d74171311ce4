# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the hand-over page is written anew, and whose password nobody knows."""

from __future__ import annotations

import json
from pathlib import Path

from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._move.compare_client import _is_new, _unknown_passwords
from ansible_collections.hosting.panel.plugins.plugin_utils._move.mapping import Rules
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import in_force
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsFile,
)

MADE = {"clients": ["acme"], "domains": ["acme.example"], "emails": ["a@acme.example", "b@acme.example"]}


def test_accounts_whose_password_was_lost_are_named(tmp_path: Path) -> None:
    file = CredentialsFile(str(tmp_path / "acme.yml"), VaultLib(secrets=[("default", VaultSecret(b"secret"))]))
    for panel, kind, key in (("new.example", "clients", "acme"), ("old.example", "emails", "b@acme.example")):
        ours = [Credential(panel=panel, kind=kind, key=key, password="canary")]
        file.change(lambda content, ours=ours: in_force(content, ours))
    rules = Rules("acme", passwords={("emails", "a@acme.example"): "given"})
    assert _unknown_passwords(MADE, rules, file, "new.example") == ["emails b@acme.example"]
    assert _unknown_passwords(MADE, Rules("acme"), None, "new.example") == [
        "clients acme",
        "emails a@acme.example",
        "emails b@acme.example",
    ]


def test_a_page_is_new_when_it_says_something_else_and_not_for_its_time(tmp_path: Path) -> None:
    page = tmp_path / "acme.md"
    facts = {"at": "2026-11-21", "differences": []}
    assert _is_new(page, facts)
    (tmp_path / "acme.json").write_text(json.dumps(facts), encoding="utf-8")
    assert _is_new(page, facts), "the page itself is missing"
    page.write_text("# Move", encoding="utf-8")
    assert not _is_new(page, {**facts, "at": "2026-11-22"})
    assert _is_new(page, {**facts, "differences": ["missing  emails a"]})
