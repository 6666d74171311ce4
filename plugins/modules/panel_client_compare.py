#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client_compare
short_description: "Part of the role hosting.panel.move: compare a client on two hosting panels, and write the hand-over page of its move"
version_added: 1.0.0
description:
  - Reads a client on both panels, compares what it has after plans, addresses and names are replaced, and writes a page for people in Markdown and
    the same as JSON beside it. Both panels are only read.
  - What is expected to be different is no difference, which is certificates whose keys were not brought yet and scheduled tasks that are held back.
  - The page says what was made, where the new passwords are, what remains to be copied with its size, and what to do next in which order. It
    holds no password.
  - The role P(hosting.panel.move#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.move
  - hosting.panel.move.target
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, compares and writes no page.
    support: full
  diff_mode:
    description: The differences are in RV(differences).
    support: none
  idempotent:
    description: The page is written anew only where it says something else. The time alone is no reason.
    support: full
options:
  passwords:
    description: Passwords for accounts on the target, each with C(kind), C(key) and C(password). All other accounts get new ones from the panel.
    type: list
    elements: dict
  zones_file:
    description:
      - The file that M(hosting.panel.panel_client_copy) wrote in the step V(prepare). A zone in it that was the panel's default one becomes the
        target's default one.
    type: path
  credentials_file:
    description: The file with the generated passwords, which is read to tell of which accounts nobody knows the password.
    type: path
  page:
    description:
      - Path of the page on the controller, whose name should end with C(.md). The JSON is beside it. Files get mode 0600, and the folder is
        made where only its last part is missing.
    type: path
    required: true
seealso:
  - module: hosting.panel.panel_client_copy
"""

EXAMPLES = r"""
- name: Compare a client on both servers
  hosting.panel.panel_client_compare:
    client: acme
    source:
      api_url: https://old.panel.example
      api_key: "{{ old_panel_key }}"
    target:
      api_url: https://new.panel.example
      api_key: "{{ new_panel_key }}"
    addresses:
      192.0.2.10: 198.51.100.20
    page: acme.hand-over.md
"""

RETURN = r"""
differences:
  description:
    - A line for each object that is missing on the target or differs there, empty where both panels are equal.
    - What the source shows and no option takes is among them with the reason, since it cannot be copied, until it is corrected there.
  returned: success
  type: list
  elements: str
page:
  description: Path of the page.
  returned: success
  type: str
hand_over:
  description: All that the page says.
  returned: success
  type: dict
mistakes:
  description: What stands against the comparison, a sentence each.
  returned: when several things do; a single one is the message
  type: list
  elements: str
"""
