# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator answers as its OpenAPI document says."""

from __future__ import annotations

from tools.reliability import interface
from tools.reliability.figures import Size


def test_the_simulator_answers_as_its_document_says() -> None:
    (row,) = interface.run(Size.SLICE)

    assert row.wrong == []
    assert row.tried >= 150
    assert row.remark.startswith("85 operations")
