# SPDX-License-Identifier: GPL-3.0-or-later
"""A message names the variable of a role or playbook that sets an option, where the task says which one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.in_memory import InMemory

SEED: dict[str, Any] = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "a@acme.example"}, {"email": "b@acme.example"}],
}
NAMES = {
    "max_deletes": "panel_max_deletes",
    "protect": "panel_protect",
    "purge": "panel_purge",
    "concurrency": "panel_concurrency",
    "expected_checksum": "panel_expected_checksum",
    "credentials_file": "panel_passwords_file",
}
EMAILS: dict[str, Any] = {"resources": {"emails": []}, "purge": ["emails"]}
# By case the options, and the option that the message begins with.
REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "too many deletions": ({**EMAILS}, "max_deletes"),
    "more deletions than allowed": ({**EMAILS, "max_deletes": 1}, "max_deletes"),
    "a protected object": (
        {"resources": {"emails": [{"email": "a@acme.example", "state": "absent"}]}, "protect": {"emails": ["a@*"]}},
        "protect",
    ),
    "another plan": ({**EMAILS, "max_deletes": 9, "expected_checksum": "0" * 64}, "expected_checksum"),
    "an empty checksum": ({**EMAILS, "expected_checksum": ""}, "expected_checksum"),
    "a type without a list": ({"resources": {}, "purge": ["emails"]}, "purge"),
    "a wrong type of purge": ({**EMAILS, "purge": ["emial"]}, "purge[0]"),
    "too many requests": ({**EMAILS, "concurrency": 99}, "concurrency"),
    "no number": ({**EMAILS, "max_deletes": "two"}, "max_deletes"),
    "null": ({**EMAILS, "max_deletes": None}, "max_deletes"),
    "an unknown type": ({**EMAILS, "protect": {"emial": []}}, "protect"),
    "an empty file": ({**EMAILS, "credentials_file": " "}, "credentials_file"),
}


@pytest.mark.parametrize(("options", "option"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_calls_an_option_by_the_variable_that_sets_it(options: dict[str, Any], option: str) -> None:
    plain = InMemory(SEED).run("panel_resources", **options)
    named = InMemory(SEED).run("panel_resources", task_vars={"__panel_option_names": NAMES}, **options)
    assert plain["failed"] and named["failed"]
    assert plain["msg"].startswith(f"{option}: ")
    assert named["msg"].startswith(f"panel_{option}: " if option != "credentials_file" else "panel_passwords_file: ")
    # What playbooks branch on stays as it is.
    assert {**named["error"], "mistakes": 0} == {**plain["error"], "mistakes": 0}


def test_the_advice_of_a_refusal_names_the_variable_too() -> None:
    named = InMemory(SEED).run("panel_resources", task_vars={"__panel_option_names": NAMES}, **EMAILS)
    assert named["msg"].endswith("Nothing was written. Set panel_max_deletes: 2 to allow this.")


@pytest.mark.parametrize("field", ["max_deletes", "purge"])
def test_words_of_an_operator_are_never_taken_for_an_option(field: str) -> None:
    seed = {**SEED, "clients": [{"username": "acme"}, {"username": field}]}
    options = {"resources": {"clients": [{"username": field, "state": "absent"}]}, "max_deletes": 0}
    named = InMemory(seed).run("panel_resources", task_vars={"__panel_option_names": NAMES}, **options)
    assert f": client {field}. Nothing was written." in named["msg"]
