"""What is counted of a tree, read from the records of find."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.facts import (
    TreeEntry,
    TreeFacts,
    read_tree,
    split_records,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.info_task import read_versions

RECORD = b"f\x008:1\x001\x0033\x005\x00a\nb\x00\x00"


def make_entry(path: str, kind: str = "f", uid: int = 7, target: str = "") -> TreeEntry:
    """Return an entry of 5 bytes."""
    return TreeEntry(path.encode(), kind.encode(), b"8:1", 1, uid, 5, target.encode())


@pytest.mark.parametrize("size", [1, 3, len(RECORD), 1000])
def test_records_are_the_same_in_blocks_of_any_size(size: int) -> None:
    output = RECORD * 5
    blocks = [output[begin : begin + size] for begin in range(0, len(output), size)]

    expected = TreeEntry(b"a\nb", b"f", b"8:1", 1, 33, 5, b"")
    assert list(split_records(iter(blocks))) == [expected] * 5


def test_entries_are_counted_by_type_and_named_where_they_need_attention() -> None:
    facts = TreeFacts("/srv/www/", None)
    for counted in (
        make_entry("", "d"),
        make_entry("a"),
        dataclasses.replace(make_entry("one"), inode=b"8:2", names=2),
        dataclasses.replace(make_entry("two"), inode=b"8:2", names=2),
        make_entry("sub", "d", uid=0),
        make_entry("pi\npe", "p"),
        make_entry("socket", "s"),
        make_entry("device", "b"),
        make_entry("inside", "l", target="/srv/www/a"),
        make_entry("tree", "l", target="/srv/www"),
        make_entry("out", "l", target="/srv/wwwroot"),
        make_entry("way", "l", target="/srv/www/../secret"),
        make_entry("relative", "l", target="../../etc"),
    ):
        facts.add(counted)

    assert facts.describe() == {
        "path": "/srv/www/",
        "bytes": 10,
        "files": 3,
        "folders": 1,
        "links": 5,
        "foreign": ["sub"],
        "special": ["pi\\x0ape", "socket", "device"],
        "leaving": ["out", "way"],
    }


def test_the_owner_may_be_another_one_than_that_of_the_directory() -> None:
    facts = TreeFacts("/home/acme", 7)
    for counted in (make_entry("", "d", uid=0), make_entry("a"), make_entry("b", uid=0)):
        facts.add(counted)

    assert facts.describe()["foreign"] == ["b"]


def test_a_list_names_a_thousand_and_says_how_many_more_there_are() -> None:
    facts = TreeFacts("/srv", 7)
    for number in range(1002):
        facts.add(make_entry(str(number), "p"))

    special = facts.describe()["special"]
    assert (len(special), special[-1]) == (1001, "and 2 more")


def test_a_tree_is_read_as_it_is_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("/etc")

    facts = read_tree(str(tmp_path))

    assert (facts["bytes"], facts["files"], facts["folders"], facts["links"]) == (5, 1, 1, 1)
    assert (facts["foreign"], facts["special"], facts["leaving"]) == ([], [], ["link"])


@pytest.mark.parametrize("name", ["missing", "file", "link", "../relative", "\0"])
def test_what_is_no_directory_is_an_error_that_names_the_option(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    path = name if name == "../relative" else f"{tmp_path}/{name}"

    with pytest.raises(ContentError) as raised:
        read_tree(path)

    assert raised.value.option == "trees"


def test_a_tool_has_a_version_or_none() -> None:
    versions = read_versions()

    assert list(versions) == ["rsync", "dovecot", "mariadb", "ssh"]
    assert [
        version
        for version in versions.values()
        if version is not None and not re.match(r"\d+\.\d+", version)
    ] == []
