# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds an object, and everything that its plan needs to know. Writes nothing.

First ``locate_object`` finds the object itself. Then ``resolve`` finds what it refers to. A look-up that
fails never means that something is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any, NamedTuple

from .._errors import Conflict, UnknownReference, name_subject_in_errors, raise_if_any
from .._problems import ProblemForm, Written
from .._schema.desired_object import DesiredObject
from .._schema.field_paths import Path, has_value
from .._schema.fields import OWNER, ResolvedReference
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import KeySearch, KindObjects, read_owner_id
from .._sources.object_source import ObjectSource
from .references import LookedUp, ObjectQuery, ReferenceFinder


class Location(NamedTuple):
    """The object that a task names.

    request: What is asked for.
    current: The object as it is; None where it is not there.
    references: Those in its natural key.
    looked_up: What was looked up for them.
    listed_ids: The ids of all objects in the list in which it was looked for, of a kind that the
        panel may keep under another name than was sent; None where no such list was read.
    """

    request: ObjectQuery
    current: PanelObject | None = None
    references: tuple[ResolvedReference, ...] = ()
    looked_up: LookedUp = LookedUp()
    listed_ids: Set[Any] | None = None


class Resolution(NamedTuple):
    """Everything that the plan of one object needs to know.

    request: What is asked for.
    current: The object as it is; None where it is not there.
    references: What its options refer to.
    inherited: Ids that a new object takes from another one.
    looked_up: What was looked up for them.
    listed_ids: As of ``Location``.
    """

    request: ObjectQuery
    current: PanelObject | None = None
    references: tuple[ResolvedReference, ...] = ()
    inherited: Mapping[str, Any] = {}
    looked_up: LookedUp = LookedUp()
    listed_ids: Set[Any] | None = None


def list_compared_paths(kind: Kind, desired: DesiredObject) -> set[Path]:
    """Return the paths of the fields that are compared; flags of creation and references that can
    be told without their id are not.
    """
    names = (desired.values.keys() - kind.creation_flags) | desired.extra.keys()
    paths: set[Path] = {(name,) for name in names}
    # A list may show a group, and not all of its fields. Secrets are shown nowhere.
    for path, field in kind.walk_fields():
        if not field.secret and has_value(desired.values, path):
            paths.add(path)
    for reference in desired.references:
        copy_fields = reference.field.copy_fields
        if not copy_fields:
            paths.add(reference.path)
        elif reference.reapply:
            paths.update((copy,) for copy in copy_fields)
    if desired.password.password_hash is not None:
        paths.add(("password_hash",))
    return paths - {(flag,) for flag in kind.creation_flags}


def locate_object(
    kind: Kind, desired: DesiredObject, source: ObjectSource[Any], assumes_missing: bool = False
) -> Location:
    """Find the object that a task names.

    Args:
        kind: Its kind.
        desired: What the task wants of it.
        source: Where objects are read from.
        assumes_missing: As of ``ObjectQuery``.

    Raises:
        PanelError: It cannot be told which object is meant, or what its natural key refers to is
        not there.
    """
    request = ObjectQuery(kind, desired, f"{kind.title} {desired.format_label()}", assumes_missing)
    with name_subject_in_errors(request.label, Written.NOTHING):
        if desired.id is None:
            return _locate_by_key(request, source)
        current = _find_by_id(request, source)
    if current is None:
        return Location(request)
    return Location(
        request._replace(label=f"{kind.title} {_describe_found(kind, desired, current)}"), current
    )


def locate_again(request: ObjectQuery, current: PanelObject) -> Location:
    """Return the location of an object that is there by now, whatever was looked up for its
    creation.
    """
    return Location(request._replace(assumes_missing=False), current)


def _describe_found(kind: Kind, desired: DesiredObject, current: PanelObject) -> str:
    """Return the name of an object that the task names by its id, which one with a key of several
    parts keeps.
    """
    number = f"with id {desired.id}"
    name = current.get(kind.name_field)
    if not isinstance(name, str) or not name:
        return number
    if len(kind.key) == 1:
        return name
    return f"{name} {number}"


def _find_by_id(request: ObjectQuery, source: ObjectSource[Any]) -> PanelObject | None:
    kind = request.kind
    desired = request.desired
    current: PanelObject | None = source.get_objects(kind).find_by_id(
        desired.id, list_compared_paths(kind, desired)
    )
    if current is None and desired.is_present:
        raise Conflict(
            f"the panel has no {kind.title} with id {desired.id}, and {kind.titles} are never created under another id.",
            option="id",
            written=Written.NOTHING,
            advice="Omit id, and name the object instead.",
            form=ProblemForm.MISMATCH,
        )
    return current


