# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the report on a fleet of panels: one HTML page, and the same as JSON. It reads the panels and writes nothing to them."""

from __future__ import annotations

from ..module_utils._errors import MissingLibrary
from ..plugin_utils._report.make_report import ARGUMENT_SPEC, make_report
from ..plugin_utils._run.job import JobAction


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_report."""

    _requires_connection = False
    specification = ARGUMENT_SPEC
    failures = {MissingLibrary: "{} Nothing was read or written."}
    steps = staticmethod(make_report)
