# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody encrypted with Ansible Vault is a secret, in whichever member it is. Private to the collection.

A member whose value was encrypted has a name that says so, and is masked by its place, however short the value is. Texts from a length on
are masked wherever else they stand.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ansible.parsing import vault as ansible_vault
from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.plan_lines import plan_text
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.difference import SECRET_CHANGES
from ...module_utils._schema.fields import Reference
from ...module_utils._secrets.redaction import LENGTH_OF_A_WORD, MASK, Redactor
from ...module_utils._values.names import other_spellings

SHORTEST = 4  # A shorter text is masked in its place alone, since "1" or "yes" would blank whole pages.
OLD, NEW = f"{MASK} (old)", f"{MASK} (new)"
# By kind what names objects, which is shown, also of a file that is encrypted as a whole: nobody could read a plan otherwise.
_NAMES = {
    plural: frozenset({"client", *kind.named_by, *(row.name_option for row in kind.rows if isinstance(row, Reference))})
    for plural, kind in KINDS.items()
}
_ALL_NAMES = frozenset().union(*_NAMES.values())

Path = tuple[str, ...]
Marks = Mapping[
    str, Mapping["str | None", frozenset[Path]]
]  # by kind and key, in small letters, None for an object without one


EVERYTHING: Marks = {kind: {None: frozenset({()})} for kind in KINDS}
"""Marks for every member of every object."""


class VaultedName(str):
    """The name of a member whose value was encrypted."""


class NameInVaultedFile(VaultedName):
    """The name of a member in a file that was encrypted as a whole."""


class RunVault(VaultLib):
    """The Vault secrets of a run, and the texts that they decrypted."""

    def __init__(self, secrets: Any) -> None:
        super().__init__(secrets=secrets)
        self._texts: set[str] = set()

    def hold(self, texts: Iterable[str], shortest: int = SHORTEST) -> None:
        """From now on these are masked, names in every spelling. shortest: how long one is at least."""
        for text in texts:
            lines = [line for line in text.splitlines() if len(line.strip()) >= LENGTH_OF_A_WORD]
            self._texts.update([text, *lines, *other_spellings(text)] if len(text.strip()) >= shortest else ())

    def masked(self, value: Any) -> Any:
        """The value with none of these texts in it."""
        if not self._texts:
            return value
        # A file may hold tens of thousands, of which few are in one value.
        there = "\n".join(texts_in(value))
        found = [text for text in self._texts if _first_word(text) in there]
        return Redactor(found).value(value)


def _first_word(text: str) -> str:
    """A part of a text that is there however the text is quoted."""
    words = "".join(character if character.isalnum() and character.isascii() else " " for character in text).split()
    return words[0] if words else ""


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a value, but for the names of members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, Mapping)):
        for entry in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(entry)


def hold(vault: VaultLib, texts: Iterable[str]) -> None:
    """Lets a run know what was encrypted on its own."""
    if isinstance(vault, RunVault):
        vault.hold(texts)


def in_vaulted_file(vault: VaultLib, members: Mapping[Any, Any]) -> dict[Any, Any]:
    """Members of a file that was encrypted as a whole, by names that say so; the run knows their texts."""
    # The address of a client or an administrator is no name of a mailbox.
    named = _ALL_NAMES - {"email"} if "username" in members else _ALL_NAMES
    if isinstance(vault, RunVault):
        texts = (
            text
            for name, value in members.items()
            if name not in named
            for text in (value if isinstance(value, list) else [value])
            if isinstance(text, str)
        )
        vault.hold(texts, LENGTH_OF_A_WORD)
    return {NameInVaultedFile(name) if isinstance(name, str) else name: value for name, value in members.items()}


