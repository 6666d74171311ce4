#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client_copy
short_description: "Part of the role hosting.panel.move: make on one hosting panel what a client has on another"
version_added: 1.0.0
description:
  - Reads a client with everything that belongs to it on one panel, and makes it on another with M(hosting.panel.panel_resources). The source is
    only read, but for the times to live that O(step=prepare) lowers there some time before.
  - Plans, addresses and names are replaced as the options say. Files, mails, contents of databases, passwords and private keys cannot be copied
    over the API.
  - An object that the target has already must be as an earlier run made it. A name that belongs to another client there, and an object that
    differs, is an
    error before the first write.
  - A certificate is not made, since no panel shows its key, and its domains are made without it. Bring it to the target under the same name and run
    this again, and the domains get it.
  - What the source shows and no option takes cannot be copied, such as a scheduled task without a description. It is warned of, and
    M(hosting.panel.panel_client_compare) counts it as a difference. Of a list with such entries, a new object gets the others.
  - New passwords are made on the controller. They are in an encrypted file there before the target gets them, and in no result.
  - Whether and when the client is suspended or deleted is copied when it is made, and never afterwards.
  - The role P(hosting.panel.move#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.move
  - hosting.panel.move.target
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, returns what would be made and writes nothing.
    support: full
  diff_mode:
    description: What is done is in RV(lines).
    support: none
  idempotent:
    description: A second run writes nothing.
    support: full
options:
  step:
    description:
      - V(prepare) lowers the time to live of every record that has a longer one, in all zones of the client on the source, so that a later change of
        its addresses is soon known everywhere. Nothing else of the zones changes, and nothing is copied yet. A default zone gets records of its own
        by that.
      - V(copy) makes everything on the target.
    type: str
    choices: [prepare, copy]
    default: copy
  ttl:
    description: Seconds that no record's time to live exceeds after O(step=prepare), from 30 to 86400.
    type: int
    default: 300
  update:
    description: Whether objects of the client that differ on the target are changed there. Objects of other clients never are.
    type: bool
    default: false
  passwords:
    description: Passwords for accounts on the target, each with C(kind), C(key) and C(password). All other accounts get new ones from the panel.
    type: list
    elements: dict
  zones_file:
    description:
      - File on the controller for the zones as they were before O(step=prepare), which needs it. It is written before the first zone is changed, gets
        mode 0600, and its folder is made where only its last part is missing. A zone that is in it already stays in it as it is.
      - With O(step=copy), a zone in it that was the panel's default one becomes the target's default one.
    type: path
  page:
    description:
      - The file that M(hosting.panel.panel_client_compare) writes afterwards.
      - Here it is only looked at whether it can be written, before the first request.
    type: path
  credentials_file:
    description: File on the controller for new passwords, as in O(hosting.panel.panel_resources#module:credentials_file).
    type: path
seealso:
  - module: hosting.panel.panel_client_compare
"""

EXAMPLES = r"""
- name: Lower the times to live a day before the move
  hosting.panel.panel_client_copy:
    step: prepare
    client: acme
    source:
      api_url: https://old.panel.example
      api_key: "{{ old_panel_key }}"
    target:
      api_url: https://new.panel.example
      api_key: "{{ new_panel_key }}"
    zones_file: acme.zones-before.json

- name: Copy a client to the new server
  hosting.panel.panel_client_copy:
    client: acme
    source:
      api_url: https://old.panel.example
      api_key: "{{ old_panel_key }}"
    target:
      api_url: https://new.panel.example
      api_key: "{{ new_panel_key }}"
    addresses:
      192.0.2.10: 198.51.100.20
    zones_file: acme.zones-before.json
    credentials_file: acme.credentials.yml
"""

RETURN = r"""
zones:
  description: The zones that are lowered in this run, with the longest time to live that each had, in seconds.
  returned: success of the step V(prepare)
  type: list
  elements: dict
  sample: [{domain: acme.example, longest_ttl: 86400}]
wait:
  description: Seconds until name servers elsewhere have forgotten what they knew, counted from the run that lowered the zones.
  returned: success of the step V(prepare)
  type: int
  sample: 86400
summary:
  description: How many objects are created, updated and deleted, and how many are right already.
  returned: success of the step V(copy)
  type: dict
  sample: {create: 12, update: 1, delete: 0, unchanged: 0}
lines:
  description: The plan for a person, its counts and a line for each action.
  returned: success of the step V(copy)
  type: list
  elements: str
failures:
  description: A line for each object that failed or was skipped.
  returned: success of the step V(copy)
  type: list
  elements: str
credentials_file:
  description: Path of the file that the new passwords were written to. C(ansible-vault view) shows it.
  returned: when objects got new passwords
  type: str
mistakes:
  description: What stands against the move, a sentence each.
  returned: when several things do; a single one is the message
  type: list
  elements: str
"""
