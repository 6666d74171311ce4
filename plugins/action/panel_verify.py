# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out what a live panel does with what the interface leaves open; reads only, unless a throw-away client is wanted."""

from __future__ import annotations

from ..module_utils._errors import MissingLibrary, OptionError
from ..plugin_utils._jobs.job import JobAction
from ..plugin_utils._verify.openapi import DescriptionError
from ..plugin_utils._verify.options import ARGUMENT_SPEC
from ..plugin_utils._verify.verifying import verify


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_verify."""

    _requires_connection = False
    specification = ARGUMENT_SPEC
    failures = {
        OptionError: "{} Nothing was read or written.",
        DescriptionError: "openapi: {} Nothing was read from the panel or written.",
        MissingLibrary: "{} Nothing was read or written.",
    }
    steps = staticmethod(verify)
