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
  - Brings any number of objects of all kinds to what is wanted of them. What a single object needs is decided by the same tables and the
    same code as in the module of its kind, so that both never disagree.
  - Every kind that is needed is read with one list request, however many objects of it are wanted, and every zone with one request.
    Then only what differs is written, several objects at once. An object of a list that lacks a member which the task manages is fetched
    on its own.
  - Before the first write everything is checked and planned. All mistakes of all items are reported together, each with its kind, index
    and option.
  - Objects are created and changed in the order in which they depend on each other, which is the order of the kinds in O(resources). They
    are deleted in reverse order and before anything else, but for hosting plans and certificates, which go last.
  - An item that fails does not stop the others; what refers to it is skipped. The task then fails, its result says what became of each
    item, and running it again completes the rest.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes
  - hosting.panel.attributes.idempotent_password
notes:
  - A zone that differs is read again before it is written and once more after it, as M(hosting.panel.panel_dns) does, because the
    panel replaces a zone as a whole and records that somebody else adds meanwhile would be lost. All other objects are written with
    one request and not read back.
  - In check mode the task reads the same, writes nothing, and fails where the real run would fail before its first write.
  - In check mode the zone of a domain that is still to be created is taken to be empty, so the records of the panel's default zone
    are not in RV(plan).
  - On the controller itself, where the task runs in process, the progress of long work is shown at most once in five seconds. When it runs
    as a module, on another host or with C(async), nothing is shown before it ends.
options:
  resources:
    description:
      - The wanted objects, a list for each kind. A kind that is left out is not managed.
      - The kinds are C(plans), C(admins), C(clients), C(certificates), C(domains), C(dns), C(emails), C(databases), C(ftp_users),
        C(directory_protections) and C(scheduled_tasks).
      - An item takes the options of the module for one object of its kind, C(emails) those of M(hosting.panel.panel_email) for example,
        with C(state), but without the connection, C(wait) and C(wait_timeout). Omitted options are not managed.
      - An item may refer to an object that another item creates.
      - The objects that RV(hosting.panel.panel_resources_info#module:resources) returns have this shape.
    type: dict
    required: true
  purge:
    description:
      - Kinds of which every object that O(resources) does not name is deleted. O(resources) has to have a list for each of them.
      - System domains, what O(protect) names, and the last main admin are left. A C(www) subdomain is left as well where the item of its
        domain has C(create_www_subdomain=true).
      - O(max_deletes) is needed for it to delete anything.
    type: list
    elements: str
    choices: [plans, admins, clients, certificates, domains, emails, databases, ftp_users, directory_protections, scheduled_tasks]
    default: []
  max_deletes:
    description:
      - How many objects may be deleted at most, everything counted that goes with a client or a domain.
      - When it is omitted, there is no limit for objects which are named with C(state=absent) and take nothing else with them, and
        nothing else is deleted. The task fails before the first write when more would go.
    type: int
  protect:
    description:
      - Objects that are never deleted, by kind a list of their names or of shell patterns for them. The names of kinds with a key of several
        parts are joined with a colon.
      - A purge leaves them. A deletion that names one or would take one with it makes the task fail before the first write.
    type: dict
    default: {}
  concurrency:
    description:
      - How many requests are sent at once, each on a connection of its own, from 1 to 16.
      - Writes begin one at a time, and become as many while the panel does not reload. When one request meets a reload of the panel,
        all of them wait.
    type: int
    default: 4
  expected_checksum:
    description:
      - The C(checksum) of an earlier RV(plan), usually that of a run in check mode. The task fails before the first write when it would do
        anything else than that plan.
      - Secrets are no part of a plan, so it does not cover the values of passwords and private keys.
    type: str
  return_unchanged:
    description:
      - Whether RV(results) has the objects that are right already as well.
    type: bool
    default: false
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
          managed members. A deletion that takes more with it has C(also_deleted), the keys of that by kind.
      type: list
      elements: dict
      sample:
        - kind: emails
          key: info@acme.example
          action: update
          before: {max_size: 536870912}
          after: {max_size: 1073741824}
    checksum:
      description: Stands for the actions; see O(expected_checksum).
      type: str
      sample: 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b
results:
  description:
    - What became of each object that was not right, with O(return_unchanged=true) also of those that were.
    - C(result) is V(changed), V(failed), V(skipped) or V(unchanged). One that failed has C(msg) and C(error), one that was skipped has C(msg).
  returned: when the options are right and the panel could be read
  type: list
  elements: dict
  sample:
    - kind: emails
      key: info@acme.example
      result: changed
generated_passwords:
  description:
    - The passwords that the panel generated for objects which were given none, each with C(kind), C(key) and C(password).
    - They are shown here once and nowhere else. Keep them with C(no_log=true) on the tasks that handle them.
  returned: when the panel generated passwords
  type: list
  elements: dict
  sample:
    - kind: emails
      key: info@acme.example
      password: an-example-of-a-password
"""

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._module import run_as_module

OPERATION = resources_operation()


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
