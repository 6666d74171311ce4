# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_site_mistakes
short_description:
  "Part of the role hosting.panel.site: return what is wrong with the variables of the role site"
version_added: 1.0.0
description:
  - Returns the mistakes that were found before, and those in the variables with objects. If there
    are none, returns what is wrong with the customer that the variables describe.
  - Internal to the role P(hosting.panel.site#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, objects, settings, password_variable, written
options:
  _input:
    description: The mistakes that were found before.
    type: list
    elements: str
    required: true
  objects:
    description: What P(hosting.panel.panel_variables#lookup) returns of the variables that can hold
      passwords. They come in one value, since each use of them evaluates the passwords again.
    type: dict
    required: true
  settings:
    description: The other variables of the role.
    type: dict
    required: true
  password_variable:
    description: As the option of P(hosting.panel.panel_customers_to_resources#filter).
    type: str
    required: true
  written:
    description: The C(names) of all variables, and the patterns C(foreign), as
      P(hosting.panel.panel_near_names#filter) takes them. Its mistakes come first.
    type: dict
    default: {names: [], foreign: []}
"""

EXAMPLES = r"""
# From the role site.
- name: Check the variables
  ansible.builtin.assert:
    that: "[] | hosting.panel.panel_site_mistakes(objects, settings, 'site_credentials_file') == []"
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["client acme: no password. Give a password, or set site_credentials_file."]
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments
from .panel_customers_to_resources import panel_customers_to_resources
from .panel_near_names import panel_near_names
from .panel_site_customer import PREFIX, panel_site_customer

# A limit of the role sites, which this role would not read.
_LIKE_SITES = {"sites_max_deletes": "site_max_deletes"}


def panel_site_mistakes(
    mistakes: Sequence[str],
    objects: Mapping[str, Any],
    settings: Mapping[str, Any],
    password_variable: str,
    written: Mapping[str, Any] = MappingProxyType({"names": (), "foreign": ()}),
) -> Any:
    """Return what is wrong with the variables of the role."""
    values = {**settings, **objects["settings"]}
    empty = [name for name, value in values.items() if not value]
    near = panel_near_names(written["names"], "site", written["foreign"], _LIKE_SITES, empty)
    all_mistakes = list(dict.fromkeys([*near, *mistakes, *objects["mistakes"]]))
    if all_mistakes:
        return all_mistakes
    customer = panel_site_customer(objects["settings"], settings)
    return panel_customers_to_resources(
        [customer], password_variable, prefix=PREFIX, only_mistakes=True
    )


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_site_mistakes": with_checked_arguments(
                with_marked_result(panel_site_mistakes), DOCUMENTATION
            )
        }
