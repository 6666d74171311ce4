#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_secrets
short_description: Keep values in an encrypted file on the controller
version_added: 1.0.0
description:
  - Reads and keeps values, such as keys, in a YAML file on the controller. The file is encrypted with the Vault secret of the run.
  - The file is written as a whole, with mode 0600, and is on the disk before the task ends. A killed run leaves the old file or the new one.
  - Ansible shows the result of the task at no verbosity. Errors hold no secret and are shown.
  - A file that is empty, cut off, in plain text or encrypted with another Vault secret is an error and stays as it is.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.attributes.controller]
attributes:
  check_mode:
    description: Can run in check mode, reads the file, predicts the result and writes nothing.
    support: full
  diff_mode:
    description: A difference would show secrets.
    support: none
  idempotent:
    description: A second run with the same options writes nothing.
    support: full
options:
  path:
    description:
      - The file. The last part of its folder is made, with mode 0700, if only that part is missing.
      - A file that is missing holds nothing. It is made when there are O(values) to keep.
    type: path
    required: true
  values:
    description:
      - What the file is to hold beside what it holds already.
      - Dictionaries are merged key by key. Null removes a key. Every other value, lists too, replaces the old one.
    type: dict
    default: {}
  alone:
    description:
      - Seconds to wait for another C(ansible-playbook) that has taken the file for itself. The task fails when they are over.
      - After that, this C(ansible-playbook) has the file for itself until its process has ended, however it ended. All of its hosts count as one.
      - This keeps away tasks that set O(alone), by the same user on the same controller. Check mode waits for nobody and keeps nobody away.
    type: int
notes:
  - It sends no request. A file of another Vault password fails the task and stays as it is.
  - The registered result holds the values in plain text for the rest of the run. To drop it, set the variable to an empty dictionary.
  - It sends no request, takes no connection options, and is not in the action group C(hosting.panel.panel).
seealso:
  - name: Ansible Vault
    description: How to give a run its Vault secret.
    link: https://docs.ansible.com/ansible/latest/vault_guide/index.html
"""

EXAMPLES = r"""
- name: Keep a key
  hosting.panel.panel_secrets:
    path: keys.yml
    values:
      keys:
        shop: "{{ key | default('made by another task') }}"

- name: Read what is kept, and keep other runs away until this one has ended
  hosting.panel.panel_secrets:
    path: keys.yml
    alone: 600
  register: kept

- name: Remove a key
  hosting.panel.panel_secrets:
    path: keys.yml
    values:
      keys:
        shop: null
"""

RETURN = r"""
path:
  description: The file, with links resolved.
  returned: success
  type: str
  sample: /srv/panel/keys.yml
secrets:
  description: What the file holds after the task. Ansible does not show it.
  returned: success
  type: dict
  sample: {keys: {shop: "********"}}
"""
