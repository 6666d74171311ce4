"""What is remembered of a folder that the source does not have any more."""

from __future__ import annotations

from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.comparison import (
    FolderPair,
    make_folder_key,
    make_message_keys,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.listing import (
    Folder,
    Message,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.memory import (
    find_deleted,
    find_gone,
    join_keys,
    read_memory,
    write_memory,
)


def _make_folder(guid: str, *messages: str) -> Folder:
    listed = [Message(uid, name, 1, (), 0) for uid, name in enumerate(messages, 1)]
    return Folder("INBOX.Work", guid, 1, tuple(listed))


def _make_key(folder: Folder, message: str) -> str:
    (key,) = make_message_keys(_make_folder(folder.guid, message))
    return key


OLD = _make_folder("old", "a", "b")
ON_TARGET = _make_folder("old", "b", "own")
MOUNT_POINT = _make_folder("new")
SEEN = {make_folder_key(OLD), *make_message_keys(OLD)}
DELETED = {make_folder_key(OLD): {_make_key(OLD, "a")}}


def test_what_the_target_has_deleted_is_known_by_folder() -> None:
    assert find_deleted([FolderPair(OLD, ON_TARGET)], SEEN) == DELETED
    assert find_deleted([FolderPair(OLD, None)], SEEN) == {make_folder_key(OLD): SEEN}


def test_of_a_folder_that_is_gone_the_target_knows_what_it_had_and_has() -> None:
    pairs = [FolderPair(MOUNT_POINT, ON_TARGET)]

    absent = find_gone(DELETED, pairs, [ON_TARGET], SEEN)

    assert absent == {make_folder_key(OLD): SEEN}
    # Without the folder on the target, what was known before stays.
    assert find_gone(DELETED, pairs, [], SEEN) == DELETED


def test_a_folder_that_comes_back_is_known_by_what_it_shows() -> None:
    pairs = [FolderPair(OLD, ON_TARGET)]

    assert find_gone(DELETED, pairs, [ON_TARGET], SEEN) == {}


def test_own_folders_of_the_target_are_not_remembered() -> None:
    folder = _make_folder("own", "a")

    assert find_gone({}, [FolderPair(OLD, ON_TARGET)], [folder], SEEN) == {}


def test_a_state_gives_back_what_it_keeps() -> None:
    stored = write_memory({**DELETED, "nothing known": set()})

    assert list(stored) == [make_folder_key(OLD)]
    assert read_memory(stored) == DELETED
    assert join_keys(DELETED) == {_make_key(OLD, "a")}
