# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_select
short_description:
  "Part of the role hosting.panel.rotate: choose objects of a panel by client, by hosting plan or
  by name"
version_added: 1.0.0
description:
  - Takes the objects that M(hosting.panel.panel_resources_info) returns, and returns those that you
    choose as items for M(hosting.panel.panel_resources). An item has only what names the object,
    and O(options), so everything else stays as it is.
  - Lists take names and shell patterns. Case makes no difference, and domains can be in punycode or
    Unicode.
  - For a name that fits nothing it returns a sentence, so that a playbook can stop before it
    writes.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: The objects by type, with C(clients), and with C(plans) for O(plans).
    type: dict
    required: true
  clients:
    description: Usernames of clients whose objects are chosen.
    type: list
    elements: str
    default: []
  plans:
    description: Hosting plans. The objects of their clients are chosen too.
    type: list
    elements: str
    default: []
  kinds:
    description: Object types to choose from O(clients) and O(plans); V(clients) chooses the
      clients.
    type: list
    elements: str
    default: []
  objects:
    description: Single objects in addition, a list of names for each type.
    type: dict
    default: {}
  exceptions:
    description: Names of objects to leave out, or of clients with all their objects.
    type: list
    elements: str
    default: []
  options:
    description: Options that each item gets, for example C(regenerate_password).
    type: dict
    default: {}
  option_names:
    description: By option the name of the variable that sets it, which messages then use, such as
      C(clients) with C(rotate_clients).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Read the panel
  hosting.panel.panel_resources_info:
    kinds: [clients, emails]
  register: panel

- name: Give all mailboxes of two clients new passwords
  hosting.panel.panel_resources:
    resources: "{{ chosen.resources }}"
    credentials_file: passwords.yml
    rotation: 2026-11
  vars:
    chosen: >-
      {{ panel.resources
      | hosting.panel.panel_select(['acme', 'beta'], kinds=['emails'],
      options={'regenerate_password': true}) }}
  when: not chosen.unmatched
"""

RETURN = r"""
_value:
  description: C(resources) has the items by type, C(count) their number, and C(unmatched) a
    sentence for each name that fits nothing.
  type: dict
  sample:
    resources: {emails: [{email: info@acme.example, regenerate_password: true}]}
    count: 1
    unmatched: ["clients: nothing on this panel fits acmee; did you mean acme?"]
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_select(
    resources: Any,
    clients: Sequence[str] = (),
    plans: Sequence[str] = (),
    kinds: Sequence[str] = (),
    objects: Mapping[str, Sequence[str]] | None = None,
    exceptions: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    option_names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the chosen objects as items, their number, and what fits nothing.

    Raises:
        AnsibleFilterError: The resources lack a kind, or a name was read as a number.
    """
    from ..plugin_utils._rotation.selection import Choice, select_objects

    choice = Choice(clients, plans, kinds, objects or {}, exceptions)
    return select_objects(resources, choice, options or {}, option_names or {})


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_select": with_checked_arguments(with_marked_result(panel_select), DOCUMENTATION)
        }
