# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of an exported file: YAML as a person would write it.

Nothing of a panel is a template in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from yaml.emitter import ScalarAnalysis

from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._schema.fields import Field
from ...module_utils._schema.groups import Group
from ...module_utils._values.names import DomainName, decode_punycode
from ...module_utils._values.sizes import ByteSize, format_size_as_option
from ...module_utils._values.value_types import SetOf, ValueType
from .._run.marked_texts import is_more_than_text
from .yaml_file import Vaulted

MARK = "# hosting.panel.export:"
"""What the first line of a file starts with that an export may replace."""
HEADER = f"{MARK} edit this and run hosting.panel.apply; another export overwrites it.\n---\n"
_NEVER_WRAPPED = 10**9
# What turns the direction of a line, or is not seen at all, so that a reviewer would read another
# value than Ansible.
_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]")
# What Ansible's Vault makes of a value: a line with its format, and lines of digits.
_CIPHERTEXT = re.compile(r"\$ANSIBLE_VAULT;[\w.;-]+\n(?:[0-9a-f]+\n)*[0-9a-f]*", re.ASCII)

Item = dict[str, Any]
Items = Mapping[str, list[Item]]


def dump_resources(resources: Items) -> str:
    """Return the text of a file with these objects, the same for the same objects."""
    return dump_with_header(make_items_readable(resources))


def make_items_readable(resources: Items) -> Items:
    """Return the items with values as a person would write them, without empty lists."""
    readable_items = {}
    for kind, items in resources.items():
        if items:
            readable_items[kind] = [_make_item_readable(kind, item) for item in items]
    return readable_items


def _make_item_readable(plural: str, item: Item) -> Item:
    kind = KINDS[plural]
    if plural == DNS:
        return {**item, "domain": decode_punycode(item["domain"])}
    return _rewrite((*kind.key, *kind.fields), item)


def _rewrite(fields: Iterable[Field], values: Item) -> Item:
    """Return the values of an object, or of a group of its fields, as a person would write them."""
    rewritten = dict(values)
    for field in fields:
        if field.option not in values:
            continue
        value = values[field.option]
        if not isinstance(field, Group):
            rewritten[field.option] = _make_value_readable(field.type, value)
        elif isinstance(value, dict):
            rewritten[field.option] = _rewrite(field.fields, value)
    return rewritten


def _make_value_readable(value_type: ValueType, value: Any) -> Any:
    """Return a value of an option as a person would write it."""
    if isinstance(value_type, SetOf) and isinstance(value, list):
        return [_make_value_readable(value_type.item, entry) for entry in value]
    if isinstance(value_type, ByteSize) and _is_whole_unit(value):
        return format_size_as_option(value)
    if not isinstance(value, str):
        return value
    # An address is one too, with a part before its domain.
    if isinstance(value_type, DomainName):
        letters = decode_punycode(value)
        # An unusual one stays as the panel shows it.
        return letters if value_type.equals(letters, value) else value
    return value.replace("\r\n", "\n")


def _is_whole_unit(value: Any) -> bool:
    """Return whether a size has a unit larger than bytes."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return value > 0 and value % 1024 == 0


def dump_with_header(items: Mapping[str, Any]) -> str:
    """Return the text of a file with this content."""
    return HEADER + dump_content(items)


def dump_content(items: Mapping[str, Any]) -> str:
    """Return the content of a file, without the lines before it."""
    text = yaml.dump(
        items, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_NEVER_WRAPPED
    )
    # All of these are in quotes, since no text with one is printable.
    return _UNSEEN.sub(_escape, text)


def _escape(character: re.Match[str]) -> str:
    """Return a character as YAML writes it in quotes."""
    return f"\\u{ord(character[0]):04x}"


class _Dumper(yaml.SafeDumper):
    """Writes YAML with a line for each record, and nothing that Ansible would evaluate.

    It has no anchors, and lists are indented.
    """

    def ignore_aliases(self, _data: Any) -> bool:
        """Write the same value out wherever it is."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent lists as everything else."""
        super().increase_indent(flow, False)

    def analyze_scalar(self, scalar: str) -> ScalarAnalysis:
        """Return in which styles a text can be written.

        A folder of secrets is nearly all ciphertext, and to look at each digit of it for signs of
        YAML takes a third of the time in which a folder is written.
        """
        if _CIPHERTEXT.fullmatch(scalar) is None:
            return super().analyze_scalar(scalar)
        return ScalarAnalysis(
            scalar=scalar,
            empty=False,
            multiline=True,
            allow_flow_plain=False,
            allow_block_plain=False,
            allow_single_quoted=True,
            allow_double_quoted=True,
            allow_block=True,
        )

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Write a text as no template, and one of several lines as it looks."""
        # What a customer wrote on the panel is no template of ours.
        tag = "!unsafe" if is_more_than_text(text) else "tag:yaml.org,2002:str"
        lines = text.split("\n")
        style = None
        if not all(line.isprintable() for line in lines):
            style = '"'
        elif len(lines) > 1:
            style = "|"
        return self.represent_scalar(tag, text, style=style)

    def represent_vaulted(self, value: Vaulted) -> yaml.ScalarNode:
        """Write an encrypted value as the file had it."""
        return self.represent_scalar("!vault", value.ciphertext, style="|")

    def represent_dictionary(self, data: Item) -> yaml.MappingNode:
        """Write a record of a zone on one line, unless a part of it is encrypted."""
        has_vaulted = any(isinstance(value, Vaulted) for value in data.values())
        is_record = {"host", "type"} <= data.keys()
        return self.represent_mapping(
            "tag:yaml.org,2002:map", data, flow_style=is_record and not has_vaulted
        )


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(Vaulted, _Dumper.represent_vaulted)
_Dumper.add_representer(dict, _Dumper.represent_dictionary)
