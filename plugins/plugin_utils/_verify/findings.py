# SPDX-License-Identifier: GPL-3.0-or-later
"""The points that the description of the API leaves open, what answers say about them, and the
texts for people. Private to the collection."""

from __future__ import annotations

import contextlib
import functools
import json
import operator
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._errors import RequestError
from ...module_utils._http.connection_settings import Connection
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Change, Group
from ...module_utils._schema.kind import Kind
from .._run.template import rendered

# One table for the simulator and for this: what a panel is found to do, the simulator can do.
TABLE = Path(__file__).parents[3] / "roles" / "simulator" / "files" / "panel_simulator" / "open_points.yml"
VERDICTS = ("contradicted", "unknown", "confirmed", "skipped")
OTHERWISE = "otherwise"
# By the names of their paths, as profiles have them.
BY_NAME: Mapping[str, Kind] = {kind.path.strip("/").replace("-", "_"): kind for kind in KINDS.values()}
# A name that is told. Anything else may be the name of a customer.
USUAL = re.compile(r"[a-z][a-z0-9_]{0,40}")
# Skipped points that are named; of more is said how to try them.
_FEW = 5
_LACKS = "The panel's own description lacks what the collection uses; tasks that need it may fail. Check the manual of your panel's version."
_DESCRIBED: dict[str, Any] = {
    f"described_{what}": {"about": f"The {what} that the collection uses, in the panel's own description"}
    | {"default": [], "means": _LACKS, "seen": "read", "depends": ["everything"]}
    for what in ("paths", "fields")
}


def read_points() -> dict[str, dict[str, Any]]:
    return dict(yaml.safe_load(TABLE.read_text(encoding="utf-8")))


# What answers say.


def number(value: Any) -> int | None:
    """A whole number, also one that the panel writes as a text."""
    try:
        return None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError):
        return None


def version_in(value: Any) -> str:
    return value if isinstance(value, str) and re.fullmatch(r"\d{1,4}(\.\d{1,4}){0,3}", value) else ""


def expected(kind: Kind) -> list[str]:
    """The fields that an answer about one object should have."""
    rows = [row.name for row in (*kind.key, *kind.rows) if row.change is not Change.AT_CREATION]
    own = [] if kind.plural == DNS else ["id", *(["status"] if kind.has_status else []), *rows]
    return sorted({*own, *kind.shown})


def known(kind: Kind) -> set[str]:
    passwords = {"password", "password_hash", "password_hash_os"}
    return {*expected(kind), *kind.flags_of_creation, *passwords, "id", "status", "domain", "id_domain"}


def observed(shown: Mapping[str, Sequence[Any]], own: Set[str], points: Mapping[str, Any]) -> dict[str, Any]:
    """By point what the fields say.

    shown: by kind one object, alone and as an item of its list, each empty where the panel does not show it so. own: the kinds of which it
    is the test client's.
    """
    others: dict[str, dict[str, str]] = {}
    for example in points["renamed_members"]["examples"]:
        for name, names in example.items():
            others.setdefault(name, {}).update(names)
    differs: dict[str, dict[str, Any]] = {
        point: {} for point in ("renamed_members", "hidden_members", "short_lists", "extra_members")
    }
    for name, (single, item) in shown.items():
        kind, whole = BY_NAME[name], single or item
        wanted, may_be, other = expected(kind), known(kind), others.get(name, {})
        missing = [field for field in wanted if field not in whole]
        renamed = {field: other[field] for field in missing if other.get(field) in whole.keys() - may_be}
        at = {field: renamed.get(field, field) for field in wanted}
        new = [field for field in whole.keys() - may_be - {*renamed.values()} if USUAL.fullmatch(field)]
        found = (
            renamed,
            [field for field in missing if field not in renamed],
            [field for field in at if item and at[field] in single and at[field] not in item],
            # Its values are the panel's, so that only empty ones of the same type are kept.
            {one: whole[one] and type(whole[one])() for one in new if not isinstance(whole[one], (list, dict))},
        )
        for point, what in zip(differs, found):
            if what and (name in own or point != "extra_members"):
                differs[point][name] = what
    every = [one for both in shown.values() for one in both]
    zone = shown.get("dns", [{}])[0].get("records")
    return {
        "numbers": _form({"numbers": int, "texts": str}, [one.get("id") for one in every]),
        "switches": _form(
            {"booleans": bool, "numbers": int, "texts": str},
            [one[name] for one in every for name in one if name.startswith("is_")],
        ),
        "lists": _form({"arrays": list, "objects": dict}, [zone.get("other") if isinstance(zone, Mapping) else None]),
        # That nothing differs is known only if objects of all kinds were seen.
        **{point: found for point, found in differs.items() if found or own >= BY_NAME.keys() - {"admins"}},
    }


