# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_resources
short_description:
  "Part of the role hosting.panel.move: map what a client has on one panel to what it gets on
  another"
version_added: 1.0.0
description:
  - Takes what two panels show about a client, and returns the objects for
    M(hosting.panel.panel_resources) on the target, with other hosting plans, addresses and names.
    Everything that stands against the move is in C(mistakes).
  - The role P(hosting.panel.move#role) uses it, and so the mistakes name variables of the role.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, target
options:
  _input:
    description:
      - The source. C(resources) and C(left_out) are those of M(hosting.panel.panel_resources_info)
        for the client. C(plans) lists all hosting plans. C(server) is that of
        M(hosting.panel.panel_server_info), C(client) that of M(hosting.panel.panel_client_info).
    type: dict
    required: true
  target:
    description:
      - The target. C(resources) is that of M(hosting.panel.panel_resources_info) for all types
        except zones. C(dns) has the zones. C(client) is empty if the target does not have it.
    type: dict
    required: true
  plan:
    description: The plan for C(existing) or C(resources), to find what the target has with other
      values.
    type: dict
  plans:
    description: Maps names of hosting plans on the source to names on the target, if they differ.
    type: dict
    default: {}
  hosting_plan:
    description: The client's hosting plan on the target, whatever it has on the source.
    type: str
  create_plans:
    description: Create a hosting plan that the target lacks with the source's settings.
    type: bool
    default: false
  addresses:
    description: Maps addresses of the source to addresses of the target, for A, AAAA and SPF
      records and the hints of HTTPS and SVCB records.
    type: dict
    default: {}
  names:
    description: Maps host names of the source to those of the target, for all records with
      a host name, and for SOA and SPF records.
    type: dict
    default: {}
  enable_tasks:
    description: Switch scheduled tasks on as on the source. If not, new ones are disabled.
    type: bool
    default: false
  update:
    description: Accept objects of the client that differ on the target. If not, each is a mistake.
    type: bool
    default: false
  passwords:
    description: Passwords on the target, each with C(kind), C(key) and C(password).
    type: list
    elements: dict
    default: []
  has_credentials_file:
    description: Whether a file keeps all other passwords. If not, a missing one is a mistake.
    type: bool
    default: false
  hashes:
    description: RV(hosting.panel.panel_resources#module:password_hashes) of the plan, or an empty
      list before there is one. Without it no hashes of passwords are copied.
    type: list
    elements: dict
  zones_before:
    description: By domain the zones before their TTLs were lowered. One that was the panel's
      default zone becomes the target's default zone.
    type: dict
    default: {}
  typed_names:
    description: By variable of the role what mistakes call it, where a person typed another one.
    type: dict
    default: {}
"""

EXAMPLES = r"""
# roles/move/tasks/read.yml of this collection reads both panels.
- name: Check that nothing stands against the move
  ansible.builtin.assert:
    that: wanted.mistakes == []
    fail_msg: "{{ wanted.mistakes | join(' ') }}"
  vars:
    wanted: "{{ source | hosting.panel.panel_move_resources(target, has_credentials_file=true) }}"
"""

RETURN = r"""
_value:
  description:
    - C(resources) has the objects for the target, C(existing) those of them that the client has
      there already.
    - C(mistakes) has a sentence for each thing that stands against the move.
    - C(is_one_panel) is V(true) if both panels show the same client, made at the same time.
    - C(accounts) has type and key of each object with a password.
    - C(without_key) has the domains of each certificate that you copy by hand. C(lets_encrypt)
      lists domains that use Let's Encrypt. C(held_tasks) lists disabled scheduled tasks,
      C(left_out) what cannot be copied.
  type: dict
  sample:
    resources:
      clients: [{username: acme, email: it@acme.example, hosting_plan: Basic, is_suspended: false}]
      emails: [{email: info@acme.example, client: acme}]
    existing: {clients: [], emails: []}
    is_one_panel: false
    mistakes: []
    accounts:
      - {kind: clients, key: acme}
      - {kind: emails, key: info@acme.example}
    without_key: {own: [acme.example]}
    lets_encrypt: []
    held_tasks: [nightly]
    left_out: []
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

# The variables of the role that mistakes name.
_VARIABLES = ("move_client", "move_addresses", "move_names")


def panel_move_resources(
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    plan: Mapping[str, Any] | None = None,
    plans: Mapping[str, str] | None = None,
    hosting_plan: str | None = None,
    create_plans: bool = False,
    addresses: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    enable_tasks: bool = False,
    update: bool = False,
    passwords: Any = (),
    has_credentials_file: bool = False,
    hashes: Any = None,
    zones_before: Mapping[str, Any] | None = None,
    typed_names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the target gets, and what stands against it."""
    from ..plugin_utils._move.mapping import Rules, find_unexpected_changes, map_client
    from ..plugin_utils._move.zones import read_substitutes

    names_in_messages = {variable: variable for variable in _VARIABLES}
    names_in_messages.update(typed_names or {})
    mistakes: list[str] = []
    rules = Rules(
        plans=plans or {},
        hosting_plan=hosting_plan,
        create_plans=create_plans,
        substitutes=read_substitutes(addresses or {}, names or {}, mistakes, names_in_messages),
        enable_tasks=enable_tasks,
        passwords=passwords,
        has_file=has_credentials_file,
        hashes=hashes,
        zones_before=zones_before or {},
        typed_names=names_in_messages,
    )

    wanted = map_client(source, target, rules)
    wanted["mistakes"] = [*mistakes, *wanted["mistakes"]]
    if plan and not update:
        wanted["mistakes"] += find_unexpected_changes(plan, target["dns"])
    return wanted


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_resources": with_checked_arguments(
                with_marked_result(panel_move_resources), DOCUMENTATION
            )
        }
