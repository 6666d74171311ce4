#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_plan
short_description: Manage the hosting plans of a hosting panel
version_added: 1.0.0
description:
  - Creates, changes, renames and deletes hosting plans, the templates from which clients get their limits, permissions and PHP settings.
  - Only the options that you set are managed. On creation the panel adds its own defaults.
  - A hosting plan is a template. Clients keep their limits if their hosting plan changes or is deleted.
  - The panel refuses to delete its default hosting plan. Check mode does not detect this, because the API does not show which it is.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.resource
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_extra
options:
  name:
    description:
      - Name of the hosting plan, spaces allowed.
      - Either this or O(id) is required.
    type: str
  new_name:
    description:
      - New name of the hosting plan O(name). If only a hosting plan with the new name exists, the task does not rename it.
      - If neither exists, the task creates one with the new name. If both exist, the task fails and writes nothing.
    type: str
  resources:
    description:
      - Limits, managed field by field. V(-1) is unlimited. V({}) is an error, since limits cannot be cleared.
    type: dict
    suboptions:
      disk_space:
        description: Disk space in bytes from 1, as a whole number or with V(K), V(M), V(G), V(T) or V(P); V(1G) is 1073741824.
        type: str
      traffic:
        description: Traffic each month in bytes from 0, in the form of O(resources.disk_space).
        type: str
      domains:
        description: Main domains.
        type: int
      subdomains:
        description: Subdomains.
        type: int
      email_accounts:
        description: Mailboxes.
        type: int
      email_addresses:
        description: E-mail addresses, aliases included.
        type: int
      email_forwardings:
        description: E-mail forwardings. Older panels do not know it.
        type: int
      databases:
        description: Databases.
        type: int
      ftp_users:
        description: FTP users.
        type: int
      scheduled_tasks:
        description: Scheduled tasks.
        type: int
  permissions:
    description:
      - What the client may do, managed field by field. V({}) is an error; set fields to V(false).
    type: dict
    suboptions:
      ftp:
        description: Use FTP.
        type: bool
      php:
        description: Run PHP.
        type: bool
      perl:
        description: Run Perl.
        type: bool
      ssh:
        description: Log in through SSH.
        type: bool
      backup:
        description: Make and restore backups.
        type: bool
      panel_access:
        description: Log in to the panel.
        type: bool
      domain_security:
        description: Change the security settings of domains.
        type: bool
      certificate_management:
        description: Manage certificates.
        type: bool
      file_manager:
        description: Use the file manager.
        type: bool
      dns_editor:
        description: Edit DNS records.
        type: bool
      database_remote_access:
        description: Let other hosts connect to databases.
        type: bool
      email_catchall:
        description: Make catch-all addresses.
        type: bool
      update_contact_data:
        description: Change the contact data.
        type: bool
      delete_main_domain:
        description: Delete main domains. Older panels do not know it.
        type: bool
      applications:
        description: Install applications. A feature of the panel's professional edition.
        type: bool
      ssh_jail:
        description: Confine SSH to the client's own files; needs O(permissions.ssh) too. A feature of the panel's professional edition.
        type: bool
  php:
    description:
      - Settings of PHP, managed field by field. V({}) is an error; list the fields to change.
    type: dict
    suboptions:
      memory_limit:
        description: Memory of a script in PHP's own notation, for example V(256M). It cannot be empty.
        type: str
      max_execution_time:
        description: Seconds that a script may run, from 0 to 2147483647.
        type: int
      post_max_size:
        description: Size of a request in PHP's own notation, for example V(72M). It cannot be empty.
        type: str
      upload_max_filesize:
        description: Size of an uploaded file in PHP's own notation, for example V(64M). It cannot be empty.
        type: str
      open_basedir:
        description:
          - Directories that scripts may open, separated by colons. The panel replaces V(##DOCROOT##) with the client's directory. It cannot be empty.
        type: str
      disable_functions:
        description: PHP functions that are disabled, separated by commas. An empty string clears it.
        type: str
      env_variables:
        description: Environment variables of scripts, one a line. An empty string clears it.
        type: str
      extra_directives_immutable:
        description: Other directives that scripts cannot change, one a line. An empty string clears it.
        type: str
      extra_directives_mutable:
        description: Other directives that scripts can change, one a line. An empty string clears it.
        type: str
      sendmail_from:
        description: E-mail address that scripts send mail from. An empty string clears it.
        type: str
  php_fpm:
    description:
      - Settings of the PHP processes, managed field by field. V({}) is an error; list the fields to change.
    type: dict
    suboptions:
      pm:
        description: How the number of processes is managed.
        type: str
        choices: [static, ondemand, dynamic]
      max_children:
        description: Most processes at one time, from 1.
        type: int
      max_requests:
        description: Requests after which a process is replaced; V(0) never replaces it.
        type: int
      min_spare_servers:
        description:
          - Fewest idle processes, from 1. Needed with O(php_fpm.pm=dynamic), an error with another O(php_fpm.pm) in the same task.
          - An empty string clears it. It is cleared with O(php_fpm.max_spare_servers) when O(php_fpm.pm) changes to something else.
        type: raw
      max_spare_servers:
        description: Most idle processes, from 1, in the same way as O(php_fpm.min_spare_servers).
        type: raw
      status:
        description: Whether there is a status page.
        type: bool
      status_ip_restriction:
        description: Addresses that may see the status page. An empty string clears it.
        type: str
notes:
  - A task costs one request, one for each object that it refers to, and one to write.
  - A decimal size such as V(1.5G) fails before the first request. Write V(1536M).
seealso:
  - module: hosting.panel.panel_plan_info
  - module: hosting.panel.panel_client
"""

EXAMPLES = r"""
- name: Create a hosting plan
  hosting.panel.panel_plan:
    name: Business
    resources:
      disk_space: 10G
      traffic: -1
      domains: 5
      email_accounts: 50
    permissions:
      ssh: true
      backup: true
    php:
      memory_limit: 256M

- name: Give its PHP processes room
  hosting.panel.panel_plan:
    name: Business
    php_fpm:
      pm: dynamic
      max_children: 12
      min_spare_servers: 2
      max_spare_servers: 4

- name: Allow all PHP functions
  hosting.panel.panel_plan:
    name: Business
    php:
      disable_functions: ""

- name: Rename it
  hosting.panel.panel_plan:
    name: Business
    new_name: Business 2026

- name: Delete it; clients that have it keep their limits
  hosting.panel.panel_plan:
    name: Business 2026
    state: absent
"""

RETURN = r"""
plan:
  description:
    - The hosting plan as the panel has it after the task, or V(null) if it is absent.
    - After a creation it holds what was sent, and the id; M(hosting.panel.panel_plan_info) reads what the panel filled in.
    - M(hosting.panel.panel_plan_info) lists its fields.
  returned: success
  type: dict
  sample:
    id: 8
    name: Business
    resources:
      disk_space: 10737418240
      traffic: -1
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import PLAN
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resource_operation(PLAN)


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
