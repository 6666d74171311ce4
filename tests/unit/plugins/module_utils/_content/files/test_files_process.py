"""How rsync is started and noted, and ended by the run after a killed one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._content.files.process import (
    describe_process,
    end_former_process,
    run_rsync,
)
from tools.layout import LINK, ROOT

SECONDS = 20.0
KILLED_TASK = """\
import os, signal, sys
from ansible_collections.hosting.panel.plugins.module_utils._content.files.process import run_rsync
kill = lambda process: os.kill(os.getpid(), signal.SIGKILL)
run_rsync(["touch", sys.argv[1]], b"", print, kill)
"""


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_rsync_reads_its_patterns_and_each_line_is_handed_on_once_it_is_noted() -> None:
    lines: list[bytes] = []
    noted: list[int] = []

    ended = run_rsync(["sh", "-c", "cat; echo $$; exit 3"], b"a\nb\n", lines.append, noted.append)

    assert (ended.code, lines) == (3, [b"a", b"b", str(noted[0]).encode()])


def test_a_task_that_is_killed_before_it_notes_its_process_has_started_nothing(
    tmp_path: Path,
) -> None:
    path = os.pathsep.join([str(LINK), str(ROOT)])
    command = [sys.executable, "-c", KILLED_TASK, str(tmp_path / "started")]
    task = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False)
    time.sleep(0.5)

    assert task.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_goes_on_as_rsync_is_ended_by_its_note(tmp_path: Path) -> None:
    program = tmp_path / "rsync"
    shutil.copy("/bin/sleep", program)
    notes: list[dict[str, Any]] = []
    codes: list[int] = []

    def run() -> None:
        command = ["sh", "-c", 'sleep 0.3; exec "$0" 60', str(program)]
        ended = run_rsync(
            command, b"", lambda line: None, lambda process: notes.append(describe_process(process))
        )
        codes.append(ended.code)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: bool(notes))
    name = Path(f"/proc/{notes[0]['id']}/comm")
    wait_until(lambda: name.read_text(encoding="utf-8") == "rsync\n")
    end_former_process({**notes[0], "began": "0"})
    assert thread.is_alive()
    end_former_process(notes[0])
    thread.join(SECONDS)

    assert codes == [-signal.SIGTERM]
