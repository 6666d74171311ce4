"""Keeps one simulator of a folder running, or ends it: what the role hosting.panel.simulator runs on the host.

The key is read from standard input, so that it is not among the words of a process. Prints JSON: changed, port (null where none listens).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent  # a folder or an archive
_START_SECONDS, _END_SECONDS = 20.0, 10.0
# What is in a folder of a simulator. The mark is there from before the first of the others that this program writes; the archive is copied there.
_MARK, _ARCHIVE = ".panel-simulator", "panel_simulator.zip"
_FILES = ("pid", "port", "api-key", "log")


def is_running(number: int) -> bool:
    """Whether the process exists; one that has ended and was not waited for does not count where /proc tells."""
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
    """The simulator of one folder. options: of ``python -m panel_simulator``, without those of the folder."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self.folder = folder
        self.words = [
            sys.executable,
            "-m",
            "panel_simulator",
            "--api-key-file",
            str(folder / "api-key"),
            *options,
        ]
        self.words += ["--port-file", str(folder / "port"), "--pid-file", str(folder / "pid")]

    def running(self) -> tuple[int, list[str]] | None:
        """The process id and the words of the simulator of this folder, however it was started."""
        pid = self.number("pid")
        words = _words_of(pid) if pid is not None else []
        # A process id alone proves nothing, since the system uses it again.
        is_ours = "panel_simulator" in words and str(self.folder / "pid") in words
        return (pid, words) if pid is not None and is_ours else None

    def number(self, name: str) -> int | None:
        """What a file of the folder says: ``pid``, or ``port``, where it listens."""
        try:
            return int((self.folder / name).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def is_right(self, key: str) -> bool:
        found = self.running()
        try:
            kept = (self.folder / "api-key").read_text(encoding="utf-8").strip()
        except OSError:
            return False
        return found is not None and found[1] == self.words and kept == key

    def check_folder(self) -> None:
        """Raises RuntimeError, with one sentence, where the folder holds files that are not a simulator's."""
        if self._is_marked():
            return
        others = self._entries() - {_ARCHIVE}
        if others:
            names = ", ".join(sorted(others)[:3])
            raise RuntimeError(
                f"The directory {self.folder} holds files that are not from a simulator ({names}); choose another simulator_directory."
            )

    def own_files(self) -> list[Path]:
        """The files of the folder that simulators have written; none in a folder that is somebody's."""
        entries = self._entries()
        own = {_ARCHIVE, _MARK, *_FILES, *self._noted()}
        # Without the mark a folder counts only if it holds nothing else, and a process id.
        if not self._is_marked() and not ("pid" in entries and entries <= own):
            return []
        return [self.folder / name for name in sorted(entries & own)]

    def remove(self) -> None:
        """Removes the files of the simulators, and the folder where nothing else is in it."""
        for path in self.own_files():
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _is_marked(self) -> bool:
        return (self.folder / _MARK).is_file()

    def _entries(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()} if self.folder.is_dir() else set()

    def _noted(self) -> set[str]:
        """The names of the files that hold the state of simulators of this folder."""
        with contextlib.suppress(OSError, ValueError):
            return set((self.folder / _MARK).read_text(encoding="utf-8").splitlines())
        return set()

    def _mark(self) -> None:
        """Notes that the folder is a simulator's, and where in it the simulator keeps its state."""
        names = self._noted()
        for option, value in zip(self.words, self.words[1:], strict=False):
            if option == "--state" and Path(value).expanduser().absolute().parent == self.folder:
                names.add(Path(value).name)
        (self.folder / _MARK).write_text(
            "".join(f"{name}\n" for name in sorted(names)), encoding="utf-8"
        )

    def start(self, key: str) -> None:
        """Starts it in the background. Raises RuntimeError with one sentence."""
        self.end()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._mark()
        for name in ("pid", "port", "api-key"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / "api-key").touch(mode=0o600)
        (self.folder / "api-key").write_text(f"{key}\n", encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(_PACKAGE)}
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                self.words,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            if self.number("port") is not None:
                return
            time.sleep(0.05)
        process.kill()
        said = (self.folder / "log").read_text(encoding="utf-8", errors="replace").split("\n")
        raise RuntimeError(
            next(
                (line for line in reversed(said) if line.strip()),
                "it did not listen within 20 seconds.",
            )
        )

    def end(self) -> None:
        found = self.running()
        if found is None:
            return
        os.kill(found[0], signal.SIGTERM)
        deadline = time.monotonic() + _END_SECONDS
        while is_running(found[0]) and time.monotonic() < deadline:
            time.sleep(0.05)
        if is_running(found[0]):
            os.kill(found[0], signal.SIGKILL)


def _words_of(pid: int) -> list[str]:
    try:
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_text(encoding="utf-8", errors="replace")
            .split("\0")[:-1]
        )
    except OSError:
        done = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.split()


def main() -> int:
    """The words are STATE FOLDER [--anew] [--check] -- OPTION ... of the role."""
    end = sys.argv.index("--")
    _program, state, folder, *flags = sys.argv[:end]
    simulator = Background(Path(folder).expanduser().absolute(), sys.argv[end + 1 :])
    try:
        changed = _brought(simulator, state, "--anew" in flags, "--check" in flags)
    except (RuntimeError, OSError) as error:
        # What the simulator itself has said is a sentence already.
        is_sentence = str(error).startswith("The ")
        print(error if is_sentence else f"The simulator did not start: {error}", file=sys.stderr)
        return 2
    print(
        json.dumps(
            {"changed": changed, "port": simulator.number("port") if simulator.running() else None}
        )
    )
    return 0


def _brought(simulator: Background, state: str, anew: bool, only_told: bool) -> bool:
    """Whether something changes, or would; anew: also where one runs with this key and these options."""
    if state == "started":
        key = sys.stdin.readline().strip()
        if not key:
            raise RuntimeError(
                "simulator_api_key is missing; set it to the key that requests must carry."
            )
        simulator.check_folder()
        changed = anew or not simulator.is_right(key)
        if changed and not only_told:
            simulator.start(key)
        return changed
    is_removed = state == "absent" and bool(simulator.own_files())
    changed = simulator.running() is not None or is_removed
    if changed and not only_told:
        simulator.end()
        if is_removed:
            simulator.remove()
    return changed
