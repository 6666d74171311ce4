# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the sessions of the library requests, and tells what its exceptions mean: the only file that
knows it.

Whether the panel can have got a request is decided by the types of the exceptions that requests,
urllib3 and Python wrap in each other. What is not surely unsent counts as a lost answer.
"""

from __future__ import annotations

import logging
import os
import platform
import socket
import ssl
import sys
from typing import Any

from .._errors import MissingLibrary, is_caused_by
from .._problems import Written
from .answers import Attempt
from .connection_settings import Connection
from .repeats import Fault
from .timed_answers import WHOLE_ANSWER, LateAnswer, TimedResponse

# What the classes below extend.
Adapter: Any = object
PlainConnection: Any = object
TlsConnection: Any = object
PlainPool: Any = object
TlsPool: Any = object
LibraryAnswer: Any = object
try:
    import requests
    import requests.adapters
    import urllib3
    import urllib3.connection
    import urllib3.connectionpool
    import urllib3.response

    Adapter = requests.adapters.HTTPAdapter
    PlainConnection = urllib3.connection.HTTPConnection
    TlsConnection = urllib3.connection.HTTPSConnection
    PlainPool = urllib3.connectionpool.HTTPConnectionPool
    TlsPool = urllib3.connectionpool.HTTPSConnectionPool
    LibraryAnswer = urllib3.response.HTTPResponse
    HAS_REQUESTS = True
# Libraries that do not fit together fail in ways of their own.
except Exception:  # pylint: disable=broad-exception-caught
    HAS_REQUESTS = False

USER_AGENT = "hosting.panel/1.0.0 (Ansible collection)"
_SCHEMES = ("https://", "http://")

# With TLS 1.3 a server says it after the client is through with the handshake, and before it reads
# any request.
_CLIENT_CERTIFICATE_REQUIRED = "CERTIFICATE_REQUIRED"
# The endings of what OpenSSL calls a handshake with something that speaks no TLS, or none that both
# sides know.
_NO_COMMON_TLS = (
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "UNSUPPORTED_PROTOCOL",
    "PROTOCOL_VERSION",
    "NO_PROTOCOLS_AVAILABLE",
    "HANDSHAKE_FAILURE",
    "UNRECOGNIZED_NAME",
    _CLIENT_CERTIFICATE_REQUIRED,
)
# Numbers of OpenSSL for why a certificate is not trusted.
_CERTIFICATE_HAS_EXPIRED = 10
_CERTIFICATE_OF_ANOTHER_HOST = (62, 64)

_BAD_ADDRESS = "{} cannot be used as the address of a panel; check {api_url} and the proxy settings"
_NO_AUTHORITIES = (
    "the file of trusted authorities cannot be used; check {ca_path}, REQUESTS_CA_BUNDLE and "
    "CURL_CA_BUNDLE"
)
_ANOTHER_HOST = (
    "the certificate of {} is for another host name; use the name in the certificate in {api_url}"
)
_EXPIRED = "the certificate of {} has expired; renew it on the panel"
_NOT_TRUSTED = (
    "the certificate of {} is not signed by an authority that this machine trusts; "
    "set {ca_path} for a private one"
)
_NO_TLS = (
    "no TLS connection to {}; is it an https address? A loopback address without TLS needs http:// "
    "in front."
)
_PROXY_REFUSES = "the proxy of the environment refuses it; check HTTPS_PROXY and NO_PROXY"
_NO_SUCH_HOST = "the host name of {} does not resolve"
_NOT_REACHED_IN_TIME = "no connection to {} within {seconds} s"
_NOT_REACHED = "{} refuses the connection or cannot be reached"
_LATE = "the answer was not whole within {longest} s, {factor} times the timeout"
_TLS_BROKE_OFF = "the TLS connection to {} broke off"
_NO_ANSWER_IN_TIME = "no answer within the timeout of {seconds} s"
_CLOSED = "the connection was closed before the whole answer came"
_NOT_READABLE = "what came back cannot be read as an answer"


class NoAuthorities(OSError):
    """Says that there is no file of trusted authorities where one is named: nothing was sent."""


class TunnelRefused(OSError):
    """Says that a proxy opens no tunnel to the panel: nothing was sent to the panel."""


class NoCommonTls(ssl.SSLError):
    """Says that a handshake ended because there is no TLS that both sides speak: nothing was sent
    to the panel.
    """


class _TimedConnection(PlainConnection):
    response_class = TimedResponse


class _TimedTlsConnection(TlsConnection):
    response_class = TimedResponse

    def connect(self) -> None:
        """Connect, through the tunnel of a proxy where there is one.

        The libraries use one type for failures before and after the request was sent; what is
        raised here came before.

        Raises:
            TunnelRefused: The proxy refuses.
            NoCommonTls: The handshake fails.
        """
        try:
            super().connect()
        except ssl.SSLError as error:
            if _is_named(error, _NO_COMMON_TLS):
                raise NoCommonTls(*error.args) from error
            raise
        except OSError as error:
            # Failures of the network have a number or a type of their own.
            if error.__class__ is OSError and error.errno is None:
                raise TunnelRefused(*error.args) from error
            raise


class _WholeAnswer(LibraryAnswer):
    """An answer that may not end before the length that it announces.

    From its release 2, urllib3 makes answers otherwise, and sees to that itself.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options["enforce_content_length"] = True
        super().__init__(*arguments, **options)


