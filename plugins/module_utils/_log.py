# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs the stages of a task at debug level, for a person who follows it.

A line names objects, fields, methods and paths, and never the value of a field, a body, a header or
the value of a query, so it has no secret. Known secrets are masked all the same, for names that
hold one.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import stat
import traceback
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

from ._secrets.redaction import escape_control_characters

# The environment variable with the path of the log.
VARIABLE = "PANEL_LOG"
LOGGER = logging.getLogger("hosting.panel")
NOTHING_TO_CHANGE = "nothing to change"
_OWNER_ONLY = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def log_start(check_mode: bool) -> None:
    """Log that a task starts."""
    LOGGER.debug("task starts%s", ", in check mode" if check_mode else "")


def log_end(result: Mapping[str, Any]) -> None:
    """Log how the task ends: the type of its error, or whether it changed something."""
    if result.get("failed"):
        error_type = result["error"]["type"]
        outcome = f"fails: {error_type}"
    elif result["changed"]:
        outcome = "ends: changed"
    else:
        outcome = "ends: not changed"
    LOGGER.debug("task %s", outcome)


def log_resolved(label: str, identifier: Any, is_there: bool) -> None:
    """Log whether the object of the task exists."""
    if not is_there:
        LOGGER.debug("resolve %s: absent", label)
    elif identifier is None:
        LOGGER.debug("resolve %s: exists", label)
    else:
        LOGGER.debug("resolve %s: exists, id %s", label, identifier)


def log_plan(label: str, action: str, fields: Iterable[str] = ()) -> None:
    """Log what will be done with the object, and the names of the fields that change."""
    if LOGGER.isEnabledFor(logging.DEBUG):
        names = ", ".join(fields)
        LOGGER.debug("plan %s: %s", label, f"{action} {names}".strip())


def log_request(method: str, path: str, query: Mapping[str, Any] | None, attempt: int) -> None:
    """Log a request before it is sent, with the names of its query alone."""
    if LOGGER.isEnabledFor(logging.DEBUG):
        names = ""
        if query:
            names = f" query {','.join(query)}"
        LOGGER.debug("request %s %s attempt %d%s", method, _without_query(path), attempt, names)


def log_answer(method: str, path: str, status: int | None, size: int, seconds: float) -> None:
    """Log what came of a request.

    Args:
        method: The method of the request.
        path: Its path, below the base of the API.
        status: The status of the answer; None where none came.
        size: The length of the answer in bytes.
        seconds: How long it took.
    """
    path = _without_query(path)
    if status is None:
        LOGGER.debug("answer %s %s none, %.3f s", method, path, seconds)
    else:
        text = "answer %s %s status %d, %d bytes, %.3f s"
        LOGGER.debug(text, method, path, status, size, seconds)


def log_repeat(method: str, path: str, attempt: int, reason: str, is_repeated: bool) -> None:
    """Log whether a request without a usable answer is sent again."""
    decision = "send it again" if is_repeated else "give up"
    path = _without_query(path)
    LOGGER.debug("repeat %s %s after attempt %d, %s: %s", method, path, attempt, reason, decision)


def log_failed_row(table: str, fault: Exception) -> None:
    """Log where a reader of an import failed at a row: the table, the error's type and its place."""
    if LOGGER.isEnabledFor(logging.DEBUG):
        frame = traceback.extract_tb(fault.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)} line {frame.lineno}"
        LOGGER.debug("read row of %s: %s in %s", table, type(fault).__name__, place)


def _without_query(path: str) -> str:
    """Return a path without its query: one of panel_api may have values that are secret."""
    return path.partition("?")[0]


@contextlib.contextmanager
def log_into_file(mask: Callable[[str], str], warn: Callable[[str], None]) -> Iterator[None]:
    """Write the stages of a task into the file that the environment names, a line each; nothing
    where it names none.

    A log that cannot be written never fails the task.

    Args:
        mask: Returns a text without the secrets that are known by then.
        warn: Takes the warning that the log is missing or incomplete.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        yield
        return

    log = _open_log(path, mask)
    if not isinstance(log, _LogFile):
        yield
        warn(_warning(path, log, "The task was not logged."))
        return

    level = LOGGER.level
    propagates = LOGGER.propagate
    LOGGER.addHandler(log)
    LOGGER.setLevel(logging.DEBUG)
    # The log of Ansible, which others may read, has other lines.
    LOGGER.propagate = False
    try:
        yield
    finally:
        LOGGER.removeHandler(log)
        LOGGER.setLevel(level)
        LOGGER.propagate = propagates
        log.close()
    if log.problem is not None:
        warn(_warning(path, log.problem, "The log of the task is incomplete."))


def _open_log(path: str, mask: Callable[[str], str]) -> _LogFile | Exception:
    """Return the log, or why it cannot be written."""
    try:
        return _LogFile(path, mask)
    except (OSError, ValueError) as error:
        return error


def _warning(path: str, error: Exception, ending: str) -> str:
    """Return the warning that the log is missing or incomplete."""
    reason = str(error)
    if isinstance(error, OSError) and error.strerror:
        reason = error.strerror
    return f"{VARIABLE}: {path}: {reason}. {ending}"


class _LogFile(logging.Handler):
    """Appends lines to a file that only its owner can read; several processes may do so at once."""

    def __init__(self, path: str, mask: Callable[[str], str]) -> None:
        """Open the file. Raises OSError or ValueError where it cannot be written, or is no regular
        file.
        """
        super().__init__()
        self.problem: Exception | None = None
        self._mask = mask
        self._descriptor = _opened(path)

    def emit(self, record: logging.LogRecord) -> None:
        """Append a line; note the problem where that fails."""
        try:
            moment = datetime.datetime.fromtimestamp(record.created).astimezone()
            timestamp = moment.isoformat(timespec="milliseconds")
            text = escape_control_characters(self._mask(record.getMessage()))
            line = f"{timestamp} {record.process} {text}\n"
            os.write(self._descriptor, line.encode("utf-8", "backslashreplace"))
        except Exception as error:
            self.problem = error

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
        super().close()


def _opened(path: str) -> int:
    """Return the descriptor of a log; raises OSError and ValueError."""
    absolute = os.path.expanduser(path)
    if not os.path.isabs(absolute):
        raise ValueError("is not an absolute path")

    # A link could lead to a file of someone else, and a pipe would be waited for.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(absolute, flags, _OWNER_ONLY)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise ValueError("is not a regular file")
        if mode & _OTHERS:
            os.fchmod(descriptor, _OWNER_ONLY)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
