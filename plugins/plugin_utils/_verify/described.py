# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of its API that the panel itself serves, compared with what the collection uses. Private to the collection.

The document may be huge, go round in circles or be something else. None of its free texts is told, and names only in their usual form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from ...module_utils._errors import RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import USER_AGENT, PanelClient
from ...module_utils._http.session import new_session
from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.fields import Group
from ...module_utils._schema.kind import Kind
from ...module_utils._values.collections import SetOf
from ...module_utils._values.value_types import Boolean, Choice, Integer, ValueType
from .fields import BY_NAME, PASSWORDS, expected, known

LARGEST = 5_000_000
_DEEPEST, _MOST_STEPS = 12, 50_000
_PATH = re.compile(r"(/[a-z][a-z0-9_-]{0,40}|/\{\})+")
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,40}(\.[a-z][a-z0-9_]{0,40})?")
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
_METHODS = ("GET", "POST", "PUT", "DELETE")
_OTHER_PATHS = ["GET /ping", "GET /server", "POST /server/reboot", "GET /login/{}", "GET /login/name/{}"]
_OTHER_PATHS += [
    f"GET /clients/{way}/{what}" for way in ("{}", "name/{}") for what in ("resources", "stats", "traffic")
]


def described(connection: Connection) -> dict[str, Any] | None:
    """What of the description is gone, new or otherwise; None where none is served. It is asked for without the key."""
    session = new_session(
        {"Accept": "application/json", "User-Agent": USER_AGENT},
        connection.verify is not False,
        not connection.is_loopback,
    )
    base_url = connection.base_url.rpartition("/")[0]
    client = PanelClient(replace(connection, base_url=base_url, retry_time=0), session=session)
    try:
        document = client.call("GET", "/openapi.json").data
        return compared(document) if len(json.dumps(document)) <= LARGEST else None
    except (RequestError, RecursionError):
        return None
    finally:
        client.close()


def compared(document: Any) -> dict[str, Any] | None:
    """The same of a document that was read; None where it is no OpenAPI document."""
    if not isinstance(document, Mapping) or not isinstance(document.get("paths"), Mapping):
        return None
    if not {"openapi", "swagger"} & document.keys():
        return None
    reader = _Document(document)
    found, used = dict(reader.operations()), set(_used_paths())
    fields: dict[str, list[str]] = {"gone": [], "new": [], "otherwise": []}
    for name, kind in BY_NAME.items():
        shown = reader.fields_of(kind, found)
        if shown:
            _compare(name, kind, shown, fields)
    info = document.get("info")
    version = str(info.get("version", "")) if isinstance(info, Mapping) else ""
    return {
        "version": version if re.fullmatch(r"\d{1,4}(\.\d{1,4}){0,3}", version) else "",
        "paths": {"gone": sorted(used - found.keys()), "new": sorted(found.keys() - used)},
        "fields": fields,
    }


def _used_paths() -> Iterator[str]:
    yield from _OTHER_PATHS
    for kind in BY_NAME.values():
        if kind.plural != DNS:
            yield from (f"{method} {kind.path}" for method in ("GET", "POST"))
        for way in ("{}", *(["name/{}"] if kind.by_name else [])):
            yield from (f"{method} {kind.path}/{way}" for method in ("GET", "PUT", "DELETE"))


def _compare(name: str, kind: Kind, shown: Mapping[str, Mapping[str, Any]], fields: dict[str, list[str]]) -> None:
    types: dict[str, ValueType] = {row.name: row.type for row in kind.key if not kind.part_of}
    types.update((".".join(path), row.type) for path, row in kind.leaves())
    shown_in_groups = {f"{row.name}.{one}" for row in kind.rows if isinstance(row, Group) for one in row.shown}
    wanted = {*types, *expected(name)} - {"id", "status"}
    groups = {path.partition(".")[0] for path in types if "." in path}
    mine = {*wanted, *known(name), *PASSWORDS, *shown_in_groups}
    new = (one for one in shown if one not in mine and ("." not in one or one.partition(".")[0] in groups))
    fields["gone"] += sorted(f"{name}.{one}" for one in wanted if one not in shown)
    fields["new"] += sorted(f"{name}.{one}" for one in new if _FIELD.fullmatch(one))
    for one, type_ in types.items():
        said = shown.get(one, {}).get("type")
        given = {text for text in (said if isinstance(said, list) else [said]) if isinstance(text, str)} - {"null"}
        fits = _json_types(type_)
        if fits and given and not given & fits:
            fields["otherwise"].append(
                f"{name}.{one}: {' or '.join(sorted(given & _TYPES)) or 'another type'}, not {min(fits)}"
            )


def _json_types(type_: ValueType) -> set[str]:
    """The types that JSON may have for it; empty where the tables do not say."""
    if isinstance(type_, (Boolean, SetOf)):
        return {"boolean"} if isinstance(type_, Boolean) else {"array"}
    if isinstance(type_, Integer) or type_.option_type == "int":
        return {"integer", "number"}
    return {"string"} if isinstance(type_, Choice) and all(isinstance(one, str) for one in type_.choices) else set()


class _Document:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document, self._steps = document, 0

    def operations(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """By method and path, with {} for ids and names."""
        for path, item in self._document["paths"].items():
            plain = re.sub(r"\{[^{}/]*\}", "{}", str(path))
            plain = re.sub(r"^(/api)?/v\d+(?=/)", "", plain).rstrip("/")
            item = self._resolved(item)
            if _PATH.fullmatch(plain) and isinstance(item, Mapping):
                yield from (
                    (f"{method} {plain}", item[method.lower()]) for method in _METHODS if method.lower() in item
                )

    def fields_of(self, kind: Kind, found: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        """The fields in bodies and answers of a kind, those of groups as ``group.field``."""
        fields: dict[str, Mapping[str, Any]] = {}
        for place in (f"POST {kind.path}", f"PUT {kind.path}/{{}}", f"GET {kind.path}/{{}}", f"GET {kind.path}"):
            operation = self._resolved(found.get(place))
            if not isinstance(operation, Mapping):
                continue
            answers = operation.get("responses")
            parts = [answers.get(status) for status in ("200", "201")] if isinstance(answers, Mapping) else []
            for part in (operation.get("requestBody"), *parts):
                content = self._resolved(part)
                for name in ("content", "application/json", "schema"):
                    content = content.get(name) if isinstance(content, Mapping) else None
                self._collect(content, "", fields, 0)
        return fields

    def _collect(self, schema: Any, prefix: str, fields: dict[str, Mapping[str, Any]], depth: int) -> None:
        schema = self._resolved(schema)
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return
        for combined in ("allOf", "anyOf", "oneOf"):
            for part in schema[combined] if isinstance(schema.get(combined), list) else ():
                self._collect(part, prefix, fields, depth + 1)
        if not prefix:
            self._collect(schema.get("items"), prefix, fields, depth + 1)
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            resolved = self._resolved(inner)
            if isinstance(resolved, Mapping):
                fields.setdefault(f"{prefix}{name}", resolved)
                if not prefix:
                    self._collect(resolved, f"{name}.", fields, depth + 1)

    def _resolved(self, value: Any) -> Any:
        """What a reference within the document leads to."""
        for _step in range(_DEEPEST):
            self._steps += 1
            reference = value.get("$ref") if isinstance(value, Mapping) else None
            if not isinstance(reference, str):
                return value
            if self._steps > _MOST_STEPS or not reference.startswith("#/"):
                return None
            value = cast(Any, self._document)
            for name in reference[2:].split("/"):
                value = value.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(value, Mapping) else None
        return None
