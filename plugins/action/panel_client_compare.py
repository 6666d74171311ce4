# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a client on two panels and writes the hand-over page of its move. Both panels are only read."""

from __future__ import annotations

from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._move.compare_client import compare
from ..plugin_utils._move.mapping import CannotMove
from ..plugin_utils._move.move_options import MAPPING, OF_FILES
from ..plugin_utils._passwords.credentials_file import CredentialsError


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_client_compare."""

    role = "move"
    variables = OF_FILES
    specification = {**MAPPING, "page": {"type": "path", "required": True}}
    failures = {
        CannotMove: "{} Nothing was written.",
        CredentialsError: "credentials_file: {} Nothing was written.",
    }
    steps = staticmethod(compare)
