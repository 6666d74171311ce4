#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_object
short_description: "Part of the role hosting.panel.site: manage one object of any kind, and keep its new password encrypted"
version_added: 1.0.0
description:
  - Runs the module of the given kind with options from a dictionary, and returns what that module returns.
  - With O(credentials_file), a new object without C(password) gets one that is made on the controller. It is in a file there, which is encrypted
    with Ansible Vault, before the panel gets it, so a run that is killed at any moment loses none. It is in no output and in no registered result,
    and O(ignore:no_log), which hides errors too, is not needed.
  - A password is in the list C(pending_passwords) of the file until the panel has confirmed it, and then in C(generated_passwords). What an earlier
    run left pending is set again, with a warning. A reader always finds a whole file, the old one or the new one.
  - Tasks of one user on one controller that write to the same file wait for one another.
  - The role P(hosting.panel.site#role) is made of it. In a playbook that names its options one by one, the module of the kind is easier to read.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, predicts the result and writes nothing, neither to the panel nor to the file.
    support: full
  diff_mode:
    description: Returns what changes. Of a secret it says only that it changes.
    support: full
  idempotent:
    description: As idempotent as the module of the kind. The file is written only when there is a new password.
    support: partial
    details:
      - O(options) may hold an option that changes something in every run, such as C(regenerate_password).
options:
  kind:
    description: The kind of the object, in the plural.
    type: str
    required: true
    choices: [plans, admins, clients, certificates, domains, dns, emails, databases, ftp_users, directory_protections, scheduled_tasks]
  options:
    description:
      - The options of the module of this kind, such as M(hosting.panel.panel_email) for V(emails).
      - Options of the connection count for this object only, and before those of the task.
      - C(module_defaults) of that module do not reach it, those of the group do.
    type: dict
    required: true
  credentials_file:
    description:
      - File on the controller for the new password, relative to the folder that C(ansible-playbook) was started in. Its folder must exist.
      - The run needs a Vault secret, from C(--vault-password-file), C(--vault-id), C(--ask-vault-pass) or E(ANSIBLE_VAULT_PASSWORD_FILE). An
        existing file keeps the secret that it was encrypted with; a new one gets the run's first, or that of C(vault_encrypt_identity).
      - An existing file is added to; an older password of the same object is replaced. The mode of the file is 0600.
      - When it is omitted, the panel generates the password, and it is returned as RV(generated_password).
    type: path
seealso:
  - module: hosting.panel.panel_objects_check
"""

EXAMPLES = r"""
- name: Create a mailbox and keep its password
  hosting.panel.panel_object:
    kind: emails
    options: "{{ mailbox }}"
    credentials_file: acme.credentials.yml
  vars:
    mailbox:
      email: info@acme.example
      max_size: 1G
"""

RETURN = r"""
credentials_file:
  description:
    - Path of the file that the new password was written to. C(ansible-vault view) shows it.
    - It holds the list C(generated_passwords) with C(panel), C(kind), C(key) and C(password).
  returned: when the object got a new password and O(credentials_file) is given
  type: str
  sample: /home/operator/acme.credentials.yml
generated_password:
  description: The password that the panel generated in this run. It is never shown again.
  returned: when the panel generated a password and O(credentials_file) is omitted
  type: str
"""
