# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of the API that the panel itself serves, compared with what the collection uses.

The panel may serve one (docs/panel_api.md#description-on-the-panel). Only names of the usual form
are reported of it.
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
from ...module_utils._http.panel_session import PanelSession
from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.groups import Group
from ...module_utils._schema.kind import Kind
from .open_points import BY_NAME, USUAL, list_allowed_fields, list_expected_fields, read_version

# Characters of JSON.
_LARGEST = 5_000_000
_PATH = re.compile(r"(/[a-z][a-z0-9_-]{0,40}|/\{\})+")
_PARAMETER = re.compile(r"\{[^{}/]*\}")
_VERSION_IN_PATH = re.compile(r"^(/api)?/v\d+(?=/)")
_METHODS = ("GET", "POST", "PUT", "DELETE")
# The types in JSON of the types of options whose values would be taken for others.
_JSON_TYPES = {"bool": {"boolean"}, "int": {"integer", "number"}, "list": {"array"}}
_TYPES = {"string", "integer", "number", "boolean", "array", "object"}
_FIELDS_OF_ALL = frozenset({"id", "status"})
_PARTS_OF_OPERATIONS = (("requestBody",), ("responses", "200"), ("responses", "201"))
_OTHER_OPERATIONS = (
    "GET /ping",
    "GET /server",
    "POST /server/reboot",
    "GET /login/{}",
    "GET /login/name/{}",
    "GET /clients/{}/resources",
    "GET /clients/{}/stats",
    "GET /clients/{}/traffic",
    "GET /clients/name/{}/resources",
    "GET /clients/name/{}/stats",
    "GET /clients/name/{}/traffic",
)
Document = Mapping[str, Any]


def compare_description(connection: Connection) -> dict[str, Any] | None:
    """Compare the panel's description with what the collection uses.

    The description is asked for without the key.

    Returns:
        Its version, and which paths and fields are gone, new or of another type; None if there is
        no description.
    """
    base_url = connection.base_url.rpartition("/")[0]
    without_key = replace(connection, base_url=base_url, api_key="", retry_time=0)
    with contextlib.closing(PanelSession(without_key)) as session:
        try:
            document = session.call("GET", "/openapi.json").data
            if len(json.dumps(document)) > _LARGEST:
                return None
            if not {"openapi", "swagger"} & document.keys():
                return None
            return _compare_document(document)
        # A document of a form that no one foresaw counts as none.
        except (RequestError, RecursionError, TypeError, AttributeError, LookupError):
            return None


def _compare_document(document: Document) -> dict[str, Any]:
    """Return how a description of the API differs from what the collection uses."""
    operations = _read_operations(document)
    used = set(_OTHER_OPERATIONS)
    fields: dict[str, list[str]] = {"gone": [], "new": [], "otherwise": []}
    for name, kind in BY_NAME.items():
        used.update(_list_used_operations(kind))
        described: dict[str, Any] = {}
        for schema in _list_schemas(kind, document, operations):
            _collect_fields(document, schema, "", described)
        if described:
            _compare_fields(name, kind, described, fields)

    return {
        "version": read_version(document.get("info", {}).get("version")),
        "paths": {
            "gone": sorted(used - operations.keys()),
            "new": sorted(operations.keys() - used),
        },
        "fields": fields,
    }


def _read_operations(document: Document) -> dict[str, Any]:
    """Return the operations by method and path, with {} for ids and names."""
    operations = {}
    for path, item in document["paths"].items():
        plain_path = _VERSION_IN_PATH.sub("", _PARAMETER.sub("{}", path)).rstrip("/")
        if not _PATH.fullmatch(plain_path):
            continue
        methods = _resolve(document, item)
        for method in _METHODS:
            if method.lower() in methods:
                operations[f"{method} {plain_path}"] = methods[method.lower()]
    return operations


def _list_used_operations(kind: Kind) -> Iterator[str]:
    """Yield the operations of a kind that the collection uses."""
    if kind.plural != DNS:
        yield f"GET {kind.path}"
        yield f"POST {kind.path}"
    for method in ("GET", "PUT", "DELETE"):
        yield f"{method} {kind.path}/{{}}"
        if kind.traits.by_name:
            yield f"{method} {kind.path}/name/{{}}"


def _list_schemas(kind: Kind, document: Document, operations: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the schemas of all bodies and answers about objects of a kind."""
    alone = f"{kind.path}/{{}}"
    for name in (f"POST {kind.path}", f"PUT {alone}", f"GET {alone}", f"GET {kind.path}"):
        operation = operations.get(name, {})
        for names in _PARTS_OF_OPERATIONS:
            yield _resolve(document, operation, *names, "content", "application/json", "schema")


def _compare_fields(
    name: str, kind: Kind, described: Mapping[str, Any], differences: Mapping[str, list[str]]
) -> None:
    """Add the differences of a kind to the lists of all kinds.

    Args:
        name: The kind, as profiles call it.
        kind: Its table.
        described: The schema of each field.
        differences: The lists, by what is different.
    """
    types = _collect_option_types(kind)
    expected = {*types, *list_expected_fields(kind)} - _FIELDS_OF_ALL
    missing = expected - described.keys()
    new = _find_new_fields(kind, described, types) - expected
    differences["gone"].extend(f"{name}.{field}" for field in sorted(missing))
    differences["new"].extend(f"{name}.{field}" for field in sorted(new))
    for field, option_type in types.items():
        json_types = _list_json_types(described.get(field, {}))
        usable = _JSON_TYPES.get(option_type)
        if json_types and usable and not json_types & usable:
            actual = " or ".join(sorted(json_types))
            differences["otherwise"].append(f"{name}.{field}: {actual}, not {min(usable)}")


def _collect_option_types(kind: Kind) -> dict[str, str]:
    """Return the types of the options that the fields of a kind have, those of groups too."""
    types = {}
    if not kind.part_of:
        for key_field in kind.key:
            types[key_field.name] = key_field.type.option_type
    for path, field in kind.walk_fields():
        types[".".join(path)] = field.type.option_type
    return types


def _find_new_fields(
    kind: Kind, described: Mapping[str, Any], types: Mapping[str, str]
) -> set[str]:
    """Return the described fields that are unknown, of the object itself and of groups that the
    collection uses."""
    groups = {path.rpartition(".")[0] for path in types}
    groups.add("")
    unknown = described.keys() - list_allowed_fields(kind) - _list_read_only_fields(kind)
    return {field for field in unknown if field.rpartition(".")[0] in groups}


def _list_read_only_fields(kind: Kind) -> set[str]:
    """Return the fields in groups that only the panel writes."""
    fields: set[str] = set()
    for group in kind.fields:
        if isinstance(group, Group):
            fields.update(f"{group.name}.{name}" for name in group.read_only)
    return fields


def _list_json_types(schema: Mapping[str, Any]) -> set[str]:
    types = schema.get("type", [])
    if isinstance(types, str):
        types = [types]
    return _TYPES.intersection(types)


def _collect_fields(document: Document, schema: Any, prefix: str, fields: dict[str, Any]) -> None:
    """Add the fields of a body or an answer, those of groups as ``group.field``."""
    schema = _resolve(document, schema)
    for combination in ("allOf", "anyOf", "oneOf"):
        for alternative in schema.get(combination, ()):
            _collect_fields(document, alternative, prefix, fields)

    if not prefix and "items" in schema:
        _collect_fields(document, schema["items"], prefix, fields)

    for name, inner in schema.get("properties", {}).items():
        if not USUAL.fullmatch(name):
            continue
        resolved = fields.setdefault(f"{prefix}{name}", _resolve(document, inner))
        if not prefix:
            _collect_fields(document, resolved, f"{name}.", fields)


def _resolve(document: Document, value: Any, *names: str) -> Any:
    """Return what is under the names in a value, beyond references within the document; an empty
    dictionary for nothing."""
    if "$ref" in value:
        return _resolve(document, _follow(document, value["$ref"]), *names)
    if not names:
        return value
    return _resolve(document, value.get(names[0], {}), *names[1:])


def _follow(document: Document, reference: str) -> Any:
    target: Any = document
    for name in reference.removeprefix("#/").split("/"):
        target = target[name]
    return target
