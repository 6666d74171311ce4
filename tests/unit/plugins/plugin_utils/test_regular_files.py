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
    replace_file,
)

VAULT = VaultLib(secrets=[("default", VaultSecret(b"s3cret"))])
SPECIAL = "that is no regular file; name one that is"


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
        read_regular,
        check_place,
        lambda path: replace_file(path, b"", 0o600),
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


def test_nobody_waits_for_the_parts_of_an_archive(tmp_path: Path) -> None:
    pipe(tmp_path / "manifest.json")
    archive = read_archive(tmp_path)
    assert archive is not None and archive.flaws
