"""What panel_files_sync copies and compares, with the real rsync: on one host, and over SSH."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools, kept_state
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from tests.support.needed import require_content_tools
from tests.support.real_ssh import RealSsh, run_ssh
from tests.support.real_trees import (
    HOSTILE_NAMES,
    OTHER,
    OWNER,
    SLOW,
    Trees,
    describe,
    end,
    end_all,
    fill,
    give,
    leave_out,
    make_trees,
    read_result,
    remove,
    write,
)
from tests.support.representatives import make_parameters

NUMBERS = ("changed", "sent", "deleted", "bytes")
MEGABYTE = 1024 * 1024
LARGE = 4 * MEGABYTE


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    require_content_tools("rsync", "setfacl", "setfattr", "setpriv", "runuser", "unshare")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder which every user can enter, as a home; pytest's own are closed."""
    path = Path(tempfile.mkdtemp(prefix="panel-files-", dir="/var/tmp"))
    path.chmod(0o755)
    yield path
    remove(path)


@pytest.fixture
def trees(folder: Path) -> Trees:
    """Return an empty source and an empty target on one host."""
    return make_trees(folder, None)


@pytest.fixture
def remote(folder: Path, ssh_server: RealSsh) -> Trees:
    """Return an empty source that is reached by SSH, and an empty target."""
    return make_trees(folder, ssh_server.source)


@pytest.fixture(params=["trees", "remote"], ids=["one host", "by SSH"])
def either(request: pytest.FixtureRequest) -> Trees:
    """Return each of them."""
    chosen: Trees = request.getfixturevalue(request.param)
    return chosen


def expect_refusal(trees: Trees, check: bool = False, **options: Any) -> ContentError:
    """Return why a run ends without a result."""
    with pytest.raises(ContentError) as raised:
        trees.run(check, **options)

    return raised.value


def list_numbers(result: dict[str, Any]) -> list[Any]:
    """Return the numbers of a result."""
    return [result[name] for name in NUMBERS]


def test_a_copy_has_everything_and_a_second_run_changes_nothing(either: Trees) -> None:
    fill(either)
    left_out = leave_out(either)

    predicted = either.run(check=True)
    assert describe(either.dest).keys() == {b"."}
    copied = either.run()
    second = either.run()
    compared = either.run(mode="compare")

    source = describe(either.src)
    missing = {name for name in source if name.startswith(b"odd/")}
    expected = {name: entry for name, entry in source.items() if name not in missing}
    assert describe(either.dest) == expected
    assert len([name for name in expected if name.startswith(b"names/")]) == 3 * len(HOSTILE_NAMES)
    owners = {(either.dest / os.fsdecode(name)).lstat().st_uid for name in expected}
    assert owners == {either.dest.stat().st_uid}
    assert (either.dest / "sparse").stat().st_blocks * 512 < MEGABYTE
    assert list_numbers(predicted) == list_numbers(copied)
    assert copied["changed"]
    # The tree itself is there before.
    assert copied["sent"] == len(expected) - 1
    assert list_numbers(second) == [False, 0, 0, 0]
    assert compared["differences"] == []
    for result in (predicted, copied, second, compared):
        assert {entry["path"]: entry["why"] for entry in result["left_out"]} == left_out
        assert "skipped" not in result
    assert either.find_temporary() == []


def test_a_file_that_has_another_name_outside_of_the_tree_arrives_as_one_of_its_own(
    trees: Trees,
) -> None:
    outside = write(trees.src.parent / "files" / "outside", "content")
    os.link(outside, trees.src / "inside")

    trees.run()

    assert (trees.dest / "inside").read_text() == "content"
    assert (trees.dest / "inside").stat().st_nlink == 1
    assert trees.run(mode="compare")["differences"] == []
    assert list_numbers(trees.run()) == [False, 0, 0, 0]


def touch(path: Path) -> None:
    """Change the time of a file alone."""
    os.utime(path, ns=(0, 0))


