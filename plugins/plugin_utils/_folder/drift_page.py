# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the playbook drift: from the files of a folder to what an export would write, object by object. Pure. Private to the collection."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.difference import has, put
from ...module_utils._schema.fields import rewritten
from ...module_utils._task.mistakes import first_of
from ...module_utils._values.sizes import ByteSize
from ...module_utils._values.value_types import ValueType
from .._files.vault_text import VAULT_TAGS, Ciphertext
from .._jobs.plan_page import Page, Words, code, code_block
from .._jobs.plan_words import member_changes
from .._jobs.vaulted import NEW, OLD, Marks, with_masked_members
from .encrypted_members import united
from .keep_encrypted import Kept, without_member
from .same_member import MemberPath

_WORDS = Words("Gone from the panel", "New and changed on the panel", "new", "changed", "gone")
_MOST_NAMED = 20

ObjectKey = tuple[str, str]  # kind and key
Objects = Mapping[ObjectKey, Mapping[str, Any]]


def page_of_drift(
    folder: Path, texts: Iterable[tuple[Path, str | None, str | None]], marks: Marks, kept: Iterable[Kept] = ()
) -> Page:
    """texts: of each file that differs its path, its text in the folder and the one of an export, None where there is no file.

    marks: what the folder keeps encrypted, which is masked. kept: what it keeps otherwise than the panel has it.
    """
    old: dict[ObjectKey, Mapping[str, Any]] = {}
    new: dict[ObjectKey, Mapping[str, Any]] = {}
    files: dict[Path, set[ObjectKey]] = {}
    clients: dict[ObjectKey, str] = {}
    for path, before, after in texts:
        there, exported = _objects(before), _objects(after)
        # Of all files together, since one that somebody renamed or split has lost nothing.
        old.update(there)
        new.update(exported)
        files[path] = {*there, *exported}
        for name in (*there, *exported):
            if name in exported or name not in clients:
                clients[name] = client_of(folder, path)
    marks = united([marks, _encrypted(old), _encrypted(new)])
    actions = list(_differences(_without_left_out(old, new, marks), new))
    changed = {(one["kind"], one["key"]) for one in actions}
    actions = [{**one, **_of_client(clients[one["kind"], one["key"]])} for one in actions]
    otherwise = [
        code(path.relative_to(folder).as_posix()) for path, names in files.items() if names.isdisjoint(changed)
    ]
    _add_kept(actions, kept)
    actions = with_masked_members({"plan": {"actions": actions}}, _of_these(actions, marks))["plan"]["actions"]
    if not actions and not otherwise:
        return Page(f"No drift of {code(str(folder))}", ["The panel is as the folder says."], [])
    numbers = Counter(one["action"] for one in actions)
    about = (
        f"Since it was exported, {_counted(numbers['delete'], 'object is', 'objects are')} gone from the panel, "
        f"{_counted(numbers['update'], 'was', 'were')} changed, and {_counted(numbers['create'], 'is', 'are')} new. "
        "`hosting.panel.export` takes that over; `hosting.panel.apply` puts back what the folder says."
    )
    notes = [about]
    if otherwise:
        notes.append(
            f"An export would write these files anew, without another object: {first_of(otherwise, _MOST_NAMED)}."
        )
    return Page(f"Drift of {code(str(folder))}", notes, actions, _WORDS)


def page_of_unknown_drift(folder: Path, message: str) -> Page:
    """Where the panel or the folder cannot be read, so that nobody takes an older page for this one."""
    return Page(
        f"The drift of {code(str(folder))} is not known",
        ["They could not be compared, because:", code_block(message)],
        [],
    )


def client_of(folder: Path, path: Path) -> str:
    """Whose file it is; empty where it is nobody's."""
    return unquote(path.stem) if path.parent != folder else ""


def _of_client(client: str) -> dict[str, str]:
    return {"client": client} if client else {}


def _without_left_out(old: Objects, new: Objects, marks: Marks) -> Objects:
    """The objects of the folder without what an export leaves to another file, which has it encrypted."""
    objects = dict(old)
    for (kind, key), item in old.items():
        there = new.get((kind, key), item)
        for path in marks.get(kind, {}).get(key.casefold(), ()):
            if path and has(item, path) and not has(there, path):
                objects[kind, key] = item = without_member(item, path)
    return objects


