# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.site: an onboarding from an empty panel, in check mode, for real and again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.integration.roles.customers import GIVEN_PASSWORDS, customer
from tests.integration.roles.operators import Operator, plays_of
from tests.support.canaries import printed
from tests.support.playbook import GROUP, MODULE, defaults
from tests.support.simulator import Simulator

GENERATED = {
    ("clients", "mueller"),
    ("emails", "info@xn--mller-kva.example"),
    ("databases", "mueller_shop"),
    ("ftp_users", "mueller_web"),
}


class _Unsafe(str):
    """A text that Ansible takes as it is."""


yaml.SafeDumper.add_representer(_Unsafe, lambda dumper, value: dumper.represent_scalar("!unsafe", str(value)))


class Onboarding(SimpleNamespace):
    """What happened in the runs of one onboarding, each with all of Ansible's output."""


def _variables_file(operator: Operator, variables: dict[str, Any]) -> str:
    """The customer's file with the given passwords in it: two in plain text, and one encrypted with Ansible Vault."""
    given = {
        "werkstatt@fahrrad-mueller.example": GIVEN_PASSWORDS["werkstatt@fahrrad-mueller.example"],
        "inge@müller.example": _Unsafe(GIVEN_PASSWORDS["inge@xn--mller-kva.example"]),
    }
    for mailbox in variables["site_emails"]:
        if mailbox["email"] in given:
            mailbox["password"] = given[mailbox["email"]]
    text = yaml.safe_dump(variables, allow_unicode=True)
    encrypted = operator.vault("encrypt_string", GIVEN_PASSWORDS["mueller_files"])
    encrypted = "!vault |\n" + "\n".join(
        f"      {line.strip()}" for line in encrypted.splitlines() if "!vault" not in line
    )
    entry = "  username: mueller_files\n"
    assert entry in text
    return text.replace(entry, f"{entry}  password: {encrypted}\n")


@pytest.fixture(scope="module")
def onboarding(make_operator: Callable[[str], Operator]) -> Onboarding:
    operator = make_operator("onboarding")
    made = Onboarding(variables=customer(str(operator.credentials)))
    file, loud = _variables_file(operator, made.variables), ("--diff", "-vvvv")
    made.check = operator.site(file, "--check", *loud)
    made.files_after_check = [path.name for path in operator.folder.iterdir()]
    made.first = operator.site(file, *loud)
    assert made.first.code == 0, made.first.text[-5000:]
    made.encrypted = operator.credentials.read_bytes()
    made.second = operator.site(file, *loud)
    made.check_again = operator.site(file, "--check", *loud)
    made.encrypted_again = operator.credentials.read_bytes()
    made.mode = operator.credentials.stat().st_mode & 0o777
    made.passwords, made.passwords_on_panel = operator.passwords(), operator.passwords_on_panel()
    made.objects = operator.simulator.state()["objects"]
    return made


def test_the_first_run_makes_every_object_with_one_write_in_the_order_of_dependency(onboarding: Onboarding) -> None:
    assert onboarding.first.code == 0, onboarding.first.text[-3000:]
    assert onboarding.first.writes == [
        "POST /hosting-plans",
        "POST /clients",
        "POST /certificates",
        *["POST /domains"] * 3,
        "PUT /dns/name/xn--mller-kva.example",
        *["POST /emails"] * 3,
        "POST /databases",
        *["POST /ftp-users"] * 2,
    ]


def test_a_main_domain_is_made_before_its_subdomain_whatever_their_order(onboarding: Onboarding) -> None:
    made = [request["body"]["domain"] for request in onboarding.first.requests if request["path"] == "/domains"]
    assert made == ["xn--mller-kva.example", "fahrrad-mueller.example", "shop.xn--mller-kva.example"]


def test_every_object_belongs_to_the_client(onboarding: Onboarding) -> None:
    bodies = {
        (request["path"], request["body"].get("id_user"))
        for request in onboarding.first.requests
        if request["method"] == "POST" and request["path"] not in ("/hosting-plans", "/clients")
    }
    assert {owner for _path, owner in bodies} == {next(item["id"] for item in onboarding.objects["clients"])}


def test_a_domain_gets_the_certificate_that_it_names(onboarding: Onboarding) -> None:
    certificate = onboarding.objects["certificates"][0]["id"]
    domains = {domain["data"]["domain"]: domain["data"] for domain in onboarding.objects["domains"]}
    assert domains["xn--mller-kva.example"]["security"]["id_certificate"] == certificate


