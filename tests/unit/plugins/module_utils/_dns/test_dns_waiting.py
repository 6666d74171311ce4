"""panel_dns with wait: it ends when every name server serves what was given, and says which one
does not."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns import waiting
from tests.support.in_memory import InMemory
from tests.support.name_server import NameServer

pytestmark = pytest.mark.long

DOMAIN = "acme.example"
TOKEN = {"host": "_token", "type": "TXT", "value": "abc"}
NAME = ("_token.acme.example.", "TXT")
Answers = dict[tuple[str, str], list[str]]


@pytest.fixture
def panel() -> InMemory:
    """Make a panel with the domain and its client."""
    return InMemory(
        {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}
    )


@pytest.fixture
def answers() -> Answers:
    """What the first name server serves; a test may change it."""
    return {}


@pytest.fixture
def servers(answers: Answers) -> Iterator[list[str]]:
    """Two name servers; the second has the token."""
    with NameServer.start(answers) as first, NameServer.start({NAME: ['"abc"']}) as second:
        yield [first.address, second.address]


def run(panel: InMemory, servers: list[str], **options: Any) -> dict[str, Any]:
    """Write the token, and wait until some name servers serve it."""
    task_options = {
        "domain": DOMAIN,
        "records": [TOKEN],
        "wait": True,
        "wait_timeout": 0,
        "nameservers": servers,
        **options,
    }

    return panel.run("panel_dns", **task_options)


def test_it_waits_for_the_last_name_server(
    panel: InMemory, servers: list[str], answers: Answers
) -> None:
    threading.Timer(0.5, answers.update, [{NAME: ['"abc"']}]).start()
    result = run(panel, servers, wait_timeout=20)

    assert result["changed"] is True

    second_run = run(panel, servers)
    assert second_run["changed"] is False
    assert len(panel.writes) == 1


def test_the_name_server_that_lacks_the_record_is_named_and_the_write_is_told(
    panel: InMemory, servers: list[str]
) -> None:
    result = run(panel, servers)
    message = f"zone acme.example: after 0 s, {servers[0]} does not serve TXT _token.acme.example. The panel has the records."

    assert message in result["msg"]
    assert result["failed"] is True
    assert result["changed"] is True
    assert len(panel.writes) == 1
    assert result["error"]["type"] == "NotServed"
    assert result["error"]["nameservers"] == [servers[0]]


@pytest.mark.parametrize(
    ("options", "is_served"), [({}, False), ({"append": True}, True)], ids=["exactly", "append"]
)
def test_a_value_more_counts_unless_values_are_appended(
    panel: InMemory, servers: list[str], answers: Answers, options: dict[str, Any], is_served: bool
) -> None:
    answers[NAME] = ['"abc"', '"old"']
    result = run(panel, servers, **options)

    assert ("failed" not in result) is is_served
    assert (
        is_served
        or f"{servers[0]} serves other values of TXT _token.acme.example too" in result["msg"]
    )


@pytest.mark.parametrize("record", [TOKEN, {"host": "_token", "type": "TXT"}], ids=["value", "set"])
def test_what_is_removed_is_waited_for_until_it_is_served_no_more(
    panel: InMemory, servers: list[str], record: dict[str, Any]
) -> None:
    result = run(panel, servers, state="absent", records=[record])
    assert f"{servers[1]} still serves TXT _token.acme.example" in result["msg"]
    assert servers[0] not in result["msg"]


def test_a_server_that_does_not_answer_is_named(
    panel: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_QUERY_SECONDS", 0.1)
    result = run(panel, ["127.0.0.1:1"])

    assert (
        "127.0.0.1:1 does not answer" in result["msg"]
        or "127.0.0.1:1 cannot be reached" in result["msg"]
    )


@pytest.mark.parametrize("state", ["present", "absent"])
@pytest.mark.parametrize(
    ("host", "problem"),
    [
        ("_refused", "answers REFUSED for TXT _refused.acme.example"),
        ("_malformed", "sends an answer that cannot be read"),
    ],
)
def test_an_answer_that_says_nothing_about_the_records_is_neither_silence_nor_their_absence(
    panel: InMemory, servers: list[str], state: str, host: str, problem: str
) -> None:
    """Wait for a record that is there, or gone, at a server that does not say so."""
    result = run(panel, servers[1:], state=state, records=[{**TOKEN, "host": host}])
    assert f"zone acme.example: after 0 s, {servers[1]} {problem}." in result["msg"]


def test_a_name_that_does_not_exist_has_no_records(panel: InMemory, servers: list[str]) -> None:
    """Wait until a name is gone of which a server says that it does not exist."""
    result = run(panel, servers[:1], state="absent", records=[TOKEN])
    assert "failed" not in result


def test_dead_name_servers_together_take_one_answer_longer_than_the_time(
    panel: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_QUERY_SECONDS", 1.0)

    with contextlib.ExitStack() as dead:
        names = []

        for _server in range(5):
            silent = dead.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            silent.bind(("127.0.0.1", 0))  # takes questions and answers none
            names.append(f"127.0.0.1:{silent.getsockname()[1]}")

        start = time.monotonic()
        result = run(panel, names, wait_timeout=1, records=[TOKEN, {**TOKEN, "host": "other"}])

    assert result["error"]["nameservers"] == names
    assert 1 <= time.monotonic() - start < 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"records": None, "soa": {"minimum": 60}}, "wait: needs records to wait for."),
        (
            {"nameservers": ["ns1.invalid"]},
            "nameservers: 'ns1.invalid' is not a name server with an address",
        ),
        ({"nameservers": [""]}, "nameservers: '' is not a name server"),
        ({"nameservers": ["192.0.2.53:dns"]}, "nameservers: '192.0.2.53:dns' is not a name server"),
    ],
    ids=str,
)
def test_what_could_not_work_is_refused_before_anything_is_sent(
    panel: InMemory, options: dict[str, Any], message: str
) -> None:
    result = run(panel, [], **options)
    assert message in result["msg"]
    assert panel.log == []


@pytest.mark.parametrize("state", ["present", "absent"])
@pytest.mark.parametrize("record_type", ["ALIAS", "ANAME", "LUA", "ODD", "ANY", "TYPE65536"])
def test_a_type_for_which_no_name_server_answers_is_refused_before_anything_is_sent(
    panel: InMemory, servers: list[str], record_type: str, state: str
) -> None:
    """Wait for a record beside one that is served."""
    record = {"host": "x", "type": record_type, "value": "www.acme.example."}
    result = run(panel, servers, records=[TOKEN, record], state=state)

    assert result["msg"] == (
        f"wait: name servers do not answer for records of type {record_type}. Nothing was written. "
        "Manage these records with a separate task without wait."
    )
    assert result["error"]["type"] == "OptionError"
    assert panel.log == []


def test_a_type_by_number_is_waited_for(panel: InMemory, servers: list[str]) -> None:
    """Ask for a type without a name, of which these servers have no record."""
    record = {"host": "x", "type": "TYPE65280"}
    result = run(panel, servers, records=[record], state="absent")

    assert "failed" not in result


def test_without_dnspython_it_says_so_before_anything_is_sent(
    panel: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "dns", None)
    result = run(panel, [])

    assert result["error"]["type"] == "MissingLibrary"
    assert panel.log == []
    assert "dnspython" in result["msg"]


def test_without_nameservers_those_of_the_zone_are_asked(panel: InMemory) -> None:
    records = [{"host": "@", "type": "NS", "value": "localhost."}, TOKEN]
    result = run(panel, [], records=records)

    assert "after 0 s, localhost" in result["msg"]

    refused = run(panel, [], state="absent", records=[{"host": "@", "type": "NS"}])
    assert "nameservers: the zone acme.example names none." in refused["msg"]
