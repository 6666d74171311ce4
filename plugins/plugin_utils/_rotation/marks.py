# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks new passwords in a file as set while a rotation goes on. Private to the collection."""

from __future__ import annotations

import time

from .._passwords.entries import in_force
from .._passwords.file import (
    Credential,
    CredentialsError,
    CredentialsFile,
)

# Seconds between two times that the file is written: encrypting takes longer than setting a password.
_WRITTEN_EVERY = 2.0


class RotationMarks:
    """Marks passwords as set in the file, several at once where that goes faster than encrypting."""

    def __init__(self, file: CredentialsFile) -> None:
        self._file = file
        self._waiting: list[Credential] = []
        self._written = 0.0

    def add(self, credential: Credential) -> None:
        self._waiting.append(credential)
        if time.monotonic() - self._written > _WRITTEN_EVERY:
            self.write()

    def write(self) -> str:
        """What to say if the file cannot be written; the passwords are in it all the same, as pending ones."""
        done = self._waiting
        if not done:
            return ""
        try:
            self._file.change(lambda content: in_force(content, done))
        except CredentialsError as error:
            return (
                f"{len(done)} new passwords that are in force could not be marked as such: {error} They are in the file, under "
                "pending_passwords. Correct the cause and run again with the same id."
            )
        self._waiting, self._written = [], time.monotonic()
        return ""
