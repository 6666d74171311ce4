# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of Ansible knows of the keys that it has used, for all of its tasks and hosts. Private to the collection.

The panel bans addresses that fail often, so a key that it refused is not sent again. As long as nothing is known of a key, one request
with it is under way at a time, so that forty hosts that begin at once send a wrong key once. What is known is an empty file for a key that
the panel takes, and one with the status for a key that it refused, in the folder that Ansible makes for each run and removes at its end.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import random
import threading
import time
from collections.abc import Iterator

from ansible import constants

from ...module_utils._http.answers import DENIALS
from ...module_utils._http.connection_settings import Connection

_LONGEST_PAUSE = 0.05


class RunKey:
    """A key of this run on one panel.

    place: from where it is sent, empty for the controller; a panel may take a key from one address and refuse it from another.
    """

    def __init__(self, base_url: str, api_key: str, timeout: float, place: str = "") -> None:
        folder = str(constants.DEFAULT_LOCAL_TMP)  # type: ignore[attr-defined]  # one of the settings that Ansible puts there
        # Ansible names the folder at random, so the file's name cannot be looked up in a table of keys.
        text = "\0".join((os.path.basename(folder), base_url, place, api_key))
        self._folder = os.path.join(folder, "hosting.panel")
        self._path = os.path.join(self._folder, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        self._patience = timeout

    @contextlib.contextmanager
    def use(self) -> Iterator[int | None]:
        """The time of one request; gives the status with which the panel refused the key earlier in this run, and None otherwise.

        Whoever waits for the first answer to another task does so once, and no longer than that may take.
        """
        known, refused = self._look()
        descriptor = None
        if not known:
            descriptor = self._wait()
            _known, refused = self._look()
        try:
            yield refused
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def is_known(self) -> bool:
        """Whether the panel has answered to the key in this run."""
        return self._look()[0]

    def answered(self, status: int) -> None:
        """The panel has answered with this status."""
        known, refused = self._look()
        # Without the folder, as after the end of the run, nobody asks.
        with contextlib.suppress(OSError):
            if status in DENIALS and refused is None:
                # One for each thread: the requests of one task may be refused at the same moment.
                temporary = f"{self._path}.{os.getpid()}.{threading.get_ident()}"
                with open(temporary, "w", encoding="ascii") as file:
                    file.write(str(status))
                os.replace(temporary, self._path)
            elif not known:
                # Never in the place of a refusal that came meanwhile.
                os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))

    def _look(self) -> tuple[bool, int | None]:
        """Whether the panel has answered to the key, and the status with which it refused it."""
        try:
            if not os.stat(self._path).st_size:
                return True, None
            with open(self._path, encoding="ascii") as file:
                return True, int(file.read())
        except OSError:
            return False, None

    def _wait(self) -> int | None:
        """The descriptor of a lock that nobody else has, None where something is known by now, or where the wait was long enough."""
        end = time.monotonic() + self._patience
        self._patience = 0.0
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            descriptor = os.open(f"{self._path}.first", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            if self._look()[0] or time.monotonic() > end:
                os.close(descriptor)
                return None
            time.sleep(random.uniform(0.2, 1) * _LONGEST_PAUSE)


def run_key(connection: Connection) -> RunKey:
    """The key of a connection that is made on the controller."""
    return RunKey(connection.base_url, connection.api_key, connection.timeout)
