# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests as handlers see them, answers as they give them, and refusals that become error answers.

Bodies are written as JSON, XML and YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from xml.etree import ElementTree

import yaml

_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


def find_phrase(status: int) -> str:
    """Return the phrase of HTTP for a status, such as "Not Found"."""
    if status not in HTTPStatus._value2member_map_:
        return "Unknown"
    return HTTPStatus(status).phrase


class ApiError(Exception):
    """An answer with an error status and the body of docs/panel_api.md#error-body.

    ``open_point``: the open point that says in which form and with which status a panel answers so.
    ``is_page``: whether the web server answers itself, on every panel, with a page.
    """

    def __init__(
        self,
        status: int,
        message: str,
        headers: Mapping[str, str] | None = None,
        open_point: str = "",
        is_page: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})
        self.open_point = open_point
        self.is_page = is_page

    @property
    def body(self) -> dict[str, str]:
        """The fields of the answer."""
        return {"code": f"{self.status} {find_phrase(self.status)}", "message": self.message}


class Invalid(ApiError):
    """A 400: something in the request is wrong; the message names the field."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


class NotFound(ApiError):
    """A 404: the path is there, the object is not."""

    def __init__(self, message: str) -> None:
        super().__init__(404, message, open_point="unknown_id")


@dataclass
class Call:
    """One request.

    ``parameters`` are from the path, ``query`` has the last value of each name, ``raw`` the body's
    bytes. ``target`` is path and query as they were sent, ``host`` and ``accept`` are headers,
    ``key`` is the API key, ``remote`` the address that the request comes from.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""
    parameters: dict[str, str] = field(default_factory=dict)
    base_url: str = ""
    key: str | None = None
    target: str = ""
    host: str = ""
    accept: str = ""
    remote: str = "127.0.0.1"

    def decode_body(self) -> Any:
        """The body as JSON, whatever the content type says (docs/panel_api.md#json-bodies); raises
        Invalid."""
        try:
            return json.loads(self.raw)
        except (ValueError, RecursionError) as error:
            raise Invalid(f"The request body is not valid JSON: {error}.") from error

    def read_selection(self, names: Sequence[str]) -> set[str]:
        """Return the names that boolean query parameters select.

        These are the ones that are true if there are any, else all but those that are false.
        """
        named = [name for name in names if name in self.query]
        switches = {name: _SWITCHES.get(self.query[name].lower()) for name in named}

        for name, is_on in switches.items():
            if is_on is None:
                raise Invalid(f"{name}: must be true or false.")

        selected = {name for name in named if switches[name]}
        return selected or set(names) - set(named)


@dataclass
class Answer:
    """``value`` is the decoded body; None: an empty one."""

    status: int = 200
    value: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


JSON = "application/json"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
# What XML 1.0 cannot carry.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def encode_json(value: Any) -> str:
    """Write JSON with one field in each line, as panels do (docs/panel_api.md#layout-of-json)."""
    return json.dumps(value, indent=4, ensure_ascii=False)


@dataclass(frozen=True)
class Spelling:
    """How a panel writes the values of its answers, by the settings of the same names."""

    numbers: str = "numbers"
    switches: str = "booleans"
    lists: str = "arrays"

    def apply(self, body: Any) -> Any:
        """Return a body as such a panel writes it; a body that is a list stays one."""
        if isinstance(body, list):
            return [self._spell(item) for item in body]
        return self._spell(body)

    def _spell(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._spell(item) for name, item in value.items()}
        if isinstance(value, list):
            return self._spell_list(value)
        if isinstance(value, bool):
            return self._spell_switch(value)
        if isinstance(value, (int, float)) and self.numbers == "texts":
            return str(value)

        return value

    def _spell_list(self, values: list[Any]) -> Any:
        items = [self._spell(item) for item in values]
        if items and self.lists == "objects":
            return {str(number): item for number, item in enumerate(items)}
        return items

    def _spell_switch(self, is_on: bool) -> Any:
        if self.switches == "booleans":
            return is_on
        if self.switches == "numbers":
            return int(is_on)
        return str(int(is_on))


def encode_xml(value: Any) -> str:
    """Write XML, whose names of elements are assumed (docs/panel_api.md#xml-answers)."""
    root = _make_element("response", value)
    ElementTree.indent(root, "    ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _make_element(name: str, value: Any) -> ElementTree.Element:
    """Return the element of a value; a name that XML does not allow becomes an attribute."""
    if _NAME.fullmatch(name):
        element = ElementTree.Element(name)
    else:
        element = ElementTree.Element("item", {"name": name})

    match value:
        case dict():
            element.extend(_make_element(key, item) for key, item in value.items())
        case list():
            element.extend(_make_element("item", item) for item in value)
        case bool():
            element.text = json.dumps(value)
        case None:
            pass
        case _:
            element.text = _CONTROL.sub("", str(value))
    return element


def encode_yaml(value: Any) -> str:
    """Write YAML, in the order of the fields."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    # Through JSON, because objects that occur twice would become anchors and aliases.
    plain = json.loads(json.dumps(value))
    return str(yaml.dump(plain, Dumper=dumper, sort_keys=False, allow_unicode=True, width=4096))


RENDERERS: dict[str, Callable[[Any], str]] = {
    JSON: encode_json,
    "application/xml": encode_xml,
    "text/yaml": encode_yaml,
}
_WEIGHT = re.compile(r";\s*q=(\d(\.\d*)?)")
_MEANT = {"*/*": JSON, "application/*": JSON, "text/*": "text/yaml"}


def choose_type(accept: str) -> str | None:
    """Return the media type that an Accept header asks for, None if it is none of the three.

    ``*/*`` and an empty header mean JSON.
    """
    weights: dict[str, float] = {}
    for clause in (accept or "*/*").lower().split(","):
        name = clause.partition(";")[0].strip()
        weights[_MEANT.get(name, name)] = _read_weight(clause)

    acceptable = [name for name in weights if name in RENDERERS and weights[name]]
    return max(acceptable, key=weights.__getitem__, default=None)


def _read_weight(clause: str) -> float:
    """Return the q of a media type in an Accept header; 1 if it has none."""
    weight = _WEIGHT.search(clause)
    if weight is None:
        return 1.0
    return float(weight[1])
