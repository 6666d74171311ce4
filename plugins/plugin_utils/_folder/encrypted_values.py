# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault is a secret in any result, whichever option it is. Pure. Private to the collection.

A value is masked in its place in the plan, and its text anywhere else: under 8 characters as a whole word, under 4 in its place alone.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._dns.record_values import ascii_name, relative_host
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.difference import SECRET_CHANGES
from ...module_utils._schema.fields import Reference
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, MASK, Redactor, texts_in
from ...module_utils._values.names import ascii_domain, other_spellings
from .yaml_file import MemberPath, YamlFile

SHORTEST = 4
OLD, NEW = f"{MASK} (old)", f"{MASK} (new)"
OptionPath = tuple[str, ...]
"""The names of options; of a record of a zone ("records", host, type)."""
ObjectName = tuple[str, str]
"""Kind, and key in small letters; empty for an object without a key."""
# By kind what names objects. It is shown, or nobody could read a plan.
NAMES = {
    plural: frozenset({"client", *kind.named_by, *(row.name_option for row in kind.rows if isinstance(row, Reference))})
    for plural, kind in KINDS.items()
}


class Encrypted(NamedTuple):
    """An option that a file has encrypted, on its own or as a part of the whole. where: in the file."""

    where: MemberPath
    object: ObjectName
    path: OptionPath
    value: Any


def object_name(kind: str, item: Mapping[str, Any]) -> ObjectName:
    return kind, (KINDS[kind].key_of(item) or "").casefold()


def encrypted_options(file: YamlFile) -> Iterator[Encrypted]:
    items = {
        (kind, number): item
        for kind, found in (file.content.items() if isinstance(file.content, dict) else ())
        if kind in KINDS and isinstance(found, list)
        for number, item in enumerate(found)
        if isinstance(item, dict)
    }
    if file.is_encrypted:
        for (kind, number), item in items.items():
            for name in item.keys() - NAMES[kind] - {"state"}:
                yield Encrypted((kind, number, name), object_name(kind, item), (name,), item[name])
    for where, secret in file.secrets.items():
        if len(where) > 2 and where[:2] in items:
            item = items[where[0], where[1]]
            yield Encrypted(where, object_name(where[0], item), option_path(item, where[2:]), secret.text)


def option_path(item: Mapping[str, Any], option: Sequence[Any]) -> OptionPath:
    """The path without the numbers in lists."""
    if option[0] == "records" and len(option) > 1:
        record = item["records"][option[1]]
        host = record.get("host")
        with contextlib.suppress(ValueError):  # the module tells what is wrong with it
            host = relative_host(ascii_name(str(host)), ascii_domain(str(item.get("domain"))))
        return ("records", str(host), str(record.get("type")).upper())
    return tuple(name for name in option if isinstance(name, str))


class EncryptedValues:
    """What these files have encrypted. places: by object the paths of its options."""

    def __init__(self, files: Iterable[YamlFile]) -> None:
        self.places: dict[ObjectName, set[OptionPath]] = {}
        self._texts: set[str] = set()
        for file in files:
            shortest = LENGTH_OF_A_WORD if file.is_encrypted else SHORTEST
            for option in encrypted_options(file):
                self.places.setdefault(option.object, set()).add(option.path)
                for text in texts_in(option.value):
                    if len(text.strip()) >= shortest:
                        lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
                        self._texts.update([text, *lines, *other_spellings(text)])

    def masked(self, value: Any) -> Any:
        """The value, of a result for example, with none of these texts in it."""
        there = "\n".join(texts_in(value)).casefold() if self._texts else ""
        # Few of thousands are in one result, and each costs.
        return Redactor(text for text in self._texts if _word_of(text) in there).value(value)

    def masked_plan(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """A plan of panel_resources with these values masked in their places. Its checksum stays."""
        known = {(one["kind"], str(one["key"]).casefold()) for one in plan["actions"]}
        # An object that a file names by its id, or by a new name, may be any of its kind.
        of_any: dict[str, set[OptionPath]] = {}
        for (kind, key), paths in self.places.items():
            if (kind, key) not in known:
                of_any.setdefault(kind, set()).update(paths)
        actions = []
        for action in plan["actions"]:
            kind = action["kind"]
            paths = self.places.get((kind, str(action["key"]).casefold()), set()) | of_any.get(kind, set())
            actions.append(_masked_action(action, paths) if paths else action)
        return {**plan, "actions": actions}


def _masked_action(action: Mapping[str, Any], paths: Iterable[OptionPath]) -> dict[str, Any]:
    made = dict(action)
    for path in paths:
        made["before"], made["after"] = _masked(made["before"], made["after"], path)
        if path[0] == "records" and "entries" in made:
            made["entries"] = [
                _masked_entry(one) if path[1:] in ((), (str(one["host"]), str(one["type"]))) else one
                for one in made["entries"]
            ]
    return made


def _masked_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    before, after = _masked(entry["before"], entry["after"], ())
    return {**entry, "before": before, "after": after}


def _masked(before: Any, after: Any, path: OptionPath) -> tuple[Any, Any]:
    """Both sides with each value at or below the path masked."""
    if not isinstance(before, Mapping) and not isinstance(after, Mapping):
        return _mask(before, after, OLD), _mask(after, before, NEW)
    sides = [dict(side) if isinstance(side, Mapping) else {} for side in (before, after)]
    for name in path[:1] or {**sides[0], **sides[1]}:
        values = _masked(sides[0].get(name), sides[1].get(name), path[1:])
        for side, value in zip(sides, values):
            if name in side:
                side[name] = value
    return sides[0], sides[1]


def _mask(value: Any, other: Any, mark: str) -> Any:
    """mark: for what the other side has otherwise."""
    if isinstance(value, list):
        return [_mask(one, other, mark) for one in value]
    if value in (None, "", SECRET_CHANGES):
        return value
    others = other if isinstance(other, list) else [other]
    return MASK if other in (None, "", SECRET_CHANGES, []) or value in others else mark


def _word_of(text: str) -> str:
    """A part of a text that is there however the text is quoted."""
    return max(re.findall(r"[0-9A-Za-z]+", text), key=len, default="").casefold()
