# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps values on the controller, in a file that is encrypted with the run's Vault secret."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ..module_utils._errors import OptionError
from ..module_utils._operation.locks import exclusive, private_folder
from ..module_utils._problems import NOTHING_WRITTEN
from ..plugin_utils._ansible.results import HIDDEN
from ..plugin_utils._credentials.encrypted_file import EncryptedFile, FileError, lock_files
from ..plugin_utils._run.panel_action import PanelAction

SPECIFICATION = {
    "path": {"type": "path", "required": True},
    "values": {"type": "dict", "default": {}, "no_log": True},
    "alone": {"type": "int"},
}
_PAUSE = 0.5
_SAID_AFTER = 5.0


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_secrets. The module proper is documentation only."""

    _supports_async = False
    _requires_connection = False
    specification = SPECIFICATION

    def result_of(self, _task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        arguments = self.checked_arguments(SPECIFICATION)
        seconds = arguments.get("alone")
        if seconds is not None and seconds < 0:
            problem = f"{seconds} is not accepted; it must be a number of seconds, 0 or more."
            raise OptionError("alone", f"{problem} {NOTHING_WRITTEN}")
        file = EncryptedFile(arguments["path"], self.vault)
        changed, secrets = self._kept(file, arguments["values"], seconds)
        # Ansible shows nothing of such a result; a failure holds no secret and is shown.
        return {"changed": changed, "path": file.path, "secrets": secrets, **HIDDEN}

    def _kept(self, file: EncryptedFile, values: Mapping[str, Any], alone: int | None) -> tuple[bool, dict[str, Any]]:
        """Whether the content changes, and what it is then."""
        content = _content(file, self.vault)
        if alone is not None and not self._task.check_mode:
            self._wait_for_others(file, alone)
            content = _content(file, self.vault)
        after = merged(content, values)
        if after == content:
            return False, after
        folder = Path(file.path).parent
        if self._task.check_mode:
            if folder.exists():
                file.check(after)
            return True, after
        with file.explained("cannot be written"):
            folder.mkdir(mode=0o700, exist_ok=True)
        with lock_files([file]):
            # Another task may have changed the file since it was read.
            content = file.read()
            after = merged(content, values)
            if after != content:
                file.replace(after)
        return after != content, after

    def _wait_for_others(self, file: EncryptedFile, seconds: int) -> None:
        """Takes the file for this ansible-playbook, until its process ends. Raises FileError where another one does not end."""
        parent = multiprocessing.parent_process()
        own = run_of((parent.pid if parent else None) or os.getppid())
        if not own:
            raise FileError(f"{file.path}: ansible-playbook has ended.", written=NOTHING_WRITTEN)
        mark = Path(private_folder(), f"{hashlib.sha256(file.path.encode()).hexdigest()[:32]}.run")
        start, is_said = time.monotonic(), False
        while True:
            with exclusive(f"run {file.path}", file.path, 60.0):
                owner = mark.read_text(encoding="utf-8") if mark.exists() else ""
                process = owner.partition(" ")[0]
                if owner == own or not process.isdigit() or owner != run_of(int(process)):
                    mark.write_text(own, encoding="utf-8")
                    return
            waited = time.monotonic() - start
            if waited >= seconds:
                raise FileError(
                    f"{file.path}: another ansible-playbook (process {process}) still uses the file after {seconds} s. Wait until it has "
                    "ended, or end it, and run again."
                )
            if waited > _SAID_AFTER and not is_said:
                self.say(f"waiting for process {process}, which uses {file.path}")
                is_said = True
            time.sleep(_PAUSE)


def _content(file: EncryptedFile, vault: VaultLib) -> dict[str, Any]:
    """What the file holds; nothing where the last part of its folder is missing, which is made for the first values."""
    folder = Path(file.path).parent
    if vault.secrets and not folder.exists() and folder.parent.is_dir():
        return {}
    return file.read()


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Dictionaries are merged key by key; null removes a key, and everything else replaces its value."""
    result = dict(old)
    for name, value in new.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, Mapping):
            inner = result.get(name)
            result[name] = merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            result[name] = value
    return result


def run_of(process: int) -> str:
    """The number of a process and when it started, which no later process with this number has; empty where it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        start = "" if fields[0] in "ZX" else fields[19]
    except OSError:
        start = _start_by_ps(process)
    return start and f"{process} {start}"


def _start_by_ps(process: int) -> str:
    words = ["ps", "-o", "lstart=", "-p", str(process)]
    try:
        shown = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    except OSError:
        return ""
    return " ".join(shown.stdout.split())
