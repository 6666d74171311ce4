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
  - Reads the whole panel with M(hosting.panel.panel_resources_info) and writes it into a folder on the controller, ready to commit.
  - What was read is not in the result, so that a run on hundreds of panels does not hold them all in memory.
  - A client and all that belongs to it is in C(clients/USERNAME.yml), with C(%) and two digits for characters that no file name may have.
    Plans, admins, and what belongs to the server itself are in C(panel.yml).
  - The same objects make the same files, so a second run writes nothing. Files of clients that are gone are removed.
  - A file is overwritten or removed only if its first line says that an export wrote it. Secrets belong into files of their own.
  - A member that a file of the folder has encrypted with Ansible Vault is neither written nor shown in clear. In a file of an export it stays as
    it is, or, where the panel has another value, that is encrypted with the same secret. Where another file has it, the export leaves it out. A
    run without the secret compares none of these values, and writes nothing where a file that is encrypted as a whole may hold members of objects.
  - Numbers of bytes are written with a unit where that is the same, and domains in the letters of their language. Texts that look like templates
    are marked C(!unsafe), so that Ansible does not evaluate them when the file is read as variables.
  - The playbooks C(hosting.panel.export) and C(hosting.panel.drift) are made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
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
options:
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
      - It is written in check mode too. Where there are no differences to tell, because the panel or the folder cannot be read, it says why.
    type: path
seealso:
  - module: hosting.panel.panel_resources_info
  - module: hosting.panel.panel_folder_apply
"""

EXAMPLES = r"""
- name: Write the panel as files
  hosting.panel.panel_folder_write:
    directory: panel.example
"""

RETURN = r"""
counts:
  description: How many objects the panel has, by kind, without kinds of which there are none.
  returned: success
  type: dict
  sample: {plans: 3, clients: 12, domains: 20}
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
kept:
  description: The files that have a member encrypted with another value than the panel has, and are left as they are.
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
