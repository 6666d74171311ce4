"""The modules and the lookup that are about no kind of object, on a panel in memory.

Server, login, any other call, reboot.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from typing import Any

import pytest
from ansible.errors import AnsibleError

from ansible_collections.hosting.panel.plugins.lookup.panel_login_url import LookupModule
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._secrets.secret_forms import MASK
from ansible_collections.hosting.panel.plugins.modules.panel_api import OPERATION
from tests.support.given_options import GivenOptions
from tests.support.tasks import CONNECTION, run_task
from tests.support.transcript import Dialogue, call, make_answer, make_reset_fault
from tools.layout import ROOT

SEED = {"clients": [{"username": "acme", "email": "it@acme.example"}]}
ACME = "/clients/name/acme"


def test_ping_says_pong_and_the_server_is_read_in_blocks(in_memory: Any) -> None:
    panel = in_memory(SEED)
    assert panel.run("panel_ping")["ping"] == "pong"
    assert panel.run("panel_server_info")["server"]["meta"]["panel_version"]


def test_a_login_url_comes_with_the_time_of_its_end(in_memory: Any) -> None:
    panel = in_memory(SEED)
    login = panel.run("panel_login_info", username="acme", page="domains")

    assert login["login_url"].startswith(CONNECTION["api_url"])

    datetime.datetime.fromisoformat(login["expires_at"])
    panel.run("panel_login_info", id=2)

    assert [request["path"] for request in panel.log] == ["/login/name/acme", "/login/2"]
    assert "nobody" in panel.run("panel_login_info", username="nobody")["msg"]


def test_a_call_that_reads_runs_in_check_mode_and_one_that_writes_is_skipped(
    in_memory: Any,
) -> None:
    panel = in_memory(SEED)
    read = panel.run("panel_api", check_mode=True, path="/api/v2" + ACME)

    assert read["changed"] is False
    assert read["status"] == 200
    assert read["response"]["username"] == "acme"
    assert panel.run("panel_api", check_mode=True, method="PUT", path=ACME, body={"notes": "x"})[
        "skipped"
    ]
    assert panel.writes == []


def test_a_call_that_writes_is_sent_as_it_is_and_hides_secrets(in_memory: Any) -> None:
    panel = in_memory(SEED)
    body = {"notes": "by hand", "password": "Secret-Password-1"}
    written = panel.run("panel_api", method="PUT", path=ACME, body=body)

    assert written["changed"] is True
    assert panel.log[-1]["body"] == body
    assert "Secret-Password-1" not in str(written)

    client = {"username": "made", "email": "m@made.example"}
    created = panel.run("panel_api", method="POST", path="/clients", body=client, status=[201])

    assert created["status"] == 201
    assert created["response"]["password"] == "********"


def test_only_the_named_statuses_are_accepted(in_memory: Any) -> None:
    panel = in_memory(SEED)
    assert panel.run("panel_api", path="/clients/name/nobody", status=[200, 404])["status"] == 404
    assert "answered 200" in panel.run("panel_api", path=ACME, status=[201])["msg"]


def test_a_reboot_in_check_mode_sends_nothing(in_memory: Any) -> None:
    panel = in_memory(SEED)
    assert panel.run("panel_reboot", check_mode=True)["changed"]
    assert panel.log == []


class Lookup(GivenOptions, LookupModule):
    """The lookup with options that Ansible has read already."""

    def get_option(self, option: str, hostvars: Any = None) -> Any:
        """Return an option as the lookup gets it."""
        value = super().get_option(option, hostvars)
        return None if value is None else str(value)


def look_up(panel: Any, term: Any, **options: Any) -> list[str]:
    """Return the URL that the lookup makes for a client."""
    with panel.as_panel():
        return Lookup().run([term], {}, **{**CONNECTION, **options})


@pytest.mark.parametrize(
    ("usernames", "term", "calls"),
    [
        pytest.param(["acme"], "acme", ["/login/name/acme"], id="name"),
        pytest.param(["acme"], 2, ["/login/2"], id="number"),
        pytest.param(["acme", "beta"], "2", ["/clients/name/2", "/login/2"], id="digits of an id"),
        pytest.param(
            ["acme", "77"],
            "77",
            ["/clients/name/77", "/clients/77", "/login/name/77"],
            id="digits of a name",
        ),
        pytest.param(
            ["acme", "3"],
            "3",
            ["/clients/name/3", "/clients/3", "/login/name/3"],
            id="digits of a name and an id",
        ),
        pytest.param(["acme", "03", "beta"], "03", ["/login/name/03"], id="digits with a zero"),
    ],
)
def test_the_lookup_takes_digits_for_a_name_before_it_takes_them_for_an_id(
    in_memory: Any, usernames: list[Any], term: Any, calls: list[Any]
) -> None:
    panel = in_memory({"clients": [{"username": username} for username in usernames]})
    assert len(look_up(panel, term)) == 1
    assert [request["path"] for request in panel.log] == calls


@pytest.mark.parametrize(
    ("usernames", "term", "options", "message"),
    [
        pytest.param(
            ["3", "acme", "beta"],
            "3",
            {},
            "3: it is the name of the client with id 2, and the id of another client.",
            id="name that is an id",
        ),
        pytest.param(
            ["acme", "beta", "gamma"],
            "03",
            {},
            "There is no client 03 on this panel",
            id="unknown digits",
        ),
        # A path may bring a plus as a blank, and so the URL of the client "web team".
        pytest.param(
            ["acme"],
            "web+team",
            {},
            "There is no client web\\+team on this panel",
            id="plus in a name",
        ),
        pytest.param(
            ["acme"],
            "acme",
            {"api_key": 668},
            "api_key: the given value is a number, and YAML may have changed",
            id="number as the key",
        ),
    ],
)
def test_the_lookup_logs_nobody_in_as_another_client(
    in_memory: Any, usernames: list[Any], term: str, options: dict[str, Any], message: str
) -> None:
    panel = in_memory({"clients": [{"username": username} for username in usernames]})
    with pytest.raises(AnsibleError, match=message):
        look_up(panel, term, **options)

    assert not {"/login/3", "/login/name/web%2Bteam"} & {request["path"] for request in panel.log}


@pytest.mark.parametrize(
    "term", [None, "", " ", True, 1.5, datetime.date(2026, 12, 31), ["acme"], {}]
)
def test_a_term_of_the_lookup_that_names_no_client_is_refused(in_memory: Any, term: Any) -> None:
    panel = in_memory({"clients": [{"username": "acme"}]})
    with pytest.raises(AnsibleError, match=r"hosting\.panel\.panel_login_url: a term"):
        look_up(panel, term)

    assert panel.log == []


# Calls without a module of their own: what is sent, what counts as a change, and that no secret
# comes back

SECRET = "hunter2hunter2"
BODY = {"username": "acme", "password": SECRET}
POST = {"method": "POST", "path": "/clients"}


def test_a_body_that_is_json_in_a_text_is_sent_as_what_it_says(dialogue: Dialogue) -> None:
    result = run_task(
        OPERATION,
        dialogue(call("POST", "/clients", make_answer(201, {"id": 7}), BODY)),
        {**POST, "body": json.dumps(BODY)},
    )

    assert result["response"] == {"id": 7}
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize(
    "body", [f"{{'password': '{SECRET}'}}", f"password={SECRET}", '"text"', SECRET]
)
def test_a_body_that_is_another_text_is_refused_and_not_shown(
    dialogue: Dialogue, body: str
) -> None:
    result = run_task(OPERATION, dialogue(), {**POST, "body": body})
    assert result["msg"].startswith("body: ")
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize("body", [BODY, json.dumps(BODY)])
def test_an_accepted_refusal_repeats_no_secret_and_is_no_change(
    dialogue: Dialogue, body: object
) -> None:
    complaint = {"code": "400", "message": f"password {SECRET} is too short for acme"}
    result = run_task(
        OPERATION,
        dialogue(call("POST", "/clients", make_answer(400, complaint), BODY)),
        {**POST, "body": body, "status": [400]},
    )

    assert result["status"] == 400
    assert result["changed"] is False
    assert result["response"]["message"] == f"password {MASK} is too short for acme"
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_an_accepted_refusal_after_a_lost_answer_may_be_a_change(
    dialogue: Dialogue, method: str
) -> None:
    body = {"notes": "x"}
    refusal = make_answer(404, {"code": "404", "message": "not found"})
    session = dialogue(
        call(method, "/clients/7", make_reset_fault(), body),
        call(method, "/clients/7", refusal, body),
    )

    options = {"method": method, "path": "/clients/7", "body": body, "status": [200, 404]}

    assert run_task(OPERATION, session, options)["changed"]


def test_an_accepted_refusal_does_not_repeat_the_key(dialogue: Dialogue) -> None:
    session = dialogue(
        call(
            "GET",
            "/nothing",
            make_answer(404, {"code": "404", "message": "unknown key k3y-of-the-panel"}),
        )
    )
    session = PanelSession(
        replace(session.connection, api_key="k3y-of-the-panel"),
        session.retry_budget,
        session._http_session,
    )

    result = run_task(OPERATION, session, {"path": "/nothing", "status": [404]})

    assert result["response"]["message"] == f"unknown key {MASK}"


def test_an_accepted_failure_of_the_panel_may_be_a_change(dialogue: Dialogue) -> None:
    session = dialogue(
        call("POST", "/clients", make_answer(500, {"code": "500", "message": "broken"}), BODY)
    )
    assert run_task(OPERATION, session, {**POST, "body": BODY, "status": [500]})["changed"]


@pytest.mark.parametrize(
    ("path", "body", "is_sent_again"),
    [
        ("/clients/7", {"notes": "x"}, True),
        ("/dnssec/7", {"records": {}}, True),
        ("/clients/7", {"password": SECRET}, False),
        ("/clients/7", {"password_hash": SECRET}, False),
        ("/dns/7", {"records": {}}, False),
        ("/api/v2/dns/name/acme.example", {"records": {}}, False),
        ("/%64ns/7", {"records": {}}, False),
        ("/DNS/7", {"records": {}}, False),
    ],
)
def test_a_password_or_zone_is_sent_again_only_when_the_first_call_cannot_come_any_more(
    dialogue: Dialogue, path: str, body: dict[str, Any], is_sent_again: bool
) -> None:
    """Lose an answer where the time for repeats is too short to know that."""
    sent_path = path.removeprefix("/api/v2")
    calls = [call("PUT", sent_path, make_reset_fault(), body)]
    if is_sent_again:
        calls.append(call("PUT", sent_path, make_answer(200, {}), body))
    session = dialogue(*calls, retry_time=5)

    result = run_task(OPERATION, session, {"method": "PUT", "path": path, "body": body})

    assert bool(result.get("failed")) is not is_sent_again


@pytest.mark.parametrize("path", ["/login/name/acme", "/login/7", "/api/v2/login/7"])
def test_a_path_with_login_urls_shows_no_text_of_its_answer(dialogue: Dialogue, path: str) -> None:
    login = {
        "url": f"https://panel.example/in?k={SECRET}",
        "also": [{"deep": SECRET}],
        "minutes": 60,
    }
    result = run_task(
        OPERATION,
        dialogue(call("GET", path.removeprefix("/api/v2"), make_answer(200, login))),
        {"path": path},
    )

    assert result["response"] == {"url": MASK, "also": [{"deep": MASK}], "minutes": 60}
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize("end", [f"?token={SECRET}", f"?{SECRET}", f"#{SECRET}"])
def test_a_path_with_parameters_is_refused_without_their_values(
    dialogue: Dialogue, end: str
) -> None:
    result = run_task(OPERATION, dialogue(), {"path": f"/emails{end}"})
    assert result["msg"].startswith("path: '/emails")
    assert "use query for what follows a ?." in result["msg"]
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize(
    "path",
    [
        "/%2e%2e/x",
        "/clients/%2E./x",
        "/clients/.%252e",
        "/x%2f%2e%2e%2fy",
        "/%2e",
        "/x%5c..%5cy",
        "/%252e%252E/x",
    ],
)
def test_a_path_with_dots_that_lead_out_of_it_is_refused_in_every_encoding(
    dialogue: Dialogue, path: str
) -> None:
    result = run_task(OPERATION, dialogue(), {"path": path})
    assert result["msg"].startswith(f"path: {path!r} is not a path below /api/v2")


@pytest.mark.parametrize("path", ["/x/100%25", "/x/a%2fb", "/x/..a", "/x/a%2eb"])
def test_other_encoded_characters_are_sent(dialogue: Dialogue, path: str) -> None:
    assert (
        run_task(OPERATION, dialogue(call("GET", path, make_answer(200, {}))), {"path": path})[
            "status"
        ]
        == 200
    )


ZONE = {
    "domain": "acme.example",
    "records": [{"host": "x", "type": "A", "ttl": 60, "value": "192.0.2.7"}],
}
DATABASE = {"client": "acme", "database_name": "shop"}
TASK = {"client": "acme", "description": "x", "type": "exec", "command": "/bin/true"}
# By module and words of its documentation: options, and how many requests the first run sends and
# the second one.
COSTS: dict[tuple[str, str], tuple[dict[str, Any], int, int]] = {
    (
        "panel_dns",
        "A task that changes nothing costs one request, a task that writes costs four.",
    ): (ZONE, 4, 1),
    ("panel_dns", "It costs two more requests."): ({**ZONE, "client": "acme"}, 6, 3),
    ("panel_domain", "one for each object that it refers to, and one to write."): (
        {"domain": "b.example", "client": "acme"},
        3,
        2,
    ),
    ("panel_database", "A new database costs one more, for the name that it gets."): (
        DATABASE,
        4,
        2,
    ),
    ("panel_scheduled_task", "A new one costs one more, since the list is read again."): (
        TASK,
        4,
        2,
    ),
    ("panel_email", "A new mailbox costs one more, for its domain."): (
        {"email": "a@acme.example"},
        3,
        1,
    ),
    ("panel_client_info", "Each choice costs one request for each client."): (
        {"include": ["resources", "stats"]},
        3,
        3,
    ),
    ("panel_resources", "one list request for each type"): (
        {"resources": {"databases": [DATABASE]}},
        4,
        2,
    ),
}


@pytest.mark.parametrize("cost", COSTS, ids=": ".join)
def test_as_many_requests_are_sent_as_the_documentation_says(
    in_memory: Any, cost: tuple[str, str]
) -> None:
    module, summary = cost
    options, *numbers = COSTS[cost]
    panel = in_memory({**SEED, "domains": [{"domain": "acme.example", "client": "acme"}]})

    sent = [(panel.run(module, **options).get("failed"), len(panel.log)) for _time in range(2)]

    assert sent == [(None, numbers[0]), (None, sum(numbers))], panel.log
    text = (ROOT / "plugins/modules" / f"{module}.py").read_text(encoding="utf-8")
    assert summary in " ".join(text.split())
