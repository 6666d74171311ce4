# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes everything that the panel tells about a client into a folder on the controller.

The archive is whole and verified, or there is none.
"""

from __future__ import annotations

from ..module_utils._errors import MissingLibrary
from ..module_utils._http.connection_settings import build_connection_argument_spec
from ..module_utils._values.option_marks import NARROWS, TEXT_ONLY_MARK
from ..plugin_utils._archive.archive_client import archive_client
from ..plugin_utils._run.job import JobAction, ModuleFailed


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_archive."""

    specification = {
        "username": {"type": "str", "required": True, **TEXT_ONLY_MARK},
        "dir": {"type": "path", "required": True},
        "expected": {"type": "dict", NARROWS: "archive the client whatever it has by now"},
        **build_connection_argument_spec(),
    }
    failures = {
        ModuleFailed: "client {username}: it could not be read: {0} No archive was written.",
        MissingLibrary: (
            "client {username}: zone files cannot be written: {0} No archive was written."
        ),
    }
    do_job = staticmethod(archive_client)
