# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a template takes entries out of a list, the rest keeps its order.

Ansible's filters for sets return their entries in an order that changes from run to run, which a
message, a file or a command would show.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.layout import ROOT

SET_FILTER = re.compile(r"\|\s*(difference|union|symmetric_difference)\s*\(")
FILES = sorted(
    path
    for folder in ("playbooks", "roles", "extensions")
    for path in (ROOT / folder).rglob("*.yml")
)


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_uses_no_filter_that_loses_the_order(file: Path) -> None:
    assert SET_FILTER.findall(file.read_text(encoding="utf-8")) == []
