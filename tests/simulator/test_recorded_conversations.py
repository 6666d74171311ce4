# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A conversation with a panel is recorded by a proxy, and a replay answers as that panel did."""

from __future__ import annotations

import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest
import requests

from panel_simulator.__main__ import main
from panel_simulator.recording.conversation import LONGEST_BODY, STATUSES, read_conversation
from panel_simulator.recording.exchanges import Exchange, Recorded
from panel_simulator.recording.replay import Conversation
from panel_simulator.self_signed import ensure
from tests.support.recorded_panel import Task, recorder, replay, run_tasks
from tests.support.simulator import Simulator

NAMES = {
    "username": "acme",
    "mail": "it@acme.example",
    "domain": "acme.example",
    "mailbox": "info@acme.example",
    "alias": "hello@acme.example",
    "notes": "Pays late",
    "size": "2G",
}


def tasks_with(names: dict[str, str]) -> list[Task]:
    """A client, a domain and a mailbox made, changed, looked at, made again and deleted."""
    client = {"username": names["username"]}
    domain = {"domain": names["domain"]}
    mailbox = {"email": names["mailbox"]}
    return [
        ("panel_client", {**client, "email": names["mail"], "password": "Given4it-and-long"}),
        ("panel_domain", {**domain, "client": names["username"]}),
        ("panel_email", mailbox),
        ("panel_client", {**client, "notes": names["notes"], "is_suspended": True}),
        ("panel_email", {**mailbox, "max_size": names["size"], "aliases": [names["alias"]]}),
        ("panel_client", {**client, "notes": names["notes"], "is_suspended": True}),
        ("panel_email", {**mailbox, "max_size": names["size"], "aliases": [names["alias"]]}),
        ("panel_client_info", client),
        ("panel_email_info", {}),
        ("panel_dns_info", domain),
        ("panel_email", {**mailbox, "state": "absent"}),
        ("panel_email", {**mailbox, "state": "absent"}),
        ("panel_client", {**client, "state": "absent"}),
        ("panel_client_info", client),
    ]


def pseudonyms_in(entries: list[dict[str, Any]]) -> dict[str, str]:
    """NAMES as the file has them, found in the bodies of its writes."""
    bodies = [
        entry["request"]["json"]
        for entry in entries
        if entry["request"]["method"] in ("POST", "PUT") and "json" in entry["request"]
    ]
    client, domain, mailbox, notes, sizes = bodies
    return {
        "username": client["username"],
        "mail": client["email"],
        "domain": domain["domain"],
        "mailbox": mailbox["email"],
        "alias": sizes["aliases"][0],
        "notes": notes["notes"],
        "size": str(sizes["max_size"]),
    }


