# SPDX-License-Identifier: GPL-3.0-or-later
"""Says how a database server is reached, as options name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...content_errors import ContentError
from ...shown_text import show_name

LOGIN_OPTIONS: dict[str, Any] = {
    "socket": {"type": "path"},
    "defaults_file": {"type": "path"},
}
"""The members of the options ``login`` and ``source_login``, as argument_spec has them."""


@dataclass(frozen=True)
class Login:
    """Says how the database server of a host is reached, as its administrator.

    socket: The path of its socket; empty for the one that the client has built in.
    defaults_file: A file of options of the client with what it needs to log in; empty for none.
    """

    socket: str = ""
    defaults_file: str = ""

    @classmethod
    def read(cls, options: Mapping[str, Any] | None, option: str) -> Login:
        """Return the login of the option ``login`` or ``source_login``.

        Raises:
            ContentError: A path is not absolute.
        """
        members: dict[str, str] = {}
        for name in LOGIN_OPTIONS:
            value = (options or {}).get(name) or ""
            if value and not value.startswith("/"):
                raise ContentError(f"{show_name(value)} is no absolute path.", f"{option}.{name}")
            members[name] = value

        return cls(**members)

    def make_arguments(self) -> list[str]:
        """Return the arguments of a client of MariaDB, which have to be its first ones."""
        arguments = ["--no-defaults"]
        if self.defaults_file:
            arguments = [f"--defaults-file={self.defaults_file}"]
        if self.socket:
            arguments.append(f"--socket={self.socket}")

        return arguments
