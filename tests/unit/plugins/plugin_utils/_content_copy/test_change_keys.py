"""How the line with the key of a copy comes into authorized_keys, and goes."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.program_file import load_program

PROGRAM = Path(__file__).parents[5] / "roles" / "content" / "files" / "change_keys.py"
FOREIGN = "ssh-ed25519 AAAAForeign admin@example\n"
COPIES = 5


change_keys = load_program(PROGRAM)


def _make_line(mark: str) -> str:
    return f'restrict,command="python3 -I /a b.json" ssh-ed25519 AAAA {mark}'


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """Return a file with the key of somebody else."""
    path = tmp_path / "authorized_keys"
    path.write_text(FOREIGN, encoding="utf-8")
    path.chmod(0o640)
    return path


def test_copies_that_start_at_once_lose_no_key_and_leave_none(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = change_keys._read

    def read_slowly(path: Path) -> bytes:
        text: bytes = read(path)
        time.sleep(0.05)
        return text

    monkeypatch.setattr(change_keys, "_read", read_slowly)
    marks = [f"copy-{number}" for number in range(COPIES)]
    for lines in ([_make_line(mark) for mark in marks], [""] * COPIES):
        with ThreadPoolExecutor(COPIES) as threads:
            list(threads.map(change_keys.change_line, [str(keys)] * COPIES, marks, lines))
        content = keys.read_text(encoding="utf-8").splitlines(keepends=True)
        assert sorted(content) == sorted([FOREIGN, *(f"{line}\n" for line in lines if line)])
    assert [path.name for path in keys.parent.iterdir()] == [keys.name]


class _Held:
    """Holds the lock, as another copy does."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __enter__(self) -> None:
        self._descriptor = os.open(self._directory, os.O_RDONLY)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)


def test_a_lock_that_is_never_free_is_an_error(
    keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(change_keys, "SECONDS", 0.0)
    with _Held(keys.parent):
        assert change_keys.main(["", str(keys), "copy", _make_line("copy")]) == 1

    assert f"{keys} cannot be changed" in capsys.readouterr().err
    assert keys.read_text(encoding="utf-8") == FOREIGN


def test_a_file_keeps_its_mode_and_is_changed_where_a_link_leads(keys: Path) -> None:
    link = keys.parent / "link"
    link.symlink_to(keys)
    (keys.parent / f"{keys.name}.hosting.panel").write_text("of a killed run", encoding="utf-8")

    change_keys.change_line(str(link), "copy", _make_line("copy"))

    assert link.is_symlink()
    assert stat.S_IMODE(keys.stat().st_mode) == 0o640
    assert keys.read_text(encoding="utf-8") == f"{FOREIGN}{_make_line('copy')}\n"
    assert sorted(path.name for path in keys.parent.iterdir()) == [keys.name, "link"]


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "authorized_keys"

    change_keys.change_line(str(path), "copy", _make_line("copy"))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_where_there_is_no_file_none_is_made_to_take_a_key_out(tmp_path: Path) -> None:
    for path in (tmp_path / "keys", tmp_path / "missing" / "keys"):
        change_keys.change_line(str(path), "copy")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (FOREIGN.rstrip(), f"{FOREIGN}new\n"),
        (f"{_make_line('copy')}\n{FOREIGN}", f"{FOREIGN}new\n"),
        (f"{_make_line('copy-2')}\n", f"{_make_line('copy-2')}\nnew\n"),
        ("ssh-ed25519 AAAA copy\n", "ssh-ed25519 AAAA copy\nnew\n"),
        ("# \udcff\r\n", "# \udcff\r\nnew\n"),
    ],
    ids=["no line break", "former key", "another copy", "name of somebody", "no UTF-8"],
)
def test_only_the_line_of_the_copy_is_replaced(before: str, after: str) -> None:
    changed = change_keys.replace_line(os.fsencode(before), b"copy", b"new")

    assert changed == os.fsencode(after)


def test_lines_of_other_copies_go_once_they_have_expired_and_are_named_before(
    keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = 'restrict,expiry-time="{}",command="python3 -I /a b.json" ssh-ed25519 AAAA {}\n'
    mark = "hosting.panel-content-{:016x}"
    today = time.strftime("%Y%m%d")
    expiring, lasting = form.format(today, mark.format(1)), form.format("99991231", mark.format(2))
    strangers = [form.format(today, "admin@example"), form.format("20000101", mark.format(3) + "0")]
    expired = [form.format(day, mark.format(4)) for day in ("20000101", today)]
    text = "".join([FOREIGN, *expired, expiring, lasting, *strangers])
    keys.write_text(text, encoding="utf-8")

    assert change_keys.main(["", str(keys), mark.format(1)]) == 0

    assert keys.read_text(encoding="utf-8") == "".join([FOREIGN, lasting, *strangers])
    leftovers = [{"copy": f"{2:016x}", "path": str(keys), "expires": "99991231"}]
    assert capsys.readouterr().out == f"others {json.dumps(leftovers)}\n"
