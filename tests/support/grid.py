"""The behaviours of every kind, generated from its table.

What a task says, what is on the panel, and what must be sent.

Each behaviour is run three times: in check mode, for real, and again. The bodies expected come from
the samples, not from the collection's own planning.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import (
    Mutability,
    Reference,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.groups import Group
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support.samples import (
    Member,
    Sample,
    find_value_at,
    get_key,
    list_members,
    make_wire_key,
    put,
    read_kinds,
    read_samples,
)

CHECK = "check"
REAL = "real"
AGAIN = "again"
STEPS = (CHECK, REAL, AGAIN)
PASSWORD = "gr1d pass/word+ü"
HASH = "$6$saltsalt$gridhashgridhash"
OF_EVERY_KIND = ("created with every member", "deleted")
# The panel that forgives least: it refuses members that it does not know, and loses those of a
# group that are not sent.
STRICT = {"unknown_members": "refuse", "nested_update": "replace", "scalars": "refused"}
# The simulator's own names of kinds, where they are others.
SIMULATOR_KINDS = {"plans": "hosting_plans"}


@dataclass(frozen=True)
class Write:
    """A request that must be sent.

    ``on``: the object whose id ends the path. ``unchanged``: by group, what is sent beside the
    changes.
    """

    method: str
    body: Mapping[str, Any] | None = None
    on: str | None = None
    unchanged: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


# Stands for the id of the object that a step creates.
NEW = "new"


@dataclass(frozen=True)
class Behaviour:
    """One thing that a task does. ``existing``: the body of the object on the panel.

    ``warned``: its warnings. ``ahead``: the paths that it reads before it writes, besides finding
    the object and what its options name. ``repeats``: it writes in every run. ``generates``: the
    panel makes a password. ``refused``: words of the message of a failure; ``unread``: which comes
    before the first request.
    """

    kind: Kind
    title: str
    options: Mapping[str, Any]
    write: Write | None = None
    existing: Mapping[str, Any] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    ahead: Sequence[Any] = ()
    repeats: bool = False
    generates: bool = False
    refused: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    unread: bool = False
    about: str = ""

    @property
    def name(self) -> str:
        """Return the name of the behaviour with its kind."""
        return f"{self.kind.singular}: {self.title}"

    def list_calls(self, step: str) -> list[Any]:
        """Return every request of a step in its order.

        Method and path, whose parts may still have to be resolved.
        """
        reads: list[Any] = [("GET", path) for path in self._list_reads(step)]
        if self.write is None or step == CHECK or (step == AGAIN and not self.repeats):
            return reads
        path = _make_path_of_existing(self.kind) if self.write.on else self.kind.path
        written = [(self.write.method, path)]
        # What the panel would make twice is looked for just before its creation; what it may rename
        # is looked at after it.
        is_new = self.write.method == "POST"
        before = [("GET", path)] if is_new and _has(self.kind, "doubled") else []
        after = [("GET", [self.kind.path, NEW])] if is_new and _has(self.kind, "scheme") else []

        return [*reads, *before, *written, *after]

    def _list_reads(self, step: str) -> list[Any]:
        """Return the paths that a step reads before it writes."""
        if self.unread:
            return []
        is_first = step != AGAIN
        is_there = self.existing is not None if is_first else self.options.get("state") != "absent"

        if self.options.get("state") == "absent":
            # Of a path that is inferred the list decides whether an id is gone.
            proof = [self.kind.path] if _has(self.kind, "inferred") and "id" in self.options else []
            return [*self._list_finding_reads(), *(self.ahead if is_there else proof)]

        # A list need not show hashes, so the object itself is asked for its own.
        is_shown = (
            self.kind.traits.by_name or self.settings.get("password_hashes") == "written_and_shown"
        )
        asked = (
            [_make_path_of_existing(self.kind)]
            if "password_hash" in self.options and is_there and not is_shown
            else []
        )
        ahead = self.ahead if is_first or self.refused or self.repeats else ()

        return [*self._list_finding_reads(), *asked, *self._list_reads_of_references(), *ahead]

    def _list_finding_reads(self) -> list[Any]:
        """Return the paths that find the object.

        By its id, by its name, or in the list, for which the owner's id has to be known.

        A name that a web server might not hand over is looked for in the list too.
        """
        if "id" in self.options:
            return [_make_path_of_existing(self.kind)]
        owners = [
            _make_reads_by_name(row, self.options[row.option])
            for row in self.kind.key
            if isinstance(row, Reference)
        ]
        if not self.kind.traits.by_name:
            return [*owners, self.kind.path]
        names = [
            make_wire_key(self.kind)[self.kind.name_field],
            *([self.options["new_name"]] if "new_name" in self.options else []),
        ]

        return [_make_read_at_name(self.kind.path, name) for name in names]

    def _list_reads_of_references(self) -> list[Any]:
        """Return the paths of what the options name."""
        members = []
        for member in list_members(self.kind):
            name = find_value_at(self.options, member.path)
            if isinstance(member.row, Reference) and name:
                members.append(_make_reads_by_name(member.row, name))

        return members


@functools.cache
def list_behaviours() -> tuple[Behaviour, ...]:
    """Return every behaviour of every kind."""
    return tuple(
        behaviour for kind in read_kinds().values() for behaviour in _list_behaviours_of_kind(kind)
    )


def list_details() -> list[Behaviour]:
    """Return what the slow ways do without.

    Several things at once, and an object that is named by its id.
    """
    return [
        behaviour for kind in read_kinds().values() for behaviour in _list_details_of_kind(kind)
    ]


def _list_details_of_kind(kind: Kind) -> Iterator[Behaviour]:
    member, *_further_members = (
        candidate
        for candidate in list_members(kind)
        if candidate.is_free and not isinstance(candidate.row, Reference)
    )
    changed = _make_sent_behaviour(member, "changed", member.values[1])
    by_id = put({"id": {"id_of": get_existing_label(kind)}}, member.path, member.values[1].option)

    yield replace(changed, title="changed by id", options=by_id)

    if kind.is_renamable:
        new_name = read_samples()["kinds"][kind.singular]["new_name"]
        options = {**changed.options, "new_name": new_name}
        write = _update(kind, {kind.name_field: new_name, member.wire_path: member.values[1].wire})
        yield replace(changed, title="renamed and changed", options=options, write=write)
        existing = {**make_full_body(kind), kind.name_field: new_name}
        yield replace(
            changed, title="renamed already and changed", options=options, existing=existing
        )


def select_behaviours(every: Iterable[Behaviour]) -> list[Behaviour]:
    """Select behaviours for the slow way.

    Each behaviour once, each verb on each type of value once, and the life of an object of every
    kind.
    """
    chosen: dict[tuple[str, ...], Behaviour] = {}
    for behaviour in every:
        kind = (behaviour.kind.singular,) if behaviour.title in OF_EVERY_KIND else ()
        is_about_value = bool(behaviour.about)
        verb = behaviour.title.partition(" ")[2] if is_about_value else behaviour.title
        chosen.setdefault((behaviour.about, verb, *kind), behaviour)

    return list(chosen.values())


def get_existing_label(kind: Kind) -> str:
    """Return how ``id_of`` names the object that behaviours put on the panel."""
    return f"{kind.plural}/existing"


def _make_path_of_existing(kind: Kind) -> list[Any]:
    """Return the path of the object that behaviours put on the panel."""
    return [kind.path, {"id_of": get_existing_label(kind)}]


def _has(kind: Kind, trait: str) -> bool:
    return trait in read_samples()["kinds"][kind.singular].get("traits", ())


def _make_reads_by_name(row: Reference, name: Any) -> list[Any]:
    objects: list[Any] = _make_read_at_name(row.kind_path, name)
    return objects


def _make_read_at_name(path: str, name: Any) -> Any:
    return [path, "name", name] if re.fullmatch(r"[A-Za-z0-9._~@-]+", str(name)) else path


def _list_reads_ahead(kind: Kind, of: str) -> list[Any]:
    """Return the paths that are read before a write of an object of this kind.

    A creation, a full creation, a change or a deletion.
    """
    described: dict[str, Any] = read_samples()["kinds"][kind.singular].get("ahead", {})
    return list(described.get(of, ()))


def make_full_body(kind: Kind) -> dict[str, Any]:
    """Return every member of a kind with its first value, as it goes over the wire."""
    body: dict[str, Any] = make_wire_key(kind)
    for member in list_members(kind):
        put(body, member.wire_path, member.values[0].wire)
    return body


def _list_behaviours_of_kind(kind: Kind) -> Iterator[Behaviour]:
    yield from _list_creations(kind)
    yield from _list_idle_runs(kind)
    for member in list_members(kind):
        yield from _list_changes(kind, member)
    yield from _list_changes_of_groups(kind)
    yield from _list_renamings(kind)
    yield from _list_deletions(kind)
    yield from _list_extras(kind)
    if kind.password is not None:
        yield from _list_password_changes(kind)


def make_key_options(kind: Kind) -> dict[str, Any]:
    """Return the options that name the object of a kind."""
    return {name: sample.option for name, sample in get_key(kind).items()}


def make_smallest_creation(kind: Kind) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options and the body of the smallest creation."""
    described = read_samples()["kinds"][kind.singular]
    options = make_key_options(kind)
    body = make_wire_key(kind)
    by_path = {member.path: member for member in list_members(kind)}

    for path in described.get("needed", ()):
        put(options, path, by_path[path].values[0].option)
        put(body, by_path[path].wire_path, by_path[path].values[0].wire)

    return options, {**body, **described.get("creation", {})}


