# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a panel as files, as a person would write them: only what changed, only over files of an export. Private to the collection."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import ObjectName
from ...module_utils._errors import first_of
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Field, Group, put, value_at
from ...module_utils._values.names import DomainName, in_letters
from ...module_utils._values.value_types import ByteSize, SetOf, ValueType, size_in_units
from .._run.controller_files import ANY_NUMBER, VAULT_HEADER, check_folder, explained, read_regular, replace_file
from .resources_dir import FolderError, files_in
from .vaulted import NAMES, Encrypted, encrypted_options, encrypted_values, object_name, option_path
from .yaml_file import Vaulted, read_yaml

MARK = "# hosting.panel.export:"  # what the first line of a file starts with that an export may replace
CLIENTS, REST = "clients", "panel.yml"
_HEADER = f"{MARK} edit this and run hosting.panel.apply; another export overwrites it.\n---\n"
_NEVER_WRAPPED = 10**9
_MOST_NAMED = 20
_NOTHING = "No file was written."
_DIFFERING = (
    "The panel has other values than these encrypted fields, which stay as they are: {}. hosting.panel.apply writes them to the panel; to take over "
    "the panel's value, encrypt it with ansible-vault encrypt_string."
)
_LOST = "{}: encrypted, and its object is not on the panel. Remove it, or move it to another file of the directory. {}"

Item = dict[str, Any]
Items = Mapping[str, list[Item]]


def export(
    directory: Path, resources: Items, vault: VaultLib, clients: Collection[str] | None, check_mode: bool, diff: bool
) -> dict[str, Any]:
    """The result of the task. clients: whose files alone are written. Raises FolderError."""
    if (directory / CLIENTS).is_symlink():
        raise FolderError(f"{directory / CLIENTS}: this is a link, which resources_dir does not follow. {_NOTHING}")
    wanted = _split(resources)
    names = {*wanted, REST, *(f"{CLIENTS}/{path.name}" for path in (directory / CLIENTS).glob("*.yml"))}
    if clients is not None:
        names = {file_name(client) for client in clients}
        wanted = {name: items for name, items in wanted.items() if name in names}
    before = {name: _text(directory / name) for name in names}
    for name, text in before.items():
        if name in wanted and text is not None and not text.startswith(MARK):
            raise FolderError(f"{directory / name}: this file is not from an export. {_NOTHING} Move it away.")
    before = {name: text for name, text in before.items() if name in wanted or (text or "").startswith(MARK)}
    kept = _Kept(directory, frozenset(directory / name for name in before), vault)
    after = {name: _dumped(kept.applied(directory / name, _readable(items))) for name, items in wanted.items()}
    if lost := kept.lost():
        raise FolderError(_LOST.format(first_of(lost, _MOST_NAMED), _NOTHING))
    changed = [name for name in sorted(before) if before[name] != after.get(name)]
    for name in changed:
        with explained(str(directory / name), FolderError, _NOTHING):
            check_folder((directory / name).absolute().parent, missing=ANY_NUMBER)
    for done, name in enumerate(() if check_mode else changed):
        so_far = f"{done} of {len(changed)} files were written or removed. Run again."
        with explained(str(directory / name), FolderError, so_far):
            _write(directory / name, after.get(name))
    result: dict[str, Any] = {
        "changed": bool(changed),
        "written": [name for name in changed if name in after],
        "removed": [name for name in changed if name not in after],
        "unchanged": len(before) - len(changed),
        "counts": {kind: len(items) for kind, items in resources.items() if items},
    }
    if kept.differing:
        result["warnings"] = [_DIFFERING.format(first_of(kept.differing, _MOST_NAMED))]
    if diff:
        heads = [dict.fromkeys(("before_header", "after_header"), str(directory / name)) for name in changed]
        sides = [{"before": before[name] or "", "after": after.get(name, "")} for name in changed]
        result["diff"] = [{**head, **side} for head, side in zip(heads, sides)]
    masked: dict[str, Any] = kept.values.masked(result)
    return masked


def file_name(username: str) -> str:
    """A name that is safe in a directory whatever the username is."""
    name = quote(username, safe="")
    return f"{CLIENTS}/{'%2E' + name[1:] if name.startswith('.') else name}.yml"


