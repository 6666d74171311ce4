"""What is read from the output of rsync about a copy."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.files.output import Tally


@pytest.mark.parametrize(
    ("line", "entries"),
    [
        (b"Number of files: 1 (dir: 1)", 1),
        (b"Number of files: 20,144 (reg: 18,943, dir: 1,201)", 20144),
        (b">f+++++++++ 5 Number of files: 9 (reg: 9)", 0),
        (b"Number of created files: 7", 0),
        (b"", 0),
    ],
    ids=["the tree alone", "many", "a name of a customer", "another number", "nothing"],
)
def test_the_number_of_entries_of_the_source_is_what_rsync_says(line: bytes, entries: int) -> None:
    tally = Tally()
    tally.take_line(line)

    assert tally.entries == entries


def test_each_line_about_an_entry_is_counted() -> None:
    tally = Tally()
    for line in (
        b">f+++++++++ 5 a",
        b"cd+++++++++ 4096 b/",
        b".d..t...... 4096 ./",
        b"*deleting   0 c",
    ):
        tally.take_line(line)

    assert tally == Tally(changes=4, sent=2, deleted=1, size=5)


def test_a_directory_that_stays_is_not_counted_as_deleted_and_named_without_those_in_it() -> None:
    tally = Tally()
    for line in (
        b"cannot delete non-empty directory: a/sub/d\\#012eep",
        b"*deleting   0 a/sub/d\\#012eep/",
        b"cannot delete non-empty directory: a/sub",
        b"*deleting   0 a/sub/",
        b"*deleting   0 a/other/",
        b"cannot delete non-empty directory: a",
        b"cannot delete non-empty directory: ab/c",
    ):
        tally.take_line(line)

    assert (tally.changes, tally.deleted) == (1, 1)
    assert tally.staying == {b"a", b"a/sub", b"a/sub/d\neep", b"ab/c"}
    assert tally.list_staying() == [b"a", b"ab/c"]
