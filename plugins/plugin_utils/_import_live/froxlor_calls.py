# SPDX-License-Identifier: GPL-3.0-or-later
"""Which commands of froxlor's API an import calls.

Each is a POST to `api.php` with command and parameters in the body, and key and secret as the user
name and password of the request. Without a limit a listing answers everything. Only listings are
called: DomainZones.get would raise the serial of the zone.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from .._import_source.froxlor.tables import (
    FROXLOR_LISTINGS,
    SENDER_LISTING,
    ZONE_LISTING,
    list_mailboxes,
    list_zones,
    unwrap_listing,
)
from .._import_source.source_answers import KeptAnswers
from .._import_source.source_tables import SourceError
from .asked_answers import AskedAnswers
from .source_api import RefusedFunction, SourceApi

PATH = "/api.php"
# Commands of newer versions, whose refusal is none of the key.
_SSH_KEYS = "SshKeys.listing"
_NO_SUCH_COMMAND = frozenset({400, 404})
# What the panel answers where a setting has switched a command off.
_SWITCHED_OFF = 405
_NOTHING: Mapping[str, Any] = {"data": {"count": 0, "list": []}}


def ask_froxlor(api: SourceApi) -> AskedAnswers:
    """Return the answers that a reader of froxlor needs.

    Raises:
        SourceError: A command is refused, or has no answer.
    """
    caller = _Caller(api)
    bodies: dict[str, Any] = {}
    for command in FROXLOR_LISTINGS:
        bodies[command] = caller.list(command)

    answers = KeptAnswers(api.location, bodies)
    records = caller.list_for_each(ZONE_LISTING, list_zones(answers))
    bodies[ZONE_LISTING] = _join(records.values(), api.location)
    senders = caller.list_for_each(SENDER_LISTING, list_mailboxes(answers))
    bodies[SENDER_LISTING] = {number: {"sender": body} for number, body in senders.items()}
    return AskedAnswers(api.location, bodies, tuple(caller.unknown))


class _Caller:
    """Calls listings, and notes which the panel does not have.

    Attributes:
        unknown: Commands that this version does not have, or a setting has switched off.
    """

    def __init__(self, api: SourceApi) -> None:
        self.unknown: list[str] = []
        self._api = api
        credentials = f"{api.access.username}:{api.access.password}".encode()
        encoded = base64.b64encode(credentials).decode()
        for secret in (encoded, api.access.username):
            api.keep_secret(secret)
        self._headers = {"Authorization": f"Basic {encoded}"}

    def list(self, command: str, **parameters: Any) -> Any:
        """Return the answer of a listing; an empty one where the panel does not have it.

        Raises:
            SourceError: The panel refuses it, or it is no whole listing.
        """
        if command in self.unknown:
            return _NOTHING
        request = {"command": command, "params": parameters}
        try:
            body = self._api.post(command, "", request, self._headers)
        except RefusedFunction as refusal:
            if not _may_be_missing(command, refusal.status):
                raise
            self.unknown.append(command)
            return _NOTHING
        self._check(command, body)
        return body

    def list_for_each(self, command: str, numbers: Iterable[str]) -> dict[str, Any]:
        """Return the answers of a listing for each id, by the id."""
        return {number: self.list(command, id=int(number)) for number in numbers}

    def _check(self, command: str, body: Any) -> None:
        """Raise SourceError if an answer is no listing, or not all of it."""
        try:
            entries = unwrap_listing(body, self._api.location)
        except SourceError as error:
            # It has the panel's own words, which may repeat secrets.
            raise self._api.make_error(command, self._api.clean(error.reason)) from None
        content = body.get("data", body) if isinstance(body, Mapping) else {}
        count = content.get("count") if isinstance(content, Mapping) else None
        if count is not None and str(count) != str(len(entries)):
            reason = f"the panel lists {len(entries)} of {count} entries. Run again."
            raise self._api.make_error(command, reason)


def _may_be_missing(command: str, status: int) -> bool:
    """Tell whether a refused command is one that this panel does not have, or has switched off."""
    if status == _SWITCHED_OFF:
        return command in {ZONE_LISTING, SENDER_LISTING}
    return status in _NO_SUCH_COMMAND and command in {_SSH_KEYS, SENDER_LISTING}


def _join(listings: Iterable[Any], location: str) -> Mapping[str, Any]:
    """Return the entries of several listings as one."""
    entries = []
    for listing in listings:
        entries += unwrap_listing(listing, f"{location}: {ZONE_LISTING}")
    return {"data": {"count": len(entries), "list": entries}}
