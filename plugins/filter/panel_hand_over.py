# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_hand_over
short_description:
  "Part of the role hosting.panel.move: collect what was moved to another panel, what differs, and
  what remains"
version_added: 1.0.0
description:
  - Compares a client on both panels of its move by a plan, and lists what the API does not reach,
    with sizes.
  - The role P(hosting.panel.move#role) makes its hand-over page of it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, source, target, plan
options:
  _input:
    description: What the target gets, as P(hosting.panel.panel_move_resources#filter) returns it.
    type: dict
    required: true
  source:
    description: The source, as P(hosting.panel.panel_move_resources#filter) takes it.
    type: dict
    required: true
  target:
    description: The target, as P(hosting.panel.panel_move_resources#filter) takes it.
    type: dict
    required: true
  plan:
    description: The plan of M(hosting.panel.panel_resources) on the target, in check mode.
    type: dict
    required: true
  zones_before:
    description: By domain the zones before their TTLs were lowered.
    type: dict
    default: {}
  hashes:
    description: RV(hosting.panel.panel_resources#module:password_hashes) of the plan.
    type: list
    elements: dict
    default: []
  hashes_before:
    description: The same of earlier tasks, for objects whose password an earlier one has copied.
    type: list
    elements: dict
    default: []
  known:
    description: The objects whose password you have, each a pair of type and key.
    type: list
    elements: list
    default: []
"""

EXAMPLES = r"""
- name: Show what differs
  ansible.builtin.debug:
    msg: "{{ (wanted | hosting.panel.panel_hand_over(source, target, planned.plan)).differences }}"
  vars:
    wanted: "{{ source | hosting.panel.panel_move_resources(target, has_credentials_file=true) }}"
"""

RETURN = r"""
_value:
  description:
    - C(differences), C(only_on_target) and C(suspended) compare both panels. C(made) has by type
      the names of what is on the target.
    - C(remaining) has what no API copies, with sizes, C(files), C(mails), C(databases) and
      C(private_keys).
    - C(passwords) says for each object whether its password stays, if C(hashes) does.
    - C(without_password), C(lets_encrypt), C(held_tasks), C(name_servers), C(main_domains),
      C(lowered) and C(wait), in seconds, are for next steps.
  type: dict
  sample:
    differences: ["missing  mailbox info@acme.example"]
    only_on_target: [emails more@acme.example]
    suspended: []
    made: {clients: [acme], domains: [acme.example], databases: [acme_shop]}
    remaining:
      files: {disk_space: null, count: null, folders: []}
      mails: [{name: info@acme.example, size: 5}]
      databases: []
      private_keys: [{certificate: own, domains: [acme.example]}]
    without_password: [clients acme, databases acme_shop]
    lowered: [acme.example]
    wait: 300
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_hand_over(
    wanted: Mapping[str, Any],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    plan: Mapping[str, Any],
    zones_before: Mapping[str, Any] | None = None,
    known: Any = (),
    hashes: Any = (),
    hashes_before: Any = (),
) -> dict[str, Any]:
    """Compare both panels, and return all that a hand-over page says of them."""
    from ..plugin_utils._move.hand_over import join_hashes, make_hand_over

    passwords = join_hashes(hashes, hashes_before)
    return make_hand_over(wanted, source, target, plan, zones_before or {}, known, passwords)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_hand_over": with_checked_arguments(
                with_marked_result(panel_hand_over), DOCUMENTATION
            )
        }
