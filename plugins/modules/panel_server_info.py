#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_server_info
short_description: Read what a hosting panel says about its server
version_added: 1.0.0
description:
  - Reads host name, addresses, versions, load and use of the server.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
notes:
  - It costs one request. If the API does not answer, the task fails with type V(Unreachable) in RV(error).
seealso:
  - module: hosting.panel.panel_ping
"""

EXAMPLES = r"""
- name: Read the server's versions
  hosting.panel.panel_server_info:
  register: panel

- name: Show the version of the panel
  ansible.builtin.debug:
    var: panel.server.meta.panel_version
"""

RETURN = r"""
server:
  description: What the panel says, in blocks.
  returned: success
  type: dict
  contains:
    meta:
      description: Host name, IP addresses, version of the panel and uptime.
      type: dict
    operating_system:
      description: Name of the operating system, and whether it waits for a reboot.
      type: dict
    utilization:
      description: Load of the server.
      type: dict
    resources:
      description: Traffic and disk space of all clients, in bytes.
      type: dict
    components:
      description: Versions of what runs on the server.
      type: dict
    additional_php_interpreters:
      description: Versions of PHP beside that of the operating system.
      type: list
      elements: str
    ports:
      description: Ports of services, with C(port), C(protocol) and C(is_online).
      type: list
      elements: dict
  sample:
    meta:
      hostname: web-1.example.com
      ip_addresses: [192.0.2.10, "2001:db8::10"]
      panel_version: "26.0"
      uptime: {days: 12, hours: 3, minutes: 41, seconds: 7}
    operating_system:
      label: Debian 13 (64-bit)
      updates: {reboot_required: false}
    utilization:
      load: {minute_1: 0.12, minute_5: 0.1, minute_15: 0.05, percent: 3}
    resources: {consumed_disk_space: 1073741824, traffic: 187015168}
    components: {web_server: Apache 2.4, database: MariaDB 11.8, kernel: 6.12.0}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Unreachable, method: GET, path: /server}
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints import SERVER
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = SERVER


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
