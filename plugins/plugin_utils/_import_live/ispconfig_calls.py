# SPDX-License-Identifier: GPL-3.0-or-later
"""Which functions of ISPConfig's remote API an import calls.

Each function that reads answers all rows of its table if the id is -1. So one is called for each
table, and one for each client, since no function shows the groups of all clients.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._import_source.ispconfig.tables import (
    FORM_BY_TABLE,
    FUNCTIONS_BY_TABLE,
    GROUP_OF_CLIENT,
    RECORD_FUNCTIONS,
)
from .._import_source.source_tables import format_value
from .asked_answers import AskedAnswers
from .ispconfig_session import IspconfigSession, is_refused, is_unknown

_ALL: Mapping[str, Any] = {"primary_id": -1}
# Functions whose argument has another name, or none.
_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "client_get": {"client_id": -1},
    "client_templates_get_all": {},
    "sites_cron_get": {"cron_id": -1},
}
_PHP = "server_php"
_PHP_MODES = ("php-fpm", "fast-cgi")
# Settings of a whole server, which belong to no customer; many remote users may not read them.
_NOT_ASKED = frozenset({"mail_relay_recipient"})
_ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
_NO_GROUP = 0
_FIRST_CLIENTS = 5


def ask_ispconfig(session: IspconfigSession) -> AskedAnswers:
    """Return the answers that a reader of ISPConfig needs.

    Raises:
        SourceError: A function is refused, or has no answer.
    """
    bodies: dict[str, Any] = {}
    unknown = []
    for table, functions in FUNCTIONS_BY_TABLE.items():
        function = functions[0]
        if table in _NOT_ASKED or table == _PHP:
            continue
        body = session.ask(function, _ARGUMENTS.get(function, _ALL))
        if is_unknown(body) and FORM_BY_TABLE[table].may_lack:
            unknown.append(function)
            continue
        session.check(function, body)
        bodies[function] = body

    records = RECORD_FUNCTIONS[0]
    bodies[records] = _ask_checked(session, records, _ALL)
    sites = _list_rows(bodies[FUNCTIONS_BY_TABLE["web_domain"][0]])
    bodies[FUNCTIONS_BY_TABLE[_PHP][0]] = _ask_php_versions(session, sites)
    clients = _list_rows(bodies[FUNCTIONS_BY_TABLE["client"][0]])
    bodies.update(_ask_groups(session, clients))
    return AskedAnswers(session.location, bodies, tuple(unknown))


def _ask_checked(session: IspconfigSession, function: str, arguments: Mapping[str, Any]) -> Any:
    """Return the answer of a function; raise SourceError if it is a refusal."""
    body = session.ask(function, arguments)
    session.check(function, body)
    return body


def _ask_php_versions(session: IspconfigSession, sites: Iterator[Mapping[str, Any]]) -> list[Any]:
    """Return the PHP versions of all servers that have sites, which a function tells for one."""
    function = FUNCTIONS_BY_TABLE[_PHP][0]
    servers = {str(site.get("server_id")) for site in sites}
    versions: list[Any] = []
    for server in sorted(filter(_ID.fullmatch, servers)):
        for mode in _PHP_MODES:
            arguments = {"server_id": int(server), "php": mode, "get_full_data": True}
            body = _ask_checked(session, function, arguments)
            versions += _list_rows(body)
    return versions


def _ask_groups(session: IspconfigSession, clients: Iterator[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the answers about the group of each client.

    The panel refuses a client without a group like a user who may not call the function. So it is
    the client's fault if the function answers for another one, and the user's if it does so for
    none of the first clients.
    """
    bodies: dict[str, Any] = {}
    refused: dict[str, Any] = {}
    for client in clients:
        # As the reader reads it.
        number = format_value(client.get("client_id")) or ""
        if not _ID.fullmatch(number):
            continue
        name = f"{GROUP_OF_CLIENT}.{number}"
        body = session.ask(GROUP_OF_CLIENT, {"client_id": number})
        if is_refused(body):
            refused[name] = body
            if not bodies and len(refused) == _FIRST_CLIENTS:
                break
            continue
        session.check(GROUP_OF_CLIENT, body)
        bodies[name] = body

    if not bodies:
        for body in refused.values():
            session.check(GROUP_OF_CLIENT, body)
    bodies.update(dict.fromkeys(refused, _NO_GROUP))
    return bodies


def _list_rows(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of an answer; the reader says what is wrong with any other one."""
    rows = body.get("response") if isinstance(body, Mapping) else None
    if isinstance(rows, list):
        yield from (row for row in rows if isinstance(row, Mapping))
