# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault: where, and masks for it in plans and results. Pure. Private to the collection.

A value is masked in its place in the plan, and its text anywhere else: under 8 characters as a whole word, under 4 in its place alone.
"""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...module_utils._dns.record_values import ascii_name, relative_host
from ...module_utils._errors import MissingLibrary
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.fields import SECRET_CHANGES, Reference
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, MASK, Secrets, texts_in
from ...module_utils._values.names import ascii_address, ascii_domain, in_letters
from .yaml_file import Place, Vaulted, YamlFile

_SHORTEST = 4
_NOTHING: tuple[Any, ...] = (None, "", [], SECRET_CHANGES)
ObjectName = tuple[str, str]
"""Kind, and key in small letters; empty for an object without a key."""
OptionPath = tuple[str, ...]
"""The names of options; of a record of a zone ("records", host, type)."""
# By kind what names objects. It is shown, or nobody could read a plan.
NAMES = {
    plural: frozenset({"client", *kind.named_by, *(row.option for row in kind.rows if isinstance(row, Reference))})
    for plural, kind in KINDS.items()
}


class Encrypted(NamedTuple):
    """An option that a file has encrypted, on its own or as a part of the whole. where: in the file."""

    object: ObjectName
    where: Place
    path: OptionPath
    value: Any


def object_name(kind: str, item: Mapping[str, Any]) -> ObjectName:
    return kind, (KINDS[kind].key_of(item) or "").casefold()


def encrypted_options(file: YamlFile) -> Iterator[Encrypted]:
    for kind, items in file.content.items() if isinstance(file.content, dict) else ():
        for number, item in enumerate(items if kind in KINDS and isinstance(items, list) else ()):
            if not isinstance(item, dict):
                continue
            found: Iterable[tuple[Place, Any]] = _vaulted_in(item)
            if file.is_encrypted:
                found = [((name,), item[name]) for name in item.keys() - NAMES[kind] - {"state"}]
            for where, value in found:
                yield Encrypted(object_name(kind, item), (kind, number, *where), option_path(item, where), value)


def _vaulted_in(value: Any, where: Place = ()) -> Iterator[tuple[Place, Vaulted]]:
    if isinstance(value, Vaulted):
        yield where, value
    elif isinstance(value, (dict, list)):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _vaulted_in(inner, (*where, name))


def option_path(item: Mapping[str, Any], where: Place) -> OptionPath:
    if where[0] == "records" and len(where) > 1:
        record = item["records"][where[1]]
        host = record.get("host")
        with contextlib.suppress(ValueError):  # the module tells what is wrong with it
            host = relative_host(ascii_name(str(host)), ascii_domain(str(item.get("domain"))))
        return ("records", str(host), str(record.get("type")).upper())
    return tuple(name for name in where if isinstance(name, str))


def _other_spellings(text: str) -> set[str]:
    """How a panel and people write the domain name or the e-mail address that a text is; none of another text."""
    with contextlib.suppress(ValueError, MissingLibrary):
        stored = ascii_address(text) if "@" in text else ascii_domain(text)
        return {stored, in_letters(stored)} if "." in stored else set()
    return set()


class EncryptedValues:
    """What these files have encrypted. places: by object the paths of its options."""

    def __init__(self, files: Iterable[YamlFile]) -> None:
        self.places: dict[ObjectName, set[OptionPath]] = {}
        self._texts: set[str] = set()
        for file in files:
            for option in encrypted_options(file):
                self.places.setdefault(option.object, set()).add(option.path)
                for text in texts_in(option.value):
                    if len(text.strip()) >= (LENGTH_OF_A_WORD if file.is_encrypted else _SHORTEST):
                        lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
                        self._texts.update([str(text), *lines, *_other_spellings(text)])

    def masked(self, value: Any) -> Any:
        """The value, of a result for example, with none of these texts in it."""
        there = "\n".join(texts_in(value)).casefold() if self._texts else ""
        # Few of thousands are in one result, and each costs.
        return Secrets(text for text in self._texts if _word_of(text) in there).value(value)

    def masked_plan(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """A plan of panel_resources with these values masked in their places. Its checksum stays."""
        actions = []
        for action in plan["actions"]:
            paths = self.places.get((action["kind"], str(action["key"]).casefold()))
            made = copy.deepcopy(dict(action)) if paths else action
            for path in paths or ():
                made["before"], made["after"] = _masked(made["before"], made["after"], path)
                for entry in made.get("entries", ()) if path[0] == "records" else ():
                    if path[1:] in ((), (str(entry["host"]), str(entry["type"]))):
                        entry["before"], entry["after"] = _masked(entry["before"], entry["after"], ())
            actions.append(made)
        return {**plan, "actions": actions}


def _masked(before: Any, after: Any, path: OptionPath) -> tuple[Any, Any]:
    """Both sides with each value at or below the path masked, so that a plan still shows that it changes."""
    if not isinstance(before, Mapping) and not isinstance(after, Mapping):
        is_change = before != after and before not in _NOTHING and after not in _NOTHING
        marks = (f"{MASK} (old)", f"{MASK} (new)") if is_change else (MASK, MASK)
        old, new = (
            side if side in _NOTHING else [mark] if isinstance(side, list) else mark
            for side, mark in zip((before, after), marks)
        )
        return old, new
    sides = [dict(side) if isinstance(side, Mapping) else {} for side in (before, after)]
    for name in path[:1] or {**sides[0], **sides[1]}:
        values = _masked(sides[0].get(name), sides[1].get(name), path[1:])
        for side, value in zip(sides, values):
            if name in side:
                side[name] = value
    return sides[0], sides[1]


def _word_of(text: str) -> str:
    """A part of a text that is there however the text is quoted."""
    return max(re.findall(r"[0-9A-Za-z]+", text), key=len, default="").casefold()
