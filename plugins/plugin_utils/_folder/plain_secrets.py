# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets that somebody wrote into a file of the export, which neither shows nor keeps them. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from ...module_utils._dns.zone import PUBLIC
from ...module_utils._secrets.redaction import holds_private_key, holds_secret_by_form, is_secret_name
from .._files.vault_text import VAULT_TAGS
from .._files.yaml_text import place_of
from .._jobs.masked_texts import SWITCHES

CURE = (
    "is a secret in plain text in a file that the export writes anew, without it. Move it to a file of its own in the folder, with the name of "
    "the object, and encrypt that with Ansible Vault; hosting.panel.apply puts both together."
)


def plain_secrets(document: yaml.Node | None) -> list[str]:
    """A sentence for each secret that is not encrypted, with its line and without its value. document: as YAML composes it."""
    found = dict.fromkeys((node.start_mark.line + 1, name) for name, node in _plain(document, "", set()))
    return [f"line {line}: {name} {CURE}" for line, name in found]


def vault_values_in(text: str) -> list[tuple[int, str]]:
    """The line and the value of all that is encrypted with Ansible Vault, which a tag says: that word within a text is anybody's."""
    try:
        found: list[Any] = [
            one for one in yaml.parse(text, Loader=yaml.SafeLoader) if getattr(one, "tag", None) in VAULT_TAGS
        ]
    except yaml.YAMLError:
        return []  # plain_secrets_in says that it is no YAML
    return [(one.start_mark.line + 1, getattr(one, "value", "")) for one in found]


def plain_secrets_in(text: str) -> list[str]:
    """The same of a text; a sentence that says so where it is no YAML, since then nobody can tell."""
    try:
        return plain_secrets(yaml.compose(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        return [
            f"{place_of(error)}the file is no YAML, so whether it holds secrets cannot be told. Correct it, or remove it."
        ]


def _plain(node: Any, name: str, seen: set[tuple[int, str]], member: str = "") -> Iterator[tuple[str, yaml.Node]]:
    """(name, node) of what holds something secret. name: of the secret that the node is in, empty outside of one. member: that it is."""
    if node is None or node.tag in VAULT_TAGS or (id(node), name) in seen:
        return
    seen.add((id(node), name))  # an alias may stand for a node that it is in
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            named = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            is_secret = is_secret_name(named) and named not in SWITCHES
            yield from _plain(value, named if is_secret else name, seen, named)
    elif isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            yield from _plain(entry, name, seen, member)
    elif holds_private_key(node.value):
        yield name or "a private key", node
    elif name and node.value and node.tag != "tag:yaml.org,2002:null":
        yield name, node
    elif member not in PUBLIC and holds_secret_by_form(node.value):
        yield member or "an entry", node
