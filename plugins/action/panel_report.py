# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the report on a fleet of panels: one HTML page, and the same as JSON.

It reads the panels and writes nothing to them.
"""

from __future__ import annotations

from ..module_utils._errors import MissingLibrary
from ..module_utils._problems import Written
from ..module_utils._values.option_marks import TEXT_ONLY_MARK
from ..plugin_utils._report.build_report import NUMBERS
from ..plugin_utils._report.make_report import PANEL, make_report
from ..plugin_utils._run.job import JobAction
from ..plugin_utils._run.panel_connections import CONNECTION


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_report."""

    _requires_connection = False
    specification = {
        "panels": {"type": "list", "elements": "dict", "options": PANEL},
        "hosts": {"type": "list", "elements": "str", **TEXT_ONLY_MARK},
        "file": {"type": "path", "required": True},
        "json_file": {"type": "path"},
        "metrics_file": {"type": "path"},
        "usage_file": {"type": "path"},
        "usage_separator": {"type": "str", "default": ","},
        "usage_decimal": {"type": "str", "default": "."},
        "title": {"type": "str", "default": "Hosting report", **TEXT_ONLY_MARK},
        "export_dir": {"type": "path"},
        **{
            name: {"type": "int", "default": default}
            for name, (default, _least, _most) in NUMBERS.items()
        },
        "mail_dns": {"type": "bool", "default": True},
        "time": {"type": "str"},
        "fail_on_unread": {"type": "bool", "default": True},
        **CONNECTION,
    }
    failures = {MissingLibrary: f"{{}} {Written.NOTHING_READ.value}"}
    do_job = staticmethod(make_report)
