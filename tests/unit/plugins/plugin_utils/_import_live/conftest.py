"""A folder for each test of a live panel, and short waits for a panel that does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_live import source_api


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return where the files of a test are."""
    return tmp_path


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request wait for one second, and be repeated for one."""
    monkeypatch.setattr(source_api, "TIMEOUT", 1)
    monkeypatch.setattr(source_api, "RETRY_TIME", 1)
