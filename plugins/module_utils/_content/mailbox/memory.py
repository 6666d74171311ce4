# SPDX-License-Identifier: GPL-3.0-or-later
"""Remembers folders that the source does not have any more, in case they come back. Pure.

The file system of a folder may not be mounted for a while. Then doveadm lists the folder no longer,
or as another one, which is empty. What the target had deleted in it must stay deleted afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain

from .comparison import FolderPair, make_folder_key, make_message_keys
from .listing import Folder

Memory = Mapping[str, Set[str]]
"""By the key of a folder of the source, the keys of what is known of it."""


def read_memory(kept: Mapping[str, Sequence[str]]) -> Memory:
    """Return what a state keeps."""
    return {folder: set(keys) for folder, keys in kept.items()}


def write_memory(memory: Memory) -> dict[str, list[str]]:
    """Return what a state keeps of folders of which anything is known."""
    return {folder: sorted(keys) for folder, keys in memory.items() if keys}


def find_gone(
    memory: Memory, pairs: Sequence[FolderPair], target: Iterable[Folder], seen: Set[str]
) -> Memory:
    """Return what is known of the folders that the source does not have.

    Args:
        memory: What is known of folders.
        pairs: The folders that it has.
        target: The folders of the target.
        seen: The keys of what the target has, or has had, of the source.
    """
    on_source = {pair.key for pair in pairs}
    gone = {folder: keys for folder, keys in memory.items() if folder not in on_source}
    for folder in target:
        key = make_folder_key(folder)
        if key in seen and key not in on_source:
            gone[key] = {key, *gone.get(key, ()), *(make_message_keys(folder) & seen)}

    return gone


def find_deleted(pairs: Sequence[FolderPair], seen: Set[str]) -> Memory:
    """Return what the target has deleted in the folders that the source has."""
    deleted = {}
    for pair in pairs:
        keys = set()
        if pair.target is None:
            keys.add(pair.key)
        if not pair.is_equal:
            keys.update(message.key for message in pair.messages if message.target is None)
        deleted[pair.key] = keys & seen

    return deleted


def join_keys(memory: Memory) -> set[str]:
    """Return all keys of all folders."""
    return set(chain.from_iterable(memory.values()))
