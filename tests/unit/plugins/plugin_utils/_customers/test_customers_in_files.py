"""Customers in YAML files, folders and tables, and their mistakes by file and line.

hosting.panel.panel_customers returns them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleLookupError
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.filter.panel_customers_to_resources import (
    panel_customers_to_resources,
)
from ansible_collections.hosting.panel.plugins.lookup.panel_customers import LookupModule
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_message
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customer_files import (
    read_customers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import LISTS
from tests.support.seeds import make_seeds

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

    def write_file(name: str, text: str | bytes) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


def list_customers(source: str) -> list[Any]:
    """Return the customers of a file that has no mistakes."""
    read = read_customers(source, VAULT)
    assert read.mistakes == []
    return read.customers


def find_mistakes(source: str, vault: VaultLib = VAULT) -> list[str]:
    """Return the mistakes of a file."""
    return list(map(format_message, read_customers(source, vault).mistakes))


def test_a_path_that_the_system_does_not_take_is_a_mistake() -> None:
    assert find_mistakes("x" * 256) == [f"{'x' * 255}...: File name too long."]
    assert find_mistakes("a\0b") == [
        "a\0b: a path cannot have a NUL character or half of a character."
    ]


@pytest.mark.parametrize("value", ['""', '" "', "null", ""])
@pytest.mark.parametrize("field", ["plan", "hosting_plan", *LISTS, "login_url"])
def test_an_empty_field_in_a_file_counts_as_not_given(write: Write, field: str, value: str) -> None:
    write("sites.yml", f"- client: {{username: beta}}\n  {field}: {value}\n")

    assert panel_customers_to_resources(list_customers("sites.yml")) == {
        "clients": [{"username": "beta"}]
    }


FILLED = (
    HEADER
    + 'acme,it@acme.example,Business,acme.example,"info boss@other.example","Acme, Inc.",Ada,Müller,de\nbeta\n'
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
        "sep=;\n" + SEMICOLONS,
        "\ufeffsep=;\r\n" + SEMICOLONS.replace("\n", "\r\n"),
        'SEP=,\n' + FILLED,
        '"sep=;"\n\n' + SEMICOLONS,
        VAULT.encrypt("sep=;\n" + SEMICOLONS),
    ],
    ids=[
        "commas", "a mark and two signs a line", "blanks", "semicolons and other spellings", "tabs", "encrypted",
        "a line of Excel", "a line of Excel and a mark", "a line of Excel in capitals", "a line of Excel in quotes", "a line of Excel, encrypted",
    ],
)  # fmt: skip
def test_a_table_of_any_spreadsheet_gives_the_same_customers(write: Write, text: str) -> None:
    write("c.csv", text)
    assert list_customers("c.csv") == [ACME, BETA]


@pytest.mark.parametrize(
    ("text", "requested"),
    [
        ("", "c.csv: the file is empty. Its first line names the columns."),
        (HEADER, "c.csv: line 1: there is no customer below the columns."),
        *(
            (before + VAULT.encrypt(FILLED), "c.csv: line 1: a byte order mark or blanks stand")
            for before in (b"\xef\xbb\xbf", b"\n", b"  ")
        ),
        (HEADER.encode("utf-16"), "c.csv: line 1: the file is not in UTF-8. Save it in UTF-8."),
        (b"client\nM\xfcller\n", "c.csv: line 2: the file is not in UTF-8. Save it in UTF-8."),
        ("client,mailbox\nacme,info\n", "c.csv: line 1: unknown columns: mailbox; did you mean mailboxes? The columns are client, email, "),
        ("sep=;\nclient;mailbox\nacme;info\n", "c.csv: line 2: unknown columns: mailbox; did you mean mailboxes? The columns are client, email, "),
        ("\n\nsep=;\n\nclient;mailbox\nacme;info\n", "c.csv: line 5: unknown columns: mailbox; did you mean mailboxes?"),
        ("sep=;\nclient;email\nacme;nobody\n", "c.csv: line 3 (acme): email: 'nobody' is not accepted"),
        ("sep=|\nclient|email\n", "c.csv: line 1: sep= must name a comma, a semicolon or a tab"),
        ("sep=\nclient|email\n", "c.csv: line 1: sep= must name a comma, a semicolon or a tab"),
        ("sep=;", "c.csv: the file is empty. Its first line names the columns."),
        ("sep=;\nclient,email\nacme,a@b.example\n", "c.csv: line 2: unknown columns: client,email."),
        ("\u200bclient\nacme\n", "c.csv: line 1: unknown columns: '\\u200bclient'; did you mean client? The columns are client"),
        ("email\nit@acme.example\n", "c.csv: line 1: there is no column client, for the username."),
        ("client,CLIENT\nacme,acme\n", "c.csv: line 1: column client is there twice."),
        ("client\nacme\nbirch\nacme\n", "c.csv: line 4 (acme): client: line 2 has acme too. Keep one of them."),
        ("client,domain\nacme,a.example\nbirch,A.example\n", "c.csv: line 3 (birch): domain: line 2 has A.example too. Keep one"),
        (
            "client,mailboxes\nacme,a@a.example b@a.example\nbirch,b@a.example\n",
            "c.csv: line 3 (birch): mailboxes: line 2 has b@a.example too. Keep one of them.",
        ),
        ("client,email\nacme,a@b.example,c\n", "c.csv: line 2: more cells than the first line has."),
        ("client,,email\nacme,x\n", "c.csv: line 2 (acme): there is a cell in a column without a name."),
        ("client,email\n,a@b.example\n", "c.csv: line 2: client: the cell is empty; it needs the username of the customer."),
        ('client,company\nacme,x\nbeta,"Acme\ngamma,z\n', "c.csv: line 3: a quote is not closed in this line, or text follows a closed one"),
        ("client,domain,mailboxes\nacme,a.example,info; boss\n", "c.csv: line 2 (acme): mailboxes: 'info;@a.example' is not accepted"),
        ('client,domain,mailboxes\nacme,a.example,"info,boss"\n', "c.csv: line 2 (acme): mailboxes: 'info,boss@a.example' is not accepted"),
        ("client,mailboxes\nacme,info\n", "c.csv: line 2 (acme): mailboxes: no domain for info. Fill the column domain, or write whole addresses."),
        ("client,company,email\na,x,\n\nb,\"y, z\",\nacme,,nobody\n", "c.csv: line 5 (acme): email: 'nobody' is"),
        ("client,domain,mailboxes\nacme,a.example,@a.example\n", "c.csv: line 2 (acme): mailboxes: '@a.example' stands for every address"),
        ("client,company\nacme,********\n", "c.csv: line 2 (acme): company: holds ******** instead of a secret"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_table_has_its_line(write: Write, text: str, requested: str) -> None:
    write("c.csv", text)
    (mistake,) = find_mistakes("c.csv")

    assert mistake.startswith(requested)


@pytest.mark.parametrize(
    "cell",
    [
        "\u201ec1\u201c",
        "\u2018c1\u2019",
        "\u00abc1\u00bb",
        "'c1",
        "# c1",
        "#c1",
        "=c1",
        '""" c1"""',
        "c1=1",
    ],
)
def test_a_cell_that_can_be_no_username_is_refused_with_its_line(write: Write, cell: str) -> None:
    write("c.csv", f"client;email\nbeta;b@b.example\n{cell};a@a.example\n")
    (mistake,) = find_mistakes("c.csv")

    assert mistake.startswith("c.csv: line 3 (")
    assert "): client: " in mistake
    assert " can be no username. " in mistake


@pytest.mark.parametrize("cell", ['="0123"', '"=""0123"""', '=" 0123 "'])
def test_a_username_that_a_spreadsheet_keeps_as_a_text_is_that_text(
    write: Write, cell: str
) -> None:
    write("c.csv", f"client;email\n{cell};a@a.example\n")
    assert list_customers("c.csv") == [{"client": {"username": "0123", "email": "a@a.example"}}]


