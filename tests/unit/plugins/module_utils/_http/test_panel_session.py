"""The session: what is sent, what is repeated and for how long, where the key goes, and what the
errors say."""

from __future__ import annotations

import gzip
import importlib.util
import platform
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from ansible_collections.hosting.panel.plugins.module_utils import _errors as errors
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Denied,
    Reached,
    Refused,
    RequestError,
    ServerFailed,
    TimeIsUp,
)
from ansible_collections.hosting.panel.plugins.module_utils._http import (
    panel_session,
    request_library,
    timed_answers,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import (
    CallRules,
    PanelSession,
    join_path,
)
from tests.support import broken_server as broken
from tests.support import transcript
from tests.support.transcript import (
    NOTHING,
    Reply,
    SimulatedTime,
    Transcript,
    call,
    make_answer,
    make_connection,
    make_page,
    make_refused_fault,
)

INVALID = {"code": "400 Bad Request", "message": "username is invalid."}
BROKEN = {"code": "500 Internal Server Error", "message": "The database is locked."}
METHODS = ("GET", "PUT", "DELETE", "POST")
BODIES: dict[str, Any] = {
    "GET": NOTHING,
    "PUT": {"notes": "x"},
    "DELETE": NOTHING,
    "POST": {"username": "acme"},
}
ANSWERS = {
    "GET": make_answer(200, {"id": 7}),
    "PUT": make_answer(200, {"id": 7}),
    "DELETE": make_answer(204),
    "POST": make_answer(201, {}),
}


def send(session: PanelSession, method: str) -> Any:
    """Send a request with the body that its method has."""
    body = BODIES[method]
    return session.call(method, "/clients/7", body=None if body is NOTHING else body).data


# What is sent.


@pytest.mark.parametrize("name", ["", ".", "..", b"\xff".decode(errors="surrogateescape")])
def test_a_name_that_would_lead_to_another_path_is_refused(name: str) -> None:
    with pytest.raises(errors.OptionError, match="cannot be sent"):
        join_path("name", name)


@pytest.mark.parametrize(
    "name", ["...", ".hidden", "a/../b", "?x=1", "#top", "%2e%2e", "a\\..\\b", "a;b", "a\nb"]
)
def test_a_name_arrives_on_the_wire_as_one_segment(name: str) -> None:
    session = PanelSession(make_connection())
    adapter = RecordingAdapter()
    session._http_session.mount("https://", adapter)
    session.get("/clients" + join_path("name", name))

    segments = str(adapter.requests[0].url).removeprefix("https://panel.example/api/v2/").split("/")

    assert segments[:2] == ["clients", "name"]
    assert [requests.utils.unquote(segment) for segment in segments[2:]] == [name]


def test_a_body_is_sent_as_json_and_only_with_writes(dialogue: Callable[..., PanelSession]) -> None:
    session = dialogue(
        call("GET", "/clients", make_answer(200, []), query={"sort": "id"}),
        call("POST", "/clients", make_answer(201, {"id": 7}), {"username": "müller"}),
        call("PUT", "/clients/7", make_answer(200, {"id": 7}), {"notes": None}),
        call("DELETE", "/clients/7", make_answer(204)),
    )

    assert session.get("/clients", {"sort": "id"}) == []
    assert session.post("/clients", {"username": "müller"}) == {"id": 7}
    assert session.put("/clients/7", {"notes": None}) == {"id": 7}

    session.delete("/clients/7")
    types = [
        arguments.get("headers", {}).get("Content-Type")
        for arguments in session._http_session.arguments
    ]

    assert types == [None, "application/json", "application/json", None]


# The table of repeats, at work.

FAULTS: dict[str, tuple[Callable[[], Reply | Exception], str]] = {
    "refused": (make_refused_fault, "not sent"),
    "no accept": (transcript.make_connect_timeout_fault, "not sent"),
    "proxy": (transcript.make_proxy_fault, "not sent"),
    "408": (lambda: make_page(408), "unknown"),
    "429": (lambda: make_answer(429, INVALID), "not sent"),
    "500 page": (lambda: make_page(500), "unknown"),
    "502": (lambda: make_page(502), "unknown"),
    "503": (lambda: make_page(503), "unknown"),
    "504": (lambda: make_page(504), "unknown"),
    "reset": (transcript.make_reset_fault, "unknown"),
    "closed": (transcript.make_unanswered_fault, "unknown"),
    "cut off": (transcript.make_cut_off_fault, "unknown"),
    "silence": (transcript.make_read_timeout_fault, "unknown"),
    "silence in the body": (transcript.make_read_timeout_in_body_fault, "unknown"),
    "handshake cut off": (transcript.make_handshake_fault, "unknown"),
    "broken record": (transcript.make_broken_record_fault, "unknown"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_is_repeated_unless_it_could_create_twice(
    dialogue: Callable[..., PanelSession], fault: str, method: str
) -> None:
    reply, effect = FAULTS[fault]
    failed = call(method, "/clients/7", reply(), BODIES[method])

    if method == "POST" and effect == "unknown":
        with pytest.raises(errors.OutcomeUnknown, match=r"It may have been created\."):
            send(dialogue(failed), method)
        return

    session = dialogue(failed, failed, call(method, "/clients/7", ANSWERS[method], BODIES[method]))
    send(session, method)

    assert session._http_session.sent == [(method, "/clients/7")] * 3


@pytest.mark.parametrize(
    ("reply", "attempts"),
    [
        pytest.param(lambda: make_answer(500, BROKEN), {"GET": 2}, id="server error"),
        pytest.param(
            transcript.make_unresolvable_fault,
            dict.fromkeys(METHODS, 2),
            id="host that cannot be resolved",
        ),
        pytest.param(transcript.make_untrusted_certificate_fault, {}, id="untrusted certificate"),
        pytest.param(lambda: make_answer(400, INVALID), {}, id="bad request"),
        pytest.param(lambda: make_answer(401, INVALID), {}, id="refused key"),
        pytest.param(lambda: make_page(403), {}, id="forbidden page"),
        pytest.param(lambda: make_page(404), {}, id="missing page"),
        pytest.param(lambda: make_answer(404, transcript.NOT_FOUND), {}, id="missing object"),
        pytest.param(lambda: make_page(405), {}, id="method not allowed"),
        pytest.param(lambda: make_page(302, Location="https://other.example/"), {}, id="redirect"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_a_lasting_fault_is_not_repeated(
    dialogue: Callable[..., PanelSession], reply: Any, attempts: Any, method: str
) -> None:
    count = attempts.get(method, 1)
    session = dialogue(*[call(method, "/clients/7", reply(), BODIES[method])] * count)

    with pytest.raises(RequestError) as caught:
        send(session, method)

    assert caught.value.details["attempts"] == count


# Time.


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_repeated_for_an_ansible_that_was_killed(
    dialogue: Callable[..., PanelSession], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    # Before a write it is there.
    answers = iter([False] if method in ("POST", "PUT") else [])
    monkeypatch.setattr(panel_session, "has_lost_ansible", lambda: next(answers, True))
    session = dialogue(call(method, "/clients/7", make_page(503), BODIES[method]))

    with pytest.raises(RequestError) as caught:
        send(session, method)

    assert caught.value.details["attempts"] == 1


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_nothing_is_written_for_an_ansible_that_was_killed(
    dialogue: Callable[..., PanelSession], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(panel_session, "has_lost_ansible", lambda: True)

    with pytest.raises(TimeIsUp, match="was not sent: Ansible has ended"):
        send(dialogue(), method)


def test_retry_after_is_waited_for(
    dialogue: Callable[..., PanelSession], time: SimulatedTime
) -> None:
    session = dialogue(
        call("GET", "/clients", make_page(503, Retry_After="11")),
        call("GET", "/clients", make_answer(200, [])),
    )
    session.get("/clients")

    assert time.sleeps == [11.0]


def test_a_retry_after_beyond_the_time_is_an_error_that_says_when_to_run_again(
    dialogue: Callable[..., PanelSession], time: SimulatedTime
) -> None:
    with pytest.raises(ServerFailed) as caught:
        dialogue(call("POST", "/clients", make_answer(429, INVALID, Retry_After="3600"), {})).post(
            "/clients", {}
        )

    assert str(caught.value) == (
        'POST /clients failed (429): "username is invalid." Nothing was written. Run again in 3600 s.'
    )
    assert time.sleeps == []


def test_a_retry_after_without_end_counts_as_none(dialogue: Callable[..., PanelSession]) -> None:
    """Advise no number of seconds that nobody can wait."""
    reply = make_answer(429, INVALID, Retry_After="9" * 400)
    with pytest.raises(ServerFailed, match=r"Run again later\.$"):
        dialogue(call("POST", "/clients", reply, {}), retry_time=0).post("/clients", {})


NEVER_OVERTAKING = {
    "zone": ("/dns/5", {"records": []}),
    "password": ("/clients/7", {"password": "s3cret"}),
}


@pytest.mark.parametrize(
    ("seconds", "sleeps"),
    [("19", [19.0, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0, 5.0]), ("120", [120.0])],
    ids=["shorter than a late write", "longer than a late write"],
)
@pytest.mark.parametrize("case", NEVER_OVERTAKING)
def test_a_write_that_may_not_overtake_waits_for_retry_after(
    dialogue: Callable[..., PanelSession],
    time: SimulatedTime,
    case: str,
    seconds: str,
    sleeps: list[float],
) -> None:
    """Wait as long as the server says, and until the first attempt cannot come any more."""
    path, body = NEVER_OVERTAKING[case]
    session = dialogue(
        call("PUT", path, make_page(503, Retry_After=seconds), body),
        call("PUT", path, make_answer(200, {}), body),
        retry_time=200,
    )
    checks: list[bool] = []

    session.call("PUT", path, body=body, rules=CallRules(before_repeat=checks.append))

    assert time.sleeps == sleeps
    assert checks == [False] * (len(sleeps) - 1) + [True]


@pytest.mark.parametrize("case", NEVER_OVERTAKING)
def test_a_write_that_may_not_overtake_fails_at_once_where_retry_after_is_beyond_the_time(
    dialogue: Callable[..., PanelSession], time: SimulatedTime, case: str
) -> None:
    """Do not wait for a time that does not suffice."""
    path, body = NEVER_OVERTAKING[case]
    session = dialogue(call("PUT", path, make_page(503, Retry_After="120"), body), retry_time=60)

    with pytest.raises(ServerFailed, match="It may have been written"):
        session.put(path, body)

    assert time.sleeps == []


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_sent_when_the_time_of_the_task_is_over(
    dialogue: Callable[..., PanelSession], method: str
) -> None:
    session = dialogue()
    session.is_over = lambda: True

    with pytest.raises(
        errors.TimeIsUp, match=rf"^{method} /clients/7 was not sent: the time was over"
    ):
        send(session, method)


def test_all_requests_of_a_task_share_the_retry_time(
    dialogue: Callable[..., PanelSession], time: SimulatedTime
) -> None:
    fail = [call("GET", "/clients", make_page(503))] * 5
    session = dialogue(
        *fail[:4], call("GET", "/clients", make_answer(200, [])), *fail[:3], retry_time=10
    )

    session.get("/clients")

    assert time.sleeps == [0.5, 1.0, 2.0, 4.0]

    time.now += 500
    with pytest.raises(ServerFailed) as caught:
        session.get("/clients")

    assert caught.value.details["attempts"] == 3
    # 2.5 seconds were left for the second request; the pause of 2 seconds after these two would
    # have been too long.
    assert time.sleeps == [0.5, 1.0, 2.0, 4.0, 0.5, 1.0]


def test_repeats_take_no_longer_than_the_retry_time(time: SimulatedTime) -> None:
    class Silence(Transcript):  # takes exactly as long as it may
        def request(self, _method: str, _url: str, **arguments: Any) -> requests.Response:
            self.timeouts.append(arguments["timeout"])
            time.now += arguments["timeout"]
            raise transcript.make_read_timeout_fault()

    begin = time.now
    http_session = Silence()

    with pytest.raises(errors.OutcomeUnknown):
        PanelSession(make_connection(timeout=30), time.retry_budget(40), http_session).get(
            "/clients"
        )

    # The first attempt is no repeat, and an attempt gets one second at least.
    assert time.now - begin <= 30 + 40 + 1
    assert http_session.timeouts[0] == 30


@pytest.mark.parametrize(
    ("first", "is_repeated"),
    [
        pytest.param(transcript.make_read_timeout_fault(), True, id="lost answer"),
        pytest.param(make_page(503), True, id="503"),
        pytest.param(make_page(200), False, id="page 200"),
        pytest.param(make_answer(403, INVALID), False, id="403"),
    ],
)
def test_a_post_that_only_reads_is_repeated_like_a_get(
    dialogue: Callable[..., PanelSession], first: Any, is_repeated: bool
) -> None:
    last = [call("POST", "/read", make_answer(200, [1]), body={})] if is_repeated else []
    session = dialogue(call("POST", "/read", first, body={}), *last)
    rules = CallRules(is_read=True)

    if is_repeated:
        assert session.call("POST", "/read", body={}, rules=rules).data == [1]
        return
    with pytest.raises(RequestError) as failure:
        session.call("POST", "/read", body={}, rules=rules)
    assert not failure.value.may_have_written
    assert failure.value.method == "POST"


# Absent, or not.


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(make_page(404), id="page 404"),
        pytest.param(make_answer(404), id="empty 404"),
        pytest.param(make_answer(404, []), id="list 404"),
        pytest.param(make_answer(404, {"error": "x"}), id="error 404"),
        pytest.param(make_page(404, "{}", "text/plain"), id="text 404"),
        pytest.param(make_answer(400, INVALID), id="400"),
        pytest.param(make_answer(405, INVALID), id="405"),
        pytest.param(make_page(200), id="page 200"),
        pytest.param(make_answer(200), id="empty 200"),
        pytest.param(make_answer(204), id="204"),
        pytest.param(make_answer(200, None), id="null"),
    ],
)
def test_nothing_else_means_absent(dialogue: Callable[..., PanelSession], reply: Any) -> None:
    with pytest.raises(RequestError):
        dialogue(call("GET", "/clients/7", reply)).get_or_none("/clients/7")


# Denial.


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(make_answer(401, INVALID), id="by the panel"),
        pytest.param(make_page(401), id="by a page"),
    ],
)
@pytest.mark.parametrize("later_method", METHODS, ids=lambda method: f"then {method}")
@pytest.mark.parametrize("method", METHODS)
def test_a_key_that_was_refused_is_not_sent_again(
    dialogue: Callable[..., PanelSession], reply: Any, method: str, later_method: str
) -> None:
    session = dialogue(call(method, "/clients/7", reply, BODIES[method]))
    with pytest.raises(Denied, match="Check api_key") as first:
        send(session, method)
    first.value.reached = Reached(password="of another item")

    with pytest.raises(Denied) as later:
        send(session, later_method)

    assert str(later.value) == str(first.value)
    assert later.value.reached is None


@pytest.mark.parametrize("reply", [make_page(403), make_answer(403)])
def test_a_403_is_never_remembered(dialogue: Callable[..., PanelSession], reply: Reply) -> None:
    session = dialogue(call("GET", "/plans", reply), call("GET", "/clients", make_answer(200, [])))
    with pytest.raises(Denied, match="proxy before the panel refuses this"):
        session.get("/plans")

    assert session.get("/clients") == []


def test_a_write_that_is_refused_may_be_one_of_a_key_that_only_reads(
    dialogue: Callable[..., PanelSession],
) -> None:
    with pytest.raises(Denied) as caught:
        dialogue(call("PUT", "/clients/7", make_answer(403, INVALID), {})).put("/clients/7", {})
    assert str(caught.value) == (
        'PUT /clients/7 was refused (403): "username is invalid." Nothing was written. '
        "The API is switched off (Configuration, API in the panel), or this key is read-only or must not be used from this address."
    )


def test_a_write_that_is_refused_after_a_read_was_answered_is_one_of_a_key_that_only_reads(
    dialogue: Callable[..., PanelSession],
) -> None:
    refused = call("PUT", "/clients/7", make_answer(403, INVALID), {})
    session = dialogue(call("GET", "/clients/7", make_answer(200, {"id": 7})), refused)

    session.get("/clients/7")

    with pytest.raises(Denied) as caught:
        session.put("/clients/7", {})

    assert str(caught.value) == (
        'PUT /clients/7 was refused (403): "username is invalid." Nothing was written. '
        "This key seems to be read-only: use one that may write."
    )


def test_a_403_of_the_panel_may_be_one_of_the_switch_of_its_api(
    dialogue: Callable[..., PanelSession],
) -> None:
    with pytest.raises(
        Denied, match=r"The API is switched off .*, or this key must not be used from this address"
    ):
        dialogue(call("GET", "/plans", make_answer(403, INVALID))).get("/plans")


# What the errors say.


ERRORS: dict[str, Callable[[], Any]] = {
    **{name: reply for name, (reply, _effect) in FAULTS.items()},
    "unresolvable": transcript.make_unresolvable_fault,
    "untrusted certificate": transcript.make_untrusted_certificate_fault,
    "bad request": lambda: make_answer(400, INVALID),
    "missing object": lambda: make_answer(404, transcript.NOT_FOUND),
    "refused key": lambda: make_answer(401, INVALID),
    "forbidden page": lambda: make_page(403),
    "missing page": lambda: make_page(404),
    "page": lambda: make_page(200),
    "redirect": lambda: make_page(302, Location="https://other.example/"),
    "server error": lambda: make_answer(500, BROKEN),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_what_where_how_often_and_what_next(
    time: SimulatedTime, name: str, method: str
) -> None:
    outcome = ERRORS[name]()
    http_session = Transcript(*[call(method, "/clients/7", outcome, BODIES[method])] * 10)

    with pytest.raises(RequestError) as caught:
        send(
            PanelSession(make_connection(retry_time=3), time.retry_budget(3), http_session), method
        )

    message = str(caught.value)
    details = caught.value.details
    assert message.startswith(f"{method} /clients/7 ")
    assert details["method"] == method
    assert details["path"] == "/clients/7"
    assert details["attempts"] == len(http_session.sent)
    assert (f"after {details['attempts']} attempts" in message) is (details["attempts"] > 1)

    if isinstance(outcome, Reply):
        assert details["status"] == outcome.status
        assert f"({outcome.status})" in message

    has_advice = "Nothing was written." in message or "It may have been" in message
    assert has_advice is (method != "GET")
    assert caught.value.may_have_written is ("It may have been" in message)
    assert message.endswith(".")
    assert [text for text in ("<", "prefix01", "acme") if text in message] == []


def wait_for_panel(time: SimulatedTime, refusals: int) -> tuple[list[str], str]:
    """Return what a read says while so many connections are refused, and its error or nothing."""
    lines: list[str] = []
    calls = [call("GET", "/ping", make_refused_fault())] * refusals
    calls.append(call("GET", "/ping", make_answer(200, {})))
    session = PanelSession(
        make_connection(retry_time=60), time.retry_budget(60), Transcript(*calls)
    )
    session.say = lines.append
    try:
        session.get("/ping")
    except RequestError as error:
        return lines, str(error)
    return lines, ""


def test_a_long_wait_for_a_connection_is_said_once_and_its_error_names_its_limit(
    time: SimulatedTime,
) -> None:
    lines, message = wait_for_panel(time, 30)

    assert lines == ["panel.example does not answer; the task tries again (retry_time is 60 s)"]
    assert message.startswith("GET /ping failed after 15 attempts within retry_time (60 s): ")


def test_nothing_is_said_of_a_panel_that_only_reloads(time: SimulatedTime) -> None:
    assert wait_for_panel(time, 3) == ([], "")


def test_the_panels_own_words_are_handed_on(dialogue: Callable[..., PanelSession]) -> None:
    with pytest.raises(Refused) as caught:
        dialogue(call("POST", "/clients", make_answer(400, INVALID), {})).post("/clients", {})

    assert caught.value.details == {
        "method": "POST",
        "path": "/clients",
        "attempts": 1,
        "status": 400,
        "code": "400 Bad Request",
        "message": "username is invalid.",
    }
    assert str(caught.value) == (
        'POST /clients was refused (400): "username is invalid." Nothing was written. Correct what the panel names and run the task again.'
    )


PASSWORD = "zorvaquimbel"
COMPLAINT = {"code": "400 Bad Request", "message": f"The value {PASSWORD} is too weak."}


@pytest.mark.parametrize(
    ("path", "data"),
    [
        pytest.param(
            "/emails", [{"id": 8, "more": {"newPassword": PASSWORD}}], id="field of a list"
        ),
        pytest.param(
            "/login/name/acme", {"url": f"https://panel.example/{PASSWORD}"}, id="login address"
        ),
    ],
)
def test_a_secret_of_an_answer_is_in_no_later_error(
    dialogue: Callable[..., PanelSession], path: str, data: Any
) -> None:
    session = dialogue(
        call("GET", path, make_answer(200, data)),
        call("GET", "/clients", make_answer(400, COMPLAINT)),
    )

    assert session.get(path) == data

    with pytest.raises(Refused) as caught:
        session.get("/clients")

    assert caught.value.details["message"] == "The value ******** is too weak."


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(make_refused_fault, id="no connection"),
        pytest.param(lambda: make_answer(429, INVALID), id="too many requests"),
        pytest.param(lambda: make_answer(400, INVALID), id="bad request"),
    ],
)
def test_nothing_was_written_is_not_said_after_an_attempt_that_may_have_written(
    time: SimulatedTime, last: Any
) -> None:
    http_session = Transcript(
        call("PUT", "/clients/7", transcript.make_read_timeout_fault(), {}),
        *[call("PUT", "/clients/7", last(), {})] * 4,
    )

    session = PanelSession(make_connection(), time.retry_budget(3), http_session)
    rules = CallRules(repeats_at_once=True)

    with pytest.raises(RequestError, match="It may have been written") as caught:
        session.call("PUT", "/clients/7", body={}, rules=rules)

    assert caught.value.details["attempts"] > 1
    assert "Nothing was" not in str(caught.value)
    assert not isinstance(caught.value, errors.Unreachable)


REFUSALS = {
    f"{status}, {form}": (status, form)
    for status in (404, 405, 409, 412, 422)
    for form in ("in its own words", "page")
}


@pytest.mark.parametrize(("status", "form"), REFUSALS.values(), ids=list(REFUSALS))
@pytest.mark.parametrize(
    "make_loss",
    [
        pytest.param(transcript.make_read_timeout_fault, id="no answer"),
        pytest.param(transcript.make_reset_fault, id="reset"),
        pytest.param(lambda: make_page(502), id="502"),
        pytest.param(lambda: make_answer(504, BROKEN), id="504"),
    ],
)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_refused_repeat_leaves_open_what_the_first_attempt_has_written(
    time: SimulatedTime, method: str, make_loss: Any, status: int, form: str
) -> None:
    refusal = make_page(status) if form == "page" else make_answer(status, INVALID)
    http_session = Transcript(
        call(method, "/clients/7", make_loss(), BODIES[method]),
        call(method, "/clients/7", refusal, BODIES[method]),
    )
    session = PanelSession(make_connection(), time.retry_budget(60), http_session)
    rules = CallRules(repeats_at_once=True)
    body = BODIES[method] if method == "PUT" else None

    with pytest.raises(RequestError, match=r"It may have been (written|del)") as caught:
        session.call(method, "/clients/7", body=body, rules=rules)

    assert caught.value.effect is errors.Effect.UNKNOWN


# The real session.


class RecordingAdapter(requests.adapters.BaseAdapter):
    """Takes the place of the network below requests."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[requests.PreparedRequest] = []
        self.settings: list[dict[str, Any]] = []

    def send(self, request: requests.PreparedRequest, **settings: Any) -> requests.Response:  # type: ignore[override]
        """Note a request, and answer it with an empty list."""
        self.requests.append(request)
        self.settings.append(settings)
        response = requests.Response()
        response.status_code = 200
        response.request = request
        response.url = str(request.url)
        response._content = b"[]"
        response._content_consumed = True  # type: ignore[attr-defined]
        response.headers["Content-Type"] = "application/json"

        return response

    def close(self) -> None:
        """Close nothing."""


def record_requests(**changes: Any) -> tuple[PanelSession, RecordingAdapter]:
    """Return a session, and what notes the requests that would leave the machine."""
    session = PanelSession(make_connection(**changes))
    adapter = RecordingAdapter()
    session._http_session.mount("https://", adapter)
    session._http_session.mount("http://", adapter)
    return session, adapter


def test_the_key_goes_with_every_request_and_json_is_asked_for() -> None:
    session, adapter = record_requests()
    session.get("/clients")
    headers = adapter.requests[0].headers

    assert headers["X-API-Key"] == make_connection().api_key
    assert headers["Accept"] == "application/json"
    assert headers["User-Agent"].startswith("hosting.panel/")
    assert adapter.settings[0]["timeout"] == 30


def test_netrc_is_not_consulted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine panel.example login admin password hunter2\n")

    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    assert requests.utils.get_netrc_auth("https://panel.example/") == ("admin", "hunter2")

    session, adapter = record_requests()
    session.get("/clients")

    assert "Authorization" not in adapter.requests[0].headers


def test_a_proxy_from_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    session, adapter = record_requests()

    session.get("/clients")

    assert adapter.settings[0]["proxies"]["https"] == "http://proxy.example:3128"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "[::1]"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_proxy_sees_what_goes_to_this_machine(
    monkeypatch: pytest.MonkeyPatch, scheme: str, host: str
) -> None:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ):
        monkeypatch.setenv(name, "http://proxy.example:3128")

    session, adapter = record_requests(base_url=f"{scheme}://{host}:8080/api/v2", is_loopback=True)

    session.get("/clients")

    assert not adapter.settings[0]["proxies"]


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_ca_bundle_of_the_environment_counts_by_default_only(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "/etc/company/ca.pem")
    used = []

    for verify in (True, False, "/etc/panel/ca.pem"):
        session, adapter = record_requests(verify=verify)
        session.get("/clients")
        used.append(adapter.settings[0]["verify"])

    assert used == ["/etc/company/ca.pem", False, "/etc/panel/ca.pem"]


@pytest.mark.parametrize("method", METHODS)
def test_a_redirect_is_not_followed_and_the_key_stays_on_its_host(method: str) -> None:
    seen: list[bytes] = []

    def note(stranger: Any) -> None:
        seen.append(broken.read_request(stranger))

    with broken.run_server(note) as other_port:
        location = f"Location: http://127.0.0.1:{other_port}/api/v2/clients\r\n"
        with broken.run_server(
            broken.make_answering_handler(
                f"HTTP/1.1 307 Temporary Redirect\r\n{location}Connection: close\r\nContent-Length: 0\r\n\r\n".encode()
            )
        ) as port:
            session = PanelSession(
                make_connection(
                    base_url=f"http://127.0.0.1:{port}/api/v2", timeout=2, is_loopback=True
                )
            )
            with pytest.raises(
                errors.UnexpectedAnswer, match=f"redirects to 127.0.0.1:{other_port},"
            ):
                send(session, method)
            session.close()

    assert seen == []


def test_requests_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "requests", None)
    without = importlib.util.module_from_spec(request_library.__spec__)

    request_library.__spec__.loader.exec_module(without)

    assert not without.HAS_REQUESTS

    with pytest.raises(errors.MissingLibrary) as caught:
        without.make_http_session(make_connection())

    for hint in ("requests", sys.executable, platform.node(), "ansible_python_interpreter"):
        assert hint in str(caught.value)

    assert str(caught.value).endswith(". Nothing was sent.")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("content", broken.UNREADABLE.values(), ids=broken.UNREADABLE.keys())
def test_whatever_comes_back_after_a_write_left_it_may_have_taken_effect(
    content: bytes, method: str
) -> None:
    with broken.run_server(broken.make_answering_handler(content)) as port:
        url = f"http://127.0.0.1:{port}/api/v2"
        session = PanelSession(
            make_connection(base_url=url, timeout=2, retry_time=0, is_loopback=True)
        )

        with pytest.raises(
            (errors.OutcomeUnknown, errors.UnexpectedAnswer), match="It may have been"
        ):
            send(session, method)

        session.close()


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
_ENDLESS_PIECE = b"[" * 65536


def answer_without_end(accepted: socket.socket) -> None:
    """Send a body that has no length and no end."""
    broken.read_request(accepted)
    accepted.sendall(_HEAD + b"\r\n")
    while True:
        accepted.sendall(_ENDLESS_PIECE)


def answer_with_a_bomb(accepted: socket.socket) -> None:
    """Send 64 KB that become 64 MB."""
    broken.read_request(accepted)
    body = gzip.compress(b"[" * 64 * 1024**2)
    length = f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    accepted.sendall(_HEAD + length + body)


@pytest.mark.parametrize("handler", [answer_without_end, answer_with_a_bomb])
@pytest.mark.parametrize("method", METHODS)
def test_an_answer_that_would_fill_the_memory_is_read_no_further_than_its_bound(
    handler: broken.Handler, method: str
) -> None:
    rules = CallRules(most_bytes=1024**2)
    with broken.run_server(handler) as port:
        url = f"http://127.0.0.1:{port}/api/v2"
        session = PanelSession(
            make_connection(base_url=url, timeout=5, retry_time=0, is_loopback=True)
        )
        with pytest.raises(errors.PanelError, match="more than 1,048,576 bytes") as caught:
            session.call(method, "/clients/7", rules=rules)
        session.close()

    is_write = method != "GET"
    assert ("It may have been" in str(caught.value)) == is_write


_LONG_BODY = b'{"id": 12' + b" " * 400 + b"}"
_LENGTH = b"Content-Length: %d\r\n\r\n" % len(_LONG_BODY)
DRIPS = {
    "head": (b"H", _HEAD[1:] + b"X-Note: a\r\n" * 90 + _LENGTH + _LONG_BODY),
    "body": (_HEAD + _LENGTH, _LONG_BODY),
    "body without a length": (_HEAD + b"\r\n", _LONG_BODY),
    "pieces": (_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n[\r\n" * 100),
    "one long piece": (_HEAD + b"Transfer-Encoding: chunked\r\n\r\n200\r\n", _LONG_BODY),
}


@pytest.mark.parametrize("most_at_once", [1, 4])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("where", DRIPS)
def test_a_panel_that_sends_byte_by_byte_is_away_once_the_time_for_a_whole_answer_is_over(
    monkeypatch: pytest.MonkeyPatch, where: str, method: str, most_at_once: int
) -> None:
    monkeypatch.setattr(timed_answers, "WHOLE_ANSWER", 0.3)
    beginning, slow_end = DRIPS[where]
    with broken.run_server(broken.make_dripping_handler(slow_end, 0.05, beginning)) as port:
        url = f"http://127.0.0.1:{port}/api/v2"
        session = PanelSession(
            make_connection(base_url=url, timeout=1, retry_time=0, is_loopback=True)
        )
        session.allow_at_once(most_at_once)
        start = time.monotonic()
        with pytest.raises(errors.RequestError, match="the answer was not whole within") as caught:
            send(session, method)
        seconds = time.monotonic() - start
        session.close()

    assert seconds < 2
    is_write = method != "GET"
    assert ("It may have been" in str(caught.value)) == is_write


def test_an_answer_that_comes_slowly_and_in_time_is_taken() -> None:
    with broken.run_server(broken.make_dripping_handler(broken.ANSWER, 0.002)) as port:
        url = f"http://127.0.0.1:{port}/api/v2"
        session = PanelSession(
            make_connection(base_url=url, timeout=2, retry_time=0, is_loopback=True)
        )
        assert session.get("/clients/12") == {"id": 12}
        session.close()


def test_every_answer_has_a_bound() -> None:
    assert CallRules().most_bytes == panel_session.MOST_BYTES
