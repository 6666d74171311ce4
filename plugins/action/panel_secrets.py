# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps values on the controller, in a file that is encrypted with the run's Vault secret."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ..module_utils._errors import OptionError
from ..module_utils._problems import Written
from ..plugin_utils._ansible.results import HIDDEN
from ..plugin_utils._credentials.encrypted_file import EncryptedFile, FileError, lock_files
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._run.run_marks import wait_for_path

SPECIFICATION = {
    "path": {"type": "path", "required": True},
    "values": {"type": "dict", "default": {}, "no_log": True},
    "alone": {"type": "int"},
}


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_secrets. The module proper is documentation only."""

    _supports_async = False
    _requires_connection = False
    specification = SPECIFICATION

    def run_task(self, _task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Merge the values into the file, and return all that it holds."""
        arguments = self.check_arguments(SPECIFICATION)
        seconds = arguments.get("alone")
        if seconds is not None and seconds < 0:
            problem = f"{seconds} is not accepted; it must be a number of seconds, 0 or more."
            raise OptionError(problem, option="alone", written=Written.NOTHING)

        file = EncryptedFile(arguments["path"], self.vault)
        changed, secrets = self._keep(file, arguments["values"], seconds)
        # Ansible shows nothing of such a result; a failure holds no secret and is shown.
        return {"changed": changed, "path": file.path, "secrets": secrets, **HIDDEN}

    def _keep(
        self, file: EncryptedFile, values: Mapping[str, Any], seconds: int | None
    ) -> tuple[bool, dict[str, Any]]:
        """Write values into the file.

        Args:
            file: The file.
            values: The values.
            seconds: How long to wait for other runs; None if they may use the file too.

        Returns:
            Whether the content changes, and what it is then.
        """
        content = _read_content(file, self.vault)
        if seconds is not None and not self._task.check_mode:
            self._wait_for_others(file, seconds)
            content = _read_content(file, self.vault)

        after = merge(content, values)
        if after == content:
            return False, after
        folder = Path(file.path).parent
        if self._task.check_mode:
            if folder.exists():
                file.check(after)
            return True, after

        with file.explain_error("cannot be written"):
            folder.mkdir(mode=0o700, exist_ok=True)
        with lock_files([file]):
            # Another task may have changed the file since it was read.
            content = file.read()
            after = merge(content, values)
            if after != content:
                file.replace(after)
        return after != content, after

    def _wait_for_others(self, file: EncryptedFile, seconds: int) -> None:
        """Take the file for this ansible-playbook, until its process ends.

        Raises:
            FileError: Another one that has the file does not end within so many seconds.
            PanelError: The file cannot be taken.
        """
        process = wait_for_path(file.path, seconds, self.say)
        if process:
            raise FileError(
                f"{file.path}: another ansible-playbook (process {process}) still uses the "
                f"file after {seconds} s. Wait until it has ended, or end it, and run again."
            )


def _read_content(file: EncryptedFile, vault: VaultLib) -> dict[str, Any]:
    """Return what the file holds.

    It holds nothing if the last part of its folder is missing, which is made for the first values.
    """
    folder = Path(file.path).parent
    if vault.secrets and not folder.exists() and folder.parent.is_dir():
        return {}
    return file.read()


def merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Merge dictionaries key by key; null removes a key, and everything else replaces its value."""
    result = dict(old)
    for name, value in new.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, Mapping):
            old_value = result.get(name)
            if not isinstance(old_value, Mapping):
                old_value = {}
            result[name] = merge(old_value, value)
        else:
            result[name] = value
    return result