def test_a_byte_order_mark_behind_the_line_of_the_separator_is_skipped(write: Write) -> None:
    write("c.csv", "\ufeffsep=;\r\n\ufeffclient;email\r\nacme;a@a.example\r\n")
    assert list_customers("c.csv") == [{"client": {"username": "acme", "email": "a@a.example"}}]


OPEN_QUOTE = (
    "a quote is not closed in this line, or text follows a closed one. A cell has no line breaks"
)
LINE_ENDS = {"of Unix": "\n", "of Windows": "\r\n", "of old": "\r"}
# Lines of a table, the first of which is line 2, and the line that is wrong.
WRONG_QUOTES = {
    "around two rows": (['acme;Acme;"late', 'beta;Beta;x"', "gamma;Gamma;Carl"], 2),
    "around one row": (["acme;Acme;Ada", 'beta;Beta;"late', 'gamma;Gamma;x"'], 3),
    "around rows behind a cell": (['acme;"Acme";"late', "beta;Beta;Bob", 'gamma;Gamma;x"'], 2),
    "in the first cell": (['"acme;Acme;Ada', 'beta";Beta;Bob'], 2),
    "behind a blank": (['acme;Acme; "late', 'beta;Beta;x"'], 2),
    "a break of its own": (['acme;"Two', 'lines";Ada'], 2),
    "a break before the end": (['acme;"Acme', '";Ada'], 2),
    "quotes written twice": (['acme;Acme;"the ""A""', 'beta;Beta;team"'], 2),
    "a quote at the end of all": (["acme;Acme;Ada", 'beta;Beta;"'], 3),
    "text behind a quote": (["acme;Acme;Ada", 'beta;"Beta" & Sons;Bob'], 3),
}