def replace_content(path: Path) -> None:
    """Change a file so that size and time stay."""
    status = path.stat()
    path.write_bytes(b"X" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def point_elsewhere(path: Path) -> None:
    """Change where a link leads."""
    path.unlink()
    path.symlink_to("elsewhere")


def unlink_from_other(path: Path) -> None:
    """Make a file of its own of one of two names of a file."""
    status = path.stat()
    content = path.read_bytes()
    path.unlink()
    write(path, content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def set_attribute(path: Path) -> None:
    """Change an extended attribute."""
    subprocess.run(["setfattr", "-n", "user.note", "-v", "other", str(path)], check=True)


def set_acl(path: Path) -> None:
    """Change an ACL."""
    subprocess.run(["setfacl", "-m", f"u:{OTHER}:rw", str(path)], check=True)


def give_away(path: Path) -> None:
    """Change the owner alone."""
    os.chown(path, 0, -1, follow_symlinks=False)


CHANGES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "the owner of a file": ("empty", give_away),
    "the owner of a directory": ("modes", give_away),
    "the owner of a link": ("links/absolute", give_away),
    "content of the same size and time": ("foreign", replace_content),
    "a time": ("empty", touch),
    "a mode": ("modes/private", lambda path: path.chmod(0o644)),
    "the mode of a directory": ("modes/closed", lambda path: path.chmod(0o755)),
    "where a link leads": ("links/absolute", point_elsewhere),
    "a hard link": ("links/two", unlink_from_other),
    "an extended attribute": ("xattr", set_attribute),
    "an ACL": ("acl", set_acl),
    "a missing file": ("old", lambda path: path.unlink()),
}


@pytest.mark.parametrize(("name", "change"), CHANGES.values(), ids=list(CHANGES))
def test_a_comparison_names_what_differs_and_mends_nothing(
    trees: Trees, name: str, change: Callable[[Path], Any]
) -> None:
    fill(trees)
    trees.run()
    change(trees.dest / name)
    before = describe(trees.dest)

    result = trees.run(mode="compare")

    # Where a name has gone or come, the directory has another time as well.
    directories = {name.rpartition("/")[0] or ".", "links"}
    assert name in {*result["differences"]}
    assert {*result["differences"]} <= {name, *directories, "links/one"}
    assert list_numbers(result) == [False, 0, 0, 0]
    assert describe(trees.dest) == before


def test_a_comparison_names_what_only_the_target_has(trees: Trees) -> None:
    fill(trees)
    trees.run()
    write(trees.dest / "more\nhere" / "a\\b")
    os.utime(trees.dest, ns=(0, trees.src.stat().st_mtime_ns))

    result = trees.run(mode="compare")

    assert sorted(result["differences"]) == ["more\\x0ahere", "more\\x0ahere/a\\\\b"]


def test_a_comparison_names_a_thousand_and_says_how_many_more_there_are(trees: Trees) -> None:
    for number in range(1003):
        write(trees.src / str(number))
    os.utime(trees.dest, ns=(0, trees.src.stat().st_mtime_ns))

    result = trees.run(mode="compare")

    assert len(result["differences"]) == 1001
    assert result["differences"][-1] == "and 3 more"


@pytest.mark.parametrize("check", [True, False], ids=["check mode", "for real"])
@pytest.mark.parametrize("mode", ["copy", "final"])
def test_a_changed_time_of_a_directory_alone_is_a_change_and_is_not_sent(
    trees: Trees, mode: str, check: bool
) -> None:
    write(trees.src / "a" / "b")
    trees.run()
    os.utime(trees.dest / "a", ns=(0, 0))

    assert list_numbers(trees.run(check, mode=mode)) == [True, 0, 0, 0]


def test_content_of_the_same_size_and_time_is_copied_if_checksums_are_compared(
    trees: Trees,
) -> None:
    write(trees.src / "a", "new")
    trees.run()
    replace_content(trees.dest / "a")

    assert list_numbers(trees.run()) == [False, 0, 0, 0]
    assert list_numbers(trees.run(checksum=True)) == [True, 1, 0, 3]
    assert (trees.dest / "a").read_text() == "new"


@pytest.mark.parametrize("name", [".rsync-filter", ".cvsignore"])
def test_a_filter_file_in_the_tree_decides_nothing(trees: Trees, name: str) -> None:
    write(trees.src / name, "- *\n*\n")
    write(trees.src / "sub" / name, "- *\n*\n")
    write(trees.src / "sub" / "file.o")

    trees.run(delete=True)

    assert describe(trees.dest) == describe(trees.src)


@pytest.mark.parametrize("check", [True, False], ids=["check mode", "for real"])
def test_what_is_left_out_is_never_deleted_on_the_target_and_the_rest_is(
    either: Trees, check: bool
) -> None:
    write(either.src / "kept")
    left_out = leave_out(either)
    kept = ["odd/pi\npe", "odd/device*", "odd/socket", "odd/secret", "odd/locked/mine"]
    for name in kept:
        write(either.dest / name, "of the target")
    deleted = ["deleted", "deviceX", "odd/deviceX", "sub/one", "sub/two"]
    for name in deleted:
        write(either.dest / name)

    result = either.run(check, delete=True)

    assert result["deleted"] == len(deleted) + 1
    assert len(result["left_out"]) == len(left_out)
    for name in kept:
        assert (either.dest / name).read_text() == "of the target"
    assert [name for name in deleted if (either.dest / name).exists()] == (deleted if check else [])


def test_without_delete_what_only_the_target_has_stays(trees: Trees) -> None:
    write(trees.src / "new")
    write(trees.dest / "own")

    assert trees.run()["deleted"] == 0
    assert (trees.dest / "own").exists()


@pytest.mark.parametrize("check", [True, False], ids=["check mode", "for real"])
def test_more_deletions_than_allowed_are_refused_before_anything_is_written(
    trees: Trees, check: bool
) -> None:
    write(trees.src / "new")
    for number in range(3):
        write(trees.dest / str(number))
    before = describe(trees.dest)

    error = expect_refusal(trees, check, delete=True, max_delete=2)

    assert error.option == "max_delete"
    assert error.problem.startswith("3 entries of ")
    assert describe(trees.dest) == before
    assert trees.run(check, delete=True, max_delete=3)["deleted"] == 3


@pytest.mark.parametrize("mode", ["copy", "final"])
@pytest.mark.parametrize("check", [True, False], ids=["check mode", "for real"])
def test_an_empty_source_deletes_nothing(either: Trees, mode: str, check: bool) -> None:
    write(either.dest / "index.php")
    if mode == "final":
        # What is left out is on the source, but nothing of it is copied.
        os.mkfifo(either.src / "pipe")
        give(either.src / "pipe")
    before = describe(either.dest)

    error = expect_refusal(either, check, mode=mode, delete=True)

    assert error.option == "src"
    assert "has nothing to copy" in error.problem
    assert describe(either.dest) == before
    assert either.run(check, mode=mode)["deleted"] == 0
    assert either.find_temporary() == []


def test_an_empty_source_and_an_empty_target_are_equal(trees: Trees) -> None:
    # They were made one after the other, and the time of a directory is compared too.
    for tree in (trees.src, trees.dest):
        os.utime(tree, ns=(1, 1_000_000_001))

    assert list_numbers(trees.run(mode="final", delete=True)) == [False, 0, 0, 0]


def test_a_directory_alone_is_something_to_copy(trees: Trees) -> None:
    write(trees.dest / "index.php")
    (trees.src / "empty").mkdir()
    give(trees.src / "empty")

    assert trees.run(mode="final", delete=True)["deleted"] == 1


def test_patterns_are_left_alone_on_both_sides(trees: Trees) -> None:
    for name in ("cache/a", "sub/cache/a", "a.tmp", "+ a", "!"):
        write(trees.src / name)
    write(trees.dest / "cache" / "own")
    write(trees.dest / "b.tmp")
    patterns = ["/cache", "*.tmp", "+ a", "!"]

    result = trees.run(delete=True, exclude=patterns)

    assert result["deleted"] == 0
    assert {path.name for path in trees.dest.iterdir()} == {"cache", "b.tmp", "sub"}
    assert (trees.dest / "sub" / "cache" / "a").exists()
    assert trees.run(mode="compare", exclude=patterns)["differences"] == []


@pytest.mark.parametrize("check", [True, False], ids=["check mode", "for real"])
def test_a_directory_that_stays_for_what_is_excluded_in_it_is_named_and_no_difference(
    trees: Trees, check: bool
) -> None:
    write(trees.src / "kept" / "file")
    write(trees.dest / "a" / "sub" / "deep" / "x.cache")
    write(trees.dest / "a" / "old" / "file")
    exclude = ["*.cache"]

    result = trees.run(check, mode="final", delete=True, exclude=exclude)

    kept = [{"path": "a", "why": "excluded content"}]
    assert (result["deleted"], result["left_out"]) == (2, kept)
    if not check:
        assert (trees.dest / "a" / "sub" / "deep" / "x.cache").exists()
        again = trees.run(True, mode="final", delete=True, exclude=exclude)
        assert (again["changed"], again["left_out"]) == (False, kept)
        compared = trees.run(mode="compare", exclude=exclude)
        assert (compared["differences"], compared["left_out"]) == ([], kept)
        write(trees.dest / "a" / "sub" / "more")
        differing = trees.run(mode="compare", exclude=exclude)["differences"]
        assert differing == ["a/sub/more"]


def test_what_is_excluded_or_left_out_may_belong_to_anybody_on_the_target(trees: Trees) -> None:
    os.mkfifo(trees.src / "pipe")
    write(trees.src / "cache" / "a")
    write(trees.src / "own")
    trees.run()
    for name in ("pipe", "cache/b", "own"):
        write(trees.dest / name)
        give_away(trees.dest / name)
    give_away(trees.dest / "cache")

    result = trees.run(mode="compare", exclude=["/cache"])

    assert set(result["differences"]) - {"."} == {"own"}


def test_what_is_excluded_is_not_named_as_left_out(either: Trees) -> None:
    leave_out(either)

    names = [entry["path"] for entry in either.run(exclude=["device*", "/odd/locked"])["left_out"]]

    assert sorted(names) == ["odd/pi\\x0ape", "odd/secret", "odd/socket"]


@pytest.mark.parametrize("mode", ["copy", "final", "compare"])
@pytest.mark.parametrize("above", ["", "mail/of [someone]*"], ids=["the tree", "below it"])
def test_a_maildir_is_refused_before_anything_is_copied(
    trees: Trees, above: str, mode: str
) -> None:
    for name in ("cur", "new", "tmp"):
        write(trees.src / above / name / "1.message")

    error = expect_refusal(trees, mode=mode)

    assert error.option == "src"
    assert "panel_mailbox_sync" in error.compose()
    assert describe(trees.dest).keys() == {b"."}


@pytest.mark.parametrize("links", [["cur"], ["new", "tmp"], ["cur", "new", "tmp"]], ids="-".join)
@pytest.mark.parametrize("pattern", ["", "*.log", "cur/"])
def test_a_maildir_with_links_in_place_of_directories_is_refused_too(
    trees: Trees, links: list[str], pattern: str
) -> None:
    for name in ("cur", "new", "tmp"):
        write(trees.src / f"store-{name}" / "1.message")
        if name not in links:
            write(trees.src / "mail" / ".Work" / name / "1.message")
    (trees.src / "mail" / ".Work").mkdir(parents=True, exist_ok=True)
    for name in links:
        (trees.src / "mail" / ".Work" / name).symlink_to(f"../../store-{name}")

    error = expect_refusal(trees, exclude=[pattern] if pattern else [])

    assert error.option == "src"
    assert "a Maildir, mail/.Work:" in error.problem
    assert describe(trees.dest).keys() == {b"."}
    assert trees.run(exclude=["/mail"])["changed"]


@pytest.mark.parametrize("pattern", ["/mail", "cur/", "cur"])
def test_a_maildir_is_no_error_where_patterns_leave_all_of_it_out(
    trees: Trees, pattern: str
) -> None:
    for name in ("cur", "new", "tmp"):
        write(trees.src / "mail" / name / "1.message")
    write(trees.src / "index.php")
    is_whole = pattern == "/mail"

    if not is_whole:
        assert expect_refusal(trees, exclude=[pattern]).option == "src"
        return
    trees.run(exclude=[pattern])

    assert describe(trees.dest).keys() == {b".", b"index.php"}


# What a run meets while it copies


def start_slowly(trees: Trees, **options: Any) -> subprocess.Popen[str]:
    """Start a copy that has a large file on its way, and then a small one in a folder to copy."""
    write(trees.src / "a-large", os.urandom(LARGE))
    write(trees.src / "z" / "small", "content")
    process = trees.start(bandwidth=SLOW, **options)
    trees.wait_for_file(process)

    return process


def write_find(folder: Path, script: str) -> str:
    """Write a program find into a folder, and return a PATH with the folder first."""
    folder.mkdir()
    folder.chmod(0o755)
    program = folder / "find"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}:{host_tools._ENVIRONMENT['PATH']}"


