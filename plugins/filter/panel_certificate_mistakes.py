# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_certificate_mistakes
short_description:
  "Part of the role hosting.panel.certificate: return what is wrong with the variables of the role"
version_added: 1.0.0
description:
  - Returns the mistakes that were found before, and misspelt variables. If there are none, returns
    what is wrong with the values of the variables.
  - If the values are right, returns whether the terms of the authority are still to be read. After
    that, returns what the role needs and the controller lacks.
  - Internal to the role P(hosting.panel.certificate#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, variables, check, has_ca_file, written
options:
  _input:
    description: The mistakes that were found before.
    type: list
    elements: str
    required: true
  variables:
    description: What P(hosting.panel.panel_variables#lookup) returns of the variables.
    type: dict
    required: true
  check:
    description: What P(hosting.panel.panel_certificate_plan#filter) returns of the certificates
      without a panel.
    type: dict
    required: true
  has_ca_file:
    description: Whether the file of C(certificate_acme_ca_path) is there.
    type: bool
    required: true
  written:
    description: The C(names) of all variables, and the patterns C(foreign), as
      P(hosting.panel.panel_near_names#filter) takes them. Its mistakes come first.
    type: dict
    default: {names: [], foreign: []}
"""

EXAMPLES = r"""
# From the role certificate.
- name: Check the variables
  ansible.builtin.assert:
    that: "[] | hosting.panel.panel_certificate_mistakes(variables, check, has_ca_file) == []"
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["certificate_acme_ca_path: no such file: ca.pem."]
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments
from .panel_near_names import panel_near_names

# With a password in it, the address would stand in messages and in the file of the state.
_DIRECTORY = re.compile(r"https://[^/@]+/[^@]*")


def panel_certificate_mistakes(
    mistakes: Sequence[str],
    variables: Mapping[str, Any],
    check: Mapping[str, Any],
    has_ca_file: bool,
    written: Mapping[str, Any] = MappingProxyType({"names": (), "foreign": ()}),
) -> list[str]:
    """Return what is wrong with the variables of the role.

    The arguments are those of the filter.
    """
    near = panel_near_names(written["names"], "certificate", written["foreign"])
    earlier = list(dict.fromkeys([*near, *mistakes]))
    if earlier:
        return earlier

    settings = variables["settings"]
    in_values = _find_mistakes_in_values(settings, has_ca_file)
    wrong = [*variables["mistakes"], *check["mistakes"], *in_values]
    if wrong:
        return wrong

    if not settings["certificate_terms_agreed"]:
        directory = settings["certificate_acme_directory"]
        advice = f"Read the terms of service of {directory}, and set it to true."
        return [f"certificate_terms_agreed is false. {advice}"]
    return list(check["missing"])


def _find_mistakes_in_values(settings: Mapping[str, Any], has_ca_file: bool) -> list[str]:
    """Return what is wrong with the address of the authority and with its certificate.

    Args:
        settings: The variables that could be read; one of another type is missing.
        has_ca_file: Whether the file of certificate_acme_ca_path is there.
    """
    mistakes = []
    directory = settings.get("certificate_acme_directory")
    if directory is not None and not _DIRECTORY.fullmatch(directory):
        advice = "use the address of a directory, without a password in it."
        mistakes.append(f"certificate_acme_directory: {advice}")
    ca_path = settings.get("certificate_acme_ca_path")
    if ca_path and not has_ca_file:
        mistakes.append(f"certificate_acme_ca_path: no such file: {ca_path}.")
    return mistakes


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_certificate_mistakes": with_checked_arguments(
                with_marked_result(panel_certificate_mistakes), DOCUMENTATION
            )
        }
