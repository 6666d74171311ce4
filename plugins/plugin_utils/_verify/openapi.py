# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel's own OpenAPI description, compared with the collection's tables. Private to the collection.

The document is somebody else's: it may be huge, go round in circles or be something else altogether. Nothing of its free text is told, and of its
names only those of the usual form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._kinds.registry import DNS
from ...module_utils._schema.fields import Group
from ...module_utils._schema.kind import Kind
from ...module_utils._values.collections import SetOf
from ...module_utils._values.value_types import Boolean, Choice, Integer, ValueType
from .._run.controller_files import read_regular
from .members import BY_NAME, ELSEWHERE, expected, may_be_told

LARGEST = 5_000_000
_MOST_ALIASES = 200
_DEEPEST = 40
_MOST_STEPS = 50_000
_PATH = re.compile(r"(/[a-z][a-z0-9_-]{0,40}|/\{\})+")
_METHODS = ("get", "post", "put", "delete")
_OTHER_PATHS: Mapping[str, tuple[str, ...]] = {
    "/ping": ("get",),
    "/server": ("get",),
    "/server/reboot": ("post",),
    "/login/{}": ("get",),
    "/login/name/{}": ("get",),
    "/clients/{}/resources": ("get",),
    "/clients/{}/stats": ("get",),
    "/clients/{}/traffic": ("get",),
    "/clients/name/{}/resources": ("get",),
    "/clients/name/{}/stats": ("get",),
    "/clients/name/{}/traffic": ("get",),
}


class DescriptionError(Exception):
    """The document cannot be compared; the text is a sentence for the operator."""


def compared_with(path: Path) -> dict[str, Any]:
    """What of the document is new, gone or otherwise. Raises DescriptionError.

    ``{"paths": {"new", "gone"}, "members": {"new", "gone", "otherwise": [{"member", "expected", "found"}]}, "untold": number}``.
    """
    return compared(_read(path))


def _read(path: Path) -> Any:
    try:
        content = read_regular(path)
    except OSError as error:
        raise DescriptionError(f"{path} cannot be read: {error.strerror or type(error).__name__}.") from None
    if len(content) > LARGEST:
        raise DescriptionError(f"{path} has more than {LARGEST // 1_000_000} MB, which no description of an API has.")
    try:
        return json.loads(content) if content.lstrip()[:1] == b"{" else _yaml(content)
    except DescriptionError:
        raise
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise DescriptionError(f"{path} is neither JSON nor YAML{_where(error)}.") from None


def _where(error: Exception) -> str:
    """The first wrong line, as far as the parser says; none of its words, which may be the document's."""
    # A missing colon is only noticed on a later line.
    is_noticed_late = getattr(error, "context", "") == "while scanning a simple key"
    mark = getattr(error, "context_mark" if is_noticed_late else "problem_mark", None)
    line = mark.line + 1 if mark is not None else getattr(error, "lineno", None)
    return f", from line {line} on" if line is not None else ""


def _yaml(content: bytes) -> Any:
    aliases = depth = 0
    for event in yaml.parse(content, Loader=_LOADER):
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if aliases > _MOST_ALIASES or depth > _DEEPEST:
            raise DescriptionError("the document is so deep, or repeats parts of itself so often, that it is not read.")
    return yaml.load(content, Loader=_LOADER)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def compared(document: Any) -> dict[str, Any]:
    """The same for a document that was read."""
    if (
        not isinstance(document, Mapping)
        or not isinstance(document.get("paths"), Mapping)
        or not ({"openapi", "swagger"} & document.keys())
    ):
        raise DescriptionError("the document is no OpenAPI description: it has no openapi or no paths.")
    return _Comparison(document).result()


