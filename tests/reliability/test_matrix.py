# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page says of each promise and each operation."""

from __future__ import annotations

from itertools import chain

from tools.reliability import matrix
from tools.reliability.figures import DOUBLED, LOST, Row, Tried, row_of
from tools.reliability.play_operations import play_operations, shared_operations


def cells(rows: list[Row], operation: str) -> list[str]:
    line = next(line for line in matrix.matrix(rows).splitlines() if line.startswith(f"| {operation} "))
    return [cell.strip() for cell in line.strip("| ").split(" | ")][1:]


def test_every_operation_that_the_collection_has_is_a_line() -> None:
    lines = matrix.matrix([]).splitlines()
    assert [line.strip("| ").partition(" | ")[0].strip() for line in lines[2:]] == matrix.operations_on_disk()
    assert {"module panel_client", "role site", "playbook apply"} <= set(matrix.operations_on_disk())


def test_a_cell_is_the_number_tried_or_says_that_it_was_not_tried() -> None:
    rows = [
        Row("a", "", tried=1, survived=1, promise=matrix.KILLED, covered={"module panel_dns": 1200}),
        Row("b", "", tried=1, survived=1, promise=matrix.KILLED, covered={"module panel_dns": 34}),
    ]
    assert cells(rows, "module panel_dns") == [
        *[matrix.NOT_TRIED] * 2,
        "1,234",
        "*writes no file*",
        *[matrix.NOT_TRIED] * 3,
    ]


def test_experiments_and_reasons_are_about_operations_that_there_are() -> None:
    named = chain.from_iterable(operation.covers for operation in (*play_operations(), *shared_operations()))
    assert {*named, *matrix.REASONS} <= set(matrix.operations_on_disk())


def test_every_role_and_playbook_runs_as_a_whole_or_there_is_a_reason() -> None:
    run = set(chain.from_iterable(operation.covers for operation in play_operations()))
    whole = {name for name in matrix.operations_on_disk() if not name.startswith("module ")}
    assert whole - run <= {name for name, reasons in matrix.REASONS.items() if matrix.KILLED in reasons}


def test_a_row_counts_cases_by_what_they_broke() -> None:
    cases = [
        Tried("well", ("role site",), True, []),
        Tried("failed", ("role site", "module panel_resources"), False, []),
        Tried("broken", ("role site",), True, [(LOST, "gone"), (DOUBLED, "twice")]),
    ]
    row = row_of("kills", "what", matrix.KILLED, cases, 1.0)
    assert (row.tried, row.survived, row.failed_loudly, row.lost, row.doubled) == (3, 1, 1, 1, 1)
    assert list(row.wrong) == ["broken: gone; twice"]
    assert dict(row.covered) == {"role site": 3, "module panel_resources": 1}
