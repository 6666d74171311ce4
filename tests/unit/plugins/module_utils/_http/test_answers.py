"""What one attempt means.

The faults of the transcripts are compared with those that real sockets cause.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from ansible_collections.hosting.panel.plugins.module_utils._http import timed_answers
from ansible_collections.hosting.panel.plugins.module_utils._http.answers import (
    Attempt,
    Form,
    read_exception,
    read_response,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    Connection,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.failures import (
    Failure,
    describe_answer,
    make_request_error,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import Fault
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets
from tests.support import broken_server as broken
from tests.support import transcript as written
from tests.support.transcript import Reply, make_answer, make_connection, make_page

QUICK = 0.3


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the certificates with which the servers of these tests speak."""
    folder = tmp_path_factory.mktemp("certificates")
    broken.make_certificate(folder, "localhost", "127.0.0.1")
    broken.make_certificate(folder, "other.example")
    broken.make_certificate(folder, "localhost", days=-1)
    (folder / "empty.pem").write_text("no certificate at all\n")

    return folder


def catch_real_exception(settings: Connection, method: str = "POST") -> Exception:
    """What the library's session raises for one request."""
    session = PanelSession(settings)
    with contextlib.closing(session), pytest.raises(Exception) as caught:
        session._http_session.request(
            method,
            settings.base_url + "/clients",
            timeout=settings.timeout,
            allow_redirects=False,
            data=b'{"username": "acme"}',
        )

    return caught.value


# Which of the two OpenSSL reports for a handshake that is cut off depends on the moment.
SAME = {"SSLZeroReturnError": "SSLEOFError"}


def get_shape(error: BaseException) -> list[Any]:
    """The types inside each other, from which the meaning is read."""
    nested = [
        entry
        for entry in (*error.args, getattr(error, "reason", None))
        if isinstance(entry, BaseException)
    ]
    name = type(error).__name__
    return [SAME.get(name, name), *(get_shape(entry) for entry in nested)]


@contextlib.contextmanager
def serve_plain(handler: broken.Handler) -> Iterator[Connection]:
    """Run a server without TLS, and yield the connection to it."""
    with broken.run_server(handler) as port:
        yield make_connection(
            base_url=f"http://127.0.0.1:{port}/api/v2", timeout=QUICK, is_loopback=True
        )


@contextlib.contextmanager
def serve_secured(
    handler: broken.Handler, verify: bool | str = True, host: str = "localhost"
) -> Iterator[Connection]:
    """Run a server with TLS, and yield the connection to it."""
    with broken.run_server(handler) as port:
        yield make_connection(
            base_url=f"https://{host}:{port}/api/v2", timeout=QUICK, is_loopback=True, verify=verify
        )


@contextlib.contextmanager
def make_closed_port() -> Iterator[Connection]:
    """Yield a connection to a port at which nothing listens any more."""
    with broken.run_server(broken.hang_up) as port:
        pass
    yield make_connection(
        base_url=f"http://127.0.0.1:{port}/api/v2", timeout=QUICK, is_loopback=True
    )


@contextlib.contextmanager
def make_full_port() -> Iterator[Connection]:
    """Yield a connection to a server that accepts no more."""
    with broken.open_full_backlog() as port:
        yield make_connection(
            base_url=f"http://127.0.0.1:{port}/api/v2", timeout=QUICK, is_loopback=True
        )


PLAIN_FAULTS: list[tuple[str, Callable[[], Any], Callable[[], Exception], Fault, str]] = [
    (
        "refused",
        make_closed_port,
        written.make_refused_fault,
        Fault.NOT_SENT,
        "refuses the connection",
    ),
    (
        "no accept",
        make_full_port,
        written.make_connect_timeout_fault,
        Fault.NOT_SENT,
        "no connection to",
    ),
    (
        "reset",
        lambda: serve_plain(broken.make_resetting_handler()),
        written.make_reset_fault,
        Fault.LOST_ANSWER,
        "closed before",
    ),
    (
        "hangs up",
        lambda: serve_plain(broken.hang_up),
        written.make_unanswered_fault,
        Fault.LOST_ANSWER,
        "closed before",
    ),
    (
        "cut off",
        lambda: serve_plain(broken.make_answering_handler(broken.HALF_AN_ANSWER)),
        written.make_cut_off_fault,
        Fault.LOST_ANSWER,
        "closed",
    ),
    (
        "silence",
        lambda: serve_plain(broken.make_silent_handler()),
        written.make_read_timeout_fault,
        Fault.LOST_ANSWER,
        "no answer within",
    ),
    (
        "silence in the body",
        lambda: serve_plain(broken.make_silent_handler(broken.HALF_AN_ANSWER)),
        written.make_read_timeout_in_body_fault,
        Fault.LOST_ANSWER,
        "no answer within",
    ),
    (
        "handshake cut off",
        lambda: serve_secured(broken.hang_up_in_the_handshake),
        written.make_handshake_fault,
        Fault.LOST_ANSWER,
        "TLS connection",
    ),
]


