# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds the time in which a whole answer has to come.

A timeout bounds each read alone, so a server that sends a byte now and then would never be away.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
from typing import Any

WHOLE_ANSWER = 5
"""How many times the timeout a whole answer may take, from its first byte to its last: a long list
of a slow panel comes in many reads."""


class LateAnswer(socket.timeout):
    """Says that an answer was not whole in time; the libraries take it for a timeout."""


class _TimedReader(io.RawIOBase):
    """Reads from a connection as long as there is time."""

    def __init__(self, raw: io.RawIOBase, seconds: float) -> None:
        super().__init__()
        self._raw = raw
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what is there into a buffer.

        Raises:
            LateAnswer: The time is over.
        """
        if time.monotonic() > self._end:
            raise LateAnswer("the answer was not whole in time")
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Close the connection's file too."""
        self._raw.close()
        super().close()


class _TimedSocket:
    """Stands for a socket whose answer is read in time."""

    def __init__(self, sock: Any) -> None:
        self._socket = sock

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the file from which the answer is read."""
        raw = self._socket.makefile(mode, buffering=0)
        timeout = self._socket.gettimeout()
        if timeout is None:
            return io.BufferedReader(raw)
        return io.BufferedReader(_TimedReader(raw, timeout * WHOLE_ANSWER))


class TimedResponse(http.client.HTTPResponse):
    """An answer, head and body, that has to be whole in time."""

    def __init__(self, sock: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(_TimedSocket(sock), *arguments, **options)  # type: ignore[arg-type]
