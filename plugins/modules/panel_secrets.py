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
  - Reads and keeps values, such as keys, in a YAML file on the controller. The file is encrypted with the Vault password of the run.
  - The file is written as a whole, with mode 0600, and is on the disk before the task ends. A killed run leaves the old file or the new one.
  - Ansible never shows the result of the task. Errors hold no secret and are shown.
  - A file that is empty, cut off, in plain text or encrypted with another Vault password is an error and stays as it is.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.attributes.controller_alone]
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
      - The file. If only the last part of its directory is missing, the module creates it with mode 0700.
      - A missing file counts as empty. The module creates it for O(values).
    type: path
    required: true
  values:
    description:
      - Values to add to the file.
      - Dictionaries are merged key by key. Null removes a key. Every other value, lists too, replaces the old one.
    type: dict
    default: {}
  alone:
    description:
      - Seconds to wait while another C(ansible-playbook) uses the file. After that, the task fails.
      - When the task succeeds, this C(ansible-playbook) has the file to itself until it ends. All of its hosts count as one.
      - Only tasks of the same user on the same controller that set O(alone) wait. It has no effect in check mode.
    type: int
notes:
  - If the file has another Vault password, the task fails and the file stays as it is.
  - The registered result holds the values in plain text for the rest of the run. To drop it, set the variable to an empty dictionary.
  - It sends no request, takes no connection options, and is not in the action group C(hosting.panel.panel).
seealso:
  - name: Ansible Vault
    description: How to give a run its Vault password.
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
error:
  description: What failed. Its C(type) is V(OptionError), V(FileError), or V(Defect) for an error of the collection itself.
  returned: failure
  type: dict
  sample: {type: FileError}
"""
