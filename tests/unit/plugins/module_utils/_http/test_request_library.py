"""What an exception of the library means.

The faults of the transcripts are compared with those that real sockets cause.
"""

from __future__ import annotations

import contextlib
import io
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import urllib3

from ansible_collections.hosting.panel.plugins.module_utils._http import timed_answers
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    Connection,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import Fault
from ansible_collections.hosting.panel.plugins.module_utils._http.request_library import (
    NoAuthorities,
    make_http_session,
    read_exception,
)
from tests.support import broken_server as broken
from tests.support import transcript as written
from tests.support.transcript import make_connection

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


# Which of the two OpenSSL reports for a handshake that is cut off depends on the moment. Older
# versions of urllib3 compare the names in a certificate themselves.
SAME = {"SSLZeroReturnError": "SSLEOFError", "CertificateError": "SSLCertVerificationError"}


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


def _get_pool(http_session: Any, address: str) -> Any:
    return http_session.get_adapter(address).poolmanager.connection_from_url(address)


def test_an_answer_that_ends_too_early_is_no_whole_one() -> None:
    handler = broken.make_answering_handler(broken.HALF_AN_ANSWER)
    with serve_plain(handler) as settings, make_http_session(settings) as http_session:
        pool = _get_pool(http_session, settings.base_url)
        response = pool.urlopen("GET", "/x", preload_content=False, retries=False)

        with pytest.raises(urllib3.exceptions.ProtocolError, match="IncompleteRead"):
            list(response.stream(8))


@pytest.mark.parametrize("address", ["http://panel.example", "https://panel.example"])
def test_answers_of_old_versions_of_urllib3_have_to_be_whole(address: str) -> None:
    """Make one as they do."""
    with make_http_session(make_connection(base_url=f"{address}/api/v2")) as http_session:
        pool = _get_pool(http_session, address)
        response = pool.ResponseCls(
            io.BytesIO(b"half"),
            headers={"content-length": "8"},
            preload_content=False,
            enforce_content_length=False,
        )

        with pytest.raises(urllib3.exceptions.ProtocolError, match="IncompleteRead"):
            list(response.stream(8))


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
    assert "is it an https address? A loopback address without TLS needs http://" in attempt.problem


NAMES = {"api_url": "panel_api_url", "ca_path": "panel_ca_path"}


def test_a_problem_of_a_connection_names_the_variable_that_the_operator_wrote() -> None:
    """Try files of authorities and addresses that cannot be used."""
    settings = make_connection(names=NAMES)
    assert "check panel_ca_path, REQ" in read_exception(NoAuthorities("no file"), settings).problem
    invalid = requests.exceptions.InvalidURL("x")
    assert "check panel_api_url and" in read_exception(invalid, settings).problem


# What is not surely unsent.


@contextlib.contextmanager
def serve_through_proxy(proxy: broken.Handler, verify: bool | str = True) -> Iterator[Connection]:
    """Run a proxy that the environment names, and yield a connection through it."""
    with broken.run_server(proxy) as port, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        yield make_connection(
            base_url="https://localhost:8443/api/v2", timeout=QUICK, verify=verify
        )


def make_tunnel(panel: broken.Handler) -> broken.Handler:
    """Return a proxy that opens a tunnel to a panel."""

    def handle(connection: socket.socket) -> None:
        """Open the tunnel, and let the panel speak."""
        broken.read_request(connection)
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        panel(connection)

    return handle


PROXY_REFUSES = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("proxy", "fault", "message"),
    [
        pytest.param(
            broken.make_answering_handler(PROXY_REFUSES),
            Fault.NOT_SENT,
            "the proxy of the environment refuses it",
            id="no tunnel",
        ),
        pytest.param(broken.hang_up, Fault.LOST_ANSWER, "closed before", id="proxy hangs up"),
        pytest.param(broken.make_silent_handler(), Fault.LOST_ANSWER, "", id="proxy is silent"),
    ],
)
def test_only_a_proxy_that_refuses_a_tunnel_surely_sent_nothing(
    proxy: broken.Handler, fault: Fault, message: str
) -> None:
    with serve_through_proxy(proxy) as settings:
        attempt = read_exception(catch_real_exception(settings), settings)

    assert attempt.fault is fault
    assert message in attempt.problem


