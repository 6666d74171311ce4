# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # Options that every module has that manages objects.
    DOCUMENTATION = r"""
options:
  state:
    description:
      - V(present) creates or changes the object. Omitted options are not managed.
      - V(absent) deletes the object. If you also set its owner or parent and they differ, the task fails and deletes nothing. All other options
        are ignored.
    type: str
    choices: [present, absent]
    default: present
  id:
    description:
      - The panel's own id of the object, as an alternative to its name.
      - With O(state=present) an object with this id must exist.
    type: int
  extra:
    description:
      - Fields of the API that have no option. They are sent as they are and compared like any other.
      - A field that the panel does not show is sent in every run, with a warning.
      - A field with C(password), C(secret), C(token) or C(key) in its name is never shown.
    type: dict
  read_back:
    description:
      - Read the object again after a change and return all its fields. It costs one request.
      - Without it the result holds the previous values and the values that were sent, and for a new object its C(id).
      - If this reading fails, the task fails with the error C(NotReadBack), and names what was written.
    type: bool
    default: false
"""

    # Waiting, for kinds with a status.
    WAIT = r"""
options:
  wait:
    description: Wait until the panel has applied the object (C(status) 1). The task fails when the panel reports an error (C(status) 2).
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait with O(wait=true), up to 86400.
    type: int
    default: 120
"""
