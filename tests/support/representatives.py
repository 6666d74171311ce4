"""Cases of one kind, of which some stand for all in a push, and all run before a release."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest


def make_parameters(cases: Mapping[str, Any], on_push: Collection[str]) -> list[Any]:
    """Return cases as parameters of a test, and mark as ``release`` what a push leaves out.

    Args:
        cases: The values of each case by its id: a tuple, or the only value.
        on_push: The ids of the cases that run in a push.
    """
    assert set(on_push) <= set(cases)
    parameters = []
    for name, case in cases.items():
        values = case if isinstance(case, tuple) else (case,)
        marks = () if name in on_push else pytest.mark.release
        parameters.append(pytest.param(*values, id=name, marks=marks))

    return parameters
