"""The one table of paths; requests are matched with it, and the OpenAPI document and the page of what is covered are made of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from panel_simulator import handlers, resources
from panel_simulator.calls import Answer, ApiError, Call, NoSuchPath, NotHandedOver
from panel_simulator.kinds import KINDS
from panel_simulator.panel import Kind, Panel

Handler = Callable[[Panel, Call], Answer]
HandlerOfKind = Callable[[Panel, Kind, Call], Answer]
# By name, the words that a query parameter may have; empty for any text.
Query = dict[str, tuple[str, ...]]
_SWITCH = ("true", "false")
_OF_CLIENTS = "Names of the members come from clients of the API."
_INFERRED_PARAMETERS = "Names of the query parameters are inferred."


@dataclass(frozen=True)
class Route:
    """One method of one path. ``form`` is "list", "create", "id" or "name" for the paths of a kind."""

    method: str
    path: str
    handler: Handler
    note: str = ""
    query: Query = field(default_factory=dict)
    is_documented: bool = True
    kind: Kind | None = None
    form: str = ""


def _of_kind(kind: Kind) -> list[Route]:
    base = f"/{kind.path}"
    query: Query = {"sort": kind.sorts, "order": ("asc", "desc")}
    if kind.name == "domains":
        query |= dict.fromkeys(resources.DOMAIN_FILTERS, _SWITCH)

    def route(
        method: str, path: str, handler: HandlerOfKind, form: str, action: str, query: Query | None = None
    ) -> Route:
        def handle(panel: Panel, call: Call) -> Answer:
            return handler(panel, kind, call)

        note = kind.notes.get(action, "")
        return Route(method, path, handle, note, query or {}, form in kind.documented, kind, form)

    routes = [
        route("GET", base, resources.list_objects, "list", "list", query),
        route("POST", base, resources.create_object, "create", "create"),
    ]
    for form, path in (("id", f"{base}/{{id}}"), ("name", f"{base}/name/{{name}}")):
        if form == "id" or kind.by_name:
            routes += [
                route("GET", path, resources.get_object, form, "get"),
                route("PUT", path, resources.update_object, form, "update"),
                route("DELETE", path, resources.delete_object, form, "delete"),
            ]
    return routes


def _both_forms(method: str, pattern: str, handler: Handler, note: str = "", query: Query | None = None) -> list[Route]:
    return [Route(method, pattern.replace("*", key), handler, note, query or {}) for key in ("{id}", "name/{name}")]


ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/server",
        handlers.get_server,
        "Names of the query parameters and of the last two blocks are inferred.",
        dict.fromkeys(handlers.BLOCKS, _SWITCH),
    ),
    Route("POST", "/server/reboot", handlers.post_reboot, "The empty body of the answer is inferred."),
    Route("GET", "/ping", handlers.get_ping, 'The body is JSON, {"response": "pong"}.'),
    *_both_forms("GET", "/login/*", handlers.get_login, "The name of the query parameter is inferred.", {"page": ()}),
    *(route for kind in KINDS.values() for route in _of_kind(kind)),
    *_both_forms(
        "GET",
        "/clients/*/resources",
        handlers.get_resources,
        _INFERRED_PARAMETERS,
        dict.fromkeys(handlers.RESOURCE_LISTS, _SWITCH),
    ),
    *_both_forms("GET", "/clients/*/stats", handlers.get_stats, _OF_CLIENTS),
    *_both_forms("GET", "/clients/*/traffic", handlers.get_traffic, _OF_CLIENTS, {"month": ()}),
    *_both_forms(
        "GET",
        "/dns/*",
        handlers.get_zone,
        "Which records a default zone has is inferred; a disabled zone shows SOA only (inferred).",
    ),
    *_both_forms("PUT", "/dns/*", handlers.put_zone, "That soa and other are both required is inferred."),
    *_both_forms("DELETE", "/dns/*", handlers.delete_zone),
)


def _table() -> dict[str, dict[re.Pattern[str], dict[str, Handler]]]:
    """By the first segment of a path: what it looks like, and the handlers by method. A name comes before an id that is called so."""
    found: dict[str, dict[re.Pattern[str], dict[str, Handler]]] = {}
    for route in ROUTES:
        pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", route.path))
        found.setdefault(route.path.split("/")[1], {}).setdefault(pattern, {})[route.method] = route.handler
    return found


_TABLE = _table()


def resolve(call: Call, unresolved: Sequence[str] = ()) -> Handler:
    """The handler of a call, whose path is below the API's base and still percent-encoded; raises 404 or 405.

    ``unresolved``: what of names in the path the web server does not hand over as it is.
    """
    path = call.path.rstrip("/")
    for pattern, methods in _TABLE.get(path[1:].partition("/")[0], {}).items():
        if found := pattern.fullmatch(path):
            call.parameters.update({name: _handed_over(text, unresolved) for name, text in found.groupdict().items()})
            if call.method not in methods:
                words = f"The method {call.method} is not allowed for this endpoint."
                raise ApiError(405, words, {"Allow": ", ".join(methods)})
            return methods[call.method]
    raise NoSuchPath


def _handed_over(segment: str, unresolved: Sequence[str]) -> str:
    """A segment of a path, decoded: without what the web server keeps as it is, and with a blank for a plus where that is decoded twice."""
    for code in unresolved:
        if code == "%2F" and code in segment.upper():
            raise NotHandedOver
        if code.startswith("%"):
            segment = re.sub(code, code.replace("%", "%25"), segment, flags=re.IGNORECASE)
    name = unquote(segment)
    return name.replace("+", " ") if "+" in unresolved else name
