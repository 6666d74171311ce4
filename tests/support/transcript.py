"""A session that follows a written dialogue.

It checks every request, and gives the answer or the fault that stands beside it:

http_session = Transcript(call("GET", "/clients/name/acme", answer(404, {"code": "404 Not Found"})), …)
session = PanelSession(connection(), http_session=http_session) … http_session.finish()

The faults are exceptions built as requests and urllib3 build them;
tests/unit/plugins/module_utils/_http/test_answers.py proves each of them against a real socket.
"""

from __future__ import annotations

import copy
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
import requests
import urllib3

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    Connection,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.pacing import RetryBudget
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._http.request_library import (
    NoCommonTls,
    TunnelRefused,
)

Dialogue = Callable[..., PanelSession]
"""Makes a session that expects exactly the given calls."""
NOTHING: Any = object()
NOT_FOUND = {"code": "404 Not Found", "message": "The object does not exist."}
RELOAD_PAGE = "<html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1></body></html>"


def make_connection(**changes: Any) -> Connection:
    """Return the connection of a test, to a host that is not on this machine."""
    return Connection(
        **{
            "base_url": "https://panel.example/api/v2",
            "api_key": "prefix01.Zm9vYmFyYmF6cXV4",
            "verify": True,
            "timeout": 30,
            "retry_time": 60,
            "is_loopback": False,
            **changes,
        }
    )


@dataclass(frozen=True)
class Reply:
    """An answer of the panel before it knows its request."""

    status: int
    content: bytes
    headers: dict[str, str]


def make_answer(status: int = 200, data: Any = NOTHING, **headers: str) -> Reply:
    """Return JSON as the panel writes it; without ``data`` an empty body.

    headers: an underscore in a name stands for a hyphen.
    """
    content = b"" if data is NOTHING else json.dumps(data).encode()
    return Reply(status, content, {"Content-Type": "application/json", **_make_headers(headers)})


def make_page(
    status: int,
    text: str = RELOAD_PAGE,
    content_type: str = "text/html; charset=UTF-8",
    **headers: str,
) -> Reply:
    """Return something else than JSON, such as a page of a web server."""
    return Reply(status, text.encode(), {"Content-Type": content_type, **_make_headers(headers)})


