"""The modules that are about no kind of object: ping, server, login, reboot and any other call."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import BothWays, Recording, play, task
from tests.support.simulator import Simulator
from tests.support.worker import work

SEED = {"clients": [{"username": "acme", "email": "it@acme.example"}], "emails": []}
ACME = "/clients/name/acme"
SETTINGS = {"status_delay": 0, "reboot_delay": 0.3, "reboot_down_time": 2.0}
FRESH: list[Any] = [["POST", "/reset", None], ["POST", "/settings", SETTINGS], ["POST", "/seed", SEED]]


def tasks() -> Iterator[dict[str, Any]]:
    """One task for each behaviour."""
    yield task("ping", "panel_ping", {}, FRESH)
    yield task("ping with another key", "panel_ping", {"api_key": "wrong"})
    yield task("ping while the API is off", "panel_ping", {}, [["POST", "/settings", {"api_enabled": False}]])
    yield task("ping where nothing listens", "panel_ping", {"api_url": "http://127.0.0.1:9", "retry_time": 0}, FRESH)
    yield task("server", "panel_server_info")
    yield task("login by name", "panel_login_info", {"username": "acme", "page": "domains"})
    yield task("login by id", "panel_login_info", {"id": 2})
    yield task("login of nobody", "panel_login_info", {"username": "nobody"})
    yield task("a call that reads, in check mode", "panel_api", {"path": "/api/v2" + ACME}, check_mode=True)
    change = {"method": "PUT", "path": ACME, "body": {"notes": "by hand", "password": "Secret-Password-1"}}
    yield task("a call that writes, in check mode", "panel_api", change, check_mode=True)
    yield task("a call that writes", "panel_api", change)
    created = {"method": "POST", "path": "/clients", "body": {"username": "made", "email": "m@made.example"}}
    yield task("a call with a password in its answer", "panel_api", {**created, "status": [201]})
    yield task("a call of what is not there", "panel_api", {"path": "/clients/name/nobody", "status": [200, 404]})
    yield task("a call with another status", "panel_api", {"path": ACME, "status": [201]})
    yield task("a call by name", "panel_api", {"method": "DELETE", "path": "/clients/name/made", "status": [204]})
    yield task("reboot in check mode", "panel_reboot", {}, check_mode=True)
    yield task("reboot", "panel_reboot", {"wait_timeout": 30})


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    return BothWays(tasks(), simulator, tmp_path_factory.mktemp("single calls"), work)


def test_ping_says_pong(runs: BothWays, way: str) -> None:
    assert runs[way]["ping"].result["ping"] == "pong"
    assert runs[way]["ping"].calls == ["GET /ping"]


@pytest.mark.parametrize(
    ("name", "cause", "words"),
    [
        ("ping with another key", "key", "key"),
        ("ping while the API is off", "access", "API disabled or address not allowed"),
        ("ping where nothing listens", "unreachable", "not reachable"),
    ],
)
def test_ping_says_which_of_the_three_failed(runs: BothWays, way: str, name: str, cause: str, words: str) -> None:
    failed = runs[way][name]
    assert failed.outcome == "failed"
    assert failed.result["error"]["cause"] == cause
    assert words in failed.msg
    assert len(failed.calls) <= 1


def test_the_server_is_read_in_blocks(runs: BothWays, way: str) -> None:
    assert runs[way]["server"].result["server"]["meta"]["panel_version"]


def test_a_login_url_comes_with_the_time_of_its_end(runs: BothWays, way: str) -> None:
    login = runs[way]["login by name"]
    assert login.result["login_url"].startswith("http://127.0.0.1:")
    assert login.requests[0]["query"] == {"page": "domains"}
    ends = datetime.datetime.fromisoformat(login.result["expires_at"]) - datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(minutes=40) < ends <= datetime.timedelta(minutes=60)
    assert runs[way]["login by id"].calls == ["GET /login/2"]


def test_a_login_for_nobody_fails_and_names_nobody(runs: BothWays, way: str) -> None:
    assert runs[way]["login of nobody"].outcome == "failed"
    assert "nobody" in runs[way]["login of nobody"].msg


def test_the_lookup_gives_one_url_a_term(simulator: Simulator, tmp_path: Path) -> None:
    url = "{{ lookup('hosting.panel.panel_login_url', 'acme', 2, api_url=url, api_key=key, wantlist=True) }}"
    variables = {"url": simulator.url, "key": simulator.api_key, "simulator": {"before": FRESH}}
    one = {"name": "lookup", "ansible.builtin.debug": {"msg": url}, "vars": variables}
    looked_up = play([one], simulator, tmp_path)["lookup"]
    assert looked_up.outcome == "ok", looked_up.msg
    assert len(looked_up.result["msg"]) == 2
    assert looked_up.calls == ["GET /login/name/acme", "GET /login/2"]


@pytest.mark.parametrize(
    ("usernames", "term", "calls"),
    [
        (("acme", "beta"), "2", ["GET /clients/name/2", "GET /login/2"]),
        (("acme", "77"), "77", ["GET /clients/name/77", "GET /clients/77", "GET /login/name/77"]),
        (("acme", "3"), "3", ["GET /clients/name/3", "GET /clients/3", "GET /login/name/3"]),
        (("acme", "03", "beta"), "03", ["GET /login/name/03"]),
    ],
)
def test_the_lookup_takes_digits_for_a_name_before_it_takes_them_for_an_id(
    simulator: Simulator, tmp_path: Path, usernames: tuple[str, ...], term: str, calls: list[str]
) -> None:
    looked_up = look_up(simulator, tmp_path, usernames, term)
    assert (looked_up.outcome, looked_up.calls) == ("ok", calls), looked_up.msg


@pytest.mark.parametrize(
    ("usernames", "term", "words"),
    [
        (
            ("3", "acme", "beta"),
            "3",
            "3: it is the name of the client with id 2, and the id of another client. Use hosting.panel.panel_login_info",
        ),
        (("acme", "beta", "gamma"), "03", "There is no client 03 on this panel"),
    ],
)
def test_the_lookup_logs_nobody_in_as_another_client(
    simulator: Simulator, tmp_path: Path, usernames: tuple[str, ...], term: str, words: str
) -> None:
    looked_up = look_up(simulator, tmp_path, usernames, term)
    assert looked_up.outcome == "failed"
    assert words in looked_up.msg
    assert "GET /login/3" not in looked_up.calls


def look_up(simulator: Simulator, folder: Path, usernames: tuple[str, ...], term: str) -> Recording:
    """What the lookup makes of a term on a panel with these clients, whose ids begin with 2."""
    url = "{{ lookup('hosting.panel.panel_login_url', term, api_url=url, api_key=key) }}"
    seed = {"clients": [{"username": username} for username in usernames]}
    variables = {
        "url": simulator.url,
        "key": simulator.api_key,
        "term": term,
        "simulator": {"before": [["POST", "/reset", None], ["POST", "/seed", seed]]},
    }
    one = {"name": "lookup", "ansible.builtin.debug": {"msg": url}, "vars": variables}
    return play([one], simulator, folder)["lookup"]


def test_a_call_that_reads_runs_in_check_mode(runs: BothWays, way: str) -> None:
    read = runs[way]["a call that reads, in check mode"]
    assert (read.outcome, read.changed, read.result["status"]) == ("ok", False, 200)
    assert read.result["response"]["username"] == "acme"


def test_a_call_that_writes_is_skipped_in_check_mode(runs: BothWays, way: str) -> None:
    skipped = runs[way]["a call that writes, in check mode"]
    assert (skipped.outcome, skipped.calls) == ("skipped", [])


def test_a_call_that_writes_is_sent_as_it_is_and_hides_secrets(runs: BothWays, way: str) -> None:
    written = runs[way]["a call that writes"]
    assert written.changed
    assert written.writes[0]["body"] == {"notes": "by hand", "password": "Secret-Password-1"}
    assert "Secret-Password-1" not in str(written.result)
    created = runs[way]["a call with a password in its answer"]
    assert created.result["response"]["password"] == "********"
    assert created.result["status"] == 201


def test_only_the_named_statuses_are_accepted(runs: BothWays, way: str) -> None:
    assert runs[way]["a call of what is not there"].result["status"] == 404
    refused = runs[way]["a call with another status"]
    assert refused.outcome == "failed"
    assert "answered 200" in refused.msg
    assert runs[way]["a call by name"].calls == ["DELETE /clients/name/made"]


def test_a_reboot_waits_until_the_panel_went_away_and_is_back(runs: BothWays, way: str) -> None:
    assert runs[way]["reboot in check mode"].calls == []
    assert runs[way]["reboot in check mode"].changed
    rebooted = runs[way]["reboot"]
    assert rebooted.outcome == "ok", rebooted.msg
    assert [call for call in rebooted.calls if call.startswith("POST")] == ["POST /server/reboot"]
    assert rebooted.result["elapsed"] >= 1
