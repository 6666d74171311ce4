# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two texts of a file of the export, fit to be shown side by side: what the folder keeps encrypted is masked. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import yaml

from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.redaction import MASK
from .._files.vault_text import VAULT_TAGS
from .._jobs.masked_texts import masked
from .._jobs.vaulted import NEW, OLD, Marks
from .encrypted_members import OWNER
from .same_member import MemberPath


class _Leaf(NamedTuple):
    """A value to be masked: where its object is in the file's objects, its place in the text, and what is there."""

    where: tuple[Any, ...]
    start: int
    end: int
    written: str


def masked_sides(before: str | None, after: str | None, marks: Marks) -> tuple[str, str]:
    """The texts of the folder and of the export, empty where there is none, with the members of these marks masked."""
    old, new = _leaves(before, marks), _leaves(after, marks)
    return (
        masked(_replaced(before or "", old, new, OLD)),
        masked(_replaced(after or "", new, old, NEW)),
    )


def _replaced(text: str, leaves: Collection[_Leaf], others: Collection[_Leaf], mark: str) -> str:
    """mark: for what is not on the other side, where there is another one."""
    there = {(one.where, one.written) for one in others}
    places = {one.where for one in others}
    # An alias is where its anchor is, so one place may be met twice.
    for leaf in sorted({one.start: one for one in leaves}.values(), key=lambda one: -one.start):
        shown = MASK if leaf.where not in places or (leaf.where, leaf.written) in there else mark
        text = text[: leaf.start] + shown + text[leaf.end :]
    return text


def _leaves(text: str | None, marks: Marks) -> list[_Leaf]:
    if not text or not (marks or any(tag in text for tag in VAULT_TAGS)):
        return []
    return list(_of_file(text, yaml.compose(text, Loader=yaml.SafeLoader), marks))


def _of_file(text: str, root: Any, marks: Marks) -> Iterator[_Leaf]:
    for kind, items in _pairs(root):
        of_kind = marks.get(kind, {})
        for item in items.value if kind in KINDS and isinstance(items, yaml.SequenceNode) else ():
            names = {name: node.value for name, node in _pairs(item) if isinstance(node, yaml.ScalarNode)}
            key = KINDS[kind].key_of(names)
            paths = {*of_kind.get(None, ()), *of_kind.get(key and key.casefold(), ())}
            shown = {OWNER, *KINDS[kind].named_by}
            for name, node in _pairs(item):
                yield from _below(text, node, (kind, key), (name,), paths - {(name,)} if name in shown else paths, ())


def _below(
    text: str,
    node: yaml.Node,
    where: tuple[Any, ...],
    path: MemberPath,
    paths: Collection[MemberPath],
    around: tuple[int, ...],
) -> Iterator[_Leaf]:
    """around: the nodes that it is in, for an alias may stand for one of them."""
    if id(node) in around:
        return
    around = (*around, id(node))
    if isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            yield from _below(text, entry, where, path, paths, around)
    elif isinstance(node, yaml.MappingNode):
        for name, member in _pairs(node):
            yield from _below(text, member, where, (*path, name), paths, around)
    elif node.tag in VAULT_TAGS or any(path[: len(one)] == one for one in paths):
        start = node.start_mark.index
        written = text[start : node.end_mark.index].rstrip()
        if written not in ("", "''", '""', "null"):
            yield _Leaf((*where, path), start, start + len(written), written)


def _pairs(node: Any) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))
