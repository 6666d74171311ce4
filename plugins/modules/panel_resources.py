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
  - Creates, changes and deletes objects of all types, with the same code as the module of each type.
  - Checks and plans everything before the first write, and reports all mistakes of all items together.
  - Creates and changes objects in the order of their dependencies. Deletes in reverse order.
  - Continues after an item that fails, and skips what refers to it. The task then fails; run it again to complete the rest.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes]
attributes:
  async:
    description:
      - With C(async) the task always runs as a separate module.
      - Other users of the machine can read the result of such a task, with RV(generated_passwords). Use O(credentials_file), without C(async).
    support: full
  idempotent:
    description: A second run with the same options sends no write and reports no change.
    support: partial
    details:
      - An item with C(update_password=always) or C(regenerate_password=true) is changed in every run, because the panel never shows a password.
      - A field of C(extra) that the panel does not show is sent in every run.
notes:
  - It costs one list request for each type and one request for each DNS zone. An object whose list entry leaves fields out costs one
    request more. So does a new database or FTP user, whose name it reads again. Then it writes only what differs.
  - Skips a certificate that is not on the panel and whose item has no private key, with a warning. What refers to it is created without it.
  - Do not run two of these tasks against one panel from two controllers at the same time. The panel may accept scheduled tasks and directory
    protections twice.
  - The most common error is a limit on deletions. It names C(max_deletes), the counts and the objects, and nothing was written.
