"""The commands that copy a tree, and how what they print is read."""

from __future__ import annotations

import dataclasses
import re
import shlex

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.files import commands
from ansible_collections.hosting.panel.plugins.module_utils._content.files.commands import (
    Transfer,
    escape_pattern,
    excludes_exactly,
    join_patterns,
    join_ways,
    make_copy_command,
    make_listing_command,
    make_scan_command,
    make_trial_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.output import (
    Item,
    Tally,
    read_item,
    read_listed,
    read_release,
    unescape,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.scan import (
    LeftOut,
    find_left_out,
    find_maildirs,
    find_mounts,
    read_entries,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import SourceHost

SOURCE = SourceHost("old.example", 2222, "root", "/k ey", "/it's known")
LOCAL = Transfer(None, "/srv/a", "/srv/b", "acme", "acme")
REMOTE = dataclasses.replace(LOCAL, source=SOURCE)
# With each of them, files of the tree or of a run could do what nobody asked for.
DANGEROUS = (
    "-F",
    "-C",
    "--cvs-exclude",
    "--inplace",
    "--ignore-errors",
    "--delete-excluded",
    "--trust-sender",
    "--copy-links",
    "--keep-dirlinks",
    "--copy-unsafe-links",
    "--devices",
    "--specials",
    "--super",
)


@pytest.mark.parametrize("is_trial", [False, True], ids=["copy", "trial"])
@pytest.mark.parametrize("transfer", [LOCAL, REMOTE], ids=["local", "remote"])
@pytest.mark.parametrize("delete", [False, True], ids=["keep", "delete"])
def test_no_command_has_an_option_that_loses_or_follows_something(
    transfer: Transfer, delete: bool, is_trial: bool
) -> None:
    chosen = dataclasses.replace(
        transfer, delete=delete, checksum=True, exclude=("-x", "!"), bandwidth=10, timeout=5
    )

    command = make_trial_command(chosen) if is_trial else make_copy_command(chosen, "/srv/.t")

    assert set(command).isdisjoint(DANGEROUS)
    assert "--copy-as=acme" in command
    assert {"--filter=- -x", "--filter=- !", "--bwlimit=10", "--timeout=5"} <= set(command)
    assert ("--delete-after" in command) is delete
    assert command[-1] == "/srv/b/"


def test_a_local_copy_needs_no_ssh() -> None:
    command = make_copy_command(dataclasses.replace(LOCAL, delete=True, max_delete=7), "/srv/.t")

    assert command[:2] == ["rsync", "--copy-as=acme"]
    assert command[-5:] == [
        "--temp-dir=/srv/.t",
        "--delete-after",
        "--max-delete=7",
        "/srv/a/",
        "/srv/b/",
    ]


def test_a_temporary_directory_in_the_tree_is_no_part_of_it() -> None:
    assert "--filter=- /.t" in make_copy_command(LOCAL, "/srv/b/.t", ".t")


def test_the_ssh_command_survives_the_way_in_which_rsync_splits_it() -> None:
    [shell] = [argument for argument in make_trial_command(REMOTE) if argument.startswith("--rsh=")]
    arguments = [
        argument.replace("''", "'")
        for argument in re.findall(r"'((?:[^']|'')*)'(?: |$)", shell[6:])
    ]

    assert arguments == SOURCE.make_ssh_command()


@pytest.mark.parametrize(
    ("host", "expected"), [("old.example", "old.example:"), ("2001:db8::1", "[2001:db8::1]:")]
)
def test_the_path_on_the_source_is_quoted_for_the_shell_there(host: str, expected: str) -> None:
    source = dataclasses.replace(SOURCE, host=host)
    command = make_copy_command(
        dataclasses.replace(REMOTE, source=source, src="/srv/it's\n*"), "/srv/.t"
    )

    assert command[-2] == expected + shlex.quote("/srv/it's\n*/")


def test_the_scan_runs_as_the_owner_and_follows_nothing() -> None:
    command = make_scan_command("acme", "/srv/a")

    assert command[:9] == ["runuser", "-u", "acme", "--", "env", "-C", "/", "find", "/srv/a"]
    assert "-xdev" in command
    assert {"-L", "-H", "-follow", "-exec", "-delete"}.isdisjoint(command)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (b"plain", b"/plain"),
        (b"back\\slash", b"/back\\slash"),
        (b"a*b\\c", b"/a\\*b\\\\c"),
        (b"[x]?", b"/\\[x]\\?"),
        (b"- # \xff\n", b"/- # \xff\n"),
    ],
)
def test_a_path_becomes_a_pattern_for_this_path_alone(path: bytes, pattern: bytes) -> None:
    assert escape_pattern(path) == pattern


def test_patterns_are_parted_by_what_no_name_has() -> None:
    assert join_patterns([b"a\nb", b"c"]) == b"/a\nb\0/c\0"
    assert join_patterns([]) == b""


def test_the_way_to_a_path_is_listed_once() -> None:
    assert join_ways([b"a/b/c", b"a/d"]) == b"/a/\0/a/b/\0/a/b/c\0/a/d\0"


def test_each_directory_of_deep_paths_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    escaped: list[bytes] = []

    def note(path: bytes) -> bytes:
        escaped.append(path)
        return escape_pattern(path)

    monkeypatch.setattr(commands, "escape_pattern", note)
    directories = [b"/".join([b"d"] * depth) for depth in range(1, 301)]
    paths = [directory + b"/pipe" for directory in directories]

    for order in (paths, paths[::-1]):
        escaped.clear()
        ways = join_ways(order).split(b"\0")
        assert sorted(escaped) == sorted([*directories, *paths])
        # The ways to a path come before it.
        assert all(
            ways.index(b"/" + d + b"/") < ways.index(b"/" + d + b"/pipe") for d in directories
        )


def test_a_listing_asks_for_nothing_but_the_given_paths() -> None:
    command = make_listing_command(dataclasses.replace(LOCAL, exclude=("*.tmp",)))

    assert "--list-only" in command
    assert command[-5:] == [
        "--filter=- *.tmp",
        "--from0",
        "--include-from=-",
        "--filter=- *",
        "/srv/a/",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b">f+++++++++ 12 a b", Item(b"a b", False, True, 12)),
        (b">f.st...... 12  lead", Item(b" lead", False, True, 12)),
        (b".f...p..... 12 a", Item(b"a", False, True, 0)),
        (b"hf+++++++++ 12 a", Item(b"a", False, True, 0)),
        (b"hf          2 two", Item(b"two", False, True, 0)),
        (b"cL+++++++++ 4 a", Item(b"a", False, True, 0)),
        (b"cd+++++++++ 4096 a/b/", Item(b"a/b", False, True, 0)),
        (b".d..t...... 4096 ./", Item(b".", False, False, 0)),
        (b"*deleting   0 a/", Item(b"a", True, False, 0)),
        (rb">f+++++++++ 1 x\#012y\#134#012\#377", Item(b"x\ny\\#012\xff", False, True, 1)),
        (b'skipping non-regular file "a"', None),
        (b"cannot delete non-empty directory: 1 a", None),
        (b"", None),
    ],
)
def test_a_line_of_rsync_is_an_entry_or_nothing(line: bytes, expected: Item | None) -> None:
    assert read_item(line) == expected


