#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_folder_write
short_description: "Part of the playbooks hosting.panel.drift and hosting.panel.export: write the objects of a panel as files, one for each client"
version_added: 1.0.0
description:
  - Writes what M(hosting.panel.panel_resources_info) returned into a folder on the controller, ready to commit.
  - A client and all that belongs to it is in C(clients/USERNAME.yml), with C(%) and two digits for characters that no file name may have.
    Plans, admins, and what belongs to the server itself are in C(panel.yml).
  - The same objects make the same files, so a second run writes nothing. Files of clients that are gone are removed.
  - A file is overwritten or removed only if its first line says that an export wrote it. Secrets belong into files of their own.
  - Numbers of bytes are written with a unit where that is the same, and domains in the letters of their language. Texts that look like templates
    are marked C(!unsafe), so that Ansible does not evaluate them when the file is read as variables.
  - The playbook C(hosting.panel.export) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
attributes:
  check_mode:
    description: Can run in check mode, predicts which files change and writes none. A folder that cannot be written is an error then, too.
    support: full
  diff_mode:
    description: Returns the text of every file that changes.
    support: full
  idempotent:
    description: The same objects change nothing.
    support: full
  action:
    description: It is an action that runs on the controller only.
    support: full
  async:
    description: It takes no time.
    support: none
options:
  resources:
    description: By kind a list of items, as RV(hosting.panel.panel_resources_info#module:resources) has them.
    type: dict
    required: true
  directory:
    description: The folder, relative to the one that C(ansible-playbook) was started in. It is made where it is not there.
    type: path
    required: true
  compares_only:
    description: Write nothing and only say which files differ, and in what, also of a folder that cannot be written. Nothing is changed then.
    type: bool
    default: false
  plan_file:
    description:
      - File on the controller for the differences as a page of Markdown, such as for a comment, in the form of that of
        O(hosting.panel.panel_folder_apply#module:plan_file). What is gone from the panel comes first.
      - It is written in check mode too.
    type: path
seealso:
  - module: hosting.panel.panel_resources_info
  - module: hosting.panel.panel_folder_apply
"""

EXAMPLES = r"""
- name: Read everything
  hosting.panel.panel_resources_info:
  register: panel

- name: Write it as files
  hosting.panel.panel_folder_write:
    resources: "{{ panel.resources }}"
    directory: panel.example
"""

RETURN = r"""
written:
  description: The files that are new, or have another text than before.
  returned: success
  type: list
  elements: str
  sample: [panel.example/clients/acme.yml]
removed:
  description: The files of clients that are gone.
  returned: success
  type: list
  elements: str
unchanged:
  description: How many files were right already.
  returned: success
  type: int
lines:
  description: The first thousand lines of the differences. Those with C(-) are in the folder only, those with C(+) would be written.
  returned: with O(compares_only)
  type: list
  elements: str
"""
