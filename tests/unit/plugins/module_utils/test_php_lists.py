# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""PHP writes a list that has gaps as an object; it is read as the list that it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.transcript import Dialogue, answer, call


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ({"0": {"id": 1}, "2": {"id": 2}}, [{"id": 1}, {"id": 2}]),
        ([{"aliases": {"0": "a@acme.example"}}], [{"aliases": ["a@acme.example"]}]),
        ({"0": 1, "name": 2}, {"0": 1, "name": 2}),
        ({"1": "one"}, {"1": "one"}),
    ],
)
def test_an_object_with_numbers_from_0_is_a_list(dialogue: Dialogue, body: Any, read: Any) -> None:
    client = dialogue(call("GET", "/emails", answer(200, body)))
    assert client.get("/emails") == read