def test_a_second_run_sends_no_write_and_changes_nothing(onboarding: Onboarding) -> None:
    assert onboarding.second.code == 0, onboarding.second.text[-3000:]
    assert onboarding.second.writes == []
    assert onboarding.second.recap["changed"] == 0
    assert onboarding.second.requests


def test_check_mode_on_an_empty_panel_predicts_the_changes_and_writes_nothing(onboarding: Onboarding) -> None:
    assert onboarding.check.code == 0, onboarding.check.text[-3000:]
    assert onboarding.check.writes == []
    assert onboarding.check.recap["changed"] == onboarding.first.recap["changed"] == 8
    assert "there is no client mueller on this panel" in onboarding.check.text.replace("\n", " ")


def test_check_mode_makes_no_file(onboarding: Onboarding) -> None:
    assert not [name for name in onboarding.files_after_check if "credentials" in name]


def test_check_mode_after_the_first_run_predicts_no_change(onboarding: Onboarding) -> None:
    assert onboarding.check_again.code == 0, onboarding.check_again.text[-3000:]
    assert onboarding.check_again.recap["changed"] == 0
    assert onboarding.check_again.writes == []


def test_the_credentials_file_is_encrypted_and_for_its_owner_only(onboarding: Onboarding) -> None:
    assert onboarding.encrypted.startswith(b"$ANSIBLE_VAULT;")
    assert onboarding.mode == 0o600


def test_the_credentials_file_holds_exactly_the_generated_passwords(onboarding: Onboarding) -> None:
    hidden = onboarding.passwords_on_panel
    assert onboarding.passwords.keys() == GENERATED
    assert onboarding.passwords == {name: hidden[name] for name in GENERATED}


def test_a_second_run_leaves_the_credentials_file_as_it_is(onboarding: Onboarding) -> None:
    assert onboarding.encrypted_again == onboarding.encrypted


def test_given_passwords_reach_the_panel_as_they_are(onboarding: Onboarding) -> None:
    passwords = {key: password for (_kind, key), password in onboarding.passwords_on_panel.items()}
    assert {name: passwords[name] for name in GIVEN_PASSWORDS} == GIVEN_PASSWORDS


def _printed(texts: str, variables: dict[str, Any], passwords: Iterable[str]) -> list[str]:
    """The forms of secrets that are in these texts."""
    key_lines = variables["site_certificates"][0]["components"]["private_key"].splitlines()
    secrets = [*GIVEN_PASSWORDS.values(), *passwords, key_lines[1]]
    return [form for secret in secrets for form in printed(secret) | {secret.replace("'", "''")} if form in texts]


def test_no_secret_is_in_ansibles_output(onboarding: Onboarding) -> None:
    text = onboarding.check.text + onboarding.first.text + onboarding.second.text + onboarding.check_again.text
    assert len(onboarding.passwords) == len(GENERATED)
    assert _printed(text, onboarding.variables, onboarding.passwords.values()) == []


def test_modules_in_processes_of_their_own_do_the_same_and_print_no_secret(
    make_operator: Callable[[str], Operator],
) -> None:
    operator = make_operator("modules")
    variables = customer(str(operator.credentials))
    del variables["site_databases"]
    for name, kept in {"site_domains": slice(1, 2), "site_emails": slice(2), "site_ftp_users": slice(1, 2)}.items():
        variables[name] = variables[name][kept]
    file, loud = _variables_file(operator, variables), ("--diff", "-vvvv")
    first, second = (operator.site(file, *loud, way=MODULE) for _run in range(2))
    assert first.code == 0, first.text[-3000:]
    assert first.writes == [
        *["POST /hosting-plans", "POST /clients", "POST /certificates", "POST /domains"],
        *["PUT /dns/name/xn--mller-kva.example", "POST /emails", "POST /emails", "POST /ftp-users"],
    ]
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text[-3000:]
    passwords, on_panel = operator.passwords(), operator.passwords_on_panel()
    assert passwords.keys() == {("clients", "mueller"), ("emails", "info@xn--mller-kva.example")}
    assert passwords == {name: on_panel[name] for name in passwords}
    given = {key: password for (_kind, key), password in on_panel.items() if (_kind, key) not in passwords}
    assert given.items() <= GIVEN_PASSWORDS.items()
    assert len(given) == 2
    assert _printed(first.text + second.text, variables, passwords.values()) == []


