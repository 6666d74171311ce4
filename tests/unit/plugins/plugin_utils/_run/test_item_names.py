# SPDX-License-Identifier: GPL-3.0-or-later
"""A message names an item as the operator of a role typed it, where the role says how."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import yaml

from tests.support.in_memory import InMemory
from tools.layout import ROOT

# What a role hands on, by its name.
NAMES_OF_ROLES: dict[str, dict[str, str]] = {
    role: yaml.safe_load((ROOT / "roles" / role / "vars" / "main.yml").read_text("utf-8"))[
        f"__{role}_option_names"
    ]
    for role in ("site", "sites")
}
NAMES_OF_AWX: dict[str, str] = {
    "resources.clients[0].hosting_plan": "panels_hosting_plan",
    "resources.emails": "panels_mailboxes",
}
SEED: dict[str, Any] = {"clients": [{"username": "acme"}]}
CLIENT: dict[str, Any] = {"username": "newco", "email": "it@newco.example"}


def fail(names: dict[str, str], **resources: Any) -> str:
    """Return the message of a task that fails."""
    options = {"resources": resources, "credentials_file": None}
    result = InMemory(SEED).run(
        "panel_resources", task_vars={"__panel_option_names": names}, **options
    )
    assert result["failed"], result
    return str(result["msg"])


# By case the items, and how the message begins in the roles site and sites.
MISTAKES: dict[str, tuple[dict[str, Any], str, str]] = {
    "a client": (
        {"clients": [{**CLIENT, "email": "no address"}]},
        "site_client (newco) email: ",
        "client newco email: ",
    ),
    "a hosting plan": (
        {"plans": [{"name": "Gold", "resources": {"domains": "x"}}]},
        "site_plan (Gold) resources.domains: ",
        "plan Gold resources.domains: ",
    ),
    "a mailbox": (
        {"emails": [{"email": "a@newco.example", "client": "newco", "max_size": "1.5G"}]},
        "site_emails[0] (a@newco.example) max_size: ",
        "newco emails a@newco.example max_size: ",
    ),
    "a zone": (
        {"dns": [{"domain": "newco.example", "client": "newco", "records": []}]},
        "site_dns[0] (newco.example) domain: ",
        "newco dns newco.example domain: ",
    ),
    "a domain of a client that is not there": (
        {"domains": [{"domain": "newco.example", "client": "newco"}]},
        "site_domains[0] (newco.example) client: there is no client newco ",
        "newco domains newco.example client: there is no client newco ",
    ),
    "a mask in the place of a secret": (
        {"clients": [{**CLIENT, "password": "********"}]},
        "site_client (newco) password: holds ******** instead of a secret",
        "client newco password: holds ******** instead of a secret",
    ),
    "a text with a NUL character": (
        {"emails": [{"email": "a@newco.example", "client": "newco", "description": "a\0b"}]},
        "site_emails[0] (a@newco.example) description: holds a NUL",
        "newco emails a@newco.example description: holds a NUL",
    ),
    "a date that YAML has read": (
        {"clients": [{**CLIENT, "notes": datetime.date(2026, 11, 3)}]},
        "site_client (newco) notes: ",
        "client newco notes: ",
    ),
    "one object twice": (
        {"domains": [{"domain": "newco.example", "client": "newco"}] * 2},
        "site_domains[1] (newco.example): names the same object as site_domains[0].",
        "newco domains newco.example: names the same object as newco domains.",
    ),
}


@pytest.mark.parametrize("role_index", [1, 2], ids=["site", "sites"])
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_an_item_is_named_as_the_role_says(
    mistake: tuple[dict[str, Any], str, str], role_index: int
) -> None:
    role = ("", "site", "sites")[role_index]
    resources = mistake[0]

    message = fail(NAMES_OF_ROLES[role], **resources)

    assert message.startswith(str(mistake[role_index])), message
    assert not fail({}, **resources).startswith(str(mistake[role_index]))


@pytest.mark.parametrize("role", NAMES_OF_ROLES)
def test_every_list_of_a_customer_has_its_name_in_both_roles(role: str) -> None:
    """What is not in the table would be named by a list that the operator never saw."""
    kinds = {"clients", "plans", "domains", "dns", "certificates", "emails", "databases"}
    kinds |= {"ftp_users", "directory_protections", "scheduled_tasks"}

    names = NAMES_OF_ROLES[role]

    assert kinds <= {name.removeprefix("resources.").removesuffix("[0]") for name in names}


def test_a_variable_that_is_an_option_of_an_item_names_it_alone() -> None:
    client = {**CLIENT, "hosting_plan": "Busines"}

    message = fail({**NAMES_OF_ROLES["site"], **NAMES_OF_AWX}, clients=[client])

    assert message.startswith("panels_hosting_plan: there is no hosting plan Busines ")


def test_an_answer_to_a_question_takes_the_place_of_the_variable_of_the_role() -> None:
    mailbox = {"email": "no address", "client": "acme"}

    message = fail({**NAMES_OF_ROLES["site"], **NAMES_OF_AWX}, emails=[mailbox])

    assert message.startswith("panels_mailboxes[0] (no address) email: ")


def test_a_warning_names_the_item_as_the_role_says() -> None:
    names = NAMES_OF_ROLES["site"]
    domain = {"domain": "newco.example", "client": "newco"}
    result = InMemory(SEED).run(
        "panel_resources",
        task_vars={"__panel_option_names": names},
        resources={"domains": [{**domain, "client": "acme", "security": {"certificate": "gone"}}]},
        check_mode=True,
    )

    assert "site_domains[0] (newco.example)" in str(result.get("warnings") or result["msg"])


def test_words_of_an_operator_are_never_taken_for_a_placeholder() -> None:
    mailbox = {"email": "{client}", "client": "{key}", "max_size": "x"}

    message = fail(NAMES_OF_ROLES["sites"], emails=[mailbox])

    assert "{key} emails {client} max_size: " in message, message
