# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # The connection options of modules.
    DOCUMENTATION = r"""
options:
  api_url:
    description:
      - Address of the panel, V(https://HOST) or V(https://HOST:PORT), with or without V(/api/v2), or a bare host name.
      - V(http://) is accepted for loopback addresses only.
      - Required. Set it here, in C(module_defaults) or in the environment variable E(PANEL_API_URL).
    type: str
  api_key:
    description:
      - API key of the panel. Create it in its administration area under Configuration, API. Only the host in O(api_url) gets it.
      - Required. Set it here, in C(module_defaults) or in the environment variable E(PANEL_API_KEY).
      - The key of the environment is not sent to another panel than E(PANEL_API_URL) names.
    type: str
  validate_certs:
    description: Whether to check the panel's TLS certificate. V(false) gives a warning. The environment variable is E(PANEL_VALIDATE_CERTS).
    type: bool
    default: true
  ca_path:
    description: PEM file of a private authority, on the machine that runs the task. The environment variable is E(PANEL_CA_PATH).
    type: path
  timeout:
    description:
      - Seconds to wait for a connection and for each read, 1 to 86400. The environment variable is E(PANEL_TIMEOUT).
      - A whole answer may take five times as long.
    type: int
    default: 30
  retry_time:
    description:
      - Seconds that a task may spend in all on repeating requests, up to 86400, as while the panel reloads. V(0) repeats none.
      - After a lost answer, a task that creates an object first checks whether it exists. The environment variable is E(PANEL_RETRY_TIME).
    type: int
    default: 60
requirements:
  - python >= 3.9, < 3.14
  - requests >= 2.28
notes:
  - An empty string in one of the connection options, or in its environment variable, counts as not given.
  - With O(ignore:connection=local) the task runs inside the controller, with one connection for all items of a loop. Set the environment
    variable E(PANEL_IN_PROCESS) to V(0) to always run a separate module. Results are the same.
  - Built for version 2.15 of the KeyHelp API. The README lists the live panels on which it was verified, none so far.
  - The guide L(Recover from an error,https://hosting-panel.example/hosting.panel/blob/main/docs/faults.md#error-types)
    explains the types of errors.
attributes:
  action_group:
    description: Use C(group/hosting.panel.panel) in C(module_defaults) to set the connection options once for all modules that call a panel.
    support: full
    membership:
      - hosting.panel.panel
"""

    # The same for lookups.
    PLUGIN = r"""
options:
  api_url:
    description:
      - Address of the panel, V(https://HOST) or V(https://HOST:PORT), with or without V(/api/v2), or a bare host name.
      - V(http://) is accepted for loopback addresses only.
      - Required. Set it here, in the variable C(panel_api_url) or in the environment variable E(PANEL_API_URL).
    type: str
    env: [{name: PANEL_API_URL}]
    vars: [{name: panel_api_url}]
  api_key:
    description:
      - API key of the panel. Create it in its administration area under Configuration, API. Only the host in O(api_url) gets it.
      - Required. Set it here, in the variable C(panel_api_key) or in the environment variable E(PANEL_API_KEY).
      - The key of the environment is not sent to another panel than E(PANEL_API_URL) names.
    type: str
    env: [{name: PANEL_API_KEY}]
    vars: [{name: panel_api_key}]
  validate_certs:
    description: Whether to check the panel's TLS certificate. V(false) gives a warning.
    type: raw # as a switch Ansible would take every text that is none, a misspelt one too, for false
    env: [{name: PANEL_VALIDATE_CERTS}]
    vars: [{name: panel_validate_certs}]
    default: true
  ca_path:
    description: PEM file of a private authority, on the controller.
    type: path
    env: [{name: PANEL_CA_PATH}]
    vars: [{name: panel_ca_path}]
  timeout:
    description: Seconds to wait for a connection and for each read, 1 to 86400. A whole answer may take five times as long.
    type: int
    env: [{name: PANEL_TIMEOUT}]
    vars: [{name: panel_timeout}]
    default: 30
  retry_time:
    description: Seconds that a task may spend in all on repeating requests, up to 86400, as while the panel reloads. V(0) repeats none.
    type: int
    env: [{name: PANEL_RETRY_TIME}]
    vars: [{name: panel_retry_time}]
    default: 60
requirements:
  - python >= 3.11, < 3.14
  - requests >= 2.28
notes:
  - An empty string in one of the connection options, or in its environment variable, counts as not given.
  - Built for version 2.15 of the KeyHelp API. The README lists the live panels on which it was verified, none so far.
"""
