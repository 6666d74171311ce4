#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_client_lower_ttl
short_description: Lower the times to live in all zones of a client
version_added: 1.0.0
description:
  - Lowers the time to live of every record that has a longer one, in all zones of the client, so that a later change of its addresses is soon known
    everywhere. Nothing else of the zones changes.
  - The zones as they were are kept in a file on the controller, before the first zone is changed. A zone that is in the file already stays in
    it as it is.
  - A default zone gets records of its own by that. M(hosting.panel.panel_client_copy) knows from the file that it was one.
  - The role P(hosting.panel.move#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.move
attributes:
  check_mode:
    description: Can run in check mode, returns what would be lowered and writes nothing.
    support: full
  diff_mode:
    description: The zones are in RV(zones).
    support: none
  idempotent:
    description: A second run writes nothing.
    support: full
  action:
    description: It is an action on the controller, which runs other modules where the task runs.
    support: full
  async:
    description: The file is written by the controller.
    support: none
options:
  ttl:
    description: Seconds that no record's time to live exceeds afterwards, from 30 to 86400.
    type: int
    default: 300
  zones_file:
    description: File on the controller for the zones as they were. It gets mode 0600, and its folder is made where only its last part is missing.
    type: path
    required: true
seealso:
  - module: hosting.panel.panel_client_copy
  - module: hosting.panel.panel_dns
"""

EXAMPLES = r"""
- name: Lower the times to live a day before a move
  hosting.panel.panel_client_lower_ttl:
    client: acme
    source:
      api_url: https://old.panel.example
      api_key: "{{ old_panel_key }}"
    zones_file: acme.zones-before.json
"""

RETURN = r"""
zones:
  description: The zones that are lowered in this run, with the longest time to live that each had, in seconds.
  returned: success
  type: list
  elements: dict
  sample: [{domain: acme.example, longest_ttl: 86400}]
wait:
  description: Seconds until name servers elsewhere have forgotten what they knew, counted from the run that lowered the zones.
  returned: success
  type: int
  sample: 86400
"""