@pytest.mark.parametrize("mode", ["copy", "final"])
def test_a_file_that_vanishes_is_an_error_in_the_last_copy_alone(trees: Trees, mode: str) -> None:
    process = start_slowly(trees, mode=mode)
    (trees.src / "z" / "small").unlink()

    result = read_result(process)

    assert (trees.dest / "a-large").stat().st_size == LARGE
    if mode == "copy":
        assert result["changed"]
    else:
        assert result["option"] == "mode"
        assert "vanished" in result["msg"]
    assert trees.find_temporary() == []


@pytest.mark.parametrize(("failures", "is_copied"), [(4, True), (5, False)])
def test_a_directory_that_goes_while_the_tree_is_listed_lets_it_be_listed_again(
    trees: Trees, monkeypatch: pytest.MonkeyPatch, failures: int, is_copied: bool
) -> None:
    write(trees.src / "small", "content")
    count = trees.folder / "scans"
    count.touch(0o666)
    count.chmod(0o666)
    let_find_fail = f'/usr/bin/find "$@"; echo >> {count}; [ "$(wc -l < {count})" -gt {failures} ]'
    path = write_find(trees.folder / "bin", let_find_fail)
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)

    if is_copied:
        assert trees.run()["sent"] == 1
    else:
        with pytest.raises(ContentError, match="cannot read"):
            trees.run()


