# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_customers_result
short_description: >-
  Part of the roles and playbooks: sort a result of hosting.panel.panel_resources by customer
version_added: 1.0.0
description:
  - Counts for each customer what M(hosting.panel.panel_resources) changed, what failed and what was
    skipped.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, customers, credentials_file
options:
  _input:
    description: The result of M(hosting.panel.panel_resources), also of a task that failed.
    type: dict
    required: true
  customers:
    description: The customers that P(hosting.panel.panel_customers_to_resources#filter) got.
    type: list
    elements: dict
    required: true
  credentials_file:
    description: Path of the credentials file, in which C({client}) stands for the username.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Create or change customers
  hosting.panel.panel_resources:
    resources: "{{ customers | hosting.panel.panel_customers_to_resources }}"
  register: done

- name: Show what became of them
  ansible.builtin.debug:
    msg: "{{ (done | hosting.panel.panel_customers_result(customers)).line }}"
"""

RETURN = r"""
_value:
  description:
    - C(summary) has the counts of the plan, C(failures) a line for each object that failed or was
      skipped, and C(line) the result for people.
    - C(customers) has for each C(client) the numbers C(changed), C(failed) and C(skipped), and
      C(credentials_file).
    - C(objects) has by type C(key) and C(id) of each new or changed object. With
      O(hosting.panel.panel_resources#module:return_unchanged), it also has the unchanged ones.
    - C(with_login_url) has the usernames of customers with C(login_url=true).
  type: dict
  sample:
    summary: {create: 1, update: 0, delete: 0, unchanged: 2}
    customers:
      - client: acme
        changed: 1
        failed: 0
        skipped: 0
        credentials_file: credentials/acme.yml
    failures: []
    objects: {emails: [{key: info@acme.example, id: 7}]}
    with_login_url: []
    line: "acme: 1 new, 2 unchanged"
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

# What the line calls changes, in check mode too.
_CHANGES = {"create": "new", "update": "changed", "delete": "deleted"}


def panel_customers_result(done: Any, customers: Any, credentials_file: str = "") -> dict[str, Any]:
    """Count for each customer what changed and what failed."""
    from ..plugin_utils._customers.customers_result import make_result

    result = make_result(done, customers, credentials_file)
    is_failed = bool(done.get("failed") or done.get("error"))
    return {**result, "line": _make_line(result, is_failed)}


def _make_line(result: Mapping[str, Any], is_failed: bool) -> str:
    """Return the result for people, in one line."""
    from ..module_utils._problems import abbreviate, format_number_of

    summary: Mapping[str, int] = result["summary"]
    customers: Sequence[Mapping[str, Any]] = result["customers"]
    title = f"{len(customers)} customers"
    if len(customers) == 1:
        title = customers[0]["client"]

    incomplete = [
        customer["client"] for customer in customers if customer["failed"] or customer["skipped"]
    ]
    if incomplete:
        return f"{title}, not complete: {abbreviate(incomplete, 10)}"
    if is_failed or not summary:
        return "nothing was written"

    counts = []
    for action, change in _CHANGES.items():
        if summary[action]:
            counts.append(f"{summary[action]} {change}")
    if not counts:
        objects = format_number_of(summary["unchanged"], "object", "objects")
        return f"{title}: {objects}, nothing to change"
    return f"{title}: {', '.join(counts)}, {summary['unchanged']} unchanged"


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_customers_result": with_checked_arguments(
                with_marked_result(panel_customers_result), DOCUMENTATION
            )
        }
