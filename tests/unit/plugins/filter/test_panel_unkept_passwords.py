"""The filter hosting.panel.panel_unkept_passwords."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_unkept_passwords import (
    panel_unkept_passwords,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES

KEEPS_PASSWORD = {
    "another kind": {"kind": "domains"},
    "a password": {"after": {"password": "(new)"}},
    "a hash": {"after": {"password_hash": "(new)"}},
    "an update": {"action": "update"},
    "an update with a password": {"action": "update", "after": {"password": "(new)"}},
    "a deletion": {"action": "delete", "after": None},
    "a deletion of what had a generated password": {
        "action": "delete",
        "after": {"password": "(generated)"},
    },
}


def make_action(**fields: Any) -> dict[str, Any]:
    """Return the action of a plan that creates a mailbox without a password."""
    mailbox = {"action": "create", "kind": "emails", "key": "info@acme.example"}
    return {**mailbox, "before": None, "after": {"address": "info@acme.example"}, **fields}


def test_kinds_with_a_password_are_those_of_the_registry() -> None:
    actions = [make_action(kind=plural, key=plural) for plural in TABLES]
    with_password = [plural for plural, kind in TABLES.items() if kind.password is not None]

    assert panel_unkept_passwords(actions) == with_password
    assert "emails" in with_password
    assert "domains" not in with_password


@pytest.mark.parametrize("fields", KEEPS_PASSWORD.values(), ids=KEEPS_PASSWORD)
def test_an_object_with_a_password_or_without_need_of_one_is_not_named(
    fields: dict[str, Any],
) -> None:
    assert panel_unkept_passwords([make_action(**fields)]) == []


@pytest.mark.parametrize("action", ["create", "update"])
def test_an_object_whose_password_the_panel_makes_is_named_behind_new_ones(action: str) -> None:
    generated = make_action(action=action, key="acme", after={"password": "(generated)"})
    assert panel_unkept_passwords([generated, make_action()]) == ["info@acme.example", "acme"]
