# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The session of requests below the client: it notes when the first byte of a request leaves. Private to the collection.

What fails after that moment may have had its effect, whatever the exception is called. It is the only file that knows requests, whose absence
is told with the first session.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
from collections.abc import Iterator
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._errors import MissingLibrary

HTTPAdapter: Any = object
try:
    import requests
    import urllib3
    from requests.adapters import HTTPAdapter

    HAS_REQUESTS = True
except Exception:  # pylint: disable=broad-exception-caught # libraries that do not fit together fail in ways of their own
    HAS_REQUESTS = False


class Sending(threading.local):
    """The request of this thread. has_begun: its first byte was handed to the system."""

    is_under_way = False
    has_begun = False
    over_new_connection = False

    @contextlib.contextmanager
    def one_request(self, over_new_connection: bool = False) -> Iterator[None]:
        self.is_under_way, self.has_begun, self.over_new_connection = True, False, over_new_connection
        try:
            yield
        finally:
            self.is_under_way = False


SENDING = Sending()


class _Noting:
    """A connection that notes that something of the request itself left, as opposed to the greeting of a proxy and TLS."""

    _is_connecting = False

    def connect(self) -> None:
        self._is_connecting = True
        try:
            super().connect()  # type: ignore[misc]
        finally:
            self._is_connecting = False

    def send(self, data: Any) -> None:
        # Otherwise connecting would be a part of sending.
        if getattr(self, "sock", None) is None and getattr(self, "auto_open", False):
            self.connect()
        if not self._is_connecting:
            SENDING.has_begun = True
        super().send(data)  # type: ignore[misc]


class _Renewing:
    """A pool that gives a new connection where a request must not meet the end of a kept one."""

    def _get_conn(self, timeout: Any = None) -> Any:
        connection = super()._get_conn(timeout)  # type: ignore[misc]
        if not SENDING.over_new_connection:
            return connection
        connection.close()
        return self._new_conn()  # type: ignore[attr-defined]


@functools.cache
def _noting(pool: Any) -> Any:
    """The same kind of pool with connections that note what they send; those through a SOCKS proxy are of a kind of their own."""
    connection = type(f"Noting{pool.ConnectionCls.__name__}", (_Noting, pool.ConnectionCls), {})
    return type(f"Noting{pool.__name__}", (_Renewing, pool), {"ConnectionCls": connection})


class _Adapter(HTTPAdapter):
    """Makes connections which note what they send, also those through a proxy."""

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        super().init_poolmanager(*arguments, **named)
        _let_note(self.poolmanager)

    def proxy_manager_for(self, proxy: Any, **named: Any) -> Any:
        is_new = proxy not in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **named)
        if is_new:
            _let_note(manager)
        return manager


def _let_note(manager: Any) -> None:
    manager.pool_classes_by_scheme = {scheme: _noting(pool) for scheme, pool in manager.pool_classes_by_scheme.items()}


def _is_of_others(_record: logging.LogRecord) -> bool:
    """Keeps what urllib3 says of an answer, broken header lines for example, out of the log of Ansible."""
    return not SENDING.is_under_way


for _name in ("urllib3.connection", "urllib3.connectionpool", "urllib3.response", "urllib3.util.retry"):
    logging.getLogger(_name).addFilter(_is_of_others)


def new_session(headers: dict[str, str], is_verifying: bool, trusts_environment: bool) -> Any:
    """A session with one kept-alive connection. trusts_environment: whether proxies and authorities named there count.

    Raises MissingLibrary, in Ansible's words, since a task with become or async may run another Python than the one before it.
    """
    if not HAS_REQUESTS:
        raise MissingLibrary(f"{missing_required_lib('requests')} Nothing was sent.")
    session = requests.Session()
    session.headers.update(headers)
    # An authentication of our own keeps requests from looking into .netrc and sending what it finds there.
    session.auth = _leave_as_it_is
    session.trust_env = trusts_environment
    keep_connections(session, 1)
    if not is_verifying:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return session


def keep_connections(session: Any, most: int) -> None:
    """Lets so many requests be under way at once, each over a connection of its own."""
    for scheme in ("https://", "http://"):
        session.mount(scheme, _Adapter(pool_connections=1, pool_maxsize=most, pool_block=most > 1))


def _leave_as_it_is(request: Any) -> Any:
    return request
