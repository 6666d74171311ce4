"""A real MariaDB server on a socket in the folder of a test, without a port."""

from __future__ import annotations

import itertools
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 30.0
NUMBERS = itertools.count(1)
"""For names of databases that no other test of the process has."""
# The server gets no TMPDIR, which its user might not be able to enter.
ENVIRONMENT = {"PATH": os.environ.get("PATH", "") + ":/usr/sbin", "LC_ALL": "C.UTF-8"}


class RealMariadb:
    """A server whose administrator needs no password on its socket."""

    def __init__(self, folder: Path, programs: Path | None = None, *settings: str) -> None:
        """Make the files of the server without starting it.

        Args:
            folder: Where they are.
            programs: A folder with the programs of another release than the installed one.
            settings: More options of the server.
        """
        self.folder = folder
        self._settings = settings
        self._environment = ENVIRONMENT
        if programs is not None:
            self._environment = {**ENVIRONMENT, "PATH": f"{programs}:{ENVIRONMENT['PATH']}"}
        self.socket = folder / "sock"
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        command = [
            "mariadb-install-db",
            "--no-defaults",
            f"--user={_get_user()}",
            f"--datadir={folder / 'data'}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve",
        ]
        subprocess.run(command, check=True, capture_output=True, env=self._environment, timeout=120)

    @property
    def login(self) -> dict[str, str | None]:
        """Return the option ``login`` of a module."""
        return {"socket": str(self.socket), "defaults_file": None}

    @property
    def process_id(self) -> int:
        """Return the id of the process of a server that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        command = [
            "mariadbd",
            "--no-defaults",
            f"--user={_get_user()}",
            f"--datadir={self.folder / 'data'}",
            f"--socket={self.socket}",
            f"--pid-file={self.folder / 'pid'}",
            # A server removes at its start what others have in the common directory.
            f"--tmpdir={self.folder}",
            "--skip-networking",
            "--innodb-buffer-pool-size=32M",
            "--innodb-log-file-size=8M",
            "--innodb-flush-log-at-trx-commit=0",
            "--character-set-server=utf8mb4",
            "--event-scheduler=ON",
            *self._settings,
        ]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment
            )
        end = time.monotonic() + START_SECONDS
        while self._ask(["--execute=SELECT 1"]).returncode != 0:
            if time.monotonic() > end or self._process.poll() is not None:
                text = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
                raise AssertionError(f"mariadbd does not start:\n{text}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End the server."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def run(self, statements: str | bytes, database: str = "") -> list[list[str]]:
        """Carry out statements as the administrator, and return the rows of their results."""
        text = statements.encode() if isinstance(statements, str) else statements
        arguments = ["--", database] if database else []
        ended = self._ask(arguments, text)
        assert ended.returncode == 0, ended.stderr.decode("utf-8", "replace")[-2000:]
        lines = ended.stdout.decode("utf-8", "surrogateescape").split("\n")
        return [line.split("\t") for line in lines if line]

    def make_client(self) -> list[str]:
        """Return the command of a client of the administrator."""
        return [
            "mariadb",
            "--no-defaults",
            f"--socket={self.socket}",
            "--user=root",
            "--comments",
            "--batch",
            "--skip-column-names",
            "--default-character-set=utf8mb4",
        ]

    def _ask(self, arguments: list[str], text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.make_client(), *arguments],
            input=text,
            capture_output=True,
            check=False,
            env=self._environment,
            timeout=120,
        )


@contextmanager
def run_mariadb(
    folder: Path, programs: Path | None = None, *settings: str
) -> Iterator[RealMariadb]:
    """Yield a server that runs until the end of the block; see ``RealMariadb``."""
    server = RealMariadb(folder, programs, *settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _get_user() -> str:
    return "root" if os.geteuid() == 0 else os.environ.get("USER", "")