@pytest.mark.parametrize("end", LINE_ENDS.values(), ids=LINE_ENDS)
@pytest.mark.parametrize(("lines", "line"), WRONG_QUOTES.values(), ids=WRONG_QUOTES)
def test_a_quote_that_is_open_at_the_end_of_a_line_swallows_no_row_and_is_named_by_its_line(
    write: Write, lines: list[str], line: int, end: str
) -> None:
    write("c.csv", end.join(["client;company;first_name", *lines, ""]))
    (mistake,) = find_mistakes("c.csv")

    assert mistake.startswith(f"c.csv: line {line}: {OPEN_QUOTE}")


def test_an_open_quote_among_the_columns_is_the_only_mistake(write: Write) -> None:
    write("c.csv", 'client;"comp\nany"\nacme;Acme\n')
    (mistake,) = find_mistakes("c.csv")

    assert mistake.startswith(f"c.csv: line 1: {OPEN_QUOTE}")


def test_a_separator_within_quotes_behind_a_blank_separates_nothing(write: Write) -> None:
    write("c.csv", 'client; company; first_name\nacme; "Two; Lines"; Ada\n')
    (customer,) = list_customers("c.csv")

    assert customer["client"]["contact_data"] == {"company": "Two; Lines", "first_name": "Ada"}


LONG = "x" * 131_073
LONG_CELLS = {
    "bare": LONG,
    "in quotes": f'"{LONG}"',
    "in an open quote": f'"{LONG}',
    "behind quotes": f'"a"" b {LONG}"',
}


@pytest.mark.parametrize("cell", LONG_CELLS.values(), ids=LONG_CELLS)
def test_a_cell_that_is_too_long_is_called_so(write: Write, cell: str) -> None:
    write("c.csv", f"client,company\nacme,Acme\nbeta,{cell}\n")
    assert find_mistakes("c.csv") == [
        "c.csv: line 3: a cell has more than 131,072 characters. Shorten it."
    ]


