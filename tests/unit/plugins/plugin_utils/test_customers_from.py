# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers in files of YAML, in folders and in tables of spreadsheets, and how mistakes in them are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._task.mistakes import each_once
from ansible_collections.hosting.panel.plugins.plugin_utils._sites.customers import Customers, read_sites
from ansible_collections.hosting.panel.plugins.plugin_utils._sites.customers_from import Found, customers_from
from ansible_collections.hosting.panel.plugins.plugin_utils._sites.origins import in_order, path_in

VAULT = VaultLib(secrets=[("default", VaultSecret(b"correct horse"))])
Write = Callable[..., Path]
HEADER = "client,email,hosting_plan,domain,mailboxes,company,first_name,last_name,language\n"
ACME = {
    "client": {
        "username": "acme",
        "email": "it@acme.example",
        "language": "de",
        "contact_data": {"company": "Acme, Inc.", "first_name": "Ada", "last_name": "Müller"},
    },
    "hosting_plan": "Business",
    "domains": [{"domain": "acme.example"}],
    "emails": [{"email": "info@acme.example"}, {"email": "boss@other.example"}],
}
BETA = {"client": {"username": "beta"}}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file into the folder that ansible-playbook was started in; its name."""
    monkeypatch.chdir(tmp_path)

    def one(name: str, text: str | bytes) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return one


def found(source: str, vault: VaultLib = VAULT, **more: Any) -> Found:
    return customers_from(None, source, vault, **more)


def sites(source: str, **more: Any) -> list[Any]:
    """The customers of files without a mistake."""
    read = found(source, **more)
    assert (read.mistakes, read.warnings) == ([], [])
    assert len(read.origins) == len(read.sites)
    return read.sites


def customers(source: str) -> Customers:
    """With the mistakes of the files and of the customers in one list."""
    read = found(source)
    result = read_sites(read.sites, "kept", read.origins)
    result.mistakes[:0] = read.mistakes
    return result


def mistakes(source: str) -> list[str]:
    return list(map(str, customers(source).mistakes))


# Tables

FILLED = (
    HEADER + 'acme,it@acme.example,Business,acme.example,"info\nboss@other.example","Acme, Inc.",Ada,Müller,de\nbeta\n'
)

SEMICOLONS = """\
sep=;
Language;Client;email;Hosting Plan;Domain;Mailboxes;Company;First name;last-name
de;acme;it@acme.example;Business;acme.example;info boss@other.example;Acme, Inc.;Ada;Müller
;beta;;;;;;;
"""


@pytest.mark.parametrize(
    "text",
    [
        FILLED,
        "\ufeff" + FILLED.replace("\n", "\r\n"),
        "\n\n"
        + HEADER
        + 'acme , it@acme.example,Business,acme.example,  info   boss@other.example ,"Acme, Inc.",Ada, Müller,de,,\n,,,\n beta,,,\n',
        SEMICOLONS,
        FILLED.replace("Acme, Inc.", "Acme# Inc.").replace(",", "\t").replace("#", ","),
    ],
    ids=["commas", "a mark and two signs a line", "blanks", "semicolons and other spellings", "tabs"],
)
def test_a_table_of_any_spreadsheet_gives_the_same_customers(write: Write, text: str) -> None:
    write("c.csv", text)
    assert sites("c.csv") == [ACME, BETA]


def test_an_empty_cell_is_not_managed_and_a_column_may_be_missing(write: Write) -> None:
    write("c.csv", "client,email,company\nacme,,\nbeta,it@beta.example,\n")
    assert sites("c.csv") == [
        {"client": {"username": "acme"}},
        {"client": {"username": "beta", "email": "it@beta.example"}},
    ]


def test_an_international_domain_takes_part_in_its_mailboxes(write: Write) -> None:
    write(
        "c.csv", "client,domain,mailboxes\nmueller,müller.example,info\nx,xn--bcher-kva.example,info@bücher.example\n"
    )
    read = customers("c.csv")
    assert read.mistakes == []
    assert read.owner_of("emails", "info@xn--mller-kva.example") == 0
    assert read.owner_of("emails", "info@xn--bcher-kva.example") == 1


NO_CSV = "cannot be read as comma-separated values:"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ["c.csv: the file is empty; its first line has to name the columns."]),
        ("\n  \n", ["c.csv: the file is empty; its first line has to name the columns."]),
        (HEADER, ["c.csv: the file has no customer in it."]),
        (HEADER.encode("utf-16"), ["c.csv: line 1, column 1: the file is not in UTF-8. Save it as CSV UTF-8."]),
        *(
            (HEADER.encode(name), ["c.csv: line 1, column 1: the file is not in UTF-8."])
            for name in ("utf-16-le", "utf-16-be")
        ),
        ("clientä".encode() + b"\xfc", ["c.csv: line 1, column 8: the file is not in UTF-8. Save it as CSV UTF-8."]),
        (b"client\nM\xfcller\n", ["c.csv: line 2, column 2: the file is not in UTF-8. Save it as CSV UTF-8."]),
        (b"client\r\na\r\nM\xfcller\r\n", ["c.csv: line 3, column 2: the file is not in UTF-8. Save it as CSV UTF-8."]),
        ('client\na\n"acme\nb\nc\n', [f"c.csv: line 3: {NO_CSV} a text in quotes has no end, or goes on behind it."]),
        ('\nclient\na\n"a "quoted" GmbH"\n', [f"c.csv: line 4: {NO_CSV} a text in quotes has no end, or goes on"]),
        ('client\na\n"b\nc"d\n', [f"c.csv: line 3: {NO_CSV} a text in quotes has no end, or goes on behind it."]),
        ('client\na\n"' + "b\n" * 70_000, [f"c.csv: line 3: {NO_CSV} a cell has more than 131072 characters."]),
        ("client," + "b" * 140_000, [f"c.csv: line 1: {NO_CSV} a cell has more than 131072 characters."]),
        (
            "client,mailbox\nacme,info\n",
            [
                "c.csv: line 1, column 2: mailbox: there is no such column. Did you mean mailboxes? The columns are client, email, hosting_plan,",
            ],
        ),
        (
            "Kunde;xyzzy;email;E mail\na;b;c;d\n",
            [
                "c.csv: line 1, column 1: Kunde: there is no such column. The columns are client, email, hosting_plan, domain, mailboxes,",
                "c.csv: line 1, column 2: xyzzy: there is no such column.",
                "c.csv: line 1, column 4: E mail: there is no such column. Did you mean email?",
                "c.csv: line 1, column 1: there has to be a column client,",
            ],
        ),
        ("client,email,EMAIL\na,b,c\n", ["c.csv: line 1, column 3: email is there twice."]),
        ("client,\na,b\n", ["c.csv: line 1, column 2: has no name, and there are cells in it."]),
        ("client,\na,\n", []),
        (
            "client,domain\nacme,acme.example,x\nbeta\n",
            ["c.csv: line 2 (acme): has more cells than the first line; put a text with a separator in quotes."],
        ),
        (
            "client,email\n,it@acme.example\n",
            ["c.csv: line 2, column client: is empty; it has the username of the client."],
        ),
        (
            "client,mailboxes\nacme,info sales\n",
            [
                "c.csv: line 2, column mailboxes (acme): info, sales: give the whole address, since the row has no domain."
            ],
        ),
        (
            'client,domain,mailboxes\nacme,acme.example,"info,sales"\n',
            ["c.csv: line 2, column mailboxes (acme): mailboxes are separated by blanks."],
        ),
        (
            'client,email,domain,mailboxes\nacme,bad,acme.example,"a,b"\n',
            [
                "c.csv: line 2, column mailboxes (acme): mailboxes are separated by blanks.",
                "c.csv: line 2, column email (acme): client (acme) email: 'bad' is not accepted;",
            ],
        ),
        (
            "client\na/b\n",
            [
                "c.csv: line 2, column client (a/b): credentials_file: missing; this username is no name for a file, so a customer in YAML"
            ],
        ),
        (
            "client,domain,mailboxes\nacme,acme.example,ok in@fo@x\n",
            ["c.csv: line 2, column mailboxes (acme): emails[1] (in@fo@x) email: 'in@fo@x' is not accepted;"],
        ),
        (
            "client,domain\nacme,not a domain\n",
            ["c.csv: line 2, column domain (acme): domains[0] (not a domain) domain:"],
        ),
        (
            '\n\nclient,company,email\n"acme","Acme\nInc.",\nbeta,,nobody\n',
            ["c.csv: line 6, column email (beta): client (beta) email: 'nobody' is not accepted;"],
        ),
        (
            "client\nacme\nbeta\nacme\n",
            [
                "c.csv: line 4, column client (acme): client (acme): names the same object as c.csv: line 2, column client (acme): client."
            ],
        ),
    ],
)
def test_a_mistake_in_a_table_is_one_sentence_with_line_and_column(
    write: Write, text: str | bytes, wanted: list[str]
) -> None:
    write("c.csv", text)
    told = mistakes("c.csv")
    assert len(told) == len(wanted), told
    for one, words in zip(told, wanted, strict=True):
        assert one.startswith(words), one


def test_an_encrypted_table_is_decrypted(write: Write) -> None:
    write("c.csv", VAULT.encrypt("client\nbeta\n", secret=VaultSecret(b"correct horse")))
    assert sites("c.csv") == [BETA]
    assert (
        found("c.csv", VaultLib()).mistakes[0].startswith("c.csv: holds secrets that are encrypted with Ansible Vault,")
    )


def test_the_same_mistake_of_many_rows_is_told_once_with_its_number(write: Write) -> None:
    rows = "".join(f"c{number},c{number}.example,info,nobody\n" for number in range(500))
    write("c.csv", f"client,domain,mailboxes,email\n{rows}")
    told = each_once(customers("c.csv").mistakes)
    (once,) = told
    assert once.startswith("c.csv: line 2, column email (c0): client (c0) email: 'nobody' is not accepted;")
    assert once.endswith("c.csv: line 5, column email (c3): client (c3) and 496 more.")


# YAML

LIST = """\
- client: {username: acme}
  emails:
    - email: info@acme.example
      max_size: 1.5G
