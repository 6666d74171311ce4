# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # The client that moves, and the panel that it leaves.
    DOCUMENTATION = r"""
options:
  client:
    description: Username of the client.
    type: str
    required: true
  source:
    description:
      - The panel that the client moves from. Nothing of it comes from the environment or from C(module_defaults) of the group, which could
        name another one.
    type: dict
    required: true
    suboptions:
      api_url:
        description: Address of the panel, as in all modules.
        type: str
        required: true
      api_key:
        description: Key of its API.
        type: str
        required: true
      validate_certs:
        description: Whether its certificate is checked.
        type: bool
        default: true
      ca_path:
        description: File with the certificate of a private authority.
        type: path
      timeout:
        description: Seconds for connecting and for each read.
        type: int
        default: 30
      retry_time:
        description: Seconds in all that may be spent on repeating requests.
        type: int
        default: 60
"""

    # The panel that it moves to, and what is another there.
    TARGET = r"""
options:
  target:
    description:
      - The panel that the client moves to. Nothing of it comes from the environment or from C(module_defaults) of the group, which could
        name another one.
    type: dict
    required: true
    suboptions:
      api_url:
        description: Address of the panel, as in all modules.
        type: str
        required: true
      api_key:
        description: Key of its API.
        type: str
        required: true
      validate_certs:
        description: Whether its certificate is checked.
        type: bool
        default: true
      ca_path:
        description: File with the certificate of a private authority.
        type: path
      timeout:
        description: Seconds for connecting and for each read.
        type: int
        default: 30
      retry_time:
        description: Seconds in all that may be spent on repeating requests.
        type: int
        default: 60
  plans:
    description: By the name of a hosting plan on the source the name of that on the target. A plan that is not named keeps its name.
    type: dict
  hosting_plan:
    description: The hosting plan on the target, whatever the source has. Needed where the source does not tell which one the client has.
    type: str
  create_plans:
    description: Whether a plan that the target does not have is created with the settings of the source's.
    type: bool
    default: false
  addresses:
    description:
      - By an address of the source that of the target, for A and AAAA records and for C(ip4) and C(ip6) in SPF records of zones with records of
        their own. A default zone becomes the target's default zone.
      - A record that leads to an address of the source server itself and is not named here is an error. Map an address to itself to keep it.
    type: dict
  names:
    description: The same for host names in NS, MX, CNAME, SRV and PTR records, and for the primary name server in the SOA record.
    type: dict
  enable_tasks:
    description: Whether scheduled tasks are switched on as on the source. If not, new ones are switched off, so that none runs twice.
    type: bool
    default: false
"""
