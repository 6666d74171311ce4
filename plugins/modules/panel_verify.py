#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_verify
short_description: Check how a live panel differs from the collection's expectations
version_added: 1.0.0
description:
  - The API description leaves about 30 points open. This module shows what your panel does on each of them, and what it means for you.
  - Without O(writes) it only reads, with about 10 requests.
  - With O(writes) it creates a test client and a hosting plan of the same name, with about 150 requests. The client gets one object or more of
    each type; its domains are below the reserved name C(example).
  - At the end it removes all of them, also after a failure or Ctrl+C. RV(left) lists what it could not remove.
  - An answer that is cut off, or that says that the panel failed, settles nothing. A point that needs it is V(unknown).
    RV(left) also lists an object if only such answers say whether it is gone.
  - It deletes only what it created. If an answer was lost and the object on the panel may be from someone else, it keeps the object and lists it
    in RV(left).
  - If the run is killed, the panel deletes the client after two days. Delete the hosting plan of the same name yourself.
  - Results and files contain no secret and nothing about customers.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.controller]
attributes:
  check_mode:
    description: Can run in check mode, then only reads, whatever O(writes) is, and writes no files.
    support: partial
    details: Verdicts that need O(writes) are not predicted. Files count as changed.
  diff_mode:
    description: The result cannot be compared line by line.
    support: none
  idempotent:
    description: It removes what it creates, and files that have the same text already are not written.
    support: partial
    details: With O(writes=true) every run creates and removes a test client and what belongs to it.
options:
  writes:
    description: Whether to create a test client, which shows what reading cannot show.
    type: bool
    default: false
  client:
    description:
      - Name of the test client, 5 to 24 lower case letters, digits and hyphens. Default is C(hpverify) and six letters.
      - The task fails before the first write if the panel has a client, a hosting plan or another object with a name that the test client needs.
    type: str
  wrong_key:
    description: Whether to send one request with a wrong key. Panels count these for their protection against brute force.
    type: bool
    default: false
  wait_timeout:
    description: Seconds, at most 120, to wait for a status to change or for an object to be gone after its deletion.
    type: int
    default: 20
  profile_file:
    description: File on the controller for the profile, as YAML that C(panel_simulator --profile) takes. Its directory must exist.
    type: path
  report_file:
    description: File on the controller for the findings as a table in Markdown. Its directory must exist.
    type: path
notes:
  - If the panel cannot be reached, the task fails. An unexpected answer is a verdict and no failure.
  - Only files that this module wrote, and empty ones, are replaced.
  - With O(writes) the task fails before the first write if the list of a type cannot be read, or is only a part of the whole.
seealso:
  - module: hosting.panel.panel_ping
"""

EXAMPLES = r"""
- name: Check without writing
  hosting.panel.panel_verify:
    report_file: panel.md
    profile_file: panel.yml

- name: Try the rest with a test client
  hosting.panel.panel_verify:
    writes: true
    report_file: panel.md
    profile_file: panel.yml
"""

RETURN = r"""
checks:
  description: One for each point, contradicted ones first.
  returned: when the panel answered
  type: list
  elements: dict
  contains:
    id:
      description: Name of the point. V(described_paths) and V(described_fields) compare with the API description that the panel serves.
      type: str
    about:
      description: What is open.
      type: str
    expected:
      description: What the collection expects.
      type: raw
    found:
      description: What the panel does. V(otherwise) if it is unknown to the collection, null if nothing was found.
      type: raw
    verdict:
      description: One of V(confirmed), V(contradicted), V(unknown) if nothing was found, and V(skipped) if it was not tried.
      type: str
    affects:
      description: The modules, roles and playbooks that it affects.
      type: list
      elements: str
    means:
      description: What it means for you, if it was contradicted.
      type: str
  sample:
    - id: numbers
      about: How answers write numbers
      expected: numbers
      found: texts
      verdict: contradicted
      affects: [everything]
      means: 'Nothing changes: "17" and 17 are the same.'
profile:
  description: What differs, by point. Fields that only this panel has get empty values of their type.
  returned: when the panel answered
  type: dict
  sample: {dates: utc, plan_deletion: refused}
described:
  description:
    - The API description that the panel serves, compared with the collection. C(gone) is missing there, C(new) is unknown to the collection,
      C(otherwise) has another type. Null if the panel serves none.
  returned: when the panel answered
  type: dict
  contains:
    version: {description: Version of the description., type: str}
    paths: {description: Calls of the API., type: dict}
    fields: {description: Fields of objects., type: dict}
  sample: {version: "2.15", paths: {gone: [], new: [GET /backups]}, fields: {gone: [], new: [emails.spam_filter], otherwise: []}}
lines:
  description: A summary for a person.
  returned: when the panel answered
  type: list
  elements: str
  sample:
    - "KeyHelp 26.0: 33 points, 5 checked with 8 requests"
    - 'contradicted   numbers: texts. Nothing changes: "17" and 17 are the same.'
    - "Files: panel.md, panel.yml"
version:
  description: The panel's version, empty if it shows none.
  returned: when the panel answered
  type: str
  sample: "26.0"
written:
  description: New and changed files.
  returned: when the panel answered
  type: list
  elements: str
  sample: [panel.md, panel.yml]
left:
  description: >-
    Kind and name of objects that it could not remove or could not see, and of those that it may not have created.
    The message names each group.
  returned: when the panel answered
  type: list
  elements: dict
  contains:
    kind: {description: Type of the object., type: str}
    name: {description: Its name., type: str}
  sample: [{kind: client, name: hpverifyabcdef}]
requests:
  description: How many requests were sent.
  returned: when the panel answered
  type: int
  sample: 8
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Denied, status: 401, cause: key}
"""
