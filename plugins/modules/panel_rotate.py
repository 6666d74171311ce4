#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_rotate
short_description: "Part of the role hosting.panel.rotate: give a group of mailboxes, databases, FTP users or clients new passwords"
version_added: 1.0.0
description:
  - Makes a new password for each object that is named, writes all of them, encrypted with Ansible Vault, to a file on the controller, and then
    sets one after the other on the panel.
  - A run that is interrupted at any moment loses none. Run again with the same O(id), it sets the same passwords for the objects that are not done.
    When all are done, it does nothing. A new O(id) makes new passwords.
  - A name that is not on the panel is a failure, and nothing is written then.
  - The role P(hosting.panel.rotate#role) is made of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, returns which objects would get a new password and writes nothing, neither to the panel nor to the file.
    support: full
  diff_mode:
    description: There is nothing to show but that passwords change, which RV(lines) says.
    support: none
  idempotent:
    description: A second run with the same O(id) and the same file changes nothing.
    support: full
options:
  id:
    description:
      - Name of the rotation, a date or the number of a ticket for example. The file remembers for each object the last rotation that it was in.
    type: str
    required: true
  kinds:
    description: What of O(clients) and O(plans) gets new passwords; V(clients) are the accounts of the clients themselves.
    type: list
    elements: str
    choices: [clients, emails, databases, ftp_users]
    default: []
  clients:
    description: Usernames of clients, or shell patterns for them.
    type: list
    elements: str
    default: []
  plans:
    description: Names of hosting plans, or shell patterns for them, whose clients are meant.
    type: list
    elements: str
    default: []
  objects:
    description: Single objects, by kind a list of their names.
    type: dict
    default: {}
  except:
    description: Names of objects, or usernames of clients, or shell patterns for either, that keep their passwords.
    type: list
    elements: str
    default: []
  max:
    description: How many objects may get a new password at most. More are an error before anything is written.
    type: int
    default: 100
  length:
    description: Length of the new passwords, from 12 to 64.
    type: int
    default: 24
  credentials_file:
    description:
      - File on the controller for the passwords, as in O(hosting.panel.panel_object#module:credentials_file). The same one has to be given when
        a rotation goes on.
      - New passwords are in its list C(pending_passwords) until the panel has accepted them, and then in C(generated_passwords), in place of
        older ones.
    type: path
    required: true
seealso:
  - module: hosting.panel.panel_object
"""

EXAMPLES = r"""
- name: New passwords for all mailboxes of two customers
  hosting.panel.panel_rotate:
    id: 2026-11 phishing
    kinds:
      - emails
    clients:
      - acme
      - beta
    credentials_file: rotation.yml
"""

RETURN = r"""
objects:
  description: The objects that get a new password, each with C(kind), C(key) and C(client).
  returned: success
  type: list
  elements: dict
lines:
  description: The same for a person, at most 200 of them, after one with their number and the file.
  returned: success
  type: list
  elements: str
  sample: ["new passwords: 1; they are in /srv/rotation.yml:", emails info@acme.example of acme]
unchanged:
  description: How many of the named objects have their new password since an earlier run.
  returned: when the names are right
  type: int
rotated:
  description: How many objects got their new password in this run.
  returned: when there was something to do, not in check mode
  type: int
failures:
  description: A line for each object that failed.
  returned: when there was something to do, not in check mode
  type: list
  elements: str
left:
  description: How many objects were not tried.
  returned: when there was something to do, not in check mode
  type: int
credentials_file:
  description: Path of the file. C(ansible-vault view) shows it.
  returned: when the names are right
  type: str
"""
