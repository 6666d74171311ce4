# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Passwords that are made on the controller."""

from __future__ import annotations

import re

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.new_password import (
    LEAST,
    MOST,
    USUAL,
    new_password,
)


@pytest.mark.parametrize("length", [LEAST, USUAL, MOST])
def test_a_password_has_the_length_and_a_character_of_each_sort(length: int) -> None:
    for _number in range(50):
        password = new_password(length)
        assert len(password) == length
        for sort in ("[a-z]", "[A-Z]", "[0-9]", "[-_.]", "^[A-Za-z0-9]"):
            assert re.search(sort, password)
        assert not re.search(r"[^A-Za-z0-9._-]|[IlO01]", password)


def test_no_two_passwords_are_the_same() -> None:
    assert len({new_password() for _number in range(100)}) == 100
