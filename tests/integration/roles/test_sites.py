# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.sites: several customers in one task, each with a file of passwords that is there before the panel knows them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.integration.roles.customers import customer
from tests.integration.roles.operators import Operator, Passwords, RoleRun, assert_failed, assert_refused, plays_of
from tests.support.playbook import MODULE

MakeOperator = Callable[[str], Operator]
PLAYS = plays_of("sites")
YAML_RESULTS = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}


def sites(operator: Operator, variables: dict[str, Any] | str, *words: str, **keywords: Any) -> RoleRun:
    return operator.run(PLAYS, variables, *words, environment=YAML_RESULTS, **keywords)


GIVEN_TO_SALES = "given {{ 6 * 7 }}!"


def customers() -> dict[str, Any]:
    """Two customers on one plan, one of them with something of every kind."""
    mueller = {name.removeprefix("site_"): value for name, value in customer(None).items()}
    acme = {
        "client": {"username": "acme", "password": "given-to-acme"},
        "plan": mueller["plan"],
        "domains": [{"domain": "acme.example"}],
        "emails": [{"email": "Info@ACME.example"}, {"email": "sales@acme.example"}],
    }
    return {"sites": [mueller, acme], "sites_credentials_dir": "credentials"}


def variables_file(operator: Operator) -> str:
    """The customers with two given passwords: one looks like a template, one is encrypted with Ansible Vault."""
    variables = customers()
    variables["sites"][1]["emails"][1]["password"] = "given to sales"
    lines = operator.vault("encrypt_string", "given to acme").splitlines()
    encrypted = "!vault |\n" + "\n".join(f"      {line.strip()}" for line in lines if "!vault" not in line)
    text = yaml.safe_dump(variables, allow_unicode=True)
    assert text.count("password: ") == 2
    return text.replace("password: given to sales", f"password: !unsafe '{GIVEN_TO_SALES}'").replace(
        "password: given-to-acme", f"password: {encrypted}"
    )


def kept(operator: Operator, name: str = "generated_passwords") -> Passwords:
    """The passwords in all files, by kind and key."""
    files = sorted((operator.folder / "credentials").glob("[!.]*"))
    return {key: password for file in files for key, password in operator.passwords(file, name).items()}


def on_panel(operator: Operator) -> Passwords:
    """The passwords that log in, by kind and key, but for those that were given."""
    found = operator.passwords_on_panel()
    return {name: password for name, password in found.items() if not password.startswith("given")}


class Story(SimpleNamespace):
    """The runs of two customers from an empty panel, and what was there after them."""


@pytest.fixture(scope="module")
def story(make_operator: MakeOperator) -> Story:
    operator = make_operator("two customers")
    folder = operator.folder / "credentials"
    folder.mkdir()
    variables = variables_file(operator)
    story = Story(check=sites(operator, variables, "--check", "--diff"))
    story.files_after_check = [path.name for path in folder.iterdir()]
    story.first = sites(operator, variables, "--diff", "-vvvv")
    story.files = {path.name: (path.read_bytes(), path.stat().st_mode & 0o777) for path in folder.iterdir()}
    story.second = sites(operator, variables, "--diff")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: file[0] for name, file in story.files.items()
    }
    assert {"given to acme", GIVEN_TO_SALES} <= set(operator.passwords_on_panel().values())
    story.passwords, story.passwords_on_panel = kept(operator), on_panel(operator)
    return story


def test_check_mode_shows_all_changes_and_writes_nothing(story: Story) -> None:
    assert story.check.code == 0, story.check.text
    assert (story.check.writes, story.files_after_check) == ([], [])
    assert story.check.recap["changed"] == 1
    assert "16 to create, 1 to update, 0 to delete, 0 unchanged" in story.check.text


def test_the_first_run_makes_everything_with_one_write_each_in_the_order_of_dependency(story: Story) -> None:
    assert story.first.code == 0, story.first.text[-3000:]
    assert story.first.writes == [
        "POST /hosting-plans",
        *["POST /clients"] * 2,
        "POST /certificates",
        *["POST /domains"] * 4,
        "PUT /dns/name/xn--mller-kva.example",
        *["POST /emails"] * 5,
        "POST /databases",
        *["POST /ftp-users"] * 2,
    ]


def test_a_second_run_reads_each_list_once_and_writes_nothing(story: Story) -> None:
    assert (story.second.code, story.second.writes, story.second.recap["changed"]) == (0, [], 0), story.second.text
    assert sorted(request["path"] for request in story.second.requests) == [
        "/certificates",
        "/clients",
        "/databases",
        "/dns/name/xn--mller-kva.example",
        "/domains",
        "/emails",
        "/ftp-users",
        "/hosting-plans",
    ]


