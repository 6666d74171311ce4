# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""sites_from of the role hosting.panel.sites: customers from a table, from a file of YAML and from a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._task.mistakes import MOST_TOLD
from tests.integration.roles.operators import Operator, RoleRun, assert_failed, assert_refused, plays_of
from tests.support.playbook import MODULE

MakeOperator = Callable[[str], Operator]
TABLE = """\
Client;Email;Hosting_Plan;Domain;Mailboxes;Company;First_Name;Last_Name;Language
zeta;it@zeta.example;Business;zeta.example;info sales;"Zeta; Söhne";;Zorn;de
acme;it@acme.example;Business;acme.example;"info
boss@acme.example";;;;
"""
PLAN = {"plans": [{"name": "Business"}]}


def write(operator: Operator, name: str, text: str) -> Path:
    path = operator.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def run(operator: Operator, source: str, *words: str, **more: Any) -> RoleRun:
    variables = {"sites_from": source, "sites_credentials_dir": "credentials", **more.pop("variables", {})}
    environment = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    return operator.run(plays_of("sites"), variables, *words, environment=environment, **more)


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    made = make_operator("customers from files")
    (made.folder / "credentials").mkdir()
    made.simulator.settings({"status_delay": 0})
    made.simulator.seed(PLAN)
    return made


def shown_plan(done: RoleRun) -> list[str]:
    """The lines of the plan as they are shown."""
    lines = done.text.partition("What was done]")[2].partition("\n\n")[0].splitlines()
    return [line.strip().removeprefix("- ").strip("'\"") for line in lines if line.strip().startswith("- ")]


def test_a_table_becomes_customers_with_their_passwords_in_a_file_each_and_a_second_run_writes_nothing(
    operator: Operator,
) -> None:
    write(operator, "customers.csv", TABLE)
    checked = run(operator, "customers.csv", "--check", "--diff")
    assert (checked.code, checked.writes) == (0, []), checked.text
    wanted = [
        "8 to create, 0 to update, 0 to delete, 0 unchanged",
        "2 of 2 customers change",
        "acme:",
        "create  clients acme",
        "create  domains acme.example",
        "create  emails boss@acme.example",
        "create  emails info@acme.example",
        "zeta:",
        "create  clients zeta",
        "create  domains zeta.example",
        "create  emails info@zeta.example",
        "create  emails sales@zeta.example",
    ]
    assert [line.strip() for line in shown_plan(checked)] == wanted
    first = run(operator, "customers.csv", "-vvv")
    assert first.code == 0, first.text[-3000:]
    assert first.writes == [*["POST /clients"] * 2, *["POST /domains"] * 2, *["POST /emails"] * 4]
    zeta = next(one for one in operator.simulator.objects("clients") if one["username"] == "zeta")
    assert (zeta["email"], zeta["language"], zeta["contact_data"]["company"]) == (
        "it@zeta.example",
        "de",
        "Zeta; Söhne",
    )
    files = sorted((operator.folder / "credentials").glob("[!.]*"))
    assert [file.name for file in files] == ["acme.yml", "zeta.yml"]
    passwords = {key: word for file in files for key, word in operator.passwords(file).items()}
    assert passwords == operator.passwords_on_panel()
    assert [name for name, word in passwords.items() if word in first.text + checked.text] == []
    second = run(operator, "customers.csv", way=MODULE)
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text


def test_a_folder_and_a_file_lead_to_the_same_as_the_variable_and_what_goes_is_shown_first(operator: Operator) -> None:
    acme = "client: {username: acme, password: !vault |\n{secret}\n  }\n"
    lines = operator.vault("encrypt_string", "s3cret-of-acme").splitlines()
    block = "\n".join(f"    {line.strip()}" for line in lines if "!vault" not in line)
    acme = f"client:\n  username: acme\n  password: !vault |\n{block}\ndomains: [{{domain: acme.example}}]\nlogin_url: true\n"
    write(operator, "customers/acme.yml", acme)
    write(operator, "customers/beta.yml", "client: {username: beta}\nemails: [{email: info@acme.example}]\n")
    refused = run(operator, "customers", variables={"sites_credentials_dir": "customers"})
    assert_refused(refused, "this is also the folder of the files of passwords (sites_credentials_dir)")
    write(operator, "customers/beta.yml", "client: {username: beta}\n")
    folder = run(operator, "customers", "-vvv")
    assert folder.code == 0, folder.text[-3000:]
    assert "s3cret-of-acme" in operator.passwords_on_panel().values()
    assert "s3cret-of-acme" not in folder.text
    # The URL was asked for, and is nowhere in the output.
    assert any(request["path"].startswith("/login/") for request in folder.requests)
    indented = (
        acme.replace("\n", "\n  ")
        .rstrip()
        .replace("login_url: true", "emails: [{email: x@acme.example, state: absent}]")
    )
    operator.simulator.seed({"emails": [{"email": "x@acme.example"}]})
    write(operator, "all.yml", f"sites:\n- {indented}\n- client: {{username: alpha}}\n- client: {{username: beta}}\n")
    changed = run(operator, "all.yml")
    assert changed.code == 0, changed.text[-3000:]
    assert [line.strip() for line in shown_plan(changed)[1:]] == [
        "2 of 3 customers change",
        "acme:",
        "delete  emails x@acme.example",
        "alpha:",
        "create  clients alpha",
    ]


