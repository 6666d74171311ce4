# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault: where, and masks for it in plans and results. Pure. Private to the collection.

A value is masked in its place in the plan, and its text anywhere else: under 8 characters as a whole word, under 4 in its place alone.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.difference import value_at
from ...module_utils._schema.rows import Reference
from ...module_utils._secrets.panel_text import Secrets
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, MASK, texts_in
from ...module_utils._values.names import other_spellings
from .yaml_file import Vaulted, YamlFile

_SHORTEST = 4
_EMPTY: tuple[Any, ...] = (None, "", [])
ObjectName = tuple[str, str]
"""Kind, and key in small letters; empty for an object without a key."""
OptionPath = tuple[str, ...]
# By kind what names objects. It is shown, or nobody could read a plan.
NAMES = {
    plural: frozenset({"client", *kind.named_by, *(row.name_option for row in kind.rows if isinstance(row, Reference))})
    for plural, kind in KINDS.items()
}


class Encrypted(NamedTuple):
    """An option that a file has encrypted, on its own, in parts, or as a part of the whole. place: of the object. texts: what is secret."""

    object: ObjectName
    place: str
    path: OptionPath
    value: Any
    texts: list[str]


def object_name(kind: str, item: Mapping[str, Any]) -> ObjectName:
    return kind, (KINDS[kind].key_of(item) or "").casefold()


def encrypted_options(file: YamlFile) -> Iterator[Encrypted]:
    content = file.content if isinstance(file.content, dict) else {}
    for kind in content.keys() & KINDS.keys():
        for number, item in enumerate(content[kind] if isinstance(content[kind], list) else ()):
            if not isinstance(item, dict):
                continue
            texts: dict[OptionPath, list[str]] = {}
            if file.is_encrypted:
                texts = {(name,): texts_in(item[name]) for name in item.keys() - NAMES[kind] - {"state"}}
            for path, text in _vaulted_in(item):
                texts.setdefault(path, []).append(text)
            for path, found in texts.items():
                place = file.place((kind, number, *path))
                yield Encrypted(object_name(kind, item), place, path, value_at(item, path), found)


def _vaulted_in(value: Any, path: OptionPath = ()) -> Iterator[tuple[OptionPath, Vaulted]]:
    """With the option, which is a whole list where a part of it is encrypted."""
    if isinstance(value, Vaulted):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _vaulted_in(inner, (*path, name))
    elif isinstance(value, list):
        for text in (text for inner in value for _path, text in _vaulted_in(inner)):
            yield path, text


class EncryptedValues:
    """What these files have encrypted. places: by object the names of its options."""

    def __init__(self, files: Iterable[YamlFile]) -> None:
        self.places: dict[ObjectName, set[str]] = {}
        texts: set[str] = set()
        for file in files:
            least = LENGTH_OF_A_WORD if file.is_encrypted else _SHORTEST
            for option in encrypted_options(file):
                self.places.setdefault(option.object, set()).add(option.path[0])
                for text in (text for text in option.texts if len(text.strip()) >= least):
                    lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
                    texts.update([str(text), *lines, *other_spellings(text)])
        self._secrets = Secrets(texts)

    def masked(self, value: Any) -> Any:
        """The value, of a result for example, with none of these texts in it."""
        return self._secrets.value(value)

    def masked_plan(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """A plan of panel_resources with these options masked, those of the panel too. Its checksum stays."""
        actions = []
        for action in plan["actions"]:
            options = self.places.get((action["kind"], str(action["key"]).casefold()), set())
            made = copy.deepcopy(dict(action)) if options else action
            sides = made["before"], made["after"]
            for option in options:
                for side, mark in zip(sides, _marks(*(side.get(option) for side in sides))):
                    side.update({option: mark} if option in side else {})
            for entry in made.get("entries", ()) if "records" in options else ():
                entry["before"], entry["after"] = _marks(entry["before"], entry["after"])
            actions.append(made)
        return {**plan, "actions": actions}


def _marks(before: Any, after: Any) -> list[Any]:
    """Masks for both sides, so that a plan still shows that they differ."""
    is_change = before != after and before not in _EMPTY and after not in _EMPTY
    sides = zip((before, after), (f"{MASK} (old)", f"{MASK} (new)") if is_change else (MASK, MASK))
    return [side if side in _EMPTY else [mark] if isinstance(side, list) else mark for side, mark in sides]