def _make_full_options(kind: Kind) -> dict[str, Any]:
    options = make_key_options(kind)
    for member in list_members(kind):
        put(options, member.path, member.values[0].option)
    return options


def _list_creations(kind: Kind) -> Iterator[Behaviour]:
    generates = kind.password is not None
    options, body = make_smallest_creation(kind)
    created = Write("POST", body)
    ahead = _list_reads_ahead(kind, "creation")

    yield Behaviour(
        kind, "created with what is needed", options, created, ahead=ahead, generates=generates
    )

    full = Write("POST", make_full_body(kind))
    ahead = _list_reads_ahead(kind, "full creation") or ahead

    yield Behaviour(
        kind,
        "created with every member",
        _make_full_options(kind),
        full,
        ahead=ahead,
        generates=generates,
    )


def _list_idle_runs(kind: Kind) -> Iterator[Behaviour]:
    body = make_full_body(kind)
    identifier = {"id": {"id_of": get_existing_label(kind)}}

    yield Behaviour(kind, "every member right already", _make_full_options(kind), existing=body)

    yield Behaviour(kind, "only named", make_key_options(kind), existing=body)

    yield Behaviour(kind, "only named by id", identifier, existing=body)

    same_key = read_samples()["kinds"][kind.singular].get("same_key")
    if same_key:
        yield Behaviour(kind, "named in another spelling", same_key, existing=body)