options:
  resources:
    description:
      - The wanted objects, a list for each type. A type that is left out is not managed. The types are those of O(purge), and C(dns).
      - An item takes the options of the module of its type and C(state), but not the connection, C(wait), C(wait_timeout) and C(read_back).
      - An item may refer to an object that another item creates. To swap two names, rename one of the objects in a task before, and use C(id).
      - RV(hosting.panel.panel_resources_info#module:resources) has this form. Exactly one of O(resources) and O(resources_dir) is required.
    type: dict
  resources_dir:
    description:
      - Directory on the controller with files of objects, instead of O(resources). It is relative to the directory in which
        C(ansible-playbook) was started.
      - The module reads every C(.yml) and C(.yaml) file in it and below it. Each file has the form of O(resources); M(hosting.panel.panel_export)
        writes such files. An object may be in several files if no option has two values.
      - Below C(clients), every C(.yml) and C(.yaml) file counts. Elsewhere hidden files and O(credentials_file) are skipped, and everywhere C(README)
        files with another ending. Any other file is skipped with a warning, and is an error with O(purge). A link is an error.
      - If C(panel.yml) names another panel than O(api_url), the task fails before the first request. See O(rebuild).
      - Templates are not evaluated. A string that looks like one is a mistake, unless you mark it with C(!unsafe). You can encrypt values and whole
        files with Ansible Vault. The result masks encrypted values.
      - A number or date where a string is expected counts as it is written, C(0123) and C(8.10) too. In O(resources) it is an error.
    type: path
  rebuild:
    description:
      - Whether the files in O(resources_dir) may belong to another panel, whose place this panel takes.
    type: bool
    default: false
  purge:
    description:
      - Types. The task deletes every object of these types that O(resources) does not name. O(resources) needs a list for each of them, and
        O(max_deletes) must allow the deletions. O(resources_dir) needs one if the task would delete an object of the type.
      - System domains, the last main admin and objects in O(protect) stay. Objects that have no unique name stay too. Delete them by C(id).
    type: list
    elements: str
    choices: [plans, admins, clients, certificates, domains, emails, databases, ftp_users, directory_protections, scheduled_tasks]
    default: []
  max_deletes:
    description:
      - How many objects the task may delete, including everything that is deleted with a client or a domain. If there are more, the task fails
        before the first write.
      - By default, objects with C(state=absent) that own nothing else have no limit, and no other object may be deleted.
    type: int
  protect:
    description:
      - Objects that are never deleted, by type a list of names or shell patterns. Join the parts of a key with a colon.
      - A name may have every spelling that the option of its type takes. Case makes no difference. The task warns of a name that is not on the
        panel. Reading the names of a type costs one list request.
      - A purge skips them. If another deletion would also delete one, the task fails before the first write.
    type: dict
    default: {}
  concurrency:
    description: How many requests are sent at once, from 1 to 16. While the panel reloads, all of them wait.
    type: int
    default: 4
  expected_checksum:
    description:
      - The C(checksum) of an earlier RV(plan). If the plan differs now, the task fails before the first write. An empty string is an error.
      - The checksum covers the changes and the ids of the objects that they concern. It also covers text behind a mask, but not the values of
        secret options.
      - If someone else creates an object of the plan, its item fails.
    type: str
  compare:
    description:
      - Compare in both directions, as if every type were purged without limit or protection. RV(differences) lists the objects that differ.
      - It needs check mode, for example C(check_mode=true) on the task, and writes nothing.
    type: bool
    default: false
  return_unchanged:
    description: Whether RV(results) also lists the objects that already match.
    type: bool
    default: false
  credentials_file:
    description:
      - Path of an encrypted file on the controller, relative to the directory in which C(ansible-playbook) was started.
      - The collection generates passwords for new objects without one, and for objects with C(regenerate_password=true). They are in this file
        before the panel gets them. The result has the path and no password.
      - C({client}) in the path stands for the username of the client that owns the object, so each client can have its own file. For an admin
        it stands for the username of the admin.
      - The file is encrypted with a Vault password of the run and has mode 0600; its directory must exist. Several panels, clients,
        roles and forks can share it.
      - The panel has confirmed the passwords in C(generated_passwords). After a killed run, the next run that names an object sets its password
        from C(pending_passwords) again.
      - It needs a local connection and no C(async).
      - C(group/hosting.panel.panel_passwords) does not set it. Use C(module_defaults) of this module.
    type: path
  rotation:
    description:
      - Name of a rotation, for example its date. An object with C(regenerate_password=true) whose password in O(credentials_file) is
        of this rotation is unchanged. So a second run continues an interrupted rotation.
      - It needs O(credentials_file).
    type: str
  password_hashes_from:
    description:
      - Connection to another panel, from which a new object gets the hash of its password, so that no one needs a new one. The other panel must
        show hashes, and this one must take them; M(hosting.panel.panel_verify) finds out both.
      - It counts for an object without another password that is on the other panel under the same name, with the same client.
        RV(password_hashes) has the outcome for each object. A password from O(credentials_file) is only made where no hash is copied.
      - The hashes stay inside the task. No result, message or log has one. An object that exists keeps its password.
    type: dict
    suboptions:
      api_url:
        description: Address of the other panel.
        type: str
        required: true
      api_key:
        description: API key of the other panel.
        type: str
        required: true
      validate_certs:
        description: Whether to check the certificate of the other panel. It is checked by default.
        type: bool
      ca_path:
        description: File with the certificate of a private authority.
        type: path
      timeout:
        description: Seconds to wait for a connection and for each read, 30 by default. A whole answer may take five times as long.
        type: int
      retry_time:
        description: Seconds that the task may spend on repeating requests to the other panel, in all, 60 by default.
        type: int
      refused_forms:
        description: Beginnings of hashes that this panel refuses.
        type: list
        elements: str
        choices: [$5$, $6$, $2y$, $apr1$, "*"]
        default: []
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

- name: Check what would change
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

- name: Apply the files of a directory
  hosting.panel.panel_resources:
    resources_dir: panel.example

- name: Create a mailbox with the password that it has on the old panel
  hosting.panel.panel_resources:
    resources:
      emails:
        - email: old@acme.example
    password_hashes_from:
      api_url: https://two.example
      api_key: "{{ key_of_two }}"
    credentials_file: acme.credentials.yml

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
  returned: when the options are correct and the panel could be read
  type: dict
  contains:
    summary:
      description:
        - Numbers of objects that the task creates (C(create)), changes (C(update)) and deletes (C(delete)), and of those that already match
          (C(unchanged)).
      type: dict
      sample: {create: 3, update: 1, delete: 0, unchanged: 212}
    actions:
      description:
        - The actions in their order.
      type: list
      elements: dict
      contains:
        kind: {description: Type of the object., type: str}
        key: {description: Name of the object., type: str}
        id: {description: Null for a new object. That of the domain for a zone., type: int}
        client: {description: Username of the owner or null., type: str}
        action: {description: "V(create), V(update) or V(delete).", type: str}
        file:
          description: File that holds the object, or empty if none does.
          returned: with O(compare) and O(resources_dir)
          type: str
        before: {description: Managed fields before the task., type: dict}
        after: {description: Managed fields after the task., type: dict}
        also_deleted:
          description: Keys of the other objects that are deleted with this one, by type.
          returned: if there are such objects
          type: dict
        also_deleted_ids:
          description: Their ids, by type.
          returned: if there are such objects
          type: dict
        entries:
          description:
            - One for each record set that changes, with C(host), C(type), C(ttl), C(before) and C(after).
            - C(after) is empty for every record set of a zone that is reset or disabled.
          returned: for a zone
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
    - The objects that differ.
  returned: with O(compare) and O(resources_dir)
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    client: {description: Username of the owner or null., type: str}
    what: {description: "V(missing) or V(different) on the panel, or V(surplus) if only the panel has it.", type: str}
    file: {description: File of O(resources_dir)., type: str}
    details: {description: The value of the panel and that of the file., type: str}
  sample:
    - kind: emails
      key: info@acme.example
      client: acme
      what: different
      file: "clients/acme.yml: line 12"
      details: max_size 5G -> 1G
not_compared:
  description:
    - Objects of the panel that no file could keep, such as one whose name no option takes.
    - They are in no plan and no difference, so the panel matches the files only if this list is empty.
  returned: with O(compare)
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    id: {description: Id of the object., type: int}
    reason: {description: Why no file could keep it., type: str}
  sample:
    - kind: emails
      key: postmaster
      id: 22
      reason: its email is none that the module accepts
results:
  description:
    - The result of each object that did not match. With O(return_unchanged=true), also of the others.
  returned: when the options are correct and the panel could be read
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    id: {description: Null if the object was not created., type: int}
    result: {description: "V(changed), V(failed), V(skipped) or V(unchanged).", type: str}
    msg: {description: Why the object failed or was skipped., returned: if it did, type: str}
    error: {description: What failed., returned: if the object failed, type: dict}
    existed:
      description: Someone else created the object while the task ran. The task changed it if it differed, but kept its password.
      returned: if it is true
      type: bool
  sample:
    - kind: emails
      key: info@acme.example
      id: 5
      result: changed
is_complete:
  description:
    - Whether the task has done all that it planned, or would do so in check mode. It is false after every failure.
    - With C(failed_when=false), a later task can check it.
  returned: always
  type: bool
  sample: true
password_hashes:
  description:
    - What becomes of the password of each object, the same in check mode.
    - No entry has a hash.
  returned: with O(password_hashes_from)
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    outcome:
      description: V(stays), V(new) or V(unknown), if the object was on this panel and the panel does not show its hash.
      type: str
    why: {description: Reason for a new password., type: str}
  sample:
    - kind: emails
      key: info@acme.example
      outcome: stays
      why: ""
generated_passwords:
  description:
    - The passwords that the panel generated.
    - They are shown once. Set C(no_log=true) for tasks that handle them, or use O(credentials_file).
  returned: when the panel generated passwords
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    key: {description: Name of the object., type: str}
    password: {description: The password., type: str}
  sample:
    - kind: emails
      key: info@acme.example
      password: an-example-of-a-password
credentials_file:
  description:
    - The file that has the passwords. With several files, it is O(credentials_file) as you set it.
  returned: when O(credentials_file) is given and such a file exists
  type: str
  sample: /srv/panel/acme.yml
new_passwords:
  description: How many passwords of this task are in O(credentials_file). It is 0 in check mode.
  returned: when O(credentials_file) is given
  type: int
  sample: 2
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Incomplete}
"""

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = build_resources_operation()


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