def test_a_wrong_quote_in_a_long_line_is_no_long_cell(write: Write) -> None:
    half = LONG[:70_000]
    write("c.csv", f'client,company,first_name\nacme,{half},"{half}"x\n')
    (mistake,) = find_mistakes("c.csv")

    assert mistake.startswith(f"c.csv: line 2: {OPEN_QUOTE}")


def test_a_nul_character_is_named_by_its_line(write: Write) -> None:
    write("c.csv", "client,company\nacme,Ac\0me\n")
    assert find_mistakes("c.csv") == [
        "c.csv: line 2: a NUL character is in this line. Save the file in UTF-8."
    ]


@pytest.mark.parametrize(
    ("text", "cause"), [("a\\0b", "holds a NUL character"), ("********", "holds ******** instead")]
)
def test_a_text_in_a_file_of_yaml_that_no_request_can_hold_has_its_line(
    write: Write, text: str, cause: str
) -> None:
    write("s.yml", f'- client:\n    username: acme\n    notes: "{text}"\n')
    (mistake,) = find_mistakes("s.yml")

    assert mistake.startswith(f"s.yml: line 3 (acme): client.notes: {cause}")


# Tables by lot

SPELLINGS = {
    "client": ("client", "Client", "CLIENT"),
    "email": ("email", "Email", "EMAIL"),
    "hosting_plan": ("hosting_plan", "Hosting Plan", "hosting-plan", "HOSTING  PLAN"),
    "domain": ("domain", "Domain"),
    "mailboxes": ("mailboxes", "MAILBOXES"),
    "company": ("company", "Company"),
    "first_name": ("first_name", "First name", "first-name"),
    "last_name": ("last_name", "Last Name"),
    "language": ("language", "Language"),
}
DRAWN_CELLS = {
    "email": ("it@acme.example", "IT@b.example"),
    "hosting_plan": ("Business", "Business; large", "a,b"),
    "domain": ("acme.example", "müller.example"),
    "company": ("Acme, Inc.", 'The "A" team', "x;y\tz", "sep=;"),
    "first_name": ("Ada", " Ada "),
    "last_name": ("Müller", "O'Hara"),
    "language": ("de", "en"),
}