def test_a_directory_that_becomes_a_link_on_the_source_is_not_followed(either: Trees) -> None:
    secret = write(either.folder / "secret" / "small", "secret", mode=0o600, user=OTHER)
    secret.parent.chmod(0o700)
    give(secret.parent, OTHER)
    process = start_slowly(either)
    (either.src / "z").rename(either.src / "y")
    (either.src / "z").symlink_to(secret.parent)

    read_result(process)

    texts = [path.read_bytes() for path in either.dest.rglob("*") if path.is_file()]
    assert b"secret" not in texts


def test_a_directory_that_becomes_a_link_on_the_target_is_not_followed(either: Trees) -> None:
    write(either.dest / "z" / "other")
    foreign = either.folder / "foreign"
    foreign.mkdir(mode=0o755)
    give(foreign, OTHER)
    process = start_slowly(either)
    (either.dest / "z").rename(either.dest / "y")
    (either.dest / "z").symlink_to(foreign)

    read_result(process)

    assert list(foreign.iterdir()) == []


MOMENTS = {
    "at once": ("trees", 0.0),
    "soon": ("trees", 0.3),
    "later": ("trees", 1.0),
    "by SSH": ("remote", 0.2),
}


@pytest.mark.parametrize("kill", [end, end_all], ids=["the run alone", "all of it"])
@pytest.mark.parametrize(("way", "delay"), make_parameters(MOMENTS, ["soon", "by SSH"]))
def test_after_a_kill_the_next_run_completes_and_nothing_is_left(
    way: str,
    delay: float,
    kill: Callable[[subprocess.Popen[str]], None],
    request: pytest.FixtureRequest,
) -> None:
    trees: Trees = request.getfixturevalue(way)
    process = start_slowly(trees)
    time.sleep(delay)
    kill(process)

    trees.run()

    assert describe(trees.dest) == describe(trees.src)
    assert trees.find_temporary() == []
    assert [path.name for path in trees.dest.parent.iterdir()] == ["www"]
    assert trees.run(mode="compare")["differences"] == []
    assert list_numbers(trees.run()) == [False, 0, 0, 0]


