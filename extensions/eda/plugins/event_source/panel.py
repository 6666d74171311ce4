# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source hosting.panel.panel for Event-Driven Ansible."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCUMENTATION = r"""
---
module: panel
short_description: Events from hosting panels
version_added: 1.0.0
author: [the hosting.panel contributors (!UNKNOWN)]
description:
  - Reads panels again and again, and reports the differences.
  - Each interval reads one list for each type of object that the events need. C(limit_reached) also costs one request per client and hour.
  - The first reading reports no existing objects, only existing problems. These are failed objects, expiring certificates and reached limits.
  - A client is reported as deleted after two readings without it, or when another client has its name.
  - With O(state_file), a restarted event source continues where it ended.
  - It runs in the Python of C(ansible-rulebook), which needs C(ansible-core) and C(requests).
options:
  api_url:
    description: Address of the panel. By default, C(PANEL_API_URL) of the environment. The other connection options also have such a variable.
    type: str
  api_key:
    description: API key of the panel, by default C(PANEL_API_KEY). A wrong key is sent once. The event source ends when no other panel is left.
    type: str
  validate_certs:
    description: Whether to check the panel's certificate.
    type: bool
    default: true
  ca_path:
    description: File with the certificate of a private authority.
    type: path
  timeout:
    description: Seconds to wait for a connection and for each read.
    type: int
    default: 30
  retry_time:
    description: Seconds to spend on repeating requests in all, before the panel counts as unreachable.
    type: int
    default: 60
  panels:
    description:
      - Several panels, each with C(name) and connection options. Omitted ones come from the options above.
      - C(name) is what events call the panel, by default its host. An address can be there only once.
    type: list
    elements: dict
  interval:
    description: Seconds between two readings of a panel, at least 10.
    type: int
    default: 300
  events:
    description: Types of events to report, by default all.
    type: list
    elements: str
    choices:
      - client_created
      - client_deleted
      - client_suspended
      - client_released
      - object_failed
      - object_recovered
      - certificate_expiring
      - limit_reached
      - panel_unreachable
      - panel_back
  certificate_days:
    description: Days before a used, uploaded certificate expires; one event for each.
    type: list
    elements: int
    default: [30, 14, 7, 1]
  limit_percent:
    description:
      - Percent of a mailbox, or of a client's disk space, traffic or files, from which the limit is reached. It is reported again after the use fell
        five percent below.
      - Counts, such as of mailboxes, are reached above the limit.
    type: int
    default: 90
  state_file:
    description: File for what is known of the panels, mode 0600, without secrets. Each event source needs its own.
    type: path
  feedback:
    description:
      - With V(true), an event counts as delivered only after C(ansible-rulebook) has processed it. This needs its option C(--persistence-id).
    type: bool
"""

EXAMPLES = r"""
- name: Objects with the status error
  hosts: localhost
  sources:
    - name: panel
      hosting.panel.panel:
        events: [object_failed]
        state_file: /var/lib/rulebooks/panel.json
  rules:
    - name: Say so
      condition: event.panel.type == "object_failed"
      action:
        debug:
          msg: "{{ event.panel.kind }} {{ event.panel.key }} on {{ event.panel.panel }}"
"""

# ansible-rulebook runs this file alone, and nobody has told Python where the collection is.
_COLLECTIONS = next(
    (
        path.parent
        for path in Path(__file__).absolute().parents
        if path.name == "ansible_collections"
    ),
    None,
)
if _COLLECTIONS and str(_COLLECTIONS) not in sys.path:
    sys.path.insert(0, str(_COLLECTIONS))


async def main(queue: Any, args: dict[str, Any]) -> None:
    """Puts events into the queue until it is cancelled."""
    try:
        from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import (
            watch,
        )
    except ImportError as error:
        raise RuntimeError(
            f"hosting.panel.panel needs ansible-core and the collection hosting.panel for {sys.executable}; {error}."
        ) from None
    await watch(queue, args)