def _split(resources: Items) -> dict[str, dict[str, list[Item]]]:
    """By file the items in it, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: dict[str, dict[str, list[Item]]] = {}
    for kind, items in resources.items():
        for item in items:
            owner = owners.get(item["domain"]) if kind == DNS else item.get("username" if kind == CLIENTS else "client")
            files.setdefault(file_name(owner) if owner else REST, {}).setdefault(kind, []).append(item)
    return files


def _text(path: Path) -> str | None:
    with explained(str(path), FolderError, _NOTHING):
        try:
            return read_regular(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None


def _write(path: Path, text: str | None) -> None:
    """The file is always a whole one, the old or the new, with the mode of the old one, or that which a new file of this user gets."""
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0o077)
    os.umask(mask)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask
    replace_file(path, text.encode(), mode, flush=False)


# What is encrypted


class _Kept:
    """What the export's own files have encrypted keeps its text; what another file of the directory has encrypted is left out.

    differing: places of fields that the panel has otherwise.
    """

    def __init__(self, directory: Path, own: frozenset[Path], vault: VaultLib) -> None:
        self.differing: list[str] = []
        # By file and object: the option, its place, and the item as the file has it.
        self._own: dict[tuple[Path, ObjectName], list[tuple[Encrypted, str, Item]]] = {}
        files, others = [], []
        for path in files_in(directory) if directory.is_dir() else ():
            with explained(str(path), FolderError, _NOTHING):
                data = read_regular(path)
            if b"!vault" not in data and not data.startswith(VAULT_HEADER):
                continue
            file = read_yaml(path, path.relative_to(directory).as_posix(), vault, must_decrypt=False)
            if file.mistakes:
                raise FolderError(f"{file.mistakes[0]} {_NOTHING}")
            files.append(file)
            others += [] if path in own else [file]
            for option in encrypted_options(file) if path in own else ():
                kind, index, *_rest = option.where
                place = f"{file.place(option.where)}: {' '.join(option.object)} {'.'.join(option.path)}"
                self._own.setdefault((path, option.object), []).append((option, place, file.content[kind][index]))
        self.values, self._elsewhere = encrypted_values(files), encrypted_values(others).places

    def applied(self, path: Path, items: Items) -> Items:
        """The items of a file of the export as they are written."""
        return {kind: [self._applied(path, kind, item) for item in found] for kind, found in items.items()}

    def _applied(self, path: Path, kind: str, item: Item) -> Item:
        name = object_name(kind, item)
        left_out = {option[0] for option in self._elsewhere.get(name, ())} - NAMES[kind]
        made = _by_record_set(kind, {option: value for option, value in item.items() if option not in left_out})
        for option, place, own in self._own.pop((path, name), ()):
            shown, text = value_at(made, option.path), option.value
            if isinstance(shown, str) and text and shown.strip() != text.strip():
                self.differing.append(place)
            put(made, option.path, value_at(_by_record_set(kind, own), option.path))
        if isinstance(sets := made.get("records"), dict):
            made["records"] = [one for by_type in sets.values() for found in by_type.values() for one in found]
        return made

    def lost(self) -> list[str]:
        """Places of encrypted fields whose objects are not written."""
        return [place for options in self._own.values() for _option, place, _item in options]


def _by_record_set(kind: str, item: Item) -> Item:
    """An item of its own; the records of a zone by host and type, as paths of options name them."""
    made = {name: dict(value) if isinstance(value, Mapping) else value for name, value in item.items()}
    if kind == DNS and isinstance(item.get("records"), list):
        made["records"] = {}
        for number, record in enumerate(item["records"]):
            path = option_path(item, ("records", number))
            put(made, path, [*(value_at(made, path) or ()), record])
    return made


# The text of a file


def text_of(resources: Items) -> str:
    """The same text for the same objects."""
    return _dumped(_readable(resources))


def _readable(resources: Items) -> Items:
    """The items with values as a person would write them."""
    return {kind: [_readable_item(kind, item) for item in items] for kind, items in resources.items() if items}


def _readable_item(plural: str, item: Item) -> Item:
    kind = KINDS[plural]
    if plural == DNS:
        return {**item, "domain": in_letters(item["domain"])}
    return _rewritten((*kind.key, *kind.rows), item)


def _rewritten(rows: Iterable[Field], values: Item) -> Item:
    by_option = {row.option: row for row in rows}
    found = dict(values)
    for row, name in ((by_option[name], name) for name in values if name in by_option):
        if not isinstance(row, Group):
            found[name] = _readable_value(row.type, values[name])
        elif isinstance(values[name], dict):
            found[name] = _rewritten(row.members, values[name])
    return found


def _readable_value(value_type: ValueType, value: Any) -> Any:
    if isinstance(value_type, SetOf) and isinstance(value, list):
        return [_readable_value(value_type.item, entry) for entry in value]
    if isinstance(value_type, ByteSize) and isinstance(value, int) and not isinstance(value, bool):
        return size_in_units(value) if value > 0 and value % 1024 == 0 else value
    if not isinstance(value, str):
        return value
    # An address is one too, with a part before its domain.
    return in_letters(value) if isinstance(value_type, DomainName) else value.replace("\r\n", "\n")


def _dumped(items: Mapping[str, Any]) -> str:
    text = yaml.dump(items, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_NEVER_WRAPPED)
    return _HEADER + str(text)


class _Dumper(yaml.SafeDumper):
    """YAML without anchors, with indented lists, a line for each record, and nothing that Ansible would evaluate."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)

    def text(self, text: str) -> yaml.ScalarNode:
        # What a customer wrote on the panel is no template of ours.
        is_template = any(start in text for start in ("{{", "{%", "{#"))
        lines = text.split("\n")
        style = '"' if not all(line.isprintable() for line in lines) else "|" if len(lines) > 1 else None
        return self.represent_scalar("!unsafe" if is_template else "tag:yaml.org,2002:str", text, style=style)

    def vaulted(self, value: Vaulted) -> yaml.ScalarNode:
        return self.represent_scalar("!vault", value.ciphertext, style="|")

    def dictionary(self, data: Item) -> yaml.MappingNode:
        is_record = {"host", "type"} <= data.keys() and not any(isinstance(value, Vaulted) for value in data.values())
        return self.represent_mapping("tag:yaml.org,2002:map", data, flow_style=is_record)


_Dumper.add_representer(str, _Dumper.text)
_Dumper.add_representer(Vaulted, _Dumper.vaulted)
_Dumper.add_representer(dict, _Dumper.dictionary)
