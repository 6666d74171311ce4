"""A session that follows a written dialogue: it checks every request, and gives the answer or the fault that stands beside it.

    session = Transcript(call("GET", "/clients/name/acme", answer(404, {"code": "404 Not Found", "message": "x"})), …)
    client = PanelClient(connection(), session=session)
    …
    session.finish()

The faults are exceptions built as requests and urllib3 build them; tests/unit/plugins/module_utils/test_answers.py proves each of
them against a real socket.
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
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import (
    PanelClient,
    Patience,
)

Dialogue = Callable[..., PanelClient]
"""Makes a client that expects exactly the given calls."""
NOTHING: Any = object()
NOT_FOUND = {"code": "404 Not Found", "message": "The object does not exist."}
RELOAD_PAGE = "<html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1></body></html>"


def connection(**changes: Any) -> Connection:
    """The connection of a test, to a host that is not on this machine."""
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


def answer(status: int = 200, data: Any = NOTHING, **headers: str) -> Reply:
    """JSON as the panel writes it; without ``data`` an empty body. An underscore in a header's name stands for a hyphen."""
    content = b"" if data is NOTHING else json.dumps(data).encode()
    return Reply(status, content, {"Content-Type": "application/json", **_headers(headers)})


def page(
    status: int,
    text: str = RELOAD_PAGE,
    content_type: str = "text/html; charset=UTF-8",
    **headers: str,
) -> Reply:
    """Something else than JSON, such as a web server's own page."""
    return Reply(status, text.encode(), {"Content-Type": content_type, **_headers(headers)})


def _headers(headers: dict[str, str]) -> dict[str, str]:
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


def custom_zone(
    *records: Mapping[str, Any],
    soa: Mapping[str, Any] | None = None,
    dkim_record: str = "",
    **members: Any,
) -> dict[str, Any]:
    """The answer; ``members`` replace others."""
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
    return Call(method, path, reply, body, query, seconds)


class Transcript:
    """Stands in for requests.Session. A request that differs from the next one expected ends the test at once."""

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
        if not url.startswith(self._base_url):
            pytest.fail(f"{method} {url} goes to another address than {self._base_url}")
        path = url.removeprefix(self._base_url)
        body = json.loads(arguments["data"]) if "data" in arguments else NOTHING
        query = arguments.get("params")
        shown = (
            f"{method} {path} {'' if body is NOTHING else json.dumps(body)} {query or ''}".strip()
        )
        if not self._calls:
            pytest.fail(f"no request was expected any more, but there is {shown}")
        expected = self._calls.pop(0)
        # pytest.fail is no Exception, so the code under test cannot take it for a fault of the network.
        if (method, path) != (expected.method, expected.path):
            pytest.fail(f"{expected.method} {expected.path} was expected, but there is {shown}")
        if _normal(body) != _normal(expected.body):
            pytest.fail(f"{shown} has another body than the expected {expected.body!r}")
        if (query or None) != (expected.query or None):
            pytest.fail(f"{shown} has another query than the expected {expected.query!r}")
        if arguments.get("allow_redirects") is not False or not arguments.get("timeout"):
            pytest.fail(f"{shown} would follow redirects, or wait for ever")
        self.sent.append((method, path))
        self.timeouts.append(arguments["timeout"])
        self.arguments.append(arguments)
        if self._time is not None:
            self._time.now += expected.seconds
        if isinstance(expected.reply, Exception):
            raise expected.reply
        return response(expected.reply, method, url, query)

    def close(self) -> None:
        pass

    def finish(self) -> None:
        """Fails for expected requests that were not made."""
        if self._calls:
            left = ", ".join(f"{one.method} {one.path}" for one in self._calls)
            pytest.fail(f"these requests were expected and not made: {left}")


def _normal(body: Any) -> Any:
    return body if body is NOTHING else json.dumps(body, sort_keys=True)


def response(reply: Reply, method: str, url: str, query: Any) -> requests.Response:
    response = requests.Response()
    response.status_code = reply.status
    response.headers.update(reply.headers)
    response._content = reply.content
    response.encoding = requests.utils.get_encoding_from_headers(response.headers)
    response.url = url + (f"?{urlencode(query)}" if query else "")
    response.request = requests.PreparedRequest()
    response.request.method, response.request.url = method, url
    return response


