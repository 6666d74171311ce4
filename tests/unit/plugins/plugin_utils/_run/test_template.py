"""A template is rendered as it is now, and nothing is written for it."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.hosting.panel.plugins.plugin_utils._run.template import render_template


def test_a_template_counts_as_it_is_now(tmp_path: Path) -> None:
    template = tmp_path / "page.md.j2"
    texts = []

    for sign in "?!":
        template.write_text(f"{{{{ name }}}}{sign}", encoding="utf-8")
        texts.append(render_template(template, {"name": "a"}))

    assert texts == ["a?", "a!"]


def test_nothing_is_written_beside_a_template(tmp_path: Path) -> None:
    template = tmp_path / "page.md.j2"
    template.write_text("{{ name }}", encoding="utf-8")
    (tmp_path / "__pycache__").mkdir()

    render_template(template, {"name": "a"})

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["__pycache__", "page.md.j2"]
