#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_reboot
short_description: Reboot the server of a hosting panel
version_added: 1.0.0
description:
  - Asks the panel to reboot its server, and waits until the panel goes down and answers again. The panel reboots 4 seconds after its answer.
  - Needs panel version 26.0 or newer.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes]
attributes:
  diff_mode:
    description: There is nothing to compare.
    support: none
  idempotent:
    description: Every run reboots the server.
    support: none
options:
  wait:
    description: Wait until the panel goes down and answers again.
    type: bool
    default: true
  wait_timeout:
    description: Seconds to wait, counted from the request, 1 to 86400.
    type: int
    default: 600
notes:
  - It costs one request, and one every few seconds while it waits. If the panel does not answer in time, the task fails.
seealso:
  - module: hosting.panel.panel_ping
"""

EXAMPLES = r"""
- name: Reboot the server and wait until the panel answers again
  hosting.panel.panel_reboot:
"""

RETURN = r"""
rebooted:
  description: Whether the reboot was accepted.
  returned: success
  type: bool
  sample: true
elapsed:
  description: Seconds from the request until the panel answered again; V(0) in check mode.
  returned: success
  type: int
  sample: 42
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: OutcomeUnknown, method: POST, path: /server/reboot}
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints import REBOOT
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = REBOOT


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
