# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the commands that copy a tree, for both hosts. Pure.

On the source exactly these run, and a forced command can allow them word by word:

1. ``rsync --version``
2. ``runuser -u OWNER -- env -C / find SRC ...``, with the words of ``make_scan_command``
3. ``runuser -u OWNER -- rsync --server --sender -LETTERS [--OPTION...] . SRC/``, where rsync
   itself chooses the letters and the options: ``SERVER_LETTERS`` and ``SERVER_OPTION`` match them.
4. ``getent passwd OWNER``, if the second one fails
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..source_host import SourceHost

OLDEST_RSYNC = (3, 5, 0)
"""The first release without the races of links that are swapped while rsync runs
(docs/host_tools.md#swapped-links)."""
SERVER_WORDS = ("rsync", "--server", "--sender")
"""How the command begins that rsync asks of the source, behind ``runuser -u OWNER --``."""
SERVER_LETTERS = r"-[ADHSXcglnoprtvx]+e\.[A-Za-z]+"
"""Matches its letters. Of all others, k and L would follow links, and s would read further arguments,
which nobody compares, from the connection. Behind the point are the abilities of the other rsync."""
SERVER_OPTION = r"--(?:list-only|timeout=[0-9]+|bwlimit=[0-9]+)"
"""Matches each of its long options. A point and the path, with a slash at its end, follow them."""
VARIABLES = {"RSYNC_OLD_ARGS": "1"}
"""The environment of rsync. Old and new releases then send the path as it is quoted here
(docs/host_tools.md#quoted-paths)."""
# Everything that a tree has but devices, pipes, sockets and owners: what is copied is the owner's.
# Times are compared by nanoseconds, else a file that changed within a second would be missed.
# Without the last two, what rsync says of hard links and deletions depends on when it sees them.
_KEPT = (
    "--archive",
    "--no-owner",
    "--no-devices",
    "--no-specials",
    "--hard-links",
    "--acls",
    "--xattrs",
    "--sparse",
    "--modify-window=-1",
    "--one-file-system",
    "--no-inc-recursive",
    "--info=nonreg0",
)
_FORMAT = "--out-format=%i %l %n"
# Each entry that matters is a record of four texts that end in NUL: why it matters, its type, the
# number of its file system, its path below the tree.
_RECORD = "\\0%y\\0%D\\0%P\\0"
_SCAN = shlex.split(
    "-ignore_readdir_race -xdev"
    f" ( -type d ( ! -readable -o ! -executable ) -printf 'unreadable{_RECORD}' -prune )"
    f" -o ( -type f ! -readable -printf 'unreadable{_RECORD}' )"
    " -o ( ! -type f ( ! -type l -o -name cur -o -name new -o -name tmp )"
    f" -printf 'entry{_RECORD}' )"
)


@dataclass(frozen=True)
class Transfer:
    """Describes what one run of rsync does.

    source: The host of ``src``; None for this one.
    src, dest: Directories, without a slash at their end.
    owner: The user as which the side of ``dest`` runs.
    source_owner: The user as which the side of ``src`` runs: on one host the same.
    exclude: Patterns of rsync for what stays as it is.
    delete: Whether what only ``dest`` has goes.
    max_delete: How many entries may go.
    checksum: Whether files are compared by their content.
    bandwidth: KiB a second; 0 means no limit.
    timeout: Seconds without any data after which it ends; 0 means no limit.
    """

    source: SourceHost | None
    src: str
    dest: str
    owner: str
    source_owner: str
    exclude: tuple[str, ...] = ()
    delete: bool = False
    max_delete: int = 1000
    checksum: bool = False
    bandwidth: int = 0
    timeout: int = 0


def normalize_path(path: str) -> str:
    """Return the whole path of a directory without what means nothing in it; empty if it is none.

    A path with ``..`` is none: what it leads to depends on links. Neither is the root.
    """
    names = [name for name in path.split("/") if name not in ("", ".")]
    if not path.startswith("/") or ".." in names or "\0" in path or not names:
        return ""

    return "/" + "/".join(names)


def make_version_command() -> list[str]:
    """Return the command that says which release of rsync a host has."""
    return ["rsync", "--version"]


def make_account_command(owner: str) -> list[str]:
    """Return the command that ends with 0 where a host has that user."""
    return ["getent", "passwd", owner]


def make_scan_command(owner: str, src: str) -> list[str]:
    """Return the command that lists what of a tree is no plain file, or cannot be read.

    It runs as the owner of the tree, in a directory that everybody can enter. All directories are
    listed, since what they are called tells a Maildir, and the links that are called so too.
    """
    # A path that begins with a slash is no option.
    return [*run_as(owner), "env", "-C", "/", "find", src, *_SCAN]


def run_as(owner: str) -> list[str]:
    """Return the beginning of a command that runs as a user, with its groups."""
    return ["runuser", "-u", owner, "--"]


def make_copy_command(transfer: Transfer, temporary: str, kept_name: str = "") -> list[str]:
    """Return the command that copies.

    Args:
        transfer: What it does.
        temporary: The directory for files that are not complete.
        kept_name: The name of that directory where it is in ``dest``; empty where it is beside.
    """
    command = [*_begin(transfer), *_describe(transfer), f"--temp-dir={temporary}"]
    if kept_name:
        command.append(f"--filter=- /{kept_name}")
    if transfer.delete:
        command += ["--delete-after", f"--max-delete={transfer.max_delete}"]

    return _finish(transfer, command)


