"""Which results of a task that registers nothing have a warning of lost passwords."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run.lost_passwords import (
    with_warning_of_lost_passwords,
)

PLACE = "site.yml:12"
ONE = {"generated_password": "Correct-horse-7"}
MANY = {"generated_passwords": [{"kind": "emails", "password": "Correct-horse-7"}]}


@pytest.mark.parametrize("passwords", [ONE, MANY])
def test_a_password_in_a_result_is_warned_of_after_what_the_module_warns_of(
    passwords: dict[str, Any],
) -> None:
    first, last = with_warning_of_lost_passwords({**passwords, "warnings": ["First."]}, PLACE)[
        "warnings"
    ]

    assert first == "First."
    assert last.startswith(f"{PLACE}: the panel generated a password")
    assert "Correct-horse-7" not in last


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param({"changed": True}, id="nothing was generated"),
        pytest.param({"generated_passwords": []}, id="no object got one"),
        pytest.param({**ONE, "failed": True}, id="a failure is printed"),
    ],
)
def test_what_has_no_password_or_is_printed_stays_as_it_is(returned: dict[str, Any]) -> None:
    assert with_warning_of_lost_passwords(returned, PLACE) == returned
