# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two places are compared by what is in them, not by where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.reliability.places import Place, differences
from tools.reliability.play_operations import PlayOperation

OPERATION = PlayOperation("any", (), [])


def place_with(folder: Path, text: str) -> Place:
    """Without a panel, and with one file."""
    folder.mkdir()
    place = Place(folder, [])
    place.folder.mkdir()
    names = {"folder": str(place.folder), "markdown": str(place.folder).replace("_", "\\_")}
    (place.folder / "hand-over.md").write_text(text.format(**names), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("one", "other", "problems"),
    [
        ("They are in {folder}/a.yml.", "They are in {folder}/a.yml.", 0),
        ("They are in {markdown}/a.yml.", "They are in {markdown}/a.yml.", 0),
        ("They are in {folder}/a.yml.", "They are in {folder}/b.yml.", 1),
    ],
)
def test_a_file_may_name_the_folder_that_it_is_in(tmp_path: Path, one: str, other: str, problems: int) -> None:
    pictures = [
        place_with(tmp_path / name, text).picture(OPERATION) for name, text in (("first", one), ("the_second", other))
    ]
    assert len(list(differences(*pictures))) == problems
