"""Every role shows of a very long value no more than somebody reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.matrix.test_variables import GIVEN, ROLES, TABLES, Case, run_cases
from tests.support.simulator import Simulator

LONGEST = 4_096
"""So many characters a path may have."""
LETTER = "\u0142"
LONG = LETTER * 20_000
# By type the values of which each has the long text somewhere.
LONG_VALUES: dict[str, list[Any]] = {
    "switch": [LONG],
    "number": [LONG],
    "choice": [LONG],
    "text": [LONG],
    "secret": [LONG],
    "answer": [LONG],
    "date": [LONG],
    "names": [[LONG], f"{LONG}.example"],
    "entries": [[{LONG: "x"}], [{"username": "acme", LONG: "x"}], [LONG]],
    "arguments": [[LONG]],
    "list": [[LONG], [{LONG: "x"}]],
    "objects": [[{LONG: "x"}], [{"name": LONG, "client": LONG, "username": LONG}]],
    "mapping": [{LONG: "x"}, {"username": LONG, "name": LONG, "api_url": LONG}],
    "raw": [LONG, [LONG], {LONG: LONG}],
}


def list_long_cases() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the role, the name of the case, and the variables, of which one is long."""
    for role in ROLES:
        for name, rules in TABLES[role].items():
            for index, value in enumerate(LONG_VALUES[rules["type"]]):
                yield role, f"{name} {index}", {**GIVEN[role], name: value}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """Yield a panel with the client of the roles."""
    with Simulator.start() as started:
        started.seed({"clients": [{"username": "acme"}]})
        yield started


@pytest.fixture(scope="module")
def done(
    tmp_path_factory: pytest.TempPathFactory,
    simulator: Simulator,
) -> dict[str, Case]:
    """Run every case once for all tests."""
    return run_cases(tmp_path_factory.mktemp("long"), simulator, list(list_long_cases()), [])


@pytest.mark.parametrize("role", ROLES)
def test_a_role_shows_no_more_of_a_long_value_than_of_a_path(
    done: dict[str, Case], role: str
) -> None:
    cases = {name: case for name, case in done.items() if name.startswith(f"{role}: ")}
    letters_by_task = {
        f"{name}: {recording.name}": recording.msg.count(LETTER)
        for name, case in cases.items()
        for recording in case.recordings
    }

    assert len(cases) >= len(TABLES[role])
    assert {name: number for name, number in letters_by_task.items() if number > LONGEST} == {}