class _Comparison:
    """One document against the tables. untold: how many names are not of the usual form."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._steps = 0
        self._untold = 0

    def result(self) -> dict[str, Any]:
        found, known = dict(self._operations()), known_paths()
        new = sorted(
            f"{method.upper()} {path}"
            for path, methods in found.items()
            for method in methods
            if method not in known.get(path, ())
        )
        gone = sorted(
            f"{method.upper()} {path}"
            for path, methods in known.items()
            for method in methods
            if method not in found.get(path, {})
        )
        members: dict[str, list[Any]] = {"new": [], "gone": [], "otherwise": []}
        for kind in BY_NAME:
            self._compare_kind(kind, found, members)
        return {"paths": {"new": new, "gone": gone}, "members": members, "untold": self._untold}

    def _operations(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """By path, with ``{}`` for what stands for an object, what there is to each method."""
        for path, item in self._document["paths"].items():
            plain = re.sub(r"\{[^{}/]*\}", "{}", path) if isinstance(path, str) else ""
            plain = re.sub(r"^(/api)?/v\d+(?=/)", "", plain).rstrip("/")
            item = self._resolved(item)
            if not _PATH.fullmatch(plain):
                self._untold += 1
            elif isinstance(item, Mapping):
                yield plain, {method: item[method] for method in _METHODS if method in item}

    def _compare_kind(self, kind: str, found: Mapping[str, Mapping[str, Any]], members: dict[str, list[Any]]) -> None:
        path = BY_NAME[kind].path
        shown: dict[str, Any] = {}
        for place, method in ((path, "post"), (f"{path}/{{}}", "put"), (f"{path}/{{}}", "get"), (path, "get")):
            shown = {**self._members(found.get(place, {}).get(method)), **shown}
        if not shown:
            return
        known: dict[str, ValueType | None] = dict.fromkeys(["id", *expected(kind)])
        if BY_NAME[kind].plural != DNS:
            known.update(_typed(BY_NAME[kind]))
        for name in shown:
            top = name.partition(".")[0]
            if (
                name not in known
                and not _is_elsewhere(BY_NAME[kind], name)
                and (top == name or _is_group(BY_NAME[kind], top))
            ):
                self._tell(kind, name, members["new"])
        members["gone"] += [
            f"{kind}.{name}" for name in known if name not in shown and name.partition(".")[0] not in ("id", "status")
        ]
        for name, type_ in known.items():
            if type_ is not None and name in shown:
                self._compare_type(f"{kind}.{name}", type_, shown[name], members["otherwise"])

    def _tell(self, kind: str, name: str, told: list[Any]) -> None:
        if all(may_be_told(part) for part in name.split(".")):
            told.append(f"{kind}.{name}")
        else:
            self._untold += 1

    def _compare_type(self, member: str, type_: ValueType, schema: Mapping[str, Any], told: list[Any]) -> None:
        types = _json_types(type_)
        said = schema.get("type")
        said = {one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str)} - {"null"}
        known = {"string", "integer", "number", "boolean", "array", "object"}
        if types and said and not said & types:
            told.append(
                {
                    "member": member,
                    "expected": sorted(types)[0],
                    "found": " or ".join(sorted(said & known)) or "something else",
                }
            )
        values = schema.get("enum")
        if isinstance(type_, Choice) and isinstance(values, list):
            wanted, given = (
                {str(one) for one in type_.choices},
                {str(one) for one in values if isinstance(one, (str, int))},
            )
            more = sorted(one for one in given - wanted if re.fullmatch(r"[a-z0-9_]{1,40}", one))
            if given - wanted or wanted - given:
                told.append(
                    {
                        "member": member,
                        "expected": ", ".join(sorted(wanted)),
                        "found": ", ".join([*sorted(given & wanted), *more]) or "others",
                    }
                )

    def _members(self, operation: Any) -> dict[str, Mapping[str, Any]]:
        """The members in the body and the answers of an operation, those of groups as ``group.member``."""
        operation = self._resolved(operation)
        if not isinstance(operation, Mapping):
            return {}
        found: dict[str, Mapping[str, Any]] = {}
        answers = operation.get("responses")
        parts = [
            operation.get("requestBody"),
            *([answers.get(status) for status in ("200", "201", 200, 201)] if isinstance(answers, Mapping) else []),
        ]
        for part in parts:
            content = self._resolved(part)
            content = content.get("content") if isinstance(content, Mapping) else None
            media = content.get("application/json") if isinstance(content, Mapping) else None
            if isinstance(media, Mapping):
                self._collect(media.get("schema"), "", found, 0)
        return found

    def _collect(self, schema: Any, prefix: str, found: dict[str, Mapping[str, Any]], depth: int) -> None:
        schema = self._resolved(schema)
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return
        for combined in ("allOf", "anyOf", "oneOf"):
            for part in schema[combined] if isinstance(schema.get(combined), list) else ():
                self._collect(part, prefix, found, depth + 1)
        if isinstance(schema.get("items"), Mapping) and not prefix:
            self._collect(schema["items"], prefix, found, depth + 1)
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            resolved = self._resolved(inner)
            if isinstance(name, str) and isinstance(resolved, Mapping):
                found.setdefault(prefix + name, resolved)
                if not prefix:
                    self._collect(resolved, f"{name}.", found, depth + 1)

    def _resolved(self, value: Any) -> Any:
        """What a reference within the document leads to."""
        for _step in range(_DEEPEST):
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise DescriptionError("the document is so deep that it is not read to its end.")
            reference = value.get("$ref") if isinstance(value, Mapping) else None
            if not isinstance(reference, str):
                return value
            if not reference.startswith("#/"):
                return None
            value = self._document
            for name in reference[2:].split("/"):
                name = name.replace("~1", "/").replace("~0", "~")
                value = value.get(name) if isinstance(value, Mapping) else None
        return None


def known_paths() -> dict[str, tuple[str, ...]]:
    """By path the methods that the collection uses."""
    found: dict[str, tuple[str, ...]] = dict(_OTHER_PATHS)
    for kind in BY_NAME.values():
        single = ("get", "put", "delete")
        if kind.plural != DNS:
            found[kind.path] = ("get", "post")
        found[f"{kind.path}/{{}}"] = single
        if kind.by_name:
            found[f"{kind.path}/name/{{}}"] = single
    return found


def _typed(kind: Kind) -> Iterator[tuple[str, ValueType]]:
    """The members that tables have, with their types."""
    for row in kind.key:
        yield row.name, row.type
    for path, member in kind.leaves():
        yield ".".join(path), member.type


def _is_group(kind: Kind, name: str) -> bool:
    return any(isinstance(row, Group) and row.name == name for row in kind.rows)


def _is_elsewhere(kind: Kind, name: str) -> bool:
    """Whether a member is known in another place than the rows: passwords, and what a group only shows."""
    top, _dot, rest = name.partition(".")
    shown = {one for row in kind.rows if isinstance(row, Group) and row.name == top for one in row.shown}
    return name in ELSEWHERE or rest in shown


def _json_types(type_: ValueType) -> set[str]:
    """The types that JSON may have for it; empty where that is not said."""
    if isinstance(type_, Boolean):
        return {"boolean"}
    if isinstance(type_, SetOf):
        return {"array"}
    if isinstance(type_, Integer) or type_.option_type == "int":
        return {"integer", "number"}
    if isinstance(type_, Choice):
        return {"integer", "number"} if all(isinstance(one, int) for one in type_.choices) else {"string"}
    return set()
