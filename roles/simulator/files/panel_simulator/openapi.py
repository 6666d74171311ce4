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

_NUMBER, _TEXT = Number(), Text()
_WRITTEN = Members(Field("id", _NUMBER), Field("password", _TEXT)).schema
_ERROR = {
    **Members(Field("code", _TEXT), Field("message", _TEXT)).schema,
    "required": ["code", "message"],
}
# 0 unknown, 1 okay, 2 error, 3 config_new, 4 config_update
_STATUS = Field("status", Number(choices=range(5)), access="ro")


def document(base_url: str) -> dict[str, Any]:
    """An OpenAPI 3.0 document; operations and fields that are only inferred carry ``x-inferred: true``."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    schemas = {_schema_name(kind): _schema(kind) for kind in KINDS.values()}
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


def _operation(route: Route) -> dict[str, Any]:
    in_path = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": (_NUMBER if name == "id" else _TEXT).schema,
        }
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    in_query = [
        {"name": name, "in": "query", "schema": (Choice(*words) if words else _TEXT).schema}
        for name, words in route.query.items()
    ]
    error = {
        "description": "An error",
        "content": {"application/json": {"schema": _reference("error")}},
    }
    operation: dict[str, Any] = {
        "operationId": f"{route.method.lower()}_{re.sub(r'[^A-Za-z0-9]+', '_', route.path).strip('_')}",
        "tags": [route.path.split("/")[1]],
        "parameters": in_path + in_query,
        "responses": {**_success(route), "default": error},
    }
    if route.note:
        operation["description"] = route.note
    if not route.is_documented:
        operation["x-inferred"] = True
    if route.method in ("POST", "PUT"):
        body = {"application/json": {"schema": _body(route)}}
        operation["requestBody"] = {"content": body, "required": route.path != "/server/reboot"}
    return operation


def _success(route: Route) -> dict[str, Any]:
    status = {"GET": "200", "PUT": "200", "POST": "201", "DELETE": "204"}[route.method]
    if route.path == "/server/reboot":
        status = "202"
    if status in ("202", "204"):
        return {status: {"description": "Success"}}
    schema = _of_object(route) if route.method == "GET" else _reference("written")
    if route.form == "list":
        schema = {"type": "array", "items": schema}
    return {
        status: {
            "description": "Success",
            "content": {name: {"schema": schema} for name in RENDERERS},
        }
    }


def _of_object(route: Route) -> dict[str, Any]:
    if route.kind is not None:
        return _reference(_schema_name(route.kind))
    return _reference("dns") if route.path.startswith("/dns/") else {"type": "object"}


def _body(route: Route) -> dict[str, Any]:
    # PUT takes the same schema without its required fields, which are therefore those of the body of POST alone.
    fields = route.kind.fields if route.kind is not None and route.method == "POST" else ()
    required = [
        field.name for field in fields if field.required and not isinstance(field.value, Members)
    ]
    return {"allOf": [_of_object(route), {"required": required}]} if required else _of_object(route)


def _schema(kind: Kind) -> dict[str, Any]:
    fields = [
        Field("id", _NUMBER, access="ro"),
        *([_STATUS] if kind.has_status else []),
        *kind.fields,
    ]
    if kind.has_password:
        fields += [
            Field("password", Text(nullable=True), access="flag"),
            Field("password_hash", _TEXT),
        ]
    if kind.needs_hash_system:
        fields.append(Field("password_hash_os", _TEXT, access="flag"))
    return Members(*fields).schema


def _schema_name(kind: Kind) -> str:
    return kind.noun.replace(" ", "_").lower()


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
