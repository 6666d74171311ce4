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
  - Sends any call of the panel's API, with the same authentication, retries and masking as the modules.
  - GET changes nothing and also runs in check mode. Every other method reports a change, and is skipped in check mode.
  - A call that the panel refuses (400 to 499) reports no change, also if O(status) accepts it.
  - Masks fields named like secrets, such as C(password), C(privateKey) or C(apiKey), and all texts of C(/login). Use
    M(hosting.panel.panel_login_info) for login URLs.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes]
attributes:
  check_mode:
    description: GET runs in check mode; every other method is skipped there.
    support: partial
    details: Only the panel knows what another method would do.
  diff_mode:
    description: Only the panel knows what a call changes.
    support: none
  idempotent:
    description: Every method except GET is sent in every run.
    support: none
options:
  method:
    description: The HTTP method.
    type: str
    choices: [GET, POST, PUT, DELETE]
    default: GET
  path:
    description:
      - Path below C(/api/v2), for example V(/clients/name/acme). C(/api/v2) in front is accepted.
      - Percent-encode names with other characters than letters and digits, for example with P(ansible.builtin.urlencode#filter).
    type: str
    required: true
  query:
    description: Query parameters.
    type: dict
  body:
    description: Body of the request, a dictionary, a list, or JSON as a string.
    type: raw
  status:
    description:
      - Accepted statuses, for example V(404). Every other status fails the task.
      - Default is 200 to 299.
      - 401, 403 and redirects are always errors.
    type: list
    elements: int
notes:
  - A task costs one request. A status that O(status) does not list fails the task, with the panel's words.
seealso:
  - module: hosting.panel.panel_ping
  - module: hosting.panel.panel_resources
"""

EXAMPLES = r"""
- name: Read the statistics of a client
  hosting.panel.panel_api:
    path: /clients/name/acme/stats
  register: statistics

- name: Check whether a hosting plan exists
  hosting.panel.panel_api:
    path: /hosting-plans/name/Business
    status: [200, 404]
  register: plan

- name: Write a field that has no option
  hosting.panel.panel_api:
    method: PUT
    path: /clients/name/acme
    body:
      notes: called on Monday
"""

RETURN = r"""
response:
  description: The decoded answer, or V(null) if it is empty. Fields named like secrets are masked.
  returned: success, unless skipped
  type: raw
  sample: {response: pong}
status:
  description: Status of the answer.
  returned: success, unless skipped
  type: int
  sample: 200
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: Refused, status: 409}
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints import API_CALL
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = API_CALL


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
