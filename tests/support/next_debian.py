"""Unpacks the tools of Debian 13 into a folder below .build, for tests on a machine with Debian 12.

The packages come from the mirror that apt of this machine uses. Nothing of them is installed and
no script of theirs runs. A tool sees the files of this machine, but for ``/usr``, in place of
which it sees that of the folder: in a mount namespace of its own, which ends with it.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.needed import skip_where_not_run
from tools.environments import DEBIAN, NotRun
from tools.layout import run_and_read_output

CODENAME = "trixie"
FOLDER = DEBIAN / CODENAME
TOOLS = (
    "/usr/bin/doveadm",
    "/usr/sbin/dovecot",
    "/usr/bin/mariadb",
    "/usr/bin/mariadb-dump",
    "/usr/bin/mariadb-install-db",
    "/usr/sbin/mariadbd",
    "/usr/bin/ssh",
)
_PACKAGES = (
    "dovecot-core",
    "dovecot-imapd",
    "mariadb-server",
    "mariadb-client",
    "openssh-client",
    # What scripts of these are written for.
    "coreutils",
    "dash",
    "grep",
    "sed",
    # A program of the folder may be started by another one.
    "mount",
    "util-linux",
)
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_SECONDS = 600.0
_ENTER = 'mount --bind {usr} /usr && exec "$0" "$@"'


def require_next_debian() -> Path:
    """Return a folder with a program for each of ``TOOLS``, which runs that of Debian 13.

    The test is skipped where they cannot be had.
    """
    with skip_where_not_run():
        if os.geteuid() != 0:
            raise NotRun("Only root can put another /usr in place for one program.")
        if not Path("/lib").is_symlink():
            raise NotRun("Programs of this machine are not all in /usr.")
        return _make_programs(_unpack())


def _make_programs(unpacked: Path) -> Path:
    programs = unpacked / "programs"
    programs.mkdir(exist_ok=True)
    script = _ENTER.format(usr=shlex.quote(str(unpacked / "usr")))
    command = ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script]
    for tool in TOOLS:
        program = programs / Path(tool).name
        # Whoever runs it meanwhile has the old one, which is the same.
        new = programs / f".{program.name}.{os.getpid()}"
        new.write_text(f'#!/bin/sh\nexec {shlex.join([*command, tool])} "$@"\n', encoding="utf-8")
        new.chmod(0o755)
        new.replace(program)

    return programs


def _unpack() -> Path:
    """Return the folder with all that the packages hold, from the last time or made now.

    Raises:
        NotRun: Debian's packages cannot be had.
    """
    DEBIAN.mkdir(parents=True, exist_ok=True)
    with (DEBIAN / f"{CODENAME}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if FOLDER.is_dir():
            return FOLDER
        with tempfile.TemporaryDirectory(dir=DEBIAN) as scratch:
            unpacked = Path(scratch) / "unpacked"
            unpacked.mkdir(mode=0o755)
            for archive in _download(Path(scratch)):
                _run(["dpkg-deb", "--extract", str(archive), str(unpacked)])
            # A script of the package makes this link.
            shell = unpacked / "usr" / "bin" / "sh"
            if not shell.is_symlink():
                shell.symlink_to("dash")
            unpacked.rename(FOLDER)

    return FOLDER


def _download(scratch: Path) -> list[Path]:
    """Return the archives of the packages and of all that they need.

    apt gets lists and a cache of its own, and knows of no installed package.
    """
    lists = scratch / "lists" / "partial"
    archives = scratch / "archives"
    for folder in (lists, archives / "partial"):
        folder.mkdir(parents=True)
    status = scratch / "status"
    status.touch()
    sources = scratch / "sources.list"
    line = f"deb [signed-by={_KEYRING}] {_find_mirror()} {CODENAME} main\n"
    sources.write_text(line, encoding="utf-8")
    settings = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": lists.parent,
        "Dir::State::status": status,
        "Dir::Cache": scratch,
        "Dir::Cache::Archives": archives,
        "APT::Sandbox::User": "root",
        "APT::Install-Recommends": "false",
    }
    apt = ["apt-get", "--quiet", "--yes"]
    for name, value in settings.items():
        apt += ["--option", f"{name}={value}"]
    _run([*apt, "update"])
    _run([*apt, "--download-only", "install", *_PACKAGES])

    return sorted(archives.glob("*.deb"))


def _find_mirror() -> str:
    """Return the address from which apt of this machine has its own release.

    Raises:
        NotRun: This is no Debian.
    """
    if shutil.which("apt-get") is None:
        raise NotRun("Only apt brings the packages of Debian 13.")
    targets = ["Identifier: Packages", "Component: main", "Label: Debian"]
    output = _run(["apt-get", "indextargets", "--format", "$(REPO_URI)", *targets])
    lines = output.split()
    if not lines:
        raise NotRun("apt of this machine names no mirror of Debian.")

    return lines[0]


def _run(command: Sequence[str]) -> str:
    """Return what a command printed.

    Raises:
        NotRun: It failed.
    """
    try:
        code, text = run_and_read_output(command, DEBIAN, seconds=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        code = 1
        text = str(error)
    if code:
        last_line = text.strip().rpartition("\n")[2]
        raise NotRun(f"{command[0]} could not bring the packages of Debian 13: {last_line}")

    return text
