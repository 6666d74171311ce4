"""hosting.panel.panel_to_json and panel_from_json: JSON that is loaded as variables, and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.filter import panel_from_json, panel_to_json

read = panel_from_json.FilterModule().filters()["panel_from_json"]
write = panel_to_json.FilterModule().filters()["panel_to_json"]
VALUES: dict[str, Any] = {
    "templates": {"notes": "{{ x }}", "lines": ["{% x %}", "#jinja2: x", "a\\b", "[1]"]},
    "plain values": {"text": "x", "number": 83, "float": 8.1, "switch": True, "null": None},
    "a list": [{"a": []}, {}, ""],
    "a text": "{{ x }}",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_what_was_written_is_read_as_it_was(value: Any) -> None:
    assert read(write(value)) == value


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_json_without_marks_is_read_too(value: Any) -> None:
    assert read(json.dumps(value)) == value


def test_each_text_that_could_be_a_template_is_marked() -> None:
    marked = {"__ansible_unsafe": "{{ x }}"}
    assert json.loads(write({"notes": "{{ x }}", "city": "Berlin"})) == {
        "city": "Berlin",
        "notes": marked,
    }


@pytest.mark.parametrize("text", ["", "{", "x", "[" * 9000, "{}{}"])
def test_what_is_no_json_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(AnsibleFilterError) as failure:
        read(text)

    assert "hosting.panel.panel_from_json: the input is no JSON" in str(failure.value)