def make_trial_command(transfer: Transfer) -> list[str]:
    """Return the command that says what a copy would do, and does nothing.

    Where entries may be deleted, it says too how many the source has.
    """
    command = [*_begin(transfer), *_describe(transfer), "--dry-run"]
    if transfer.delete:
        command += ["--delete-after", "--stats"]

    return _finish(transfer, command)


def make_listing_command(transfer: Transfer) -> list[str]:
    """Return the command that lists which of the entries that it reads ``exclude`` leaves in.

    It reads patterns from its standard input, separated by NUL, and lists nothing else.
    """
    command = [
        *_begin(transfer),
        "--recursive",
        "--links",
        "--one-file-system",
        "--list-only",
        "--no-human-readable",
        *_exclude(transfer),
        "--from0",
        "--include-from=-",
        "--filter=- *",
    ]

    return [*command, _name_source(transfer)]


def escape_pattern(path: bytes) -> bytes:
    """Return the pattern of rsync that matches this path of a tree, and no other one.

    A backslash means itself where a pattern has no wildcard.
    """
    if not re.search(rb"[*?\[]", path):
        return b"/" + path

    return b"/" + re.sub(rb"([*?\[\\])", rb"\\\1", path)


def excludes_exactly(patterns: Iterable[str], path: str) -> bool:
    """Tell whether patterns name exactly this path of a tree, or a directory above it.

    What other patterns leave out is up to rsync. One that ends with a slash leaves no file or link
    of that name out.

    Args:
        patterns: Of a task.
        path: The path below the tree, without a slash at its beginning.
    """
    names = path.split("/")
    paths = ["/".join(names[:count]) for count in range(1, len(names) + 1)]
    exact = {name_pattern(each) for each in paths}

    return not exact.isdisjoint(patterns)


def name_pattern(path: str) -> str:
    """Return the pattern of a path as a task has it; otherwise as ``escape_pattern``."""
    pattern = escape_pattern(path.encode("utf-8", "surrogateescape"))

    return pattern.decode("utf-8", "surrogateescape")


def join_patterns(paths: Sequence[bytes]) -> bytes:
    """Return what rsync reads to leave these paths of a tree out."""
    return b"".join(escape_pattern(path) + b"\0" for path in paths)


def join_ways(paths: Sequence[bytes]) -> bytes:
    """Return what rsync reads to find these paths: each with the directories above it."""
    patterns: dict[bytes, None] = {}
    folders: set[bytes] = set()
    for path in paths:
        new_parents = []
        parent, _slash, _name = path.rpartition(b"/")
        # What is above a directory that is known is known too.
        while parent and parent not in folders:
            folders.add(parent)
            new_parents.append(parent)
            parent, _slash, _name = parent.rpartition(b"/")
        for directory in reversed(new_parents):
            patterns[escape_pattern(directory) + b"/"] = None
        patterns[escape_pattern(path)] = None

    return b"".join(pattern + b"\0" for pattern in patterns)


def _begin(transfer: Transfer) -> list[str]:
    command = ["rsync", f"--copy-as={transfer.owner}"]
    if transfer.source is not None:
        shell = " ".join(_quote_argument(argument) for argument in _make_ssh_command(transfer))
        program = shlex.join([*run_as(transfer.source_owner), "rsync"])
        command += [f"--rsh={shell}", f"--rsync-path={program}"]
    if transfer.timeout:
        command.append(f"--timeout={transfer.timeout}")

    return command


def _make_ssh_command(transfer: Transfer) -> list[str]:
    if transfer.source is None:
        return []
    program, *arguments = transfer.source.make_ssh_command()
    if not transfer.timeout:
        return [program, *arguments]
    # rsync on the receiving side waits as long as ssh takes what it sends. Of an option that is
    # there twice ssh takes the first.
    interval = max(1, transfer.timeout // 2)
    alive = ["-o", f"ServerAliveInterval={interval}", "-o", "ServerAliveCountMax=2"]

    return [program, *alive, *arguments]


def _describe(transfer: Transfer) -> list[str]:
    command = [*_KEPT, _FORMAT, *_exclude(transfer), "--from0", "--exclude-from=-"]
    if transfer.checksum:
        command.append("--checksum")
    if transfer.bandwidth:
        command.append(f"--bwlimit={transfer.bandwidth}")

    return command


def _exclude(transfer: Transfer) -> list[str]:
    return [f"--filter=- {pattern}" for pattern in transfer.exclude]


def _finish(transfer: Transfer, command: Sequence[str]) -> list[str]:
    return [*command, _name_source(transfer), f"{transfer.dest}/"]


def _name_source(transfer: Transfer) -> str:
    path = f"{transfer.src}/"
    if transfer.source is None:
        return path
    # A shell on the source reads it.
    host = transfer.source.host
    name = f"[{host}]" if ":" in host else host

    return f"{name}:{shlex.quote(path)}"


def _quote_argument(argument: str) -> str:
    """Return an argument as rsync reads its remote shell: in quotes, which are doubled inside."""
    return "'" + argument.replace("'", "''") + "'"
