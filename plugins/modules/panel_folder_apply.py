#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_folder_apply
short_description: "Part of the playbooks hosting.panel.apply and hosting.panel.plan: bring a hosting panel to what a folder of files says"
version_added: 1.0.0
description:
  - Reads all files of a folder on the controller whose names end with C(.yml) or C(.yaml), and of the folders in it, and gives all objects in them to
    M(hosting.panel.panel_resources) at once.
  - Other files and hidden ones are passed over, and so are files without a list of any kind. A warning names them, and with O(purge) they are
    an error, since what somebody believes to be in them would be deleted. C(README) files, what begins with C(.git), and O(credentials_file)
    may be in the folder.
  - A file has a list of objects for each kind, in the shape of O(hosting.panel.panel_resources#module:resources). It may be one that
    M(hosting.panel.panel_folder_write) wrote, or any other.
  - An object may be in several files, for example all of it in one that an export writes and its secrets in another, as long as no option has
    two values.
  - Nothing in the files is evaluated, since most of it was written by customers. A text that looks like a template is an error, unless it is marked
    with C(!unsafe).
  - Secrets in the files may be encrypted, with C(ansible-vault encrypt_string) or as whole files.
  - New objects without C(password) get one that is made on the controller. It is in a file there, which is encrypted with Ansible Vault, before
    the panel gets it, and in no result. What an earlier run left pending in the file is set again, with a warning.
  - A real run that changes anything reads the panel twice, for the plan and again to make sure that it is still that plan when it begins to write.
  - The playbook C(hosting.panel.apply) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, returns the plan and writes nothing, neither to the panel nor to the file.
    support: full
  diff_mode:
    description: Returns what changes. Of a secret it says only that it changes.
    support: full
  idempotent:
    description: As idempotent as M(hosting.panel.panel_resources).
    support: partial
    details:
      - The files may hold an option that changes something in every run, such as C(regenerate_password).
options:
  directory:
    description: The folder, relative to the one that C(ansible-playbook) was started in.
    type: path
    required: true
  credentials_file:
    description:
      - File on the controller for the passwords of new objects, as in O(hosting.panel.panel_object#module:credentials_file).
      - It may be in the folder itself.
      - When it is omitted, a real run that would make any fails before it writes.
      - A directory protection without C(password) has to name its owner by C(client), not by C(id_user), since its password is filed under
        its name.
    type: path
  most_lines:
    description: How many actions RV(lines) and how many objects RV(failures) names at most.
    type: int
    default: 200
  plan_file:
    description:
      - File on the controller for the plan as a page of Markdown, such as for a comment in a merge request. What is deleted comes first, all of it is
        grouped by client, and sizes are as people write them. It has at most 60,000 characters and says how much is left out.
      - Texts of customers are in code, so that none of them is a link or a mention. There is no secret in it.
      - It is written in check mode too, and replaced as a whole. Where there is no plan, it says why.
    type: path
  purge:
    description: As O(hosting.panel.panel_resources#module:purge).
    type: list
    elements: str
  max_deletes:
    description: As O(hosting.panel.panel_resources#module:max_deletes).
    type: int
  protect:
    description: As O(hosting.panel.panel_resources#module:protect).
    type: dict
  concurrency:
    description: As O(hosting.panel.panel_resources#module:concurrency).
    type: int
  expected_checksum:
    description: As O(hosting.panel.panel_resources#module:expected_checksum).
    type: str
seealso:
  - module: hosting.panel.panel_resources
  - module: hosting.panel.panel_folder_write
"""

EXAMPLES = r"""
- name: See what a folder would change
  hosting.panel.panel_folder_apply:
    directory: panel.example
  check_mode: true
  register: planned

- name: Apply exactly that
  hosting.panel.panel_folder_apply:
    directory: panel.example
    credentials_file: panel.example/passwords.yml
    expected_checksum: "{{ planned.checksum }}"
"""

RETURN = r"""
summary:
  description: How many objects are created, updated and deleted, and how many are right already.
  returned: when the files are right and the panel could be read
  type: dict
  sample: {create: 0, update: 1, delete: 0, unchanged: 211}
changes:
  description: How many changes that are.
  returned: when the files are right and the panel could be read
  type: int
checksum:
  description: Stands for the plan; see O(expected_checksum).
  returned: when the files are right and the panel could be read
  type: str
lines:
  description: The plan for a person, its counts and a line for each action.
  returned: when the files are right and the panel could be read
  type: list
  elements: str
  sample:
    - 0 to create, 1 to update, 0 to delete, 211 unchanged
    - "update  emails info@acme.example: max_size 512M -> 1G"
failures:
  description: A line for each object that failed or was skipped.
  returned: when the files are right and the panel could be read
  type: list
  elements: str
generates:
  description: The objects that get a password that is made on the controller.
  returned: when the files are right and the panel could be read
  type: list
  elements: str
  sample: [emails info@acme.example]
credentials_file:
  description: Path of the file that the new passwords were written to. C(ansible-vault view) shows it.
  returned: when objects got passwords that were made on the controller
  type: str
"""
