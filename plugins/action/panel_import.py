# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads another panel's answers or dump, and writes them as a directory of files for this one.

It asks no panel of ours, and writes to none.
"""

from __future__ import annotations

from ..module_utils._problems import Written
from ..module_utils._secrets.displayed_arguments import TAKEN_FOR_SECRET_MARK
from ..module_utils._values.option_marks import CHOOSES_CLIENTS_MARK, TEXT_ONLY_MARK
from ..plugin_utils._folder.files import FolderError
from ..plugin_utils._import.import_job import PASSWORDS, import_panel
from ..plugin_utils._import_source.read_source import PANELS
from ..plugin_utils._import_source.source_tables import SourceError
from ..plugin_utils._run.job import JobAction


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_import."""

    _requires_connection = False
    specification = {
        "source": {"type": "str", "required": True, "choices": list(PANELS)},
        "path": {"type": "path"},
        "source_url": {"type": "str", **TEXT_ONLY_MARK},
        "source_username": {"type": "str", **TEXT_ONLY_MARK},
        "source_password": {"type": "str", "no_log": True},
        "source_ca_path": {"type": "path"},
        "source_dump_dir": {"type": "path"},
        "dir": {"type": "path", "required": True},
        "page_file": {"type": "path"},
        "content_file": {"type": "path"},
        "clients": {"type": "list", "elements": "str", **CHOOSES_CLIENTS_MARK},
        "mapping": {"type": "dict"},
        "passwords": {
            "type": "str",
            "choices": list(PASSWORDS),
            "default": "keep",
            "no_log": False,
            **TAKEN_FOR_SECRET_MARK,
        },
    }
    failures = {
        FolderError: "{names[dir]}: {0}",
        SourceError: f"{{0}} {Written.NOTHING.value}",
    }
    do_job = staticmethod(import_panel)
