# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the task of panel_database_sync, from its options to its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kept_state import STATE_DIRECTORY
from ..source_host import SOURCE_OPTIONS, SourceHost
from .copy import run_database_job
from .job import DatabaseJob
from .queries.login import LOGIN_OPTIONS, Login
from .sides import TARGET_SERVER, DatabaseSide, make_source_server

DATABASE_OPTIONS: dict[str, Any] = {
    "source": {"type": "dict", "options": SOURCE_OPTIONS},
    "name": {"type": "str", "required": True},
    "source_name": {"type": "str"},
    "definer": {"type": "str"},
    "login": {"type": "dict", "options": LOGIN_OPTIONS},
    "source_login": {"type": "dict", "options": LOGIN_OPTIONS},
    "mode": {"type": "str", "choices": ["copy", "compare"], "default": "copy"},
    "replace": {"type": "bool", "default": False},
    "events": {"type": "bool", "default": False},
}
"""The options of panel_database_sync, as argument_spec has them."""


def sync_database(
    options: Mapping[str, Any], is_check: bool, directory: str = STATE_DIRECTORY
) -> dict[str, Any]:
    """Copy or compare a database, and return the result of the task.

    Args:
        options: Of ``DATABASE_OPTIONS``.
        is_check: Whether nothing is written.
        directory: Where states are kept.

    Raises:
        ContentError: The task cannot be done as its options say.
    """
    name: str = options["name"]
    source = DatabaseSide(
        server=make_source_server(SourceHost.read(options["source"])),
        name=options["source_name"] or name,
        login=Login.read(options["source_login"], "source_login"),
    )
    target = DatabaseSide(
        server=TARGET_SERVER,
        name=name,
        login=Login.read(options["login"], "login"),
    )
    job = DatabaseJob(
        source=source,
        target=target,
        definer=options["definer"] or "",
        is_comparison=options["mode"] == "compare",
        is_replacing=options["replace"],
        has_events=options["events"],
        is_check=is_check,
        directory=directory,
    )

    return run_database_job(job).describe()
