# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands what one command writes to another one, in bounded memory."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from ..content_errors import ContentError
from ..host_tools import Ended, Streams, log_ended, start_command

_CHUNK = 256 * 1024
_KEPT_OF_ERRORS = 64 * 1024
_KEPT_OF_STREAM = 4 * 1024


@dataclass(frozen=True)
class Piped:
    """Says how two commands ended.

    producer, consumer: Without their output; the code of a consumer that was killed is negative.
    is_complete: Whether all that was written reached the consumer, which was let end by itself.
    """

    producer: Ended
    consumer: Ended
    is_complete: bool


def pipe_commands(
    producer: Sequence[str],
    consumer: Sequence[str],
    is_whole: Callable[[bytes], bool],
    transform: Callable[[Iterator[bytes]], Iterable[bytes]] | None = None,
    preface: bytes = b"",
    descriptors: Sequence[int] = (),
) -> Piped:
    """Run two commands at once, of which the second reads what the first writes.

    The consumer learns of the end only after the producer has ended without an error and its
    stream is whole. Else it is killed, so that it takes no half of a statement for a whole one.

    Args:
        producer, consumer: The commands.
        is_whole: Says of the end of the producer's stream whether nothing is missing.
        transform: Makes what the consumer gets of the producer's stream; None changes nothing.
        preface: What the consumer reads before.
        descriptors: Open files of this process that the consumer may use.

    Raises:
        ContentError: A tool is not there or cannot be started.
    """
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        writer = stack.enter_context(_start(producer, stdin=subprocess.DEVNULL))
        reader = stack.enter_context(
            _start(consumer, stdin=subprocess.PIPE, descriptors=descriptors, is_silent=True)
        )
        writer_errors = _Tail(_require_stream(writer.stderr), _KEPT_OF_ERRORS)
        reader_errors = _Tail(_require_stream(reader.stderr), _KEPT_OF_ERRORS)

        stream = _Stream(_require_stream(writer.stdout))
        chunks: Iterable[bytes] = stream.read_chunks()
        if transform is not None:
            chunks = transform(stream.read_chunks())
        is_taken = _write_all(reader, preface, chunks)
        if not is_taken:
            writer.kill()
        stream.drain()

        writer_code = writer.wait()
        log_ended(producer, writer_code, began)
        is_complete = is_taken and writer_code == 0 and is_whole(stream.tail)
        if not is_complete and is_taken:
            reader.kill()
        _close(reader.stdin)
        reader_code = reader.wait()
        log_ended(consumer, reader_code, began)

        return Piped(
            Ended(writer_code, b"", writer_errors.read()),
            Ended(reader_code, b"", reader_errors.read()),
            is_complete,
        )


class _Stream:
    """Reads what a command writes, and keeps the end of it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.tail = b""

    def read_chunks(self) -> Iterator[bytes]:
        """Yield what comes, in pieces of any size."""
        while True:
            chunk = self._file.read1(_CHUNK)  # type: ignore[attr-defined]
            if not chunk:
                return
            self.tail = (self.tail + chunk)[-_KEPT_OF_STREAM:]
            yield chunk

    def drain(self) -> None:
        """Read to the end without keeping anything but the end."""
        for _chunk in self.read_chunks():
            pass


class _Tail(threading.Thread):
    """Reads a stream to its end, so that nobody waits for it, and keeps the end of it."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        super().__init__(daemon=True)
        self._file = file
        self._limit = limit
        self._kept = b""
        self.start()

    def run(self) -> None:
        """Read until nobody writes any more."""
        for line in iter(lambda: self._file.read1(_CHUNK), b""):  # type: ignore[attr-defined]
            self._kept = (self._kept + line)[-self._limit :]

    def read(self) -> bytes:
        """Return the end of the stream, once the command has ended."""
        self.join()

        return self._kept


@contextlib.contextmanager
def _start(
    command: Sequence[str], stdin: int, descriptors: Sequence[int] = (), is_silent: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a running command, and kill it if it still runs at the end."""
    streams = Streams(stdin, subprocess.DEVNULL if is_silent else subprocess.PIPE)
    process = start_command(command, streams, descriptors=descriptors)
    try:
        yield process
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout):
            _close(stream)
        process.wait()


def _write_all(reader: subprocess.Popen[bytes], preface: bytes, chunks: Iterable[bytes]) -> bool:
    """Write pieces to a command, and return whether it took them all."""
    stream = _require_stream(reader.stdin)
    try:
        stream.write(preface)
        # What it says may have to hold while nothing else comes.
        stream.flush()
        for chunk in chunks:
            stream.write(chunk)
        stream.flush()
    except BrokenPipeError:
        return False

    return True


def _require_stream(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream of a command, which is there because it was asked for."""
    if stream is None:
        raise ContentError("a command has no stream.")

    return stream


def _close(stream: IO[bytes] | None) -> None:
    if stream is None:
        return
    # What is left in the buffer has no reader any more.
    with contextlib.suppress(BrokenPipeError):
        stream.close()
