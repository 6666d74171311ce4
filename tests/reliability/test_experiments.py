"""Runs that are killed, lose an answer or meet another run lose nothing and double nothing.

A slice, which `make reliability` runs whole.
"""

from __future__ import annotations

import pytest

from tools.reliability import experiments
from tools.reliability.operations import LIST, select_group


@pytest.mark.parametrize("name", LIST["slice"])
def test_all_is_as_an_undisturbed_run_leaves_it(name: str) -> None:
    row = experiments.run(name, is_slice=True)
    assert list(row.wrong) == []
    assert row.numbers["Tried"] == sum(map(len, LIST["slice"][name].values()))


@pytest.mark.parametrize("name", LIST["slice"])
def test_the_slice_names_experiments_and_operations(name: str) -> None:
    operations = select_group(experiments.EXPERIMENTS[name].group)
    assert LIST["slice"][name].keys() <= {operation.name for operation in operations}
