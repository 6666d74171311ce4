"""The task panel_import reads a live froxlor: what it asks, what it says of faults, what it keeps
to itself."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.broken_server import make_certificate
from tests.support.folder_texts import read_texts
from tests.support.froxlor_source import (
    BCRYPT,
    dump_text,
    format_mysql_users,
    make_answer_bodies,
    make_froxlor_rows,
    write_answers,
)
from tests.support.in_memory import InMemory
from tests.support.live_imports import fail_to_import, import_live
from tests.support.source_server import (
    FAULTS,
    PASSWORD,
    USERNAME,
    Reply,
    SourceServer,
    reply_json,
    serve,
)

LISTINGS = (
    "Admins.listing", "Certificates.listing", "Customers.listing", "DirOptions.listing",
    "DirProtections.listing", "Ftps.listing", "HostingPlans.listing", "IpsAndPorts.listing",
    "Mysqls.listing", "PhpSettings.listing", "SshKeys.listing", "Domains.listing",
    "SubDomains.listing", "Emails.listing", "DomainZones.listing", "EmailSender.listing",
)  # fmt: skip
SENDERS = "EmailSender.listing"
# Command, member of the answer that has the panel's words, and status.
REFUSALS = [
    (command, member, status)
    for command in ("Emails.listing", "DomainZones.listing")
    for member in ("message", "status_message")
    for status in (200, 406)
]
OFF = reply_json({"message": "DNS service not enabled on this system"}, 405)
UNKNOWN = reply_json({"message": "Unknown command"}, 400)
ask = partial(import_live, "froxlor")
failure = partial(fail_to_import, "froxlor")


@pytest.fixture
def bodies() -> dict[str, Any]:
    """Return the answers of a small froxlor by function."""
    return make_answer_bodies(make_froxlor_rows())


@pytest.fixture
def server(bodies: dict[str, Any]) -> SourceServer:
    """Return a small froxlor."""
    return SourceServer(bodies)


@pytest.fixture
def url(server: SourceServer) -> Iterator[str]:
    """Yield where the server answers."""
    with serve(server, server.answer_froxlor) as address:
        yield address


# What is asked


def test_a_live_panel_gives_the_same_directory_and_result_as_its_answers(
    url: str, folder: Path
) -> None:
    answers_path = write_answers(folder, make_froxlor_rows())
    live = ask(url, folder)
    before = read_texts(folder / "panel")

    answers = InMemory().run(
        "panel_import", source="froxlor", path=str(answers_path), dir=str(folder / "panel")
    )

    assert not live.get("failed"), live["msg"]
    assert live["changed"]
    assert answers["changed"] is False
    assert read_texts(folder / "panel") == before
    for name in ("carried", "left_out", "renamed", "questions", "passwords", "counts"):
        assert live[name] == answers[name]


def test_the_users_of_the_database_server_are_read_where_the_answers_are_kept(
    url: str, folder: Path
) -> None:
    answers = folder / "answers"
    answers.mkdir()
    (answers / "mysql_user.tsv").write_text(format_mysql_users(), encoding="utf-8")
    without = ask(url, folder, dir=str(folder / "without"))

    live = ask(url, folder, source_dump_dir=str(answers))
    of_files = InMemory().run(
        "panel_import", source="froxlor", path=str(answers), dir=str(folder / "panel")
    )

    assert live["passwords"]["kept"] > without["passwords"]["kept"]
    assert list_rows(live["carried"]) - list_rows(without["carried"])
    assert not of_files["changed"]
    assert (of_files["carried"], of_files["left_out"]) == (live["carried"], live["left_out"])


def test_a_live_panel_accounts_for_the_rows_of_its_dump(url: str, folder: Path) -> None:
    (folder / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    live = ask(url, folder, passwords="new")

    dump = InMemory().run(
        "panel_import",
        source="froxlor",
        path=str(folder / "froxlor.sql"),
        dir=str(folder / "of dump"),
        passwords="new",
    )

    # The API shows no alias whose target is gone as one.
    broken_alias = {("domains", "verwaist.example", "panel_domains:4")}
    assert list_rows(live["carried"]) ^ list_rows(dump["carried"]) == broken_alias


def list_rows(entries: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    """Return kind, key and row of each entry of a list."""
    return {(entry["kind"], entry["key"], entry["source"]) for entry in entries}


def test_only_listings_are_called(server: SourceServer, url: str, folder: Path) -> None:
    ask(url, folder)

    assert set(server.asked) == set(LISTINGS)
    assert len(server.asked) < 100


def test_check_mode_asks_the_panel_and_writes_nothing(url: str, folder: Path) -> None:
    predicted = ask(url, folder, check_mode=True)

    assert read_texts(folder) == {}
    assert predicted == ask(url, folder)


@pytest.mark.parametrize("path", ["", "/", "/api.php"])
def test_the_path_of_the_api_may_be_left_out(url: str, folder: Path, path: str) -> None:
    assert ask(f"{url}{path}", folder)["changed"]


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        ("DomainZones.listing", OFF),
        (SENDERS, OFF),
        (SENDERS, UNKNOWN),
        ("SshKeys.listing", UNKNOWN),
    ],
)
def test_what_a_version_lacks_or_a_setting_has_switched_off_is_asked_once_and_told(
    server: SourceServer, url: str, folder: Path, command: str, reply: Reply
) -> None:
    server.spoiled = {command: reply}

    result = ask(url, folder)

    assert result["changed"]
    assert server.asked.count(command) == 1
    assert [text for text in result["warnings"] if f"lacks the functions {command}," in text]


@pytest.mark.parametrize("path", ["/froxlor", "/froxlor/", "/froxlor/api.php"])
def test_a_panel_may_lie_below_a_path(url: str, folder: Path, path: str) -> None:
    message = failure(f"{url}{path}", folder)

    assert "POST /froxlor/api.php failed (404)" in message


def test_a_proxy_of_the_task_is_used(folder: Path) -> None:
    task = {"environment": [{"HTTPS_PROXY": "http://127.0.0.1:1"}]}

    message = failure("https://old.example", folder, task=task)

    assert "the proxy of the environment refuses it; check HTTPS_PROXY and NO_PROXY" in message


# Faults


@pytest.mark.parametrize("command", LISTINGS)
def test_a_command_that_the_key_may_not_call_is_named(
    server: SourceServer, url: str, folder: Path, command: str
) -> None:
    server.forbidden = frozenset({command})

    message = failure(url, folder)

    assert f": {command}: POST /api.php was refused (403): " in message
    assert f"from where they may call {command}." in message


@pytest.mark.parametrize("command", sorted({*LISTINGS} - {"SshKeys.listing", SENDERS}))
def test_a_needed_command_that_the_version_lacks_is_named(
    server: SourceServer, url: str, folder: Path, command: str
) -> None:
    server.spoiled = {command: UNKNOWN}

    message = failure(url, folder)

    assert f': {command}: POST /api.php was refused (400): "Unknown command".' in message


@pytest.mark.parametrize("command", ["Admins.listing", "DomainZones.listing"])
@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_is_none_is_one_error_that_names_the_command(
    server: SourceServer, url: str, folder: Path, command: str, fault: str
) -> None:
    server.spoiled = {command: FAULTS[fault]}

    message = failure(url, folder)

    assert message.startswith(f"127.0.0.1:{server.port}: {command}: ")
    assert len(re.findall(r"[.!?](?= [A-Z]|$)", message)) <= 3


def test_a_wrong_secret_is_named_with_the_words_of_the_panel(
    server: SourceServer, url: str, folder: Path
) -> None:
    message = failure(url, folder, source_password="another-one-26")

    assert "Invalid authorization credentials" in message
    assert "Check source_username and source_password, and from where" in message
    assert server.asked == ["Admins.listing"]


def test_a_listing_that_is_not_whole_is_an_error(
    server: SourceServer, url: str, folder: Path, bodies: dict[str, Any]
) -> None:
    listing = bodies["Ftps.listing"]["data"]
    server.spoiled = {
        "Ftps.listing": reply_json({"data": {"count": 99, "list": listing["list"][:2]}})
    }

    assert "Ftps.listing: the panel lists 2 of 99 entries. Run again." in failure(url, folder)


def test_an_entry_without_an_id_stops_nobody(
    server: SourceServer, url: str, folder: Path, bodies: dict[str, Any]
) -> None:
    listing = json.loads(json.dumps(bodies["Domains.listing"]))
    odd = dict(listing["data"]["list"][0])
    del odd["id"]
    listing["data"]["list"].append(odd)
    listing["data"]["count"] += 1
    server.spoiled = {"Domains.listing": reply_json(listing)}

    assert ask(url, folder)["changed"]


def test_a_panel_with_a_private_authority_is_trusted_by_name(
    server: SourceServer, folder: Path
) -> None:
    authority = make_certificate(folder, "127.0.0.1")

    with serve(server, server.answer_froxlor, authority) as url:
        refused = failure(url, folder)
        result = ask(url, folder, source_ca_path=str(authority))

    assert "is not signed by an authority that this machine trusts; set source_ca_path" in refused
    assert result["changed"]


# Secrets


def test_no_secret_of_the_panel_is_in_the_log_or_the_result(
    url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANEL_LOG", str(folder / "log"))

    result = ask(url, folder, diff=True, page_file=str(folder / "page.md"))

    encoded = base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
    visible = [json.dumps(result), *read_texts(folder).values()]
    for secret in (PASSWORD, encoded, BCRYPT):
        assert [text for text in visible if secret in text] == []


@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_a_panel_that_repeats_the_credentials_shows_them_to_nobody(
    server: SourceServer, url: str, folder: Path, refusal: tuple[str, str, int]
) -> None:
    command, member, status = refusal
    encoded = base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
    text = f"{PASSWORD} {encoded} {USERNAME} {BCRYPT} \x1b[31m"
    server.spoiled = {command: reply_json({member: text, "data": None}, status)}

    message = failure(url, folder)

    assert f"{command}: " in message
    assert "\x1b" not in message

    for secret in (PASSWORD, encoded, USERNAME, BCRYPT):
        assert secret not in message
