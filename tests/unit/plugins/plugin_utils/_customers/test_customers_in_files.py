"""Customers in YAML files, folders and tables, and their mistakes by file and line; hosting.panel.panel_customers returns them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleLookupError
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.lookup.panel_customers import LookupModule
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import read_customers

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
    """Writes a file into the folder that ansible-playbook was started in."""
    monkeypatch.chdir(tmp_path)

    def one(name: str, text: str | bytes) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return one


def customers(source: str) -> list[Any]:
    read = read_customers(source, VAULT)
    assert read.mistakes == []
    return read.found


def mistakes(source: str, vault: VaultLib = VAULT) -> list[str]:
    return list(map(str, read_customers(source, vault).mistakes))


FILLED = (
    HEADER + 'acme,it@acme.example,Business,acme.example,"info\nboss@other.example","Acme, Inc.",Ada,Müller,de\nbeta\n'
)
SEMICOLONS = """\
Language;Client;email;Hosting Plan;Domain;Mailboxes;Company;First name;last-name
de;acme;it@acme.example;Business;acme.example;info boss@other.example;Acme, Inc.;Ada;Müller
;beta;;;;;;;
"""


@pytest.mark.parametrize(
    "text",
    [
        FILLED,
        "\ufeff" + FILLED.replace("\n", "\r\n"),
        "\n" + HEADER + 'acme , it@acme.example,Business,acme.example, info  boss@other.example,"Acme, Inc.",Ada, Müller,de,,\n,,\nbeta,,\n',
        SEMICOLONS,
        FILLED.replace("Acme, Inc.", "Acme# Inc.").replace(",", "\t").replace("#", ","),
        VAULT.encrypt(FILLED),
    ],
    ids=["commas", "a mark and two signs a line", "blanks", "semicolons and other spellings", "tabs", "encrypted"],
)  # fmt: skip
def test_a_table_of_any_spreadsheet_gives_the_same_customers(write: Write, text: str) -> None:
    write("c.csv", text)
    assert customers("c.csv") == [ACME, BETA]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "c.csv: the file is empty. Its first line names the columns."),
        (HEADER, "c.csv: there is no customer in it."),
        (HEADER.encode("utf-16"), "c.csv: line 1: the file is not in UTF-8. Save it in UTF-8."),
        (b"client\nM\xfcller\n", "c.csv: line 2: the file is not in UTF-8. Save it in UTF-8."),
        ("client,mailbox\nacme,info\n", "c.csv: unknown columns: mailbox. The columns are client, email, "),
        ("email\nit@acme.example\n", "c.csv: there is no column client, for the username."),
        ("client,CLIENT\nacme,acme\n", "c.csv: line 1: column client is there twice."),
        ("client,email\nacme,a@b.example,c\n", "c.csv: line 2: more cells than the first line has."),
        ("client,,email\nacme,x\n", "c.csv: line 2: there is a cell in a column without a name."),
        ("client,email\n,a@b.example\n", "c.csv: line 2: client: must be a dictionary with a username."),
        ('client,company\nacme,x\nbeta,"Acme\ngamma,z\n', "c.csv: line 3: a quote is not closed, or text follows a closed one"),
        ("client,domain,mailboxes\nacme,a.example,info; boss\n", "c.csv: line 2 (acme): emails[0] (info;@a.example) email:"),
        ('client,domain,mailboxes\nacme,a.example,"info,boss"\n', "c.csv: line 2 (acme): emails[0] (info,boss@a.example) email:"),
        ("client,mailboxes\nacme,info\n", "c.csv: line 2 (acme): emails[0] (info@) email:"),
        ("client,company,email\na,x,\nb,\"y\nz\",\nacme,,nobody\n", "c.csv: line 5 (acme): client (acme) email: 'nobody' is"),
        ("client,domain,mailboxes\nacme,a.example,@a.example\n", "c.csv: line 2 (acme): emails[0] (@a.example) email:"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_table_has_its_line(write: Write, text: str, wanted: str) -> None:
    write("c.csv", text)
    (found,) = mistakes("c.csv")
    assert found.startswith(wanted)


LIST = """\
- client: {username: acme}
  emails:
    - email: info@acme.example
      max_size: 1G
