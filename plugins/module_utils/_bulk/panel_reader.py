# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of a panel what a plan for many objects certainly needs, ahead of the first decision."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import Conflict, OptionError, PanelError, Refused, UnexpectedAnswer, UnknownReference
from .._items.desired_items import Item
from .._kinds.registry import BY_PATH, DNS, IN_DOMAINS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, PARENT
from .._operation.operation import report_progress
from .._problems import ItemName
from .._resolve.resolution import list_compared_paths
from .._schema.field_paths import Path, has_values
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import is_planned
from .._sources.snapshot_source import SnapshotObjects, SnapshotSource

if TYPE_CHECKING:
    from .._dns.located_zone import LocatedZone

Items = Mapping[str, list[Item]]


class _SoughtField(NamedTuple):
    """A field of objects in a list that the plan compares.

    path: Where it is in an object.
    replaces: The field that it tells where an object does not show that one; None where it is
        compared itself.
    """

    path: Path
    replaces: str | None = None

    def is_needed_of(self, actual: PanelObject) -> bool:
        """Tell whether the plan needs the field of an object."""
        return self.replaces is None or actual.get(self.replaces) is None


class PanelReader:
    """Reads what a plan needs, several requests at once.

    source: The lists of the panel.
    """

    def __init__(
        self,
        source: SnapshotSource,
        items: Items,
        deleting: Set[str],
        say: Callable[[str], None],
    ) -> None:
        """Prepare to read.

        Args:
            source: The lists of the panel.
            items: What is desired, by plural kind.
            deleting: The kinds of which objects may be deleted.
            say: As of Task.
        """
        self._source = source
        self._items = items
        self._deleting = deleting
        self._say = say

    def read_lists(self) -> None:
        """Ask for one list for each kind that is certainly needed, and for each object of a list
        that leaves out what is compared.
        """
        needed = self._find_needed_kinds()
        all_objects = [
            self._source.get_objects(kind) for plural, kind in TABLES.items() if plural in needed
        ]
        self.read_at_once(SnapshotObjects.list_all, all_objects, "lists read")
        for objects in all_objects:
            self.complete(objects, self._list_compared(objects))

    def _find_needed_kinds(self) -> set[str]:
        needed = {plural for plural, items in self._items.items() if items} | self._deleting
        for item in chain.from_iterable(self._items.values()):
            for reference in item.desired.references:
                if reference.name is not None or reference.field.copy_fields:
                    needed.add(BY_PATH[reference.field.kind_path].plural)
        if DOMAIN.plural in self._deleting:
            needed.update(IN_DOMAINS)
        if any(
            CLIENT.plural in self._deleting or item.desired.id is not None
            for item in self._items.get(DNS, ())
        ):
            needed.add(DOMAIN.plural)
        return needed

    def complete(
        self, objects: SnapshotObjects, needed: Iterable[tuple[PanelObject, Set[Path]]]
    ) -> None:
        """Ask for each object that lacks any of its fields that are needed, since a panel may show
        a flag only where it is set.
        """
        incomplete = [(actual, paths) for actual, paths in needed if not has_values(actual, paths)]
        self.read_at_once(lambda pair: objects.with_fields(*pair), incomplete)

    def _list_compared(self, objects: SnapshotObjects) -> Iterator[tuple[PanelObject, Set[Path]]]:
        """Yield the objects of a list, each with the paths of the fields that are compared."""
        kind = objects.kind
        field = kind.key[-1]
        sought = self._find_sought_fields(kind)
        always: set[_SoughtField] = set()
        # It tells what is deleted with an object, or whether that is the last one.
        telling = PARENT if kind is DOMAIN else kind.rules.keep_last
        if telling is not None and kind.plural in self._deleting:
            always = {_SoughtField((telling,))}
        for actual in objects.list_all():
            name = field.normalize(actual.get(field.name))
            sought_fields = {*always, *sought.get(actual.get("id"), ()), *sought.get(name, ())}
            yield (
                actual,
                {
                    sought_field.path
                    for sought_field in sought_fields
                    if sought_field.is_needed_of(actual)
                },
            )

    def _find_sought_fields(self, kind: Kind) -> dict[Any, set[_SoughtField]]:
        """Return by id or name the fields that are compared."""
        field = kind.key[-1]
        sought: dict[Any, set[_SoughtField]] = {}
        for item in self._items.get(kind.plural, ()):
            if item.is_absent:
                continue
            named = item.desired.id or field.normalize(item.desired.key.get(field.name))
            fields = sought.setdefault(named, set())
            fields.update(map(_SoughtField, list_compared_paths(kind, item.desired)))
            # What an object got from another one tells which it is where its id is not shown.
            for reference in item.desired.references:
                fields.update(
                    _SoughtField((copy,), replaces=reference.field.name)
                    for copy in reference.field.copy_fields
                )
        return sought

    def read_zones(self) -> dict[ItemName, LocatedZone | PanelError]:
        """Return the zones by the names of their items; in place of one that is not to be had, why
        not.
        """
        items = self._items.get(DNS, [])
        if not items:
            return {}
        from .._dns.located_zone import locate_zone  # noqa: PLC0415 - most lists have no zones, and their package is large

        # The zones of new domains cannot be read yet.
        new_domains = self._find_new_keys(DOMAIN)
        new_clients = self._find_new_keys(CLIENT)

        def read(item: Item) -> LocatedZone | PanelError:
            zone: Any = item.zone
            try:
                return locate_zone(self._source, zone, new_domains, new_clients)
            except (Conflict, OptionError, Refused, UnexpectedAnswer, UnknownReference) as error:
                # Of what else fails, the other zones would only be asked for in vain.
                return error

        return dict(
            zip([item.name for item in items], self.read_at_once(read, items, "zones read"))
        )

    def _find_new_keys(self, kind: Kind) -> frozenset[str]:
        """Return the natural keys of the objects of a kind that the task creates."""
        desired = [item.key for item in self._items.get(kind.plural, ()) if not item.is_absent]
        objects = self._source.get_objects(kind)
        return frozenset(
            key for key in desired if not objects.list_candidates({kind.name_field: key})
        )

    def read_at_once(
        self, read: Callable[[Any], Any], desired: Sequence[Any], counted: str = "objects read"
    ) -> list[Any]:
        """Read the first alone, since a panel that does not accept the key shall be asked once, and
        then several at once.
        """
        has_failed = threading.Event()

        def read_unless_failed(each: Any) -> Any:
            if has_failed.is_set():
                return None
            try:
                return read(each)
            except BaseException:
                has_failed.set()
                raise

        first = [read_unless_failed(each) for each in desired[:1]]
        with ThreadPoolExecutor(self._source.session.limiter.most) as pool:
            results = chain(first, pool.map(read_unless_failed, desired[1:]))
            return list(report_progress(results, counted, len(desired), self._say))


def list_existing(objects: SnapshotObjects) -> list[PanelObject]:
    """Return what is on the panel, without what is only planned."""
    return [actual for actual in objects.list_all() if not is_planned(actual.get("id"))]
