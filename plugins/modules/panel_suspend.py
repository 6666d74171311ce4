#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_suspend
short_description: "Part of the role hosting.panel.suspend: suspend or release a list of clients"
version_added: 1.0.0
description:
  - Suspends or releases the clients of a list, which is given as such or as a file of comma-separated values, and says what became of each.
  - Clients whose days of grace are not over, and exceptions, are left as they are. Only clients that are not as wanted are written.
  - A client that is not on the panel is a failure. All of them are named, and nothing is written.
  - The role P(hosting.panel.suspend#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, returns what would become of each client and writes nothing.
    support: full
  diff_mode:
    description: Returns what changes.
    support: full
  idempotent:
    description: A second run on the same day changes nothing.
    support: full
options:
  clients:
    description:
      - Usernames, or dictionaries with C(username) and perhaps C(due), a date, and C(reason).
      - A client that is there several times counts once, with its earliest C(due). One without C(due) is due at once.
    type: list
    elements: raw
  csv_file:
    description:
      - File on the controller in UTF-8, relative to the folder that C(ansible-playbook) was started in, in addition to O(clients).
      - Its first line names the columns, compared without case. Commas, semicolons and tabs may separate them. Blank lines do not count.
    type: path
  csv_username:
    description: Column of the usernames.
    type: str
    default: username
  csv_due:
    description:
      - Column of the due dates. When it is omitted, C(due), where there is one.
      - Where a client has O(grace_days) before it is suspended, there must be one.
      - An empty cell means due at once. A row that ends before this column is an error before the first request.
    type: str
  csv_reason:
    description: Column of the reasons, which are shown and go nowhere else. When it is omitted, C(reason), where there is one.
    type: str
  state:
    description: V(released) takes back a suspension; due dates and O(grace_days) have no meaning then.
    type: str
    choices: [suspended, released]
    default: suspended
  grace_days:
    description: A client is suspended on the day that lies this many days after its due date, and not before.
    type: int
    default: 0
  except:
    description: Usernames, or shell patterns for them, that are left as they are.
    type: list
    elements: str
    default: []
  max:
    description: How many clients may change at most. More are an error before the first write.
    type: int
  today:
    description: The day that counts as today, V(YYYY-MM-DD). When it is omitted, that of the controller.
    type: str
  despite_missing:
    description: Whether the other clients are done when some are not on the panel. The task fails all the same.
    type: bool
    default: false
seealso:
  - module: hosting.panel.panel_client
"""

EXAMPLES = r"""
- name: Suspend who has not paid for two weeks
  hosting.panel.panel_suspend:
    csv_file: unpaid.csv
    csv_username: Kundennummer
    csv_due: "Fällig am"
    grace_days: 14
    except:
      - acme
"""

RETURN = r"""
rows:
  description:
    - What became of each client of the list, with C(username), C(outcome), C(due) and C(reason), C(until) of one that waits and C(msg) of one
      that failed.
    - C(outcome) is V(suspended) or V(released), V(unchanged), V(excepted), V(waits), V(missing), V(failed) or, where the task failed before its first
      write, V(left).
  returned: when the list is right and the panel could be read
  type: list
  elements: dict
  sample:
    - {username: acme, outcome: suspended, due: "2026-11-01", reason: Invoice 4711}
lines:
  description: The same as a table for a person.
  returned: when the list is right and the panel could be read
  type: list
  elements: str
mistakes:
  description: The mistakes in the list that the message has no room for, 200 at most and the number of the others.
  returned: when there are more than the 50 that the message has
  type: list
  elements: str
"""
