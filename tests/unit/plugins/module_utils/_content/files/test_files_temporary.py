"""Where root makes the directory for files that are not complete."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.files import temporary
from ansible_collections.hosting.panel.plugins.module_utils._content.files.temporary import Owner

NOBODY = Owner("nobody", 65534, 65534)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root alone makes it for others")


def test_a_path_that_leads_to_a_directory_of_another_by_now_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "_is_of_root_alone", lambda _directory: True)
    (tmp_path / "var" / "www").mkdir(parents=True)
    (tmp_path / "x").symlink_to(tmp_path / "var")

    is_made = temporary._make_as_root(NOBODY, str(tmp_path / "x" / "www"), "temporary")

    assert is_made is False
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["www"]


def test_it_is_made_beside_the_tree_and_belongs_to_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "_is_of_root_alone", lambda _directory: True)
    tree = tmp_path / "home" / "www"
    tree.mkdir(parents=True)
    os.chown(tree, NOBODY.uid, NOBODY.gid)

    assert temporary._make_as_root(NOBODY, str(tree), "temporary") is True

    status = (tmp_path / "home" / "temporary").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (65534, 65534, 0o700)
