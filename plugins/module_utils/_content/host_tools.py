# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tools of a host. A command is a list, and no shell reads it on this host.

``AnsibleModule.run_command`` takes no limit of time, keeps in memory all that it reads, and hands
the output of no command to another; so the files here start processes themselves.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, Union

from .._log import is_logging, log_command_end, log_command_start
from .busy_watch import ENDED, BusyWatch
from .content_errors import ContentError
from .shown_text import show_output

# What a tool gets of the environment of the task: settings of an operator's shell change nothing.
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
}
Stream = Union[int, IO[Any]]
"""A file for a command, or a constant of ``subprocess``."""


class Streams(NamedTuple):
    """The standard streams of a command."""

    stdin: Stream
    stdout: Stream = subprocess.PIPE
    stderr: Stream = subprocess.PIPE


PACKAGES = {
    "doveadm": "dovecot-core",
    "mariadb": "mariadb-client",
    "mariadb-dump": "mariadb-client",
    "rsync": "rsync",
    "setpriv": "util-linux",
    "ssh": "openssh-client",
}
"""Debian's package of each tool."""
# The log calls a command by the first of these in it, since others run it: ssh, runuser, a shell.
_LOGGED_TOOLS = ("doveadm", "dovecot", "find", "getent", "mariadb", "mariadb-dump", "rsync")
_THIS_HOST = "this host"


@dataclass(frozen=True)
class Ended:
    """Says how a command ended.

    code: Its exit code; negative for the signal that ended it.
    output: What it wrote to its standard output.
    errors: What it wrote to its standard error.
    """

    code: int
    output: bytes
    errors: bytes

    @property
    def text(self) -> str:
        """Return the output as a text; bytes that are no UTF-8 stay as surrogates."""
        return self.output.decode("utf-8", "surrogateescape")

    @property
    def shown_errors(self) -> str:
        """Return the end of what it complained about, for a message.

        Its output may be content of customers, and is no part of a message.
        """
        ending = f"signal {-self.code}" if self.code < 0 else f"exit code {self.code}"

        return show_output(self.errors) or f"it gave no reason ({ending})"


def make_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a tool."""
    return {**_ENVIRONMENT, **(more or {})}


def run_command(
    command: Sequence[str | bytes],
    standard_input: bytes = b"",
    timeout: float | None = None,
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> Ended:
    """Run a command to its end. A doveadm that only computes any more is ended.

    Args:
        command: The tool and its arguments.
        standard_input: What it reads from its standard input.
        timeout: The seconds after which it is killed; None means no limit.
        environment: What it gets beside the usual environment.
        descriptors: Open files of this process that it may use.

    Raises:
        ContentError: The tool is not there, cannot be started, or took too long.
    """
    stdin = subprocess.PIPE if standard_input else subprocess.DEVNULL
    # Where the output alone is a pipe, communicate() reads it to its end. Of several pipes it asks
    # after each piece which one has more, which takes more time than all else that is done here.
    with tempfile.TemporaryFile() as errors:
        streams = Streams(stdin, stderr=errors)
        began = time.monotonic()
        with start_command(command, streams, environment, descriptors) as process:
            try:
                with BusyWatch(process.pid) as watch:
                    output, _errors = process.communicate(standard_input, timeout)
            except subprocess.TimeoutExpired as error:
                name = os.fsdecode(command[0])
                raise ContentError(f"{name} did not end within {timeout:g} seconds.") from error
            finally:
                # After an error in between it may still run.
                if process.poll() is None:
                    process.kill()
        log_ended(command, process.returncode, began)
        if watch.has_ended_any:
            return Ended(process.returncode, output, ENDED)
        errors.seek(0)

        return Ended(process.returncode, output, errors.read())


def start_command(
    command: Sequence[str | bytes],
    streams: Streams,
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
    directory: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command, and return its process. Whoever calls this ends it.

    Args:
        command: The tool and its arguments.
        streams: What it reads and writes.
        environment: What it gets beside the usual environment.
        descriptors: Open files of this process that it may use.
        directory: Where it runs; None for the directory of this process.

    Raises:
        ContentError: The tool is not there, or cannot be started.
    """
    if is_logging():
        log_command_start(*_name_command(command))
    try:
        return subprocess.Popen(  # pylint: disable=ansible-bad-function
            list(command),
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            env=make_environment(environment),
            pass_fds=tuple(descriptors),
            cwd=directory,
        )
    except FileNotFoundError as error:
        raise make_missing_tool_error(command) from error
    except (OSError, ValueError) as error:
        name = os.fsdecode(command[0])
        raise ContentError(f"{name} cannot be started: {show_output(str(error))}.") from error


def log_ended(command: Sequence[str | bytes], code: int, began: float) -> None:
    """Log how a command ended that ``start_command`` has started.

    Args:
        command: As it was started, or without the shell that started it.
        code: Its exit code.
        began: The time of the monotonic clock before it was started.
    """
    if is_logging():
        log_command_end(*_name_command(command), code, time.monotonic() - began)


class _CommandName(NamedTuple):
    """Names a command in the log.

    tool: Its tool, without any argument, which may be secret.
    host: The host on which that runs.
    """

    tool: str
    host: str


def _name_command(command: Sequence[str | bytes]) -> _CommandName:
    words = [os.fsdecode(word) for word in command]
    host = _THIS_HOST
    # The forms of SourceHost.make_command.
    if words[0] == "ssh" and "--" in words:
        host, *remote = words[words.index("--") + 1 :]
        words = shlex.split(" ".join(remote))
    tools = [word for word in words if word in _LOGGED_TOOLS]

    return _CommandName((tools or words)[0], host)


def make_missing_tool_error(command: Sequence[str | bytes]) -> ContentError:
    """Return the error for a tool that this host does not have."""
    name = os.fsdecode(command[0])
    package = PACKAGES.get(name, name)

    return ContentError(f"{name} is not installed here.", advice=f"Install {package}.")
