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
  - Checks that the panel can be reached, that it accepts the API key, and that its API is enabled.
  - If not, the task fails and names the cause.
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
  description: What failed. The guide of the notes has the types, and the other fields of a failed request.
  returned: failure
  type: dict
  contains:
    cause:
      description:
        - V(unreachable) if no panel answers, V(key) if the panel refuses the API key.
        - V(access) if the API is disabled or the address of the machine is not allowed.
      type: str
    status:
      description: Status of the panel's answer, if it answered.
      type: int
    type:
      description: Type of the error, as in the guide.
      type: str
  sample: {cause: key, status: 401, type: Denied}
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints import PING
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = PING


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