def test_a_directory_whose_attributes_alone_change_is_a_change_and_is_not_sent() -> None:
    tally = Tally()
    for line in (b".d..t...... 4096 ./", b">f+++++++++ 5 a", b"*deleting   3 b"):
        item = read_item(line)
        assert item is not None
        tally.add(item)

    assert tally == Tally(changes=3, sent=1, deleted=1, size=5)


@pytest.mark.parametrize(
    ("output", "name", "is_old"),
    [
        (b"rsync  version 3.5.0  protocol version 32\n", "3.5.0", False),
        (b"rsync  version 3.10.1  protocol version 33\n", "3.10.1", False),
        (b"rsync  version v3.4.4  protocol version 32\n", "3.4.4", True),
        (b"rsync  version 3.5.0pre1  protocol version 32\n", "3.5.0pre1", True),
        (b"rsync  version 3.5.1pre1  protocol version 32\n", "3.5.1pre1", False),
    ],
)
def test_a_release_is_compared_by_its_numbers(output: bytes, name: str, is_old: bool) -> None:
    release = read_release(output)

    assert release is not None
    assert (release.name, release.is_old) == (name, is_old)


def test_what_is_no_rsync_has_no_release() -> None:
    assert read_release(b"openrsync: protocol version 29\n") is None


def test_only_lists_are_read_from_a_list() -> None:
    lines = [
        b"drwxr-xr-x        4096 2026/11/30 13:18:14 m/new",
        b"prw-r--r--           0 2026/11/30 13:11:52 a\\#012 b",
        b"rsync warning",
    ]

    assert list(read_listed(lines)) == [b"m/new", b"a\n b"]


def test_an_escaped_name_is_read_as_it_is_on_the_disk() -> None:
    assert unescape(rb"a\#1b\#012") == b"a\\#1b\n"


