# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""No mark of a tainted panel is shown that is not on the list."""

from __future__ import annotations

from tests.support.tainted_panel import ECHOES, Marks, echoes_in
from tools.reliability import taint
from tools.reliability.figures import Size


def test_only_marks_of_the_list_are_shown() -> None:
    (row,) = taint.run(Size.SLICE)

    assert list(row.wrong) == []
    assert row.tried >= 500
    assert row.failed_loudly >= 300


def test_a_mark_is_found_and_names_its_place() -> None:
    marks = Marks()
    word, code = marks.word("here"), marks.code("there")

    assert marks.found_in(f"a {word} b '{code.lower()}' c") == {"here": {"word"}, "there": {"code"}}
    assert marks.found_in("Nothing was written.") == {}


def test_a_secret_is_found_in_every_form() -> None:
    assert [name for name, echo in ECHOES.items() if not echoes_in(f"x {echo(taint.SECRET)} y", taint.SECRET)] == []
    assert echoes_in("Nothing was written.", taint.SECRET) == []
