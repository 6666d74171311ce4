# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a folder keeps encrypted, an export neither writes nor shows in clear, whichever member of whichever kind it is."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import put
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import Reference
from ansible_collections.hosting.panel.plugins.plugin_utils._files.folder_files import FolderError
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.read_folder import read_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.write_export import write_export
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.vaulted import RunVault, marks_in

SECRET = VaultSecret(b"correct horse")
OTHER = VaultSecret(b"another horse")
SHORT, LONG = ("7", "8"), ("a canary of notes", "a later canary\nof notes")
MEMBERS = {
    plural: [
        path
        for path, member in kind.leaves()
        if not isinstance(member, Reference) and path[0] not in kind.named_by and not member.secret
    ]
    for plural, kind in KINDS.items()
    if plural != DNS
}
WAYS = ["in its own file", "in another file", "in another file, as a whole"]
Resources = dict[str, list[dict[str, Any]]]


class Vaulted(str):
    """A text that is written encrypted."""


class Dumper(yaml.SafeDumper):
    """Writes values as ``ansible-vault encrypt_string`` does."""

    def vaulted(self, value: Vaulted) -> yaml.Node:
        return self.represent_scalar("!vault", encrypted(str(value)), style="|")


Dumper.add_representer(Vaulted, Dumper.vaulted)


def encrypted(text: str) -> str:
    return str(RunVault(None).encrypt(text, secret=SECRET).decode())


def object_of(plural: str, side: int, text: type[str] = str) -> dict[str, Any]:
    """An object of a kind with every member that it may have. side: which of two values. text: what the values are."""
    item: dict[str, Any] = {name: f"name-{number}.example" for number, name in enumerate(KINDS[plural].named_by)}
    for number, path in enumerate(MEMBERS[plural]):
        put(item, path, text((SHORT, LONG)[number % 2][side]))
    return item


def run(folder: Path, resources: Resources, *secrets: VaultSecret, writes: bool = True) -> dict[str, Any]:
    """The result of panel_folder_write as a run has it, with all that it shows, and the page among it."""
    job: Any = SimpleNamespace(
        arguments={
            "directory": str(folder),
            "plan_file": str(folder.parent / "page.md"),
            "compares_only": not writes,
        },
        panel=SimpleNamespace(read=lambda _module, _member, _options: resources),
        vault=RunVault([("default", secret) for secret in secrets]),
        check_mode=False,
        diff=True,
        warnings=[],
    )
    job.warn = job.warnings.extend
    result = write_export(job)
    page = (folder.parent / "page.md").read_text(encoding="utf-8")
    return dict(job.vault.masked({**result, "warnings": job.warnings}), page=page)


def shown(result: Any) -> str:
    """Every text in it, on lines of their own."""
    if isinstance(result, dict):
        return "\n".join(shown(value) for value in result.values())
    return "\n".join(map(shown, result)) if isinstance(result, list) else str(result)


def only_file(folder: Path) -> Path:
    (path,) = [one for one in folder.rglob("*.yml") if one.name != "secrets.yml"]
    return path


def encrypt(folder: Path, plural: str, way: str) -> None:
    """As an operator would who wants the members of an exported object to be secret."""
    if way == "in its own file":
        file = only_file(folder)
        head = file.read_text(encoding="utf-8").partition("---\n")[0]
        text = yaml.dump({plural: [object_of(plural, 0, Vaulted)]}, Dumper=Dumper, sort_keys=False)
        file.write_text(f"{head}---\n{text}", encoding="utf-8")
        return
    whole = way.endswith("whole")
    text = yaml.dump({plural: [object_of(plural, 0, str if whole else Vaulted)]}, Dumper=Dumper)
    (folder / "secrets.yml").write_text(encrypted(text) if whole else text, encoding="utf-8")


def assert_hidden(*texts: str) -> None:
    """Short values may be a part of other words, and are sought as values alone."""
    for text in texts:
        assert "canary" not in text and "of notes" not in text, text
        for value in SHORT:
            for form in (f": {value}\n", f"`{value}`", f"'{value}'", f"- {value}\n", f" {value} "):
                assert form not in f"{text}\n", text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("plural", MEMBERS)
