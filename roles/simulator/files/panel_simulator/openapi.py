# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenAPI document, made from the tables that the simulator itself works with."""

from __future__ import annotations

import re
from typing import Any

from panel_simulator import API_PATH, API_VERSION
from panel_simulator.answering import ROUTES, Route
from panel_simulator.calls import RENDERERS
from panel_simulator.fields import Choice, Field, Members, Number, Text
from panel_simulator.kinds import KINDS
from panel_simulator.store import Kind
from panel_simulator.zones import ZONE

_NUMBER = Number()
_TEXT = Text()
_WRITTEN = Members(Field("id", _NUMBER), Field("password", _TEXT)).schema
_ERROR = {
    **Members(Field("code", _TEXT), Field("message", _TEXT)).schema,
    "required": ["code", "message"],
}
# 0 unknown, 1 okay, 2 error, 3 config_new, 4 config_update
_STATUS = Field("status", Number(choices=range(5)), access="ro")


def make_document(base_url: str) -> dict[str, Any]:
    """Return an OpenAPI 3.0 document.

    Operations and fields that are only inferred carry ``x-inferred: true``.
    """
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _describe_operation(route)

    schemas = {_make_schema_name(kind): _describe_schema(kind) for kind in KINDS.values()}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Panel API, as the simulator has it", "version": API_VERSION},
        "servers": [{"url": base_url + API_PATH}],
        "security": [{"ApiKey": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}},
            "schemas": {**schemas, "dns": ZONE.schema, "written": _WRITTEN, "error": _ERROR},
        },
    }


def _describe_operation(route: Route) -> dict[str, Any]:
    """Describe one method of one path."""
    parameters = [_describe_path_parameter(name) for name in re.findall(r"{(\w+)}", route.path)]
    parameters += [
        _describe_query_parameter(name, choices) for name, choices in route.query.items()
    ]
    error_content = {"application/json": {"schema": _make_reference("error")}}
    error = {"description": "An error", "content": error_content}
    path_words = re.sub(r"[^A-Za-z0-9]+", "_", route.path).strip("_")
    operation: dict[str, Any] = {
        "operationId": f"{route.method.lower()}_{path_words}",
        "tags": [route.path.split("/")[1]],
        "parameters": parameters,
        "responses": {**_describe_success(route), "default": error},
    }
    if route.note:
        operation["description"] = route.note

    if not route.is_documented:
        operation["x-inferred"] = True

    if route.method in ("POST", "PUT"):
        body = {"application/json": {"schema": _describe_body(route)}}
        operation["requestBody"] = {"content": body, "required": route.path != "/server/reboot"}

    return operation


def _describe_path_parameter(name: str) -> dict[str, Any]:
    value = _NUMBER if name == "id" else _TEXT
    return {"name": name, "in": "path", "required": True, "schema": value.schema}


def _describe_query_parameter(name: str, choices: tuple[str, ...]) -> dict[str, Any]:
    value = Choice(*choices) if choices else _TEXT
    return {"name": name, "in": "query", "schema": value.schema}


def _describe_success(route: Route) -> dict[str, Any]:
    """Describe the answer to a request that is carried out."""
    status = {"GET": "200", "PUT": "200", "POST": "201", "DELETE": "204"}[route.method]
    if route.path == "/server/reboot":
        status = "202"

    if status in ("202", "204"):
        return {status: {"description": "Success"}}

    schema: dict[str, Any] = _make_reference("written")
    if route.method == "GET":
        schema = _describe_object(route)

    if route.form == "list":
        schema = {"type": "array", "items": schema}

    content = {media_type: {"schema": schema} for media_type in RENDERERS}
    return {status: {"description": "Success", "content": content}}


def _describe_object(route: Route) -> dict[str, Any]:
    if route.kind is not None:
        return _make_reference(_make_schema_name(route.kind))
    if route.path.startswith("/dns/"):
        return _make_reference("dns")
    return {"type": "object"}


def _describe_body(route: Route) -> dict[str, Any]:
    """Describe a request body; that of a PUT has the same schema without required fields."""
    if route.kind is None or route.method != "POST":
        return _describe_object(route)

    required = [
        field.name
        for field in route.kind.fields
        if field.required and not isinstance(field.value, Members)
    ]
    if not required:
        return _describe_object(route)

    return {"allOf": [_describe_object(route), {"required": required}]}


def _describe_schema(kind: Kind) -> dict[str, Any]:
    fields = [Field("id", _NUMBER, access="ro")]
    if kind.has_status:
        fields.append(_STATUS)

    fields += kind.fields
    if kind.has_password:
        fields.append(Field("password", Text(nullable=True), access="flag"))
        fields.append(Field("password_hash", _TEXT))

    if kind.needs_hash_system:
        fields.append(Field("password_hash_os", _TEXT, access="flag"))

    return Members(*fields).schema


def _make_schema_name(kind: Kind) -> str:
    return kind.noun.replace(" ", "_").lower()


def _make_reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
