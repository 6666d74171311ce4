# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_homes
short_description:
  "Part of the role hosting.panel.content: replace homes of owners by full paths"
version_added: 1.0.0
description:
  - Takes what C(getent passwd) printed on both hosts.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, source_lines, target_lines, variable
options:
  _input: {description: "The objects.", type: list, elements: dict, required: true}
  source_lines: {description: "Lines of the source.", type: list, elements: str, required: true}
  target_lines: {description: "Lines of the target.", type: list, elements: str, required: true}
  variable: {description: "How mistakes name the objects.", type: str, required: true}
"""

EXAMPLES = r"""
# From the role content.
- name: Show the objects with full paths
  ansible.builtin.debug:
    msg: "{{ (objects | hosting.panel.panel_content_homes([line], [line], 'content_objects')).objects }}"
  vars:
    line: acme:x:1001:1001::/home/users/acme:/bin/false
    objects: [{kind: tree, from: ~/www, to: ~/www, owner: acme, source_owner: acme, key: "tree:~acme/www:~acme/www"}]
"""

RETURN = r"""
_value:
  description:
    - C(objects), with full paths, and C(mistakes), a sentence for each owner without a home and for
      each target that is in another one.
    - Without a home, no object is returned.
  type: dict
  sample:
    objects:
      - kind: tree
        key: "tree:~acme/www:~acme/www"
        owner: acme
        source_owner: acme
        from: /home/users/acme/www
        to: /home/users/acme/www
    mistakes: []
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_homes(
    objects: Any, source_lines: Any, target_lines: Any, variable: str
) -> dict[str, Any]:
    """Return the objects with full paths, and what is wrong with these."""
    from ..plugin_utils._content_copy.content_objects import (
        find_homeless,
        find_overlaps,
        find_system_owners,
        read_homes,
        resolve_homes,
    )

    homes = read_homes(source_lines), read_homes(target_lines)
    mistakes = find_homeless(objects, *homes, variable)
    mistakes += find_system_owners(objects, target_lines, variable)
    if mistakes:
        return {"objects": [], "mistakes": mistakes}

    resolved = resolve_homes(objects, *homes)
    return {"objects": resolved, "mistakes": find_overlaps(resolved, variable)}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_homes": with_checked_arguments(
                with_marked_result(panel_content_homes), DOCUMENTATION
            )
        }