- client:
    username: beta
    emial: x
"""


@pytest.mark.parametrize(
    ("name", "text", "first", "second"),
    [
        ("c.yml", LIST, "line 4, column 7", "line 7, column 5"),
        ("c.yaml", "---\n# our customers\nsites:\n" + LIST, "line 7, column 7", "line 10, column 5"),
        ("c.yml", "\ufeff" + LIST.replace("\n", "\r\n"), "line 4, column 7", "line 7, column 5"),
    ],
)
def test_a_mistake_in_yaml_is_told_with_the_line_and_column_of_its_option(
    write: Write, name: str, text: str, first: str, second: str
) -> None:
    write(name, text)
    told = mistakes(name)
    assert [one.partition(" is not accepted")[0].partition(" there is")[0] for one in told] == [
        f"{name}: {second} (beta): client (beta) emial:",
        f"{name}: {first} (acme): emails[0] (info@acme.example) max_size: '1.5G'",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "c.yml: the file has no customer in it."),
        ("[]", "c.yml: the file has no customer in it."),
        ("sites:\n", "c.yml: the file has no customer in it."),
        (
            "sites: {client: {}}\n",
            "c.yml: line 1, column 1: must hold a list of customers, each a dictionary with a client.",
        ),
        ("sites: 7", "c.yml: line 1, column 1: must hold a list of customers,"),
        ("just a text", "c.yml: line 1, column 1: must hold a list of customers,"),
        ("clients: []", "c.yml: line 1, column 1: must hold a list of customers,"),
        ("- acme", "c.yml: line 1, column 3: must be a dictionary with a client."),
        ("- {clients: acme}\n", "c.yml: line 1, column 4: clients: there is no such member;"),
        (
            "- client: {username: no}\n",
            "c.yml: line 1, column 12 (False): client (False) username: False is not accepted; YAML reads yes, no, on, off, true and false as a",
        ),
        ("- client: acme\n", "c.yml: line 1, column 3: client: must be a dictionary with a username."),
        ("- client: {username: a}\n  email: []\n", "c.yml: line 2, column 3 (a): email: there is no such member;"),
        ("- client: {username: a}\n  emails: [x]\n", "c.yml: line 2, column 12 (a): emails[0]: must be a dictionary."),
        (
            "- client: {username: a}\n  emails: [{email: i@a.example,\n    client: b}]\n",
            "c.yml: line 3, column 5 (a): emails[0]: client: the owner is the client.",
        ),
        (
            "- client: {username: a}\n  plan:\n    name: B\n    resources: {disk_space: 1.5G}\n",
            "c.yml: line 4, column 17 (a): plan (B) resources.disk_space: '1.5G' is not accepted;",
        ),
        ("- client: {username: a}\n  client: {username: b}\n", "c.yml: line 2, column 3: client is there twice."),
        ("- client: {username: '{{ x }}'}\n", "c.yml: line 1, column 22: templates are not evaluated in these files."),
        (
            '- client: {username: a,\n    notes: "a\\0b"}\n',
            "c.yml: line 2, column 5 (a): client notes: holds a NUL character, which the panel cannot keep; remove it.",
        ),
        ("- client: [\n", "c.yml: line 2, column 1: "),
        ("- client: !what {}\n", "c.yml: line 1, column 11: there is no such tag in these files;"),
        ("- client: *nobody\n", "c.yml: line 1, column 11: there is no such alias,"),
        ("--- []\n--- []\n", "c.yml: line 2, column 5: holds more than one YAML document,"),
        (b"- client:\n    username: M\xfcller", "c.yml: line 2, column 16: the file is not in UTF-8."),
        ("- client:\n    username: a\x01b", "c.yml: line 2, column 16: there is a control character."),
        ("- client:\n    username: !!int a", "c.yml: line 2, column 15: holds a value that is not what its tag says."),
        ("- client:\n    username: !!bool a", "c.yml: line 2, column 15: holds a value that is not what its tag says."),
        (
            "- client:\n    username: !!float a",
            "c.yml: line 2, column 15: holds a value that is not what its tag says.",
        ),
        (
            "sites: [{client: {username: a}}]\nother: 1\n",
            "c.yml: line 2, column 1: other: there is no such member beside sites.",
        ),
    ],
)
def test_a_mistake_in_the_form_of_a_file_is_one_sentence(write: Write, text: str | bytes, wanted: str) -> None:
    write("c.yml", text)
    told = mistakes("c.yml")
    assert told[0].startswith(wanted), told


@pytest.mark.parametrize(
    "number",
    ["0123", "+49301234", "-0", "0x1F", "0b11", "1_000", "12:30:45", "-190:20:30", "!!int '0123'"],
)
@pytest.mark.parametrize(
    "text",
    [
        "- client: {{username: {}}}\n",
        "- client: {{username: a, password: {}}}\n",
        "- client: {{username: a, contact_data: {{zip: {}}}}}\n",
        "- client: {{username: a}}\n  hosting_plan: {}\n",
        "- client: {{username: a}}\n  emails: [{{email: a@a.example, description: {}}}]\n",
    ],
)
def test_a_number_that_yaml_makes_another_one_of_is_one_mistake_with_its_place(
    write: Write, text: str, number: str
) -> None:
    write("c.yml", text.format(number))
    before = text.format("#").partition("#")[0]
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
    (told,) = found("c.yml").mistakes
    assert told == (
        f"c.yml: line {line}, column {column}: YAML reads another number than is written here (01234 becomes 668, 1_000 becomes 1000, "
        "12:30:45 becomes 45045). Where a text is meant, put it in quotes; else write the number with decimal digits only."
    )


@pytest.mark.parametrize("number", ["0", "7", "123", "-5", "1e3", "089", "2026-01-02", "12:99:99:x"])
def test_what_yaml_leaves_as_it_is_written_is_taken_without_quotes(write: Write, number: str) -> None:
    write("c.yml", f"- client: {{username: a, contact_data: {{company: {number}}}}}\n")
    (site,) = sites("c.yml")
    assert str(site["client"]["contact_data"]["company"]) == number
    assert mistakes("c.yml") == []


def test_a_client_whose_name_is_a_number_is_the_client_of_that_name(write: Write) -> None:
    write("c.yml", "- client: {username: 123}\n  emails: [{email: a@a.example}]\n")
    read = customers("c.yml")
    assert read.mistakes == []
    assert read.usernames == ["123"]
    assert read.owner_of("emails", "a@a.example") == 0


DEEP = 600


@pytest.mark.parametrize("text", ["[" * DEEP + "]" * DEEP, "{a: " * DEEP + "}" * DEEP, "- " * DEEP + "a", "[" * 20_000])
def test_a_file_that_is_nested_very_deeply_is_one_sentence(write: Write, text: str) -> None:
    write("c.yml", f"# nested\n{text}")
    (told,) = mistakes("c.yml")
    assert told.startswith(("c.yml: line 2, column ", "c.yml: line 3, column 1: "))
    assert len(told) < 200


def test_aliases_that_stand_for_more_than_any_memory_holds_cost_nothing(write: Write) -> None:
    levels = "".join(f"  x{number}: &x{number} [{', '.join([f'*x{number - 1}'] * 10)}]\n" for number in range(1, 40))
    write("c.yml", f"- x0: &x0 [a]\n{levels}")
    told = mistakes("c.yml")
    assert "c.yml: line 40, column 3: x39: there is no such member; there are client," in told[39]
    write("d.yml", "- &it {client: {username: acme}, emails: [*it]}\n")
    assert mistakes("d.yml") == ["d.yml: line 1, column 3: holds an alias that stands for something that it is in."]


def test_secrets_may_be_encrypted_one_by_one_and_as_whole_files(write: Write) -> None:
    secret = VaultSecret(b"correct horse")
    lines = VAULT.encrypt("gehëim {{ x }}", secret=secret).decode().splitlines()
    text = "- client:\n    username: acme\n    password: !vault |\n" + "".join(f"      {line}\n" for line in lines)
    wanted = [{"client": {"username": "acme", "password": "gehëim {{ x }}"}}]
    write("c.yml", text)
    assert sites("c.yml") == wanted
    write("c.yml", VAULT.encrypt(text, secret=secret))
    assert sites("c.yml") == wanted
    other = VaultLib(secrets=[("default", VaultSecret(b"another"))])
    assert found("c.yml", other).mistakes == ["c.yml: none of this run's Vault secrets decrypts it."]


IN_CLIENT = "c.csv: line 2, column {0} (acme): client ({1}) {0}: is wrong."
IN_BETA = "c.csv: line 5, column {} (beta): client"


@pytest.mark.parametrize(
    ("mistake", "wanted"),
    [
        ("clients[0] (acme) hosting_plan: is wrong.", IN_CLIENT.format("hosting_plan", "acme")),
        (
            "clients[0] (acme) email: is wrong. The same at clients[1] (beta) and 7 more.",
            f"{IN_CLIENT.format('email', 'acme')} The same at {IN_BETA.format('email')} (beta) and 7 more.",
        ),
        (
            "emails[1] (x): names the same object as clients[1].",
            f"c.csv: line 2, column mailboxes (acme): emails[1] (x): names the same object as {IN_BETA.format('client')}.",
        ),
        ("clients[0] (A (old)) language: is wrong.", IN_CLIENT.format("language", "A (old)")),
        ("clients[9] (nobody) email: is wrong.", "clients[9] (nobody) email: is wrong."),
        ("purge: is wrong.", "purge: is wrong."),
    ],
)
def test_a_mistake_that_the_panel_tells_is_told_with_the_column_of_its_option(
    write: Write, mistake: str, wanted: str
) -> None:
    write("c.csv", FILLED.replace("\nbeta\n", "\n\nbeta,b@b.example\n"))
    assert str(customers("c.csv").explained(mistake)) == wanted


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("client: {username: acme}\nhosting_plan: Gold\n", "line 2, column 1"),
        ("client: {username: acme, hosting_plan: Gold}\n", "line 1, column 26"),
        ("client: {username: acme}\nplan:\n  name: Gold\n", "line 3, column 3"),
    ],
)
def test_a_mistake_in_the_hosting_plan_is_told_where_that_is_named(write: Write, text: str, place: str) -> None:
    write("c.yml", text)
    told = customers("c.yml").explained("clients[0] (acme) hosting_plan: is wrong.")
    assert told == f"c.yml: {place} (acme): client (acme) hosting_plan: is wrong."


# Folders


def test_a_folder_has_a_customer_in_each_file_in_the_order_of_their_names(write: Write) -> None:
    write("c/b.yml", "client: {username: beta}\n")
    write("c/a.yaml", "client: {username: acme}\n")
    write("c/more/d.yml", "client: {username: delta}\n")
    write("c/README.md", "about")
    assert [site["client"]["username"] for site in sites("c")] == ["acme", "beta", "delta"]


def test_what_is_passed_over_in_a_folder_is_told(write: Write) -> None:
    write("c/a.yml", "client: {username: acme}\n")
    write("c/b.yml.bak", "")
    write("c/.hidden.yml", "")
    (warning,) = found("c").warnings
    assert warning == (
        "These files of c were passed over, and customers in them are not known: .hidden.yml (is hidden), "
        "b.yml.bak (does not end with .yml or .yaml)."
    )


def test_the_files_of_passwords_below_a_folder_are_no_customers(write: Write) -> None:
    write("c/a.yml", "client: {username: acme}\n")
    write("c/passwords/acme.yml", VAULT.encrypt("{}", secret=VaultSecret(b"correct horse")))
    assert [site["client"]["username"] for site in sites("c", credentials_dir="c/passwords")] == ["acme"]
    (mistake,) = found("c", credentials_dir="./c/").mistakes
    assert mistake.startswith("c: this is also the folder of the files of passwords (sites_credentials_dir),")


def test_customers_may_be_below_the_folder_of_the_files_of_passwords(write: Write) -> None:
    write("data/c/a.yml", "client: {username: acme}\n")
    assert [site["client"]["username"] for site in sites("data/c", credentials_dir="data")] == ["acme"]


def test_the_same_client_in_two_files_is_told_with_both(write: Write) -> None:
    write("c/a.yml", "client: {username: acme}\n")
    write("c/b.yml", "\nclient: {username: acme}\n")
    assert mistakes("c") == [
        "c/b.yml: line 2, column 1 (acme): client (acme): names the same object as c/a.yml: line 1, column 1 (acme): client."
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "c/a.yml: the file has no customer in it."),
        (
            "- client: {username: acme}\n",
            "c/a.yml: line 1, column 1: must hold one customer, a dictionary with a client;",
        ),
        ("username: acme\n", "c/a.yml: line 1, column 1: username: there is no such member;"),
    ],
)
def test_a_file_of_a_folder_that_is_no_customer_is_a_mistake(write: Write, text: str, wanted: str) -> None:
    write("c/a.yml", text)
    write("c/z.yml", "client: {username: zeta}\n")
    assert mistakes("c")[0].startswith(wanted), mistakes("c")


def test_mistakes_of_all_files_are_told_together(write: Write) -> None:
    write("c/a.yml", "client: [\n")
    write("c/b.yml", "client: {username: beta}\nemails: [{email: nobody}]\n")
    write("c/d.yml", "")
    assert [one.partition(":")[0] for one in mistakes("c")] == ["c/a.yml", "c/d.yml", "c/b.yml"]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("nowhere", "nowhere: there is no such file or folder."),
        ("nowhere.csv", "nowhere.csv: No such file or directory."),
        ("nowhere.yml", "nowhere.yml: No such file or directory."),
        ("c.txt", "c.txt: the name of a file has to end with .yml, .yaml, .csv or .tsv."),
        ("empty", "empty: there is no file whose name ends with .yml."),
    ],
)
def test_a_place_without_customers_is_one_sentence(write: Write, source: str, wanted: str) -> None:
    write("c.txt", "")
    write("empty/README", "")
    assert mistakes(source) == [wanted]


def test_customers_of_the_variable_and_of_files_are_taken_together(write: Write) -> None:
    write("c.yml", "- client: {username: beta}\n")
    read = customers_from([{"client": {"username": "acme"}}], "c.yml", VAULT)
    assert [origin.at() for origin in read.origins] == ["sites[0]", "c.yml: line 1, column 3"]
    assert customers_from(None, None, VAULT).mistakes == ["sites, sites_from: name one of them."]
    assert customers_from([], None, VAULT).mistakes == []


def test_mistakes_are_told_in_the_order_of_the_lines() -> None:
    given = [
        "b.yml: line 12: x",
        "credentials_file: y",
        "a.csv: line 3, column email (c): z",
        "b.yml: line 2, column 10: x",
        "b.yml: line 2, column 9: x",
    ]
    assert in_order(given) == [given[4], given[3], given[0], given[2], given[1]]


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("max_size: '1.5G' is not accepted;", ("max_size",)),
        ("resources.disk_space: wrong", ("resources", "disk_space")),
        ("emails[1]: client: the owner is the client.", ("emails", 1, "client")),
        ("must be a dictionary of options.", ("must",)),
        ("records[3].ttl: wrong", ("records", 3, "ttl")),
        ("", ()),
    ],
)
def test_a_sentence_begins_with_the_option_that_it_is_about(sentence: str, path: tuple[Any, ...]) -> None:
    assert path_in(sentence) == path


def test_many_unknown_columns_name_the_known_ones_once(write: Write) -> None:
    write("c.csv", "client," + ",".join(f"x{number}" for number in range(2000)) + "\na\n")
    assert "".join(mistakes("c.csv")).count("The columns are") == 1


def test_a_wrong_number_is_told_once(write: Write) -> None:
    text = "- client: {username: a}\n  emails: [{email: a@a.example, max_size: 9999999999999999999999999, password: s3cret-of-a}]\n"
    write("c.yml", text)
    (told,) = mistakes("c.yml")
    assert told.startswith("c.yml: line 2, column ")
    assert "holds a number larger than" in told
