# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_certificate_upload
short_description:
  "Part of the role hosting.panel.certificate: return which certificates to upload and assign"
version_added: 1.0.0
description:
  - Returns the certificates that were issued, with their keys, and the domains that they cover.
  - A certificate that the role cannot order is left out, and so is one that it did not upload
    itself.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, panel, kept, foreign
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
    type: dict
    required: true
  kept:
    description: What is kept, as C(secrets) of M(hosting.panel.panel_secrets) has it.
    type: dict
    required: true
  foreign:
    description: Names of certificates that appeared on the panel during the run.
    type: list
    elements: str
    default: []
seealso:
  - plugin: hosting.panel.panel_certificate_plan
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Upload and assign what was issued
  hosting.panel.panel_resources:
    resources: >-
      {{ certificate_items | hosting.panel.panel_certificate_upload(panel, kept.secrets) }}
"""

RETURN = r"""
_value:
  description: C(certificates) and C(domains), for M(hosting.panel.panel_resources).
  type: dict
  sample: {certificates: [], domains: []}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_certificate_upload(
    items: Any, panel: Mapping[str, Any], kept: Mapping[str, Any], foreign: Sequence[str] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Return what to upload and assign."""
    from ..plugin_utils._certificate.plan import make_upload

    return make_upload(items, panel, kept, foreign)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_certificate_upload": with_checked_arguments(
                with_marked_result(panel_certificate_upload), DOCUMENTATION
            )
        }
