#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_scheduled_task
short_description: Manage the scheduled tasks of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes and deletes scheduled tasks.
  - The panel has no names for scheduled tasks. The module recognizes them by client and description.
  - Only the options that you set are managed.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.resource.wait
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_extra
options:
  client:
    description:
      - Name of the client that the scheduled task belongs to and runs as. An empty string is the server itself.
      - This, O(id_user) or O(id) is required. Also set O(description).
      - With O(id), a different owner is an error.
      - Mutually exclusive with O(id_user).
    type: str
  id_user:
    description: Id of the client, as an alternative to O(client). V(0) is the server itself, whose tasks run as root.
    type: int
  description:
    description:
      - Description of the scheduled task, which serves as its name.
      - With O(id), you can change it.
    type: str
  type:
    description:
      - V(exec) runs a command, V(php) a PHP script, V(http) requests a URL.
      - It is needed to create the scheduled task.
    type: str
    choices: [exec, php, http]
  command:
    description:
      - The command, the path of the script or the URL. It cannot be cleared.
      - It is needed to create the scheduled task.
    type: str
  php_interpreter:
    description: PHP version that runs the script, for O(type=php) only. An empty string is the panel's default.
    type: str
  schedule:
    description:
      - When it runs, as the columns of a cron table, managed field by field. V({}) is an error.
      - A column is a number, for example V(0), or a string such as V(*/15), V(1-5) or V(*). Zeros in front make no difference.
      - The panel chooses what you omit on creation.
    type: dict
    suboptions:
      minute:
        description: The minute. It cannot be cleared.
        type: str
      hour:
        description: The hour. It cannot be cleared.
        type: str
      day_of_month:
        description: The day of the month. It cannot be cleared.
        type: str
      month:
        description: The month. It cannot be cleared.
        type: str
      day_of_week:
        description: The day of the week, V(0) is Sunday. It cannot be cleared.
        type: str
  is_enabled:
    description: Whether it runs at all. If you omit it on creation, the panel decides.
    type: bool
notes:
  - A task costs one request, one for each object that it refers to, and one to write. A new one costs one more, since the list is read again.
  - 'A schedule that cron does not take fails before the first request, such as C(schedule.minute: 75 is not accepted).'
  - The panel may accept duplicates. If no answer to a creation comes, the task fails instead of repeating it. Wait a few minutes and run it again.
  - Tasks on the same controller that create the same scheduled task run one after another. If several scheduled tasks have the same client and
    description, the task fails and lists their ids.
  - The API describes neither paths nor fields of scheduled tasks. This module infers them from published API programs and the panel's forms.
    Until the README lists a verified panel, they may change in a minor release.
seealso:
  - module: hosting.panel.panel_scheduled_task_info
"""

EXAMPLES = r"""
- name: Run a PHP script every night
  hosting.panel.panel_scheduled_task:
    client: acme
    description: Clean up the shop
    type: php
    command: /www/shop/bin/cleanup.php
    schedule:
      minute: 30
      hour: 3
      day_of_month: "*"
      month: "*"
      day_of_week: "*"

- name: Run it every six hours instead
  hosting.panel.panel_scheduled_task:
    client: acme
    description: Clean up the shop
    schedule:
      hour: "*/6"

- name: Stop it for now
  hosting.panel.panel_scheduled_task:
    client: acme
    description: Clean up the shop
    is_enabled: false

- name: Delete it
  hosting.panel.panel_scheduled_task:
    client: acme
    description: Clean up the shop
    state: absent
"""

RETURN = r"""
scheduled_task:
  description:
    - The scheduled task as the panel has it after the task, or V(null) if it is absent.
    - After a creation it holds C(id) and the sent values.
    - M(hosting.panel.panel_scheduled_task_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 4
    id_user: 21
    description: Clean up the shop
    type: php
    command: /www/shop/bin/cleanup.php
    schedule: {minute: "30", hour: "3", day_of_month: "*", month: "*", day_of_week: "*"}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import SCHEDULED_TASK
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(SCHEDULED_TASK)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
