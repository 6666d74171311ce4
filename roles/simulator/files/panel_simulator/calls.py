"""A request as handlers see it, and an answer as they give it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from panel_simulator.errors import Invalid

_TRUE = ("true", "1")
_FALSE = ("false", "0")


@dataclass
class Call:
    """One request: ``parameters`` from the path, ``query`` with the last value of each name, ``raw`` the body's bytes.

    ``target`` is all of the path with the query, as sent. ``key`` is the API key that the request carries, ``accept`` its header of that
    name, ``remote`` the address it comes from.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""
    parameters: dict[str, str] = field(default_factory=dict)
    base_url: str = ""
    target: str = ""
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
        wanted: set[str] = set()
        unwanted: set[str] = set()
        for name in names:
            value = self.query.get(name, "").lower()
            if value in _TRUE:
                wanted.add(name)
            elif value in _FALSE:
                unwanted.add(name)
            elif name in self.query:
                raise Invalid(f"{name}: must be true or false.")
        return wanted or set(names) - unwanted


@dataclass
class Answer:
    """``value`` is the decoded body, or a function that makes it; ``text`` is the same as JSON text where it is at hand already.

    Neither: an empty body. ``media_type``: of a ``text`` that is no JSON.
    """

    status: int = 200
    value: Any = None
    text: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = ""
