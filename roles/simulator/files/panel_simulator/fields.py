"""How the fields of a kind are declared, and how a body is read against the declaration."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.values import Value

MISSING = object()


@dataclass(frozen=True)
class Field:
    """One field.

    ``access``: ``rw``; ``create`` (given once, shown, the same value is tolerated later); ``flag`` (given at creation, never shown);
    ``ro`` (shown; what a body says about it is ignored). ``inferred`` marks what no source proves.
    """

    name: str
    value: Value
    default: Any = MISSING
    access: str = "rw"
    required: bool = False
    inferred: bool = False


@dataclass(frozen=True)
class Rules:
    """Settings that decide how a body is read. extra: fields that only this panel knows."""

    replace_nested: bool = False
    refuse_unknown: bool = False
    extra: Sequence[str] = ()

    def unknown(self, where: str) -> None:
        """What happens to a field that no table names."""
        if self.refuse_unknown:
            raise Invalid(f"{where}: unknown member.")


class Members(Value):
    """An object with fields of its own; ``keeps`` names those that replacing the whole object leaves alone."""

    def __init__(self, *fields: Field, keeps: frozenset[str] = frozenset()) -> None:
        self.fields, self.keeps = fields, keeps
        self.by_name = {item.name: item for item in fields}
        self.schema = {"type": "object", "properties": {item.name: describe(item) for item in fields}}

    def defaults(self) -> dict[str, Any]:
        """A new object with every field at its default."""
        return {item.name: copy.copy(item.default) for item in self.fields if item.default is not MISSING}

    def converted(self, value: Any) -> Any:
        return converted(self.fields, value) if isinstance(value, Mapping) else value

    def merge(self, value: Any, where: str, current: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
        """``current`` with the given fields; with ``rules.replace_nested`` the others fall back to their defaults."""
        if not isinstance(value, Mapping):
            raise Invalid(f"{where}: must be an object.")
        result = dict(current)
        if rules.replace_nested:
            result = self.defaults() | {name: current[name] for name in self.keeps if name in current}
        for name, given in value.items():
            item = self.by_name.get(name)
            if item is None:
                rules.unknown(f"{where}.{name}")
            elif item.access != "ro":
                result[name] = item.value.check(given, f"{where}.{name}")
        return result


def describe(item: Field) -> dict[str, Any]:
    """The OpenAPI schema of a field."""
    schema = dict(item.value.schema)
    if item.access in ("ro", "flag"):
        schema["readOnly" if item.access == "ro" else "writeOnly"] = True
    if item.inferred:
        schema["x-inferred"] = True
    return schema


def converted(fields: Sequence[Field], body: Mapping[str, Any]) -> dict[str, Any]:
    """A body with scalars of other types as PHP takes them: "17" for 17, 1 for true, 5 for "5"."""
    values = {item.name: item.value for item in fields}
    return {name: values[name].converted(value) if name in values else value for name, value in body.items()}


def read_body(
    fields: Sequence[Field], body: Mapping[str, Any], current: Mapping[str, Any] | None, rules: Rules
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(fields to show, fields given but not shown) after a POST (``current`` is None) or a PUT."""
    shown: dict[str, Any] = dict(current) if current is not None else {}
    given: dict[str, Any] = {}
    for item in fields:
        if item.name not in body or item.access == "ro":
            if current is None and item.access != "flag":
                _set_default(item, shown)
            continue
        value = body[item.name]
        if item.access == "flag":
            given[item.name] = item.value.check(value, item.name)
        elif isinstance(item.value, Members):
            base = item.value.defaults() if current is None else current.get(item.name, {})
            shown[item.name] = item.value.merge(value, item.name, base, rules)
        else:
            shown[item.name] = item.value.check(value, item.name)
            if item.access == "create" and current is not None and shown[item.name] != current.get(item.name):
                raise Invalid(f"{item.name}: cannot be changed.")
    names = {item.name for item in fields}
    for name in (name for name in body if name not in names):
        if name in rules.extra:
            shown[name] = body[name]
        else:
            rules.unknown(name)
    return shown, given


def _set_default(item: Field, shown: dict[str, Any]) -> None:
    if item.required:
        raise Invalid(f"{item.name}: this member is required.")
    if isinstance(item.value, Members):
        shown[item.name] = item.value.defaults()
    elif item.default is not MISSING:
        shown[item.name] = copy.copy(item.default)
