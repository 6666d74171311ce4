# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fleet writes for whoever plays on it: texts, made of names and addresses."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

HEADER = "# Of the simulated fleet; gone when that ends.\n"


def written_names(panels: Iterable[str]) -> list[str]:
    """The files of a fleet below its folder."""
    return ["environment", "hosts.yml", *(f"keys/{panel}" for panel in panels)]


def inventory_text(directory: Path, addresses: Mapping[str, str]) -> str:
    """The inventory: a host for each panel, whose key is in a file."""
    hosts = "".join(f'    {name}: {{panel_api_url: "{address}"}}\n' for name, address in addresses.items())
    # Not beside the inventory: ansible-rulebook copies that elsewhere.
    keys = f"{directory / 'keys'}/"
    # A backslash before it would be a part of the path, for Ansible.
    quote = '"' if "'" in keys else "'"
    key = json.dumps(f"{{{{ lookup('ansible.builtin.file', {quote}{keys}{quote} ~ inventory_hostname) }}}}")
    return f"""{HEADER}\
all:
  hosts:
    localhost:
  vars:
    ansible_connection: local
    ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
panels:
  hosts:
{hosts}\
  vars:
    panel_api_key: {key}
"""


def exports(directory: Path, addresses: Mapping[str, str]) -> list[str]:
    """The lines after which modules find the first panel, and Ansible all of them. The key is on no command line."""
    name, address = next(iter(addresses.items()))
    key, inventory = shlex.quote(str(directory / "keys" / name)), shlex.quote(str(directory / "hosts.yml"))
    return [
        f"export PANEL_API_URL={address}",
        f'export PANEL_API_KEY="$(cat {key})"',
        f"export ANSIBLE_INVENTORY={inventory}",
    ]


def environment_text(directory: Path, addresses: Mapping[str, str], commands: Path, collections: Path | None) -> str:
    """A file for a shell to read: the exports, and where Ansible and the collection are, if they came with the fleet."""
    lines = exports(directory, addresses)
    if (commands / "ansible-playbook").exists():
        lines.append(f'export PATH={shlex.quote(str(commands))}:"$PATH"')
    if collections is not None:
        # The first one is where ansible-galaxy puts what a guide has installed.
        places = ":".join(shlex.quote(str(place)) for place in (directory / "collections", collections))
        others = '"$HOME/.ansible/collections:/usr/share/ansible/collections"'
        lines.append(f"export ANSIBLE_COLLECTIONS_PATH={places}:{others}")
    return HEADER + "".join(f"{line}\n" for line in lines)


def greeting(
    directory: Path,
    addresses: Mapping[str, str],
    clients: Mapping[str, list[str]],
    brings_ansible: bool,
    is_where_guides_say: bool,
) -> str:
    """What somebody reads who has just started the fleet.

    brings_ansible: whether a terminal that reads the environment finds Ansible with the collection. is_where_guides_say: whether the ports
    are those that the guides name.
    """
    panels = "\n".join(
        f"  {name}  {address}  clients: {', '.join(clients[name])}" for name, address in addresses.items()
    )
    lines = "\n".join(f"  {line}" for line in exports(directory, addresses))
    environment = shlex.quote(str(directory / "environment"))
    ansible = (
        ", and puts Ansible and the collection where the terminal finds them"
        if brings_ansible
        else "; Ansible and the collection are to be had from where you have them"
    )
    ports = "" if is_where_guides_say else ", but for ports: the panels have others than the guides name"
    return f"""\
{len(addresses)} simulated panels with invented customers are running:

{panels}

This line tells another terminal about them:

  . {environment}

It exports these{ansible}:

{lines}

Then every guide that says so at its top can be typed as it is{ports}; docs/README.md lists them. Ctrl-C ends the panels."""
