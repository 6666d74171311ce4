"""Runs module files as Ansible does: in a process of their own, with the options as JSON on standard input.

One process waits for runs and forks for each of them, because starting Python and importing AnsibleModule takes longer than everything that a
module does.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ansible

ROOT = Path(__file__).resolve().parents[2]
ANSIBLE = str(Path(ansible.__file__).parents[1])
"""Where Ansible is: `ansible-test` has it in a folder of its own, which a new process does not know."""
IMPORTS = os.pathsep.join([str(ROOT / ".build" / "link"), ANSIBLE])

# In the environment: the folder of the locks of tasks, where several panels have the same objects.
LOCKS = "PANEL_TEST_LOCKS"


class ModuleServer:
    """The process that forks, for as long as the block lasts."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            text=True,
        )

    def __enter__(self) -> ModuleServer:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def run(self, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """The result that one run prints."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([_file_of(name), options]) + "\n")
        self._process.stdin.flush()
        printed = json.loads(self._process.stdout.readline() or '""')
        if not printed:
            raise RuntimeError(f"{name} printed nothing")
        result: dict[str, Any] = json.loads(printed)
        return result

    def stop(self) -> None:
        """Ends the process."""
        self._process.communicate()


def _file_of(name: str) -> str:
    return str(ROOT / "plugins" / "modules" / f"{name}.py")


def _environment() -> dict[str, str]:
    locks = {name: value for name, value in os.environ.items() if name == LOCKS}
    return {"PATH": os.environ["PATH"], "PYTHONPATH": IMPORTS, **locks}


def _main() -> None:
    """The process that forks: reads the runs, prints what each of them printed."""
    # What every module imports, once.
    import requests  # noqa: F401

    from ansible_collections.hosting.panel.plugins.module_utils._task import locks

    locks._TEMPORARY = os.environ.get(LOCKS, locks._TEMPORARY)
    for line in sys.stdin:
        print(json.dumps(_printed_by(*json.loads(line))), flush=True)


def _printed_by(file: str, options: Mapping[str, Any]) -> str:
    read_output, write_output = os.pipe()
    # No pipe, which would hold a part of many objects only.
    given = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
    given.write(json.dumps({"ANSIBLE_MODULE_ARGS": options}).encode())
    given.seek(0)
    child = os.fork()
    if not child:
        os.dup2(given.fileno(), 0)
        os.dup2(write_output, 1)
        sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
        sys.argv = [file]
        try:
            runpy.run_path(file, run_name="__main__")
        except SystemExit:
            pass
        except BaseException:
            traceback.print_exc()
        finally:
            # Not the interpreter's own way out, which takes as long as the run.
            sys.stdout.flush()
            os._exit(0)
    os.close(write_output)
    with os.fdopen(read_output) as output:
        printed = output.read()
    given.close()
    os.waitpid(child, 0)
    return printed


if __name__ == "__main__":
    _main()
