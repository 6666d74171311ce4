# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps one simulator of a folder running, or ends it.

The role hosting.panel.simulator runs this on the host. The key is read from standard input, so that
no list of processes shows it. Prints JSON: changed, port (null where none listens).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent  # a folder or an archive
_START_SECONDS = 20.0
_END_SECONDS = 10.0
# The files in a folder of a simulator. This program writes the mark before any other; the role copies
# the archive.
_MARK = ".panel-simulator"
_ARCHIVE = "panel_simulator.zip"
_FILES = ("pid", "port", "api-key", "log")


def is_running(number: int) -> bool:
    """Return whether the process exists.

    One that has ended and was not waited for does not count where /proc shows its state.
    """
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True

    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] != "Z"


class Background:
    """The simulator of one folder.

    options: of ``python -m panel_simulator``, without those of the folder.
    """

    def __init__(self, folder: Path, options: list[str]) -> None:
        self.folder = folder
        self.command = [sys.executable, "-m", "panel_simulator"]
        self.command += ["--api-key-file", str(folder / "api-key"), *options]
        self.command += ["--port-file", str(folder / "port"), "--pid-file", str(folder / "pid")]

    def find_running(self) -> tuple[int, list[str]] | None:
        """Return the process id and the command of the simulator of this folder, however it was
        started."""
        pid = self.read_number("pid")
        if pid is None:
            return None

        command = _read_command(pid)
        # A process id alone proves nothing, since the system uses it again.
        is_of_folder = "panel_simulator" in command and str(self.folder / "pid") in command
        return (pid, command) if is_of_folder else None

    def read_number(self, name: str) -> int | None:
        """Return the number in a file of the folder: ``pid``, or ``port`` once it listens."""
        try:
            return int((self.folder / name).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def is_right(self, key: str) -> bool:
        """Return whether a simulator with these options and this key runs."""
        running = self.find_running()
        if running is None:
            return False

        try:
            kept_key = (self.folder / "api-key").read_text(encoding="utf-8").strip()
        except OSError:
            return False

        _pid, command = running
        return command == self.command and kept_key == key

    def check_folder(self) -> None:
        """Raise RuntimeError, with a sentence, if the folder holds files that are not a
        simulator's."""
        if self._is_marked():
            return

        foreign = self._list_entries() - {_ARCHIVE}
        if foreign:
            names = ", ".join(sorted(foreign)[:3])
            raise RuntimeError(
                f"The directory {self.folder} holds files that are not from a simulator "
                f"({names}); choose another simulator_directory."
            )

    def list_own_files(self) -> list[Path]:
        """Return the files of the folder that simulators have written; none in a folder of
        somebody else."""
        entries = self._list_entries()
        of_simulators = {_ARCHIVE, _MARK, *_FILES, *self._list_noted()}
        # Without the mark a folder counts only if it holds nothing else, and a process id.
        is_simulators = self._is_marked() or ("pid" in entries and entries <= of_simulators)
        if not is_simulators:
            return []

        return [self.folder / name for name in sorted(entries & of_simulators)]

    def remove(self) -> None:
        """Remove the files of the simulators, and the folder if nothing else is in it."""
        for path in self.list_own_files():
            path.unlink(missing_ok=True)

        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _is_marked(self) -> bool:
        return (self.folder / _MARK).is_file()

    def _list_entries(self) -> set[str]:
        if not self.folder.is_dir():
            return set()
        return {path.name for path in self.folder.iterdir()}

    def _list_noted(self) -> set[str]:
        """The names of the files that hold the state of simulators of this folder."""
        with contextlib.suppress(OSError, ValueError):
            return set((self.folder / _MARK).read_text(encoding="utf-8").splitlines())

        return set()

    def _mark(self) -> None:
        """Note that the folder is a simulator's, and where in it the simulator keeps its state."""
        names = self._list_noted()
        for option, value in itertools.pairwise(self.command):
            if option != "--state":
                continue
            state = Path(value).expanduser().absolute()
            if state.parent == self.folder:
                names.add(state.name)

        lines = [f"{name}\n" for name in sorted(names)]
        mark = self.folder / _MARK
        mark.write_text("".join(lines), encoding="utf-8")

    def start(self, key: str) -> None:
        """Start the simulator in the background; raises RuntimeError with a sentence."""
        self.end()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._mark()
        for name in ("pid", "port", "api-key"):
            (self.folder / name).unlink(missing_ok=True)

        key_file = self.folder / "api-key"
        key_file.touch(mode=0o600)
        key_file.write_text(f"{key}\n", encoding="utf-8")

        process = self._launch()
        deadline = time.monotonic() + _START_SECONDS

        while time.monotonic() < deadline and process.poll() is None:
            if self.read_number("port") is not None:
                return
            time.sleep(0.05)

        process.kill()
        raise RuntimeError(self._read_last_line() or "it did not listen within 20 seconds.")

    def _launch(self) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                self.command,
                env={**os.environ, "PYTHONPATH": str(_PACKAGE)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _read_last_line(self) -> str:
        """Return the last line of the log that is not blank; an empty text if there is none."""
        text = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        lines = [line for line in text.split("\n") if line.strip()]
        return lines[-1] if lines else ""

    def end(self) -> None:
        """End the simulator of this folder, by force if it does not end by itself."""
        running = self.find_running()
        if running is None:
            return

        pid, _command = running
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _END_SECONDS
        while is_running(pid) and time.monotonic() < deadline:
            time.sleep(0.05)

        if is_running(pid):
            os.kill(pid, signal.SIGKILL)


def _read_command(pid: int) -> list[str]:
    """Return the command line of a process, from /proc or from ps."""
    try:
        text = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        listing = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return listing.stdout.split()

    return text.split("\0")[:-1]


def main() -> int:
    """Read STATE FOLDER [--anew] [--check] -- OPTION ... and bring the simulator there."""
    end = sys.argv.index("--")
    _program, state, folder, *flags = sys.argv[:end]
    simulator = Background(Path(folder).expanduser().absolute(), sys.argv[end + 1 :])

    try:
        changed = _bring(simulator, state, "--anew" in flags, "--check" in flags)
    except (RuntimeError, OSError) as error:
        message = str(error)
        # What the simulator itself has printed is a sentence already.
        if not message.startswith("The "):
            message = f"The simulator did not start: {message}"
        print(message, file=sys.stderr)
        return 2

    port = None
    if simulator.find_running():
        port = simulator.read_number("port")

    print(json.dumps({"changed": changed, "port": port}))
    return 0


def _bring(simulator: Background, state: str, anew: bool, is_check: bool) -> bool:
    """Start, end or remove the simulator, unless it only checks.

    Args:
        simulator: the one of the directory.
        state: "started", "stopped" or "absent".
        anew: whether a simulator with this key and these options starts again too.
        is_check: whether nothing may change.

    Returns: whether something changes, or would.
    """
    if state == "started":
        return _bring_up(simulator, anew, is_check)

    is_removed = state == "absent" and bool(simulator.list_own_files())
    changed = simulator.find_running() is not None or is_removed
    if changed and not is_check:
        simulator.end()
        if is_removed:
            simulator.remove()

    return changed


def _bring_up(simulator: Background, anew: bool, is_check: bool) -> bool:
    key = sys.stdin.readline().strip()
    if not key:
        raise RuntimeError(
            "simulator_api_key is missing; set it to the key that requests must carry."
        )

    simulator.check_folder()
    changed = anew or not simulator.is_right(key)
    if changed and not is_check:
        simulator.start(key)

    return changed
