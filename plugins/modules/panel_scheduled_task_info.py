#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_scheduled_task_info
short_description: Read the scheduled tasks of a hosting panel
version_added: 1.0.0
description:
  - Reads all scheduled tasks, those of a client or with a description, or one by id.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  client:
    description:
      - Name of the client whose scheduled tasks are read. If the client does not exist, the list is empty. An empty string is the server itself.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client). V(0) is the server itself.
    type: int
  description:
    description: Description of the scheduled task.
    type: str
  id:
    description: Id of the scheduled task to read, instead of the other filters. If it does not exist, the list is empty.
    type: int
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
  - The API describes neither paths nor fields of scheduled tasks. This module infers them from published API programs and the panel's forms.
    Until the README lists a verified panel, they may change in a minor release.
seealso:
  - module: hosting.panel.panel_scheduled_task
"""

EXAMPLES = r"""
- name: Read the scheduled tasks of a client
  hosting.panel.panel_scheduled_task_info:
    client: acme
  register: panel

- name: List the disabled ones
  ansible.builtin.debug:
    msg: "{{ panel.scheduled_tasks | rejectattr('is_enabled') | map(attribute='description') }}"
"""

RETURN = r"""
scheduled_tasks:
  description: The scheduled tasks with all fields that the panel returns, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    id_user:
      description: Id of the client that it belongs to; V(0) for the server itself.
      type: int
    description:
      description: Description of the scheduled task.
      type: str
    type:
      description: V(exec), V(php) or V(http).
      type: str
    command:
      description: The command, the path of the script or the URL.
      type: str
    php_interpreter:
      description: PHP version that runs the script, or V(null).
      type: str
    schedule:
      description: The columns of the cron table, as strings.
      type: dict
    is_enabled:
      description: Whether it runs at all.
      type: bool
    status:
      description: V(1) applied, V(2) error, V(3) new, V(4) changed, V(0) unknown.
      type: int
  sample:
    - id: 7
      id_user: 21
      description: Nightly export
      type: php
      command: /www/cron.php
      php_interpreter: null
      schedule: {minute: "0", hour: "3", day_of_month: "*", month: "*", day_of_week: "*"}
      is_enabled: true
      status: 1
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import SCHEDULED_TASK
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(SCHEDULED_TASK)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