def _form(forms: Mapping[str, type], values: Iterable[Any]) -> str | None:
    """The one form that all values have."""
    given = [value for value in values if value not in (None, [], {})]
    found = {next((name for name, type_ in forms.items() if isinstance(one, type_)), OTHERWISE) for one in given}
    return found.pop() if len(found) == 1 else OTHERWISE if found else None


# Of the description that the panel itself serves (docs/panel_api.md#description-on-the-panel), only
# names of the usual form are told.

_LARGEST = 5_000_000
_PATH = re.compile(r"(/[a-z][a-z0-9_-]{0,40}|/\{\})+")
_METHODS = ("GET", "POST", "PUT", "DELETE")
# The types in JSON of the types of options whose values would be taken for others.
_JSON_TYPES = {"bool": {"boolean"}, "int": {"integer", "number"}, "list": {"array"}}
_TYPES = {"string", "integer", "number", "boolean", "array", "object"}
_OTHER_PATHS = ["GET /ping", "GET /server", "POST /server/reboot", "GET /login/{}", "GET /login/name/{}"]
_OTHER_PATHS += [
    f"GET /clients/{way}/{what}" for way in ("{}", "name/{}") for what in ("resources", "stats", "traffic")
]


def described(connection: Connection) -> dict[str, Any] | None:
    """What of the description is gone, new or otherwise; None if there is none. It is asked for without the key."""
    other = replace(connection, base_url=connection.base_url.rpartition("/")[0], api_key="", retry_time=0)
    with contextlib.closing(PanelClient(other)) as client:
        try:
            document = client.call("GET", "/openapi.json").data
            is_one = len(json.dumps(document)) <= _LARGEST and {"openapi", "swagger"} & document.keys()
            return _compared(document) if is_one else None
        except (RequestError, RecursionError, TypeError, AttributeError, LookupError):
            return None


def _compared(document: Any) -> dict[str, Any]:
    found, used = _operations(document), set(_OTHER_PATHS)
    fields: dict[str, list[str]] = {"gone": [], "new": [], "otherwise": []}
    for name, kind in BY_NAME.items():
        used |= {f"{method} {kind.path}" for method in ("GET", "POST") if kind.plural != DNS}
        for way in ("{}", "name/{}") if kind.by_name else ("{}",):
            used |= {f"{method} {kind.path}/{way}" for method in ("GET", "PUT", "DELETE")}
        shown: dict[str, Any] = {}
        for place in (f"POST {kind.path}", f"PUT {kind.path}/{{}}", f"GET {kind.path}/{{}}", f"GET {kind.path}"):
            for part in (("requestBody",), ("responses", "200"), ("responses", "201")):
                content = _at(document, found.get(place, {}), *part, "content", "application/json", "schema")
                _collect(document, content, "", shown)
        if shown:
            _compare(name, kind, shown, fields)
    return {
        "version": version_in(document.get("info", {}).get("version")),
        "paths": {"gone": sorted(used - found.keys()), "new": sorted(found.keys() - used)},
        "fields": fields,
    }


def _compare(name: str, kind: Kind, shown: Mapping[str, Any], fields: Mapping[str, list[str]]) -> None:
    types = {row.name: row.type for row in kind.key if not kind.part_of}
    types.update((".".join(path), row.type) for path, row in kind.leaves())
    in_groups = {f"{row.name}.{one}" for row in kind.rows if isinstance(row, Group) for one in row.read_only}
    wanted = {*types, *expected(kind)} - {"id", "status"}
    groups = {"", *(path.rpartition(".")[0] for path in types)}
    new = [one for one in shown.keys() - wanted - known(kind) - in_groups if one.rpartition(".")[0] in groups]
    fields["gone"] += sorted(f"{name}.{one}" for one in wanted - shown.keys())
    fields["new"] += sorted(f"{name}.{one}" for one in new)
    for one, type_ in types.items():
        said = shown.get(one, {}).get("type", [])
        given = _TYPES.intersection([said] if isinstance(said, str) else said)
        fits = _JSON_TYPES.get(type_.option_type, given)
        if given and not given & fits:
            fields["otherwise"].append(f"{name}.{one}: {' or '.join(sorted(given))}, not {min(fits)}")


def _operations(document: Any) -> dict[str, Any]:
    """By method and path, with {} for ids and names."""
    found = {}
    for path, item in document["paths"].items():
        plain = re.sub(r"^(/api)?/v\d+(?=/)", "", re.sub(r"\{[^{}/]*\}", "{}", path)).rstrip("/")
        given = _at(document, item) if _PATH.fullmatch(plain) else {}
        found.update({f"{method} {plain}": given[method.lower()] for method in _METHODS if method.lower() in given})
    return found


