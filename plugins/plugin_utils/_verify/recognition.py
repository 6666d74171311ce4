# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what answers is such a panel at all. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping

from ...module_utils._endpoints.ping import no_panel
from ...module_utils._http.answers import DENIALS, Exchange, why_denied
from .evidence import Evidence, is_pong, words_of
from .steps import READ_ONLY

_NOTHING = "Nothing was written."


class NotThisPanel(Exception):
    """What answers is something else, or nothing can be tried there; the text is a sentence or two for the operator."""


def check_ping(ping: Exchange) -> None:
    """Raises NotThisPanel unless the first answer is a panel's."""
    if is_pong(ping):
        return
    said = f' The panel says: "{ping.attempt.panel_message}"' if ping.attempt.panel_message else ""
    if ping.status in DENIALS:
        is_told = ping.attempt.code is not None or ping.attempt.panel_message is not None
        who = "The panel" if is_told else "What answers at api_url"
        does = "does not accept the key" if ping.status == 401 else "refuses access"
        why = why_denied(ping.status, is_told)
        raise NotThisPanel(
            f"{who} {does} ({ping.status}).{said} {why} {_NOTHING} Nothing more is sent, because panels ban addresses that fail often."
        )
    if 300 <= ping.status < 400:
        raise NotThisPanel(f"What answers at api_url is not the API: {ping.attempt.problem}. {_NOTHING}")
    answered = "" if ping.status == 200 else f" with {ping.status}"
    raise NotThisPanel(
        f"GET /ping was answered{answered} at api_url by {no_panel(ping.status, _is_page(ping))}.{said} {_NOTHING}"
    )


def _is_page(reply: Exchange) -> bool:
    words = words_of(reply)
    return bool(words) and ("html" in reply.content_type.lower() or words[0] == "<")


def check_access(path: str, reply: Exchange) -> None:
    """Raises NotThisPanel where a key that may ask whether the panel is there may not read."""
    if reply.status == 403:
        raise NotThisPanel(
            f"The key may not read: GET {path} was answered with 403, though GET /ping was not. {_NOTHING}"
        )


def no_access(reply: Exchange, left: str) -> str:
    """What has happened where the key was taken at first. left: as for ``cannot_write``."""
    if reply.status == 401:
        why = "does not accept the key any more (401): it was deleted or changed meanwhile, or the panel bans this address. Look after the key"
    elif reply.status == 403:
        why = (
            "refuses access by now (403): its API was switched off meanwhile (Configuration, API), or the key may not be used from this address any "
            "more. Mend that"
        )
    else:
        why = (
            f"does not answer as one any more ({reply.status}, without a pong to GET /ping): its API was switched off meanwhile, or something else "
            "answers in its place. Mend that"
        )
    return f"The panel {why}. Nothing more was sent. {left or 'Nothing that a verify has made is left there.'}"


def check_reads(seen: Evidence) -> None:
    """Raises NotThisPanel where the first lists are not those of such a panel."""
    _check_server(seen.server)
    for reply, path, member in ((seen.clients, "/clients", "username"), (seen.plans, "/hosting-plans", "name")):
        if reply.fault is not None:
            raise NotThisPanel(
                f"GET {path} was answered with {reply.status}: the panel fails, or is asked too often. {_NOTHING} Try again later."
            )
        if not reply.is_done or not isinstance(reply.data, list) or not all(_has(item, member) for item in reply.data):
            what = (
                f"answered with {reply.status}" if not reply.is_done else "not a list of objects with id and " + member
            )
            raise NotThisPanel(
                f"GET {path} was {what}: this is another product, or an API of another version than the 2.15 that this collection is for. {_NOTHING}"
            )


def _check_server(server: Exchange) -> None:
    """A panel may refuse to tell of its server, or fail to."""
    if 200 <= server.status < 300 and not server.object:
        raise NotThisPanel(
            "GET /server was answered with something else than an object about the server: this is another product, or an API of another version "
            f"than the 2.15 that this collection is for. {_NOTHING}"
        )


def _has(item: object, member: str) -> bool:
    return isinstance(item, Mapping) and "id" in item and member in item


def cannot_write(reply: Exchange, had_written: bool, left: str) -> str:
    """Why the throw-away client could not be made. left: what is left of what was written before, in a sentence; empty where nothing is."""
    if reply.status in READ_ONLY and not had_written:
        return (
            f"The panel answered {reply.status} to the first write, though it answered reads: the key may only read, as it seems. {_NOTHING} "
            "Use a key that may write, or leave out writes."
        )
    said = "refused" if reply.is_refused else "did not say that it made"
    end = left or ("What was written is removed again." if had_written else _NOTHING)
    return (
        f"The panel {said} the throw-away client ({reply.status or 'no answer'}), so that nothing could be tried. {end} Name another one with "
        "client, or look into the panel's log."
    )


def was_removed(kind: str, left: str) -> str:
    """What has happened where somebody took the client or its plan away. left: as for ``cannot_write``."""
    return (
        f"Somebody has removed the throw-away {kind} while it was tried, so that nothing counts that was seen. "
        f"{left or 'The rest is removed, too.'} Run it again when nobody else verifies the panel or cleans it up."
    )