@pytest.mark.parametrize(
    "panel",
    [
        pytest.param(broken.make_resetting_handler(), id="reset"),
        pytest.param(broken.hang_up, id="hangs up"),
        pytest.param(broken.make_silent_handler(), id="silence"),
        pytest.param(
            broken.make_answering_handler(b"Tunnel connection failed: NewConnectionError\r\n\r\n"),
            id="words of a proxy",
        ),
    ],
)
def test_an_answer_that_is_lost_in_a_tunnel_counts_as_lost(
    certificates: Path, panel: broken.Handler
) -> None:
    file = certificates / "localhost-10.pem"
    tunnel = make_tunnel(broken.wrap_in_tls(file, panel))
    with serve_through_proxy(tunnel, str(file)) as settings:
        attempt = read_exception(catch_real_exception(settings), settings)

    assert attempt.fault is Fault.LOST_ANSWER


def test_a_proxy_that_is_not_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with make_closed_port() as closed:
        monkeypatch.setenv("HTTPS_PROXY", closed.base_url)
        attempt = read_exception(catch_real_exception(make_connection()), make_connection())

    assert attempt.fault is Fault.NOT_SENT
    assert "the proxy of the environment refuses it" in attempt.problem


def test_the_end_of_tls_after_a_request_is_a_lost_answer(certificates: Path) -> None:
    """Answer a request over TLS without TLS, as whatever stands in between may do."""
    file = certificates / "localhost-10.pem"

    def answer_without_tls(wrapped: socket.socket) -> None:
        """Read the request, and answer on the connection below."""
        broken.read_request(wrapped)
        with socket.socket(fileno=os.dup(wrapped.fileno())) as below:
            below.sendall(broken.ANSWER)

    handler = broken.wrap_in_tls(file, answer_without_tls)
    with serve_secured(handler, str(file)) as settings:
        error = catch_real_exception(settings)
        attempt = read_exception(error, settings)

    assert "WRONG_VERSION_NUMBER" in str(error)
    assert attempt.fault is Fault.LOST_ANSWER


def test_a_panel_that_asks_for_a_certificate_of_the_client_is_named(certificates: Path) -> None:
    file = certificates / "localhost-10.pem"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    context.load_verify_locations(file)
    context.verify_mode = ssl.CERT_REQUIRED

    def refuse_client(connection: socket.socket) -> None:
        """Refuse a client without a certificate, and wait until it hangs up."""
        with context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        ) as wrapped:
            with contextlib.suppress(ssl.SSLError):
                wrapped.do_handshake()
            with socket.socket(fileno=os.dup(wrapped.fileno())) as below:
                below.settimeout(broken.LONGEST_SILENCE)
                while below.recv(65536):
                    pass

    with serve_secured(refuse_client, str(file)) as settings:
        attempt = read_exception(catch_real_exception(settings), settings)

    assert attempt.fault is None
    assert "is it an https address?" in attempt.problem


@pytest.mark.parametrize("file", ["empty.pem", "missing.pem"])
def test_a_file_of_authorities_that_cannot_be_used_is_named(certificates: Path, file: str) -> None:
    handler = broken.wrap_in_tls(certificates / "localhost-10.pem", broken.make_answering_handler())
    with serve_secured(handler, str(certificates / file)) as settings:
        attempt = read_exception(catch_real_exception(settings), settings)

    assert attempt.fault is None
    assert "the file of trusted authorities cannot be used" in attempt.problem


def test_a_request_after_another_one_failed_is_judged_by_its_own_error() -> None:
    """Let the error of a connection that was refused be handled while a second answer is lost."""
    with make_closed_port() as closed, serve_plain(broken.hang_up) as settings:
        try:
            PanelSession(closed)._http_session.get(closed.base_url)
        except requests.exceptions.ConnectionError:
            error = catch_real_exception(settings)

    assert read_exception(error, settings).fault is Fault.LOST_ANSWER


POOL = urllib3.HTTPSConnectionPool("panel.example")
CONNECTION = urllib3.connection.HTTPSConnection("panel.example")


