#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_resources
short_description: Manage many objects of a hosting panel in one task
version_added: 1.0.0
description:
  - Creates, changes and deletes objects of all kinds, by the same tables and the same code as the module of each kind.
  - Checks and plans everything before the first write, and reports all mistakes of all items together.
  - Creates and changes objects in the order of the kinds in O(resources), so that what others refer to comes first. Deletes in reverse order.
  - Continues after an item that fails, and skips what refers to it. The task then fails; run it again to complete the rest.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes]
attributes:
  idempotent:
    description: A second run with the same options sends no write and reports no change.
    support: partial
    details:
      - The panel never shows a password, so a task cannot see whether it is the right one already.
      - An item with C(update_password=always) or C(regenerate_password=true) is changed in every run. Without these two a second run
        changes nothing.
notes:
  - It costs one list request for each kind, one request for each DNS zone, and one for an object whose list entry is short. Then it writes only
    what differs. New databases and FTP users cost one more list of their kind, and a client that is deleted one request for what it has.
  - Skips a certificate that is not on the panel and whose item has no private key, with a warning. What refers to it is created without it.
  - The plan of a check-mode run is the plan of the real run. Only the zone of a domain that does not exist yet counts as empty in it.
  - Do not run two of these tasks against one panel from two controllers at the same time. The panel may accept scheduled tasks and directory
    protections twice.
  - The error that you meet first names the limit, for example C(max_deletes) with the counts and the objects. Nothing was written then.
