# SPDX-License-Identifier: GPL-3.0-or-later
"""A local connection that shows at -vvv what modules print, as the connections of ssh, docker and
podman do."""

from __future__ import annotations

from typing import Any

from ansible.plugins.connection.local import Connection as LocalConnection
from ansible.utils.display import Display

DOCUMENTATION = """
name: talkative
short_description: Shows what modules print
description: Runs what it is given on this machine, and shows its output.
author: the tests
extends_documentation_fragment: [connection_pipelining]
options:
  become_success_timeout:
    description: As of the local connection.
    type: int
    default: 10
    vars: [{name: ansible_local_become_success_timeout}]
  become_strip_preamble:
    description: As of the local connection.
    type: bool
    default: true
    vars: [{name: ansible_local_become_strip_preamble}]
"""
display = Display()


class Connection(LocalConnection):
    """Has another name than the local one, so that tasks run as modules."""

    transport = "talkative"

    def exec_command(self, *arguments: Any, **named: Any) -> Any:
        """Run a command, and print all that it printed."""
        code, out, error = super().exec_command(*arguments, **named)
        display.vvv(f"{code} {out.decode('utf-8', 'replace')} {error.decode('utf-8', 'replace')}")
        return code, out, error
