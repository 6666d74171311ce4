"""What a test needs and a machine may lack: without it the test is skipped and says why; in CI it fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tools.not_run import NotRun


@contextmanager
def needed() -> Iterator[None]:
    """Skips the test where NotRun is raised inside."""
    try:
        yield
    except NotRun as reason:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(str(reason))