def test_no_member_that_the_folder_keeps_encrypted_is_written_or_shown(plural: str, way: str, tmp_path: Path) -> None:
    folder, vault = tmp_path / "panel", RunVault([("default", SECRET)])
    before, after = ({plural: [object_of(plural, side)]} for side in (0, 1))
    run(folder, before)
    encrypt(folder, plural, way)
    # What is in clear goes from the file, and that is nothing new on the panel.
    assert "changed:" not in run(folder, before, SECRET, writes=False)["page"]
    first = run(folder, before, SECRET)
    text = only_file(folder).read_text(encoding="utf-8")
    assert_hidden(shown(first), text)
    assert (first["kept"], first["warnings"]) == ([], [])
    assert run(folder, before, SECRET)["changed"] is False
    assert read_folder(folder, vault).resources == before

    drift = run(folder, after, SECRET, writes=False)
    assert_hidden(shown(drift))
    changed = re.findall(r"  - `([\w.]+)`: `\*{8} \(old\)` → `\*{8} \(new\)`", drift["page"])
    members = {".".join(path) for path in MEMBERS[plural]}
    assert sorted(changed) == sorted(members)
    assert only_file(folder).read_text(encoding="utf-8") == text

    taken = run(folder, after, SECRET)
    assert_hidden(shown(taken), only_file(folder).read_text(encoding="utf-8"))
    if way == "in its own file":
        assert read_folder(folder, vault).resources == after
        assert run(folder, after, SECRET, writes=False)["written"] == []
    else:
        assert drift["kept"] == taken["kept"] == [str(folder / "secrets.yml")]
        (warning,) = taken["warnings"]
        (first_kept, *_others) = [line for line in drift["lines"] if "which an export leaves as it is" in line]
        assert first_kept.partition(": ********")[0] in warning
        assert re.match(
            rf"secrets\.yml: line \d+, column \d+: {plural}\[0\] \(.+\) [\w.]+: \*{{8}} \(old\) -> ", first_kept
        )


CLIENT: dict[str, Any] = {"username": "acme", "notes": "a canary", "email": "it@acme.example"}


