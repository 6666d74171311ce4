"""What an answer means."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from ansible_collections.hosting.panel.plugins.module_utils._http.answers import (
    Attempt,
    Form,
    read_response,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.failures import (
    Failure,
    describe_answer,
    make_request_error,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import Fault
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets
from tests.support import transcript as written
from tests.support.transcript import Reply, make_answer, make_connection, make_page


def read_meaning(reply: Reply, method: str = "GET", **named: Any) -> Attempt:
    """Return what the session makes of an answer."""
    response = written.make_response(reply, method, "https://panel.example/api/v2/x", None)
    return read_response(response, Secrets(), **named)


ERROR = {"code": "400 Bad Request", "message": "username is invalid."}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    ("reply", "data"),
    [
        pytest.param(make_answer(200, {"id": 1}), {"id": 1}, id="object"),
        pytest.param(make_answer(200, []), [], id="empty list"),
        pytest.param(make_page(200, '{"id": 1}', "text/html"), {"id": 1}, id="object as HTML"),
        pytest.param(make_page(200, '\n  {"a": "ü"}', ""), {"a": "ü"}, id="object without a type"),
        pytest.param(
            make_answer(200, {"0": {"id": 1}, "2": {"id": 2}}),
            [{"id": 1}, {"id": 2}],
            id="numbered objects",
        ),
        pytest.param(
            make_answer(200, [{"aliases": {"0": "a@acme.example"}}]),
            [{"aliases": ["a@acme.example"]}],
            id="numbered texts in a list",
        ),
        pytest.param(
            make_answer(200, {"0": 1, "name": 2}), {"0": 1, "name": 2}, id="numbers and names"
        ),
    ],
)
def test_json_is_an_answer_whatever_its_type_and_an_object_with_numbers_from_0_is_a_list(
    reply: Any, data: Any, method: str
) -> None:
    attempt = read_meaning(reply, method)

    assert attempt.answer is not None
    assert attempt.answer.status == 200
    assert attempt.answer.data == data


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    ("reply", "data"),
    [
        pytest.param(make_answer(201, {"id": 1}), {"id": 1}, id="created object"),
        pytest.param(make_answer(204), None, id="no content"),
    ],
)
def test_a_created_object_and_no_content_are_answers_to_a_write(
    reply: Any, data: Any, method: str
) -> None:
    attempt = read_meaning(reply, method)

    assert attempt.answer is not None
    assert attempt.answer.status == reply.status
    assert attempt.answer.data == data


@pytest.mark.parametrize(
    ("reply", "fault", "code", "message"),
    [
        (make_answer(400, ERROR), None, "400 Bad Request", "username is invalid."),
        (make_answer(404, ERROR), None, "400 Bad Request", "username is invalid."),
        (make_answer(408, ERROR), Fault.NOT_SERVED, "400 Bad Request", "username is invalid."),
        (make_answer(429, ERROR), Fault.BUSY, "400 Bad Request", "username is invalid."),
        (make_page(429), Fault.BUSY, None, None),
        (make_answer(500, {"message": "x"}), Fault.FAILED, None, "x"),
        (make_answer(500, {"code": 17}), Fault.FAILED, "17", None),
        (make_answer(500, {"other": 1}), Fault.NOT_SERVED, None, None),
        (make_answer(503, ERROR), Fault.NOT_SERVED, "400 Bad Request", "username is invalid."),
        *((make_page(status), Fault.NOT_SERVED, None, None) for status in (500, 502, 503, 504)),
        (make_page(501), Fault.FAILED, None, None),
        (make_page(404), None, None, None),
        (make_answer(500), Fault.NOT_SERVED, None, None),
    ],
)
def test_these_are_faults_of_the_panel(
    reply: Reply, fault: Any, code: str | None, message: str | None
) -> None:
    attempt = read_meaning(reply)
    assert attempt.answer is None, reply
    assert attempt.status == reply.status, reply
    assert attempt.fault == fault, reply
    assert attempt.api_error.get("code") == code, reply
    assert attempt.api_error.get("message") == message, reply


NOT_JSON = [
    make_page(200),
    make_page(200, "404", content_type="text/html"),
    make_page(200, '{"id": ', content_type="application/json"),
    make_page(200, "[" * 200_000, content_type="application/json"),
    Reply(200, b"\xff\xfe\xff", {}),
]


@pytest.mark.parametrize("reply", NOT_JSON)
@pytest.mark.parametrize(
    ("method", "fault"), [("GET", None), ("PUT", None), ("POST", Fault.LOST_ANSWER)]
)
def test_a_success_that_is_not_json_is_never_taken_for_one(
    reply: Reply, method: str, fault: Fault | None
) -> None:
    attempt = read_meaning(reply, method)
    assert attempt.answer is None
    assert attempt.fault == fault

    beginnings = (
        "it is not JSON but ",
        "it is incomplete or invalid application/json",
        "it is JSON nested more than 64 ",
    )

    assert attempt.problem.startswith(beginnings)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://other.example:8443/autologin/hunter2", "other.example:8443"),
        ("https://user:hunter2@other.example/", "other.example"),
        ("//user:hunter2@other.example/x", "other.example"),
        ("/login", "another path"),
        ("https://[broken", "[broken"),
        ("", "another path"),
    ],
)
@pytest.mark.parametrize("accepted", [frozenset[int](), frozenset([302])])
def test_a_redirect_is_an_error_that_names_the_other_host(
    location: str, target: str, accepted: Any
) -> None:
    attempt = read_meaning(make_page(302, Location=location), accepted=accepted)
    assert attempt.answer is None, location
    assert attempt.fault is None, location
    assert attempt.problem == f"it redirects to {target}, which is not followed", location


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("11", 11.0),
        ("86400000", 86_400_000.0),
        pytest.param("9" * 400, None, id="too many digits"),
        ("Sun, 06 Sep 2026 08:00:30 GMT", 30.0),
        ("Sunday, 06-Sep-26 08:00:30 GMT", 30.0),
        ("Sun, 06 Sep 2026 07:00:00 GMT", 0.0),
        *((odd, None) for odd in ("", "soon", "-1", "1.5", "٣", "Sun, 99 Sep 2026 08:00:30 GMT")),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(
    monkeypatch: pytest.MonkeyPatch, asked: str, seconds: float | None
) -> None:
    monkeypatch.setattr("time.time", lambda: 1_788_681_600.0)  # 2026-09-06, 8:00 UTC
    assert read_meaning(make_answer(429, ERROR, Retry_After=asked)).wait == seconds, asked


def test_other_statuses_and_texts_are_answers_only_where_the_caller_says_so() -> None:
    attempt = read_meaning(make_answer(404, ERROR), accepted=frozenset({404}))
    assert attempt.answer is not None
    assert attempt.answer.data == ERROR

    pong = make_page(200, "pong", content_type="text/plain")
    attempt = read_meaning(pong, plain_text=True)

    assert attempt.answer is not None
    assert attempt.answer.data == "pong"
    assert read_meaning(pong).answer is None
    assert read_meaning(make_page(200), plain_text=True).answer is None


def test_the_session_is_the_one_of_requests() -> None:
    # What this file proves about exceptions holds for this library; the session must not use another
    # one.
    assert isinstance(PanelSession(make_connection())._http_session, requests.Session)


@pytest.mark.parametrize(
    ("data", "displayed"),
    [
        pytest.param([1, "ä"], '(200, JSON): [1, "ä"].', id="list"),
        pytest.param(None, "(200): an empty body, or null.", id="null"),
        pytest.param(
            {"password": "hunter2", "more": [{"token": "x"}]},
            '(200, JSON): {"password": "********", "more": [{"token": "********"}]}.',
            id="secret fields",
        ),
        pytest.param(
            ["a" * 300, "b" * 300], f'(200, JSON): ["{"a" * 300}" ….', id="two long values"
        ),
        pytest.param("x" * 600, "(200, JSON):  ….", id="long text"),
    ],
)
def test_an_answer_of_another_form_is_shown_without_secret_fields_and_cut_between_values(
    data: Any, displayed: str
) -> None:
    assert describe_answer(data) == displayed


NAMES = {
    "api_url": "panel_api_url",
    "ca_path": "panel_ca_path",
    "timeout": "panel_timeout",
    "retry_time": "panel_retry_time",
}


@pytest.mark.parametrize(
    ("attempt", "advice"),
    [
        (Attempt(fault=Fault.NOT_SENT), "Check panel_api_url, and that the panel runs."),
        (
            Attempt(fault=Fault.LOST_ANSWER),
            "Raise panel_timeout or panel_retry_time if the panel is slow.",
        ),
        (
            Attempt(status=302, form=Form.PAGE),
            "Check that panel_api_url is the address of the panel",
        ),
    ],
    ids=["no connection", "lost answer", "redirect"],
)
def test_advice_about_a_read_names_the_variables_that_the_operator_wrote(
    attempt: Attempt, advice: str
) -> None:
    """Word how a read ended."""
    failure = Failure(
        "GET", "/clients", 1, attempt, name_option=make_connection(names=NAMES).name_option
    )
    assert advice in str(make_request_error(failure))