def test_the_output_names_every_object(onboarding: Onboarding) -> None:
    for name in ("shop.müller.example", "info@müller.example", "mueller_shop", "mueller_web", "Fahrrad Müller"):
        assert f"(item={name})" in onboarding.first.text


def test_an_existing_file_is_added_to_and_keeps_its_own_secret(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("folder")
    content = {
        "generated_passwords": [
            {"panel": "other.example", "kind": "clients", "key": "mueller", "password": "of another panel"}
        ],
        "note": "kept",
    }
    operator.credentials.write_text(yaml.safe_dump(content), encoding="utf-8")
    operator.vault("encrypt", "--encrypt-vault-id", "default", str(operator.credentials))
    variables = {"site_client": {"username": "mueller"}, "site_credentials_file": operator.credentials.name}
    run = operator.site(variables)
    assert run.code == 0, run.text[-3000:]
    after = yaml.safe_load(operator.vault("view", str(operator.credentials)))
    assert after["note"] == "kept"
    assert [entry["panel"] for entry in after["generated_passwords"]] == [
        "other.example",
        operator.simulator.url.partition("//")[2],
    ]


def test_a_run_that_dies_in_the_middle_keeps_its_passwords_and_the_next_one_completes_the_rest(
    make_operator: Callable[[str], Operator], simulator: Simulator
) -> None:
    operator = make_operator("bad day")
    variables = customer(str(operator.credentials))
    # The second mailbox and everything after it is refused.
    simulator.fault(
        {"kind": "status", "status": 500, "body": "json", "method": "POST", "path": "/emails", "skip": 1, "times": 9}
    )
    broken = operator.site(variables)
    assert broken.code != 0
    assert "500" in broken.text
    kept = operator.passwords()
    assert kept.keys() == {("clients", "mueller"), ("emails", "info@xn--mller-kva.example")}
    assert not [write for write in broken.writes if write == "POST /databases"]

    simulator.clear_faults()
    completed = operator.site(variables)
    assert completed.code == 0, completed.text[-3000:]
    assert completed.writes == [*["POST /emails"] * 2, "POST /databases", *["POST /ftp-users"] * 2]
    hidden = {("emails", item["email"]): item["hidden"]["password"] for item in simulator.objects("emails")}
    after = operator.passwords()
    assert {name: after[name] for name in kept} == kept
    assert {name: password for name, password in after.items() if name[0] == "emails"} == hidden


def test_a_login_url_is_handed_over_and_not_printed(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("login")
    use_it = {
        "name": "Use it",
        "ansible.builtin.copy": {
            "content": "{{ site_result | to_json }}",
            "dest": str(operator.folder / "result.json"),
        },
        "no_log": True,
    }
    plays = plays_of("site", tasks=[use_it])
    variables = {
        "site_client": {"username": "mueller"},
        "site_domains": [{"domain": "müller.example"}],
        "site_emails": [{"email": "old@müller.example", "state": "absent"}],
        "site_login_url": True,
        "site_credentials_file": str(operator.credentials),
    }
    run = operator.run(plays, variables, "-vvvv")
    assert run.code == 0, run.text[-3000:]
    result = json.loads((operator.folder / "result.json").read_text(encoding="utf-8"))
    assert result["login_url"].startswith(operator.simulator.url)
    assert result["login_url"] not in run.text
    assert result["client"]["username"] == "mueller"
    assert [domain["domain"] for domain in result["domains"]] == ["xn--mller-kva.example"]
    assert (result["plan"], result["emails"], result["credentials_file"]) == ({}, [], str(operator.credentials))
    check = operator.run(plays, variables, "--check")
    assert check.code == 0, check.text[-3000:]
    assert not [request for request in check.requests if request["path"].startswith("/login")]


def test_the_connection_comes_from_module_defaults_of_the_group(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("defaults")
    plays = plays_of("site", module_defaults={GROUP: defaults(operator.simulator)})
    variables = {"site_client": {"username": "mueller", "password": "given-password"}, "site_login_url": True}
    run = operator.run(plays, variables, vault=False, environment={"PANEL_API_URL": "", "PANEL_API_KEY": ""})
    assert run.code == 0, run.text[-3000:]
    assert run.writes == ["POST /clients"]
    assert not operator.credentials.exists()
