# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops an import before it fills the disk of the database server.

On a full disk, MariaDB waits until somebody makes room. So do all clients that write, those of other
customers too, and not even an account can be removed. So an import leaves some room. How much it
will take, nobody knows before: the sizes that a server tells are estimates, and some file systems
compress.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..content_errors import NOTHING_WRITTEN, ContentError
from ..full_disk import describe_shortage, make_room_advice

ROOM = 64 * 2**20
"""The bytes that an import leaves. A disk takes less between two looks at it."""
_PAUSE = 0.2


class DiskWatch:
    """Watches the disk of a database server while an import runs, until the block ends."""

    def __init__(self, directory: str, stop: Callable[[], None]) -> None:
        """Prepare to watch.

        Args:
            directory: Where the server has its databases.
            stop: Ends the import. It runs once, in a thread of its own, and may raise ContentError.
        """
        self._directory = directory
        self._stop = stop
        self._shortage = ""
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> DiskWatch:
        """Begin to watch.

        Raises:
            ContentError: There is too little room already.
        """
        shortage = describe_shortage(self._directory, ROOM)
        if shortage:
            raise ContentError(
                "the disk of the database server of this host is nearly full.",
                effect=NOTHING_WRITTEN,
                advice=make_room_advice(self._directory, shortage),
            )
        self._thread.start()

        return self

    def __exit__(self, *_error: object) -> None:
        self._ends.set()
        self._thread.join()

    def make_error(self) -> ContentError | None:
        """Return why the import was stopped; None if it was not."""
        if not self._shortage:
            return None

        return ContentError(
            "the import was stopped before the disk of the database server was full.",
            advice=make_room_advice(self._directory, self._shortage),
        )

    def _watch(self) -> None:
        while not self._ends.wait(_PAUSE):
            self._shortage = describe_shortage(self._directory, ROOM)
            if self._shortage:
                self._stop_import()
                return

    def _stop_import(self) -> None:
        try:
            self._stop()
        except ContentError:
            # What holds the account removes it once more, and says so if it stays.
            return
