# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of the source of a copy where its SSH server is, and where it looks for keys of root.

Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_KEYS_FILE = re.compile(r"^authorizedkeysfile (\S+)", re.IGNORECASE | re.MULTILINE)
_USUAL_KEYS_FILE = ".ssh/authorized_keys"
# What the setting stands for, by its letter behind a percent sign.
_TOKENS = re.compile("%([hu%])")


class SshServer(NamedTuple):
    """Says of an SSH server what a copy needs.

    home: The home of root.
    keys_file: The first file in which it looks for the keys of root.
    address: Where the controller's own connection ends; empty without such a connection.
    port: The port there.
    """

    home: str
    keys_file: str
    address: str
    port: str


def read_ssh_server(account: str, settings: str, connection: str, keys_file: str) -> SshServer:
    """Return what a host says of its SSH server.

    Args:
        account: The line of root that ``getent passwd`` printed.
        settings: What ``sshd -T`` printed; empty if it did not start.
        connection: The variable ``SSH_CONNECTION`` of the controller's connection; empty without.
        keys_file: The file that the operator names; empty without.
    """
    home = account.split(":")[5]
    path = keys_file or _read_keys_file(settings, home)
    if not path.startswith("/"):
        path = f"{home}/{path}"

    # Address and port of the client, and those of the server.
    ends = connection.split()
    address, port = ends[2:] if len(ends) == 4 else ("", "")
    return SshServer(home, path, address, port)


def _read_keys_file(settings: str, home: str) -> str:
    """Return the first file of keys in the settings, perhaps relative to the home of root."""
    setting = _KEYS_FILE.search(settings)
    path = setting.group(1) if setting else _USUAL_KEYS_FILE
    values = {"h": home, "u": "root", "%": "%"}
    return _TOKENS.sub(lambda token: values[token.group(1)], path)
