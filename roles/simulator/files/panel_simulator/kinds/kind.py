"""What a kind of resource declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from panel_simulator.fields import Field
from panel_simulator.panel import Panel
from panel_simulator.store import Claim, Entry

FORMS = frozenset({"list", "create", "id", "name"})


@dataclass
class Change:
    """A create (``entry`` is None) or an update on its way.

    ``data`` are the members as they will be, ``given`` the write-only members, ``body`` the request as sent, ``hidden`` what the object
    keeps and never shows; ``is_internal`` is true when the panel itself creates the object.
    """

    entry: Entry | None
    data: dict[str, Any]
    given: dict[str, Any]
    body: Mapping[str, Any]
    is_internal: bool = False
    hidden: dict[str, Any] = field(default_factory=dict)

    def old(self, name: str) -> Any:
        """The member's value before the change, None on create."""
        return self.entry.data.get(name) if self.entry else None


def _nothing(*_arguments: Any) -> None:
    return None


def _as_it_is(name: str) -> str:
    return name


@dataclass(frozen=True)
class Kind:
    """One kind of resource; the functions are the few things that a table cannot say.

    ``check_deletion`` refuses a deletion that a request asks for; ``deleting`` does what goes with any deletion.

    ``sorts`` are the values of the query parameter ``sort``, ``documented`` the paths that the interface document has. ``key`` must be
    unique among all that share ``key_scope``, and so must the texts in the list ``further_keys``.
    """

    name: str
    noun: str
    fields: tuple[Field, ...]
    sorts: tuple[str, ...]
    documented: frozenset[str] = FORMS
    shared_sequence: str = ""
    key: str = ""
    key_scope: str = ""
    further_keys: str = ""
    by_name: bool = True
    has_status: bool = False
    has_password: bool = False
    needs_hash_system: bool = False
    name_form: Callable[[str], str] = _as_it_is
    prepare: Callable[[Panel, Change], None] = _nothing
    created: Callable[[Panel, Entry, Change], None] = _nothing
    updated: Callable[[Panel, Entry, Change], None] = _nothing
    check_deletion: Callable[[Panel, Entry], None] = _nothing
    deleting: Callable[[Panel, Entry], None] = _nothing
    show: Callable[[Panel, Entry, dict[str, Any]], None] = _nothing
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The collection's path segment."""
        return self.name.replace("_", "-")

    @property
    def sequence(self) -> str:
        """The name of the sequence of ids."""
        return self.shared_sequence or self.name

    def claims(self, data: Mapping[str, Any]) -> list[Claim]:
        """What must be unique."""
        texts = [data[self.key], *data.get(self.further_keys, ())] if self.key else []
        return [(self.key_scope, text) for text in texts]
