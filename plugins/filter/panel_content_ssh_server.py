# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_ssh_server
short_description:
  "Part of the role hosting.panel.content: read where the SSH server of the source is"
version_added: 1.0.0
description:
  - Reads what commands printed on the source.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, settings, connection, keys_file
options:
  _input: {description: "What C(getent passwd root) printed.", type: str, required: true}
  settings:
    description: What C(sshd -T) printed. It is empty if the server has other settings.
    type: str
    default: ""
  connection:
    description: C(SSH_CONNECTION) of the connection of the controller. It is empty without one.
    type: str
    default: ""
  keys_file:
    description: The file of keys that the operator names.
    type: str
    default: ""
"""

EXAMPLES = r"""
# From the role content.
- name: Show where the keys of root are
  ansible.builtin.debug:
    msg: "{{ 'root:x:0:0:root:/srv/home:/bin/bash' | hosting.panel.panel_content_ssh_server }}"
"""

RETURN = r"""
_value:
  description:
    - C(home) of root, and C(keys_file), the first file in which the server looks for the keys of
      root.
    - C(address) and C(port) where the connection of the controller ends, or empty strings.
  type: dict
  sample: {home: /srv/home, keys_file: /srv/home/.ssh/authorized_keys, address: 192.0.2.10, port: "22"}
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_ssh_server(
    account: str, settings: str = "", connection: str = "", keys_file: str = ""
) -> dict[str, str]:
    """Return what the source says of its SSH server."""
    from ..plugin_utils._content_copy.ssh_server import read_ssh_server

    return read_ssh_server(account, settings, connection, keys_file)._asdict()


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_ssh_server": with_checked_arguments(
                with_marked_result(panel_content_ssh_server), DOCUMENTATION
            )
        }
