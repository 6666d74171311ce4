"""The task panel_import reads a live ISPConfig: what it asks, what it says of faults, what it
keeps to itself."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_live import source_api
from tests.support.broken_server import make_certificate
from tests.support.folder_texts import read_texts
from tests.support.in_memory import InMemory
from tests.support.ispconfig_sample import HASH, SECRETS, make_sample
from tests.support.ispconfig_source import make_answers, write_answers, write_dump
from tests.support.live_imports import fail_to_import, import_live
from tests.support.source_server import FAULTS, PASSWORD, Reply, SourceServer, reply_json, serve

NEEDED = (
    "client_get", "client_templates_get_all", "server_ip_get", "sites_web_domain_get",
    "sites_database_get", "sites_database_user_get", "sites_ftp_user_get", "sites_shell_user_get",
    "sites_webdav_user_get", "sites_cron_get", "sites_web_folder_get", "sites_web_folder_user_get",
    "mail_domain_get", "mail_user_get", "mail_forward_get", "mail_user_filter_get",
    "mail_fetchmail_get", "mail_transport_get", "dns_zone_get", "dns_slave_get", "dns_a_get",
    "server_get_php_versions", "client_get_groupid",
)  # fmt: skip
OPTIONAL = (
    "mail_mailinglist_get", "mail_spamfilter_user_get", "mail_spamfilter_whitelist_get",
    "mail_policy_get",
)  # fmt: skip
ask = partial(import_live, "ispconfig")
failure = partial(fail_to_import, "ispconfig")


@pytest.fixture
def bodies() -> dict[str, Any]:
    """Return the answers of a small ISPConfig by function."""
    return make_answers(make_sample())


@pytest.fixture
def server(bodies: dict[str, Any]) -> SourceServer:
    """Return a small ISPConfig."""
    return SourceServer(bodies)


@pytest.fixture
def url(server: SourceServer) -> Iterator[str]:
    """Yield where the server answers."""
    with serve(server, server.answer_ispconfig) as address:
        yield address


@pytest.mark.parametrize(
    "client_id", ["-1", "0", "1 ", " 1", "0x1", "1.0", "../../x", "9" * 5000, True]
)
def test_a_client_with_an_odd_id_stops_nobody(
    server: SourceServer, url: str, folder: Path, client_id: Any
) -> None:
    usual = ask(url, folder / "usual", passwords="new")
    listing = copy.deepcopy(server.bodies["client_get"])
    odd_client = {**listing["response"][0], "client_id": client_id, "username": "odd"}
    listing["response"].append(odd_client)
    server.spoiled = {"client_get": reply_json(listing)}

    result = ask(url, folder, passwords="new")

    assert result["changed"], result["msg"]
    odd_clients = [
        entry
        for list_name in ("carried", "left_out")
        for entry in result[list_name]
        if entry["kind"] == "clients" and entry["key"] == "odd" and not entry.get("field")
    ]
    assert len(odd_clients) == 1
    assert len(result["carried"]) >= len(usual["carried"])


# What is asked


def test_a_live_panel_gives_the_same_directory_and_result_as_its_dump_and_its_answers(
    url: str, folder: Path
) -> None:
    write_dump(make_sample(), folder / "ispconfig.sql")
    (folder / "answers").mkdir()
    write_answers(make_sample(), folder / "answers")
    live = ask(url, folder)
    before = read_texts(folder / "panel")
    of_files = {
        "source": "ispconfig",
        "dir": str(folder / "panel"),
    }

    answers = InMemory().run("panel_import", path=str(folder / "answers"), **of_files)
    dump = InMemory().run("panel_import", path=str(folder / "ispconfig.sql"), **of_files)

    assert not live.get("failed"), live["msg"]
    assert live["changed"]
    assert (answers["changed"], dump["changed"]) == (False, False)
    assert read_texts(folder / "panel") == before
    for name in ("carried", "left_out", "renamed", "questions", "passwords", "counts"):
        assert live[name] == answers[name] == dump[name]


def test_only_functions_that_read_are_called_between_login_and_logout(
    server: SourceServer, url: str, folder: Path
) -> None:
    ask(url, folder)

    assert server.asked[0] == "login"
    assert server.asked[-1] == "logout"
    inner = server.asked[1:-1]
    assert {name for name in inner if not re.search(r"_get(_|$)", name)} == set()
    assert set(inner) == {*NEEDED, *OPTIONAL}
    assert len(server.asked) < 100
    assert server.sessions == {}


def test_check_mode_asks_the_panel_and_writes_nothing(
    server: SourceServer, url: str, folder: Path
) -> None:
    predicted = ask(url, folder, check_mode=True)

    assert read_texts(folder) == {}
    assert server.sessions == {}
    assert predicted == ask(url, folder)


@pytest.mark.parametrize("path", ["", "/", "/remote/json.php"])
def test_the_path_of_the_api_may_be_left_out(url: str, folder: Path, path: str) -> None:
    assert ask(f"{url}{path}", folder)["changed"]


def test_a_session_that_ends_in_between_is_opened_again(
    server: SourceServer, url: str, folder: Path
) -> None:
    server.calls_of_session = 10

    result = ask(url, folder)

    assert result["changed"]
    assert server.asked.count("login") > 2
    assert server.sessions == {}


def test_a_client_without_a_group_stops_nobody(bodies: dict[str, Any], folder: Path) -> None:
    lonely = copy.deepcopy(bodies["client_get"]["response"][0])
    lonely.update(client_id="77", username="ohnegruppe", email="x@ohne.example")
    bodies["client_get"]["response"].append(lonely)
    server = SourceServer(bodies)

    with serve(server, server.answer_ispconfig) as url:
        result = ask(url, folder)

    carried = {entry["source"] for entry in result["carried"]}
    assert "client:77" in carried


def test_a_missing_right_is_noticed_before_all_clients_are_asked(
    bodies: dict[str, Any], folder: Path
) -> None:
    client = bodies["client_get"]["response"][0]
    for number in range(100, 200):
        row = {**client, "client_id": str(number), "username": f"kunde{number}"}
        bodies["client_get"]["response"].append(row)
    server = SourceServer(bodies, forbidden=frozenset({"client_get_groupid"}))

    with serve(server, server.answer_ispconfig) as url:
        failure(url, folder)

    assert server.asked.count("client_get_groupid") <= 10


def test_a_function_of_newer_versions_may_be_missing_and_is_told(
    bodies: dict[str, Any], folder: Path
) -> None:
    del bodies["mail_mailinglist_get"]
    server = SourceServer(bodies)

    with serve(server, server.answer_ispconfig) as url:
        result = ask(url, folder)

    assert result["changed"]
    assert [text for text in result["warnings"] if "mail_mailinglist_get" in text]


# Faults


@pytest.mark.parametrize("function", [*NEEDED, *OPTIONAL])
def test_a_function_that_the_user_may_not_call_is_named(
    server: SourceServer, url: str, folder: Path, function: str
) -> None:
    server.forbidden = frozenset({function})

    message = failure(url, folder)

    assert f": {function}: the panel refused this function: " in message
    assert server.sessions == {}


@pytest.mark.parametrize("function", NEEDED)
def test_a_function_that_the_version_lacks_is_named(
    bodies: dict[str, Any], folder: Path, function: str
) -> None:
    for name in list(bodies):
        if name.partition(".")[0] == function:
            del bodies[name]
    server = SourceServer(bodies)

    with serve(server, server.answer_ispconfig) as url:
        message = failure(url, folder)

    if function == "client_get_groupid":
        assert f": {function}: the panel refused this function: " in message
    else:
        assert f": {function}: the panel has no such function." in message


@pytest.mark.parametrize("function", ["login", "client_get_groupid"])
@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_is_none_is_one_error_that_names_the_function(
    server: SourceServer, url: str, folder: Path, function: str, fault: str
) -> None:
    server.spoiled = {function: FAULTS[fault]}

    message = failure(url, folder)

    assert message.startswith(f"127.0.0.1:{server.port}: {function}: ")
    assert len(re.findall(r"[.!?](?= [A-Z]|$)", message)) <= 3
    assert server.sessions == {}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_logout_that_fails_fails_nothing(
    server: SourceServer, url: str, folder: Path, fault: str
) -> None:
    server.spoiled = {"logout": FAULTS[fault]}

    assert ask(url, folder)["changed"]


def test_a_wrong_password_is_named_with_the_words_of_the_panel(
    server: SourceServer, url: str, folder: Path
) -> None:
    message = failure(url, folder, source_password="another-one-26")

    assert message.startswith(
        f'source_password: 127.0.0.1:{server.port} refused the login: "The login failed for '
    )
    assert "another-one-26" not in message
    assert server.asked == ["login"]


def test_a_login_without_a_session_is_an_error(
    server: SourceServer, url: str, folder: Path
) -> None:
    server.spoiled = {"login": reply_json({"code": "ok", "message": "", "response": False})}

    assert "the panel answered no session." in failure(url, folder)


def test_an_answer_that_does_not_end_is_given_up(
    server: SourceServer, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_api, "MOST_BYTES", 1_000_000)
    server.spoiled = {"mail_user_get": Reply(b" " * 2_000_000, is_endless=True)}

    message = failure(url, folder)

    assert "mail_user_get got an unexpected answer (200): it has more than " in message
    assert server.sessions == {}


def test_all_answers_together_have_a_limit(
    server: SourceServer, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_api, "MOST_BYTES", 20_000)

    assert "it has more than " in failure(url, folder)
    assert server.sessions == {}


def test_the_answers_of_another_version_are_named(bodies: dict[str, Any], folder: Path) -> None:
    for row in bodies["mail_user_get"]["response"]:
        del row["quota"]
    server = SourceServer(bodies)

    with serve(server, server.answer_ispconfig) as url:
        message = failure(url, folder)

    assert "mail_user_get: the table mail_user has no column quota" in message


def test_a_panel_that_does_not_run_is_an_error(folder: Path) -> None:
    message = failure("http://127.0.0.1:1", folder)

    assert "login: POST /remote/json.php?login failed" in message
    assert "Check source_url, and that the panel runs." in message


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source_url": "http://panel.example:8080"}, "source_url: plain http would show"),
        ({"source_url": "https://api:secret@panel.example"}, "source_url: 'https://…@panel"),
        (
            {"source_url": "https://panel.example/?client_get"},
            "source_url: 'https://panel.example/?…",
        ),
        ({"source_username": None}, "source_username: missing. source_url needs it."),
        ({"source_password": None}, "source_password: missing. source_url needs it."),
        ({"source_password": ""}, "source_password: missing. source_url needs it."),
        ({"source_ca_path": "/nowhere/ca.pem"}, "source_ca_path: there is no file"),
        ({"path": "dump.sql"}, "path: source_url is set too."),
    ],
)
def test_a_wrong_option_is_named_before_anything_is_sent(
    server: SourceServer, url: str, folder: Path, options: dict[str, Any], message: str
) -> None:
    result = ask(url, folder, **options)

    assert result["failed"]
    assert result["msg"].startswith(message), result["msg"]
    assert server.asked == []


# TLS


def test_a_panel_with_a_private_authority_is_trusted_by_name(
    server: SourceServer, folder: Path
) -> None:
    authority = make_certificate(folder, "127.0.0.1")

    with serve(server, server.answer_ispconfig, authority) as url:
        refused = failure(url, folder)
        result = ask(url, folder, source_ca_path=str(authority))

    assert "is not signed by an authority that this machine trusts; set source_ca_path" in refused
    assert result["changed"]


# Secrets


@pytest.mark.parametrize("length", [400, None], ids=["cut off", "whole"])
@pytest.mark.parametrize("media_type", ["application/json", "text/plain", "text/html"])
@pytest.mark.parametrize("status", [200, 403, 500])
def test_a_broken_answer_shows_nothing_of_the_customers(
    bodies: dict[str, Any], folder: Path, media_type: str, status: int, length: int | None
) -> None:
    content = json.dumps(bodies["client_get"]["response"])[:length]
    broken = Reply(content.encode(), status, media_type)
    server = SourceServer(bodies, {"client_get": broken})

    with serve(server, server.answer_ispconfig) as url:
        message = ask(url, folder).get("msg", "")

    assert "hofladen" not in message
    assert "company_name" not in message


def test_a_refusal_shows_no_hash_that_the_panel_has_shown_before(
    server: SourceServer, url: str, folder: Path
) -> None:
    refusal = {"code": "remote_fault", "message": f"SELECT 1 WHERE x = '{HASH}'", "response": False}
    server.spoiled = {"mail_user_get": reply_json(refusal)}

    message = failure(url, folder)

    assert "SELECT 1" in message
    assert HASH not in message


def test_no_secret_of_the_panel_is_in_the_log_or_the_result(
    url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = folder / "log"
    monkeypatch.setenv("PANEL_LOG", str(log))

    result = ask(url, folder, diff=True, page_file=str(folder / "page.md"))

    visible = [json.dumps(result), *read_texts(folder).values()]
    for secret in (PASSWORD, "-of-the-import", *SECRETS.values()):
        assert [text for text in visible if secret in text] == []
