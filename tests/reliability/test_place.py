"""A picture of what a run leaves is the same on other ports."""

from __future__ import annotations

import pytest

from tools.reliability.place import mask_port


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://127.0.0.1:43827/api/v2", "http://127.0.0.1:PORT0/api/v2"),
        ("archives/client-001-127.0.0.1_43827-4/", "archives/client-001-127.0.0.1_PORT0-4/"),
        ('"in": 438272,', '"in": 438272,'),
        ('"in": 143827,', '"in": 143827,'),
        ('"in": 43827,', '"in": 43827,'),
    ],
    ids=["address", "name of a file", "longer number", "longer number's end", "same number"],
)
def test_a_port_is_masked_where_it_is_one_and_not_in_other_numbers(text: str, expected: str):
    assert mask_port(text, "43827", 0) == expected
