# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error for a Python without a library, in Ansible's words, which name the Python and its host. Private to the collection."""

from __future__ import annotations

from ansible.module_utils.basic import missing_required_lib

from .._errors import MissingLibrary


def missing_library(name: str) -> MissingLibrary:
    """A task with become or async may run another Python than the one before it, so it has to be named."""
    return MissingLibrary(f"{missing_required_lib(name)} Nothing was sent.")
