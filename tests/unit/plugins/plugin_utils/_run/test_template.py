"""A template is compiled once, and each time where nothing can be kept."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import jinja2
import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run.template import rendered


@pytest.mark.parametrize(("can_be_kept", "times"), [(True, 1), (False, 2)])
def test_a_template_is_compiled_again_only_after_a_change(tmp_path: Path, can_be_kept: bool, times: int) -> None:
    template, kept = tmp_path / "page.md.j2", tmp_path / ("__pycache__" if can_be_kept else "elsewhere")
    kept.mkdir()
    parse = jinja2.Environment._parse
    with mock.patch.object(jinja2.Environment, "_parse", autospec=True, side_effect=parse) as parsed:
        for sign in "?!":
            template.write_text(f"{{{{ name }}}}{sign}", encoding="utf-8")
            assert [rendered(template, {"name": name}) for name in "ab"] == [f"a{sign}", f"b{sign}"]
    assert parsed.call_count == 2 * times
    # Others than these are files that ansible-galaxy collection verify does not know.
    assert {path.suffix for path in kept.iterdir()} <= {".pyc"}