def test_a_run_that_writes_reads_all_of_that_twice_and_stops_where_the_panel_changed_in_between(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("twice")
    (operator.folder / "credentials").mkdir()
    zone = {"domain": "acme.example", "append": True}
    records = [{"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"}]
    acme = {
        "client": {"username": "acme"},
        "domains": [{"domain": "acme.example"}],
        "dns": [{**zone, "records": records}],
        "emails": [{"email": "info@acme.example"}],
    }
    variables = {"sites": [acme], "sites_credentials_dir": "credentials"}
    assert sites(operator, variables).code == 0
    acme["emails"].append({"email": "sales@acme.example"})
    run = sites(operator, variables)
    assert (run.code, run.writes) == (0, ["POST /emails"]), run.text[-3000:]
    reads = Counter(request["path"] for request in run.requests if request["method"] == "GET")
    assert reads == dict.fromkeys(["/clients", "/dns/name/acme.example", "/domains", "/emails"], 2)

    passwords = kept(operator)
    acme["emails"].append({"email": "jobs@acme.example"})
    emails = operator.simulator.request("GET", "/emails").json()
    fewer = [email for email in emails if email["email"] != "sales@acme.example"]
    operator.simulator.fault({"kind": "body", "method": "GET", "path": "^/emails$", "skip": 1, "body": fewer})
    changed = sites(operator, variables)
    assert_failed(changed, "The panel changed while this was planned. Nothing was written to it; run again.")
    assert (kept(operator), kept(operator, "pending_passwords")) == (passwords, {})


def test_each_customer_has_an_encrypted_file_with_the_passwords_that_log_in(story: Story) -> None:
    assert sorted(story.files) == ["acme.yml", "mueller.yml"]
    for content, mode in story.files.values():
        assert content.startswith(b"$ANSIBLE_VAULT;")
        assert mode == 0o600
    assert len(story.passwords) == 8
    assert story.passwords == story.passwords_on_panel


def test_no_password_is_printed(story: Story) -> None:
    for run in (story.check, story.first, story.second):
        assert [name for name, password in story.passwords.items() if password in run.text] == []
        assert "given to acme" not in run.text
        assert GIVEN_TO_SALES not in run.text


def test_all_mistakes_of_all_customers_are_in_one_error_before_the_first_request(make_operator: MakeOperator) -> None:
    operator = make_operator("mistakes")
    variables = customers()
    mueller, acme = variables["sites"]
    mueller["emails"][1]["max_size"] = "1.5G"
    mueller["databases"][0]["colour"] = "red"
    acme["email"] = []
    variables["sites"].append({"client": {"username": "beta"}, "credentials_file": "missing/beta.yml"})
    run = sites(operator, variables, vault=False)
    assert_refused(run)
    for words in (
        "sites[0] (mueller): emails[1] (inge@müller.example) max_size:",
        "sites[0] (mueller): databases[0] (mueller_shop) colour: there is no such option;",
        "sites[1] (acme): email: there is no such member;",
        "mueller.yml: this run has no Vault secret",
        "or set ANSIBLE_VAULT_PASSWORD_FILE. The same at 2 more.",
        "Nothing was written.",
    ):
        assert words in run.said, words
    assert "Traceback" not in run.text


def test_one_mistake_of_five_hundred_customers_is_told_once(make_operator: MakeOperator) -> None:
    operator = make_operator("five hundred")
    many = [
        {
            "client": {"username": f"c{number}"},
            "emails": [{"email": f"info@c{number}.example", "max_size": "1.5G"}],
            "credentials_file": f"missing/c{number}.yml",
        }
        for number in range(500)
    ]
    run = sites(operator, {"sites": many})
    said = run.said
    assert len(run.text) < 10_000
    assert (run.code != 0, run.requests) == (True, [])
    value = "sites[0] (c0): emails[0] (info@c0.example) max_size: '1.5G' is not accepted"
    assert said.count(value) == said.count(f"credentials_file: {operator.folder}/missing/c0.yml: the folder") > 0
    assert "sites[3] (c3): emails[0] (info@c3.example) and 496 more." in said
    assert "does not exist; create it. The same at 499 more." in said
    assert "(c4)" not in said


def test_a_login_url_is_handed_over_and_not_printed(make_operator: MakeOperator) -> None:
    operator = make_operator("login")
    copy = {"content": "{{ sites_result | to_json }}", "dest": str(operator.folder / "result.json")}
    plays = [{**PLAYS[0], "tasks": [{"name": "Use it", "ansible.builtin.copy": copy, "no_log": True}]}]
    names = {"acme": True, "beta": False}
    clients = [{"client": {"username": name, "password": "Given-1"}, "login_url": wish} for name, wish in names.items()]
    run = operator.run(plays, {"sites": clients}, "-vvvv", vault=False)
    assert run.code == 0, run.text[-3000:]
    result = json.loads((operator.folder / "result.json").read_text(encoding="utf-8"))
    assert list(result["login_urls"]) == ["acme"]
    assert result["login_urls"]["acme"].startswith(operator.simulator.url)
    assert result["login_urls"]["acme"] not in run.text
    assert [customer["changed"] for customer in result["customers"]] == [1, 1]


def test_a_file_that_cannot_be_decrypted_stops_it_before_the_first_write_also_in_check_mode(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("another secret")
    (operator.folder / "credentials").mkdir()
    file = operator.folder / "credentials" / "mueller.yml"
    file.write_text("$ANSIBLE_VAULT;1.1;AES256\n6162\n", encoding="utf-8")
    for words in (("--check",), ()):
        run = sites(operator, customers(), *words)
        assert_failed(run, "the file is damaged, and no secret decrypts it")
    assert file.read_text(encoding="utf-8") == "$ANSIBLE_VAULT;1.1;AES256\n6162\n"


def test_a_file_that_cannot_be_written_stops_it_before_the_first_write_also_in_check_mode(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("no room for a name")
    # A name that a file may have, but none beside it while it is written.
    file = "a" * 250
    one = {"client": {"username": "acme"}, "credentials_file": file}
    for words in (("--check",), ()):
        run = sites(operator, {"sites": [one]}, *words)
        assert_failed(run, f"{file}: cannot be written: File name too long. Nothing was written to the panel.")
    assert list(operator.folder.glob("*aaa*")) == []


def test_objects_that_fail_are_named_with_their_customer_and_the_next_run_completes_the_rest(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("bad day")
    (operator.folder / "credentials").mkdir()
    refusal = {
        "kind": "status",
        "status": 400,
        "body": "json",
        "method": "POST",
        "path": "/emails",
        "skip": 2,
        "times": 2,
    }
    operator.simulator.fault(refusal)
    variables = {**customers(), "sites_concurrency": 1}
    broken = sites(operator, variables)
    assert broken.code != 0
    assert len(broken.writes) == 17
    text = broken.said
    assert "Not complete: mueller, acme. 2 of 17 changes failed, 15 were written." in text
    assert "failed acme: emails info@acme.example:" in text
    assert "failed mueller: emails werkstatt@fahrrad-mueller.example:" in text
    assert on_panel(operator).items() <= kept(operator).items()

    completed = sites(operator, variables, way=MODULE)
    assert completed.code == 0, completed.text
    assert completed.writes == ["POST /emails"] * 2
    assert on_panel(operator) == kept(operator)


def test_a_mailbox_that_somebody_else_makes_in_the_moment_of_a_fault_gets_the_password_in_the_file(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("two at one mailbox")
    (operator.folder / "credentials").mkdir()
    operator.simulator.seed(
        {
            "clients": [{"username": "acme", "email": "it@acme.example"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
        }
    )
    operator.simulator.fault({"kind": "status", "status": 503, "method": "POST", "path": "^/emails"})
    # The look at what became of it waits for somebody else.
    operator.simulator.fault({"kind": "slow", "method": "GET", "path": "^/emails/name/", "seconds": 3})
    theirs = {"email": "info@acme.example", "max_size": "1G", "password": "by hand"}
    with ThreadPoolExecutor(1) as other:

        def make_theirs() -> None:
            while not any(write["path"] == "/emails" for write in operator.simulator.writes()):
                time.sleep(0.05)
            operator.simulator.seed({"emails": [theirs]})

        made = other.submit(make_theirs)
        mailbox = {"email": "info@acme.example", "max_size": "1G"}
        ours = {"client": {"username": "acme"}, "domains": [{"domain": "acme.example"}], "emails": [mailbox]}
        run = sites(operator, {"sites": [ours], "sites_credentials_dir": "credentials"})
        made.result(timeout=60)
    (created,) = operator.simulator.objects("emails")
    assert (run.code, run.writes) == (0, ["POST /emails", f"PUT /emails/{created['id']}"]), run.text
    assert kept(operator) == {("emails", "info@acme.example"): created["hidden"]["password"]}
    assert not kept(operator, "pending_passwords")


def test_a_pending_password_is_taken_up_by_a_run_with_another_name_of_the_same_machine(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("another name")
    folder = operator.folder / "credentials"
    folder.mkdir()
    port = operator.simulator.url.rpartition(":")[2]
    entry = {
        "panel": f"127.0.0.1:{port}",
        "kind": "emails",
        "key": "info@acme.example",
        "password": "pending-since-then",
    }
    file = folder / "acme.yml"
    file.write_text(json.dumps({"generated_passwords": [], "pending_passwords": [entry]}), encoding="utf-8")
    operator.vault("encrypt", str(file))
    operator.simulator.seed(
        {
            "clients": [{"username": "acme", "email": "it@acme.example"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
            "emails": [{"email": "info@acme.example"}],
        }
    )
    ours = {"client": {"username": "acme"}, "emails": [{"email": "info@acme.example"}]}
    variables = {"sites": [{**ours, "credentials_file": str(file)}]}
    run = operator.run(PLAYS, variables, environment={**YAML_RESULTS, "PANEL_API_URL": f"http://localhost:{port}"})
    (mailbox,) = operator.simulator.objects("emails")
    assert (run.code, run.writes) == (0, [f"PUT /emails/{mailbox['id']}"]), run.text
    assert mailbox["hidden"]["password"] == "pending-since-then"
    assert kept(operator) == {("emails", "info@acme.example"): "pending-since-then"}
    assert not kept(operator, "pending_passwords")