def test_while_a_run_copies_a_second_one_is_refused(
    trees: Trees, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_state, "MOST_SECONDS", 0)
    process = start_slowly(trees)

    error = expect_refusal(trees)
    result = read_result(process)

    assert error.problem.startswith("another run works on")
    assert result["sent"] == 3
    assert describe(trees.dest) == describe(trees.src)


def test_a_host_that_is_gone_in_the_middle_is_an_error_and_the_next_run_completes(
    folder: Path,
) -> None:
    with run_ssh(folder / "ssh") as server:
        trees = make_trees(folder, server.source)
        process = start_slowly(trees)
        server.stop()
        result = read_result(process)
        assert trees.find_temporary() == []
        server.start()

        assert result["option"] == "source"
        assert Trees(folder, server.source).run()["changed"]
        assert describe(trees.dest) == describe(trees.src)


def test_a_host_that_says_nothing_any_more_is_an_error_after_the_timeout(
    remote: Trees, ssh_server: RealSsh
) -> None:
    process = start_slowly(remote, timeout=2)
    stopped = ssh_server.find_commands()
    for number in stopped:
        os.kill(number, signal.SIGSTOP)
    begin = time.monotonic()
    try:
        result = read_result(process)
    finally:
        # runuser stops again, as long as what it has started stands still.
        for number in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    assert result["option"] in ("source", "timeout")
    # Without the option it takes a minute.
    assert time.monotonic() - begin < 30


