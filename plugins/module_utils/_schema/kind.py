# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of object: the table that declares what the objects of a panel have, and how the panel
treats them. Pure.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple

from .._values.answer_forms import IDENTIFIER, AnswerForm, DictionaryOf, declare_numbers
from .._values.names import DomainName
from .._values.sizes import ByteSize, format_size_as_option
from .._values.value_types import Integer
from .field_paths import Path, get_value, set_value
from .fields import OWNER, Field, Mutability, Reference
from .groups import Group
from .password_options import Password


class PanelTraits(NamedTuple):
    """Describes how a panel treats the objects of a kind.

    by_name: Whether the API has /name/{name}; else the list is searched.
    is_inferred: Whether its paths are inferred (docs/panel_api.md#inferred-paths), so that a 404
        proves nothing.
    is_unique: Whether the panel itself refuses a second object with the same key.
    has_scheme: Whether servers have rules for such names, by which a panel may keep another one
        than was sent.
    has_status: Whether the panel applies an object later, and shows its status.
    sorts: What a list can be sorted by, the default first.
    """

    by_name: bool = True
    is_inferred: bool = False
    is_unique: bool = True
    has_scheme: bool = False
    has_status: bool = False
    sorts: tuple[str, ...] = ()


class ObjectRules(NamedTuple):
    """Says what a panel refuses, beyond the values of single fields.

    addresses: The fields with e-mail addresses, whose domains have to be there, with e-mail and of
        the same client.
    keep_last: The switch that one object has to have on.
    find_contradictions: Yields the option and the problem of everything in a new object that the
        panel refuses.
    """

    addresses: tuple[str, ...] = ()
    keep_last: str | None = None
    find_contradictions: Callable[[Mapping[str, Any]], Iterable[tuple[Path, str]]] | None = None


