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
  - The page shows panels, clients at their limits, full mailboxes, traffic and certificates. It also shows mail DNS, failed objects, duplicates
    and differences from an export. It loads nothing and links nowhere.
  - The role P(hosting.panel.report#role) does the same for all hosts of a play. The guide on metrics explains what counts as what, and the JSON.
  - Only files that a report wrote are replaced. Files that name customers have mode 0640, the metrics 0644. Each run takes rights beyond these away.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.controller]
attributes:
  check_mode:
    description: Can run in check mode, reads the panels, predicts which files change and writes none.
    support: full
  diff_mode:
    description: The page cannot be compared line by line.
    support: none
  idempotent:
    description: The same report on the same day is not written again.
    support: full
options:
  panels:
    description:
      - The panels. Default is those of O(hosts), or the panel in the connection options of the task.
      - The connection options of the task are the defaults. With several panels, address and key of the environment are not used.
    type: list
    elements: dict
    suboptions:
      name:
        description: What the report calls the panel. By default the host in C(api_url).
        type: str
      disk_space:
        description: Size of the disk, such as V(2T), which the API does not show.
        type: str
      export_dir:
        description: Directory with the export of this panel.
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
      - Hosts of the inventory that are panels, with the variable C(panel_api_url). O(panels) replaces them.
      - Other variables of such a host are C(panel_api_key), C(panel_validate_certs), C(panel_ca_path), C(panel_timeout),
        C(panel_retry_time), C(panel_disk_space) and C(panel_dir) (the export).
      - A host with a mistake in one of these variables counts as a panel that could not be read, if there is a host without.
    type: list
    elements: str
  file:
    description: The page, a file on the controller, relative to the directory in which C(ansible-playbook) was started. Its directory is created.
    type: path
    required: true
  json_file:
    description: The same as JSON, a file on the controller. P(hosting.panel.panel_from_json#filter) reads it.
    type: path
  metrics_file:
    description:
      - A file on the controller for metrics (OpenMetrics). A textfile collector needs the ending V(.prom).
      - The metrics C(hosting_panel_*) name no customer.
      - Every run replaces the file, because it holds the time. The task reports a change only if anything else changes.
    type: path
  usage_file:
    description:
      - A table of usage for invoices (CSV), a file on the controller with mode 0640. It has a row for each client and month of O(months), or
        for the current month if O(months=0).
      - Its columns are C(panel), C(client), C(client_id) (of C(contact_data)), C(plan), C(month), C(disk_bytes), C(disk_limit), C(traffic_bytes),
        C(traffic_limit), C(mailboxes), C(databases), C(domains) and C(days_over_limit).
      - What only today is known is in the row of the newest month. An empty cell is not known, and V(-1) is unlimited.
      - C(days_over_limit) are the days of a month on which a report showed the client over a limit. They are known with O(json_file) only.
      - A text that a spreadsheet would take for a formula gets an apostrophe in front.
      - A client whose figures could not be read has empty cells, and a panel that could not be read has no rows. A warning names them.
    type: path
  usage_separator:
    description: Separator of O(usage_file), V(,), V(;), V(|) or V(tab).
    type: str
    default: ","
  usage_decimal:
    description: What is before the decimals of a number in O(usage_file), V(.) or V(,), and not O(usage_separator). Bytes have none.
    type: str
    default: "."
  title:
    description: Heading of the page.
    type: str
    default: Hosting report
  export_dir:
    description:
      - Directory with one export for each panel, named as the panel in the report. With one panel it can be the export itself.
      - A panel without an export is not compared.
    type: path
  near_percent:
    description: Percent of a limit from which a client, mailbox or disk needs attention, 1 to 100.
    type: int
    default: 90
  soon_days:
    description: A certificate in use needs attention if it expires within these days, 0 to 3650.
    type: int
    default: 30
  urgent_days:
    description: A certificate in use is urgent if it expires within these days, 0 to O(soon_days).
    type: int
    default: 7
  months:
    description: Months of traffic, the current one included, at most 24. Each month costs one request for each client. V(0) leaves the traffic out.
    type: int
    default: 6
  top:
    description: Rows of a list to show at first, 1 to 1000. A click shows the rest.
    type: int
    default: 10
  concurrency:
    description: Requests at once for each panel, 1 to 16. All panels are read at the same time.
    type: int
    default: 4
  mail_dns:
    description: Whether to check SPF, DKIM, DMARC and MX of domains with mail. This costs one request for each zone.
    type: bool
    default: true
  time:
    description: Time of the report, such as V(2026-11-20T06:00:00+01:00). Default is now.
    type: str
  fail_on_unread:
    description: Whether the task fails if a panel could not be read, after it wrote the report. With V(false) it only warns.
    type: bool
    default: true
notes:
  - It costs one request for each type and each client, plus those of the options. With 500 clients, 500 zones and six months, these are 4010.
    With O(json_file), later runs cost 1510.
  - With O(usage_file), a panel whose list of clients leaves out C(contact_data) costs one more request for each client.
  - If a panel cannot be read, the task writes the report without it, lists it in RV(unread) and fails. A value of another type than its
    field's makes a list unreadable, and so its panel.
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
  sample: /srv/report.html
json_file:
  description: The same as JSON, or null.
  returned: when the panels were asked
  type: str
  sample: /srv/report.json
metrics_file:
  description: The metrics, or null.
  returned: when the panels were asked
  type: str
  sample: /srv/panel.prom
usage_file:
  description: The table of usage, or null.
  returned: when the panels were asked
  type: str
  sample: /srv/usage.csv
written:
  description: New and changed files.
  returned: when the panels were asked
  type: list
  elements: str
  sample: [/srv/report.html, /srv/report.json]
summary:
  description: By area the numbers C(bad), C(near) and C(total), and as C(level) the worst of V(bad), V(near) and V(fine).
  returned: when the panels were asked
  type: dict
  contains:
    servers: {description: Panels., type: dict}
    limits: {description: Clients and their limits., type: dict}
    mailboxes: {description: Mailboxes., type: dict}
    certificates: {description: Certificates., type: dict}
    mail_dns: {description: "SPF, DKIM, DMARC and MX.", type: dict}
    errors: {description: Failed objects., type: dict}
    duplicates: {description: Objects on several panels., type: dict}
    drift: {description: Differences from the files of O(export_dir)., type: dict}
  sample: {certificates: {bad: 1, near: 4, total: 30, level: bad}}
lines:
  description: The same for a person.
  returned: when the panels were asked
  type: list
  elements: str
  sample: ["3 of 3 panels read, 500 clients", "errors: 2 objects that a panel could not apply", "written: /srv/report.html"]
unread:
  description: The names of the panels that could not be read.
  returned: when the panels were asked
  type: list
  elements: str
  sample: [web-3.example]
requests:
  description: How many requests were sent, without retries.
  returned: when the panels were asked
  type: int
  sample: 41
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: JobFailed}
"""
