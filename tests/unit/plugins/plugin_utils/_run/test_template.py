"""A template is compiled once, and each time where nothing can be kept."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import jinja2

from ansible_collections.hosting.panel.plugins.plugin_utils._run.template import rendered


def test_a_template_is_compiled_again_only_after_a_change(tmp_path: Path) -> None:
    template, kept = tmp_path / "page.md.j2", tmp_path / "__pycache__"
    parsed = mock.patch.object(jinja2.Environment, "_parse", autospec=True, side_effect=jinja2.Environment._parse)
    for text, can_be_kept, times in (
        ("Hello {{ name }}", False, 2),
        ("Hello {{ name }}", True, 1),
        ("{{ name }}!", True, 1),
    ):
        template.write_text(text, encoding="utf-8")
        if can_be_kept:
            kept.mkdir(exist_ok=True)
        with parsed as parse:
            assert [rendered(template, {"name": name}) for name in "ab"] == [
                text.replace("{{ name }}", name) for name in "ab"
            ]
        assert parse.call_count == times
    # Others than these are files that ansible-galaxy collection verify does not know.
    assert {path.suffix for path in kept.iterdir()} == {".pyc"}
