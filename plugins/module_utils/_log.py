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
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

from ._secrets.redaction import escape_control_characters

# The environment variable with the path of the log.
VARIABLE = "PANEL_LOG"
LOGGER = logging.getLogger("hosting.panel")
NOTHING_TO_CHANGE = "nothing to change"
_OWNER_ONLY = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# A report reads panels in threads, and two of them must not open the log at once.
_LOCK_OF_DEFECTS = threading.Lock()
_COLLECTION = str(Path(__file__).parents[2])
_OWN_CODE = os.path.join(_COLLECTION, "plugins", "")
# Of another file its last folder and its name, since what leads to it may name a user.
_PARTS_OF_OTHER_PATHS = 2


def is_logging() -> bool:
    """Tell whether anybody follows the task, for a line that is expensive to make."""
    return LOGGER.isEnabledFor(logging.DEBUG)


def log_start(check_mode: bool) -> None:
    """Log that a task starts."""
    LOGGER.debug("task starts%s", ", in check mode" if check_mode else "")


def log_failure(error_type: str) -> None:
    """Log that the task fails, with the type of its error."""
    LOGGER.debug("task fails: %s", error_type)


def log_completion() -> None:
    """Log that the task ends without an error; what it does is in the lines before."""
    LOGGER.debug("task ends")


def log_end(result: Mapping[str, Any]) -> None:
    """Log how the task ends: the type of its error, or whether it changed something."""
    if result.get("failed"):
        log_failure(result["error"]["type"])
        return

    if result["changed"]:
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
    if is_logging():
        names = ", ".join(fields)
        LOGGER.debug("plan %s: %s", label, f"{action} {names}".strip())


def log_request(method: str, path: str, query: Mapping[str, Any] | None, attempt: int) -> None:
    """Log a request before it is sent, with the names of its query alone."""
    if is_logging():
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


def log_command_start(tool: str, host: str) -> None:
    """Log that a command starts, without its arguments."""
    LOGGER.debug("command %s on %s starts", tool, host)


def log_command_end(tool: str, host: str, code: int, seconds: float) -> None:
    """Log how a command ended: its exit code, negative for a signal, and how long it took."""
    LOGGER.debug("command %s on %s ends: exit code %d, %.3f s", tool, host, code, seconds)


def log_failed_row(table: str, fault: Exception) -> None:
    """Log where a reader of an import failed at a row: the table, the error's type and its place."""
    if is_logging():
        stack = read_stack(fault)
        # The first line is the call of any reader.
        code_line = find_own_line(stack[1:] or stack)
        text = "read row of %s: %s in %s line %s"
        error_type = type(fault).__name__
        LOGGER.debug(text, table, error_type, code_line.file_name, code_line.number)


def log_defect(fault: BaseException) -> None:
    """Log all lines of code behind a mistake of the collection, also where no task logs its stages
    at the moment.
    """
    with _LOCK_OF_DEFECTS:
        if any(isinstance(handler, _LogFile) for handler in LOGGER.handlers):
            _log_stack(fault)
            return
        # A stack has no values, so there is nothing to mask; the failure itself is the warning.
        with log_into_file(str, _ignore_warning):
            _log_stack(fault)


def _log_stack(fault: BaseException) -> None:
    """Log the lines of code behind an exception."""
    for code_line in read_stack(fault):
        text = "defect %s at %s line %s in %s"
        error_type, path, number, function, _is_own = code_line
        LOGGER.debug(text, error_type, path, number, function)


def _ignore_warning(_warning: str) -> None:
    """Do nothing with the warning that the log cannot be written."""


def _without_query(path: str) -> str:
    """Return a path without its query: one of panel_api may have values that are secret."""
    return path.partition("?")[0]


# Where an exception came from: types and lines of code, and never a value or a message, which may hold
# a secret.


class CodeLine(NamedTuple):
    """Names a line of code that raised an exception, or called what raised it.

    error_type: The name of the exception's type.
    path: The path of the file below the collection, or the end of another path.
    number: The number of the line.
    function: The function that the line is in.
    is_own: Whether it is code of the collection.
    """

    error_type: str
    path: str
    number: int | None
    function: str
    is_own: bool

    @property
    def file_name(self) -> str:
        """Return the name of the file alone."""
        return os.path.basename(self.path)


def read_stack(error: BaseException) -> list[CodeLine]:
    """Return the lines behind an exception and those that led to it, the latest one last; none
    where it was never raised.
    """
    code_lines = []
    for each in _list_chain_of(error):
        for frame, number in traceback.walk_tb(each.__traceback__):
            code = frame.f_code
            code_lines.append(_describe(each, code.co_filename, number, code.co_name))
    return code_lines


def find_own_line(stack: Sequence[CodeLine]) -> CodeLine:
    """Return the last line of the collection's own code, or the last one where none is.

    Args:
        stack: At least one line.
    """
    own_lines = [code_line for code_line in stack if code_line.is_own]
    return (own_lines or stack)[-1]


def _list_chain_of(error: BaseException) -> list[BaseException]:
    """Return an exception after those that led to it."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.insert(0, current)
        current = _find_cause_of(current)
    return chain


def _find_cause_of(error: BaseException) -> BaseException | None:
    """Return what led to an exception; also where ``from None`` hides it, since no value is read."""
    return error.__cause__ or error.__context__


def _describe(error: BaseException, file: str, number: int | None, function: str) -> CodeLine:
    """Return a line of code.

    Args:
        error: The exception that went through it.
        file: The file as Python names it, which may be in an archive.
        number: The number of the line.
        function: The name of the function.
    """
    is_own = file.startswith(_OWN_CODE)
    if is_own:
        path = os.path.relpath(file, _COLLECTION)
    else:
        path = os.path.join(*Path(file).parts[-_PARTS_OF_OTHER_PATHS:])
    return CodeLine(type(error).__name__, path, number, function, is_own)


# The file.


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
        warn(_format_warning(path, log, "The task was not logged."))
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
        warn(_format_warning(path, log.problem, "The log of the task is incomplete."))


def _open_log(path: str, mask: Callable[[str], str]) -> _LogFile | Exception:
    """Return the log, or why it cannot be written."""
    try:
        return _LogFile(path, mask)
    except (OSError, ValueError) as error:
        return error


def _format_warning(path: str, error: Exception, ending: str) -> str:
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
        self._descriptor = _open_log_file(path)

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


def _open_log_file(path: str) -> int:
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
