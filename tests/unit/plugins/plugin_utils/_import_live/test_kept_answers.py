"""What a live panel has answered is kept encrypted, and a later import reads it without the
panel."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from tests.support.froxlor_source import make_answer_bodies, make_froxlor_rows
from tests.support.in_memory import VAULT, InMemory
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import make_answers
from tests.support.live_imports import import_live
from tests.support.source_server import SourceServer, serve

PANELS = ("ispconfig", "froxlor")
OTHER_VAULT = VaultLib(secrets=[("default", VaultSecret(b"another"))])


def make_server(panel: str) -> SourceServer:
    """Return a small panel."""
    if panel == "ispconfig":
        return SourceServer(make_answers(make_sample()))
    return SourceServer(make_answer_bodies(make_froxlor_rows()))


@pytest.fixture
def server() -> SourceServer:
    """Return a small ISPConfig."""
    return make_server("ispconfig")


@pytest.fixture
def url(server: SourceServer) -> Iterator[str]:
    """Yield where it answers."""
    with serve(server, server.answer_ispconfig) as address:
        yield address


def keep(url: str, folder: Path, panel: str = "ispconfig", **options: Any) -> dict[str, Any]:
    """Import a live panel, and keep its answers."""
    kept = {"source_dump_dir": str(folder / "answers"), **options}
    return import_live(panel, url, folder, **kept)


def read_contents(folder: Path) -> dict[str, bytes]:
    """Return what each file below a directory holds."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("panel", PANELS)
def test_kept_answers_give_the_same_directory_without_the_panel(tmp_path: Path, panel: str) -> None:
    server = make_server(panel)
    answer = server.answer_froxlor if panel == "froxlor" else server.answer_ispconfig
    with serve(server, answer) as url:
        live = keep(url, tmp_path, panel)
    before = read_contents(tmp_path / "panel")

    result = InMemory().run(
        "panel_import", source=panel, path=str(tmp_path / "answers"), dir=str(tmp_path / "panel")
    )

    assert live["changed"]
    assert result["changed"] is False
    assert read_contents(tmp_path / "panel") == before
    assert result["carried"] == live["carried"]
    assert result["left_out"] == live["left_out"]


def test_kept_answers_are_encrypted_and_for_their_owner_alone(url: str, tmp_path: Path) -> None:
    keep(url, tmp_path)

    assert stat.S_IMODE((tmp_path / "answers").stat().st_mode) == 0o700
    for path in (tmp_path / "answers").iterdir():
        assert path.read_bytes().startswith(b"$ANSIBLE_VAULT;")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_run_keeps_the_files_of_equal_answers(
    server: SourceServer, url: str, tmp_path: Path
) -> None:
    keep(url, tmp_path)
    before = read_contents(tmp_path / "answers")
    server.bodies["server_ip_get"]["response"].append(
        {**server.bodies["server_ip_get"]["response"][0], "server_ip_id": "9"}
    )

    result = keep(url, tmp_path)

    after = read_contents(tmp_path / "answers")
    assert [name for name in after if after[name] != before[name]] == ["server_ip_get.json"]
    assert result["changed"] is False


def test_check_mode_keeps_nothing(url: str, tmp_path: Path) -> None:
    assert keep(url, tmp_path, check_mode=True)["changed"]

    assert read_contents(tmp_path) == {}


def test_an_import_that_fails_keeps_nothing(url: str, tmp_path: Path) -> None:
    assert keep(url, tmp_path, clients=["nobody"])["failed"]

    assert read_contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"vault": VaultLib(), "passwords": "new"},
            "source_dump_dir: this run has no Vault password",
        ),
        ({"source_dump_dir": "{}/panel/answers"}, "source_dump_dir: "),
        ({"source_dump_dir": "{}/panel"}, "source_dump_dir: "),
        ({"source_dump_dir": "{}"}, "dir: "),
        ({"source_dump_dir": "{}/file"}, "source_dump_dir: "),
        ({"source_url": None, "path": "{}/file"}, "source_dump_dir: there are no answers to keep"),
    ],
)
def test_a_directory_in_which_nothing_can_be_kept_is_named_before_the_panel_is_asked(
    server: SourceServer, url: str, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    paths = {
        name: value.format(tmp_path) if isinstance(value, str) else value
        for name, value in options.items()
    }

    result = keep(url, tmp_path, **paths)

    assert result["failed"]
    assert result["msg"].startswith(message), result["msg"]
    assert "Nothing was written." in result["msg"]
    assert server.asked == []
    assert read_contents(tmp_path) == {"file": b"mine"}


def test_a_file_that_no_run_kept_is_never_replaced(
    server: SourceServer, url: str, tmp_path: Path
) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "client_get.json").write_text("[]", encoding="utf-8")

    result = keep(url, tmp_path)

    assert "client_get.json: that file is not encrypted" in result["msg"]
    assert server.asked == []
    assert read_contents(tmp_path) == {"answers/client_get.json": b"[]"}


def test_answers_that_the_panel_does_not_give_any_more_are_named(url: str, tmp_path: Path) -> None:
    stale = tmp_path / "answers" / "client_get_groupid.99.json"
    stale.parent.mkdir()
    stale.write_bytes(VAULT.encrypt(b"100", secret=VAULT.secrets[0][1]))

    result = keep(url, tmp_path)

    assert "has files that this panel did not answer: client_get_groupid.99.json." in result["msg"]
    assert list(read_contents(tmp_path)) == ["answers/client_get_groupid.99.json"]


def test_answers_of_another_vault_password_are_not_replaced(url: str, tmp_path: Path) -> None:
    keep(url, tmp_path)
    before = read_contents(tmp_path / "answers")

    result = keep(url, tmp_path, dir=str(tmp_path / "second"), vault=OTHER_VAULT)

    assert "no Vault password of this run decrypts that file." in result["msg"]
    assert read_contents(tmp_path / "answers") == before
    assert not (tmp_path / "second").exists()
