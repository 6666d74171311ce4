"""panel_export against a panel in memory.

Which files it writes, which it leaves alone, and what stays encrypted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._sources.kind_objects import KindObjects
from ansible_collections.hosting.panel.plugins.plugin_utils._folder import file_changes
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import MARK
from tests.support.folder_texts import read_texts
from tests.support.in_memory import VAULT, InMemory

pytestmark = pytest.mark.long

RECORD = {"host": "canary", "type": "TXT", "ttl": 300, "value": "canary of a zone"}
WANTED = {
    "clients": [
        {
            "username": "acme",
            "email": "it@acme.example",
            "password": "geheim-1A",
            "notes": "a canary of acme",
        },
        {"username": "beta", "email": "it@beta.example", "password": "geheim-1B"},
    ],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "dns": [{"domain": "acme.example", "records": [RECORD]}],
    "emails": [
        {
            "email": "info@acme.example",
            "password": "geheim-1C",
            "description": "first",
            "max_size": "1G",
        }
    ],
}


@pytest.fixture
def panel(in_memory: Any) -> InMemory:
    """Make a panel that has what the files describe."""
    memory: InMemory = in_memory()
    result = memory.run("panel_resources", resources=WANTED)
    assert not result.get("failed"), result["msg"]
    return memory


@pytest.fixture
def folder(panel: InMemory, tmp_path: Path) -> Path:
    """The directory of a first export."""
    assert export(panel, tmp_path / "panel")["changed"]
    return tmp_path / "panel"


def export(panel: InMemory, folder: Path, **more: Any) -> dict[str, Any]:
    """Export the panel into a directory."""
    return panel.run("panel_export", dir=str(folder), **more)


def encrypt(text: str, indent: str = "      ") -> str:
    """A text as ``ansible-vault encrypt_string`` writes it."""
    lines = VAULT.encrypt(text, secret=VAULT.secrets[0][1]).decode().splitlines()
    return "!vault |\n" + "\n".join(indent + line for line in lines)


def change(path: Path, old: str, new: str) -> str:
    """Replace a part of a file, and return its text."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return path.read_text("utf-8")


# Which files


def test_a_file_for_each_client_is_written_once_and_check_mode_predicts_it(
    panel: InMemory, folder: Path
) -> None:
    before = read_texts(folder)
    assert sorted(before) == ["clients/acme.yml", "clients/beta.yml", "panel.yml"]
    assert all(text.startswith(MARK) for text in before.values())

    acme = yaml.safe_load(before["clients/acme.yml"])
    assert list(acme) == ["clients", "domains", "dns", "emails"]
    assert acme["emails"][0]["max_size"] == "1G"
    assert "geheim" not in str(before)

    second_run = export(panel, folder)
    assert second_run["changed"] is False
    assert second_run["written"] == []
    assert second_run["removed"] == []
    assert second_run["unchanged"] == 3
    assert second_run["counts"]["clients"] == 2

    panel.run("panel_client", username="beta", notes="Müller")
    predicted = export(panel, folder, check_mode=True, diff=True)

    assert read_texts(folder) == before

    result = export(panel, folder, diff=True)
    assert predicted == result
    assert result["written"] == ["clients/beta.yml"]
    assert "notes: Müller" in result["diff"][0]["after"]


PASSWORDS = VAULT.encrypt("generated_passwords: []", secret=VAULT.secrets[0][1]).decode()
WITHOUT_VAULT = VaultLib()


@pytest.mark.parametrize("name", ["passwords.yml", "{client}.passwords.yml"])
def test_the_file_of_passwords_needs_no_vault_password_and_stays(
    panel: InMemory, folder: Path, name: str
) -> None:
    passwords = folder / name.replace("{client}", "acme")
    passwords.write_text(PASSWORDS, encoding="utf-8")

    refused = export(panel, folder, vault=WITHOUT_VAULT)

    assert refused["failed"]
    assert passwords.name in refused["msg"]

    result = export(panel, folder, vault=WITHOUT_VAULT, credentials_file=str(folder / name))
    assert result["changed"] is False
    assert result["removed"] == []
    assert passwords.read_text("utf-8") == PASSWORDS


