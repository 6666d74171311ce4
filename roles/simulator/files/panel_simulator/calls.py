"""A request as handlers see it, an answer as they give it, and the refusals that become error answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


def phrase_of(status: int) -> str:
    """The reason phrase of a status."""
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"


class ApiError(Exception):
    """An answer with an error status and ``{"code": "<status> <reason>", "message": "..."}`` (facts.md section 1.1).

    ``point``: the open point that says whether it is that, a page, or something with another status.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None, point: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.headers, self.point = status, message, dict(headers or {}), point

    @property
    def body(self) -> dict[str, str]:
        """The error body."""
        return {"code": f"{self.status} {phrase_of(self.status)}", "message": self.message}


class Invalid(ApiError):
    """A 400: something in the request is wrong; the message names the field."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


class NotFound(ApiError):
    """A 404: the path is there, the object is not."""

    def __init__(self, message: str) -> None:
        super().__init__(404, message, point="unknown_id")


class NoSuchPath(ApiError):
    """A 404: there is no such path."""

    def __init__(self) -> None:
        super().__init__(404, "The endpoint does not exist.")


class NotHandedOver(Exception):
    """The web server does not let a path through to the panel, and answers with its own page."""


@dataclass
class Call:
    """One request: ``parameters`` from the path, ``query`` with the last value of each name, ``raw`` the body's bytes.

    ``key`` is the API key that the request carries, ``accept`` its header of that name, ``remote`` the address it comes from.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""
    parameters: dict[str, str] = field(default_factory=dict)
    base_url: str = ""
    key: str | None = None
    accept: str = ""
    remote: str | None = None

    def decoded_body(self) -> Any:
        """The body as JSON, whatever the content type says (facts.md section 1); raises Invalid."""
        try:
            return json.loads(self.raw)
        except (ValueError, RecursionError) as error:
            raise Invalid(f"The request body is not valid JSON: {error}.") from error

    def selection(self, names: Sequence[str]) -> set[str]:
        """The names that boolean query parameters select: those said to be true if there are any, else all but those said to be false."""
        given = {name: _SWITCHES.get(self.query[name].lower()) for name in names if name in self.query}
        for name, value in given.items():
            if value is None:
                raise Invalid(f"{name}: must be true or false.")
        return {name for name in given if given[name]} or set(names) - given.keys()


@dataclass
class Answer:
    """``value`` is the decoded body, or a function that makes it; ``text`` is the same as JSON text if it is at hand already.

    Neither: an empty body.
    """

    status: int = 200
    value: Any = None
    text: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
