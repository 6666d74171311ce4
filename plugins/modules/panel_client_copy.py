#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client_copy
short_description: Make on one hosting panel what a client has on another
version_added: 1.0.0
description:
  - Reads a client with everything that belongs to it on one panel, and makes it on another with M(hosting.panel.panel_resources). The source is
    only read.
  - Plans, addresses and names are replaced as the options say. Files, mails, contents of databases, passwords and private keys cannot be copied
    over the API.
  - An object that the target has already must be as an earlier run made it. A name that belongs to another client there, and an object that
    differs, is an
    error before the first write.
  - A certificate is not made, since no panel shows its key, and its domains are made without it. Bring it to the target under the same name and run
    this again, and the domains get it.
  - Passwords that the panel generates are moved from the result to an encrypted file on the controller.
  - Whether and when the client is suspended or deleted is copied when it is made, and never afterwards.
  - The role P(hosting.panel.move#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
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
  action:
    description: It is an action on the controller, which runs other modules where the task runs.
    support: full
  async:
    description: Passwords would arrive too late to be kept.
    support: none
options:
  client:
    description: Username of the client.
    type: str
    required: true
  source:
    description:
      - The panel that the client moves from. Nothing of it comes from the environment or from C(module_defaults) of the group, which could
        name another one.
    type: dict
    required: true
    suboptions:
      api_url:
        description: Address of the panel, as in all modules.
        type: str
        required: true
      api_key:
        description: Key of its API.
        type: str
        required: true
      validate_certs:
        description: Whether its certificate is checked.
        type: bool
        default: true
      ca_path:
        description: File with the certificate of a private authority.
        type: path
      timeout:
        description: Seconds for connecting and for each read.
        type: int
        default: 30
      retry_time:
        description: Seconds in all that may be spent on repeating requests.
        type: int
        default: 60
  target:
    description:
      - The panel that the client moves to. Nothing of it comes from the environment or from C(module_defaults) of the group, which could
        name another one.
    type: dict
    required: true
    suboptions:
      api_url:
        description: Address of the panel, as in all modules.
        type: str
        required: true
      api_key:
        description: Key of its API.
        type: str
        required: true
      validate_certs:
        description: Whether its certificate is checked.
        type: bool
        default: true
      ca_path:
        description: File with the certificate of a private authority.
        type: path
      timeout:
        description: Seconds for connecting and for each read.
        type: int
        default: 30
      retry_time:
        description: Seconds in all that may be spent on repeating requests.
        type: int
        default: 60
  plans:
    description: By the name of a hosting plan on the source the name of that on the target. A plan that is not named keeps its name.
    type: dict
  hosting_plan:
    description: The hosting plan on the target, whatever the source has. Needed where the source does not tell which one the client has.
    type: str
  create_plans:
    description: Whether a plan that the target does not have is created with the settings of the source's.
    type: bool
    default: false
  addresses:
    description:
      - By an address of the source that of the target, for A and AAAA records and for C(ip4) and C(ip6) in SPF records of zones with records of
        their own. A default zone becomes the target's default zone.
      - A record that leads to an address of the source server itself and is not named here is an error. Map an address to itself to keep it.
    type: dict
  names:
    description: The same for host names in NS, MX, CNAME, SRV and PTR records, and for the primary name server in the SOA record.
    type: dict
  enable_tasks:
    description: Whether scheduled tasks are switched on as on the source. If not, new ones are switched off, so that none runs twice.
    type: bool
    default: false
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
      - The file of M(hosting.panel.panel_client_lower_ttl). A zone in it that was the panel's default one becomes the target's default one.
    type: path
  credentials_file:
    description: File on the controller for generated passwords, as in O(hosting.panel.panel_object#module:credentials_file).
    type: path
seealso:
  - module: hosting.panel.panel_client_lower_ttl
  - module: hosting.panel.panel_client_compare
"""

EXAMPLES = r"""
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
    credentials_file: acme.credentials.yml
"""

RETURN = r"""
summary:
  description: How many objects are created, updated and deleted, and how many are right already.
  returned: when nothing stands against the move
  type: dict
  sample: {create: 12, update: 1, delete: 0, unchanged: 0}
lines:
  description: The plan for a person, its counts and a line for each action.
  returned: when nothing stands against the move
  type: list
  elements: str
failures:
  description: A line for each object that failed or was skipped.
  returned: when nothing stands against the move
  type: list
  elements: str
credentials_file:
  description: Path of the file that generated passwords were written to. C(ansible-vault view) shows it.
  returned: when the panel generated passwords
  type: str
mistakes:
  description: What stands against the move, a sentence each.
  returned: when something does
  type: list
  elements: str
"""