def test_a_file_of_passwords_among_those_of_clients_is_read(panel: InMemory, folder: Path) -> None:
    passwords = folder / "clients" / "passwords.yml"
    passwords.write_text(PASSWORDS, encoding="utf-8")

    refused = export(panel, folder, vault=WITHOUT_VAULT, credentials_file=str(passwords))

    assert refused["failed"]
    assert passwords.name in refused["msg"]


def test_the_file_of_a_client_that_is_gone_is_removed_and_no_other(
    panel: InMemory, folder: Path
) -> None:
    for name in ("clients/notes.yml", "README.md", "clients/old.txt"):
        (folder / name).write_text("---\nclients: []\n", "utf-8")

    names = read_texts(folder).keys()
    panel.run("panel_client", username="beta", state="absent")

    result = export(panel, folder)

    assert result["written"] == []
    assert result["removed"] == ["clients/beta.yml"]
    assert read_texts(folder).keys() == names - {"clients/beta.yml"}


@pytest.mark.parametrize("check_mode", [True, False])
def test_the_file_of_a_client_stays_while_the_panel_shows_something_of_it(
    panel: InMemory, folder: Path, check_mode: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_all = KindObjects.fetch_all

    def without_acme(objects: KindObjects, query: Any = None) -> list[dict[str, Any]]:
        return [item for item in fetch_all(objects, query) if item.get("username") != "acme"]

    monkeypatch.setattr(KindObjects, "fetch_all", without_acme)
    before = read_texts(folder)

    result = export(panel, folder, check_mode=check_mode)

    assert result["failed"]
    assert result["msg"] == (
        f"dir: {folder / 'clients/acme.yml'}: this export would remove the file, but the panel still shows its domain acme.example. "
        "No file was written. A warning says why the export leaves that out; set rebuild: true if the file may go."
    )
    assert any("acme.example" in warning for warning in result["warnings"])
    assert read_texts(folder) == before
    assert export(panel, folder, rebuild=True)["removed"] == ["clients/acme.yml"]


def test_clients_writes_their_files_alone(panel: InMemory, folder: Path) -> None:
    for name in read_texts(folder):
        change(folder / name, "---\n", "---\n# edited\n")
    assert export(panel, folder, clients=["acme"])["written"] == ["clients/acme.yml"]
    assert {name for name, text in read_texts(folder).items() if "# edited" in text} == {
        "clients/beta.yml",
        "panel.yml",
    }


def test_a_file_that_an_editor_saved_with_a_mark_of_its_encoding_is_still_of_an_export(
    panel: InMemory, folder: Path
) -> None:
    acme = folder / "clients" / "acme.yml"
    acme.write_text(acme.read_text("utf-8"), "utf-8-sig")
    panel.run("panel_client", username="acme", notes="new")

    assert export(panel, folder)["written"] == ["clients/acme.yml"]
    assert acme.read_text("utf-8").startswith(MARK)


OBSTACLES = {
    "a file of a person": ("clients/beta.yml", "---\nclients: []\n", "not from an export"),
    "an encrypted file": (
        "clients/beta.yml",
        "$ANSIBLE_VAULT;1.1;AES256\n00\n",
        "not from an export",
    ),
    "a damaged file": ("secrets.yml", "$ANSIBLE_VAULT;1.1;AES256\n00\n", "damaged"),
}


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "a real run"])
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_a_file_in_the_way_is_an_error_before_anything_is_written(
    panel: InMemory, folder: Path, obstacle: str, check_mode: bool
) -> None:
    name, text, message = OBSTACLES[obstacle]
    panel.run("panel_client", username="acme", notes="new")
    (folder / name).write_text(text, "utf-8")
    before = read_texts(folder)

    result = export(panel, folder, check_mode=check_mode)

    assert result["failed"]
    assert message in result["msg"]
    assert "No file was written." in result["msg"]
    assert result["error"]["type"] == "FolderError"
    assert read_texts(folder) == before


def test_a_file_in_place_of_the_directory_is_an_error(panel: InMemory, folder: Path) -> None:
    result = export(panel, folder / "panel.yml", check_mode=True)

    assert "Not a directory" in result["msg"]


