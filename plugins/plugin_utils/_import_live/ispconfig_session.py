# SPDX-License-Identifier: GPL-3.0-or-later
"""A session of ISPConfig's remote API.

Each function is a POST to `remote/json.php?FUNCTION`, and the body has its arguments by name. The
answer is `{code, message, response}`, with the status 200 also where the panel refuses: the code
is `remote_fault` then, or `invalid_method` for a function that this version does not have.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ...module_utils._errors import OptionError
from ...module_utils._problems import Written, as_sentence
from .._import_source.source_tables import SourceError
from .source_api import SourceApi

PATH = "/remote/json.php"
_OK = "ok"
_REFUSED = "remote_fault"
_UNKNOWN = "invalid_method"
_NO_ANSWER = "this is no answer of the remote API. The log of the panel may say why."
_NO_FUNCTION = "the panel has no such function. Update it, or set {} to a dump of its database."
_NO_RIGHT = "Give the remote user the group of functions that has this one."
_NO_SESSION = "the panel answered no session. Check that {} is the address of its remote API."


class IspconfigSession:
    """Calls functions between a login and a logout, which is sent whatever happened in between."""

    def __init__(self, api: SourceApi) -> None:
        """Take the API, and send nothing."""
        self._api = api
        self._session = ""

    @property
    def location(self) -> str:
        """Return host and port, for messages."""
        return self._api.location

    def __enter__(self) -> IspconfigSession:
        self._log_in()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._log_out()

    def ask(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer of a function, which may be a refusal.

        The panel answers a session that has ended like a function that the user may not call. So
        a refused function is called again in a new session.

        Raises:
            SourceError: There is no answer.
        """
        body = self._call(function, arguments)
        if is_refused(body):
            self._log_out()
            self._log_in()
            body = self._call(function, arguments)
        return body

    def check(self, function: str, body: Any) -> None:
        """Raise SourceError if an answer is no success."""
        if not isinstance(body, Mapping) or "code" not in body:
            raise self._api.make_error(function, _NO_ANSWER)
        if is_unknown(body):
            path = self._api.access.name_option("path")
            raise self._api.make_error(function, _NO_FUNCTION.format(path))
        if body["code"] != _OK:
            reason = f"the panel refused this function{self._api.quote(body.get('message'))}"
            raise self._api.make_error(function, f"{as_sentence(reason)} {_NO_RIGHT}")

    def _call(self, function: str, arguments: Mapping[str, Any]) -> Any:
        return self._api.post(function, f"?{function}", {"session_id": self._session, **arguments})

    def _log_in(self) -> None:
        access = self._api.access
        credentials = {
            "username": access.username,
            "password": access.password,
            "client_login": False,
        }
        body = self._api.post("login", "?login", credentials)
        if is_refused(body):
            reason = f"{self.location} refused the login{self._api.quote(body.get('message'))}"
            username = access.name_option("source_username")
            advice = f"Check it, {username}, and from where the remote user may log in."
            raise OptionError(
                reason, option="source_password", written=Written.NOTHING, advice=advice
            )
        self.check("login", body)
        session = body.get("response")
        if not isinstance(session, str) or not session:
            raise self._api.make_error(
                "login", _NO_SESSION.format(access.name_option("source_url"))
            )
        self._session = session
        self._api.keep_secret(session)

    def _log_out(self) -> None:
        """Close the session; one that cannot be closed ends by itself."""
        session = self._session
        self._session = ""
        if session:
            with contextlib.suppress(SourceError):
                self._api.post("logout", "?logout", {"session_id": session})


def is_refused(body: Any) -> bool:
    """Tell whether an answer says that the user may not call a function, or that it failed."""
    return isinstance(body, Mapping) and body.get("code") == _REFUSED


def is_unknown(body: Any) -> bool:
    """Tell whether an answer says that the panel has no such function."""
    return isinstance(body, Mapping) and body.get("code") == _UNKNOWN
