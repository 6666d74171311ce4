# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_place
short_description: Choose the panel for a new customer
version_added: 1.0.0
description:
  - Puts panels in order by the disk space that they have, use and have promised. Says for each
    panel why it is where it is, or why it does not fit.
  - A panel with a figure that is not known never fits.
  - A mistake in an argument is an error that names it, and nothing is chosen.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, demand
options:
  _input:
    description:
      - The JSON file of a report, which O(hosting.panel.panel_report#module:json_file) writes, as
        text or read. The size of a disk is known from C(panel_disk_space) in the inventory.
      - Or a list of panels with C(name), C(disk_size), C(disk_used), C(disk_promised) (the limits of
        all clients, in bytes or with K, M, G, T or P) and C(clients) (a number). Null or an empty
        text is not known. Other fields are ignored.
      - A panel of a report does not fit if it was not read, or if the limit of a client is not
        known. Clients without a limit are not in what is promised, and the reason says so.
    type: raw
    required: true
  demand:
    description:
      - The disk space of the customer, in bytes or as V(10G).
      - Or a hosting plan, or the C(resources) of one, with C(disk_space). No panel fits a plan
        without a limit.
    type: raw
    required: true
  most_promised_percent:
    description:
      - How much of the disk may be promised, with O(demand) in it, in percent of its size. More than
        V(100) is usual, since few customers use what they may.
      - Without it, any part may be promised.
    type: int
  keep_free:
    description: Bytes that have to be left of the size without the used space and O(demand).
    type: raw
    default: 0
  prefer:
    description: Names of panels that come first if they fit.
    type: list
    elements: str
    default: []
  only:
    description: Names of the panels that may be chosen. None may with an empty list.
    type: list
    elements: str
  never:
    description: Names of panels that must not be chosen, even if O(prefer) or O(only) names them.
    type: list
    elements: str
    default: []
seealso:
  - module: hosting.panel.panel_report
"""

EXAMPLES = r"""
- name: Report on all panels, with panel_disk_space in the inventory
  hosting.panel.panel_report:
    hosts: "{{ groups['panels'] }}"
    file: report.html
    json_file: report.json

- name: Choose a panel for a customer with 10 GiB
  ansible.builtin.set_fact:
    places: >-
      {{ lookup('ansible.builtin.file', 'report.json') | hosting.panel.panel_place('10G',
      most_promised_percent=150, keep_free='50G', never=['web-1']) }}

- name: Show the reasons
  ansible.builtin.debug:
    msg: "{{ item.panel }}: {{ item.why }}"
  loop: "{{ places }}"
  loop_control: {label: "{{ item.panel }}"}

- name: Fail if no panel fits
  ansible.builtin.assert:
    that: places | selectattr('fits') | length > 0
"""

RETURN = r"""
_value:
  description:
    - The panels, the best first. C(fits) is whether the panel may be chosen, and C(why) the reason.
    - Those that fit come first, of them the preferred ones, each by the lowest share promised.
    - C(promised_percent) is what is promised with the demand, in percent of the disk. It is null if
      it is not known.
  type: list
  elements: dict
  sample:
    - panel: web-2
      fits: true
      why: 71.5 % of the disk would be promised; 812 GiB would be left free
      promised_percent: 71.5
    - {panel: web-1, fits: false, why: never names it, promised_percent: 40.0}
    - {panel: web-3, fits: false, why: "not known: disk_size", promised_percent: null}
"""

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.plain_values import as_plain
from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_place(panels: Any, demand: Any, **rules: Any) -> list[dict[str, Any]]:
    """Return the panels in order, with the reason for each; raises AnsibleFilterError.

    Args:
        panels: The JSON of a report, or a list of panels with their figures.
        demand: Bytes, a plan, or the resources of one.
        rules: The other arguments of the documentation.
    """
    from ..module_utils._errors import OptionError
    from ..module_utils._problems import Written, format_message, join_problems
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..plugin_utils._report.panel_choice import choose_panels

    try:
        return choose_panels(as_plain(panels), as_plain(demand), as_plain(rules))
    except OptionError as error:
        message = join_problems(
            map(format_message, error.problems), written=Written.NOT_IN_QUESTION
        )
        message = escape_control_characters(message)
        raise AnsibleFilterError(f"hosting.panel.panel_place: {message}") from None


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_place": with_checked_arguments(with_marked_result(panel_place), DOCUMENTATION)
        }
