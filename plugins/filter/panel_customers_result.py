# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_customers_result
short_description: Sort a result of panel_resources by customer
version_added: 1.0.0
description:
  - Counts for each customer what M(hosting.panel.panel_resources) changed, what failed and what was skipped.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, customers, credentials_file
options:
  _input: {description: "The result of M(hosting.panel.panel_resources), also of a task that failed.", type: dict, required: true}
  customers:
    description: The customers that P(hosting.panel.panel_customers_to_resources#filter) got.
    type: list
    elements: dict
    required: true
  credentials_file: {description: "Path of the credentials file, in which C({client}) stands for the username.", type: str, default: ''}
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
    - C(summary) has the counts of the plan, C(failures) a line for each object that failed or was skipped, and C(line) the result for people.
    - C(customers) has for each C(client) the numbers C(changed), C(failed) and C(skipped), and C(credentials_file).
    - C(objects) has by type C(key) and C(id) of each new or changed object. With O(hosting.panel.panel_resources#module:return_unchanged), it also
      has the unchanged ones.
    - C(with_login_url) has the usernames of customers with C(login_url=true).
  type: dict
  sample:
    summary: {create: 1, update: 0, delete: 0, unchanged: 2}
    customers: [{client: acme, changed: 1, failed: 0, skipped: 0, credentials_file: credentials/acme.yml}]
    failures: []
    objects: {emails: [{key: info@acme.example, id: 7}]}
    with_login_url: []
    line: "acme: 1 new, 2 unchanged"
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..plugin_utils._ansible.untrusted import handing_on

# In one line, in check mode too.
_WORDS = {"create": "new", "update": "changed", "delete": "deleted"}


def panel_customers_result(done: Any, customers: Any, credentials_file: str = "") -> dict[str, Any]:
    """What became of the customers."""
    from ..plugin_utils._customers.customers import result_of

    result = result_of(done, customers, credentials_file)
    return {**result, "line": _line(result, bool(done.get("failed") or done.get("error")))}


def _line(result: Mapping[str, Any], failed: bool) -> str:
    from ..module_utils._problems import abbreviate

    summary: Mapping[str, int] = result["summary"]
    customers: Sequence[Mapping[str, Any]] = result["customers"]
    whose = customers[0]["client"] if len(customers) == 1 else f"{len(customers)} customers"
    if incomplete := [one["client"] for one in customers if one["failed"] or one["skipped"]]:
        return f"{whose}, not complete: {abbreviate(incomplete, 10)}"
    if failed or not summary:
        return "nothing was written"
    counted = [f"{summary[verb]} {word}" for verb, word in _WORDS.items() if summary[verb]]
    if not counted:
        return f"{whose}: {summary['unchanged']} objects, nothing to change"
    return f"{whose}: {', '.join(counted)}, {summary['unchanged']} unchanged"


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"panel_customers_result": handing_on(panel_customers_result)}
