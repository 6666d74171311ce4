"""Trees of a customer with everything that a file system can hold, and runs of a copy."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._content.files.task import (
    FILES_OPTIONS,
    sync_files,
)
from tests.support.real_ssh import find_descendants
from tools.layout import LINK, ROOT

# Every Debian has trees. Neither may read what belongs to the other or to root.
OWNER = "www-data"
OTHER = "backup"
SECONDS = 60.0
SLOW = 2048
"""KiB a second, with which a file of a few megabytes leaves time to do something."""
# Runs a copy in a process of its own, which can be killed.
SCRIPT = """\
import json, sys
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.task import sync_files
options, directory = json.load(sys.stdin)
try:
    result = sync_files(options, False, directory)
except ContentError as error:
    result = {"option": error.option, "msg": error.compose()}
print(json.dumps(result))
"""


@dataclass(frozen=True)
class Trees:
    """A source and a target of one owner, side by side.

    folder: What has trees, and the state of runs.
    source: The option ``source``; None where trees are on this host.
    """

    folder: Path
    source: Mapping[str, Any] | None

    @property
    def src(self) -> Path:
        """Return the tree that is copied."""
        return self.folder / "from" / "www"

    @property
    def dest(self) -> Path:
        """Return the tree into which it is copied."""
        return self.folder / "to" / "www"

    @property
    def state(self) -> str:
        """Return where runs keep what they did."""
        return str(self.folder / "state")

    def complete(self, **options: Any) -> dict[str, Any]:
        """Return all options of the module, with those that a test does not name."""
        defaults = {name: spec.get("default") for name, spec in FILES_OPTIONS.items()}
        named = {
            "src": str(self.src),
            "dest": str(self.dest),
            "owner": OWNER,
            "source": self.source,
        }

        return {**defaults, **named, **options}

    def run(self, check: bool = False, **options: Any) -> dict[str, Any]:
        """Copy or compare in this process, and return the result."""
        return sync_files(self.complete(**options), check, self.state)

    def start(self, **options: Any) -> subprocess.Popen[str]:
        """Copy in a process of its own."""
        path = os.pathsep.join([str(LINK), str(ROOT)])
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert process.stdin is not None
        json.dump([self.complete(**options), self.state], process.stdin)
        process.stdin.close()
        process.stdin = None

        return process

    def wait_for_file(self, process: subprocess.Popen[str]) -> None:
        """Wait until the first file is on its way."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and process.poll() is None:
            for temporary in self.find_temporary():
                if any(temporary.iterdir()):
                    return
            time.sleep(0.005)
        raise AssertionError("No file was on its way.")

    def find_temporary(self) -> list[Path]:
        """Return what is left of directories for incomplete files."""
        return [*self.dest.parent.glob(".hosting*"), *self.dest.glob(".hosting*")]


def make_trees(folder: Path, source: Mapping[str, Any] | None) -> Trees:
    """Make an empty source and an empty target of the owner."""
    trees = Trees(folder, source)
    for path in (trees.src, trees.dest):
        path.mkdir(parents=True, mode=0o755)
        give(path)

    return trees


def end(process: subprocess.Popen[str]) -> None:
    """Kill a run alone: what it has started goes on."""
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def end_all(process: subprocess.Popen[str]) -> None:
    """Kill a run and all that it has started."""
    for descendant in [*find_descendants(process.pid), process.pid]:
        try:
            os.kill(descendant, 9)
        except ProcessLookupError:
            continue
    end(process)


