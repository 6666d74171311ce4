#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_api
short_description: Call the API of a hosting panel directly
version_added: 1.0.0
description:
  - Any call of the panel's API for which there is no module, with the same authentication, repeats and redaction as the modules have.
  - GET changes nothing and also runs in check mode. Every other method reports a change, and is skipped in check mode.
  - A call that the panel refuses with a status from 400 to 499 changes nothing, also where O(status) accepts it.
  - Members of the answer whose names are those of secrets, C(password), C(privateKey), C(apiKey) or C(pwd) for example, are masked, and every
    text of what C(/login) answers. The module M(hosting.panel.panel_login_info) returns login URLs.
  - Of an answer with a status from 400 on, texts that are no plain sentences are masked, since complaints repeat what they complain about.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes]
attributes:
  check_mode:
    description: GET runs in check mode; every other method is skipped there.
    support: partial
    details: What another method would do is known to the panel only.
  diff_mode:
    description: What a call changes is known to the panel only.
    support: none
  idempotent:
    description: Every method but GET is sent in every run.
    support: none
options:
  method:
    description: The HTTP method.
    type: str
    choices: [GET, POST, PUT, DELETE]
    default: GET
  path:
    description:
      - Path below C(/api/v2), V(/clients/name/acme) for example. A path that begins with C(/api/v2) is accepted too.
      - Percent-encode names in it, with the filter P(ansible.builtin.urlencode#filter) for example, where they hold more than letters and digits.
    type: str
    required: true
  query:
    description: Query parameters.
    type: dict
  body:
    description: Body of the request, sent as JSON. A dictionary or a list, also as a text of JSON.
    type: raw
  status:
    description:
      - Statuses of the answer that are accepted, 404 for example. Every other status fails the task.
      - When it is omitted, every status from 200 to 299 is accepted.
      - 401, 403 and redirects are errors always.
    type: list
    elements: int
notes:
  - A task costs one request. A status that O(status) does not list fails the task, with the panel's words.
"""

EXAMPLES = r"""
- name: Read the statistics of a client
  hosting.panel.panel_api:
    path: /clients/name/acme/stats
  register: statistics

- name: See whether a plan exists
  hosting.panel.panel_api:
    path: /hosting-plans/name/Business
    status: [200, 404]
  register: plan

- name: Write a member that has no option
  hosting.panel.panel_api:
    method: PUT
    path: /clients/name/acme
    body:
      notes: called on Monday
"""

RETURN = r"""
response:
  description: The answer, decoded; V(null) when it is empty. Members whose names are those of secrets are masked.
  returned: success, unless skipped
  type: raw
status:
  description: Status of the answer.
  returned: success, unless skipped
  type: int
  sample: 200
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints.api import API_CALL
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = API_CALL


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