def _collect(document: Any, schema: Any, prefix: str, fields: dict[str, Any]) -> None:
    """Adds the fields of a body or an answer, those of groups as ``group.field``."""
    schema = _at(document, schema)
    parts = [part for combined in ("allOf", "anyOf", "oneOf") for part in schema.get(combined, ())]
    for part in parts + ([schema["items"]] if not prefix and "items" in schema else []):
        _collect(document, part, prefix, fields)
    for name, inner in schema.get("properties", {}).items():
        if USUAL.fullmatch(name):
            resolved = fields.setdefault(f"{prefix}{name}", _at(document, inner))
            if not prefix:
                _collect(document, resolved, f"{name}.", fields)


def _at(document: Any, value: Any, *names: str) -> Any:
    """What is there in the value, beyond references within the document; an empty dictionary for nothing."""
    if "$ref" in value:
        found = functools.reduce(operator.getitem, value["$ref"].removeprefix("#/").split("/"), document)
        return _at(document, found, *names)
    return _at(document, value.get(names[0], {}), *names[1:]) if names else value


# Verdicts and texts.


def checks(points: Mapping[str, Any], seen: Mapping[str, Any], done: Set[str]) -> list[dict[str, Any]]:
    """The verdicts, what was contradicted first. seen: by point what was found. done: of ``read``, ``write`` and ``asked`` what was tried."""
    made = [_check(name, row, seen.get(name), row["seen"] in done) for name, row in {**points, **_DESCRIBED}.items()]
    return sorted(made, key=lambda check: VERDICTS.index(check["verdict"]))


def _check(name: str, row: Mapping[str, Any], found: Any, was_tried: bool) -> dict[str, Any]:
    values = row.get("values", {})
    default = next(iter(values), row.get("default"))
    verdict, means = "unknown" if was_tried else "skipped", ""
    if found is not None:
        fits = found in list(values) if values else isinstance(found, type(default))
        found = found if fits else OTHERWISE
        verdict = "confirmed" if found == default else "contradicted"
    if found == OTHERWISE:
        means = "It is none of the known ways; please report it."
    elif verdict == "contradicted":
        means = (values[found] if values else row)["means"]
    about = {"id": name, "about": row["about"], "expected": default, "found": found}
    return {**about, "verdict": verdict, "affects": list(row["depends"]), "means": means}


def profile_of(points: Mapping[str, Any], found: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the simulator needs to be such a panel."""
    told = [one for one in found if one["verdict"] == "contradicted" and one["found"] != OTHERWISE]
    return {one["id"]: one["found"] for one in told if one["id"] in points}


def lines(found: Sequence[Mapping[str, Any]], version: str, requests: int) -> list[str]:
    """For a person: one line for each point that was contradicted, and one for each other verdict."""
    by = {verdict: [check for check in found if check["verdict"] == verdict] for verdict in VERDICTS}
    checked = len(by["contradicted"]) + len(by["confirmed"])
    panel = f"KeyHelp {version}: " if version else ""
    made = [f"{panel}{len(found)} points, {checked} checked with {requests} requests"]
    made += [f"contradicted   {one['id']}: {shown_value(one['found'])}. {one['means']}" for one in by["contradicted"]]
    for verdict in VERDICTS[1:]:
        names = "" if verdict == "confirmed" else ", ".join(check["id"] for check in by[verdict])
        if verdict == "skipped" and len(by[verdict]) > _FEW:
            names = "run again with panel_verify_writes: true (creates and removes a test client)"
        made += [f"{verdict:<9}  {len(by[verdict]):>3}   {names}".rstrip()] if by[verdict] else []
    return made


def shown_value(value: Any) -> str:
    """A value of a point on one line."""
    if isinstance(value, str) or not value:
        return value or "none"
    return str(yaml.safe_dump(value, default_flow_style=True, width=10000, sort_keys=False)).strip()


def profile_text(profile: dict[str, Any], version: str) -> str:
    """What ``panel_simulator --profile`` takes."""
    panel = f" of version {version}" if version else ""
    head = f"# How a panel{panel} differs from what the collection expects; written by hosting.panel.verify\n"
    return head + (yaml.safe_dump(profile, width=120) if profile else "{}\n")


def page(**content: Any) -> str:
    """The same as Markdown. content: of the result, and sentences about what was left."""
    return rendered(
        Path(__file__).with_name("page.md.j2"), content, cell=lambda one: shown_value(one).replace("|", "\\|")
    )
