# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of its API that the panel itself serves, compared with what the collection uses. Private to the collection.

None of its free texts is told, and names only in their usual form. What has another form, or goes round in circles, is no description.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...module_utils._errors import RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import USER_AGENT, PanelClient
from ...module_utils._http.session import new_session
from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.fields import Group
from ...module_utils._schema.kind import Kind
from ...module_utils._values.value_types import Boolean, Choice, Integer, SetOf, ValueType
from .fields import BY_NAME, PASSWORDS, expected, known

LARGEST = 5_000_000
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
    with contextlib.closing(client):
        try:
            document = client.call("GET", "/openapi.json").data
            return compared(document) if len(json.dumps(document)) <= LARGEST else None
        except (RequestError, RecursionError, TypeError, AttributeError, LookupError):
            return None


def compared(document: Any) -> dict[str, Any] | None:
    """The same of a document that was read; None where it is no OpenAPI document."""
    if not {"openapi", "swagger"} & document.keys():
        return None
    found, used = dict(_operations(document)), set(_used_paths())
    fields: dict[str, list[str]] = {"gone": [], "new": [], "otherwise": []}
    for name, kind in BY_NAME.items():
        shown = _fields_of(document, kind, found)
        if shown:
            _compare(name, kind, shown, fields)
    version = str(document.get("info", {}).get("version", ""))
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
        given = set(said if isinstance(said, list) else [said]) - {None, "null"}
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


def _operations(document: Any) -> Iterator[tuple[str, Any]]:
    """By method and path, with {} for ids and names."""
    for path, item in document["paths"].items():
        plain = re.sub(r"^(/api)?/v\d+(?=/)", "", re.sub(r"\{[^{}/]*\}", "{}", path)).rstrip("/")
        if _PATH.fullmatch(plain):
            given = _resolved(document, item)
            yield from ((f"{method} {plain}", given[method.lower()]) for method in _METHODS if method.lower() in given)


def _fields_of(document: Any, kind: Kind, found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in bodies and answers of a kind, those of groups as ``group.field``."""
    fields: dict[str, Any] = {}
    for place in (f"POST {kind.path}", f"PUT {kind.path}/{{}}", f"GET {kind.path}/{{}}", f"GET {kind.path}"):
        operation = _resolved(document, found.get(place, {}))
        answers = operation.get("responses", {})
        for part in (operation.get("requestBody"), answers.get("200"), answers.get("201")):
            content = _resolved(document, part or {}).get("content", {})
            _collect(document, content.get("application/json", {}).get("schema", {}), "", fields)
    return fields


def _collect(document: Any, schema: Any, prefix: str, fields: dict[str, Any]) -> None:
    schema = _resolved(document, schema)
    for combined in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(combined, ()):
            _collect(document, part, prefix, fields)
    if not prefix and "items" in schema:
        _collect(document, schema["items"], prefix, fields)
    for name, inner in schema.get("properties", {}).items():
        resolved = _resolved(document, inner)
        fields.setdefault(f"{prefix}{name}", resolved)
        if not prefix:
            _collect(document, resolved, f"{name}.", fields)


def _resolved(document: Any, value: Any) -> Any:
    """What a reference within the document leads to."""
    if "$ref" not in value:
        return value
    found = document
    for name in value["$ref"].removeprefix("#/").split("/"):
        found = found[name.replace("~1", "/").replace("~0", "~")]
    return _resolved(document, found)