def _list_changes(kind: Kind, member: Member) -> Iterator[Behaviour]:
    first, second = member.values[:2]
    if member.row.change is Mutability.IDENTITY:
        refusal = (f"{member.path}:", "Nothing was written")
        # The message tells the name of what it belongs to now.
        now = (
            [[member.row.kind_path, first.wire]]
            if isinstance(member.row, Reference) and first.wire
            else []
        )
        yield _make_unsent_change(member, "another identity", second, refused=refusal, ahead=now)
    elif member.row.change is Mutability.AT_CREATION:
        yield _make_unsent_change(member, "another flag of creation", second)
    elif _is_unreadable(member):
        # Without what it belongs to, a member that the panel does not show counts as right.
        yield _make_unsent_change(member, "not readable", second)
        return
    else:
        yield _make_sent_behaviour(member, "changed", second, member.ahead)

    if member.is_free and member.cleared is not None:
        yield _make_sent_behaviour(member, "cleared", member.cleared)

    if member.is_list:
        reordered = Sample(list(reversed(first.option)), list(reversed(first.wire)))
        yield _make_unsent_change(member, "reordered", reordered)
        yield _make_sent_behaviour(member, "shortened", Sample(first.option[:1], first.wire[:1]))

    if isinstance(member.row, Reference):
        yield from _list_changes_by_id(member, first, second)


def _is_unreadable(member: Member) -> bool:
    return getattr(member.row, "unchanged_with", None) is not None


def _make_options(member: Member, sample: Sample) -> dict[str, Any]:
    options = put(make_key_options(member.kind), member.path, sample.option)
    for path, value in sample.beside.items():
        put(options, path, value)
    return options


def _make_unsent_change(
    member: Member,
    verb: str,
    sample: Sample,
    refused: tuple[str, ...] = (),
    ahead: Sequence[Any] = (),
) -> Behaviour:
    """Return a value that is told and not sent."""
    return Behaviour(
        member.kind,
        f"{member.path} {verb}",
        _make_options(member, sample),
        existing=make_full_body(member.kind),
        ahead=ahead,
        refused=refused,
        warned=member.warned,
        about=member.type_name,
    )


def _make_sent_behaviour(
    member: Member, verb: str, sample: Sample, ahead: Sequence[Any] = ()
) -> Behaviour:
    options = _make_options(member, sample)
    changes = {member.wire_path: sample.wire, **sample.beside, **sample.also}

    return Behaviour(
        member.kind,
        f"{member.path} {verb}",
        options,
        _update(member.kind, changes),
        existing=make_full_body(member.kind),
        ahead=ahead or _list_reads_ahead(member.kind, "change"),
        about=member.type_name,
    )


