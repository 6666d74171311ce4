"""The members of every kind, from the collection's tables, with the sample values of
tests/support/samples.yml."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import (
    Field,
    Mutability,
    Reference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.groups import Group
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "support" / "samples.yml"


@dataclass(frozen=True)
class Sample:
    """One value: what a task says, what goes over the wire, what changes with it (by path in the
    body), what a task has to say beside it."""

    option: Any
    wire: Any
    also: Mapping[str, Any] = dataclass_field(default_factory=dict)
    beside: Mapping[str, Any] = dataclass_field(default_factory=dict)


@dataclass(frozen=True)
class Member:
    """A field or reference of a kind.

    ``path`` is its name in options, ``wire_path`` that in bodies; dotted inside of a group.
    """

    kind: Kind
    row: Field | Reference
    group: Group | None = None

    @property
    def path(self) -> str:
        """Return the name in options."""
        return self._qualify_name(self.row.option)

    @property
    def wire_path(self) -> str:
        """Return the name in bodies of requests and answers."""
        return self._qualify_name(self.row.name)

    @property
    def is_free(self) -> bool:
        """Return whether the field can be changed at any time."""
        return self.row.change is Mutability.FREE

    @property
    def type_name(self) -> str:
        """Return the name of the class of its type."""
        if isinstance(self.row, Reference):
            return "Reference"
        return type(self.row.type).__name__

    @property
    def takes_empty(self) -> bool:
        """Return whether the table says that an empty value is one."""
        if isinstance(self.row, Reference):
            return self.row.empty_is_zero

        try:
            self.row.type.parse([] if self.is_list else "")
        except ValueError:
            return False

        return True

    @property
    def is_list(self) -> bool:
        """Return whether its value is a list."""
        return not isinstance(self.row, Reference) and self.row.type.option_type == "list"

    @property
    def values(self) -> list[Sample]:
        """Return the sample values, of which a test wants two."""
        return [make_sample(value) for value in self._described.get("values", [])]

    @property
    def cleared(self) -> Sample | None:
        """Return the sample that clears the field."""
        described = self._described.get("cleared")
        if described is None or not self.takes_empty:
            return None
        return make_sample(described)

    @property
    def ahead(self) -> list[Any]:
        """Return the paths that are read before another value of it is sent."""
        return list(self._described.get("ahead", ()))

    @property
    def warned(self) -> tuple[str, ...]:
        """Return the warnings where another value of it is told of an object that exists."""
        return tuple(self._described.get("warned", ()))

    @property
    def form(self) -> str:
        """Return what it takes, in the words of a message."""
        return str(self._form.get("form", ""))

    @property
    def wrong(self) -> list[Any]:
        """Return values that must be refused."""
        return list(self._form.get("wrong", ()))

    @property
    def unusual(self) -> list[Any]:
        """Return values that must be refused unless the object has them already."""
        return list(self._form.get("unusual", ()))

    @property
    def _form(self) -> dict[str, Any]:
        switches: dict[str, Any]
        switches, *forms = read_samples()["forms"]
        if self.type_name == "Boolean":
            return switches

        name = f"{self.kind.singular}.{self.path}"

        for form in forms:
            if name in form["of"]:
                described: dict[str, Any] = form
                return described

        return {}

    @property
    def _described(self) -> dict[str, Any]:
        data = read_samples()
        of_type = data["types"].get(self.type_name, {})
        of_kind = data["kinds"].get(self.kind.singular, {}).get("members", {})
        return {**of_type, **of_kind.get(self.path, {})}

    def _qualify_name(self, name: str) -> str:
        if self.group is None:
            return name
        return f"{self.group.name}.{name}"


@cache
def read_samples() -> dict[str, Any]:
    """Return the content of the data file."""
    # The parser in C takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    content: dict[str, Any] = yaml.load(SAMPLES.read_text(encoding="utf-8"), Loader=loader)
    return content


@cache
def read_kinds() -> dict[str, Kind]:
    """Return every kind that has a table, by its singular name."""
    return {kind.singular: kind for kind in sorted(TABLES.values(), key=lambda kind: kind.singular)}


def list_members(kind: Kind) -> Iterator[Member]:
    """Yield the members of a kind but for its key."""
    for row in kind.fields:
        if isinstance(row, Group):
            yield from (Member(kind, member, row) for member in row.fields)
        else:
            yield Member(kind, row)


def list_rows(kind: Kind) -> list[Member]:
    """Return the members of a kind, its key among them."""
    return [*(Member(kind, row) for row in kind.key), *list_members(kind)]


def get_key(kind: Kind) -> dict[str, Sample]:
    """Return the samples of the natural key, by option."""
    return {
        name: make_sample(value)
        for name, value in read_samples()["kinds"][kind.singular]["key"].items()
    }


def make_wire_key(kind: Kind) -> dict[str, Any]:
    """Return the natural key as it goes over the wire."""
    names = {row.option: row.name for row in kind.key}
    return {names[option]: sample.wire for option, sample in get_key(kind).items()}


def put(target: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Set a member by its dotted path and returns the target."""
    *groups, name = path.split(".")
    inner = target
    for group in groups:
        inner = inner.setdefault(group, {})

    inner[name] = copy.deepcopy(value)

    return target


def find_value_at(options: Mapping[str, Any], path: str) -> Any:
    """Return the value of a member by its dotted path; None where there is none."""
    value: Any = options
    for name in path.split("."):
        value = (value or {}).get(name)

    return value


def resolve_value(value: Any, id_of: Callable[[str], int], pem: Mapping[str, str]) -> Any:
    """Return a copy with ids and texts in the places of ``{id_of: ...}`` and ``{pem: ...}``."""
    if isinstance(value, Mapping):
        if set(value) == {"id_of"}:
            return id_of(value["id_of"])
        if set(value) == {"pem"}:
            return pem[value["pem"]]
        return {name: resolve_value(member, id_of, pem) for name, member in value.items()}

    if isinstance(value, (list, tuple)):
        return [resolve_value(entry, id_of, pem) for entry in value]

    return value


def make_sample(value: Any) -> Sample:
    """Return a value of the data file."""
    if isinstance(value, dict) and "option" in value:
        wire = value.get("wire", value["option"])
        return Sample(value["option"], wire, value.get("also", {}), value.get("beside", {}))
    return Sample(value, value)
