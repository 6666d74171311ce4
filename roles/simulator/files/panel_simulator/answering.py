# SPDX-License-Identifier: GPL-3.0-or-later
"""What a panel answers to a request, over HTTP as in memory.

It has the table of paths, the rules about access, and the forms of answers.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import unquote

from panel_simulator import handlers
from panel_simulator.calls import (
    JSON,
    RENDERERS,
    Answer,
    ApiError,
    Call,
    Spelling,
    choose_type,
    encode_json,
    find_phrase,
)
from panel_simulator.kinds import KINDS
from panel_simulator.panel import Panel
from panel_simulator.store import Kind

Handler = Callable[[Panel, Call], Answer]
# By name, the words that a query parameter may have; empty for any text.
Query = dict[str, tuple[str, ...]]
_SWITCH = ("true", "false")
_NO_SUCH_PATH = "The endpoint does not exist."
_OF_CLIENTS = "Names of the members come from clients of the API."
_INFERRED = "Names of the query parameters are inferred."
_DEFAULT_ZONE = (
    "Which records a default zone has is inferred; a disabled zone shows SOA only (inferred)."
)
_SERVER = "Names of the query parameters and of the last two blocks are inferred."


@dataclass(frozen=True)
class Route:
    """One method of one path.

    ``form`` is "list", "create", "id" or "name" for the paths of a kind.
    """

    method: str
    path: str
    handler: Handler
    note: str = ""
    query: Query = field(default_factory=dict)
    is_documented: bool = True
    kind: Kind | None = None
    form: str = ""


_OF_OBJECTS = {
    "GET": handlers.get_object,
    "PUT": handlers.update_object,
    "DELETE": handlers.delete_object,
}
# The paths of a kind: the end of each, and what its methods do.
_PATHS: dict[str, tuple[str, Mapping[str, Callable[[Kind, Panel, Call], Answer]]]] = {
    "list": ("", {"GET": handlers.list_objects}),
    "create": ("", {"POST": handlers.create_object}),
    "id": ("/{id}", _OF_OBJECTS),
    "name": ("/name/{name}", _OF_OBJECTS),
}


def _list_routes(kind: Kind) -> Iterator[Route]:
    """Yield the routes of a kind: its list, and its objects by id and, if it has one, by name."""
    query: Query = {"sort": kind.sorts, "order": ("asc", "desc")}
    if kind.name == "domains":
        query |= dict.fromkeys(handlers.DOMAIN_FILTERS, _SWITCH)

    for form, (end, methods) in _PATHS.items():
        if form == "name" and not kind.by_name:
            continue
        for method, handler in methods.items():
            is_list = form == "list"
            yield Route(
                method=method,
                path=f"/{kind.path}{end}",
                handler=partial(handler, kind),
                note=kind.notes.get("list" if is_list else method.lower(), ""),
                query=query if is_list else {},
                is_documented=form in kind.documented,
                kind=kind,
                form=form,
            )


def _make_both_routes(
    method: str, pattern: str, handler: Handler, note: str = "", query: Query | None = None
) -> list[Route]:
    """Return two routes: in the place of the star one has an id, the other a name."""
    paths = [pattern.replace("*", key) for key in ("{id}", "name/{name}")]
    return [Route(method, path, handler, note, query or {}) for path in paths]


ROUTES: tuple[Route, ...] = (
    Route("GET", "/server", handlers.get_server, _SERVER, dict.fromkeys(handlers.BLOCKS, _SWITCH)),
    Route(
        "POST", "/server/reboot", handlers.post_reboot, "The empty body of the answer is inferred."
    ),
    Route("GET", "/ping", handlers.get_ping, 'The body is JSON, {"response": "pong"}.'),
    *_make_both_routes(
        "GET",
        "/login/*",
        handlers.get_login,
        "The name of the query parameter is inferred.",
        {"page": ()},
    ),
    *(route for kind in KINDS.values() for route in _list_routes(kind)),
    *_make_both_routes(
        "GET",
        "/clients/*/resources",
        handlers.get_resources,
        _INFERRED,
        dict.fromkeys(handlers.OWNED, _SWITCH),
    ),
    *_make_both_routes("GET", "/clients/*/stats", handlers.get_stats, _OF_CLIENTS),
    *_make_both_routes(
        "GET", "/clients/*/traffic", handlers.get_traffic, _OF_CLIENTS, {"month": ()}
    ),
    *_make_both_routes("GET", "/dns/*", handlers.get_zone, _DEFAULT_ZONE),
    *_make_both_routes(
        "PUT", "/dns/*", handlers.put_zone, "That soa and other are both required is inferred."
    ),
    *_make_both_routes("DELETE", "/dns/*", handlers.delete_zone),
)


# By the first segment of a path: its pattern, and the handlers by method. A name comes before an id
# that is called so.
_TABLE: dict[str, dict[re.Pattern[str], dict[str, Handler]]] = {}
for _route in ROUTES:
    _pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", _route.path))
    _TABLE.setdefault(_route.path.split("/")[1], {}).setdefault(_pattern, {})[_route.method] = (
        _route.handler
    )


def resolve(call: Call, unresolved: Sequence[str] = ()) -> Handler:
    """Return the handler of a call, and fill in the parameters of its path.

    Args:
        call: the request; its path is below the API's base and still percent-encoded.
        unresolved: what of names in the path the web server does not hand over as it is.

    Raises: ApiError 404 or 405.
    """
    path = call.path.rstrip("/")
    first_segment = path[1:].partition("/")[0]

    for pattern, methods in _TABLE.get(first_segment, {}).items():
        match = pattern.fullmatch(path)
        if match is None:
            continue
        for name, segment in match.groupdict().items():
            call.parameters[name] = _hand_over(segment, unresolved)
        if call.method not in methods:
            message = f"The method {call.method} is not allowed for this endpoint."
            raise ApiError(405, message, {"Allow": ", ".join(methods)})

        return methods[call.method]

    raise ApiError(404, _NO_SUCH_PATH)


def _hand_over(segment: str, unresolved: Sequence[str]) -> str:
    """Return a segment of a path, decoded as the web server of this panel hands it over.

    It leaves out what the web server keeps as it is, and has a blank for a plus where that is
    decoded twice.
    """
    for code in unresolved:
        if code == "%2F" and code in segment.upper():
            raise ApiError(404, _NO_SUCH_PATH, is_page=True)
        if code.startswith("%"):
            segment = re.sub(code, code.replace("%", "%25"), segment, flags=re.IGNORECASE)

    name = unquote(segment)
    if "+" in unresolved:
        return name.replace("+", " ")

    return name


WRITES = ("POST", "PUT", "DELETE", "PATCH")


@dataclass(frozen=True)
class Reply:
    """An answer as it is sent.

    ``media_type`` None: the answer does not say which type it has. ``length``: the one that is
    announced, where it is not that of the body. The connection ends behind it: announced by
    ``closes``, silently by ``ends``.
    """

    status: int
    body: bytes = b""
    media_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    closes: bool = False
    ends: bool = False


def answer_call(panel: Panel, call: Call) -> Reply:
    """Carry a request out, and return what the panel answers to it."""
    media_type = JSON
    try:
        _check_access(panel, call)
        _check_path(panel, call)
        handler = resolve(call, panel.settings["unresolved_names"])
        accepted = choose_type(call.accept)
        if accepted is None:
            raise ApiError(406, f"The Accept header must be one of {', '.join(RENDERERS)}.")
        media_type = accepted
        if call.method in WRITES and panel.is_read_only:
            raise ApiError(403, "This key may only read.")
        return encode_answer(panel, handler(panel, call), media_type)
    except ApiError as error:
        return _make_refusal(panel, error, media_type)


def _check_access(panel: Panel, call: Call) -> None:
    """Refuse a request that has no right key or comes from an address that may not ask."""
    if not panel.settings["api_enabled"]:
        raise ApiError(403, "The API is disabled.", open_point="api_disabled")
    if call.key != panel.api_key:
        raise ApiError(401, "API key is missing or invalid.", open_point="wrong_key")

    networks = [
        ipaddress.ip_network(network, strict=False)
        for network in panel.settings["allowed_addresses"]
    ]
    remote = ipaddress.ip_address(call.remote)
    if networks and not any(remote in network for network in networks):
        raise ApiError(403, "The API key must not be used from this address.")


def _check_path(panel: Panel, call: Call) -> None:
    """Refuse a path that this panel does not have."""
    method_and_path = f"{call.method} {call.path.rstrip('/')}"
    for pattern in panel.settings["missing_paths"]:
        if re.fullmatch(pattern, method_and_path):
            raise ApiError(404, _NO_SUCH_PATH)


def _make_refusal(panel: Panel, error: ApiError, media_type: str) -> Reply:
    """Return the answer to a refused request, in the form that the panel's open point has."""
    if error.is_page:
        return make_page(error.status)

    if error.open_point:
        form, _line, status = panel.settings[error.open_point].rpartition("_")
        error.status = int(status)
        if form == "page":
            return make_page(error.status)

    answer = Answer(status=error.status, value=error.body, headers=error.headers)
    return encode_answer(panel, answer, media_type)


def make_page(status: int, message: str = "") -> Reply:
    """Return the HTML page that a web server makes for a status."""
    title = f"{status} {find_phrase(status)}"
    body = f"<head><title>{title}</title></head>\n<body><h1>{title}</h1>{message}</body>"
    return Reply(
        status, f"<!DOCTYPE html>\n<html>{body}</html>\n".encode(), "text/html; charset=utf-8"
    )


def make_json_reply(status: int, value: Any) -> Reply:
    """Return an answer in JSON, whatever the request accepts."""
    return Reply(status, encode_json(value).encode("utf-8", "replace"), f"{JSON}; charset=utf-8")


def encode_answer(panel: Panel, answer: Answer, media_type: str) -> Reply:
    """Return what a handler answered, in the media type asked for and as this panel writes it."""
    if answer.value is None:
        return Reply(answer.status, headers=answer.headers)

    settings = panel.settings
    spelling = Spelling(settings["numbers"], settings["switches"], settings["lists"])
    value = answer.value
    if spelling != Spelling():
        value = spelling.apply(value)

    text = RENDERERS[media_type](value)
    return Reply(answer.status, text.encode("utf-8", "replace"), media_type, answer.headers)
