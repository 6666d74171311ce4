# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks for deletion what no item names, and says what a purge or a comparison leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from .._kinds.registry import TABLES
from .._kinds.tables import DOMAIN, PARENT
from .._schema.field_paths import Path
from .._schema.fields import Mutability
from .._schema.kind import Kind
from .._secrets.redaction import Secrets
from .._sources.checked_answers import PanelObject
from .deletion_guards import Protection
from .name_patterns import NamePatterns
from .object_names import name_object
from .panel_reader import PanelReader, list_existing
from .plan_state import PlanState, get_identity_of

if TYPE_CHECKING:
    from .._items.omissions import Omission


def mark_unnamed(
    state: PlanState, reader: PanelReader, purged: Collection[str], protect: Protection
) -> None:
    """Mark for deletion what no item names, except what is protected, what the panel made by
    itself, and what no item could be for, which the state gets as spared.
    """
    from .._items.exporter import Exporter  # noqa: PLC0415 - few tasks purge

    source = state.source
    # An export knows no other secret, so no item can be for what has this one.
    secrets = Secrets([source.session.connection.api_key])
    exporter = Exporter(
        lambda plural: list_existing(source.get_objects(TABLES[plural])),
        TABLES,
        lambda text: secrets.mask_given(text) != text,
        lambda kind, actual: (
            source.get_objects(kind).with_fields(dict(actual), _list_needed_paths(kind)) or actual
        ),
    )
    for kind in [kind for plural, kind in TABLES.items() if plural in purged]:
        unnamed: list[PanelObject] = []
        for actual in _list_unclaimed(state, reader, kind, protect):
            exported, omissions = exporter.export_item(kind, actual)
            if exported is None:
                state.note_spared(omissions)
            else:
                unnamed.append(actual)
        _mark_in_order(state, kind, unnamed)


def _list_unclaimed(
    state: PlanState, reader: PanelReader, kind: Kind, protect: Protection
) -> Iterator[PanelObject]:
    """Yield the objects of a kind that no item is for, that the panel did not make by itself, and
    that are not protected.
    """
    objects = state.source.get_objects(kind)
    claimed = state.claimed
    needed = _list_needed_paths(kind)
    if kind is DOMAIN:
        needed.add(("is_system_domain",))
    reader.complete(
        objects,
        [
            (actual, needed)
            for actual in objects.list_all()
            if get_identity_of(kind, actual) not in claimed
        ],
    )
    patterns = NamePatterns(protect.get(kind.plural, ()), kind.plural)
    for actual in objects.list_all():
        if get_identity_of(kind, actual) in claimed or _is_made_by_panel(state, kind, actual):
            continue
        if not patterns.fits(name_object(state.source, kind, actual)):
            yield actual


def _mark_in_order(state: PlanState, kind: Kind, unnamed: list[PanelObject]) -> None:
    """Mark objects for deletion by name, so that the checksum is the same in whatever order the
    panel shows them.
    """
    objects = state.source.get_objects(kind)
    last = kind.rules.keep_last
    # Of what the panel cannot do without, the first one stays.
    unnamed.sort(
        key=lambda actual: (name_object(state.source, kind, actual), str(actual.get("id"))),
        reverse=last is not None,
    )
    for actual in unnamed:
        if last is None or [actual] != [
            existing for existing in list_existing(objects) if existing.get(last, True)
        ]:
            state.mark_for_deletion(kind, None, actual)


def _list_needed_paths(kind: Kind) -> set[Path]:
    """Return the paths of the fields that an item cannot do without."""
    references = {(field.name,) for field in kind.references if field.change is not Mutability.FREE}
    required = {path for path, field in kind.walk_fields() if field.required and len(path) == 1}
    return references | required


def _is_made_by_panel(state: PlanState, kind: Kind, current: PanelObject) -> bool:
    """Tell whether the panel makes it by itself: with a client, or the www subdomain that an item
    asks for.
    """
    if current.get("is_system_domain") is True:
        return True
    if kind is not DOMAIN:
        return False
    parent = state.claimed.get((kind.path, current.get(PARENT)))
    has_www = parent is not None and parent.desired.values.get("create_www_subdomain") is True
    return has_www and str(current.get("domain")).startswith("www.")


def describe_spared_objects(spared: Iterable[Omission], option: str) -> Iterator[str]:
    """Yield why a purge leaves objects. option: what messages call the option purge."""
    for omission, labels in _group_spared(spared):
        yield (
            f"{option}: {omission.kind}: {labels}: not deleted, since no item could keep it: {omission.reason}. "
            "Delete such objects by id, with state: absent."
        )


def describe_uncompared_objects(spared: Iterable[Omission]) -> Iterator[str]:
    """Yield why a comparison says nothing about objects of the panel."""
    for omission, labels in _group_spared(spared):
        yield f"{omission.kind}: {labels}: not compared, since no item could keep it: {omission.reason}."


def _group_spared(spared: Iterable[Omission]) -> Iterator[tuple[Omission, str]]:
    from .._items.omissions import group_by_reason  # noqa: PLC0415 - few tasks purge

    return group_by_reason(spared, lambda omission: f"{omission.key} (id {omission.id})")
