# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of an archive that could be templates are marked in its JSON, and read as they were."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._archive.marked_texts import (
    mark_texts,
    unmark_texts,
)

TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'x') }}"
HEADER = "#jinja2: variable_start_string:'[['\n[[ x ]]"


@pytest.mark.parametrize("text", [TEMPLATE, HEADER, " #JINJA2: x", "{% if x %}", "a\\b", "[1]"])
def test_a_text_that_could_be_a_template_is_marked(text: str) -> None:
    assert mark_texts({"notes": text}) == {"notes": {"__ansible_unsafe": text}}


@pytest.mark.parametrize("value", ["", "plain", "a # b", "}}", 1, 1.5, True, None])
def test_any_other_value_stays_as_it_is(value: Any) -> None:
    assert mark_texts([value]) == [value]


@pytest.mark.parametrize(
    "value",
    [
        {"clients": [{"notes": TEMPLATE, "id": 1}], "empty": {}, "none": None},
        [[HEADER], {"deep": {"deeper": [TEMPLATE, "plain"]}}],
        TEMPLATE,
    ],
)
def test_what_was_marked_is_read_as_it_was(value: Any) -> None:
    assert unmark_texts(mark_texts(value)) == value