@dataclass(frozen=True)
class Kind:
    """Declares a kind of object.

    singular: The result key of its module, and the name of the module.
    key: The fields of the natural key.
    fields: The managed fields.
    plural: The result key of its info module, and the name of its list; the singular with an "s"
        where nothing else is said.
    title: What messages call an object; the singular where nothing else is said.
    path: The path below the API's base; the plural where nothing else is said.
    part_of: The plural of the kind whose objects have one each, with their ids.
    read_only: The fields that the panel shows and nobody sets, each with its form.
    is_renamable: Whether the option new_name renames an object.
    password: How it takes passwords; None where it has none.
    traits: How a panel treats such objects.
    rules: What a panel refuses of them.
    """

    singular: str
    key: tuple[Field, ...]
    fields: tuple[Field, ...] = ()
    plural: str = ""
    title: str = ""
    path: str = ""
    part_of: str = ""
    read_only: Mapping[str, AnswerForm] = field(default_factory=dict)
    is_renamable: bool = False
    password: Password | None = None
    traits: PanelTraits = field(default_factory=PanelTraits)
    rules: ObjectRules = field(default_factory=ObjectRules)

    def __post_init__(self) -> None:
        """Derive the names that are not given."""
        self._set_default("plural", f"{self.singular}s")
        self._set_default("title", self.singular.replace("_", " "))
        self._set_default("path", f"/{self.plural.replace('_', '-')}")

    def _set_default(self, name: str, value: str) -> None:
        if not getattr(self, name):
            object.__setattr__(self, name, value)

    # Names

    @property
    def module(self) -> str:
        """Return the name of the module that manages one object."""
        return f"panel_{self.singular}"

    @property
    def titles(self) -> str:
        """Return what messages call several objects."""
        if self.title.endswith("x"):
            return f"{self.title}es"
        return f"{self.title}s"

    @property
    def name_field(self) -> str:
        """Return the field with the name of an object, the last part of its natural key."""
        return self.key[-1].name

    @functools.cached_property
    def key_options(self) -> tuple[str, ...]:
        """Return the options that name an object."""
        return tuple(declared.option for declared in self.key)

    def format_key(self, options: Mapping[str, Any]) -> str | None:
        """Return the natural key in the panel's spelling, its parts joined with a colon; None where
        the options do not name the object by it.
        """
        names = []
        for declared in self.key:
            name = options.get(declared.option)
            if name is None or name == "":
                return None
            if isinstance(declared.type, DomainName):
                name = declared.type.normalize(name)
            names.append(str(name))

        return ":".join(names)

    # Fields

    def walk_fields(self) -> Iterator[tuple[Path, Field]]:
        """Yield the managed fields with their paths, those of groups one by one."""
        for declared in self.fields:
            if not isinstance(declared, Group):
                yield (declared.name,), declared
                continue
            for inner in declared.fields:
                yield (declared.name, inner.name), inner

    @functools.cached_property
    def references(self) -> tuple[Reference, ...]:
        """Return the references to other objects, those of the natural key first."""
        fields = [*self.key, *(declared for _path, declared in self.walk_fields())]
        return tuple(declared for declared in fields if isinstance(declared, Reference))

    @property
    def owner(self) -> Reference | None:
        """Return the field that says to which client an object belongs, and with whom it goes; None
        where it belongs to nobody.
        """
        for reference in self.references:
            if reference.name == OWNER:
                return reference
        return None

    @functools.cached_property
    def field_by_option(self) -> dict[str, Field]:
        """Return the field that reads an option, by option; those of the key are read always."""
        by_option: dict[str, Field] = {}
        for declared in self.fields:
            by_option.update(dict.fromkeys(declared.describe_arguments(), declared))
        return by_option

    @functools.cached_property
    def creation_flags(self) -> frozenset[str]:
        """Return the fields that apply only when the object is created."""
        return frozenset(
            declared.name for declared in self.fields if declared.change is Mutability.AT_CREATION
        )

    @functools.cached_property
    def answer_form(self) -> DictionaryOf:
        """Return the forms of all fields of such an object in an answer."""
        forms: dict[str, AnswerForm] = {"id": IDENTIFIER}
        if self.traits.has_status:
            forms.update(declare_numbers("status"))

        forms.update(self.read_only)
        for declared in (*self.key, *self.fields):
            forms[declared.name] = declared.answer_form
        return DictionaryOf(forms)

    # Domains of addresses

    def list_domains(self, name: str, fields: Mapping[str, Any]) -> list[str]:
        """Return the domains of the addresses in a field, or in each of its list; once each."""
        value = fields.get(name)
        addresses = value if isinstance(value, list) else [value]
        return list(dict.fromkeys(_read_domain(address) for address in addresses if address))

    def read_domain(self, item: Mapping[str, Any]) -> str | None:
        """Return the domain that an object is in by its name; None where its name is no address, or
        is not shown.
        """
        last_part = self.key[-1]
        if last_part.name not in self.rules.addresses:
            return None
        address = last_part.normalize(item.get(last_part.name))
        if address is None:
            return None
        return _read_domain(address)

    # Sizes

    @functools.cached_property
    def size_paths(self) -> frozenset[Path]:
        """Return the paths of the fields with numbers of bytes."""
        return frozenset(
            path for path, declared in self.walk_fields() if isinstance(declared.type, ByteSize)
        )

    @functools.cached_property
    def limit_paths(self) -> frozenset[Path]:
        """Return the paths of the fields with numbers of which -1 means that there is no limit."""
        return frozenset(
            path
            for path, declared in self.walk_fields()
            if isinstance(declared.type, Integer) and declared.type.unlimited
        )

    def display_sizes(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields for a person, with sizes and missing limits as people write them."""
        # Not by deepcopy, which copies Ansible's templar with each value of a template.
        displayed: dict[str, Any] = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in fields.items()
        }
        for path in self.size_paths:
            size = get_value(fields, path)
            if isinstance(size, int) and not isinstance(size, bool):
                set_value(displayed, path, format_size_as_option(size))
        for path in self.limit_paths - self.size_paths:
            if get_value(fields, path) == -1:
                set_value(displayed, path, format_size_as_option(-1))
        return displayed


def _read_domain(address: Any) -> str:
    """Return the domain of an e-mail address, in punycode."""
    return str(address).rpartition("@")[2]
