"""hosting.panel.panel_displayed_path: paths in messages of the roles."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_displayed_path import (
    panel_displayed_path,
)


@pytest.mark.parametrize(
    ("path", "is_job", "displayed"),
    [
        ("{project}/moves/acme.json", True, "moves/acme.json"),
        ("{project}/..moves", True, "..moves"),
        ("{project}/moves/acme.json", False, "{project}/moves/acme.json"),
        ("/keys/acme.yml", True, "/keys/acme.yml"),
        ("", True, ""),
    ],
)
def test_in_a_job_a_path_begins_in_the_project_if_it_leads_there(
    path: str, is_job: bool, displayed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    absolute = path.format(project=tmp_path)
    assert panel_displayed_path(absolute, is_job) == displayed.format(project=tmp_path)
