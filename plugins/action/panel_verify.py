# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out what a live panel does where the description of the API leaves it open.

It reads only, unless a test client is wanted.
"""

from __future__ import annotations

from ..module_utils._errors import MissingLibrary, OptionError, PanelError
from ..module_utils._http.connection_settings import build_connection_argument_spec
from ..module_utils._problems import Written
from ..module_utils._values.option_marks import TEXT_ONLY_MARK
from ..plugin_utils._run.job import JobAction
from ..plugin_utils._verify.verify import verify


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_verify."""

    _requires_connection = False
    specification = {
        "writes": {"type": "bool", "default": False},
        "client": {"type": "str", **TEXT_ONLY_MARK},
        "wrong_key": {"type": "bool", "default": False},
        "wait_timeout": {"type": "int", "default": 20},
        "profile_file": {"type": "path"},
        "report_file": {"type": "path"},
        **build_connection_argument_spec(),
    }
    failures = {
        OptionError: f"{{}} {Written.NOTHING_READ.value}",
        MissingLibrary: f"{{}} {Written.NOTHING_READ.value}",
        PanelError: "{}",
    }
    do_job = staticmethod(verify)