def _update(kind: Kind, changes: Mapping[str, Any]) -> Write:
    """Return a PUT of these members by path.

    With the rest of their groups, since a panel may replace these, but for what it does not show.
    """
    body: dict[str, Any] = {}
    for path, value in changes.items():
        put(body, path, value)
    existing = make_full_body(kind)
    groups = [row for row in kind.fields if isinstance(row, Group) and row.name in body]
    unchanged: dict[str, Any] = {}

    for group in groups:
        names = {member.name for member in group.fields if not member.secret}
        names -= body[group.name].keys()
        unchanged[group.name] = {name: existing[group.name][name] for name in names}

    return Write("PUT", body, get_existing_label(kind), unchanged)


def _list_changes_by_id(member: Member, first: Sample, second: Sample) -> Iterator[Behaviour]:
    kind = member.kind
    body = make_full_body(member.kind)
    same = put(make_key_options(kind), member.wire_path, first.wire)

    yield Behaviour(
        kind, f"{member.wire_path} right already", same, existing=body, about="id of a reference"
    )

    if member.is_free:
        changed_options = put(make_key_options(kind), member.wire_path, second.wire)
        write = _update(kind, {member.wire_path: second.wire, **second.also})
        assert isinstance(member.row, Reference)
        ahead = [[member.row.kind_path, second.wire]]
        yield Behaviour(
            kind,
            f"{member.wire_path} changed",
            changed_options,
            write,
            existing=body,
            ahead=ahead,
            about="id of a reference",
        )


def _list_changes_of_groups(kind: Kind) -> Iterator[Behaviour]:
    for group in kind.fields:
        if not isinstance(group, Group):
            continue
        options = {**make_key_options(kind), group.name: {}}
        write: Write | None = None
        refused: tuple[str, ...] = (
            f"{group.name}:",
            "an empty dictionary would change nothing; list the fields to change.",
        )
        if group.clearable:
            cleared = {
                member.wire_path: _get_cleared_sample(member).wire
                for member in list_members(kind)
                if member.group is group
            }
            write = _update(kind, cleared)
            refused = ()
        yield Behaviour(
            kind,
            f"{group.name} emptied",
            options,
            write,
            existing=make_full_body(kind),
            refused=refused,
            unread=bool(refused),
            about="Group",
        )


def _get_cleared_sample(member: Member) -> Sample:
    assert member.cleared is not None, (
        f"{member.kind.singular}: {member.path} has no sample that clears it"
    )
    return member.cleared


def _list_renamings(kind: Kind) -> Iterator[Behaviour]:
    if not kind.is_renamable:
        return
    new_name = read_samples()["kinds"][kind.singular]["new_name"]
    options, body = make_smallest_creation(kind)
    rename = {kind.name_field: new_name}
    named = {**make_key_options(kind), "new_name": new_name}

    yield Behaviour(kind, "renamed", named, _update(kind, rename), existing=make_full_body(kind))

    yield Behaviour(kind, "renamed already", named, existing={**make_full_body(kind), **rename})

    renaming_options = {**options, "new_name": new_name}

    yield Behaviour(
        kind, "created under its new name", renaming_options, Write("POST", {**body, **rename})
    )


def _list_deletions(kind: Kind) -> Iterator[Behaviour]:
    existing = make_full_body(kind)
    label = get_existing_label(kind)
    absent = {**make_key_options(kind), "state": "absent"}
    ahead = _list_reads_ahead(kind, "deletion")

    yield Behaviour(
        kind, "deleted", absent, Write("DELETE", on=label), existing=existing, ahead=ahead
    )

    yield Behaviour(kind, "absent already", absent)

    identifier = {"id": {"id_of": label}, "state": "absent"}

    yield Behaviour(
        kind, "deleted by id", identifier, Write("DELETE", on=label), existing=existing, ahead=ahead
    )


def _list_extras(kind: Kind) -> Iterator[Behaviour]:
    settings = {
        "extra_members": {SIMULATOR_KINDS.get(kind.plural, kind.plural): {"colour": "blue"}}
    }
    options, body = make_smallest_creation(kind)
    green = {"extra": {"colour": "green"}}
    created = Write("POST", {**body, "colour": "green"})

    yield Behaviour(
        kind,
        "created with extra",
        {**options, **green},
        created,
        settings=settings,
        ahead=_list_reads_ahead(kind, "creation"),
        generates=kind.password is not None,
    )

    changed = _update(kind, {"colour": "green"})
    named = {**make_key_options(kind), **green}

    yield Behaviour(
        kind, "extra changed", named, changed, existing=make_full_body(kind), settings=settings
    )