# What is encrypted


def test_an_encrypted_field_keeps_its_text_and_the_panel_having_another_value_is_a_warning(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    change(path, "- username: acme\n", f"- username: acme\n    password: {encrypt('geheim-1A')}\n")
    change(path, "notes: a canary of acme", f"notes: {encrypt('a canary of acme')}")

    export(panel, folder)
    text = path.read_text("utf-8")

    assert text.count("!vault") == 2
    assert (
        export(panel, folder)["changed"]
        is export(panel, folder, vault=VaultLib())["changed"]
        is False
    )

    panel.run("panel_client", username="acme", notes="a later canary")
    result = export(panel, folder, diff=True)

    assert path.read_text("utf-8") == text

    (warning,) = result["warnings"]
    assert "clients/acme.yml: line" in warning
    assert "notes" in warning
    assert "canary" not in str(result)


def test_one_encrypted_record_keeps_its_text_and_the_others_are_as_on_the_panel(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    line = next(line for line in path.read_text("utf-8").splitlines() if "canary of a zone" in line)
    indent = line[: line.index("-")]
    value = encrypt("canary of a zone", f"{indent}    ")

    change(
        path,
        line,
        f"{indent}- host: canary\n{indent}  type: TXT\n{indent}  ttl: 300\n{indent}  value: {value}",
    )

    assert export(panel, folder)["changed"] is False

    panel.run(
        "panel_dns", domain="acme.example", records=[{**RECORD, "host": "new", "value": "public"}]
    )

    assert export(panel, folder)["written"] == ["clients/acme.yml"]
    assert "canary of a zone" not in path.read_text("utf-8")
    assert "public" in path.read_text("utf-8")


FORWARDING = "canary@elsewhere.example"
MAILBOX = "info@acme.example"


@pytest.fixture
def encrypted_entry(panel: InMemory, folder: Path) -> Path:
    """Return the file whose mailbox has one encrypted forwarding and one in plain text."""
    panel.run("panel_email", email=MAILBOX, forwardings=[FORWARDING, "team@elsewhere.example"])
    export(panel, folder)
    path = folder / "clients/acme.yml"
    change(path, f"- {FORWARDING}\n", f"- {encrypt(FORWARDING, ' ' * 8)}\n")
    assert export(panel, folder)["changed"] is False
    assert "!vault" in path.read_text("utf-8")
    return path


def test_what_the_panel_adds_to_a_list_with_an_encrypted_entry_comes_into_the_file(
    panel: InMemory, folder: Path, encrypted_entry: Path
) -> None:
    panel.run("panel_email", email=MAILBOX, forwardings=[FORWARDING, "new@elsewhere.example"])

    result = export(panel, folder, diff=True)

    text = encrypted_entry.read_text("utf-8")
    assert result["written"] == ["clients/acme.yml"]
    assert "warnings" not in result
    assert "- new@elsewhere.example" in text
    assert "team@elsewhere.example" not in text
    assert text.count("!vault") == 1
    assert FORWARDING not in text + str(result)
    applied = panel.run("panel_resources", resources_dir=str(folder), check_mode=True)
    assert applied["changed"] is False


def test_a_list_stays_with_a_warning_if_the_panel_has_another_value_than_an_encrypted_entry(
    panel: InMemory, folder: Path, encrypted_entry: Path
) -> None:
    before = encrypted_entry.read_text("utf-8")
    panel.run(
        "panel_email",
        email=MAILBOX,
        forwardings=["canary2@elsewhere.example", "team@elsewhere.example"],
    )

    result = export(panel, folder, diff=True)

    (warning,) = result["warnings"]
    assert "clients/acme.yml: line" in warning
    assert f"emails {MAILBOX} forwardings" in warning
    assert encrypted_entry.read_text("utf-8") == before
    assert "canary" not in str(result)


@pytest.mark.parametrize(
    ("additions", "warns"), [([], False), (["new@elsewhere.example"], True)], ids=["same", "added"]
)
def test_a_list_stays_if_nothing_decrypts_its_entry_and_a_warning_names_what_differs_for_sure(
    panel: InMemory, folder: Path, encrypted_entry: Path, additions: list[str], warns: bool
) -> None:
    before = encrypted_entry.read_text("utf-8")
    forwardings = [FORWARDING, "team@elsewhere.example", *additions]
    panel.run("panel_email", email=MAILBOX, forwardings=forwardings)

    result = export(panel, folder, vault=WITHOUT_VAULT)

    assert encrypted_entry.read_text("utf-8") == before
    assert ("warnings" in result) is warns


def test_a_list_that_is_encrypted_as_one_text_stays_and_another_value_is_a_warning(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    panel.run("panel_email", email=MAILBOX, aliases=["b@acme.example", "a@acme.example"])
    export(panel, folder)
    addresses = "b@acme.example, A@ACME.example"
    aliases = "aliases:\n      - a@acme.example\n      - b@acme.example\n"
    change(path, aliases, f"aliases: {encrypt(addresses)}\n")
    unchanged = export(panel, folder)
    panel.run("panel_email", email=MAILBOX, aliases=["c@acme.example"])
    result = export(panel, folder)

    assert unchanged["changed"] is False
    assert "warnings" not in unchanged
    assert result["changed"] is False
    assert "aliases" in result["warnings"][0]


def test_an_encrypted_number_stays_and_another_value_is_a_warning(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    line = next(line for line in path.read_text("utf-8").splitlines() if "max_size" in line)
    change(path, line, f"    max_size: {encrypt('1024M')}")
    unchanged = export(panel, folder)
    panel.run("panel_email", email=MAILBOX, max_size="5G")
    result = export(panel, folder)

    assert "warnings" not in unchanged
    assert "max_size" in result["warnings"][0]


@pytest.fixture
def encrypted_record(panel: InMemory, folder: Path) -> Path:
    """Return the file whose zone has a record with an encrypted value."""
    path = folder / "clients/acme.yml"
    line = next(line for line in path.read_text("utf-8").splitlines() if "canary of a zone" in line)
    indent = line[: line.index("-")]
    value = encrypt("canary of a zone", f"{indent}    ")
    record = ["- host: canary", "  type: TXT", "  ttl: 300", f"  value: {value}"]
    change(path, line, "\n".join(indent + field for field in record))
    assert export(panel, folder)["changed"] is False
    return path


@pytest.mark.parametrize("ttl", [300, 600])
def test_what_the_panel_adds_to_a_record_set_with_an_encrypted_record_comes_into_the_file(
    panel: InMemory, folder: Path, encrypted_record: Path, ttl: int
) -> None:
    records = [{**RECORD, "ttl": ttl}, {**RECORD, "ttl": ttl, "value": "v=spf1 -all"}]
    panel.run("panel_dns", domain="acme.example", records=records)

    result = export(panel, folder, diff=True)

    text = encrypted_record.read_text("utf-8")
    assert result["written"] == ["clients/acme.yml"]
    assert "warnings" not in result
    assert "v=spf1 -all" in text
    assert text.count("!vault") == 1
    assert "canary of a zone" not in text + str(result)
    applied = panel.run("panel_resources", resources_dir=str(folder), check_mode=True)
    assert applied["changed"] is False


@pytest.mark.parametrize("state", ["changed", "removed"])
def test_a_record_set_stays_with_a_warning_if_the_panel_lacks_its_encrypted_record(
    panel: InMemory, folder: Path, encrypted_record: Path, state: str
) -> None:
    lines = set(encrypted_record.read_text("utf-8").splitlines())
    if state == "changed":
        panel.run(
            "panel_dns", domain="acme.example", records=[{**RECORD, "value": "another canary"}]
        )
    else:
        panel.run("panel_dns", domain="acme.example", records=[RECORD], state="absent")

    result = export(panel, folder, diff=True)

    (warning,) = result["warnings"]
    assert "dns acme.example records.canary.TXT" in warning
    assert set(encrypted_record.read_text("utf-8").splitlines()) == lines
    assert "another canary" not in str(result)


def test_a_record_set_with_an_encrypted_host_stays_with_a_warning_if_the_panel_adds_to_it(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    line = next(line for line in path.read_text("utf-8").splitlines() if "canary of a zone" in line)
    indent = line[: line.index("-")]
    host = encrypt("canary", f"{indent}    ")
    record = [f"- host: {host}", "  type: TXT", "  ttl: 300", "  value: canary of a zone"]
    change(path, line, "\n".join(indent + field for field in record))
    unchanged = export(panel, folder)
    before = path.read_text("utf-8")
    panel.run(
        "panel_dns", domain="acme.example", records=[RECORD, {**RECORD, "value": "v=spf1 -all"}]
    )

    result = export(panel, folder)

    assert unchanged["changed"] is False
    assert len(result["warnings"]) == 1
    assert path.read_text("utf-8") == before


@pytest.mark.parametrize(("seconds", "warns"), [("same", False), ("12345", True)])
def test_an_encrypted_number_of_a_zone_stays_and_another_value_is_a_warning(
    panel: InMemory, folder: Path, seconds: str, warns: bool
) -> None:
    path = folder / "clients/acme.yml"
    refresh = yaml.safe_load(path.read_text("utf-8"))["dns"][0]["soa"]["refresh"]
    text = str(refresh) if seconds == "same" else seconds
    change(path, f"refresh: {refresh}\n", f"refresh: {encrypt(text, ' ' * 8)}\n")

    result = export(panel, folder)

    assert ("warnings" in result) is warns
    assert "refresh: !vault" in path.read_text("utf-8")


@pytest.mark.parametrize("whole", [False, True])
def test_a_field_that_another_file_has_encrypted_is_left_out(
    panel: InMemory, folder: Path, whole: bool
) -> None:
    text = "clients:\n  - username: acme\n    notes: {}\n"
    secret = encrypt(text.format("a canary of acme"), "").removeprefix("!vault |\n") + "\n"
    (folder / "secrets.yml").write_text(
        secret if whole else text.format(encrypt("a canary of acme")), "utf-8"
    )

    result = export(panel, folder, diff=True)

    assert result["written"] == ["clients/acme.yml"]
    assert "canary of acme" not in str(result)
    assert "notes" not in (folder / "clients/acme.yml").read_text("utf-8")


def test_an_encrypted_field_goes_with_its_object_to_another_file(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    change(path, "notes: a canary of acme", f"notes: {encrypt('a canary of acme')}")

    path.rename(folder / "clients/elsewhere.yml")

    assert export(panel, folder)["removed"] == ["clients/elsewhere.yml"]
    assert "notes: !vault" in path.read_text("utf-8")
    assert "canary of acme" not in str(read_texts(folder))


def test_a_text_with_a_password_in_a_known_form_is_left_out_and_any_other_is_written_as_it_is(
    panel: InMemory, folder: Path
) -> None:
    dump = "mysqldump -uroot -pa-canary-1 shop"
    backup = "backup a-canary-2"
    for command in (dump, backup):
        task = {"client": "acme", "description": command[:6], "type": "exec", "command": command}
        added = panel.run("panel_scheduled_task", **task)
        assert not added.get("failed"), added["msg"]
    noted = panel.run("panel_client", username="acme", notes="the PIN is a-canary-3")
    assert not noted.get("failed"), noted["msg"]
    directives = {"http_directives": "SetEnv KEY a-canary-4", "https_directives": f"# {dump}"}
    changed = panel.run("panel_domain", domain="acme.example", apache=directives)
    assert not changed.get("failed"), changed["msg"]

    warnings = export(panel, folder)["warnings"]

    assert sorted(re.findall(r"a-canary-\d", str(read_texts(folder)))) == [
        "a-canary-2",
        "a-canary-3",
        "a-canary-4",
    ]
    assert [warning.partition(", since it holds a secret")[0] for warning in warnings] == [
        "domains: acme.example: apache.https_directives is left out",
        "scheduled_tasks: acme:mysqld: left out",
    ]
    assert all("a command or a string of JSON with a password" in warning for warning in warnings)


def test_an_encrypted_command_with_a_password_stays_in_its_file(
    panel: InMemory, folder: Path
) -> None:
    command = "curl https://user:a-canary-77@backup.example/"
    task = {"client": "acme", "description": "job77", "type": "exec", "command": command}
    result = panel.run("panel_scheduled_task", **task)
    assert not result.get("failed"), result["msg"]
    path = folder / "clients/acme.yml"
    fields = {**task, "command": encrypt(command)}
    lines = "\n    ".join(f"{name}: {value}" for name, value in fields.items())
    item = f"scheduled_tasks:\n  - {lines}"
    path.write_text(f"{path.read_text('utf-8').rstrip()}\n{item}\n", "utf-8")

    first = export(panel, folder)
    assert not first.get("failed"), first["msg"]
    assert "command: !vault" in path.read_text("utf-8")
    assert "a-canary-77" not in str((first, read_texts(folder)))

    assert export(panel, folder)["changed"] is False


def test_an_encrypted_value_of_an_object_that_is_gone_is_not_lost(
    panel: InMemory, folder: Path
) -> None:
    text = change(
        folder / "clients/acme.yml", "description: first", f"description: {encrypt('first')}"
    )
    panel.run("panel_email", email="info@acme.example", state="absent")

    assert "its object is not on the panel" in export(panel, folder)["msg"]
    assert read_texts(folder)["clients/acme.yml"] == text


@pytest.mark.parametrize("text", [f"{MARK}clients: []  # mine\n", None], ids=["changed", "removed"])
def test_a_file_that_somebody_changes_while_the_export_runs_is_neither_overwritten_nor_removed(
    panel: InMemory, folder: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    panel.run("panel_client", username="acme", notes="new")
    panel.run("panel_client", username="beta", state="absent")
    real = file_changes._write
    beta = folder / "clients" / "beta.yml"

    def write(path: Path, new: str | None) -> None:
        real(path, new)
        if text is None:
            beta.unlink()
        else:
            beta.write_text(text, encoding="utf-8")

    monkeypatch.setattr(file_changes, "_write", write)

    result = export(panel, folder)

    assert result["failed"]
    assert (
        "beta.yml: this file was changed while the export ran. 1 of 2 files were written or removed. "
        in result["msg"]
    )
    assert (beta.read_text(encoding="utf-8") if beta.exists() else None) == text


@pytest.mark.parametrize(
    "text",
    [
        "client:\n- password: {}\n",
        "clients:\n  acme:\n    password: {}\n",
        "clients:\n- {}\n",
        "clients: {}\n",
        "- password: {}\n",
        "notes:\n- x\n- deep:\n  - {}\n",
    ],
)
def test_an_encrypted_value_that_belongs_to_no_object_is_not_lost(
    panel: InMemory, folder: Path, text: str
) -> None:
    path = folder / "clients/acme.yml"
    written = f"{MARK} mine\n{text.format(encrypt('a-canary-77'))}\n"
    path.write_text(written, "utf-8")

    message = export(panel, folder)["msg"]

    assert "clients/acme.yml: line" in message
    assert "encrypted, and in no list of a kind" in message
    assert "a-canary-77" not in message
    assert path.read_text("utf-8") == written


def test_a_text_with_the_tag_of_an_encrypted_one_is_neither_shown_nor_lost(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    text = change(path, "description: first", "description: !vault a-canary-77")

    result = panel.run("panel_export", dir=str(folder), diff=True)

    assert "!vault stands before a text that is not encrypted" in result["msg"]
    assert "a-canary-77" not in str(result)
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("tag", ["!%76ault", "!<!v%61ult>", "!vaul%74", "!vault"])
def test_an_encrypted_value_is_kept_whatever_spelling_its_tag_has(
    panel: InMemory, folder: Path, tag: str
) -> None:
    path = folder / "clients/acme.yml"
    value = encrypt("a canary of acme").replace("!vault", tag)
    change(path, "notes: a canary of acme", f"notes: {value}")

    result = export(panel, folder)

    assert not result.get("failed"), result
    assert "notes: !vault" in path.read_text("utf-8")
    assert "a canary of acme" not in path.read_text("utf-8")
