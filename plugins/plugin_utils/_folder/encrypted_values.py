# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of objects have encrypted with Vault is a secret in any result, whichever option it is. Pure. Private to the collection.

A value is masked in its place in the plan, and its text anywhere else: under 8 characters as a whole word, under 4 in its place alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._dns.record_values import ascii_name, relative_host
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.difference import SECRET_CHANGES
from ...module_utils._schema.fields import Reference
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, MASK, Redactor, texts_in
from ...module_utils._values.names import ascii_domain, other_spellings
from .yaml_file import YamlFile

SHORTEST = 4
_MANY = 200
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


def object_name(kind: str, item: Mapping[str, Any]) -> ObjectName:
    return kind, (KINDS[kind].key_of(item) or "").casefold()


class EncryptedValues:
    """What these files have encrypted. places: by object the paths of its options."""

    def __init__(self, files: Iterable[YamlFile]) -> None:
        self.places: dict[ObjectName, set[OptionPath]] = {}
        self._texts: set[str] = set()
        for file in files:
            if file.is_encrypted:
                self._add_whole(file)
            for path, secret in file.secrets.items():
                self._add(file, path)
                self._hold([secret.text or ""], SHORTEST)

    def __bool__(self) -> bool:
        return bool(self.places or self._texts)

    def _add(self, file: YamlFile, path: tuple[Any, ...]) -> None:
        kind, index, *option = path
        item = file.content[kind][index]
        self.places.setdefault(object_name(kind, item), set()).add(option_path(kind, item, option))

    def _add_whole(self, file: YamlFile) -> None:
        for kind, items in file.content.items():
            for item in items or ():
                hidden = {name: value for name, value in item.items() if name not in NAMES[kind] and name != "state"}
                self.places.setdefault(object_name(kind, item), set()).update((str(name),) for name in hidden)
                self._hold(texts_in(hidden), LENGTH_OF_A_WORD)

    def _hold(self, texts: Iterable[str], shortest: int) -> None:
        for text in texts:
            if len(text.strip()) >= shortest:
                lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
                self._texts.update([text, *lines, *other_spellings(text)])

    def masked(self, value: Any) -> Any:
        """The value, of a result for example, with none of these texts in it."""
        texts: Iterable[str] = self._texts
        if len(self._texts) > _MANY:  # few of thousands are in one result, and each costs
            there = "\n".join(texts_in(value)).casefold()
            texts = [text for text in texts if _word_of(text) in there]
        return Redactor(texts).value(value)

    def masked_plan(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """A plan of panel_resources with these values masked in their places. Its checksum stays."""
        known = {(one["kind"], str(one["key"]).casefold()) for one in plan["actions"]}
        # An object that a file names by its id, or by a new name, may be any of its kind.
        unknown = [(kind, paths) for (kind, key), paths in self.places.items() if (kind, key) not in known]
        actions = []
        for action in plan["actions"]:
            name = (action["kind"], str(action["key"]).casefold())
            paths = set().union(
                self.places.get(name, ()), *(paths for kind, paths in unknown if kind == action["kind"])
            )
            actions.append(_masked_action(action, paths) if paths else action)
        return {**plan, "actions": actions}


def option_path(kind: str, item: Mapping[str, Any], option: list[Any]) -> OptionPath:
    """The path without the numbers in lists."""
    if kind == DNS and option[:1] == ["records"] and len(option) > 1:
        record = item["records"][option[1]]
        return ("records", _host(record.get("host"), item.get("domain")), str(record.get("type")).upper())
    return tuple(name for name in option if isinstance(name, str))


def _host(host: Any, domain: Any) -> str:
    try:
        return relative_host(ascii_name(str(host)), ascii_domain(str(domain)))
    except ValueError:
        return str(host)


def _masked_action(action: Mapping[str, Any], paths: Iterable[OptionPath]) -> dict[str, Any]:
    before, after = action.get("before") or {}, action.get("after") or {}
    entries = action.get("entries")
    for path in paths:
        if path[0] == "records" and entries is not None:
            entries = [_masked_entry(one) if _is_meant(one, path) else one for one in entries]
        before, after = _masked(before, after, path)
    return {**action, "before": before, "after": after, **({} if entries is None else {"entries": entries})}


def _is_meant(entry: Mapping[str, Any], path: OptionPath) -> bool:
    return len(path) == 1 or (str(entry["host"]), str(entry["type"])) == path[1:]


def _masked_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    before, after = entry["before"], entry["after"]
    both = bool(before and after)
    return {
        **entry,
        "before": [MASK if one in after or not both else OLD for one in before],
        "after": [MASK if one in before or not both else NEW for one in after],
    }


def _masked(before: Any, after: Any, path: OptionPath) -> tuple[Any, Any]:
    if path and (isinstance(before, Mapping) or isinstance(after, Mapping)):
        sides = [dict(side) if isinstance(side, Mapping) else {} for side in (before, after)]
        values = _masked(sides[0].get(path[0]), sides[1].get(path[0]), path[1:])
        for side, value in zip(sides, values):
            if path[0] in side:
                side[path[0]] = value
        return sides[0], sides[1]
    both = _leaves(before), _leaves(after)
    return _mapped(before, both[1], OLD), _mapped(after, both[0], NEW)


def _leaves(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else None
    if inner is None:
        return [] if _is_shown(value) else [value]
    return [leaf for one in inner for leaf in _leaves(one)]


def _mapped(value: Any, others: list[Any], mark: str) -> Any:
    """others: what the other side has there."""
    if isinstance(value, Mapping):
        return {name: _mapped(member, others, mark) for name, member in value.items()}
    if isinstance(value, list):
        return [_mapped(entry, others, mark) for entry in value]
    return value if _is_shown(value) else MASK if not others or value in others else mark


def _is_shown(value: Any) -> bool:
    return value is None or value in ("", SECRET_CHANGES)


def _word_of(text: str) -> str:
    """A part of a text that is there however the text is quoted."""
    words = re.findall(r"[0-9A-Za-z]+", text)
    return max(words, key=len).casefold() if words else ""
