#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_report
short_description: Make one page about a fleet of panels
version_added: 1.0.0
description:
  - Reads panels and writes an HTML page about them on the controller, and the same as JSON. Nothing is written to a panel.
  - The role P(hosting.panel.report#role) is made of it and says what all options mean; in it each has C(report_) before its name.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
attributes:
  check_mode:
    description: Can run in check mode, reads the panels, predicts which files change and writes none.
    support: full
  diff_mode:
    description: The page is nothing to compare line by line.
    support: none
  idempotent:
    description: The same report on the same day is not written again.
    support: full
  action_group:
    description: Use C(group/hosting.panel.panel) in C(module_defaults) to set options once for all modules of the collection.
    support: full
    membership:
      - hosting.panel.panel
  action:
    description: It is an action that runs on the controller only.
    support: full
  async:
    description: It runs in the controller's own process.
    support: none
options:
  panels:
    description:
      - The panels. The connection options of the task are the defaults of all of them. Those of the environment are, too, but for address
        and key where there is more than one panel.
    type: list
    elements: dict
    suboptions:
      name:
        description: What the report calls the panel. By default the host in C(api_url).
        type: str
      disk_space:
        description: Size of the disk, such as V(2T).
        type: str
      export_dir:
        description: Folder with the export of this panel.
        type: path
      api_url:
        description: As O(api_url).
        type: str
      api_key:
        description: As O(api_key).
        type: str
      validate_certs:
        description: As O(validate_certs).
        type: bool
      ca_path:
        description: As O(ca_path).
        type: path
      timeout:
        description: As O(timeout).
        type: int
      retry_time:
        description: As O(retry_time).
        type: int
  hosts:
    description: Hosts that are panels, with variables that the role names; used where O(panels) is omitted and one of them has C(panel_api_url).
    type: list
    elements: str
  file:
    description: The page.
    type: path
    required: true
  json_file:
    description: The same as JSON.
    type: path
  templates:
    description: Folder with the parts of the page, C(report.html.j2), C(report.css) and C(report.js).
    type: path
    required: true
  title:
    description: Heading of the page.
    type: str
    default: Hosting report
  export_dir:
    description: Folder of committed exports, one folder in it for each panel.
    type: path
  near_percent:
    description: From how many percent of a limit on something needs attention.
    type: int
    default: 90
  soon_days:
    description: A certificate in use needs attention when it ends within so many days.
    type: int
    default: 30
  urgent_days:
    description: It is urgent when it ends within so many days.
    type: int
    default: 7
  months:
    description: Months of traffic, the current one included.
    type: int
    default: 6
  top:
    description: How many rows of a list are shown before the rest.
    type: int
    default: 10
  concurrency:
    description: How many requests are under way at once on each panel.
    type: int
    default: 4
  mode:
    description: Permissions of the files.
    type: str
    default: "0640"
  time:
    description: The time that the report is made for. By default now.
    type: str
  fail_on_unread:
    description: Whether a panel that could not be read fails the task after the report was written.
    type: bool
    default: true
seealso:
  - module: hosting.panel.panel_server_info
  - module: hosting.panel.panel_client_info
"""

EXAMPLES = r"""
- name: Report on two panels
  hosting.panel.panel_report:
    file: report.html
    templates: "{{ playbook_dir }}/templates"
    panels:
      - {name: one, api_url: https://one.example, api_key: "{{ key_of_one }}"}
      - {name: two, api_url: https://two.example, api_key: "{{ key_of_two }}"}
"""

RETURN = r"""
file:
  description: The page.
  returned: when the panels were asked
  type: str
json_file:
  description: The same as JSON, null where none is wanted.
  returned: when the panels were asked
  type: str
written:
  description: The files that are new, or have another text than before.
  returned: when the panels were asked
  type: list
  elements: str
summary:
  description: By area how many things are bad, how many come near, how many there are in all, and what that makes the area.
  returned: when the panels were asked
  type: dict
  sample: {certificates: {bad: 1, near: 4, total: 30, level: bad}}
lines:
  description: The same for a person.
  returned: when the panels were asked
  type: list
  elements: str
  sample: ["3 of 3 servers read, 500 clients", "errors: 2 objects in the state of error", "written: /srv/report.html"]
unread:
  description: The names of the panels that could not be read.
  returned: when the panels were asked
  type: list
  elements: str
requests:
  description: How many requests were sent, repeats not counted.
  returned: when the panels were asked
  type: int
"""