def _make_headers(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


# Of the zone acme.example.
SOA: dict[str, Any] = {
    "ttl": 86400,
    "primary_ns": "ns1.panel.example.",
    "rname": "hostmaster.acme.example.",
    "refresh": 14400,
    "retry": 1800,
    "expire": 604800,
    "minimum": 3600,
}


def make_custom_zone(
    *records: Mapping[str, Any],
    soa: Mapping[str, Any] | None = None,
    dkim_record: str = "",
    **members: Any,
) -> dict[str, Any]:
    """Return the answer about a zone; ``members`` replace others."""
    return {
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "dkim_record": dkim_record,
        "records": {
            "soa": dict(SOA if soa is None else soa),
            "other": copy.deepcopy(list(records)),
        },
        **members,
    }


@dataclass(frozen=True)
class Call:
    """One expected request and what comes back, after ``seconds`` of simulated time."""

    method: str
    path: str
    reply: Reply | Exception
    body: Any
    query: Any
    seconds: float


def call(
    method: str,
    path: str,
    reply: Reply | Exception,
    body: Any = NOTHING,
    query: Any = None,
    seconds: float = 0.0,
) -> Call:
    """Return an expected request and its answer; without ``body`` it has none."""
    return Call(method, path, reply, body, query, seconds)


class Transcript:
    """Stands in for requests.Session.

    A request that differs from the next one expected ends the test at once.
    """

    def __init__(
        self,
        *calls: Call,
        time: SimulatedTime | None = None,
        base_url: str = "https://panel.example/api/v2",
    ):
        self._calls = list(calls)
        self._time = time
        self._base_url = base_url
        self.timeouts: list[float] = []
        self.sent: list[tuple[str, str]] = []
        self.arguments: list[dict[str, Any]] = []

    def request(self, method: str, url: str, **arguments: Any) -> requests.Response:
        """Compare a request with the next one expected, and give its answer or fault."""
        if not url.startswith(self._base_url):
            pytest.fail(f"{method} {url} goes to another address than {self._base_url}")

        path = url.removeprefix(self._base_url)
        body = json.loads(arguments["data"]) if "data" in arguments else NOTHING
        query = arguments.get("params")
        written_body = "" if body is NOTHING else json.dumps(body)
        subject = f"{method} {path} {written_body} {query or ''}".strip()
        if not self._calls:
            pytest.fail(f"no request was expected any more, but there is {subject}")

        expected = self._calls.pop(0)
        # pytest.fail is no Exception, so the code under test cannot take it for a fault of the
        # network.
        if (method, path) != (expected.method, expected.path):
            pytest.fail(f"{expected.method} {expected.path} was expected, but there is {subject}")

        if _normalize(body) != _normalize(expected.body):
            pytest.fail(f"{subject} has another body than the expected {expected.body!r}")

        if (query or None) != (expected.query or None):
            pytest.fail(f"{subject} has another query than the expected {expected.query!r}")

        if arguments.get("allow_redirects") is not False or not arguments.get("timeout"):
            pytest.fail(f"{subject} would follow redirects, or wait for ever")

        self.sent.append((method, path))
        self.timeouts.append(arguments["timeout"])
        self.arguments.append(arguments)
        if self._time is not None:
            self._time.now += expected.seconds

        if isinstance(expected.reply, Exception):
            raise expected.reply

        return make_response(expected.reply, method, url, query)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def finish(self) -> None:
        """Fail for expected requests that were not made."""
        if self._calls:
            missing = ", ".join(f"{call.method} {call.path}" for call in self._calls)
            pytest.fail(f"these requests were expected and not made: {missing}")


def _normalize(body: Any) -> Any:
    if body is NOTHING:
        return body
    return json.dumps(body, sort_keys=True)


def make_response(reply: Reply, method: str, url: str, query: Any) -> requests.Response:
    """Return an answer as requests would, beside the request that it answers."""
    response = requests.Response()
    response.status_code = reply.status
    response.headers.update(reply.headers)
    response._content = reply.content
    response._content_consumed = True  # type: ignore[attr-defined]
    response.encoding = requests.utils.get_encoding_from_headers(response.headers)
    response.url = url
    if query:
        response.url += f"?{urlencode(query)}"

    response.request = requests.PreparedRequest()
    response.request.method = method
    response.request.url = url

    return response


# Faults, with the same types inside each other as the real ones.


def _make_pool() -> Any:
    return urllib3.connectionpool.HTTPSConnectionPool("panel.example")


def _make_connection_object() -> Any:
    return urllib3.connection.HTTPSConnection("panel.example")


def _make_retry_error(reason: Exception) -> urllib3.exceptions.MaxRetryError:
    return urllib3.exceptions.MaxRetryError(_make_pool(), "/api/v2/x", reason)


def make_refused_fault() -> Exception:
    """Return the fault of a port on which nothing listens."""
    reason = urllib3.exceptions.NewConnectionError(
        _make_connection_object(), "[Errno 111] Connection refused"
    )
    return requests.exceptions.ConnectionError(_make_retry_error(reason))


def make_unresolvable_fault() -> Exception:
    """Return the fault of a host name that no name server knows."""
    import socket

    failure = socket.gaierror(-2, "Name or service not known")
    connection = _make_connection_object()
    reason = urllib3.exceptions.NewConnectionError(connection, str(failure))
    # Older versions of urllib3 have no type of its own for this.
    if hasattr(urllib3.exceptions, "NameResolutionError"):
        reason = urllib3.exceptions.NameResolutionError("panel.example", connection, failure)
    reason.__cause__ = failure

    return requests.exceptions.ConnectionError(_make_retry_error(reason))


def make_connect_timeout_fault() -> Exception:
    """Return the fault of a host that does not accept the connection in time."""
    reason = urllib3.exceptions.ConnectTimeoutError(
        _make_connection_object(), "Connection to panel.example timed out."
    )
    return requests.exceptions.ConnectTimeout(_make_retry_error(reason))


def make_read_timeout_fault() -> Exception:
    """Return the fault of an answer that does not begin in time."""
    return requests.exceptions.ReadTimeout(
        urllib3.exceptions.ReadTimeoutError(_make_pool(), "/x", "Read timed out.")
    )


def make_read_timeout_in_body_fault() -> Exception:
    """Return the fault of an answer that does not go on in time."""
    return requests.exceptions.ConnectionError(
        urllib3.exceptions.ReadTimeoutError(_make_pool(), "/x", "Read timed out.")
    )


def make_reset_fault() -> Exception:
    """Return the fault of a connection that the panel resets."""
    fault = ConnectionResetError(104, "Connection reset by peer")
    return requests.exceptions.ConnectionError(
        urllib3.exceptions.ProtocolError("Connection aborted.", fault)
    )


def make_unanswered_fault() -> Exception:
    """Return the fault of a connection that ends before an answer."""
    from http.client import RemoteDisconnected

    fault = RemoteDisconnected("Remote end closed connection without response")
    return requests.exceptions.ConnectionError(
        urllib3.exceptions.ProtocolError("Connection aborted.", fault)
    )


def make_cut_off_fault() -> Exception:
    """Return the fault of an answer that ends before its announced length."""
    fault = urllib3.exceptions.IncompleteRead(6, 94)
    return requests.exceptions.ChunkedEncodingError(
        urllib3.exceptions.ProtocolError(f"Connection broken: {fault!r}", fault)
    )


def make_proxy_fault() -> Exception:
    """Return the fault of a proxy that does not let the connection through."""
    fault = TunnelRefused("Tunnel connection failed: 403 Forbidden")
    reason = urllib3.exceptions.ProxyError("Unable to connect to proxy", fault)
    return requests.exceptions.ProxyError(_make_retry_error(reason))


def make_tls_fault(fault: Exception) -> Exception:
    """Return a fault of TLS as requests raises it."""
    return requests.exceptions.SSLError(_make_retry_error(urllib3.exceptions.SSLError(fault)))


def make_untrusted_certificate_fault() -> Exception:
    """Return the fault of a certificate that is not trusted, since it is signed by itself."""
    fault = ssl.SSLCertVerificationError(
        1,
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1)",
    )
    fault.verify_code = 18
    return make_tls_fault(fault)


