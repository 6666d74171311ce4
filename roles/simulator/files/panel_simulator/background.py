"""Keeps one simulator of a folder running, or ends it: what the role hosting.panel.simulator runs on the host.

The key is read from standard input, so that it is not among the words of a process. Prints JSON: changed, port (null where none listens).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent  # a folder or an archive
_START_SECONDS, _END_SECONDS = 20.0, 10.0


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
        self.words = [sys.executable, "-m", "panel_simulator", "--api-key-file", str(folder / "api-key"), *options]
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

    def start(self, key: str) -> None:
        """Starts it in the background. Raises RuntimeError with one sentence."""
        self.end()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("pid", "port", "api-key"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / "api-key").touch(mode=0o600)
        (self.folder / "api-key").write_text(f"{key}\n", encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(_PACKAGE)}
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                self.words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            if self.number("port") is not None:
                return
            time.sleep(0.05)
        process.kill()
        said = (self.folder / "log").read_text(encoding="utf-8", errors="replace").split("\n")
        raise RuntimeError(
            next((line for line in reversed(said) if line.strip()), "it did not listen within 20 seconds.")
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
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")[:-1]
    except OSError:
        done = subprocess.run(["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False)
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
    print(json.dumps({"changed": changed, "port": simulator.number("port") if simulator.running() else None}))
    return 0


def _brought(simulator: Background, state: str, anew: bool, only_told: bool) -> bool:
    """Whether something changes, or would; anew: also where one runs with this key and these options."""
    if state == "started":
        key = sys.stdin.readline().strip()
        if not key:
            raise RuntimeError("simulator_api_key is missing; set it to the key that requests must carry.")
        changed = anew or not simulator.is_right(key)
        if changed and not only_told:
            simulator.start(key)
        return changed
    is_removed = state == "absent" and simulator.folder.exists()
    changed = simulator.running() is not None or is_removed
    if changed and not only_told:
        simulator.end()
        if is_removed:
            shutil.rmtree(simulator.folder)
    return changed
