#!/usr/bin/python
# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: panel_login_info
short_description: Get a login URL for a client of a hosting panel
version_added: 1.0.0
description:
  - Returns a URL that logs in a client without a password. It is valid for 60 minutes.
  - Anyone who has the URL is logged in, so treat the result like a password.
author: [the hosting.panel contributors (!UNKNOWN)]
extends_documentation_fragment: [hosting.panel.connection, hosting.panel.attributes.info]
options:
  username:
    description: Name of the client. Either this or O(id) is required.
    type: str
  id:
    description: Id of the client, as an alternative to O(username).
    type: int
  page:
    description:
      - Page of the panel to open after the login, for example V(domains). If you omit it, the panel opens its start page.
      - The name of this parameter in the API is inferred.
    type: str
notes:
  - It costs one request, and one more for a name. An unknown name fails, with C(there is no client acme on this panel).
seealso:
  - plugin: hosting.panel.panel_login_url
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Get a login URL for a client
  hosting.panel.panel_login_info:
    username: acme
  register: login
  no_log: true
"""

RETURN = r"""
login_url:
  description:
    - The URL. It is a secret while it is valid.
    - Ansible shows it with C(-v), and always after a one-liner, unless the task has C(no_log=true).
  returned: success
  type: str
  sample: https://panel.example/login?token=an-example-of-a-token
expires_at:
  description: When the URL stops being valid, ISO 8601 in UTC, by the clock of the machine that ran the task.
  returned: success
  type: str
  sample: "2026-11-21T13:00:00+00:00"
error:
  description: What failed. Its C(type) is V(OptionError), V(Refused), V(Denied), V(Unreachable), V(OutcomeUnknown) or another type, see the notes.
  returned: failure
  type: dict
  sample: {type: UnknownReference, option: username}
"""

from ansible_collections.hosting.panel.plugins.module_utils._endpoints import LOGIN
from ansible_collections.hosting.panel.plugins.module_utils._task.module import run_as_module

OPERATION = LOGIN


def main() -> None:
    run_as_module(OPERATION)


if __name__ == "__main__":
    main()
