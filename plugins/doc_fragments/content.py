# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # What the modules for content have in common: they run on a host, and call no panel.
    DOCUMENTATION = r"""
options: {}
requirements:
  - python >= 3.9, < 3.14
attributes:
  check_mode: {description: "Predicts the result in check mode and writes nothing.", support: full}
  diff_mode: {description: "Returns no diff.", support: none}
  idempotent: {description: "A second run copies nothing and reports no change, if nothing has changed on the source.", support: full}
  platform: {description: "The systems on which it runs.", platforms: posix, support: full}
  async: {description: "Supports C(async).", support: full}
"""

    # The host that content comes from.
    SOURCE = r"""
requirements:
  - with O(source), the client of OpenSSH on the host of the task, and its server on the source
options:
  source:
    description:
      - The host to copy from, which the target reaches by SSH. Without it, the source is the same host.
      - No SSH agent, no configuration file and no password is used.
    type: dict
    suboptions:
      host:
        description: Name or address of the host.
        type: str
        required: true
      port:
        description: Port of its SSH server.
        type: int
        default: 22
      user:
        description: The user to log in as. Only C(root) can act for every user of the source. A forced command can limit what its key allows.
        type: str
        choices: [root]
        default: root
      key_file:
        description: The private key, on the host of the task.
        type: path
        required: true
      known_hosts_file:
        description: A file on the host of the task with the host key of the source. A source with another key is an error.
        type: path
        required: true
"""
