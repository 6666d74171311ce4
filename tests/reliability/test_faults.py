"""A slice of every operation × every fault × every way of execution keeps every promise."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.support.playbook import MODULE
from tools.reliability import fault_judging, faults
from tools.reliability.fault_kinds import WRITES, lasting_strikes, strikes_at_read, strikes_at_writes
from tools.reliability.fault_operations import operations, world
from tools.reliability.figures import Row, Size
from tools.reliability.lanes import Lane, simulator_with


@pytest.fixture(scope="module")
def rows() -> Sequence[Row]:
    """The slice."""
    return faults.run(Size.SLICE)


def test_nothing_is_lost_or_doubled_and_every_failure_says_so(rows: Sequence[Row]) -> None:
    assert [line for row in rows for line in row.wrong] == []
    assert all(row.is_good for row in rows)


def test_every_way_is_tried_and_survives_much(rows: Sequence[Row]) -> None:
    assert [row.experiment for row in rows] == [*(f"faults, {way}" for way in faults.WAYS), "faults, real plays"]
    assert sum(row.tried for row in rows) >= 200
    for row in rows:
        assert row.tried == row.survived + row.failed_loudly
        assert min(row.survived, row.failed_loudly) >= row.tried / 5


def test_every_fault_strikes_as_long_as_it_says() -> None:
    for strike in [*strikes_at_writes(), *strikes_at_read(0)]:
        times = {fault.get("times", 1) for fault in strike.aimed(2)}
        assert times == ({1} if not strike.is_lasting or "refuse" in str(strike.faults) else {0})
    assert all(strike.is_lasting for strike in lasting_strikes())


def test_what_strikes_the_last_read_is_aimed_by_the_number_of_reads() -> None:
    (away,) = (strike for strike in strikes_at_writes() if "before it is sent" in strike.name)
    assert [fault["skip"] for fault in away.aimed(3)] == [2]
    others = [fault for strike in strikes_at_writes() if strike is not away for fault in strike.aimed(3)]
    assert all(fault["method"] == WRITES or "after_reads" not in fault for fault in others)


def test_as_module_every_operation_and_every_fault_is_tried() -> None:
    with simulator_with(faults.PANEL, world()) as simulator:
        every = operations(simulator)
        known = faults._undisturbed(Lane(simulator), every)
    cases = list(faults._cases(MODULE, every, known))
    chosen = list(faults._without_repeated(cases))
    assert len(chosen) * 4 < len(cases)
    assert {case.operation.name for case in chosen} == {case.operation.name for case in cases}
    assert {case.strike.name for case in chosen} == {case.strike.name for case in cases}


def test_a_look_that_failed_is_told_in_a_warning_of_either_form() -> None:
    text = "The database with id 1 was created, and whether the panel keeps its database_name was not to be seen."
    for warning in (text, {"event": {"msg": text}}):
        assert fault_judging._without_looks({"id": 1, "warnings": [warning]}) == {"id": 1}
        assert fault_judging._without_looks({"id": 1, "warnings": ["other", warning]}) == {
            "id": 1,
            "warnings": ["other"],
        }
