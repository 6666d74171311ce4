"""A request as handlers see it, an answer as they give it, refusals that become error answers, and bodies as JSON, XML and YAML."""

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


def phrase_of(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"


class ApiError(Exception):
    """An answer with an error status and the body of docs/panel_api.md#error-body.

    ``point``: the open point that says whether it is that, a page, or something with another status, or its value itself.
    """

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, point: str = ""
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.headers, self.point = (
            status,
            message,
            dict(headers or {}),
            point,
        )

    @property
    def body(self) -> dict[str, str]:
        return {"code": f"{self.status} {phrase_of(self.status)}", "message": self.message}


class Invalid(ApiError):
    """A 400: something in the request is wrong; the message names the field."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


class NotFound(ApiError):
    """A 404: the path is there, the object is not."""

    def __init__(self, message: str) -> None:
        super().__init__(404, message, point="unknown_id")


@dataclass
class Call:
    """One request: ``parameters`` from the path, ``query`` with the last value of each name, ``raw`` the body's bytes.

    ``target`` is path and query as they were sent, ``host`` and ``accept`` are headers, ``key`` is the API key, ``remote`` where it comes from.
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

    def decoded_body(self) -> Any:
        """The body as JSON, whatever the content type says (docs/panel_api.md#json-bodies); raises
        Invalid."""
        try:
            return json.loads(self.raw)
        except (ValueError, RecursionError) as error:
            raise Invalid(f"The request body is not valid JSON: {error}.") from error

    def selection(self, names: Sequence[str]) -> set[str]:
        """The names that boolean query parameters select: those said to be true if there are any, else all but those said to be false."""
        given = {
            name: _SWITCHES.get(self.query[name].lower()) for name in names if name in self.query
        }
        for name, value in given.items():
            if value is None:
                raise Invalid(f"{name}: must be true or false.")
        return {name for name in given if given[name]} or set(names) - given.keys()


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


def to_json(value: Any) -> str:
    """JSON with one field in each line, as panels write it (docs/panel_api.md#layout-of-json)."""
    return json.dumps(value, indent=4, ensure_ascii=False)


def spelled_value(
    value: Any, numbers: str, switches: str, lists: str, is_whole: bool = True
) -> Any:
    """A body with numbers, lists in objects, and what is on or off, as the settings of these names have it."""
    if isinstance(value, dict):
        return {
            name: spelled_value(member, numbers, switches, lists, False)
            for name, member in value.items()
        }
    if isinstance(value, list):
        items = [spelled_value(member, numbers, switches, lists, False) for member in value]
        is_object = items and lists == "objects" and not is_whole
        return {str(number): item for number, item in enumerate(items)} if is_object else items
    if isinstance(value, bool):
        return {"booleans": value, "numbers": int(value), "texts": str(int(value))}[switches]
    return str(value) if isinstance(value, (int, float)) and numbers == "texts" else value


def to_xml(value: Any) -> str:
    """XML, whose names of elements are assumed (docs/panel_api.md#xml-answers)."""
    root = _element("response", value)
    ElementTree.indent(root, "    ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _element(name: str, value: Any) -> ElementTree.Element:
    is_name = _NAME.fullmatch(name) is not None
    element = ElementTree.Element(name if is_name else "item", {} if is_name else {"name": name})
    if isinstance(value, dict):
        element.extend(_element(*member) for member in value.items())
    elif isinstance(value, list):
        element.extend(_element("item", member) for member in value)
    elif value is not None:
        element.text = _CONTROL.sub(
            "", json.dumps(value) if isinstance(value, bool) else str(value)
        )
    return element


def to_yaml(value: Any) -> str:
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    # Through JSON, because objects that occur twice would become anchors and aliases.
    return str(
        yaml.dump(
            json.loads(json.dumps(value)),
            Dumper=dumper,
            sort_keys=False,
            allow_unicode=True,
            width=4096,
        )
    )


RENDERERS: dict[str, Callable[[Any], str]] = {
    JSON: to_json,
    "application/xml": to_xml,
    "text/yaml": to_yaml,
}
_MEANT = {"*/*": JSON, "application/*": JSON, "text/*": "text/yaml"}


def chosen_type(accept: str) -> str | None:
    """The one of the three media types that an Accept header asks for, None if it is none; ``*/*`` and nothing mean JSON."""
    found: dict[str, float] = {}
    for part in (accept or "*/*").lower().split(","):
        name, weight = part.partition(";")[0].strip(), re.search(r";\s*q=(\d(\.\d*)?)", part)
        found[_MEANT.get(name, name)] = float(weight[1]) if weight else 1.0
    wanted = [name for name in found if name in RENDERERS and found[name]]
    return max(wanted, key=found.__getitem__, default=None)
