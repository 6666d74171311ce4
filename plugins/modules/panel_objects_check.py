#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_objects_check
short_description: "Part of the role hosting.panel.site: check the options of many objects before the first one is written"
version_added: 1.0.0
description:
  - Checks options that are to be given to the modules of this collection, and reports all mistakes at once.
  - Nothing is sent to the panel. What depends on the panel, such as a name that does not exist there, is reported by the modules themselves.
  - Two objects of one kind with the same name, also in different spelling, are a mistake.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Does the same in check mode, but for the empty file with which it tries the folder of O(credentials_file).
    support: full
  diff_mode:
    description: Changes nothing, so there is never a difference.
    support: N/A
  idempotent:
    description: Changes nothing.
    support: full
options:
  resources:
    description:
      - By kind in the plural, C(emails) for example, a list of dictionaries with the options of the module of that kind, without those of the
        connection.
      - The kinds are those of O(hosting.panel.panel_object#module:kind).
    type: dict
    required: true
  credentials_file:
    description:
      - File on the controller for new passwords, as in O(hosting.panel.panel_object#module:credentials_file).
      - The run must have a Vault secret, an existing file must be encrypted with it, and the file must be writable.
      - When it is omitted, an object for which the panel would generate a password is a mistake. Whether the object exists already does not count,
        since that is not known without asking the panel.
    type: path
requirements:
  - requests
seealso:
  - module: hosting.panel.panel_object
"""

EXAMPLES = r"""
- name: Check everything first
  hosting.panel.panel_objects_check:
    resources:
      clients: [{username: acme, email: it@acme.example}]
      emails: [{email: info@acme.example, client: acme, max_size: 1G}]
    credentials_file: acme.credentials.yml
"""

RETURN = r"""
mistakes:
  description:
    - One sentence for each mistake, with kind, place in the list, name and option. Empty when all is well.
    - Where the task fails, only those that the message has no room for, which has 50; 200 at most and the number of the others.
    - The same mistake of more than four objects, or of more than 20 with other values, is one sentence with the first places and the number of
      the others.
  returned: always
  type: list
  elements: str
  sample:
    - "emails[0] (info@acme.example): max_size: '1.5G' is not accepted; it must be an integer number of bytes."
"""
