# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The README names everything there is."""

from __future__ import annotations

import json

import pytest

from panel_simulator.__main__ import parse_arguments
from panel_simulator.control import OPERATIONS
from panel_simulator.faults import COMMON, FAULTS
from panel_simulator.open_points import POINTS, OpenPoint
from panel_simulator.settings import SETTINGS
from tests.support.simulator import FILES

README = (FILES / "README.md").read_text(encoding="utf-8")


def test_every_setting_has_its_row_with_default_and_meaning() -> None:
    for name, setting in SETTINGS.items():
        default = "all that the panel has" if name == "languages" else f"`{json.dumps(setting.default)}`"
        assert f"| `{name}` | {default} | {setting.meaning} |\n" in README


@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
def test_every_open_point_has_its_row_with_its_values_and_what_it_is_about(point: OpenPoint) -> None:
    others = ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in point.tried).replace("|", "\\|")
    assert f"| `{point.name}` | `{json.dumps(point.default)}` | {others} | {point.about} |\n" in README


def test_every_fault_and_its_members_are_named() -> None:
    for kind, options in FAULTS.items():
        row = next(line for line in README.splitlines() if line.startswith(f"| `{kind}` |"))
        assert all(f"`{name}`" in row for name in options)
    assert all(f"\n| `{name}` |" in README for name in COMMON)


def test_every_control_request_is_named() -> None:
    assert all(
        f"`{method} /_simulator{path}" in README or f"/_simulator{path}`, `{method}`" in README
        for method, path in OPERATIONS
    )


def test_every_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_arguments(["--help"])
    options = {word.strip("[],") for word in capsys.readouterr().out.split() if word.strip("[],").startswith("--")}
    assert "--api-key" in options
    assert {option for option in options if f"`{option}" not in README} == {"--help"}