class TableWriter:
    """Writes rows as a spreadsheet does, each detail by lot."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.separator = self.draw.choice(",;\t")
        self.end = self.draw.choice(("\n", "\r\n"))
        self.columns = self.draw.sample(sorted(SPELLINGS), len(SPELLINGS))
        self.lines = [f"sep={self.separator}"] if self.draw.random() < 0.5 else []
        # The line of each row.
        self.starts: list[int] = []

    def spell_cell(self, text: str) -> str:
        """Write a cell, in quotes where it needs them or at random."""
        must = any(sign in text for sign in f'{self.separator}"') or text != text.strip()
        if must or self.draw.random() < 0.3:
            return '"' + text.replace('"', '""') + '"'
        return text

    def write_row(self, cells: list[str]) -> None:
        """Write a row, behind lines that mean nothing."""
        self.lines += self.draw.choice(([], [], [""], [self.separator * 3]))
        self.starts.append(1 + len(self.lines))
        self.lines.append(self.separator.join(map(self.spell_cell, cells)))

    def write_header(self) -> None:
        """Write the names of the columns in one of their spellings."""
        self.write_row([self.draw.choice(SPELLINGS[column]) for column in self.columns])

    def write_customer(self, number: int, **wrong: str) -> dict[str, str]:
        """Write a random customer, and return the cells."""
        cells = {name: self.draw.choice(("", *values)) for name, values in DRAWN_CELLS.items()}
        if cells["domain"]:
            # No two customers have one domain.
            cells["domain"] = f"n{number}.{cells['domain']}"
        elsewhere = f"x{number}@other.example"
        mailboxes = self.draw.sample(("info", "sales", elsewhere), self.draw.randrange(3))
        mailboxes = (
            mailboxes if cells["domain"] else [mailbox for mailbox in mailboxes if "@" in mailbox]
        )
        cells["mailboxes"] = self.draw.choice((" ", "\u00a0", "  ")).join(mailboxes)
        cells["client"] = f"client{number}"
        cells.update(wrong)
        self.write_row([cells[column] for column in self.columns])

        return {name: text.strip() for name, text in cells.items() if text.strip()}

    def get_text(self) -> str:
        """Return the table."""
        return (
            self.draw.choice(("", "\ufeff"))
            + self.end.join(self.lines)
            + self.draw.choice(("", self.end))
        )


def as_cells(customer: dict[str, Any]) -> dict[str, str]:
    """What a customer says, by column."""
    client = customer["client"]
    cells = {"client": client["username"], **client.get("contact_data", {})}
    cells.update({name: client[name] for name in ("email", "language") if name in client})
    cells.update({"hosting_plan": customer["hosting_plan"]} if "hosting_plan" in customer else {})
    for domain in customer.get("domains", ()):
        cells["domain"] = domain["domain"]
    addresses = " ".join(mailbox["email"] for mailbox in customer.get("emails", ()))
    cells.update(
        {"mailboxes": addresses.replace(f"@{cells.get('domain')}", "")} if addresses else {}
    )

    return cells


@pytest.mark.parametrize("seed", make_seeds(120))
def test_a_table_says_the_same_in_every_spelling(write: Write, seed: int) -> None:
    writer = TableWriter(f"table {seed}")
    writer.write_header()
    rows = [writer.write_customer(number) for number in range(writer.draw.randrange(1, 6))]
    write("c.csv", writer.get_text())
    expected = [
        {**row, **({"mailboxes": " ".join(row["mailboxes"].split())} if "mailboxes" in row else {})}
        for row in rows
    ]

    assert [as_cells(customer) for customer in list_customers("c.csv")] == expected, (
        writer.get_text()
    )


@pytest.mark.parametrize("seed", make_seeds(60))
def test_two_quotes_too_many_anywhere_in_a_table_never_join_rows(write: Write, seed: int) -> None:
    writer = TableWriter(f"quotes {seed}")
    writer.write_header()
    rows = [writer.write_customer(number)["client"] for number in range(6)]
    lines = writer.get_text().split(writer.end)

    for line in writer.draw.sample(writer.starts[1:], 2):
        cells = lines[line - 1].split(writer.separator)
        index = writer.draw.randrange(len(cells))
        cells[index] = writer.draw.choice((f'"{cells[index]}', f'{cells[index]}"'))
        lines[line - 1] = writer.separator.join(cells)

    write("c.csv", writer.end.join(lines))
    read = read_customers("c.csv", VAULT)

    if not read.mistakes:
        # A quote at the end of a cell that none begins is a character of it.
        assert [customer["client"]["username"].strip('"') for customer in read.customers] == rows, (
            lines
        )


WRONG_CELLS = {
    "client": ("", "   ", "ACME", "Ünal"),
    "email": ("nobody", "a@b", "x y@acme.example"),
    "domain": ("no domain", "-x.example"),
    "mailboxes": ("info;sales", "a@b", "@acme.example", "<info@acme.example>"),
}


@pytest.mark.parametrize("column", WRONG_CELLS)
@pytest.mark.parametrize("seed", make_seeds(20))
def test_a_wrong_cell_is_a_mistake_with_its_line_and_column(
    write: Write, column: str, seed: int
) -> None:
    writer = TableWriter(f"{column} {seed}")
    writer.write_header()
    before = writer.draw.randrange(4)
    for number in range(before):
        writer.write_customer(number)

    beside = {"mailboxes": ""} if column == "domain" else {"domain": "acme.example"}
    writer.write_customer(before, **beside, **{column: writer.draw.choice(WRONG_CELLS[column])})
    for number in range(before + 1, before + 3):
        writer.write_customer(number)

    write("c.csv", writer.get_text())

    problems = find_mistakes("c.csv")

    assert problems, writer.get_text()

    for mistake in problems:
        assert mistake.startswith(f"c.csv: line {writer.starts[before + 1]}"), (
            mistake,
            writer.get_text(),
        )
        assert f": {column}: " in mistake, (mistake, writer.get_text())
        assert "[0]" not in mistake


@pytest.mark.parametrize("seed", make_seeds(20))
def test_an_unknown_or_a_missing_column_is_a_mistake_with_the_line_of_the_columns(
    write: Write, seed: int
) -> None:
    writer = TableWriter(f"columns {seed}")

    if seed % 2:
        writer.columns.remove("client")
    else:
        writer.columns.insert(writer.draw.randrange(len(writer.columns)), "mailbox")
        spellings = {**SPELLINGS, "mailbox": ("Mailbox", "mail box")}
        writer.write_row([writer.draw.choice(spellings[column]) for column in writer.columns])

    if seed % 2:
        writer.write_header()

    write("c.csv", writer.get_text())
    (mistake,) = find_mistakes("c.csv")
    requested = "there is no column client" if seed % 2 else "unknown columns: mail"

    assert mistake.startswith(f"c.csv: line {writer.starts[0]}: {requested}"), writer.get_text()


def test_mistakes_come_in_the_order_of_their_lines(write: Write) -> None:
    write("c.csv", "client,email\nacme,nobody\nbeta,it@b.example,c\n,x\ngamma,no one\n")
    assert [mistake.partition(":")[2].split()[1] for mistake in find_mistakes("c.csv")] == [
        "2",
        "3:",
        "4:",
        "5",
    ]


@pytest.mark.parametrize("term", [None, "", " ", 83, True, ["c.csv"], {}])
def test_a_path_that_is_empty_or_no_text_is_refused_and_reads_no_directory(
    write: Write, term: Any
) -> None:
    write("c.csv", "client,email\nacme,it@acme.example\n")
    with pytest.raises(AnsibleLookupError, match=r"hosting\.panel\.panel_customers: term 2"):
        LookupModule(loader=SimpleNamespace(_vault=VAULT)).run(["c.csv", term])


def test_a_mistake_has_one_line_whatever_a_cell_holds(write: Write) -> None:
    write("c.csv", 'client,email\na\u2028b,"x\x1b[31my"\n')
    with pytest.raises(AnsibleLookupError) as raised:
        LookupModule(loader=SimpleNamespace(_vault=VAULT)).run(["c.csv"])

    message = str(raised.value)
    assert "\u2028" not in message
    assert "\x1b" not in message


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

    assert list_customers("all.yml") == [{"client": {"username": "acme"}, "emails": emails}, BETA]


def test_a_folder_holds_one_customer_a_file_and_other_files_are_passed_over(write: Write) -> None:
    write("all/acme.yml", "client: {username: acme}\n")
    write("all/more/beta.yaml", "client: {username: beta}\n")
    write("all/.old.yml", "nonsense\n")
    write("all/README.md", "# Customers\n")
    write("all/passwords/acme.yml", VAULT.encrypt("generated_passwords: []\n"))

    assert list_customers("all") == [{"client": {"username": "acme"}}, BETA]
    assert list_customers("all/acme.yml") == [{"client": {"username": "acme"}}]


@pytest.mark.parametrize(
    ("name", "text", "requested"),
    [
        ("c.yml", "", "c.yml: there is no customer in it."),
        ("c.yml", "acme\n", "c.yml: line 1: must be a list of customers, each a dictionary with a client."),
        ("c.yml", "sites: []\n", "c.yml: line 1: there is no customer in it."),
        ("c.yml", "sites:\n  - client: {username: y}\nclient: {username: x}\n", "c.yml: line 3: client: there is no such field beside sites."),
        ("c.yml", "client: {username: y}\nlogin_url: 'nein'\n", "c.yml: line 2 (y): login_url: must be true or false."),
        ("all/c.txt", "x\n", "all: no file in it ends with .yml or .yaml."),
        ("c.txt", "x\n", "c.txt: the name of the file must end with .yml, .yaml, .csv or .tsv."),
        ("c.yml", "- client:\n    username: acme\n    emial: x\n", "c.yml: line 3 (acme): client (acme) emial: there is"),
        ("c.yml", "client: {username: ACME}\ndomains:\n- domain: acme.example\n", "c.yml: line 1 (ACME): client (ACME) username: 'ACME' is not"),
        ("c.yml", "client: {username: acme}\nmailboxes: []\n", "c.yml: line 2 (acme): mailboxes: there is no such field"),
        ("c.yml", "client: {username: acme}\ndns:\n- domain: acme.example\n  records:\n  - {host: www, type: A, ttl: 60, value: x}\n",
         "c.yml: line 5 (acme): dns[0] (acme.example) records[0].value: "),
        ("c.yml", "client: {username: acme, notes: '{{ x }}'}\n", "c.yml: line 1: templates are not evaluated"),
    ],
)  # fmt: skip
def test_a_mistake_in_yaml_has_the_line_of_the_option(
    write: Write, name: str, text: str, requested: str
) -> None:
    write(name, text)
    (mistake,) = find_mistakes("all" if name.startswith("all") else name)

    assert mistake.startswith(requested)


def test_the_lookup_returns_the_customers_of_all_sources_or_all_their_mistakes(
    write: Write,
) -> None:
    lookup = LookupModule(loader=SimpleNamespace(_vault=VaultLib()))
    write("one.csv", "client\nacme\n")
    write("two.yml", "- client: {username: beta}\n")

    assert lookup.run(["one.csv", "two.yml"]) == [{"client": {"username": "acme"}}, BETA]

    write("one.csv", "client,email\nacme,nobody\n")
    write("two.yml", VAULT.encrypt("- client: {username: beta}\n"))

    with pytest.raises(AnsibleLookupError) as caught:
        lookup.run(["one.csv", "two.yml", "three.csv"])

    assert "3 mistakes: one.csv: line 2 (acme): " in str(caught.value)
    assert (
        "two.yml: encrypted with Ansible Vault, and this run has no Vault password that decrypts it."
        in str(caught.value)
    )
    assert f"there is no file or directory {Path.cwd() / 'three.csv'}. Correct the path." in str(
        caught.value
    )


SECRET = "Geheim-2026z"
CUSTOMERS_WITH_SECRET = {
    "an option": "client: {username: acme}\nemails:\n- {email: NAME, password: NAME}\n",
    "a field": "client: {username: acme}\nNAME: 1\nemails:\n- {email: a@b.example, password: NAME}\n",
    "the client": "client: {username: NAME, password: NAME, email: x}\n",
    "the form": "client: {username: NAME, password: NAME}\nnothing: 1\n",
    "a switch": "client: {username: NAME, password: NAME, notes: yes}\n",
    "an owner": "client: {username: NAME, password: NAME}\ndomains:\n- {client: x, domain: b.example}\n",
    "an extra field": "client: {username: NAME, email: x, extra: {pin_key: NAME}}\n",
    "a certificate": "client: {username: NAME, email: x}\ncertificates:\n- {name: a, components: {private_key: NAME}}\n",
}


@pytest.mark.parametrize("customer", CUSTOMERS_WITH_SECRET)
def test_no_mistake_shows_a_secret_that_is_a_name_of_its_customer(
    write: Write, customer: str
) -> None:
    write("acme.yml", CUSTOMERS_WITH_SECRET[customer].replace("NAME", SECRET))

    sentences = find_mistakes("acme.yml")

    assert sentences
    assert SECRET not in str(sentences)
    assert "********" in str(sentences)