class _TimedPool(PlainPool):
    ConnectionCls = _TimedConnection
    ResponseCls = _WholeAnswer


class _TimedTlsPool(TlsPool):
    ConnectionCls = _TimedTlsConnection
    ResponseCls = _WholeAnswer


_TIMED_POOLS = {"http": _TimedPool, "https": _TimedTlsPool}


class _TimedAdapter(Adapter):
    """Makes connections on which a whole answer has to come in time."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make the connections without a proxy."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = _TIMED_POOLS

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
        """Return the connections through a proxy."""
        manager = super().proxy_manager_for(*arguments, **options)
        manager.pool_classes_by_scheme = _TIMED_POOLS
        return manager

    def cert_verify(self, *arguments: Any, **options: Any) -> None:
        """Set the trusted authorities of a connection, before it connects.

        Raises:
            NoAuthorities: There is no such file.
        """
        try:
            super().cert_verify(*arguments, **options)
        except OSError as error:
            raise NoAuthorities(*error.args) from error


def make_http_session(connection: Connection) -> Any:
    """Return the session of the library with one kept-alive connection.

    Proxies and authorities of the environment are read once, and ``.netrc`` never.

    Raises:
        MissingLibrary: It names the Python, since a task with become or async may run another one
            than the task before it.
    """
    if not HAS_REQUESTS:
        raise MissingLibrary(
            f"{sys.executable} on {platform.node()} has no library requests. Install it there with "
            f"{sys.executable} -m pip install requests, or set ansible_python_interpreter to a "
            "Python that has it.",
            written=Written.NOTHING_SENT,
        )
    # What urllib3 says of an answer, such as broken header lines, does not belong into the log of
    # Ansible.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
    http_session = requests.Session()
    for scheme in _SCHEMES:
        http_session.mount(scheme, _TimedAdapter())
    http_session.headers.update({"Accept": "application/json", "User-Agent": USER_AGENT})
    if connection.api_key:
        http_session.headers["X-API-Key"] = connection.api_key
    http_session.trust_env = False
    http_session.verify = connection.verify

    # A proxy must not see what goes to this machine itself, where plain http is allowed.
    if not connection.is_loopback:
        http_session.proxies = requests.utils.get_environ_proxies(connection.base_url)
        if connection.verify is True:
            http_session.verify = _find_authorities_of_environment() or True
    if connection.verify is False:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return http_session


def _find_authorities_of_environment() -> str | None:
    """Return the file of trusted authorities that the environment names, if it names one."""
    return os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")


def keep_connections(http_session: Any, most: int) -> None:
    """Let a session keep so many connections to its panel alive, for requests at once."""
    for scheme in _SCHEMES:
        adapter = _TimedAdapter(pool_connections=1, pool_maxsize=most, pool_block=True)
        http_session.mount(scheme, adapter)


def read_exception(error: Exception, connection: Connection) -> Attempt:
    """Return the fault behind an exception of the library; raise one of the code itself again."""
    # Those of requests are OSErrors too.
    if not isinstance(error, (OSError, urllib3.exceptions.HTTPError)):
        raise error
    fault, problem = _find_failure(error)
    return Attempt(fault=fault, problem=_format_problem(problem, connection))


def _format_problem(problem: str, connection: Connection) -> str:
    """Return a problem with the panel and with what the operator wrote."""
    options = {option: connection.name_option(option) for option in ("api_url", "ca_path")}
    seconds = connection.timeout
    return problem.format(
        connection.panel,
        seconds=seconds,
        longest=seconds * WHOLE_ANSWER,
        factor=WHOLE_ANSWER,
        **options,
    )


def _find_failure(error: Exception) -> tuple[Fault | None, str]:
    """Return the fault behind an exception of the library, None where the next try meets the same,
    and the problem as a template.
    """
    causes = _list_causes(error)
    innermost = causes[-1]
    problem = _find_lasting_problem(causes)
    if problem is not None:
        return None, problem

    # Older versions of urllib3 make a timeout of the connection the base of one that is refused.
    # Another one may be wrapped as a failure of the proxy after the request went through it.
    not_connected = (
        TunnelRefused,
        urllib3.exceptions.ConnectTimeoutError,
        urllib3.exceptions.NewConnectionError,
    )
    if isinstance(innermost, not_connected):
        is_of_proxy = isinstance(error, requests.exceptions.ProxyError)
        return _describe_missing_connection(innermost, is_of_proxy)
    return Fault.LOST_ANSWER, _describe_lost_answer(error, causes)


def _list_causes(error: BaseException) -> list[BaseException]:
    """Return an exception and those that the libraries wrapped in it, the innermost last.

    What Python notes by itself (``__context__``) is left out: while the error of a request is
    handled another one is sent, whose errors have that of the first as their context.
    """
    causes = [error]
    while True:
        cause = causes[-1]
        wrapped_errors = [
            wrapped
            for wrapped in (getattr(cause, "reason", None), *cause.args)
            if isinstance(wrapped, BaseException)
        ]
        if not wrapped_errors:
            return causes
        causes.append(wrapped_errors[0])


def _find_lasting_problem(causes: list[BaseException]) -> str | None:
    """Return what is wrong where nothing was sent and the next try meets the same; else None."""
    innermost = causes[-1]
    bad_addresses = (
        requests.exceptions.InvalidSchema,
        requests.exceptions.InvalidURL,
        urllib3.exceptions.LocationParseError,
    )
    if _has_type(causes, bad_addresses):
        return _BAD_ADDRESS
    if isinstance(innermost, NoAuthorities):
        return _NO_AUTHORITIES
    if _has_type(causes, urllib3.exceptions.SSLError):
        return _find_lasting_problem_of_tls(innermost)
    return None


def _find_lasting_problem_of_tls(innermost: BaseException) -> str | None:
    """Return the same of an exception inside one of TLS."""
    # A file that may not be read, or that has no certificates.
    if isinstance(innermost, PermissionError) or getattr(innermost, "library", None) == "X509":
        return _NO_AUTHORITIES
    # Older versions of urllib3 compare the names themselves.
    name_mismatch = urllib3.connection.CertificateError  # type: ignore[attr-defined]
    if isinstance(innermost, (ssl.SSLCertVerificationError, name_mismatch)):
        return _describe_certificate(innermost)
    has_no_tls = isinstance(innermost, NoCommonTls)
    if has_no_tls or _is_named(innermost, _CLIENT_CERTIFICATE_REQUIRED):
        return _NO_TLS
    return None


def _describe_certificate(error: BaseException) -> str:
    """Return why a certificate is not trusted."""
    # Whoever compares the names without OpenSSL has no number.
    number = getattr(error, "verify_code", None)
    if number is None or number in _CERTIFICATE_OF_ANOTHER_HOST:
        return _ANOTHER_HOST
    if number == _CERTIFICATE_HAS_EXPIRED:
        return _EXPIRED
    return _NOT_TRUSTED


def _describe_missing_connection(error: BaseException, is_of_proxy: bool) -> tuple[Fault, str]:
    """Return the fault and the problem of a request for which there was no connection."""
    if is_of_proxy or isinstance(error, TunnelRefused):
        return Fault.NOT_SENT, _PROXY_REFUSES
    # Older versions of urllib3 have no type for a name that does not resolve.
    if isinstance(error.__cause__ or error.__context__, socket.gaierror):
        return Fault.NO_SUCH_HOST, _NO_SUCH_HOST
    if isinstance(error, urllib3.exceptions.NewConnectionError):
        return Fault.NOT_SENT, _NOT_REACHED
    return Fault.NOT_SENT, _NOT_REACHED_IN_TIME


def _describe_lost_answer(error: Exception, causes: list[BaseException]) -> str:
    """Return what is wrong where the request may have reached the panel."""
    timeouts = (requests.exceptions.Timeout, urllib3.exceptions.ReadTimeoutError)
    broken_answers = (
        requests.exceptions.ConnectionError,
        requests.exceptions.ChunkedEncodingError,
    )
    if is_caused_by(error, LateAnswer):
        return _LATE
    if isinstance(error, requests.exceptions.SSLError):
        return _TLS_BROKE_OFF
    if _has_type(causes, timeouts):
        return _NO_ANSWER_IN_TIME
    if isinstance(error, broken_answers):
        return _CLOSED
    return _NOT_READABLE


def _has_type(
    causes: list[BaseException], types: type[BaseException] | tuple[type[BaseException], ...]
) -> bool:
    """Tell whether one of the exceptions has one of the types."""
    return any(isinstance(cause, types) for cause in causes)


def _is_named(error: BaseException, endings: str | tuple[str, ...]) -> bool:
    """Tell whether what OpenSSL calls an error ends so; it has a prefix for who says it."""
    name = getattr(error, "reason", None)
    return isinstance(name, str) and name.endswith(endings)
