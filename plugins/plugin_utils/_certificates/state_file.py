# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The encrypted file in the state folder, which has keys before they are used, and orders while they are under way.

Everything is in one file, so that a run of many certificates encrypts once a step.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ansible import constants
from ansible.parsing.vault import VaultLib

from .._jobs.encrypted_file import EncryptedFile
from .._jobs.job_failed import explained
from .state import CERTIFICATES, Content, wrong_place

_NAME = "certificates.yml"


class StateError(Exception):
    """The state cannot be kept; the message says why and what to do, in one or two sentences, without a secret."""


class StateFile(EncryptedFile):
    """The file in the state folder. ``is_changed``: whether this run has changed it."""

    error = StateError
    keeps = "keys"
    member = CERTIFICATES
    comment = "# Keys and certificates, kept by the role hosting.panel.certificate.\n"
    missing = 1
    is_changed = False

    def change(self, edit: Callable[[Content], Content]) -> bool:
        is_other = super().change(edit)
        self.is_changed = self.is_changed or is_other
        return is_other

    def _parsed(self, text: bytes) -> Content:
        content = super()._parsed(text)
        # Somebody may have edited it.
        if place := wrong_place(content):
            raise self.error(
                f"{self.path}: {place} is not as this role writes it; the file is left as it is. Correct it with ansible-vault edit, or take "
                "the file from a backup."
            )
        return content

    def make_folder(self) -> None:
        """Makes the folder where it is missing, for this user alone. Raises StateError."""
        folder = os.path.dirname(self.path)
        with explained(folder, error=StateError):
            os.makedirs(folder, mode=0o700, exist_ok=True)


def state_file(folder: str, vault: VaultLib) -> StateFile:
    """The file in that folder; a new one gets the secret that Ansible's own settings name."""
    path = os.path.join(os.path.expanduser(folder), _NAME)
    return StateFile(path, vault, constants.config.get_config_value("DEFAULT_VAULT_ENCRYPT_IDENTITY"))
