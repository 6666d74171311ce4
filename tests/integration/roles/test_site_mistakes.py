# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator can get wrong with the role hosting.panel.site: a clear sentence, before anything is sent to the panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, RoleRun, assert_failed, assert_refused

CLIENT = {"username": "mueller", "password": "given-password"}


def _refused(run: RoleRun) -> str:
    """The output, in one line, of a run that sent nothing at all."""
    assert_refused(run)
    assert "Traceback" not in run.text
    assert "given-password" not in run.text
    return run.said


@pytest.fixture(scope="module")
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    return make_operator("mistakes")


def test_all_mistakes_are_reported_at_once_with_list_place_name_and_option(operator: Operator) -> None:
    variables: dict[str, Any] = {
        "site_client": CLIENT,
        "site_domains": [
            {"domain": "müller.example"},
            {"domain": "XN--MLLER-KVA.example"},
            {"domain": "two words.example"},
            {"domain": "shop.müller.example", "parent_domain": "müller.example", "id_parent_domain": 3},
        ],
        "site_dns": [
            {"domain": "müller.example", "records": [{"host": "www", "type": "A", "ttl": "soon", "value": "192.0.2.1"}]}
        ],
        "site_emails": [
            {"email": "info@müller.example", "password": "given-password", "max_size": "1.5G"},
            {"email": "nobody", "password": "given-password"},
            {"email": "lost@müller.example"},
        ],
        "site_databases": [{"database_name": "shop", "password": "given-password", "regenerate_password": True}],
        "site_ftp_users": [{"username": "web", "password": "given-password", "extra": {"id": 3}}],
        "site_certificates": [{"name": "c", "components": {"certificate": "no PEM"}}],
    }
    text = _refused(operator.site(variables, vault=False))
    for words in (
        "domains[1] (XN--MLLER-KVA.example): names the same object as domains[0].",
        "domains[2] (two words.example): domain:",
        "parent_domain|id_parent_domain",
        "dns[0] (müller.example): records",
        "emails[0] (info@müller.example): max_size: '1.5G' is not accepted;",
        "emails[1] (nobody): email: 'nobody' is not accepted;",
        "emails[2] (lost@müller.example): the panel would generate a password,",
        "databases[0] (shop):",
        "ftp_users[0] (web): extra: id is an option of its own;",
        "certificates[0] (c): components.certificate:",
        "Nothing was written.",
    ):
        assert words in text, words


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        pytest.param({}, "missing required arguments: site_client", id="no client"),
        pytest.param({"site_client": {"email": "it@acme.example"}}, "username", id="no username"),
        pytest.param(
            {"site_client": CLIENT, "site_emails": [{"email": "a@acme.example", "maxsize": "1G"}]},
            "maxsize",
            id="unknown option of an item",
        ),
        pytest.param(
            {"site_client": CLIENT, "site_emails": [{"email": "a@acme.example", "client": "other"}]},
            "client",
            id="owner of an item",
        ),
        pytest.param(
            {"site_client": CLIENT, "site_emails": [{"email": "a@acme.example", "api_url": "https://other.example"}]},
            "api_url",
            id="connection of an item",
        ),
        pytest.param({"site_client": {**CLIENT, "state": "absent"}}, "state", id="deletion of the client"),
        pytest.param(
            {"site_client": CLIENT, "site_plan": {"name": "Business"}, "site_hosting_plan": "Business"},
            "The hosting plan is named in site_plan and in site_hosting_plan; name it in one of them.",
            id="two plans",
        ),
        pytest.param({"site_client": CLIENT, "site_emails": {"email": "a@acme.example"}}, "site_emails", id="no list"),
    ],
)
def test_a_mistake_in_the_variables_is_named_before_anything_is_sent(
    operator: Operator, variables: dict[str, Any], words: str
) -> None:
    assert words in _refused(operator.site(variables, vault=False))


def _needs_a_file(operator: Operator, path: str) -> dict[str, Any]:
    return {"site_client": {"username": "mueller"}, "site_credentials_file": path}


def test_a_run_without_a_vault_secret_is_refused(operator: Operator) -> None:
    text = _refused(operator.site(_needs_a_file(operator, str(operator.credentials)), vault=False))
    assert "this run has no Vault secret" in text
    assert not operator.credentials.exists()


def test_a_file_that_is_not_encrypted_is_refused_and_kept(operator: Operator) -> None:
    plain = operator.folder / "plain.yml"
    plain.write_text("generated_passwords: []\n", encoding="utf-8")
    text = _refused(operator.site(_needs_a_file(operator, str(plain))))
    assert "is not encrypted with Ansible Vault" in text
    assert plain.read_text(encoding="utf-8") == "generated_passwords: []\n"


def test_a_file_with_another_secret_is_refused_and_kept(operator: Operator) -> None:
    other = operator.folder / "other.yml"
    other.write_text("generated_passwords: []\n", encoding="utf-8")
    operator.vault("encrypt", str(other))
    before = other.read_bytes()
    operator.vault_password_file.write_text("another one", encoding="utf-8")
    try:
        text = _refused(operator.site(_needs_a_file(operator, str(other))))
    finally:
        operator.vault_password_file.write_text("correct horse battery staple", encoding="utf-8")
    assert "none of this run's Vault secrets decrypts the file" in text
    assert other.read_bytes() == before


def test_a_folder_that_does_not_exist_is_refused_also_in_check_mode(operator: Operator) -> None:
    variables = _needs_a_file(operator, str(operator.folder / "missing" / "file.yml"))
    assert "does not exist; create it." in _refused(operator.site(variables, "--check"))


def test_the_name_of_a_plan_that_is_not_there_fails_before_the_first_write(operator: Operator) -> None:
    run = operator.site({"site_client": CLIENT, "site_hosting_plan": "Enormous"}, vault=False)
    assert_failed(run, "there is no hosting plan Enormous on this panel")
