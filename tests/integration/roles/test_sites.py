"""The role hosting.panel.sites.

Several customers in one task, from the variable and from files, each with a file of passwords.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import (
    Operator,
    Passwords,
    RoleRun,
    assert_refused,
    make_customer,
    make_plays,
)
from tests.support.playbook import MODULE

MakeOperator = Callable[[str], Operator]
TABLE = """\
Client;Email;Hosting_Plan;Domain;Mailboxes;Company
zeta;it@zeta.example;Business;zeta.example;info sales;"Zeta; Söhne"
acme;it@acme.example;Business;acme.example;"info boss@acme.example";
"""


def run_sites(
    operator: Operator, variables: dict[str, Any] | str, *arguments: str, **keywords: Any
) -> RoleRun:
    """Return the role, which leaves its result in a file, also after a failure."""
    include = {"ansible.builtin.include_role": {"name": "hosting.panel.sites"}, "name": "Include"}
    copy = {"content": "{{ sites_result | to_json }}", "dest": str(operator.folder / "result.json")}
    keep = {
        "name": "Keep it",
        "ansible.builtin.copy": copy,
        "no_log": True,
        "check_mode": False,
        "changed_when": False,
    }
    block = {
        "name": "All",
        "block": [include],
        "always": [{**keep, "when": "sites_result is defined"}],
    }

    return operator.run(
        make_plays("sites", roles=[], tasks=[block]), variables, *arguments, **keywords
    )


def read_result(operator: Operator) -> dict[str, Any]:
    """Return the result that the role left in a file."""
    result: dict[str, Any] = json.loads(
        (operator.folder / "result.json").read_text(encoding="utf-8")
    )
    return result


def make_customers() -> dict[str, Any]:
    """Return two customers on one plan, one of them with something of every kind."""
    mueller = {name.removeprefix("site_"): value for name, value in make_customer(None).items()}
    acme = {
        "client": {"username": "acme", "password": "given-to-acme"},
        "plan": mueller["plan"],
        "domains": [{"domain": "acme.example"}],
        "emails": [{"email": "Info@ACME.example"}, {"email": "sales@acme.example"}],
    }
    return {"sites": [mueller, acme], "sites_credentials_dir": "credentials"}


def read_kept_passwords(operator: Operator) -> Passwords:
    """Return the passwords in all files, by kind and key."""
    files = sorted((operator.folder / "credentials").glob("[!.]*"))
    return {
        key: password for file in files for key, password in operator.read_passwords(file).items()
    }


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    """Return an operator with a folder for customers and one for their passwords."""
    new_operator = make_operator("customers")
    (new_operator.folder / "credentials").mkdir()
    new_operator.simulator.change_settings({"status_delay": 0})
    return new_operator


def test_two_customers_are_set_up_with_a_file_of_passwords_each(operator: Operator) -> None:
    variables = make_customers()
    check = run_sites(operator, variables, "--check", "--diff")

    assert (check.code, check.writes, list((operator.folder / "credentials").iterdir())) == (
        0,
        [],
        [],
    ), check.text
    assert "(item=2 customers: 16 new, 1 changed, 0 unchanged)" in check.text

    first = run_sites(operator, variables, "--diff", "-vvvv")
    assert first.code == 0, first.text[-3000:]
    assert (check.recap["changed"], first.recap["changed"]) == (1, 1)
    assert first.writes == [
        *[
            "POST /hosting-plans",
            *["POST /clients"] * 2,
            "POST /certificates",
            *["POST /domains"] * 4,
        ],
        *[
            "PUT /dns/name/xn--mller-kva.example",
            *["POST /emails"] * 5,
            "POST /databases",
            *["POST /ftp-users"] * 2,
        ],
    ]

    files = {path.name: path for path in (operator.folder / "credentials").glob("[!.]*")}
    assert sorted(files) == ["acme.yml", "mueller.yml"]
    assert {path.stat().st_mode & 0o777 for path in files.values()} == {0o600}

    on_panel = operator.list_passwords_on_panel()
    assert read_kept_passwords(operator) == {
        name: password for name, password in on_panel.items() if password != "given-to-acme"
    }
    assert [password for password in on_panel.values() if password in check.text + first.text] == []

    second = run_sites(operator, variables)
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text

    paths = [request["path"] for request in second.requests]
    assert len(paths) == len(set(paths)) == 8
    assert "(item=2 customers: 17 objects, nothing to change)" in second.text
    assert read_result(operator)["customers"][1] == {
        "client": "acme",
        "changed": 0,
        "failed": 0,
        "skipped": 0,
        "credentials_file": "credentials/acme.yml",
    }


def test_a_customer_that_is_no_dictionary_is_named_by_its_place(operator: Operator) -> None:
    refused = run_sites(operator, {"sites": [{"client": {"username": "acme"}}, "acme"]})

    assert_refused(refused, "sites[1]: text is invalid. Use a dictionary.")


def test_a_table_becomes_customers_and_its_mistakes_have_their_lines(operator: Operator) -> None:
    operator.simulator.seed({"plans": [{"name": "Business"}]})
    file = operator.folder / "customers.csv"
    variables = {"sites_from": "customers.csv", "sites_credentials_dir": "credentials"}
    file.write_text(TABLE + "beta;nobody;Business;;;\n", encoding="utf-8")
    assert_refused(run_sites(operator, variables), "customers.csv: line 4 (beta): email: 'nobody'")
    file.write_text(TABLE.replace("info boss", "info\nboss"), encoding="utf-8")
    assert_refused(
        run_sites(operator, variables), "customers.csv: line 3: a quote is not closed in this line"
    )
    file.write_text(TABLE, encoding="utf-8")
    assert_refused(
        run_sites(operator, {"sites_from": "customers.csv"}), "or set sites_credentials_dir."
    )
    assert_refused(run_sites(operator, {"sites_from": ""}), "sites: missing.")

    first = run_sites(operator, variables, "-vvv")

    assert first.code == 0, first.text[-3000:]
    assert first.writes == [*["POST /clients"] * 2, *["POST /domains"] * 2, *["POST /emails"] * 4]

    (zeta,) = (
        client
        for client in operator.simulator.list_objects("clients")
        if client["username"] == "zeta"
    )
    assert (zeta["email"], zeta["contact_data"]["company"]) == ("it@zeta.example", "Zeta; Söhne")

    passwords = read_kept_passwords(operator)
    assert passwords == operator.list_passwords_on_panel()
    assert [name for name, password in passwords.items() if password in first.text] == []

    second = run_sites(operator, variables, way=MODULE)
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            TABLE.replace("Mailboxes", "Mailbox"),
            "customers.csv: line 1: unknown columns: mailbox; did you mean mailboxes?",
        ),
        (TABLE, "no password. Give a password, or set sites_credentials_dir."),
    ],
)
def test_a_mistake_in_a_table_is_the_message_itself(
    operator: Operator, table: str, message: str
) -> None:
    (operator.folder / "customers.csv").write_text(table, encoding="utf-8")
    run = run_sites(operator, {"sites_from": "customers.csv"})

    assert_refused(run, message, "Nothing was read or written.")
    assert "caused by" not in run.text and "lookup plugin" not in run.text


def test_a_path_where_nothing_is_is_named_with_its_variable(operator: Operator) -> None:
    run = run_sites(operator, {"sites_from": "customer.csv"})
    path = operator.folder / "customer.csv"
    assert_refused(run, f"sites_from: there is no file or directory {path}. Correct the path.")


def test_an_encrypted_folder_and_the_variable_go_together_and_a_login_url_is_in_the_fact_alone(
    operator: Operator,
) -> None:
    (operator.folder / "customers").mkdir()
    file = operator.folder / "customers" / "acme.yml"
    file.write_text(
        "client: {username: acme, password: s3cret-of-acme}\nlogin_url: true\n", encoding="utf-8"
    )
    operator.run_vault("encrypt", str(file))
    customers = [{"client": {"username": "beta", "password": "Given-1"}}]

    run = run_sites(operator, {"sites_from": "customers", "sites": customers}, "-vvvv")

    assert run.code == 0, run.text[-3000:]
    assert set(operator.list_passwords_on_panel().values()) == {"s3cret-of-acme", "Given-1"}

    result = read_result(operator)
    assert list(result["login_urls"]) == ["acme"]
    assert result["login_urls"]["acme"].startswith(operator.simulator.url)
    assert [
        secret
        for secret in ("s3cret-of-acme", "Given-1", result["login_urls"]["acme"])
        if secret in run.text
    ] == []


def test_what_fails_is_named_with_its_customer(operator: Operator) -> None:
    refusal = {"kind": "status", "status": 400, "body": "json", "method": "POST", "path": "/emails"}
    operator.simulator.queue_fault({**refusal, "skip": 2, "times": 9})

    broken = run_sites(operator, {**make_customers(), "sites_concurrency": 1})

    assert broken.code != 0
    assert "2 customers, not complete: mueller, acme" in broken.said

    result = read_result(operator)
    assert [customer["failed"] for customer in result["customers"]] == [1, 2]
    assert [failure.startswith("failed mueller: ") for failure in result["failures"]] == [
        True,
        False,
        False,
    ]
    assert operator.list_passwords_on_panel().items() <= read_kept_passwords(operator).items() | {
        (("clients", "acme"), "given-to-acme")
    }