def test_the_same_tasks_do_the_same_against_a_replay_as_against_the_panel(simulator: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "conversation.jsonl"
    simulator.settings({"status_delay": 0})
    with recorder(file, simulator.url, simulator.api_key) as recording:
        outcomes, results = run_tasks(tasks_with(NAMES), recording, simulator)
    names = pseudonyms_in(read_conversation(file))
    with replay(file) as replayed:
        again, other_results = run_tasks(tasks_with(names), replayed, replayed)
        statuses = [entry["status"] for entry in replayed.log()]

    assert [outcome.failed for outcome in outcomes] == [False] * len(outcomes)
    assert [outcome.changed for outcome in outcomes] == [True] * 5 + [False] * 5 + [True, False, True, False]
    assert again == outcomes
    assert [sorted(result) for result in other_results] == [sorted(result) for result in results]
    assert 599 not in statuses
    assert not set(NAMES.values()) & set(names.values())
    assert names["mailbox"].endswith(f"@{names['domain']}")
    assert names["domain"].startswith(f"{names['username']}.")


def test_a_replay_begins_anew_after_a_reset(simulator: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "conversation.jsonl"
    with recorder(file, simulator.url, simulator.api_key) as recording:
        assert recording.request("DELETE", "/hosting-plans/77").status_code == 404
    target = read_conversation(file)[0]["request"]["target"].removeprefix("/api/v2")
    with replay(file) as replayed:
        statuses = [replayed.request("DELETE", target).status_code for _again in range(2)]
        replayed.reset()
        statuses.append(replayed.request("DELETE", target).status_code)

    assert statuses == [404, 599, 404]


def test_what_was_not_recorded_is_named_in_the_answer_and_seen_in_the_log(simulator: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "conversation.jsonl"
    with recorder(file, simulator.url, simulator.api_key) as recording:
        recording.request("GET", "/ping")
    with replay(file) as replayed:
        ping = replayed.request("GET", "/ping")
        answer = replayed.request("GET", "/clients/name/acme%40x?sort=id")
        logged = [(entry["method"], entry["target"], entry["status"]) for entry in replayed.log()]

    assert ping.json() == {"response": "pong"}
    assert (answer.status_code, answer.json()) == (
        599,
        {
            "code": "599 Not Recorded",
            "message": "The recording has no answer to GET /api/v2/clients/name/acme%40x?sort=id after the 0 writes that were asked for.",
        },
    )
    assert logged == [("GET", "/ping", 200), ("GET", "/clients/name/acme%40x?sort=id", 599)]


def spoken(*lines: tuple[str, str, Any, Any]) -> Conversation:
    """A conversation of (method, target, body, answer)."""
    return Conversation(
        [
            {"request": {"method": method, "target": target, "json": body}, "answer": {"status": 200, "json": answer}}
            for method, target, body, answer in lines
        ]
    )


def answers(conversation: Conversation, *asked: tuple[str, str, Any]) -> list[Any]:
    found = [conversation.answer(*one) for one in asked]
    return [None if one is None else one["json"] for one in found]


READ, WRITE = ("GET", "/a", None), ("PUT", "/a", 1)


def test_a_read_is_answered_as_between_the_same_writes() -> None:
    lines = (
        ("GET", "/a", None, "one"),
        ("GET", "/a", None, "two"),
        ("PUT", "/a", 1, "done"),
        ("GET", "/a", None, "three"),
    )

    assert answers(spoken(*lines), READ, READ, READ, WRITE, READ, READ) == [
        "one",
        "two",
        "two",
        "done",
        "three",
        "three",
    ]
    assert answers(spoken(*lines), WRITE, READ) == ["done", "three"]
    assert answers(spoken(*lines), READ, WRITE, WRITE) == ["one", "done", None]


def test_a_read_that_was_not_asked_again_after_a_write_is_answered_as_before_it_and_never_as_after_a_later_one() -> (
    None
):
    lines = (("GET", "/a", None, "before"), ("PUT", "/a", 1, "done"), ("GET", "/b", None, "after"))

    assert answers(spoken(*lines), WRITE, READ) == ["done", "before"]
    assert answers(spoken(*lines), ("GET", "/b", None)) == [None]


def test_writes_that_come_in_another_order_find_their_own_answers() -> None:
    lines = (("POST", "/a", {"x": 1}, "first"), ("POST", "/a", {"x": 2}, "second"), ("GET", "/a", None, "both"))
    asked = [("POST", "/a", {"x": 2}), ("GET", "/a", None), ("POST", "/a", {"x": 9}), ("POST", "/a", {"x": 1})]

    assert answers(spoken(*lines), *asked) == ["second", "both", "first", None]


def test_the_file_is_written_as_the_panel_answers_and_for_its_owner_alone(simulator: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "conversation.jsonl"
    with recorder(file, simulator.url, simulator.api_key) as recording:
        for number in range(1, 4):
            recording.request("GET", "/ping")
            lines = file.read_text().splitlines()
            assert [json.loads(line)["number"] for line in lines[1:]] == list(range(1, number + 1))
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert json.loads(lines[0]) == {"format": "hosting.panel conversation", "version": 1}
    assert json.loads(lines[1])["request"] == {
        "method": "GET",
        "target": "/api/v2/ping",
        "key": 1,
        "accept": ["application/json"],
        "type": None,
    }


def test_what_is_asked_and_answered_is_passed_on_unchanged(simulator: Simulator, tmp_path: Path) -> None:
    simulator.fault(
        {
            "kind": "status",
            "status": 429,
            "headers": {"Retry-After": "7", "X-Limit": "abc"},
            "path": "^/emails/name/a%40b",
        }
    )
    simulator.fault({"kind": "redirect", "location": "https://elsewhere.example/x", "path": "^/admins"})
    with recorder(tmp_path / "file", simulator.url, simulator.api_key) as recording:
        limited = recording.request("GET", "/emails/name/a%40b%2Fc+d?x=%40&y", headers={"X-API-Key": "another"})
        moved = recording.request("GET", "/admins")
        created = recording.request("POST", "/clients", {"username": "acme"})
        elsewhere = requests.get(f"{recording.url}/login?token=x", timeout=30)
        asked = simulator.log()

    assert (limited.status_code, limited.headers["Retry-After"], limited.headers["X-Limit"]) == (429, "7", "abc")
    assert (moved.status_code, moved.headers["Location"]) == (302, "https://elsewhere.example/x")
    assert (created.status_code, elsewhere.status_code) == (201, 404)
    assert [entry["target"] for entry in asked] == ["/emails/name/a%40b%2Fc+d?x=%40&y", "/admins", "/clients"]
    assert asked[2]["body"] == {"username": "acme"}


def test_an_answer_that_was_cut_off_is_recorded_as_such_and_reaches_nobody(
    simulator: Simulator, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    simulator.fault([{"kind": "reset"}, {"kind": "truncate"}])
    said = "".join(f"Request {number} got no answer: the panel cut it off, or it is no HTTP.\n" for number in (1, 2))
    with recorder(file, simulator.url, simulator.api_key, errors=said) as recording:
        for _fault in range(2):
            with pytest.raises(requests.ConnectionError):
                recording.request("POST", "/clients", {"username": "acme"})
    with replay(file) as replayed:
        answer = replayed.request("POST", "/clients", {"username": "name1"})

    assert [entry["answer"] for entry in read_conversation(file)] == [{"status": None}] * 2
    assert (answer.status_code, answer.json()["message"][:26]) == (599, "The recording was cut off ")


def test_pages_are_played_with_their_status_type_length_and_the_known_words_of_their_title(
    simulator: Simulator, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    simulator.fault({"kind": "status", "status": 503, "body": "html"})
    with recorder(file, simulator.url, simulator.api_key) as recording:
        page = recording.request("GET", "/ping")
    with replay(file) as replayed:
        played = replayed.request("GET", "/ping")

    assert (played.status_code, played.headers["Content-Type"], len(played.content)) == (
        503,
        page.headers["Content-Type"],
        len(page.content),
    )
    assert played.text.splitlines()[1] == "<title>… Service Unavailable</title>"


def test_an_answer_without_a_type_stays_one(simulator: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "file"
    simulator.settings({"content_type": "none"})
    with recorder(file, simulator.url, simulator.api_key) as recording:
        passed = recording.request("GET", "/ping")
    with replay(file) as replayed:
        played = replayed.request("GET", "/ping")

    assert [("Content-Type" in answer.headers, answer.json()) for answer in (passed, played)] == [
        (False, {"response": "pong"})
    ] * 2


def test_a_panel_with_a_certificate_of_its_own_is_recorded_with_that_certificate_only(tmp_path: Path) -> None:
    ensure("127.0.0.1", tmp_path)
    files = (str(tmp_path / "certificate.pem"), str(tmp_path / "private_key.pem"))
    said = "Request 1 got no answer: the panel's certificate is not trusted, see --upstream-ca.\n"
    with Simulator.start(tls=files, max_seconds=120) as panel:
        with recorder(tmp_path / "trusting", panel.url, panel.api_key, ["--upstream-ca", files[0]]) as recording:
            assert recording.request("GET", "/ping").json() == {"response": "pong"}
        with (
            recorder(tmp_path / "strict", panel.url, panel.api_key, errors=said) as recording,
            pytest.raises(requests.ConnectionError),
        ):
            recording.request("GET", "/ping")
        assert len(panel.log()) == 1


def test_a_panel_that_is_not_there_is_said_to_be_away(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        upstream = f"http://127.0.0.1:{free.getsockname()[1]}"
        with (
            recorder(
                tmp_path / "file", upstream, "k", errors="Request 1 got no answer: the panel cannot be reached.\n"
            ) as recording,
            pytest.raises(requests.ConnectionError),
        ):
            recording.request("GET", "/ping")


def test_with_a_key_of_its_own_a_recorder_passes_no_other_one_on(simulator: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with recorder(file, simulator.url, simulator.api_key, ["--api-key", simulator.api_key]) as recording:
        statuses = [
            recording.request("GET", "/ping", headers={"X-API-Key": key}).status_code
            for key in ("wrong", simulator.api_key)
        ]
        assert recording.counters() == {"requests": 1}

    assert (statuses, len(simulator.log()), len(read_conversation(file))) == ([401, 200], 1, 1)


def test_nothing_is_left_where_nothing_was_asked(tmp_path: Path) -> None:
    with recorder(tmp_path / "file", "https://panel.example/api/v2/", "k"):
        assert (tmp_path / "file").exists()
    assert list(tmp_path.iterdir()) == []


def test_faults_delays_and_counters_work_in_a_replay(simulator: Simulator, tmp_path: Path) -> None:
    with recorder(tmp_path / "file", simulator.url, simulator.api_key) as recording:
        recording.request("GET", "/ping")
    with replay(tmp_path / "file") as replayed:
        replayed.fault({"kind": "status", "status": 503})
        assert [replayed.request("GET", "/ping").status_code for _again in range(2)] == [503, 200]
        assert replayed.counters()["requests"] == 2


HEADER = '{"format": "hosting.panel conversation", "version": 1}\n'


def line(method: str, target: str, answer: dict[str, Any] | None = None) -> str:
    return HEADER + json.dumps({"request": {"method": method, "target": target}, "answer": answer}) + "\n"


WRONG_FILES: dict[str, tuple[str | bytes, str]] = {
    "foreign": ("clients: []\n", "is no recorded conversation: its first line does not say so."),
    "empty": ("", "is no recorded conversation: its first line does not say so."),
    "not text": (b"\xff\xfe", "is no recorded conversation: it is not text."),
    "newer": (HEADER.replace("1}", "2}"), "has another version of the format than 1, which is the one that is read here."),
    "spoilt": (HEADER + "x\n{}\n", "is no whole recorded conversation: in line 2 there is no request."),
    "no answer": (line("GET", "/"), "in line 2 there is no answer."),
    "wrong": (line("GET", "x", {"status": 200}), "in line 2 request.target is missing or wrong."),
    **{
        f"the status {status}": (
            line("GET", "/", {"status": status}), "in line 2 answer.status is missing or wrong: it must be from 200 to 599, or null."
        )
        for status in ("200", -1, 0, 100, 101, 199, 600, 999, 10**30, 200.5, True)
    },
    "a last line that is whole and wrong": (HEADER + "{\"request\": {}}", "in line 2 request.method is missing or wrong."),
    "wrong headers": (line("GET", "/", {"status": 200, "headers": {"Allow": 1}}), "in line 2 answer.headers is wrong."),
    "a header that is two": (line("GET", "/", {"status": 200, "headers": {"Retry-After": "1\r\nX: y"}}), "in line 2 answer.headers is wrong."),
    "a header that nobody records": (line("GET", "/", {"status": 200, "headers": {"X": "y"}}), "in line 2 answer.headers is wrong."),
    "a type that is two lines": (line("GET", "/", {"status": 200, "type": "text/html\r\nX: y"}), "in line 2 answer.type is wrong."),
    "a length without end": (line("GET", "/", {"status": 200, "length": 10**12}), "in line 2 answer.length is wrong."),
    "a title without end": (line("GET", "/", {"status": 200, "title": "x" * 5000}), "in line 2 answer.title is wrong."),
    "too deep": (HEADER + f'{{"request": {{"method": "GET", "target": "/"}}, "answer": {{"status": 200, "json": {"[" * 300 + "]" * 300}}}}}\n',
                 "in line 2 answer.json is wrong."),
}  # fmt: skip


@pytest.mark.parametrize("form", WRONG_FILES)
def test_a_file_that_is_no_conversation_is_refused_with_one_sentence(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    content, words = WRONG_FILES[form]
    file = tmp_path / "file"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    assert main(["--replay", str(file), "--max-seconds", "5"]) == 1
    said = capfd.readouterr()
    assert said.err.startswith(f"The simulator cannot start: {file} ")
    assert said.err.endswith(f"{words}\n")
    assert (said.err.count("\n"), said.out) == (1, "")


def test_a_body_that_is_longer_than_any_that_is_played_is_recorded_as_the_longest() -> None:
    answer = Recorded().entry(1, Exchange("GET", "/api/v2/ping", "", body=b"x" * (LONGEST_BODY + 1), status=200))[
        "answer"
    ]
    assert answer["length"] == LONGEST_BODY


def whole(target: str, answer: dict[str, Any]) -> str:
    return json.dumps({"request": {"method": "GET", "target": f"/api/v2{target}"}, "answer": answer})


@pytest.mark.parametrize("length", [1, 30, 70])
def test_a_last_line_that_was_not_written_to_its_end_is_left_out_and_that_is_said(tmp_path: Path, length: int) -> None:
    file = tmp_path / "file"
    entry, said = whole("/ping", {"status": None}), list[str]()
    file.write_text(f"{HEADER}{entry}\n{entry[:length]}")

    assert len(read_conversation(file, said.append)) == 1
    assert said == [f"{file}: line 3, the last one, was not written to its end, and is left out."]


def test_a_replay_says_of_a_last_line_that_it_leaves_it_out_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(HEADER + whole("/ping", {"status": 200, "json": {"response": "pong"}}) + '\n{"request": ')
    with Simulator.start(api_key="", arguments=["--replay", str(file)], max_seconds=60) as running:
        assert running.request("GET", "/ping").json() == {"response": "pong"}
        assert (running.errors().count("\n"), "line 3, the last one, was not" in running.errors()) == (1, True)


def test_a_last_line_that_is_whole_needs_no_end(tmp_path: Path) -> None:
    file, said = tmp_path / "file", list[str]()
    file.write_text(HEADER + whole("/ping", {"status": 200}))

    assert len(read_conversation(file, said.append)) == 1
    assert said == []


def test_a_folder_is_no_conversation(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--replay", str(tmp_path), "--max-seconds", "5"]) == 1
    assert capfd.readouterr().err == f"The simulator cannot start: {tmp_path}: Is a directory\n"


def test_every_status_that_an_answer_can_have_is_played(tmp_path: Path) -> None:
    file = tmp_path / "file"
    answers_of = {status: {"status": status, "json": {"is": status}} for status in STATUSES}
    file.write_text(HEADER + "".join(f"{whole(f'/{status}', one)}\n" for status, one in answers_of.items()))
    with replay(file) as replayed:
        assert [replayed.request("GET", f"/{status}").status_code for status in STATUSES] == list(STATUSES)


@pytest.mark.parametrize(
    ("title", "played"),
    [
        ("</title><script>alert(1)</script>", "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
        ('A & "B"', "A &amp; &quot;B&quot;"),
        ("\ud800", "?"),
    ],
)
def test_a_title_is_played_as_text_and_not_as_a_page_of_its_own(tmp_path: Path, title: str, played: str) -> None:
    file = tmp_path / "file"
    file.write_text(f"{HEADER}{whole('/ping', {'status': 503, 'type': 'text/html', 'title': title})}\n")
    with replay(file) as replayed:
        page = replayed.request("GET", "/ping").text

    assert page == f"<!DOCTYPE html>\n<title>{played}</title>\n"


@pytest.mark.parametrize("status", [199, 600, 999])
def test_an_answer_with_a_status_that_none_has_is_recorded_as_none(status: int) -> None:
    answer = Recorded().entry(1, Exchange("GET", "/api/v2/ping", "", body=b"{}", status=status))["answer"]
    assert answer == {"status": None}


def test_a_recording_is_not_continued(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(HEADER)

    assert main(["--record", str(file), "--upstream", "https://panel.example", "--max-seconds", "5"]) == 1
    assert capfd.readouterr().err == (
        f"The simulator cannot start: {file} exists; a recording is not continued, since the same name would get another pseudonym\n"
    )
    assert file.read_text() == HEADER


def test_a_recorder_that_cannot_listen_leaves_no_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        words = [
            "--record",
            str(tmp_path / "file"),
            "--upstream",
            "https://panel.example",
            "--port",
            str(taken.getsockname()[1]),
        ]
        assert main(words) == 1
    assert "Address already in use" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--record", "f"], "--record needs --upstream, and --upstream needs --record"),
        (["--upstream", "https://panel.example", "--api-key", "k"], "--record needs --upstream, and --upstream needs --record"),
        (["--record", "f", "--replay", "g"], "--record and --replay exclude each other"),
        (["--record", "f", "--upstream", "https://panel.example", "--host", "0.0.0.0"], "--record listens on loopback addresses only"),
        (["--record", "f", "--upstream", "panel.example"], "--upstream must be the address of a panel, such as https://panel.example"),
        (["--record", "f", "--upstream", "https://u:p@panel.example"], "--upstream must be the address of a panel, such as https://panel.example"),
        (["--replay", "f", "--state", "s"], "--state does not go with --replay"),
        (["--replay", "f", "--read-only"], "--read-only does not go with --replay"),
        (["--upstream-ca", "f", "--api-key", "k"], "--upstream-ca needs --upstream"),
        (["--replay", "missing"], "missing: No such file or directory"),
        (["--record", "f", "--upstream", "https://panel.example", "--upstream-ca", "missing"], "No such file or directory"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code: object = main([*words, "--max-seconds", "5"])
    except SystemExit as end:
        code = end.code
    said = capfd.readouterr()

    assert code in (1, 2)
    assert message in said.err
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []
