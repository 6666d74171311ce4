# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of an exported file: YAML as a person would write it, in which nothing of a panel is a template. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Field, Group
from ...module_utils._values.names import DomainName, decode_punycode
from ...module_utils._values.sizes import ByteSize, format_size_as_option
from ...module_utils._values.value_types import SetOf, ValueType
from .yaml_file import Vaulted

MARK = "# hosting.panel.export:"  # what the first line of a file starts with that an export may replace
HEADER = f"{MARK} edit this and run hosting.panel.apply; another export overwrites it.\n---\n"
_NEVER_WRAPPED = 10**9
# What the templating of some release of ansible-core takes for more than a text. A template has a brace, and so has what becomes one once a
# text was taken for a list or a dictionary of Python, or a backslash in its place. A header names other signs, and may have blanks before it
# that are taken away.
_MORE_THAN_TEXT = re.compile(r"[{\\]|\A\s*\[|#\s*jinja2", re.IGNORECASE)
# What turns the direction of a line, or is not seen at all, so that a reviewer would read another value than Ansible.
_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]")

Item = dict[str, Any]
Items = Mapping[str, list[Item]]


def text_of(resources: Items) -> str:
    """The same text for the same objects."""
    return dumped(readable(resources))


def readable(resources: Items) -> Items:
    """The items with values as a person would write them."""
    return {kind: [_readable_item(kind, item) for item in items] for kind, items in resources.items() if items}


def _readable_item(plural: str, item: Item) -> Item:
    kind = KINDS[plural]
    if plural == DNS:
        return {**item, "domain": decode_punycode(item["domain"])}
    return _rewritten((*kind.key, *kind.fields), item)


def _rewritten(rows: Iterable[Field], values: Item) -> Item:
    by_option = {row.option: row for row in rows}
    found = dict(values)
    for row, name in ((by_option[name], name) for name in values if name in by_option):
        if not isinstance(row, Group):
            found[name] = _readable_value(row.type, values[name])
        elif isinstance(values[name], dict):
            found[name] = _rewritten(row.fields, values[name])
    return found


def _readable_value(value_type: ValueType, value: Any) -> Any:
    if isinstance(value_type, SetOf) and isinstance(value, list):
        return [_readable_value(value_type.item, entry) for entry in value]
    if isinstance(value_type, ByteSize) and isinstance(value, int) and not isinstance(value, bool):
        return format_size_as_option(value) if value > 0 and value % 1024 == 0 else value
    if not isinstance(value, str):
        return value
    # An address is one too, with a part before its domain.
    if isinstance(value_type, DomainName):
        letters = decode_punycode(value)
        # An unusual one stays as the panel shows it.
        return letters if value_type.equals(letters, value) else value
    return value.replace("\r\n", "\n")


def dumped(items: Mapping[str, Any]) -> str:
    text = yaml.dump(items, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_NEVER_WRAPPED)
    # All of these are in quotes, since no text with one is printable.
    return HEADER + _UNSEEN.sub(_escape, text)


def _escape(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"


class _Dumper(yaml.SafeDumper):
    """YAML without anchors, with indented lists, a line for each record, and nothing that Ansible would evaluate."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)

    def text(self, text: str) -> yaml.ScalarNode:
        # What a customer wrote on the panel is no template of ours.
        tag = "!unsafe" if _MORE_THAN_TEXT.search(text) else "tag:yaml.org,2002:str"
        lines = text.split("\n")
        style = None
        if not all(line.isprintable() for line in lines):
            style = '"'
        elif len(lines) > 1:
            style = "|"
        return self.represent_scalar(tag, text, style=style)

    def vaulted(self, value: Vaulted) -> yaml.ScalarNode:
        return self.represent_scalar("!vault", value.ciphertext, style="|")

    def dictionary(self, data: Item) -> yaml.MappingNode:
        is_record = {"host", "type"} <= data.keys() and not any(isinstance(value, Vaulted) for value in data.values())
        return self.represent_mapping("tag:yaml.org,2002:map", data, flow_style=is_record)


_Dumper.add_representer(str, _Dumper.text)
_Dumper.add_representer(Vaulted, _Dumper.vaulted)
_Dumper.add_representer(dict, _Dumper.dictionary)
