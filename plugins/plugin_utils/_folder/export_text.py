# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a file of resources, as a person would write it: the same text for the same objects. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import rewritten
from ...module_utils._values.names import DomainName, EmailAddress, address_in_letters, in_letters
from ...module_utils._values.sizes import ByteSize, size_in_units
from ...module_utils._values.value_types import SetOf, ValueType
from .yaml_file import EXPORT_MARK

_HEADER = f"{EXPORT_MARK} edit this and run hosting.panel.apply; another export writes it anew.\n---\n"
_NEVER_WRAPPED = 10**9

Items = Mapping[str, "list[dict[str, Any]]"]


class Ciphertext(str):
    """A value as a file has it, encrypted."""


def text_of(resources: Items) -> str:
    return text_of_readable(readable(resources))


def readable(resources: Items) -> dict[str, list[dict[str, Any]]]:
    """The items with values as a person would write them."""
    return {plural: [_readable_item(plural, item) for item in items] for plural, items in resources.items() if items}


def text_of_readable(items: Items) -> str:
    lines = {kind: [_with_lines(item) for item in found] if kind == DNS else found for kind, found in items.items()}
    return _HEADER + str(yaml.dump(lines, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_NEVER_WRAPPED))


def looks_like_template(text: str) -> bool:
    """Whether Ansible would evaluate it as a variable."""
    return any(start in text for start in ("{{", "{%", "{#"))


def _readable_item(plural: str, item: Mapping[str, Any]) -> dict[str, Any]:
    if plural == DNS:
        return {**item, "domain": in_letters(item["domain"])}
    kind = KINDS[plural]
    return rewritten((*kind.key, *kind.rows), item, _readable_value)


def _readable_value(value_type: ValueType, value: Any) -> Any:
    if isinstance(value_type, SetOf) and isinstance(value, list):
        return [_readable_value(value_type.item, entry) for entry in value]
    if isinstance(value_type, ByteSize) and isinstance(value, int) and not isinstance(value, bool):
        return size_in_units(value) if value > 0 and value % 1024 == 0 else value
    if not isinstance(value, str):
        return value
    if isinstance(value_type, DomainName):
        return in_letters(value)
    return address_in_letters(value) if isinstance(value_type, EmailAddress) else value.replace("\r\n", "\n")


def _with_lines(zone: dict[str, Any]) -> dict[str, Any]:
    """A zone whose records have a line each, except those with an encrypted part, which takes several."""
    if not isinstance(zone.get("records"), list):
        return zone
    return {**zone, "records": [one if _holds_ciphertext(one) else _OneLine(one) for one in zone["records"]]}


def _holds_ciphertext(record: dict[str, Any]) -> bool:
    return any(isinstance(value, Ciphertext) for value in record.values())


class _OneLine(dict):  # type: ignore[type-arg]
    """A dictionary on one line, as a record of a zone reads best."""


class _Dumper(yaml.SafeDumper):
    """YAML without anchors, with indented lists, texts of several lines as such, and nothing that Ansible would evaluate."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)

    def represent_text(self, text: str) -> yaml.ScalarNode:
        # What a customer wrote on the panel is no template of ours.
        tag = "!unsafe" if looks_like_template(text) else "tag:yaml.org,2002:str"
        return self.represent_scalar(tag, text, style=_style_of(text))

    def represent_ciphertext(self, encrypted: Ciphertext) -> yaml.ScalarNode:
        return self.represent_scalar("!vault", str(encrypted), style="|")

    def represent_one_line(self, data: Mapping[str, Any]) -> yaml.MappingNode:
        return self.represent_mapping("tag:yaml.org,2002:map", data, flow_style=True)


def _style_of(text: str) -> str | None:
    lines = text.split("\n")
    if not all(line.isprintable() for line in lines):
        return '"'
    is_block = len(lines) > 1 and lines[0].strip() and not any(line.endswith(" ") for line in lines)
    return "|" if is_block and not text.startswith(" ") else '"' if len(lines) > 1 else None


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(Ciphertext, _Dumper.represent_ciphertext)
_Dumper.add_representer(_OneLine, _Dumper.represent_one_line)