def with_secrets(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "secrets.yml"
    path.write_text(text, encoding="utf-8")
    return path


def one_value(name: str, value: str, plural: str = "clients", **names: str) -> str:
    return yaml.dump({plural: [{**(names or {"username": "acme"}), name: Vaulted(value)}]}, Dumper=Dumper)


def test_what_was_decrypted_is_masked_wherever_else_it_stands(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    with_secrets(folder, one_value("notes", "a canary"))
    later = run(folder, {"clients": [CLIENT, {"username": "beta", "notes": "see a canary"}]}, SECRET)
    assert_hidden(shown(later))
    assert "notes: see ********" in shown(later)


def test_other_objects_and_members_are_written_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    with_secrets(folder, one_value("notes", "a canary"))
    run(folder, {"clients": [CLIENT, {"username": "beta", "notes": "plain"}]}, SECRET)
    assert (folder / "clients" / "acme.yml").read_text(encoding="utf-8").endswith("email: it@acme.example\n")
    done = run(folder, {"clients": [CLIENT, {"username": "beta", "notes": "words"}]}, SECRET, writes=False)
    assert "`notes`: `plain` → `words`" in done["page"]
    assert "+    notes: words" in done["lines"]


@pytest.mark.parametrize("secrets", [[], [OTHER]], ids=["no secret", "another one"])
def test_what_a_run_cannot_decrypt_stays_as_it_is_and_is_not_compared(
    tmp_path: Path, secrets: list[VaultSecret]
) -> None:
    folder = tmp_path / "panel"
    path = with_secrets(folder, one_value("notes", "a canary"))
    text = path.read_text(encoding="utf-8")
    done = run(folder, {"clients": [CLIENT]}, *secrets)
    assert "canary" not in (folder / "clients" / "acme.yml").read_text(encoding="utf-8") + shown(done)
    (warning,) = done["warnings"]
    assert "not compared with the panel" in warning
    assert "secrets.yml: line 2, column 3: clients[0] (acme) notes" in warning
    assert path.read_text(encoding="utf-8") == text

    path.unlink()
    run(folder, {"clients": [CLIENT]}, SECRET)
    file = folder / "clients" / "acme.yml"
    kept = file.read_text(encoding="utf-8").replace("a canary", "!vault |\n" + indented(encrypted("a canary")))
    file.write_text(kept, encoding="utf-8")
    done = run(folder, {"clients": [{**CLIENT, "notes": "a later canary", "email": "new@acme.example"}]}, *secrets)
    assert "canary" not in shown(done)
    assert file.read_text(encoding="utf-8") == kept.replace("it@", "new@")


def indented(text: str) -> str:
    return "".join(f"      {line}\n" for line in text.splitlines()).rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        encrypted("clients: [{username: acme, notes: a canary}]\n"),
        "clients: [{username: !vault x, notes: y}]\n",
        "a: [!vault",
    ],
    ids=["a whole file", "the name of an object", "no YAML"],
)
def test_where_nobody_can_tell_what_is_secret_nothing_is_shown_and_nothing_written(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "panel"
    run(folder, {"clients": [CLIENT]})
    with_secrets(folder, text)
    before = only_file(folder).read_text(encoding="utf-8")
    later = {"clients": [{**CLIENT, "notes": "a later canary", "email": "other@acme.example"}]}
    drift = run(folder, later, writes=False)
    assert_hidden(shown(drift))
    assert "acme.example" not in shown(drift)
    assert "- changed: client `acme`\n  - `notes`: `******** (old)` → `******** (new)`\n" in drift["page"]
    assert "cannot be told, so no value is shown: secrets.yml: " in drift["warnings"][0]
    with pytest.raises(FolderError, match=r"secrets\.yml: .*cannot be told, .*No file was written\.$") as caught:
        run(folder, later)
    assert "canary" not in str(caught.value)
    assert only_file(folder).read_text(encoding="utf-8") == before
    assert run(folder, {"clients": [CLIENT]})["changed"] is False


@pytest.mark.parametrize(
    "text", ["generated_passwords: [{panel: some-panel.example, kind: clients, key: acme, password: x}]\n", "{}", ""]
)
def test_an_encrypted_file_without_objects_changes_nothing(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "panel"
    with_secrets(folder, encrypted(text))
    done = run(folder, {"clients": [CLIENT]}, SECRET)
    assert (done["kept"], done["warnings"]) == ([], [])
    later = run(folder, {"clients": [{**CLIENT, "email": "it@some-panel.example"}]}, SECRET, writes=False)
    assert "it@some-panel.example" in "".join(later["lines"])
    assert "notes: a canary" in (folder / "clients" / "acme.yml").read_text(encoding="utf-8")


def test_an_encrypted_password_stays_in_the_file_of_the_export(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    run(folder, {"clients": [CLIENT]})
    file = only_file(folder)
    text = file.read_text(encoding="utf-8") + "    password: !vault |\n" + indented(encrypted("a canary")) + "\n"
    file.write_text(text, encoding="utf-8")
    assert run(folder, {"clients": [CLIENT]})["changed"] is False
    run(folder, {"clients": [{**CLIENT, "email": "new@acme.example"}]})
    assert file.read_text(encoding="utf-8") == text.replace("it@", "new@")


def test_a_new_value_that_ansible_would_evaluate_is_not_encrypted(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    run(folder, {"clients": [CLIENT]})
    encrypted_notes = CLIENT["notes"]
    file = only_file(folder)
    text = file.read_text(encoding="utf-8").replace("a canary", "!vault |\n" + indented(encrypted(encrypted_notes)))
    file.write_text(text, encoding="utf-8")
    done = run(folder, {"clients": [{**CLIENT, "notes": "{{ lookup('pipe', 'a canary') }}"}]}, SECRET)
    assert file.read_text(encoding="utf-8") == text
    assert (done["kept"], done["written"]) == ([str(file)], [])
    assert "canary" not in shown(done)


def test_a_list_that_is_one_encrypted_text_is_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    mailbox = {"email": "info@acme.example", "aliases": ["a@acme.example"]}
    run(folder, {"emails": [mailbox]})
    file = only_file(folder)
    before, _list, after = file.read_text(encoding="utf-8").partition("aliases:\n      - a@acme.example\n")
    assert _list
    text = f"{before}aliases: !vault |\n{indented(encrypted('a@acme.example'))}\n{after}"
    file.write_text(text, encoding="utf-8")
    assert run(folder, {"emails": [mailbox]}, SECRET)["changed"] is False
    done = run(folder, {"emails": [{**mailbox, "aliases": ["a@acme.example", "b@acme.example"]}]}, SECRET)
    assert (done["kept"], done["written"]) == ([str(file)], [])
    assert file.read_text(encoding="utf-8") == text


def test_a_file_of_the_export_that_is_encrypted_as_a_whole_is_refused_whatever_differs(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    run(folder, {"clients": [CLIENT]})
    file = only_file(folder)
    file.write_text(encrypted(file.read_text(encoding="utf-8")), encoding="utf-8")
    for notes in (CLIENT["notes"], "others"):
        with pytest.raises(FolderError, match="the file is encrypted as a whole"):
            run(folder, {"clients": [{**CLIENT, "notes": notes}]}, SECRET)
        assert "is not known" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_what_stands_in_clear_over_an_encrypted_part_is_no_secret(tmp_path: Path) -> None:
    folder = tmp_path / "panel"
    run(folder, {"clients": [CLIENT]})
    file = only_file(folder)
    head = file.read_text(encoding="utf-8").partition("---\n")[0]
    base = f"x: &base\n  notes: !vault |\n{indented(encrypted('a canary'))}\n"
    clear = "clients:\n  - <<: *base\n    username: acme\n    notes: clear\n"
    file.write_text(f"{head}---\n{base}{clear}", encoding="utf-8")
    with pytest.raises(FolderError, match="encrypted with Ansible Vault"):
        run(folder, {"clients": [{**CLIENT, "notes": "others"}]}, SECRET)


RECORDS = [
    {"host": "@", "type": "A", "ttl": 300, "value": "192.0.2.1"},
    {"host": "_key", "type": "TXT", "ttl": 300, "value": "a canary"},
]
LATER = [
    RECORDS[0],
    {**RECORDS[1], "value": "a later canary"},
    {"host": "_x", "type": "TXT", "ttl": 300, "value": "third canary"},
]


def zone(records: list[dict[str, Any]]) -> Resources:
    return {"dns": [{"domain": "acme.example", "purge": True, "records": records}]}


def vaulted_values(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "value": Vaulted(one["value"]) if "canary" in one["value"] else one["value"]} for one in records]


@pytest.mark.parametrize("way", WAYS[:2])
def test_records_of_which_a_part_is_encrypted_are_neither_written_nor_shown(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "panel"
    run(folder, zone(RECORDS))
    file = folder / "panel.yml"
    # As an operator writes them, in another spelling.
    text = yaml.dump(zone([{**one, "ttl": "300"} for one in vaulted_values(RECORDS)]), Dumper=Dumper, sort_keys=False)
    if way == "in its own file":
        file.write_text(f"{file.read_text(encoding='utf-8').partition('dns:')[0]}{text}", encoding="utf-8")
    else:
        with_secrets(folder, text.replace("  purge: true\n", ""))
    first = run(folder, zone(RECORDS), SECRET)
    assert first["kept"] == []
    assert_hidden(shown(first), file.read_text(encoding="utf-8"))
    assert run(folder, zone(RECORDS), SECRET)["changed"] is False
    drift = run(folder, zone(LATER), SECRET, writes=False)
    assert_hidden(shown(drift))
    assert drift["kept"] or drift["written"]
    assert "changed: DNS zone `acme.example`" in drift["page"]
    run(folder, zone(LATER), SECRET)
    assert_hidden(file.read_text(encoding="utf-8"))
    if way == "in its own file":
        assert read_folder(folder, RunVault([("default", SECRET)])).resources["dns"][0]["records"][1:] == LATER[1:]


def test_an_entry_that_comes_into_a_list_with_encrypted_ones_is_encrypted_too(tmp_path: Path) -> None:
    folder, mailbox = tmp_path / "panel", {"email": "info@acme.example"}
    aliases = ["canary@acme.example", "plain@acme.example"]
    run(folder, {"emails": [{**mailbox, "aliases": aliases}]})
    file = folder / "panel.yml"
    text = yaml.dump({"emails": [{**mailbox, "aliases": [Vaulted(aliases[0]), aliases[1]]}]}, Dumper=Dumper)
    file.write_text(f"{file.read_text(encoding='utf-8').partition('emails:')[0]}{text}", encoding="utf-8")
    later = [*reversed(aliases), "third-canary@acme.example"]
    done = run(folder, {"emails": [{**mailbox, "aliases": later}]}, SECRET)
    written = file.read_text(encoding="utf-8")
    assert_hidden(shown(done), written)
    assert "- plain@acme.example\n" in written
    assert read_folder(folder, RunVault([("default", SECRET)])).resources["emails"][0]["aliases"] == later


def test_what_is_in_clear_in_one_file_and_encrypted_in_another_is_a_secret(tmp_path: Path) -> None:
    group = {"contact_data": {"company": "a canary", "city": "Bern"}}
    with_secrets(tmp_path, yaml.dump({"clients": [{**CLIENT, **group}]}))
    vaulted = {"username": "acme", "notes": Vaulted("a canary"), "contact_data": {"company": Vaulted("a canary")}}
    (tmp_path / "later.yml").write_text(yaml.dump({"clients": [vaulted]}, Dumper=Dumper), encoding="utf-8")
    (item,) = read_folder(tmp_path, RunVault([("default", SECRET)])).resources["clients"]
    assert item == {**CLIENT, **group}
    assert marks_in({"clients": [item]}) == {"clients": {"acme": frozenset({("notes",), ("contact_data", "company")})}}
