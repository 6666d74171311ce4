# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks for what files of objects have encrypted with Vault, in plans and in results. Pure. Private to the collection.

A value is masked in its place in the plan, and its text anywhere else: under 8 characters as a whole word, under 4 in its place alone.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .._schema.fields import SECRET_CHANGES
from .._secrets.redaction import MASK, Secrets

_NOTHING: tuple[Any, ...] = (None, "", [], SECRET_CHANGES)
ObjectName = tuple[str, str]
"""Kind, and key in small letters; empty for an object without a key."""
OptionPath = tuple[str, ...]
"""The names of options; of a record of a zone ("records", host, type)."""


class EncryptedValues:
    """What some files have encrypted. places: by object the paths of its options. texts: those that nothing else may show either."""

    def __init__(self) -> None:
        self.places: dict[ObjectName, set[OptionPath]] = {}
        self.texts: set[str] = set()

    def handed_on(self) -> dict[str, Any]:
        """Returns all of it in the types of JSON, for a module that masks its own result."""
        places = [[kind, key, *path] for (kind, key), paths in self.places.items() for path in sorted(paths)]
        return {"texts": sorted(self.texts), "places": sorted(places)}

    @classmethod
    def of_task(cls, handed_on: Mapping[str, Any]) -> EncryptedValues:
        """Returns what the front end handed on; nothing of an empty dictionary."""
        values = cls()
        values.texts.update(handed_on.get("texts", ()))
        for kind, key, *path in handed_on.get("places", ()):
            values.places.setdefault((kind, key), set()).add(tuple(path))
        return values

    def masked(self, value: Any) -> Any:
        """The value, of a result for example, with none of these texts in it."""
        return self._secrets.value(value)

    @cached_property
    def _secrets(self) -> Secrets:
        return Secrets(self.texts)

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