options:
  resources:
    description:
      - The wanted objects, a list for each kind. A kind that is left out is not managed. The kinds are those of O(purge), and C(dns).
      - An item takes the options of the module of its kind and C(state), but not the connection, C(wait), C(wait_timeout) and C(read_back).
      - An item may refer to an object that another item creates. To swap two names, use C(id) for both items, or two tasks.
      - RV(hosting.panel.panel_resources_info#module:resources) has this shape. Exactly one of O(resources) and O(resources_dir) is required.
    type: dict
  resources_dir:
    description:
      - Directory on the controller with files of objects, read there whatever the connection is, in place of O(resources). It is relative to the
        directory that C(ansible-playbook) was started in.
      - The module reads every C(.yml) and C(.yaml) file in it and below it. Each file has the shape of O(resources); M(hosting.panel.panel_export)
        writes such files. An object may be in several files if no option has two values.
      - Hidden files, C(README) files and O(credentials_file) are passed over. Any other file is passed over with a warning, and with O(purge) it is
        an error.
      - Nothing in the files is evaluated. What looks like a template is a mistake, unless you mark it with C(!unsafe). Values and whole files may be
        encrypted with Ansible Vault; what they have encrypted is masked in the result.
    type: path
  purge:
    description:
      - Kinds of which the task deletes every object that O(resources) does not name. O(resources) needs a list for each of them, and
        O(max_deletes) must allow the deletions.
      - System domains, the last main admin, what O(protect) names and what no item can name stay. Name the latter by C(id) with C(state=absent).
    type: list
    elements: str
    choices: [plans, admins, clients, certificates, domains, emails, databases, ftp_users, directory_protections, scheduled_tasks]
    default: []
  max_deletes:
    description:
      - How many objects the task may delete, with everything that a client or a domain takes with it. If more would go, the task fails before
        the first write.
      - Default is no limit for objects with C(state=absent) that take nothing else with them, and 0 for everything else.
    type: int
  protect:
    description:
      - Objects that are never deleted, by kind a list of names or shell patterns. Join the parts of a key with a colon.
      - A purge leaves them. A deletion that would take one with it makes the task fail before the first write.
    type: dict
    default: {}
  concurrency:
    description: How many requests are sent at once, from 1 to 16. If one meets a reload of the panel, all of them wait.
    type: int
    default: 4
  expected_checksum:
    description:
      - The C(checksum) of an earlier RV(plan). The task fails before the first write if its plan is another one now. An empty text is an error.
      - The checksum covers the ids of all objects, not their secrets. Every write stays within the plan. An object that someone else creates
        after the plan is left alone, and its item fails.
    type: str
  compare:
    description:
      - Compare in both directions. RV(plan) is then the one that would make the panel exactly what O(resources) or O(resources_dir) say, as if every
        kind were purged, with nothing protected and no limit. RV(differences) lists the objects.
      - It needs check mode, C(check_mode=true) on the task, and writes nothing.
    type: bool
    default: false
  return_unchanged:
    description: Whether RV(results) also lists the objects that already match.
    type: bool
    default: false
  credentials_file:
    description:
      - Path of an encrypted file on the controller for the passwords of this task. Each new object without a password, and each with
        C(regenerate_password=true), gets one that the collection generates. It is in this file before the panel gets it; the result
        has the path and no password.
      - C({client}) in the path stands for the username of the client that owns the object, so each client can have its own file.
      - The file is encrypted with a Vault password of the run and has mode 0600; its directory must exist. Several panels, clients,
        roles and forks can share it. C(generated_passwords) in it are confirmed by the panel; what a killed run left in
        C(pending_passwords) is set again by the next run that names the object.
      - It needs a local connection and no C(async), because the process of ansible-playbook keeps the file, as its own user.
    type: path
  rotation:
    description:
      - Name of a rotation, for example its date. An object with C(regenerate_password=true) whose password in O(credentials_file) is
        of this rotation is unchanged. So a second run continues an interrupted rotation.
      - It needs O(credentials_file).
    type: str
seealso:
  - module: hosting.panel.panel_resources_info
"""

EXAMPLES = r"""
- name: Everything of one customer
  hosting.panel.panel_resources:
    resources:
      plans:
        - name: Business
          resources:
            disk_space: 10G
      clients:
        - username: acme
          email: it@acme.example
          hosting_plan: Business
      domains:
        - domain: acme.example
          client: acme
      dns:
        - domain: acme.example
          records:
            - host: www
              type: A
              ttl: 3600
              value: 192.0.2.10
      emails:
        - email: info@acme.example
          max_size: 1G
        - email: old@acme.example
          state: absent
      databases:
        - database_name: acme_shop
          client: acme
  register: acme

- name: Create mailboxes, with their passwords in an encrypted file before the panel gets them
  hosting.panel.panel_resources:
    resources:
      emails:
        - email: shop@acme.example
        - email: jobs@acme.example
    credentials_file: acme.credentials.yml

- name: Give a mailbox a new password, once in this rotation
  hosting.panel.panel_resources:
    resources:
      emails:
        - email: shop@acme.example
          regenerate_password: true
    credentials_file: acme.credentials.yml
    rotation: 2026-11 phishing

- name: See what would change
  hosting.panel.panel_resources:
    resources:
      emails:
        - email: info@acme.example
          max_size: 2G
  check_mode: true
  register: planned

- name: Apply exactly that
  hosting.panel.panel_resources:
    resources:
      emails:
        - email: info@acme.example
          max_size: 2G
    expected_checksum: "{{ planned.plan.checksum }}"

- name: Bring the panel to what the files of a directory say
  hosting.panel.panel_resources:
    resources_dir: panel.example

- name: Delete every mailbox that is not named, five at most and none for sales
  hosting.panel.panel_resources:
    resources:
      emails:
        - email: info@acme.example
    purge:
      - emails
    max_deletes: 5
    protect:
      emails:
        - sales@*
"""

RETURN = r"""
plan:
  description:
    - What the task does, the same in check mode and in a real run. It holds no secret.
  returned: when the options are right and the panel could be read
  type: dict
  contains:
    summary:
      description: How many objects are created, updated and deleted, and how many are right already.
      type: dict
      sample: {create: 3, update: 1, delete: 0, unchanged: 212}
    actions:
      description:
        - What is done, in the order in which it is done. C(action) is V(create), V(update) or V(delete); C(before) and C(after) hold the
          managed fields. C(id) is the object's, of a zone its domain's; it is null for what is still to be created. C(client) is the username
          of the client who owns the object; it is null for what no client owns.
        - A deletion that takes more with it has C(also_deleted) and C(also_deleted_ids), the keys and the ids of that by kind.
        - An action on a zone has C(entries), one for each record set that changes, with C(host), C(type), C(ttl), and the values C(before) and
          C(after). A zone that goes back to its default records, or is switched off, has an entry with an empty C(after) for each set that
          it has now. Some of these may be among the default ones.
      type: list
      elements: dict
      sample:
        - kind: emails
          key: info@acme.example
          id: 5
          client: acme
          action: update
          before: {max_size: 536870912}
          after: {max_size: 1073741824}
    checksum:
      description: Stands for the actions; see O(expected_checksum).
      type: str
      sample: 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b
differences:
  description:
    - The objects that differ. C(what) is V(missing) or V(different) on the panel, or V(surplus) if only the panel has it. C(file) names the file
      of O(resources_dir). C(details) says what differs, from the panel's value to that of the file.
  returned: with O(compare) and O(resources_dir)
  type: list
  elements: dict
  sample:
    - kind: emails
      key: info@acme.example
      client: acme
      what: different
      file: "clients/acme.yml: line 12"
      details: max_size 5G -> 1G
results:
  description:
    - What became of each object that was not right, with O(return_unchanged=true) also of those that were.
    - C(result) is V(changed), V(failed), V(skipped) or V(unchanged). One that failed has C(msg) and C(error), one that was skipped has C(msg).
      C(id) is null for what was not created.
    - One that was to be created, and that somebody else created while the task ran, has C(existed=true). It was changed where it differed, which
      C(result) tells, and its password is the one that it was created with.
  returned: when the options are right and the panel could be read
  type: list
  elements: dict
  sample:
    - kind: emails
      key: info@acme.example
      id: 5
      result: changed
generated_passwords:
  description:
    - The passwords that the panel generated for objects which were given none, each with C(kind), C(key) and C(password).
    - They are shown here once and nowhere else. Keep them with C(no_log=true) on the tasks that handle them, or use O(credentials_file).
  returned: when the panel generated passwords
  type: list
  elements: dict
  sample:
    - kind: emails
      key: info@acme.example
      password: an-example-of-a-password
credentials_file:
  description:
    - The file that has the passwords. If the objects have several files, it is O(credentials_file) as it was given.
  returned: when O(credentials_file) is given
  type: str
  sample: /srv/panel/acme.yml
"""

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = resources_operation()


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
