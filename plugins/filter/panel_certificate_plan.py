# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_certificate_plan
short_description:
  "Part of the role hosting.panel.certificate: decide which certificates to order, upload and
  assign"
version_added: 1.0.0
description:
  - Compares the certificates that you want with a panel and with what earlier runs kept, and
    returns what is left to do.
  - The role P(hosting.panel.certificate#role) makes its decisions with this filter after each of
    its steps.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, panel, kept, run
options:
  _input:
    description: The certificates, as C(certificate_items) of the role has them.
    type: list
    elements: dict
    required: true
  panel:
    description:
      - The result of M(hosting.panel.panel_resources_info) with the types C(clients),
        C(certificates) and C(domains).
      - If it is empty, the filter checks the items, and what the role needs on the controller.
    type: dict
    default: {}
  kept:
    description: What earlier runs kept, as C(secrets) of M(hosting.panel.panel_secrets) has it.
    type: dict
    default: {}
  run:
    description:
      - What this run has done so far. C(due) says by name why a certificate is ordered, and
        C(orders) holds C(name) and C(challenges) of each order. C(fetched) has by name the
        certificate that the authority issued, with its chain.
      - C(issued) lists names. C(failed) and C(zones) say by certificate and by zone what went
        wrong, and C(stopped) why nothing else is ordered.
      - C(actions) are those of the plan of the upload, and C(foreign) is C(foreign) of an earlier
        result of this filter.
      - C(upload) is what M(hosting.panel.panel_resources) returned of the upload.
    type: dict
    default: {}
  directory: {description: "The address of the authority's directory.", type: str, default: ""}
  key_type: {description: "The type of key that certificates have.", type: str, default: ec256}
  renew_days:
    description: A certificate is due if it expires within this many days.
    type: int
    default: 30
"""

EXAMPLES = r"""
- name: Show which certificates are due
  ansible.builtin.debug:
    msg: >-
      {{ (certificate_items
      | hosting.panel.panel_certificate_plan(panel, kept.secrets, directory=directory)).due }}
"""

RETURN = r"""
_value:
  description:
    - C(names) has by certificate its names, C(due) why it is ordered, and C(failed) why it failed.
    - C(challenges) has by zone the challenge records of the orders, and those that earlier runs
      left. C(wait) is how many seconds to wait before they are removed, since a write of them may
      still take effect.
    - C(is_complete) is whether the panel has all that was issued, and C(is_work) whether anything
      is left to do.
    - C(foreign) lists certificates that appeared on the panel during the run, and that are left
      alone.
    - C(result) is the result of the role. C(lines) is the same for people, and C(failure) says
      which certificates failed, and why.
    - C(mistakes) lists what is wrong with the items, and without O(panel) C(missing) what the role
      needs and the controller lacks.
  type: dict
  sample:
    names: {acme: ["*.acme.example", acme.example]}
    due: {acme: there is none yet}
    failed: {}
    challenges: {}
    wait: 0
    is_complete: true
    is_work: true
    foreign: []
    result:
      - name: acme
        domains: ["*.acme.example", acme.example]
        not_after: null
        renewed: false
        assigned: []
    lines: ["acme: would be ordered, since there is none yet"]
    failure: ""
    mistakes: []
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_certificate_plan(
    items: Any,
    panel: Mapping[str, Any] | None = None,
    kept: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
    directory: str = "",
    key_type: str = "ec256",
    renew_days: int = 30,
) -> dict[str, Any]:
    """Decide what is left to do; raises AnsibleFilterError."""
    from ..plugin_utils._certificate.plan import plan_certificates

    return plan_certificates(items, panel, kept, run, directory, key_type, renew_days)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_certificate_plan": with_checked_arguments(
                with_marked_result(panel_certificate_plan), DOCUMENTATION
            )
        }
