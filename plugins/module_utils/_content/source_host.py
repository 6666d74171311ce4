# SPDX-License-Identifier: GPL-3.0-or-later
"""Reaches the host from which content comes: by SSH, or without it where it is this host."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .content_errors import ContentError
from .host_tools import Ended, run_command
from .shown_text import show_name

SOURCE_OPTIONS: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "port": {"type": "int", "default": 22},
    "user": {"type": "str", "choices": ["root"], "default": "root"},
    "key_file": {"type": "path", "required": True, "no_log": False},
    "known_hosts_file": {"type": "path", "required": True},
}
"""The members of the option ``source``, as argument_spec has them."""
# With these, no file, agent or question of anybody decides how a connection is made.
_SSH_SETTINGS = (
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "GlobalKnownHostsFile=/dev/null",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PasswordAuthentication=no",
    "KbdInteractiveAuthentication=no",
    "ForwardAgent=no",
    "ForwardX11=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "UpdateHostKeys=no",
    "ControlMaster=no",
    "ControlPath=none",
    "EscapeChar=none",
    "ConnectTimeout=30",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
)
SSH_FAILED = 255
"""The exit code of ssh where the connection, not the remote command, has failed."""


@dataclass(frozen=True)
class SourceHost:
    """Names a host and how it is reached.

    host: Its name or address.
    port, user: Of its SSH server.
    key_file: The private key on this host.
    known_hosts_file: The file with its host key on this host.
    """

    host: str
    port: int
    user: str
    key_file: str
    known_hosts_file: str

    @classmethod
    def read(cls, options: Mapping[str, Any] | None) -> SourceHost | None:
        """Return the host of the option ``source``; None where the source is this host.

        Raises:
            ContentError: A member cannot be meant, or a file is not there.
        """
        if options is None:
            return None

        host = cls(**{name: options[name] for name in SOURCE_OPTIONS})
        host._check()

        return host

    def make_ssh_command(self) -> list[str]:
        """Return the ssh command up to the host, to which the remote command is added."""
        command = ["ssh", "-F", "none", "-T", "-a", "-x"]
        for setting in (*_SSH_SETTINGS, f"UserKnownHostsFile={_quote_path(self.known_hosts_file)}"):
            command += ["-o", setting]

        return [*command, "-i", self.key_file, "-p", str(self.port), "-l", self.user]

    def make_command(self, remote: Sequence[str]) -> list[str]:
        """Return the command that runs another one on the host.

        SSH joins what it is given to one line for the shell of the other side, so each argument is
        quoted for that shell.
        """
        return [*self.make_ssh_command(), "--", self.host, shlex.join(remote)]

    def _check(self) -> None:
        host = self.host
        if not host or host.startswith("-") or not host.isprintable() or " " in host:
            raise ContentError(f"{show_name(host)} cannot be meant.", "source.host")
        if not 0 < self.port < 65536:
            raise ContentError(f"{self.port} is no port.", "source.port")
        for name in ("key_file", "known_hosts_file"):
            if not os.path.isfile(getattr(self, name)):
                raise ContentError(
                    f"there is no file {show_name(getattr(self, name))} on this host.",
                    f"source.{name}",
                )


def run_on_source(
    source: SourceHost | None, command: Sequence[str], timeout: float | None = None
) -> Ended:
    """Run a command on the source to its end.

    Args:
        source: The host; None for this host.
        command: The tool and its arguments.
        timeout: The seconds after which it is killed; None means no limit.

    Raises:
        ContentError: The host cannot be reached, or the tool is not there.
    """
    if source is None:
        return run_command(command, timeout=timeout)

    ended = run_command(source.make_command(command), timeout=timeout)
    refuse_unstarted(source, command, ended)

    return ended


def refuse_unstarted(source: SourceHost, command: Sequence[str], ended: Ended) -> None:
    """Raise the error for a command that ssh or the shell of the other side did not start.

    Raises:
        ContentError: The host cannot be reached, or the tool is not there.
    """
    if ended.code == SSH_FAILED:
        raise make_unreachable_error(source, ended)
    # The shell of the other side says 127 for a command that it does not find.
    if ended.code == 127:
        raise ContentError(
            f"{command[0]} cannot be run on {source.host}: {ended.shown_errors}",
            advice="Install it there.",
        )


def make_unreachable_error(source: SourceHost, ended: Ended) -> ContentError:
    """Return the error for a host that ssh did not reach, or whose key it did not know."""
    # ssh advises to trust the new key, which may be that of somebody else.
    if b"Host key verification failed" in ended.errors:
        return ContentError(
            f"the key of {source.host} is not in {source.known_hosts_file}.",
            "source.known_hosts_file",
            advice="Compare it on the server itself, and write it into the file if it is the same.",
        )

    return ContentError(f"{source.host} cannot be reached by SSH: {ended.shown_errors}", "source")


def _quote_path(path: str) -> str:
    """Return a path as an option of ssh has it, which splits at blanks and expands percents."""
    return '"' + path.replace("%", "%%").replace('"', '\\"') + '"'
