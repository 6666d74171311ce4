# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fields objects of a panel have: as it shows them, and as it says itself in the description of its API. Private to the collection."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ...module_utils._errors import RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import PanelClient, new_session
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Change
from ...module_utils._schema.kind import Kind
from ...module_utils._schema.rows import Group
from ...module_utils._values.value_types import ValueType
from .points import OTHERWISE

# By the names of their paths, as profiles have them.
BY_NAME: Mapping[str, Kind] = {kind.path.strip("/").replace("-", "_"): kind for kind in KINDS.values()}
# Those whose paths of single objects are known by analogy only.
INFERRED = frozenset({"databases", *(name for name, kind in BY_NAME.items() if kind.is_inferred)})
# All that a test client has, with its plan and its zone.
MADE = BY_NAME.keys() - {"admins"}
PASSWORDS = frozenset({"password", "password_hash", "password_hash_os"})
USUAL = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Shown(NamedTuple):
    """One object, alone and as an item of its list; empty if the panel does not show it so."""

    single: Mapping[str, Any]
    item: Mapping[str, Any]

    @property
    def whole(self) -> Mapping[str, Any]:
        return self.single or self.item


def number(value: Any) -> int | None:
    """A whole number, also one that the panel writes as a text."""
    try:
        return None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError):
        return None


def expected(kind: str) -> list[str]:
    """The fields that an answer about one object should have."""
    table = BY_NAME[kind]
    if table.plural == DNS:
        return list(table.shown)
    rows = [row.name for row in (*table.key, *table.rows) if row.change is not Change.AT_CREATION]
    return list(dict.fromkeys(["id", *(["status"] if table.has_status else []), *rows, *table.shown]))


def known(kind: str) -> set[str]:
    """The fields that an object may have."""
    table = BY_NAME[kind]
    of_zone = {"domain", "id_domain"} if table.plural == DNS else set()
    return {*expected(kind), *table.flags_of_creation, *PASSWORDS, "id", "status", *of_zone}


def observed(
    own: Mapping[str, Shown], read: Mapping[str, Shown], others: Iterable[Mapping[str, Any]], names: Mapping[str, Any]
) -> dict[str, Any]:
    """By point what the fields show. own: by kind. read, others: objects that the panel had. names: as ``other_names`` has them."""
    differs: dict[str, dict[str, Any]] = {
        point: {} for point in ("hidden_members", "short_lists", "extra_members", "renamed_members")
    }

    def differ(point: str, kind: str, found: Any) -> None:
        if found:
            differs[point][kind] = found

    for kind, shown in {**read, **own}.items():
        whole, wanted, may_be = shown.whole, expected(kind), known(kind)
        missing = sorted(name for name in wanted if name not in whole)
        renamed = {
            name: other
            for name in missing
            for other in names.get(kind, {}).get(name, ())
            if other in whole and other not in may_be
        }
        differ("renamed_members", kind, renamed)
        differ("hidden_members", kind, [name for name in missing if name not in renamed])
        if shown.single and shown.item:
            single, item = shown
            at = {name: renamed.get(name, name) for name in sorted(wanted)}
            differ("short_lists", kind, [name for name in at if at[name] in single and at[name] not in item])
        if kind in own:
            new = {name: value for name, value in whole.items() if name not in may_be | {*renamed.values()}}
            plain = {name: value for name, value in new.items() if USUAL.fullmatch(name) and _is_plain(value)}
            # Its values are the panel's, so that only empty ones of the same type are kept.
            differ("extra_members", kind, {name: value and type(value)() for name, value in plain.items()})
    every = [*others, *(one for shown in own.values() for one in shown)]
    switches = [one[name] for one in every for name in one if name.startswith("is_")]
    return {
        "numbers": _one_of({"numbers": int, "texts": str}, [one.get("id") for one in every]),
        "switches": _one_of({"booleans": bool, "numbers": int, "texts": str}, switches),
        "lists": _one_of({"arrays": list, "objects": Mapping}, [_list_in(one) for one in {**read, **own}.values()]),
        # That nothing differs is known only if objects of all kinds were seen.
        **{point: found for point, found in differs.items() if found or own.keys() >= MADE},
    }


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _list_in(shown: Shown) -> Any:
    """A field that is a list, of those that a new object has with something in it."""
    records = shown.single.get("records")
    return records.get("other") if isinstance(records, Mapping) else shown.single.get("secured_domains")


