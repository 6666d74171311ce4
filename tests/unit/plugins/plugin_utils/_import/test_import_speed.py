"""An import takes time and memory as its source grows, apart from logs that nobody needs."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from tests.support.in_memory import VAULT, InMemory
from tests.support.large_sources import write_large_dump

PANELS = ("ispconfig", "froxlor")
_TRIES = 3
# The dump of a froxlor has no users of the database server, which another file shows.
PASSWORDS = {"ispconfig": {"kept": 39, "new": 0}, "froxlor": {"kept": 36, "new": 3}}


@pytest.fixture
def encrypt_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Encrypt without deriving keys, which take nearly all of the time, the same for each value."""
    ciphertext = VAULT.encrypt("x", secret=VAULT.secrets[0][1])
    monkeypatch.setattr(VaultLib, "encrypt", lambda *_arguments, **_options: ciphertext)


def make_dump(panel: str, folder: Path, customers: int, megabytes: int = 0) -> Path:
    """Return a dump of so many customers, in a folder of its own."""
    dump = folder / f"{customers}-{megabytes}" / "dump.sql"
    dump.parent.mkdir()
    write_large_dump(panel, dump, customers, megabytes)
    return dump


def import_dump(panel: str, dump: Path) -> dict[str, Any]:
    """Import a dump into a directory beside it, and return the result."""
    directory = dump.parent / "panel"
    shutil.rmtree(directory, ignore_errors=True)
    return InMemory().run("panel_import", source=panel, path=str(dump), dir=str(directory))


def measure_seconds(work: Callable[[], Any]) -> float:
    """Return the time of a processor that something takes."""
    begin = process_time()
    work()
    return process_time() - begin


def measure_memory(work: Callable[[], Any]) -> int:
    """Return the bytes that something has at most."""
    tracemalloc.start()
    work()
    _current, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.mark.long
@pytest.mark.usefixtures("encrypt_at_once")
@pytest.mark.parametrize("panel", PANELS)
def test_ten_times_as_many_customers_take_about_ten_times_as_long(
    tmp_path: Path, panel: str
) -> None:
    tenth_dump = make_dump(panel, tmp_path, 10)
    whole_dump = make_dump(panel, tmp_path, 100)
    import_dump(panel, tenth_dump)
    ratios = []
    for _try in range(_TRIES):
        tenth = measure_seconds(lambda: import_dump(panel, tenth_dump))
        whole = measure_seconds(lambda: import_dump(panel, whole_dump))
        ratios.append(whole / tenth)
        if ratios[-1] < 15:
            return
    pytest.fail(f"{ratios}: the square would be 100")


@pytest.mark.parametrize("panel", PANELS)
def test_logs_and_traffic_of_a_dump_take_no_memory(tmp_path: Path, panel: str) -> None:
    bare_dump = make_dump(panel, tmp_path, 2)
    filled_dump = make_dump(panel, tmp_path, 2, megabytes=20)
    assert filled_dump.stat().st_size > 20_000_000
    import_dump(panel, bare_dump)

    bare = measure_memory(lambda: import_dump(panel, bare_dump))
    filled = measure_memory(lambda: import_dump(panel, filled_dump))

    assert filled < bare + 8_000_000


@pytest.mark.parametrize("panel", PANELS)
def test_each_row_of_a_large_panel_arrives(tmp_path: Path, panel: str) -> None:
    result = import_dump(panel, make_dump(panel, tmp_path, 3))

    assert result["counts"]["clients"] == 3
    assert result["counts"]["domains"] == 6
    assert result["passwords"] == PASSWORDS[panel]
    left_out = {entry["source"] for entry in result["left_out"] if "field" not in entry}
    assert left_out <= {"panel_admins:1"}
