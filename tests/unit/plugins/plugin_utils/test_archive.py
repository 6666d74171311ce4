"""The module panel_archive.

Everything about a client as a folder, whole and verified or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._archive import (
    archive_directory,
    client_documents,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._archive.archive_content import (
    ArchiveFiles,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run import unfinished
from ansible_collections.hosting.panel.plugins.plugin_utils._zone_file.zone_to_text import (
    write_zone_text,
)
from tests.support import memory, pem
from tests.support.in_memory import InMemory
from tests.support.mixed_panel import make_mixed_objects

pytestmark = pytest.mark.long

CLIENT = "client-001"
DELETION = {"clients": [{"username": CLIENT, "state": "absent"}]}
CERTIFICATE = {name: pem.make_texts()[f"one.{name}"] for name in ("private_key", "certificate")}
SECRETS = {"password_hashes": "written_and_shown", "shows_private_keys": True}


@pytest.fixture
def panel() -> InMemory:
    """Make a panel with something of every kind, and secrets."""
    return InMemory(make_mixed_objects(pem.make_texts(), clients=3), **SECRETS)


def archive_client(panel: InMemory, folder: Path, **options: Any) -> dict[str, Any]:
    """Archive the client."""
    return panel.run(
        "panel_archive", **{"username": CLIENT, "dir": str(folder / "archives"), **options}
    )


def plan_deletion(panel: InMemory) -> dict[str, Any]:
    """Return the planned deletion of the client."""
    plan = panel.run("panel_resources", resources=DELETION, max_deletes=1000, check_mode=True)[
        "plan"
    ]
    action: dict[str, Any] = plan["actions"][0]
    return action


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a directory."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read_document(result: dict[str, Any], name: str) -> Any:
    """Return the content of a file of the archive."""
    return json.loads((Path(result["archive"]) / name).read_text(encoding="utf-8"))


def get_id(panel: InMemory, kind: str, name: str) -> int:
    """Return the id of the object that has a name."""
    return next(
        int(item["id"]) for item in panel.list_objects(kind) if name in map(str, item.values())
    )


def test_the_traffic_of_all_earlier_months_is_read_by_the_run_of_a_single_module(
    panel: InMemory, tmp_path: Path
) -> None:
    result = archive_client(panel, tmp_path)
    client = f"/clients/{result['id']}"
    paths = [request["path"] for request in panel.log]
    reads = [path.removeprefix(client) for path in paths if path in (client, f"{client}/traffic")]

    traffic = read_document(result, "traffic.json")

    # Each module that reads the client by id begins with the client itself.
    assert reads.count("") == 1
    assert reads.count("/traffic") == 12
    assert len(traffic) == 12


def test_everything_of_the_client_and_nothing_of_others_is_archived_for_its_owner_only(
    panel: InMemory, tmp_path: Path
) -> None:
    predicted = archive_client(panel, tmp_path, check_mode=True)
    assert predicted["changed"] is True
    assert list(tmp_path.iterdir()) == []

    result = archive_client(panel, tmp_path)
    owner = get_id(panel, "clients", CLIENT)

    assert result["exists"] is True
    assert result["id"] == owner
    assert panel.writes == []
    assert result["archive"] == predicted["archive"]
    assert result["archive"].endswith(f"-{owner}")

    for kind, count in result["objects"].items():
        owned_ids = [
            item["id"] for item in panel.list_objects(kind) if item.get("id_user") == owner
        ]
        assert [item["id"] for item in read_document(result, f"{kind}.json")] == owned_ids
        assert len(owned_ids) == count

    assert len(read_document(result, "traffic.json")) == 12
    assert read_document(result, "stats.json")["email_accounts"]["value"] == 3

    names = set(read_document(result, "manifest.json")["files"])
    assert {
        "zones/client-001.xn--mller-kva.example.zone",
        "certificates/client-001_2026.pem",
        "rebuild.yml",
    } <= names

    modes = {
        (path.is_dir(), path.stat().st_mode & 0o777) for path in (tmp_path / "archives").rglob("*")
    }

    assert modes == {(True, 0o700), (False, 0o600)}

    texts = b"".join(read_files(tmp_path).values()).decode()
    hidden = {
        str(v)
        for client in panel.panel.store.list_all("clients")
        for n, v in client.hidden.items()
        if v
    }

    assert "PRIVATE KEY" not in texts
    assert hidden
    assert [secret for secret in hidden if secret in texts] == []


def test_an_archive_that_is_whole_is_written_again_only_when_the_client_has_something_else(
    panel: InMemory, tmp_path: Path
) -> None:
    first = archive_client(panel, tmp_path)
    before = read_files(tmp_path)
    panel.run("panel_client", username=CLIENT, is_suspended=True)

    second_run = archive_client(panel, tmp_path)

    assert second_run["changed"] is False, "being suspended is not content"
    assert read_files(tmp_path) == before, "being suspended is not content"

    panel.run("panel_database", database_name="client-001_shop", state="absent")
    fewer = archive_client(panel, tmp_path)

    assert fewer["earlier"].startswith(f"{first['archive']}.")
    assert read_files(Path(fewer["earlier"])) == {
        name.partition("/")[2].partition("/")[2]: content for name, content in before.items()
    }


def test_a_damaged_archive_is_kept_and_a_whole_one_is_written(
    panel: InMemory, tmp_path: Path
) -> None:
    result = archive_client(panel, tmp_path)
    (Path(result["archive"]) / "emails.json").write_text("[]", encoding="utf-8")

    second_run = archive_client(panel, tmp_path)

    assert second_run["changed"]
    assert (Path(second_run["earlier"]) / "emails.json").read_text(encoding="utf-8") == "[]"
    assert len(read_document(second_run, "emails.json")) == 3


def test_what_came_or_went_since_the_plan_is_an_error_before_anything_is_written(
    panel: InMemory, tmp_path: Path
) -> None:
    deletion = plan_deletion(panel)
    assert archive_client(panel, tmp_path, expected=deletion, check_mode=True)["changed"]

    old = get_id(panel, "databases", "client-001_shop")
    panel.run("panel_database", id=old, state="absent")
    panel.run(
        "panel_database", database_name="client-001_shop", client=CLIENT, password="Canary-12345"
    )
    new = get_id(panel, "databases", "client-001_shop")

    result = archive_client(panel, tmp_path, expected=deletion)

    assert result["failed"]
    assert list(tmp_path.iterdir()) == []
    assert result["error"]["type"] == "ClientChanged"

    message = f"database client-001_shop (id {old}) was removed, database client-001_shop (id {new}) was added. Nothing was written."
    assert message in result["msg"]

    nobody = archive_client(panel, tmp_path, expected={})
    assert nobody["failed"]
    assert f"client {CLIENT} (id {get_id(panel, 'clients', CLIENT)}) was added" in nobody["msg"]


def test_an_object_that_goes_while_the_client_is_read_is_an_error(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = memory.answer_call
    number = get_id(panel, "clients", CLIENT)

    def answer_as_gone(session: Any, call: Any) -> Any:
        return real(
            session,
            replace(call, path="/clients/999") if call.path == f"/clients/{number}" else call,
        )

    monkeypatch.setattr(memory, "answer_call", answer_as_gone)

    result = archive_client(panel, tmp_path)

    assert result["failed"], result
    assert f"with id {number}: it was removed while the client was read" in result["msg"], result
    assert list(tmp_path.iterdir()) == []


def test_what_rebuild_yml_lacks_is_in_result_and_manifest(panel: InMemory, tmp_path: Path) -> None:
    """Archive a client with a scheduled task whose command has a password in it."""
    assert "rebuild.yml" not in archive_client(panel, tmp_path)["left_out"]

    command = "curl https://me:geheim-1Q@x.example/cron"
    task = {"client": CLIENT, "description": "nightly", "type": "exec", "command": command}

    creation = panel.run("panel_resources", resources={"scheduled_tasks": [task]})

    assert not creation.get("failed"), creation["msg"]

    predicted = archive_client(panel, tmp_path, check_mode=True)
    result = archive_client(panel, tmp_path)

    assert (
        predicted["left_out"]
        == result["left_out"]
        == read_document(result, "manifest.json")["left_out"]
    )

    lacking = result["left_out"]["rebuild.yml"]
    assert lacking.startswith(f"It lacks scheduled_tasks {CLIENT}:nightly (")
    assert "it holds a secret" in lacking
    assert "geheim-1Q" not in json.dumps(result)


USUAL = [
    {"host": "@", "type": "MX", "ttl": 3600, "value": "10 mail.acme.example."},
    {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.1"},
]
SOA = {
    "ttl": 86400,
    "primary_ns": "ns1.acme.example.",
    "rname": "hostmaster.acme.example.",
    "refresh": 1,
    "retry": 1,
    "expire": 1,
    "minimum": 1,
}
ODD = {
    "no address": {"host": "a", "type": "A", "ttl": 300, "value": "999.1.1.1"},
    "a negative time": {"host": "b", "type": "A", "ttl": -1, "value": "192.0.2.1"},
    "a blank in the host": {"host": "a b", "type": "A", "ttl": 300, "value": "192.0.2.1"},
    "no host to take mail": {"host": "c", "type": "MX", "ttl": 300, "value": "10 192.0.2.1"},
    "outside": {"host": "ns1.other.example.", "type": "A", "ttl": 300, "value": "192.0.2.1"},
    "two lines": {"host": "d", "type": "A", "ttl": 300, "value": "1\nevil 300 IN A 192.0.2.2"},
    "no value": {"host": "e", "type": "A", "ttl": 300, "value": ""},
}


@pytest.mark.parametrize("record", ODD.values(), ids=ODD)
def test_a_zone_file_has_all_but_an_odd_record_and_a_comment_for_it(record: dict[str, Any]) -> None:
    records = [USUAL[0], record, USUAL[1]]
    zone = {"id": 1, "domain": "acme.example", "records": {"soa": SOA, "other": records}}

    files_of_archive = ArchiveFiles({"dns": [zone], "certificates": []})

    text = files_of_archive.contents["zones/acme.example.zone"].decode()
    *lines, comment = text.splitlines()
    assert [line.split()[3] for line in lines[2:]] == ["SOA", "MX", "A"]
    assert comment.startswith("; left out: acme.example: records[1]")
    reason = files_of_archive.left_out["zones/acme.example.zone"]
    assert reason.startswith("It lacks what is in dns.json only: acme.example: records[1]")


def test_a_zone_file_without_odd_records_lacks_nothing() -> None:
    zone = {"id": 1, "domain": "acme.example", "records": {"soa": SOA, "other": USUAL}}

    files_of_archive = ArchiveFiles({"dns": [zone], "certificates": []})

    text = files_of_archive.contents["zones/acme.example.zone"].decode()
    assert (files_of_archive.left_out, ";" in text) == ({}, False)
    assert text == write_zone_text(zone)[0]


def test_a_zone_file_lacks_an_soa_record_that_no_zone_file_can_have() -> None:
    soa = {**SOA, "rname": "two words"}
    zone = {"id": 1, "domain": "acme.example", "records": {"soa": soa, "other": USUAL}}

    files_of_archive = ArchiveFiles({"dns": [zone], "certificates": []})

    text = files_of_archive.contents["zones/acme.example.zone"].decode()
    assert "; left out: acme.example: soa" in text
    assert "www" in text


@pytest.mark.parametrize("username", ["", " "])
def test_an_empty_username_is_named_before_any_request(
    panel: InMemory, tmp_path: Path, username: str
) -> None:
    """Refuse what names no client, and make no directory."""
    panel.log.clear()
    result = archive_client(panel, tmp_path, username=username)

    assert result["failed"]
    assert result["msg"].startswith("username: is empty; name a client.")
    assert panel.log == []
    assert not (tmp_path / "archives").exists()


def test_a_client_that_is_gone_needs_a_whole_archive(panel: InMemory, tmp_path: Path) -> None:
    nowhere = archive_client(panel, tmp_path, username="nobody")
    assert nowhere["failed"]
    assert "no archive of it. Nothing was written. Check username and dir." in nowhere["msg"]

    names = {"username": "offboard_client", "dir": "offboard_archive_dir"}
    of_role = archive_client(
        panel, tmp_path, username="nobody", task_vars={"__panel_option_names": names}
    )
    assert of_role["msg"].endswith("Check offboard_client and offboard_archive_dir.")

    first = archive_client(panel, tmp_path)
    panel.run("panel_resources", resources=DELETION, max_deletes=1000)

    archived = archive_client(panel, tmp_path, expected={})

    assert archived["changed"] is False
    assert archived["exists"] is False
    assert archived["archive"] == first["archive"]

    (Path(first["archive"]) / "emails.json").unlink()
    damaged = archive_client(panel, tmp_path)

    assert damaged["failed"]
    assert "emails.json is missing or was changed" in damaged["msg"]
    assert damaged["msg"].endswith("changed. Restore it from a backup.")


def test_of_many_damaged_files_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    flaws = tuple(f"{letter}.json is missing or was changed" for letter in "abcdefg")

    archive = archive_directory.Archive(tmp_path, {}, flaws)

    assert archive.describe_flaws() == "; ".join([*flaws[:5], "and 2 more"])


def test_only_the_newest_archive_of_a_client_that_is_gone_is_read_whole(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Path(archive_client(panel, tmp_path)["archive"])
    panel.run("panel_resources", resources=DELETION, max_deletes=1000)
    for name, field, value in (
        ("older", "archived_at", "2020-01-01T00:00:00+00:00"),
        ("another client", "client", "other"),
        ("another panel", "panel", "other.example"),
    ):
        copy = shutil.copytree(first, first.parent / name)
        manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
        (copy / "manifest.json").write_text(json.dumps({**manifest, field: value}), "utf-8")
    compute = archive_directory._compute_checksum_of_file
    checked: list[Path] = []

    def note(path: Path) -> str:
        checked.append(path)
        return compute(path)

    monkeypatch.setattr(archive_directory, "_compute_checksum_of_file", note)

    archived = archive_client(panel, tmp_path, expected={})

    assert archived["archive"] == str(first)
    assert {path.relative_to(first.parent).parts[0] for path in checked} == {first.name}


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "real"])
@pytest.mark.parametrize("sort", ["file", "link"])
def test_a_folder_that_holds_anything_else_is_refused(
    panel: InMemory, tmp_path: Path, sort: str, check_mode: bool
) -> None:
    path = Path(archive_client(panel, tmp_path)["archive"])

    if sort == "file":
        (path / "shop.sql").write_text("INSERT", encoding="utf-8")
    else:
        (path / "link").symlink_to(tmp_path)

    before = read_files(tmp_path)

    result = archive_client(panel, tmp_path, check_mode=check_mode)

    assert result["failed"]
    assert {"file": "shop.sql", "link": "link"}[sort] in result["msg"]
    assert read_files(tmp_path) == before


@pytest.mark.parametrize("fault", ["a full disk", "a disk that changes what it holds"])
def test_the_old_archive_stays_when_the_new_one_cannot_be_written(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    archive_client(panel, tmp_path)
    before = read_files(tmp_path)
    panel.run("panel_database", database_name="client-001_shop", state="absent")

    def raise_disk_full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    def write_spoilt(path: Path, content: bytes) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content[:-1])

    if fault == "a full disk":
        monkeypatch.setattr(os, "fsync", raise_disk_full)
    else:
        monkeypatch.setattr(archive_directory, "_write_file", write_spoilt)

    result = archive_client(panel, tmp_path)
    ending = r"\. No archive was written\. Check that place and run again\.$"

    assert result["failed"], result
    assert re.search(f"(No space left on device|disk does not hold.*){ending}", result["msg"]), (
        result
    )
    assert read_files(tmp_path) == before


def test_a_name_from_the_panel_never_leaves_the_folder(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "..", "?"]
    seed = {
        "clients": [{"username": "acme"}],
        "certificates": [
            {"name": name, "client": "acme", "components": CERTIFICATE} for name in names
        ],
    }

    result = archive_client(InMemory(seed), tmp_path, username="acme")
    certificates = {path.name for path in (Path(result["archive"]) / "certificates").iterdir()}

    assert certificates == {"_-2.pem", "_.pem", "_.._etc_passwd.pem"}


def test_older_months_stay_in_the_next_archive(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(client_documents, "_MONTHS", 13)
        oldest = min(read_document(archive_client(panel, tmp_path), "traffic.json"))

    panel.run("panel_client", username=CLIENT, notes="new")

    result = archive_client(panel, tmp_path)

    assert oldest in read_document(result, "traffic.json")
    assert "earlier" not in result
    assert [path.name for path in (tmp_path / "archives").iterdir()] == [
        Path(result["archive"]).name
    ]


@pytest.mark.parametrize("renames", [1, 2])
def test_the_old_archive_survives_a_run_that_is_killed_at_one_of_its_two_renames(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    path = Path(archive_client(panel, tmp_path)["archive"])
    before = read_files(path)
    panel.run("panel_client", username=CLIENT, notes="new")
    real = os.rename
    countdown = [renames]

    def rename_until_killed(old: Any, new: Any) -> None:
        countdown[0] -= 1
        if not countdown[0]:
            raise KeyboardInterrupt
        real(old, new)

    monkeypatch.setattr(os, "rename", rename_until_killed)
    monkeypatch.setattr(unfinished.shutil, "rmtree", lambda *_arguments, **_options: None)

    with pytest.raises(KeyboardInterrupt):
        archive_client(panel, tmp_path)

    monkeypatch.undo()
    old = [archive for archive in path.parent.iterdir() if not archive.name.startswith(".")]

    assert [read_files(archive) for archive in old] == [before]

    result = archive_client(panel, tmp_path)
    assert result["changed"] is True
    assert Path(result["archive"]) == path
    assert [entry for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


# What is deleted is an archive's own.


def test_what_an_operator_keeps_beside_an_archive_stays(panel: InMemory, tmp_path: Path) -> None:
    path = Path(archive_client(panel, tmp_path)["archive"])
    beside = [
        path.with_name(f".{path.name}.{name}")
        for name in ("backup", "2026", "old.hosting-panel-unfinished.tar")
    ]

    for folder in beside:
        folder.mkdir()
        (folder / "shop.sql").write_text("INSERT", encoding="utf-8")

    panel.run("panel_client", username=CLIENT, notes="new")

    result = archive_client(panel, tmp_path)

    assert result["changed"]
    assert [(folder / "shop.sql").is_file() for folder in beside] == [True] * 3


def test_the_folder_that_another_run_is_writing_stays(panel: InMemory, tmp_path: Path) -> None:
    path = Path(archive_client(panel, tmp_path)["archive"])
    panel.run("panel_client", username=CLIENT, notes="new")

    with unfinished.make_unfinished_folder(path) as theirs:
        (theirs / "emails.json").write_text("[]", encoding="utf-8")
        assert archive_client(panel, tmp_path)["changed"]
        assert (theirs / "emails.json").is_file()

    assert not theirs.exists()


def test_a_file_that_somebody_adds_while_the_archive_is_replaced_stays(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(archive_client(panel, tmp_path)["archive"])
    panel.run("panel_client", username=CLIENT, notes="new")
    real = os.rename

    def rename_after_addition(old: Any, new: Any) -> None:
        if Path(old) == path:
            (path / "shop.sql").write_text("INSERT", encoding="utf-8")
        real(old, new)

    monkeypatch.setattr(os, "rename", rename_after_addition)

    assert archive_client(panel, tmp_path)["changed"]

    (kept_file,) = path.parent.glob("*/shop.sql")
    assert read_files(kept_file.parent) == {"shop.sql": b"INSERT"}


def test_a_manifest_that_names_files_elsewhere_removes_none_of_them(
    panel: InMemory, tmp_path: Path
) -> None:
    path = Path(archive_client(panel, tmp_path)["archive"])
    outside = tmp_path / "keep.txt"
    outside.write_text("mine", encoding="utf-8")
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"]["../../keep.txt"] = {"sha256": hashlib.sha256(b"mine").hexdigest()}
    (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    panel.run("panel_client", username=CLIENT, notes="new")

    assert archive_client(panel, tmp_path)["changed"]
    assert outside.read_text(encoding="utf-8") == "mine"


DEEP = "[" * 90_000 + "]" * 90_000


def test_an_archive_whose_manifest_is_nested_too_deeply_is_damaged(
    panel: InMemory, tmp_path: Path
) -> None:
    """Archive a client again over a manifest that Python cannot read."""
    path = Path(archive_client(panel, tmp_path)["archive"])
    (path / "manifest.json").write_text(DEEP, encoding="utf-8")

    result = archive_client(panel, tmp_path)

    assert result["msg"].startswith(f"{path}: not part of")


def test_an_archive_with_a_file_that_is_nested_too_deeply_is_named(
    panel: InMemory, tmp_path: Path
) -> None:
    """Archive a client again over a file that Python cannot read, and whose checksum is right."""
    path = Path(archive_client(panel, tmp_path)["archive"])
    file = path / "emails.json"
    file.write_text(DEEP, encoding="utf-8")
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"]["emails.json"]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    result = archive_client(panel, tmp_path)

    assert result["msg"] == f"{file}: cannot be read. Nothing was written. Move this archive away."


@pytest.mark.parametrize("folder", [".git", "zones/own", "own"])
def test_an_empty_folder_that_no_archive_made_is_refused_and_stays(
    panel: InMemory, tmp_path: Path, folder: str
) -> None:
    archive = Path(archive_client(panel, tmp_path)["archive"])
    (archive / folder).mkdir()
    before = read_files(archive)
    panel.run("panel_client", username=CLIENT, notes="changed")

    result = archive_client(panel, tmp_path)

    assert result["msg"] == (
        f"{archive}: not part of the archive: {folder}. Nothing was written. Move that elsewhere."
    )
    assert (archive / folder).is_dir()
    assert read_files(archive) == before


def test_a_folder_that_came_into_an_archive_is_not_removed_with_it(tmp_path: Path) -> None:
    for name in ("zones/a.zone", "manifest.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "zones" / "own").mkdir()
    (tmp_path / "own").mkdir()

    archive_directory.remove_archive(tmp_path, {"files": {"zones/a.zone": {}}})

    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "own",
        "zones",
        "zones/own",
    ]