@contextlib.contextmanager
def mount(path: Path, options: str) -> Iterator[None]:
    """Mount a small file system of the owner for the block."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
    try:
        give(path)
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


@pytest.mark.parametrize(
    ("options", "more"), [("size=1m", "size=8m"), ("nr_inodes=20", "nr_inodes=400")]
)
def test_a_full_file_system_is_an_error_and_with_more_space_the_next_run_completes(
    trees: Trees, options: str, more: str
) -> None:
    for number in range(30):
        write(trees.src / f"file {number}", os.urandom(100_000))

    with mount(trees.dest, f"{options},mode=755"):
        error = expect_refusal(trees)
        is_clean = trees.find_temporary() == []
        remount = ["mount", "-o", f"remount,{more}", str(trees.dest)]
        subprocess.run(remount, check=True)
        trees.run()
        equal = trees.run(mode="compare")["differences"]
        second = trees.run()
        same = describe(trees.dest) == describe(trees.src)

    assert "No space left on device" in error.problem
    # rsync names an entry before its content is there.
    assert error.effect.startswith("At most ")
    assert is_clean
    assert (equal, same) == ([], True)
    assert list_numbers(second) == [False, 0, 0, 0]


def test_another_file_system_in_the_tree_is_left_out_by_name(trees: Trees) -> None:
    write(trees.src / "mounted" / "hidden")
    write(trees.dest / "mounted" / "own")

    with mount(trees.src / "mounted", "size=1m"):
        write(trees.src / "mounted" / "file")
        result = trees.run(delete=True)

    assert result["left_out"] == [{"path": "mounted", "why": "other file system"}]
    assert [path.name for path in (trees.dest / "mounted").iterdir()] == ["own"]


@contextlib.contextmanager
def bind_folder(folder: Path, path: Path) -> Iterator[None]:
    """Show a folder of the same file system at a path too, for the block."""
    subprocess.run(["mount", "--bind", str(folder), str(path)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


@pytest.mark.parametrize("is_check", [False, True])
@pytest.mark.parametrize("delete", [False, True])
def test_a_mount_point_in_the_target_is_an_error_that_names_it(
    trees: Trees, delete: bool, is_check: bool
) -> None:
    write(trees.src / "index.php")
    elsewhere = write(trees.folder / "else where" / "of another use")
    write(trees.dest / "shop" / "my [data]" / "hidden")

    with bind_folder(elsewhere.parent, trees.dest / "shop" / "my [data]"):
        with pytest.raises(ContentError) as caught:
            trees.run(check=is_check, delete=delete)
        assert caught.value.option == "dest"
        assert "shop/my [data] in" in caught.value.problem
        assert "exclude /shop/my \\[data]" in caught.value.advice
        assert not (trees.dest / "index.php").exists()
        assert trees.run(mode="compare")["differences"] != []
        # The advice is a pattern for rsync.
        pattern = caught.value.advice.partition("exclude ")[2].partition(" and copy")[0]
        trees.run(check=is_check, delete=delete, exclude=[pattern])
    assert elsewhere.exists()


def test_a_mount_point_that_is_excluded_keeps_what_it_has(trees: Trees) -> None:
    write(trees.src / "index.php")
    write(trees.src / "shop" / "data" / "not copied")
    elsewhere = write(trees.folder / "elsewhere" / "of another use")
    write(trees.dest / "shop" / "data" / "hidden")

    with bind_folder(elsewhere.parent, trees.dest / "shop" / "data"):
        result = trees.run(delete=True, mode="final", exclude=["/shop/data"])

    assert (result["sent"], result["deleted"]) == (1, 0)
    assert [path.name for path in elsewhere.parent.iterdir()] == ["of another use"]


def test_a_directory_that_stays_for_a_mount_point_in_it_is_a_difference(trees: Trees) -> None:
    write(trees.src / "file")
    trees.run()
    (trees.dest / "a" / "mounted").mkdir(parents=True)
    with mount(trees.dest / "a" / "mounted", "size=1m"):
        result = trees.run(mode="compare")

    assert set(result["differences"]) - {"."} == {"a"}
    assert result["left_out"] == []


def test_what_is_mounted_beside_the_target_is_no_error(trees: Trees) -> None:
    write(trees.src / "index.php")
    beside = trees.dest.with_name(f"{trees.dest.name}2")
    beside.mkdir()

    with mount(beside, "size=1m"), mount(trees.dest, "size=1m,mode=755"):
        assert trees.run(delete=True)["sent"] == 1


def test_a_home_that_belongs_to_root_keeps_its_time_and_nothing_stays_in_it(trees: Trees) -> None:
    write(trees.src / "a")
    home = trees.dest.parent
    before = home.stat().st_mtime_ns

    trees.run()

    assert (home.stat().st_uid, home.stat().st_mtime_ns) == (0, before)
    assert (trees.dest / "a").exists()


def test_what_others_could_swap_is_no_place_for_a_directory_of_root(trees: Trees) -> None:
    write(trees.src / "a")
    give(trees.dest.parent, OTHER)
    before = trees.dest.parent.stat().st_mtime_ns

    trees.run()

    assert describe(trees.dest) == describe(trees.src)
    assert trees.dest.parent.stat().st_mtime_ns == before
    assert trees.find_temporary() == []


# What is refused by name


def test_the_owner_has_another_number_on_the_source(folder: Path) -> None:
    passwd = folder / "passwd"
    lines = Path("/etc/passwd").read_text(encoding="utf-8").splitlines()
    ours = [line for line in lines if not line.startswith(f"{OWNER}:")]
    passwd.write_text(
        "\n".join([*ours, f"{OWNER}:x:4242:4242::/:/usr/sbin/nologin", ""]), encoding="utf-8"
    )
    with run_ssh(folder / "ssh", files={"/etc/passwd": passwd}) as server:
        trees = make_trees(folder, server.source)
        for path in (trees.src, write(trees.src / "mine", mode=0o600)):
            os.chown(path, 4242, 4242)
        write(trees.src / "closed", mode=0o600)

        result = trees.run()

    assert result["left_out"] == [{"path": "closed", "why": "unreadable"}]
    assert (trees.dest / "mine").owner() == OWNER


def test_an_owner_whom_the_source_does_not_have_is_named(folder: Path) -> None:
    passwd = folder / "passwd"
    lines = Path("/etc/passwd").read_text(encoding="utf-8").splitlines(keepends=True)
    passwd.write_text(
        "".join(line for line in lines if not line.startswith(f"{OWNER}:")), encoding="utf-8"
    )
    with run_ssh(folder / "ssh", files={"/etc/passwd": passwd}) as server:
        error = expect_refusal(make_trees(folder, server.source))

    assert (error.option, error.problem) == ("owner", f"127.0.0.1 has no user {OWNER}.")


@pytest.mark.parametrize("option", ["src", "dest"])
@pytest.mark.parametrize(
    "path",
    ["relative", "", "/", "/srv/../etc", "/nowhere/at/all", "//nowhere\n", "/srv/\0x"],
)
def test_a_path_that_cannot_be_meant_is_refused_by_the_name_of_its_option(
    trees: Trees, option: str, path: str
) -> None:
    assert expect_refusal(trees, **{option: path}).option == option


@pytest.mark.parametrize("option", ["src", "dest"])
@pytest.mark.parametrize("kind", ["link", "file", "closed"])
def test_what_is_no_directory_of_the_owner_is_refused_by_the_name_of_its_option(
    trees: Trees, option: str, kind: str
) -> None:
    path = trees.folder / kind
    if kind == "link":
        path.symlink_to(getattr(trees, option))
    elif kind == "file":
        write(path)
    else:
        path.mkdir(mode=0o700)
        give(path, OTHER)

    assert expect_refusal(trees, **{option: str(path)}).option == option
    assert expect_refusal(trees, check=True, **{option: f"{path}//"}).option == option


@pytest.mark.parametrize("inner", ["", "sub", "sub/sub"])
@pytest.mark.parametrize("turned", [False, True])
def test_trees_that_hold_each_other_are_refused(trees: Trees, inner: str, turned: bool) -> None:
    inner_tree = trees.src / inner
    inner_tree.mkdir(parents=True, exist_ok=True)
    give(inner_tree)
    link = trees.folder / "way"
    link.symlink_to(trees.src.parent)
    paths = [str(link / "www"), str(inner_tree)]
    src, dest = reversed(paths) if turned else paths

    assert expect_refusal(trees, src=src, dest=dest).option == "dest"


def test_slashes_that_mean_nothing_change_nothing(trees: Trees) -> None:
    write(trees.src / "a")

    trees.run(src=f"{trees.src}///", dest=f"//{trees.dest}/.")

    assert describe(trees.dest) == describe(trees.src)


@pytest.mark.parametrize(
    ("way", "name"),
    [
        *(("trees", name) for name in HOSTILE_NAMES),
        *(("remote", name) for name in HOSTILE_NAMES[:6:2]),
    ],
)
def test_a_tree_itself_may_have_any_name(
    way: str, name: bytes, request: pytest.FixtureRequest
) -> None:
    trees: Trees = request.getfixturevalue(way)
    src = trees.folder / os.fsdecode(name)
    dest = trees.folder / os.fsdecode(b"to " + name)
    for path in (src, dest):
        path.mkdir()
        give(path)
    write(src / "a")

    trees.run(src=str(src), dest=str(dest))

    assert trees.run(src=str(src), dest=str(dest), mode="compare")["differences"] == []
    assert (dest / "a").exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"owner": "no-such-user"}, "owner"),
        ({"owner": "-x"}, "owner"),
        ({"owner": ""}, "owner"),
        ({"max_delete": -1}, "max_delete"),
        ({"timeout": -1}, "timeout"),
        ({"bandwidth": 0}, "bandwidth"),
        ({"exclude": [""]}, "exclude"),
        ({"exclude": ["/"]}, "exclude"),
        ({"exclude": ["a\0b"]}, "exclude"),
        ({"exclude": ["\ud800"]}, "exclude"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_by_name(
    trees: Trees, options: dict[str, Any], named: str
) -> None:
    assert expect_refusal(trees, **options).option == named


def make_old_rsync(folder: Path) -> Path:
    """Make a program that says it is an older rsync, and else is the real one."""
    program = folder / "old" / "rsync"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] || exec /usr/bin/rsync "$@"\n'
        "echo 'rsync  version 3.4.1  protocol version 32'\n",
        encoding="utf-8",
    )
    program.chmod(0o755)

    return program.parent


def test_an_old_rsync_on_this_host_is_refused_unless_it_is_allowed(
    trees: Trees, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(trees.src / "a")
    path = f"{make_old_rsync(trees.folder)}:{host_tools._ENVIRONMENT['PATH']}"
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)

    error = expect_refusal(trees)

    assert error.option == "allow_old_rsync"
    assert "rsync 3.4.1 on this host" in error.problem
    assert trees.run(allow_old_rsync=True)["sent"] == 1


def test_an_old_rsync_on_the_source_is_refused_unless_it_is_allowed(folder: Path) -> None:
    path = f"{make_old_rsync(folder)}:/usr/sbin:/usr/bin:/sbin:/bin"
    with run_ssh(folder / "ssh", path) as server:
        trees = make_trees(folder, server.source)
        write(trees.src / "a")

        error = expect_refusal(trees)

        assert error.option == "allow_old_rsync"
        assert "rsync 3.4.1 on 127.0.0.1" in error.problem
        assert trees.run(allow_old_rsync=True)["sent"] == 1


def test_a_source_without_rsync_is_an_error_that_names_it(folder: Path) -> None:
    tools = folder / "tools"
    tools.mkdir()
    with run_ssh(folder / "ssh", str(tools)) as server:
        error = expect_refusal(make_trees(folder, server.source))

    assert error.problem.startswith("rsync cannot be run on 127.0.0.1")


def test_a_changed_host_key_is_an_error_and_nothing_is_copied(
    remote: Trees, ssh_server: RealSsh
) -> None:
    write(remote.src / "a")
    ssh_server.trust(ssh_server.folder / "key.pub")
    try:
        error = expect_refusal(remote)
    finally:
        ssh_server.trust()

    assert error.option == "source.known_hosts_file"
    assert describe(remote.dest).keys() == {b"."}


def test_check_mode_and_comparison_leave_no_state(trees: Trees) -> None:
    write(trees.src / "a")

    trees.run(check=True, delete=True)
    trees.run(mode="compare")

    assert not Path(trees.state).exists()


def test_what_runs_kept_is_readable_by_root_alone(trees: Trees) -> None:
    trees.run()

    modes = {stat.S_IMODE(path.stat().st_mode) for path in Path(trees.state).iterdir()}
    assert modes == {0o600}
