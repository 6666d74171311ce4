"""Imports a panel that runs, as the task panel_import does, into a directory of a test."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.support.in_memory import InMemory
from tests.support.source_server import PASSWORD, USERNAME


def import_live(panel: str, url: str, folder: Path, **options: Any) -> dict[str, Any]:
    """Return the result of an import into the directory panel of a folder.

    Args:
        panel: The value of source.
        url: Where the panel answers.
        folder: Where the files of a test are.
        options: Other options of the task, and those that differ.
    """
    defaults = {
        "source": panel,
        "source_url": url,
        "source_username": USERNAME,
        "source_password": PASSWORD,
        "dir": str(folder / "panel"),
    }
    return InMemory().run("panel_import", **{**defaults, **options})


def fail_to_import(panel: str, url: str, folder: Path, **options: Any) -> str:
    """Return the message of an import that fails, writes nothing and shows no secret."""
    result = import_live(panel, url, folder, **options)
    assert result["failed"], result
    assert not result["changed"]
    assert not (folder / "panel").exists()
    text = json.dumps(result)
    assert PASSWORD not in text
    assert re.search(r"session-\d", text) is None
    message = str(result["msg"])
    assert "Nothing was" in message
    assert "Traceback" not in message
    return message