def _one_of(forms: Mapping[str, Any], values: Iterable[Any]) -> str | None:
    """The one form that all values have."""
    given = [value for value in values if value not in (None, [], {})]
    found = {next((name for name, type_ in forms.items() if isinstance(one, type_)), OTHERWISE) for one in given}
    return None if not found else found.pop() if len(found) == 1 else OTHERWISE


# The description that the panel itself serves. Its free texts stay out of the result, and so do names of another than the usual form.

_LARGEST = 5_000_000
_PATH = re.compile(r"(/[a-z][a-z0-9_-]{0,40}|/\{\})+")
_JSON_TYPES = {"bool": {"boolean"}, "int": {"integer", "number"}, "list": {"array"}}
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
_METHODS = ("GET", "POST", "PUT", "DELETE")
_OTHER_PATHS = ["GET /ping", "GET /server", "POST /server/reboot", "GET /login/{}", "GET /login/name/{}"]
_OTHER_PATHS += [
    f"GET /clients/{way}/{what}" for way in ("{}", "name/{}") for what in ("resources", "stats", "traffic")
]


def described(connection: Connection) -> dict[str, Any] | None:
    """What of the description is gone, new or otherwise; None if there is none. It is asked for without the key."""
    session = new_session(replace(connection, api_key=""))
    other = replace(connection, base_url=connection.base_url.rpartition("/")[0], retry_time=0)
    with contextlib.closing(PanelClient(other, session=session)) as client:
        try:
            document = client.call("GET", "/openapi.json").data
            return _compared(document) if len(json.dumps(document)) <= _LARGEST else None
        except (RequestError, RecursionError, TypeError, AttributeError, LookupError):
            return None


def _compared(document: Any) -> dict[str, Any] | None:
    if not {"openapi", "swagger"} & document.keys():
        return None
    found, used = dict(_operations(document)), set(_used_paths())
    fields: dict[str, list[str]] = {"gone": [], "new": [], "otherwise": []}
    for name, kind in BY_NAME.items():
        if shown := _fields_of(document, kind.path, found):
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
    in_groups = {f"{row.name}.{one}" for row in kind.rows if isinstance(row, Group) for one in row.shown}
    wanted = {*types, *expected(name)} - {"id", "status"}
    groups = {path.partition(".")[0] for path in types if "." in path}
    fields["gone"] += sorted(f"{name}.{one}" for one in wanted - shown.keys())
    for one in sorted(shown.keys() - wanted - known(name) - in_groups):
        group, dot, inner = one.partition(".")
        if USUAL.fullmatch(group) and (not dot or (group in groups and USUAL.fullmatch(inner))):
            fields["new"].append(f"{name}.{one}")
    for one, type_ in types.items():
        said = shown.get(one, {}).get("type")
        given = set(said if isinstance(said, list) else [said]) - {None, "null"}
        fits = _JSON_TYPES.get(type_.option_type, set())
        if fits and given and not given & fits:
            words = " or ".join(sorted(given & _TYPES)) or "another type"
            fields["otherwise"].append(f"{name}.{one}: {words}, not {min(fits)}")


def _operations(document: Any) -> Iterator[tuple[str, Any]]:
    """By method and path, with {} for ids and names."""
    for path, item in document["paths"].items():
        plain = re.sub(r"^(/api)?/v\d+(?=/)", "", re.sub(r"\{[^{}/]*\}", "{}", path)).rstrip("/")
        if _PATH.fullmatch(plain):
            given = _resolved(document, item)
            yield from ((f"{method} {plain}", given[method.lower()]) for method in _METHODS if method.lower() in given)


def _fields_of(document: Any, path: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in bodies and answers of a kind, those of groups as ``group.field``."""
    fields: dict[str, Any] = {}
    for place in (f"POST {path}", f"PUT {path}/{{}}", f"GET {path}/{{}}", f"GET {path}"):
        operation = _resolved(document, found.get(place, {}))
        answers = operation.get("responses", {})
        for part in (operation.get("requestBody"), answers.get("200"), answers.get("201")):
            content = _resolved(document, part or {}).get("content", {})
            _collect(document, content.get("application/json", {}).get("schema", {}), "", fields)
    return fields


def _collect(document: Any, schema: Any, prefix: str, fields: dict[str, Any]) -> None:
    schema = _resolved(document, schema)
    parts = [part for combined in ("allOf", "anyOf", "oneOf") for part in schema.get(combined, ())]
    for part in parts + ([schema["items"]] if not prefix and "items" in schema else []):
        _collect(document, part, prefix, fields)
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
