# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""panel_verify on panels that do everything that the interface allows: it sees what each of them does, and leaves nothing behind."""

from __future__ import annotations

import datetime
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible import constants

from ansible_collections.hosting.panel.plugins.module_utils._task import locks
from ansible_collections.hosting.panel.plugins.plugin_utils._verify import files as files_of_verify
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.interruption import AT_ONCE
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.marks import PLAN_LIMITS, mark
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.observations import OBSERVATIONS
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.trials import TRIALS
from tests.support.broken_server import Handler, answers, hangs_up, resets, server
from tests.support.killing import is_child_running, start_function, wait_for_writes, writes
from tests.support.playbook import run_playbook
from tests.support.simulator import Simulator
from tests.support.tainted_panel import UNDERSTOOD, tainted_panel
from tests.support.verifying import (
    LOOK_ALIKES,
    MOST_REQUESTS,
    NAME,
    POINTS,
    TRIED,
    canonical,
    left_on,
    names_on,
    values_of,
    verified,
)
from tools.layout import ROOT

READ_ONLY_REQUESTS = 11
MOST_SECONDS = 60


@pytest.fixture(scope="module")
def panel() -> Iterator[Simulator]:
    with Simulator.start() as running:
        yield running


@pytest.fixture(autouse=True)
def reset(panel: Simulator, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new panel, and a new run of Ansible, which knows of no key."""
    panel.reset()
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path_factory.mktemp("run")))


def test_every_point_that_can_be_seen_has_an_observation_or_a_trial() -> None:
    assert {name for name, point in POINTS.items() if point.seen != "never"} == OBSERVATIONS.keys() | TRIALS.keys()
    assert not OBSERVATIONS.keys() & TRIALS.keys()


MIXES = 23


@pytest.mark.parametrize("number", range(MIXES))
def test_what_makes_a_panel_special_is_seen_in_the_company_of_other_specialities(panel: Simulator, number: int) -> None:
    """Each value, on panels that have several; alone it is in tests/verify. What others hide is unknown then, and nothing is seen wrongly."""
    special: dict[str, Any] = dict(TRIED[number::MIXES])
    assert len(special) == len(TRIED[number::MIXES]) > 3
    panel.settings({**special, "status_delay": 0.5})
    result = verified(panel, writes=True)
    unseen = {check["id"] for check in result["checks"] if check["verdict"] == "unknown"}
    assert canonical(result["profile"]) == canonical({name: special[name] for name in special if name not in unseen})
    assert len(unseen) <= 2
    assert result["left"] == []
    assert left_on(panel) == {}
    assert result["requests"] <= MOST_REQUESTS


@pytest.mark.parametrize("value", values_of("wrong_key"))
def test_a_wrong_key_is_sent_once_and_only_when_asked_for(panel: Simulator, value: str) -> None:
    panel.settings({"wrong_key": value})
    result = verified(panel, wrong_key=True)
    assert result["profile"] == {"wrong_key": value}
    assert [entry["status"] for entry in panel.log()].count(403 if value.endswith("403") else 401) == 1
    assert result["requests"] <= READ_ONLY_REQUESTS


def test_reading_takes_a_handful_of_requests_and_none_that_writes(panel: Simulator) -> None:
    panel.seed({"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]})
    result = verified(panel)
    log = panel.log()
    assert 8 <= len(log) == result["requests"] <= READ_ONLY_REQUESTS
    assert {entry["method"] for entry in log} == {"GET"}
    assert 401 not in {entry["status"] for entry in log}
    assert result["profile"] == {}
    assert {check["verdict"] for check in result["checks"]} <= {"confirmed", "unknown", "skipped"}


def test_reading_alone_sees_what_existing_objects_show(panel: Simulator) -> None:
    panel.seed({"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]})
    special = {"hidden_members": {"clients": ["created_at"]}, "numbers": "texts", "switches": "numbers"}
    panel.settings(special)
    assert verified(panel)["profile"] == special


def test_check_mode_reads_only_and_writes_no_file(panel: Simulator, tmp_path: Path) -> None:
    result = verified(panel, check_mode=True, writes=True, report_file=str(tmp_path / "report.md"))
    assert panel.writes() == []
    assert result["changed"] is True
    assert list(tmp_path.iterdir()) == []


def test_with_writes_it_takes_fewer_than_150_requests_and_less_than_a_minute_where_each_takes_50_ms(
    panel: Simulator,
) -> None:
    panel.settings({"latency": 50})
    begun = time.monotonic()
    result = verified(panel, writes=True)
    assert time.monotonic() - begun < MOST_SECONDS
    assert result["requests"] == len(panel.log()) <= MOST_REQUESTS
    assert result["profile"] == {}


def test_a_slow_panel_is_not_one_that_lags(panel: Simulator) -> None:
    panel.fault({"kind": "slow", "method": "GET", "path": "^/hosting-plans$", "seconds": 1.5, "skip": 1, "times": 0})
    assert verified(panel, writes=True)["profile"] == {}


def test_the_files_say_what_the_result_says_and_are_not_written_again(panel: Simulator, tmp_path: Path) -> None:
    panel.settings({"dates": "utc", "duplicates": 409})
    files = {"report_file": str(tmp_path / "report.md"), "profile_file": str(tmp_path / "profile.yml")}
    first, second = (verified(panel, writes=True, **files) for _run in range(2))
    assert (first["changed"], second["changed"]) == (True, False)
    assert yaml.safe_load(Path(files["profile_file"]).read_text(encoding="utf-8")) == first["profile"]
    page = Path(files["report_file"]).read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) == len(POINTS)
    assert [row.split("|")[2].strip() for row in rows[:2]] == ["otherwise", "otherwise"]
    assert first["lines"][0].startswith("otherwise ")


# What was left, and what is not ours.


def _kill(panel: Simulator, number: int, how: signal.Signals, **options: Any) -> bool:
    """Ends a verify when so many writes have arrived; whether it got that far."""
    child = start_function(lambda: verified(panel, writes=True, **options))
    before = writes(panel)
    if not wait_for_writes(panel, before + number, lambda: is_child_running(child)):
        return False
    os.kill(child, how)
    os.waitpid(child, 0)
    return True


def _objects(panel: Simulator) -> dict[str, Any]:
    found: dict[str, Any] = panel.state()["objects"]
    return found


@pytest.mark.parametrize("number", [2, 7, 20, 33, 46, 50])
def test_what_a_verify_that_is_killed_has_left_the_next_one_removes_and_nothing_else(
    panel: Simulator, number: int
) -> None:
    """At any write in tests/verify."""
    panel.seed(LOOK_ALIKES)
    before = _objects(panel)
    assert _kill(panel, number, signal.SIGKILL)
    result = verified(panel, writes=True)
    assert (result["left"], result["profile"]) == ([], {})
    assert _objects(panel) == before


def test_what_a_killed_verify_has_left_stays_where_the_panel_does_not_show_whose_it_is(panel: Simulator) -> None:
    panel.settings({"hidden_members": {"clients": ["notes"]}})
    assert _kill(panel, 5, signal.SIGKILL, client=NAME)
    before = _objects(panel)
    result = verified(panel, writes=True, client=NAME)
    assert f"there is a client {NAME} on the panel already; no verify has made it" in result["msg"]
    assert "With a name as a verify has: 1 that no verify has made" in result["found"][0]
    assert _objects(panel) == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("number", [1, 2, 3, 12, 30, 50])
def test_an_interrupted_verify_removes_what_it_has_made(panel: Simulator, how: signal.Signals, number: int) -> None:
    _kill(panel, number, how)
    assert left_on(panel) == {}


def test_an_interrupted_verify_says_so(panel: Simulator, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("report_file", "profile_file")}
    _kill(panel, 5, signal.SIGTERM, **{name: str(file) for name, file in files.items()})
    report = files["report_file"].read_text(encoding="utf-8")
    assert "The verify was interrupted. Everything that it made is removed." in report
    assert "Not finished" in report.splitlines()[2]
    assert "| not tried | " in report
    assert "not all kinds of objects could be made" not in report
    assert "which was not finished, and saw " in files["profile_file"].read_text(encoding="utf-8")


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_a_run_that_sees_less_leaves_the_files_of_a_fuller_one_and_says_so(
    panel: Simulator, tmp_path: Path, is_interrupted: bool
) -> None:
    panel.settings({"dkim_read": "placeholder"})
    files = {name: tmp_path / name for name in ("report_file", "profile_file")}
    options = {name: str(file) for name, file in files.items()}
    verified(panel, writes=True, **options)
    page, profile = (file.read_text(encoding="utf-8") for file in files.values())
    if is_interrupted:
        assert _kill(panel, 5, signal.SIGTERM, **options)
    else:
        result = verified(panel, **options)
        assert (result["changed"], result["written"]) == (False, [])
        assert any("stay as they are, since an earlier run has seen more" in warning for warning in result["warnings"])
    now = files["report_file"].read_text(encoding="utf-8")
    assert files["profile_file"].read_text(encoding="utf-8") == profile
    assert now.splitlines()[-1] == page.splitlines()[-1]
    assert ("A later verify: The verify was interrupted. Everything" in now) is is_interrupted
    assert (now == page) is not is_interrupted


def test_what_a_verify_of_a_panel_that_goes_away_has_not_seen_stays_in_the_profile(
    panel: Simulator, tmp_path: Path
) -> None:
    profile = tmp_path / "profile.yml"
    panel.settings({"dkim_read": "placeholder"})
    verified(panel, writes=True, profile_file=str(profile))
    before = profile.read_text(encoding="utf-8")
    assert "dkim_read" in before
    panel.fault({"kind": "reset", "when": "before", "skip": 20, "times": 0})
    result = verified(panel, writes=True, profile_file=str(profile), retry_time=0)
    assert result["failed"] is True
    assert "left on the panel: " in result["msg"]
    assert profile.read_text(encoding="utf-8") == before


def test_a_second_interruption_ends_the_removal_and_says_what_may_be_there(panel: Simulator, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    # It takes effect at once, so that nothing comes in the midst of another test.
    panel.fault({"kind": "slow", "method": "DELETE", "path": "^/clients/", "seconds": 30, "when": "after"})
    child = start_function(lambda: verified(panel, writes=True, client=NAME, report_file=str(report)))
    assert wait_for_writes(panel, writes(panel) + 5, lambda: is_child_running(child))
    for _signal in range(2):
        os.kill(child, signal.SIGTERM)
        time.sleep(AT_ONCE + 0.5)
    os.waitpid(child, 0)
    assert f"left on the panel: hosting plan {NAME}, client {NAME}" in report.read_text(encoding="utf-8")


def test_what_cannot_be_removed_is_named_by_its_kind_and_throw_away_name(panel: Simulator) -> None:
    panel.fault({"kind": "status", "status": 409, "body": "json", "method": "DELETE", "path": "^/clients/", "times": 0})
    result = verified(panel, writes=True, client=NAME)
    assert result["failed"] is True
    assert result["left"] == [{"kind": "client", "name": NAME}]
    assert f"client {NAME}" in result["msg"]
    panel.clear_faults()
    again = verified(panel, writes=True)
    assert again["found"] == [f"{NAME}: left by an earlier verify, and now removed"]
    assert left_on(panel) == {}


@pytest.mark.parametrize("kind", ["reset", "status"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_answer_leaves_nothing_behind(panel: Simulator, kind: str, when: str) -> None:
    """That of the client; those of all other creations in tests/verify."""
    panel.fault({"kind": kind, "when": when, "method": "POST", "path": "^/clients$"})
    result = verified(panel, writes=True)
    assert result["left"] == []
    assert left_on(panel) == {}
    assert result["profile"] == {}


def _marked(name: str, age: datetime.timedelta, place: str = "0123456789ab") -> dict[str, Any]:
    return {"username": name, "notes": mark(name, datetime.datetime.now(datetime.UTC) - age, place)}


def test_only_what_has_both_the_name_and_the_mark_is_removed(panel: Simulator) -> None:
    day = datetime.timedelta(days=1)
    copied = {**_marked("hpverifycopied", day), "username": "hpverifycopyit"}
    other = {**_marked("customer", day), "username": "customer"}
    panel.seed(
        {
            "clients": [_marked("hpverifyoldone", day), copied, other, {"username": "hpverifynonote"}],
            "hosting_plans": [
                {"name": "hpverifyoldone", "resources": PLAN_LIMITS},
                {"name": "hpverifyorphan", "resources": PLAN_LIMITS},
                {"name": "hpverifylimits", "resources": {**PLAN_LIMITS, "ftp_users": 1}},
            ],
        }
    )
    result = verified(panel, writes=True)
    assert names_on(panel) == {"hpverifycopyit", "customer", "hpverifynonote", "hpverifylimits"}
    assert result["found"] == [
        "customer: left by an earlier verify; a run with writes and client: customer removes it",
        "hpverifyoldone: left by an earlier verify, and now removed",
        "hpverifyorphan: left by an earlier verify, and now removed",
        "With a name as a verify has: 3 that no verify has made, as far as the panel shows; they are left alone",
    ]


@pytest.mark.parametrize("are_locks_shared", [True, False])
def test_a_client_that_may_be_in_use_on_another_machine_stays_and_nothing_is_tried(
    panel: Simulator, are_locks_shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _kill(panel, 5, signal.SIGKILL)
    before = _objects(panel)
    if not are_locks_shared:
        monkeypatch.setattr(locks, "_TEMPORARY", str(tmp_path))
    result = verified(panel, writes=True)
    assert (_objects(panel) == before) is not are_locks_shared
    assert ("Run it again in 15 minutes" in result.get("msg", "")) is not are_locks_shared


def test_a_name_that_somebody_has_is_refused_before_the_first_write(panel: Simulator) -> None:
    panel.seed({"clients": [{"username": "acme-shop"}], "hosting_plans": [{"name": "business"}]})
    for name, kind in (("acme-shop", "client"), ("business", "hosting plan")):
        result = verified(panel, writes=True, client=name)
        assert result["msg"].startswith(
            f"client: there is a {kind} {name} on the panel already; no verify has made it."
        )
    assert panel.writes() == []


def test_two_at_once_do_not_disturb_one_another(panel: Simulator) -> None:
    panel.settings({"latency": 10})
    children = [start_function(lambda: verified(panel, writes=True)) for _one in range(2)]
    result = verified(panel, writes=True)
    for child in children:
        os.waitpid(child, 0)
    assert result["profile"] == {}
    assert left_on(panel) == {}
    assert verified(panel, writes=True)["found"] == []


def test_the_same_name_twice_at_once_is_refused(panel: Simulator) -> None:
    child = start_function(lambda: verified(panel, writes=True, client=NAME))
    assert wait_for_writes(panel, writes(panel) + 2, lambda: is_child_running(child))
    result = verified(panel, writes=True, client=NAME)
    os.waitpid(child, 0)
    assert result["failed"] is True
    assert "verify" in result["msg"]
    assert left_on(panel) == {}


# What is no such panel.


def test_a_key_that_only_reads_is_one_sentence() -> None:
    with Simulator.start(arguments=["--read-only"]) as running:
        result = verified(running, writes=True)
    assert result["msg"] == (
        "The panel answered 403 to the first write, though it answered reads: the key may only read, as it seems. Nothing was written. "
        "Use a key that may write, or leave out writes."
    )
    assert result["left"] == []


def test_a_wrong_key_ends_it_with_the_first_request(panel: Simulator) -> None:
    result = verified(panel, api_key="wrong")
    assert "does not accept the key (401)" in result["msg"]
    assert len(panel.log()) == 1


@pytest.mark.parametrize("value", ["json_403", "page_403", "page_404", "page_200"])
def test_a_panel_whose_api_is_switched_off_is_told(panel: Simulator, value: str) -> None:
    panel.settings({"api_enabled": False, "api_disabled": value})
    result = verified(panel, writes=True)
    assert result["failed"] is True
    assert result["msg"].endswith("Nothing was written.") or "Nothing was written. " in result["msg"]
    assert len(panel.log()) == 1


OTHERS = {
    "a page of a login": (
        {"kind": "html_200", "path": "^/ping"},
        "a web page, such as that of a login: another product",
    ),
    "a redirect": ({"kind": "redirect", "path": "^/ping"}, "redirects to"),
    "another product": (
        {"kind": "body", "path": "^/ping", "body": {"status": "ok"}},
        "something else than the panel's pong",
    ),
    "a list instead of a pong": (
        {"kind": "body", "path": "^/ping", "body": [1]},
        "something else than the panel's pong",
    ),
    "a proxy without its panel": ({"kind": "status", "status": 502, "path": "^/ping"}, "a proxy without its panel"),
    "a port of https": ({"kind": "status", "status": 400, "path": "^/ping"}, "http where the panel speaks https"),
    "a version that is gone": (
        {"kind": "status", "status": 410, "path": "^/ping", "body": "json"},
        "an API of another version",
    ),
    "nothing at all": ({"kind": "html_200", "html": " ", "path": "^/ping"}, "something else than the panel's pong"),
    "another version without plans": (
        {"kind": "status", "status": 404, "path": "^/hosting-plans$", "body": "json"},
        "another version",
    ),
    "another version with other clients": (
        {"kind": "body", "path": "^/clients$", "body": {"data": []}},
        "another version",
    ),
    "clients without names": ({"kind": "body", "path": "^/clients$", "body": [{"id": 1}]}, "another version"),
    "a key for the ping alone": (
        {"kind": "status", "status": 403, "path": "^/hosting-plans$", "body": "json"},
        "may not read",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_such_panel_is_told_in_a_sentence(panel: Simulator, name: str) -> None:
    fault, words = OTHERS[name]
    panel.fault({**fault, "times": 0})
    result = verified(panel, writes=True, retry_time=1)
    assert result["failed"] is True
    assert words in result["msg"]
    assert "Nothing was written." in result["msg"]
    assert panel.writes() == []


@pytest.mark.parametrize("handler", [hangs_up, resets(), answers(b"SSH-2.0-OpenSSH\r\n")])
def test_what_does_not_speak_http_is_told(handler: Handler) -> None:
    with server(handler) as port:
        result = verified(SimpleNamespace(url=f"http://127.0.0.1:{port}", api_key="key"), writes=True, retry_time=0)
    assert result["failed"] is True
    assert "/ping" in result["msg"]


@pytest.mark.parametrize("option", ["profile_file", "report_file"])
@pytest.mark.parametrize("place", ["missing/page", "/dev/full", "."])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_sent(
    panel: Simulator, tmp_path: Path, option: str, place: str
) -> None:
    result = verified(panel, writes=True, **{option: str(tmp_path / place)})
    assert result["msg"].startswith(f"{option}: ")
    assert result["msg"].endswith("Nothing was read or written.")
    assert panel.log() == []


def test_a_file_that_cannot_be_written_in_the_end_does_not_take_the_result_with_it(
    panel: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path, _content: bytes, _mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files_of_verify, "replace_file", refused)
    panel.fault({"kind": "status", "status": 409, "body": "json", "method": "DELETE", "path": "^/clients/", "times": 0})
    files = {name: str(tmp_path / name) for name in ("report_file", "profile_file")}
    result = verified(panel, writes=True, client=NAME, **files)
    assert result["msg"].count("cannot be written: No space left on device.") == 2
    assert f"left on the panel: client {NAME}." in result["msg"]
    assert (result["changed"], result["written"]) == (True, [])
    assert len(result["checks"]) == len(POINTS)
    panel.clear_faults()
    assert verified(panel, writes=True)["changed"] is True
    assert verified(panel, writes=True)["changed"] is False


def test_a_status_is_not_waited_for_longer_than_two_minutes(panel: Simulator) -> None:
    result = verified(panel, wait_timeout=121)
    assert result["msg"] == "wait_timeout: must be 0 to 120 seconds, not 121. Nothing was read or written."


def test_a_wrong_key_that_gets_no_answer_leaves_the_rest_as_it_is(panel: Simulator) -> None:
    panel.fault({"kind": "reset", "method": "GET", "path": "^/ping$", "skip": 1})
    result = verified(panel, wrong_key=True)
    assert {check["id"]: check["verdict"] for check in result["checks"]}["wrong_key"] == "unknown"
    assert result["requests"] == len(panel.log())


# Nothing of the panel is told.


@pytest.mark.parametrize("shape", UNDERSTOOD)
@pytest.mark.parametrize("does_write", [False, True])
def test_nothing_of_a_panel_is_in_the_result_or_the_files(
    panel: Simulator, tmp_path: Path, shape: str, does_write: bool
) -> None:
    panel.seed(
        {
            "clients": [{"username": "acme", "email": "it@acme.example"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
        }
    )
    files = {"report_file": str(tmp_path / "report.md"), "profile_file": str(tmp_path / "profile.yml")}
    with tainted_panel(panel) as tainted:
        tainted.taint(shape, lambda _method: True)
        result = verified(tainted, writes=does_write, **files)
        texts = [
            json.dumps(result),
            *(Path(file).read_text(encoding="utf-8") for file in files.values() if Path(file).exists()),
        ]
        for text in texts:
            assert tainted.marks.found_in(text) == {}
            assert "acme" not in text


@pytest.mark.parametrize("name", ["mueller-gmbh", "schmidt-ag"])
def test_a_name_of_others_that_was_given_for_the_throw_away_client_is_in_no_file(
    panel: Simulator, tmp_path: Path, name: str
) -> None:
    panel.seed({"clients": [{"username": "mueller-gmbh"}], "hosting_plans": [{"name": "schmidt-ag"}]})
    report = tmp_path / "report.md"
    result = verified(panel, client=name, report_file=str(report))
    assert result["found"][0].startswith("With a name as a verify has: 1 that no verify")
    assert name not in report.read_text(encoding="utf-8")


CUSTOMERS = {
    "hosting_plans": [{"name": "Gewerbe gross", "resources": {"disk_space": 123456789, "domains": 4711}}],
    "clients": [
        {
            "username": "tannhauser",
            "hosting_plan": "Gewerbe gross",
            "email": "post@tannhauser.example",
            "notes": "zahlt nie",
            "contact_data": {"first_name": "Dietlinde", "last_name": "Oberhuber", "city": "Quakenbrueck"},
            "suspend_on": "2031-05-17T10:11:12+02:00",
        },
        {"username": "hpverifyabcdef", "notes": "hello"},
    ],
    "domains": [{"domain": "tannhauser.example", "client": "tannhauser"}],
    "dns": [
        {
            "domain": "tannhauser.example",
            "records": [
                {"host": "kasse", "type": "A", "ttl": 3617, "value": "198.51.100.77"},
                {"host": "@", "type": "TXT", "ttl": 3617, "value": "geheime-pruefung=815471"},
            ],
        }
    ],
    "emails": [{"email": "dietlinde@tannhauser.example", "aliases": ["chefin@tannhauser.example"]}],
    "databases": [{"database_name": "tannhauser_laden", "client": "tannhauser"}],
    "ftp_users": [{"username": "tannhauser_ablage", "client": "tannhauser", "home_directory": "/www/ablage"}],
    "scheduled_tasks": [
        {"description": "Nachtputz", "client": "tannhauser", "type": "php", "command": "/www/putzen.php"}
    ],
}


# Of customers, where only members may be expected.
NAMES = ("mueller_gmbh", "schmidt_ag", "oberhuber", "tann_hauser", "iban")


def _values(value: Any) -> set[str]:
    """What can be told from other things in answers: texts, and great numbers."""
    if isinstance(value, dict):
        return set().union(*map(_values, value.values()))
    if isinstance(value, list):
        return set().union(*map(_values, value))
    is_telling = isinstance(value, str) or (isinstance(value, int) and value >= 1000)
    return {str(value)} if is_telling and len(str(value)) > 3 else set()


@pytest.mark.parametrize("does_write", [False, True])
@pytest.mark.parametrize(
    "special",
    [
        {},
        {"extra_members": {"clients": {"colour": "ultramarine"}}, "hidden_members": {"emails": ["id_user"]}},
        {
            "extra_members": {
                "clients": {"mueller_gmbh": {"iban": 1}, "schmidt_ag": [1], "oberhuber": 1, "tann_hauser": 1}
            }
        },
    ],
)
def test_no_name_address_or_value_of_a_panel_is_in_the_result_or_the_files(
    panel: Simulator, tmp_path: Path, special: dict[str, Any], does_write: bool
) -> None:
    def told() -> str:
        files = {name: str(tmp_path / name) for name in ("report_file", "profile_file")}
        result = verified(panel, writes=does_write, **files)
        return "\n".join([json.dumps(result), *(Path(file).read_text(encoding="utf-8") for file in files.values())])

    panel.settings(special)
    words = told()
    panel.seed(CUSTOMERS)
    server = panel.request("GET", "/server").json()
    of_server = _values(server) - {server["meta"]["panel_version"]} | {panel.url.rpartition(":")[2]}
    of_customers = _values([panel.state(), special.get("extra_members", {})])
    assert server["meta"]["hostname"] in of_server
    assert {"198.51.100.77", "tannhauser", "geheime-pruefung=815471"} <= of_customers
    found = told()
    assert [name for name in NAMES if name in found] == []
    assert [value for value in sorted(of_server) if value in found] == []
    assert [value for value in sorted(of_customers) if value in found and value not in words] == []


# As playbooks and commands.


def test_the_playbook_says_what_it_found_on_each_panel(panel: Simulator, tmp_path: Path) -> None:
    panel.settings({"dates": "utc"})
    words = ["-e", f"panel_verify_report_file={tmp_path}/report.md", "-e", "panel_verify_writes=true"]
    run = run_playbook(
        ROOT / "playbooks" / "verify.yml", panel, tmp_path, arguments=words, variables=_environment(panel)
    )
    assert run.code == 0, run.text
    assert re.search(r"otherwise +dates +The offset of dates .*: utc instead of as_declared", run.text)
    assert (tmp_path / "report.md").is_file()
    assert left_on(panel) == {}
    assert panel.api_key not in run.text


def test_several_panels_need_several_files(panel: Simulator, tmp_path: Path) -> None:
    hosts = {name: {"panel_api_url": panel.url, "panel_api_key": panel.api_key} for name in ("one", "two")}
    words = ["-e", "panel_hosts=one,two", "-e", f"panel_verify_report_file={tmp_path}/report.md"]
    run = run_playbook(ROOT / "playbooks" / "verify.yml", panel, tmp_path, arguments=words, hosts=hosts)
    assert run.code != 0
    assert "have to name other files for each panel" in run.text
    assert panel.log() == []


def test_a_misspelt_variable_is_refused_before_anything_is_sent(panel: Simulator, tmp_path: Path) -> None:
    words = ["-e", "panel_verify_wirtes=true"]
    run = run_playbook(
        ROOT / "playbooks" / "verify.yml", panel, tmp_path, arguments=words, variables=_environment(panel)
    )
    assert run.code != 0
    assert "did you mean panel_verify_writes?" in run.text
    assert panel.log() == []


def _environment(panel: Simulator) -> dict[str, str]:
    return {"PANEL_API_URL": panel.url, "PANEL_API_KEY": panel.api_key}
