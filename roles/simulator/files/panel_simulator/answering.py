"""What a panel answers to a request, over HTTP as in memory: who may ask, which paths there are, and the forms of answers."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from panel_simulator.calls import Answer, ApiError, Call, NoSuchPath, NotHandedOver, phrase_of
from panel_simulator.panel import Panel
from panel_simulator.representation import JSON, RENDERERS, chosen_type, spelled_value, to_json
from panel_simulator.routes import resolve

WRITES = ("POST", "PUT", "DELETE", "PATCH")


@dataclass(frozen=True)
class Reply:
    """An answer as it is sent. ``media_type`` None: the answer does not say which type it has.

    length: the one that is announced, where it is not that of the body. The connection ends behind it: announced by ``closes``, silently by
    ``ends``.
    """

    status: int
    body: bytes = b""
    media_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    closes: bool = False
    ends: bool = False


def answered(panel: Panel, call: Call) -> Reply:
    """What a panel without faults does with a request."""
    media_type = JSON
    try:
        _check_access(panel, call)
        if not panel.has_path(call.method, call.path):
            raise NoSuchPath
        handler = resolve(call, panel.settings.unresolved_names)
        chosen = chosen_type(call.accept)
        if chosen is None:
            raise ApiError(406, f"The Accept header must be one of {', '.join(RENDERERS)}.")
        media_type = chosen
        if call.method in WRITES and panel.is_read_only:
            raise ApiError(403, "This key may only read.")
        return in_form(panel, handler(panel, call), media_type)
    except NotHandedOver:
        return page(404)
    except ApiError as error:
        return _refusal(panel, error, media_type)


def _check_access(panel: Panel, call: Call) -> None:
    settings = panel.settings
    if not settings.api_enabled:
        raise ApiError(403, "The API is disabled.", point="api_disabled")
    if call.key != panel.api_key:
        raise ApiError(401, "API key is missing or invalid.", point="wrong_key")
    if settings.allowed_addresses and not is_in(call.remote, settings.allowed_addresses):
        raise ApiError(403, "The API key must not be used from this address.")


def _refusal(panel: Panel, error: ApiError, media_type: str) -> Reply:
    form, _line, status = panel.settings.values.get(error.point, "").rpartition("_")
    if form == "page":
        return page(int(status))
    if form:
        error.status = int(status)
    return in_form(panel, Answer(status=error.status, value=error.body, headers=error.headers), media_type)


def page(status: int) -> Reply:
    """The HTML page that a web server makes for a status."""
    title = f"{status} {phrase_of(status)}"
    return html_reply(
        status,
        f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body><h1>{title}</h1></body></html>\n",
    )


def html_reply(status: int, html: str) -> Reply:
    """A page."""
    return Reply(status, html.encode(), "text/html; charset=utf-8")


def json_reply(status: int, value: Any) -> Reply:
    """JSON, pretty-printed."""
    return Reply(status, to_json(value).encode("utf-8", "replace"), f"{JSON}; charset=utf-8")


def in_form(panel: Panel, answer: Answer, media_type: str) -> Reply:
    """What a handler answered, in the representation that was asked for and as this panel writes it."""
    if answer.value is None and answer.text is None:
        return Reply(answer.status, headers=answer.headers)
    settings = panel.settings
    forms = (settings.numbers, settings.switches, settings.lists)
    is_plain = forms == ("numbers", "booleans", "arrays")
    if media_type == JSON and answer.text is not None and is_plain:
        text = answer.text
    else:
        value = answer.value() if callable(answer.value) else answer.value
        text = RENDERERS[media_type](value if is_plain else spelled_value(value, *forms))
    return Reply(answer.status, text.encode("utf-8", "replace"), media_type, answer.headers)


def is_in(remote: str | None, networks: list[str] | tuple[str, ...]) -> bool:
    """Whether an address lies in one of the networks."""
    try:
        address = ipaddress.ip_address(remote or "")
        return any(address in ipaddress.ip_network(network, strict=False) for network in networks)
    except ValueError:
        return False
