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
      - V(present) creates the object or changes it to what the options say. Omitted options are left as they are.
      - V(absent) deletes it; the other options are then ignored, but for those that say whose it is or what it is below of. When the object is
        another one by them, the task fails and nothing is deleted.
    type: str
    choices: [present, absent]
    default: present
  id:
    description:
      - The panel's own id of the object, as an alternative to its name.
      - With O(state=present) an object with this id must exist, since it is never created under another id.
    type: int
  extra:
    description:
      - Members of the API that have no option of their own, sent as they are and compared like any other.
      - A member that the panel does not show is sent in every run, with a warning.
    type: dict
  read_back:
    description:
      - Whether an object that was created or changed is read once more at the end, after a wait, so that the result has every member of it as
        the panel shows it. Without it the result of a creation has C(id) and what was sent, and that of a change has what was there before,
        with what was sent in it.
      - It costs one request. In check mode, and for an object that was right already, nothing is read again.
      - When this reading fails, the task fails with the error C(NotReadBack), and its result says what was written all the same.
      - Items of M(hosting.panel.panel_resources) do not have it, like C(wait).
    type: bool
    default: false
"""

    # Waiting, for kinds with a status.
    WAIT = r"""
options:
  wait:
    description:
      - Wait until the panel reports the object as applied (C(status) 1). The task fails when the panel reports an error (C(status) 2).
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait at most with O(wait=true), up to 86400.
    type: int
    default: 120
"""
