"""Calls without a module of their own: what is sent, what counts as a change, and that no secret comes back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import MASK
from ansible_collections.hosting.panel.plugins.modules.panel_api import OPERATION
from tests.support.tasks import run_task
from tests.support.transcript import NOT_FOUND, Dialogue, answer, call

SECRET = "hunter2hunter2"
BODY = {"username": "acme", "password": SECRET}
POST = {"method": "POST", "path": "/clients"}


def test_a_body_that_is_json_in_a_text_is_sent_as_what_it_says(dialogue: Dialogue) -> None:
    result = run_task(
        OPERATION, dialogue(call("POST", "/clients", answer(201, {"id": 7}), BODY)), {**POST, "body": json.dumps(BODY)}
    )
    assert result["response"] == {"id": 7}
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize("body", [f"{{'password': '{SECRET}'}}", f"password={SECRET}", '"text"', SECRET])
def test_a_body_that_is_another_text_is_refused_and_not_shown(dialogue: Dialogue, body: str) -> None:
    result = run_task(OPERATION, dialogue(), {**POST, "body": body})
    assert result["msg"].startswith("body: ")
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize("body", [BODY, json.dumps(BODY)])
def test_an_accepted_refusal_repeats_no_secret_and_is_no_change(dialogue: Dialogue, body: object) -> None:
    said = {"code": "400", "message": f"password {SECRET} is too short for acme"}
    result = run_task(
        OPERATION, dialogue(call("POST", "/clients", answer(400, said), BODY)), {**POST, "body": body, "status": [400]}
    )
    assert (result["status"], result["changed"]) == (400, False)
    assert result["response"]["message"] == f"password {MASK} is too short for acme"
    assert SECRET not in json.dumps(result)


def test_an_accepted_refusal_does_not_repeat_the_key(dialogue: Dialogue) -> None:
    client = dialogue(call("GET", "/nothing", answer(404, {"code": "404", "message": "unknown key k3y-of-the-panel"})))
    client = PanelClient(replace(client.connection, api_key="k3y-of-the-panel"), client.patience, client._session)
    result = run_task(OPERATION, client, {"path": "/nothing", "status": [404]})
    assert result["response"]["message"] == f"unknown key {MASK}"


def test_a_deletion_of_what_is_not_there_is_no_change(dialogue: Dialogue) -> None:
    options = {"method": "DELETE", "path": "/clients/name/nobody", "status": [204, 404]}
    assert not run_task(OPERATION, dialogue(call("DELETE", "/clients/name/nobody", answer(404, NOT_FOUND))), options)[
        "changed"
    ]


def test_an_accepted_failure_of_the_panel_may_be_a_change(dialogue: Dialogue) -> None:
    client = dialogue(call("POST", "/clients", answer(500, {"code": "500", "message": "broken"}), BODY))
    assert run_task(OPERATION, client, {**POST, "body": BODY, "status": [500]})["changed"]


@pytest.mark.parametrize("path", ["/login/name/acme", "/login/7", "/api/v2/login/7"])
def test_a_path_with_login_urls_shows_no_text_of_its_answer(dialogue: Dialogue, path: str) -> None:
    told = {"url": f"https://panel.example/in?k={SECRET}", "also": [{"deep": SECRET}], "minutes": 60}
    result = run_task(OPERATION, dialogue(call("GET", path.removeprefix("/api/v2"), answer(200, told))), {"path": path})
    assert result["response"] == {"url": MASK, "also": [{"deep": MASK}], "minutes": 60}
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize("end", [f"?token={SECRET}", f"?{SECRET}", f"#{SECRET}"])
def test_a_path_with_parameters_is_refused_without_their_values(dialogue: Dialogue, end: str) -> None:
    result = run_task(OPERATION, dialogue(), {"path": f"/emails{end}"})
    assert result["msg"].startswith("path: '/emails")
    assert "use query for what follows a ?." in result["msg"]
    assert SECRET not in json.dumps(result)


@pytest.mark.parametrize(
    "path",
    ["/%2e%2e/x", "/clients/%2E./x", "/clients/.%252e", "/x%2f%2e%2e%2fy", "/%2e", "/x%5c..%5cy", "/%252e%252E/x"],
)
def test_a_path_with_dots_that_lead_out_of_it_is_refused_in_every_encoding(dialogue: Dialogue, path: str) -> None:
    result = run_task(OPERATION, dialogue(), {"path": path})
    assert result["msg"].startswith(f"path: {path!r} is not a path below /api/v2")


@pytest.mark.parametrize("path", ["/x/100%25", "/x/a%2fb", "/x/..a", "/x/a%2eb"])
def test_other_encoded_characters_are_sent(dialogue: Dialogue, path: str) -> None:
    assert run_task(OPERATION, dialogue(call("GET", path, answer(200, {}))), {"path": path})["status"] == 200