def _list_password_changes(kind: Kind) -> Iterator[Behaviour]:
    assert kind.password is not None
    options, body = make_smallest_creation(kind)
    key = make_key_options(kind)
    existing = make_full_body(kind)
    password_option = {"password": PASSWORD}
    hashed = {
        "password_hash": HASH,
        **({"password_hash_os": HASH} if kind.password.hash_os else {}),
    }
    hashes = {"password_hashes": "written"}
    displayed_hashes = {**hashes, "password_hashes": "written_and_shown"}
    always = {"update_password": "always"}
    ahead = _list_reads_ahead(kind, "creation")
    created = Write("POST", {**body, **password_option})

    yield Behaviour(
        kind, "created with a password", {**options, **password_option}, created, ahead=ahead
    )

    yield Behaviour(
        kind, "password of an existing object", {**key, **password_option}, existing=existing
    )

    yield Behaviour(
        kind,
        "password always",
        {**key, **password_option, **always},
        _update(kind, password_option),
        existing=existing,
        repeats=True,
    )

    yield Behaviour(
        kind,
        "password generated anew",
        {**key, "regenerate_password": True},
        _update(kind, {"password": None}),
        existing=existing,
        repeats=True,
        generates=True,
    )

    created = Write("POST", {**body, **hashed})

    yield Behaviour(
        kind, "created with a hash", {**options, **hashed}, created, settings=hashes, ahead=ahead
    )

    yield Behaviour(
        kind, "hash that is not shown", {**key, **hashed}, existing=existing, settings=hashes
    )

    yield Behaviour(
        kind,
        "hash shown and right",
        {**key, **hashed},
        existing={**existing, **hashed},
        settings=displayed_hashes,
    )

    changed_hash = {**hashed, "password_hash": HASH + "2"}

    yield Behaviour(
        kind,
        "hash shown and changed",
        {**key, **changed_hash},
        _update(kind, changed_hash),
        existing={**existing, **hashed},
        settings=displayed_hashes,
    )


def find_body_differences(
    expected: Mapping[str, Any] | None, sent: Any, unchanged: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return what is wrong with a body.

    That is fields that are missing, others, or another rest of a changed group.
    """
    if expected is None:
        if sent is None:
            return []
        return [f"a body {sent!r} where none belongs"]

    if not isinstance(sent, dict):
        return [f"no object but {sent!r}"]

    lines = [f"{name} is missing" for name in expected if name not in sent]
    lines += [f"{name} was not asked for" for name in sent if name not in expected]
    for name in expected.keys() & sent.keys():
        lines += _find_field_differences(name, expected[name], sent[name], unchanged.get(name, {}))

    return lines


def _find_field_differences(
    name: str, expected: Any, sent: Any, unchanged: Mapping[str, Any]
) -> list[str]:
    if isinstance(expected, Mapping) and isinstance(sent, dict):
        inner_lines = find_body_differences({**unchanged, **expected}, sent, {})
        return [f"{name}.{line}" for line in inner_lines]

    if _is_equal(expected, sent):
        return []
    return [f"{name} is {sent!r} instead of {expected!r}"]


def find_changed_paths(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    """Return the fields, dotted inside of a group, in which two objects differ."""
    paths: set[str] = set()
    for name in before.keys() | after.keys():
        old = before.get(name)
        new = after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            paths |= {f"{name}.{path}" for path in find_changed_paths(old, new)}
        elif old != new:
            paths.add(name)

    return paths


def list_paths(body: Mapping[str, Any]) -> set[str]:
    """Return the fields of a body, dotted inside of a group."""
    paths: set[str] = set()
    for name, value in body.items():
        if isinstance(value, Mapping):
            paths |= {f"{name}.{inner}" for inner in value}
        else:
            paths.add(name)

    return paths


def _is_equal(expected: Any, sent: Any) -> bool:
    return type(expected) is type(sent) and bool(expected == sent)


def normalize(value: Any, changing: frozenset[str]) -> Any:
    """Return a copy in which fields that differ from run to run have only whether they exist."""
    if isinstance(value, dict):
        copied = {}
        for name, item in value.items():
            is_changing = name in changing and item
            copied[name] = "(there)" if is_changing else normalize(item, changing)
        return copied

    if isinstance(value, list):
        return [normalize(entry, changing) for entry in value]

    return copy.deepcopy(value)
