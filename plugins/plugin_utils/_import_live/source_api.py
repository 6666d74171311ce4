# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the API of another panel, with the session that asks our own panels.

So TLS, proxies, repeats, masking and messages are those of the collection. Every fault is one
SourceError that names host and function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._errors import (
    Denied,
    OptionError,
    Refused,
    RequestError,
    UnexpectedAnswer,
    Unreachable,
)
from ...module_utils._http.connection_settings import (
    Address,
    Connection,
    check_authorities,
    split_address,
)
from ...module_utils._http.panel_session import CallRules, PanelSession
from ...module_utils._problems import Written, as_sentence
from .._import_source.source_tables import MOST_BYTES, SourceError

TIMEOUT = 30
"""The seconds for connecting and for each read, as of our own panels by default."""
RETRY_TIME = 60
"""The seconds that all repeats together may take."""
_PASSWORD = "source_password"


@dataclass(frozen=True)
class Access:
    """Says where another panel is, and who asks it.

    Attributes:
        address: Of its API, with the path.
        username: That of ISPConfig's remote user, or a key of froxlor's API.
        password: That of the user, or the secret of the key.
        ca_path: The file of trusted authorities; None for those of this machine.
        name_option: What messages call an option.
    """

    address: Address
    username: str
    password: str = ""
    ca_path: str | None = None
    name_option: Callable[[str], str] = str

    def __repr__(self) -> str:
        return f"Access({self.address.origin})"


def read_access(options: Mapping[str, Any], path: str, name_option: Callable[[str], str]) -> Access:
    """Return where a panel is and who asks it.

    Args:
        options: Those of the task.
        path: Where the API is below the path of the address, if that names no file of PHP.
        name_option: What messages call an option.

    Raises:
        OptionError: One is missing or wrong.
    """
    form = f"use https://HOST{path} or https://HOST:PORT{path}, without user name and password"
    address = split_address("source_url", options["source_url"], form, name_option(_PASSWORD))
    folder = address.path.rstrip("/")
    if not folder.endswith(".php"):
        folder += path
    address = address._replace(path=folder)
    for option in ("source_username", _PASSWORD):
        if not options[option]:
            problem = f"missing. {name_option('source_url')} needs it."
            raise OptionError(problem, option=option, written=Written.NOTHING)
    if options["source_ca_path"]:
        check_authorities("source_ca_path", options["source_ca_path"])
    return Access(
        address,
        options["source_username"],
        options[_PASSWORD],
        options["source_ca_path"],
        name_option,
    )


def connect(access: Access) -> PanelSession:
    """Return the session with another panel, which has sent nothing yet.

    Raises:
        MissingLibrary: Ansible's Python has no library for requests.
    """
    names = {
        "api_url": access.name_option("source_url"),
        "ca_path": access.name_option("source_ca_path"),
    }
    connection = Connection(
        access.address.origin,
        api_key="",  # a header of our own panel
        verify=access.ca_path or True,
        timeout=TIMEOUT,
        retry_time=RETRY_TIME,
        is_loopback=access.address.is_loopback,
        names=names,
    )
    session = PanelSession(connection)
    session.secrets.add([access.password])
    return session


class SourceApi:
    """Sends the requests of one import.

    Attributes:
        access: Where the panel is, and who asks it.
        location: Host and port, for messages.
    """

    def __init__(self, session: PanelSession, access: Access) -> None:
        """Take the session, and send nothing."""
        self.access = access
        self.location = session.connection.panel
        self._session = session
        self._bytes_left = MOST_BYTES

    def keep_secret(self, text: str) -> None:
        """Show a text in no message from now on."""
        self._session.secrets.add([text])

    def quote(self, message: Any) -> str:
        """Return the panel's own words for a message, without secrets; nothing if there are none."""
        if not isinstance(message, str) or not message.strip():
            return ""
        return f': "{self.clean(message)}"'

    def clean(self, text: str) -> str:
        """Return a text with words of the panel on one line, without secrets."""
        return self._session.secrets.clean_text(text)

    def post(
        self,
        function: str,
        query: str,
        body: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send a request that only reads, and return the decoded body of its answer.

        Args:
            function: What messages call the request.
            query: What follows the path of the API.
            body: What is sent as JSON.
            headers: Of the request.

        Raises:
            RefusedFunction: The panel says no in its own words.
            SourceError: There is no answer, or it is none of an API.
        """
        path = f"{self.access.address.path}{query}"
        rules = CallRules(is_read=True, most_bytes=self._bytes_left, headers=headers or {})
        try:
            answer = self._session.call("POST", path, body=body, rules=rules)
        except Refused as error:
            raise RefusedFunction(self, function, error) from None
        except RequestError as error:
            raise self.make_error(function, self._explain(function, error)) from None

        self._bytes_left -= answer.size
        if answer.as_sent is None:
            raise self.make_error(function, "the panel answered nothing. Its log may say why.")
        return answer.as_sent

    def make_error(self, function: str, reason: str) -> SourceError:
        """Return the error about a function."""
        return SourceError(f"{self.location}: {function}", reason)

    def _explain(self, function: str, error: RequestError) -> str:
        """Return why a request failed, and what to do."""
        cause = as_sentence(error.problem.cause)
        return f"{cause} {self._advise(function, error)}"

    def _advise(self, function: str, error: RequestError) -> str:
        """Return what to do about a request that failed."""
        name_option = self.access.name_option
        address = name_option("source_url")
        if isinstance(error, Denied):
            password = name_option(_PASSWORD)
            username = name_option("source_username")
            return f"Check {username} and {password}, and from where they may call {function}."
        if isinstance(error, Unreachable):
            return f"Check {address}, and that the panel runs."
        if isinstance(error, UnexpectedAnswer):
            return f"Check that {address} is the address of its API, and see its log."
        return f"Try again later, or set {name_option('path')} to a dump of its database."


class RefusedFunction(SourceError):
    """Says that the panel does not answer a function.

    Attributes:
        status: That of its answer; 0 where none is known.
    """

    def __init__(self, api: SourceApi, function: str, error: RequestError) -> None:
        reason = f"{as_sentence(error.problem.cause)} Use an account that may call {function}."
        super().__init__(f"{api.location}: {function}", reason)
        self.status = error.status or 0
