"""Asks a process that has loaded Ansible for a command.

As a program it stands for the command that it is called by, in what follows a page.

It uses nothing but Python's own, since its start is most of what it costs. See loaded_ansible.py.
"""

# ruff: noqa: PTH109, PTH112, PTH118, PTH120, PTH123, PTH202
# To load pathlib would take as long as the rest.
from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence

ADDRESS = "socket"
"""The name of the socket in the folder of such a process, beside programs of the names of Ansible's commands."""
KINDS_OF_PLUGINS = (
    "ACTION",
    "BECOME",
    "CACHE",
    "CALLBACK",
    "CLICONF",
    "CONNECTION",
    "DOC_FRAGMENT",
    "FILTER",
    "HTTPAPI",
    "INVENTORY",
    "LOOKUP",
    "NETCONF",
    "STRATEGY",
    "TERMINAL",
    "TEST",
    "VARS",
)
# Ansible's loaders of plugins keep the folders that they were made with, and settings read later do
# not reach them.
FOLDERS_OF_LOADERS = (
    *(f"ANSIBLE_{kind}_PLUGINS" for kind in KINDS_OF_PLUGINS),
    "ANSIBLE_LIBRARY",
    "ANSIBLE_MODULE_UTILS",
)
OF_LOADING = (
    "ANSIBLE_LOG_PATH",
    "ANSIBLE_COLLECTIONS_PATH",
    "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH",
    *FOLDERS_OF_LOADERS,
)


def is_usual(environment: Mapping[str, str], loaded: Mapping[str, str]) -> bool:
    """Return whether a command with these variables does the same in the other process.

    Where these were the variables, as in a process of its own.
    """
    settings = environment.get("ANSIBLE_CONFIG")

    return (
        settings is not None
        and not os.path.getsize(settings)
        and all(
            loaded.get(name) == value
            for name, value in environment.items()
            if name.startswith("PYTHON")
        )
        and all(
            _resolve_variable(name, environment.get(name, loaded.get(name)))
            == _resolve_variable(name, loaded.get(name))
            for name in OF_LOADING
        )
    )


def _resolve_variable(name: str, value: str | None) -> str | list[str] | None:
    """Return what a variable comes to: folders without collections in them make no difference."""
    if name != "ANSIBLE_COLLECTIONS_PATH" or value is None:
        return value
    return [
        path
        for path in value.split(os.pathsep)
        if os.path.isdir(os.path.join(path, "ansible_collections"))
    ]


def ask(
    address: str,
    command: str,
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    streams: Sequence[int],
) -> socket.socket:
    """Start ``ansible-<command>`` with these three streams.

    Its process id and, when it has ended, its code arrive, a line each.
    """
    keeper = socket.socket(socket.AF_UNIX)
    keeper.connect(address)
    socket.send_fds(keeper, [b"."], list(streams))
    keeper.sendall(
        json.dumps([command, list(arguments), folder, dict(environment)]).encode() + b"\n"
    )

    return keeper


def _stand_in(program: str, arguments: list[str]) -> int:
    folder, name = os.path.split(program)
    with open(os.path.join(folder, "loaded.json"), encoding="utf-8") as file:
        loaded = json.load(file)

    if not is_usual(os.environ, loaded) or sys.stdin.isatty():
        real = os.path.join(os.path.dirname(sys.executable), name)
        os.execv(real, [real, *arguments])

    command = name.removeprefix("ansible-").replace("ansible", "adhoc")
    keeper = ask(
        os.path.join(folder, ADDRESS), command, arguments, os.getcwd(), os.environ, (0, 1, 2)
    )

    with keeper, keeper.makefile("r", encoding="ascii") as answers:
        answers.readline()
        return int(answers.readline())


if __name__ == "__main__":
    sys.exit(_stand_in(sys.argv[1], sys.argv[2:]))
