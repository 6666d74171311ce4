#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_lock
short_description: Keep other runs away from a file or directory of the controller
version_added: 1.0.0
description:
  - Locks a path for this C(ansible-playbook) until it ends. All of its hosts count as one.
  - It keeps away tasks of the same user on the same controller that use this module, or O(hosting.panel.panel_secrets#module:alone), with the path.
  - The path itself is neither read nor written. It may be missing.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.attributes.controller_alone]
attributes:
  check_mode:
    description: Does nothing in check mode, in which a run writes nothing.
    support: full
  diff_mode:
    description: Changes nothing.
    support: N/A
  idempotent:
    description: A second task of the same run succeeds too.
    support: full
options:
  path:
    description: File or directory to lock. A link and its target are the same path.
    type: path
    required: true
  wait_timeout:
    description: Seconds to wait while another C(ansible-playbook) has the path. After that, the task fails.
    type: int
    default: 0
notes:
  - It sends no request, takes no connection options, and is not in the action group C(hosting.panel.panel).
seealso:
  - module: hosting.panel.panel_secrets
"""

EXAMPLES = r"""
- name: Keep other runs away
  hosting.panel.panel_lock:
    path: panel.example
    wait_timeout: 600
"""

RETURN = r"""
path:
  description: The path, with links resolved.
  returned: success
  type: str
  sample: /srv/panel/panel.example
error:
  description: What failed. Its C(type) is V(OptionError), or V(Defect) for an error of the collection itself.
  returned: failure
  type: dict
  sample: {type: OptionError, option: path}
"""
