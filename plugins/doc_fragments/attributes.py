# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # Attributes of modules that write.
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Predicts the result in check mode and writes nothing.
    support: full
  diff_mode:
    description: Returns the changes. Shows of a secret only that it changes.
    support: full
  action: {description: "An action plugin runs it in the process of the controller, or as a module.", support: full}
  platform: {description: "The systems on which it runs.", platforms: posix, support: full}
  async: {description: "With C(async) the task always runs as a separate module.", support: full}
"""

    # Attributes of modules that only read.
    INFO = r"""
options: {}
attributes:
  check_mode: {description: "Reads only.", support: full}
  diff_mode: {description: "Reads only.", support: N/A}
  idempotent: {description: "Reads only.", support: full}
  action: {description: "An action plugin runs it in the process of the controller, or as a module.", support: full}
  platform: {description: "The systems on which it runs.", platforms: posix, support: full}
  async: {description: "Supports C(async), always as a separate module.", support: full}
"""

    # For modules whose second run never reports a change.
    IDEMPOTENT = r"""
options: {}
attributes:
  idempotent: {description: "A second run with the same options sends no write and reports no change.", support: full}
"""

    # For modules with the option extra.
    IDEMPOTENT_EXTRA = r"""
options: {}
attributes:
  idempotent:
    description: A second run with the same options sends no write and reports no change.
    support: partial
    details: A field of O(extra) that the panel does not show is sent in every run.
"""

    # For modules with the option extra that take passwords.
    IDEMPOTENT_PASSWORD = r"""
options: {}
attributes:
  idempotent:
    description: A second run with the same options sends no write and reports no change.
    support: partial
    details:
      - With O(update_password=always) or O(regenerate_password=true) every run sends a password, since the panel never shows one.
      - A field of O(extra) that the panel does not show is sent in every run.
"""

    # For filters and lookups, which run on the controller.
    PLUGIN = r"""
options: {}
requirements:
  - python >= 3.11, < 3.14
"""

    # For what an action does on the controller.
    CONTROLLER = r"""
options: {}
requirements:
  - python >= 3.11, < 3.14 on the controller
attributes:
  action: {description: "Runs on the controller. Modules that it calls run on the host.", support: full}
  platform: {description: "The systems on which it runs.", platforms: posix, support: full}
  async: {description: "Cannot run in the background.", support: none}
"""

    # The same, for actions that call no module.
    CONTROLLER_ALONE = r"""
options: {}
requirements:
  - python >= 3.11, < 3.14 on the controller
attributes:
  action: {description: "Runs on the controller.", support: full}
  platform: {description: "The systems on which it runs.", platforms: posix, support: full}
  async: {description: "Cannot run in the background.", support: none}
"""
