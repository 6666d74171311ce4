"""The creations of the unit test of this name, in all cases."""

from __future__ import annotations

import pytest

from tests.support.late_creations import CASES, LOST, WANTED, check_creations


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("plural", WANTED)
def test_a_creation_that_comes_late_is_one_object_with_a_known_password_in_every_case(
    plural: str, lost: str, in_bulk: bool
) -> None:
    check_creations(plural, lost, in_bulk, CASES)