def put_together(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> dict[Any, Any]:
    """The members of two items of one object. What one of them has encrypted is a secret, though the other one has it in clear."""
    names = {
        name: name for name in sorted((*first, *second), key=_secrecy)
    }  # the last of equal ones stays as the value
    together = {}
    for name, value in {**first, **second}.items():
        other = first.get(name)
        are_groups = isinstance(other, dict) and isinstance(value, dict)
        together[names[name]] = put_together(other or {}, value) if are_groups else value
    return together


def _secrecy(name: Any) -> int:
    return 0 if not isinstance(name, VaultedName) else 1 if isinstance(name, NameInVaultedFile) else 2


# Members by their places


def marks_in(resources: Mapping[str, Any]) -> Marks:
    """Where in the objects is what was encrypted."""
    found: dict[str, dict[str | None, frozenset[Path]]] = {}
    for kind, items in resources.items():
        for item in items if kind in KINDS and isinstance(items, list) else ():
            paths = frozenset(_paths(item, _NAMES[kind], ()))
            if paths:
                key = KINDS[kind].key_of(item)
                of_kind = found.setdefault(kind, {})
                key = None if key is None else key.casefold()
                of_kind[key] = of_kind.get(key, frozenset()) | paths
    return found


def _paths(value: Any, shown: frozenset[str], path: Path) -> Iterator[Path]:
    """The paths without the numbers in lists. shown: members that name the object."""
    if isinstance(value, list):
        for entry in value:
            yield from _paths(entry, shown, path)
    elif isinstance(value, dict):
        for name, member in value.items():
            if isinstance(name, NameInVaultedFile) and (isinstance(member, dict) or name in shown):
                yield from _paths(member, frozenset(), (*path, str(name)))
            elif isinstance(name, VaultedName):
                yield (*path, str(name))
            else:
                yield from _paths(member, frozenset(), (*path, str(name)))


def with_masked_members(result: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    """A result of panel_resources in which the members that these marks name are masked, in the plan and in the diff."""
    plan = result.get("plan")
    if not marks or not isinstance(plan, Mapping):
        return dict(result)
    known = {(one["kind"], str(one["key"]).casefold()) for one in plan["actions"]}
    actions = [_masked_action(one, marks.get(one["kind"], {}), known) for one in plan["actions"]]
    masked = {**result, "plan": {**plan, "actions": actions}}
    if isinstance(result.get("diff"), Mapping):
        masked["diff"] = {"prepared": plan_text(masked["plan"])}
    return masked


def _masked_action(
    action: Mapping[str, Any], marks: Mapping[str | None, frozenset[Path]], known: set[tuple[str, str]]
) -> dict[str, Any]:
    own = str(action["key"]).casefold()
    # An object that is named otherwise than in the plan may be any of its kind.
    paths = {path for key, found in marks.items() if key == own or (action["kind"], key) not in known for path in found}
    before, after = action.get("before") or {}, action.get("after") or {}
    if any(path[:1] in ((), ("records",)) for path in paths) and "entries" in action:
        sides = ("before", "after")
        action = {
            **action,
            "entries": [{**one, **{side: [MASK] * len(one[side]) for side in sides}} for one in action["entries"]],
        }
    for path in sorted(paths):
        old, new = set(_leaves(before, path)), set(_leaves(after, path))
        before = _mapped(before, path, new, OLD)
        after = _mapped(after, path, old, NEW)
    return {**action, "before": before, "after": after}


def _leaves(value: Any, path: Path) -> Iterator[str]:
    if isinstance(value, list):
        for entry in value:
            yield from _leaves(entry, path)
    elif isinstance(value, dict):
        for name, member in value.items():
            if not path or name == path[0]:
                yield from _leaves(member, path[1:])
    elif not _is_shown(value):
        # Also where the path leads further: a plan has records of a zone as lines.
        yield json.dumps(value, default=str)


def _mapped(value: Any, path: Path, others: Collection[str], mark: str) -> Any:
    """others: what is at this place on the other side. mark: for what is not, where there is another side."""
    if isinstance(value, list):
        return [_mapped(entry, path, others, mark) for entry in value]
    if isinstance(value, dict):
        return {
            name: _mapped(member, path[1:], others, mark) if not path or name == path[0] else member
            for name, member in value.items()
        }
    if _is_shown(value):
        return value
    return MASK if not others or json.dumps(value, default=str) in others else mark


def _is_shown(value: Any) -> bool:
    return value is None or value in ("", SECRET_CHANGES)


# Variables that Ansible itself decrypts


def as_in_files(vault: VaultLib, plain: Any, given: Any) -> Any:
    """A plain value with names as of a file for what Ansible decrypted in the given one, which the run knows from now on."""
    if isinstance(plain, dict) and isinstance(given, Mapping):
        return {
            VaultedName(name) if _was_vaulted(given.get(name)) else name: as_in_files(vault, member, given.get(name))
            for name, member in plain.items()
        }
    if isinstance(plain, list) and isinstance(given, (list, tuple)):
        return [as_in_files(vault, entry, one) for entry, one in zip(plain, given)]
    if isinstance(plain, str) and _was_vaulted(given):
        hold(vault, [plain])
    return plain


def _was_vaulted(value: Any) -> bool:
    """Whether Ansible decrypted a value, or an entry of a list: since ansible-core 2.19 by its tag, before by its type."""
    if isinstance(value, (list, tuple)):
        return any(_was_vaulted(entry) for entry in value if not isinstance(entry, Mapping))
    helper = getattr(ansible_vault, "VaultHelper", None)
    return (
        hasattr(value, "_ciphertext") if helper is None else helper.get_ciphertext(value, with_tags=False) is not None
    )
