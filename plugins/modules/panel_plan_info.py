#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_plan_info
short_description: Read the hosting plans of a hosting panel
version_added: 1.0.0
description:
  - Reads all hosting plans with one request, or one of them by its name or id.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  name:
    description:
      - Name of the hosting plan to read. If it does not exist, the list is empty.
      - Mutually exclusive with O(id).
    type: str
  id:
    description: Id of the hosting plan to read, as an alternative to O(name). If it does not exist, the list is empty.
    type: int
  sort:
    description: Field to sort by. Default is V(id).
    type: str
    choices: [id, name]
  order:
    description: Sort order.
    type: str
    choices: [asc, desc]
notes:
  - It costs one request. A wrong key fails with type V(Denied) in RV(error); an unknown name is an empty list.
seealso:
  - module: hosting.panel.panel_plan
"""

EXAMPLES = r"""
- name: Read all hosting plans by name
  hosting.panel.panel_plan_info:
    sort: name
  register: all_plans

- name: Read one
  hosting.panel.panel_plan_info:
    name: Business
  register: business

- name: Create a copy of it from what was read
  hosting.panel.panel_plan:
    name: Business plus
    resources: "{{ business.plans[0].resources }}"
    permissions: "{{ business.plans[0].permissions }}"
"""

RETURN = r"""
plans:
  description: The hosting plans with all fields that the panel returns, or an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The panel's id.
      type: int
    name:
      description: Name of the hosting plan.
      type: str
    resources:
      description: Limits; byte quantities in bytes, V(-1) is unlimited.
      type: dict
    permissions:
      description: What clients may do.
      type: dict
    php:
      description: Settings of PHP.
      type: dict
    php_fpm:
      description: Settings of the PHP processes.
      type: dict
  sample:
    - id: 2
      name: Business
      resources: {disk_space: 10737418240, traffic: -1, domains: 5, email_accounts: 50}
      permissions: {php: true, ssh: false, dns_editor: true}
      php:
        memory_limit: 256M
        max_execution_time: 60
        post_max_size: 72M
        upload_max_filesize: 64M
      php_fpm: {status: false, pm: ondemand, max_children: 3, max_requests: 0}
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import PLAN
from ansible_collections.hosting.panel.plugins.module_utils._object.info import build_info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_info_operation(PLAN)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
