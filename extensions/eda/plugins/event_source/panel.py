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
description:
  - Reads one panel or several again and again, and tells what has happened on them since.
  - One list of each kind that the wanted events need is read in each interval. For C(limit_reached), each client is asked for its use once an hour.
  - What was there before the first reading is no event, but for objects in the state of error, certificates that end, and limits that are reached.
  - A client is gone when two lists in a row do not have it, or when its name belongs to another one.
  - With O(state_file), an event source that is started again goes on where it ended, however that was, and tells what has happened meanwhile.
  - It runs in the Python of C(ansible-rulebook), which needs C(ansible-core) and C(requests).
options:
  api_url:
    description: Address of the panel. As all of the connection, it may come from the environment, here from C(PANEL_API_URL).
    type: str
  api_key:
    description: Key of the API, or C(PANEL_API_KEY). One that the panel refuses is sent once; the event source ends when no other panel is left.
    type: str
  validate_certs:
    description: Whether the panel's certificate is checked.
    type: bool
    default: true
  ca_path:
    description: File with the certificate of a private authority.
    type: path
  timeout:
    description: Seconds to wait for an answer.
    type: int
    default: 30
  retry_time:
    description: Seconds for which requests are repeated while the panel cannot answer, before it counts as unreachable.
    type: int
    default: 60
  panels:
    description:
      - Several panels, each with C(name) and the options of its connection. What is left out comes from the options above.
      - The name is what events call the panel, by default its host.
    type: list
    elements: dict
  interval:
    description: Seconds between two readings of a panel, at least 10.
    type: int
    default: 300
  events:
    description: The types of events to tell, by default all.
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
    description: On how many days before an uploaded certificate that a domain uses ends it is told, once for each.
    type: list
    elements: int
    default: [30, 14, 7, 1]
  limit_percent:
    description:
      - From how many percent of a mailbox, or of a client's disk space, traffic or files, a limit is reached. It is told again after the use fell to
        five percent below that.
      - Of what is counted, such as mailboxes, more than the limit is.
    type: int
    default: 90
  state_file:
    description: A file in which is kept what is known of the panels, with mode 0600 and without any secret. Each event source needs its own.
    type: path
  feedback:
    description: An option of C(ansible-rulebook) itself, for one that keeps its events in a database. An event is crossed out when it
      was worked in then.
    type: bool
"""

EXAMPLES = r"""
- name: Objects in the state of error
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
    (path.parent for path in Path(__file__).absolute().parents if path.name == "ansible_collections"), None
)
if _COLLECTIONS and str(_COLLECTIONS) not in sys.path:
    sys.path.insert(0, str(_COLLECTIONS))


async def main(queue: Any, args: dict[str, Any]) -> None:
    """Puts events into the queue until it is cancelled."""
    try:
        from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import watch
    except ImportError as error:
        raise RuntimeError(
            f"hosting.panel.panel needs ansible-core and the collection hosting.panel for {sys.executable}; {error}."
        ) from None
    await watch(queue, args)