def _locate_by_key(request: ObjectQuery, source: ObjectSource[Any]) -> Location:
    kind = request.kind
    desired = request.desired
    finder = ReferenceFinder(source, request, LookedUp())
    references: list[ResolvedReference] = []
    key = dict(desired.key)
    for reference in desired.references:
        if reference.field not in kind.key:
            continue
        try:
            resolved = finder.resolve(reference, None)
        except UnknownReference:
            if desired.is_present:
                raise
            # Nothing can be in what is not there.
            return Location(request, None, tuple(references), finder.get_looked_up())
        references.append(resolved)
        key[reference.field.name] = resolved.resolved_id

    location = Location(request, None, tuple(references), finder.get_looked_up())
    if any(map(source.is_assumed, key.values())):
        return location
    key_of_kind = {field.name: key[field.name] for field in kind.key}
    search = _find_by_key(request, source, key_of_kind)
    return location._replace(current=search.item, listed_ids=search.listed_ids)


def _find_by_key(
    request: ObjectQuery, source: ObjectSource[Any], key: Mapping[str, Any]
) -> KeySearch:
    """Return the object with this key, or the one that has its new name already."""
    kind = request.kind
    desired = request.desired
    objects = source.get_objects(kind)
    paths = list_compared_paths(kind, desired)
    search = _search_by_key(objects, key, paths)
    name = key[kind.name_field]
    if not desired.is_present or desired.new_name in (None, name):
        return search

    current = search.item
    search_of_renamed = _search_by_key(objects, {**key, kind.name_field: desired.new_name}, paths)
    renamed = search_of_renamed.item
    if current is not None and renamed is not None:
        ids = f"(ids {current.get('id')} and {renamed.get('id')})"
        cause = (
            f"the {kind.title} {name} cannot be renamed, since {desired.new_name} exists too {ids}."
        )
        raise Conflict(cause, option="new_name", written=Written.NOTHING)
    return search if renamed is None else search_of_renamed


def _search_by_key(
    objects: KindObjects, key: Mapping[str, Any], paths: Iterable[Path]
) -> KeySearch:
    """Return the object with this key. Where the panel may give a new one another name, which only
    its list shows then, the object is looked for in the list.
    """
    if objects.kind.traits.has_scheme:
        return objects.search_list(key, paths)
    return KeySearch(objects.find_by_key(key, paths))


def resolve(location: Location, source: ObjectSource[Any]) -> Resolution:
    """Find what an object refers to.

    Raises:
        PanelError: What an option refers to is not there, or an option has what only an object that
        has it already keeps.
    """
    request = location.request
    current = location.current
    desired = request.desired
    _refuse_unusual(desired, current)
    if current is None and not desired.is_present:
        return Resolution(request, None, location.references, looked_up=location.looked_up)

    finder = ReferenceFinder(source, request, location.looked_up)
    references = {reference.path: reference for reference in location.references}
    for reference in desired.references:
        # What is created has nothing that could be out of date.
        is_needed = desired.is_present or reference.field.identifies_object
        if current is None:
            is_needed = reference.name_or_id is not None
        if is_needed and reference.path not in references:
            references[reference.path] = finder.resolve(reference, current)

    inherited: dict[str, Any] = {}
    if current is None:
        inherited = _find_inherited_ids(request, finder, references, source)
    return Resolution(
        request,
        current,
        tuple(references.values()),
        inherited,
        finder.get_looked_up(),
        location.listed_ids,
    )


def _refuse_unusual(desired: DesiredObject, current: Mapping[str, Any] | None) -> None:
    """Raise OptionError for what the options refuse, except what the object has already, and the
    name of one that is deleted.
    """
    if not desired.is_present:
        return
    refused = [unusual.problem for unusual in desired.unusual if not unusual.is_in(current)]
    raise_if_any([replace(problem, written=Written.NOTHING) for problem in refused])


def _find_inherited_ids(
    request: ObjectQuery,
    finder: ReferenceFinder,
    references: Mapping[Path, ResolvedReference],
    source: ObjectSource[Any],
) -> dict[str, Any]:
    """Return the owner of a new object where none is given: that of its address's domain, or of the
    domain that it is in.
    """
    kind = request.kind
    owner = kind.owner
    if owner is None or not owner.inherit or (OWNER,) in references:
        return {}
    if owner.inherit in kind.rules.addresses:
        (domain,) = kind.list_domains(owner.inherit, request.desired.key)
        return {OWNER: read_owner_id(finder.find_domain_of_address(owner.inherit, domain))}

    parent = references.get((owner.inherit,))
    if parent is None or parent.resolved_id == 0:
        return {}

    requested = parent.requested
    path = requested.field.kind_path
    actual = finder.find(requested.option_path, path, requested.name, requested.id)
    complete = source.get_objects_at(path).with_fields(dict(actual), [(OWNER,)])
    return {OWNER: read_owner_id(complete or actual)}
