#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_verify
short_description: Find out where a live panel differs from what the collection takes for granted
version_added: 1.0.0
description:
  - The interface of the panel leaves points open, on which the collection trusts what public clients show, or what seems likely. This module finds
    out what a panel does on each of them, says what that means, and writes it down.
  - Without O(writes) it reads only, with 8 to 11 requests, none of them with a wrong key unless O(wrong_key) is set, and one more for each client
    that an earlier run may have left. Where something is otherwise it reads a second time.
  - With O(writes) it makes one throw-away client and a hosting plan of the same name, and in the client two domains and a subdomain below the
    reserved name C(example), mailboxes, a database, an FTP user, a directory protection, a scheduled task that is off, and a certificate of its
    own. The panel itself makes the client's domain below the name of the server, with a zone of its own. Nothing else is written.
  - What is otherwise is asked for a second time before it is said, and what a panel refuses counts only where it takes another change of the object.
    Where the panel then answers otherwise again, where it can only be seen with something else, or where the answer is about something else, such as
    a missing path, nothing is said of the point.
  - That takes fewer than 150 requests, and more only where a panel refuses to delete, or does much otherwise. At the end everything is removed,
    also after a failure or an interruption, and what could not be removed, or may be there, is named. A second signal to the process of the task,
    more than two seconds after the first, ends that; a second Ctrl+C may reach C(ansible-playbook) alone. A panel that leaves two requests in a row
    without an answer is left after a few minutes. After a refusal of the key nothing more is sent; what is left then is named.
  - The notes of the throw-away client say that a verify has made it, and its C(delete_on) is two days ahead. A later run with O(writes) removes
    what a crash has left, and tries nothing where it cannot. It is told by its name and its notes together, a plan by its name and its limits; with a
    name alone nothing is removed, and neither is what somebody uses by now, such as a plan that another client has.
  - The notes also say when and where it was made. What a run on another machine has made is left alone for 15 minutes by the panel's clock, or for an
    hour where answers do not show that one, and nothing is tried meanwhile. Where somebody removes the client while it is in use, the task fails.
  - While a domain of the throw-away client is tried with Let's Encrypt, which is for less than a second, a panel may begin to ask for a certificate,
    which is refused for such a name.
  - Neither the result nor the files hold a secret, or anything about customers. Of what a panel shows they have no more than whole words of the table
    of open points, numbers of statuses, names of members and the panel's version. A new member is only named where it has a scalar value, and is on
    every object of its kind; others are told as "(an object)" or "(a list)".
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection
  - hosting.panel.attributes.controller
attributes:
  check_mode:
    description: Can run in check mode, then reads only, whatever O(writes) says, and writes no files.
    support: partial
    details: What only O(writes) shows is not predicted; its files count as changed then.
  diff_mode:
    description: There is nothing to compare line by line.
    support: none
  idempotent:
    description: What it makes is gone at the end, and files that have the same text already are not written. Removing what an earlier run has left,
      and leaving something, is a change.
    support: full
options:
  writes:
    description: Whether to try out what cannot be read, with a throw-away client.
    type: bool
    default: false
  client:
    description:
      - Name of the throw-away client, 5 to 24 lower case letters, digits and hyphens. By default C(hpverify) and six random letters.
      - Where there is such a client on the panel already that no verify has made, the task fails before the first write.
    type: str
  wrong_key:
    description: Whether to send one request with a wrong key, which panels count for their protection against brute force.
    type: bool
    default: false
  wait_timeout:
    description: For how many seconds, at most 120, a status may change until it counts as one that stays.
    type: int
    default: 20
  profile_file:
    description:
      - File on the controller for the profile, as YAML that C(panel_simulator --profile) takes. Its folder has to be there.
      - Where this file or that of O(report_file) is of a run that saw more points of a panel of this version, both stay as they are, with a
        warning. A run that was cut short counts as one that saw less than any other, and its page says that it was not finished.
      - What such a run, or a failure, has left on the panel is added to the page of O(report_file) in any case.
    type: path
  report_file:
    description: File on the controller for the findings as a table in Markdown. Its folder has to be there.
    type: path
  openapi:
    description:
      - File on the controller with the panel's own OpenAPI description, YAML or JSON, at most 5 MB. It is compared with the tables of the collection.
      - It is installed with the panel on its server, as C(keyhelp/api/openapi.yml) in the panel's home as far as is known.
    type: path
seealso:
  - module: hosting.panel.panel_ping
"""

EXAMPLES = r"""
- name: See what can be read
  hosting.panel.panel_verify:
    report_file: panel.md
    profile_file: panel.yml

- name: Try the rest with a throw-away client
  hosting.panel.panel_verify:
    writes: true
    report_file: panel.md
    profile_file: panel.yml
"""

RETURN = r"""
checks:
  description: One for each open point, what is otherwise first.
  returned: when the panel could be verified
  type: list
  elements: dict
  contains:
    id:
      description: Name of the point.
      type: str
    about:
      description: What is open.
      type: str
    expected:
      description: What the collection takes for granted.
      type: raw
    found:
      description: What the panel does, V(otherwise) where that is none of the known ways, and null where nothing was seen.
      type: raw
    verdict:
      description: One of V(confirmed), V(contradicted), V(unknown) where nothing was seen, and V(skipped) where it was not tried.
      type: str
    affects:
      description: The modules, roles and playbooks for which it matters.
      type: list
      elements: str
    confidence:
      description: From where the expected was known; one of V(documented), V(public), V(inferred), V(unknown).
      type: str
    means:
      description: What it means for the user, where it was contradicted; where nothing was seen, the reason, as far as there is one to tell.
      type: str
profile:
  description: By point what is otherwise, in alphabetical order. Members that only this panel has are there with empty values of the same kind.
  returned: when the panel could be verified
  type: dict
  sample: {dates: utc, duplicates: 409}
lines:
  description: A short table for a person, what is otherwise first, and what was written, removed or left.
  returned: when the panel could be verified
  type: list
  elements: str
version:
  description: The panel's version, empty where it shows none.
  returned: when the panel could be verified
  type: str
openapi:
  description: What is new, gone or otherwise in the panel's own description; C(untold) names were not of the usual form.
  returned: when O(openapi) is given and the panel could be verified
  type: dict
  sample: {paths: {new: [GET /backups], gone: []}, members: {new: [emails.spam_filter], gone: [], otherwise: []}, untold: 0}
written:
  description: The files that have another text than before.
  returned: when the panel could be verified
  type: list
  elements: str
left:
  description:
    - Kind and name of what it made, or an earlier run left, and could not remove.
    - With C(may_be_there) where the panel has not said that it made it, and does not show it.
  returned: when something was sent
  type: list
  elements: dict
found:
  description: What of earlier runs was on the panel, and what became of it.
  returned: when something was sent
  type: list
  elements: str
requests:
  description: How many requests were sent.
  returned: when something was sent
  type: int
"""