- client: {username: beta}
"""


@pytest.mark.parametrize("text", [LIST, "sites:\n" + LIST, VAULT.encrypt(LIST)])
def test_a_yaml_file_holds_a_list_or_a_dictionary_with_one(write: Write, text: str) -> None:
    write("all.yml", text)
    emails = [{"email": "info@acme.example", "max_size": "1G"}]
    assert customers("all.yml") == [{"client": {"username": "acme"}, "emails": emails}, BETA]


def test_a_folder_holds_one_customer_a_file_and_other_files_are_passed_over(write: Write) -> None:
    write("all/acme.yml", "client: {username: acme}\n")
    write("all/more/beta.yaml", "client: {username: beta}\n")
    write("all/.old.yml", "nonsense\n")
    write("all/README.md", "# Customers\n")
    write("all/passwords/acme.yml", VAULT.encrypt("generated_passwords: []\n"))
    assert customers("all") == [{"client": {"username": "acme"}}, BETA]
    assert customers("all/acme.yml") == [{"client": {"username": "acme"}}]


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("c.yml", "", "c.yml: there is no customer in it."),
        ("c.yml", "acme\n", "c.yml: line 1: must be a list of customers, each a dictionary with a client."),
        ("c.yml", "sites: []\n", "c.yml: line 1: there is no customer in it."),
        ("c.yml", "sites:\n  - client: {username: y}\nclient: {username: x}\n", "c.yml: line 3: client: there is no such field beside sites."),
        ("c.yml", "client: {username: y}\nlogin_url: 'nein'\n", "c.yml: line 2 (y): login_url: must be true or false."),
        ("all/c.txt", "x\n", "all: no file in it ends with .yml or .yaml."),
        ("c.txt", "x\n", "c.txt: the name of the file must end with .yml, .yaml, .csv or .tsv."),
        ("c.yml", "- client:\n    username: acme\n    emial: x\n", "c.yml: line 3 (acme): client (acme) emial: there is"),
        ("c.yml", "client: {username: acme}\nmailboxes: []\n", "c.yml: line 2 (acme): mailboxes: there is no such field"),
        ("c.yml", "client: {username: acme}\ndns:\n- domain: acme.example\n  records:\n  - {host: www, type: A, ttl: 60, value: x}\n",
         "c.yml: line 5 (acme): dns[0] (acme.example) records[0].value: "),
        ("c.yml", "client: {username: acme, notes: '{{ x }}'}\n", "c.yml: line 1: templates are not evaluated"),
    ],
)  # fmt: skip
def test_a_mistake_in_yaml_has_the_line_of_the_option(write: Write, name: str, text: str, wanted: str) -> None:
    write(name, text)
    (found,) = mistakes("all" if name.startswith("all") else name)
    assert found.startswith(wanted)


def test_the_lookup_returns_the_customers_of_all_sources_or_all_their_mistakes(write: Write) -> None:
    lookup = LookupModule(loader=SimpleNamespace(_vault=VaultLib()))
    write("one.csv", "client\nacme\n")
    write("two.yml", "- client: {username: beta}\n")
    assert lookup.run(["one.csv", "two.yml"]) == [{"client": {"username": "acme"}}, BETA]
    write("one.csv", "client,email\nacme,nobody\n")
    write("two.yml", VAULT.encrypt("- client: {username: beta}\n"))
    with pytest.raises(AnsibleLookupError) as caught:
        lookup.run(["one.csv", "two.yml", "three.csv"])
    assert "3 mistakes: one.csv: line 2 (acme): " in str(caught.value)
    assert "two.yml: encrypted with Ansible Vault, and this run has no Vault password that decrypts it." in str(
        caught.value
    )
    assert "three.csv: No such file or directory." in str(caught.value)