def read_result(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the result of a run that ends by itself, or its ``option`` and ``msg``."""
    output, _errors = process.communicate(timeout=SECONDS)
    result: dict[str, Any] = json.loads(output)

    return result


def give(path: Path | bytes, user: str | int = OWNER) -> None:
    """Give an entry to a user, or to the number of one that this machine does not have."""
    if isinstance(user, int):
        os.chown(path, user, user, follow_symlinks=False)
        return
    account = pwd.getpwnam(user)
    os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)


def write(
    path: Path, content: str | bytes = "x", mode: int = 0o644, user: str | int = OWNER
) -> Path:
    """Write a file of a user, and the directories above it."""
    missing = [parent for parent in path.parents if not parent.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    for parent in missing:
        give(parent)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    give(path, user)

    return path


HOSTILE_NAMES = (
    b"new\nline",
    b"\xff\xfe",
    b"-rf",
    b"--delete",
    b"star*[a]?",
    b"back\\slash",
    b"back\\sl*sh",
    b"+ plus",
    b"#012",
    b"\\#012",
    b" lead and trail ",
    b"'quo\"te$(id)`id`;",
    "ümläut".encode(),
)


def fill(trees: Trees) -> None:
    """Put everything that is copied into the source, and something into the target."""
    src = trees.src
    for number, name in enumerate(HOSTILE_NAMES):
        path = src / "names" / os.fsdecode(name)
        write(path, str(number))
        write(path.with_name(path.name + ".d") / "inside", "y")
    write(src / "modes" / "setuid", mode=0o4755)
    write(src / "modes" / "private", mode=0o600)
    (src / "modes" / "closed").mkdir(mode=0o700)
    give(src / "modes" / "closed")
    os.utime(write(src / "old"), ns=(1, 1_000_000_001))
    os.link(write(src / "links" / "one", "1" * 100), src / "links" / "two")
    for name, target in (("absolute", "/etc/shadow"), ("dead", "nowhere"), ("up", "../../..")):
        (src / "links" / name).symlink_to(target)
        give(src / "links" / name)
    write(src / "foreign", "of another", user=OTHER)
    write(src / "empty", "")
    with write(src / "sparse").open("r+b") as file:
        file.truncate(16 * 1024 * 1024)
    acl = ["setfacl", "-m", f"u:{OTHER}:r", str(write(src / "acl"))]
    xattr = ["setfattr", "-n", "user.note", "-v", "value", str(write(src / "xattr"))]
    for command in (acl, xattr):
        subprocess.run(command, check=True)
    give(src)


def leave_out(trees: Trees) -> dict[str, str]:
    """Put everything that is not copied into the source; return the shown path of each with the reason."""
    src = trees.src
    folder = src / "odd"
    folder.mkdir()
    give(folder)
    os.mkfifo(folder / "pi\npe")
    os.mknod(folder / "device*", 0o600 | 0o020000, os.makedev(1, 3))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
    give(folder / "pi\npe")
    write(folder / "secret", mode=0o600, user=OTHER)
    write(folder / "locked" / "inside", mode=0o600)
    (folder / "locked").chmod(0o700)
    give(folder / "locked", OTHER)

    return {
        "odd/pi\\x0ape": "pipe",
        "odd/device*": "device",
        "odd/socket": "socket",
        "odd/secret": "unreadable",
        "odd/locked": "unreadable",
    }


def describe(tree: Path) -> dict[bytes, tuple[Any, ...]]:
    """Return what each entry of a tree is, by its path."""
    inodes: dict[int, int] = {}
    entries = {}
    for path in sorted([tree, *tree.rglob("*")]):
        status = path.lstat()
        is_link = path.is_symlink()
        inode = inodes.setdefault(status.st_ino, len(inodes))
        names = os.listxattr(path, follow_symlinks=False)
        entries[os.fsencode(path.relative_to(tree))] = (
            status.st_mode,
            status.st_mtime_ns,
            str(path.readlink()) if is_link else "",
            path.read_bytes() if path.is_file() and not is_link else b"",
            {name: os.getxattr(path, name, follow_symlinks=False) for name in names},
            # Which names are one file.
            inode if status.st_nlink > 1 and not path.is_dir() else -1,
        )

    return entries


def remove(folder: Path) -> None:
    """Remove the folder of a test."""
    shutil.rmtree(folder)
