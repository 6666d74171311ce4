"""The list of faults keeps up with the code.

Each can be put in, and the tests that have to notice it are there.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tools import mutants
from tools.layout import ROOT

MUTANTS = mutants.list_mutants()
FEWEST = 60


def test_there_are_enough_of_them_each_with_a_name_of_its_own() -> None:
    assert len(MUTANTS) >= FEWEST

    names = Counter(mutant["id"] for mutant in MUTANTS)
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["id"])
def test_a_fault_can_be_put_in_and_names_its_tests(mutant: dict[str, str]) -> None:
    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    changed = mutants.mutate(text, mutant)

    assert changed != text
    assert len(changed.splitlines()) == len(text.splitlines())

    compile(changed, mutant["file"], "exec")
    assert [
        test for test in mutant["tests"] if not (ROOT / test.partition("::")[0]).is_file()
    ] == []
    assert mutant["why"]


def test_a_fault_that_survives_or_cannot_be_put_in_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "code.py").write_text("limit = 1\n", encoding="utf-8")
    fault = {
        "id": "limit",
        "file": "code.py",
        "old": "limit = 1",
        "new": "limit = 2",
        "tests": [],
        "why": "too many",
    }
    seen: list[str] = []

    def pop_code(_tests: object, copy: Path) -> int:
        seen.append((copy / "code.py").read_text(encoding="utf-8"))
        return codes.pop(0)

    monkeypatch.setattr(mutants, "run_pytest", pop_code)
    codes = [mutants.PASSED, mutants.FAILED, 2, mutants.NOT_ENDED]
    trials = [mutants.try_mutant(fault, tmp_path, number) for number in (1, 2, 3, 4)]

    assert trials == [
        (False, "limit survives: too many"),
        (True, "noticed"),
        (False, "limit ends pytest with 2: too many"),
        (True, "noticed: its tests had not ended after 900 s"),
    ]
    assert mutants.try_mutant({**fault, "old": "limit = 3"}, tmp_path, 5) == (
        False,
        "limit: code.py has this 0 times: limit = 3",
    )
    assert (seen, (tmp_path / "code.py").read_text(encoding="utf-8")) == (
        ["limit = 2\n"] * 4,
        "limit = 1\n",
    )