def make_handshake_fault() -> Exception:
    """Return the fault of a connection that ends during the handshake."""
    return make_tls_fault(
        ssl.SSLEOFError(
            8,
            "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:1)",
        )
    )


def make_broken_record_fault() -> Exception:
    """Return the fault of encrypted data that was damaged on its way."""
    return make_tls_fault(
        ssl.SSLError(
            1,
            "[SSL: DECRYPTION_FAILED_OR_BAD_RECORD_MAC] decryption failed or bad record mac (_ssl.c:2580)",
        )
    )


def make_no_tls_fault() -> Exception:
    """Return the fault of a port that speaks no TLS."""
    return make_tls_fault(
        NoCommonTls(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
    )


class SimulatedTime:
    """``now`` in seconds; ``sleeps`` are the pauses in their order."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def get_time(self) -> float:
        """Return the present moment."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let that time pass at once."""
        assert seconds >= 0, "nobody can sleep backwards"
        self.sleeps.append(seconds)
        self.now += seconds

    def retry_budget(self, retry_time: float, spread: float = 0.5) -> RetryBudget:
        """Return the retry budget of a task on this clock.

        spread: 0.5 makes the waits 0.5, 1, 2, 4, 5, 5 … seconds.
        """
        retry_budget = RetryBudget(retry_time)
        retry_budget.sleep = self.sleep
        retry_budget.clock = self.get_time
        retry_budget.spread = lambda: spread

        return retry_budget
