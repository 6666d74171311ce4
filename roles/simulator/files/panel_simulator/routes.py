"""The one table of paths; it is what requests are matched with, what is documented and what the coverage page is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from panel_simulator import client_reports, dns, resources, server
from panel_simulator.calls import Answer, Call
from panel_simulator.errors import ApiError, NoSuchPath, NotHandedOver
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.kind import Kind
from panel_simulator.panel import Panel

Handler = Callable[[Panel, Call], Answer]


@dataclass(frozen=True)
class Route:
    """One method of one path. ``form`` is "list", "create", "id" or "name" for the paths of a kind."""

    method: str
    path: str
    handler: Handler
    is_documented: bool
    note: str = ""
    kind: Kind | None = None
    form: str = ""
    query: tuple[tuple[str, str], ...] = ()


def _of_kind(kind: Kind) -> list[Route]:
    base = f"/{kind.path}"
    sorting: tuple[tuple[str, str], ...] = (("sort", "|".join(kind.sorts)), ("order", "asc|desc"))
    if kind.name == "domains":
        sorting += tuple((name, "true|false") for name in resources.DOMAIN_FILTERS)

    def route(
        method: str,
        path: str,
        handler: Callable[[Panel, Kind, Call], Answer],
        form: str,
        action: str,
        query: tuple[tuple[str, str], ...] = (),
    ) -> Route:
        return Route(
            method, path, _bound(handler, kind), form in kind.documented, kind.notes.get(action, ""), kind, form, query
        )

    routes = [
        route("GET", base, resources.list_objects, "list", "list", sorting),
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


def _bound(handler: Callable[[Panel, Kind, Call], Answer], kind: Kind) -> Handler:
    def handle(panel: Panel, call: Call) -> Answer:
        return handler(panel, kind, call)

    return handle


def _both_forms(
    method: str, pattern: str, handler: Handler, note: str = "", query: tuple[tuple[str, str], ...] = ()
) -> list[Route]:
    return [
        Route(method, pattern.replace("*", key), handler, True, note, query=query) for key in ("{id}", "name/{name}")
    ]


_BLOCKS = tuple((name, "true|false") for name in server.BLOCKS)
_LISTS = tuple((name, "true|false") for name in client_reports.RESOURCE_LISTS)

ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/server",
        server.get_server,
        True,
        "Names of the query parameters and of the last two blocks are inferred.",
        query=_BLOCKS,
    ),
    Route("POST", "/server/reboot", server.post_reboot, True, "The empty body of the answer is inferred."),
    Route("GET", "/ping", server.get_ping, True, 'The body is JSON, {"response": "pong"}.'),
    *_both_forms(
        "GET", "/login/*", server.get_login, "The name of the query parameter is inferred.", (("page", "text"),)
    ),
    *(route for kind in KINDS.values() for route in _of_kind(kind)),
    *_both_forms(
        "GET",
        "/clients/*/resources",
        client_reports.get_resources,
        "Names of the query parameters are inferred.",
        _LISTS,
    ),
    *_both_forms(
        "GET", "/clients/*/stats", client_reports.get_stats, "Names of the members come from clients of the API."
    ),
    *_both_forms(
        "GET",
        "/clients/*/traffic",
        client_reports.get_traffic,
        "Names of the members come from clients of the API.",
        (("month", "YYYY-MM"),),
    ),
    *_both_forms(
        "GET",
        "/dns/*",
        dns.get_zone,
        "Which records a default zone has is inferred; a disabled zone shows SOA only (inferred).",
    ),
    *_both_forms("PUT", "/dns/*", dns.put_zone, "That soa and other are both required is inferred."),
    *_both_forms("DELETE", "/dns/*", dns.delete_zone),
)


@dataclass
class _Node:
    literals: dict[str, _Node] = field(default_factory=dict)
    parameter: tuple[str, _Node] | None = None
    methods: dict[str, Handler] = field(default_factory=dict)


def _tree() -> _Node:
    root = _Node()
    for route in ROUTES:
        node = root
        for segment in route.path.strip("/").split("/"):
            if segment.startswith("{"):
                node.parameter = node.parameter or (segment.strip("{}"), _Node())
                node = node.parameter[1]
            else:
                node = node.literals.setdefault(segment, _Node())
        node.methods[route.method] = route.handler
    return root


_ROOT = _tree()


def resolve(call: Call, unresolved: Sequence[str] = ()) -> Handler:
    """The handler of a call, whose path is below the API's base and still percent-encoded; raises 404 or 405.

    ``unresolved``: what of names in the path the web server does not hand over as it is.
    """
    node = _ROOT
    for segment in call.path.rstrip("/")[1:].split("/"):
        child = node.literals.get(segment)
        if child is None and node.parameter is not None and segment:
            name, child = node.parameter
            call.parameters[name] = _handed_over(segment, unresolved)
        if child is None:
            raise NoSuchPath
        node = child
    if not node.methods:
        raise NoSuchPath
    handler = node.methods.get(call.method)
    if handler is None:
        words = f"The method {call.method} is not allowed for this endpoint."
        raise ApiError(405, words, {"Allow": ", ".join(node.methods)})
    return handler


def _handed_over(segment: str, unresolved: Sequence[str]) -> str:
    """A segment of a path, decoded: without what the web server keeps as it is, and with a blank for a plus where that is decoded twice."""
    for code in unresolved:
        if code == "%2F" and code in segment.upper():
            raise NotHandedOver
        if code.startswith("%"):
            segment = re.sub(code, code.replace("%", "%25"), segment, flags=re.IGNORECASE)
    name = unquote(segment)
    return name.replace("+", " ") if "+" in unresolved else name