# Faults, with the same types inside each other as the real ones.


def _pool() -> Any:
    return urllib3.connectionpool.HTTPSConnectionPool("panel.example")


def _connection_object() -> Any:
    return urllib3.connection.HTTPSConnection("panel.example")


def _after_retries(reason: Exception) -> urllib3.exceptions.MaxRetryError:
    return urllib3.exceptions.MaxRetryError(_pool(), "/api/v2/x", reason)


def refused() -> Exception:
    reason = urllib3.exceptions.NewConnectionError(
        _connection_object(), "[Errno 111] Connection refused"
    )
    return requests.exceptions.ConnectionError(_after_retries(reason))


def unresolvable() -> Exception:
    import socket

    failure = socket.gaierror(-2, "Name or service not known")
    reason = urllib3.exceptions.NameResolutionError("panel.example", _connection_object(), failure)
    return requests.exceptions.ConnectionError(_after_retries(reason))


def connect_timeout() -> Exception:
    reason = urllib3.exceptions.ConnectTimeoutError(
        _connection_object(), "Connection to panel.example timed out."
    )
    return requests.exceptions.ConnectTimeout(_after_retries(reason))


def read_timeout() -> Exception:
    return requests.exceptions.ReadTimeout(
        urllib3.exceptions.ReadTimeoutError(_pool(), "/x", "Read timed out.")
    )


def read_timeout_in_body() -> Exception:
    return requests.exceptions.ConnectionError(
        urllib3.exceptions.ReadTimeoutError(_pool(), "/x", "Read timed out.")
    )


def reset() -> Exception:
    fault = ConnectionResetError(104, "Connection reset by peer")
    return requests.exceptions.ConnectionError(
        urllib3.exceptions.ProtocolError("Connection aborted.", fault)
    )


def closed_without_answer() -> Exception:
    from http.client import RemoteDisconnected

    fault = RemoteDisconnected("Remote end closed connection without response")
    return requests.exceptions.ConnectionError(
        urllib3.exceptions.ProtocolError("Connection aborted.", fault)
    )


def cut_off() -> Exception:
    fault = urllib3.exceptions.IncompleteRead(6, 94)
    return requests.exceptions.ChunkedEncodingError(
        urllib3.exceptions.ProtocolError(f"Connection broken: {fault!r}", fault)
    )


def proxy_refuses() -> Exception:
    fault = OSError("Tunnel connection failed: 403 Forbidden")
    reason = urllib3.exceptions.ProxyError("Unable to connect to proxy", fault)
    return requests.exceptions.ProxyError(_after_retries(reason))


def tls(fault: ssl.SSLError) -> Exception:
    return requests.exceptions.SSLError(_after_retries(urllib3.exceptions.SSLError(fault)))


def untrusted_certificate(words: str = "self-signed certificate") -> Exception:
    return tls(
        ssl.SSLCertVerificationError(
            1, f"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: {words} (_ssl.c:1)"
        )
    )


def handshake_cut_off() -> Exception:
    return tls(
        ssl.SSLEOFError(
            8,
            "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:1)",
        )
    )


def broken_record() -> Exception:
    return tls(
        ssl.SSLError(
            1,
            "[SSL: DECRYPTION_FAILED_OR_BAD_RECORD_MAC] decryption failed or bad record mac (_ssl.c:2580)",
        )
    )


def not_tls() -> Exception:
    return tls(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"))


class SimulatedTime:
    """``now`` in seconds; ``sleeps`` are the pauses in their order."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0, "nobody can sleep backwards"
        self.sleeps.append(seconds)
        self.now += seconds

    def patience(self, retry_time: float, spread: float = 0.5) -> Patience:
        """The patience of a task on this clock; ``spread`` 0.5 makes the waits 0.5, 1, 2, 4, 5, 5 … seconds."""
        made = Patience(retry_time)
        made.sleep, made.clock, made.spread = self.sleep, self.clock, lambda: spread
        return made
