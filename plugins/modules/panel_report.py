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
  - Reads one panel or a fleet and writes an HTML page on the controller, and the same as JSON and as metrics. It writes nothing to a panel.
  - The page shows panels, clients by use of their limits, full mailboxes, traffic by month, certificates by expiry, mail DNS, objects with the
    status error, names that several panels have, and how the panels differ from a committed export. It loads nothing and links nowhere.
  - The role P(hosting.panel.report#role) does the same for all hosts of a play. The guide on metrics explains what counts as what, and the JSON.
  - A file that no report wrote is not replaced. The page and the JSON file have mode 0640, the metrics 0644.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.controller]
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
options:
  panels:
    description:
      - The panels. When it is omitted, those of O(hosts), otherwise the one that the connection options of the task name.
      - The connection options of the task are the defaults of all of them. Those of the environment are, too, but for address and key where there
        is more than one panel.
    type: list
    elements: dict
    suboptions:
      name:
        description: What the report calls the panel. By default the host in C(api_url).
        type: str
      disk_space:
        description: Size of the disk, such as V(2T), which the API does not tell. With it the report shows how full the server is.
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
    description:
      - Hosts of the inventory that are panels, used where O(panels) is omitted and one of them has the variable C(panel_api_url), which all
        need then.
      - The other options of a panel are their variables C(panel_api_key), C(panel_validate_certs), C(panel_ca_path), C(panel_timeout),
        C(panel_retry_time), C(panel_disk_space) and C(panel_dir), which is the export.
    type: list
    elements: str
  file:
    description: The page, a file on the controller. The module creates its directory.
    type: path
    required: true
  json_file:
    description: The same as JSON, a file on the controller.
    type: path
  metrics_file:
    description:
      - Its numbers as metrics in the text of OpenMetrics, a file on the controller, such as one with the ending V(.prom) for a textfile collector.
      - Its metrics are named C(hosting_panel_*), and no label of them names a customer.
      - Every run replaces it, since it tells when the panels were read. The task is changed if anything else in it changes.
    type: path
  title:
    description: Heading of the page.
    type: str
    default: Hosting report
  export_dir:
    description:
      - Folder of committed exports, one folder in it for each panel, named as the panel is in the report. With one panel it may be its export itself.
      - A panel without a folder is not compared.
    type: path
  near_percent:
    description: From how many percent of its limit on disk space, traffic and files of a client, a mailbox or a disk need attention, 1 to 100.
    type: int
    default: 90
  soon_days:
    description: A certificate in use needs attention when it ends within so many days, 0 to 3650.
    type: int
    default: 30
  urgent_days:
    description: It is urgent when it ends within so many days, 0 to O(soon_days), or has ended.
    type: int
    default: 7
  months:
    description: Months of traffic, the current one included, at most 24. Each costs one request for each client; V(0) leaves the traffic out.
    type: int
    default: 6
  top:
    description: How many rows of a list are shown before the rest, which a click unfolds, 1 to 1000.
    type: int
    default: 10
  concurrency:
    description: How many requests are under way at once on each panel, 1 to 16. All panels are read at the same time.
    type: int
    default: 4
  mail_dns:
    description: Whether the SPF, DKIM, DMARC and MX records of the domains with mail are checked, which costs one request for each zone.
    type: bool
    default: true
  time:
    description: The time that the report is made for, such as V(2026-11-20T06:00:00+01:00). By default now.
    type: str
  fail_on_unread:
    description: Whether a panel that could not be read fails the task after the report was written. Otherwise it is a warning.
    type: bool
    default: true
notes:
  - Each panel costs one request a kind, and those that the options name. With 500 clients, 500 zones and six months these are
    4010 requests, and 1510 in later runs, which ask only for the current month. A panel that cannot be read is listed in RV(unread).
seealso:
  - plugin: hosting.panel.panel_mail_dns
    plugin_type: filter
  - module: hosting.panel.panel_server_info
  - module: hosting.panel.panel_client_info
"""

EXAMPLES = r"""
- name: Report on one panel
  hosting.panel.panel_report:
    file: report.html
    json_file: report.json

- name: Report on two panels
  hosting.panel.panel_report:
    file: fleet.html
    title: Two servers
    soon_days: 45
    panels:
      - {name: one, api_url: https://one.example, api_key: "{{ key_of_one }}", disk_space: 2T}
      - {name: two, api_url: https://two.example, api_key: "{{ key_of_two }}"}
"""

RETURN = r"""
file:
  description: The page.
  returned: when the panels were asked
  type: str
json_file:
  description: The same as JSON, null if none is wanted.
  returned: when the panels were asked
  type: str
metrics_file:
  description: The metrics, null if none are wanted.
  returned: when the panels were asked
  type: str
written:
  description: The files that are new or have changed.
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
  sample: ["3 of 3 panels read, 500 clients", "errors: 2 objects with the status error", "written: /srv/report.html"]
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
