#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_sites
short_description: "Part of the role hosting.panel.sites: manage many customers at once, and keep the passwords of each encrypted"
version_added: 1.0.0
description:
  - Gives all objects of all customers to M(hosting.panel.panel_resources) at once, and writes the passwords of new objects of each customer into a
    file of its own on the controller, which is encrypted with Ansible Vault.
  - A new object without C(password) gets one that is made on the controller. It is in the file before the panel gets it, so no run that is
    interrupted loses one. What such a run left pending in a file is set again, with a warning.
  - All mistakes of all customers are reported together, before the first request.
  - The role P(hosting.panel.sites#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, returns the plan and writes nothing, neither to the panel nor to a file.
    support: full
  diff_mode:
    description: Returns what changes. Of a secret it says only that it changes.
    support: full
  idempotent:
    description: As idempotent as M(hosting.panel.panel_resources). A file is written only when there is a new password.
    support: partial
    details:
      - An item may hold an option that changes something in every run, such as C(regenerate_password).
options:
  sites:
    description:
      - The customers. Each has C(client), the options of M(hosting.panel.panel_client), and what it has of C(plan), C(hosting_plan),
        C(certificates), C(domains), C(dns), C(emails), C(databases), C(ftp_users) and C(credentials_file).
      - These are the variables of the role P(hosting.panel.site#role) without their prefix. C(login_url) is for the role and does nothing here.
      - Either this or O(sites_from) is needed; with both it is the customers of both.
    type: list
    elements: dict
  sites_from:
    description:
      - File or folder on the controller with customers, relative to the folder that C(ansible-playbook) was started in. Nothing in it is evaluated.
      - A file that ends with C(.yml) or C(.yaml) holds a list as of O(sites), or a dictionary with that list in C(sites). In a folder each such file
        holds one customer. Files and values may be encrypted with Ansible Vault.
      - A file that ends with C(.csv) is a table in UTF-8, separated by commas, semicolons or tabs. Its columns are C(client), which has to be there,
        C(email), C(hosting_plan), C(domain), C(mailboxes), C(company), C(first_name), C(last_name) and C(language), in any order. Mailboxes are
        separated by blanks, each an address or the part of one before the domain of the row. An empty cell is not managed.
    type: path
  credentials_dir:
    description:
      - Folder on the controller for the files of passwords, C(USERNAME.yml) for each customer that has no C(credentials_file). It must exist.
      - Without either, every client, mailbox, database and FTP user of a customer needs C(password) or C(password_hash).
    type: path
  most_lines:
    description: How many actions RV(lines) and how many objects RV(failures) names at most.
    type: int
    default: 200
  max_deletes:
    description: As O(hosting.panel.panel_resources#module:max_deletes).
    type: int
  concurrency:
    description: As O(hosting.panel.panel_resources#module:concurrency).
    type: int
seealso:
  - module: hosting.panel.panel_resources
"""

EXAMPLES = r"""
- name: Two customers
  hosting.panel.panel_sites:
    sites:
      - client:
          username: acme
        hosting_plan: Business
        emails:
          - email: info@acme.example
      - client:
          username: beta
        domains:
          - domain: beta.example
    credentials_dir: credentials
"""

RETURN = r"""
summary:
  description: How many objects are created, updated and deleted, and how many are right already.
  returned: when the customers are right and the panel could be read
  type: dict
  sample: {create: 3, update: 1, delete: 0, unchanged: 211}
changes:
  description: How many changes that are.
  returned: when the customers are right and the panel could be read
  type: int
lines:
  description: The plan for a person, its counts of objects and customers, and under each client a line for each action, what is deleted first.
  returned: success
  type: list
  elements: str
failures:
  description: A line for each object that failed or was skipped, with its customer.
  returned: when the customers are right
  type: list
  elements: str
customers:
  description:
    - For each customer, in the order of O(sites), how many of its objects were changed, failed and were skipped, and its file of passwords.
    - Where the task failed, only those that are not complete.
  returned: when the customers are right
  type: list
  elements: dict
  sample:
    - {client: acme, changed: 3, failed: 0, skipped: 0, credentials_file: credentials/acme.yml}
with_login_url:
  description: The usernames of the customers with C(login_url=true).
  returned: success
  type: list
  elements: str
mistakes:
  description: The mistakes in the customers that the message has no room for, 200 at most and the number of the others.
  returned: when there are more than the 50 that the message has
  type: list
  elements: str
"""