def wrap_in_retries(reason: Exception) -> urllib3.exceptions.MaxRetryError:
    """Return an exception of urllib3 as it wraps the reason."""
    return urllib3.exceptions.MaxRetryError(POOL, "/api/v2/x", reason)


def wrap_in_proxy_error(fault: Exception) -> Exception:
    """Return the exception that both generations of urllib3 make of a fault behind a proxy."""
    reason = urllib3.exceptions.ProxyError("Cannot connect to proxy.", fault)
    return requests.exceptions.ProxyError(wrap_in_retries(reason))


class OlderNewConnectionError(
    urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError
):
    """Has the bases that it has in urllib3 1.26."""


def make_older_unresolvable_fault() -> Exception:
    """Return the fault of urllib3 1.26 for a host name that no name server knows."""
    reason = OlderNewConnectionError(CONNECTION, "Failed to establish a new connection")
    reason.__context__ = socket.gaierror(-2, "Name or service not known")
    return requests.exceptions.ConnectionError(wrap_in_retries(reason))


def make_older_refused_fault() -> Exception:
    """Return the fault of urllib3 1.26 for a port at which nothing listens."""
    reason = OlderNewConnectionError(CONNECTION, "Failed to establish a new connection")
    reason.__context__ = ConnectionRefusedError(111, "Connection refused")
    return requests.exceptions.ConnectionError(wrap_in_retries(reason))


def make_older_mismatch_fault() -> Exception:
    """Return the fault of urllib3 1.26, which compares the names of a certificate itself."""
    mismatch = urllib3.connection.CertificateError("hostname 'a' doesn't match 'b'")
    return written.make_tls_fault(mismatch)


LYING_WORDS = "NewConnectionError: Tunnel connection failed: 403, CERTIFICATE_VERIFY_FAILED"


@pytest.mark.parametrize(
    ("error", "fault", "message"),
    [
        pytest.param(
            make_older_refused_fault(), Fault.NOT_SENT, "refuses the connection", id="refused"
        ),
        pytest.param(
            make_older_unresolvable_fault(), Fault.NO_SUCH_HOST, "does not resolve", id="no name"
        ),
        pytest.param(make_older_mismatch_fault(), None, "for another host name", id="mismatch"),
        pytest.param(
            wrap_in_proxy_error(OlderNewConnectionError(CONNECTION, "refused")),
            Fault.NOT_SENT,
            "the proxy of the environment refuses it",
            id="proxy refused",
        ),
        pytest.param(
            wrap_in_proxy_error(TimeoutError("timed out")),
            Fault.LOST_ANSWER,
            "closed before",
            id="proxy silent",
        ),
        pytest.param(
            wrap_in_proxy_error(ConnectionResetError(104, LYING_WORDS)),
            Fault.LOST_ANSWER,
            "closed before",
            id="reset behind the proxy",
        ),
        pytest.param(
            wrap_in_proxy_error(OSError("Tunnel connection failed: 403 Forbidden")),
            Fault.LOST_ANSWER,
            "closed before",
            id="words of a tunnel",
        ),
        pytest.param(
            written.make_tls_fault(ssl.SSLError(1, LYING_WORDS)),
            Fault.LOST_ANSWER,
            "broke off",
            id="words of TLS",
        ),
        pytest.param(
            written.make_tls_fault(PermissionError(13, "Permission denied")),
            None,
            "the file of trusted authorities cannot be used",
            id="unreadable authorities",
        ),
        pytest.param(
            urllib3.exceptions.HTTPError(LYING_WORDS),
            Fault.LOST_ANSWER,
            "cannot be read",
            id="another one of urllib3",
        ),
        pytest.param(
            OSError(LYING_WORDS), Fault.LOST_ANSWER, "cannot be read", id="another one of Python"
        ),
    ],
)
def test_types_decide_whether_a_request_was_sent_in_both_generations_of_urllib3(
    error: Exception, fault: Fault | None, message: str
) -> None:
    attempt = read_exception(error, make_connection())

    assert attempt.fault is fault
    assert message in attempt.problem


def test_an_error_of_the_code_itself_is_raised_again() -> None:
    with pytest.raises(ZeroDivisionError):
        read_exception(ZeroDivisionError(), make_connection())