def test_all_mistakes_of_all_files_are_told_before_the_first_request_with_file_line_and_column(
    operator: Operator,
) -> None:
    write(
        operator,
        "customers/acme.yml",
        "client: {username: acme}\nemails:\n  - {email: info@acme.example, max_size: 1.5G}\n",
    )
    write(operator, "customers/beta.yml", "client: {username: beta}\nmailboxes: []\n")
    write(operator, "customers/gamma.yml", "client: {username: acme}\n")
    done = run(operator, "customers", vault=False)
    assert_refused(
        done,
        "customers/acme.yml: line 3, column 32 (acme): emails[0] (info@acme.example) max_size: '1.5G' is not accepted",
        "customers/beta.yml: line 2, column 1 (beta): mailboxes: there is no such member; there are client, plan,",
        "customers/gamma.yml: line 1, column 1 (acme): client (acme): names the same object as customers/acme.yml: line 1, column 1 (acme): client.",
        "this run has no Vault secret",
        "Nothing was written.",
    )
    assert done.times("'1.5G' is not accepted") == 1


def test_one_mistake_of_five_hundred_rows_is_told_once_with_its_number(operator: Operator) -> None:
    rows = "".join(f"c{number},c{number}.example,info,nobody\n" for number in range(500))
    write(operator, "customers.csv", f"client,domain,mailboxes,email\n{rows}")
    done = run(operator, "customers.csv")
    assert_refused(
        done,
        "500 mistakes: customers.csv: line 2, column email (c0): client (c0) email: 'nobody' is not accepted",
        "customers.csv: line 5, column email (c3): client (c3) and 496 more.",
    )
    assert "(c4)" not in done.said
    assert len(done.text) < 10_000


def test_mistakes_of_many_rows_that_differ_in_the_value_are_one_sentence(operator: Operator) -> None:
    rows = "".join(f"c{number},nomail{number}\n" for number in range(500))
    write(operator, "customers.csv", f"client,email\n{rows}")
    done = run(operator, "customers.csv")
    assert_refused(
        done,
        "500 mistakes: customers.csv: line 2, column email (c0): client (c0) email: 'nomail0' is not accepted",
        "customers.csv: line 21, column email (c19): client (c19) and 480 more.",
    )
    assert "(c20)" not in done.said
    assert len(done.text) < 10_000


def test_what_the_panel_does_not_have_is_told_once_with_the_column_that_names_it(operator: Operator) -> None:
    write(operator, "customers.csv", "client,hosting_plan\nacme,Nosuch\nbeta,Business\ngamma,Other\n")
    done = run(operator, "customers.csv")
    assert_failed(
        done,
        "2 mistakes: customers.csv: line 2, column hosting_plan (acme): client (acme) hosting_plan: there is no hosting plan Nosuch on",
        "customers.csv: line 4, column hosting_plan (gamma): client (gamma) hosting_plan: there is no hosting plan Other on",
        "Nothing was written.",
    )
    assert done.writes == []
    # Ansible itself says the message of a failed task more than once.
    assert done.times("there is no hosting plan Nosuch") == done.times("line 2, column hosting_plan")


def test_what_the_panel_knows_better_is_told_with_the_place_in_the_file(operator: Operator) -> None:
    operator.simulator.seed(
        {"clients": [{"username": "other"}], "domains": [{"domain": "acme.example", "client": "other"}]}
    )
    write(operator, "customers.csv", "client,domain,mailboxes\nacme,acme.example,info\n")
    done = run(operator, "customers.csv")
    assert_failed(done, "customers.csv: line 2, column domain (acme): domains[0]", "other")


def test_however_many_customers_the_panel_refuses_the_run_ends_with_one_message(operator: Operator) -> None:
    operator.simulator.seed(
        {"clients": [{"username": "other"}], "domains": [{"domain": "other.example", "client": "other"}]}
    )
    rows = "".join(f"c{number},u{number}.other.example\n" for number in range(MOST_TOLD + 1))
    write(operator, "customers.csv", f"client,domain\n{rows}")
    done = run(operator, "customers.csv")
    assert_failed(
        done, f"{MOST_TOLD + 1} mistakes: customers.csv: line 2, column domain (c0): ", "Nothing was written."
    )
    assert (done.writes, "Traceback" in done.text, "Mistake" in done.text) == ([], False, False), done.text


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "sites, sites_from: name one of them."),
        ({"sites_from": "nowhere.csv"}, "nowhere.csv: No such file or directory."),
        ({"sites_from": ""}, "sites_from is empty: it has to name a path, or to be left out."),
        ({"sites_form": "a.csv"}, "sites_form: did you mean sites_from?"),
    ],
)
def test_a_source_that_says_nothing_is_refused(operator: Operator, variables: dict[str, Any], words: str) -> None:
    assert_refused(operator.run(plays_of("sites"), variables), words)