def _add_kept(actions: list[dict[str, Any]], kept: Iterable[Kept]) -> None:
    by_object = {(one["kind"], one["key"]): one for one in actions}
    for one in kept:
        action = by_object.get((one.kind, one.key))
        if action is None:
            action = {"kind": one.kind, "key": one.key, "action": "update", "before": {}, "after": {}}
            action.update(_of_client(one.client))
            actions.append(action)
            by_object[one.kind, one.key] = action
        if action["action"] == "update":
            for side, mark in (("before", OLD), ("after", NEW)):
                action[side] = copy.deepcopy(action[side])
                put(action[side], one.path, mark)


def _of_these(actions: Iterable[Mapping[str, Any]], marks: Marks) -> Marks:
    """Without those of other objects: files and exports name an object in one way, so none of these is meant by another name."""
    names = {(one["kind"], one["key"].casefold()) for one in actions}
    return {
        kind: {key: paths for key, paths in by_key.items() if key is None or (kind, key) in names}
        for kind, by_key in marks.items()
    }


def _encrypted(objects: Objects) -> Marks:
    """Where they hold what was encrypted."""
    found: dict[str, dict[str | None, frozenset[MemberPath]]] = {}
    for (kind, key), item in objects.items():
        if paths := frozenset(_encrypted_paths(item, ())):
            found.setdefault(kind, {})[key.casefold()] = paths
    return found


def _encrypted_paths(value: Any, path: MemberPath) -> Iterator[MemberPath]:
    if isinstance(value, Ciphertext):
        yield path
    elif isinstance(value, list):
        for entry in value:
            yield from _encrypted_paths(entry, path)
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from _encrypted_paths(member, (*path, str(name)))


def _counted(number: int, one: str, many: str) -> str:
    return f"**{number}** {one if number == 1 else many}"


def _differences(before: Objects, after: Objects) -> Iterator[dict[str, Any]]:
    for kind, key in {**before, **after}:
        old, new = before.get((kind, key)), after.get((kind, key))
        changes = {"kind": kind, "key": key, "before": old or {}, "after": new or {}}
        if old is None:
            yield {**changes, "action": "create"}
        elif new is None:
            yield {**changes, "action": "delete"}
        elif any(one.old != one.new or one.removed or one.added for one in member_changes(old, new, kind)):
            yield {**changes, "action": "update"}


def _objects(text: str | None) -> Objects:
    """The objects of a file; what cannot be told from each other, or is none, counts as no object."""
    try:
        content = yaml.load(text or "", _Texts)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    lists = content.items() if isinstance(content, dict) else ()
    items = [
        (kind, item)
        for kind, found in lists
        if kind in KINDS and isinstance(found, list)
        for item in found
        if isinstance(item, dict)
    ]
    return {(kind, key): _comparable(kind, item) for kind, item in items if (key := KINDS[kind].key_of(item))}


def _comparable(kind: str, item: Mapping[str, Any]) -> Mapping[str, Any]:
    table = KINDS[kind]
    return item if kind == DNS else rewritten((*table.key, *table.rows), item, _as_number)


def _as_number(value_type: ValueType, value: Any) -> Any:
    """A size with a unit as its number, in which it is shown again as people write it."""
    return value_type.comparable(value) if isinstance(value_type, ByteSize) else value


class _Texts(yaml.SafeLoader):
    """YAML in which nothing is evaluated, and nothing decrypted."""

    def plain_text(self, node: yaml.ScalarNode) -> str:
        value: str = self.construct_scalar(node)
        return value

    def secret(self, node: yaml.ScalarNode) -> Ciphertext:
        return Ciphertext(self.construct_scalar(node))


for _tag in ("tag:yaml.org,2002:timestamp", "!unsafe"):
    _Texts.add_constructor(_tag, _Texts.plain_text)
for _tag in VAULT_TAGS:
    _Texts.add_constructor(_tag, _Texts.secret)
