#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_ping
short_description: Check that a hosting panel can be used
version_added: 1.0.0
description:
  - Checks that the panel can be reached, that it accepts the API key, and that its API is switched on.
  - When one of the three is not so, the task fails and says which one.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
notes:
  - It costs one request. With a wrong key it fails with status 401, with a disabled API or an address that is not allowed with 403.
seealso:
  - module: hosting.panel.panel_server_info
"""

EXAMPLES = r"""
- name: Stop early when the panel cannot be used
  hosting.panel.panel_ping:
"""

RETURN = r"""
ping:
  description: Always V(pong).
  returned: success
  type: str
  sample: pong
error:
  description: What went wrong.
  returned: failure
  type: dict
  contains:
    cause:
      description:
        - V(unreachable) when the panel does not answer as a panel does, V(key) when it does not accept the API key, V(access)
          when its API is disabled or the address of this machine is not allowed.
      type: str
    status:
      description: Status of the panel's answer, where there was one.
      type: int
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints.ping import PING
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = PING


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