def make_record(mark: str, kind: str, device: str, path: bytes) -> bytes:
    """Return an entry as find prints it."""
    return b"".join(
        field + b"\0" for field in (mark.encode(), kind.encode(), device.encode(), path)
    )


TREE = make_record("entry", "d", "7", b"")


def test_what_is_no_plain_file_or_cannot_be_read_is_left_out_with_its_reason() -> None:
    entries = read_entries(
        TREE
        + make_record("entry", "d", "7", b"plain")
        + make_record("entry", "p", "7", b"pipe")
        + make_record("entry", "s", "7", b"a\nsocket")
        + make_record("entry", "c", "7", b"device")
        + make_record("entry", "D", "7", b"door")
        + make_record("unreadable", "f", "7", b"\xff")
        + make_record("unreadable", "d", "7", b"closed")
        + make_record("entry", "d", "8", b"mounted")
    )

    assert list(find_left_out(entries, entries[0])) == [
        LeftOut(b"pipe", "pipe"),
        LeftOut(b"a\nsocket", "socket"),
        LeftOut(b"device", "device"),
        LeftOut(b"door", "special file"),
        LeftOut(b"\xff", "unreadable"),
        LeftOut(b"closed", "unreadable"),
        LeftOut(b"mounted", "other file system"),
    ]


@pytest.mark.parametrize("output", [TREE[:-1], b"entry\0d\0", b"x"])
def test_a_list_that_is_cut_off_is_no_list(output: bytes) -> None:
    with pytest.raises(ValueError, match="cut off"):
        read_entries(output)


def test_three_directories_side_by_side_are_a_maildir() -> None:
    names = [b"cur", b"new", b"tmp", b"m/cur", b"m/new", b"m/tmp", b"x/cur", b"x/new", b"y/tmp"]
    entries = read_entries(TREE + b"".join(make_record("entry", "d", "7", name) for name in names))

    assert find_maildirs(entries) == {
        b"": [b"cur", b"new", b"tmp"],
        b"m": [b"m/cur", b"m/new", b"m/tmp"],
    }


@pytest.mark.parametrize("links", [[b"cur"], [b"new", b"tmp"], [b"cur", b"new", b"tmp"]])
def test_links_make_a_maildir_as_directories_do_and_are_not_left_out(links: list[bytes]) -> None:
    records = [
        make_record("entry", "l" if name in links else "d", "7", b".Work/" + name)
        for name in (b"cur", b"new", b"tmp")
    ]
    entries = read_entries(TREE + b"".join(records))

    assert find_maildirs(entries) == {b".Work": [b".Work/cur", b".Work/new", b".Work/tmp"]}
    assert list(find_left_out(entries, entries[0])) == []


def test_a_file_called_as_a_directory_of_a_maildir_makes_none() -> None:
    output = TREE + b"".join(
        make_record("unreadable", kind, "7", name)
        for kind, name in (("d", b"cur"), ("d", b"new"), ("f", b"tmp"))
    )

    assert find_maildirs(read_entries(output)) == {}


def test_what_is_mounted_in_a_tree_is_found_by_its_real_name() -> None:
    lines = [
        b"22 1 254:0 / / rw - ext4 /dev/vda rw",
        b"30 22 254:0 /srv /home/acme/www rw shared:1 - ext4 /dev/vda rw",
        b"31 22 254:0 /srv /home/acme/www/a\\040b\\134c rw master:1 - ext4 /dev/vda rw",
        b"32 22 0:40 / /home/acme/www/shop/data rw - tmpfs tmpfs rw",
        b"33 22 0:41 / /home/acme/www2 rw - tmpfs tmpfs rw",
    ]

    mounts = find_mounts(b"\n".join(lines), b"/home/acme/www")

    assert mounts == [b"a b\\c", b"shop/data"]


@pytest.mark.parametrize(
    ("patterns", "path", "is_excluded"),
    [
        (["*.log", "/shop/data"], "shop/data", True),
        (["/shop"], "shop/data", True),
        (["/a\\[b]"], "a[b]", True),
        (["/a[b]"], "a[b]", False),
        (["/shop/da"], "shop/data", False),
        (["shop/data"], "shop/data", False),
        (["/shop/data/"], "shop/data", False),
        ([], "shop", False),
    ],
)
def test_a_path_is_excluded_for_certain_only_by_its_own_pattern_or_one_above_it(
    patterns: list[str], path: str, is_excluded: bool
) -> None:
    assert excludes_exactly(patterns, path) == is_excluded