@pytest.mark.parametrize(
    ("real", "canned", "fault", "message"),
    [case[1:] for case in PLAIN_FAULTS],
    ids=[case[0] for case in PLAIN_FAULTS],
)
def test_a_fault_of_the_network_is_recognised(
    real: Callable[[], Any], canned: Callable[[], Exception], fault: Fault, message: str
) -> None:
    with real() as settings:
        error = catch_real_exception(settings)

        assert get_shape(error) == get_shape(canned()), (
            "the transcripts' fault is not built like this one"
        )

        for each in (error, canned()):
            attempt = read_exception(each, settings)
            assert attempt.fault == fault
            assert attempt.answer is None
            assert message in attempt.problem


def test_what_a_broken_answer_says_of_itself_is_no_reason() -> None:
    with serve_plain(
        broken.make_answering_handler(b"certificate has expired: NewConnectionError\r\n\r\n")
    ) as settings:
        attempt = read_exception(catch_real_exception(settings), settings)
    assert attempt.fault is Fault.LOST_ANSWER


def test_a_name_that_does_not_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any, **_named: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)

    error = catch_real_exception(make_connection())

    assert get_shape(error) == get_shape(written.make_unresolvable_fault())

    attempt = read_exception(error, make_connection())
    assert attempt.fault is Fault.NO_SUCH_HOST
    assert "panel.example does not resolve" in attempt.problem


@pytest.mark.parametrize(
    ("file", "verify", "host", "message"),
    [
        (
            "localhost-10.pem",
            True,
            "localhost",
            "not signed by an authority that this machine trusts",
        ),
        (
            "other.example-10.pem",
            "other.example-10.pem",
            "localhost",
            "another host name; use the name in the certificate",
        ),
        ("other.example-10.pem", "other.example-10.pem", "127.0.0.1", "is for another host name"),
        ("localhost--1.pem", "localhost--1.pem", "localhost", "has expired"),
    ],
)
def test_a_certificate_that_is_not_trusted_ends_it_at_once(
    certificates: Path, file: str, verify: Any, host: str, message: str
) -> None:
    verify = verify if verify is True else str(certificates / verify)

    with serve_secured(
        broken.wrap_in_tls(certificates / file, broken.make_answering_handler()), verify, host
    ) as settings:
        error = catch_real_exception(settings)
        attempt = read_exception(error, settings)

    assert get_shape(error) == get_shape(written.make_untrusted_certificate_fault()), message
    assert attempt.fault is None, message
    assert message in attempt.problem


def test_an_answer_that_comes_byte_by_byte_over_tls_is_told_as_late(
    monkeypatch: pytest.MonkeyPatch, certificates: Path
) -> None:
    monkeypatch.setattr(timed_answers, "WHOLE_ANSWER", 2)
    file = certificates / "localhost-10.pem"
    handler = broken.wrap_in_tls(file, broken.make_dripping_handler(broken.ANSWER, 0.05))
    with serve_secured(handler, str(file)) as settings:
        attempt = read_exception(catch_real_exception(settings), settings)

    assert attempt.fault is Fault.LOST_ANSWER
    assert "the answer was not whole within" in attempt.problem


def test_an_address_without_tls_is_named_as_such() -> None:
    with serve_secured(broken.speak_http_only) as settings:
        error = catch_real_exception(settings)
        attempt = read_exception(error, settings)

    assert get_shape(error) == get_shape(written.make_no_tls_fault())
    assert attempt.fault is None
    assert "is it an https address?" in attempt.problem


# Answers.


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


def test_a_problem_of_a_connection_names_the_variable_that_the_operator_wrote() -> None:
    """Try files of authorities and addresses that cannot be used."""
    settings = make_connection(names=NAMES)
    assert "check panel_ca_path, REQ" in read_exception(OSError("no file"), settings).problem
    invalid = requests.exceptions.InvalidURL("x")
    assert "check panel_api_url and" in read_exception(invalid, settings).problem


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
