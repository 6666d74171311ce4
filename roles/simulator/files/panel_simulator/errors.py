"""The one exception that becomes an error answer of the API."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus


def reason_of(status: int) -> str:
    """The status number with its reason phrase, as the member ``code`` of an error body has it (facts.md section 1.1)."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} Unknown"


class ApiError(Exception):
    """An answer with an error status and ``{"code": "<status> <reason>", "message": "..."}``.

    ``point``: the open point that says whether it is that, a page, or something with another status.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None, point: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})
        self.point = point

    @property
    def body(self) -> dict[str, str]:
        """The error body."""
        return {"code": reason_of(self.status), "message": self.message}


class Invalid(ApiError):
    """A 400: something in the request is wrong; the message names the member."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


class NotFound(ApiError):
    """A 404: the path is there, the object is not."""

    def __init__(self, message: str) -> None:
        super().__init__(404, message, point="unknown_id")


class NotHandedOver(Exception):
    """The web server does not let a path through to the panel, and answers with a page of its own."""


class NoSuchPath(ApiError):
    """A 404: there is no such path."""

    def __init__(self) -> None:
        super().__init__(404, "The endpoint does not exist.")
