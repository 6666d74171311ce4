# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pipe, a device or a socket in the place of a file on the controller is refused, without waiting for it or writing over it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._archive.archive import read_archive
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials.encrypted_file import EncryptedFile, FileError
from ansible_collections.hosting.panel.plugins.plugin_utils._run.controller_files import (
    check_place,
    read_regular,
    refuse_special,
    replace_file,
    try_to_write,
)

VAULT = VaultLib(secrets=[("default", VaultSecret(b"s3cret"))])
SPECIAL = "this is a pipe, a device or a socket, and no regular file; name one that is"


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def socket(path: Path) -> Path:
    os.mknod(path, stat.S_IFSOCK | 0o600)
    return path


def linked(path: Path) -> Path:
    path.symlink_to(pipe(path.with_name("pipe")))
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    "pipe": pipe,
    "link to a pipe": linked,
    "socket": socket,
}


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize(
    "use",
    [
        refuse_special,
        read_regular,
        check_place,
        lambda path: replace_file(path, b"", 0o600),
        lambda path: try_to_write(path, 1),
    ],
)
def test_it_is_neither_read_nor_replaced(tmp_path: Path, made: str, use: Callable[[Path], object]) -> None:
    path = MAKERS[made](tmp_path / "file")
    with pytest.raises(OSError, match=SPECIAL):
        use(path)
    assert not path.is_file()


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (lambda path: EncryptedFile(str(path), VAULT).read(), FileError),
        (lambda path: EncryptedFile(str(path), VAULT).replace({}), FileError),
    ],
)
def test_whoever_names_it_is_told(tmp_path: Path, use: Callable[[Path], object], error: type[Exception]) -> None:
    with pytest.raises(error, match=SPECIAL):
        use(pipe(tmp_path / "panel.yml"))


@pytest.mark.parametrize("use", [check_place, lambda path: try_to_write(path, 1)])
@pytest.mark.parametrize("name", ["one", "one/file"])
def test_links_that_lead_in_a_circle_are_an_error_of_the_system(
    tmp_path: Path, use: Callable[[Path], object], name: str
) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    with pytest.raises(OSError):
        use(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


def test_nobody_waits_for_the_parts_of_an_archive(tmp_path: Path) -> None:
    pipe(tmp_path / "manifest.json")
    archive = read_archive(tmp_path)
    assert archive is not None and archive.flaws


def test_a_missing_file_and_a_folder_are_for_the_caller_to_find(tmp_path: Path) -> None:
    refuse_special(tmp_path)
    refuse_special(tmp_path / "nothing")
    (tmp_path / "file").write_bytes(b"x")
    assert read_regular(tmp_path / "file") == b"x"
