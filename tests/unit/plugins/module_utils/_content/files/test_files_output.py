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
