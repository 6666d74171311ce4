# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks for what files of objects have encrypted with Vault, in plans and in results. Pure.

A value is masked in its place in the plan, and its text anywhere else: under 8 characters as a
whole word, under 4 in its place alone.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .._schema.difference import SECRET_CHANGES, SECRET_GENERATED
from .._secrets.redaction import Secrets
from .._secrets.secret_forms import MASK

_NOTHING: tuple[Any, ...] = (None, "", [], SECRET_CHANGES, SECRET_GENERATED)
# The field of a record that is no value of its set.
_TTL = ("ttl",)
FoldedName = tuple[str, str]
"""Kind, and key in small letters; empty for an object without a key."""
OptionPath = tuple[str, ...]
"""The names of options; of a record of a zone ("records", host, type) and that of its field."""


class EncryptedValues:
    """What some files have encrypted.

    places: By object the paths of its options.
    texts: Those that nothing else may show either.
    """

    def __init__(self) -> None:
        self.places: dict[FoldedName, set[OptionPath]] = {}
        self.texts: set[str] = set()

    def as_json(self) -> dict[str, Any]:
        """Return all of it in the types of JSON, for a module that masks its own result."""
        places = [
            [plural, key, *path]
            for (plural, key), paths in self.places.items()
            for path in sorted(paths)
        ]
        return {"texts": sorted(self.texts), "places": sorted(places)}

    @classmethod
    def from_json(cls, handed_on: Mapping[str, Any]) -> EncryptedValues:
        """Return what the front end handed on; nothing of an empty dictionary."""
        values = cls()
        values.texts.update(handed_on.get("texts", ()))
        for plural, key, *path in handed_on.get("places", ()):
            values.places.setdefault((plural, key), set()).add(tuple(path))
        return values

    def mask(self, value: Any) -> Any:
        """Return the value, of a result for example, with none of these texts in it."""
        return self._secrets.mask_value(value)

    @cached_property
    def _secrets(self) -> Secrets:
        return Secrets(self.texts)

    def mask_plan(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """Return a plan of panel_resources with these values masked in their places. Its checksum
        stays.
        """
        return {**plan, "actions": [self._mask_action(action) for action in plan["actions"]]}

    def _mask_action(self, action: Mapping[str, Any]) -> Mapping[str, Any]:
        paths = self.places.get((action["kind"], str(action["key"]).casefold()))
        if not paths:
            return action
        masked = copy.deepcopy(dict(action))
        for path in paths:
            _mask_in(masked, path)
            if path[0] == "records":
                for entry in masked.get("entries", ()):
                    _mask_entry(entry, path[1:])
        return masked


def _mask_entry(entry: dict[str, Any], path: OptionPath) -> None:
    """Mask what a plan has of a record set.

    Args:
        entry: The record set in the plan.
        path: Host, type and field of what is encrypted; empty for all of the zone, without a field
            for all of the set.
    """
    if path[:2] not in ((), (str(entry["host"]), str(entry["type"]))):
        return
    field = path[2:]
    if field in ((), _TTL):
        entry["ttl"] = _mask_value(entry.get("ttl"), MASK)
    if field != _TTL:
        _mask_in(entry, ())


def _mask_in(change: dict[str, Any], path: OptionPath) -> None:
    """Mask what a change has at or below a path, before and after it."""
    change["before"], change["after"] = _mask_before_and_after(
        change["before"], change["after"], path
    )


def _mask_before_and_after(before: Any, after: Any, path: OptionPath) -> tuple[Any, Any]:
    """Return both sides with each value at or below the path masked, so that a plan still shows
    that it changes.
    """
    if isinstance(before, Mapping) or isinstance(after, Mapping):
        return _mask_fields(before, after, path)
    if before != after and before not in _NOTHING and after not in _NOTHING:
        return _mask_value(before, f"{MASK} (old)"), _mask_value(after, f"{MASK} (new)")
    return _mask_value(before, MASK), _mask_value(after, MASK)


def _mask_fields(
    before: Any, after: Any, path: OptionPath
) -> tuple[dict[str, Any], dict[str, Any]]:
    old = dict(before) if isinstance(before, Mapping) else {}
    new = dict(after) if isinstance(after, Mapping) else {}
    for name in path[:1] or {**old, **new}:
        old_value, new_value = _mask_before_and_after(old.get(name), new.get(name), path[1:])
        if name in old:
            old[name] = old_value
        if name in new:
            new[name] = new_value
    return old, new


def _mask_value(value: Any, mask: str) -> Any:
    if value in _NOTHING:
        return value
    return [mask] if isinstance(value, list) else mask
