# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that could be templates are marked in JSON, and read as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run.marked_texts import (
    load_marked_json,
    mark_texts,
    unmark_texts,
)

TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'x') }}"
HEADER = "#jinja2: variable_start_string:'[['\n[[ x ]]"


@pytest.mark.parametrize("text", [TEMPLATE, HEADER, " #JINJA2: x", "{% if x %}", "a\\b", "[1]"])
def test_a_text_that_could_be_a_template_is_marked(text: str) -> None:
    assert mark_texts({"notes": text}) == {"notes": {"__ansible_unsafe": text}}


@pytest.mark.parametrize(
    "text",
    ["#", " # ", "C#", *("#jinja2"[:end] for end in range(2, 8)), "jinja2: x", "Jinja2"],
)
def test_a_text_that_another_one_completes_to_a_header_is_marked(text: str) -> None:
    assert mark_texts([text]) == [{"__ansible_unsafe": text}]


@pytest.mark.parametrize(
    "value",
    ["", "plain", "a # b", "#1", "#java", "# j x", "jinja", "}}", 1, 1.5, True, None],
)
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


@pytest.mark.parametrize(
    "is_marked", [True, False], ids=["with marks", "as older releases wrote it"]
)
def test_a_file_is_read_with_and_without_marks(is_marked: bool) -> None:
    value = {"zones": {"acme.example": {"records": [{"value": TEMPLATE, "ttl": 300}]}}}
    text = json.dumps(mark_texts(value) if is_marked else value)

    assert load_marked_json(text) == value
