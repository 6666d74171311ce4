"""Seeds of generated cases: a few for every run of the unit tests, all of them for `make test`."""

from __future__ import annotations

from typing import Any

import pytest

_QUICK = 4


def make_seeds(count: int) -> list[Any]:
    """Return so many seeds for ``pytest.mark.parametrize``."""
    return [
        pytest.param(seed, marks=pytest.mark.long) if seed >= _QUICK else seed
        for seed in range(count)
    ]


def pair_with_seeds(names: Any, count: int) -> list[Any]:
    """Return pairs of a name and a seed, so many for each name."""
    return [
        pytest.param(name, seed, marks=pytest.mark.long) if seed >= _QUICK else (name, seed)
        for name in names
        for seed in range(count)
    ]
