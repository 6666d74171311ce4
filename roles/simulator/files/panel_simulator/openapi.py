"""The OpenAPI document, made from the tables that the simulator itself works with."""

from __future__ import annotations

import re
from typing import Any

from panel_simulator import API_PATH, API_VERSION
from panel_simulator.fields import Field, Members, describe
from panel_simulator.kinds import KINDS
from panel_simulator.kinds.kind import Kind
from panel_simulator.representation import RENDERERS
from panel_simulator.routes import ROUTES, Route
from panel_simulator.zones import SOA_NUMBERS, TYPES

_ERRORS = {
    "400": "Wrong value, unknown reference, duplicate or missing member",
    "401": "The API key is missing or invalid",
    "403": "The API is disabled, or the address must not use the key",
    "404": "There is no such object",
    "406": "The Accept header asks for something else",
}
_SUCCESS = {"GET": "200", "POST": "201", "PUT": "200", "DELETE": "204"}
_RECORD: dict[str, Any] = {
    "type": "object",
    "required": ["host", "ttl", "type", "value"],
    "properties": {
        "host": {"type": "string"},
        "ttl": {"type": "integer", "minimum": 1},
        "type": {"type": "string", "enum": list(TYPES)},
        "value": {"type": "string"},
    },
}
_SOA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "integer", "minimum": 1} for name in SOA_NUMBERS},
        "primary_ns": {"type": "string"},
        "rname": {"type": "string"},
    },
}
_DNS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "is_custom_dns": {"type": "boolean", "readOnly": True},
        "is_dns_disabled": {"type": "boolean"},
        "dkim_record": {"type": "string", "readOnly": True},
        "records": {"type": "object", "properties": {"soa": _SOA, "other": {"type": "array", "items": _RECORD}}},
    },
}
_WRITTEN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "password": {"type": "string", "description": "Only when the panel generated it."},
    },
}
_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
}
_STATUS: dict[str, Any] = {
    "type": "integer",
    "enum": [0, 1, 2, 3, 4],
    "readOnly": True,
    "description": "0 unknown, 1 okay, 2 error, 3 config_new, 4 config_update",
}


def document(base_url: str) -> dict[str, Any]:
    """An OpenAPI 3.0 document; operations and members that are only inferred carry ``x-inferred: true``."""
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
            "schemas": {**schemas, "dns": _DNS, "written": _WRITTEN, "error": _ERROR},
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    status, schema = _success(route)
    answer: dict[str, Any] = {"description": "Success"}
    if schema is not None:
        answer["content"] = {media_type: {"schema": schema} for media_type in RENDERERS}
    errors = {code: words for code, words in _ERRORS.items() if _can_answer(route, code)}
    operation: dict[str, Any] = {
        "operationId": _operation_id(route),
        "tags": [route.path.split("/")[1]],
        "parameters": _parameters(route),
        "responses": {
            status: answer,
            **{code: {"description": words, "content": _json(_reference("error"))} for code, words in errors.items()},
        },
    }
    if route.note:
        operation["description"] = route.note
    if not route.is_documented:
        operation["x-inferred"] = True
    body = _body(route)
    if body is not None:
        operation["requestBody"] = {"content": _json(body), "required": route.path != "/server/reboot"}
    return operation


def _can_answer(route: Route, code: str) -> bool:
    if code == "400":
        return route.method in ("POST", "PUT", "DELETE") or bool(route.query)
    return code != "404" or "{" in route.path


def _success(route: Route) -> tuple[str, dict[str, Any] | None]:
    """(status, schema of the body) of a success."""
    if route.path == "/server/reboot":
        return "202", None
    if route.method == "DELETE":
        return "204", None
    if route.method != "GET":
        return _SUCCESS[route.method], _reference("written")
    if route.kind is not None:
        item = _reference(_schema_name(route.kind))
        return "200", {"type": "array", "items": item} if route.form == "list" else item
    return "200", _reference("dns") if route.path.startswith("/dns/") else {"type": "object"}


def _body(route: Route) -> dict[str, Any] | None:
    if route.method not in ("POST", "PUT"):
        return None
    if route.kind is not None:
        members = _reference(_schema_name(route.kind))
        required = _required(route.kind.fields) if route.method == "POST" else []
        return {"allOf": [members, {"required": required}]} if required else members
    return _reference("dns") if route.path.startswith("/dns/") else {"type": "object"}


def _parameters(route: Route) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer" if name == "id" else "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    in_query = [{"name": name, "in": "query", "schema": _query_schema(form)} for name, form in route.query]
    return in_path + in_query


def _query_schema(form: str) -> dict[str, Any]:
    if form == "true|false":
        return {"type": "boolean"}
    if "|" in form:
        words = form.split("|")
        return {"type": "string", "enum": words, "default": words[0]}
    return {"type": "string", "example": form} if form != "text" else {"type": "string"}


def _schema(kind: Kind) -> dict[str, Any]:
    properties: dict[str, Any] = {"id": {"type": "integer", "readOnly": True}}
    if kind.has_status:
        properties["status"] = _STATUS
    properties |= {field.name: describe(field) for field in kind.fields}
    if kind.has_password:
        properties["password"] = {"type": "string", "writeOnly": True, "nullable": True}
        properties["password_hash"] = {"type": "string", "description": "Only when enabled in the API settings."}
    if kind.needs_hash_system:
        properties["password_hash_os"] = {"type": "string", "writeOnly": True}
    # PUT takes the same schema without its required members, so these are named in an extension of their own, and in the body of POST.
    return {"type": "object", "properties": properties, "x-required-on-create": _required(kind.fields)}


def _required(fields: tuple[Field, ...]) -> list[str]:
    return [field.name for field in fields if field.required and not isinstance(field.value, Members)]


def _schema_name(kind: Kind) -> str:
    return kind.noun.replace(" ", "_").lower()


def _operation_id(route: Route) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "_", route.path).strip("_")
    return f"{route.method.lower()}_{words}"


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
