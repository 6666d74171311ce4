"""A mistake in a table keeps its file, line and column in whatever words each ansible-core puts
around a plugin's message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import Run, play
from tests.support.simulator import Simulator

# A file, and what is said of it.
TABLES = {
    "unknown.csv": (
        "sep=;\nClient;Domain;Mailboxes;Value\nacme;acme.example;info;1\n",
        "unknown.csv: line 2: unknown columns: value. The columns are client, email, ",
    ),
    "no-domain.csv": (
        "Client,Domain,Mailboxes\nacme,acme.example,info\nbeta,,sales\n",
        "no-domain.csv: line 3 (beta): mailboxes: no domain for sales. Fill the column domain, or write whole addresses.",
    ),
    "wrong.csv": (
        'Client,Company,Email\nacme,"Two, of us",it@acme.example\nbeta,,nobody\n',
        "wrong.csv: line 3 (beta): email: 'nobody' is not accepted; it must be an e-mail address",
    ),
    "more-cells.tsv": (
        "client\temail\nacme\ta@b.example\tx\n",
        "more-cells.tsv: line 2: more cells than the first line has.",
    ),
    "line-break.csv": (
        'client,company\nacme,"Two\nlines"\n',
        "line-break.csv: line 2: a quote is not closed in this line",
    ),
    "quotes.csv": (
        'client,email\nacme,"a@b.example\n',
        "quotes.csv: line 2: a quote is not closed",
    ),
}
DUE = {
    "due.csv": (
        "sep=,\nusername,due\nacme,2026-02-30\n",
        "due.csv: line 3 (acme): due: '2026-02-30' is not accepted",
    ),
    "no-name.csv": ("name,due\nacme,2026-01-01\n", "no-name.csv: line 1: there is no column "),
    "stray-quotes.csv": (
        'username;due;reason\nacme;2020-01-01;"late\nbeta;2020-01-01;x"\n',
        "stray-quotes.csv: line 2: a quote is not closed in this line",
    ),
    "no-username.csv": ("username,due\n,2026-01-01\n", "no-username.csv: line 2 has no username."),
}
ZONE = "www 60 A 192.0.2.1\nwww 60 A 192.0.2\n"


def debug(name: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a task that prints a text."""
    return {"name": name, "ansible.builtin.debug": {"msg": text}, **more}


def make_tasks() -> Iterator[dict[str, Any]]:
    """Yield each mistake, where a task, a loop, a condition, a variable and a role meet it."""
    for table in TABLES:
        query = f"query('hosting.panel.panel_customers', '{table}')"
        resources = f"{{{{ {query} | hosting.panel.panel_customers_to_resources }}}}"
        yield {
            "name": f"{table} in a module",
            "hosting.panel.panel_resources": {"resources": resources},
        }
        yield debug(f"{table} in a loop", "{{ item }}", loop=f"{{{{ {query} }}}}")
        yield debug(f"{table} in a condition", "x", when=f"{query} | length > 0")
        yield debug(
            f"{table} in a variable", "{{ them | length }}", vars={"them": f"{{{{ {query} }}}}"}
        )
        role = {"name": "hosting.panel.sites", "apply": {"ignore_errors": True}}
        variables = {"sites_from": table, "sites_credentials_dir": "."}
        yield {
            "name": f"{table} in a role",
            "ansible.builtin.include_role": role,
            "vars": variables,
        }

    for table in DUE:
        columns = ", username_column='client'" if table == "no-name.csv" else ""
        reading = f"lookup('hosting.panel.panel_suspend_list', '{table}'{columns})"
        yield {
            "name": f"{table} in a list",
            "ansible.builtin.assert": {
                "that": f"({reading}).mistakes == []",
                "fail_msg": f"{{{{ ({reading}).mistakes | join(' ') }}}}",
            },
        }

    yield debug(
        "zone",
        "{{ zone | hosting.panel.panel_zone_to_records('acme.example') }}",
        vars={"zone": ZONE},
    )

    customers = [{"client": {"username": "acme"}, "mailboxes": []}]

    yield debug(
        "filter",
        "{{ them | hosting.panel.panel_customers_to_resources }}",
        vars={"them": customers},
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Play every table and every mistake once for all tests."""
    folder = tmp_path_factory.mktemp("tables")
    for name, (text, _message) in {**TABLES, **DUE}.items():
        Path(folder, name).write_text(text, encoding="utf-8")
    with Simulator.start(settings={"status_delay": 0}) as simulator:
        return play(make_tasks(), simulator, folder)


@pytest.mark.parametrize("location", ["a module", "a loop", "a condition", "a variable"])
@pytest.mark.parametrize("table", TABLES)
def test_a_mistake_in_a_table_names_file_line_and_column(
    run: Run, table: str, location: str
) -> None:
    recording = run[f"{table} in {location}"]
    assert recording.outcome == "failed"
    assert TABLES[table][1] in recording.msg
    assert "[0]" not in recording.msg
    assert recording.requests == []


@pytest.mark.parametrize("table", TABLES)
def test_the_role_says_it_once_and_its_result_is_there(run: Run, table: str) -> None:
    recordings = [
        recording
        for recording in run.recordings
        if recording.name.endswith("Check the customers") and table in recording.msg
    ]

    assert [recording.outcome for recording in recordings] == ["failed"]
    assert recordings[0].msg.startswith(TABLES[table][1])

    results = [recording for recording in run.recordings if recording.name.endswith("Result")]
    assert [recording.outcome for recording in results] == ["ok"] * len(TABLES)


@pytest.mark.parametrize("table", DUE)
def test_a_mistake_in_a_list_of_clients_names_file_and_line(run: Run, table: str) -> None:
    recording = run[f"{table} in a list"]
    assert (recording.outcome, DUE[table][1] in recording.msg) == ("failed", True), recording.msg


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("zone", "panel_zone_to_records: line 2: this cannot be read: "),
        ("filter", "acme mailboxes: there is no such field"),
    ],
)
def test_a_mistake_of_a_filter_is_in_the_message(run: Run, name: str, message: str) -> None:
    recording = run[name]
    assert (recording.outcome, message in recording.msg) == ("failed", True), recording.msg
