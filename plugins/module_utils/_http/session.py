# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The session of requests below the client; the only file that knows requests, whose absence shows with the first one. Private to the collection."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import missing_required_lib

from .._errors import MissingLibrary
from .connection_settings import Connection

try:
    import requests
    import urllib3
    from requests.adapters import HTTPAdapter

    HAS_REQUESTS = True
except Exception:  # pylint: disable=broad-exception-caught # libraries that do not fit together fail in ways of their own
    HAS_REQUESTS = False


def new_session(connection: Connection, headers: Mapping[str, str]) -> Any:
    """A session with one kept-alive connection. Proxies and authorities of the environment are read once, and ``.netrc`` never.

    Raises MissingLibrary, in Ansible's words, since a task with become or async may run another Python than the one before it.
    """
    if not HAS_REQUESTS:
        raise MissingLibrary(f"{missing_required_lib('requests')} Nothing was sent.")
    # What urllib3 says of an answer, such as broken header lines, does not belong into the log of Ansible.
    logging.getLogger("urllib3").setLevel(logging.CRITICAL)
    session = requests.Session()
    session.headers.update(headers)
    session.trust_env = False
    session.verify = connection.verify
    # A proxy must not see what goes to this machine itself, where plain http is allowed.
    if not connection.is_loopback:
        session.proxies = requests.utils.get_environ_proxies(connection.base_url)
    if connection.verify is True and not connection.is_loopback:
        session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
    if connection.verify is False:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    keep_connections(session, 1)
    return session


def keep_connections(session: Any, most: int) -> None:
    """Lets so many requests run at once, each over its own connection."""
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=most, pool_block=most > 1))
