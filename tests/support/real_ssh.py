"""A real SSH server on a loopback port, which stands for the host that content comes from.

It runs as root, and what it runs sees the files of this machine. Its keys, its log and its
settings are in a folder of the test.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
START_SECONDS = 10.0
ATTEMPTS = 3
# Compiled into Debian's sshd; at a boot the service makes it.
SEPARATION_FOLDER = Path("/run/sshd")
SETTINGS = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
LogLevel VERBOSE
MaxStartups 100
# The newest exchange of keys takes more time than all else of a connection.
KexAlgorithms curve25519-sha256
# A bash of the first level that sshd starts reads the file .bashrc of whoever runs the tests.
SetEnv SHLVL=1{path}
"""


class RealSsh:
    """A server with a key of its own that may log in as root."""

    def __init__(self, folder: Path, files: Mapping[str, Path] | None = None) -> None:
        """Prepare keys in a folder without starting anything.

        Args:
            folder: Where keys, settings and log are.
            files: What the server and its commands see in place of files of this machine, such as
                another ``/etc/passwd``: in a mount namespace of its own.
        """
        self.folder = folder
        self.files = files or {}
        self.port = 0
        self.key_file = folder / "key"
        self.known_hosts_file = folder / "known_hosts"
        self.log_file = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        for name in ("host_key", "key"):
            _make_key(folder / name)
        self.allow()

    @property
    def source(self) -> dict[str, Any]:
        """Return the option ``source`` of a module that gets content from here."""
        return {
            "host": HOST,
            "port": self.port,
            "user": "root",
            "key_file": str(self.key_file),
            "known_hosts_file": str(self.known_hosts_file),
        }

    def allow(self, options: str = "") -> None:
        """Let the key log in, with options of ``authorized_keys`` such as a forced command."""
        public_key = self.key_file.with_suffix(".pub").read_text(encoding="ascii")
        line = f"{options} {public_key}".lstrip()
        (self.folder / "authorized_keys").write_text(line, encoding="utf-8")

    def trust(self, public_key_file: Path | None = None) -> None:
        """Write the file of known hosts, with the server's own key or with another one."""
        path = public_key_file or self.folder / "host_key.pub"
        kind, key = path.read_text(encoding="ascii").split()[:2]
        line = f"[{HOST}]:{self.port} {kind} {key}\n"
        self.known_hosts_file.write_text(line, encoding="ascii")

    def start(self, path: str = "") -> None:
        """Start the server.

        Args:
            path: The PATH of what it runs, if not the usual one.
        """
        SEPARATION_FOLDER.mkdir(mode=0o755, exist_ok=True)
        for _attempt in range(ATTEMPTS):
            self.port = _find_free_port()
            self.trust()
            self._start_on_port(path)
            if self._is_listening():
                return
            self.stop()
        log = self.log_file.read_text(encoding="utf-8", errors="replace")
        raise AssertionError(f"sshd does not start:\n{log}")

    def stop(self) -> None:
        """End the server and what it runs for those who are logged in."""
        if self._process is None:
            return
        sessions = find_descendants(self._process.pid)
        self._process.terminate()
        self._process.wait()
        self._process = None
        for session in sessions:
            with contextlib.suppress(ProcessLookupError):
                os.kill(session, 9)

    def find_commands(self) -> list[int]:
        """Return the ids of the processes that serve somebody who is logged in."""
        return find_descendants(self._process.pid) if self._process else []

    def _start_on_port(self, path: str) -> None:
        configuration = self.folder / "sshd_config"
        variable = f" PATH={path}" if path else ""
        text = SETTINGS.format(port=self.port, folder=self.folder, path=variable)
        configuration.write_text(text, encoding="utf-8")
        # It starts itself again for each connection, and wants its whole path for that.
        program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
        assert program is not None
        with self.log_file.open("wb") as log:
            self._process = subprocess.Popen(
                [*make_namespace(self.files), program, "-D", "-e", "-f", str(configuration)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _is_listening(self) -> bool:
        assert self._process is not None
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 1):
                return True
            time.sleep(0.02)
        return False


def make_namespace(files: Mapping[str, Path]) -> list[str]:
    """Return the beginning of a command that sees files or folders in place of this machine's."""
    if not files:
        return []
    mounts = [
        shlex.join(["mount", "--bind", str(instead), path]) for path, instead in files.items()
    ]
    script = " && ".join([*mounts, 'exec "$0" "$@"'])

    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]


@contextmanager
def run_ssh(
    folder: Path, path: str = "", files: Mapping[str, Path] | None = None
) -> Iterator[RealSsh]:
    """Yield a server that runs until the end of the block; see ``RealSsh`` for the arguments."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    server = RealSsh(folder, files)
    server.start(path)
    try:
        yield server
    finally:
        server.stop()


def find_descendants(process: int) -> list[int]:
    """Return the ids of the children of a process, and of theirs."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program, in parentheses, may hold anything.
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(folder.name))

    descendants: list[int] = []
    waiting = [process]
    while waiting:
        more_children = children.get(waiting.pop(), [])
        descendants += more_children
        waiting += more_children
    return descendants


def _make_key(path: Path) -> None:
    if path.exists():
        return
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _find_free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])
